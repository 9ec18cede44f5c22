//! Stable neo-Hookean: rubber and flesh, also when it is squashed flat or turned inside out. The default.
//!
//! ```text
//! ψ = m/2 (I₁ − 3) + l/2 (J − a)² − m/2 ln(I₁ + 1) + const,    I₁ = F:F, J = det F
//! m = 4/3 μ,   l = λ + 5/6 μ,   a = 1 + 3m/4l
//! ```
//! The constant makes ψ(1) = 0. Written around rest, where nothing cancels (`strain.rs`), with x = I₁ − 3 and j = J − 1:
//! ```text
//! ψ = 3m/8 (x − 2j) + m/2 (x/4 − ln(1 + x/4)) + l/2 j²
//! P = 3m/4 (F − cof F) + m/4 x/(4 + x) F + l j cof F
//! ```
//! ψ is smooth for every F. m and l are such that small strains follow Hooke's law with μ and λ; l > 0 for every sound
//! pair of them. Flat or inverted tets resist with finite forces: what must never invert wants the neo-Hookean law.
//! Source: SGK18 in docs/papers.md.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::strain::{BATCH, Strain, logs};
use super::{Isotropic, Material, Stiffness9, one_energy, one_stress, third_order};

/// Stable neo-Hookean.
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean {
    law: Isotropic,
    /// Pa.
    m: f64,
    /// Pa.
    l: f64,
}

impl StableNeoHookean {
    /// The law with this small-strain limit.
    pub fn new(law: Isotropic) -> Self {
        Self { law, m: law.mu() * 4.0 / 3.0, l: law.lambda() + law.mu() * 5.0 / 6.0 }
    }

    fn derivatives(&self, F: &Mat3) -> Derivatives {
        let (I1, J) = (F.norm_squared(), F.determinant());
        Derivatives {
            one: 0.5 * self.m * I1 / (I1 + 1.0),
            volume: self.l * (J - 1.0) - 0.75 * self.m,
            one_one: 0.5 * self.m / (I1 + 1.0).powi(2),
            volume_volume: self.l,
            ..Derivatives::default()
        }
    }
}

impl Material for StableNeoHookean {
    fn name(&self) -> &'static str {
        "stable-neo-hookean"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        one_energy(self, H)
    }

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        for (H, out) in H.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut quarter = [0.0; BATCH];
            for ((H, quarter), out) in H.iter().zip(&mut quarter).zip(&mut *out) {
                let strain = Strain::of(H);
                let j = strain.growth();
                *quarter = 0.25 * strain.first(H);
                *out = 0.375 * self.m * strain.shape(H) + 0.5 * self.l * j * j;
            }
            let (_, past) = logs(&quarter[..H.len()]);
            out.iter_mut().zip(&past).for_each(|(out, past)| *out += 0.5 * self.m * past);
        }
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        one_stress(self, H)
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        for (H, out) in H.iter().zip(out) {
            let strain = Strain::of(H);
            let (x, j) = (strain.first(H), strain.growth());
            *out = strain.past_cofactor(H, 0.75 * self.m, self.l * j, 0.25 * self.m * x / (4.0 + x));
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
        // J = 1 + t₁ + (½t₁² − t₂) + (t₁³/6 − t₁t₂ + 4/3 t₃) + …, t_k = tr Eᵏ, and x = 2t₁ without remainder.
        let (m, l) = (self.m, self.l);
        let cubic = third_order::Cubic { a: 0.5 * l - m * 7.0 / 48.0, b: 0.75 * m - l, c: -m };
        third_order::third_at_rest(&self.law, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.law
    }
}
