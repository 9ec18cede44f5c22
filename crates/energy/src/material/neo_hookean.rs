//! Neo-Hookean: rubber that cannot be pressed to nothing.
//!
//! ```text
//! ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J,      I₁ = F:F, J = det F
//! P = μ F + (λ ln J − μ)/J cof F
//! ```
//! ψ is computed around rest, where nothing cancels: with H = F − 1 and j = J − 1 = tr H + tr cof H + det H,
//! ```text
//! I₁ − 3 − 2 ln J = ½|H + Hᵀ|² − tr²H − 2 det H + 2(j − ln(1 + j))
//! ```
//! ψ grows without bound as J → 0 and is not defined beyond: a tet turned inside out is inadmissible, and a line search
//! must keep away from it. For bodies that are handled roughly take the stable one.

use pliant_linalg::Mat3;

use super::invariants::{self, Derivatives};
use super::{Isotropic, Material, Stiffness9, third_order};

/// Neo-Hookean.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean(pub Isotropic);

impl Material for NeoHookean {
    fn name(&self) -> &'static str {
        "neo-hookean"
    }

    fn energy_density(&self, F: &Mat3) -> f64 {
        let H = F - Mat3::identity();
        let (trace, det) = (H.trace(), H.determinant());
        let j = trace + invariants::cofactor(&H).trace() + det;
        let strain = 0.5 * (H + H.transpose()).norm_squared() - trace * trace - 2.0 * det;
        let log = j.ln_1p();
        self.0.mu() * (0.5 * strain + past_log(j)) + 0.5 * self.0.lambda() * log * log
    }

    fn stress(&self, F: &Mat3) -> Mat3 {
        let J = F.determinant();
        F * self.0.mu() + invariants::cofactor(F) * ((self.0.lambda() * J.ln() - self.0.mu()) / J)
    }

    fn stiffness(&self, F: &Mat3) -> Stiffness9 {
        let (mu, lambda, J) = (self.0.mu(), self.0.lambda(), F.determinant());
        let psi = Derivatives {
            one: 0.5 * mu,
            volume: (lambda * J.ln() - mu) / J,
            volume_volume: (mu + lambda * (1.0 - J.ln())) / (J * J),
            ..Derivatives::default()
        };
        invariants::stiffness(F, &psi)
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        // ln J = t₁ − t₂ + 4/3 t₃ − …, t_k = tr Eᵏ, and I₁ = 3 + 2t₁ without remainder.
        let cubic = third_order::Cubic { a: 0.0, b: -self.0.lambda(), c: -4.0 / 3.0 * self.0.mu() };
        third_order::third_at_rest(&self.0, cubic, A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn admits(&self, F: &Mat3) -> bool {
        F.determinant() > 0.0
    }
}

/// j − ln(1 + j), to full relative accuracy.
fn past_log(j: f64) -> f64 {
    if j.abs() > 0.25 {
        return j - j.ln_1p();
    }
    // ln(1 + j) = 2 artanh s = 2(s + s³/3 + s⁵/5 + …) with s = j/(2 + j), and j − 2s = js. s² ≤ 1/49: nine terms do.
    let s = j / (2.0 + j);
    let series = (1..10).rev().fold(0.0, |sum, k| sum * s * s + 1.0 / f64::from(2 * k + 1));
    s * (j - 2.0 * s * s * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_strains_keep_their_digits() {
        let law = NeoHookean(Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants"));
        let (mu, lambda) = (law.0.mu(), law.0.lambda());
        // So that 1 + h is exact, with all bits of its own in use.
        let h = (1.0 + 1e-6) - 1.0;
        let near = |H: Mat3, expected: f64| {
            let psi = law.energy_density(&(Mat3::identity() + H));
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

    #[test]
    fn what_is_past_the_logarithm_has_no_seam() {
        for j in [-0.25, -0.1, 0.1, 0.25_f64] {
            let (near, far) = (past_log(j), j - j.ln_1p());
            assert!((near / far - 1.0).abs() < 1e-14, "{j}: {near} vs {far}");
        }
        assert_eq!(past_log(1.0), 1.0 - 2_f64.ln());
    }
}
