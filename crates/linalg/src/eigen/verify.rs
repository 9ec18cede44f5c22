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
use crate::dense::tall::make_largest_positive;
use crate::orth::Metric;
use crate::orth::block::BEST;
use crate::simd::{self, Kernel, Wide};
use crate::work::par::{dot, norm};
use crate::{Pattern, Random};

/// How many times the rounding of one product Kx a residual may be: x is rounded as well.
const ROUNDING: f64 = 10.0;

/// Vectors that are refined together.
const REFINED_AT_ONCE: usize = 16;

/// Vectors whose products are taken together.
const TOGETHER: usize = 4;

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
    let measure_all = |vectors: &[f64], columns: &[usize]| -> Vec<Pair> {
        let measure = |columns: &[usize]| measure(problem, columns, vectors, smallest);
        columns.par_chunks(TOGETHER).flat_map_iter(measure).collect()
    };
    let all: Vec<usize> = (0..vectors.len() / size).collect();
    let mut pairs = measure_all(&vectors, &all);
    let rough: Vec<usize> =
        pairs.iter().filter(|p| p.residual > options.tolerance).map(|p| p.column).collect();
    if let Some(solve) = solve.filter(|_| !rough.is_empty()) {
        // Some at a time: all of them may be a gigabyte.
        for rough in rough.chunks(REFINED_AT_ONCE) {
            let remainder = |&i: &usize| residual(problem, &vectors[i * size..][..size], pairs[i].value);
            let mut steps: Vec<f64> = rough.iter().flat_map(remainder).collect();
            solve(&mut steps, rough.len());
            for span in [known, &vectors] {
                metric.remove(span, &mut steps);
            }
            for (&i, step) in rough.iter().zip(steps.chunks(size)) {
                vectors[i * size..][..size].iter_mut().zip(step).for_each(|(x, d)| *x -= d);
            }
        }
        for pair in measure_all(&vectors, &rough) {
            let column = pair.column;
            pairs[column] = pair;
        }
    }
    make_largest_positive(&mut vectors, size);
    pairs.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.column.cmp(&b.column)));
    Ok(Checked { pairs, vectors, size })
}

/// The pairs of some of the vectors, as many as [`TOGETHER`].
fn measure<const B: usize>(
    problem: &Problem<'_, B>,
    columns: &[usize],
    vectors: &[f64],
    smallest: f64,
) -> Vec<Pair> {
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    let size = metric.size();
    let (stiff, absolute) = stiffness_products(problem, columns, vectors);
    let pair = |(k, &column): (usize, &usize)| {
        let x = &vectors[column * size..][..size];
        let of = |products: &[[f64; TOGETHER]]| -> Vec<f64> { products.iter().map(|p| p[k]).collect() };
        let (kx, absolute, mx) = (of(&stiff), of(&absolute), metric.apply(x));
        judge(column, x, (&kx, &mx, &absolute), smallest)
    };
    columns.iter().enumerate().map(pair).collect()
}

/// What Kx, Mx and |K||x| say of a pair.
fn judge(column: usize, x: &[f64], (kx, mx, absolute): (&[f64], &[f64], &[f64]), smallest: f64) -> Pair {
    let mass = dot(x, mx);
    let mut value = dot(x, kx) / mass;
    let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let zero = value.abs() <= ROUNDING * f64::EPSILON * dot(&sizes, absolute) / mass;
    if zero {
        value = value.max(0.0);
    }
    let rest: Vec<f64> = kx.iter().zip(mx).map(|(k, m)| k - value * m).collect();
    let whole = norm(kx).max(smallest * norm(mx));
    // Without any stiffness at all, nothing is left over either.
    let relative = |to: f64| if to > 0.0 { norm(&rest) / to } else { 0.0 };
    let judged = relative(whole);
    Pair {
        value,
        residual: if zero { judged } else { relative(norm(kx)) },
        judged,
        rounding: ROUNDING * f64::EPSILON * norm(absolute) / whole.max(f64::MIN_POSITIVE),
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
        let (rounded, zeros) = (which(&|p| !p.zero && p.residual > tolerance), which(&|p| p.zero));
        let columns: Vec<usize> = self.pairs.iter().map(|p| p.column).collect();
        Ok(Pairs {
            values: self.pairs.iter().map(|p| p.value).collect(),
            residuals: self.pairs.iter().map(|p| p.residual).collect(),
            vectors: in_order(self.vectors, self.size, columns),
            rounded,
            zeros,
            ..rest
        })
    }
}

/// The columns in this order, in place: they may be gigabytes.
fn in_order(mut vectors: Vec<f64>, size: usize, mut from: Vec<usize>) -> Vec<f64> {
    for i in 0..from.len() {
        // What stood here may have gone to where an earlier one came from.
        while from[i] < i {
            from[i] = from[from[i]];
        }
        let j = from[i];
        if j != i {
            let (before, after) = vectors.split_at_mut(j * size);
            before[i * size..][..size].swap_with_slice(&mut after[..size]);
        }
    }
    vectors
}

/// Kx and |K| |x|, zero where held, of some of the vectors, whose numbers stand side by side: K is read once for all.
fn stiffness_products<const B: usize>(
    problem: &Problem<'_, B>,
    columns: &[usize],
    vectors: &[f64],
) -> (Vec<[f64; TOGETHER]>, Vec<[f64; TOGETHER]>) {
    let (pattern, size) = (problem.stiffness.pattern(), problem.dofs.size());
    let mut x = vec![[0.0; TOGETHER]; size];
    for (k, &column) in columns.iter().enumerate() {
        x.iter_mut().zip(&vectors[column * size..][..size]).for_each(|(to, from)| to[k] = *from);
    }
    let (mut product, mut absolute) = (vec![[0.0; TOGETHER]; size], vec![[0.0; TOGETHER]; size]);
    simd::run(Products::<B> {
        pattern,
        values: problem.stiffness.values(),
        x: x.as_chunks().0,
        product: product.as_chunks_mut().0,
        absolute: absolute.as_chunks_mut().0,
    });
    for i in (0..size).filter(|&i| problem.dofs.is_held(i)) {
        (product[i], absolute[i]) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    }
    (product, absolute)
}

/// K and |K| times four vectors, compiled for the processor's registers; nothing is fused.
struct Products<'a, const B: usize> {
    pattern: &'a Pattern,
    values: &'a [[[f64; B]; B]],
    x: &'a [[[f64; TOGETHER]; B]],
    product: &'a mut [[[f64; TOGETHER]; B]],
    absolute: &'a mut [[[f64; TOGETHER]; B]],
}

impl<const B: usize> Kernel for Products<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, _: W) {
        let Self { pattern, values, x, product, absolute } = self;
        for j in 0..pattern.size() {
            let (slots, rows) = pattern.column(j);
            let (xj, mut yj, mut zj) = (x[j], product[j], absolute[j]);
            let values = &values[slots];
            // The diagonal comes first.
            for (r, c) in (0..B).flat_map(|r| (0..B).map(move |c| (r, c))) {
                for k in 0..TOGETHER {
                    let part = values[0][r][c] * xj[c][k];
                    yj[r][k] += part;
                    zj[r][k] += part.abs();
                }
            }
            for (a, &i) in values[1..].iter().zip(&rows[1..]) {
                let (xi, yi, zi) = (x[i as usize], &mut product[i as usize], &mut absolute[i as usize]);
                for r in 0..B {
                    for c in 0..B {
                        for k in 0..TOGETHER {
                            let (below, above) = (a[r][c] * xj[c][k], a[r][c] * xi[r][k]);
                            yi[r][k] += below;
                            zi[r][k] += below.abs();
                            yj[c][k] += above;
                            zj[c][k] += above.abs();
                        }
                    }
                }
            }
            (product[j], absolute[j]) = (yj, zj);
        }
    }
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
    fn columns_are_put_in_order_in_place() {
        let vectors: Vec<f64> = (0..6).flat_map(|k| [f64::from(k), 10.0 * f64::from(k)]).collect();
        for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 3, 1, 0, 2, 4], vec![1, 2, 3, 4, 5, 0]] {
            let expected: Vec<f64> = order.iter().flat_map(|&k| [k as f64, 10.0 * k as f64]).collect();
            assert_eq!(in_order(vectors.clone(), 2, order), expected);
        }
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
