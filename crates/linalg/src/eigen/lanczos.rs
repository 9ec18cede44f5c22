//! Block Lanczos with thick restarts, on (K + σM)⁻¹ M in the inner product of M.
//!
//! ```text
//! A = (K + σM)⁻¹ M,   A V = V T + W R Eᵀ,   [Q V W]ᵀ M [Q V W] = I        (1)
//! T s = θ s,   x = V s,   λ = 1/θ − σ,   A x − θ x = W R Eᵀ s             (2)
//! ```
//! V grows by a block W at a time; Eᵀ picks the rows of the last block; Q are the vectors that are known and kept out.
//! When V is full, its best Ritz vectors become the new V, W stays the next block, and (1) holds with T = diag θ plus the
//! coupling R Eᵀ s: nothing that was learned of the wanted pairs is lost (thick restart).
//!
//! A block of p random columns sees p copies of a multiple eigenvalue. Where p or more copies are found there may be
//! others: then as many random columns join the block, until fewer copies are found than could be.
//! Sources: GLS94, WS00 in docs/papers.md.

use faer::{Mat, MatRef};

use super::{EigenError, Plan};
use crate::Random;
use crate::dense::tall::{product, rotate, symmetric_eigen, view};
use crate::orth::Metric;
use crate::orth::block::GOOD;
use crate::{Progress, Watch};

/// X ← (K + σM)⁻¹ X for columns one after the other.
pub(super) type Solve<'a> = dyn Fn(&mut [f64], usize) + 'a;

/// Eigenvalues closer than this, relatively, count as copies of one.
const COPIES: f64 = 1e-6;

/// Blocks after which random columns that joined have shown what they found.
const RIPE: usize = 6;

/// Up to this many columns the Ritz problem costs nothing beside a solve, and is asked after every block.
const CHEAP: usize = 160;

pub(super) struct Lanczos<'a> {
    metric: Metric<'a>,
    solve: &'a Solve<'a>,
    plan: Plan,
    random: Random,
    /// Columns of Q, which come first in `basis`.
    known: usize,
    /// Q, V and W.
    basis: Vec<f64>,
    /// Columns of V.
    expanded: usize,
    /// The last so many columns of V are those that A W has parts along.
    before: usize,
    /// Columns of W.
    block: usize,
    /// T; both halves as they were computed, to be averaged.
    projected: Mat<f64>,
    /// R, block × block.
    coupling: Mat<f64>,
    /// How many random columns have entered: how many copies of an eigenvalue can be seen.
    started: usize,
    /// Blocks since the last of them entered, as far as copies must be waited for.
    ripening: usize,
    /// Times that V was full and began anew.
    pub(super) restarts: usize,
    /// Columns that went through the solver.
    pub(super) solves: usize,
}

/// Ritz pairs of the present V, best first.
pub(super) struct Ritz {
    /// θ, descending.
    pub(super) values: Vec<f64>,
    /// ‖A x − θ x‖ / θ in the norm of M.
    pub(super) residuals: Vec<f64>,
    /// s, a column each.
    vectors: Mat<f64>,
    /// R Eᵀ s, a column each.
    couplings: Mat<f64>,
}

/// Why the iteration paused.
pub(super) enum Pause {
    /// The wanted pairs have converged.
    Converged(Ritz),
    /// More copies than the space has room for: solve densely.
    Crowded,
}

impl<'a> Lanczos<'a> {
    /// Begins with a random block, orthogonal to the orthonormal columns `known`.
    pub(super) fn new(
        metric: Metric<'a>,
        solve: &'a Solve<'a>,
        known: Vec<f64>,
        plan: Plan,
    ) -> Result<Self, EigenError> {
        let mut lanczos = Self {
            known: known.len() / metric.size(),
            basis: known,
            random: Random(plan.seed),
            expanded: 0,
            before: 0,
            block: 0,
            projected: Mat::zeros(0, 0),
            coupling: Mat::zeros(0, 0),
            started: 0,
            ripening: 0,
            restarts: 0,
            solves: 0,
            metric,
            solve,
            plan,
        };
        lanczos.basis.reserve_exact((plan.columns + 2 * plan.block) * metric.size());
        lanczos.join_random(plan.block)?;
        Ok(lanczos)
    }

    /// Goes on until the wanted pairs have residuals (relative to θ, in the norm of M) of at most `tolerance`.
    pub(super) fn run(&mut self, tolerance: f64, watch: &mut Watch<'_>) -> Result<Pause, EigenError> {
        let wanted = self.plan.wanted;
        let mut checked = 0;
        loop {
            let full = self.expanded + self.block > self.most_columns();
            if !full || self.expanded < wanted {
                self.expand()?;
            }
            let full = self.expanded + self.block > self.most_columns();
            // The Ritz problem of a large T is worth a few blocks.
            let due = self.expanded <= CHEAP || self.expanded >= checked + wanted / 8;
            if !full && (!due || self.expanded <= wanted) {
                Progress { stage: "modes", done: 0, total: wanted }.tell(watch)?;
                continue;
            }
            checked = self.expanded;
            let ritz = self.ritz()?;
            let done = ritz.residuals.iter().take(wanted).take_while(|&&r| r <= tolerance).count();
            Progress { stage: "modes", done, total: wanted }.tell(watch)?;
            if done == wanted {
                if self.ripening == 0 && most_copies(&ritz.values[..wanted]) < self.started {
                    return Ok(Pause::Converged(ritz));
                }
                if self.ripening == 0 {
                    self.restart(&ritz);
                    let more = self.started;
                    if self.plan.kept + (RIPE + 2) * (self.block + more) > self.plan.available {
                        return Ok(Pause::Crowded);
                    }
                    self.join_random(more)?;
                    self.ripening = RIPE;
                } else if full {
                    self.restart(&ritz);
                }
            } else if full {
                if self.restarts == self.plan.most_restarts {
                    return Err(EigenError::NotConverged {
                        // 1/θ = λ + σ.
                        converged: ritz.values[..done].iter().map(|v| 1.0 / v).collect(),
                        wanted,
                        restarts: self.restarts,
                        worst: ritz.residuals[..wanted].iter().fold(0.0, |a: f64, &r| a.max(r)),
                        tolerance,
                    });
                }
                self.restart(&ritz);
            } else {
                continue;
            }
            checked = self.expanded;
        }
    }

    /// The first `count` vectors, columns one after the other, after one inverse iteration that costs no solve:
    /// A x / θ = V s + W (R Eᵀ s) / θ. It takes K's large eigenvalues out of the residual.
    pub(super) fn vectors(&self, ritz: &Ritz, count: usize) -> Vec<f64> {
        let rows = self.metric.size();
        let coefficients = Mat::from_fn(self.expanded + self.block, count, |i, j| {
            if i < self.expanded {
                ritz.vectors[(i, j)]
            } else {
                ritz.couplings[(i - self.expanded, j)] / ritz.values[j]
            }
        });
        product(view(&self.basis[self.known * rows..], rows), coefficients.as_ref())
    }

    /// Columns that V and W have at most; more when the block has grown.
    fn most_columns(&self) -> usize {
        self.plan.columns.max(self.plan.kept + (RIPE + 1) * self.block)
    }

    /// V ← [V W], W ← what A does to W beyond that.
    fn expand(&mut self) -> Result<(), EigenError> {
        let (rows, p) = (self.metric.size(), self.block);
        let (begin, end) = (self.expanded, self.expanded + p);
        let mut next = self.metric.apply(&self.basis[(self.known + begin) * rows..]);
        (self.solve)(&mut next, p);
        self.solves += p;
        // By (1) A W lies along the last block and W; after a restart along all of V. The rest is rounding.
        let near = [0..self.known, self.known + begin - self.before..self.known + end];
        let parts = self.metric.orthonormalise_near(&self.basis, &near, &mut next, GOOD, &mut self.random)?;
        self.basis.extend(next);
        self.before = p;
        let mut projected = Mat::zeros(end + p, end + p);
        let old = self.projected.nrows().min(end);
        projected.submatrix_mut(0, 0, old, old).copy_from(self.projected.submatrix(0, 0, old, old));
        for j in 0..p {
            (0..end).for_each(|i| projected[(i, begin + j)] = parts.along[(self.known + i, j)]);
            (0..p).for_each(|i| projected[(end + i, begin + j)] = parts.within[(i, j)]);
        }
        self.projected = projected;
        self.coupling = parts.within;
        self.expanded = end;
        self.ripening = self.ripening.saturating_sub(1);
        Ok(())
    }

    fn ritz(&self) -> Result<Ritz, EigenError> {
        let (m, p) = (self.expanded, self.block);
        let t = &self.projected;
        let symmetric = Mat::from_fn(m, m, |i, j| 0.5 * (t[(i, j)] + t[(j, i)]));
        let (values, vectors) = symmetric_eigen(symmetric.as_ref()).ok_or(EigenError::Ritz)?;
        let couplings = &self.coupling * vectors.submatrix(m - p, 0, p, m);
        let residuals = (0..m).map(|i| column_length(couplings.as_ref(), i) / values[i].abs()).collect();
        Ok(Ritz { values, residuals, vectors, couplings })
    }

    /// V ← its best Ritz vectors; W stays.
    fn restart(&mut self, ritz: &Ritz) {
        let (rows, kept, p) = (self.metric.size(), self.plan.kept.min(self.expanded), self.block);
        let v = self.known * rows..(self.known + self.expanded) * rows;
        rotate(&mut self.basis[v.clone()], rows, ritz.vectors.subcols(0, kept));
        self.basis.copy_within(v.end.., v.start + kept * rows);
        self.basis.truncate((self.known + kept + p) * rows);
        self.projected = Mat::zeros(kept + p, kept + p);
        for j in 0..kept {
            self.projected[(j, j)] = ritz.values[j];
            (0..p).for_each(|i| self.projected[(kept + i, j)] = ritz.couplings[(i, j)]);
        }
        self.expanded = kept;
        self.before = kept;
        self.restarts += 1;
    }

    /// W gets `count` random columns more.
    fn join_random(&mut self, count: usize) -> Result<(), EigenError> {
        let rows = self.metric.size();
        let mut fresh = vec![0.0; rows * count];
        fresh.chunks_mut(rows).for_each(|x| self.random.fill(self.metric.dofs, x));
        self.metric.orthonormalise(&self.basis, &mut fresh, GOOD, &mut self.random)?;
        self.basis.extend(fresh);
        self.block += count;
        self.started += count;
        Ok(())
    }
}

/// The largest number of copies of one eigenvalue; the last one's are not counted, since more copies of it change nothing.
fn most_copies(values: &[f64]) -> usize {
    let same = |a: f64, b: f64| (a - b).abs() <= COPIES * a.abs();
    let groups: Vec<usize> = values.chunk_by(|&a, &b| same(a, b)).map(<[f64]>::len).collect();
    groups[..groups.len() - 1].iter().copied().max().unwrap_or(0)
}

/// ‖column i of `a`‖.
fn column_length(a: MatRef<'_, f64>, i: usize) -> f64 {
    a.col(i).iter().map(|x| x * x).sum::<f64>().sqrt()
}
