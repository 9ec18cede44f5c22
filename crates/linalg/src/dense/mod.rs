//! Dense matrices: the small symmetric systems of reduced models, solved thousands of times a second, and products of tall
//! matrices (`tall`, `rows`, `row_blocks`, `product`, `syrk`) and of quartic polynomials (`quartic`).
//!
//! Nothing here allocates after it was made, wakes a thread, or panics on numbers that are not finite.

mod cholesky;
pub mod product;
pub mod quartic;
pub mod row_blocks;
pub mod rows;
pub(crate) mod slim;
pub mod syrk;
pub mod tall;

use crate::simd::{self, Kernel, Wide};
use faer::Mat;

pub use cholesky::DenseCholesky;

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
        simd::run(Apply { size: self.size, values: &self.values, x, y });
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

    /// λ, ascending, and x, one after the other, with A x = λ B x and xᵀB x = 1. `None` when a number is not finite, or
    /// when B is not positive definite to rounding: a column keeps less than 1e-14 of its square beside the others.
    pub fn generalised_eigen(&self, other: &Self) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.size;
        assert_eq!(other.size, n, "matrices of one size");
        let mut factor = DenseCholesky::new(n);
        factor.factorise(other).ok()?;
        if (0..n).any(|i| factor.entry(i, i).powi(2) <= 1e-14 * other.get(i, i)) {
            return None;
        }
        // B = UᵀU: C = U⁻ᵀ A U⁻¹, first the columns of A, then the rows of what came out. B⁻¹ would square its condition.
        let column = |j: usize| (0..n).map(|i| self.get(i, j)).collect::<Vec<f64>>();
        let mut half: Vec<Vec<f64>> = (0..n).map(column).collect();
        half.iter_mut().for_each(|x| factor.solve_transposed_half(x));
        let mut rows: Vec<Vec<f64>> = (0..n).map(|i| half.iter().map(|x| x[i]).collect()).collect();
        rows.iter_mut().for_each(|x| factor.solve_transposed_half(x));
        let (values, mut vectors) = Self::from_upper(n, |i, j| 0.5 * (rows[i][j] + rows[j][i])).eigen()?;
        vectors.chunks_exact_mut(n.max(1)).for_each(|x| factor.solve_half(x));
        vectors.iter().all(|x| x.is_finite()).then_some((values, vectors))
    }
}

/// y ← y + A x, four rows of the upper triangle at a time: what stands right of their diagonal block counts for these
/// rows and, mirrored, for those below, and is read once for both.
struct Apply<'a> {
    size: usize,
    values: &'a [f64],
    x: &'a [f64],
    y: &'a mut [f64],
}

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { size, values, x, y } = self;
        let whole = size - size % 4;
        for i in (0..whole).step_by(4) {
            corner(size, values, x, y, i, 4);
            let (left, right) = (&x[i..i + 4], &x[i + 4..]);
            let (above, below) = y.split_at_mut(i + 4);
            let block = &values[i * size..(i + 4) * size];
            let (ab, cd) = block.split_at(2 * size);
            let ((a, b), (c, d)) = (ab.split_at(size), cd.split_at(size));
            let sums = strip(wide, [&a[i + 4..], &b[i + 4..], &c[i + 4..], &d[i + 4..]], left, right, below);
            for (y, sum) in above[i..].iter_mut().zip(sums) {
                *y += sum;
            }
        }
        corner(size, values, x, y, whole, size - whole);
    }
}

/// The diagonal block of `count` rows from row i on.
#[inline(always)]
fn corner(size: usize, values: &[f64], x: &[f64], y: &mut [f64], i: usize, count: usize) {
    for k in i..i + count {
        y[k] += values[k * size + k] * x[k];
        for l in k + 1..i + count {
            let a = values[k * size + l];
            y[k] += a * x[l];
            y[l] += a * x[k];
        }
    }
}

/// Four rows times `right`, which is given back, and `left` times them, which is added to `below`.
#[inline(always)]
fn strip<W: Wide>(
    wide: W,
    [a, b, c, d]: [&[f64]; 4],
    left: &[f64],
    right: &[f64],
    below: &mut [f64],
) -> [f64; 4] {
    let (x, x_rest) = right.as_chunks::<4>();
    let (y, y_rest) = below.as_chunks_mut::<4>();
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (c.as_chunks::<4>(), d.as_chunks::<4>());
    let factors = [wide.splat(left[0]), wide.splat(left[1]), wide.splat(left[2]), wide.splat(left[3])];
    let mut sums = [wide.splat(0.0); 4];
    for (((((x, y), a), b), c), d) in x.iter().zip(y).zip(a).zip(b).zip(c).zip(d) {
        let (x, mut sum) = (wide.load_slice(x), wide.load_slice(y));
        let rows = [wide.load_slice(a), wide.load_slice(b), wide.load_slice(c), wide.load_slice(d)];
        for k in 0..4 {
            sums[k] = wide.mul_add(rows[k], x, sums[k]);
            sum = wide.mul_add(rows[k], factors[k], sum);
        }
        *y = wide.store(sum).0;
    }
    let mut out = wide.store(wide.sums(sums)).0;
    let rest = x_rest.iter().zip(y_rest).zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest);
    for (((((x, y), a), b), c), d) in rest {
        let rows = [a, b, c, d];
        for k in 0..4 {
            out[k] += rows[k] * x;
            *y += rows[k] * left[k];
        }
    }
    out
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
        for n in (1..=13).chain([20, 23, 61, 64]) {
            let mut matrix = sample(n);
            // Below the diagonal anything may stand.
            (0..n).for_each(|i| matrix.values_mut()[i * n..i * n + i].fill(f64::NAN));
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
        // A number beside the diagonal shows in the pivot of its column.
        for bad in [f64::NAN, f64::INFINITY] {
            let mut matrix = sample(6);
            matrix.values_mut()[6 + 4] = bad;
            assert_eq!(DenseCholesky::new(6).factorise(&matrix), Err(4));
        }
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

    #[test]
    fn generalised_eigenvectors_diagonalise_both() {
        let (A, B) = (DenseSymmetric::from_upper(9, |i, j| ((3 * i + j) as f64).cos()), sample(9));
        let (values, vectors) = A.generalised_eigen(&B).expect("positive definite");
        assert!(values.is_sorted() && values[0] < 0.0);
        let (mut Ax, mut Bx) = (vec![0.0; 9], vec![0.0; 9]);
        for (k, x) in vectors.chunks_exact(9).enumerate() {
            A.apply(x, &mut Ax);
            B.apply(x, &mut Bx);
            assert!((0..9).all(|i| (Ax[i] - values[k] * Bx[i]).abs() < 1e-13), "{k}");
            for (l, y) in vectors.chunks_exact(9).enumerate() {
                let dot: f64 = y.iter().zip(&Bx).map(|(y, b)| y * b).sum();
                assert!((dot - f64::from(k == l)).abs() < 1e-13, "{k} {l}: {dot}");
            }
        }
        // The third column repeats the first.
        let twice = DenseSymmetric::from_upper(3, |i, j| if i % 2 == j % 2 { 1.0 } else { 0.3 });
        assert!(DenseSymmetric::zeros(3).generalised_eigen(&twice).is_none());
        assert!(A.generalised_eigen(&DenseSymmetric::from_upper(9, |_, _| f64::NAN)).is_none());
    }
}
