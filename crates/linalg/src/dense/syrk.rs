//! Sums of AᵀA over many pieces of a tall matrix, of which only one is in memory at a time.
//!
//! The columns of the result are cut into blocks of a fixed width, each block is the work of one thread, and the pieces
//! are added one after the other: the same bits for any number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns in one block. Part of the result's bits: never derived from the number of threads.
const BLOCK: usize = 128;

/// Σ AᵀA.
#[derive(Clone, Debug)]
pub struct Syrk {
    size: usize,
    /// Column by column; only what is on and below the diagonal.
    sum: Vec<f64>,
}

impl Syrk {
    /// Of nothing yet, for matrices of so many columns.
    pub fn new(columns: usize) -> Self {
        Self { size: columns, sum: vec![0.0; columns * columns] }
    }

    /// Adds AᵀA for A with its columns one after the other.
    pub fn add(&mut self, a: &[f64]) {
        let n = self.size;
        assert!(n > 0 && a.len().is_multiple_of(n), "{n} columns");
        let a = MatRef::from_column_major_slice(a, a.len() / n, n);
        self.sum.par_chunks_mut(BLOCK * n).enumerate().for_each(|(block, sum)| {
            let (first, width) = (block * BLOCK, sum.len() / n);
            let own = a.subcols(first, width);
            let sum = MatMut::from_column_major_slice_mut(sum, n, width);
            let (square, below) = sum.subrows_mut(first, n - first).split_at_row_mut(width);
            triangular::matmul(
                square,
                BlockStructure::TriangularLower,
                Accum::Add,
                own.transpose(),
                BlockStructure::Rectangular,
                own,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
            let rest = a.subcols(first + width, n - first - width);
            matmul(below, Accum::Add, rest.transpose(), own, 1.0, Par::Seq);
        });
    }

    /// Floating-point operations that [`Syrk::add`] needs for so many rows: a multiplication and an addition for each
    /// row and each entry on and below the diagonal.
    pub fn operations(columns: usize, rows: usize) -> f64 {
        (columns * (columns + 1)) as f64 * rows as f64
    }

    /// Entry (i, j) of the sum.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.sum[i.min(j) * self.size + i.max(j)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_same_bits_for_one_thread_and_for_many() {
        for columns in [1, 5, 128, 300] {
            let pieces: Vec<Vec<f64>> = [40, 24]
                .map(|rows| (0..rows * columns).map(|k| ((k * k + rows) as f64 * 0.37).sin()).collect())
                .into();
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let mut sum = Syrk::new(columns);
                pool.install(|| pieces.iter().for_each(|piece| sum.add(piece)));
                sum
            };
            let (one, many) = (run(1), run(7));
            for i in 0..columns {
                for j in i..columns {
                    assert_eq!(one.get(i, j).to_bits(), many.get(i, j).to_bits());
                    let dot = |piece: &Vec<f64>| {
                        let rows = piece.len() / columns;
                        (0..rows).map(|k| piece[i * rows + k] * piece[j * rows + k]).sum::<f64>()
                    };
                    let expected: f64 = pieces.iter().map(dot).sum();
                    assert!((one.get(j, i) - expected).abs() < 1e-12, "{columns}: ({i}, {j})");
                }
            }
        }
    }
}
