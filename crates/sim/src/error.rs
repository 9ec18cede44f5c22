//! What can be wrong with a scenario or its run.

use pliant_dynamics::StepError;
use pliant_energy::EnergyError;
use pliant_linalg::Cancelled;

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
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl From<Cancelled> for SimError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
