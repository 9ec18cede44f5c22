//! Orthonormal columns in the inner product of a mass, and the few of them that matter most.
//!
//! ```text
//! ⟨x, y⟩ = xᵀ M y over the free degrees of freedom
//! A = V (VᵀMA) + W R,   VᵀMW = 0,  WᵀMW = I                    [`Metric::extend`]
//! R = Z Σ Yᵀ,  the principal columns are W Z                   [`Span::principal`]
//! ```
//! W comes from block Gram–Schmidt, twice over, so that it is orthonormal to some 1e-14 whatever A is; a column of A of
//! which less than [`SMALL`] remains lies in the span of those before it and is dropped. The singular values of A in the
//! mass are those of the small matrix R: no AᵀMA is decomposed, which would lose half the digits of the small ones.

pub(crate) mod block;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Col, Mat, MatRef, Par};
use rayon::prelude::*;

use crate::Random;
use crate::dense::tall;
use crate::dense::tall::{product, transposed_product, view};
use crate::work::par::dot;
use crate::{Cancelled, Dofs, Progress, Symmetric, Watch};
use block::BEST;

/// A vector that keeps less than this of its length counts as a combination of those before it.
pub const SMALL: f64 = 1e-8;

/// Columns that go through together: their products are dense ones, and what they cost beside those stays small.
const BLOCK: usize = 32;

/// The inner product xᵀ M y over the free degrees of freedom: of displacements, three entries a vertex, or of scalar
/// fields, one number a vertex; `dofs` says which.
#[derive(Clone, Copy, Debug)]
pub struct Metric<'a> {
    /// M, kg; positive definite on the free degrees of freedom.
    pub mass: &'a Symmetric<1>,
    /// Which degrees of freedom are held: vectors are zero there.
    pub dofs: &'a Dofs,
}

/// Why there are no orthonormal columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrthError {
    /// The mass is not positive definite.
    #[error("the mass matrix is not positive definite; check density and mesh")]
    Mass,
    /// A number of a vector is infinite or not a number.
    #[error("a vector has a number that is not finite; check the material and the mesh")]
    NotFinite,
    /// The caller asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl From<Cancelled> for OrthError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// What some vectors add to a basis.
#[derive(Clone, Debug)]
pub struct Span {
    /// W, orthonormal, column after column.
    pub columns: Vec<f64>,
    /// Which of the vectors gave them, ascending; the others were dropped.
    pub kept: Vec<usize>,
    /// R, a column for every vector, dropped ones included; as many rows as W has columns.
    coefficients: Mat<f64>,
    rows: usize,
}

impl Metric<'_> {
    /// Numbers of a vector.
    pub fn size(&self) -> usize {
        self.dofs.size()
    }

    /// M x for every column of x, zero where held.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        if self.size() == self.mass.size() {
            y.par_chunks_mut(self.size())
                .zip(x.par_chunks(self.size()))
                .for_each(|(y, x)| self.mass.apply(x, y));
        } else {
            self.mass.apply_columns_per_axis(x, &mut y);
        }
        y.chunks_exact_mut(self.size()).for_each(|y| self.dofs.hold(y));
        y
    }

    /// X ← X − V VᵀMX, twice, for orthonormal V: nothing of V remains.
    pub fn remove(&self, basis: &[f64], vectors: &mut [f64]) {
        if basis.is_empty() {
            return;
        }
        let rows = self.size();
        for _ in 0..2 {
            let along = block::slim(basis, &self.apply(vectors), rows);
            block::slim_subtract(vectors, basis, &along, rows);
        }
    }

    /// An orthonormal basis of what `vectors` add to the orthonormal columns of `basis`; held degrees of freedom come
    /// out zero.
    ///
    /// A vector is dropped where less than [`SMALL`] of its length remains, or of `length` where that is more: the length
    /// of what the vectors were made from, below which they are rounding.
    ///
    /// # Errors
    /// A mass that is none, numbers that are not finite, or cancelled.
    pub fn extend(
        &self,
        basis: &[f64],
        vectors: &[f64],
        length: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Span, OrthError> {
        let rows = self.size();
        let count = vectors.len() / rows;
        if !vectors.par_iter().all(|x| x.is_finite()) {
            return Err(OrthError::NotFinite);
        }
        let mut all = basis.to_vec();
        let mut kept = Vec::new();
        let mut parts: Vec<(usize, Mat<f64>)> = Vec::new();
        let mut random = Random(1);
        let mut first = 0;
        while first < count {
            Progress { stage: "orthonormal basis", done: first, total: count }.tell(watch)?;
            let room = self.dofs.free().len() - all.len() / rows;
            // Without room they span everything already; what comes now lies in it.
            let width = if room == 0 { count - first } else { BLOCK.min(count - first).min(room) };
            let mut given = vectors[first * rows..(first + width) * rows].to_vec();
            given.par_chunks_mut(rows).for_each(|x| self.dofs.hold(x));
            let weighted = self.apply(&given);
            given.par_chunks_mut(rows).zip(weighted.par_chunks(rows)).for_each(|(x, mx)| {
                if dot(x, mx).sqrt() <= SMALL * length {
                    x.fill(0.0);
                }
            });
            let mut chosen = Vec::new();
            if room > 0 {
                let mut block = given.clone();
                let made = self.orthonormalise(&all, &mut block, BEST, &mut random)?;
                chosen = independent(&made.along, &made.within, length);
                if chosen.len() < width {
                    // Once more without the dropped: beside a dependent vector the others lose digits.
                    block = chosen.iter().flat_map(|&j| &given[j * rows..(j + 1) * rows]).copied().collect();
                    self.orthonormalise(&all, &mut block, BEST, &mut random)?;
                }
                all.extend(block);
            }
            parts.push((first, transposed_product(view(&all, rows), view(&self.apply(&given), rows))));
            kept.extend(chosen.into_iter().map(|j| first + j));
            first += width;
        }
        let before = basis.len() / rows;
        let mut coefficients = Mat::zeros(kept.len(), count);
        for (first, part) in &parts {
            for (i, j) in (before..part.nrows()).flat_map(|i| (0..part.ncols()).map(move |j| (i, j))) {
                coefficients[(i - before, first + j)] = part[(i, j)];
            }
        }
        Ok(Span { columns: all.split_off(basis.len()), kept, coefficients, rows })
    }
}

impl Span {
    /// How many columns there are.
    pub fn rank(&self) -> usize {
        self.kept.len()
    }

    /// How many vectors were dropped.
    pub fn dropped(&self) -> usize {
        self.coefficients.ncols() - self.kept.len()
    }

    /// Mass-PCA of the vectors, each times its factor. No mean is subtracted. What the vectors have in common with the
    /// basis they extend is not counted.
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub fn principal(&self, factors: &[f64]) -> Result<Principal<'_>, OrthError> {
        let R = &self.coefficients;
        assert_eq!(factors.len(), R.ncols(), "a factor for every vector");
        let scaled = Mat::from_fn(R.nrows(), R.ncols(), |i, j| R[(i, j)] * factors[j]);
        let (values, vectors) = left_singular(scaled).ok_or(OrthError::NotFinite)?;
        Ok(Principal { values, span: self, vectors })
    }
}

/// The singular values of some vectors in the mass, and the directions that belong to them.
#[derive(Clone, Debug)]
pub struct Principal<'a> {
    /// σ, descending.
    pub values: Vec<f64>,
    span: &'a Span,
    /// Z.
    vectors: Mat<f64>,
}

impl Principal<'_> {
    /// The first `count` directions W Z, orthonormal, the largest entry of each positive.
    pub fn columns(&self, count: usize) -> Vec<f64> {
        let rows = self.span.rows;
        if count == 0 {
            return Vec::new();
        }
        let mut columns = product(view(&self.span.columns, rows), self.vectors.subcols(0, count));
        tall::make_largest_positive(&mut columns, rows);
        columns
    }
}

/// Which columns of a block are independent of the basis and of the columns before them.
fn independent(along: &Mat<f64>, within: &Mat<f64>, length: f64) -> Vec<usize> {
    let squares = |a: &Mat<f64>, j: usize| a.col(j).iter().map(|x| x * x).sum::<f64>();
    let (mut taken, mut chosen): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    for j in 0..within.ncols() {
        let whole = (squares(along, j) + squares(within, j)).sqrt().max(length);
        let mut z: Vec<f64> = within.col(j).iter().copied().collect();
        for q in taken.iter().chain(&taken) {
            let part: f64 = q.iter().zip(&z).map(|(q, z)| q * z).sum();
            z.iter_mut().zip(q).for_each(|(z, q)| *z -= part * q);
        }
        let left = z.iter().map(|z| z * z).sum::<f64>().sqrt();
        if left > SMALL * whole {
            z.iter_mut().for_each(|z| *z /= left);
            taken.push(z);
            chosen.push(j);
        }
    }
    chosen
}

/// Singular values, descending, and left singular vectors of a matrix with no more rows than columns. On one thread, since
/// the bits of this decomposition depend on threads; scaled to about 1, for which the library's thresholds are made.
fn left_singular(a: Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let (m, n) = (a.nrows(), a.ncols());
    // The largest of numbers that may be NaN must not hide them.
    let size = |x: &f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
    let largest = (0..n).flat_map(|j| a.col_as_slice(j)).map(size).fold(0.0, f64::max);
    if !(largest.is_finite() && largest > 0.0) {
        return largest.is_finite().then(|| (vec![0.0; m], Mat::identity(m, m)));
    }
    let scale = largest.log2().round().clamp(-1000.0, 1000.0).exp2();
    let scaled = Mat::from_fn(m, n, |i, j| a[(i, j)] / scale);
    let (mut values, mut vectors) = (Col::<f64>::zeros(m), Mat::<f64>::zeros(m, m));
    let (thin, none) = (ComputeSvdVectors::Thin, ComputeSvdVectors::No);
    let mut memory = MemBuffer::new(svd_scratch::<f64>(m, n, thin, none, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    let (into, left): (_, Option<_>) = (values.as_diagonal_mut(), Some(vectors.as_mut()));
    svd(scaled.as_ref() as MatRef<'_, f64>, into, left, None, Par::Seq, stack, Default::default()).ok()?;
    Some(((0..m).map(|i| values[i] * scale).collect(), vectors))
}

#[cfg(test)]
mod tests;
