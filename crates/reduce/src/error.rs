//! What can stop a reduction.

use std::path::PathBuf;

use pliant_linalg::Cancelled;
use pliant_linalg::eigen::EigenError;
use pliant_linalg::factor::FactorError;
use pliant_linalg::orth::OrthError;
use pliant_linalg::{Term, Terms};

/// A reduction that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// Too many modes asked for, or the iteration did not converge.
    #[error(transparent)]
    Eigen(EigenError),
    /// The stiffness at rest cannot be factorised.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// Columns cannot be made orthonormal in the mass.
    #[error(transparent)]
    Orth(OrthError),
    /// The body cannot be made.
    #[error(transparent)]
    Energy(#[from] pliant_energy::EnergyError),
    /// More coordinates than the basis can give.
    #[error("rank {asked} is more than the {available} that {source_of} can give; {next}")]
    Rank {
        /// The rank asked for.
        asked: usize,
        /// The largest there is.
        available: usize,
        /// What the basis is made of, such as "20 modes and their derivatives".
        source_of: String,
        /// What would work.
        next: String,
    },
    /// A model file that cannot be read, or a model that no file can hold.
    #[error("{}: {sentence}", path.display())]
    File {
        /// The file, as the user named it.
        path: PathBuf,
        /// What was found, what was expected, what to do next.
        sentence: String,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// "read".
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// A mesh that is not sound, or a file that the disk does not take.
    #[error(transparent)]
    Mesh(#[from] pliant_mesh::MeshError),
    /// A request that makes no sense; the sentence says what would.
    #[error("{0}")]
    Request(String),
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl Terms for ReduceError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Energy(error) => error.terms(),
            Self::Mesh(error) => error.terms(),
            _ => Vec::new(),
        }
    }
}

impl From<Cancelled> for ReduceError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<OrthError> for ReduceError {
    fn from(error: OrthError) -> Self {
        match error {
            OrthError::Cancelled => Self::Cancelled,
            other => Self::Orth(other),
        }
    }
}

impl From<EigenError> for ReduceError {
    fn from(error: EigenError) -> Self {
        match error {
            EigenError::Cancelled => Self::Cancelled,
            other => Self::Eigen(other),
        }
    }
}
