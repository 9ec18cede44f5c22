//! Linear elasticity: Hooke's law for displacements so small that rotations are small as well.
//!
//! ```text
//! ε = sym H,    ψ = μ ε:ε + λ/2 (tr ε)²,    P = 2μ ε + λ tr(ε) I
//! ```
//! The stiffness is constant: one factorisation serves for ever. A body that turns grows, and a body that swings far looks
//! wrong: take the corotational law there.

use pliant_linalg::Mat3;

use super::{Isotropic, Material, Stiffness9};

/// Hooke's law.
#[derive(Clone, Copy, Debug)]
pub struct Linear(pub Isotropic);

fn strain(H: &Mat3) -> Mat3 {
    (H + H.transpose()) * 0.5
}

impl Material for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        let e = strain(H);
        self.0.mu() * e.norm_squared() + 0.5 * self.0.lambda() * e.trace().powi(2)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        let e = strain(H);
        e * (2.0 * self.0.mu()) + Mat3::identity() * (self.0.lambda() * e.trace())
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        self.stresses(H, stresses);
        self.stresses(dH, along);
    }

    fn stiffness(&self, _H: &Mat3) -> Stiffness9 {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        let mut C = [[0.0; 9]; 9];
        for r in 0..3 {
            for c in 0..3 {
                C[3 * r + c][3 * r + c] += mu;
                C[3 * r + c][3 * c + r] += mu;
                C[4 * r][4 * c] += lambda;
            }
        }
        C
    }

    fn third_at_rest(&self, _A: &Mat3, _B: &Mat3) -> Mat3 {
        Mat3::zeros()
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn positive_stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        // Constant, and positive for every sound pair of constants.
        self.stiffnesses(H, out);
    }

    fn is_frame_indifferent(&self) -> bool {
        false
    }
}
