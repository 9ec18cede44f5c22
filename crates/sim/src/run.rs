//! A scenario from its first step to its last.
//!
//! There is no clock here: whoever wants to know how long steps take hands in a [`Stopwatch`].

use pliant_dynamics::integrator::{self, Entry};
use pliant_dynamics::{State, StepError};
use pliant_linalg::{Progress, Watch, ignore_progress};

use crate::balance::Balance;
use crate::{InitialState, Scenario, SimError, Subject};

/// How to step.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A name of [`integrator::ALL`].
    pub integrator: String,
    /// Passed on to the integrator.
    pub solver: pliant_dynamics::Options,
}

impl Default for RunOptions {
    /// Newmark to the usual tolerance.
    fn default() -> Self {
        Self { integrator: "newmark".into(), solver: pliant_dynamics::Options::default() }
    }
}

/// The body at the end of a step, or before the first.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// 0 is the initial state.
    pub step: usize,
    /// s.
    pub t: f64,
    /// Coordinates of what is seen: of a body at full order its 3n displacements, m.
    pub q: &'a [f64],
    /// The rates of those that move, which in a warped motion are others.
    pub v: &'a [f64],
    /// What moves.
    pub subject: &'a dyn Subject,
}

impl Frame<'_> {
    /// The displacement of all vertices, 3n entries, m.
    pub fn displacement(&self, out: &mut [f64]) {
        self.subject.displacement(self.q, out);
    }
}

/// Seconds since whenever it likes.
pub type Stopwatch<'a> = dyn FnMut() -> f64 + 'a;

/// Who looks on while a scenario runs.
pub struct Onlookers<'a, 'w, 's> {
    /// Hears how far it is, and may stop it.
    pub watch: &'a mut Watch<'w>,
    /// Sees every state.
    pub frame: &'a mut dyn FnMut(Frame<'_>),
    /// Measures the steps: [`Record::seconds`].
    pub stopwatch: Option<&'a mut Stopwatch<'s>>,
    /// Whether the record keeps the coordinates of every state: [`Record::frames`].
    pub keep: bool,
}

/// What a run leaves behind; every list has the initial state first.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The name of the integrator.
    pub integrator: &'static str,
    /// s.
    pub times: Vec<f64>,
    /// ½ vᵀMv, J.
    pub kinetic: Vec<f64>,
    /// W, J.
    pub elastic: Vec<f64>,
    /// Displacement of each probe of the scenario, m.
    pub probes: Vec<(String, Vec<[f64; 3]>)>,
    /// q at the end of every step, where they were to be kept: [`run_frames`].
    pub frames: Vec<Vec<f64>>,
    /// Wall time of each step, s, where there was a stopwatch.
    pub seconds: Vec<f64>,
    /// Iterations of each step.
    pub iterations: Vec<usize>,
    /// The largest relative residual of a step.
    pub residual: f64,
    /// Steps that were cut in half to get through.
    pub halved: usize,
    /// Steps that ended above the tolerance: the number of iterations was given, or the integrator stalled.
    pub unconverged: usize,
    /// Of those, steps that ended without one iteration: the state went on as if no force had changed it.
    pub idle: usize,
    /// Steps that ended above the tolerance because rounding allows no smaller residual; they count as converged.
    pub at_round_off: usize,
    /// The largest relative residual of those.
    pub round_off_residual: f64,
    /// The parts of the initial displacement and velocity that the coordinates of the subject cannot have, 0 to 1.
    pub lost: [f64; 2],
    /// Energy beyond what the first state had and the loads gave, in parts of that; above 1 the motion explodes, although
    /// every step converged: see [`Record::exploded`].
    pub gain: f64,
    /// Why it ended early.
    pub stopped: Option<StepError>,
}

impl Record {
    /// Whether the body has more than twice the energy that it was given: the steps are too long for the integrator.
    pub fn exploded(&self) -> bool {
        self.gain > 1.0
    }

    /// Wall time of a step, s, that a part `q` of the steps (0 to 1) did not exceed: the nearest rank, a time that was
    /// measured. `None` where no step was done or measured.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(((q * sorted.len() as f64).ceil() as usize).saturating_sub(1)).copied()
    }

    /// Half of the steps took no longer, s.
    pub fn median_seconds(&self) -> Option<f64> {
        self.quantile(0.5)
    }
}

/// Runs `scenario` on `system`, from `initial` or from rest. `frame` sees
/// every state. The loads that act are those the system was made with.
///
/// A step that cannot be done ends the run: [`Record::stopped`] says why, and what was computed is there.
///
/// # Errors
/// An unknown integrator or one that this system is nothing for, settings that no step can be done with, a scenario that
/// names a vertex that cannot move, an initial state that moves what is held or where the energy is not defined, or the watch asked
/// to stop.
pub fn run(
    system: &mut dyn Subject,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
    watch: &mut Watch<'_>,
    frame: &mut dyn FnMut(Frame<'_>),
) -> Result<Record, SimError> {
    let onlookers = Onlookers { watch, frame, stopwatch: None, keep: false };
    run_watched(system, scenario, options, initial, onlookers)
}

/// [`run()`] that keeps the coordinates of every state in the record: [`Record::frames`].
///
/// # Errors
/// As [`run()`].
pub fn run_frames(
    system: &mut dyn Subject,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
    watch: &mut Watch<'_>,
) -> Result<Record, SimError> {
    let onlookers = Onlookers { watch, frame: &mut |_| {}, stopwatch: None, keep: true };
    run_watched(system, scenario, options, initial, onlookers)
}

/// [`run_frames`] from rest, that nobody watches.
///
/// # Errors
/// As [`run()`].
pub fn run_quietly(
    system: &mut dyn Subject,
    scenario: &Scenario,
    options: &RunOptions,
) -> Result<Record, SimError> {
    run_frames(system, scenario, options, None, &mut ignore_progress)
}

/// [`run()`] with a stopwatch:
///
/// ```
/// # use pliant_energy::{Loads, Recipe};
/// # use pliant_linalg::{Vec3, ignore_progress};
/// # use pliant_sim::{Full, RunOptions, Scenario};
/// use pliant_sim::run::{Onlookers, run_watched};
/// # let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
/// # let body = Recipe::default().build(bar)?;
/// # let mut system = Full::new(body, Loads::default())?;
/// # let options = RunOptions { integrator: "newmark".into(), solver: pliant_dynamics::Options::default() };
/// # let scenario = Scenario::new(0.01, 3);
/// let begin = std::time::Instant::now();
/// let onlookers = Onlookers {
///     watch: &mut ignore_progress,
///     frame: &mut |frame| assert!(frame.t < 1.0),
///     stopwatch: Some(&mut || begin.elapsed().as_secs_f64()),
///     keep: true,
/// };
/// let record = run_watched(&mut system, &scenario, &options, None, onlookers)?;
/// assert_eq!((record.seconds.len(), record.frames.len()), (3, 4));
/// # Ok::<(), pliant_sim::SimError>(())
/// ```
///
/// # Errors
/// As [`run()`].
pub fn run_watched(
    system: &mut dyn Subject,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
    onlookers: Onlookers<'_, '_, '_>,
) -> Result<Record, SimError> {
    let Onlookers { watch, frame, mut stopwatch, keep } = onlookers;
    let entry = find(&options.integrator)?;
    options.solver.check()?;
    scenario.refuse_still(|v| system.still(v))?;
    let mut integrator =
        (entry.make)(integrator::Settings { damping: scenario.damping, options: options.solver });
    let mut state = State::at_rest(system.size());
    let mut record = Record {
        integrator: entry.name,
        probes: scenario.probes.iter().map(|p| (p.name.clone(), Vec::new())).collect(),
        ..Record::default()
    };
    let mut acceleration = None;
    let mut seen = vec![0.0; system.size()];
    if let Some(first) = initial {
        let initial = system.initial(first)?;
        (state.q, state.v, record.lost) = (initial.q, initial.v, initial.lost);
        acceleration = initial.a;
    }
    let mut note = |record: &mut Record,
                    system: &mut dyn Subject,
                    state: &State,
                    step,
                    frame: &mut dyn FnMut(Frame<'_>)| {
        record.times.push(state.t);
        record.kinetic.push(system.kinetic_energy(&state.v));
        record.elastic.push(system.elastic_energy(&state.q).unwrap_or(f64::NAN));
        system.show(&state.q, &mut seen);
        for (probe, (_, path)) in scenario.probes.iter().zip(&mut record.probes) {
            path.push(system.vertex(&seen, probe.vertex));
        }
        if keep {
            record.frames.push(seen.clone());
        }
        frame(Frame { step, t: state.t, q: &seen, v: &state.v, subject: system });
    };
    let given = acceleration.is_some();
    match acceleration {
        Some(a) => state.a = a,
        None => integrator::start(system, &mut state, &scenario.damping, scenario.start)?,
    }
    note(&mut record, system, &state, 0, frame);
    let energy =
        |record: &Record| record.kinetic[record.kinetic.len() - 1] + record.elastic[record.elastic.len() - 1];
    let mut balance = Balance::new(system, &state, energy(&record), entry.keeps_energy, given);
    for step in 1..=scenario.steps {
        Progress { stage: "steps", done: step - 1, total: scenario.steps }.tell(watch)?;
        let begin = stopwatch.as_mut().map(|now| now());
        system.look(&state.q);
        match integrator.step(system, &mut state, scenario.dt) {
            Ok(report) => {
                // Counted, not summed: step 1000 ends at exactly 1000 dt.
                state.t = step as f64 * scenario.dt;
                if let (Some(now), Some(begin)) = (&mut stopwatch, begin) {
                    record.seconds.push(now() - begin);
                }
                record.iterations.push(report.iterations);
                record.residual = record.residual.max(report.residual);
                record.halved += usize::from(report.halvings > 0);
                record.unconverged += usize::from(!report.converged);
                record.idle += usize::from(!report.converged && report.iterations == 0);
                // A step that ends with its least correction has not been looked at.
                let looked = options.solver.least_correction.is_none();
                if looked && report.converged && report.residual > options.solver.tolerance {
                    record.at_round_off += 1;
                    record.round_off_residual = record.round_off_residual.max(report.residual);
                }
                note(&mut record, system, &state, step, frame);
                record.gain = balance.note(system, &state, energy(&record));
            }
            Err(
                error @ (StepError::Setting { .. } | StepError::NoProjectiveGradient | StepError::NotLinear),
            ) => {
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

/// The line of the table, or a sentence with all names.
pub(crate) fn find(name: &str) -> Result<&'static Entry, SimError> {
    Ok(integrator::ALL.get(name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let of = |seconds: &[f64]| Record { seconds: seconds.to_vec(), ..Record::default() };
        assert_eq!(of(&[]).median_seconds(), None);
        assert_eq!(of(&[3.0]).median_seconds(), Some(3.0));
        // Of an even number the lower one of the middle two.
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]).median_seconds(), Some(2.0));
        assert_eq!(of(&[5.0, 4.0, 1.0, 3.0, 2.0]).median_seconds(), Some(3.0));
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let hundred = of(&hundred);
        assert_eq!([0.0, 0.01, 0.99, 1.0].map(|q| hundred.quantile(q)), [1.0, 1.0, 99.0, 100.0].map(Some));
    }
}
