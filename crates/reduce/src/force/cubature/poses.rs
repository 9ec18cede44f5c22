//! Training poses: random displacements that all cost about the same.
//!
//! ```text
//! K̃ Φ_i = ω_i² M̃ Φ_i,   q_t = σ Σ_i N(0, 1/ω_i) Φ_i                            (T14 section 3.3.1)
//! ```
//! K̃ = UᵀK(0)U and M̃ = UᵀMU; N(0, 1/ω) is a normal deviate with that standard deviation. The one factor σ makes the mean
//! over poses of the largest displacement of a vertex a given part of the longest side of the bounding box. Rigid motions
//! that the basis has are left out: no component feels them. They are counted, not told by a small ω, which the bending of a
//! slender body has as well.

use std::sync::Arc;

use pliant_energy::{Body, ComponentKind, Tangent};
use pliant_linalg::product::{Dense, multiply};
use pliant_linalg::{DenseSymmetric, Random, Vec3, tall};
use rayon::prelude::*;

use super::rest::uniform_strains;
use crate::force::projected::{project_mass, project_matrix};
use crate::{Basis, ReduceError};

/// λ below this part of the largest, and of tr K / tr M, is rounding where it should be zero: joints of the mesh.
const ROUNDING: f64 = 1e-15;

/// A rigid motion is in the basis when the part of it that is has a length of one, to this.
const RIGID: f64 = 1e-8;

/// What the edges of a surface stretch by in its poses at most, root mean square: a sheet is meant to bend. A choice; no series of
/// trainings stands behind it.
const STRETCH: f64 = 0.05;

/// Poses that tell how much edges stretch; more tell the same.
const JUDGES: usize = 16;

/// Vertices in one task. No part of the bits: a largest number is the same in any order.
const TASK: usize = 64;

/// How far vibrations go in a pose.
#[derive(Clone, Copy)]
pub(crate) enum Law {
    /// N(0, 1/ω): each costs about the same.
    EqualEnergy,
    /// N(0, 1/ω²): each is pulled about as hard, so that soft ones go much farther, as they do in a motion.
    EqualForce,
}

/// Vibrations in the coordinates of a basis, without those that cost nothing.
pub(crate) struct Spectrum {
    pub(crate) rank: usize,
    /// Φ_i / ω_i, r numbers each, one after the other.
    pub(crate) directions: Arc<[f64]>,
    /// ω_i², ascending.
    pub(crate) eigenvalues: Vec<f64>,
    /// K̃.
    pub(super) stiffness: DenseSymmetric,
    /// What a rest correction must leave alone: [`uniform_strains`].
    pub(super) uniform: Vec<f64>,
}

impl Spectrum {
    pub(crate) fn new(body: &Body, basis: &Basis) -> Result<Self, ReduceError> {
        let r = basis.rank();
        let columns: Vec<f64> = (0..r).flat_map(|k| basis.column(k)).collect();
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)
            .expect("every energy is defined at rest");
        let stiffness = project_matrix(&K, &columns);
        let mass = project_mass(body.mass(), &columns);
        let (values, vectors) = stiffness.generalised_eigen(&mass).ok_or_else(|| {
            ReduceError::request("the columns of the basis depend on each other; drop some of them")
        })?;
        let free = rigid_directions(body, &columns, &vectors);
        let stiffest = K.diagonal().iter().sum::<f64>() / (3.0 * body.mass().diagonal().iter().sum::<f64>());
        let least = ROUNDING * values.last().copied().unwrap_or(0.0).max(stiffest);
        let costly: Vec<usize> = (free..r).filter(|&i| values[i] > least).collect();
        let directions: Arc<[f64]> = costly
            .iter()
            .flat_map(|&i| vectors[i * r..(i + 1) * r].iter().map(move |x| (i, x)))
            .map(|(i, x)| x / values[i].sqrt())
            .collect();
        if directions.is_empty() {
            return Err(ReduceError::request(
                "no shape of the basis costs energy, so there is nothing to train a cubature on; take more modes",
            ));
        }
        let eigenvalues = costly.iter().map(|&i| values[i]).collect();
        let uniform = if free == 0 {
            Vec::new()
        } else {
            uniform_strains(body, basis, [&stiffness, &mass], &directions)
        };
        Ok(Self { rank: r, directions, eigenvalues, stiffness, uniform })
    }

    /// The same with the `count` softest vibrations alone, or all.
    pub(crate) fn softest(&self, count: usize) -> Self {
        let count = count.clamp(1, self.eigenvalues.len());
        Self {
            rank: self.rank,
            directions: self.directions[..count * self.rank].into(),
            eigenvalues: self.eigenvalues[..count].to_vec(),
            stiffness: self.stiffness.clone(),
            uniform: self.uniform.clone(),
        }
    }

    /// Every vibration alone, with a largest displacement of `reach` m: r numbers each, one after the other.
    pub(super) fn alone(&self, basis: &Basis, reach: f64) -> Vec<f64> {
        let mut poses = self.directions.to_vec();
        for (pose, largest) in poses.chunks_exact_mut(self.rank).zip(reaches(basis, &self.directions)) {
            pose.iter_mut().for_each(|q| *q *= reach / largest);
        }
        poses
    }

    /// `count` poses of a law, r numbers each, one after the other; σ = 1.
    pub(crate) fn draw(&self, count: usize, law: Law, random: &mut Random) -> Vec<f64> {
        let mut poses = vec![0.0; count * self.rank];
        for pose in poses.chunks_exact_mut(self.rank) {
            for (direction, value) in self.directions.chunks_exact(self.rank).zip(&self.eigenvalues) {
                let deviate = match law {
                    Law::EqualEnergy => random.normal(),
                    Law::EqualForce => random.normal() / value.sqrt(),
                };
                pose.iter_mut().zip(direction).for_each(|(q, x)| *q += deviate * x);
            }
        }
        poses
    }
}

/// How many rigid motions of a body are in a basis: the singular values that are one of ΦᵀUᵀM R, for Φ by columns with
/// UΦ orthonormal in the mass, as the motions R are.
fn rigid_directions(body: &Body, columns: &[f64], vectors: &[f64]) -> usize {
    let motions = body.rigid_motions().concat();
    let (size, count) = (body.size(), motions.len() / body.size());
    if count == 0 {
        return 0;
    }
    let mut weighted = vec![0.0; motions.len()];
    for (x, y) in motions.chunks_exact(size).zip(weighted.chunks_exact_mut(size)) {
        body.mass().apply_per_axis(x, y);
    }
    let r = columns.len() / size;
    let mut within = vec![0.0; r * count];
    multiply(&mut within, Dense::new(vectors, r).t(), Dense::new(&tall::gram(columns, &weighted, size), r));
    let dot = |i: usize, j: usize| (0..r).map(|k| within[i * r + k] * within[j * r + k]).sum();
    let (squares, _) = DenseSymmetric::from_upper(count, dot).eigen().unwrap_or_default();
    squares.iter().filter(|&&s| s.max(0.0).sqrt() > 1.0 - RIGID).count()
}

/// The factor of these poses with which the edges of a surface stretch by [`STRETCH`] on the mean; infinite for a solid, whose
/// components are no edges.
pub(super) fn bearable(body: &Body, basis: &Basis, poses: &[f64]) -> f64 {
    let energy = body.components();
    let edges: Vec<[usize; 2]> = (0..energy.count())
        .filter(|&c| energy.kind(c) == ComponentKind::Edge)
        .map(|c| [0, 1].map(|i| energy.corners(c)[i] as usize))
        .collect();
    if edges.is_empty() {
        return f64::INFINITY;
    }
    let rest = body.rest();
    let moved: Vec<Vec<f64>> = poses
        .chunks_exact(basis.rank())
        .take(JUDGES)
        .map(|q| {
            let mut u = vec![0.0; basis.size()];
            basis.expand(q, &mut u);
            u
        })
        .collect();
    let stretch = |factor: f64| -> f64 {
        let of_pose = |u: &Vec<f64>| {
            let at = |v: usize| Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2]);
            let squares = edges.iter().map(|&[p, q]| {
                let (side, by) = (rest[q] - rest[p], at(q) - at(p));
                ((side + by * factor).norm() / side.norm() - 1.0).powi(2)
            });
            (squares.sum::<f64>() / edges.len() as f64).sqrt()
        };
        moved.par_iter().map(of_pose).collect::<Vec<f64>>().iter().sum::<f64>() / moved.len() as f64
    };
    // By powers of two until it is enough, then by halves: two digits are plenty.
    let mut high = 1.0;
    for _ in 0..64 {
        if stretch(high) >= STRETCH {
            break;
        }
        high *= 2.0;
    }
    let mut low = high;
    for _ in 0..128 {
        if stretch(low) < STRETCH {
            break;
        }
        low /= 2.0;
    }
    for _ in 0..7 {
        let middle = (low * high).sqrt();
        if stretch(middle) < STRETCH {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The mean over poses of the largest displacement of a vertex, m.
pub(crate) fn mean_reach(basis: &Basis, poses: &[f64]) -> f64 {
    let reaches = reaches(basis, poses);
    reaches.iter().sum::<f64>() / reaches.len() as f64
}

/// The largest displacement of a vertex in each pose, m.
fn reaches(basis: &Basis, poses: &[f64]) -> Vec<f64> {
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
    (0..count).map(reach).collect()
}
