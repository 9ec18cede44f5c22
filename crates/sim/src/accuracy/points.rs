//! How many cubature points: as few as keep the error under loads and in motion.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::force::cubature::most_points;
use pliant_reduce::force::{
    self, Cubature, Prepared, Settings, Trained, Training, TrainingFacts, TrainingSet,
};
use pliant_reduce::{Basis, ReduceError};

use super::coordinates::{Candidate, Coordinates};
use super::search::{Work, worst};
use super::{AIM_LOADS, MeasuredModel};
use crate::SimError;

/// Points for each coordinate to begin with, and at most.
const EACH: usize = 4;
const MOST_EACH: usize = 20;

/// The same where the basis alone misses the goal, and what the motion with a cubature may then be off by, beside it.
const MOST_EACH_MISSED: usize = 8;
const BESIDE: f64 = 1.25;

/// The most points: their choice grows with the cube.
const MOST_POINTS: usize = 2400;

/// The error was seen to fall with this power of the number of points.
const FALLS: f64 = 1.4;

/// The next number after one that was not enough is by so much larger, at least and at most.
const UP: [f64; 2] = [1.15, 3.0];

/// Points are trained anew where less than this part of them is left.
const MANY_GONE: f64 = 0.8;

/// How near a search comes to the least that is enough.
const NEAR: f64 = 1.1;

/// What one step more is, of rank and of points.
const STEP: f64 = 1.4;

/// The largest errors that are enough.
#[derive(Clone, Copy)]
struct Aim {
    loads: f64,
    scenario: f64,
}

impl Aim {
    fn reached(self, tried: &MeasuredModel) -> bool {
        tried.complete() && self.times(tried) <= 1.0
    }

    /// How many times too large the larger of the errors is that were measured.
    fn times(self, tried: &MeasuredModel) -> f64 {
        (tried.scenario / self.scenario).max(tried.loads.unwrap_or(0.0) / self.loads)
    }
}

impl Work<'_> {
    /// Poses and exact forces to train any number of points with.
    fn training_set<'a>(
        &self,
        body: &'a Body,
        basis: &'a Basis,
        watch: &mut Watch<'_>,
    ) -> Result<TrainingSet<'a>, ReduceError> {
        let Settings { poses, pose_scale, seed, trainer, .. } = self.settings;
        let training = Training { poses, pose_scale, seed, trainer, ..Training::default() };
        TrainingSet::new(body, basis, &training, watch)
    }

    /// The fewest points that are enough, or the best that was found: more and more are trained until they are enough, then
    /// those that are needed least are taken out.
    pub(super) fn points(
        &mut self,
        coordinates: Coordinates<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(MeasuredModel, Prepared), SimError> {
        let basis = &coordinates.basis();
        // Where the basis has missed the goal, a force that is much better than the basis is of no use.
        let candidate = coordinates.of;
        let missed = coordinates.error > self.goal.error;
        let (aim, most_each) = match missed {
            true => (
                Aim { loads: BESIDE * coordinates.error, scenario: BESIDE * coordinates.error },
                MOST_EACH_MISSED,
            ),
            false => (Aim { loads: AIM_LOADS * self.goal.error, scenario: self.aim }, MOST_EACH),
        };
        let rank = basis.rank();
        let (least, most, start) = match self.settings.points {
            Some(points) => (points, points, points),
            None => {
                let most = (most_each * rank).min(self.most_points(rank));
                (rank.min(most), most, (EACH * rank).min(most))
            }
        };
        let body = Arc::clone(&self.body);
        let set = self.training_set(&body, basis, watch)?;
        let score = |t: &MeasuredModel| (t.worst(), t.loads.unwrap_or(0.0));
        let (mut points, mut below) = (start, least - 1);
        let mut nearest: Option<(MeasuredModel, Prepared)> = None;
        let enough = loop {
            let prepared = prepared(set.train(points, watch)?);
            let tried = self.try_points(candidate, basis, &prepared, aim, watch)?;
            let times = aim.times(&tried);
            if aim.reached(&tried) {
                break Some((tried, prepared));
            }
            if nearest.as_ref().is_none_or(|(best, _)| score(&tried) < score(best)) {
                nearest = Some((tried, prepared));
            }
            if points == most {
                break None;
            }
            (below, points) = (points, more_points(points, times).min(most));
        };
        let (mut tried, prepared) = match enough {
            Some(mut best) => loop {
                let (full, first) = (best.1.clone(), fewer_points(points, aim.times(&best.0)));
                let thinned = least_enough(below, points, first, &mut |points| {
                    let prepared = thinned(&set, &full, points, watch)?;
                    let tried = self.try_points(candidate, basis, &prepared, aim, watch)?;
                    Ok(aim.reached(&tried).then_some((points, (tried, prepared))))
                })?;
                let Some((fewer, thinned)) = thinned else { break best };
                best = thinned;
                if fewer as f64 > MANY_GONE * points as f64 {
                    break best;
                }
                // Where many went, a training of its own finds better ones, and then still fewer may do.
                let prepared = prepared(set.train(fewer, watch)?);
                let tried = self.try_points(candidate, basis, &prepared, aim, watch)?;
                if !aim.reached(&tried) {
                    break best;
                }
                (best, points, below) = ((tried, prepared), fewer, least - 1);
            },
            None => nearest.expect("at least one number of points was tried"),
        };
        if tried.scenarios.iter().any(|e| e.is_nan()) {
            tried = self.measured(candidate, basis, &prepared, f64::INFINITY, watch)?;
        }
        Ok((tried, prepared))
    }

    /// Where the number of points is held and the goal is missed, fewer coordinates may be nearer to it, for which the points
    /// are enough: the best of some.
    pub(super) fn with_held_points<'c>(
        &mut self,
        mut coordinates: Coordinates<'c>,
        mut chosen: MeasuredModel,
        mut prepared: Prepared,
        watch: &mut Watch<'_>,
    ) -> Result<(Coordinates<'c>, MeasuredModel, Prepared), SimError> {
        let held = self.goal.given.points.is_some() && self.goal.given.rank.is_none();
        let mut rank = coordinates.rank;
        while held && chosen.worst() > self.goal.error {
            rank = (rank as f64 / STEP) as usize;
            if rank < coordinates.of.built.affine.max(1) {
                break;
            }
            let errors = self.basis_errors(coordinates.of, rank, f64::INFINITY, watch)?;
            let fewer = Coordinates { rank, error: worst(&errors), ..coordinates };
            // The fewer, the worse the basis: where it alone is as far off, nothing is left to win.
            if fewer.error >= chosen.worst() {
                break;
            }
            let (tried, trained) = self.points(fewer, watch)?;
            if tried.worst() < chosen.worst() {
                (coordinates, chosen, prepared) = (fewer, tried, trained);
            }
        }
        Ok((coordinates, chosen, prepared))
    }

    /// A cubature. Where the loads alone say that it is not good enough, it is not run.
    fn try_points(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        prepared: &Prepared,
        aim: Aim,
        watch: &mut Watch<'_>,
    ) -> Result<MeasuredModel, SimError> {
        let loads = prepared.training.as_ref().map(TrainingFacts::seen_error);
        if loads.is_none_or(|error| error <= aim.loads) {
            return self.measured(candidate, basis, prepared, aim.scenario, watch);
        }
        let tried = tried(candidate, basis, prepared, vec![f64::NAN; self.references.len()]);
        self.tried.push(tried.clone());
        Ok(tried)
    }

    /// The most that there are, that are worth it, and that can be trained.
    fn most_points(&self, rank: usize) -> usize {
        self.body.components().count().min(MOST_POINTS).min(most_points(self.settings.poses, rank))
    }

    /// The model in motion; scenarios after the first above `limit` are not run.
    pub(super) fn measured(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        prepared: &Prepared,
        limit: f64,
        watch: &mut Watch<'_>,
    ) -> Result<MeasuredModel, SimError> {
        let model = self.model(basis.clone(), prepared.force.clone())?;
        let errors = self.motions(candidate, &model, limit, "trying forces", watch)?;
        let tried = tried(candidate, basis, prepared, errors);
        self.tried.push(tried.clone());
        Ok(tried)
    }

    /// One step more of rank, and one of points: of what was tried, or tried now. With a cubature the step of rank is judged
    /// with exact forces: what the basis would take off.
    pub(super) fn would_buy(
        &mut self,
        candidate: &Candidate,
        chosen: &MeasuredModel,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<MeasuredModel>, SimError> {
        let mut buys = Vec::new();
        let step = |x: usize, most: usize| ((x as f64 * STEP).ceil() as usize).min(most);
        let rank = step(chosen.rank, candidate.built.basis.rank());
        if self.goal.given.rank.is_none() && rank > chosen.rank {
            let exact = |t: &&MeasuredModel| t.forces == "projected" && t.rank > chosen.rank && t.complete();
            match (chosen.points, self.already(chosen, exact)) {
                (Some(_), Some(tried)) => buys.push(tried),
                (Some(_), None) => {
                    self.basis_errors(candidate, rank, f64::INFINITY, watch)?;
                    buys.extend(self.tried.pop());
                }
                (None, _) if force::cubic::check_rank(rank).is_ok() => {
                    let (entry, basis) =
                        (force::find("cubic").expect("in the table"), candidate.built.basis.first(rank));
                    let prepared = (entry.prepare)(self.source(), &basis, &self.settings, watch)?;
                    self.measured(candidate, &basis, &prepared, f64::INFINITY, watch)?;
                    buys.extend(self.tried.pop());
                }
                (None, _) => {}
            }
        }
        let Some(points) = chosen.points.filter(|_| self.goal.given.points.is_none()) else {
            return Ok(buys);
        };
        let more = |t: &&MeasuredModel| t.rank == chosen.rank && t.points > chosen.points && t.complete();
        let most = step(points, self.most_points(chosen.rank).max(points));
        match self.already(chosen, more) {
            Some(tried) => buys.push(tried),
            None if most > points => {
                let (basis, body) = (candidate.built.basis.first(chosen.rank), Arc::clone(&self.body));
                let prepared = prepared(self.training_set(&body, &basis, watch)?.train(most, watch)?);
                self.measured(candidate, &basis, &prepared, f64::INFINITY, watch)?;
                buys.extend(self.tried.pop());
            }
            None => {}
        }
        Ok(buys)
    }

    /// Of the tries in the basis of the chosen one that are `wanted`, the smallest.
    fn already(
        &self,
        chosen: &MeasuredModel,
        wanted: impl Fn(&&MeasuredModel) -> bool,
    ) -> Option<MeasuredModel> {
        let same = |t: &&MeasuredModel| t.basis == chosen.basis && t.modes == chosen.modes;
        self.tried.iter().filter(same).filter(wanted).min_by_key(|t| (t.rank, t.points)).cloned()
    }
}

fn tried(candidate: &Candidate, basis: &Basis, prepared: &Prepared, scenarios: Vec<f64>) -> MeasuredModel {
    MeasuredModel {
        basis: candidate.name.into(),
        modes: candidate.modes,
        rank: basis.rank(),
        forces: prepared.force.name(),
        points: prepared.training.as_ref().map(|t| t.points),
        loads: prepared.training.as_ref().map(TrainingFacts::seen_error),
        poses: prepared.training.as_ref().map(|t| t.validation_error),
        scenario: worst(&scenarios),
        scenarios,
    }
}

/// How many points should be enough where `points` have errors of so many times what is wanted.
fn more_points(points: usize, times: f64) -> usize {
    let factor = times.powf(1.0 / FALLS).clamp(UP[0], UP[1]);
    (points as f64 * factor).ceil() as usize
}

/// How few should be enough.
fn fewer_points(points: usize, times: f64) -> usize {
    (points as f64 * times.clamp(0.0, 1.0).powf(1.0 / FALLS)).ceil() as usize
}

/// The least number between `below`, which is not enough, and `above`, which is, for which `enough` gives something, to
/// [`NEAR`], and what it gives: `first`, then between. `None` where nothing less than `above` is enough.
pub(super) fn least_enough<T>(
    mut below: usize,
    mut above: usize,
    first: usize,
    enough: &mut dyn FnMut(usize) -> Result<Option<T>, SimError>,
) -> Result<Option<T>, SimError> {
    let mut best = None;
    let mut next = first;
    while above > below + 1 && above as f64 > NEAR * below.max(1) as f64 {
        next = next.clamp(below + 1, above - 1);
        match enough(next)? {
            Some(found) => (above, best) = (next, Some(found)),
            None => below = next,
        }
        next = (below.max(1) as f64 * above as f64).sqrt().round() as usize;
    }
    Ok(best)
}

fn prepared(trained: Trained) -> Prepared {
    let Trained { cubature, facts, warnings, .. } = trained;
    Prepared { force: Arc::new(cubature), training: Some(facts), warnings }
}

/// At most so many of the components of a force that was trained with `set`.
fn thinned(
    set: &TrainingSet<'_>,
    full: &Prepared,
    points: usize,
    watch: &mut Watch<'_>,
) -> Result<Prepared, ReduceError> {
    let Some(cubature) = full.force.downcast_ref::<Cubature>() else { return Ok(full.clone()) };
    Ok(prepared(set.thin(cubature, points, watch)?))
}
