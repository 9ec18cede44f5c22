//! Solving with the panels of a factor, for many right-hand sides at once.
//!
//! ```text
//! up:    y_s = L11⁻¹ (b_s + Σ children),   −L21 y_s goes to the parent
//! down:  x_s = L11⁻ᵀ (y_s − L21ᵀ x_rows),  x_rows from the parent
//! ```
//! Right-hand sides are interleaved (the k numbers of a row follow each other), so that a subtree's part is contiguous.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};

use super::fronts::{Front, Fronts};

/// Subtrees below this many multiplications of the factorisation are not worth a task.
const HEAVY: f64 = 5e7;

/// x ← (L Lᵀ)⁻¹ x, where x has `columns` interleaved right-hand sides in the order of elimination.
pub(super) fn solve(fronts: &Fronts, panels: &[f64], x: &mut [f64], columns: usize) {
    let at = |s: usize| columns * fronts.fronts.get(s).map_or(fronts.order.len(), |f| f.columns.start);
    let done: Result<(), std::convert::Infallible> =
        fronts.upward(x, &at, HEAVY, &|s, own, children: Vec<Vec<f64>>| {
            let front = &fronts.fronts[s];
            Ok(up(fronts, front, &panels[fronts.panels[s]..fronts.panels[s + 1]], own, children, columns))
        });
    let Ok(()) = done;
    fronts.downward(x, &at, HEAVY, &|s, own, parent: Option<&Vec<f64>>| {
        let front = &fronts.fronts[s];
        down(front, &panels[fronts.panels[s]..fronts.panels[s + 1]], own, parent, columns)
    });
}

/// Solves with L11; what is left for the parent is returned.
fn up(
    fronts: &Fronts,
    front: &Front,
    panel: &[f64],
    own: &mut [f64],
    children: Vec<Vec<f64>>,
    columns: usize,
) -> Vec<f64> {
    let width = front.width();
    let mut rest = vec![0.0; front.below * columns];
    for (&child, left) in front.children.iter().zip(children) {
        for run in &fronts.fronts[child as usize].runs {
            let (mut from, mut to, length) = (run.from as usize, run.to as usize, run.length as usize);
            let end = to + length;
            while to < end {
                // A run may cross from the columns into the rows.
                let (target, place, stop) = if to < width {
                    (&mut *own, to, end.min(width))
                } else {
                    (&mut rest[..], to - width, end)
                };
                let count = (stop - to) * columns;
                let target = &mut target[place * columns..place * columns + count];
                let source = &left[from * columns..from * columns + count];
                target.iter_mut().zip(source).for_each(|(t, s)| *t += s);
                from += stop - to;
                to = stop;
            }
        }
    }
    let (top, bottom) = MatRef::from_column_major_slice(panel, front.height(), width).split_at_row(width);
    let mut own = MatMut::from_row_major_slice_mut(own, width, columns);
    solve_lower_triangular_in_place(top, own.as_mut(), Par::Seq);
    let rest_rows = MatMut::from_row_major_slice_mut(&mut rest, front.below, columns);
    matmul(rest_rows, Accum::Add, bottom, own.as_ref(), -1.0, Par::Seq);
    rest
}

/// Solves with L11ᵀ; the solution at all rows of the front is returned.
fn down(
    front: &Front,
    panel: &[f64],
    own: &mut [f64],
    parent: Option<&Vec<f64>>,
    columns: usize,
) -> Vec<f64> {
    let width = front.width();
    let mut all = vec![0.0; front.height() * columns];
    let (mine, rows) = all.split_at_mut(width * columns);
    if let Some(parent) = parent {
        for run in &front.runs {
            let (from, to, length) = (run.from as usize, run.to as usize, run.length as usize);
            rows[from * columns..(from + length) * columns]
                .copy_from_slice(&parent[to * columns..(to + length) * columns]);
        }
    }
    mine.copy_from_slice(own);
    let (top, bottom) = MatRef::from_column_major_slice(panel, front.height(), width).split_at_row(width);
    let mut x = MatMut::from_row_major_slice_mut(mine, width, columns);
    let rows = MatRef::from_row_major_slice(rows, front.below, columns);
    matmul(x.as_mut(), Accum::Add, bottom.transpose(), rows, -1.0, Par::Seq);
    solve_upper_triangular_in_place(top.transpose(), x.as_mut(), Par::Seq);
    own.copy_from_slice(&all[..width * columns]);
    all
}
