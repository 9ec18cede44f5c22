//! How far a gradient is from rest, without subtracting what is nearly equal.
//!
//! ```text
//! H = F − 1,   t = tr H,   s = tr cof H,   d = det H
//! J − 1 = t + s + d =: j,           I₁ − 3 = 2t + |H|² =: x,           E = ½(H + Hᵀ + HᵀH)
//! x − 2j = ½|H + Hᵀ|² − t² − 2d     cof F = (1 + t) 1 − Hᵀ + cof H
//! F − cof F = H + Hᵀ − t 1 − cof H
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
    size_squared: f64,
    cofactor: Mat3,
}

impl Strain {
    pub(crate) fn of(H: &Mat3) -> Self {
        let cofactor = cofactor(H);
        Self {
            trace: H.trace(),
            second: cofactor.trace(),
            det: H.column(0).dot(&cofactor.column(0)),
            size_squared: H.norm_squared(),
            cofactor,
        }
    }

    /// J − 1.
    pub(crate) fn growth(&self) -> f64 {
        self.trace + (self.second + self.det)
    }

    /// I₁ − 3.
    pub(crate) fn first(&self) -> f64 {
        2.0 * self.trace + self.size_squared
    }

    /// I₁ − 3 − 2(J − 1), of second order.
    pub(crate) fn shape(&self, H: &Mat3) -> f64 {
        0.5 * (H + H.transpose()).norm_squared() - self.trace * self.trace - 2.0 * self.det
    }

    /// cof F.
    pub(crate) fn cofactor(&self, H: &Mat3) -> Mat3 {
        Mat3::identity() * (1.0 + self.trace) + (self.cofactor - H.transpose())
    }

    /// F − cof F.
    pub(crate) fn past_cofactor(&self, H: &Mat3) -> Mat3 {
        (H + H.transpose() - Mat3::identity() * self.trace) - self.cofactor
    }

    /// J F − cof F.
    pub(crate) fn past_inverse(&self, H: &Mat3) -> Mat3 {
        let rest = Mat3::identity() * (self.second + self.det) - self.cofactor;
        (H + H.transpose()) + (H * self.growth() + rest)
    }
}

/// Green's strain E = ½(FᵀF − 1).
pub(crate) fn green(H: &Mat3) -> Mat3 {
    (H + H.transpose() + H.transpose() * H) * 0.5
}

/// j − ln(1 + j), to full relative accuracy.
pub(crate) fn past_log(j: f64) -> f64 {
    if j.abs() > 0.25 {
        return j - j.ln_1p();
    }
    // ln(1 + j) = 2 artanh s = 2(s + s³/3 + s⁵/5 + …) with s = j/(2 + j), and j − 2s = js. s² ≤ 1/49: nine terms do.
    let s = j / (2.0 + j);
    let series = (1..10).rev().fold(0.0, |sum, k| sum * s * s + 1.0 / f64::from(2 * k + 1));
    s * (j - 2.0 * s * s * series)
}

/// eᵃ − 1 − a, to full relative accuracy.
pub(crate) fn past_exp(a: f64) -> f64 {
    if a.abs() > 0.25 {
        return a.exp_m1() - a;
    }
    // a²/2! + a³/3! + …: by 14! a term is below a rounding of the first.
    (2..15).rev().fold(0.0, |sum, k| (sum * a + a) / f64::from(k)) * a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_the_logarithm_and_the_exponential_has_no_seam() {
        for x in [-0.25, -0.1, 0.1, 0.25_f64] {
            let (near, far) = (past_log(x), x - x.ln_1p());
            assert!((near / far - 1.0).abs() < 1e-14, "{x}: {near} vs {far}");
            let (near, far) = (past_exp(x), x.exp_m1() - x);
            assert!((near / far - 1.0).abs() < 1e-14, "{x}: {near} vs {far}");
        }
        assert_eq!(past_log(1.0), 1.0 - 2_f64.ln());
        for x in [1e-3, -1e-5, 1e-9_f64] {
            assert!((past_log(x) / (x * x / 2.0 * (1.0 - 2.0 * x / 3.0)) - 1.0).abs() < x * x);
            assert!((past_exp(x) / (x * x / 2.0 * (1.0 + x / 3.0)) - 1.0).abs() < x * x);
        }
    }

    #[test]
    fn what_is_written_around_rest_is_what_it_is() {
        let H = Mat3::new(0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.6, 0.2, -0.1);
        let F = Mat3::identity() + H;
        let strain = Strain::of(&H);
        let (J, I1) = (F.determinant(), F.norm_squared());
        assert!((strain.growth() - (J - 1.0)).abs() < 1e-15 && (strain.first() - (I1 - 3.0)).abs() < 2e-15);
        assert!((strain.shape(&H) - (I1 - 3.0 - 2.0 * (J - 1.0))).abs() < 2e-15);
        let near = |a: Mat3, b: Mat3| assert!((a - b).norm() < 2e-15, "{a} vs {b}");
        near(strain.cofactor(&H), cofactor(&F));
        near(strain.past_cofactor(&H), F - cofactor(&F));
        near(strain.past_inverse(&H), F * J - cofactor(&F));
        near(green(&H), (F.transpose() * F - Mat3::identity()) * 0.5);
    }
}
