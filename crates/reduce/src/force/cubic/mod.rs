//! St. Venant-Kirchhoff in a basis: its energy is a quartic polynomial of q, so everything is exact.
//!
//! ```text
//! W̃(q) = ½ S₂:qq + S₃:qqq + ½ S₄:qqqq,   f̃ = S₂q + 3 S₃qq + 2 S₄qqq,   K̃ = S₂ + 6 S₃q + 6 S₄qq
//! ```
//! (000 section 3.1.) The tensors are fully symmetric, so that one number stands for all orders of its indices. Source:
//! BJ05 in docs/papers.md.

/// The tensors S₂, S₃, S₄ of the energy: entries with ascending indices i ≤ j ≤ k ≤ l, the last index fastest. J.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// r.
    pub rank: usize,
    /// S₂, r(r+1)/2 numbers.
    pub quadratic: Vec<f64>,
    /// S₃, r(r+1)(r+2)/6 numbers.
    pub cubic: Vec<f64>,
    /// S₄, r(r+1)(r+2)(r+3)/24 numbers.
    pub quartic: Vec<f64>,
}
