//! Motion of anything that has a mass and a potential, in any coordinates.
//!
//! ```text
//! M a + C v + f_int(q) = f_ext(t, q, v),      C = α M + β K
//! ```
//! A [`System`] is 60 000 degrees of freedom of a mesh or 60 of a reduced model: nothing here can tell. It knows only
//! linear algebra.
//! An integrator takes a [`State`] one step on and says what happened; a step that fails leaves the state as it was. [`minimise`] finds
//! where an energy is least, without time.

#![expect(non_snake_case, reason = "A, B, K, M are the papers' letters")]

mod balance;
mod broyden;
mod error;
mod halving;
pub mod integrator;
pub mod minimise;
mod newton;
mod prediction;
mod state;
pub mod statics;
mod system;
mod vector;

pub use error::{OutOfDomain, StepError};
pub use integrator::{Integrator, Settings, Start, start};
pub use newton::Options;
pub use state::{State, StepReport};
pub use system::{Damping, DampingKind, NotDefinite, System, Tangent, Weights, kinetic_energy};
