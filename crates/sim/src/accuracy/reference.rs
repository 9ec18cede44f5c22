//! The full body on the scenario, run once, and how far models are from it.
//!
//! ```text
//! e(t)   = ‖U q(t) − u(t)‖_M / max_t ‖u(t)‖_M                                  (1) of compare.rs
//! ê_r(t) = ‖u(t) − U_r U_rᵀ M u(t)‖_M / max_t ‖u(t)‖_M ≤ e(t)                  (2)
//! ```
//! Errors are means over time. (2) is the best that any motion in the first r columns of a basis can do: it takes no
//! simulation, and comes for every r at once.

use std::sync::Arc;
use std::time::Instant;

use pliant_dynamics::integrator::{self, Settings};
use pliant_dynamics::{Options, State, StepError, System as _};
use pliant_energy::Body;
use pliant_linalg::{Note, Progress, Term, Watch, par};
use pliant_reduce::{Basis, Model};

use super::rehearsal::{Pull, Rehearsal, reach};
use crate::run::find;
use crate::{Full, Reduced, RunOptions, Scenario, SimError, run_frames};

/// The full body's motion.
pub struct Reference {
    /// What happens to it.
    pub rehearsal: Rehearsal,
    /// The largest displacement of a vertex in the whole run, m.
    pub reach: f64,
    /// Wall time of the run, s.
    pub seconds: f64,
    /// u at every step, the initial state first.
    frames: Vec<Vec<f64>>,
    /// M u of each.
    weighted: Vec<Vec<f64>>,
    /// max_t ‖u‖_M.
    largest: f64,
}

/// Residuals of steps: a hundredth of a thousandth is far below every error that is asked for.
const TOLERANCE: f64 = 1e-6;

/// How often a step of a model may be halved, and one of the full body, which is not waited for: its pull is halved.
const HALVED_STEPS: usize = 3;
const HALVED_FULL_STEPS: usize = 1;

/// Iterations of the full body that are waited for: so many a step on the mean, and some for the first. Bodies that can be pulled so far
/// take 3 to 5; cloth that crumples takes 20, and does not get to the end.
const ITERATIONS_A_STEP: usize = 8;
const FIRST_ITERATIONS: usize = 60;

/// How the full body is stepped.
pub fn options() -> RunOptions {
    RunOptions {
        integrator: "newmark".into(),
        solver: Options { tolerance: TOLERANCE, halvings: HALVED_STEPS, ..Options::default() },
    }
}

/// How models are: the same rule to the same tolerance, with fewer matrices, which exact forces take from the whole mesh.
fn options_of_models() -> RunOptions {
    RunOptions { integrator: "newmark-broyden".into(), ..options() }
}

/// How often a pull is halved that the full body does not get through.
const HALVINGS: usize = 3;

impl Reference {
    /// Runs a full body through a pull; where it does not get to the end, through
    /// half of it, and so on: [`Rehearsal::reach`] says how far it was pulled.
    ///
    /// # Errors
    /// A body that does not get to the end of the smallest pull, what [`Pull::scenario`] refuses, or the watch asked to stop.
    pub fn of(pull: Pull, body: &Arc<Body>, watch: &mut Watch<'_>) -> Result<Self, SimError> {
        halved(pull, &mut |pull| {
            let rehearsal = pull.scenario(body, watch)?;
            Self::new(body, rehearsal, watch)
        })
    }

    /// Runs the full body.
    ///
    /// # Errors
    /// [`SimError::Step`], [`SimError::Slow`]: a run that cannot be done to its end; or the watch asked to stop.
    pub fn new(body: &Arc<Body>, rehearsal: Rehearsal, watch: &mut Watch<'_>) -> Result<Self, SimError> {
        let mut system = Full::new(Arc::clone(body), rehearsal.scenario.loads.clone())?;
        let begin = Instant::now();
        let frames = frames(&mut system, &rehearsal.scenario, watch)?;
        let seconds = begin.elapsed().as_secs_f64();
        let mass = body.mass();
        let weighted: Vec<Vec<f64>> = frames
            .iter()
            .map(|u| {
                let mut Mu = vec![0.0; u.len()];
                mass.apply_per_axis(u, &mut Mu);
                Mu
            })
            .collect();
        let squares = frames.iter().zip(&weighted).map(|(u, Mu)| par::dot(u, Mu));
        let largest = squares.fold(0.0, f64::max).sqrt();
        let reach = frames.iter().map(|u| reach(u)).fold(0.0, f64::max);
        Ok(Self { rehearsal, reach, seconds, frames, weighted, largest })
    }

    /// (1), the mean over time; infinite where the model does not get to the end.
    ///
    /// # Errors
    /// As [`crate::run()`].
    pub fn error(
        &self,
        model: &Arc<Model>,
        body: &Body,
        stage: &'static str,
        watch: &mut Watch<'_>,
    ) -> Result<f64, SimError> {
        let scenario = &self.rehearsal.scenario;
        let mut system = Reduced::new(model.clone(), &scenario.loads)?;
        let mut told = |p: Progress| watch(Progress { stage, ..p });
        let record = run_frames(&mut system, scenario, &options_of_models(), None, &mut told)?;
        if record.stopped.is_some() || record.exploded() {
            return Ok(f64::INFINITY);
        }
        let (mut u, mut Mu) = (vec![0.0; body.size()], vec![0.0; body.size()]);
        let mut sum = 0.0;
        for (q, truth) in record.frames.iter().zip(&self.frames) {
            model.basis().expand(q, &mut u);
            u.iter_mut().zip(truth).for_each(|(u, truth)| *u -= truth);
            body.mass().apply_per_axis(&u, &mut Mu);
            sum += par::dot(&u, &Mu).max(0.0).sqrt();
        }
        Ok(sum / self.frames.len() as f64 / self.largest)
    }

    /// (2), the mean over time, for r = 0, 1, … columns. `basis` is mass-orthonormal.
    pub fn projection_errors(&self, basis: &Basis) -> Vec<f64> {
        let r = basis.rank();
        let mut errors = vec![0.0; r + 1];
        let mut p = vec![0.0; r];
        for (u, Mu) in self.frames.iter().zip(&self.weighted) {
            basis.project(Mu, &mut p);
            let mut left = par::dot(u, Mu);
            for (k, error) in errors.iter_mut().enumerate() {
                *error += left.max(0.0).sqrt();
                left -= p.get(k).map_or(0.0, |p| p * p);
            }
        }
        let scale = 1.0 / (self.frames.len() as f64 * self.largest);
        errors.iter().map(|e| e * scale).collect()
    }
}

/// u of the full body at every step, the initial state first.
fn frames(system: &mut Full, scenario: &Scenario, watch: &mut Watch<'_>) -> Result<Vec<Vec<f64>>, SimError> {
    let RunOptions { integrator, solver } = options();
    let settings =
        Settings { damping: scenario.damping, options: Options { halvings: HALVED_FULL_STEPS, ..solver } };
    let mut integrator = (find(&integrator)?.make)(settings);
    let mut state = State::at_rest(system.size());
    integrator::start(system, &mut state, &scenario.damping, scenario.start)?;
    let mut frames = vec![state.q.clone()];
    let mut iterations = 0;
    for step in 1..=scenario.steps {
        let stage = "full body, the reference";
        Progress { stage, done: step - 1, total: scenario.steps }.tell(watch)?;
        iterations += integrator.step(system, &mut state, scenario.dt)?.iterations;
        let allowed = FIRST_ITERATIONS + ITERATIONS_A_STEP * step;
        if iterations > allowed {
            return Err(SimError::Slow { steps: step, iterations, allowed });
        }
        // Counted, not summed: the last step ends where the scenario does.
        state.t = step as f64 * scenario.dt;
        frames.push(state.q.clone());
    }
    Ok(frames)
}

/// What `attempt` makes of a pull, of half of it where its steps do not converge, and so on.
///
/// # Errors
/// As `attempt`; a sentence where [`HALVINGS`] are not enough.
pub(super) fn halved<T>(
    mut pull: Pull,
    attempt: &mut dyn FnMut(&Pull) -> Result<T, SimError>,
) -> Result<T, SimError> {
    let asked = pull.reach;
    for _ in 0..=HALVINGS {
        match attempt(&pull) {
            Err(SimError::Step(StepError::Cancelled)) => return Err(SimError::Cancelled),
            Err(SimError::Step(_) | SimError::Slow { .. }) => pull.reach *= 0.5,
            done => return done,
        }
    }
    let sentence = format!(
        "the full body could not be pulled by {asked} of its size and released, and not by {} either: its steps do not \
         converge; hold it elsewhere, or take another or a stiffer material",
        2.0 * pull.reach
    );
    Err(SimError::Request(Note::new(sentence, &[Term::new("fix", "hold it elsewhere")])))
}
