//! Decompositions of one 3×3 matrix, and of very many: what materials ask for once a tet.
//!
//! All of them scale with the matrix, none loops or panics on any input, and each matrix gets the same bits wherever it
//! stands in a batch and on whatever processor. One thread: callers split the batch.

mod jacobi;
mod lanes;
mod polar;
#[cfg(test)]
mod samples;
mod split;
mod svd;
mod symmetric;

pub use polar::{polar3, rotation3, rotations3_batch};
pub use svd::{Svd3, svd3, svd3_batch};
pub use symmetric::{project_psd2, project_psd3, symmetric_eigen3};
