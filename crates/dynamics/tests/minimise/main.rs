//! Minimisers: all come to the same place, each at its own pace.

#![expect(non_snake_case, reason = "B, H, K are the papers' letters")]

mod energies;

use std::ops::ControlFlow;

use energies::{Bowl, Law, Quadratic, Toy, Valley, Walls};
use pliant_dynamics::minimise::{
    ALL, End, Minimiser, Objective as _, Outcome, Stopping, Units, find, unseen,
};
use pliant_testkit::derivative::assert_derivative;

fn stopping(epsilon: f64, iterations: usize) -> Stopping {
    Stopping { epsilon, iterations, units: Units::PRINTED }
}

fn made(name: &str) -> Box<dyn Minimiser> {
    (find(name).expect("in the table").make)()
}

fn run<L: Law>(name: &str, toy: &mut Toy<L>, q: &mut [f64], stopping: &Stopping) -> Outcome {
    made(name).minimise(toy, q, stopping, &mut unseen)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

#[test]
fn the_energies_here_have_the_derivatives_that_they_say() {
    fn check<L: Law>(law: L, q: &[f64]) {
        let n = law.size();
        let d: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).sin()).collect();
        let at = |t: f64| -> Vec<f64> { q.iter().zip(&d).map(|(q, d)| q + 0.1 * t * d).collect() };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let gradient = |q: &[f64]| {
            let mut g = vec![0.0; n];
            law.gradient(q, &mut g);
            g
        };
        assert_derivative("E", |t| law.energy(&at(t)), 0.1 * dot(&gradient(q), &d));
        let mut H = pliant_linalg::DenseSymmetric::zeros(n);
        law.hessian(q, &mut H);
        let mut Hd = vec![0.0; n];
        H.apply(&d, &mut Hd);
        let e: Vec<f64> = (0..n).map(|i| (2.0 + 3.0 * i as f64).cos()).collect();
        assert_derivative("∂E", |t| dot(&gradient(&at(t)), &e), 0.1 * dot(&Hd, &e));
    }
    check(Quadratic::sample(5), &[0.1, 0.2, -0.3, 0.4, 0.0]);
    check(Valley(4), &[0.3, -0.2, 0.5, 0.1]);
    check(Walls(3), &[0.7, 1.4, 2.0]);
    check(Bowl(3), &[0.7, -0.4, 0.2]);
}

#[test]
fn all_come_to_the_same_minimum() {
    let quadratic = Quadratic::sample(9);
    let minimum = quadratic.minimum();
    for entry in &ALL {
        let tight = stopping(1e-20, 20_000);
        let mut q = vec![0.0; 9];
        let outcome = run(entry.name, &mut Toy::new(Quadratic::sample(9)), &mut q, &tight);
        assert!(outcome.converged(), "{}: {outcome:?}", entry.name);
        assert!(apart(&q, &minimum) < 1e-8, "{}: {:e}", entry.name, apart(&q, &minimum));
        let mut q = [1.4, 0.3, 2.5, 0.6];
        let outcome = run(entry.name, &mut Toy::new(Walls(4)), &mut q, &tight);
        assert!(outcome.converged() && apart(&q, &[1.0; 4]) < 1e-7, "{}: {q:?}, {outcome:?}", entry.name);
    }
    for name in ["newton", "bfgs", "bfgs-cold"] {
        let mut q = [-1.2, 1.0, 0.4];
        let outcome = run(name, &mut Toy::new(Valley(3)), &mut q, &stopping(1e-16, 300));
        assert!(outcome.converged() && apart(&q, &[1.0; 3]) < 1e-6, "{name}: {q:?}, {outcome:?}");
    }
}

/// Newton's method, and BFGS that begins with K⁻¹, are there after one step, and one more sees it; from B₁ = 1 BFGS learns one direction
/// after the other and cannot be there before it has learnt them.
#[test]
fn a_quadratic_takes_as_many_iterations_as_it_must() {
    let n = 9;
    for (name, least, most) in
        [("newton", 1, 2), ("bfgs", 1, 2), ("bfgs-cold", 5, 40), ("steepest", 10, 2000)]
    {
        let mut q = vec![0.0; n];
        let outcome = run(name, &mut Toy::new(Quadratic::sample(n)), &mut q, &stopping(1e-12, 5000));
        assert!(outcome.converged(), "{name}: {outcome:?}");
        assert!((least..=most).contains(&outcome.iterations), "{name}: {outcome:?}");
        let evaluations = outcome.evaluations;
        assert!(evaluations > outcome.iterations, "{name}: one before the first step, {evaluations}");
    }
}

/// Distances to the minimum after every iteration.
fn distances(name: &str) -> Vec<f64> {
    let mut minimiser = made(name);
    let mut toy = Toy::new(Bowl(3));
    let mut q = [0.9, -0.7, 0.8];
    let mut found = Vec::new();
    for _ in 0..40 {
        let outcome = minimiser.minimise(&mut toy, &mut q, &stopping(1e-30, 1), &mut unseen);
        found.push(apart(&q, &[0.0; 3]));
        if outcome.end != End::Iterations {
            break;
        }
    }
    found
}

/// Newton's distances are squared from step to step; those of BFGS shrink by more and more; those of steepest descent by the same.
#[test]
fn they_converge_with_the_orders_of_the_books() {
    let newton = distances("newton");
    let orders: Vec<f64> = newton
        .windows(3)
        .filter(|d| d[0] < 0.2 && d[2] > 1e-14)
        .map(|d| (d[2] / d[1]).ln() / (d[1] / d[0]).ln())
        .collect();
    assert!(!orders.is_empty() && orders.iter().all(|order| *order > 1.7), "{orders:?} of {newton:?}");
    let ratios =
        |d: &[f64]| -> Vec<f64> { d.windows(2).filter(|d| d[1] > 1e-14).map(|d| d[1] / d[0]).collect() };
    let bfgs = distances("bfgs");
    let fall = ratios(&bfgs);
    assert!(bfgs.len() < 30 && bfgs.iter().any(|d| *d < 1e-9), "{bfgs:?}");
    let (first, last) = (&fall[..3], &fall[fall.len() - 3..]);
    let mean = |x: &[f64]| x.iter().product::<f64>().cbrt();
    assert!(mean(last) < 0.3 * mean(first), "superlinear: {fall:?}");
    let steepest = distances("steepest");
    let fall = ratios(&steepest);
    let (first, last) = (&fall[..3], &fall[fall.len() - 3..]);
    assert!(steepest.len() > bfgs.len() && mean(last) > 0.5 * mean(first), "linear: {fall:?}");
}

#[test]
fn steps_beyond_the_domain_are_shortened() {
    for entry in &ALL {
        let mut toy = Toy::new(Walls(5));
        let mut q = [5.0; 5];
        let outcome = run(entry.name, &mut toy, &mut q, &stopping(1e-12, 10_000));
        assert!(outcome.converged() && apart(&q, &[1.0; 5]) < 1e-5, "{}: {q:?} {outcome:?}", entry.name);
        assert!(toy.refused > 0 || entry.name == "steepest", "{}: it went too far once", entry.name);
        // A start that is not admitted stays where it is.
        let mut q = [5.0, -1.0, 5.0, 5.0, 5.0];
        let outcome = run(entry.name, &mut toy, &mut q, &stopping(1e-12, 10));
        assert_eq!((outcome.end, q[1], outcome.iterations), (End::Inadmissible, -1.0, 0), "{}", entry.name);
    }
}

/// Targets of springs move on: the Hessian is the same, so that what was learnt is worth keeping.
#[test]
fn what_was_learnt_is_kept_until_it_is_forgotten() {
    let mut toy = Toy::new(Bowl(6));
    let mut bfgs = made("bfgs");
    let start = [0.9, -0.7, 0.8, 0.3, -0.2, 0.5];
    let again = |bfgs: &mut dyn Minimiser, toy: &mut Toy<Bowl>| {
        let mut q = start;
        let outcome = bfgs.minimise(toy, &mut q, &stopping(1e-10, 100), &mut unseen);
        assert!(outcome.converged(), "{outcome:?}");
        outcome.iterations
    };
    let first = again(&mut *bfgs, &mut toy);
    again(&mut *bfgs, &mut toy);
    assert_eq!(toy.asked, 1, "B₁ once for all calls");
    bfgs.forget();
    assert_eq!((again(&mut *bfgs, &mut toy), toy.asked), (first, 2), "from B₁ as the first time");
    let mut cold = made("bfgs-cold");
    let first = again(&mut *cold, &mut toy);
    assert_eq!((again(&mut *cold, &mut toy), toy.asked), (first, 2), "never keeps, never asks");
}

/// T14 eq. 5.6 by hand.
#[test]
fn it_stops_by_the_three_conditions_and_their_units() {
    let (k, b) = (4.0, 2.0);
    let law = || Quadratic { K: pliant_linalg::DenseSymmetric::from_upper(1, |_, _| k), b: vec![b] };
    // The first step goes from 0 to ½ and E from 0 to −½: a fall of ½ < ε (e + ½), a way of ½ < √ε (c + ½), no slope left.
    let one = |epsilon: f64, energy: f64, coordinate: f64| {
        let stopping = Stopping { epsilon, iterations: 9, units: Units { energy, coordinate } };
        let mut look = |k: usize, _: f64| {
            // Before a second iteration, which would find nothing left to do.
            if k == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        made("newton").minimise(&mut Toy::new(law()), &mut [0.0], &stopping, &mut look).end
    };
    assert_eq!(one(0.34, 1.0, 1.0), End::Converged, "½ < 0.34 · 1.5, and ½ < 0.58 · 1.5");
    assert_eq!(one(0.32, 1.0, 1.0), End::Stopped, "½ > 0.32 · 1.5");
    assert_eq!(one(0.32, 1.1, 1.0), End::Converged, "½ < 0.32 · 1.6");
    assert_eq!(one(0.34, 1.0, 0.3), End::Stopped, "½ > 0.58 · 0.8");
    // A limit, and somebody who says stop.
    let limited = run("newton", &mut Toy::new(Valley(2)), &mut [-1.2, 1.0], &stopping(1e-9, 3));
    assert_eq!((limited.end, limited.iterations), (End::Iterations, 3));
    let mut seen = Vec::new();
    let mut look = |k: usize, energy: f64| {
        seen.push((k, energy));
        if k == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = made("newton").minimise(&mut Toy::new(law()), &mut [0.0], &stopping(1e-9, 9), &mut look);
    assert_eq!((stopped.end, seen), (End::Stopped, vec![(0, 0.0), (1, -0.5)]));
    // What is a minimum already takes no iteration.
    let rest = run("bfgs", &mut Toy::new(law()), &mut [0.5], &stopping(1e-9, 9));
    assert_eq!((rest.end, rest.iterations), (End::Converged, 0));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let good = stopping(1e-6, 10);
    assert_eq!(good.check(), Ok(()));
    let nothing = Units { energy: 0.0, coordinate: 1.0 };
    for (bad, word) in [
        (Stopping { epsilon: 0.0, ..good }, "epsilon"),
        (Stopping { epsilon: f64::NAN, ..good }, "epsilon"),
        (Stopping { iterations: 0, ..good }, "iterations"),
        (Stopping { units: nothing, ..good }, "unit"),
    ] {
        let told = bad.check().expect_err("refused").to_string();
        assert!(told.contains(word), "{told}");
    }
    assert_eq!(Toy::new(Bowl(3)).size(), 3);
}
