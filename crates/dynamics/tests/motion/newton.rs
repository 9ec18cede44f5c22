//! Newton's method: quadratic convergence, large rotations, indefinite tangents, round-off.

use pliant_dynamics::integrator::{ALL, BackwardEuler, Newmark};
use pliant_dynamics::{DampingKind, Integrator, Settings, State, System};

use crate::systems::{Law, Toy};
use crate::{damped, tight};

#[test]
fn an_ordinary_step_costs_one_force_an_iteration_and_one() {
    let mut toy = Toy::cantilever(8, 1e4, Law::Green);
    toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -1.0 } else { 0.0 });
    let mut state = State::at_rest(toy.size());
    let mut newmark = Newmark::new(Settings::default());
    for _ in 0..20 {
        (toy.evaluations, toy.factorisations) = (0, 0);
        let report = newmark.step(&mut toy, &mut state, 0.01).unwrap();
        assert!(report.converged && report.iterations <= 4, "{report:?}");
        assert_eq!((toy.evaluations, toy.factorisations), (report.iterations + 1, report.iterations));
    }
}

#[test]
fn a_stiff_body_that_spins_fast_is_no_trouble() {
    for law in [Law::Hooke, Law::Green] {
        let mut toy = Toy::pendulum(1.0, 1e6);
        toy.law = law;
        let mut state = State::at_rest(4);
        state.v[3] = 30.0;
        let mut euler = BackwardEuler::new(Settings::default());
        for _ in 0..200 {
            // 0.6 radians a step at first.
            let report = euler.step(&mut toy, &mut state, 0.02).unwrap();
            assert!(
                report.converged && report.halvings == 0 && report.iterations < 20,
                "{law:?}: {report:?}"
            );
        }
        let length = (1.0 + state.q[2]).hypot(state.q[3]);
        assert!((length - 1.0).abs() < 1e-2, "{law:?}: {length}");
    }
}

#[test]
fn a_compressed_spring_takes_the_positive_tangent() {
    // Compressed to a tenth, the tangent across the spring is −9 k: indefinite at this dt.
    let mut toy = Toy::pendulum(1.0, 1e3);
    let mut state = State { t: 0.0, q: vec![0.0, 0.0, -0.9, 1e-3], v: vec![0.0; 4], a: vec![0.0; 4] };
    let report = BackwardEuler::new(Settings::default()).step(&mut toy, &mut state, 0.1).unwrap();
    assert!(report.converged && report.halvings == 0, "{report:?}");
    let mut f = vec![0.0; 4];
    toy.internal_force(&state.q, &mut f).unwrap();
    (2..4).for_each(|i| assert!((f[i] + state.a[i]).abs() < 1e-7 * f[3].abs().max(f[2].abs()).max(1.0)));
}

#[test]
fn a_compressed_spring_without_a_positive_tangent_takes_mass() {
    // Pressed to a tenth along its axis, where the tangent is −485 N/m: rᵀKr < 0.
    let mut toy = Toy::pendulum(1.0, 1e3);
    (toy.law, toy.exact_only) = (Law::Green, true);
    let mut state = State { t: 0.0, q: vec![0.0, 0.0, -0.9, 0.0], v: vec![0.0; 4], a: vec![0.0; 4] };
    let report = BackwardEuler::new(Settings::default()).step(&mut toy, &mut state, 0.1).unwrap();
    assert!(report.converged && report.halvings == 0 && report.iterations < 30, "{report:?}");
    let mut f = vec![0.0; 4];
    toy.internal_force(&state.q, &mut f).unwrap();
    assert!((f[2] + state.a[2]).abs() < 1e-7 * f[2].abs().max(1.0), "{} and {}", f[2], state.a[2]);
}

#[test]
fn a_body_that_has_come_to_rest_still_converges() {
    for kind in [DampingKind::Tangent, DampingKind::Rest] {
        let mut toy = Toy::cantilever(6, 1e7, Law::Hooke);
        let mut state = State::at_rest(toy.size());
        (4..state.q.len()).for_each(|i| state.q[i] = 1e-3 * (i as f64).sin());
        let mut euler = BackwardEuler::new(tight(damped(2.0, 0.01, kind)));
        for step in 0..1500 {
            let report = euler.step(&mut toy, &mut state, 0.05).unwrap();
            assert!(report.converged && report.halvings == 0 && report.iterations < 12, "{step}: {report:?}");
        }
        assert!(state.q.iter().all(|q| q.abs() < 1e-12), "at rest");
    }
}

#[test]
fn motion_dies_out_below_what_has_a_square() {
    // 1e-100 m, and a tenth of that after every step or so: 1e-160 m has no square, 1e-310 m hardly itself.
    for entry in ALL.iter().filter(|e| e.name != "quasi-newton-projective") {
        let mut toy = Toy::chain(5, 1.0, 1e6);
        let mut state = State::at_rest(5);
        (0..5).for_each(|i| state.q[i] = 1e-100 * (1.0 + i as f64).sin());
        let mut stepper = (entry.make)(tight(damped(200.0, 0.001, DampingKind::Rest)));
        for step in 0..2000 {
            let report = stepper.step(&mut toy, &mut state, 1.0 / 60.0);
            assert!(report.is_ok_and(|r| r.converged && r.halvings == 0), "{}: step {step}", entry.name);
        }
        assert!(state.q.iter().all(|q| q.abs() < 1e-120), "{}: {:?}", entry.name, state.q);
    }
}

#[test]
fn a_tiny_step_converges_all_the_same() {
    // 1/dt² = 1e14: the round-off of q = 3 would be 0.06 N.
    let mut toy = Toy::pendulum(1.0, 40.0);
    toy.load = |_, _, out| out[3] = -9.81;
    let mut state =
        State { t: 0.0, q: vec![0.0, 0.0, 0.1, 3.0], v: vec![0.0, 0.0, 1.0, 2.0], a: vec![0.0; 4] };
    let mut newmark = Newmark::new(Settings::default());
    for _ in 0..20 {
        let report = newmark.step(&mut toy, &mut state, 1e-7).unwrap();
        assert!(report.converged && report.residual < 1e-8 && report.halvings == 0, "{report:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let run = || {
        let mut toy = Toy::cantilever(6, 1e4, Law::Green);
        toy.load = |t, _, out| (0..out.len()).for_each(|i| out[i] = (t + i as f64).sin());
        let mut state = State::at_rest(toy.size());
        let mut newmark = Newmark::new(Settings::default());
        crate::run(&mut newmark, &mut toy, &mut state, 0.02, 50);
        state
    };
    assert_eq!(run(), run());
}
