//! Greedy cubature: one component after the other.
//!
//! ```text
//! i ← argmax over candidates of A_iᵀ(b − Aw) / ‖A_i‖,   S ← S ∪ {i},   w ← argmin ‖Aw − b‖², w ≥ 0 on S       (1)
//! ```
//! until S has s members, those whose weight became zero not counted. Least squares are those of `nn_htp.rs`, ridge and
//! gentle poses included. Beside NN-HTP it takes s rounds instead of some ten, and never lets go of a choice but at zero;
//! neither is always ahead on fresh poses, which is why the default tries both.
//!
//! Each round needs A_iᵀ A_j of every candidate with the newest member alone: with those of the members before it known,
//! A_iᵀ(b − Aw) = A_iᵀb − Σ_j w_j A_iᵀA_j, and the members' own normal equations are among these numbers.
//!
//! [`select_by_subsets`] has the settings that T14 (section 3.3.1) compares with: 100 candidates and 10 poses, drawn anew in each
//! round, of which both the choice and the weights of the round know nothing else; at the end weights from all poses. A
//! member that these ten poses give no weight stays one: the next ten may.
//!
//! Source: AKJ08 in docs/papers.md.

use pliant_linalg::nnls::nnls;
use pliant_linalg::{DenseSymmetric, Progress, Random, Watch};

use super::samples::{Columns, Samples};
use super::trainer::{Selected, cubature_of};
use crate::ReduceError;

/// Candidates for each point, where they are drawn once.
const EACH: usize = 20;

/// |C| and T_s of T14.
const FEW_CANDIDATES: usize = 100;
const FEW_POSES: usize = 10;

/// Rounds for each point: a member whose weight became zero makes room.
const ROUNDS: usize = 2;

/// An error below this is rounding; …
const EXACT: f64 = 1e-9;

/// … so many rounds of few poses in a row that have none left are the end.
const ENOUGH: usize = 5;

/// The most memory for columns of candidates, bytes; beyond it they are made anew in each round.
const MOST_BYTES: usize = 1 << 30;

/// Which components are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidates {
    /// [`EACH`] for each point, drawn once.
    Drawn,
    All,
}

/// At most `points` components of the problem that `samples` state, and their weights, with δ = `ridge`.
pub(super) fn select(
    samples: &Samples<'_>,
    points: usize,
    from: Candidates,
    ridge: f64,
    random: &mut Random,
    watch: &mut Watch<'_>,
) -> Result<Selected, ReduceError> {
    let all = samples.sum.count();
    let candidates: Vec<u32> = match from {
        Candidates::Drawn => random.choose((EACH * points).min(all), all),
        Candidates::All => (0..all as u32).collect(),
    };
    let pool = Pool::new(samples, candidates)?;
    let mut members = Members::default();
    let mut errors = Vec::new();
    let rounds = ROUNDS * points;
    for _ in 0..rounds {
        Progress { stage: "choosing components", done: members.places.len(), total: points }.tell(watch)?;
        let Some(next) = members.most_promising(&pool, ridge) else { break };
        members.add(next, pool.products(samples, next)?);
        members.weigh(&pool, ridge);
        errors.push((members.objective(&pool, samples) / samples.count() as f64).max(0.0).sqrt());
        if members.places.len() == points || errors.last().is_some_and(|&e| e < EXACT) {
            break;
        }
    }
    let names: Vec<u32> = members.places.iter().map(|&k| pool.candidates[k]).collect();
    let cubature = cubature_of(&names, &members.weights);
    let error = samples.error(&cubature)?;
    Ok(Selected { cubature, error, errors })
}

/// Candidates, and what is known of their columns.
struct Pool {
    candidates: Vec<u32>,
    /// All columns, where they fit into memory.
    columns: Option<Columns>,
    /// A_iᵀb and ‖A_i‖².
    along: Vec<f64>,
    squares: Vec<f64>,
}

impl Pool {
    fn new(samples: &Samples<'_>, candidates: Vec<u32>) -> Result<Self, ReduceError> {
        let (along, squares) = samples.against_and_squares(&candidates, &samples.b)?;
        let columns = if candidates.len() * samples.bytes_a_column() <= MOST_BYTES {
            Some(samples.columns(&candidates)?)
        } else {
            None
        };
        Ok(Self { candidates, columns, along, squares })
    }

    /// A_iᵀA_j of every candidate i with candidate j.
    fn products(&self, samples: &Samples<'_>, j: usize) -> Result<Vec<f64>, ReduceError> {
        match &self.columns {
            Some(columns) => Ok(columns.products(j)),
            None => samples.products(&self.candidates, self.candidates[j]),
        }
    }
}

/// Those chosen so far.
#[derive(Default)]
struct Members {
    /// In the pool.
    places: Vec<usize>,
    weights: Vec<f64>,
    /// A_iᵀA_j of every candidate i with each member j.
    products: Vec<Vec<f64>>,
}

impl Members {
    /// (1), with the ridge as a row of its own for each column; nothing when no candidate would help.
    fn most_promising(&self, pool: &Pool, ridge: f64) -> Option<usize> {
        let mut left = pool.along.clone();
        for (products, w) in self.products.iter().zip(&self.weights) {
            left.iter_mut().zip(products).for_each(|(left, p)| *left -= w * p);
        }
        let mut best: Option<(usize, f64)> = None;
        for (k, (left, square)) in left.iter().zip(&pool.squares).enumerate() {
            // A component that no pose moves is never chosen.
            let score = if *square > 0.0 { (left + ridge) / (square + ridge).sqrt() } else { 0.0 };
            if score > best.map_or(0.0, |(_, most)| most) && !self.places.contains(&k) {
                best = Some((k, score));
            }
        }
        best.map(|(k, _)| k)
    }

    fn add(&mut self, place: usize, products: Vec<f64>) {
        self.places.push(place);
        self.weights.push(0.0);
        self.products.push(products);
    }

    /// Least squares on the members; those at zero leave.
    fn weigh(&mut self, pool: &Pool, ridge: f64) {
        let diagonal = |i: usize, j: usize| if i == j { ridge } else { 0.0 };
        let gram = DenseSymmetric::from_upper(self.places.len(), |i, j| {
            self.products[j][self.places[i]] + diagonal(i, j)
        });
        let h: Vec<f64> = self.places.iter().map(|&k| pool.along[k] + ridge).collect();
        self.weights = nnls(&gram, &h, &self.weights);
        let stays: Vec<bool> = self.weights.iter().map(|&w| w > 0.0).collect();
        let mut keep = stays.iter();
        self.places.retain(|_| keep.next().is_some_and(|&k| k));
        let mut keep = stays.iter();
        self.products.retain(|_| keep.next().is_some_and(|&k| k));
        self.weights.retain(|&w| w > 0.0);
    }

    /// ‖Aw − b‖² = ‖b‖² − 2 wᵀAᵀb + wᵀAᵀAw.
    fn objective(&self, pool: &Pool, samples: &Samples<'_>) -> f64 {
        let mut sum = samples.b.iter().map(|b| b * b).sum::<f64>();
        for ((&i, products), w) in self.places.iter().zip(&self.products).zip(&self.weights) {
            sum -= 2.0 * w * pool.along[i];
            let row: f64 = self.places.iter().zip(&self.weights).map(|(&j, v)| v * products[j]).sum();
            sum += w * row;
        }
        sum
    }
}

/// As [`select`], with few candidates and few poses in each round.
pub(super) fn select_by_subsets(
    samples: &Samples<'_>,
    points: usize,
    ridge: f64,
    random: &mut Random,
    watch: &mut Watch<'_>,
) -> Result<Selected, ReduceError> {
    let all = samples.sum.count();
    let (mut members, mut errors): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut start, mut few_weights) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS * points {
        Progress { stage: "choosing components", done: members.len(), total: points }.tell(watch)?;
        let poses = random.choose(FEW_POSES.min(samples.count()), samples.count());
        let few = samples.some(&poses);
        let columns = few.columns(&members)?;
        let approximation = columns.combine(&few_weights);
        let residual: Vec<f64> = few.b.iter().zip(&approximation).map(|(b, a)| b - a).collect();
        let candidates: Vec<u32> = random
            .choose((FEW_CANDIDATES + members.len()).min(all), all)
            .into_iter()
            .filter(|c| !members.contains(c))
            .take(FEW_CANDIDATES)
            .collect();
        let scores = few.correlations(&candidates, &residual, 0.0)?;
        let best = (0..scores.len()).fold(None, |best: Option<usize>, k| {
            if scores[k] > best.map_or(0.0, |b| scores[b]) { Some(k) } else { best }
        });
        // None of these helps these poses; other rounds have others.
        let Some(best) = best else { continue };
        members.push(candidates[best]);
        start.clone_from(&few_weights);
        start.push(0.0);
        let columns = columns.and(few.columns(&candidates[best..=best])?);
        // As much ridge a pose as with all of them: ten poses alone do not determine the weights.
        let share = ridge * few.count() as f64 / samples.count() as f64;
        let gram = columns.gram(&DenseSymmetric::zeros(0), share);
        let h: Vec<f64> = columns.against(&few.b, 0).iter().map(|h| h + share).collect();
        few_weights = nnls(&gram, &h, &start);
        let approximation = columns.combine(&few_weights);
        let residual: Vec<f64> = few.b.iter().zip(&approximation).map(|(b, a)| b - a).collect();
        errors.push(few.error_of(&residual));
        if errors.len() >= ENOUGH && errors[errors.len() - ENOUGH..].iter().all(|&e| e < EXACT) {
            break;
        }
        if members.len() == points {
            break;
        }
    }
    let columns = samples.columns(&members)?;
    let gram = columns.gram(&DenseSymmetric::zeros(0), ridge);
    let h: Vec<f64> = columns.against(&samples.b, 0).iter().map(|h| h + ridge).collect();
    let cubature = cubature_of(&members, &nnls(&gram, &h, &few_weights));
    let error = samples.error(&cubature)?;
    Ok(Selected { cubature, error, errors })
}
