//! One number of several matrices at once: what the kernels of this folder compute with.
//!
//! A kernel is written once over [`Lanes`] and runs with one lane (plain `f64`) or with as many as the processor offers.
//! Only operations that IEEE 754 rounds correctly are offered (+ − × ÷ √ and comparisons; no fused multiply-add), so that
//! a matrix gets the same bits alone, in any lane, and on any machine.
//!
//! Everything is `#[inline(always)]` and there are no closures (so no `array::map`): a function that the compiler does not
//! inline is compiled without the processor's wide registers, and the kernel is six times as slow.

use std::ops::{Add, Div, Mul, Neg, Sub};

use pulp::Simd;

use crate::small::Mat3;

/// One `f64` of each of `S::F64_LANES` matrices.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    x: S::f64s,
}

/// One truth value of each of `S::F64_LANES` matrices.
#[derive(Clone, Copy)]
pub(super) struct Mask<S: Simd> {
    simd: S,
    x: S::m64s,
}

/// A vector of each matrix.
pub(super) type V3<S> = [Lanes<S>; 3];

/// Three columns of each matrix: `m[column][row]`, the order in which [`Mat3`] keeps its numbers.
pub(super) type M3<S> = [V3<S>; 3];

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, x: f64) -> Self {
        Self { simd, x: simd.splat_f64s(x) }
    }

    /// The same number in the lanes of a value that is there already.
    #[inline(always)]
    pub(super) fn constant(self, x: f64) -> Self {
        Self::splat(self.simd, x)
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self { x: self.simd.sqrt_f64s(self.x), ..self }
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self { x: self.simd.abs_f64s(self.x), ..self }
    }

    /// False where either is NaN.
    #[inline(always)]
    pub(super) fn less(self, than: Self) -> Mask<S> {
        Mask { simd: self.simd, x: self.simd.less_than_f64s(self.x, than.x) }
    }

    /// The greater of two; `self` where either is NaN.
    #[inline(always)]
    pub(super) fn or_greater(self, other: Self) -> Self {
        self.less(other).select(other, self)
    }

    /// The lesser of two; `self` where either is NaN.
    #[inline(always)]
    pub(super) fn or_less(self, other: Self) -> Self {
        other.less(self).select(other, self)
    }

    /// 2^e of x = m·2^e, 1 ≤ m < 2: the exponent's bits are those of ∞.
    #[inline(always)]
    pub(super) fn power_of_two(self) -> Self {
        Self { x: self.simd.and_f64s(self.x, self.simd.splat_f64s(f64::INFINITY)), ..self }
    }
}

impl<S: Simd> Mask<S> {
    #[inline(always)]
    pub(super) fn select(self, yes: Lanes<S>, no: Lanes<S>) -> Lanes<S> {
        Lanes { simd: self.simd, x: self.simd.select_f64s(self.x, yes.x, no.x) }
    }

    #[inline(always)]
    pub(super) fn select3(self, yes: V3<S>, no: V3<S>) -> V3<S> {
        [self.select(yes[0], no[0]), self.select(yes[1], no[1]), self.select(yes[2], no[2])]
    }

    /// Whether it holds for at least one matrix.
    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.simd.first_true_m64s(self.x) < S::F64_LANES
    }
}

macro_rules! operator {
    ($Trait:ident, $method:ident, $function:ident) => {
        impl<S: Simd> $Trait for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { x: self.simd.$function(self.x, other.x), ..self }
            }
        }
    };
}
operator!(Add, add, add_f64s);
operator!(Sub, sub, sub_f64s);
operator!(Mul, mul, mul_f64s);
operator!(Div, div, div_f64s);

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: self.simd.neg_f64s(self.x), ..self }
    }
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: V3<S>, b: V3<S>) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A x.
#[inline(always)]
pub(super) fn times<S: Simd>(A: M3<S>, x: V3<S>) -> V3<S> {
    let row = [[A[0][0], A[1][0], A[2][0]], [A[0][1], A[1][1], A[2][1]], [A[0][2], A[1][2], A[2][2]]];
    [dot(row[0], x), dot(row[1], x), dot(row[2], x)]
}

/// (c a + s b, c b − s a): two columns turned by one angle.
#[inline(always)]
pub(super) fn turn<S: Simd>(c: Lanes<S>, s: Lanes<S>, a: V3<S>, b: V3<S>) -> (V3<S>, V3<S>) {
    (
        [c * a[0] + s * b[0], c * a[1] + s * b[1], c * a[2] + s * b[2]],
        [c * b[0] - s * a[0], c * b[1] - s * a[1], c * b[2] - s * a[2]],
    )
}

/// x a.
#[inline(always)]
pub(super) fn scale<S: Simd>(x: Lanes<S>, a: V3<S>) -> V3<S> {
    [x * a[0], x * a[1], x * a[2]]
}

/// x added to each number of a.
#[inline(always)]
pub(super) fn shift<S: Simd>(x: Lanes<S>, a: V3<S>) -> V3<S> {
    [x + a[0], x + a[1], x + a[2]]
}

/// Lane l holds matrix l; lanes past the end repeat the last one. `matrices` must not be empty.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, matrices: &[Mat3]) -> M3<S> {
    let mut out = [[Lanes::splat(simd, 0.0); 3]; 3];
    for l in 0..S::F64_LANES {
        let numbers = &matrices[l.min(matrices.len() - 1)];
        for c in 0..3 {
            for r in 0..3 {
                lanes_mut(&mut out[c][r])[l] = numbers[(r, c)];
            }
        }
    }
    out
}

/// The matrix of lane `l`.
#[inline(always)]
pub(super) fn lane_of_matrix<S: Simd>(m: &M3<S>, l: usize) -> Mat3 {
    let [a, b, c] = m;
    Mat3::new(
        lane(&a[0], l),
        lane(&b[0], l),
        lane(&c[0], l),
        lane(&a[1], l),
        lane(&b[1], l),
        lane(&c[1], l),
        lane(&a[2], l),
        lane(&b[2], l),
        lane(&c[2], l),
    )
}

/// The number of lane `l`.
#[inline(always)]
pub(super) fn lane<S: Simd>(x: &Lanes<S>, l: usize) -> f64 {
    bytemuck::cast_slice(std::slice::from_ref(&x.x))[l]
}

#[inline(always)]
fn lanes_mut<S: Simd>(x: &mut Lanes<S>) -> &mut [f64] {
    bytemuck::cast_slice_mut(std::slice::from_mut(&mut x.x))
}
