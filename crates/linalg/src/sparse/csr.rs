//! Sparse matrices as other programs take them: compressed rows.
//!
//! ```text
//! A_ij = values[k]  for the k in row_starts[i] .. row_starts[i + 1] with columns[k] = j;   else 0
//! ```
//! Both triangles are there, so that nobody has to know that the matrix is symmetric. In Python it is
//! `scipy.sparse.csr_matrix((values, columns, row_starts))`. Not for computing here: [`Symmetric`] holds half as much, and
//! keeps its pattern.

use super::Symmetric;

/// Square sparse matrix in compressed rows (CSR), both triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct CsrMatrix {
    /// Where each row begins in `columns` and `values`, and behind the last one where it ends: one entry more than rows.
    pub row_starts: Vec<usize>,
    /// The column of each entry, ascending within a row.
    pub columns: Vec<u32>,
    /// The entries; some may be zero.
    pub values: Vec<f64>,
}

impl CsrMatrix {
    /// How many rows (= columns) it has.
    pub fn size(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Columns and values of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let entries = self.row_starts[i]..self.row_starts[i + 1];
        (&self.columns[entries.clone()], &self.values[entries])
    }

    /// Entry (i, j); zero where none is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or(0.0, |k| values[k])
    }

    /// y = A x.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!((x.len(), y.len()), (self.size(), self.size()), "vectors of the matrix's size");
        for (i, y) in y.iter_mut().enumerate() {
            let (columns, values) = self.row(i);
            *y = columns.iter().zip(values).map(|(&j, a)| a * x[j as usize]).sum();
        }
    }
}

impl<const B: usize> Symmetric<B> {
    /// The matrix in compressed rows, both triangles.
    pub fn to_csr(&self) -> CsrMatrix {
        let all: [[bool; B]; B] = [[true; B]; B];
        self.in_rows::<B>(&all, |block, r, c| block[r][c])
    }

    /// Rows of N×N blocks, of which the entries that `there` names are stored, each as `entry` finds it in a block.
    fn in_rows<const N: usize>(
        &self,
        there: &[[bool; N]; N],
        entry: impl Fn(&[[f64; B]; B], usize, usize) -> f64,
    ) -> CsrMatrix {
        let pattern = self.pattern();
        let width = |r: usize| there[r].iter().filter(|there| **there).count();
        let mut row_starts = vec![0; N * pattern.size() + 1];
        for j in 0..pattern.size() {
            for &i in pattern.column(j).1 {
                (0..N).for_each(|r| row_starts[N * i as usize + r + 1] += width(r));
                if i as usize != j {
                    (0..N).for_each(|r| row_starts[N * j + r + 1] += width(r));
                }
            }
        }
        (1..row_starts.len()).for_each(|i| row_starts[i] += row_starts[i - 1]);
        let count = row_starts[N * pattern.size()];
        let (mut columns, mut values) = (vec![0_u32; count], vec![0.0; count]);
        let mut next = row_starts.clone();
        // Column by column: what is left of a row's diagonal comes from earlier columns, what is right of it from its own,
        // so that every row fills in ascending order.
        let mut put = |i: usize, j: usize, block: &[[f64; B]; B], transposed: bool| {
            for (r, there) in there.iter().enumerate() {
                for c in (0..N).filter(|&c| there[c]) {
                    let at = next[N * i + r];
                    columns[at] = (N * j + c) as u32;
                    values[at] = if transposed { entry(block, c, r) } else { entry(block, r, c) };
                    next[N * i + r] += 1;
                }
            }
        };
        for j in 0..pattern.size() {
            let (slots, rows) = pattern.column(j);
            for (block, &i) in self.values()[slots].iter().zip(rows) {
                put(i as usize, j, block, false);
                if i as usize != j {
                    put(j, i as usize, block, true);
                }
            }
        }
        CsrMatrix { row_starts, columns, values }
    }
}

impl Symmetric<1> {
    /// A ⊗ I₃ in compressed rows, both triangles: a mass of n vertices as a matrix of their 3n coordinates, 3i + c.
    pub fn to_csr_per_axis(&self) -> CsrMatrix {
        let diagonal = std::array::from_fn(|r| std::array::from_fn(|c| r == c));
        self.in_rows::<3>(&diagonal, |block, _, _| block[0][0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    fn pattern() -> std::sync::Arc<Pattern> {
        Pattern::from_cliques(4, [&[3_u32, 0][..], &[1, 3, 2]].into_iter())
    }

    #[test]
    fn rows_hold_both_triangles_in_ascending_order() {
        let mut A = Symmetric::<3>::zeros(pattern());
        let mut value = 0.0;
        for (k, block) in A.values_mut().iter_mut().enumerate() {
            for r in 0..3 {
                for c in 0..3 {
                    value += 1.0;
                    block[r][c] = value;
                }
            }
            // Slots 0, 2, 5, 7 are the diagonal.
            if [0, 2, 5, 7].contains(&k) {
                (0..3).for_each(|r| (0..r).for_each(|c| block[r][c] = block[c][r]));
            }
        }
        let csr = A.to_csr();
        assert_eq!((csr.size(), csr.values.len()), (12, 9 * (4 + 2 * 4)));
        for i in 0..12 {
            assert!(csr.row(i).0.is_sorted_by(|a, b| a < b), "row {i}: {:?}", csr.row(i).0);
            for j in 0..12 {
                assert_eq!(csr.get(i, j), A.block(i / 3, j / 3)[i % 3][j % 3], "({i}, {j})");
                assert_eq!(csr.get(i, j), csr.get(j, i), "({i}, {j})");
            }
        }
        let x: Vec<f64> = (0..12).map(|i| f64::from(i).sin()).collect();
        let (mut ours, mut theirs) = (vec![0.0; 12], vec![0.0; 12]);
        A.apply(&x, &mut theirs);
        csr.apply(&x, &mut ours);
        ours.iter().zip(&theirs).for_each(|(a, b)| assert!((a - b).abs() < 1e-11, "{a} instead of {b}"));
    }

    #[test]
    fn a_mass_stands_once_for_each_axis() {
        let mut M = Symmetric::<1>::zeros(pattern());
        M.values_mut().iter_mut().enumerate().for_each(|(k, block)| block[0][0] = 1.0 + k as f64);
        let csr = M.to_csr_per_axis();
        assert_eq!((csr.size(), csr.values.len()), (12, 3 * (4 + 2 * 4)));
        for i in 0..12 {
            for j in 0..12 {
                let wanted = if i % 3 == j % 3 { M.block(i / 3, j / 3)[0][0] } else { 0.0 };
                assert_eq!(csr.get(i, j), wanted, "({i}, {j})");
            }
        }
        assert_eq!(Symmetric::<1>::zeros(Pattern::diagonal(2)).to_csr().columns, [0, 1]);
    }
}
