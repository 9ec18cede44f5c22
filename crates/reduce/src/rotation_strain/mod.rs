//! Rotation-strain coordinates of all vertices: what each element turns and stretches by, and the shape that does that.
//!
//! ```text
//! G_j u = ε_j + ω_j   →   ∇p ≈ exp(ω_j)(I + ε_j) − I                                     (B12 section 7.1, eqs 19 to 25)
//! ```
//! [`Warp`] does it for the tets of a solid and the triangles of a surface; `crate::warp` builds on it for few coordinates.
//!
//! Source: HTZBD11 in docs/papers.md.

pub(crate) mod element;
mod full;
mod patches;
#[cfg(test)]
pub(crate) mod tests;

pub use element::rotation;
pub use full::Warp;
