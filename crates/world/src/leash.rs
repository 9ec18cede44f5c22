//! A leash on a body that is held: so soft a body falls through its own legs, and no energy that it has stops it.
//!
//! ```text
//! V = k/2 max(0, d − d₀)²,   d² = ∫ρ|u|² / m = μ qᵀq / m,   k = m ω²
//! ```
//! d is the mean displacement, μ that multiple of one which UᵀMU is. Below d₀, three lengths of the body, there is nothing: no motion that
//! anybody wants to see gets there. V is convex, and under a gravity g a body goes g/ω² beyond d₀ at rest.

use pliant_linalg::DenseSymmetric;
use pliant_reduce::Model;
use pliant_sim::load::ReducedLoad;

/// d₀, in lengths of the body.
const LOOSE: f64 = 3.0;

/// ω, 1/s: a step of 1/240 s follows it with ease.
const OMEGA: f64 = 40.0;

/// The load.
#[derive(Clone)]
pub(crate) struct Leash {
    /// μ/m, 1.
    share: f64,
    /// d₀, m.
    loose: f64,
    /// k as built and now, N/m.
    built: f64,
    stiffness: f64,
}

impl Leash {
    /// For a body that is held; `None` for a free one, which may go where it likes.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let mass = model.total_mass();
        let built = mass * OMEGA * OMEGA;
        (!model.recipe().fixed.is_empty()).then(|| Self {
            share: model.reduced_mass().get(0, 0) / mass,
            loose: LOOSE * model.longest_side(),
            built,
            stiffness: built,
        })
    }

    /// d and d − d₀ where it is tight.
    fn tight(&self, q: &[f64]) -> Option<(f64, f64)> {
        let d = (self.share * q.iter().map(|q| q * q).sum::<f64>()).sqrt();
        (d > self.loose).then_some((d, d - self.loose))
    }
}

impl ReducedLoad for Leash {
    fn force(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut [f64]) {
        if let Some((d, by)) = self.tight(q) {
            let factor = self.stiffness * by * self.share / d;
            out.iter_mut().zip(q).for_each(|(out, q)| *out -= factor * q);
        }
    }

    fn name(&self) -> &str {
        "leash"
    }

    fn potential(&mut self, _: f64, q: &[f64]) -> Option<f64> {
        Some(self.tight(q).map_or(0.0, |(_, by)| 0.5 * self.stiffness * by * by))
    }

    fn stiffness(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        let Some((d, by)) = self.tight(q) else { return false };
        let r = out.size();
        let (along, all) = (
            self.stiffness * (self.loose / d) * (self.share / d).powi(2),
            self.stiffness * by / d * self.share,
        );
        let values = out.values_mut();
        for i in 0..r {
            for j in i..r {
                values[i * r + j] += along * q[i] * q[j];
            }
            values[i * r + i] += all;
        }
        true
    }

    fn set_density(&mut self, factor: f64) {
        self.stiffness = self.built * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_testkit::derivative::assert_derivative;

    #[test]
    fn force_and_stiffness_are_derivatives_and_nothing_acts_on_a_loose_one() {
        let mut leash = Leash { share: 0.7, loose: 1.5, built: 30.0, stiffness: 30.0 };
        let near = [0.5, -0.8, 1.0];
        let mut none = [0.0; 3];
        leash.force(0.0, &near, &none.clone(), &mut none);
        assert_eq!((none, leash.potential(0.0, &near)), ([0.0; 3], Some(0.0)));
        assert!(!leash.stiffness(0.0, &near, &none, &mut DenseSymmetric::zeros(3)));
        let (q, v) = ([1.3, -2.0, 0.9], [0.4, 0.1, -0.7]);
        let at = |t: f64| -> [f64; 3] { std::array::from_fn(|i| q[i] + t * v[i]) };
        let force = |t: f64| {
            let mut out = [0.0; 3];
            leash.clone().force(0.0, &at(t), &[0.0; 3], &mut out);
            out
        };
        let dot = |x: &[f64; 3], y: &[f64; 3]| (0..3).map(|i| x[i] * y[i]).sum::<f64>();
        let energy = |t: f64| leash.clone().potential(0.0, &at(t)).expect("it has one");
        assert_derivative("force", energy, -dot(&force(0.0), &v));
        let mut matrix = DenseSymmetric::zeros(3);
        assert!(leash.clone().stiffness(0.0, &q, &[0.0; 3], &mut matrix));
        let along =
            (0..3).map(|i| (0..3).map(|j| v[i] * matrix.get(i.min(j), i.max(j)) * v[j]).sum::<f64>()).sum();
        assert_derivative("stiffness", |t| -dot(&force(t), &v), along);
    }
}
