//! Mooney-Rivlin: rubber with two shear constants, its volume apart from its shape.
//!
//! ```text
//! ψ = μ₁₀ (I₁ J^(−2/3) − 3) + μ₀₁ (I₂ J^(−4/3) − 3) + v₁ (J − 1)²
//! I₁ = F:F,   I₂ = ½(I₁² − FᵀF:FᵀF),   J = det F
//! ```
//! Around rest, where nothing cancels (`strain.rs`), with L = ln J, r(a) = eᵃ − 1 − a, x = I₁ − 3, y = I₂ − 3 and j = J − 1:
//! ```text
//! I₁ J^(−2/3) − 3 = e^(−2L/3) (x − 2L − 3r(2L/3)),      I₂ J^(−4/3) − 3 = e^(−4L/3) (y − 4L − 3r(4L/3))
//! x − 2L = (x − 2j) + 2(j − ln(1 + j)),                 y − 4L = 2(x − 2L) + x²/2 − 2E:E
//! P = 2μ₁₀ e^(−2L/3) (D − x/3J cof F) + μ₀₁ e^(−4L/3) (4D + 2F(x 1 − 2E) − 4y/3J cof F) + 2v₁ j cof F,   D = F − cof F/J
//! ```
//! Small strains: μ = 2(μ₁₀ + μ₀₁), λ + 2μ/3 = 2v₁. Not defined for J ≤ 0, where its powers of J have no value: as with
//! the neo-Hookean law a line search must keep away. The file format .veg lists μ₀₁ first.

use pliant_linalg::{Mat3, Term};

use super::invariants::{self, Derivatives};
use super::strain::{Strain, green, past_exp, past_log};
use super::{Constants, Entry, Isotropic, Material, Stiffness9, third_order};
use crate::{Allowed, Constant, EnergyError, Own};

/// Its line of the table.
pub(super) const ENTRY: Entry = Entry {
    name: "mooney-rivlin",
    about: "Mooney-Rivlin: rubber with two shear constants; cannot be turned inside out",
    constants: &[
        pascal("mu01", "the second shear coefficient", 0.09),
        pascal("mu10", "the first shear coefficient", 0.09),
        pascal("v1", "the volume coefficient", 1.7),
    ],
    small_strain: Some(|own| Coefficients::from_own(own).unwrap_or_default().small_strain()),
    make: |c| Ok(Box::new(MooneyRivlin::new(c))),
};

const fn pascal(key: &'static str, name: &'static str, usual: f64) -> Constant {
    // Only the sum of the shear coefficients has to be positive.
    Constant { key, name, unit: "Pa", allowed: Allowed::Finite, scales: true, usual, needed: true }
}

/// Its own constants, Pa.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Coefficients {
    mu10: f64,
    mu01: f64,
    v1: f64,
}

impl Coefficients {
    fn from_own(own: &Own) -> Option<Self> {
        Some(Self { mu10: own.get("mu10")?, mu01: own.get("mu01")?, v1: own.get("v1")? })
    }

    /// μ = 2(μ₁₀ + μ₀₁), κ = λ + 2μ/3 = 2v₁.
    fn small_strain(&self) -> Result<Isotropic, EnergyError> {
        let mu = 2.0 * (self.mu10 + self.mu01);
        let sum = Term::new("mooney", "the sum mu10 + mu01");
        let volume = Term::new("mooney", "the volume coefficient v1");
        for (what, value) in [(sum, mu / 2.0), (volume, self.v1)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(EnergyError::NotPositive { what, value, unit: "Pa" });
            }
        }
        Ok(Isotropic::from_shear_and_bulk(mu, 2.0 * self.v1))
    }
}

/// Mooney-Rivlin.
#[derive(Clone, Copy, Debug)]
pub struct MooneyRivlin {
    law: Isotropic,
    own: Coefficients,
}

impl MooneyRivlin {
    /// With its own coefficients where there are some, else μ₁₀ = μ₀₁ = μ/4 and v₁ = (λ + 2μ/3)/2.
    pub fn new(constants: &Constants) -> Self {
        let law = constants.isotropic;
        let quarter = 0.25 * law.mu();
        let split = Coefficients { mu10: quarter, mu01: quarter, v1: 0.5 * law.lambda() + law.mu() / 3.0 };
        Self { law, own: Coefficients::from_own(&constants.own).unwrap_or(split) }
    }
}

/// What its energy and its stress are made of, of second and of first order in H.
struct Around {
    strain: Strain,
    /// ln J.
    log: f64,
    /// J − 1.
    growth: f64,
    /// I₁ − 3 and I₂ − 3.
    one: f64,
    two: f64,
    /// I₁ − 3 − 2 ln J and I₂ − 3 − 4 ln J.
    past_one: f64,
    past_two: f64,
    green: Mat3,
}

impl Around {
    fn new(H: &Mat3) -> Self {
        let (strain, green) = (Strain::of(H), green(H));
        let (one, growth) = (strain.first(), strain.growth());
        let past_one = strain.shape(H) + 2.0 * past_log(growth);
        // I₂ − 3 = 2x + x²/2 − 2E:E, x = I₁ − 3.
        let bent = 0.5 * one * one - 2.0 * green.norm_squared();
        let (two, past_two) = (2.0 * one + bent, 2.0 * past_one + bent);
        Self { strain, log: growth.ln_1p(), growth, one, two, past_one, past_two, green }
    }
}

impl Material for MooneyRivlin {
    fn name(&self) -> &'static str {
        "mooney-rivlin"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        let Coefficients { mu10, mu01, v1 } = self.own;
        let at = Around::new(H);
        let third = 2.0 / 3.0 * at.log;
        let p = (-third).exp();
        let one = mu10 * (at.past_one - 3.0 * past_exp(third));
        let two = mu01 * (at.past_two - 3.0 * past_exp(2.0 * third)) * p;
        p * (one + two) + v1 * at.growth * at.growth
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        let Coefficients { mu10, mu01, v1 } = self.own;
        let at = Around::new(H);
        let (J, p) = (1.0 + at.growth, (-2.0 / 3.0 * at.log).exp());
        let (one, two) = (2.0 * mu10 * p, mu01 * p * p);
        let turned = (Mat3::identity() + H) * (Mat3::identity() * at.one - at.green * 2.0);
        let volume = 2.0 * v1 * at.growth - (one * at.one + 4.0 * two * at.two) / (3.0 * J);
        at.strain.past_inverse(H) * ((one + 4.0 * two) / J)
            + turned * (2.0 * two)
            + at.strain.cofactor(H) * volume
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        let F = Mat3::identity() + H;
        invariants::stiffness(&F, &self.derivatives(&F))
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        self.stresses(H, stresses);
        invariants::stresses_along(H, dH, along, |F| self.derivatives(F));
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // J^k = exp(k ln J) with ln J = t₁ − t₂ + 4/3 t₃ − …; I₁ = 3 + 2t₁, I₂ = 3 + 4t₁ + 2t₁² − 2t₂, t_k = tr Eᵏ.
        let Coefficients { mu10, mu01, v1 } = self.own;
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

    fn admits(&self, H: &Mat3) -> bool {
        (Mat3::identity() + H).determinant() > 0.0
    }
}

impl MooneyRivlin {
    fn derivatives(&self, F: &Mat3) -> Derivatives {
        // I₂ is the squared size of the cofactor: no difference of large numbers.
        let cofactor = invariants::cofactor(F);
        let (I1, I2, J) = (F.norm_squared(), cofactor.norm_squared(), F.column(0).dot(&cofactor.column(0)));
        let Coefficients { mu10, mu01, v1 } = self.own;
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
