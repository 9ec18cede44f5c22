//! Mooney-Rivlin: rubber with two shear constants, its volume apart from its shape.
//!
//! ```text
//! ψ = μ₁₀ (I₁ J^(−2/3) − 3) + μ₀₁ (I₂ J^(−4/3) − 3) + v₁ (J − 1)²
//! I₁ = F:F,   I₂ = ½(I₁² − FᵀF:FᵀF),   J = det F
//! ```
//! Around rest, where nothing cancels (`strain.rs`), with c = J^(1/3), g = c − 1 = (J − 1)/(1 + c + c²), x = I₁ − 3, y = I₂ − 3 and
//! j = J − 1 = 3g + 3g² + g³:
//! ```text
//! I₁ J^(−2/3) − 3 = (x − 2j + g²(3 + 2g))/c²,      I₂ J^(−4/3) − 3 = (y − 4j − g²(6 + 8g + 3g²))/c⁴
//! P = 2μ₁₀/c² (D − x/3J cof F) + μ₀₁/c⁴ (4D + 2F(x 1 − 2E) − 4y/3J cof F) + 2v₁ j cof F,      D = F − cof F/J
//! ```
//! Small strains: μ = 2(μ₁₀ + μ₀₁), λ + 2μ/3 = 2v₁. Not defined for J ≤ 0, where its powers of J have no value: as with
//! the neo-Hookean law a line search must keep away. The file format .veg lists μ₀₁ first.

use pliant_linalg::{Mat3, Term};

use super::invariants::{self, Derivatives};
use super::strain::{BATCH, Strain, green, growths, roots};
use super::{Constants, Entry, Isotropic, Material, Stiffness9, one_energy, one_stress, third_order};
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

impl Material for MooneyRivlin {
    fn name(&self) -> &'static str {
        "mooney-rivlin"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        one_energy(self, H)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        one_stress(self, H)
    }

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        let Coefficients { mu10, mu01, v1 } = self.own;
        for (H, out) in H.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let (mut j, mut one, mut two) = ([0.0; BATCH], [0.0; BATCH], [0.0; BATCH]);
            for (k, H) in H.iter().enumerate() {
                let strain = Strain::of(H);
                (j[k], (one[k], two[k])) = (strain.growth(), strain.shapes(H));
            }
            let root = roots(&j[..H.len()]);
            for (k, out) in out.iter_mut().enumerate() {
                let (j, c) = (j[k], root[k]);
                let square = c * c;
                let g = j / (1.0 + c + square);
                let one = one[k] + g * g * (3.0 + 2.0 * g);
                let two = two[k] - g * g * (6.0 + g * (8.0 + 3.0 * g));
                *out = (mu10 * one * square + mu01 * two) / (square * square) + v1 * j * j;
            }
        }
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        let Coefficients { mu10, mu01, v1 } = self.own;
        for (H, out) in H.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let root = roots(&growths(H)[..H.len()]);
            for (k, (H, out)) in H.iter().zip(out).enumerate() {
                let (strain, green) = (Strain::of(H), green(H));
                let (x, j) = (strain.first(H), strain.growth());
                // I₂ − 3 = 2x + x²/2 − 2E:E.
                let y = x * (2.0 + 0.5 * x) - 2.0 * green.norm_squared();
                let p = 1.0 / (root[k] * root[k]);
                let (one, two) = (2.0 * mu10 * p, mu01 * p * p);
                let volume = 2.0 * v1 * j * (1.0 + j) - (one * x + 4.0 * two * y) / 3.0;
                let turned = Mat3::identity() * (2.0 * two * x) - green * (4.0 * two);
                *out = strain.past_inverse(H, one + 4.0 * two, volume) + (Mat3::identity() + H) * turned;
            }
        }
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
        let c = J.cbrt();
        let p = 1.0 / (c * c);
        let (one, two) = (mu10 * p, mu01 * p * p);
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
