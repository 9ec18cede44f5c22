//! The two constants of an isotropic solid at small strain.

use super::Mooney;
use crate::EnergyError;

/// Lamé's constants, Pa. Checked: μ > 0, 3λ + 2μ > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isotropic {
    mu: f64,
    lambda: f64,
}

impl Isotropic {
    /// μ = E / 2(1 + ν), λ = Eν / (1 + ν)(1 − 2ν).
    ///
    /// # Errors
    /// When `young` (Pa) is not positive or `poisson` not in (−1, ½).
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, EnergyError> {
        if !(young.is_finite() && young > 0.0) {
            return Err(EnergyError::NotPositive { what: "Young's modulus", value: young, unit: "Pa" });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(EnergyError::Poisson(poisson));
        }
        let mu = young / (2.0 * (1.0 + poisson));
        Ok(Self { mu, lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) })
    }

    /// The small-strain limit of Mooney-Rivlin: μ = 2(μ₁₀ + μ₀₁), κ = λ + 2μ/3 = 2v₁.
    ///
    /// # Errors
    /// When the sum of μ₁₀ and μ₀₁, or v₁, is not positive.
    pub fn from_mooney(mooney: &Mooney) -> Result<Self, EnergyError> {
        let mu = 2.0 * (mooney.mu10 + mooney.mu01);
        for (what, value) in [("the sum mu10 + mu01", mu / 2.0), ("the volume coefficient v1", mooney.v1)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(EnergyError::NotPositive { what, value, unit: "Pa" });
            }
        }
        Ok(Self { mu, lambda: 2.0 * mooney.v1 - 2.0 * mu / 3.0 })
    }

    /// The same shear modulus, λ = 0.
    pub(crate) fn without_lambda(self) -> Self {
        Self { mu: self.mu, lambda: 0.0 }
    }

    /// Young's modulus E = μ(3λ + 2μ)/(λ + μ), Pa.
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Poisson's ratio ν = λ/2(λ + μ).
    pub fn poisson(&self) -> f64 {
        self.lambda / (2.0 * (self.lambda + self.mu))
    }

    /// Shear modulus, Pa.
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// Lamé's first constant, Pa.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }
}
