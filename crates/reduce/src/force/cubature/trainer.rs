//! Trainers of cubatures: one line each. Each chooses components and weights for the same problem ([`Samples`]).

use pliant_linalg::{Random, Watch};

use super::samples::Samples;
use super::{Cubature, greedy, nn_htp};
use crate::ReduceError;

/// κ: the error that all weights together cost where they are as large as they usually are.
const RIDGE: f64 = 3e-3;

/// How components are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trainer {
    /// NN-HTP and greedy; what is better on fresh poses is taken.
    #[default]
    Best,
    /// NN-HTP: s components at once, changed over some iterations by least squares and backward elimination.
    NnHtp,
    /// NN-HTP that ends with the first iteration that takes less than a twentieth off the error: about two fifths of the
    /// time, and errors larger by an eighth to a sixth.
    NnHtpQuick,
    /// NN-HTP by a step along the gradient: 004 Algorithm 2, columns scaled to length one. Quicker; the larger errors.
    NnHtpStep,
    /// Greedy, one component after the other, from candidates that are drawn once.
    Greedy,
    /// Greedy from all components: slow on large meshes, hardly better.
    GreedyAll,
    /// Greedy with 100 candidates and 10 poses, both drawn anew for each component, the settings that 004 compares with.
    GreedySubset,
}

impl Trainer {
    /// Every trainer, the default first.
    pub const ALL: [Self; 7] = [
        Self::Best,
        Self::NnHtp,
        Self::NnHtpQuick,
        Self::NnHtpStep,
        Self::Greedy,
        Self::GreedyAll,
        Self::GreedySubset,
    ];

    /// The word to ask for it. In a model file it is the trainer that made the cubature, never `best`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::NnHtp => "nn-htp",
            Self::NnHtpQuick => "nn-htp-quick",
            Self::NnHtpStep => "nn-htp-step",
            Self::Greedy => "greedy",
            Self::GreedyAll => "greedy-all",
            Self::GreedySubset => "greedy-subset",
        }
    }

    /// The trainer called `name`.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trainer| trainer.name() == name)
    }

    /// Those to try.
    pub(super) fn entrants(self) -> &'static [Self] {
        match self {
            Self::Best => &[Self::NnHtp, Self::Greedy],
            Self::NnHtp => &[Self::NnHtp],
            Self::NnHtpQuick => &[Self::NnHtpQuick],
            Self::NnHtpStep => &[Self::NnHtpStep],
            Self::Greedy => &[Self::Greedy],
            Self::GreedyAll => &[Self::GreedyAll],
            Self::GreedySubset => &[Self::GreedySubset],
        }
    }

    /// At most `points` components of the problem that `samples` state, and their weights, with δ = `ridge`.
    pub(super) fn select(
        self,
        samples: &Samples<'_>,
        points: usize,
        ridge: f64,
        random: &mut Random,
        watch: &mut Watch<'_>,
    ) -> Result<Selected, ReduceError> {
        use greedy::Candidates;
        use nn_htp::{Rule, Stop};
        let by_htp =
            |rule, stop, random, watch| nn_htp::select(samples, points, rule, stop, ridge, random, watch);
        let by_greed = |from, random, watch| greedy::select(samples, points, from, ridge, random, watch);
        match self {
            // The best is one of its entrants; of itself it is the first of them.
            Self::Best | Self::NnHtp => by_htp(Rule::Elimination, Stop::LATE, random, watch),
            Self::NnHtpQuick => by_htp(Rule::Elimination, Stop::EARLY, random, watch),
            Self::NnHtpStep => by_htp(Rule::Step, Stop::LATE, random, watch),
            Self::Greedy => by_greed(Candidates::Drawn, random, watch),
            Self::GreedyAll => by_greed(Candidates::All, random, watch),
            Self::GreedySubset => greedy::select_by_subsets(samples, points, ridge, random, watch),
        }
    }
}

/// What came out.
pub(super) struct Selected {
    pub(super) cubature: Cubature,
    /// ε(w) on the training poses.
    pub(super) error: f64,
    /// ε(w) after each iteration.
    pub(super) errors: Vec<f64>,
}

/// δ for s points of the problem that `samples` state.
pub(super) fn ridge_of(samples: &Samples<'_>, points: usize) -> f64 {
    RIDGE.powi(2) * samples.count() as f64 * points as f64 / (samples.energy.count() as f64).powi(2)
}

/// Components with weights > 0, in order.
pub(super) fn cubature_of(components: &[u32], weights: &[f64]) -> Cubature {
    let all = components.iter().copied().zip(weights.iter().copied());
    let mut all: Vec<(u32, f64)> = all.filter(|&(_, w)| w > 0.0).collect();
    all.sort_unstable_by_key(|s| s.0);
    let (components, weights) = all.into_iter().unzip();
    Cubature { components, weights }
}
