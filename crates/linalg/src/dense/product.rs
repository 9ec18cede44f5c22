//! Dense products on the thread that asks for them: building blocks of work that is parallel outside.
//!
//! Matrices are slices, column by column. The library underneath keeps a buffer for each thread that it takes at its first
//! large product: not for code that must not allocate ([`crate::RowBlocks`] is).

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// A dense matrix that is read: `rows` numbers a column, `stride` from one column to the next; then perhaps transposed.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    values: &'a [f64],
    rows: usize,
    columns: usize,
    stride: usize,
    transposed: bool,
}

impl<'a> Dense<'a> {
    /// Columns of `rows` numbers each, one after the other.
    pub fn new(values: &'a [f64], rows: usize) -> Self {
        let columns = values.len().checked_div(rows).unwrap_or(0);
        assert_eq!(values.len(), rows * columns, "whole columns");
        Self { values, rows, columns, stride: rows, transposed: false }
    }

    /// The rows `begin..begin + count` of this matrix, which is not transposed.
    #[must_use]
    pub fn rows(self, begin: usize, count: usize) -> Self {
        assert!(!self.transposed && begin + count <= self.rows, "rows that are there");
        Self { values: &self.values[begin.min(self.values.len())..], rows: count, ..self }
    }

    /// The columns `begin..begin + count` of this matrix, which is not transposed.
    #[must_use]
    pub fn columns(self, begin: usize, count: usize) -> Self {
        assert!(!self.transposed && begin + count <= self.columns, "columns that are there");
        Self { values: &self.values[(begin * self.stride).min(self.values.len())..], columns: count, ..self }
    }

    /// Its transpose.
    #[must_use]
    pub fn t(self) -> Self {
        Self { transposed: !self.transposed, ..self }
    }

    /// Rows and columns, transposition counted.
    pub fn shape(&self) -> (usize, usize) {
        if self.transposed { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }

    fn view(&self) -> MatRef<'a, f64> {
        let whole = if self.columns == 0 || self.rows == 0 {
            MatRef::from_column_major_slice(&[], self.rows, 0).subcols(0, 0)
        } else {
            let used = (self.columns - 1) * self.stride + self.rows;
            MatRef::from_column_major_slice_with_stride(
                &self.values[..used],
                self.rows,
                self.columns,
                self.stride,
            )
        };
        if self.transposed { whole.transpose() } else { whole }
    }
}

/// C ← A B, on this thread; C column by column.
pub fn multiply(c: &mut [f64], a: Dense<'_>, b: Dense<'_>) {
    let ((m, k), (l, n)) = (a.shape(), b.shape());
    assert_eq!(k, l, "the columns of one are the rows of the other");
    assert_eq!(c.len(), m * n, "room for {m} × {n} numbers");
    if k == 0 || c.is_empty() {
        return c.fill(0.0);
    }
    matmul(MatMut::from_column_major_slice_mut(c, m, n), Accum::Replace, a.view(), b.view(), 1.0, Par::Seq);
}

/// xᵀy, on this thread. Four sums side by side: one alone waits for each of its additions.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        (0..4).for_each(|l| sums[l] += x[l] * y[l]);
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_transposes_multiply_like_matrices() {
        let number = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin();
        let a: Vec<f64> = (0..5).flat_map(|j| (0..7).map(move |i| number(i, j))).collect();
        let b: Vec<f64> = (0..6).flat_map(|j| (0..9).map(move |i| number(i + 1, j + 2))).collect();
        // Rows 2..5 of A, transposed (5×3), times columns 1..5 of rows 3..6 of B (3×4).
        let mut c = vec![f64::NAN; 20];
        multiply(&mut c, Dense::new(&a, 7).rows(2, 3).t(), Dense::new(&b, 9).rows(3, 3).columns(1, 4));
        for i in 0..5 {
            for j in 0..4 {
                let sum: f64 = (0..3).map(|k| number(2 + k, i) * number(3 + k + 1, 1 + j + 2)).sum();
                assert!((c[5 * j + i] - sum).abs() < 1e-14, "{i} {j}");
            }
        }
        let mut c = vec![f64::NAN; 4];
        multiply(&mut c, Dense::new(&a[..0], 2).t().t(), Dense::new(&b[..0], 2).t());
        assert_eq!(c, [0.0; 4]);
    }
}
