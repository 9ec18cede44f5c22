//! Symmetric sparse matrices of small blocks, on a pattern that never changes.
//!
//! ```text
//! A = [A_ij],  A_ij a B×B block,  A_ji = A_ijᵀ,   stored for i ≥ j only
//! ```
//! A body of n vertices has one [`Pattern`]: vertex i beside vertex j wherever a component of its energy touches both.
//! Its stiffness is a `Symmetric<3>` on that pattern; its mass, which treats x, y and z alike, a `Symmetric<1>`. Vectors
//! are interleaved, 3i + c. Values change in every step of a solver, the pattern does not, so that
//! [`crate::factor`] orders and counts once and refactorises.

mod assembly;
mod csr;
pub mod dofs;
mod pattern;

use std::sync::Arc;

pub use assembly::{Assembly, LOCAL, LocalMatrix, LocalVector};
pub use csr::CsrMatrix;
pub use pattern::Pattern;
use rayon::prelude::*;

/// A symmetric matrix of B×B blocks; only blocks on and below the diagonal are stored.
///
/// Diagonal blocks are stored whole, and are symmetric.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric<const B: usize> {
    pattern: Arc<Pattern>,
    values: Vec<[[f64; B]; B]>,
}

impl<const B: usize> Symmetric<B> {
    /// The zero matrix on `pattern`.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let values = vec![[[0.0; B]; B]; pattern.blocks()];
        Self { pattern, values }
    }

    /// Where its blocks are.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Rows (= columns), counted in entries, not in blocks.
    pub fn size(&self) -> usize {
        B * self.pattern.size()
    }

    /// The stored blocks, in the order of [`Pattern`]: column by column, the diagonal first.
    pub fn values(&self) -> &[[[f64; B]; B]] {
        &self.values
    }

    /// The stored blocks, to be changed. Whoever writes a diagonal block keeps it symmetric.
    pub fn values_mut(&mut self) -> &mut [[[f64; B]; B]] {
        &mut self.values
    }

    /// Every block to zero.
    pub fn clear(&mut self) {
        self.values.fill([[0.0; B]; B]);
    }

    /// Block (i, j), for any i and j; zero where the pattern has none.
    pub fn block(&self, i: usize, j: usize) -> [[f64; B]; B] {
        let stored = |i, j| self.pattern.slot(i, j).map_or([[0.0; B]; B], |s| self.values[s]);
        if i >= j { stored(i, j) } else { transposed(&stored(j, i)) }
    }

    /// y = A x.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!((x.len(), y.len()), (self.size(), self.size()), "vectors of the matrix's size");
        y.fill(0.0);
        let (x, y) = (x.as_chunks::<B>().0, y.as_chunks_mut::<B>().0);
        for j in 0..self.pattern.size() {
            let (slots, rows) = self.pattern.column(j);
            let xj = x[j];
            let mut yj = y[j];
            for (a, &i) in self.values[slots].iter().zip(rows) {
                let i = i as usize;
                for r in 0..B {
                    for c in 0..B {
                        if i == j {
                            yj[r] += a[r][c] * xj[c];
                        } else {
                            y[i][r] += a[r][c] * xj[c];
                            yj[c] += a[r][c] * x[i][r];
                        }
                    }
                }
            }
            y[j] = yj;
        }
    }

    /// xᵀ A x.
    pub fn quadratic(&self, x: &[f64]) -> f64 {
        let mut y = vec![0.0; x.len()];
        self.apply(x, &mut y);
        crate::work::par::dot(x, &y)
    }

    /// A ← A + factor · other, where both have the same pattern.
    pub fn add(&mut self, factor: f64, other: &Self) {
        assert!(self.pattern.same(&other.pattern), "matrices on one pattern");
        for (a, b) in self.values.iter_mut().zip(&other.values) {
            for (a, b) in a.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
                *a += factor * b;
            }
        }
    }

    /// A ← factor · A.
    pub fn scale(&mut self, factor: f64) {
        self.values.iter_mut().flat_map(|b| b.as_flattened_mut()).for_each(|a| *a *= factor);
    }

    /// The diagonal, entry by entry.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.pattern.size())
            .flat_map(|j| {
                let block = self.values[self.pattern.column(j).0.start];
                (0..B).map(move |c| block[c][c])
            })
            .collect()
    }
}

impl<const B: usize> Symmetric<B> {
    /// A ← A + factor · (other ⊗ I): adds a mass, or any matrix that treats x, y and z alike.
    ///
    /// `other` has the same pattern, or is diagonal.
    pub fn add_per_axis(&mut self, factor: f64, other: &Symmetric<1>) {
        if self.pattern.same(&other.pattern) {
            for (a, b) in self.values.iter_mut().zip(&other.values) {
                (0..B).for_each(|c| a[c][c] += factor * b[0][0]);
            }
        } else {
            assert!(
                other.pattern.is_diagonal() && other.pattern.size() == self.pattern.size(),
                "a matrix on the same pattern, or a diagonal one"
            );
            for (j, b) in other.values.iter().enumerate() {
                let slot = self.pattern.column(j).0.start;
                (0..B).for_each(|c| self.values[slot][c][c] += factor * b[0][0]);
            }
        }
    }
}

/// Vectors that go through together in [`Symmetric::apply_columns_per_axis`].
const COLUMNS: usize = 4;

impl Symmetric<1> {
    /// y = (A ⊗ I₃) x for interleaved x: what a mass does to displacements.
    pub fn apply_per_axis(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!((x.len(), y.len()), (3 * self.size(), 3 * self.size()), "three entries a row");
        y.fill(0.0);
        self.add_rows(x.as_chunks::<3>().0, y.as_chunks_mut::<3>().0);
    }

    /// [`Symmetric::apply_per_axis`] of columns one after the other, the same bits: A is read once for four of them.
    pub fn apply_columns_per_axis(&self, x: &[f64], y: &mut [f64]) {
        let rows = 3 * self.size();
        assert!(x.len() == y.len() && x.len().is_multiple_of(rows.max(1)), "columns of three entries a row");
        let several = COLUMNS * rows;
        y.par_chunks_mut(several.max(1)).zip(x.par_chunks(several.max(1))).for_each(|(y, x)| {
            if x.len() < several {
                let each = y.chunks_exact_mut(rows).zip(x.chunks_exact(rows));
                return each.for_each(|(y, x)| self.apply_per_axis(x, y));
            }
            let mut beside = vec![[0.0; 3 * COLUMNS]; self.size()];
            for (k, x) in x.chunks_exact(rows).enumerate() {
                let x = x.as_chunks::<3>().0;
                beside.iter_mut().zip(x).for_each(|(all, x)| all[3 * k..3 * k + 3].copy_from_slice(x));
            }
            let mut sums = vec![[0.0; 3 * COLUMNS]; self.size()];
            self.add_rows(&beside, &mut sums);
            for (k, y) in y.chunks_exact_mut(rows).enumerate() {
                let y = y.as_chunks_mut::<3>().0;
                y.iter_mut().zip(&sums).for_each(|(y, all)| y.copy_from_slice(&all[3 * k..3 * k + 3]));
            }
        });
    }

    /// y ← y + A x, W numbers a row.
    fn add_rows<const W: usize>(&self, x: &[[f64; W]], y: &mut [[f64; W]]) {
        for j in 0..self.pattern.size() {
            let (slots, rows) = self.pattern.column(j);
            let (diagonal, xj) = (self.values[slots.start][0][0], x[j]);
            let mut yj = y[j];
            (0..W).for_each(|c| yj[c] += diagonal * xj[c]);
            for (a, &i) in self.values[slots].iter().zip(rows).skip(1) {
                let (xi, yi) = (&x[i as usize], &mut y[i as usize]);
                for c in 0..W {
                    yi[c] += a[0][0] * xj[c];
                    yj[c] += a[0][0] * xi[c];
                }
            }
            y[j] = yj;
        }
    }
}

fn transposed<const B: usize>(a: &[[f64; B]; B]) -> [[f64; B]; B] {
    std::array::from_fn(|r| std::array::from_fn(|c| a[c][r]))
}

#[cfg(test)]
mod tests;
