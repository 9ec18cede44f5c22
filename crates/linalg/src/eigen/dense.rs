//! The lowest eigenvectors of a small problem, by the whole decomposition.
//!
//! ```text
//! M = L Lᵀ,   (L⁻¹ K L⁻ᵀ + s Q Qᵀ) y = λ y,   x = L⁻ᵀ y
//! ```
//! Q are the known vectors, orthonormal in these coordinates; s, above all of K, moves them to the far end.
//! Everything on one thread, so that the bits do not depend on threads. Cubic in the number of free degrees of freedom.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, Par};

use super::{EigenError, Problem};
use crate::dense::tall::symmetric_eigen;

/// `wanted` vectors, Bn entries each, one after the other; `known` is mass-orthonormal.
pub(super) fn lowest<const B: usize>(
    problem: &Problem<'_, B>,
    known: &[f64],
    wanted: usize,
) -> Result<Vec<f64>, EigenError> {
    let (dofs, free) = (problem.dofs, problem.dofs.free());
    let (n, size) = (free.len(), dofs.size());
    let mut place = vec![usize::MAX; size];
    free.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at);
    let mut k = Mat::<f64>::zeros(n, n);
    let mut m = Mat::<f64>::zeros(n, n);
    let mut put = |into_mass: bool, row: usize, column: usize, value: f64| {
        let (r, c) = (place[row], place[column]);
        if r < n && c < n {
            let matrix = if into_mass { &mut m } else { &mut k };
            matrix[(r, c)] = value;
            matrix[(c, r)] = value;
        }
    };
    let pattern = problem.stiffness.pattern();
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (block, &i) in problem.stiffness.values()[slots].iter().zip(rows) {
            for r in 0..B {
                (0..B).for_each(|c| put(false, B * i as usize + r, B * j + c, block[r][c]));
            }
        }
    }
    let pattern = problem.mass.pattern();
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (block, &i) in problem.mass.values()[slots].iter().zip(rows) {
            (0..B).for_each(|c| put(true, B * i as usize + c, B * j + c, block[0][0]));
        }
    }

    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(m.as_mut(), Default::default(), Par::Seq, stack, Default::default())
        .map_err(|_| EigenError::Mass)?;
    // K ← L⁻¹ (L⁻¹ K)ᵀ, symmetric again.
    solve_lower_triangular_in_place(m.as_ref(), k.as_mut(), Par::Seq);
    let mut a = k.transpose().to_owned();
    solve_lower_triangular_in_place(m.as_ref(), a.as_mut(), Par::Seq);

    let count = known.len() / size;
    if count > 0 {
        let above = (0..n).map(|i| a[(i, i)].abs()).sum::<f64>() + 1.0;
        // Q = Lᵀ q.
        let q = Mat::from_fn(n, count, |i, j| known[j * size + free[i] as usize]);
        let lower = Mat::from_fn(n, n, |i, j| if i >= j { m[(i, j)] } else { 0.0 });
        let mut rotated = Mat::<f64>::zeros(n, count);
        matmul(&mut rotated, Accum::Replace, lower.transpose(), &q, 1.0, Par::Seq);
        matmul(&mut a, Accum::Add, &rotated, rotated.transpose(), above, Par::Seq);
    }
    let symmetric = Mat::from_fn(n, n, |i, j| -0.5 * (a[(i, j)] + a[(j, i)]));
    let (_, vectors) = symmetric_eigen(symmetric.as_ref()).ok_or(EigenError::Ritz)?;
    let mut lowest = vectors.subcols(0, wanted).to_owned();
    solve_upper_triangular_in_place(m.transpose(), lowest.as_mut(), Par::Seq);
    let mut out = vec![0.0; size * wanted];
    for (j, x) in out.chunks_mut(size).enumerate() {
        free.iter().enumerate().for_each(|(at, &i)| x[i as usize] = lowest[(at, j)]);
    }
    Ok(out)
}
