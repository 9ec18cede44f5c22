//! Jacobi's method for symmetric 3×3 matrices: turn one pair of axes after another until the matrix is diagonal.
//! ```text
//! VᵀAV = D,   tan 2θ = 2 A_pq / (A_pp − A_qq),   |θ| ≤ π/4      one turn makes A_pq vanish          (1)
//! cos θ = (1 − τ²)/(1 + τ²),  sin θ = 2τ/(1 + τ²),  τ = tan ½θ                                      (2)
//! ```
//! As in MST11 in docs/papers.md the angle is only approximated, by a rational function without square roots: V is a
//! rotation for any τ by (2), and an angle that is exact to the fifth order converges no more slowly than the exact one.
//! Here the function is also good to 10 % for large angles, and nothing is left inexact: turns go on until every A_pq is
//! below one rounding error of the matrix.

use pulp::Simd;

use super::lanes::{Lanes, M3, turn};

/// Sweeps allowed. Four or five are enough for any matrix met so far; NaN never asks for one.
const MOST_SWEEPS: usize = 12;

/// A symmetric matrix of each lane: diagonal, then the entries across from it (23, 13, 12).
#[derive(Clone, Copy)]
pub(super) struct Symmetric<S: Simd> {
    pub(super) diagonal: [Lanes<S>; 3],
    pub(super) across: [Lanes<S>; 3],
}

/// A → VᵀAV, diagonal to within `tolerance` (absolute); returns V, a rotation. Columns in no particular order.
///
/// A matrix that is finished is not touched again, however many sweeps its neighbours need: its bits are its own.
#[inline(always)]
pub(super) fn diagonalise<S: Simd>(A: &mut Symmetric<S>, tolerance: Lanes<S>) -> M3<S> {
    let (zero, one) = (tolerance.constant(0.0), tolerance.constant(1.0));
    let mut V = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..MOST_SWEEPS {
        let largest = A.across[0].abs().or_greater(A.across[1].abs()).or_greater(A.across[2].abs());
        if !tolerance.less(largest).any() {
            break;
        }
        annihilate(A, &mut V, 0, 1, tolerance);
        annihilate(A, &mut V, 0, 2, tolerance);
        annihilate(A, &mut V, 1, 2, tolerance);
    }
    V
}

/// One turn of axes p and q.
#[inline(always)]
fn annihilate<S: Simd>(A: &mut Symmetric<S>, V: &mut M3<S>, p: usize, q: usize, tolerance: Lanes<S>) {
    let k = 3 - p - q;
    let (app, aqq, apq) = (A.diagonal[p], A.diagonal[q], A.across[k]);
    let (zero, one) = (tolerance.constant(0.0), tolerance.constant(1.0));
    // With z = tan 2θ: τ ≈ z (1 + αz)/(4 + 4αz + 5/4 z²). The 5/4 makes the error O(z⁵), α the limit tan π/8.
    let alpha2 = tolerance.constant(2.5 * (std::f64::consts::SQRT_2 - 1.0));
    let (two, four, five) = (tolerance.constant(2.0), tolerance.constant(4.0), tolerance.constant(5.0));
    let d = app - aqq;
    let (d_abs, a_abs) = (d.abs(), apq.abs());
    let a_alpha = alpha2 * a_abs;
    let y = (a_abs + a_abs) * (d_abs + a_alpha);
    let x = four * d_abs * (d_abs + a_alpha) + five * a_abs * a_abs;
    let yy = y * y;
    let scale = one / (x * x + yy);
    let sine = two * x * y * scale;
    let active = tolerance.less(a_abs);
    // Not (x² − y²)/(x² + y²): small turns, which are most of them, leave V as orthonormal as it was.
    let c = active.select(one - two * yy * scale, one);
    let negative = (d * apq).less(zero);
    let s = active.select(negative.select(-sine, sine), zero);

    let (cc, ss, cs) = (c * c, s * s, c * s);
    let twice = (cs + cs) * apq;
    A.diagonal[p] = cc * app + twice + ss * aqq;
    A.diagonal[q] = ss * app - twice + cc * aqq;
    A.across[k] = (cc - ss) * apq - cs * d;
    // Entry (p, k) lies across from q, entry (q, k) across from p.
    let (apk, aqk) = (A.across[q], A.across[p]);
    A.across[q] = c * apk + s * aqk;
    A.across[p] = c * aqk - s * apk;
    (V[p], V[q]) = turn(c, s, V[p], V[q]);
}
