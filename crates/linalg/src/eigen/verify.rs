//! Pairs measured with K and M themselves.
//!
//! ```text
//! λ = xᵀKx / xᵀMx,   residual ‖Kx − λMx‖ / ‖Kx‖
//! ```
//! Kx itself is known only to ε ‖ |K||x| ‖, which for a fine mesh and a slow mode can be more than the tolerance asks for;
//! a residual of a few times that is as good as numbers of this length allow: such pairs are accepted, and named. Where
//! λ ≤ 10 ε xᵀ|K||x| / xᵀMx, λ is zero as far as numbers of this length can tell, and Kx is nothing but rounding: there the
//! residual is relative to the smallest stiffness that counts.
//!
//! A factor and its solves round more than one product does; where that shows, the vectors are refined once with the
//! residual itself:
//! ```text
//! x ← x − (K + σM)⁻¹ (Kx − λMx), without what lies in the span of the vectors
//! ```

use rayon::prelude::*;

use super::lanczos::Solve;
use super::{EigenError, Options, Pairs, Problem};
use crate::Random;
use crate::dense::tall::{make_largest_positive, subtract_product, transposed_product, view};
use crate::orth::Metric;
use crate::orth::block::BEST;
use crate::work::par::{dot, norm};

/// How many times the rounding of one product Kx a residual may be: x is rounded as well.
const ROUNDING: f64 = 10.0;

/// Where rounding alone may do more than this to a pair, a residual above the tolerance is refused.
const MOST_ROUNDING: f64 = 1e-3;

/// What was measured, ascending.
pub(super) struct Checked {
    pairs: Vec<Pair>,
    vectors: Vec<f64>,
    size: usize,
}

struct Pair {
    value: f64,
    /// ‖Kx − λMx‖ / ‖Kx‖; of a zero, `judged`.
    residual: f64,
    /// ‖Kx − λMx‖ relative to ‖Kx‖ or the smallest stiffness that counts, whichever is more: what decides.
    judged: f64,
    /// What rounding alone may do to `judged`.
    rounding: f64,
    /// Whether λ is zero to rounding.
    zero: bool,
    column: usize,
}

/// Makes the vectors orthonormal, refines them by `solve` where their residuals ask for it, orders them, and measures.
pub(super) fn pairs<const B: usize>(
    problem: &Problem<'_, B>,
    known: &[f64],
    mut vectors: Vec<f64>,
    smallest: f64,
    solve: Option<&Solve<'_>>,
    options: &Options,
) -> Result<Checked, EigenError> {
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    let size = metric.size();
    metric.orthonormalise(known, &mut vectors, BEST, &mut Random(options.seed))?;
    let measure_all = |vectors: &[f64]| -> Vec<Pair> {
        let measure = |(column, x)| measure(problem, column, x, smallest);
        vectors.par_chunks(size).enumerate().map(measure).collect()
    };
    let mut pairs = measure_all(&vectors);
    let rough: Vec<usize> =
        pairs.iter().filter(|p| p.residual > options.tolerance).map(|p| p.column).collect();
    if let Some(solve) = solve.filter(|_| !rough.is_empty()) {
        let span = [known, &vectors].concat();
        let remainder = |&i: &usize| residual(problem, &vectors[i * size..][..size], pairs[i].value);
        let mut steps: Vec<f64> = rough.iter().flat_map(remainder).collect();
        solve(&mut steps, rough.len());
        for _ in 0..2 {
            let h = transposed_product(view(&span, size), view(&metric.apply(&steps), size));
            subtract_product(&mut steps, view(&span, size), h.as_ref());
        }
        for (&i, step) in rough.iter().zip(steps.chunks(size)) {
            vectors[i * size..][..size].iter_mut().zip(step).for_each(|(x, d)| *x -= d);
        }
        pairs = measure_all(&vectors);
    }
    make_largest_positive(&mut vectors, size);
    pairs.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.column.cmp(&b.column)));
    Ok(Checked { pairs, vectors, size })
}

fn measure<const B: usize>(problem: &Problem<'_, B>, column: usize, x: &[f64], smallest: f64) -> Pair {
    let (kx, mx) = products(problem, x);
    let mass = dot(x, &mx);
    let mut value = dot(x, &kx) / mass;
    let absolute = absolute_product(problem, x);
    let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let zero = value.abs() <= ROUNDING * f64::EPSILON * dot(&sizes, &absolute) / mass;
    if zero {
        value = value.max(0.0);
    }
    let rest: Vec<f64> = kx.iter().zip(&mx).map(|(k, m)| k - value * m).collect();
    let whole = norm(&kx).max(smallest * norm(&mx));
    // Without any stiffness at all, nothing is left over either.
    let relative = |to: f64| if to > 0.0 { norm(&rest) / to } else { 0.0 };
    let judged = relative(whole);
    Pair {
        value,
        residual: if zero { judged } else { relative(norm(&kx)) },
        judged,
        rounding: ROUNDING * f64::EPSILON * norm(&absolute) / whole.max(f64::MIN_POSITIVE),
        zero,
        column,
    }
}

/// Kx − λMx.
fn residual<const B: usize>(problem: &Problem<'_, B>, x: &[f64], value: f64) -> Vec<f64> {
    let (kx, mx) = products(problem, x);
    kx.iter().zip(&mx).map(|(k, m)| k - value * m).collect()
}

/// Kx and Mx, zero where held.
fn products<const B: usize>(problem: &Problem<'_, B>, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut kx = vec![0.0; x.len()];
    problem.stiffness.apply(x, &mut kx);
    problem.dofs.hold(&mut kx);
    (kx, Metric { mass: problem.mass, dofs: problem.dofs }.apply(x))
}

impl Checked {
    /// The pairs, into `rest`, if every residual is within the tolerance, or within rounding that leaves three digits.
    pub(super) fn accept(self, tolerance: f64, rest: Pairs) -> Result<Pairs, EigenError> {
        let fine = |p: &&Pair| p.judged <= tolerance || p.judged <= p.rounding && p.rounding <= MOST_ROUNDING;
        let converged: Vec<f64> = self.pairs.iter().filter(fine).map(|p| p.value).collect();
        if converged.len() < self.pairs.len() {
            return Err(EigenError::NotConverged {
                converged,
                wanted: self.pairs.len(),
                restarts: rest.restarts,
                worst: self.pairs.iter().fold(0.0, |worst: f64, p| worst.max(p.judged)),
                tolerance,
            });
        }
        let which = |is: &dyn Fn(&Pair) -> bool| -> Vec<usize> {
            (0..self.pairs.len()).filter(|&i| is(&self.pairs[i])).collect()
        };
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
            rounded: which(&|p| !p.zero && p.residual > tolerance),
            zeros: which(&|p| p.zero),
            ..rest
        })
    }
}

/// |K| |x|, number by number.
fn absolute_product<const B: usize>(problem: &Problem<'_, B>, x: &[f64]) -> Vec<f64> {
    let pattern = problem.stiffness.pattern();
    let x = x.as_chunks::<B>().0;
    let mut y = vec![0.0; B * x.len()];
    let sums = y.as_chunks_mut::<B>().0;
    for j in 0..pattern.size() {
        let (slots, rows) = pattern.column(j);
        for (a, &i) in problem.stiffness.values()[slots].iter().zip(rows) {
            let i = i as usize;
            for r in 0..B {
                for c in 0..B {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One vector of one vertex, with these measures.
    fn checked(judged: f64, rounding: f64) -> Checked {
        let pair = Pair { value: 2.0, residual: judged, judged, rounding, zero: false, column: 0 };
        Checked { pairs: vec![pair], vectors: vec![1.0, 0.0, 0.0], size: 3 }
    }

    #[test]
    fn rounding_excuses_only_what_leaves_three_digits() {
        let accept = |judged, rounding| checked(judged, rounding).accept(1e-8, Pairs::default());
        assert!(accept(1e-9, 1.0).expect("within the tolerance").rounded.is_empty());
        assert_eq!(accept(1e-5, 9e-4).expect("within rounding").rounded, [0]);
        assert!(accept(1e-5, 1e-6).is_err(), "above rounding");
        let error = accept(1e-5, 2e-3).expect_err("rounding that explains anything");
        let expected = EigenError::NotConverged {
            converged: vec![],
            wanted: 1,
            restarts: 0,
            worst: 1e-5,
            tolerance: 1e-8,
        };
        assert_eq!(error, expected);
    }
}
