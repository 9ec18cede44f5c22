//! Pairs measured with K and M themselves.
//!
//! ```text
//! λ = xᵀKx / xᵀMx,   residual ‖Kx − λMx‖ / ‖Kx‖
//! ```
//! Kx itself is known only to ε ‖ |K||x| ‖, which for a fine mesh and a slow mode can be more than the tolerance asks for;
//! a residual of a few times that is as good as numbers of this length allow.

use rayon::prelude::*;

use super::orthonormal::{Metric, Random};
use super::{EigenError, Options, Pairs, Problem};
use crate::par::{dot, norm};

/// How many times the rounding of one product Kx a residual may be: a factor and its solves round as well.
const ROUNDING: f64 = 30.0;

/// What was measured, ascending.
pub(super) struct Checked {
    pairs: Vec<Pair>,
    vectors: Vec<f64>,
    size: usize,
}

struct Pair {
    value: f64,
    residual: f64,
    /// What rounding alone may do to the residual.
    rounding: f64,
    column: usize,
}

/// Makes the vectors orthonormal, orders them, and measures.
pub(super) fn pairs(
    problem: &Problem<'_>,
    known: &[f64],
    mut vectors: Vec<f64>,
    smallest: f64,
    options: &Options,
) -> Result<Checked, EigenError> {
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    let size = metric.size();
    metric.orthonormalise(known, &mut vectors, &mut Random(options.seed))?;
    vectors.par_chunks_mut(size).for_each(make_largest_positive);
    let measure = |(column, x): (usize, &[f64])| {
        let (mut kx, mx) = (vec![0.0; size], metric.apply(x));
        problem.stiffness.apply(x, &mut kx);
        problem.dofs.hold(&mut kx);
        let mut value = dot(x, &kx) / dot(x, &mx);
        // Of a vector that K sends to zero: relative to the smallest stiffness that counts.
        let whole = norm(&kx).max(smallest * norm(&mx));
        let residual = |value: f64| {
            let r: Vec<f64> = kx.iter().zip(&mx).map(|(k, m)| k - value * m).collect();
            norm(&r) / whole
        };
        let rounding = ROUNDING * f64::EPSILON * norm(&absolute_product(problem, x)) / whole;
        let zero = rounding * whole * norm(x) / dot(x, &mx);
        if value < 0.0 && value.abs() <= zero {
            value = 0.0;
        }
        Pair { value, residual: residual(value), rounding, column }
    };
    let mut pairs: Vec<Pair> = vectors.par_chunks(size).enumerate().map(measure).collect();
    pairs.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.column.cmp(&b.column)));
    Ok(Checked { pairs, vectors, size })
}

impl Checked {
    /// The pairs, into `rest`, if every residual is within the tolerance or within rounding.
    pub(super) fn accept(self, tolerance: f64, rest: Pairs) -> Result<Pairs, EigenError> {
        let fine = |p: &Pair| p.residual <= tolerance.max(p.rounding);
        let converged = self.pairs.iter().filter(|p| fine(p)).count();
        if converged < self.pairs.len() {
            return Err(EigenError::NotConverged {
                converged,
                wanted: self.pairs.len(),
                restarts: rest.restarts,
                worst: self.pairs.iter().fold(0.0, |worst: f64, p| worst.max(p.residual)),
                tolerance,
            });
        }
        let vectors = self
            .pairs
            .iter()
            .flat_map(|p| &self.vectors[p.column * self.size..][..self.size])
            .copied()
            .collect();
        Ok(Pairs {
            values: self.pairs.iter().map(|p| p.value).collect(),
            residuals: self.pairs.iter().map(|p| p.residual).collect(),
            vectors,
            ..rest
        })
    }
}

/// x or −x, whichever has its entry of largest magnitude positive; the first one where several are as large.
fn make_largest_positive(x: &mut [f64]) {
    let largest = x.iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
    if largest < 0.0 {
        x.iter_mut().for_each(|x| *x = -*x);
    }
}

/// |K| |x|, number by number.
fn absolute_product(problem: &Problem<'_>, x: &[f64]) -> Vec<f64> {
    let pattern = problem.stiffness.pattern();
    let x = x.as_chunks::<3>().0;
    let mut y = vec![0.0; 3 * x.len()];
    let sums = y.as_chunks_mut::<3>().0;
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (a, &i) in problem.stiffness.values()[slots].iter().zip(rows) {
            let i = i as usize;
            for r in 0..3 {
                for c in 0..3 {
                    sums[i][r] += (a[r][c] * x[j][c]).abs();
                    if i != j {
                        sums[j][c] += (a[r][c] * x[i][r]).abs();
                    }
                }
            }
        }
    }
    problem.dofs.hold(&mut y);
    y
}
