//! A step that fails is halved and tried again.
//!
//! Two halves in place of the whole, each of which may be halved again, down to dt / 2^`halvings`. If a part of that
//! length still fails, the step is given up and the state is, bit for bit, what it was.

use crate::vector::axpy;
use crate::{Options, State, StepError, StepReport, System, error::Failure};

/// Attempts one step of (t, dt): length dt, ends at t. On failure the state must be untouched; on success it is the new one,
/// and the last argument the loads that acted, f_ext.
pub(crate) type Attempt<'a> =
    dyn FnMut(&mut dyn System, &mut State, (f64, f64), &mut [f64]) -> Result<StepReport, Failure> + 'a;

/// Keeps the state at the start of a step, and sums what the loads gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Halving {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// f_ext of the last part, and Σ dt f_ext of all.
    load: Vec<f64>,
    impulse: Vec<f64>,
}

impl Halving {
    /// One step, in parts if need be.
    pub(crate) fn step(
        &mut self,
        system: &mut dyn System,
        state: &mut State,
        dt: f64,
        options: &Options,
        attempt: &mut Attempt<'_>,
    ) -> Result<StepReport, StepError> {
        self.impulse.resize(state.q.len(), 0.0);
        self.impulse.fill(0.0);
        options.check()?;
        check_start(system, state, dt)?;
        self.load.resize(state.q.len(), 0.0);
        let t = state.t;
        let kept = [(&mut self.q, &state.q), (&mut self.v, &state.v), (&mut self.a, &state.a)];
        for (kept, now) in kept {
            kept.resize(now.len(), 0.0);
            kept.copy_from_slice(now);
        }
        let mut report = StepReport { converged: true, ..StepReport::default() };
        let Self { load, impulse, .. } = self;
        let mut attempt = |system: &mut dyn System, state: &mut State, t: f64, dt: f64| {
            let done = attempt(system, state, (t, dt), load)?;
            axpy(dt, load, impulse);
            Ok(done)
        };
        let ended = part(system, state, (t, dt), options.halvings, 0, &mut report, &mut attempt);
        if ended.is_err() {
            self.impulse.fill(0.0);
            state.t = t;
            state.q.copy_from_slice(&self.q);
            state.v.copy_from_slice(&self.v);
            state.a.copy_from_slice(&self.a);
        }
        ended.map(|()| report)
    }

    /// Σ dt f_ext of the last step.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }
}

/// Tries a step that ends at a time, and has a length.
type Try<'a> = dyn FnMut(&mut dyn System, &mut State, f64, f64) -> Result<StepReport, Failure> + 'a;

/// The step from t by dt, in two halves if it fails as a whole; adds to `report`.
fn part(
    system: &mut dyn System,
    state: &mut State,
    (t, dt): (f64, f64),
    most: usize,
    depth: usize,
    report: &mut StepReport,
    attempt: &mut Try<'_>,
) -> Result<(), StepError> {
    // The end is t + dt exactly, as the caller's own sum has it: a load that acts until then acts.
    match attempt(system, state, t + dt, dt) {
        Ok(done) => {
            report.iterations += done.iterations;
            report.residual = report.residual.max(done.residual);
            report.converged &= done.converged;
            state.t = t + dt;
            Ok(())
        }
        Err(failure @ Failure::Refused(_)) => Err(failure.into_error(t, dt, depth)),
        Err(failure) if depth == most => Err(failure.into_error(t, dt, depth)),
        Err(_) => {
            report.halvings += 1;
            let half = 0.5 * dt;
            part(system, state, (t, half), most, depth + 1, report, attempt)?;
            part(system, state, (t + half, half), most, depth + 1, report, attempt)?;
            state.t = t + dt;
            Ok(())
        }
    }
}

/// A step needs a positive dt and a finite state of the right size.
fn check_start(system: &dyn System, state: &State, dt: f64) -> Result<(), StepError> {
    if !(dt > 0.0 && dt.is_finite() && (1.0 / (dt * dt)).is_finite()) {
        let allowed = "positive (and not below 1e-150), in seconds";
        return Err(StepError::Setting { what: "dt", value: dt, allowed });
    }
    let n = system.size();
    for x in [&state.q, &state.v, &state.a] {
        assert_eq!(x.len(), n, "state has {} coordinates, system has {n}", x.len());
        if let Some(worst) = crate::vector::first_not_finite(x) {
            return Err(StepError::NotFinite { t: state.t, what: "state", worst, halvings: 0 });
        }
    }
    Ok(())
}
