//! What can be wrong with a scenario, a model, or a run.

use pliant_dynamics::StepError;
use pliant_energy::EnergyError;
use pliant_linalg::{Cancelled, Term, Terms};
use pliant_reduce::ReduceError;

/// A simulation that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A scenario that does not say what can be done; the sentence names the key.
    #[error("{0}")]
    Scenario(String),
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
    #[error("{what} is {value}; expected {expected}")]
    Number {
        /// What it should say.
        what: &'static str,
        /// What it says.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Coordinates of another body, or of another number of them.
    #[error("{what} has {found} numbers; this body has {expected} coordinates")]
    Size {
        /// What was given.
        what: &'static str,
        /// How many numbers it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A hand that has let go.
    #[error("this grab was released; grab the vertex again")]
    Released,
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl Terms for SimError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Load(error) => error.terms(),
            Self::Reduce(error) => error.terms(),
            _ => Vec::new(),
        }
    }
}

impl From<Cancelled> for SimError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
