//! What can stop a reduction.

use pliant_linalg::eigen::EigenError;

/// A reduction that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// Too many modes asked for, or the iteration did not converge.
    #[error(transparent)]
    Eigen(#[from] EigenError),
}
