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

use pliant_dynamics::{Options, StepError};
use pliant_energy::Body;
use pliant_linalg::{Note, Progress, Term, Watch, par};
use pliant_reduce::{Basis, Model};

use super::rehearsal::{Pull, Rehearsal, reach};
use crate::{Full, Onlookers, Reduced, RunOptions, SimError, run_frames, run_watched};

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

/// Steps that need more than this are not waited for: the pull is halved.
const HALVED_STEPS: usize = 3;

/// How both are stepped.
pub fn options() -> RunOptions {
    RunOptions {
        integrator: "newmark".into(),
        solver: Options { tolerance: TOLERANCE, halvings: HALVED_STEPS, ..Options::default() },
    }
}

/// How often a pull is halved that the full body does not get through.
const HALVINGS: usize = 3;

impl Reference {
    /// Runs a full body, of which `body` makes as many as are needed, through a pull; where it does not get to the end, through
    /// half of it, and so on: [`Rehearsal::reach`] says how far it was pulled.
    ///
    /// # Errors
    /// A body that does not get to the end of the smallest pull, what [`Pull::scenario`] refuses, or the watch asked to stop.
    pub fn of(
        pull: Pull,
        body: &dyn Fn() -> Result<Body, SimError>,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        halved(pull, &mut |pull| {
            let rehearsal = pull.scenario(body()?, watch)?;
            Self::new(body()?, rehearsal, watch)
        })
    }

    /// Runs the full body.
    ///
    /// # Errors
    /// [`SimError::Step`]: a run that cannot be done to its end; or the watch asked to stop.
    pub fn new(body: Body, rehearsal: Rehearsal, watch: &mut Watch<'_>) -> Result<Self, SimError> {
        let mut system = Full::new(body, rehearsal.scenario.loads.clone())?;
        let mut told = |p: Progress| watch(Progress { stage: "full body, the reference", ..p });
        let begin = Instant::now();
        let onlookers = Onlookers {
            watch: &mut told,
            frame: &mut |_| {},
            stopwatch: Some(&mut || begin.elapsed().as_secs_f64()),
            keep: true,
        };
        let record = run_watched(&mut system, &rehearsal.scenario, &options(), None, onlookers)?;
        let frames = record.frames;
        if let Some(stopped) = record.stopped {
            return Err(stopped.into());
        }
        let body = system.into_body();
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
        Ok(Self { rehearsal, reach, seconds: record.seconds.iter().sum(), frames, weighted, largest })
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
        let record = run_frames(&mut system, scenario, &options(), None, &mut told)?;
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
            Err(SimError::Step(stopped)) if stopped != StepError::Cancelled => pull.reach *= 0.5,
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
