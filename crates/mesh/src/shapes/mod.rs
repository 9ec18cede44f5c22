//! Shapes made by code: for tests, for convergence studies, for the first picture.

pub mod sdf;
mod structured;

pub use structured::{ball, bar, cylinder, plate};
