//! The ground floor: small vectors and matrices, sums whose bits do not depend on threads, progress of long work.
//!
//! Nobody above names the linear-algebra crate underneath, so that a major upgrade of it is a change in this room alone.

#![expect(non_snake_case, reason = "F, P, M, K, U are the papers' letters")]

pub mod dense;
pub mod dofs;
pub mod eigen;
pub mod eliminate;
pub mod factor;
pub mod modes;
pub mod nnls;
pub mod orth;
pub mod par;
pub mod probe;
pub mod product;
pub mod progress;
pub mod quartic;
pub mod random;
pub mod row_blocks;
pub mod rows;
mod simd;
pub mod small;
pub mod small3;
pub mod sparse;
pub mod syrk;
pub mod table;
pub mod tall;
pub mod term;

pub use dense::{DenseCholesky, DenseSymmetric};
pub use dofs::Dofs;
pub use factor::{Cholesky, FactorError, Ldlt};
pub use modes::{Mass, Modes};
pub use progress::{Cancelled, Progress, Watch, ignore_progress};
pub use random::Random;
pub use row_blocks::RowBlocks;
pub use small::{Mat2, Mat3, Vec3};
pub use small3::{Svd3, polar3, rotation3, rotations3_batch, svd3, svd3_batch};
pub use small3::{project_psd2, project_psd3, symmetric_eigen3};
pub use sparse::{Assembly, CsrMatrix, LocalMatrix, LocalVector, Pattern, Symmetric};
pub use table::{Named, Table};
pub use term::{Note, Term, Terms};
