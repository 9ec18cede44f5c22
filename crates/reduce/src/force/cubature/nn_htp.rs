//! NN-HTP: which components, and with which weights. Hard thresholding pursuit with weights that are not negative.
//!
//! ```text
//! min f(w) = ‖Aw − b‖²  subject to w ≥ 0 and at most s weights that are not zero          (004 eq. 3.8)
//! S = supp(w) ∪ supp(H_s⁺(−∇f(w) off supp(w)))                                            (004 eq. 3.10)
//! X = supp(H_s⁺(w − μ ∇_S f(w))),   μ = ‖∇_S f‖² / ‖A ∇_S f‖²                             (004 eqs 3.9, 3.11)
//! w ← argmin f(v) over v ≥ 0 with supp(v) ⊂ X                                             (004 eq. 3.12, FNNLS)
//! ```
//! H_s⁺ keeps the s largest entries that are positive. The gradient off the support is not evaluated for all components
//! but for 5 s of them, chosen at random anew in each iteration (004, "lazy optimization"): that a support repeats is
//! then no sign of an end, and it is the error that decides, over several iterations. The best iterate is returned; the
//! first is w = 0. (μ as printed is twice the step of an exact line search; of no consequence for what X is made of.)
//!
//! Two things differ from the print, [`Trainer::Elimination`] only the second:
//! - The variables are w_i ‖A_i‖: columns of A have length one, or else the choice is between large and small tets
//!   rather than between good and bad ones.
//! - X is not read off a gradient step but off the least squares of all of S (FNNLS), from which components are taken
//!   out one by one, each time the one that costs least (`pliant_linalg::eliminate`). On the same poses the error is
//!   smaller by a third and more, since two neighbours that stand for the same thing no longer both stay.
//!
//! Source: TSSH13 in docs/papers.md.

use pliant_linalg::eliminate::eliminate;
use pliant_linalg::nnls::nnls;
use pliant_linalg::{DenseSymmetric, Progress, Random, Watch};

use super::Cubature;
use super::samples::{Columns, Samples};
use super::train::Trainer;
use crate::ReduceError;

/// Candidates in an iteration, as a multiple of s (004: c ≈ 5 s).
const CANDIDATES: usize = 5;

/// The most iterations.
const ITERATIONS: usize = 20;

/// An iteration is an improvement when it takes at least this part off the error; …
const IMPROVEMENT: f64 = 0.01;

/// … so many without one are the end.
const PATIENCE: usize = 4;

/// An error below this is rounding.
const EXACT: f64 = 1e-9;

/// What came out.
pub(super) struct Selected {
    pub(super) cubature: Cubature,
    /// ε(w) on the training poses.
    pub(super) error: f64,
    /// ε(w) after each iteration.
    pub(super) errors: Vec<f64>,
}

/// At most `points` components of the problem that `samples` state, and their weights.
pub(super) fn select(
    samples: &Samples<'_>,
    points: usize,
    trainer: Trainer,
    random: &mut Random,
    watch: &mut Watch<'_>,
) -> Result<Selected, ReduceError> {
    let mut now = Cubature { components: Vec::new(), weights: Vec::new() };
    let mut residual = samples.b.clone();
    let mut best = Selected { cubature: now.clone(), error: samples.error_of(&residual), errors: Vec::new() };
    let (mut milestone, mut waited) = (best.error, 0);
    for done in 0..ITERATIONS {
        Progress { stage: "choosing components", done, total: ITERATIONS }.tell(watch)?;
        let set = widen(samples, &now, &residual, points, random)?;
        let columns = samples.columns(&set.components)?;
        let kept = match trainer {
            Trainer::Step => by_step(&columns, &set.weights, &residual, &samples.b, points),
            Trainer::Elimination => by_elimination(&columns, &set.weights, &samples.b, points),
        };
        let approximation = kept.columns.combine(&kept.weights);
        residual = samples.b.iter().zip(&approximation).map(|(b, a)| b - a).collect();
        now = kept.cubature();
        let error = samples.error_of(&residual);
        best.errors.push(error);
        if error < best.error {
            (best.error, best.cubature) = (error, now.clone());
        }
        waited += 1;
        if best.error < (1.0 - IMPROVEMENT) * milestone {
            (milestone, waited) = (best.error, 0);
        }
        if waited == PATIENCE || best.error < EXACT {
            break;
        }
    }
    Ok(best)
}

/// S: the support, and the candidates whose columns have most in common with the residual.
fn widen(
    samples: &Samples<'_>,
    now: &Cubature,
    residual: &[f64],
    points: usize,
    random: &mut Random,
) -> Result<Cubature, ReduceError> {
    let known = |c: &u32| now.components.binary_search(c).is_ok();
    let many = CANDIDATES * points;
    let drawn = random.choose(many + now.components.len(), samples.energy.count());
    let candidates: Vec<u32> = drawn.into_iter().filter(|c| !known(c)).take(many).collect();
    let along = samples.correlations(&candidates, residual)?;
    let mut order: Vec<usize> = (0..candidates.len()).filter(|&k| along[k] > 0.0).collect();
    order.sort_by(|&i, &j| along[j].total_cmp(&along[i]).then(candidates[i].cmp(&candidates[j])));
    let mut set: Vec<(u32, f64)> = now.components.iter().copied().zip(now.weights.iter().copied()).collect();
    set.extend(order.iter().take(points).map(|&k| (candidates[k], 0.0)));
    set.sort_unstable_by_key(|s| s.0);
    let (components, weights) = set.into_iter().unzip();
    Ok(Cubature { components, weights })
}

/// Columns and their weights.
struct Kept {
    columns: Columns,
    weights: Vec<f64>,
}

impl Kept {
    fn cubature(&self) -> Cubature {
        let all = self.columns.components.iter().copied().zip(self.weights.iter().copied());
        let (components, weights) = all.filter(|&(_, w)| w > 0.0).unzip();
        Cubature { components, weights }
    }
}

/// X by a step along the gradient, then its weights.
fn by_step(columns: &Columns, w: &[f64], residual: &[f64], b: &[f64], points: usize) -> Kept {
    let (gradient, squares) = (columns.against(residual), columns.squared_lengths());
    // In the variables w_i ‖A_i‖ the gradient is g_i / ‖A_i‖; back in w it is g_i / ‖A_i‖².
    let ratio = |k: usize| if squares[k] > 0.0 { gradient[k] / squares[k] } else { 0.0 };
    let direction: Vec<f64> = (0..w.len()).map(ratio).collect();
    let up: f64 = direction.iter().zip(&squares).map(|(d, l)| d * d * l).sum();
    let along: f64 = columns.combine(&direction).iter().map(|x| x * x).sum();
    let mu = if along > 0.0 { 2.0 * up / along } else { 0.0 };
    let moved: Vec<f64> = w.iter().zip(&direction).map(|(w, d)| w + mu * d).collect();
    let size = |k: usize| moved[k] * squares[k].sqrt();
    let mut keep: Vec<usize> = (0..w.len()).filter(|&k| moved[k] > 0.0).collect();
    keep.sort_by(|&i, &j| size(j).total_cmp(&size(i)).then(i.cmp(&j)));
    keep.truncate(points);
    keep.sort_unstable();
    let columns = columns.pick(&keep);
    let start: Vec<f64> = keep.iter().map(|&k| w[k]).collect();
    let weights = nnls(&columns.gram(), &columns.against(b), &start).weights;
    Kept { columns, weights }
}

/// X by the least squares of all of S and elimination, then its weights.
fn by_elimination(columns: &Columns, w: &[f64], b: &[f64], points: usize) -> Kept {
    let (gram, h) = (columns.gram(), columns.against(b));
    let all = nnls(&gram, &h, w).weights;
    let keep = eliminate(&gram, &all, points);
    let gram = DenseSymmetric::from_upper(keep.len(), |i, j| gram.get(keep[i], keep[j]));
    let part = |x: &[f64]| keep.iter().map(|&k| x[k]).collect::<Vec<f64>>();
    let weights = nnls(&gram, &part(&h), &part(&all)).weights;
    Kept { columns: columns.pick(&keep), weights }
}
