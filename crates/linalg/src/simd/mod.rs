//! Vector registers of four floats, with fused multiply-adds where the processor has them: what the dense kernels compute with.
//!
//! A kernel is written once over [`Wide`] and compiled twice: for AVX2 with FMA, and for any processor. [`run`] chooses
//! when it is called. A fused product rounds once where the other rounds twice, so the two differ in the last bits; on
//! one machine the bits are always the same. [`run_widest`] also compiles it for registers of eight floats (`eight.rs`), in which a
//! kernel keeps two quads side by side: lanes never meet there, so that the bits are those of AVX2.
//!
//! Everything is `#[inline(always)]` and there are no closures: a function that the compiler does not inline is compiled
//! without the processor's wide registers.

#[cfg(target_arch = "x86_64")]
mod eight;
pub mod probe;

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
use pulp::{Simd, WithSimd};

/// Four floats that a register reads and writes in one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Quad(pub(crate) [f64; 4]);

/// Arithmetic of the processor on four floats at once.
pub(crate) trait Wide: Copy {
    /// A register.
    type V: Copy;
    fn load(self, x: &Quad) -> Self::V;
    fn load_slice(self, x: &[f64; 4]) -> Self::V;
    fn store(self, x: Self::V) -> Quad;
    fn splat(self, x: f64) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// a b + c.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c − a b.
    fn minus(self, c: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// Lane k is the sum of the lanes of `x[k]`.
    fn sums(self, x: [Self::V; 4]) -> Self::V;
    /// Lane l of register k becomes lane k of register l.
    fn transpose(self, x: [Self::V; 4]) -> [Self::V; 4];

    /// Two quads side by side: one register, or two.
    type Pair: Copy;
    fn load_pair(self, x: &[Quad; 2]) -> Self::Pair;
    fn store_pair(self, x: Self::Pair) -> [Quad; 2];
    fn splat_pair(self, x: f64) -> Self::Pair;
    fn add_pair(self, a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// a b + c.
    fn mul_add_pair(self, a: Self::Pair, b: Self::Pair, c: Self::Pair) -> Self::Pair;
}

/// Pairs of processors without registers for them.
macro_rules! pairs_of_two {
    () => {
        type Pair = [Self::V; 2];

        #[inline(always)]
        fn load_pair(self, x: &[Quad; 2]) -> Self::Pair {
            [self.load(&x[0]), self.load(&x[1])]
        }
        #[inline(always)]
        fn store_pair(self, x: Self::Pair) -> [Quad; 2] {
            [self.store(x[0]), self.store(x[1])]
        }
        #[inline(always)]
        fn splat_pair(self, x: f64) -> Self::Pair {
            [self.splat(x); 2]
        }
        #[inline(always)]
        fn add_pair(self, a: Self::Pair, b: Self::Pair) -> Self::Pair {
            [self.add(a[0], b[0]), self.add(a[1], b[1])]
        }
        #[inline(always)]
        fn mul_add_pair(self, a: Self::Pair, b: Self::Pair, c: Self::Pair) -> Self::Pair {
            [self.mul_add(a[0], b[0], c[0]), self.mul_add(a[1], b[1], c[1])]
        }
    };
}

/// A kernel for any arithmetic.
pub(crate) trait Kernel {
    /// What it gives.
    type Output;
    fn run<W: Wide>(self, wide: W) -> Self::Output;
}

/// Runs a kernel with the best arithmetic that this processor has.
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        return Simd::vectorize(simd, With { kernel, wide: simd });
    }
    kernel.run(Plain)
}

/// [`run`] for a kernel that keeps quads in pairs: registers of eight floats where the processor has them, with the same bits.
pub(crate) fn run_widest<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(eight) = eight::Eight::try_new() {
        return eight.run(kernel);
    }
    run(kernel)
}

/// A kernel and the arithmetic it is to be compiled for.
struct With<K, W> {
    kernel: K,
    wide: W,
}

impl<K: Kernel, W: Wide> WithSimd for With<K, W> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        align_stack();
        self.kernel.run(self.wide)
    }
}

/// Makes the function that this is inlined into keep the registers it has no room for in places that are aligned.
///
/// Left alone, the compiler aligns a stack to 16 bytes. Whether a register of 32 then lies across two cache lines, or
/// across two pages, is decided by how deep the caller's stack happens to be: one such register in the loop of a quartic
/// polynomial made all of it 1.4 times slower, in some builds and not in others. A local that asks for alignment, and
/// whose address somebody may have seen, aligns the whole frame.
#[inline(always)]
fn align_stack() {
    std::hint::black_box(&Quad::default());
}

#[cfg(target_arch = "x86_64")]
impl Wide for V3 {
    pairs_of_two!();

    type V = std::arch::x86_64::__m256d;

    #[inline(always)]
    fn load(self, x: &Quad) -> Self::V {
        bytemuck::cast(x.0)
    }
    #[inline(always)]
    fn load_slice(self, x: &[f64; 4]) -> Self::V {
        bytemuck::cast(*x)
    }
    #[inline(always)]
    fn store(self, x: Self::V) -> Quad {
        Quad(bytemuck::cast(x))
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Self::V {
        self.avx._mm256_set1_pd(x)
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        self.avx._mm256_add_pd(a, b)
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        self.avx._mm256_sub_pd(a, b)
    }
    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        self.avx._mm256_mul_pd(a, b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.fma._mm256_fmadd_pd(a, b, c)
    }
    #[inline(always)]
    fn minus(self, c: Self::V, a: Self::V, b: Self::V) -> Self::V {
        self.fma._mm256_fnmadd_pd(a, b, c)
    }
    #[inline(always)]
    fn sums(self, [a, b, c, d]: [Self::V; 4]) -> Self::V {
        // Neighbours first: [a01 b01 a23 b23], then the halves.
        let (ab, cd) = (self.avx._mm256_hadd_pd(a, b), self.avx._mm256_hadd_pd(c, d));
        let low = self.avx._mm256_blend_pd::<0b1100>(ab, cd);
        let high = self.avx._mm256_permute2f128_pd::<0x21>(ab, cd);
        self.avx._mm256_add_pd(low, high)
    }
    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [Self::V; 4]) -> [Self::V; 4] {
        let (low_ab, high_ab) = (self.avx._mm256_unpacklo_pd(a, b), self.avx._mm256_unpackhi_pd(a, b));
        let (low_cd, high_cd) = (self.avx._mm256_unpacklo_pd(c, d), self.avx._mm256_unpackhi_pd(c, d));
        [
            self.avx._mm256_permute2f128_pd::<0x20>(low_ab, low_cd),
            self.avx._mm256_permute2f128_pd::<0x20>(high_ab, high_cd),
            self.avx._mm256_permute2f128_pd::<0x31>(low_ab, low_cd),
            self.avx._mm256_permute2f128_pd::<0x31>(high_ab, high_cd),
        ]
    }
}

/// Four numbers, one after the other; not fused, since without the instruction that costs a function call.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Wide for Plain {
    pairs_of_two!();

    type V = [f64; 4];

    #[inline(always)]
    fn load(self, x: &Quad) -> [f64; 4] {
        x.0
    }
    #[inline(always)]
    fn load_slice(self, x: &[f64; 4]) -> [f64; 4] {
        *x
    }
    #[inline(always)]
    fn store(self, x: [f64; 4]) -> Quad {
        Quad(x)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> [f64; 4] {
        [x; 4]
    }
    #[inline(always)]
    fn add(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    }
    #[inline(always)]
    fn sub(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
    }
    #[inline(always)]
    fn mul(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        [a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]
    }
    #[inline(always)]
    fn mul_add(self, a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
        self.add(self.mul(a, b), c)
    }
    #[inline(always)]
    fn minus(self, c: [f64; 4], a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        self.sub(c, self.mul(a, b))
    }
    #[inline(always)]
    fn sums(self, x: [[f64; 4]; 4]) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for k in 0..4 {
            sums[k] = (x[k][0] + x[k][1]) + (x[k][2] + x[k][3]);
        }
        sums
    }
    #[inline(always)]
    fn transpose(self, x: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
        let mut turned = [[0.0; 4]; 4];
        for k in 0..4 {
            for l in 0..4 {
                turned[l][k] = x[k][l];
            }
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct All([[f64; 4]; 4]);

    impl Kernel for All {
        type Output = Vec<Quad>;

        #[inline(always)]
        fn run<W: Wide>(self, wide: W) -> Vec<Quad> {
            let x = [
                wide.load_slice(&self.0[0]),
                wide.load_slice(&self.0[1]),
                wide.load_slice(&self.0[2]),
                wide.load(&Quad(self.0[3])),
            ];
            let [a, b, c, d] = x;
            let t = wide.transpose(x);
            let all = [
                wide.add(a, b),
                wide.sub(a, b),
                wide.mul(a, b),
                wide.mul_add(a, b, c),
                wide.minus(c, a, b),
                wide.sums([a, b, c, d]),
                wide.splat(7.0),
            ];
            let mut out = Vec::new();
            for v in all.into_iter().chain(t) {
                out.push(wide.store(v));
            }
            let [left, right] = [[0, 1], [2, 3]].map(|k| wide.load_pair(&k.map(|k| Quad(self.0[k]))));
            let three = wide.splat_pair(3.0);
            for pair in [wide.add_pair(left, right), wide.mul_add_pair(left, right, three)] {
                out.extend(wide.store_pair(pair));
            }
            out
        }
    }

    #[test]
    fn the_processors_arithmetic_is_the_plain_one() {
        // Small whole numbers: nothing is rounded, so fused or not is the same.
        let x =
            [[1.0, 2.0, 3.0, 4.0], [5.0, 7.0, 11.0, 13.0], [17.0, 19.0, 23.0, 29.0], [0.0, -1.0, 31.0, 37.0]];
        let (best, plain) = (run(All(x)), All(x).run(Plain));
        assert_eq!(best, plain);
        assert_eq!(run_widest(All(x)), plain);
        assert_eq!(plain[3].0, [22.0, 33.0, 56.0, 81.0]);
        assert_eq!(plain[4].0, [12.0, 5.0, -10.0, -23.0]);
        assert_eq!(plain[5].0, [10.0, 36.0, 88.0, 67.0]);
        assert_eq!(plain[7].0, [1.0, 5.0, 17.0, 0.0]);
        assert_eq!((plain[11].0, plain[14].0), ([18.0, 21.0, 26.0, 33.0], [3.0, -4.0, 344.0, 484.0]));
    }
}
