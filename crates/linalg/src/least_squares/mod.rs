//! Least squares: weights that are not negative, and which columns can go.

pub mod eliminate;
pub mod nnls;
