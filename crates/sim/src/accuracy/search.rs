//! The search itself: a basis by its lower bound, a rank by exact forces, points by training.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::Watch;
use pliant_mesh::MeshData;
use pliant_reduce::force::{self, Prepared, Settings};
use pliant_reduce::model::{Facts, ForceData};
use pliant_reduce::precompute::MOST_CUBIC;
use pliant_reduce::{Basis, Built, LinearModes, Model, ReduceError, basis, linear_modes};

use super::training::{Sets, even};
use super::{AIM, Found, Goal, Pull, Reference, Report, Told, Tried};
use crate::SimError;

/// Of the aim, what the basis alone may take: a cubature comes on top.
const BASIS_SHARE: f64 = 0.6;

/// Of the basis' share, what the lower bound may take where the first rank is guessed: a motion in a basis is further off than the
/// best that it holds.
const BOUND_SHARE: f64 = 0.2;

/// Numbers of modes that are tried, ascending.
const MODES: [usize; 3] = [10, 20, 40];

/// The most coordinates: a step grows with their cube.
const MOST_RANK: usize = 160;

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

/// More modes are worth it where they save this part of the coordinates.
const WORTH: f64 = 0.9;

/// What all tries share.
struct Work<'a> {
    goal: &'a Goal,
    mesh: MeshData,
    recipe: Recipe,
    body: Body,
    reference: Reference,
    settings: Settings,
    aim: f64,
    tried: Vec<Tried>,
    why: Vec<String>,
}

/// A basis that came into question, with all its columns, and its lower bounds for every rank.
struct Candidate {
    name: &'static str,
    modes: usize,
    built: Built,
    bounds: Vec<f64>,
}

/// Which force the model gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forces {
    Cubic,
    Cubature,
    /// The first up to [`MOST_CUBIC`] coordinates, else the second.
    ByRank,
}

pub(super) fn search(
    goal: &Goal,
    mesh: MeshData,
    recipe: Recipe,
    watch: &mut Watch<'_>,
) -> Result<Found, SimError> {
    let body = build(&recipe, &mesh)?;
    // All that can be known to be wrong, before minutes of work.
    let forces = check(goal, &body)?;
    let names = bases(goal)?;
    let settings = goal.given.settings()?;
    if forces != Forces::Cubic {
        (force::find("cubature").expect("in the table").check)(&body, &settings)?;
    }
    let most_modes = body.dofs().free().len().saturating_sub(body.rigid_count());
    let rehearsal = Pull::usual(&body).scenario(build(&recipe, &mesh)?, watch)?;
    let reference = Reference::new(build(&recipe, &mesh)?, rehearsal, watch)?;
    let aim = AIM * goal.error;
    let mut work =
        Work { goal, mesh, recipe, body, reference, settings, aim, tried: Vec::new(), why: Vec::new() };
    let candidates = work.candidates(&names, most_modes, forces, watch)?;
    let (which, rank, basis_error) = work.rank(&candidates, forces, watch)?;
    work.finish(&candidates[which], rank, basis_error, forces, watch)
}

fn build(recipe: &Recipe, mesh: &MeshData) -> Result<Body, SimError> {
    Ok(recipe.build(mesh.clone()).map_err(ReduceError::from)?)
}

fn refuse<T>(sentence: String) -> Result<T, SimError> {
    Err(ReduceError::Request(sentence).into())
}

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
        (Some("cubic"), Some(_)) => refuse(
            "a number of points (`--cubature`) is for cubature forces, and cubic forces have nothing to train; leave it \
             out, or use --forces cubature"
                .into(),
        ),
        (None, None) => Ok(if cubic.is_ok() { Forces::ByRank } else { Forces::Cubature }),
        (Some(other), _) => refuse(format!(
            "an accuracy (`--accuracy`) is searched with cubature or cubic forces, not with {other} ones; leave one of \
             the two out, or use --forces cubature"
        )),
    }
}

fn bases(goal: &Goal) -> Result<Vec<&'static str>, SimError> {
    let Some(name) = goal.basis.as_deref() else { return Ok(vec!["derivatives", "extended"]) };
    const SEARCHED: [&str; 3] = ["modes", "derivatives", "extended"];
    match SEARCHED.into_iter().find(|known| *known == name) {
        Some(name) => Ok(vec![name]),
        None => refuse(format!(
            "an accuracy (`--accuracy`) is searched in the bases {}, got {name:?}; leave one of the two out",
            SEARCHED.join(", ")
        )),
    }
}

impl Work<'_> {
    /// Bases with as few modes as could do, for each name.
    fn candidates(
        &mut self,
        names: &[&'static str],
        available: usize,
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Candidate>, SimError> {
        let most_rank = self.goal.given.rank.unwrap_or(match forces {
            Forces::Cubic => 128,
            _ => MOST_RANK,
        });
        let counts: Vec<usize> = match self.goal.given.modes {
            Some(count) => vec![count],
            None => {
                let mut counts: Vec<usize> = MODES.iter().map(|k| (*k).min(available)).collect();
                counts.dedup();
                counts
            }
        };
        let mut modes: Option<LinearModes> = None;
        let mut candidates = Vec::new();
        for &name in names {
            let mut best: Option<(usize, Candidate)> = None;
            for &count in &counts {
                let all = match modes.take().filter(|m| m.len() >= count) {
                    Some(modes) => modes,
                    // The largest number at once: they cost less together than one after the other.
                    None => linear_modes(&self.body, counts[counts.len() - 1], watch)?,
                };
                let built = basis::from_modes(name, &self.body, &all.first(count), most_rank, watch)
                    .expect("a basis of modes")?;
                modes = Some(all);
                if let Some(asked) = self.goal.given.rank.filter(|&rank| built.basis.rank() < rank) {
                    let least = self.goal.given.modes.is_none() && count < counts[counts.len() - 1];
                    if least {
                        continue;
                    }
                    return refuse(format!(
                        "rank {asked} is more than {name} of {count} modes have, {}; ask for more modes, or for that",
                        built.basis.rank()
                    ));
                }
                let bounds = self.reference.projection_errors(&built.basis);
                let needs = self.enough(&bounds);
                let candidate = Candidate { name, modes: count, built, bounds };
                let better = best.as_ref().is_none_or(|(before, of)| {
                    let fewer = (needs as f64) < WORTH * *before as f64;
                    let nearer = last(&candidate.bounds) < WORTH * last(&of.bounds);
                    if self.reaches(&of.bounds) { fewer } else { nearer }
                });
                if better {
                    best = Some((needs, candidate));
                } else {
                    break;
                }
            }
            candidates.extend(best);
        }
        // Those that could reach the aim with the fewest coordinates first; of others, those that come nearest.
        candidates.sort_by(|(a, x), (b, y)| {
            let (reach_x, reach_y) = (self.reaches(&x.bounds), self.reaches(&y.bounds));
            reach_y.cmp(&reach_x).then(if reach_x {
                a.cmp(b)
            } else {
                last(&x.bounds).total_cmp(&last(&y.bounds))
            })
        });
        Ok(candidates.into_iter().map(|(_, candidate)| candidate).collect())
    }

    /// Whether the lower bound leaves hope.
    fn reaches(&self, bounds: &[f64]) -> bool {
        last(bounds) <= BASIS_SHARE * self.aim
    }

    /// The smallest rank whose lower bound leaves room, or all.
    fn enough(&self, bounds: &[f64]) -> usize {
        let wanted = BOUND_SHARE * BASIS_SHARE * self.aim;
        bounds.iter().position(|e| *e <= wanted).unwrap_or(bounds.len() - 1).max(1)
    }

    /// The candidate, the rank, and the error with exact forces then.
    fn rank(
        &mut self,
        candidates: &[Candidate],
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<(usize, usize, f64), SimError> {
        let mut nearest: Option<(usize, usize, f64)> = None;
        for (which, candidate) in candidates.iter().enumerate() {
            let most = candidate.built.basis.rank();
            let affine = candidate.built.affine.max(1);
            let share = if forces == Forces::Cubic { 1.0 } else { BASIS_SHARE };
            let wanted = share * self.aim;
            // Below the lower bound nothing has to be tried.
            let hopeless = candidate.bounds.iter().take_while(|e| **e > wanted).count();
            let held = self.goal.given.rank.is_some();
            if hopeless > most && !held && nearest.is_some() {
                continue;
            }
            let least = if held { most } else { hopeless.clamp(affine, most) };
            let start = if held { most } else { self.enough(&candidate.bounds) };
            let found = least_enough(least..=most, start, &mut |rank| {
                let error = self.basis_error(candidate, rank, watch)?;
                if nearest.as_ref().is_none_or(|(_, _, best)| error < *best) {
                    nearest = Some((which, rank, error));
                }
                Ok((error <= wanted).then_some(error))
            })?;
            if let Some((rank, error)) = found {
                return Ok((which, rank, error));
            }
        }
        Ok(nearest.expect("at least one rank of one basis was tried"))
    }

    /// The error of the motion with exact forces.
    fn basis_error(
        &mut self,
        candidate: &Candidate,
        rank: usize,
        watch: &mut Watch<'_>,
    ) -> Result<f64, SimError> {
        let basis = candidate.built.basis.first(rank);
        let model = self.model(basis, ForceData::Projected)?;
        let error = self.reference.error(&model, &self.body, "trying coordinates", watch)?;
        self.tried.push(Tried {
            basis: candidate.name.into(),
            modes: candidate.modes,
            rank,
            forces: "projected",
            points: None,
            poses: None,
            scenario: error,
        });
        Ok(error)
    }

    /// What forces are made of.
    fn source(&self) -> force::Source<'_> {
        force::Source { mesh: &self.mesh, recipe: &self.recipe, body: &self.body }
    }

    fn model(&self, basis: Basis, force: ForceData) -> Result<Arc<Model>, SimError> {
        let (mesh, recipe) = (self.mesh.clone(), self.recipe.clone());
        Ok(Model::assemble(mesh, recipe, &self.body, basis, force, Facts::default())?.into())
    }

    /// The force for the chosen coordinates, and the report.
    fn finish(
        mut self,
        candidate: &Candidate,
        rank: usize,
        basis_error: f64,
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<Found, SimError> {
        let built = candidate.built.first(rank);
        let cubic = forces == Forces::Cubic || forces == Forces::ByRank && rank <= MOST_CUBIC;
        let (chosen, prepared) = if cubic {
            let entry = force::find("cubic").expect("in the table");
            let prepared = (entry.prepare)(self.source(), &built.basis, &self.settings, watch)?;
            (self.measured(candidate, &built.basis, &prepared, watch)?, prepared)
        } else {
            self.points(candidate, &built.basis, basis_error, watch)?
        };
        let would_buy = self.would_buy(candidate, &chosen, watch)?;
        let met = chosen.worst() <= self.goal.error;
        self.explain(candidate, &chosen, basis_error, met);
        let Self { goal, mesh, recipe, body, reference, aim, tried, why, .. } = self;
        let [low, high] = mesh.bounds();
        let scenario = Told {
            dt: reference.rehearsal.scenario.dt,
            steps: reference.rehearsal.scenario.steps,
            period: reference.rehearsal.period,
            pulled: reference.rehearsal.pulled,
            force: reference.rehearsal.force.into(),
            reach: reference.reach / (high - low).max(),
            full_seconds: reference.seconds,
        };
        let projection_error = candidate.bounds[rank];
        let made = goal.given.put_together(mesh, recipe, &body, candidate.name, built, prepared)?;
        let report = Report {
            asked: goal.error,
            aim,
            met,
            chosen,
            basis_error,
            projection_error,
            tried,
            would_buy,
            why,
            scenario,
        };
        Ok(Found { made, report })
    }

    /// The fewest points that are enough, or the best that was found.
    fn points(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        basis_error: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Tried, Prepared), SimError> {
        // Where the basis has missed the goal, a force that is much better than the basis is of no use.
        let missed = basis_error > self.goal.error;
        let (aim, most_each) =
            if missed { (BESIDE * basis_error, MOST_EACH_MISSED) } else { (self.aim, MOST_EACH) };
        let (all, rank) = (self.body.energy().count(), basis.rank());
        let (least, most, start) = match self.settings.points {
            Some(points) => (points, points, points),
            None => (rank.min(all), (most_each * rank).min(MOST_POINTS).min(all), (EACH * rank).min(all)),
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
        if tried.scenario.is_nan() {
            tried = self.measured(candidate, basis, &prepared, watch)?;
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
            return Ok((self.measured(candidate, basis, &prepared, watch)?, prepared));
        }
        let tried = tried(candidate, basis, &prepared, f64::NAN);
        self.tried.push(tried.clone());
        Ok((tried, prepared))
    }

    fn measured(
        &mut self,
        candidate: &Candidate,
        basis: &Basis,
        prepared: &Prepared,
        watch: &mut Watch<'_>,
    ) -> Result<Tried, SimError> {
        let model = self.model(basis.clone(), prepared.data.clone())?;
        let error = self.reference.error(&model, &self.body, "trying forces", watch)?;
        let tried = tried(candidate, basis, prepared, error);
        self.tried.push(tried.clone());
        Ok(tried)
    }

    /// One step more of rank, and one of points.
    fn would_buy(
        &mut self,
        candidate: &Candidate,
        chosen: &Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Tried>, SimError> {
        let before = self.tried.len();
        let all = self.body.energy().count();
        let step = |x: usize, most: usize| ((x as f64 * STEP).ceil() as usize).min(most);
        let rank = step(chosen.rank, candidate.built.basis.rank());
        let points = chosen.points.map(|points| step(points, all.min(MOST_POINTS).max(points)));
        let body = build(&self.recipe, &self.mesh)?;
        let mut tries = Vec::new();
        if self.goal.given.rank.is_none() && rank > chosen.rank {
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
                        self.measured(candidate, &basis, &prepared, watch)?;
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

    /// Sentences.
    fn explain(&mut self, candidate: &Candidate, chosen: &Tried, basis_error: f64, met: bool) {
        let percent = |x: f64| {
            if x.is_finite() { format!("{:.3} %", 100.0 * x) } else { "no end of the run".into() }
        };
        let best = last(&candidate.bounds);
        self.why.push(format!(
            "{} coordinates of the basis {} from {} modes: with exact forces the motion is off by {}, and no motion in them \
             could be off by less than {}",
            chosen.rank,
            chosen.basis,
            chosen.modes,
            percent(basis_error),
            percent(candidate.bounds[chosen.rank])
        ));
        if let (Some(points), Some(poses)) = (chosen.points, chosen.poses) {
            self.why.push(format!(
                "{points} cubature points: the force is off by {} on fresh poses, the motion by {}",
                percent(poses),
                percent(chosen.scenario)
            ));
        }
        if met {
            return;
        }
        let asked = percent(self.goal.error);
        let given = &self.goal.given;
        let sentence = if best > self.aim {
            let more = match (given.rank, given.modes) {
                (Some(_), _) => "leave out --rank".to_owned(),
                (None, Some(_)) => "leave out --modes, or ask for more".to_owned(),
                (None, None) => format!("ask for more than {} modes with --modes", candidate.modes),
            };
            format!(
                "no motion in the {} coordinates that were looked at comes nearer to the full body than {}: {more}, or \
                 ask for less than {asked}",
                candidate.built.basis.rank(),
                percent(best)
            )
        } else if basis_error > self.goal.error {
            format!(
                "the basis alone is off by {}: more coordinates or modes (--rank, --modes) may help, and so does asking for \
                 less than {asked}",
                percent(basis_error)
            )
        } else {
            format!(
                "the coordinates are good enough, the force in them is not: more poses (--training), a smaller \
                 --pose-scale{} may help",
                if given.points.is_some() { ", or leaving out --cubature" } else { "" }
            )
        };
        self.why.push(sentence);
    }
}

fn last(bounds: &[f64]) -> f64 {
    bounds.last().copied().unwrap_or(f64::INFINITY)
}

fn tried(candidate: &Candidate, basis: &Basis, prepared: &Prepared, scenario: f64) -> Tried {
    Tried {
        basis: candidate.name.into(),
        modes: candidate.modes,
        rank: basis.rank(),
        forces: prepared.data.name(),
        points: prepared.training.as_ref().map(|t| t.points),
        poses: prepared.training.as_ref().map(|t| t.validation_error),
        scenario,
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
