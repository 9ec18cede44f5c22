//! Products of tall matrices: many rows, few columns, the columns one after the other in memory.
//!
//! The rows are cut into chunks of a fixed length, each chunk is one dense product on one thread, and what must be summed
//! is summed in the order of the chunks: the same bits for any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Col, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows in one chunk. Part of the result's bits: never derived from the number of threads.
const ROWS: usize = 1024;

/// AᵀB for tall A and B of `rows` rows: small, column by column.
pub fn gram(a: &[f64], b: &[f64], rows: usize) -> Vec<f64> {
    let product = transposed_product(view(a, rows), view(b, rows));
    (0..product.ncols()).flat_map(|j| product.col_as_slice(j).to_vec()).collect()
}

/// A h for tall A of `rows` rows and small h, column by column: a tall matrix again.
pub fn combine(a: &[f64], rows: usize, h: &[f64]) -> Vec<f64> {
    let columns = a.len() / rows;
    product(view(a, rows), MatRef::from_column_major_slice(h, columns, h.len() / columns))
}

/// Every column x becomes x or −x, whichever has its entry of largest magnitude positive; the first one where several are
/// as large.
pub fn make_largest_positive(a: &mut [f64], rows: usize) {
    a.par_chunks_mut(rows).for_each(|x| {
        let largest = x.iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
        if largest < 0.0 {
            x.iter_mut().for_each(|x| *x = -*x);
        }
    });
}

/// A slice of columns of `rows` numbers each, as a matrix.
pub(crate) fn view(columns: &[f64], rows: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(columns, rows, columns.len() / rows)
}

/// AᵀB, small.
pub(crate) fn transposed_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let rows = a.nrows();
    let mut sum = Mat::zeros(a.ncols(), b.ncols());
    // Memory for partial sums stays bounded: a stretch of chunks at a time.
    const STRETCH: usize = 64;
    for first in (0..rows.div_ceil(ROWS)).step_by(STRETCH) {
        let last = (first + STRETCH).min(rows.div_ceil(ROWS));
        let parts: Vec<Mat<f64>> = (first..last)
            .into_par_iter()
            .map(|chunk| {
                let (begin, count) = (chunk * ROWS, ROWS.min(rows - chunk * ROWS));
                let (a, b) = (a.subrows(begin, count), b.subrows(begin, count));
                let mut part = Mat::zeros(a.ncols(), b.ncols());
                matmul(&mut part, Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
                part
            })
            .collect();
        parts.iter().for_each(|part| sum += part);
    }
    sum
}

/// C ← C − A h.
pub(crate) fn subtract_product(c: &mut [f64], a: MatRef<'_, f64>, h: MatRef<'_, f64>) {
    if a.ncols() == 0 || c.is_empty() {
        return;
    }
    let (rows, columns) = (a.nrows(), c.len() / a.nrows());
    MatMut::from_column_major_slice_mut(c, rows, columns).par_row_chunks_mut(ROWS).enumerate().for_each(
        |(chunk, c)| {
            let a = a.subrows(chunk * ROWS, c.nrows());
            matmul(c, Accum::Add, a, h, -1.0, Par::Seq);
        },
    );
}

/// A h, a tall matrix again.
pub(crate) fn product(a: MatRef<'_, f64>, h: MatRef<'_, f64>) -> Vec<f64> {
    let rows = a.nrows();
    let mut c = vec![0.0; rows * h.ncols()];
    MatMut::from_column_major_slice_mut(&mut c, rows, h.ncols())
        .par_row_chunks_mut(ROWS)
        .enumerate()
        .for_each(|(chunk, c)| {
            let a = a.subrows(chunk * ROWS, c.nrows());
            matmul(c, Accum::Replace, a, h, 1.0, Par::Seq);
        });
    c
}

/// The first columns of A ← A h, in place; later columns of A are left as they are, to be overwritten or cut off.
pub(crate) fn rotate(a: &mut [f64], rows: usize, h: MatRef<'_, f64>) {
    assert!(h.ncols() <= h.nrows() && a.len() == rows * h.nrows(), "columns that fit where they came from");
    let columns = h.nrows();
    MatMut::from_column_major_slice_mut(a, rows, columns).par_row_chunks_mut(ROWS).for_each(|mut a| {
        let mut rotated = Mat::zeros(a.nrows(), h.ncols());
        matmul(&mut rotated, Accum::Replace, a.as_ref(), h, 1.0, Par::Seq);
        a.as_mut().subcols_mut(0, h.ncols()).copy_from(&rotated);
    });
}

/// Eigenvalues, descending, and eigenvectors of a small symmetric matrix, of which the lower half is read.
///
/// On one thread: the bits of this decomposition depend on threads. Scaled by a power of two first, since the library's
/// thresholds are made for matrices whose numbers are about 1: with θ = 1/λ of a steel body, 10⁻¹², it gave vectors that
/// were good to a few digits only.
pub(crate) fn symmetric_eigen(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let lower = (0..n).flat_map(|j| (j..n).map(move |i| (i, j)));
    let largest =
        lower.fold(0.0, |m: f64, at| if a[at].is_nan() { f64::INFINITY } else { m.max(a[at].abs()) });
    if !(largest.is_finite() && largest > 0.0) {
        // All zero: any basis will do. Not finite: none will.
        return largest.is_finite().then(|| (vec![0.0; n], Mat::identity(n, n)));
    }
    let exponent = largest.log2().round().clamp(-1000.0, 1000.0);
    let scaled = Mat::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))] * (-exponent).exp2());
    let (mut values, mut vectors) = (Col::<f64>::zeros(n), Mat::<f64>::zeros(n, n));
    let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(
        scaled.as_ref(),
        values.as_diagonal_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        stack,
        Default::default(),
    )
    .ok()?;
    let descending = Mat::from_fn(n, n, |i, j| vectors[(i, n - 1 - j)]);
    Some(((0..n).map(|i| values[n - 1 - i] * exponent.exp2()).collect(), descending))
}
