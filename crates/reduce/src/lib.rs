//! From a body to few coordinates, ahead of time.
//!
//! ```text
//! u = U q,   UᵀMU = I,   W̃(q) ≈ W(Uq),   f̃ = ∂W̃/∂q ≈ Uᵀf_int(Uq),   K̃ = ∂²W̃/∂q²
//! ```
//! - [`basis`]: shapes in which a body moves, mass-orthonormal; [`linear_modes`] are the first of them.
//! - [`force`]: elastic energy, force and stiffness in the coordinates of a basis.
//! - [`precompute`]: from a mesh to a model in one call.
//! - [`warp`]: linear motions that turn instead of swell, for all vertices or for a few coordinates.
//! - [`model`]: all of it together, and the `.pliant` file.
//!
//! This room sees an energy as a sum of components and nothing behind it, and knows no time.

#![expect(non_snake_case, reason = "K, M, U are the papers' letters")]

pub mod basis;
mod container;
mod error;
pub mod force;
pub mod model;
pub mod precompute;
mod pull;
pub mod rotation_strain;
mod surface;
pub mod warp;

pub use basis::linear_modes::{ModalAnalysis, linear_modes, linear_modes_quietly};
pub use basis::{Basis, Built, Request};
pub use container::{TensorReader, TensorWriter};
pub use error::{ReduceError, TensorFault};
pub use force::{ReducedForce, StoredForce};
pub use model::{Model, ModelParts, ShownModes};
pub use precompute::{Precompute, Reduction};
pub use pull::PullError;
pub use rotation_strain::Warp;
pub use surface::SurfaceBasis;
