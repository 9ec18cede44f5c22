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
    if columns == 1 {
        down_the_columns(panel, width, own, &mut rest);
        return rest;
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
    if columns == 1 {
        back_up_the_columns(panel, mine, rows);
        own.copy_from_slice(mine);
        return all;
    }
    let (top, bottom) = MatRef::from_column_major_slice(panel, front.height(), width).split_at_row(width);
    let mut x = MatMut::from_row_major_slice_mut(mine, width, columns);
    let rows = MatRef::from_row_major_slice(rows, front.below, columns);
    matmul(x.as_mut(), Accum::Add, bottom.transpose(), rows, -1.0, Par::Seq);
    solve_upper_triangular_in_place(top.transpose(), x.as_mut(), Par::Seq);
    own.copy_from_slice(&all[..width * columns]);
    all
}

/// One right-hand side: x ← L11⁻¹ x, rest ← rest − L21 x, four columns at a time, each number of the panel read once.
fn down_the_columns(panel: &[f64], width: usize, x: &mut [f64], rest: &mut [f64]) {
    let height = width + rest.len();
    let column = |j: usize| &panel[j * height..(j + 1) * height];
    let mut j = 0;
    while j < width {
        let count = (width - j).min(4);
        // The triangle of these columns, then everything below it.
        for c in j..j + count {
            x[c] /= column(c)[c];
            for r in c + 1..j + count {
                x[r] -= column(c)[r] * x[c];
            }
        }
        let (done, below) = x.split_at_mut(j + count);
        if count == 4 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| &column(j + k)[j + 4..]);
            let f = [done[j], done[j + 1], done[j + 2], done[j + 3]];
            let inside = below.len();
            subtract(below, f, [&a[..inside], &b[..inside], &c[..inside], &d[..inside]]);
            subtract(rest, f, [&a[inside..], &b[inside..], &c[inside..], &d[inside..]]);
        } else {
            for k in j..j + count {
                let l = &column(k)[j + count..];
                below.iter_mut().chain(&mut *rest).zip(l).for_each(|(y, l)| *y -= l * done[k]);
            }
        }
        j += count;
    }
}

/// y ← y − f₀ a − f₁ b − f₂ c − f₃ d.
fn subtract(y: &mut [f64], f: [f64; 4], columns: [&[f64]; 4]) {
    let (y, y_rest) = y.as_chunks_mut::<4>();
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] = columns.map(|l| l.as_chunks::<4>());
    for ((((y, a), b), c), d) in y.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..4 {
            y[k] -= (f[0] * a[k] + f[1] * b[k]) + (f[2] * c[k] + f[3] * d[k]);
        }
    }
    for (k, y) in y_rest.iter_mut().enumerate() {
        *y -= (f[0] * a_rest[k] + f[1] * b_rest[k]) + (f[2] * c_rest[k] + f[3] * d_rest[k]);
    }
}

/// One right-hand side: x ← L11⁻ᵀ (x − L21ᵀ rows), four columns at a time, each number of the panel read once.
fn back_up_the_columns(panel: &[f64], x: &mut [f64], rows: &[f64]) {
    let (width, height) = (x.len(), x.len() + rows.len());
    let column = |j: usize| &panel[j * height..(j + 1) * height];
    let mut end = width;
    while end > 0 {
        let start = end.saturating_sub(4);
        let (before, after) = x.split_at_mut(end);
        // A column that is not there counts as the last: what comes out for it is not used.
        let four = [0, 1, 2, 3].map(|k| column((start + k).min(end - 1)));
        let inside = dots(four.map(|l| &l[end..width]), after);
        let below = dots(four.map(|l| &l[width..]), rows);
        for j in (start..end).rev() {
            let mut sum = before[j] - inside[j - start] - below[j - start];
            (j + 1..end).for_each(|i| sum -= column(j)[i] * before[i]);
            before[j] = sum / column(j)[j];
        }
        end = start;
    }
}

/// Four columns times one vector, in a fixed order of sums.
fn dots(columns: [&[f64]; 4], y: &[f64]) -> [f64; 4] {
    let (y, y_rest) = y.as_chunks::<4>();
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] = columns.map(|l| l.as_chunks::<4>());
    let mut sums = [[0.0; 4]; 4];
    for ((((y, a), b), c), d) in y.iter().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..4 {
            sums[0][k] += a[k] * y[k];
            sums[1][k] += b[k] * y[k];
            sums[2][k] += c[k] * y[k];
            sums[3][k] += d[k] * y[k];
        }
    }
    let rest =
        [a_rest, b_rest, c_rest, d_rest].map(|l| l.iter().zip(y_rest).map(|(l, y)| l * y).sum::<f64>());
    [0, 1, 2, 3].map(|m| (sums[m][0] + sums[m][1]) + (sums[m][2] + sums[m][3]) + rest[m])
}
