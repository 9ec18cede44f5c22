//! How far a gradient is from rest, without subtracting what is nearly equal.
//!
//! ```text
//! H = F − 1,   t = tr H,   s = tr cof H,   d = det H
//! J − 1 = t + s + d =: j,           I₁ − 3 = 2t + |H|² =: x,           E = ½(H + Hᵀ + HᵀH)
//! x − 2j = ½|H + Hᵀ|² − t² − 2d     cof F = (1 + t) 1 − Hᵀ + cof H
//! F − cof F = H + Hᵀ − t 1 − cof H
//! I₂ − 3 − 4j = ½|H + Hᵀ|² + 2st − 2Hᵀ:cof H + |cof H|² − 4d,         I₂ = |cof F|²
//! ```
//! I₁ − 3 and J − 1 are of first order in H, and cancel to second order in every energy: a law that forms them from F, or
//! subtracts one from the other, has lost all digits of a strain of 1e-8. What stands on the right loses none.

use pliant_linalg::Mat3;

use super::invariants::cofactor;

/// The scalars of H, and its cofactor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strain {
    trace: f64,
    second: f64,
    det: f64,
    cofactor: Mat3,
}

impl Strain {
    #[inline(always)]
    pub(crate) fn of(H: &Mat3) -> Self {
        let cofactor = cofactor(H);
        Self {
            trace: H.trace(),
            second: cofactor.trace(),
            det: H.column(0).dot(&cofactor.column(0)),
            cofactor,
        }
    }

    /// J − 1.
    #[inline(always)]
    pub(crate) fn growth(&self) -> f64 {
        self.trace + (self.second + self.det)
    }

    /// I₁ − 3.
    #[inline(always)]
    pub(crate) fn first(&self, H: &Mat3) -> f64 {
        2.0 * self.trace + H.norm_squared()
    }

    /// I₁ − 3 − 2(J − 1), of second order.
    #[inline(always)]
    pub(crate) fn shape(&self, H: &Mat3) -> f64 {
        symmetric(H) - self.trace * self.trace - 2.0 * self.det
    }

    /// I₁ − 3 − 2(J − 1) and I₂ − 3 − 4(J − 1), of second order.
    #[inline(always)]
    pub(crate) fn shapes(&self, H: &Mat3) -> (f64, f64) {
        let (symmetric, t, d) = (symmetric(H), self.trace, self.det);
        let crossed = H.transpose().dot(&self.cofactor);
        let rest = self.cofactor.norm_squared() + 2.0 * (t * self.second - crossed) - 4.0 * d;
        (symmetric - t * t - 2.0 * d, symmetric + rest)
    }

    /// a (F − cof F) + b cof F + c F.
    #[inline(always)]
    pub(crate) fn past_cofactor(&self, H: &Mat3, a: f64, b: f64, c: f64) -> Mat3 {
        self.sum(H, a + c, a - b, b - (a - b) * self.trace + c)
    }

    /// a (F − cof F/J) + b/J cof F.
    #[inline(always)]
    pub(crate) fn past_inverse(&self, H: &Mat3, a: f64, b: f64) -> Mat3 {
        let by_volume = 1.0 / (1.0 + self.growth());
        let along = a * (self.second + self.det) + b * (1.0 + self.trace);
        self.sum(H, a, (a - b) * by_volume, along * by_volume)
    }

    /// a H + b (Hᵀ − cof H) + c 1: what the two above come to, two products an entry.
    #[inline(always)]
    fn sum(&self, H: &Mat3, a: f64, b: f64, c: f64) -> Mat3 {
        let C = &self.cofactor;
        let at = |r: usize, k: usize| a * H[(r, k)] + b * (H[(k, r)] - C[(r, k)]);
        Mat3::new(
            at(0, 0) + c,
            at(0, 1),
            at(0, 2),
            at(1, 0),
            at(1, 1) + c,
            at(1, 2),
            at(2, 0),
            at(2, 1),
            at(2, 2) + c,
        )
    }
}

/// ½|H + Hᵀ|².
#[inline(always)]
fn symmetric(H: &Mat3) -> f64 {
    let (p, q, r) = (H[(0, 1)] + H[(1, 0)], H[(0, 2)] + H[(2, 0)], H[(1, 2)] + H[(2, 1)]);
    let along = H[(0, 0)] * H[(0, 0)] + H[(1, 1)] * H[(1, 1)] + H[(2, 2)] * H[(2, 2)];
    2.0 * along + (p * p + q * q + r * r)
}

/// J − 1 of several, at most [`BATCH`].
#[inline(always)]
pub(crate) fn growths(H: &[Mat3]) -> [f64; BATCH] {
    let mut growth = [0.0; BATCH];
    H.iter().zip(&mut growth).for_each(|(H, growth)| *growth = Strain::of(H).growth());
    growth
}

/// Green's strain E = ½(FᵀF − 1).
pub(crate) fn green(H: &Mat3) -> Mat3 {
    (H + H.transpose() + H.transpose() * H) * 0.5
}

/// Gradients that a law works on at once: scalar functions of all of them, one after the other, take half the time or less.
pub(crate) const BATCH: usize = 16;

/// Beyond this growth the series below are too short.
const NEAR: f64 = 0.25;

/// ln(1 + j) and j − ln(1 + j) of several, at most [`BATCH`], both to full relative accuracy.
#[inline(always)]
pub(crate) fn logs(j: &[f64]) -> ([f64; BATCH], [f64; BATCH]) {
    let (mut log, mut past) = ([0.0; BATCH], [0.0; BATCH]);
    for ((j, log), past) in j.iter().zip(&mut log).zip(&mut past) {
        (*log, *past) = near_log(*j);
    }
    for (k, j) in j.iter().enumerate().filter(|(_, j)| j.abs() > NEAR) {
        log[k] = j.ln_1p();
        past[k] = j - log[k];
    }
    (log, past)
}

/// ln(1 + j) = 2 artanh s = 2s + 2s³(1/3 + s²/5 + …) with s = j/(2 + j), and j − 2s = js. s² ≤ 1/49: the ninth term of the series is
/// 1e-15 of it, and it a twentieth of j − ln(1 + j) at most.
#[inline(always)]
fn near_log(j: f64) -> (f64, f64) {
    const C: [f64; 8] =
        [1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0];
    let s = j / (2.0 + j);
    let q = s * s;
    let (q2, q4) = (q * q, (q * q) * (q * q));
    // In pairs of pairs, so that few wait for others.
    let low = (C[0] + C[1] * q) + (C[2] + C[3] * q) * q2;
    let high = (C[4] + C[5] * q) + (C[6] + C[7] * q) * q2;
    let tail = 2.0 * (s * q) * (low + high * q4);
    (2.0 * s + tail, s * j - tail)
}

/// ∛(1 + j) of several, at most [`BATCH`].
///
/// By Halley's iteration c ← c (c³ + 2J)/(2c³ + J) from 1, whose error ε becomes ⅔ ε³/c²: 5e-4, 1e-10 and nothing for |j| ≤ ¼. The
/// library's takes five times as long.
#[inline(always)]
pub(crate) fn roots(j: &[f64]) -> [f64; BATCH] {
    let mut root = [0.0; BATCH];
    for (j, root) in j.iter().zip(&mut root) {
        let J = 1.0 + j;
        let mut c = (1.0 + 2.0 * J) / (2.0 + J);
        for _ in 0..2 {
            let cube = c * c * c;
            c *= (cube + 2.0 * J) / (2.0 * cube + J);
        }
        *root = c;
    }
    for (k, j) in j.iter().enumerate().filter(|(_, j)| j.abs() > NEAR) {
        root[k] = (1.0 + j).cbrt();
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_roots_are_right_on_both_sides_of_where_they_change() {
        let all = [-0.9, -0.2501, -0.25, -0.2, -0.1, 0.1, 0.2, 0.25, 0.2501, 1.0, 50.0];
        let ((log, past), root) = (logs(&all), roots(&all));
        for (k, j) in all.into_iter().enumerate() {
            let exact = j.ln_1p();
            assert!((log[k] / exact - 1.0).abs() < 1e-15, "{j}: {} vs {exact}", log[k]);
            assert!((past[k] / (j - exact) - 1.0).abs() < 1e-14, "{j}: {} vs {}", past[k], j - exact);
            assert!((root[k] / (1.0 + j).cbrt() - 1.0).abs() < 5e-16, "{j}: {}", root[k]);
        }
        for j in [1e-3, -1e-5, 1e-9_f64] {
            let (log, past) = logs(&[j]);
            assert!((log[0] / j.ln_1p() - 1.0).abs() < 1e-15);
            assert!((past[0] / (j * j / 2.0 * (1.0 - 2.0 * j / 3.0)) - 1.0).abs() < j * j);
        }
    }

    #[test]
    fn what_is_written_around_rest_is_what_it_is() {
        let H = Mat3::new(0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.6, 0.2, -0.1);
        let F = Mat3::identity() + H;
        let strain = Strain::of(&H);
        let (J, I1, I2) = (F.determinant(), F.norm_squared(), cofactor(&F).norm_squared());
        assert!((strain.growth() - (J - 1.0)).abs() < 1e-15 && (strain.first(&H) - (I1 - 3.0)).abs() < 2e-15);
        let (one, two) = strain.shapes(&H);
        assert!((one - (I1 - 3.0 - 2.0 * (J - 1.0))).abs() < 2e-15 && one == strain.shape(&H));
        assert!((two - (I2 - 3.0 - 4.0 * (J - 1.0))).abs() < 5e-15, "{two}");
        let near = |a: Mat3, b: Mat3| assert!((a - b).norm() < 2e-15, "{a} vs {b}");
        let cofactor = cofactor(&F);
        near(strain.past_cofactor(&H, 0.0, 1.0, 0.0), cofactor);
        near(strain.past_cofactor(&H, 0.7, 0.4, 0.3), (F - cofactor) * 0.7 + cofactor * 0.4 + F * 0.3);
        near(strain.past_inverse(&H, 0.7, 0.4), (F - cofactor / J) * 0.7 + cofactor * (0.4 / J));
        near(green(&H), (F.transpose() * F - Mat3::identity()) * 0.5);
    }
}
