//! Neo-Hookean: rubber that cannot be pressed to nothing.
//!
//! ```text
//! ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J,      I₁ = F:F, J = det F
//! P = μ F + (λ ln J − μ)/J cof F
//! ```
//! Around rest, where nothing cancels (`strain.rs`), with j = J − 1:
//! ```text
//! ψ = μ/2 (I₁ − 3 − 2j) + μ (j − ln(1 + j)) + λ/2 ln²(1 + j),      P = μ (F − cof F/J) + λ ln(1 + j)/J cof F
//! ```
//! ψ grows without bound as J → 0 and is not defined beyond: a tet turned inside out is inadmissible, and a line search
//! must keep away from it. For bodies that are handled roughly take the stable one.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::strain::{BATCH, Strain, growths, logs};
use super::{Isotropic, Material, Stiffness9, one_energy, one_stress, third_order};

/// Neo-Hookean.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean(pub Isotropic);

impl NeoHookean {
    fn derivatives(&self, F: &Mat3) -> Derivatives {
        let (mu, lambda, J) = (self.0.mu(), self.0.lambda(), F.determinant());
        Derivatives {
            one: 0.5 * mu,
            volume: (lambda * J.ln() - mu) / J,
            volume_volume: (mu + lambda * (1.0 - J.ln())) / (J * J),
            ..Derivatives::default()
        }
    }
}

impl Material for NeoHookean {
    fn name(&self) -> &'static str {
        "neo-hookean"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        one_energy(self, H)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        one_stress(self, H)
    }

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        for (H, out) in H.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut j = [0.0; BATCH];
            for ((H, j), out) in H.iter().zip(&mut j).zip(&mut *out) {
                let strain = Strain::of(H);
                (*j, *out) = (strain.growth(), strain.shape(H));
            }
            let (log, past) = logs(&j[..H.len()]);
            for ((out, log), past) in out.iter_mut().zip(&log).zip(&past) {
                *out = mu * (0.5 * *out + past) + 0.5 * lambda * log * log;
            }
        }
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        for (H, out) in H.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            // What a strain is made of is found twice: that takes less time than to keep it meanwhile.
            let (log, _) = logs(&growths(H)[..H.len()]);
            for ((H, out), log) in H.iter().zip(out).zip(&log) {
                *out = Strain::of(H).past_inverse(H, mu, lambda * log);
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
        // ln J = t₁ − t₂ + 4/3 t₃ − …, t_k = tr Eᵏ, and I₁ = 3 + 2t₁ without remainder.
        let cubic = third_order::Cubic { a: 0.0, b: -self.0.lambda(), c: -4.0 / 3.0 * self.0.mu() };
        third_order::third_at_rest(&self.0, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn admits(&self, H: &Mat3) -> bool {
        (Mat3::identity() + H).determinant() > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_strains_keep_their_digits() {
        let law = NeoHookean(Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants"));
        let (mu, lambda) = (law.0.mu(), law.0.lambda());
        let h = 1e-6;
        let near = |H: Mat3, expected: f64| {
            let psi = law.energy_density(&H);
            assert!((psi / expected - 1.0).abs() < 1e-14, "{psi} vs {expected}");
        };
        let unit = |r: usize, c: usize| Mat3::from_fn(|i, j| if (i, j) == (r, c) { h } else { 0.0 });
        // Stretch: h² + 2(h − ln(1 + h)) = 2h² − ⅔h³ + ½h⁴ − …
        let log = h - h * h / 2.0 + h * h * h / 3.0;
        let stretch = h * h * (1.0 - h / 3.0 + h * h / 4.0);
        near(unit(0, 0), mu * stretch + 0.5 * lambda * log * log);
        // Shear keeps the volume: I₁ − 3 = h² alone.
        near(unit(0, 1), 0.5 * mu * h * h);
        // Blown up in all directions: I₁ − 3 = 6h + 3h², ln J = 3 ln(1 + h).
        near(Mat3::identity() * h, 3.0 * mu * stretch + 4.5 * lambda * log * log);
    }
}
