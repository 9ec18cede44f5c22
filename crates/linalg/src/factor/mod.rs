//! Sparse direct solvers: order and count once, factorise for every new set of values, solve as often as needed.
//!
//! ```text
//! A = L Lᵀ         [`Cholesky`], for A positive definite: stiffness at rest, mass, implicit steps
//! A = L D Lᵀ       [`Ldlt`], for A that may be indefinite: stiffness under load, K − σM
//! ```
//! A is a [`Symmetric`](crate::Symmetric) matrix without the rows and columns of held degrees of freedom. What is held
//! comes out of a solve as zero. The bits of a factor do not depend on the number of threads.
//! Not for dense matrices, nor for graphs far from a mesh, whose factor fills.

mod cholesky;
mod fronts;
mod ldlt;
mod metis;
mod numeric;
mod order;
mod solve;
mod sweep;
mod tree;
mod walk;

pub use cholesky::Cholesky;
pub use ldlt::{Inertia, Ldlt};

/// Why a matrix was not factorised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FactorError {
    /// Every degree of freedom is held.
    #[error("every degree of freedom is held, so there is nothing to solve for; leave at least one free")]
    NothingFree,
    /// The matrix has more rows or blocks than the ordering can count, or its factor does not fit into memory.
    #[error("a matrix over {vertices} vertices is too large for a direct solver; use a coarser mesh")]
    TooLarge {
        /// Vertices (rows of blocks) of the matrix.
        vertices: usize,
    },
    /// METIS gave up.
    #[error("the ordering failed (METIS status {status}): not enough memory, or the program was told to end")]
    Ordering {
        /// What METIS returned.
        status: i32,
    },
    /// A pivot that should be positive is not.
    #[error(
        "the matrix is not positive definite at {}; hold more vertices, or check the material and the mesh there",
        place(*dof, *block)
    )]
    NotPositive {
        /// Index of the degree of freedom, 3i + c for component c of vertex i.
        dof: usize,
        /// Rows of the matrix for each vertex: 3 of a body's matrix, 1 of one that is the same for x, y and z.
        block: usize,
    },
    /// A pivot vanishes.
    #[error(
        "the matrix is singular: pivot {pivot:.3e} at {}; hold more vertices, or move the shift",
        place(*dof, *block)
    )]
    Singular {
        /// Index of the degree of freedom, 3i + c for component c of vertex i.
        dof: usize,
        /// Rows of the matrix for each vertex: 3 of a body's matrix, 1 of one that is the same for x, y and z.
        block: usize,
        /// The pivot, in units of the matrix; NaN where a value was not finite.
        pivot: f64,
    },
}

/// A degree of freedom in words.
fn place(dof: usize, block: usize) -> String {
    match block {
        3 => format!("component {} of vertex {}", ["x", "y", "z"][dof % 3], dof / 3),
        1 => format!("vertex {dof}"),
        _ => format!("degree of freedom {dof}"),
    }
}

#[cfg(test)]
mod tests;
