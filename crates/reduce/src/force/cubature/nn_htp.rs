//! NN-HTP: which components, and with which weights. Hard thresholding pursuit with weights that are not negative.
//!
//! ```text
//! min f(w) = ‖Aw − b‖²  subject to w ≥ 0 and at most s weights that are not zero          (T14 eq. 3.8)
//! S = supp(w) ∪ supp(H_s⁺(−∇f(w) off supp(w)))                                            (T14 eq. 3.10)
//! X = supp(H_s⁺(w − μ ∇_S f(w))),   μ = ‖∇_S f‖² / ‖A ∇_S f‖²                             (T14 eqs 3.9, 3.11)
//! w ← argmin f(v) over v ≥ 0 with supp(v) ⊂ X                                             (T14 eq. 3.12, FNNLS)
//! ```
//! H_s⁺ keeps the s largest entries that are positive. The gradient off the support is not evaluated for all components
//! but for some of them, chosen at random anew in each iteration (T14, "lazy optimization"): that a support repeats is
//! then no sign of an end, and it is the error that decides, over several iterations. The best iterate is returned; the
//! first is w = 0.
//!
//! What differs from the print, in both trainers but for the last point:
//! - A ridge. A component beside held vertices hardly moves in any pose of the training, and least squares alone may give
//!   it a weight of hundreds of thousands: harmless there, harmful in any other pose. So what is minimised is
//!
//!   ```text
//!   ‖Aw − b‖² + δ ‖w − 1‖²,   δ = κ² T s / m²,   κ = 3·10⁻³
//!   ```
//!   for m components: towards w = 1, at which the sum over all components is exact. Weights of the usual size m/s
//!   together cost as much as an error of κ. It is one row more for each column of A; every step below is exact for
//!   it, and errors are told without it. A component that no pose moves is never chosen.
//! - The variables are w_i ‖A_i‖: columns of A have length one, or else the choice is between large and small tets
//!   rather than between good and bad ones.
//! - [`Rule::Elimination`] alone: X is not read off a gradient step but off the least squares of all of S (FNNLS), from
//!   which components are taken out one by one, each time the one that costs least (`pliant_linalg::eliminate`), since of two
//!   neighbours that stand for the same thing both have large weights, and one should go. With
//!   [`Rule::Step`] everything is as printed above, μ included: twice the step of an exact line search, and what stays
//!   depends on it.
//!
//! docs/adr/0010-cubature-trainer.md has errors of both.
//!
//! Source: TSSH13 in docs/papers.md.

use pliant_linalg::eliminate::eliminate;
use pliant_linalg::nnls::nnls;
use pliant_linalg::{DenseSymmetric, Progress, Random, Watch};

use super::Cubature;
use super::samples::{Columns, Samples};
use super::trainer::{Selected, cubature_of};
use crate::ReduceError;

/// Candidates for each that enters (T14: c ≈ 5 s).
const CANDIDATES: usize = 5;

/// The most iterations.
const ITERATIONS: usize = 20;

/// An error below this is rounding.
const EXACT: f64 = 1e-9;

/// How NN-HTP comes from more components than are wanted to those that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// By the least squares of them all and backward elimination.
    Elimination,
    /// By a step along the gradient.
    Step,
}

/// When it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    /// An iteration is an improvement when it takes at least this part off the error; …
    improvement: f64,
    /// … so many without one are the end.
    patience: usize,
}

impl Stop {
    /// When nothing more is to be had.
    pub(super) const LATE: Self = Self { improvement: 0.01, patience: 3 };
    /// When most of it is had.
    pub(super) const EARLY: Self = Self { improvement: 0.05, patience: 1 };
}

/// At most `points` components of the problem that `samples` state, and their weights, with δ = `ridge`.
pub(super) fn select(
    samples: &Samples<'_>,
    points: usize,
    rule: Rule,
    stop: Stop,
    ridge: f64,
    random: &mut Random,
    watch: &mut Watch<'_>,
) -> Result<Selected, ReduceError> {
    let mut now = Support::nothing(samples);
    let mut residual = samples.b.clone();
    let mut best =
        Selected { cubature: now.cubature(), error: samples.error_of(&residual), errors: Vec::new() };
    let mut least = samples.objective_of(&residual);
    let (mut milestone, mut waited) = (least, 0);
    for done in 0..ITERATIONS {
        Progress { stage: "choosing components", done, total: ITERATIONS }.tell(watch)?;
        let new = candidates(samples, &now, &residual, points, ridge, random)?;
        let known = now.columns.components.len();
        let columns = now.columns.and(samples.columns(&new)?);
        let mut weights = now.weights;
        weights.resize(columns.components.len(), 0.0);
        now = match rule {
            Rule::Step => by_step(&columns, &weights, &residual, &samples.b, ridge, points),
            Rule::Elimination => {
                let gram = columns.gram(&now.gram, ridge);
                let mut h = now.h;
                h.extend(columns.against(&samples.b, known).iter().map(|h| h + ridge));
                by_elimination(&columns, &weights, &gram, &h, points)
            }
        };
        let approximation = now.columns.combine(&now.weights);
        residual = samples.b.iter().zip(&approximation).map(|(b, a)| b - a).collect();
        let (error, objective) = (samples.error_of(&residual), samples.objective_of(&residual));
        best.errors.push(error);
        if objective < least {
            least = objective;
            (best.error, best.cubature) = (error, now.cubature());
        }
        waited += 1;
        if least < (1.0 - stop.improvement) * milestone {
            (milestone, waited) = (least, 0);
        }
        if waited == stop.patience || least < EXACT {
            break;
        }
    }
    Ok(best)
}

/// The best `points` of the components of a cubature, and their weights: the last half of an iteration.
pub(super) fn thin(
    samples: &Samples<'_>,
    cubature: &Cubature,
    points: usize,
    ridge: f64,
) -> Result<Selected, ReduceError> {
    let columns = samples.columns(&cubature.components)?;
    let gram = columns.gram(&DenseSymmetric::zeros(0), ridge);
    let h: Vec<f64> = columns.against(&samples.b, 0).iter().map(|h| h + ridge).collect();
    let left = by_elimination(&columns, &cubature.weights, &gram, &h, points);
    let error = samples.error(&left.cubature())?;
    Ok(Selected { cubature: left.cubature(), error, errors: vec![error] })
}

/// Of a random choice off the support, the components whose columns have most in common with what is left.
fn candidates(
    samples: &Samples<'_>,
    now: &Support,
    residual: &[f64],
    enter: usize,
    ridge: f64,
    random: &mut Random,
) -> Result<Vec<u32>, ReduceError> {
    let mut known = now.columns.components.clone();
    known.sort_unstable();
    let many = CANDIDATES * enter;
    let drawn = random.choose(many + known.len(), samples.sum.count());
    let drawn = drawn.into_iter().filter(|c| known.binary_search(c).is_err());
    let candidates: Vec<u32> = drawn.take(many).collect();
    let along = samples.correlations(&candidates, residual, ridge)?;
    let mut order: Vec<usize> = (0..candidates.len()).filter(|&k| along[k] > 0.0).collect();
    order.sort_by(|&i, &j| along[j].total_cmp(&along[i]).then(candidates[i].cmp(&candidates[j])));
    Ok(order.into_iter().take(enter).map(|k| candidates[k]).collect())
}

/// Columns, their weights, and their normal equations with the ridge: AᵀA + δ and Aᵀb + δ.
struct Support {
    columns: Columns,
    weights: Vec<f64>,
    gram: DenseSymmetric,
    h: Vec<f64>,
}

impl Support {
    fn nothing(samples: &Samples<'_>) -> Self {
        let columns = samples.no_columns();
        Self { columns, weights: Vec::new(), gram: DenseSymmetric::zeros(0), h: Vec::new() }
    }

    fn cubature(&self) -> Cubature {
        cubature_of(&self.columns.components, &self.weights)
    }
}

/// X by a step along the gradient, then its weights.
fn by_step(columns: &Columns, w: &[f64], residual: &[f64], b: &[f64], ridge: f64, points: usize) -> Support {
    let squares: Vec<f64> = columns.squared_lengths().into_iter().map(|l| l + ridge).collect();
    let along = columns.against(residual, 0);
    // In the variables w_i ‖A_i‖ the gradient is g_i / ‖A_i‖; back in w it is g_i / ‖A_i‖².
    let direction: Vec<f64> = (0..w.len()).map(|k| (along[k] + ridge * (1.0 - w[k])) / squares[k]).collect();
    let slope: f64 = direction.iter().zip(&squares).map(|(d, l)| d * d * l).sum();
    let curvature = columns.combine(&direction).iter().map(|x| x * x).sum::<f64>()
        + ridge * direction.iter().map(|d| d * d).sum::<f64>();
    let mu = if curvature > 0.0 { 2.0 * slope / curvature } else { 0.0 };
    let moved: Vec<f64> = w.iter().zip(&direction).map(|(w, d)| w + mu * d).collect();
    let size = |k: usize| moved[k] * squares[k].sqrt();
    let mut keep: Vec<usize> = (0..w.len()).filter(|&k| moved[k] > 0.0).collect();
    keep.sort_by(|&i, &j| size(j).total_cmp(&size(i)).then(i.cmp(&j)));
    keep.truncate(points);
    keep.sort_unstable();
    let columns = columns.pick(&keep);
    let start: Vec<f64> = keep.iter().map(|&k| w[k]).collect();
    let gram = columns.gram(&DenseSymmetric::zeros(0), ridge);
    let h: Vec<f64> = columns.against(b, 0).iter().map(|h| h + ridge).collect();
    let weights = nnls(&gram, &h, &start);
    Support { columns, weights, gram, h }
}

/// X by the least squares of all of S and elimination, then its weights.
fn by_elimination(columns: &Columns, w: &[f64], gram: &DenseSymmetric, h: &[f64], points: usize) -> Support {
    let all = nnls(gram, h, w);
    let keep = eliminate(gram, &all, points);
    let gram = DenseSymmetric::from_upper(keep.len(), |i, j| gram.get(keep[i], keep[j]));
    let part = |x: &[f64]| keep.iter().map(|&k| x[k]).collect::<Vec<f64>>();
    let h = part(h);
    let weights = nnls(&gram, &h, &part(&all));
    Support { columns: columns.pick(&keep), weights, gram, h }
}
