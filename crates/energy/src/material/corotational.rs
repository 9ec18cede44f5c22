//! Corotational: Hooke's law in the frame that turns with the body.
//!
//! ```text
//! F = R S (polar),    ψ = μ |F − R|² + λ/2 (tr S − 3)²,    P = 2μ (F − R) + λ (tr S − 3) R
//! in principal stretches:  ψ_i = 2μ (s_i − 1) + λ (s₁ + s₂ + s₃ − 3),   ψ_ij = 2μ δ_ij + λ
//! ```
//! Large rotations and moderate strains; survives inversion, since R is a rotation also where det F < 0. Its volume term
//! is weak under strong compression. The stress has a kink where the closest rotation is not unique (s_i + s_j = 0, only
//! for inverted or flat tets); see `principal.rs`. The stiffness is exact: it has the derivative of R in it.

use pliant_linalg::{Mat3, rotations3_batch};

use super::principal::{self, Blocks, PAIRS};
use super::{Isotropic, Material, Stiffness9, third_order};

/// Corotational elasticity.
#[derive(Clone, Copy, Debug)]
pub struct Corotational(pub Isotropic);

/// How many rotations are found at once.
const BATCH: usize = 16;

impl Corotational {
    fn blocks(&self, s: &[f64; 3]) -> Blocks {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        let growth = s[0] + s[1] + s[2] - 3.0;
        Blocks {
            stretch: Mat3::identity() * (2.0 * mu) + Mat3::repeat(lambda),
            shear: [2.0 * mu; 3],
            twist: PAIRS.map(|(i, j)| {
                let sum = s[i] + s[j];
                principal::twist(2.0 * mu * (sum - 2.0) + 2.0 * lambda * growth, sum)
            }),
        }
    }
}

/// `work(k, rotation of F[k])` for each k.
fn each_rotation(F: &[Mat3], mut work: impl FnMut(usize, &Mat3)) {
    let mut rotations = [Mat3::zeros(); BATCH];
    for (first, F) in (0..).step_by(BATCH).zip(F.chunks(BATCH)) {
        let rotations = &mut rotations[..F.len()];
        rotations3_batch(F, rotations);
        rotations.iter().enumerate().for_each(|(k, R)| work(first + k, R));
    }
}

impl Material for Corotational {
    fn name(&self) -> &'static str {
        "corotational"
    }

    fn energy_density(&self, F: &Mat3) -> f64 {
        let mut out = [0.0];
        self.energy_densities(std::slice::from_ref(F), &mut out);
        out[0]
    }

    fn stress(&self, F: &Mat3) -> Mat3 {
        let mut out = [Mat3::zeros()];
        self.stresses(std::slice::from_ref(F), &mut out);
        out[0]
    }

    fn stiffness(&self, F: &Mat3) -> Stiffness9 {
        let mut out = [[[0.0; 9]; 9]];
        self.stiffnesses(std::slice::from_ref(F), &mut out);
        out[0]
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // S = √(I + 2E) = I + E − E²/2 + E³/2 − …
        let cubic = third_order::Cubic { a: 0.0, b: -0.5 * self.0.lambda(), c: -self.0.mu() };
        third_order::third_at_rest(&self.0, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn energy_densities(&self, F: &[Mat3], out: &mut [f64]) {
        each_rotation(F, |k, R| {
            let growth = R.dot(&F[k]) - 3.0;
            out[k] = self.0.mu() * (F[k] - R).norm_squared() + 0.5 * self.0.lambda() * growth * growth;
        });
    }

    fn stresses(&self, F: &[Mat3], out: &mut [Mat3]) {
        each_rotation(F, |k, R| {
            out[k] = (F[k] - R) * (2.0 * self.0.mu()) + R * (self.0.lambda() * (R.dot(&F[k]) - 3.0));
        });
    }

    fn energies_and_stresses(&self, F: &[Mat3], energies: &mut [f64], stresses: &mut [Mat3]) {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        each_rotation(F, |k, R| {
            let (away, growth) = (F[k] - R, R.dot(&F[k]) - 3.0);
            energies[k] = mu * away.norm_squared() + 0.5 * lambda * growth * growth;
            stresses[k] = away * (2.0 * mu) + R * (lambda * growth);
        });
    }

    fn stiffnesses(&self, F: &[Mat3], out: &mut [Stiffness9]) {
        principal::each_svd(F, |k, svd| out[k] = self.blocks(svd.sigma.as_ref()).stiffness(svd));
    }

    fn positive_stiffnesses(&self, F: &[Mat3], out: &mut [Stiffness9]) {
        principal::each_svd(F, |k, svd| out[k] = self.blocks(svd.sigma.as_ref()).positive().stiffness(svd));
    }
}
