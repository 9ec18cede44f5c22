//! How many cubature points: as few as keep the error on fresh poses and in motion.

use pliant_linalg::Watch;
use pliant_reduce::Basis;
use pliant_reduce::force::cubature::most_points;
use pliant_reduce::force::{self, Prepared};
use pliant_reduce::model::ForceData;

use super::Tried;
use super::coordinates::{Candidate, Coordinates};
use super::search::{Work, build, worst};
use super::training::{Sets, even};
use crate::SimError;

/// Points for each coordinate to begin with, and at most.
const EACH: usize = 4;
const MOST_EACH: usize = 20;

/// The same where the basis alone misses the goal, and what the motion with a cubature may then be off by, beside it.
const MOST_EACH_MISSED: usize = 8;
const BESIDE: f64 = 1.25;

/// The most points: their choice grows with the cube.
const MOST_POINTS: usize = 2400;

/// Steps of a search, and how near it comes to the least that is enough.
const STEP: f64 = 1.4;
const NEAR: f64 = 1.1;

impl Work<'_> {
    /// The fewest points that are enough, or the best that was found.
    pub(super) fn points(
        &mut self,
        coordinates: Coordinates<'_>,
        basis: &Basis,
        watch: &mut Watch<'_>,
    ) -> Result<(Tried, Prepared), SimError> {
        // Where the basis has missed the goal, a force that is much better than the basis is of no use.
        let candidate = coordinates.of;
        let missed = coordinates.error > self.goal.error;
        let (aim, most_each) =
            if missed { (BESIDE * coordinates.error, MOST_EACH_MISSED) } else { (self.aim, MOST_EACH) };
        let rank = basis.rank();
        let (least, most, start) = match self.settings.points {
            Some(points) => (points, points, points),
            None => {
                let most = (most_each * rank).min(self.most_points(rank));
                (rank.min(most), most, EACH * rank)
            }
        };
        let body = build(&self.recipe, &self.mesh)?;
        let even = even(&*self.model(basis.clone(), ForceData::Linear)?)?;
        let sets = Sets::new(&body, basis, &even, &self.settings, watch)?;
        let mut nearest: Option<(Tried, Prepared)> = None;
        let found = least_enough(least..=most, start, &mut |points| {
            let (tried, prepared) = self.try_points(candidate, basis, &sets, points, aim, watch)?;
            let (enough, pair) = (tried.worst() <= aim, (tried, prepared));
            let score = |t: &Tried| (t.worst(), t.poses.unwrap_or(0.0));
            if nearest.as_ref().is_none_or(|(best, _)| score(&pair.0) < score(best)) {
                nearest = Some(pair.clone());
            }
            Ok(enough.then_some(pair))
        })?;
        let (mut tried, prepared) = match found {
            Some((_, pair)) => pair,
            None => nearest.expect("at least one number of points was tried"),
        };
        if tried.scenarios.iter().any(|e| e.is_nan()) {
            tried = self.measured(candidate, basis, &prepared, f64::INFINITY, watch)?;
        }
        Ok((tried, prepared))
    }

    /// A cubature of so many points. Where the poses alone say that it is not good enough, it is not run.
    fn try_points(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        sets: &Sets<'_>,
        points: usize,
        aim: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Tried, Prepared), SimError> {
        let prepared = sets.train(points, watch)?;
        let poses = prepared.training.as_ref().map(|t| t.validation_error);
        if poses.is_none_or(|error| error <= aim) {
            return Ok((self.measured(candidate, basis, &prepared, aim, watch)?, prepared));
        }
        let tried = tried(candidate, basis, &prepared, vec![f64::NAN; self.references.len()]);
        self.tried.push(tried.clone());
        Ok((tried, prepared))
    }

    /// The most that there are, that are worth it, and that can be trained.
    fn most_points(&self, rank: usize) -> usize {
        self.body.energy().count().min(MOST_POINTS).min(most_points(self.settings.poses, rank))
    }

    /// The model in motion; scenarios after the first above `limit` are not run.
    pub(super) fn measured(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        prepared: &Prepared,
        limit: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Tried, SimError> {
        let model = self.model(basis.clone(), prepared.data.clone())?;
        let errors = self.motions(candidate, &model, limit, "trying forces", watch)?;
        let tried = tried(candidate, basis, prepared, errors);
        self.tried.push(tried.clone());
        Ok(tried)
    }

    /// One step more of rank, and one of points.
    pub(super) fn would_buy(
        &mut self,
        candidate: &Candidate,
        chosen: &Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Tried>, SimError> {
        let before = self.tried.len();
        let step = |x: usize, most: usize| ((x as f64 * STEP).ceil() as usize).min(most);
        let rank = step(chosen.rank, candidate.built.basis.rank());
        let points = chosen.points.map(|points| step(points, self.most_points(chosen.rank).max(points)));
        let body = build(&self.recipe, &self.mesh)?;
        let mut tries = Vec::new();
        let trainable = chosen.points.is_none_or(|points| points <= most_points(self.settings.poses, rank));
        if self.goal.given.rank.is_none() && rank > chosen.rank && trainable {
            tries.push((rank, chosen.points));
        }
        if self.goal.given.points.is_none() && points > chosen.points {
            tries.push((chosen.rank, points));
        }
        for (rank, points) in tries {
            let basis = candidate.built.basis.first(rank);
            match points {
                None => {
                    let entry = force::find("cubic").expect("in the table");
                    if force::cubic::check_rank(rank).is_ok() {
                        let prepared = (entry.prepare)(self.source(), &basis, &self.settings, watch)?;
                        self.measured(candidate, &basis, &prepared, f64::INFINITY, watch)?;
                    }
                }
                Some(points) => {
                    let even = even(&*self.model(basis.clone(), ForceData::Linear)?)?;
                    let sets = Sets::new(&body, &basis, &even, &self.settings, watch)?;
                    self.try_points(candidate, &basis, &sets, points, f64::INFINITY, watch)?;
                }
            }
        }
        Ok(self.tried.split_off(before))
    }
}

fn tried(candidate: &Candidate, basis: &Basis, prepared: &Prepared, scenarios: Vec<f64>) -> Tried {
    Tried {
        basis: candidate.name.into(),
        modes: candidate.modes,
        rank: basis.rank(),
        forces: prepared.data.name(),
        points: prepared.training.as_ref().map(|t| t.points),
        poses: prepared.training.as_ref().map(|t| t.validation_error),
        scenario: worst(&scenarios),
        scenarios,
    }
}

/// The least number of `range` for which `enough` gives something, to [`NEAR`], and what it gives: from `start` in steps of
/// [`STEP`] until it changes, then between. `None` where not even the largest is enough. What is enough should stay enough
/// further up; where it does not, what comes out is enough all the same.
pub(super) fn least_enough<T>(
    range: std::ops::RangeInclusive<usize>,
    start: usize,
    enough: &mut dyn FnMut(usize) -> Result<Option<T>, SimError>,
) -> Result<Option<(usize, T)>, SimError> {
    let (least, most) = (*range.start(), *range.end());
    let up = |x: usize| ((x as f64 * STEP).ceil() as usize).max(x + 1).min(most);
    let down = |x: usize| ((x as f64 / STEP).floor() as usize).max(least);
    let mut at = start.clamp(least, most);
    let mut below = least.saturating_sub(1);
    let mut best = loop {
        match enough(at)? {
            Some(found) => break (at, found),
            None if at == most => return Ok(None),
            None => {
                below = at;
                at = up(at);
            }
        }
    };
    // Nothing failed yet: go down until something does.
    while below < least && best.0 > least {
        let next = down(best.0);
        match enough(next)? {
            Some(found) => best = (next, found),
            None => below = next,
        }
    }
    while best.0 > below + 1 && best.0 as f64 > NEAR * below.max(1) as f64 {
        let middle =
            ((below.max(1) as f64 * best.0 as f64).sqrt().round() as usize).clamp(below + 1, best.0 - 1);
        match enough(middle)? {
            Some(found) => best = (middle, found),
            None => below = middle,
        }
    }
    Ok(Some(best))
}
