//! Bodies in time: where energies meet integrators.
//!
//! - [`scenario::Scenario`]: what happens to a body, read from TOML and checked.
//! - [`full::Full`]: a body as a [`pliant_dynamics::System`] with all its 3n numbers: the slow truth that everything
//!   reduced is measured against.
//! - [`run::run`]: a scenario from its first step to its last, with energies and probes.

#![expect(non_snake_case, reason = "A, K, L, M are the papers' letters")]

mod alike;
mod error;
pub mod full;
pub mod run;
pub mod scenario;

pub use error::SimError;
pub use full::Full;
pub use run::{Frame, Record, RunOptions, run};
pub use scenario::Scenario;
