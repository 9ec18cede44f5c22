//! Quasi-Newton against Newton, and where the projective gradient halts.

use pliant_dynamics::integrator::{BackwardEuler, QuasiNewton};
use pliant_dynamics::{Damping, DampingKind, Integrator, Options, Settings, State, System};

use crate::systems::{Dense, Law, Toy};
use crate::{damped, distance};

fn falling(law: Law) -> Toy {
    let mut toy = Toy::cantilever(8, 1e4, law);
    toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -4.0 } else { 0.0 });
    toy
}

/// One step of both from the same state, ten times; returns the largest distance relative to the displacement.
fn apart(toy: &mut Toy, dt: f64, (first, second): (&mut dyn Integrator, &mut dyn Integrator)) -> f64 {
    let mut state = State::at_rest(toy.size());
    let mut apart = 0.0f64;
    for _ in 0..10 {
        let mut other = state.clone();
        first.step(toy, &mut state, dt).unwrap();
        second.step(toy, &mut other, dt).unwrap();
        apart = apart.max(distance(&state.q, &other.q) / distance(&state.q, &vec![0.0; state.q.len()]));
    }
    apart
}

#[test]
fn the_true_gradient_reaches_newtons_minimiser() {
    for law in [Law::Hooke, Law::Green] {
        for damping in
            [Damping::default(), damped(1.0, 0.0, DampingKind::Tangent), damped(0.5, 0.01, DampingKind::Rest)]
        {
            let mut toy = falling(law);
            let settings = Settings { damping, ..Settings::default() };
            let (mut newton, mut quasi) = (BackwardEuler::new(settings), QuasiNewton::new(settings));
            let apart = apart(&mut toy, 0.02, (&mut newton, &mut quasi));
            assert!(apart < 1e-6, "{law:?}: {apart:.1e}");
            assert_eq!(toy.fixed_factorisations, 1, "once for all steps");
        }
    }
}

#[test]
fn so_it_does_when_one_direction_is_a_thousand_times_stiffer_than_its_stand_in() {
    let stiffness: Vec<f64> = (0..6).map(|i| 10f64.powi(i)).collect();
    let mut toy = Toy::linear(Dense::diagonal(&[1.0; 6]), Dense::diagonal(&stiffness));
    // The stand-in K does not know of the cubic term, nor of the springs that pull back with 1e4.
    (toy.cubic, toy.load_stiffness) = (1e5, 1e4);
    toy.load = |_, _, out| (0..6).for_each(|i| out[i] = 1e3 * (1.0 + i as f64));
    let settings = Settings::default();
    let (mut newton, mut quasi) = (BackwardEuler::new(settings), QuasiNewton::new(settings));
    let apart = apart(&mut toy, 0.1, (&mut newton, &mut quasi));
    assert!(apart < 1e-6, "{apart:.1e}");
}

#[test]
fn an_energy_that_rounding_has_spoiled_does_not_stop_it() {
    // W is some 1e-8 J, and told in steps of 1e-7 J: up and down, whatever the forces say.
    let mut toy = Toy::cantilever(4, 1e4, Law::Green);
    toy.cancelled = 1e9;
    let mut state = State::at_rest(toy.size());
    (4..state.q.len()).for_each(|i| state.q[i] = 1e-6 * (i as f64).sin());
    let (mut exact, mut twin) = (Toy::cantilever(4, 1e4, Law::Green), state.clone());
    let settings = Settings { damping: damped(0.0, 0.001, DampingKind::Rest), ..Settings::default() };
    let (mut ours, mut newton) = (QuasiNewton::new(settings), BackwardEuler::new(settings));
    for step in 0..20 {
        let far = distance(&twin.q, &vec![0.0; twin.q.len()]);
        let report = ours.step(&mut toy, &mut state, 1.0 / 60.0).unwrap_or_else(|e| panic!("{step}: {e}"));
        newton.step(&mut exact, &mut twin, 1.0 / 60.0).unwrap();
        assert!(report.converged && report.halvings == 0, "{step}: {report:?}");
        assert!(distance(&state.q, &twin.q) < 1e-4 * far, "{step}");
    }
}

#[test]
fn tangent_damping_differs_by_the_order_of_the_step_only() {
    let damping = damped(0.0, 0.01, DampingKind::Tangent);
    let settings = Settings { damping, ..Settings::default() };
    let difference = |dt: f64| {
        let run = |integrator: &mut dyn Integrator| {
            let mut toy = Toy::pendulum(1.0, 40.0);
            toy.load = |_, _, out| out[3] = -5.0;
            let mut state = State::at_rest(4);
            crate::run(integrator, &mut toy, &mut state, dt, (1.0 / dt).round() as usize);
            state.q
        };
        distance(&run(&mut BackwardEuler::new(settings)), &run(&mut QuasiNewton::new(settings)))
    };
    let order = pliant_testkit::order::observed(&[0.01, 0.005, 0.0025], difference);
    assert!((order - 1.0).abs() < 0.15, "{order}");
    assert!(difference(0.01) > 1e-6, "the two do differ");
}

#[test]
fn the_projective_gradient_is_exact_for_its_own_energy_and_halts_for_another() {
    let step = |law, projective: bool| {
        let options = Options { iterations: Some(300), ..Options::default() };
        let settings = Settings { options, ..Settings::default() };
        let mut quasi =
            if projective { QuasiNewton::projective(settings) } else { QuasiNewton::new(settings) };
        let (mut toy, mut state) = (falling(law), State::at_rest(36));
        let report = quasi.step(&mut toy, &mut state, 0.1).unwrap();
        let mut exact = State::at_rest(36);
        BackwardEuler::new(Settings::default()).step(&mut toy, &mut exact, 0.1).unwrap();
        (report, distance(&state.q, &exact.q) / distance(&exact.q, &[0.0; 36]))
    };
    for (law, projective) in [(Law::Hooke, false), (Law::Green, false), (Law::Hooke, true)] {
        let (report, error) = step(law, projective);
        assert!(report.converged && error < 1e-6, "{law:?} {projective}: {report:?}, {error:.1e}");
    }
    let (report, error) = step(Law::Green, true);
    assert!(!report.converged && report.residual > 1e-4, "{report:?}");
    assert!(error > 1e-4 && error < 0.5, "it halts near, but not at, the minimiser: {error:.1e}");
}

#[test]
fn a_new_dt_is_factorised_anew_and_the_old_one_is_not() {
    let mut toy = falling(Law::Hooke);
    let mut state = State::at_rest(36);
    let mut quasi = QuasiNewton::new(Settings::default());
    for (dt, factorisations) in [(0.01, 1), (0.01, 1), (0.02, 2), (0.02, 2), (0.01, 3)] {
        quasi.step(&mut toy, &mut state, dt).unwrap();
        assert_eq!(toy.fixed_factorisations, factorisations);
    }
}
