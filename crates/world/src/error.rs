//! What can stop a file from becoming a body, and what a world refuses.

use pliant_energy::{EnergyError, Inadmissible};
use pliant_linalg::eigen::EigenError;
use pliant_linalg::{Cancelled, Note, Term, Terms};
use pliant_mesh::MeshError;
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

/// A file or a mesh that does not become a body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be read, or no body can be made of its shape.
    #[error(transparent)]
    Mesh(MeshError),
    /// It cannot be reduced.
    #[error(transparent)]
    Reduce(ReduceError),
    /// It cannot be moved as was asked.
    #[error(transparent)]
    Sim(Box<SimError>),
    /// Something that this body is nothing for, in a sentence.
    #[error("{0}")]
    Request(Note),
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl From<Cancelled> for OpenError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<MeshError> for OpenError {
    fn from(error: MeshError) -> Self {
        match error {
            MeshError::Cancelled => Self::Cancelled,
            other => Self::Mesh(other),
        }
    }
}

impl From<ReduceError> for OpenError {
    fn from(error: ReduceError) -> Self {
        match error {
            ReduceError::Cancelled => Self::Cancelled,
            other => Self::Reduce(other),
        }
    }
}

impl From<EnergyError> for OpenError {
    fn from(error: EnergyError) -> Self {
        ReduceError::from(error).into()
    }
}

impl From<Inadmissible> for OpenError {
    fn from(error: Inadmissible) -> Self {
        Self::Request(error.to_string().into())
    }
}

impl From<SimError> for OpenError {
    fn from(error: SimError) -> Self {
        match error {
            SimError::Cancelled => Self::Cancelled,
            SimError::Reduce(error) => error.into(),
            other => Self::Sim(Box::new(other)),
        }
    }
}

impl OpenError {
    /// Whether the work was done and did not reach what was asked of it: an eigenproblem that did not converge.
    pub fn is_missed(&self) -> bool {
        matches!(self, Self::Reduce(ReduceError::Eigen(EigenError::NotConverged { .. })))
    }
}

impl Terms for OpenError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Mesh(error) => error.terms(),
            Self::Reduce(error) => error.terms(),
            Self::Sim(error) => error.terms(),
            Self::Request(note) => note.terms.clone(),
            Self::Cancelled => Vec::new(),
        }
    }
}

/// Something that a world cannot do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A body that was removed, or of another world.
    #[error("this body is not in the world (any more); add it, and use the id that comes back")]
    NoBody,
    /// A vertex that is not there.
    #[error("there is no vertex {vertex}; the surface has {count}, 0 to {}", count.saturating_sub(1))]
    NoVertex {
        /// The one that was named.
        vertex: u32,
        /// How many are shown.
        count: usize,
    },
    /// A vertex that nothing can move.
    #[error("this part is pinned and cannot move; take another, or unpin it and rebuild")]
    Pinned,
    /// A body that hands cannot hold.
    #[error("this body cannot be held by hands; take a body that moves by its own forces")]
    NoGrip,
    /// A hand that is open: it was released, or its body was put back to rest.
    #[error("this hand holds nothing any more; grab a vertex again")]
    Released,
    /// A place that is none.
    #[error("a target needs three finite numbers, in metres")]
    Target,
    /// A buffer of another length than the surface needs.
    #[error(
        "the buffer has room for {found} numbers; the surface has {expected}, three for each shown vertex"
    )]
    Buffer {
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// A model that does not move, or a setting that it cannot have.
    #[error(transparent)]
    Sim(#[from] SimError),
}
