//! Which basis, and how many of its coordinates: by lower bounds, then by exact forces.

use std::sync::Arc;

use pliant_linalg::Watch;
use pliant_reduce::force::StoredProjected;
use pliant_reduce::force::cubature::most_points;
use pliant_reduce::{Basis, Built, ModalAnalysis, basis, linear_modes};

use super::MeasuredModel;
use super::search::{Forces, Work, refuse, worst};
use crate::SimError;

/// Of the aim, what the basis alone may take: a cubature comes on top.
const BASIS_SHARE: f64 = 0.6;

/// Of the basis' share, what the lower bound may take where the first rank is guessed: motions in a basis were seen to be
/// further off than the best that it holds, several times.
const BOUND_SHARE: f64 = 0.2;

/// Numbers of modes that are tried, ascending.
const MODES: [usize; 3] = [10, 20, 40];

/// The most coordinates: a step grows with their cube.
const MOST_RANK: usize = 160;

/// More modes are worth it where they save this part of the coordinates.
const WORTH: f64 = 0.9;

/// The next rank after one that was not enough is by so much larger, at least and at most.
const UP: [f64; 2] = [1.2, 2.0];

/// How near to a rank that was not enough is near enough, and how often something smaller is tried: a try costs as much as
/// the full body's run.
const NEAR: f64 = 1.15;
const SMALLER: usize = 2;

/// A basis that came into question, with all its columns, and its lower bounds for every rank.
pub(super) struct Candidate {
    pub(super) name: &'static str,
    pub(super) modes: usize,
    pub(super) built: Built,
    /// The worst of `each`.
    pub(super) bounds: Vec<f64>,
    /// Of every scenario.
    each: Vec<Vec<f64>>,
}

/// Coordinates of a basis.
#[derive(Clone, Copy)]
pub(super) struct Coordinates<'a> {
    pub(super) of: &'a Candidate,
    pub(super) rank: usize,
    /// Of the motion with exact forces.
    pub(super) error: f64,
}

impl Coordinates<'_> {
    pub(super) fn basis(&self) -> Basis {
        self.of.built.basis.first(self.rank)
    }
}

impl Candidate {
    pub(super) fn new(name: &'static str, modes: usize, built: Built, each: Vec<Vec<f64>>) -> Self {
        let bounds =
            (0..=built.basis.rank()).map(|r| each.iter().map(|e| e[r]).fold(0.0, f64::max)).collect();
        Self { name, modes, built, bounds, each }
    }

    /// The lower bound with all columns.
    pub(super) fn best(&self) -> f64 {
        self.bounds.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The scenarios, those first on which this rank is farthest off at best.
    pub(super) fn hardest_first(&self, rank: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.each.len()).collect();
        order.sort_by(|&a, &b| self.each[b][rank].total_cmp(&self.each[a][rank]).then(a.cmp(&b)));
        order
    }

    /// The rank that should have errors of `wanted`, where `errors` are those of `rank`: they fall as the lower bounds do.
    pub(super) fn expected(&self, rank: usize, errors: &[f64], wanted: f64) -> usize {
        let most = self.built.basis.rank();
        let need =
            self.each.iter().zip(errors).filter(|(_, error)| !error.is_nan()).map(|(bounds, error)| {
                bounds.iter().position(|bound| *bound <= bounds[rank] * wanted / error).unwrap_or(most)
            });
        need.max().unwrap_or(most)
    }
}

impl Work<'_> {
    /// Bases with as few modes as could do, for each name.
    pub(super) fn candidates(
        &mut self,
        names: &[&'static str],
        available: usize,
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Candidate>, SimError> {
        let most_rank = self.goal.given.rank.unwrap_or(match forces {
            Forces::Cubic => 128,
            // As many as can be trained, with as many points at least.
            _ => {
                let points = self.settings.points.unwrap_or(0);
                let fits = |rank: &usize| most_points(self.settings.poses, *rank) >= points.max(*rank);
                (1..=MOST_RANK).rev().find(fits).unwrap_or(1)
            }
        });
        let counts: Vec<usize> = match self.goal.given.modes {
            Some(count) => vec![count],
            None => {
                let mut counts: Vec<usize> = MODES.iter().map(|k| (*k).min(available)).collect();
                counts.dedup();
                counts
            }
        };
        let mut modes: Option<ModalAnalysis> = None;
        let mut candidates = Vec::new();
        for &name in names {
            let mut best: Option<(usize, Candidate)> = None;
            for &count in &counts {
                let all = match modes.take().filter(|m| m.modes.len() >= count) {
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
                let each = self.references.iter().map(|r| r.projection_errors(&built.basis)).collect();
                let candidate = Candidate::new(name, count, built, each);
                let needs = self.enough(&candidate.bounds);
                let better = best.as_ref().is_none_or(|(before, of)| {
                    let fewer = (needs as f64) < WORTH * *before as f64;
                    let nearer = candidate.best() < WORTH * of.best();
                    if self.reaches(of) { fewer } else { nearer }
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
            let (reach_x, reach_y) = (self.reaches(x), self.reaches(y));
            reach_y.cmp(&reach_x).then(if reach_x { a.cmp(b) } else { x.best().total_cmp(&y.best()) })
        });
        Ok(candidates.into_iter().map(|(_, candidate)| candidate).collect())
    }

    /// The lower bound of a rank that is likely to do.
    fn likely(&self) -> f64 {
        BOUND_SHARE * BASIS_SHARE * self.aim
    }

    /// Whether some rank is likely to do. A bound that is merely below what is wanted is not enough: coordinates
    /// with a bound just below it were seen to be off by several times as much.
    fn reaches(&self, candidate: &Candidate) -> bool {
        candidate.best() <= self.likely()
    }

    /// The smallest rank that is likely to do, or all.
    fn enough(&self, bounds: &[f64]) -> usize {
        bounds.iter().position(|e| *e <= self.likely()).unwrap_or(bounds.len() - 1).max(1)
    }

    /// The basis, the rank, and the error with exact forces then.
    pub(super) fn rank<'a>(
        &mut self,
        candidates: &'a [Candidate],
        forces: Forces,
        watch: &mut Watch<'_>,
    ) -> Result<Coordinates<'a>, SimError> {
        let share = if forces == Forces::Cubic { 1.0 } else { BASIS_SHARE };
        let wanted = share * self.aim;
        let mut nearest: Option<Coordinates<'a>> = None;
        for candidate in candidates {
            // Where not even the lower bound reaches, the best of the others is as good an answer.
            if candidate.best() > wanted && self.goal.given.rank.is_none() && nearest.is_some() {
                continue;
            }
            if let Some(found) = self.least_rank(candidate, wanted, &mut nearest, watch)? {
                return Ok(found);
            }
        }
        let nearest = nearest.expect("at least one rank of one basis was tried");
        // Tries end with the first scenario that is missed.
        let errors = self.basis_errors(nearest.of, nearest.rank, f64::INFINITY, watch)?;
        Ok(Coordinates { error: worst(&errors), ..nearest })
    }

    /// The smallest rank of a basis that does, to [`NEAR`]; `nearest` is what came nearest so far.
    fn least_rank<'a>(
        &mut self,
        candidate: &'a Candidate,
        wanted: f64,
        nearest: &mut Option<Coordinates<'a>>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Coordinates<'a>>, SimError> {
        let most = candidate.built.basis.rank();
        let held = self.goal.given.rank.is_some();
        // Below the lower bound nothing has to be tried.
        let hopeless = candidate.bounds.iter().take_while(|e| **e > wanted).count();
        let least = if held { most } else { hopeless.clamp(candidate.built.affine.max(1), most) };
        let mut rank = if held { most } else { self.enough(&candidate.bounds).clamp(least, most) };
        let mut below = least - 1;
        let mut best: Option<Coordinates<'a>> = None;
        let mut smaller = 0;
        loop {
            let errors = self.basis_errors(candidate, rank, wanted, watch)?;
            let at = Coordinates { of: candidate, rank, error: worst(&errors) };
            if at.error <= wanted {
                best = Some(at);
            } else {
                below = rank;
                if nearest.is_none_or(|nearest| at.error < nearest.error) {
                    *nearest = Some(at);
                }
            }
            let expected = candidate.expected(rank, &errors, wanted);
            let times = |x: usize, factor: f64| ((x as f64 * factor).ceil() as usize).min(most);
            rank = match best {
                None if below == most => return Ok(None),
                None => expected.clamp(times(below, UP[0]), times(below, UP[1])),
                Some(best) => {
                    let (low, high) =
                        (times(below, NEAR.sqrt()).max(least), (best.rank as f64 / NEAR) as usize);
                    if low > high || smaller == SMALLER {
                        return Ok(Some(best));
                    }
                    smaller += 1;
                    expected.clamp(low, high)
                }
            };
        }
    }

    /// The errors of the motions with exact forces; those after the first above `limit` are NaN.
    pub(super) fn basis_errors(
        &mut self,
        candidate: &Candidate,
        rank: usize,
        limit: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<f64>, SimError> {
        let model = self.model(candidate.built.basis.first(rank), Arc::new(StoredProjected))?;
        let scenarios = self.motions(candidate, &model, limit, "trying coordinates", watch)?;
        self.tried.push(MeasuredModel {
            basis: candidate.name.into(),
            modes: candidate.modes,
            rank,
            forces: "projected",
            points: None,
            loads: None,
            poses: None,
            scenario: worst(&scenarios),
            scenarios: scenarios.clone(),
        });
        Ok(scenarios)
    }
}
