//! The ground floor: small vectors and matrices, sums whose bits do not depend on threads, progress of long work.
//!
//! Folders: [`small`] (three dimensions), [`dense`], [`sparse`] matrices; [`factor`] (sparse factorisations), [`orth`] (bases that
//! are orthonormal in a mass), [`eigen`] (eigenpairs and modes), [`least_squares`]; [`names`] (tables, terms and facts), [`work`] (parallel
//! sums, progress, random numbers). What is used often also stands at the root.
//!
//! Nobody above names the linear-algebra crate underneath, so that a major upgrade of it is a change in this room alone.

#![expect(non_snake_case, reason = "F, P, M, K, U are the papers' letters")]

pub mod dense;
pub mod eigen;
pub mod factor;
pub mod least_squares;
pub mod names;
pub mod orth;
mod simd;
pub mod small;
pub mod sparse;
pub mod work;

pub use dense::{product, quartic, row_blocks, rows, syrk, tall};
pub use eigen::modes;
pub use least_squares::{eliminate, nnls};
pub use names::number::{digits, grouped, number};
pub use names::quote::{foreign, in_bounds, one_line, quote, quote_bytes, quote_few, shown};
pub use names::{facts, table, term};
pub use simd::probe;
pub use sparse::dofs;
pub use work::{par, progress, random};

pub use dense::{DenseCholesky, DenseSymmetric};
pub use dofs::Dofs;
pub use factor::{Cholesky, FactorError, Ldlt};
pub use modes::{Mass, Modes};
pub use progress::{Cancelled, Progress, Watch, ignore_progress};
pub use random::Random;
pub use row_blocks::RowBlocks;
pub use small::{Mat2, Mat3, Vec3};
pub use small::{Svd3, polar3, quaternion_rotation, rotation3, rotations3_batch, svd3, svd3_batch};
pub use small::{project_psd2, project_psd3, symmetric_eigen3};
pub use sparse::{Assembly, CsrMatrix, LocalMatrix, LocalVector, Pattern, Symmetric};
pub use table::{Named, Table};
pub use term::{Note, Term, Terms};
