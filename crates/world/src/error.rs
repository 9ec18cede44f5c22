//! What can stop a file from becoming a body, and what a world refuses.

use std::error::Error;

use pliant_dynamics::StepError;
use pliant_energy::{EnergyError, Inadmissible};
use pliant_linalg::eigen::EigenError;
use pliant_linalg::table::Unknown;
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
    /// The name of something that is not there.
    #[error(transparent)]
    Unknown(#[from] Unknown),
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
            Self::Unknown(_) | Self::Cancelled => Vec::new(),
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
    /// A hand without strength.
    #[error("the strength of a hand must be a finite number > 0 N, got {newton}")]
    Strength {
        /// What was asked for, N.
        newton: f64,
    },
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
    /// A system that gives no threads.
    #[error("the system gives no {threads} threads ({why}); ask for fewer")]
    NoThreads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        why: String,
    },
    /// A model that does not move, or a setting that it cannot have.
    #[error(transparent)]
    Sim(#[from] SimError),
}

/// What is held.
const PINS: Term = Term::new("fix", "unpin it");

impl Terms for WorldError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Sim(error) => error.terms(),
            Self::Pinned => vec![PINS],
            Self::NoBody
            | Self::NoVertex { .. }
            | Self::NoGrip
            | Self::Released
            | Self::Target
            | Self::Strength { .. }
            | Self::NoThreads { .. }
            | Self::Buffer { .. } => Vec::new(),
        }
    }
}

/// What an error of any room names that doors have a word for.
pub fn terms_of(error: &(dyn Error + 'static)) -> Vec<Term> {
    fn of<E: Terms + Error + 'static>(error: &(dyn Error + 'static)) -> Option<Vec<Term>> {
        error.downcast_ref::<E>().map(Terms::terms)
    }
    of::<MeshError>(error)
        .or_else(|| of::<EnergyError>(error))
        .or_else(|| of::<ReduceError>(error))
        .or_else(|| of::<SimError>(error))
        .or_else(|| of::<StepError>(error))
        .or_else(|| of::<OpenError>(error))
        .or_else(|| of::<WorldError>(error))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_in_errors_of_every_room() {
        let young = || {
            pliant_energy::material::Isotropic::from_young_poisson(-1.0, 0.3).expect_err("a negative modulus")
        };
        let keys = |error: &(dyn Error + 'static)| terms_of(error).iter().map(|t| t.key).collect::<Vec<_>>();
        assert_eq!(keys(&young()), ["young"]);
        assert_eq!(keys(&OpenError::from(young())), ["young"]);
        assert_eq!(keys(&WorldError::from(SimError::from(ReduceError::from(young())))), ["young"]);
        assert_eq!(keys(&WorldError::Pinned), ["fix"]);
        assert_eq!(keys(&WorldError::from(SimError::from(StepError::NotLinear))), ["forces", "integrator"]);
        assert!(keys(&WorldError::NoGrip).is_empty() && keys(&std::fmt::Error).is_empty());
    }
}
