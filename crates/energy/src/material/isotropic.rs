//! The two constants of an isotropic solid at small strain.

use crate::{EnergyError, terms};

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
            return Err(EnergyError::NotPositive { what: terms::YOUNG, value: young, unit: "Pa" });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(EnergyError::Poisson(poisson));
        }
        let mu = young / (2.0 * (1.0 + poisson));
        Ok(Self { mu, lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) })
    }

    /// μ and the bulk modulus κ = λ + 2μ/3, Pa, both above zero: promised by the law that they come from.
    pub(crate) fn from_shear_and_bulk(mu: f64, kappa: f64) -> Self {
        Self { mu, lambda: kappa - 2.0 * mu / 3.0 }
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
