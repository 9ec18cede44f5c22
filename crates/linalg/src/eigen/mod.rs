//! The lowest eigenpairs of K x = λ M x: how a body likes to move.
//!
//! ```text
//! K x = λ M x,   xᵢᵀ M xⱼ = δᵢⱼ,   0 ≤ λ₁ ≤ λ₂ ≤ …          λ = ω², rad²/s²
//! ```
//! K is a stiffness, positive semi-definite; M a mass, positive definite, that treats x, y and z alike. What is known of
//! K's null space (rigid motions) is kept out and never returned. Large problems go to `lanczos`, small ones, and those
//! of which nearly all pairs are wanted, to `dense`. Every pair is checked with K and M themselves before it is returned;
//! what did not converge is an error.
//!
//! Not for an indefinite K (a body about to buckle): its factorisation fails, and the error says so.

mod dense;
mod lanczos;
pub mod modes;
mod verify;

use lanczos::{Lanczos, Pause};

use crate::Random;
use crate::factor::{Cholesky, FactorError};
use crate::orth::block::GOOD;
use crate::orth::{Metric, OrthError};
use crate::{Cancelled, Dofs, Progress, Symmetric, Watch, ignore_progress};

/// What is asked about: displacements, B = 3 entries a vertex, or a scalar field, B = 1, such as heat, whose K is a Laplacian.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a, const B: usize = 3> {
    /// K, N/m.
    pub stiffness: &'a Symmetric<B>,
    /// M, kg; on the pattern of K, or diagonal.
    pub mass: &'a Symmetric<1>,
    /// Which degrees of freedom are held: every vector is zero there.
    pub dofs: &'a Dofs,
    /// Vectors that K sends to zero (rigid motions), Bn entries each, in any basis; kept out of the result.
    pub known: &'a [Vec<f64>],
}

/// How to go about it; [`Options::default`] is right unless there is a reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest ‖Kx − λMx‖ / ‖Kx‖ of a pair. Where rounding alone is above that, rounding is the limit, as long as it leaves
    /// three digits; [`Pairs::rounded`] says which. ‖Kx‖ counts as at least 1e-10 (trace K / trace M) ‖Mx‖ here.
    pub tolerance: f64,
    /// Vectors that go through the solver at once: as many copies of an eigenvalue are seen from the start. `None` is 8:
    /// narrower blocks need fewer solves that cost more each.
    pub block: Option<usize>,
    /// Restarts before giving up.
    pub most_restarts: usize,
    /// Of the random start. Another seed gives the same pairs to rounding.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-8, block: None, most_restarts: 100, seed: 1 }
    }
}

/// The lowest eigenpairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// λ, ascending, rad²/s².
    pub values: Vec<f64>,
    /// x, Bn entries each, one after the other; mass-orthonormal, the entry of largest magnitude positive.
    pub vectors: Vec<f64>,
    /// ‖Kx − λMx‖ / ‖Kx‖ of each. Of those in `zeros`, whose Kx is nothing but rounding, relative to ‖Kx‖ or
    /// 1e-10 (trace K / trace M) ‖Mx‖, whichever is more.
    pub residuals: Vec<f64>,
    /// Pairs (ascending numbers) whose residual is above the tolerance, because rounding of Kx allows no better.
    pub rounded: Vec<usize>,
    /// Pairs (ascending numbers) whose λ is zero to rounding, |λ| ≤ 10 ε xᵀ|K||x| / xᵀMx: motions that cost nothing, and
    /// were not among the known.
    pub zeros: Vec<usize>,
    /// Independent vectors among the known ones, which are not in the result.
    pub known: usize,
    /// Restarts of the iteration; 0 for a small problem.
    pub restarts: usize,
    /// Right-hand sides that were solved for; 0 for a small problem.
    pub solves: usize,
}

impl Pairs {
    /// Vector i, Bn entries.
    pub fn vector(&self, i: usize) -> &[f64] {
        let size = self.vectors.len() / self.values.len().max(1);
        &self.vectors[i * size..][..size]
    }
}

/// Why there are no pairs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EigenError {
    /// More pairs were asked for than there are.
    #[error(
        "{wanted} modes were asked for, but the body has only {available}: {free} free degrees of freedom, of which {known} are \
         rigid motions; ask for at most {available}"
    )]
    TooMany {
        /// Pairs asked for.
        wanted: usize,
        /// Pairs there are.
        available: usize,
        /// Free degrees of freedom.
        free: usize,
        /// Independent known vectors.
        known: usize,
    },
    /// A vertex that may move has no mass.
    #[error(
        "vertex {vertex} may move but has the mass {mass:.3e} kg, expected > 0; check density and mesh there"
    )]
    NoMass {
        /// Which vertex.
        vertex: usize,
        /// Its entry on the diagonal of M, kg.
        mass: f64,
    },
    /// A number of the stiffness is infinite or not a number.
    #[error("the stiffness has a number that is not finite; check the material and the mesh")]
    NotFinite,
    /// The mass is not positive definite.
    #[error("the mass matrix is not positive definite; check density and mesh")]
    Mass,
    /// A known vector is not in the null space.
    #[error(
        "known vector {index} is not free of force: its stiffness is {stiffness:.3e} rad²/s², expected 0; leave it out"
    )]
    NotNull {
        /// Which one, after those that depend on others were left out.
        index: usize,
        /// xᵀKx / xᵀMx, rad²/s².
        stiffness: f64,
    },
    /// The stiffness could not be factorised, with or without a shift.
    #[error("the stiffness cannot be factorised: {0}")]
    Factor(#[from] FactorError),
    /// The small eigenvalue problem inside failed.
    #[error("the small eigenvalue problem did not converge; the matrices hold numbers far out of range")]
    Ritz,
    /// The iteration stopped before all pairs had converged.
    #[error(
        "{} of {wanted} modes converged in {restarts} restarts{}; the worst residual is {worst:.1e}, allowed are \
         {tolerance:.1e}; ask for fewer modes, or allow more",
        converged.len(), range(converged)
    )]
    NotConverged {
        /// λ of the pairs that did, ascending, rad²/s².
        converged: Vec<f64>,
        /// Pairs asked for.
        wanted: usize,
        /// Restarts done.
        restarts: usize,
        /// Relative residual of the worst pair.
        worst: f64,
        /// What was allowed.
        tolerance: f64,
    },
    /// The vectors would not fit.
    #[error(
        "{wanted} modes would take about {:.1} GB of memory, the limit is {:.1} GB; ask for at most {affordable}",
        bytes / 1e9, MOST_BYTES / 1e9
    )]
    TooLarge {
        /// Pairs asked for.
        wanted: usize,
        /// Memory that they would take, besides the matrices and their factor.
        bytes: f64,
        /// Pairs that fit.
        affordable: usize,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for EigenError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<OrthError> for EigenError {
    fn from(error: OrthError) -> Self {
        match error {
            OrthError::Mass => Self::Mass,
            OrthError::NotFinite => Self::NotFinite,
            OrthError::Cancelled => Self::Cancelled,
        }
    }
}

/// From where to where, in words.
fn range(values: &[f64]) -> String {
    match values {
        [] => String::new(),
        [only] => format!(" ({:.4e} Hz)", modes::hertz(*only)),
        [first, .., last] => format!(" ({:.4e} to {:.4e} Hz)", modes::hertz(*first), modes::hertz(*last)),
    }
}

/// Memory that vectors and dense matrices may take, bytes; the matrices and their factor come on top.
const MOST_BYTES: f64 = 8e9;

/// Square matrices alive at once in `dense`, with the scratch of the decomposition.
const DENSE_MATRICES: f64 = 8.0;

/// Up to this many pairs are never refused for the memory of their vectors: a body whose factor fits has room for them.
const PROMISED: usize = 500;

/// A shift of this share of trace K / trace M lies far below every frequency of a mesh that is not absurd, and far above
/// rounding.
const SHIFT: f64 = 1e-10;

/// Up to this many free degrees of freedom a dense solver is faster.
const DENSE: usize = 240;

/// Sizes of an iteration.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Pairs asked for.
    wanted: usize,
    /// Columns of the first block.
    block: usize,
    /// Ritz vectors that survive a restart.
    kept: usize,
    /// Columns of the whole basis.
    columns: usize,
    /// Dimension of the space: free degrees of freedom less known vectors.
    available: usize,
    most_restarts: usize,
    seed: u64,
}

impl Plan {
    fn new(wanted: usize, available: usize, options: &Options) -> Self {
        let block = options.block.unwrap_or(8).max(1);
        // Those next to the wanted ones are what holds these up: 300 modes of a shell of 43k vertices take 760 solves with
        // two fifths more, 880 without.
        let kept = wanted + wanted * 2 / 5 + block;
        Self {
            wanted,
            block,
            kept,
            // On a 30k-vertex solid, 20 modes take 104 solves with this and 120 with 16 columns less.
            columns: 2 * wanted + 10 * block,
            available,
            most_restarts: options.most_restarts,
            seed: options.seed,
        }
    }

    /// Whether the dense solver is the better one for so many free degrees of freedom.
    fn is_small(&self, free: usize) -> bool {
        free <= DENSE || self.available < 2 * (self.columns + self.block)
    }

    /// Memory at its peak, for vectors of `size` numbers: the basis, the small problem or the dense one, and the vectors
    /// while they are checked (themselves, M times them, the span, the steps of a refinement, and what is returned).
    fn bytes(&self, size: usize, free: usize) -> f64 {
        let [size, free, known] = [size, free, free - self.available].map(|n| n as f64);
        let [wanted, columns] = [self.wanted, self.columns + 2 * self.block].map(|n| n as f64);
        let checking = size * (2.0 * known + 5.0 * wanted);
        // `Lanczos::ritz` has six small square matrices at once.
        let working = if self.is_small(free as usize) {
            DENSE_MATRICES * free * free
        } else {
            size * columns + 6.0 * columns * columns
        };
        8.0 * (checking + working)
    }
}

/// The `wanted` lowest eigenpairs of K x = λ M x, known vectors left out.
///
/// # Errors
/// [`EigenError`]: more pairs than there are, matrices that are not what they must be, no convergence, cancelled.
pub fn lowest<const B: usize>(
    problem: &Problem<'_, B>,
    wanted: usize,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Pairs, EigenError> {
    let scale = check(problem)?;
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    assert!(problem.known.iter().all(|x| x.len() == metric.size()), "{B} entries a vertex");
    let known = metric.extend(&[], &problem.known.concat(), 0.0, &mut ignore_progress)?.columns;
    let rank = known.len() / metric.size();
    let smallest = SHIFT * scale;
    check_known(problem, &known, smallest)?;
    let free = problem.dofs.free().len();
    let available = free - rank;
    if wanted > available {
        return Err(EigenError::TooMany { wanted, available, free, known: rank });
    }
    let nothing = Pairs { known: rank, ..Pairs::default() };
    if wanted == 0 {
        return Ok(nothing);
    }
    let plan = Plan::new(wanted, available, options);
    let bytes = |wanted| Plan::new(wanted, available, options).bytes(metric.size(), free);
    let fits = |&wanted: &usize| wanted <= PROMISED || bytes(wanted) <= MOST_BYTES;
    if !fits(&wanted) {
        let affordable = (0..wanted).rev().find(fits).unwrap_or(0);
        return Err(EigenError::TooLarge { wanted, bytes: bytes(wanted), affordable });
    }
    let densely = |solve: &lanczos::Solve<'_>| -> Result<Pairs, EigenError> {
        // The iteration may end here with far more free degrees of freedom than the plan thought of.
        let bytes = DENSE_MATRICES * 8.0 * (free as f64).powi(2);
        if bytes > MOST_BYTES {
            return Err(EigenError::TooLarge { wanted, bytes, affordable: PROMISED.min(wanted / 2) });
        }
        let vectors = dense::lowest(problem, &known, wanted)?;
        let checked = verify::pairs(problem, &known, vectors, smallest, Some(solve), options)?;
        checked.accept(options.tolerance, nothing.clone())
    };
    let small = plan.is_small(free);

    Progress::stage("ordering").tell(watch)?;
    let mut factor = Cholesky::analyse(problem.stiffness.pattern(), problem.dofs)?;
    let mut shift = if rank > 0 || small { smallest } else { 0.0 };
    loop {
        Progress::stage("factorising").tell(watch)?;
        match factorise(&mut factor, problem, shift) {
            // Something moves freely that is not among the known vectors.
            Err(FactorError::NotPositive { .. }) if shift < 1e4 * smallest => {
                shift = if shift == 0.0 { smallest } else { 100.0 * shift };
                continue;
            }
            outcome => outcome?,
        }
        let solve = |x: &mut [f64], _: usize| {
            // The solver has threads of its own; more columns at once gain nothing and need memory.
            x.chunks_mut(SOLVED_AT_ONCE * metric.size())
                .for_each(|x| factor.solve_many(x, x.len() / metric.size()));
        };
        if small {
            Progress { stage: "modes", done: 0, total: wanted }.tell(watch)?;
            return densely(&solve);
        }
        match iterate(problem, &solve, &known, &plan, (shift, smallest), options, watch)? {
            Outcome::Pairs(pairs) => return Ok(pairs),
            Outcome::Crowded => return densely(&solve),
            Outcome::Singular => shift = smallest,
        }
    }
}

enum Outcome {
    Pairs(Pairs),
    /// Too many copies of one eigenvalue for the iteration.
    Crowded,
    /// The factor is that of a singular matrix, which rounding made look regular.
    Singular,
}

/// Runs the iteration and checks what it finds; `solve` is by K + shift · M.
fn iterate<const B: usize>(
    problem: &Problem<'_, B>,
    solve: &lanczos::Solve<'_>,
    known: &[f64],
    plan: &Plan,
    (shift, smallest): (f64, f64),
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Outcome, EigenError> {
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    // Vectors that nearly nothing resists. Beside them, θ = 1/σ, the others would lose digits: once found, they join the
    // known ones, and the iteration begins anew without them.
    let mut loose: Vec<f64> = Vec::new();
    let (mut restarts, mut solves) = (0, 0);
    loop {
        let count = loose.len() / metric.size();
        let plan = Plan { wanted: plan.wanted - count, kept: plan.kept - count, ..*plan };
        let mut tolerance = options.tolerance;
        let mut lanczos = if plan.wanted > 0 {
            Some(Lanczos::new(metric, solve, [known, &loose].concat(), plan)?)
        } else {
            None
        };
        loop {
            let mut vectors = loose.clone();
            if let Some(lanczos) = &mut lanczos {
                let run = lanczos.run(tolerance, watch);
                let Pause::Converged(ritz) = run.map_err(|e| with_loose(e, count, restarts, shift))? else {
                    return Ok(Outcome::Crowded);
                };
                if shift == 0.0 && 1.0 / ritz.values[0] < 1e-2 * smallest {
                    return Ok(Outcome::Singular);
                }
                let found = ritz.values[..plan.wanted].iter().filter(|&&v| 0.5 / v < shift).count();
                if found > 0 && count == 0 {
                    loose = lanczos.vectors(&ritz, found);
                    metric.orthonormalise(known, &mut loose, GOOD, &mut Random(options.seed))?;
                    (restarts, solves) = (lanczos.restarts, lanczos.solves);
                    break;
                }
                vectors.extend(lanczos.vectors(&ritz, plan.wanted));
            }
            let checked = verify::pairs(problem, known, vectors, smallest, Some(solve), options)?;
            let (more_restarts, more_solves) = lanczos.as_ref().map_or((0, 0), |l| (l.restarts, l.solves));
            let rest = Pairs {
                known: known.len() / metric.size(),
                restarts: restarts + more_restarts,
                solves: solves + more_solves,
                ..Pairs::default()
            };
            match checked.accept(options.tolerance, rest) {
                Err(EigenError::NotConverged { .. })
                    if lanczos.is_some() && tolerance > 1e-4 * options.tolerance =>
                {
                    tolerance *= 0.1;
                }
                outcome => return outcome.map(Outcome::Pairs),
            }
        }
    }
}

/// What the iteration says of its failure, in terms of the whole: with the loose vectors that were found before, λ for
/// λ + σ.
fn with_loose(error: EigenError, loose: usize, before: usize, shift: f64) -> EigenError {
    match error {
        EigenError::NotConverged { converged, wanted, restarts, worst, tolerance } => {
            EigenError::NotConverged {
                converged: [vec![0.0; loose], converged.iter().map(|value| value - shift).collect()].concat(),
                wanted: wanted + loose,
                restarts: before + restarts,
                worst,
                tolerance,
            }
        }
        other => other,
    }
}

/// Right-hand sides that are solved together.
const SOLVED_AT_ONCE: usize = 16;

fn factorise<const B: usize>(
    factor: &mut Cholesky<B>,
    problem: &Problem<'_, B>,
    shift: f64,
) -> Result<(), FactorError> {
    if shift == 0.0 {
        return factor.factorise(problem.stiffness);
    }
    let mut shifted = problem.stiffness.clone();
    shifted.add_per_axis(shift, problem.mass);
    factor.factorise(&shifted)
}

/// trace K / trace M over the free degrees of freedom, rad²/s²: about the largest eigenvalue.
fn check<const B: usize>(problem: &Problem<'_, B>) -> Result<f64, EigenError> {
    let (k, m, dofs) = (problem.stiffness, problem.mass, problem.dofs);
    assert_eq!((k.size(), B * m.size()), (dofs.size(), dofs.size()), "matrices and state of one body");
    let (stiffness, mass) = (k.diagonal(), m.diagonal());
    let (mut sum_k, mut sum_m) = (0.0, 0.0);
    for &i in dofs.free() {
        let (vertex, i) = (i as usize / B, i as usize);
        if mass[vertex] <= 0.0 || !mass[vertex].is_finite() {
            return Err(EigenError::NoMass { vertex, mass: mass[vertex] });
        }
        sum_k += stiffness[i];
        sum_m += mass[vertex];
    }
    if !k.values().as_flattened().as_flattened().iter().all(|a| a.is_finite()) {
        return Err(EigenError::NotFinite);
    }
    if !m.values().as_flattened().as_flattened().iter().all(|a| a.is_finite()) {
        return Err(EigenError::Mass);
    }
    Ok(if sum_m > 0.0 { sum_k / sum_m } else { 0.0 })
}

fn check_known<const B: usize>(
    problem: &Problem<'_, B>,
    known: &[f64],
    smallest: f64,
) -> Result<(), EigenError> {
    for (index, x) in known.chunks(problem.dofs.size()).enumerate() {
        let stiffness = problem.stiffness.quadratic(x);
        if stiffness.abs() > smallest {
            return Err(EigenError::NotNull { index, stiffness });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
