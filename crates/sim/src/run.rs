//! A scenario from its first step to its last.

use std::time::Instant;

use pliant_dynamics::{State, StepError, System, integrator};
use pliant_linalg::{Progress, Watch};

use crate::{Full, Scenario, SimError};

/// How to step.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A name of [`integrator::ALL`].
    pub integrator: String,
    /// Passed on to the integrator.
    pub solver: pliant_dynamics::Options,
}

/// The body at the end of a step, or before the first.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// 0 is the initial state.
    pub step: usize,
    /// s.
    pub t: f64,
    /// 3n, m.
    pub displacement: &'a [f64],
    /// 3n, m/s.
    pub velocity: &'a [f64],
}

/// What a run leaves behind; every list has the initial state first.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// s.
    pub times: Vec<f64>,
    /// ½ vᵀMv, J.
    pub kinetic: Vec<f64>,
    /// W, J.
    pub elastic: Vec<f64>,
    /// Displacement of each probe of the scenario, m.
    pub probes: Vec<(String, Vec<[f64; 3]>)>,
    /// Wall time of each step, s.
    pub seconds: Vec<f64>,
    /// Iterations of each step.
    pub iterations: Vec<usize>,
    /// The largest relative residual of a step.
    pub residual: f64,
    /// Steps that were cut in half to get through.
    pub halved: usize,
    /// Steps that ended above the tolerance because the number of iterations was given.
    pub unconverged: usize,
    /// Why it ended early.
    pub stopped: Option<StepError>,
}

/// Runs `scenario` on `system`, from `initial` (displacement and velocity) or from rest. `frame` sees every state.
///
/// A step that cannot be done ends the run: [`Record::stopped`] says why, and what was computed is there.
///
/// # Errors
/// An unknown integrator, settings that no step can be done with, an initial state that moves what is held or where the
/// energy is not defined, or the watch asked to stop.
pub fn run(
    system: &mut Full,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<(Vec<f64>, Vec<f64>)>,
    watch: &mut Watch<'_>,
    frame: &mut dyn FnMut(Frame<'_>),
) -> Result<Record, SimError> {
    let entry = integrator::find(&options.integrator).ok_or_else(|| {
        let names: Vec<&str> = integrator::ALL.iter().map(|e| e.name).collect();
        SimError::Scenario(format!(
            "there is no integrator {:?} for full order; there are: {}",
            options.integrator,
            names.join(", ")
        ))
    })?;
    options.solver.check()?;
    let mut integrator =
        (entry.make)(integrator::Settings { damping: scenario.damping, options: options.solver });
    let mut state = State::at_rest(system.size());
    if let Some((q, v)) = initial {
        let dofs = system.body().dofs();
        for (what, x) in [("displacement", &q), ("velocity", &v)] {
            if let Some(k) = (0..x.len()).find(|&k| dofs.is_held(k) && x[k] != 0.0) {
                return Err(SimError::Scenario(format!(
                    "the initial {what} of vertex {} along {} is {}, but that is fixed; expected 0 there",
                    k / 3,
                    ["x", "y", "z"][k % 3],
                    x[k]
                )));
            }
        }
        (state.q, state.v) = (q, v);
    }
    let mut record = Record {
        probes: scenario.probes.iter().map(|p| (p.name.clone(), Vec::new())).collect(),
        ..Record::default()
    };
    let note =
        |record: &mut Record, system: &mut Full, state: &State, step, frame: &mut dyn FnMut(Frame<'_>)| {
            record.times.push(state.t);
            record.kinetic.push(system.kinetic_energy(&state.v));
            record.elastic.push(system.elastic_energy(&state.q).unwrap_or(f64::NAN));
            for (probe, (_, path)) in scenario.probes.iter().zip(&mut record.probes) {
                let at = 3 * probe.vertex as usize;
                path.push([state.q[at], state.q[at + 1], state.q[at + 2]]);
            }
            frame(Frame { step, t: state.t, displacement: &state.q, velocity: &state.v });
        };
    integrator::start(system, &mut state, &scenario.damping, scenario.start)?;
    note(&mut record, system, &state, 0, frame);
    for step in 1..=scenario.steps {
        Progress { stage: "steps", done: step - 1, total: scenario.steps }.tell(watch)?;
        let begin = Instant::now();
        match integrator.step(system, &mut state, scenario.dt) {
            Ok(report) => {
                // Counted, not summed: step 1000 ends at exactly 1000 dt.
                state.t = step as f64 * scenario.dt;
                record.seconds.push(begin.elapsed().as_secs_f64());
                record.iterations.push(report.iterations);
                record.residual = record.residual.max(report.residual);
                record.halved += usize::from(report.halvings > 0);
                record.unconverged += usize::from(!report.converged);
                note(&mut record, system, &state, step, frame);
            }
            Err(error @ (StepError::Setting { .. } | StepError::NoProjectiveGradient)) => {
                return Err(error.into());
            }
            Err(error) => {
                record.stopped = Some(error);
                break;
            }
        }
    }
    Ok(record)
}
