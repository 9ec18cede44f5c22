//! How far forces are from exact, by rounding alone.
//!
//! ```text
//! e_i = ε Σ_j |K_ij| |u_j|
//! ```
//! Laws are computed from differences of u and lose no digits of them (`material/strain.rs`), so that at rest there is no error at
//! all. But u itself is known to ε |u| at best: of a body that has travelled far less is known of its shape. The errors are
//! independent of each other: Bᵀe for any B is of the size of √Σ B_ik² e_i². Solvers stop there.

use pliant_linalg::Symmetric;

/// Σ_j |K_ij| |u_j| for every degree of freedom i; times ε it is the error.
pub fn sums(K: &Symmetric<3>, u: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; u.len()];
    let pattern = K.pattern();
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (block, &i) in K.values()[slots].iter().zip(rows) {
            let i = i as usize;
            for r in 0..3 {
                for c in 0..3 {
                    let k = block[r][c].abs();
                    sums[3 * i + r] += k * u[3 * j + c].abs();
                    if i != j {
                        sums[3 * j + c] += k * u[3 * i + r].abs();
                    }
                }
            }
        }
    }
    sums
}
