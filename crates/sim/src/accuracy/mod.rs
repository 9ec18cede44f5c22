//! How many modes, coordinates and cubature points: the smallest model that is as accurate as asked, by measurement.
//!
//! ```text
//! full body ─ once ─▶ u(t)        ê_r ≤ e_r(exact forces) ≈ e_r(cubature of s points)       e, ê as in reference.rs
//! ```
//! 1. The full body goes through the scenarios of [`rehearsal`]. An error of a motion is that of the worst of them.
//! 2. Modes are computed once. For the bases that come into question, and more and more modes, the lower bound ê_r says which
//!    basis could do with the fewest coordinates.
//! 3. The rank: the smallest with which the model, with exact forces through the full mesh, follows the full body. What is off
//!    then is the basis' alone. Such a run costs as much as the full body's, so that the next rank to try is read off the
//!    lower bounds, and a rank that misses one scenario is not run on the others.
//! 4. The points: the fewest with which shapes under loads and the motion are near enough. One set of
//!    training poses serves all tries.
//!
//! Aimed at is less than what is asked, [`AIM`] of it in motion and [`AIM_LOADS`] under loads, so that it holds under other loads and
//! in other motions of the same size too: the problem `accuracy` of the truth suite measures that.
//!
//! What it does not say: how good the model is on motions much larger than a tenth of the body, or on loads much smaller than a
//! part of it, which press dents that no few coordinates have.

mod coordinates;
mod explain;
mod hold;
mod points;
pub mod reference;
pub mod rehearsal;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Note, Watch, ignore_progress};
use pliant_mesh::MeshData;
use pliant_reduce::{Precompute, ReduceError, Reduction};

use crate::SimError;

pub use explain::percent;
pub use hold::usual_hold;
pub use reference::Reference;
pub use rehearsal::{Pull, Rehearsal};

/// The part of the asked error that is aimed at in motion: the rest is for other motions.
pub const AIM: f64 = 0.8;

/// The same of shapes under loads in the same coordinates, which the training has not seen.
pub const AIM_LOADS: f64 = 0.8;

/// What is wanted of a model.
///
/// ```
/// use pliant_sim::accuracy::Goal;
/// use pliant_energy::Recipe;
/// use pliant_linalg::{Vec3, ignore_progress};
/// use pliant_reduce::Precompute;
/// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.2, 0.2), [6, 1, 1]).into_data();
/// let fixed = pliant_mesh::select::select(&bar, "x<5%")?;
/// let recipe = Recipe { material: Some("stvk".into()), fixed: vec![fixed], ..Recipe::default() };
/// let goal = Goal { error: 0.05, basis: None, given: Precompute::default() };
/// let found = goal.build(bar, recipe, &mut ignore_progress)?;
/// assert!(found.report.met && found.report.chosen.scenario <= 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Goal {
    /// The largest error, such as 0.01: of shapes under loads, against all components in the same coordinates, and of the motion in
    /// the worst scenario, against the full body.
    pub error: f64,
    /// A name of [`pliant_reduce::basis::ALL`] that is made of modes; `None`: the better of `derivatives` and `extended`.
    pub basis: Option<String>,
    /// What is said here is held and not searched: `modes`, `rank`, `forces`, `points`. Its `basis` is not used.
    pub given: Precompute,
}

/// A model, and how it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model; the best that was found where the goal was not reached.
    pub made: Reduction,
    /// How.
    pub report: Report,
}

/// What was searched, and what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// [`Goal::error`].
    pub asked: f64,
    /// What was aimed at in motion.
    pub aim: f64,
    /// Whether both errors of the model are at most what was asked.
    pub met: bool,
    /// The model that was taken.
    pub chosen: MeasuredModel,
    /// The error of the motion with exact forces in the same coordinates: the basis' share. Of exact forces the whole.
    pub basis_error: f64,
    /// The best that any motion in these coordinates could do: (2) of [`mod@reference`].
    pub projection_error: f64,
    /// Every model that was tried, in order.
    pub tried: Vec<MeasuredModel>,
    /// What the next steps of rank and points would bring, measured.
    pub would_buy: Vec<MeasuredModel>,
    /// Why it was chosen, and what to do where the goal was missed: sentences.
    pub why: Vec<Note>,
    /// The scenarios; their errors are [`MeasuredModel::scenarios`] of the chosen, in the same order.
    pub scenarios: Vec<ScenarioFacts>,
}

/// Model that was tried against the full body, with its errors.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredModel {
    /// The name of the basis.
    pub basis: String,
    /// Linear modes that it is made of.
    pub modes: usize,
    /// Coordinates.
    pub rank: usize,
    /// The name of the force; `projected` where the basis alone was judged.
    pub forces: &'static str,
    /// Points asked for; `None` where the force has none.
    pub points: Option<usize>,
    /// The error of shapes under loads, which is judged; `None` where the force is exact.
    pub loads: Option<f64>,
    /// The error of the force on fresh poses (T14 eq. 3.7), which is told; `None` where the force is exact.
    pub poses: Option<f64>,
    /// The error of the motion, the worst of those that were run; infinite where the model did not get to the end, NaN where
    /// it was not run because the loads had said enough.
    pub scenario: f64,
    /// The same of each scenario; NaN where it was not run, because the loads or another scenario had said enough.
    pub scenarios: Vec<f64>,
}

/// Facts of a scenario that models were measured on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenarioFacts {
    /// s.
    pub dt: f64,
    /// How many.
    pub steps: usize,
    /// Of the motion, s.
    pub period: f64,
    /// Vertices that are pulled.
    pub pulled: usize,
    /// Newton on each.
    pub force: [f64; 3],
    /// The largest displacement of a vertex in the run, in parts of the longest side.
    pub reach: f64,
    /// How long the full body took for the run, s: not the same in two runs.
    pub full_seconds: f64,
}

impl Goal {
    /// Finds the model.
    ///
    /// # Errors
    /// An error that is not > 0, a basis or a force that cannot be searched, a body that is not held, what
    /// [`Precompute::build`] refuses, a reference that cannot be run, or the watch asked to stop.
    pub fn build(&self, mesh: MeshData, recipe: Recipe, watch: &mut Watch<'_>) -> Result<Found, SimError> {
        let body = recipe.build(mesh.clone()).map_err(ReduceError::from)?;
        self.reduce(mesh, recipe, Arc::new(body), watch)
    }

    /// Finds the model of the body that `recipe` makes of `mesh`.
    ///
    /// # Errors
    /// As [`Goal::build`].
    pub fn reduce(
        &self,
        mesh: MeshData,
        recipe: Recipe,
        body: Arc<Body>,
        watch: &mut Watch<'_>,
    ) -> Result<Found, SimError> {
        search::search(self, mesh, recipe, body, watch)
    }

    /// [`Goal::build`] without a watch.
    ///
    /// # Errors
    /// As there.
    pub fn build_quietly(&self, mesh: MeshData, recipe: Recipe) -> Result<Found, SimError> {
        self.build(mesh, recipe, &mut ignore_progress)
    }
}

impl MeasuredModel {
    /// The larger of the errors that were measured; infinite where the motion was not.
    pub fn worst(&self) -> f64 {
        let scenario = if self.scenario.is_nan() { f64::INFINITY } else { self.scenario };
        self.loads.unwrap_or(0.0).max(scenario)
    }

    /// Whether every scenario was run.
    fn complete(&self) -> bool {
        !self.scenarios.iter().any(|error| error.is_nan())
    }
}
