//! Saint Venant–Kirchhoff that stiffens no less when it is squashed: its strain goes on as a straight line.
//!
//! ```text
//! ψ = μ Σ e_i² + λ/2 (Σ e_i)²,    e(s) = ½(s² − 1) for s ≥ ½,   ½s − ⅝ below (the tangent at ½)
//! ψ_i = S_i e′_i,   ψ_ij = δ_ij (2μ e′_i² + S_i e″_i) + λ e′_i e′_j,   S_i = 2μ e_i + λ Σ e
//! ```
//! s are the signed principal stretches. e and e′ are continuous, so ψ and P are, and energy is conserved; where older
//! codes clamp the stretch itself it is not. ∂P/∂F jumps where a stretch passes ½. As long as no stretch is below ½ this is
//! `stvk`, and computed as that: most tets at most times need no singular values. Source: ITF04 in docs/papers.md.

use pliant_linalg::{Mat3, Svd3, svd3_batch};

use super::principal::{self, Blocks, PAIRS};
use super::{Isotropic, Material, StVk, Stiffness9};

/// Where the strain becomes a straight line.
const THRESHOLD: f64 = 0.5;

/// How many gradients are decomposed at once.
const BATCH: usize = 16;

/// Invertible St. Venant-Kirchhoff.
#[derive(Clone, Copy, Debug)]
pub struct InvertibleStVk(pub Isotropic);

/// Strains e, slopes e′ and stresses S at three stretches.
struct At {
    e: [f64; 3],
    slope: [f64; 3],
    S: [f64; 3],
}

impl InvertibleStVk {
    fn at(&self, s: &[f64; 3]) -> At {
        let e = s.map(|s| if s >= THRESHOLD { 0.5 * (s * s - 1.0) } else { 0.5 * s - 0.625 });
        let pressure = self.0.lambda() * (e[0] + e[1] + e[2]);
        At { e, slope: s.map(|s| s.max(THRESHOLD)), S: e.map(|e| 2.0 * self.0.mu() * e + pressure) }
    }

    fn energy(&self, s: &[f64; 3]) -> f64 {
        let e = self.at(s).e;
        let sum = e[0] + e[1] + e[2];
        self.0.mu() * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * self.0.lambda() * sum * sum
    }

    fn blocks(&self, s: &[f64; 3]) -> Blocks {
        let (mu, lambda) = (self.0.mu(), self.0.lambda());
        let At { slope, S, .. } = self.at(s);
        let stretch = Mat3::from_fn(|i, j| {
            let own = 2.0 * mu * slope[i] * slope[i] + if s[i] >= THRESHOLD { S[i] } else { 0.0 };
            lambda * slope[i] * slope[j] + if i == j { own } else { 0.0 }
        });
        // With the means of S and e′: ψ_i − ψ_j = (S_i − S_j) mean(e′) + mean(S) (e′_i − e′_j), S_i − S_j = 2μ(e_i − e_j),
        // and e_i − e_j = mean(e′) (e′_i − e′_j) + ½ (s_i − e′_i − s_j + e′_j), both sides of ½ alike.
        let shear = PAIRS.map(|(i, j)| {
            let steepening = divided_slopes(s[i], s[j]);
            let mean = 0.5 * (slope[i] + slope[j]);
            let e = mean * steepening + THRESHOLD * (1.0 - steepening);
            2.0 * mu * e * mean + 0.5 * (S[i] + S[j]) * steepening
        });
        let twist = PAIRS.map(|(i, j)| principal::twist(S[i] * slope[i] + S[j] * slope[j], s[i] + s[j]));
        Blocks { stretch, shear, twist }
    }

    fn bent_stress(&self, svd: &Svd3) -> Mat3 {
        let At { slope, S, .. } = self.at(svd.sigma.as_ref());
        principal::compose(svd, std::array::from_fn(|i| S[i] * slope[i]))
    }

    /// `plain(k)` where no stretch of 1 + H\[k\] is below ½, `bent(k, svd)` for the others, decomposed several at once.
    fn sort(&self, H: &[Mat3], mut plain: impl FnMut(usize, &StVk), mut bent: impl FnMut(usize, &Svd3)) {
        let stvk = StVk(self.0);
        let (mut squashed, mut which) = ([Mat3::zeros(); BATCH], [0; BATCH]);
        let mut frames = [Svd3::zero(); BATCH];
        for first in (0..H.len()).step_by(BATCH) {
            let mut count = 0;
            for k in first..(first + BATCH).min(H.len()) {
                let F = Mat3::identity() + H[k];
                if is_wide(&F) {
                    plain(k, &stvk);
                } else {
                    (squashed[count], which[count]) = (F, k);
                    count += 1;
                }
            }
            svd3_batch(&squashed[..count], &mut frames[..count]);
            (0..count).for_each(|k| bent(which[k], &frames[k]));
        }
    }
}

/// (e′_i − e′_j)/(s_i − s_j) of e′(s) = max(s, ½): 1 above, 0 below, in between exactly what lies above.
fn divided_slopes(si: f64, sj: f64) -> f64 {
    let (high, low) = (si.max(sj), si.min(sj));
    if low >= THRESHOLD {
        1.0
    } else if high < THRESHOLD {
        0.0
    } else {
        (high - THRESHOLD) / (high - low)
    }
}

/// Whether no signed stretch is below ½: det F > 0, and FᵀF − ¼I is positive definite by its leading minors.
fn is_wide(F: &Mat3) -> bool {
    let (x, y, z) = (F.column(0), F.column(1), F.column(2));
    let limit = THRESHOLD * THRESHOLD;
    let (a, b, c) = (x.dot(&x) - limit, y.dot(&y) - limit, z.dot(&z) - limit);
    let (d, e, f) = (x.dot(&y), x.dot(&z), y.dot(&z));
    let minor = a * b - d * d;
    let whole = c * minor - a * f * f - b * e * e + 2.0 * d * e * f;
    a > 0.0 && minor > 0.0 && whole > 0.0 && F.determinant() > 0.0
}

impl Material for InvertibleStVk {
    fn name(&self) -> &'static str {
        "invertible-stvk"
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
        StVk(self.0).third_at_rest(A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.0
    }

    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        let out = std::cell::Cell::from_mut(out).as_slice_of_cells();
        self.sort(
            H,
            |k, stvk| out[k].set(stvk.energy_density(&H[k])),
            |k, svd| out[k].set(self.energy(svd.sigma.as_ref())),
        );
    }

    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        let out = std::cell::Cell::from_mut(out).as_slice_of_cells();
        let bent = |k: usize, svd: &Svd3| out[k].set(self.bent_stress(svd));
        self.sort(H, |k, stvk| out[k].set(stvk.stress(&H[k])), bent);
    }

    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        let stresses = std::cell::Cell::from_mut(stresses).as_slice_of_cells();
        let along = std::cell::Cell::from_mut(along).as_slice_of_cells();
        let set = |k: usize, (P, dP): (Mat3, Mat3)| {
            stresses[k].set(P);
            along[k].set(dP);
        };
        let bent = |k: usize, svd: &Svd3| {
            let blocks = self.blocks(svd.sigma.as_ref());
            set(k, (self.bent_stress(svd), blocks.stress_along(svd, &dH[k])));
        };
        self.sort(H, |k, stvk| set(k, stvk.stress_along(&H[k], &dH[k])), bent);
    }

    fn stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        let out = std::cell::Cell::from_mut(out).as_slice_of_cells();
        self.sort(
            H,
            |k, stvk| out[k].set(stvk.stiffness(&H[k])),
            |k, svd| out[k].set(self.blocks(svd.sigma.as_ref()).stiffness(svd)),
        );
    }

    fn positive_stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        principal::each_svd(H, |k, svd| out[k] = self.blocks(svd.sigma.as_ref()).positive().stiffness(svd));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strain_and_stress_pass_the_threshold_without_a_jump() {
        let law = InvertibleStVk(Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants"));
        let at = |s: f64| Mat3::from_diagonal(&pliant_linalg::Vec3::new(0.1, -0.1, s - 1.0));
        let (above, below) = (at(THRESHOLD + 1e-9), at(THRESHOLD - 1e-9));
        assert!(is_wide(&(Mat3::identity() + above)) && !is_wide(&(Mat3::identity() + below)));
        assert!((law.energy_density(&above) - law.energy_density(&below)).abs() < 1e-8);
        assert!((law.stress(&above) - law.stress(&below)).norm() < 1e-7);
        // The slope of the stress has a jump of S e″: the law is C¹ and no more.
        let jump = law.stiffness(&above)[8][8] - law.stiffness(&below)[8][8];
        assert!((jump - law.at(&[1.1, 0.9, THRESHOLD]).S[2]).abs() < 1e-7, "{jump}");
    }

    #[test]
    fn the_work_of_a_round_trip_through_inversion_is_zero() {
        let law = InvertibleStVk(Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants"));
        // A closed path through stretches from 1.3 down to −0.3, with shear; midpoints, so the error is O(n⁻²).
        let at = |t: f64| {
            let (s, c) = (std::f64::consts::TAU * t).sin_cos();
            Mat3::new(0.2, 0.3 * s, 0.0, 0.1, 0.1, 0.2 * c, 0.0, 0.3 * s * c, 0.8 * c - 0.5)
        };
        let work = |n: u32| -> f64 {
            let step = |k: u32| {
                let (a, b) = (f64::from(k) / f64::from(n), f64::from(k + 1) / f64::from(n));
                law.stress(&at(0.5 * (a + b))).dot(&(at(b) - at(a)))
            };
            (0..n).map(step).sum()
        };
        let moved: f64 = (0..400).map(|k| law.stress(&at(f64::from(k) / 400.0)).norm() / 400.0).sum();
        assert!(work(4000).abs() < 1e-5 * moved, "{} of {moved}", work(4000));
    }
}
