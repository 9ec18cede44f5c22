//! Projective: the distance to the closest rotation, and nothing else.
//!
//! ```text
//! ψ = μ |F − R|²,    P = 2μ (F − R)
//! ```
//! The corotational law without its volume term (λ = 0): Poisson's ratio is of no account. The energy for which the
//! gradient of projective dynamics is exact (C17 eqs 3.3 and 3.4, with the weight w = 2μV).

use pliant_linalg::Mat3;

use super::{Corotational, Isotropic, Material, Stiffness9};

/// The projective energy.
#[derive(Clone, Copy, Debug)]
pub struct Rigidity(Corotational);

impl Rigidity {
    /// With the shear modulus of this law.
    pub fn new(law: Isotropic) -> Self {
        Self(Corotational(law.without_lambda()))
    }
}

impl Material for Rigidity {
    fn name(&self) -> &'static str {
        "projective"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        self.0.energy_density(H)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        self.0.stress(H)
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        self.0.stiffness(H)
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        self.0.third_at_rest(A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0.small_strain()
    }

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        self.0.energy_densities(H, out);
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        self.0.stresses(H, out);
    }

    fn energies_and_stresses(&self, H: &[Mat3], energies: &mut [f64], stresses: &mut [Mat3]) {
        self.0.energies_and_stresses(H, energies, stresses);
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        self.0.stresses_along(H, dH, stresses, along);
    }

    fn stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        self.0.stiffnesses(H, out);
    }

    fn positive_stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        self.0.positive_stiffnesses(H, out);
    }
}
