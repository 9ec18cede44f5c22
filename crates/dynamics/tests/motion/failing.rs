//! Steps that fail: halved, then refused, and the state unharmed.

use pliant_dynamics::integrator::{ALL, BackwardEuler, Newmark, QuasiNewton};
use pliant_dynamics::{Damping, Integrator, Options, Settings, State, StepError, System};

use crate::systems::{Law, Toy};
use crate::tight;

fn bits(state: &State) -> Vec<u64> {
    [vec![state.t], state.q.clone(), state.v.clone(), state.a.clone()]
        .concat()
        .iter()
        .map(|x| x.to_bits())
        .collect()
}

#[test]
fn a_nan_load_is_named_and_the_state_is_as_it_was() {
    for entry in &ALL {
        let mut toy = Toy::chain(3, 1.0, 9.0);
        toy.load = |t, _, out| (0..3).for_each(|i| out[i] = if t > 0.049 && i == 2 { f64::NAN } else { 1.0 });
        let mut state = State::at_rest(3);
        state.q[1] = 0.3;
        state.v[0] = -0.0;
        let before = bits(&state);
        // The first half of the step is without the NaN and is done; it too must leave no trace.
        let error = (entry.make)(Settings::default()).step(&mut toy, &mut state, 0.05).unwrap_err();
        assert_eq!(bits(&state), before, "{}", entry.name);
        let StepError::NotFinite { t, what, worst, halvings } = error.clone() else { panic!("{error}") };
        assert_eq!((what, worst, halvings), ("load", 2, 8), "{}", entry.name);
        assert!((t - 0.05).abs() < 2e-3, "{t}");
        assert!(error.to_string().contains("coordinate 2 of the load is not finite"), "{error}");
    }
}

#[test]
fn a_step_of_no_length_is_refused() {
    for entry in &ALL {
        for dt in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-200] {
            let mut state = State::at_rest(1);
            let before = bits(&state);
            let error = (entry.make)(Settings::default())
                .step(&mut Toy::oscillator(1.0, 1.0), &mut state, dt)
                .unwrap_err();
            assert!(matches!(error, StepError::Setting { what: "dt", .. }), "{error}");
            assert_eq!(bits(&state), before);
        }
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let bad = [
        Options { tolerance: 0.0, ..Options::default() },
        Options { tolerance: f64::NAN, ..Options::default() },
        Options { iterations: Some(0), ..Options::default() },
    ];
    for options in bad {
        let mut newmark = Newmark::new(Settings { options, ..Settings::default() });
        let error = newmark.step(&mut Toy::oscillator(1.0, 1.0), &mut State::at_rest(1), 0.1).unwrap_err();
        assert!(matches!(error, StepError::Setting { .. }), "{error}");
    }
    assert!(Newmark::with(0.0, 0.5, Settings::default()).is_err());
    assert!(Newmark::with(0.25, f64::NAN, Settings::default()).is_err());
}

#[test]
fn a_state_that_is_not_finite_is_refused() {
    let mut state = State::at_rest(2);
    state.v[1] = f64::INFINITY;
    let error =
        Newmark::new(Settings::default()).step(&mut Toy::chain(2, 1.0, 1.0), &mut state, 0.1).unwrap_err();
    assert_eq!(error, StepError::NotFinite { t: 0.0, what: "state", worst: 1, halvings: 0 });
}

/// An energy that is defined above q = −1 only.
fn fragile() -> Toy {
    let mut toy = Toy::oscillator(1.0, 1.0);
    toy.barrier = 1.0;
    toy
}

#[test]
fn the_line_search_stays_where_the_energy_is_defined() {
    for entry in ALL.iter().filter(|e| e.name != "quasi-newton-projective" && !e.linear_only) {
        let mut toy = fragile();
        // Pushed hard against the wall at −1, a full Newton step goes through it.
        toy.load = |_, _, out| out[0] = -500.0;
        let mut state = State::at_rest(1);
        let report = (entry.make)(tight(Damping::default())).step(&mut toy, &mut state, 10.0).unwrap();
        assert!(state.q[0] > -1.0 && report.converged && report.halvings == 0, "{}: {report:?}", entry.name);
        assert!(report.iterations < 30, "{}: {report:?}", entry.name);
    }
}

#[test]
fn starting_outside_is_an_error_that_names_the_component() {
    let mut state = State::at_rest(1);
    state.q[0] = -2.0;
    for entry in ALL.iter().filter(|e| e.name != "quasi-newton-projective" && !e.linear_only) {
        let error = (entry.make)(Settings::default()).step(&mut fragile(), &mut state, 0.1).unwrap_err();
        assert_eq!(error, StepError::OutOfDomain { t: 0.0, component: 0 }, "{}", entry.name);
    }
    let mut projective = QuasiNewton::projective(Settings::default());
    let mut state = State::at_rest(1);
    let error = projective.step(&mut fragile(), &mut state, 0.1).unwrap_err();
    assert_eq!(error, StepError::NoProjectiveGradient);
}

#[test]
fn a_step_too_long_is_done_in_halves() {
    // A load that is only finite near the truth: a full step lands far away, halves do not.
    let mut toy = Toy::oscillator(1.0, 1.0);
    toy.load = |t, q, out| out[0] = if (q[0] - t).abs() < 0.3 { 0.0 } else { f64::NAN };
    let mut state = State { t: 0.0, q: vec![0.0], v: vec![1.0], a: vec![0.0] };
    let report = Newmark::new(Settings::default()).step(&mut toy, &mut state, 1.0).unwrap();
    assert!(report.halvings >= 1 && report.converged, "{report:?}");
    assert_eq!(state.t, 1.0);
    assert!((state.q[0] - 1f64.sin()).abs() < 0.02, "{}", state.q[0]);
    // Without leave to halve it is an error.
    let options = Options { halvings: 0, ..Options::default() };
    let mut state = State { t: 0.0, q: vec![0.0], v: vec![1.0], a: vec![0.0] };
    let error = Newmark::new(Settings { options, ..Settings::default() })
        .step(&mut toy, &mut state, 1.0)
        .unwrap_err();
    assert!(matches!(error, StepError::NotFinite { halvings: 0, .. }), "{error}");
}

/// f_int jumps from −1e9 to 1e9 where it should vanish: no state is in balance.
struct Restless(Toy);

#[rustfmt::skip]
impl System for Restless {
    fn size(&self) -> usize { 2 }
    fn elastic_energy(&mut self, q: &[f64]) -> Result<f64, pliant_dynamics::OutOfDomain> { Ok(1e9 * q[1].abs()) }
    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), pliant_dynamics::OutOfDomain> {
        out.copy_from_slice(&[0.0, if q[1] > 0.0 { 1e9 } else { -1e9 }]);
        Ok(())
    }
    fn round_off(&mut self, _: &[f64]) -> f64 { 0.0 }
    fn external_force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) { self.0.external_force(t, q, v, out); }
    fn load_potential(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64 { self.0.load_potential(t, q, v) }
    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]) { self.0.apply_mass(x, out); }
    fn solve_mass(&mut self, x: &mut [f64]) { self.0.solve_mass(x); }
    fn linearise(&mut self, t: f64, q: &[f64], v: &[f64], tangent: pliant_dynamics::Tangent) -> Result<(), pliant_dynamics::OutOfDomain> { self.0.linearise(t, q, v, tangent) }
    fn apply_stiffness(&mut self, x: &[f64], out: &mut [f64]) { self.0.apply_stiffness(x, out); }
    fn apply_rest_stiffness(&mut self, x: &[f64], out: &mut [f64]) { self.0.apply_rest_stiffness(x, out); }
    fn factorise(&mut self, weights: &pliant_dynamics::Weights) -> Result<(), pliant_dynamics::NotDefinite> { self.0.factorise(weights) }
    fn solve(&mut self, x: &mut [f64]) { self.0.solve(x); }
    fn factorise_fixed(&mut self, m: f64) -> Result<(), pliant_dynamics::NotDefinite> { self.0.factorise_fixed(m) }
    fn solve_fixed(&mut self, x: &mut [f64]) { self.0.solve_fixed(x); }
    fn projective_force(&mut self, _: &[f64], _: &mut [f64]) -> bool { false }
}

#[test]
fn what_cannot_converge_is_an_error_with_time_and_place() {
    let mut state = State::at_rest(2);
    state.t = 3.5;
    let before = bits(&state);
    let options = Options { halvings: 2, ..Options::default() };
    let settings = Settings { options, ..Settings::default() };
    let integrators: [Box<dyn Integrator>; 3] = [
        Box::new(Newmark::new(settings)),
        Box::new(BackwardEuler::new(settings)),
        Box::new(QuasiNewton::new(settings)),
    ];
    for mut integrator in integrators {
        let error = integrator.step(&mut Restless(Toy::chain(2, 1.0, 1.0)), &mut state, 0.1).unwrap_err();
        let StepError::NoConvergence { t, worst, halvings, residual, .. } = error else { panic!("{error}") };
        assert_eq!((t, worst, halvings), (3.5, 1, 2));
        assert!(residual > 0.1);
        assert_eq!(bits(&state), before);
    }
}

#[test]
fn a_cap_on_iterations_is_obeyed_and_reported() {
    let options = Options { iterations: Some(1), ..Options::default() };
    for entry in ALL.iter().filter(|entry| !entry.linear_only) {
        let mut toy = Toy::cantilever(8, 1e4, Law::Green);
        toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -2.0 } else { 0.0 });
        let mut state = State::at_rest(toy.size());
        let mut integrator = (entry.make)(Settings { options, ..Settings::default() });
        for _ in 0..20 {
            let report = integrator.step(&mut toy, &mut state, 0.02).unwrap();
            assert_eq!((report.iterations, report.halvings), (1, 0), "{}", entry.name);
            assert!(!report.converged && report.residual > 1e-8, "{}: {report:?}", entry.name);
        }
        assert!(state.is_finite());
    }
}
