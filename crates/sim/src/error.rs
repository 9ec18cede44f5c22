//! What can be wrong with a scenario, a model, or a run.

use pliant_dynamics::StepError;
use pliant_energy::EnergyError;
use pliant_linalg::table::Unknown;
use pliant_linalg::{Cancelled, Note, Term, Terms, number};
use pliant_reduce::ReduceError;

use crate::Still;

/// A simulation that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A scenario that does not say what can be done; the sentence names the key.
    #[error("{0}")]
    Scenario(String),
    /// A load that cannot act on this body.
    #[error("{sentence}")]
    BadLoad {
        /// Which, such as "force 2".
        name: String,
        /// What is wrong with it; begins with the name.
        sentence: String,
    },
    /// A load or a probe on a vertex that nothing can move: whoever names one means another.
    #[error("{}", still_in_words(name, *vertex, *still))]
    StillNamed {
        /// Such as "force 2" or "probe \"tip\"".
        name: String,
        /// From 0.
        vertex: u32,
        /// Why it cannot move.
        still: Still,
    },
    /// An initial state that moves what is held.
    #[error(
        "the initial {what} of vertex {vertex} along {} is {}, but that is fixed; expected 0 there",
        ["x", "y", "z"][*axis],
        number(*value)
    )]
    HeldMoves {
        /// "displacement", "velocity" or "acceleration".
        what: &'static str,
        /// From 0.
        vertex: usize,
        /// 0 to 2.
        axis: usize,
        /// What it was to be.
        value: f64,
    },
    /// A name that is in no line of a table.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A body or a request with which nothing can be measured; the sentence says what would do.
    #[error("{0}")]
    Request(Note),
    /// A history that has seen no step.
    #[error("nothing has been noted yet: let it move for a step first")]
    NothingNoted,
    /// A load that was taken away.
    #[error("this load was removed; add it again")]
    Removed,
    /// Settings that no step can be done with, or a start where the energy is not defined.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Loads that name what is not there.
    #[error(transparent)]
    Load(#[from] EnergyError),
    /// The matrices of the body cannot be factorised.
    #[error("{0}")]
    Factor(String),
    /// The body of a model, or its forces, cannot be made.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// A model whose numbers cannot be right; the sentence says which.
    #[error("this model cannot move: {0}")]
    Model(String),
    /// A motion that needs a warp, of a model that has none.
    #[error("this model has no warp, so that it cannot move warped; build it with one")]
    NoWarp,
    /// A motion that needs all coordinates, of a model that uses a part of them.
    #[error(
        "warped motion needs all {rank} coordinates of the model, and {used} are used; use all of them first"
    )]
    WarpCoordinates {
        /// How many are used.
        used: usize,
        /// How many there are.
        rank: usize,
    },
    /// A vertex that is not there.
    #[error("there is no vertex {vertex}; the body has {vertices} vertices, 0 to {}", vertices.saturating_sub(1))]
    NoVertex {
        /// The one that was named.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A vertex that nothing moves.
    #[error("vertex {vertex} is fixed; take one that can move")]
    FixedVertex {
        /// From 0.
        vertex: u32,
    },
    /// A vertex that is free, but that no coordinate moves.
    #[error(
        "the basis of the model does not move vertex {vertex}; take another one, or build it with more modes"
    )]
    UnmovedVertex {
        /// From 0.
        vertex: u32,
    },
    /// A number that is infinite, NaN, or below zero where that means nothing.
    #[error("{what} is {}; expected {expected}", number(*value))]
    Number {
        /// What it should say.
        what: &'static str,
        /// What it says.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Coordinates of another body, or more or fewer of them.
    #[error("{what} has {found} entries; this body has {expected} coordinates")]
    Size {
        /// What was given.
        what: &'static str,
        /// How many entries it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A list of another length.
    #[error("{what} has {found} entries; this body has {expected} {of}")]
    Length {
        /// What was given.
        what: &'static str,
        /// How many entries it has.
        found: usize,
        /// How many it should have.
        expected: usize,
        /// What they are for.
        of: &'static str,
    },
    /// A run of the full body whose steps hardly converge.
    #[error(
        "the first {steps} steps took {iterations} iterations, and no more than {allowed} are waited for; pull less far"
    )]
    Slow {
        /// How many were done.
        steps: usize,
        /// Of all of them.
        iterations: usize,
        /// How many they may take.
        allowed: usize,
    },
    /// A hand that has let go.
    #[error("this grab was released; grab the vertex again")]
    Released,
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

fn still_in_words(name: &str, vertex: u32, still: Still) -> String {
    match still {
        Still::Fixed => format!(
            "{name} names vertex {vertex}, which is fixed and cannot move; leave it out, or fix other vertices"
        ),
        Still::Unmoved => format!(
            "{name} names vertex {vertex}, but the basis of the model does not move vertex {vertex}; leave it out, or \
             build the model with more modes"
        ),
    }
}

/// Whether a model can warp.
const WARP: Term = Term::new("warp", "build it with one");
/// What is held.
const FIX: Term = Term::new("fix", "fix other vertices");
/// How many linear modes a basis starts from.
const MODES: Term = Term::new("modes", "more modes");
/// Which integrator.
const INTEGRATOR: Term = Term::new("integrator", "integrator");

impl Terms for SimError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Step(error) => error.terms(),
            Self::Load(error) => error.terms(),
            Self::Reduce(error) => error.terms(),
            Self::Request(note) => note.terms.clone(),
            Self::StillNamed { still: Still::Fixed, .. } => vec![FIX],
            Self::StillNamed { still: Still::Unmoved, .. } | Self::UnmovedVertex { .. } => vec![MODES],
            Self::NoWarp => vec![WARP],
            Self::Unknown(unknown) if unknown.what == "integrator" => vec![INTEGRATOR],
            _ => Vec::new(),
        }
    }
}

impl From<Cancelled> for SimError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
