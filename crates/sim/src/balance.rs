//! Whether a motion has more energy than it was given: the sign of a step that is too long for its integrator.
//!
//! ```text
//! gain = max_t (E(t) − E(0) − A(t)) / max_t(|A(t)|, E(0)),    A = Σ ½ (f_n + f_(n+1)) · (q_(n+1) − q_n)
//! ```
//! E is kinetic and elastic energy, A the work of the loads by the trapezoidal rule. Damping only takes from E. Newmark on a
//! nonlinear body without damping may gain without bound while every step converges, so that nobody else would notice.

use pliant_dynamics::State;

use crate::Subject;

/// Follows energy and work from step to step.
pub(crate) struct Balance {
    force: Vec<f64>,
    q: Vec<f64>,
    now: Vec<f64>,
    first: f64,
    work: f64,
    scale: f64,
    gain: f64,
}

impl Balance {
    /// From the first state, with energy E.
    pub(crate) fn new(system: &mut dyn Subject, State { t, q, v, .. }: &State, energy: f64) -> Self {
        let mut force = vec![0.0; q.len()];
        system.external_force(*t, q, v, &mut force);
        Self { now: force.clone(), force, q: q.to_vec(), first: energy, work: 0.0, scale: energy, gain: 0.0 }
    }

    /// The next state. Returns the largest gain so far.
    pub(crate) fn note(
        &mut self,
        system: &mut dyn Subject,
        State { t, q, v, .. }: &State,
        energy: f64,
    ) -> f64 {
        system.external_force(*t, q, v, &mut self.now);
        for i in 0..q.len() {
            self.work += 0.5 * (self.force[i] + self.now[i]) * (q[i] - self.q[i]);
        }
        std::mem::swap(&mut self.force, &mut self.now);
        self.q.copy_from_slice(q);
        self.scale = self.scale.max(self.work.abs());
        // A body that nothing has moved yet has rounding for its energy and nothing to compare it with.
        if self.scale > 0.0 {
            let gain = (energy - self.first - self.work) / self.scale;
            self.gain = if gain.is_nan() { f64::INFINITY } else { self.gain.max(gain) };
        }
        self.gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Full, RunOptions, Scenario, run};
    use pliant_energy::{Loads, Recipe};
    use pliant_linalg::{Vec3, ignore_progress};

    fn bar(material: &str, loads: impl Into<crate::load::LoadSet>) -> Full {
        let mesh = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.2, 0.2), [5, 1, 1]).into_data();
        let fixed = vec![pliant_mesh::select::select(&mesh, "x<1%").expect("a slab")];
        let recipe = Recipe { material: Some(material.into()), fixed, ..Recipe::default() };
        Full::new(recipe.build(mesh).expect("a body"), loads).expect("a system")
    }

    #[test]
    fn newmark_on_a_linear_body_gains_what_the_loads_give_and_no_more() {
        let scenario =
            Scenario::parse("dt = 0.01\nsteps = 50\ngravity = [0.0, -9.81, 0.0]", 100).expect("a scenario");
        let mut system = bar("linear", scenario.loads.clone());
        let options =
            RunOptions { integrator: "newmark".into(), solver: pliant_dynamics::Options::default() };
        let record =
            run(&mut system, &scenario, &options, None, &mut ignore_progress, &mut |_| {}).expect("a run");
        // With average acceleration the trapezoidal work is exactly what the energy grows by.
        assert!(record.gain.abs() < 1e-6 && !record.exploded(), "{:e}", record.gain);
        assert!(record.kinetic.iter().any(|&k| k > 1e-3), "it moves");
    }

    #[test]
    fn energy_from_nowhere_is_a_gain() {
        let mut system = bar("stvk", Loads::default());
        let state = State::at_rest(system.body().size());
        let mut balance = Balance::new(&mut system, &state, 2.0);
        assert!(balance.note(&mut system, &state, 1.5) <= 0.0, "damping takes");
        assert!((balance.note(&mut system, &state, 5.0) - 1.5).abs() < 1e-15, "3 J beyond the first 2 J");
        assert_eq!(balance.note(&mut system, &state, f64::NAN), f64::INFINITY);
    }
}
