//! The exact reduced force at many poses: what a cubature is trained to match.
//!
//! Poses go through the mesh a few at a time, so that u = Uq and Uᵀf are products of matrices, not of a matrix and a
//! vector: U is read once for all of them.

use pliant_energy::Body;
use pliant_linalg::product::{Dense, multiply};
use pliant_linalg::{Progress, Watch};
use rayon::prelude::*;

use crate::{Basis, ReduceError};

/// Poses at a time.
const POSES: usize = 32;

/// Rows of U in one task of a projection. Part of the bits of a sum: never derived from the number of threads.
const ROWS: usize = 1536;

/// Halvings after which a pose is as good as rest, where every energy is defined.
const HALVINGS: usize = 200;

/// Uᵀf_int(Uq) at every pose, r numbers each, one after the other. A pose where the energy is not defined is halved until
/// it is; gives how many were.
pub(super) fn exact_forces(
    body: &Body,
    basis: &Basis,
    poses: &mut [f64],
    stage: &'static str,
    watch: &mut Watch<'_>,
) -> Result<(Vec<f64>, usize), ReduceError> {
    let (r, size) = (basis.rank(), body.size());
    let total = poses.len() / r;
    let (mut forces, mut shrunk) = (Vec::with_capacity(poses.len()), 0);
    for (chunk, poses) in poses.chunks_mut(POSES * r).enumerate() {
        Progress { stage, done: chunk * POSES, total }.tell(watch)?;
        let count = poses.len() / r;
        let displaced = expand(basis, poses);
        let (mut u, mut f) = (vec![0.0; size], vec![0.0; size * count]);
        for t in 0..count {
            (0..size).for_each(|i| u[i] = displaced[i * count + t]);
            let f = &mut f[t * size..(t + 1) * size];
            let mut halvings = 0;
            while body.force(&u, f).is_err() {
                if halvings == HALVINGS {
                    return Err(ReduceError::request(
                        "the energy is not defined even next to rest; examine the mesh",
                    ));
                }
                u.iter_mut().for_each(|u| *u *= 0.5);
                poses[t * r..(t + 1) * r].iter_mut().for_each(|q| *q *= 0.5);
                halvings += 1;
            }
            shrunk += usize::from(halvings > 0);
        }
        forces.extend(project(basis, &f));
    }
    Progress { stage, done: total, total }.tell(watch)?;
    Ok((forces, shrunk))
}

/// U times every pose: the numbers of one row of U, for all poses, lie together.
pub(crate) fn expand(basis: &Basis, poses: &[f64]) -> Vec<f64> {
    let r = basis.rank();
    let count = poses.len() / r;
    let mut out = vec![0.0; basis.size() * count];
    out.par_chunks_mut(ROWS * count).zip(basis.rows().par_chunks(ROWS * r)).for_each(|(out, rows)| {
        multiply(out, Dense::new(poses, r).t(), Dense::new(rows, r));
    });
    out
}

/// Uᵀ times every column of f.
pub(crate) fn project(basis: &Basis, f: &[f64]) -> Vec<f64> {
    let (r, size) = (basis.rank(), basis.size());
    let part = |(k, rows): (usize, &[f64])| {
        let f = Dense::new(f, size).rows(k * ROWS, rows.len() / r);
        let mut part = vec![0.0; r * f.shape().1];
        multiply(&mut part, Dense::new(rows, r), f);
        part
    };
    let parts: Vec<Vec<f64>> = basis.rows().par_chunks(ROWS * r).enumerate().map(part).collect();
    let mut sum = vec![0.0; f.len() / size * r];
    for part in parts {
        sum.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    sum
}
