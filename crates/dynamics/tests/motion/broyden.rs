//! Newmark by Broyden's method beside Newmark by Newton's.

use pliant_dynamics::integrator::{Newmark, NewmarkBroyden};
use pliant_dynamics::{Damping, DampingKind, Integrator, Options, Settings, State, System};

use crate::systems::{Law, Toy};
use crate::{damped, distance};

/// A cantilever whose tip is swung about by a load; some springs are stretched by a third.
fn whip() -> Toy {
    let mut toy = Toy::cantilever(6, 2e3, Law::Green);
    toy.load = |t, _, out| {
        out.fill(0.0);
        let n = out.len();
        (out[n - 1], out[n - 2]) = (25.0 * (9.0 * t).sin(), 10.0 * (5.0 * t).cos());
    };
    toy
}

/// The path of 200 steps of 5 ms, iterations and factorisations.
fn path(integrator: &mut dyn Integrator, toy: &mut Toy) -> (Vec<Vec<f64>>, usize, usize) {
    let mut state = State::at_rest(toy.size());
    let mut iterations = 0;
    let before = toy.factorisations;
    let path = (0..200)
        .map(|_| {
            let report = integrator.step(toy, &mut state, 5e-3).expect("an easy step");
            assert!(report.converged && report.halvings == 0, "{report:?}");
            iterations += report.iterations;
            state.q.clone()
        })
        .collect();
    (path, iterations, toy.factorisations - before)
}

#[test]
fn the_motion_is_newtons_with_few_factorisations() {
    for damping in
        [Damping::default(), damped(0.5, 2e-3, DampingKind::Tangent), damped(0.5, 2e-3, DampingKind::Rest)]
    {
        let settings = Settings { damping, options: Options { tolerance: 1e-11, ..Options::default() } };
        let (truth, _, often) = path(&mut Newmark::new(settings), &mut whip());
        let (ours, iterations, seldom) = path(&mut NewmarkBroyden::new(settings), &mut whip());
        let size = truth.iter().flatten().fold(0.0f64, |m, x| x.abs().max(m));
        assert!(size > 0.3, "it moves by {size} of its length 1");
        let worst = truth.iter().zip(&ours).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        assert!(worst < 1e-8 * size, "{damping:?}: {worst:e}");
        assert!(8 * seldom < often, "{damping:?}: {seldom} factorisations, Newton's {often}");
        assert!(iterations < 200 * 12, "{damping:?}: {iterations} iterations in 200 steps");
    }
}

#[test]
fn a_linear_body_needs_no_iteration() {
    // The first step starts without an acceleration; all others are predicted exactly, loads that jump and all.
    let damping = damped(0.5, 2e-3, DampingKind::Tangent);
    for damping in [damping, Damping { kind: DampingKind::Rest, ..damping }, Damping::default()] {
        let mut toy = Toy::chain(12, 0.1, 2e3);
        toy.load = |t, _, out| {
            out.fill(0.0);
            let n = out.len();
            out[n - 1] = if (t % 0.06) < 0.03 { 3.0 } else { -1.0 };
        };
        let mut broyden = NewmarkBroyden::new(Settings { damping, ..Settings::default() });
        let mut state = State::at_rest(toy.size());
        for step in 0..60 {
            let report = broyden.step(&mut toy, &mut state, 5e-3).expect("a linear step");
            assert!(report.converged);
            assert!(step == 0 || report.iterations == 0, "{damping:?}, step {step}: {report:?}");
        }
        assert!(state.q.iter().any(|q| q.abs() > 1e-4), "it moves: {:?}", state.q);
    }
}

#[test]
fn a_smooth_motion_is_foreseen() {
    // Beside the same steps of an integrator that forgets all of the past before each.
    let damping = damped(0.5, 2e-3, DampingKind::Rest);
    let settings = Settings { damping, ..Settings::default() };
    let count = |forgets: bool| {
        let (mut toy, mut broyden) = (whip(), NewmarkBroyden::new(settings));
        let mut state = State::at_rest(toy.size());
        let mut iterations = 0;
        for _ in 0..200 {
            if forgets {
                broyden.renew(damping);
            }
            iterations += broyden.step(&mut toy, &mut state, 1e-3).expect("an easy step").iterations;
        }
        iterations
    };
    let (with, without) = (count(false), count(true));
    assert!(2 * with < without, "{with} iterations, {without} without the past");
}

#[test]
fn a_change_of_stiffness_is_told_by_renew() {
    let settings = Settings::default();
    let mut broyden = NewmarkBroyden::new(settings);
    path(&mut broyden, &mut whip());
    broyden.renew(settings.damping);
    let mut stiffer = whip();
    stiffer.springs.iter_mut().for_each(|s| s.k *= 30.0);
    stiffer.settle();
    let (ours, _, _) = path(&mut broyden, &mut stiffer);
    let (fresh, _, _) = path(&mut NewmarkBroyden::new(settings), &mut stiffer);
    assert_eq!(ours, fresh, "nothing of the old body is left");
}

#[test]
fn steps_far_too_long_are_done_all_the_same() {
    // A step is a third of the slowest swing: rest is no guide and one tangent is not enough.
    let settings = Settings::default();
    let (mut newton, mut broyden) = (Newmark::new(settings), NewmarkBroyden::new(settings));
    let (mut a, mut b) = (whip(), whip());
    let (mut at, mut other) = (State::at_rest(a.size()), State::at_rest(a.size()));
    for step in 0..20 {
        let ours = broyden.step(&mut b, &mut other, 0.1).unwrap();
        let theirs = newton.step(&mut a, &mut at, 0.1).unwrap();
        assert!(ours.converged);
        // Each solves its own equation of the step; after a halving they part.
        if ours.halvings + theirs.halvings > 0 {
            return;
        }
        assert!(distance(&at.q, &other.q) < 1e-5, "step {step}: {:e}", distance(&at.q, &other.q));
    }
}

#[test]
fn steps_cut_short_do_not_explode() {
    let settings = |iterations| Settings {
        options: Options { iterations, ..Options::default() },
        ..Settings::default()
    };
    let (truth, _, _) = path(&mut NewmarkBroyden::new(settings(None)), &mut whip());
    let size = truth.iter().flatten().fold(0.0f64, |m, x| x.abs().max(m));
    for most in [1, 2, 3] {
        let (mut toy, mut broyden) = (whip(), NewmarkBroyden::new(settings(Some(most))));
        let mut state = State::at_rest(toy.size());
        for (step, truth) in truth.iter().enumerate() {
            let report = broyden.step(&mut toy, &mut state, 5e-3).expect("a step that is taken as it is");
            assert!(report.iterations <= most);
            let off = distance(truth, &state.q);
            assert!(off < 0.05 * size, "at most {most} iterations, step {step}: {off:e} of {size}");
        }
    }
}
