//! The numeric phase: every front is assembled, its columns eliminated by dense kernels, the rest handed to its parent.
//!
//! ```text
//! F11 = L11 L11ᵀ,   L21 = F21 L11⁻ᵀ,   U = F22 − L21 L21ᵀ
//! ```
//! Subtrees run side by side; the few large fronts at the top use the threads inside their dense kernels.
//! Source: DR83 in docs/papers.md.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, Par};

use super::fronts::{Front, Fronts, Run};

/// Subtrees below this many multiplications are not worth a task.
const HEAVY: f64 = 2e6;

/// Fronts above this many multiplications use the threads in their kernels.
const LARGE: f64 = 1e8;

/// A pivot below this share of its diagonal number is rounding, not a number.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Fills the panels from the flat values of a matrix.
///
/// # Errors
/// The first ordered number whose pivot is not positive.
pub(super) fn factorise(fronts: &Fronts, values: &[f64], panels: &mut [f64]) -> Result<(), usize> {
    assert_eq!(panels.len(), fronts.stored(), "room for every panel");
    fronts.walk_from_leaves(panels, &|s| fronts.panels[s], HEAVY, &|s, panel, children| {
        eliminate(fronts, s, values, panel, children)
    })
}

/// One front: its panel becomes part of L; what is left for the parent is returned, column by column, lower half.
fn eliminate(
    fronts: &Fronts,
    s: usize,
    values: &[f64],
    panel: &mut [f64],
    children: Vec<Vec<f64>>,
) -> Result<Vec<f64>, usize> {
    let front = &fronts.fronts[s];
    let (width, below, height) = (front.width(), front.below, front.height());
    panel.fill(0.0);
    for entry in fronts.entries(s) {
        panel[entry.target as usize] = values[entry.source as usize];
    }
    // What a pivot is measured against.
    let floors: Vec<f64> = (0..width).map(|j| ROUNDING * panel[j * height + j]).collect();
    let mut update = vec![0.0; below * below];
    for (&child, matrix) in front.children.iter().zip(children) {
        let child = &fronts.fronts[child as usize];
        add(&matrix, child, front, panel, &mut update);
    }
    let par = if front.work > LARGE { parallel() } else { Par::Seq };
    let (mut top, mut bottom) =
        MatMut::from_column_major_slice_mut(panel, height, width).split_at_row_mut(width);
    let params = Default::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(width, par, params));
    let outcome =
        cholesky_in_place(top.as_mut(), Default::default(), par, MemStack::new(&mut memory), params);
    if let Err(LltError::NonPositivePivot { index }) = outcome {
        return Err(front.columns.start + index);
    }
    // Written so that NaN is refused as well.
    if let Some(j) = (0..width).find(|&j| !(top[(j, j)] * top[(j, j)] > floors[j] && top[(j, j)].is_finite()))
    {
        return Err(front.columns.start + j);
    }
    if below > 0 {
        solve_lower_triangular_in_place(top.as_ref(), bottom.as_mut().transpose_mut(), par);
        triangular::matmul(
            MatMut::from_column_major_slice_mut(&mut update, below, below),
            BlockStructure::TriangularLower,
            Accum::Add,
            bottom.as_ref(),
            BlockStructure::Rectangular,
            bottom.as_ref().transpose(),
            BlockStructure::Rectangular,
            -1.0,
            par,
        );
    }
    Ok(update)
}

/// Adds a child's update matrix to the panel and the update matrix of its parent.
fn add(matrix: &[f64], child: &Front, parent: &Front, panel: &mut [f64], update: &mut [f64]) {
    let (width, height) = (parent.width(), parent.height());
    for (k, run) in child.runs.iter().enumerate() {
        for offset in 0..run.length as usize {
            let (from, to) = (run.from as usize + offset, run.to as usize + offset);
            let source = &matrix[from * child.below..(from + 1) * child.below];
            // The column of the parent's front, and the row it begins with.
            let (target, first) = if to < width {
                (&mut panel[to * height..(to + 1) * height], 0)
            } else {
                (&mut update[(to - width) * parent.below..(to - width + 1) * parent.below], width)
            };
            let rest = Run { from: from as u32, to: to as u32, length: run.length - offset as u32 };
            add_run(source, rest, target, first);
            child.runs[k + 1..].iter().for_each(|&run| add_run(source, run, target, first));
        }
    }
}

fn add_run(source: &[f64], run: Run, target: &mut [f64], first: usize) {
    let (from, to, length) = (run.from as usize, run.to as usize - first, run.length as usize);
    target[to..to + length].iter_mut().zip(&source[from..from + length]).for_each(|(t, s)| *t += s);
}

fn parallel() -> Par {
    match rayon::current_num_threads() {
        1 => Par::Seq,
        threads => Par::rayon(threads),
    }
}
