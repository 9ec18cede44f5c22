//! Mooney-Rivlin: rubber with two shear constants, its volume apart from its shape.
//!
//! ```text
//! ψ = μ₁₀ (I₁ J^(−2/3) − 3) + μ₀₁ (I₂ J^(−4/3) − 3) + v₁ (J − 1)²
//! I₁ = F:F,   I₂ = ½(I₁² − FᵀF:FᵀF),   J = det F
//! ```
//! Small strains: μ = 2(μ₁₀ + μ₀₁), λ + 2μ/3 = 2v₁. Not defined for J ≤ 0, where its powers of J have no value: as with
//! the neo-Hookean law a line search must keep away. The file format .veg lists μ₀₁ first.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::{Constants, Isotropic, Material, Mooney, Stiffness9, third_order};

/// Mooney-Rivlin.
#[derive(Clone, Copy, Debug)]
pub struct MooneyRivlin {
    law: Isotropic,
    own: Mooney,
}

impl MooneyRivlin {
    /// With its own coefficients where there are some, else μ₁₀ = μ₀₁ = μ/4 and v₁ = (λ + 2μ/3)/2.
    pub fn new(constants: &Constants) -> Self {
        let law = constants.isotropic;
        let quarter = 0.25 * law.mu();
        let split = Mooney { mu10: quarter, mu01: quarter, v1: 0.5 * law.lambda() + law.mu() / 3.0 };
        Self { law, own: constants.mooney.unwrap_or(split) }
    }
}

/// I₁, I₂, J.
fn invariants_of(F: &Mat3) -> (f64, f64, f64) {
    // I₂ is the squared size of the cofactor: no difference of large numbers.
    let cofactor = invariants::cofactor(F);
    (F.norm_squared(), cofactor.norm_squared(), F.column(0).dot(&cofactor.column(0)))
}

impl Material for MooneyRivlin {
    fn name(&self) -> &'static str {
        "mooney-rivlin"
    }

    fn energy_density(&self, F: &Mat3) -> f64 {
        let (I1, I2, J) = invariants_of(F);
        let Mooney { mu10, mu01, v1 } = self.own;
        let p = J.cbrt().powi(-2);
        mu10 * (I1 * p - 3.0) + mu01 * (I2 * p * p - 3.0) + v1 * (J - 1.0).powi(2)
    }

    fn stress(&self, F: &Mat3) -> Mat3 {
        let psi = self.derivatives(F);
        F * (2.0 * psi.one) + invariants::second_gradient(F) * psi.two + invariants::cofactor(F) * psi.volume
    }

    fn stiffness(&self, F: &Mat3) -> Stiffness9 {
        invariants::stiffness(F, &self.derivatives(F))
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // J^k = exp(k ln J) with ln J = t₁ − t₂ + 4/3 t₃ − …; I₁ = 3 + 2t₁, I₂ = 3 + 4t₁ + 2t₁² − 2t₂, t_k = tr Eᵏ.
        let Mooney { mu10, mu01, v1 } = self.own;
        let cubic = third_order::Cubic {
            a: 8.0 / 27.0 * (mu10 - mu01) + v1,
            b: 8.0 / 3.0 * mu01 - 2.0 * v1,
            c: -8.0 / 3.0 * mu10 - 16.0 / 3.0 * mu01,
        };
        third_order::third_at_rest(&self.law, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.law
    }

    fn admits(&self, F: &Mat3) -> bool {
        F.determinant() > 0.0
    }
}

impl MooneyRivlin {
    fn derivatives(&self, F: &Mat3) -> Derivatives {
        let (I1, I2, J) = invariants_of(F);
        let Mooney { mu10, mu01, v1 } = self.own;
        let one = mu10 * J.cbrt().powi(-2);
        let two = mu01 * J.cbrt().powi(-4);
        Derivatives {
            one,
            two,
            volume: -(2.0 * one * I1 + 4.0 * two * I2) / (3.0 * J) + 2.0 * v1 * (J - 1.0),
            one_volume: -2.0 / 3.0 * one / J,
            two_volume: -4.0 / 3.0 * two / J,
            volume_volume: (10.0 * one * I1 + 28.0 * two * I2) / (9.0 * J * J) + 2.0 * v1,
            ..Derivatives::default()
        }
    }
}
