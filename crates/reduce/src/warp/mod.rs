//! Rotation-strain warping: linear motions that turn instead of swell.
//!
//! ```text
//! G_j u = ε_j + ω_j   →   ∇p ≈ exp(ω_j)(I + ε_j) − I                                     (B12 section 7.1, eqs 19 to 25)
//! ```
//! A linear motion cannot turn: what should go round goes straight on and grows. Each element knows by how much it was meant to turn
//! (ω) and to stretch (ε); warping looks for the displacement whose gradients are that. [`Warp`] does it for all vertices of a solid
//! or a surface; [`ReducedWarp`] in the coordinates of a model, at a cost that does not see the mesh ([`train`]).
//!
//! It is geometry, not mechanics: it knows no material, and what moves linearly still moves in time as oscillators do, without the
//! stiffening of a bent body. It keeps volume only as well as rotations of neighbours agree. For elastic forces at large
//! displacements take a nonlinear force.
//!
//! Source: HTZBD11 in docs/papers.md.

mod reduced;
mod section;
#[cfg(test)]
mod tests;
mod train;
mod vertex;

pub use crate::rotation_strain::{Warp, rotation};
pub use reduced::{ReducedWarp, WarpFacts, WarpNumbers};
pub use section::NAME;
pub use train::{WarpTraining, train};
pub use vertex::vertex_spin;
