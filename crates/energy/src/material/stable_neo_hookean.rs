//! Stable neo-Hookean: rubber and flesh, also when it is squashed flat or turned inside out. The default.
//!
//! ```text
//! ψ = m/2 (I₁ − 3) + l/2 (J − a)² − m/2 ln(I₁ + 1) + const,    I₁ = F:F, J = det F
//! m = 4/3 μ,   l = λ + 5/6 μ,   a = 1 + 3m/4l
//! ```
//! The constant makes ψ(I) = 0. Written around rest, where nothing cancels:
//! ```text
//! ψ = m/2 (x − ln(1 + x/4)) − 3m/4 (J − 1) + l/2 (J − 1)²,     x = I₁ − 3
//! P = m (1 − 1/(I₁ + 1)) F + (l (J − 1) − 3m/4) cof F
//! ```
//! ψ is smooth for every F. m and l are such that small strains follow Hooke's law with μ and λ; l > 0 for every sound
//! pair of them. Flat or inverted tets resist with finite forces: what must never invert wants the neo-Hookean law.
//! Source: SGK18 in docs/papers.md.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::{Isotropic, Material, Stiffness9, third_order};

/// Stable neo-Hookean.
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean {
    law: Isotropic,
    /// Pa.
    m: f64,
    /// Pa.
    l: f64,
}

impl StableNeoHookean {
    /// The law with this small-strain limit.
    pub fn new(law: Isotropic) -> Self {
        Self { law, m: law.mu() * 4.0 / 3.0, l: law.lambda() + law.mu() * 5.0 / 6.0 }
    }

    /// ψ_J = l (J − 1) − 3m/4.
    fn by_volume(&self, J: f64) -> f64 {
        self.l * (J - 1.0) - 0.75 * self.m
    }
}

impl Material for StableNeoHookean {
    fn name(&self) -> &'static str {
        "stable-neo-hookean"
    }

    fn energy_density(&self, F: &Mat3) -> f64 {
        let (x, j) = (F.norm_squared() - 3.0, F.determinant() - 1.0);
        0.5 * self.m * (x - (0.25 * x).ln_1p()) + (0.5 * self.l * j - 0.75 * self.m) * j
    }

    fn stress(&self, F: &Mat3) -> Mat3 {
        let cofactor = invariants::cofactor(F);
        let (I1, J) = (F.norm_squared(), F.column(0).dot(&cofactor.column(0)));
        F * (self.m * I1 / (I1 + 1.0)) + cofactor * self.by_volume(J)
    }

    fn stiffness(&self, F: &Mat3) -> Stiffness9 {
        let (I1, J) = (F.norm_squared(), F.determinant());
        let psi = Derivatives {
            one: 0.5 * self.m * I1 / (I1 + 1.0),
            volume: self.by_volume(J),
            one_one: 0.5 * self.m / (I1 + 1.0).powi(2),
            volume_volume: self.l,
            ..Derivatives::default()
        };
        invariants::stiffness(F, &psi)
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // J = 1 + t₁ + (½t₁² − t₂) + (t₁³/6 − t₁t₂ + 4/3 t₃) + …, t_k = tr Eᵏ, and x = 2t₁ without remainder.
        let (m, l) = (self.m, self.l);
        let cubic = third_order::Cubic { a: 0.5 * l - m * 7.0 / 48.0, b: 0.75 * m - l, c: -m };
        third_order::third_at_rest(&self.law, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.law
    }
}
