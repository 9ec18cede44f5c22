//! From a body to few coordinates. This storey so far: [`linear_modes`], the shapes in which a body vibrates.

#![expect(non_snake_case, reason = "K, M are the papers' letters")]

mod error;
mod linear_modes;

pub use error::ReduceError;
pub use linear_modes::{LinearModes, linear_modes};
