//! Mass-orthonormal columns: every block is projected twice against all that came before.
//!
//! ```text
//! W = V A + W' B,   Vᵀ M W' = 0,  W'ᵀ M W' = I
//! ```
//! Classical Gram–Schmidt by blocks, twice, then Cholesky of the Gram matrix; once more where that was badly conditioned.
//! A column that lies in the span of the others is replaced by a random one, whose row in B is zero, so that the equation
//! above stays true.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::EigenError;
pub(super) use crate::random::Random;
use crate::tall::{rotate, subtract_product, transposed_product, view};
use crate::{Dofs, Symmetric, par};

/// A column that keeps less than this of its length lies in the span of the others.
const LOST: f64 = 1e-13;

/// A Gram pivot below this share of its diagonal is lost in rounding; it is lifted, and the block done once more.
const LIFT: f64 = 1e-14;

/// Where the smallest Gram pivot is above this share, orthogonality is good to about 1e-11 or better.
const GOOD: f64 = 2e-5;

/// The inner product of displacements, xᵀ M y, over the free numbers.
#[derive(Clone, Copy)]
pub(super) struct Metric<'a> {
    pub(super) mass: &'a Symmetric<1>,
    pub(super) dofs: &'a Dofs,
}

/// W = V · along + W' · within.
pub(super) struct Parts {
    pub(super) along: Mat<f64>,
    pub(super) within: Mat<f64>,
}

impl Metric<'_> {
    /// Numbers of a vector.
    pub(super) fn size(&self) -> usize {
        self.dofs.size()
    }

    /// M x for every column of x, zero where held.
    pub(super) fn apply(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        y.par_chunks_mut(self.size()).zip(x.par_chunks(self.size())).for_each(|(y, x)| {
            self.mass.apply_alike(x, y);
            self.dofs.hold(y);
        });
        y
    }

    /// Makes `block` orthonormal, and orthogonal to the orthonormal columns of `basis`.
    pub(super) fn orthonormalise(
        &self,
        basis: &[f64],
        block: &mut [f64],
        random: &mut Random,
    ) -> Result<Parts, EigenError> {
        let (rows, p) = (self.size(), block.len() / self.size());
        let v = view(basis, rows);
        let (mut along, mut within) = (Mat::<f64>::zeros(v.ncols(), p), Mat::<f64>::identity(p, p));
        let mut lengths: Vec<f64> = Vec::new();
        for round in 0..8 {
            let mut gram = Mat::<f64>::zeros(p, p);
            for pass in 0..2 {
                let weighted = self.apply(block);
                let h = transposed_product(v, view(&weighted, rows));
                if round == 0 && pass == 0 {
                    let length =
                        |j: usize| par::dot(&block[j * rows..][..rows], &weighted[j * rows..][..rows]);
                    lengths = (0..p).map(|j| length(j).sqrt()).collect();
                } else if pass == 1 {
                    // Of what is left after the subtraction: in the second pass hᵀh takes no digits away.
                    gram = transposed_product(view(block, rows), view(&weighted, rows)) - h.transpose() * &h;
                }
                subtract_product(block, v, h.as_ref());
                along += &h * &within;
            }
            let (factor, worst) = lifted_cholesky(&gram);
            rotate(block, rows, upper_inverse(&factor).as_ref());
            within = &factor * &within;
            let mut lost = false;
            for j in 0..p {
                let length = within.row(j).iter().fold(0.0, |most: f64, b| most.max(b.abs()));
                // Not "≤": a number that is not finite counts as lost.
                if !(factor[(j, j)] > 0.0 && length >= LOST * lengths[j]) {
                    random.fill(self.dofs, &mut block[j * rows..][..rows]);
                    within.row_mut(j).fill(0.0);
                    lengths[j] = 0.0;
                    lost = true;
                }
            }
            if !lost && worst > GOOD {
                return Ok(Parts { along, within });
            }
        }
        Err(EigenError::Mass)
    }

    /// An orthonormal basis of the span of `vectors`; columns that depend on earlier ones are left out.
    pub(super) fn span(&self, vectors: &[Vec<f64>]) -> Vec<f64> {
        let rows = self.size();
        let mut basis: Vec<f64> = Vec::new();
        for vector in vectors {
            assert_eq!(vector.len(), rows, "three numbers a vertex");
            let mut x = vector.clone();
            self.dofs.hold(&mut x);
            let length = |x: &[f64]| par::dot(x, &self.apply(x)).sqrt();
            let before = length(&x);
            for _ in 0..2 {
                let h = transposed_product(view(&basis, rows), view(&self.apply(&x), rows));
                subtract_product(&mut x, view(&basis, rows), h.as_ref());
            }
            let after = length(&x);
            if after > 1e-8 * before {
                x.iter_mut().for_each(|x| *x /= after);
                basis.extend(x);
            }
        }
        basis
    }
}

impl Random {
    /// Random where free, zero where held.
    pub(super) fn fill(&mut self, dofs: &Dofs, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = self.symmetric());
        dofs.hold(x);
    }
}

/// Upper R with RᵀR = G, pivots lifted where they are lost in rounding, and the smallest pivot as a share of its diagonal.
fn lifted_cholesky(gram: &Mat<f64>) -> (Mat<f64>, f64) {
    let p = gram.nrows();
    let mut r = Mat::<f64>::zeros(p, p);
    let mut worst = f64::INFINITY;
    for j in 0..p {
        for i in 0..=j {
            let known: f64 = (0..i).map(|l| r[(l, i)] * r[(l, j)]).sum();
            let left = gram[(i, j)] - known;
            if i < j {
                r[(i, j)] = if r[(i, i)] > 0.0 { left / r[(i, i)] } else { 0.0 };
            } else {
                worst = worst.min(left / gram[(j, j)]);
                r[(j, j)] = left.max(LIFT * gram[(j, j)]).sqrt();
            }
        }
    }
    (r, worst)
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

/// ‖column i of `a`‖ over the rows given.
pub(super) fn column_length(a: MatRef<'_, f64>, i: usize) -> f64 {
    a.col(i).iter().map(|x| x * x).sum::<f64>().sqrt()
}
