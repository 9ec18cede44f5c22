//! Trainers of cubatures: one line each. Each chooses components and weights for the same problem ([`Samples`]).

use pliant_linalg::{Named, Random, Table, Watch};

use super::greedy::Candidates;
use super::nn_htp::{Rule, Stop};
use super::samples::Samples;
use super::{Cubature, greedy, nn_htp};
use crate::ReduceError;

/// κ: the error that all weights together cost where they are as large as they usually are.
const RIDGE: f64 = 3e-3;

/// A way to choose components: at most s of those that the samples know, with δ = `ridge` and random choices of its own.
pub type Select =
    fn(&Samples<'_>, points: usize, ridge: f64, &mut Random, &mut Watch<'_>) -> Result<Selected, ReduceError>;

/// How components are chosen: a line of the table.
#[derive(Clone, Copy)]
pub struct Trainer {
    /// The word to ask for it. In a model file it is the trainer that made the cubature, never `best`.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// How it works.
    pub how: How,
}

/// How a trainer works.
#[derive(Clone, Copy)]
pub enum How {
    /// By itself.
    Alone(Select),
    /// It tries others, by their names, and takes what is better under loads, in a trial with a quarter of the points.
    BestOf(&'static [&'static str]),
}

/// Every trainer, the default first. A new one is a function and a line here.
pub static ALL: Table<Trainer> = Table::new(
    "trainer",
    &[
        Trainer::BEST,
        Trainer::NN_HTP,
        Trainer::NN_HTP_QUICK,
        Trainer::NN_HTP_STEP,
        Trainer::GREEDY,
        Trainer::GREEDY_ALL,
        Trainer::GREEDY_SUBSET,
    ],
);

impl Trainer {
    /// NN-HTP and greedy, whichever is better.
    pub const BEST: Self = Self {
        name: "best",
        about: "NN-HTP or greedy: what is better under loads, in a trial with a quarter of the points",
        how: How::BestOf(&["nn-htp", "greedy"]),
    };
    /// NN-HTP: s components at once, changed over some iterations by least squares and backward elimination.
    pub const NN_HTP: Self = Self {
        name: "nn-htp",
        about: "all points at once, changed over some iterations by least squares and backward elimination",
        how: How::Alone(|samples, points, ridge, random, watch| {
            nn_htp::select(samples, points, Rule::Elimination, Stop::LATE, ridge, random, watch)
        }),
    };
    /// NN-HTP that ends with the first iteration that takes less than a twentieth off the error: about two fifths of the
    /// time, and errors larger by an eighth to a sixth.
    pub const NN_HTP_QUICK: Self = Self {
        name: "nn-htp-quick",
        about: "NN-HTP that ends early: two fifths of the time, errors larger by an eighth to a sixth",
        how: How::Alone(|samples, points, ridge, random, watch| {
            nn_htp::select(samples, points, Rule::Elimination, Stop::EARLY, ridge, random, watch)
        }),
    };
    /// NN-HTP by a step along the gradient: T14 Algorithm 2, columns scaled to length one.
    pub const NN_HTP_STEP: Self = Self {
        name: "nn-htp-step",
        about: "NN-HTP by a step along the gradient, for comparison: quicker, the larger errors",
        how: How::Alone(|samples, points, ridge, random, watch| {
            nn_htp::select(samples, points, Rule::Step, Stop::LATE, ridge, random, watch)
        }),
    };
    /// Greedy, one component after the other, from candidates that are drawn once.
    pub const GREEDY: Self = Self {
        name: "greedy",
        about: "one point after the other, from candidates that are drawn once",
        how: How::Alone(|samples, points, ridge, random, watch| {
            greedy::select(samples, points, Candidates::Drawn, ridge, random, watch)
        }),
    };
    /// Greedy from all components.
    pub const GREEDY_ALL: Self = Self {
        name: "greedy-all",
        about: "greedy from all components, for comparison: slow on large meshes, hardly better",
        how: How::Alone(|samples, points, ridge, random, watch| {
            greedy::select(samples, points, Candidates::All, ridge, random, watch)
        }),
    };
    /// Greedy with 100 candidates and 10 poses, both drawn anew for each component, the settings that T14 compares with.
    pub const GREEDY_SUBSET: Self = Self {
        name: "greedy-subset",
        about: "greedy with 100 candidates and 10 poses drawn anew for each point, for comparison",
        how: How::Alone(greedy::select_by_subsets),
    };

    /// Those to try: itself, or what it is the best of.
    ///
    /// # Errors
    /// A name that is in no line of the table.
    pub(super) fn entrants(self) -> Result<Vec<(Self, Select)>, ReduceError> {
        match self.how {
            How::Alone(select) => Ok(vec![(self, select)]),
            How::BestOf(names) => {
                let each = names.iter().map(|name| ALL.get(name)?.entrants());
                Ok(each.collect::<Result<Vec<_>, ReduceError>>()?.concat())
            }
        }
    }
}

impl Named for Trainer {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Default for Trainer {
    fn default() -> Self {
        Self::BEST
    }
}

impl PartialEq for Trainer {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Components and weights that a trainer chose.
pub struct Selected {
    /// At most as many as were asked for.
    pub cubature: Cubature,
    /// ε(w) on the training poses.
    pub error: f64,
    /// ε(w) after each iteration.
    pub errors: Vec<f64>,
}

/// What `trainer` chooses for `samples`, and the name of who did: of several the one whose choice is nearest on the `fresh` poses.
pub(crate) fn best_of(
    trainer: Trainer,
    samples: &Samples<'_>,
    fresh: &Samples<'_>,
    points: usize,
    random: &mut Random,
    watch: &mut Watch<'_>,
) -> Result<(&'static str, Selected), ReduceError> {
    let ridge = ridge_of(samples, points);
    let mut best: Option<(f64, &'static str, Selected)> = None;
    for (trainer, select) in trainer.entrants()? {
        let selected = select(samples, points, ridge, &mut random.clone(), watch)?;
        let error = fresh.error(&selected.cubature)?;
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, trainer.name, selected));
        }
    }
    let (_, name, selected) = best.expect("every trainer is one or has some to try");
    Ok((name, selected))
}

/// δ for s points of the problem that `samples` state.
pub(super) fn ridge_of(samples: &Samples<'_>, points: usize) -> f64 {
    RIDGE.powi(2) * samples.count() as f64 * points as f64 / (samples.sum.count() as f64).powi(2)
}

/// Components with weights > 0, in order: for trainers.
pub fn cubature_of(components: &[u32], weights: &[f64]) -> Cubature {
    let all = components.iter().copied().zip(weights.iter().copied());
    let mut all: Vec<(u32, f64)> = all.filter(|&(_, w)| w > 0.0).collect();
    all.sort_unstable_by_key(|s| s.0);
    let (components, weights) = all.into_iter().unzip();
    Cubature::new(components, weights)
}
