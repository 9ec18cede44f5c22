//! How much the components of a ghost count: so much that it is as stiff at rest as the body, kind by kind.
//!
//! ```text
//! w_kind = Σ_i d_iᵀ K_kind d_i (body) / Σ_i d_iᵀ K_kind d_i (ghost),   d_i = U φ_i / √λ_i,   K̃(0) φ_i = λ_i φ_i       (1)
//! ```
//! K_kind is the stiffness at rest of all hinges, of all edges, of all triangles, or of all tets. Each d_i costs the body
//! half a joule (per unit of stiffness), so that soft and stiff directions count alike, as in the poses of a cubature's
//! training. Motions that cost nothing are left out. At rest nothing is under stress, so that every sum is ≥ 0.

use pliant_energy::{Body, Energy, Tangent};
use rayon::prelude::*;

use crate::force::projected::project_matrix;
use crate::{Basis, ReduceError};

/// Below this part of the largest eigenvalue a motion costs nothing but rounding.
const NOTHING: f64 = 1e-11;

/// Components in one task. Part of the bits of a sum: never derived from the number of threads.
const TASK: usize = 256;

/// A weight for every component of the energy of a ghost that moves in `coarse` as `body` does in `basis`.
pub(super) fn weights(
    ghost: &dyn Energy,
    coarse: &Basis,
    body: &Body,
    basis: &Basis,
) -> Result<Vec<f64>, ReduceError> {
    let directions = directions(body, basis)?;
    let (fine, coarse) = (costs(body.energy(), basis, &directions), costs(ghost, coarse, &directions));
    let weight = |kind: usize| {
        let known = fine[kind] > 0.0 && coarse[kind] > 0.0;
        Some(fine[kind] / coarse[kind]).filter(|w| known && w.is_finite() && *w > 0.0).unwrap_or(1.0)
    };
    Ok((0..ghost.count()).map(|c| weight(ghost.kind(c) as usize)).collect())
}

/// φ_i / √λ_i, r numbers each, one after the other.
fn directions(body: &Body, basis: &Basis) -> Result<Vec<f64>, ReduceError> {
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)
        .map_err(|bad| ReduceError::Request(format!("the body has no stiffness at rest: {bad}")))?;
    let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
    let (lambda, shapes) = project_matrix(&K, &columns).eigen().ok_or_else(|| {
        ReduceError::Request("the stiffness of the body at rest is not finite in these coordinates".into())
    })?;
    let largest = lambda.iter().fold(0.0, |m: f64, l| m.max(*l));
    let kept = lambda.iter().zip(shapes.chunks_exact(basis.rank())).filter(|(l, _)| **l > NOTHING * largest);
    Ok(kept.flat_map(|(l, shape)| shape.iter().map(move |x| x / l.sqrt())).collect())
}

/// Σ_i d_iᵀ K_kind d_i for each [`pliant_energy::ComponentKind`].
fn costs(energy: &dyn Energy, basis: &Basis, directions: &[f64]) -> [f64; 4] {
    let r = basis.rank();
    let count = directions.len() / r;
    // d_i at every vertex: x of all directions, then y, then z.
    let mut fields = vec![0.0; 3 * count * (basis.size() / 3)];
    fields.par_chunks_mut((3 * count).max(1)).enumerate().for_each(|(v, out)| {
        for (row, out) in basis.vertex(v).chunks_exact(r).zip(out.chunks_exact_mut(count)) {
            for (d, out) in directions.chunks_exact(r).zip(out) {
                *out = row.iter().zip(d).map(|(u, d)| u * d).sum();
            }
        }
    });
    let task = |first: usize| {
        let mut sums = [0.0; 4];
        for c in first..energy.count().min(first + TASK) {
            let mut H = [[[0.0; 12]; 12]];
            energy
                .hessians(&[c as u32], &[[0.0; 12]], Tangent::Exact, &mut H)
                .expect("every energy is defined at rest");
            let corners = energy.corners(c);
            let rows: Vec<&[f64]> = corners
                .iter()
                .flat_map(|&v| {
                    fields[3 * count * v as usize..3 * count * (v as usize + 1)].chunks_exact(count)
                })
                .collect();
            let mut sum = 0.0;
            for (a, x) in rows.iter().enumerate() {
                for (b, y) in rows.iter().enumerate() {
                    sum += H[0][a][b] * x.iter().zip(*y).map(|(x, y)| x * y).sum::<f64>();
                }
            }
            sums[energy.kind(c) as usize] += sum;
        }
        sums
    };
    if count == 0 {
        return [0.0; 4];
    }
    let starts: Vec<usize> = (0..energy.count()).step_by(TASK).collect();
    let parts: Vec<[f64; 4]> = starts.into_par_iter().map(task).collect();
    parts.iter().fold([0.0; 4], |sum, part| std::array::from_fn(|k| sum[k] + part[k]))
}
