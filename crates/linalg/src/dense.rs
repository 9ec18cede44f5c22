//! Small symmetric matrices: the r×r systems of reduced models, solved thousands of times a second.
//!
//! Nothing here allocates after it was made, wakes a thread, or panics on numbers that are not finite.

use crate::tall;
use faer::Mat;

/// A symmetric r×r matrix, row-major, of which only the upper triangle (column ≥ row) is read.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseSymmetric {
    size: usize,
    values: Vec<f64>,
}

impl DenseSymmetric {
    /// All zero.
    pub fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// From its upper triangle: entry (i, j) for i ≤ j.
    pub fn from_upper(size: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(size);
        for i in 0..size {
            (i..size).for_each(|j| matrix.values[i * size + j] = entry(i, j));
        }
        matrix
    }

    /// Rows (= columns).
    pub fn size(&self) -> usize {
        self.size
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i.min(j) * self.size + i.max(j)]
    }

    /// Row-major, size×size; below the diagonal anything may stand.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// As [`DenseSymmetric::values`], to be written; only the upper triangle counts.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// All to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// A ← A + factor · B.
    pub fn add(&mut self, factor: f64, other: &Self) {
        assert_eq!(self.size, other.size, "matrices of one size");
        for i in 0..self.size {
            let upper = i * self.size + i..(i + 1) * self.size;
            let rows = self.values[upper.clone()].iter_mut().zip(&other.values[upper]);
            rows.for_each(|(a, b)| *a += factor * b);
        }
    }

    /// y = A x.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!((x.len(), y.len()), (self.size, self.size), "vectors of the matrix's size");
        y.fill(0.0);
        for i in 0..self.size {
            let row = &self.values[i * self.size + i..(i + 1) * self.size];
            let xi = x[i];
            let mut sum = row[0] * xi;
            for ((a, x), y) in row[1..].iter().zip(&x[i + 1..]).zip(&mut y[i + 1..]) {
                sum += a * x;
                *y += a * xi;
            }
            y[i] += sum;
        }
    }

    /// Eigenvalues, ascending, and eigenvectors as columns, one after the other; each with its largest entry positive.
    /// `None` when a number is not finite.
    pub fn eigen(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.size;
        let lower = Mat::from_fn(n, n, |i, j| self.get(i, j));
        let (mut values, vectors) = tall::symmetric_eigen(lower.as_ref())?;
        values.reverse();
        let mut columns = Vec::with_capacity(n * n);
        for j in (0..n).rev() {
            let column = (0..n).map(|i| vectors[(i, j)]);
            let largest =
                column.clone().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
            columns.extend(column.map(|x| if largest < 0.0 { -x } else { x }));
        }
        Some((values, columns))
    }
}

/// A = Uᵀ U of a positive definite matrix.
#[derive(Clone, Debug)]
pub struct DenseCholesky {
    size: usize,
    /// U, row-major.
    factor: Vec<f64>,
}

impl DenseCholesky {
    /// Room for matrices of this size.
    pub fn new(size: usize) -> Self {
        Self { size, factor: vec![0.0; size * size] }
    }

    /// Factorises; after an error there is no factor.
    ///
    /// # Errors
    /// The row at which a pivot was not positive, or not finite.
    pub fn factorise(&mut self, matrix: &DenseSymmetric) -> Result<(), usize> {
        let n = self.size;
        assert_eq!(matrix.size, n, "a matrix of the size it was made for");
        self.factor.copy_from_slice(&matrix.values);
        for i in 0..n {
            let (above, rest) = self.factor.split_at_mut((i + 1) * n);
            let row = &mut above[i * n + i..];
            let pivot = row[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(i);
            }
            let scale = 1.0 / pivot.sqrt();
            row.iter_mut().for_each(|x| *x *= scale);
            for (k, below) in rest.chunks_exact_mut(n).enumerate() {
                let j = 1 + k;
                let factor = row[j];
                below[i + j..].iter_mut().zip(&row[j..]).for_each(|(b, a)| *b -= factor * a);
            }
        }
        Ok(())
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_transposed_half(x);
        self.solve_half(x);
    }

    /// x ← U⁻ᵀ x: the first half of a solve, and what turns a generalised eigenproblem into an ordinary one.
    pub fn solve_transposed_half(&self, x: &mut [f64]) {
        let n = self.size;
        assert_eq!(x.len(), n, "a vector of the matrix's size");
        for i in 0..n {
            let row = &self.factor[i * n + i..(i + 1) * n];
            let xi = x[i] / row[0];
            x[i] = xi;
            x[i + 1..].iter_mut().zip(&row[1..]).for_each(|(x, a)| *x -= xi * a);
        }
    }

    /// x ← U⁻¹ x: the second half.
    pub fn solve_half(&self, x: &mut [f64]) {
        let n = self.size;
        assert_eq!(x.len(), n, "a vector of the matrix's size");
        for i in (0..n).rev() {
            let row = &self.factor[i * n + i..(i + 1) * n];
            let sum: f64 = row[1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - sum) / row[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A well-conditioned positive definite matrix.
    fn sample(n: usize) -> DenseSymmetric {
        let noise = |i: usize, j: usize| ((i * 31 + j * 17) as f64).sin();
        DenseSymmetric::from_upper(n, |i, j| if i == j { n as f64 } else { noise(i, j) })
    }

    #[test]
    fn solves_what_it_factorised() {
        for n in [1, 2, 3, 4, 5, 7, 8, 20, 61] {
            let matrix = sample(n);
            let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let mut b = vec![0.0; n];
            matrix.apply(&x, &mut b);
            for i in 0..n {
                let row: f64 = (0..n).map(|j| matrix.get(i, j) * x[j]).sum();
                assert!((row - b[i]).abs() < 1e-12 * n as f64, "{n}: {row} vs {}", b[i]);
            }
            let mut cholesky = DenseCholesky::new(n);
            cholesky.factorise(&matrix).expect("it is positive definite");
            cholesky.solve(&mut b);
            let worst = x.iter().zip(&b).map(|(x, b)| (x - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-13, "{n}: {worst:e}");
        }
    }

    #[test]
    fn names_the_row_that_is_not_positive() {
        let mut matrix = sample(6);
        matrix.values_mut()[3 * 6 + 3] = -1.0;
        assert_eq!(DenseCholesky::new(6).factorise(&matrix), Err(3));
        matrix.values_mut()[0] = f64::NAN;
        assert_eq!(DenseCholesky::new(6).factorise(&matrix), Err(0));
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_ascend() {
        let matrix = sample(9);
        let (values, vectors) = matrix.eigen().expect("finite");
        assert!(values.is_sorted());
        for k in 0..9 {
            let x = &vectors[9 * k..9 * k + 9];
            let mut y = vec![0.0; 9];
            matrix.apply(x, &mut y);
            let worst = (0..9).map(|i| (y[i] - values[k] * x[i]).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{k}: {worst:e}");
        }
    }
}
