//! The part that singular values and rotation have in common: F split into its largest direction and a 2×2 rest.
//! ```text
//! FᵀF = V D Vᵀ by Jacobi, largest first;   b_j = F v_j;   σ₁ = |b₁|,  u₁ = b₁/σ₁                    (1)
//! F = σ₁ u₁v₁ᵀ + [w₂ w₃] M [v₂ v₃]ᵀ,   M = [w₂ w₃]ᵀ [b₂ b₃],   (u₁, w₂, w₃) a right-handed basis    (2)
//! ```
//! FᵀF squares the condition: what it says about singular values below 1e-8 σ₁ is noise. But (2) needs only that b₂ and b₃
//! are orthogonal to b₁, which is true to one rounding error of σ₁; M is computed from F itself and carries the small
//! values in full. A matrix of any grading is as exact as a well-conditioned one, relative to its norm.

use pulp::Simd;

use super::jacobi::{Symmetric, diagonalise};
use super::lanes::{Lanes, M3, V3, dot, scale, times, turn};

/// Squares below this are noise of underflow; what they come from is below 1e-140 of the matrix, and is taken as zero.
const TINY: f64 = 1e-280;

/// F / `power`, split as in (2).
pub(super) struct Split<S: Simd> {
    /// A power of two.
    pub(super) power: Lanes<S>,
    /// +0, or NaN where F has a number that is not finite. Added to every result, it also makes −0 into +0.
    pub(super) poison: Lanes<S>,
    pub(super) sigma1: Lanes<S>,
    /// u₁, w₂, w₃.
    pub(super) U: M3<S>,
    pub(super) V: M3<S>,
    /// Columns of the 2×2 rest.
    pub(super) M: [[Lanes<S>; 2]; 2],
}

#[inline(always)]
pub(super) fn split<S: Simd>(F: M3<S>) -> Split<S> {
    let (power, poison, F) = scaled(F);
    let mut C = Symmetric {
        diagonal: [dot(F[0], F[0]), dot(F[1], F[1]), dot(F[2], F[2])],
        across: [dot(F[1], F[2]), dot(F[0], F[2]), dot(F[0], F[1])],
    };
    let trace = C.diagonal[0] + C.diagonal[1] + C.diagonal[2];
    let mut V = diagonalise(&mut C, trace * trace.constant(f64::EPSILON));
    for q in [1, 2] {
        // The turn by a right angle: V stays a rotation.
        let behind = C.diagonal[0].less(C.diagonal[q]);
        let (first, second) = (V[0], V[q]);
        V[0] = behind.select3(second, first);
        V[q] = behind.select3([-first[0], -first[1], -first[2]], second);
        C.diagonal[0] = C.diagonal[0].or_greater(C.diagonal[q]);
    }
    let (b1, b2, b3) = (times(F, V[0]), times(F, V[1]), times(F, V[2]));

    let (zero, one) = (trace.constant(0.0), trace.constant(1.0));
    let square = dot(b1, b1);
    let vanishes = square.less(trace.constant(TINY));
    let sigma1 = vanishes.select(zero, square.sqrt());
    let inverse = one / vanishes.select(one, sigma1);
    let u1 = [vanishes.select(one, b1[0] * inverse), b1[1] * inverse, b1[2] * inverse];
    let (w2, w3) = complement(u1);
    let M = [[dot(w2, b2), dot(w3, b2)], [dot(w2, b3), dot(w3, b3)]];
    Split { power, poison, sigma1, U: [u1, w2, w3], V, M }
}

impl<S: Simd> Split<S> {
    /// M = P A, P a rotation, A symmetric with trace `r` ≥ 0: turns w₂ and w₃ by P, so that A takes the place of M.
    ///
    /// Returns r, and (A₁₁ − A₂₂, 2 A₁₂).
    #[inline(always)]
    pub(super) fn symmetrise(&mut self) -> (Lanes<S>, [Lanes<S>; 2]) {
        let [[a, c], [b, d]] = self.M;
        let (r, cos, sin) = direction(a + d, c - b);
        (self.U[1], self.U[2]) = turn(cos, sin, self.U[1], self.U[2]);
        let (H, G) = (a - d, b + c);
        (r, [cos * H + sin * G, cos * G - sin * H])
    }
}

/// (r, x/r, y/r), r = √(x² + y²); (0, 1, 0) where both vanish.
#[inline(always)]
pub(super) fn direction<S: Simd>(x: Lanes<S>, y: Lanes<S>) -> (Lanes<S>, Lanes<S>, Lanes<S>) {
    let (zero, one) = (x.constant(0.0), x.constant(1.0));
    let square = x * x + y * y;
    let vanishes = square.less(x.constant(TINY));
    let r = square.sqrt();
    let inverse = one / vanishes.select(one, r);
    (r, vanishes.select(one, x * inverse), vanishes.select(zero, y * inverse))
}

/// F over the power of two just below its largest entry, so that no square overflows or vanishes: (power, poison, F/power).
#[inline(always)]
pub(super) fn scaled<S: Simd>(F: M3<S>) -> (Lanes<S>, Lanes<S>, M3<S>) {
    let mut largest = F[0][0].abs();
    for c in 0..3 {
        for r in 0..3 {
            largest = largest.or_greater(F[c][r].abs());
        }
    }
    // 2^±1000 leaves room for the inverse; zero and subnormal numbers are below it, ∞ above.
    let (low, high) = (2f64.powi(-1000), 2f64.powi(1000));
    let power = largest.power_of_two().or_greater(largest.constant(low)).or_less(largest.constant(high));
    let inverse = largest.constant(1.0) / power;
    let F = [scale(inverse, F[0]), scale(inverse, F[1]), scale(inverse, F[2])];
    let ones = [largest.constant(1.0); 3];
    let sum = dot(ones, F[0]) + dot(ones, F[1]) + dot(ones, F[2]);
    let poison = (sum * largest.constant(0.0)).abs();
    (power, poison, F)
}

/// Two unit vectors that with the unit vector u make a right-handed basis (u, w₂, w₃): e₂, e₃ for u = e₁.
///
/// The other two columns of a Householder reflection that takes ±e₁ to u: no branch and no cancellation.
#[inline(always)]
fn complement<S: Simd>(u: V3<S>) -> (V3<S>, V3<S>) {
    let (zero, one) = (u[0].constant(0.0), u[0].constant(1.0));
    let [x, y, z] = u;
    let sign = x.less(zero).select(-one, one);
    let a = -one / (sign + x);
    let b = y * z * a;
    ([-(sign * y), one + sign * y * y * a, sign * b], [-z, b, sign + z * z * a])
}
