//! Neo-Hookean: rubber that cannot be pressed to nothing.
//!
//! ```text
//! ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J,      I₁ = F:F, J = det F
//! P = μ F + (λ ln J − μ)/J cof F
//! ```
//! ψ grows without bound as J → 0 and is not defined beyond: a tet turned inside out is inadmissible, and a line search
//! must keep away from it. For bodies that are handled roughly take the stable one.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::{Isotropic, Material, Stiffness9, third_order};

/// Neo-Hookean.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean(pub Isotropic);

impl Material for NeoHookean {
    fn energy_density(&self, F: &Mat3) -> f64 {
        let log = F.determinant().ln();
        0.5 * self.0.mu() * (F.norm_squared() - 3.0 - 2.0 * log) + 0.5 * self.0.lambda() * log * log
    }

    fn stress(&self, F: &Mat3) -> Mat3 {
        let J = F.determinant();
        F * self.0.mu() + invariants::cofactor(F) * ((self.0.lambda() * J.ln() - self.0.mu()) / J)
    }

    fn stiffness(&self, F: &Mat3) -> Stiffness9 {
        let (mu, lambda, J) = (self.0.mu(), self.0.lambda(), F.determinant());
        let psi = Derivatives {
            one: 0.5 * mu,
            volume: (lambda * J.ln() - mu) / J,
            volume_volume: (mu + lambda * (1.0 - J.ln())) / (J * J),
            ..Derivatives::default()
        };
        invariants::stiffness(F, &psi)
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // ln J = t₁ − t₂ + 4/3 t₃ − …, t_k = tr Eᵏ, and I₁ = 3 + 2t₁ without remainder.
        let cubic = third_order::Cubic { a: 0.0, b: -self.0.lambda(), c: -4.0 / 3.0 * self.0.mu() };
        third_order::third_at_rest(&self.0, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn admits(&self, F: &Mat3) -> bool {
        F.determinant() > 0.0
    }
}
