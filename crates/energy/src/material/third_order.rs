//! The third derivative at rest of every law that does not notice rotations.
//!
//! ```text
//! ψ = μ tr E² + λ/2 (tr E)² + a (tr E)³ + b tr E tr E² + c tr E³ + O(E⁴),   E = (FᵀF − I)/2
//! ```
//! At F = I + H, E = sym H + ½HᵀH, so that with X = sym A, Y = sym B, ⟨A, B⟩ = sym(AᵀB), N = 2μE + λ tr E I:
//! ```text
//! ∂³ψ[A, B, ·] = B N(X) + A N(Y) + N(⟨A, B⟩) + ∂³(cubic terms)[X, Y, ·]
//! ```
//! A law of this kind is known to third order by its two Lamé constants and three constants a, b, c.

use pliant_linalg::Mat3;

use super::Isotropic;

/// The coefficients of the cubic terms in Green's strain, Pa.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cubic {
    /// Of (tr E)³.
    pub(crate) a: f64,
    /// Of tr E tr E².
    pub(crate) b: f64,
    /// Of tr E³.
    pub(crate) c: f64,
}

/// ∂³ψ(I)[A, B, ·].
pub(crate) fn third_at_rest(law: &Isotropic, cubic: Cubic, A: &Mat3, B: &Mat3) -> Mat3 {
    let sym = |m: Mat3| (m + m.transpose()) * 0.5;
    let N = |E: &Mat3| E * (2.0 * law.mu()) + Mat3::identity() * (law.lambda() * E.trace());
    let (X, Y) = (sym(*A), sym(*B));
    let geometric = B * N(&X) + A * N(&Y) + N(&sym(A.transpose() * B));
    let (x, y, xy) = (X.trace(), Y.trace(), X.dot(&Y));
    let material = Mat3::identity() * (6.0 * cubic.a * x * y + 2.0 * cubic.b * xy)
        + (X * y + Y * x) * (2.0 * cubic.b)
        + sym(X * Y) * (6.0 * cubic.c);
    geometric + material
}
