//! How far forces that are computed through deformation gradients are from exact, by rounding alone.
//!
//! ```text
//! F = I + ∂u/∂X is off by ε (1 + |∂u/∂X|) at best:   e_i = ε Σ_j |K_ij| (|X_i − X_j| + |u_j|)
//! ```
//! These are independent of each other: Bᵀe for any B is of the size of √Σ B_ik² e_i². Solvers stop there.

use pliant_linalg::{Symmetric, Vec3};

/// Σ_j |K_ij| (|X_i − X_j| + |u_j|) for every degree of freedom i; times ε it is the error. An empty `u` is rest.
pub fn sums(K: &Symmetric<3>, rest: &[Vec3], u: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; 3 * rest.len()];
    let moved = |i: usize| u.get(i).map_or(0.0, |u| u.abs());
    let pattern = K.pattern();
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (block, &i) in K.values()[slots].iter().zip(rows) {
            let i = i as usize;
            let edge = (rest[i] - rest[j]).norm();
            for r in 0..3 {
                for c in 0..3 {
                    let k = block[r][c].abs();
                    sums[3 * i + r] += k * (edge + moved(3 * j + c));
                    if i != j {
                        sums[3 * j + c] += k * (edge + moved(3 * i + r));
                    }
                }
            }
        }
    }
    sums
}
