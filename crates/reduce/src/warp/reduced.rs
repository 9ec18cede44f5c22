//! Warping in the coordinates of a basis: r numbers in, r numbers out, whatever the mesh.
//!
//! ```text
//! p = q + T (S r̄ + Σ_c w_c s_c B_cᵀ (r_c − r̄)),   r_c = r(B_c q),   r̄ = r(Ḡ q)                                  (1)
//! T = (UᵀLU)⁺,   Ḡ = Σ_j s_j G_j U / Σ_j s_j,   S = Σ_j s_j U ᵀ∇ᵀ, both over all elements
//! ```
//! What is linear is exact; of the rest, what the body does as a whole (r̄, of the mean gradient) goes through exact sums as well, so
//! that a body whose basis has affine fields turns as exactly as at full order. Only what elements do apart from that goes through
//! a cubature: a few of them, weighted.
//!
//! ⁺ leaves translations out, where the basis has them, by the mass: p − q moves no centre of mass. The shape is that of the basis:
//! what U cannot say is lost, and [`WarpFacts::basis_error`] says how much that is.

use std::sync::Arc;

use pliant_linalg::{DenseSymmetric, Mat3, RowBlocks, Vec3};
use pliant_mesh::MeshData;

use crate::force::cubature::differences;
use crate::rotation_strain::element::{Element, beyond_linear, check_all, picked};
use crate::{Basis, ReduceError};

/// Elements that go through B and Bᵀ together, while their rows are near.
const GROUP: usize = 4;

/// The most repetitions of [`ReducedWarp::undo`].
const REPETITIONS: usize = 30;

/// The numbers of (1), as a model keeps them.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpNumbers {
    /// Elements, ascending.
    pub points: Vec<u32>,
    /// w_c > 0, one for each.
    pub weights: Vec<f64>,
    /// Ḡ: nine rows of r numbers, the gradient row by row, 1/m.
    pub mean: Vec<f64>,
    /// S: nine rows of r numbers.
    pub spread: Vec<f64>,
    /// T.
    pub smoothing: DenseSymmetric,
    /// How it was trained and how good it is.
    pub facts: WarpFacts,
}

/// How the warp of a model was trained and how good it is. Errors are root mean squares over poses of ‖Up − W(Uq)‖/‖W(Uq)‖ by mass,
/// W the warp of all vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarpFacts {
    /// How many elements were asked for.
    pub points: usize,
    /// How many poses it was trained on, and how many fresh ones it was judged by.
    pub poses: usize,
    /// As many of each as errors were measured on, at most.
    pub judged: usize,
    /// The mean over poses of the largest displacement of a vertex, as a part of the longest side of the bounding box.
    pub pose_scale: f64,
    /// Who chose the elements.
    pub trainer: String,
    /// On the poses of the training.
    pub training_error: f64,
    /// On fresh ones.
    pub validation_error: f64,
    /// What the nearest shape of the basis leaves of W(Uq), on the fresh ones.
    pub basis_error: f64,
}

/// What evaluates (1). Takes no memory; clones share the numbers.
#[derive(Clone)]
pub struct ReducedWarp {
    parts: Arc<Parts>,
    /// q and the sum in (1), with the padding of the blocks.
    q: Vec<f64>,
    f: Vec<f64>,
}

struct Parts {
    numbers: WarpNumbers,
    elements: Vec<Element>,
    blocks: RowBlocks,
}

impl ReducedWarp {
    /// Of the basis of a body made of `mesh`, to which the numbers belong.
    ///
    /// # Errors
    /// [`ReduceError::Unfit`] where they do not fit.
    pub fn new(mesh: &MeshData, basis: &Basis, numbers: WarpNumbers) -> Result<Self, ReduceError> {
        // Also what a hand may ask of a vertex later is sound.
        check_all(mesh)?;
        Self::of(picked(mesh, &numbers.points)?, basis, numbers)
    }

    /// Of the elements that the numbers name.
    pub(super) fn of(
        elements: Vec<Element>,
        basis: &Basis,
        numbers: WarpNumbers,
    ) -> Result<Self, ReduceError> {
        check(basis.rank(), &numbers)?;
        let (mut rows, mut heights) = (Vec::new(), Vec::with_capacity(elements.len()));
        for element in &elements {
            heights.push(differences(element.corners(), basis, &mut rows));
        }
        let rank = basis.rank();
        let blocks = RowBlocks::new(rank, &heights, |i| &rows[i * rank..(i + 1) * rank]);
        let [q, f] = [(); 2].map(|()| vec![0.0; blocks.padded()]);
        Ok(Self { parts: Arc::new(Parts { numbers, elements, blocks }), q, f })
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.parts.blocks.columns()
    }

    /// The numbers that it evaluates.
    pub fn numbers(&self) -> &WarpNumbers {
        &self.parts.numbers
    }

    /// p of q: U p is what U q is to look like.
    pub fn apply(&mut self, q: &[f64], p: &mut [f64]) {
        let (parts, r) = (&*self.parts, self.rank());
        assert_eq!((q.len(), p.len()), (r, r), "coordinates of the basis");
        self.q[..r].copy_from_slice(q);
        let whole = beyond_linear(&whole_gradient(&parts.numbers.mean, q));
        whole_pull(&parts.numbers.spread, &whole, &mut self.f[..r]);
        for first in (0..parts.elements.len()).step_by(GROUP) {
            let group = &parts.elements[first..(first + GROUP).min(parts.elements.len())];
            let mut rows = [[0.0; 9]; GROUP];
            let rows = &mut rows[..group.len()];
            parts.blocks.apply(first, &self.q, rows);
            for ((rows, element), w) in rows.iter_mut().zip(group).zip(&parts.numbers.weights[first..]) {
                *rows = pulls(element, rows, &whole).map(|x| w * x);
            }
            parts.blocks.add_transposed(first, rows, &mut self.f);
        }
        parts.numbers.smoothing.apply(&self.f[..r], p);
        p.iter_mut().zip(q).for_each(|(p, q)| *p += q);
    }
}

impl ReducedWarp {
    /// q that looks like p, as nearly as a few repetitions find it: q ← q + p − W(q), which ends where that brings it no nearer.
    pub fn undo(&mut self, p: &[f64], q: &mut [f64]) {
        let (mut now, mut seen) = (p.to_vec(), vec![0.0; p.len()]);
        let mut least = f64::INFINITY;
        for _ in 0..REPETITIONS {
            self.apply(&now, &mut seen);
            let off: f64 = p.iter().zip(&seen).map(|(p, seen)| (p - seen).powi(2)).sum();
            if off.is_nan() || off >= least {
                break;
            }
            least = off;
            q.copy_from_slice(&now);
            now.iter_mut().zip(p.iter().zip(&seen)).for_each(|(q, (p, seen))| *q += p - seen);
        }
    }
}

impl std::fmt::Debug for ReducedWarp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let points = self.parts.elements.len();
        f.debug_struct("ReducedWarp").field("rank", &self.rank()).field("points", &points).finish()
    }
}

/// s Bᵀ(r − r̄) on the corners but the first, of corners that moved by `rows` against the first.
#[inline]
pub(super) fn pulls(element: &Element, rows: &[f64; 9], whole: &Mat3) -> [f64; 9] {
    let moved = |a: usize| match a {
        0 => Vec3::zeros(),
        a => Vec3::new(rows[3 * a - 3], rows[3 * a - 2], rows[3 * a - 1]),
    };
    let apart = beyond_linear(&element.gradient(moved)) - whole;
    let mut out = [0.0; 9];
    for a in 1..element.corners().len() {
        out[3 * a - 3..3 * a].copy_from_slice(element.pull(&apart, a).as_slice());
    }
    out
}

/// Ḡ q.
pub(super) fn whole_gradient(mean: &[f64], q: &[f64]) -> Mat3 {
    let mut rows = [0.0; 9];
    pliant_linalg::rows::expand(mean, q, &mut rows);
    Mat3::from_row_slice(&rows)
}

/// f = S r̄.
pub(super) fn whole_pull(spread: &[f64], whole: &Mat3, f: &mut [f64]) {
    let rows: [f64; 9] = std::array::from_fn(|k| whole[(k / 3, k % 3)]);
    pliant_linalg::rows::project(spread, &rows, f);
}

/// The fewest points that can tell r coordinates apart: an element has nine numbers.
pub(super) fn least_points(rank: usize) -> usize {
    rank.div_ceil(9)
}

fn check(rank: usize, numbers: &WarpNumbers) -> Result<(), ReduceError> {
    let WarpNumbers { points, weights, mean, spread, smoothing, .. } = numbers;
    let sound = points.is_sorted_by(|a, b| a < b)
        && points.len() == weights.len()
        && weights.iter().all(|w| w.is_finite() && *w > 0.0)
        && [mean.len(), spread.len()] == [9 * rank; 2]
        && smoothing.size() == rank;
    if sound {
        return Ok(());
    }
    Err(ReduceError::Unfit(format!(
        "the warp has {} points, {} weights and matrices of {} coordinates; expected ascending points with a weight > 0 each, and \
         {rank} coordinates; train it again",
        points.len(),
        weights.len(),
        smoothing.size()
    )))
}
