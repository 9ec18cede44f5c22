//! Shapes made by code: for tests, for convergence studies, for the first picture.

pub mod polygonise;
pub mod sdf;
#[cfg(test)]
mod soundness;
mod structured;

pub use structured::{ball, bar, cylinder, plate};
