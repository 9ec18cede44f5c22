//! Cubature: a few components of the energy, weighted so that they stand for all.
//!
//! ```text
//! W̃(q) = Σ_i w_i W_i(Uq),   w ≥ 0                                        (004 eq. 3.6)
//! ```

/// Which components, and how much each counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubature {
    /// Ascending, without repetition.
    pub components: Vec<u32>,
    /// > 0, one for each.
    pub weights: Vec<f64>,
}
