//! How the solvers of a step converge: the residual after 1, 2, 3, … iterations, and the time they took.
//!
//! One and the same step from one and the same state is done again and again, each time with one iteration more, by a new
//! integrator: nothing is instrumented. The first point of a curve is one iteration.

use std::time::Instant;

use pliant_dynamics::{Damping, Options, Settings, State, System, integrator};

use crate::SimError;
use crate::run::find;

/// One solver on one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// A name of [`integrator::ALL`].
    pub integrator: &'static str,
    /// After 1, 2, 3, … iterations, until the tolerance is met or the residual no longer falls.
    pub points: Vec<Point>,
}

/// What a number of iterations came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Iterations that were done.
    pub iterations: usize,
    /// ‖R‖ relative to the largest force.
    pub residual: f64,
    /// s: so many times the median time of one iteration, over [`REPEATS`] steps.
    pub seconds: f64,
}

/// Steps whose median time counts.
pub const REPEATS: usize = 5;

/// The curves of these integrators on one step of `dt`, s, from `state`, at most `most` iterations each.
///
/// # Errors
/// An integrator that is not there, or a step that cannot be done even with one iteration.
pub fn convergence(
    system: &mut dyn System,
    state: &State,
    (dt, damping): (f64, Damping),
    integrators: &[&str],
    most: usize,
) -> Result<Vec<Curve>, SimError> {
    integrators.iter().map(|name| curve(system, state, (dt, damping), name, most)).collect()
}

fn curve(
    system: &mut dyn System,
    state: &State,
    (dt, damping): (f64, Damping),
    name: &str,
    most: usize,
) -> Result<Curve, SimError> {
    let entry: &'static integrator::Entry = find(name)?;
    let mut points = Vec::new();
    let mut at = state.clone();
    for cap in 1..=most {
        // Tight enough that only rounding ends it before its cap.
        let options = Options { tolerance: 1e-13, iterations: Some(cap), halvings: 0, ..Options::default() };
        let mut integrator = (entry.make)(Settings { damping, options });
        let mut times = [0.0; REPEATS];
        // The first tells the residual, and has no clock: what is prepared once is no part of a step. Those behind it may
        // have learned from it and need fewer iterations: what they tell is the time of one.
        at.clone_from(state);
        let report = integrator.step(system, &mut at, dt)?;
        for time in &mut times {
            at.clone_from(state);
            let begin = Instant::now();
            let again = integrator.step(system, &mut at, dt)?;
            *time = begin.elapsed().as_secs_f64() / again.iterations.max(1) as f64;
        }
        times.sort_by(f64::total_cmp);
        let (iterations, residual) = (report.iterations, report.residual);
        points.push(Point { iterations, residual, seconds: iterations as f64 * times[REPEATS / 2] });
        if report.converged || iterations < cap {
            break;
        }
    }
    Ok(Curve { integrator: entry.name, points })
}
