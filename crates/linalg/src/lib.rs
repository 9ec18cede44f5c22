//! The ground floor: small vectors and matrices, sums whose bits do not depend on threads, progress of long work.
//!
//! Nobody above names the linear-algebra crate underneath, so that a major upgrade of it is a change in this room alone.

pub mod progress;
pub mod small;

pub use progress::{Cancelled, Progress, Watch, ignore_progress};
pub use small::{Mat3, Vec3};
