//! Solving with the panels of a factor, for many right-hand sides at once.
//!
//! ```text
//! forward:   y_s = L11⁻¹ (b_s + Σ children),   −L21 y_s goes to the parent
//! backward:  x_s = L11⁻ᵀ (y_s − L21ᵀ x_rows),  x_rows from the parent
//! ```
//! Right-hand sides are interleaved (the k entries of a row follow each other), so that a subtree's part is contiguous.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use pulp::Arch;

use super::fronts::{Front, Fronts};
use super::sweep;

/// Subtrees below this many multiplications of the factorisation are not worth a task.
const HEAVY: f64 = 5e7;

/// How many entries a row has for so many right-hand sides; those beyond must be zeros.
pub(super) fn padded(columns: usize) -> usize {
    sweep::padded(columns).unwrap_or(columns)
}

/// x ← (L Lᵀ)⁻¹ x, where x has `columns` interleaved right-hand sides in the order of elimination, a [`padded`] number.
pub(super) fn solve(fronts: &Fronts, panels: &[f64], x: &mut [f64], columns: usize) {
    let arch = Arch::new();
    let at = |s: usize| columns * fronts.fronts.get(s).map_or(fronts.order.len(), |f| f.columns.start);
    let done: Result<(), std::convert::Infallible> =
        fronts.walk_from_leaves(x, &at, HEAVY, &|s, own, children: Vec<Vec<f64>>| {
            let front = &fronts.fronts[s];
            Ok(forward(
                fronts,
                front,
                &panels[fronts.panels[s]..fronts.panels[s + 1]],
                own,
                children,
                (columns, arch),
            ))
        });
    let Ok(()) = done;
    fronts.walk_from_roots(x, &at, HEAVY, &|s, own, parent: Option<&Vec<f64>>| {
        let front = &fronts.fronts[s];
        backward(front, &panels[fronts.panels[s]..fronts.panels[s + 1]], own, parent, (columns, arch))
    });
}

/// Solves with L11; returned are the solution at its columns and, in the rows below, what is left for the parent.
fn forward(
    fronts: &Fronts,
    front: &Front,
    panel: &[f64],
    own: &mut [f64],
    children: Vec<Vec<f64>>,
    (columns, arch): (usize, Arch),
) -> Vec<f64> {
    let width = front.width();
    let mut rows = Vec::with_capacity(front.height() * columns);
    rows.extend_from_slice(own);
    rows.resize(front.height() * columns, 0.0);
    for (&child, left) in front.children.iter().zip(children) {
        let child = &fronts.fronts[child as usize];
        let left = &left[child.width() * columns..];
        for run in &child.runs {
            let (from, to, length) = (run.from as usize, run.to as usize, run.length as usize);
            let target = &mut rows[to * columns..(to + length) * columns];
            let source = &left[from * columns..(from + length) * columns];
            target.iter_mut().zip(source).for_each(|(t, s)| *t += s);
        }
    }
    let (x, rest) = rows.split_at_mut(width * columns);
    if sweep::padded(columns) == Some(columns) {
        sweep::forward(arch, panel, width, &mut rows, columns);
    } else {
        let (top, bottom) = MatRef::from_column_major_slice(panel, front.height(), width).split_at_row(width);
        let mut x = MatMut::from_row_major_slice_mut(x, width, columns);
        solve_lower_triangular_in_place(top, x.as_mut(), Par::Seq);
        let rest = MatMut::from_row_major_slice_mut(rest, front.below, columns);
        matmul(rest, Accum::Add, bottom, x.as_ref(), -1.0, Par::Seq);
    }
    own.copy_from_slice(&rows[..width * columns]);
    rows
}

/// Solves with L11ᵀ; the solution at all rows of the front is returned.
fn backward(
    front: &Front,
    panel: &[f64],
    own: &mut [f64],
    parent: Option<&Vec<f64>>,
    (columns, arch): (usize, Arch),
) -> Vec<f64> {
    let width = front.width();
    let mut all = Vec::with_capacity(front.height() * columns);
    all.extend_from_slice(own);
    all.resize(front.height() * columns, 0.0);
    let (x, rows) = all.split_at_mut(width * columns);
    if let Some(parent) = parent {
        for run in &front.runs {
            let (from, to, length) = (run.from as usize, run.to as usize, run.length as usize);
            rows[from * columns..(from + length) * columns]
                .copy_from_slice(&parent[to * columns..(to + length) * columns]);
        }
    }
    if sweep::padded(columns) == Some(columns) {
        sweep::backward(arch, panel, width, &mut all, columns);
    } else {
        let (top, bottom) = MatRef::from_column_major_slice(panel, front.height(), width).split_at_row(width);
        let mut x = MatMut::from_row_major_slice_mut(x, width, columns);
        let rows = MatRef::from_row_major_slice(rows, front.below, columns);
        matmul(x.as_mut(), Accum::Add, bottom.transpose(), rows, -1.0, Par::Seq);
        solve_upper_triangular_in_place(top.transpose(), x.as_mut(), Par::Seq);
    }
    own.copy_from_slice(&all[..width * columns]);
    all
}
