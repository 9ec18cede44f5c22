//! Residuals of one step where the load is let go, by iterations and by time.

use std::sync::Arc;

use pliant_dynamics::{State, integrator};
use pliant_linalg::{Progress, Watch};
use pliant_reduce::Model;

use super::Chart;
use crate::accuracy::{Rehearsal, reference};
use crate::{Reduced, Scenario, SimError, convergence, run};

/// Iterations of a solver at most.
const ITERATIONS: usize = 40;

/// Where it stalls it searches along lines for milliseconds, beside which nothing else is seen.
const STALLS: &str = "quasi-newton-projective";

pub(super) fn solvers(
    model: &Model,
    rehearsal: &Rehearsal,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Chart>, Vec<String>), SimError> {
    let scenario = &rehearsal.scenario;
    let mut system = Reduced::new(Arc::new(model.clone()), &scenario.loads)?;
    let mut last = (Vec::new(), Vec::new(), 0.0);
    let mut told = |p: Progress| watch(Progress { stage: "solvers", ..p });
    let first = Scenario { steps: scenario.steps * 2 / 5, ..scenario.clone() };
    run(&mut system, &first, &reference::options(), None, &mut told, &mut |frame| {
        last = (frame.q.to_vec(), frame.v.to_vec(), frame.t);
    })?;
    let mut state = State::at_rest(model.rank());
    (state.q, state.v, state.t) = last;
    integrator::start(&mut system, &mut state, &scenario.damping, integrator::Start::FromLoad)?;
    let y = "residual, of the largest force";
    let mut by_iterations = Chart { x: "iterations", y, log_y: true, ..Chart::default() };
    let mut by_time = Chart { x: "microseconds", y, log_y: true, ..Chart::default() };
    let mut missing = Vec::new();
    for name in integrator::ALL.iter().filter(|entry| !entry.linear_only).map(|entry| entry.name) {
        match convergence(&mut system, &state, (scenario.dt, scenario.damping), &[name], ITERATIONS) {
            Ok(curves) => {
                for curve in curves {
                    let sound = || curve.points.iter().filter(|p| p.residual > 0.0);
                    let points = sound().map(|p| [p.iterations as f64, p.residual]).collect();
                    by_iterations = by_iterations.line(curve.integrator, points);
                    if curve.integrator != STALLS {
                        let points = sound().map(|p| [1e6 * p.seconds, p.residual]).collect();
                        by_time = by_time.line(curve.integrator, points);
                    }
                }
            }
            Err(why) => missing.push(format!("{name}: {why}")),
        }
    }
    by_iterations.words = format!(
        "One step of {:.4} s in the motion of the first study. Backward Euler and the quasi-Newton solvers take a step of another \
         rule than the two of Newmark, so that only the shapes of these curves compare.",
        scenario.dt
    );
    by_time.words = format!("The same, without {STALLS}.");
    Ok((vec![by_iterations, by_time], missing))
}
