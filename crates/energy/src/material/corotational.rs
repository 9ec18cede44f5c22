//! Corotational: Hooke's law in the frame that turns with the body.
//!
//! ```text
//! F = R S (polar),    ψ = μ |F − R|² + λ/2 (tr S − 3)²,    P = 2μ (F − R) + λ (tr S − 3) R
//! with X = S − 1:  ψ = μ |X|² + λ/2 tr²X,   P = R (2μ X + λ tr X 1)
//! in principal stretches:  ψ_i = 2μ (s_i − 1) + λ (s₁ + s₂ + s₃ − 3),   ψ_ij = 2μ δ_ij + λ
//! ```
//! Large rotations and moderate strains; survives inversion, since R is a rotation also where det F < 0. Its volume term
//! is weak under strong compression. The stress has a kink where the closest rotation is not unique (s_i + s_j = 0, only
//! for inverted or flat tets); see `principal.rs`. The stiffness is exact: it has the derivative of R in it.
//!
//! X = RᵀF − 1 has lost the digits of a small strain. It is the root of X² + 2X = 2E, with Green's strain E that has them all
//! (`strain.rs`), and one step of X ← E − X²/2 makes an error smaller by |X|: it gives them back.

use pliant_linalg::{Mat3, rotations3_batch};

use super::principal::{self, Blocks, PAIRS};
use super::strain::green;
use super::{Isotropic, Material, Stiffness9, third_order};

/// Corotational elasticity.
#[derive(Clone, Copy, Debug)]
pub struct Corotational(pub Isotropic);

/// How many rotations are found at once.
const BATCH: usize = 16;

/// |X|² below which a step makes it better.
const REFINED: f64 = 0.0625;

impl Corotational {
    fn energy(&self, X: &Mat3) -> f64 {
        let growth = X.trace();
        self.0.mu() * X.norm_squared() + 0.5 * self.0.lambda() * growth * growth
    }

    fn turned_stress(&self, R: &Mat3, X: &Mat3) -> Mat3 {
        R * (X * (2.0 * self.0.mu()) + Mat3::identity() * (self.0.lambda() * X.trace()))
    }

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

/// `work(k, R, X)` for each k: the rotation closest to 1 + H\[k\], and how far the stretch is from 1.
pub(crate) fn each_stretch(H: &[Mat3], mut work: impl FnMut(usize, &Mat3, &Mat3)) {
    let (mut F, mut rotations) = ([Mat3::zeros(); BATCH], [Mat3::zeros(); BATCH]);
    for (first, H) in (0..).step_by(BATCH).zip(H.chunks(BATCH)) {
        let (F, rotations) = (&mut F[..H.len()], &mut rotations[..H.len()]);
        F.iter_mut().zip(H).for_each(|(F, H)| *F = Mat3::identity() + H);
        rotations3_batch(F, rotations);
        for (k, R) in rotations.iter().enumerate() {
            work(first + k, R, &stretch(&H[k], &F[k], R));
        }
    }
}

/// X of F = 1 + H = R (1 + X).
fn stretch(H: &Mat3, F: &Mat3, R: &Mat3) -> Mat3 {
    let S = R.transpose() * F;
    let X = (S + S.transpose()) * 0.5 - Mat3::identity();
    if X.norm_squared() < REFINED { green(H) - X * X * 0.5 } else { X }
}

impl Material for Corotational {
    fn name(&self) -> &'static str {
        "corotational"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        let mut out = [0.0];
        self.energy_densities(std::slice::from_ref(H), &mut out);
        out[0]
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        let mut out = [Mat3::zeros()];
        self.stresses(std::slice::from_ref(H), &mut out);
        out[0]
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        let mut out = [[[0.0; 9]; 9]];
        self.stiffnesses(std::slice::from_ref(H), &mut out);
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

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        each_stretch(H, |k, _, X| out[k] = self.energy(X));
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        each_stretch(H, |k, R, X| out[k] = self.turned_stress(R, X));
    }

    fn energies_and_stresses(&self, H: &[Mat3], energies: &mut [f64], stresses: &mut [Mat3]) {
        each_stretch(H, |k, R, X| {
            energies[k] = self.energy(X);
            stresses[k] = self.turned_stress(R, X);
        });
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        self.stresses(H, stresses);
        principal::each_svd(H, |k, svd| along[k] = self.blocks(svd.sigma.as_ref()).stress_along(svd, &dH[k]));
    }

    fn stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        principal::each_svd(H, |k, svd| out[k] = self.blocks(svd.sigma.as_ref()).stiffness(svd));
    }

    fn positive_stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        principal::each_svd(H, |k, svd| out[k] = self.blocks(svd.sigma.as_ref()).positive().stiffness(svd));
    }
}
