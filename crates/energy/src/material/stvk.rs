//! Saint Venant–Kirchhoff: the simplest material that survives large rotations.
//!
//! ```text
//! E = ½(H + Hᵀ + HᵀH), F = 1 + H    (1)      ψ = μ E:E + ½λ (tr E)²                    (2)
//! P = F S,  S = 2μE + λ tr(E) I     (3)
//! ∂P_rc/∂F_sd = δ_rs S_cd + μ (F_rd F_sc + δ_cd (FFᵀ)_rs) + λ F_rc F_sd                (4)
//! ```
//! ψ is quartic in F, so forces are cubic in u; the reduced cubic force is built on that fact. Gives way under strong
//! compression: for squashing use a neo-Hookean solid. Source: BJ05 in docs/papers.md.

use pliant_linalg::Mat3;

use super::strain::green;
use super::{Isotropic, Material, Stiffness9, third_order};

/// St. Venant-Kirchhoff.
#[derive(Clone, Copy, Debug)]
pub struct StVk(pub Isotropic);

impl StVk {
    /// S = 2μE + λ tr(E) I, Pa.
    pub fn second_stress(&self, H: &Mat3) -> Mat3 {
        let E = green(H);
        self.hooke(&E)
    }

    /// P, and δP = δH S + F δS.
    pub(crate) fn stress_along(&self, H: &Mat3, dH: &Mat3) -> (Mat3, Mat3) {
        let (S, F) = (self.second_stress(H), Mat3::identity() + H);
        let change = F.transpose() * dH;
        let dS = self.hooke(&((change + change.transpose()) * 0.5));
        (S + H * S, dH * S + F * dS)
    }

    fn hooke(&self, E: &Mat3) -> Mat3 {
        E * (2.0 * self.0.mu()) + Mat3::identity() * (self.0.lambda() * E.trace())
    }
}

impl Material for StVk {
    fn name(&self) -> &'static str {
        "stvk"
    }

    fn as_stvk(&self) -> Option<Isotropic> {
        Some(self.0)
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        let E = green(H);
        self.0.mu() * E.norm_squared() + 0.5 * self.0.lambda() * E.trace().powi(2)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        let S = self.second_stress(H);
        S + H * S
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        for (((H, dH), P), dP) in H.iter().zip(dH).zip(stresses).zip(along) {
            (*P, *dP) = self.stress_along(H, dH);
        }
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        let (mu, lambda, F) = (self.0.mu(), self.0.lambda(), Mat3::identity() + H);
        let (S, B) = (self.second_stress(H), F * F.transpose());
        let mut C = [[0.0; 9]; 9];
        for r in 0..3 {
            for c in 0..3 {
                for s in 0..3 {
                    for d in 0..3 {
                        let mut x = mu * F[(r, d)] * F[(s, c)] + lambda * F[(r, c)] * F[(s, d)];
                        if r == s {
                            x += S[(c, d)];
                        }
                        if c == d {
                            x += mu * B[(r, s)];
                        }
                        C[3 * r + c][3 * s + d] = x;
                    }
                }
            }
        }
        C
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        third_order::third_at_rest(&self.0, third_order::Cubic::default(), A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }
}
