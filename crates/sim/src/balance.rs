//! Whether a motion has more energy than it was given: the sign of a step that is too long for its integrator.
//!
//! ```text
//! gain = max_t (E(t) − E(0) − A(t) − N(t)) / max_t(|A(t)|, E(0)),    A = Σ ((1 − w) f_n + w f_(n+1)) · (q_(n+1) − q_n)
//! ```
//! E is kinetic and elastic energy, A the work of the loads, as the integrator lets them work: w = ½ where it keeps the energy of
//! a linear body, the trapezoidal rule, and w = 1 where loads act with what they are at the end of a step, as in backward Euler. A
//! hand that jumps from step to step works so differently by the one and by the other that the wrong one looks like an explosion.
//! Damping only takes from E. N is what rounding may have done: Σ ε‖f‖ ‖q_(n+1) − q_n‖ with the forces' own round-off.
//!
//! Newmark on a nonlinear body without damping may gain without bound while every step converges, so that nobody else would
//! notice.

use pliant_dynamics::State;

use crate::Subject;

/// Follows energy and work from step to step.
pub(crate) struct Balance {
    /// w.
    end: f64,
    force: Vec<f64>,
    q: Vec<f64>,
    now: Vec<f64>,
    first: f64,
    work: f64,
    rounding: f64,
    scale: f64,
    gain: f64,
}

impl Balance {
    /// From the first state, with energy E. `keeps_energy` says it of the integrator; where the first acceleration was `given` it
    /// says what pulled before the first step, which no load of the run may know.
    pub(crate) fn new(
        system: &mut dyn Subject,
        State { t, q, v, a }: &State,
        energy: f64,
        keeps_energy: bool,
        given: bool,
    ) -> Self {
        let mut force = vec![0.0; q.len()];
        let mut now = force.clone();
        if given && system.internal_force(q, &mut now).is_ok() {
            // M a + f_int is what pulled, but for damping, which takes.
            system.apply_mass(a, &mut force);
            force.iter_mut().zip(&now).for_each(|(force, inner)| *force += inner);
        } else {
            system.external_force(*t, q, v, &mut force);
        }
        let end = if keeps_energy { 0.5 } else { 1.0 };
        Self {
            end,
            force,
            q: q.to_vec(),
            now,
            first: energy,
            work: 0.0,
            rounding: 0.0,
            scale: energy,
            gain: 0.0,
        }
    }

    /// The next state. Returns the largest gain so far.
    pub(crate) fn note(
        &mut self,
        system: &mut dyn Subject,
        State { t, q, v, .. }: &State,
        energy: f64,
    ) -> f64 {
        system.external_force(*t, q, v, &mut self.now);
        let mut way = 0.0;
        for i in 0..q.len() {
            let by = q[i] - self.q[i];
            self.work += ((1.0 - self.end) * self.force[i] + self.end * self.now[i]) * by;
            way += by * by;
        }
        self.rounding += system.round_off(q) * way.sqrt();
        std::mem::swap(&mut self.force, &mut self.now);
        self.q.copy_from_slice(q);
        self.scale = self.scale.max(self.work.abs());
        // A body that nothing has moved yet has rounding for its energy and nothing to compare it with.
        let gain = if ![energy, self.work, self.rounding].iter().all(|x| x.is_finite()) {
            // Also where rounding may be anything: then nothing says that it was bounded.
            f64::INFINITY
        } else if self.scale > 0.0 {
            (energy - self.first - self.work - self.rounding) / self.scale
        } else {
            0.0
        };
        self.gain = if gain.is_nan() { f64::INFINITY } else { self.gain.max(gain) };
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
        let mut balance = Balance::new(&mut system, &state, 2.0, true, false);
        assert!(balance.note(&mut system, &state, 1.5) <= 0.0, "damping takes");
        assert!((balance.note(&mut system, &state, 5.0) - 1.5).abs() < 1e-15, "3 J beyond the first 2 J");
        assert_eq!(balance.note(&mut system, &state, f64::NAN), f64::INFINITY);
        let mut nothing = Balance::new(&mut system, &state, 0.0, true, false);
        assert_eq!(nothing.note(&mut system, &state, 1e-30), 0.0, "rounding, and nothing to compare it with");
        assert_eq!(nothing.note(&mut system, &state, f64::INFINITY), f64::INFINITY);
    }

    /// A stiff body under a feather: what it has of energy is far below what its stiffness rounds to.
    #[test]
    fn a_steel_bar_under_a_tenth_of_a_newton_does_not_explode() {
        let mesh = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
        let fixed = vec![pliant_mesh::select::select(&mesh, "x<1%").expect("a slab")];
        let tip = mesh.vertices.iter().position(|x| x.x > 0.99).expect("a free end");
        let text = format!(
            "dt = 0.001\nsteps = 100\n[[force]]\nvertices = [{tip}]\nvalue = [0.0, -0.1, 0.0]\nto = 0.02"
        );
        let scenario = Scenario::parse(&text, mesh.vertices.len()).expect("a scenario");
        for entry in &pliant_energy::material::ALL {
            let recipe = Recipe {
                material: Some(entry.name.into()),
                young: Some(2e11),
                poisson: Some(0.3),
                density: Some(7800.0),
                fixed: fixed.clone(),
                ..Recipe::default()
            };
            let body = recipe.build(mesh.clone()).expect("a body");
            let mut system = Full::new(body, scenario.loads.clone()).expect("a system");
            let options = RunOptions { integrator: "newmark".into(), ..RunOptions::default() };
            let record = run(&mut system, &scenario, &options, None, &mut ignore_progress, &mut |_| {})
                .expect("a run");
            assert!(record.gain < 1e-3 && record.stopped.is_none(), "{}: {:e}", entry.name, record.gain);
            let most = record.elastic.iter().fold(0.0_f64, |most, e| most.max(*e));
            assert!((1e-10..1e-8).contains(&most), "{}: {most:e} J", entry.name);
        }
    }
}
