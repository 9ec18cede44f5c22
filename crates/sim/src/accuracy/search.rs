//! The search itself: what is asked, the full body, then coordinates, points, and the report.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Note, Term, Watch, quote};
use pliant_mesh::MeshData;
use pliant_reduce::force::StoredForce;
use pliant_reduce::force::cubature::{MOST_BYTES, most_points};
use pliant_reduce::force::cubic::MOST_USUAL as MOST_CUBIC;
use pliant_reduce::force::{self, Settings, Trainer};
use pliant_reduce::model::Facts;
use pliant_reduce::{Basis, Model, Precompute, ReduceError};

use super::coordinates::{Candidate, Coordinates};
use super::rehearsal::{REACH, Rehearsal};
use super::{AIM, Found, Goal, MeasuredModel, Pull, Reference, Report, ScenarioFacts};
use crate::SimError;

/// What all tries share.
pub(super) struct Work<'a> {
    pub(super) goal: &'a Goal,
    pub(super) mesh: MeshData,
    pub(super) recipe: Recipe,
    pub(super) body: Arc<Body>,
    pub(super) references: Vec<Reference>,
    pub(super) settings: Settings,
    pub(super) aim: f64,
    pub(super) tried: Vec<MeasuredModel>,
    pub(super) why: Vec<Note>,
}

/// Which force the model gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forces {
    Cubic,
    Cubature,
    /// The first up to [`MOST_CUBIC`] coordinates, else the second.
    ByRank,
}

pub(super) fn search(
    goal: &Goal,
    mesh: MeshData,
    recipe: Recipe,
    body: Arc<Body>,
    watch: &mut Watch<'_>,
) -> Result<Found, SimError> {
    // All that can be known to be wrong, before minutes of work.
    let forces = check(goal, &body)?;
    let names = bases(goal)?;
    let mut settings = goal.given.settings()?;
    if goal.given.trainer.is_none() {
        // There are several trainings, and a few points more cost less than the last iterations of each.
        settings.trainer = Trainer::NN_HTP_QUICK;
    }
    if forces != Forces::Cubic {
        (force::find("cubature").expect("in the table").check)(&body, None, &settings)?;
        let (rank, points) = (goal.given.rank.unwrap_or(1), settings.points.unwrap_or(1));
        let most = most_points(settings.poses, rank);
        if points > most {
            let sentence = format!(
                "{points} cubature points of {rank} coordinates on {} poses take more memory than the {:.0} GB that are \
                 allowed: at most {most} points fit; ask for fewer points, or for fewer poses",
                settings.poses,
                MOST_BYTES / 1e9
            );
            let terms = [Term::new("cubature", "fewer points"), Term::new("training", "fewer poses")];
            return refuse(Note::new(sentence, &terms));
        }
    }
    let most_modes = body.dofs().free().len().saturating_sub(body.rigid_count());
    let (mut references, mut why) = (Vec::new(), Vec::new());
    for pull in Pull::all(&body) {
        let reference = Reference::of(pull, &body, watch)?;
        let Rehearsal { pulled, reach, .. } = reference.rehearsal;
        if reach < REACH {
            why.push(Note::from(format!(
                "the full body was pulled at {pulled} vertices by {reach:.3} of its size and not by {REACH}: further out its \
                 steps do not converge, and nothing is promised there"
            )));
        }
        references.push(reference);
    }
    let aim = AIM * goal.error;
    let mut work = Work { goal, mesh, recipe, body, references, settings, aim, tried: Vec::new(), why };
    let candidates = work.candidates(&names, most_modes, forces, watch)?;
    let coordinates = work.rank(&candidates, forces, watch)?;
    work.finish(coordinates, forces, watch)
}

pub(super) fn refuse<T>(sentence: impl Into<Note>) -> Result<T, SimError> {
    Err(ReduceError::Request(sentence.into()).into())
}

/// What sentences name.
const ACCURACY: Term = Term::new("accuracy", "an accuracy");
const AS_FORCES: Term = Term::new("forces", "as forces");

fn check(goal: &Goal, body: &Body) -> Result<Forces, SimError> {
    if !(goal.error.is_finite() && goal.error > 0.0) {
        return refuse(format!("the accuracy is {} %; expected a number > 0, such as 1", 100.0 * goal.error));
    }
    let cubic = force::cubic::check(body);
    match (goal.given.forces.as_deref(), goal.given.points) {
        (None | Some("cubature"), Some(_)) | (Some("cubature"), None) => Ok(Forces::Cubature),
        (Some("cubic"), None) => {
            cubic?;
            Ok(Forces::Cubic)
        }
        (Some("cubic"), Some(_)) => refuse(Note::new(
            "a number of points is for cubature forces, and cubic forces have nothing to train; leave it out, or use \
             cubature as forces",
            &[Term::new("cubature", "a number of points"), AS_FORCES],
        )),
        // Whoever says how to train wants something trained.
        (None, None) if trained(&goal.given) => Ok(Forces::Cubature),
        (None, None) => Ok(if cubic.is_ok() { Forces::ByRank } else { Forces::Cubature }),
        (Some(other), _) => refuse(Note::new(
            format!(
                "an accuracy is searched with cubature or cubic forces, not with {other} ones; leave one of the two out, or \
                 use cubature as forces"
            ),
            &[ACCURACY, AS_FORCES],
        )),
    }
}

fn trained(given: &Precompute) -> bool {
    given.poses.is_some() || given.pose_scale.is_some() || given.trainer.is_some()
}

fn bases(goal: &Goal) -> Result<Vec<&'static str>, SimError> {
    let Some(name) = goal.basis.as_deref() else { return Ok(vec!["derivatives", "extended"]) };
    const SEARCHED: [&str; 3] = ["modes", "derivatives", "extended"];
    match SEARCHED.into_iter().find(|known| *known == name) {
        Some(name) => Ok(vec![name]),
        None => refuse(Note::new(
            format!(
                "an accuracy is searched in the bases {}, got {}; leave one of the two out",
                SEARCHED.join(", "),
                quote(name)
            ),
            &[ACCURACY, Term::new("basis", "bases")],
        )),
    }
}

impl Work<'_> {
    /// The errors of a model, one for each scenario, those first that are hardest; NaN where it was not run, because one
    /// before was above `limit`.
    pub(super) fn motions(
        &self,
        candidate: &Candidate,
        model: &Arc<Model>,
        limit: f64,
        stage: &'static str,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<f64>, SimError> {
        let mut errors = vec![f64::NAN; self.references.len()];
        for which in candidate.hardest_first(model.basis().rank()) {
            errors[which] = self.references[which].error(model, &self.body, stage, watch)?;
            if errors[which] > limit {
                break;
            }
        }
        Ok(errors)
    }

    /// What forces are made of.
    pub(super) fn source(&self) -> force::Source<'_> {
        force::Source { mesh: &self.mesh, recipe: &self.recipe, body: &self.body }
    }

    pub(super) fn model(&self, basis: Basis, force: Arc<dyn StoredForce>) -> Result<Arc<Model>, SimError> {
        let (mesh, recipe) = (self.mesh.clone(), self.recipe.clone());
        Ok(Model::assemble(mesh, recipe, &self.body, basis, force, Facts::default())?.into())
    }

    /// The force for the chosen coordinates, and the report.
    fn finish(
        mut self,
        coordinates: Coordinates<'_>,
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<Found, SimError> {
        let candidate = coordinates.of;
        let cubic = forces == Forces::Cubic || forces == Forces::ByRank && coordinates.rank <= MOST_CUBIC;
        let (coordinates, chosen, prepared) = if cubic {
            let (entry, basis) = (force::find("cubic").expect("in the table"), coordinates.basis());
            let prepared = (entry.prepare)(self.source(), &basis, &self.settings, watch)?;
            (coordinates, self.measured(candidate, &basis, &prepared, f64::INFINITY, watch)?, prepared)
        } else {
            let (chosen, prepared) = self.points(coordinates, watch)?;
            self.with_held_points(coordinates, chosen, prepared, watch)?
        };
        let Coordinates { rank, error: basis_error, .. } = coordinates;
        let built = candidate.built.first(rank);
        let would_buy = self.would_buy(candidate, &chosen, watch)?;
        let met = chosen.worst() <= self.goal.error;
        self.explain(coordinates, &chosen, met);
        let Self { goal, mesh, recipe, body, references, aim, tried, why, .. } = self;
        let [low, high] = mesh.bounds();
        let scenarios = references.iter().map(|reference| ScenarioFacts {
            dt: reference.rehearsal.scenario.dt,
            steps: reference.rehearsal.scenario.steps,
            period: reference.rehearsal.period,
            pulled: reference.rehearsal.pulled,
            force: reference.rehearsal.force.into(),
            reach: reference.reach / (high - low).max(),
            full_seconds: reference.seconds,
        });
        let report = Report {
            asked: goal.error,
            aim,
            met,
            chosen,
            basis_error,
            projection_error: candidate.bounds[rank],
            tried,
            would_buy,
            why,
            scenarios: scenarios.collect(),
        };
        let made = goal.given.put_together(mesh, recipe, &body, candidate.name, built, prepared)?;
        Ok(Found { made, report })
    }
}

/// The largest error that was measured; NaN where none was.
pub(super) fn worst(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(f64::NAN, f64::max)
}
