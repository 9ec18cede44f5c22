//! Statics.

use std::ops::ControlFlow;

use pliant_dynamics::integrator::BackwardEuler;
use pliant_dynamics::statics::{Loading, solve, solve_as_far_as_possible};
use pliant_dynamics::{DampingKind, Options, Settings, State, StepError, System};
use pliant_linalg::ignore_progress;

use crate::systems::{Dense, Law, Toy};
use crate::{damped, distance, run};

#[test]
fn a_linear_body_needs_one_iteration_a_load_step() {
    let mut toy = Toy::linear(Dense::diagonal(&[1.0, 1.0]), Dense::diagonal(&[2.0, 8.0]));
    // The springs of the load count too: (k + s) q = f.
    toy.load = |t, _, out| out.fill(t);
    toy.load_stiffness = 2.0;
    let mut q = [0.0; 2];
    let report = solve(&mut toy, 20.0, &mut q, &Loading::default(), &mut ignore_progress).unwrap();
    assert!((q[0] - 5.0).abs() < 1e-13 && (q[1] - 2.0).abs() < 1e-13, "{q:?}");
    assert_eq!((report.load_steps, report.iterations, report.halvings), (3, 3, 0));
}

#[test]
fn a_slender_cantilever_bends_far_without_crawling() {
    // 20 cells: turned by more than 60° at the tip. All at once and in load steps: the same place.
    for law in [Law::Hooke, Law::Green] {
        let mut toy = Toy::cantilever(20, 1e6, law);
        toy.load = |_, _, out| {
            out.fill(0.0);
            (out[81], out[83]) = (-1500.0, -1500.0);
        };
        let settle = |first: f64, toy: &mut Toy| {
            let mut q = vec![0.0; toy.size()];
            let loading = Loading { first, ..Loading::default() };
            let report = solve(toy, 0.0, &mut q, &loading, &mut ignore_progress).unwrap();
            (q, report)
        };
        let (q, report) = settle(0.25, &mut toy);
        let (at_once, quick) = settle(1.0, &mut toy);
        assert!(q[81] < -0.5 && q[80] < -0.2, "tip at {} {}", q[80], q[81]);
        assert!(distance(&q, &at_once) < 1e-6, "{law:?}");
        assert!(report.iterations < 60 && quick.iterations < 60, "{law:?}: {report:?}, at once {quick:?}");
        let mut f = vec![0.0; toy.size()];
        toy.internal_force(&q, &mut f).unwrap();
        assert!((f[81] + 1500.0).abs() < 1e-4 && f[40].abs() < 1e-4, "balance: {}", f[81]);
    }
}

#[test]
fn damped_motion_comes_to_rest_where_statics_says() {
    let mut toy = Toy::cantilever(8, 1e4, Law::Hooke);
    toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -2.0 } else { 0.0 });
    let mut q = vec![0.0; toy.size()];
    solve(&mut toy, 0.0, &mut q, &Loading::default(), &mut ignore_progress).unwrap();
    let mut state = State::at_rest(toy.size());
    let damping = damped(3.0, 0.01, DampingKind::Tangent);
    run(
        &mut BackwardEuler::new(Settings { damping, ..Settings::default() }),
        &mut toy,
        &mut state,
        0.05,
        2000,
    );
    assert!(distance(&state.q, &q) < 1e-6 * distance(&q, &vec![0.0; q.len()]));
    assert!(q[33] < -0.05, "it does bend: {}", q[33]);
}

#[test]
fn a_free_body_under_balanced_loads_is_stretched() {
    let mut toy = Toy::cantilever(4, 1e3, Law::Hooke);
    toy.held.fill(false);
    toy.settle();
    toy.load = |_, _, out| {
        out.fill(0.0);
        (out[0], out[2], out[16], out[18]) = (-10.0, -10.0, 10.0, 10.0);
    };
    let mut q = vec![0.0; toy.size()];
    let report = solve(&mut toy, 0.0, &mut q, &Loading::default(), &mut ignore_progress).unwrap();
    assert!(q[16] - q[0] > 0.01 && report.residual < 1e-8, "stretched by {}: {report:?}", q[16] - q[0]);
    let mut f = vec![0.0; toy.size()];
    toy.internal_force(&q, &mut f).unwrap();
    assert!((f[0] + 10.0).abs() < 1e-6 && f[1].abs() < 1e-6, "in balance: {} {}", f[0], f[1]);
}

#[test]
fn what_has_no_equilibrium_is_an_error_and_q_is_as_it_was() {
    // A spring that gives way: K = 1, softening −q³, carries at most 2/(3√3) = 0.385.
    let mut toy = Toy::oscillator(1.0, 1.0);
    toy.load = |_, _, out| out[0] = 0.5;
    toy.cubic = -1.0;
    let mut q = [0.1];
    let error = solve(&mut toy, 0.0, &mut q, &Loading::default(), &mut ignore_progress).unwrap_err();
    let StepError::NoEquilibrium { load, .. } = error else { panic!("{error}") };
    assert!(load > 0.7 && load <= 0.77, "carried {load} of 0.5");
    assert_eq!(q, [0.1]);
    // As far as it goes.
    let carried = solve_as_far_as_possible(&mut toy, 0.0, &mut q, &Loading::default(), &mut ignore_progress);
    assert_eq!(carried, Ok(load));
    assert!((q[0] - q[0].powi(3) - 0.5 * load).abs() < 1e-8 && q[0] > 0.4, "{q:?}");
    toy.load = |_, _, out| out[0] = 0.2;
    q = [0.1];
    let carried = solve_as_far_as_possible(&mut toy, 0.0, &mut q, &Loading::default(), &mut ignore_progress);
    assert_eq!(carried, Ok(1.0));
}

#[test]
fn a_start_near_the_limit_is_let_go_before_it_is_loaded() {
    // The same spring, in the last equilibrium before it gives way: its tangent there is next to nothing, and Newton's method would
    // take it far out.
    let mut toy = Toy::oscillator(1.0, 1.0);
    toy.cubic = -1.0;
    // The time says how much.
    toy.load = |t, _, out| out[0] = t;
    let mut limit = [0.1];
    solve_as_far_as_possible(&mut toy, 0.5, &mut limit, &Loading::default(), &mut ignore_progress).unwrap();
    assert!(limit[0] > 0.5 && 1.0 - 3.0 * limit[0] * limit[0] < 0.2, "near the limit: {limit:?}");
    for load in [0.2, -0.2, 0.38, 1e-3] {
        let settled = |q: f64| (q - q.powi(3) - load).abs() < 1e-8 && q.abs() < 0.578;
        let (mut q, mut whole) = (limit, limit);
        let carried =
            solve_as_far_as_possible(&mut toy, load, &mut q, &Loading::default(), &mut ignore_progress);
        assert_eq!(carried, Ok(1.0), "{load} N");
        assert!(settled(q[0]), "{load} N: {q:?}");
        solve(&mut toy, load, &mut whole, &Loading::default(), &mut ignore_progress).unwrap();
        assert_eq!(whole, q);
    }
    // From beyond the limit there is no way back: an error, and q is as it was.
    let mut beyond = [1.5];
    let error = solve(&mut toy, 0.2, &mut beyond, &Loading::default(), &mut ignore_progress).unwrap_err();
    assert!(matches!(error, StepError::NoEquilibrium { .. } | StepError::NotFinite { .. }), "{error}");
    assert_eq!(beyond, [1.5]);
}

#[test]
fn a_nan_load_and_a_bad_setting_are_refused() {
    let mut toy = Toy::chain(2, 1.0, 1.0);
    toy.load = |_, _, out| out.copy_from_slice(&[0.0, f64::NAN]);
    let mut q = [0.0; 2];
    let error = solve(&mut toy, 1.0, &mut q, &Loading::default(), &mut ignore_progress).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { what: "load", worst: 1, .. }), "{error}");
    let bad = [
        Loading { first: 0.0, ..Loading::default() },
        Loading { options: Options { tolerance: -1.0, ..Options::default() }, ..Loading::default() },
    ];
    for loading in bad {
        let error = solve(&mut toy, 1.0, &mut q, &loading, &mut ignore_progress).unwrap_err();
        assert!(matches!(error, StepError::Setting { .. }), "{error}");
    }
    let stop = &mut |_| ControlFlow::Break(());
    assert_eq!(solve(&mut toy, 1.0, &mut q, &Loading::default(), stop), Err(StepError::Cancelled));
}
