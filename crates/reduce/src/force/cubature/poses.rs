//! Training poses: random displacements that all cost about the same.
//!
//! ```text
//! K̃ Φ_i = ω_i² M̃ Φ_i,   q_t = σ Σ_i N(0, 1/ω_i) Φ_i                            (004 section 3.3.1)
//! ```
//! K̃ = UᵀK(0)U and M̃ = UᵀMU; N(0, 1/ω) is a normal deviate with that standard deviation. The one factor σ makes the mean
//! over poses of the largest displacement of a vertex a given part of the longest side of the bounding box. Directions
//! that cost nothing (rigid motions of a free body) are left out: no component feels them.

use pliant_energy::{Body, Tangent};
use pliant_linalg::product::{Dense, multiply};
use pliant_linalg::{DenseSymmetric, Random, tall};
use rayon::prelude::*;

use crate::force::projected::project_matrix;
use crate::{Basis, ReduceError};

/// λ below this part of the largest costs nothing: for a body that the constraints leave free to move, …
const FREE: f64 = 1e-10;
/// … and for one that they do not. …
const HELD: f64 = 1e-14;
/// … Nor does λ below this part of tr K / tr M, which is rounding where it should be zero.
const ROUNDING: f64 = 1e-15;

/// Vertices in one task. No part of the bits: a largest number is the same in any order.
const TASK: usize = 64;

/// Vibrations in the coordinates of a basis, without those that cost nothing.
pub(super) struct Spectrum {
    rank: usize,
    /// Φ_i / ω_i, r numbers each, one after the other.
    directions: Vec<f64>,
}

impl Spectrum {
    pub(super) fn new(body: &Body, basis: &Basis) -> Result<Self, ReduceError> {
        let r = basis.rank();
        let columns: Vec<f64> = (0..r).flat_map(|k| basis.column(k)).collect();
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)
            .expect("every energy is defined at rest");
        let stiffness = project_matrix(&K, &columns);
        let mut weighted = vec![0.0; columns.len()];
        for (x, y) in columns.chunks_exact(body.size()).zip(weighted.chunks_exact_mut(body.size())) {
            body.mass().apply_alike(x, y);
        }
        let mass = tall::gram(&columns, &weighted, body.size());
        let mass = DenseSymmetric::from_upper(r, |i, j| mass[j * r + i]);
        let (values, vectors) = general_eigen(&stiffness, &mass).ok_or_else(|| {
            ReduceError::Request("the columns of the basis depend on each other; drop some of them".into())
        })?;
        let threshold = if body.rigid_motions().is_empty() { HELD } else { FREE };
        let stiffest = K.diagonal().iter().sum::<f64>() / (3.0 * body.mass().diagonal().iter().sum::<f64>());
        let least = (threshold * values.last().copied().unwrap_or(0.0)).max(ROUNDING * stiffest);
        let costly = (0..r).filter(|&i| values[i] > least);
        let directions: Vec<f64> = costly
            .flat_map(|i| {
                vectors[i * r..(i + 1) * r].iter().map(|x| x / values[i].sqrt()).collect::<Vec<_>>()
            })
            .collect();
        if directions.is_empty() {
            return Err(ReduceError::Request(
                "no shape of the basis costs energy, so there is nothing to train a cubature on; take more modes".into(),
            ));
        }
        Ok(Self { rank: r, directions })
    }

    /// `count` poses, r numbers each, one after the other; σ = 1.
    pub(super) fn draw(&self, count: usize, random: &mut Random) -> Vec<f64> {
        let mut poses = vec![0.0; count * self.rank];
        for pose in poses.chunks_exact_mut(self.rank) {
            for direction in self.directions.chunks_exact(self.rank) {
                let deviate = random.normal();
                pose.iter_mut().zip(direction).for_each(|(q, x)| *q += deviate * x);
            }
        }
        poses
    }
}

/// The mean over poses of the largest displacement of a vertex, m.
pub(super) fn mean_reach(basis: &Basis, poses: &[f64]) -> f64 {
    let r = basis.rank();
    let count = poses.len() / r;
    let farthest = |rows: &[f64]| {
        // One column for every row of U.
        let mut u = vec![0.0; rows.len() / r * count];
        multiply(&mut u, Dense::new(poses, r).t(), Dense::new(rows, r));
        let mut most = vec![0.0_f64; count];
        for vertex in u.chunks_exact(3 * count) {
            for t in 0..count {
                let squared = vertex[t].powi(2) + vertex[count + t].powi(2) + vertex[2 * count + t].powi(2);
                most[t] = most[t].max(squared);
            }
        }
        most
    };
    let parts: Vec<Vec<f64>> = basis.rows().par_chunks(3 * TASK * r).map(farthest).collect();
    let reach = |t: usize| parts.iter().fold(0.0, |most: f64, part| most.max(part[t])).sqrt();
    (0..count).map(reach).sum::<f64>() / count as f64
}

/// λ, ascending, and x with A x = λ B x and xᵀB x = 1, one after the other; `None` where B is not positive definite.
fn general_eigen(A: &DenseSymmetric, B: &DenseSymmetric) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = A.size();
    // B = L Lᵀ; C = L⁻¹ A L⁻ᵀ; x = L⁻ᵀ y. B⁻¹ by columns would square its condition, L does not.
    let mut L = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| L[i * n + k] * L[j * n + k]).sum();
            let left = B.get(i, j) - sum;
            if i > j {
                L[i * n + j] = left / L[j * n + j];
            } else if left > 1e-14 * B.get(i, i) {
                L[i * n + i] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    let forward = |x: &mut [f64]| {
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| L[i * n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / L[i * n + i];
        }
    };
    let mut half: Vec<f64> = (0..n * n).map(|k| A.get(k / n, k % n)).collect();
    half.chunks_exact_mut(n).for_each(forward);
    // half holds the columns of L⁻¹A; its rows are columns of A L⁻ᵀ.
    let mut whole: Vec<f64> = (0..n * n).map(|k| half[k % n * n + k / n]).collect();
    whole.chunks_exact_mut(n).for_each(forward);
    let C = DenseSymmetric::from_upper(n, |i, j| 0.5 * (whole[j * n + i] + whole[i * n + j]));
    let (values, mut vectors) = C.eigen()?;
    for x in vectors.chunks_exact_mut(n) {
        for i in (0..n).rev() {
            x[i] /= L[i * n + i];
            let xi = x[i];
            (0..i).for_each(|k| x[k] -= L[i * n + k] * xi);
        }
    }
    Some((values, vectors))
}
