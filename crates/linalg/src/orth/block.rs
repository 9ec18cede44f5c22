//! A block of columns made orthonormal: it is projected against all that came before until that finds nothing more.
//!
//! ```text
//! W = V A + W' B,   Vᵀ M W' = 0,  W'ᵀ M W' = I
//! ```
//! Classical Gram–Schmidt by blocks, then Cholesky of the Gram matrix; once more where that was badly conditioned. One pass
//! is enough where it takes away next to nothing; else there is another ("twice is enough"). Whoever knows in which columns of
//! V the block has its parts names them: they go first, and one pass over all the others is left.
//!
//! A column that lies in the span of the others is replaced by a random one, whose row in B is zero, so that the equation
//! above stays true.

use std::ops::Range;

use faer::Mat;

use super::{Metric, OrthError};
use crate::Dofs;
use crate::Random;
use crate::dense::slim;
use crate::dense::tall::{rotate, subtract_product, transposed_product, view};
use crate::work::par;

/// A column that keeps less than this of its length lies in the span of the others.
const LOST: f64 = 1e-13;

/// A Gram pivot below this share of its diagonal is lost in rounding; it is lifted, and the block done once more.
const LIFT: f64 = 1e-14;

/// Rounds after which a pivot that is still lost will not be found.
const STUCK: usize = 3;

/// Where a pass finds less than this share of the squared length along the basis, what rounding leaves is rounding.
const NOTHING: f64 = 1e-4;

/// Passes after which a block that still has parts along the basis is noise.
const PASSES: usize = 3;

/// Columns of MW that are in memory at once.
const PIECE: usize = 64;

/// Up to so many columns the slim products are the quicker ones.
const SLIM: usize = 16;

/// Where the smallest Gram pivot is above this share, orthogonality is good to about 1e-11: enough inside an iteration.
pub(crate) const GOOD: f64 = 2e-5;

/// As [`GOOD`], to about 1e-14: for what is handed out.
pub(crate) const BEST: f64 = 1e-2;

/// W = V · along + W' · within.
pub(crate) struct Parts {
    pub(crate) along: Mat<f64>,
    pub(crate) within: Mat<f64>,
}

impl Metric<'_> {
    /// Makes `block` orthonormal, and orthogonal to the orthonormal columns of `basis`; `good` is [`GOOD`] or [`BEST`].
    pub(crate) fn orthonormalise(
        &self,
        basis: &[f64],
        block: &mut [f64],
        good: f64,
        random: &mut Random,
    ) -> Result<Parts, OrthError> {
        self.orthonormalise_near(basis, &[], block, good, random)
    }

    /// As [`Metric::orthonormalise`], where nearly all that `block` has along the basis lies in the columns `near` of it.
    pub(crate) fn orthonormalise_near(
        &self,
        basis: &[f64],
        near: &[Range<usize>],
        block: &mut [f64],
        good: f64,
        random: &mut Random,
    ) -> Result<Parts, OrthError> {
        let (rows, p) = (self.size(), block.len() / self.size());
        let m = basis.len() / rows;
        let (mut along, mut within) = (Mat::<f64>::zeros(m, p), Mat::<f64>::identity(p, p));
        let mut lengths: Vec<f64> = Vec::new();
        for round in 0..8 {
            if round == 0 && near.iter().any(|part| !part.is_empty()) {
                let weighted = self.apply(block);
                let each = block.chunks_exact(rows).zip(weighted.chunks_exact(rows));
                lengths = each.map(|(x, mx)| par::dot(x, mx).sqrt()).collect();
                for part in near.iter().filter(|part| !part.is_empty()) {
                    let v = &basis[part.start * rows..part.end * rows];
                    let h = slim(v, &weighted, rows);
                    slim_subtract(block, v, &h, rows);
                    let mut taken = along.as_mut().subrows_mut(part.start, part.len());
                    taken += &h * &within;
                }
            }
            let mut gram = Mat::<f64>::zeros(p, p);
            for pass in 0..PASSES {
                let (h, whole) = self.products(basis, block);
                if lengths.is_empty() {
                    lengths = (0..p).map(|j| whole[(j, j)].sqrt()).collect();
                }
                // Of what is left after the subtraction: in the last pass hᵀh takes no digits away.
                gram = &whole - h.transpose() * &h;
                if m > 0 {
                    slim_subtract(block, basis, &h, rows);
                }
                along += &h * &within;
                let found = |j: usize| h.col(j).iter().map(|h| h * h).sum::<f64>();
                if (0..p).all(|j| found(j) <= NOTHING * whole[(j, j)]) || pass + 1 == PASSES {
                    break;
                }
            }
            let (factor, shares) = lifted_cholesky(&gram);
            rotate(block, rows, upper_inverse(&factor).as_ref());
            within = &factor * &within;
            let mut lost = false;
            for j in 0..p {
                let length = within.row(j).iter().fold(0.0, |most: f64, b| most.max(b.abs()));
                // Not "≤": a number that is not finite counts as lost.
                // Nor does one that is nothing but others time and again, however short it was: noise of a few bits.
                let stuck = round >= STUCK && shares[j] < LIFT;
                if !(factor[(j, j)] > 0.0 && length >= LOST * lengths[j]) || stuck {
                    random.fill(self.dofs, &mut block[j * rows..][..rows]);
                    within.row_mut(j).fill(0.0);
                    lengths[j] = 0.0;
                    lost = true;
                }
            }
            if !lost && shares.iter().all(|&share| share > good) {
                return Ok(Parts { along, within });
            }
        }
        Err(OrthError::Mass)
    }

    /// VᵀMW and WᵀMW. MW is as large as W, which may be a gigabyte: a piece of it at a time.
    fn products(&self, basis: &[f64], block: &[f64]) -> (Mat<f64>, Mat<f64>) {
        let (rows, p) = (self.size(), block.len() / self.size());
        let mut products = (Mat::zeros(basis.len() / rows, p), Mat::zeros(p, p));
        for (k, piece) in block.chunks(PIECE * rows).enumerate() {
            let weighted = self.apply(piece);
            let (first, width) = (k * PIECE, piece.len() / rows);
            products.0.subcols_mut(first, width).copy_from(slim(basis, &weighted, rows));
            products.1.subcols_mut(first, width).copy_from(slim(block, &weighted, rows));
        }
        products
    }
}

/// AᵀB, by the product that suits the columns of B.
pub(super) fn slim(a: &[f64], b: &[f64], rows: usize) -> Mat<f64> {
    if b.len() <= SLIM * rows {
        slim::transposed_product(a, b, rows)
    } else {
        transposed_product(view(a, rows), view(b, rows))
    }
}

/// C ← C − A h, likewise.
pub(super) fn slim_subtract(c: &mut [f64], a: &[f64], h: &Mat<f64>, rows: usize) {
    if c.len() <= SLIM * rows {
        slim::subtract_product(c, a, h, rows);
    } else {
        subtract_product(c, view(a, rows), h.as_ref());
    }
}

impl Random {
    /// Random where free, zero where held.
    pub(crate) fn fill(&mut self, dofs: &Dofs, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = self.symmetric());
        dofs.hold(x);
    }
}

/// Upper R with RᵀR = G, pivots lifted where they are lost in rounding, and every pivot as a share of its diagonal.
fn lifted_cholesky(gram: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let p = gram.nrows();
    let mut r = Mat::<f64>::zeros(p, p);
    let mut shares = Vec::with_capacity(p);
    for j in 0..p {
        for i in 0..=j {
            let known: f64 = (0..i).map(|l| r[(l, i)] * r[(l, j)]).sum();
            let left = gram[(i, j)] - known;
            if i < j {
                r[(i, j)] = if r[(i, i)] > 0.0 { left / r[(i, i)] } else { 0.0 };
            } else {
                shares.push(left / gram[(j, j)]);
                r[(j, j)] = left.max(LIFT * gram[(j, j)]).sqrt();
            }
        }
    }
    (r, shares)
}

/// R⁻¹ of an upper triangle; a zero on the diagonal gives a zero column.
fn upper_inverse(r: &Mat<f64>) -> Mat<f64> {
    let p = r.nrows();
    let mut inverse = Mat::<f64>::zeros(p, p);
    for j in 0..p {
        if r[(j, j)] <= 0.0 {
            continue;
        }
        inverse[(j, j)] = 1.0 / r[(j, j)];
        for i in (0..j).rev() {
            let sum: f64 = (i + 1..=j).map(|l| r[(i, l)] * inverse[(l, j)]).sum();
            inverse[(i, j)] = if r[(i, i)] > 0.0 { -sum / r[(i, i)] } else { 0.0 };
        }
    }
    inverse
}
