//! The signature of a few vertices without modes: how a dent at a vertex flows away.
//!
//! ```text
//! S_t(v) = Σ_α δ_αᵀ M exp(−t M⁻¹K) δ_α,   δ_α = M⁻¹ e_α at v                            (T14 eqs 6.2, 6.3, Lemma 1)
//! V = span of δ, A δ, A² δ, …,   A = (K + σM)⁻¹ M,   VᵀMV = I                                                    (1)
//! S_t(v) ≈ Σ_α ‖exp(−t VᵀKV / 2) Vᵀ e_α‖²                                                                        (2)
//! ```
//! Block Lanczos of three columns a vertex, from its three dents, rigid motions projected out. One factorisation serves all
//! times and all vertices; several vertices go through the solver together, each with a basis of its own. All modes take part:
//! nothing is cut off. 1/σ is the middle of the times, by their logarithms. It stops when two blocks in a row change no S_t by
//! more than the tolerance.
//!
//! Not for all vertices: each costs sixty to a hundred solves. Source: T14 in docs/papers.md.

use pliant_energy::{Body, Tangent};
use pliant_linalg::orth::Metric;
use pliant_linalg::{Cholesky, DenseSymmetric, Progress, Symmetric, Watch, ignore_progress, number, tall};
use pliant_reduce::ReduceError;
use pliant_sim::SimError;
use rayon::prelude::*;

use crate::distance::check_vertices;
use crate::terms::{EXACT, refused};

/// Relative change of S at which a vertex is done, where nobody says otherwise.
pub const TOLERANCE: f64 = 1e-6;

/// Blocks of three columns after which a vertex is given up; a range of three decades takes about twenty.
const MOST_BLOCKS: usize = 120;

/// What came out.
#[derive(Clone, Debug)]
pub struct Flow {
    /// S of each vertex at all times.
    pub values: Vec<Vec<f64>>,
    /// Right-hand sides that were solved for.
    pub solves: usize,
    /// How much the last block changed S, relatively, of the worst vertex.
    pub change: f64,
    /// Whether that is within the tolerance for every vertex.
    pub converged: bool,
}

/// How it is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Relative change of S at which a vertex is done.
    pub tolerance: f64,
    /// Whether rigid motions count.
    pub rigid: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: TOLERANCE, rigid: false }
    }
}

/// S of `vertices` of a body at `times`, ascending.
///
/// # Errors
/// A vertex that is not there or weighs nothing, no times, a stiffness that cannot be factorised, or the watch asked to stop.
pub fn signature(
    body: &Body,
    vertices: &[u32],
    times: &[f64],
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Flow, SimError> {
    if !(options.tolerance > 0.0 && options.tolerance < 1.0) {
        let sentence = format!(
            "a signature that is computed exactly needs a tolerance between 0 and 1, got {}",
            number(options.tolerance)
        );
        return Err(refused(sentence, &[EXACT]));
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err(refused("a signature needs a time to look at", &[EXACT]));
    };
    check_vertices(vertices, body.rest().len(), body.unused())?;
    Progress::stage("hessian").tell(watch)?;
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("every energy is defined at rest");
    let rigid = body.rigid_motions();
    let solver = Solver::new(body, &K, 1.0 / (first * last).sqrt(), watch)?;
    let known = rigid.concat();
    let mut runs = vertices
        .iter()
        .map(|&v| Run::new(body, &solver, &known, v, times.len()))
        .collect::<Result<Vec<_>, SimError>>()?;
    let mut flow = Flow { values: Vec::new(), solves: 0, change: f64::INFINITY, converged: true };
    for block in 0..MOST_BLOCKS {
        Progress { stage: "flow", done: block, total: MOST_BLOCKS }.tell(watch)?;
        runs.par_iter_mut()
            .filter(|run| !run.done)
            .for_each(|run| run.measure(&solver, times, options.tolerance));
        let going: Vec<&mut Run> = runs.iter_mut().filter(|run| !run.done).collect();
        if going.is_empty() {
            break;
        }
        flow.solves += grow(&solver, &known, going)?;
    }
    flow.converged = runs.iter().all(|run| run.done);
    flow.change = runs.iter().fold(0.0, |most: f64, run| most.max(run.change));
    let still = |v: u32| {
        rigid.iter().map(|m| (0..3).map(|c| m[3 * v as usize + c].powi(2)).sum::<f64>()).sum::<f64>()
    };
    flow.values = runs
        .into_iter()
        .map(|run| {
            let add = if options.rigid { still(run.vertex) } else { 0.0 };
            run.values.iter().map(|s| s + add).collect()
        })
        .collect();
    Ok(flow)
}

/// [`signature`] without a watch.
///
/// # Errors
/// As there.
pub fn signature_quietly(
    body: &Body,
    vertices: &[u32],
    times: &[f64],
    options: &Options,
) -> Result<Flow, SimError> {
    signature(body, vertices, times, options, &mut ignore_progress)
}

/// A = (K + σM)⁻¹ M, and M⁻¹.
struct Solver<'a> {
    metric: Metric<'a>,
    stiffness: &'a Symmetric<3>,
    shifted: Cholesky<3>,
    /// Of a mass that is not diagonal.
    mass: Option<Cholesky<3>>,
}

impl<'a> Solver<'a> {
    fn new(body: &'a Body, K: &'a Symmetric<3>, shift: f64, watch: &mut Watch<'_>) -> Result<Self, SimError> {
        let factor = |matrix: &Symmetric<3>| -> Result<Cholesky<3>, ReduceError> {
            let mut factor = Cholesky::analyse(matrix.pattern(), body.dofs())?;
            factor.factorise(matrix)?;
            Ok(factor)
        };
        Progress::stage("factorising").tell(watch)?;
        let mut matrix = K.clone();
        matrix.add_per_axis(shift, body.mass());
        let shifted = factor(&matrix)?;
        let mut mass = None;
        if !body.mass().pattern().is_diagonal() {
            matrix.clear();
            matrix.add_per_axis(1.0, body.mass());
            mass = Some(factor(&matrix)?);
        }
        let metric = Metric { mass: body.mass(), dofs: body.dofs() };
        Ok(Self { metric, stiffness: K, shifted, mass })
    }

    /// The dents at a vertex: M⁻¹ e for each axis along which it may move.
    fn dents(&self, v: u32) -> Vec<f64> {
        let size = self.metric.size();
        let mut dents = Vec::new();
        for i in (3 * v as usize..3 * v as usize + 3).filter(|&i| !self.metric.dofs.is_held(i)) {
            let mut dent = vec![0.0; size];
            dent[i] = 1.0;
            match &self.mass {
                Some(mass) => mass.solve(&mut dent),
                None => dent[i] = 1.0 / self.metric.mass.diagonal()[i / 3],
            }
            dents.extend(dent);
        }
        dents
    }
}

/// The basis (1) of one vertex.
struct Run {
    vertex: u32,
    /// V.
    basis: Vec<f64>,
    /// Columns of V.
    columns: usize,
    /// Columns of its last block.
    block: usize,
    /// VᵀKV, row by row of the lower half.
    projected: Vec<Vec<f64>>,
    values: Vec<f64>,
    change: f64,
    /// Blocks in a row that changed little.
    calm: usize,
    done: bool,
}

impl Run {
    fn new(
        body: &Body,
        solver: &Solver<'_>,
        known: &[f64],
        vertex: u32,
        times: usize,
    ) -> Result<Self, SimError> {
        let mut run = Self {
            vertex,
            basis: Vec::new(),
            columns: 0,
            block: 0,
            projected: Vec::new(),
            values: vec![0.0; times],
            change: f64::INFINITY,
            calm: 0,
            done: false,
        };
        run.append(solver, known, solver.dents(vertex))?;
        // Held, or with rigid motions alone.
        if run.columns == 0 {
            (run.done, run.change) = (true, 0.0);
        }
        debug_assert!(run.basis.len() == run.columns * body.size(), "whole columns");
        Ok(run)
    }

    /// Appends what `block` adds to V, orthonormal.
    fn append(&mut self, solver: &Solver<'_>, known: &[f64], mut block: Vec<f64>) -> Result<(), SimError> {
        let (metric, size) = (&solver.metric, solver.metric.size());
        let mut longest: f64 = 0.0;
        // Twice: what the first time leaves of the others, where little is left of itself, the second takes away.
        for round in 0..2 {
            if round == 0 {
                let weighted = metric.apply(&block);
                let lengths = block.chunks(size).zip(weighted.chunks(size));
                longest = lengths.map(|(x, Mx)| pliant_linalg::par::dot(x, Mx).sqrt()).fold(0.0, f64::max);
            }
            metric.remove(known, &mut block);
            metric.remove(&self.basis, &mut block);
            // Far below what it was: nothing but rounding.
            let least = if round == 0 { 1e-4 * longest } else { 0.0 };
            block =
                metric.extend(&[], &block, least, &mut ignore_progress).map_err(ReduceError::from)?.columns;
        }
        self.block = block.len() / size;
        let mut stiff = vec![0.0; block.len()];
        for (x, y) in block.chunks(size).zip(stiff.chunks_mut(size)) {
            solver.stiffness.apply(x, y);
            metric.dofs.hold(y);
        }
        self.basis.extend(block);
        if self.block > 0 {
            let rows = tall::gram(&self.basis, &stiff, size);
            let all = self.columns + self.block;
            for (j, row) in rows.chunks(all).enumerate() {
                self.projected.push(row[..=self.columns + j].to_vec());
            }
        }
        self.columns += self.block;
        Ok(())
    }

    /// (2), and how much it has changed.
    fn measure(&mut self, solver: &Solver<'_>, times: &[f64], tolerance: f64) {
        let (m, size) = (self.columns, solver.metric.size());
        let projected = DenseSymmetric::from_upper(m, |i, j| self.projected[j][i]);
        let Some((values, vectors)) = projected.eigen() else {
            // Numbers far out of range: no vertex is called done by them.
            return;
        };
        // Of each Ritz pair |sᵀ Vᵀ e_α|² over the axes.
        let at = 3 * self.vertex as usize;
        let squares: Vec<f64> = vectors
            .chunks_exact(m)
            .map(|s| {
                let along = |c: usize| (0..m).map(|i| s[i] * self.basis[i * size + at + c]).sum::<f64>();
                (0..3).map(|c| along(c).powi(2)).sum()
            })
            .collect();
        let mut change: f64 = 0.0;
        for (t, old) in times.iter().zip(&mut self.values) {
            let new: f64 = values.iter().zip(&squares).map(|(x, s)| (-x.max(0.0) * t).exp() * s).sum();
            if new > 0.0 {
                change = change.max((new - *old).abs() / new);
            }
            *old = new;
        }
        self.change = change;
        self.calm = if change <= tolerance { self.calm + 1 } else { 0 };
        self.done = self.calm >= 2 || self.block == 0;
        if self.block == 0 {
            // V holds all that the dents ever become.
            self.change = 0.0;
        }
    }
}

/// A block more for each of `runs`, all through the solver at once; how many columns went through it.
fn grow(solver: &Solver<'_>, known: &[f64], runs: Vec<&mut Run>) -> Result<usize, SimError> {
    let size = solver.metric.size();
    let last: Vec<f64> =
        runs.iter().flat_map(|run| &run.basis[(run.columns - run.block) * size..]).copied().collect();
    let mut next = solver.metric.apply(&last);
    let columns = next.len() / size;
    solver.shifted.solve_many(&mut next, columns);
    let mut begin = 0;
    for run in runs {
        let end = begin + run.block * size;
        run.append(solver, known, next[begin..end].to_vec())?;
        begin = end;
    }
    Ok(columns)
}
