//! Registers of eight floats: two quads side by side, for processors with AVX-512.
//!
//! Each lane does what the same lane of a quad does, so that no bit changes; quads alone go on in registers of four. What pulp has for
//! this would have to be asked for everywhere at once (`x86-v4`), in faer and in kernels that sum up lanes, whose bits would then be
//! others on processors with AVX-512 than on those without ([ADR 21](../../../../docs/adr/0021-registers-of-eight.md)).
#![expect(unsafe_code, reason = "the instructions exist only where the processor says so")]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    __m256d, __m512d, _mm512_add_pd, _mm512_castpd256_pd512, _mm512_extractf64x4_pd, _mm512_fmadd_pd,
    _mm512_insertf64x4, _mm512_set1_pd,
};

use pulp::x86::V3;

use super::{Kernel, Quad, Wide, align_stack};

/// That this processor has AVX-512F and all that V3 stands for. Only [`Eight::try_new`] makes one.
#[derive(Clone, Copy)]
pub(crate) struct Eight {
    four: V3,
}

impl Eight {
    /// `None` where the processor lacks something.
    #[inline]
    pub(super) fn try_new() -> Option<Self> {
        let four = V3::try_new()?;
        is_x86_feature_detected!("avx512f").then_some(Self { four })
    }

    /// Runs a kernel, compiled for this.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: there is an `Eight` only where `try_new` has found all of these features (V3 has AVX2, FMA, BMI and LZCNT).
        unsafe { inside(self, kernel) }
    }
}

/// All that is inlined in here may use the wide registers.
#[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn inside<K: Kernel>(eight: Eight, kernel: K) -> K::Output {
    align_stack();
    kernel.run(eight)
}

impl Wide for Eight {
    type V = __m256d;
    type Pair = __m512d;

    #[inline(always)]
    fn load(self, x: &Quad) -> Self::V {
        self.four.load(x)
    }
    #[inline(always)]
    fn load_slice(self, x: &[f64; 4]) -> Self::V {
        self.four.load_slice(x)
    }
    #[inline(always)]
    fn store(self, x: Self::V) -> Quad {
        self.four.store(x)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Self::V {
        self.four.splat(x)
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        self.four.add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        self.four.sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        self.four.mul(a, b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.four.mul_add(a, b, c)
    }
    #[inline(always)]
    fn minus(self, c: Self::V, a: Self::V, b: Self::V) -> Self::V {
        self.four.minus(c, a, b)
    }
    #[inline(always)]
    fn sums(self, x: [Self::V; 4]) -> Self::V {
        self.four.sums(x)
    }
    #[inline(always)]
    fn transpose(self, x: [Self::V; 4]) -> [Self::V; 4] {
        self.four.transpose(x)
    }
    #[inline(always)]
    fn load_pair(self, x: &[Quad; 2]) -> Self::Pair {
        // SAFETY: an `Eight` is a processor with AVX-512F; so below.
        unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(self.load(&x[0])), self.load(&x[1])) }
    }
    #[inline(always)]
    fn store_pair(self, x: Self::Pair) -> [Quad; 2] {
        // SAFETY: as above.
        let halves = unsafe { [_mm512_extractf64x4_pd::<0>(x), _mm512_extractf64x4_pd::<1>(x)] };
        [self.store(halves[0]), self.store(halves[1])]
    }
    #[inline(always)]
    fn splat_pair(self, x: f64) -> Self::Pair {
        // SAFETY: as above.
        unsafe { _mm512_set1_pd(x) }
    }
    #[inline(always)]
    fn add_pair(self, a: Self::Pair, b: Self::Pair) -> Self::Pair {
        // SAFETY: as above.
        unsafe { _mm512_add_pd(a, b) }
    }
    #[inline(always)]
    fn mul_add_pair(self, a: Self::Pair, b: Self::Pair, c: Self::Pair) -> Self::Pair {
        // SAFETY: as above.
        unsafe { _mm512_fmadd_pd(a, b, c) }
    }
}
