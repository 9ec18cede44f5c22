//! The ground floor: small vectors and matrices, sums whose bits do not depend on threads, progress of long work.
//!
//! Nobody above names the linear-algebra crate underneath, so that a major upgrade of it is a change in this room alone.

pub mod dofs;
pub mod eigen;
pub mod factor;
pub mod par;
pub mod progress;
pub mod small;
pub mod sparse;

pub use dofs::Dofs;
pub use factor::{Cholesky, FactorError, Ldlt};
pub use progress::{Cancelled, Progress, Watch, ignore_progress};
pub use small::{Mat3, Vec3};
pub use sparse::{Assembly, LocalMatrix, LocalVector, Pattern, Symmetric};
