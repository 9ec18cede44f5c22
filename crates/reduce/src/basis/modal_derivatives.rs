//! Modal derivatives: how a body goes on when it is pushed far along its linear modes.
//!
//! ```text
//! f_int(u(p)) = M U Λ p                                                          (B12 eq. 13)
//! K Φⁱʲ = −(H : ψⱼ) ψᵢ,   K = ∂²W(0),  H = ∂³W(0)                                (B12 eq. 15)
//! u(p) = Σ ψᵢ pᵢ + ½ Σ Φⁱʲ pᵢ pⱼ + O(p³)                                         (B12 eq. 17)
//! { λ₁/λⱼ ψⱼ } ∪ { λ₁²/(λᵢλⱼ) Φⁱʲ }, i ≤ j: the data whose principal columns are U  (B12 eq. 18)
//! ```
//! Bending a beam shortens it and thickens one side; the linear modes cannot, and lock. The derivatives are what is missing,
//! to second order: k modes have k(k+1)/2, of which the principal ones in the mass are kept. They are not normalised first.
//!
//! A free body has a right-hand side with a rigid part; it is taken out, and Φ is mass-orthogonal to rigid motions. Solved
//! is with as many numbers held as there are rigid motions: a load in balance puts no force on them, so this is exact.
//! Its derivatives along rotations are the affine fields and the turned modes: `affine.rs`, `turned_modes.rs`.
//!
//! Memory: k(k+1)/2 vectors of 3n entries, and 3k of a free body, some three times. Not for bodies that tumble: see
//! `affine.rs`.
//! Source: BJ05 in docs/papers.md.

use pliant_energy::{Body, Tangent};
use pliant_linalg::{Cholesky, Dofs, Modes, Progress, Watch, orth::Metric, tall};

use super::from_modes::Columns;
use super::turned_modes::turned_modes;
use super::{Built, Entry, Needs, Request, affine, linear_modes};
use crate::{ModalAnalysis, ReduceError};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "derivatives",
    about: "linear modes and their derivatives: large bending and twisting in few columns",
    needs: Needs::Modes,
    make,
    of_modes: Some(of_modes),
};

/// Columns of U where nothing is said: enough for large bending and twisting, few enough for thousands of steps a second.
const USUAL_RANK: usize = 40;

/// θ: how far a free body is thought to turn, rad: the weight of ω × ψⱼ is θ λ₁/λⱼ. Eq. 18 weighs a pair by how far a load
/// drives it, which says nothing where there is no stiffness (λ = 0). Chosen by measurement, half a turn: the shell of a bar
/// that springs bend was off by 0.040, 0.031, 0.021, 0.014 of its length in 50 coordinates with 0.1, 0.3, 1, 3 rad; the
/// shell of a cylinder by 0.049 with all four.
const ANGLE: f64 = 3.0;

/// A singular value below this part of the first is rounding.
const ROUNDING: f64 = 1e-12;

/// Pairs whose right-hand sides are made at once, in parallel.
const STRETCH: usize = 64;

/// Right-hand sides that are solved together.
const SOLVED_AT_ONCE: usize = 16;

/// Memory that the derivatives and what is made of them may take, bytes.
const MOST_BYTES: f64 = 8e9;

/// The second derivatives of the response to loads along the modes, at rest.
#[derive(Clone, Debug)]
pub struct ModalDerivatives {
    /// (i, j), i ≤ j, row by row.
    pub pairs: Vec<(usize, usize)>,
    /// Φⁱʲ of each pair, 3n entries each, one after the other; not normalised.
    pub shapes: Vec<f64>,
}

/// Φⁱʲ for all pairs of the modes that were `found`.
///
/// # Errors
/// A stiffness that cannot be factorised (a part that hangs by an edge or a vertex), too many modes for the memory, or
/// cancelled.
pub fn modal_derivatives(
    body: &Body,
    found: &ModalAnalysis,
    watch: &mut Watch<'_>,
) -> Result<ModalDerivatives, ReduceError> {
    let (size, k) = (body.size(), found.modes.len());
    fits(size, k, 0)?;
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i..k).map(move |j| (i, j))).collect();
    if pairs.is_empty() {
        return Ok(ModalDerivatives { pairs, shapes: Vec::new() });
    }
    Progress::stage("factorising for derivatives").tell(watch)?;
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K).expect("every energy is defined at rest");
    let dofs = pinned(body, &found.rigid);
    let mut factor = Cholesky::analyse(K.pattern(), &dofs)?;
    factor.factorise(&K)?;

    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let rigid = found.rigid.concat();
    let mass_rigid = metric.apply(&rigid);
    let mut shapes = vec![0.0; pairs.len() * size];
    let stretches = pairs.chunks(STRETCH).zip(shapes.chunks_mut(STRETCH * size));
    for (stretch, (pairs_here, shapes)) in stretches.enumerate() {
        let first = stretch * STRETCH;
        Progress { stage: "modal derivatives", done: first, total: pairs.len() }.tell(watch)?;
        body.thirds_at_rest(&found.modes.shapes, pairs_here, shapes);
        shapes.iter_mut().for_each(|f| *f = -*f);
        shapes.chunks_mut(size).for_each(|f| body.dofs().hold(f));
        if !rigid.is_empty() {
            // f ← f − M R Rᵀf: what would accelerate the body as a whole is no load on its shape.
            let along = tall::gram(&rigid, shapes, size);
            let part = tall::combine(&mass_rigid, size, &along);
            shapes.iter_mut().zip(part).for_each(|(f, part)| *f -= part);
        }
        for (block, x) in shapes.chunks_mut(SOLVED_AT_ONCE * size).enumerate() {
            let done = first + block * SOLVED_AT_ONCE;
            Progress { stage: "modal derivatives", done, total: pairs.len() }.tell(watch)?;
            factor.solve_many(x, x.len() / size);
        }
        metric.remove(&rigid, shapes);
    }
    Ok(ModalDerivatives { pairs, shapes })
}

/// The basis: affine fields where there are any, then the principal columns of modes and derivatives.
fn make(body: &Body, request: &Request<'_>, watch: &mut Watch<'_>) -> Result<Built, ReduceError> {
    fits(body.size(), request.modes, request.modes * body.rigid_count().min(3))?;
    of_modes(body, linear_modes(body, request.modes, watch)?, Columns::Asked(request.rank), watch)
}

/// The same of modes that are there.
fn of_modes(
    body: &Body,
    found: ModalAnalysis,
    columns: Columns,
    watch: &mut Watch<'_>,
) -> Result<Built, ReduceError> {
    let affine = affine::affine_fields(body, watch)?;
    let factors = mode_factors(&found.modes)?;
    let derivatives = modal_derivatives(body, &found, watch)?;
    let turned = turned_modes(body, &found);
    fits(body.size(), found.modes.len(), turned.modes.len())?;
    let factors: Vec<f64> = factors
        .iter()
        .copied()
        .chain(derivatives.pairs.iter().map(|&(i, j)| factors[i] * factors[j]))
        .chain(turned.modes.iter().map(|&j| ANGLE * factors[j]))
        .collect();
    let vectors = [found.modes.shapes.as_slice(), &derivatives.shapes, &turned.shapes].concat();
    drop((derivatives, turned));

    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let span = metric.extend(&affine, &vectors, 0.0, watch)?;
    let (size, count) = (body.size(), vectors.len() / body.size());
    drop(vectors);
    let first = affine.len() / size;
    let principal = span.principal(&factors)?;
    let largest = principal.values.first().copied().unwrap_or(0.0);
    let sound = principal.values.iter().take_while(|&&s| s > ROUNDING * largest).count();
    let available = first + sound;
    let rank = columns.rank(USUAL_RANK.min(available).max(first), available);
    super::check_rank(rank, first, available, || {
        format!("{} and their derivatives", super::modes_in_words(found.modes.len()))
    })?;
    let columns = [affine, principal.columns(rank - first)].concat();
    Ok(Built {
        basis: super::Basis::from_columns(&columns, size),
        eigenvalues: found.modes.eigenvalues,
        affine: first,
        singular_values: principal.values,
        dropped: count - sound,
        warnings: found.warnings,
    })
}

/// λ₁/λⱼ: the weight of mode j.
///
/// # Errors
/// A first mode without stiffness, beside which all others weigh nothing.
pub(super) fn mode_factors(modes: &Modes) -> Result<Vec<f64>, ReduceError> {
    let values = &modes.eigenvalues;
    if values.first().is_some_and(|&first| !(first > 0.0 && first > 1e-12 * values[values.len() - 1])) {
        return Err(ReduceError::request(
            "some part of the body hangs by an edge or a vertex and moves without any stiffness, beside which nothing \
             else counts; repair the mesh there, hold that part, or use the basis `modes`",
        ));
    }
    Ok(values.iter().map(|value| values[0] / value).collect())
}

/// Whether the derivatives of k modes, and so many turned ones, fit into memory.
fn fits(size: usize, k: usize, turned: usize) -> Result<(), ReduceError> {
    let turns = turned as f64 / k.max(1) as f64;
    let bytes = |k: usize| 3.0 * 8.0 * size as f64 * k as f64 * ((k as f64 + 3.0) / 2.0 + turns);
    if bytes(k) <= MOST_BYTES {
        return Ok(());
    }
    let affordable = (0..k).rev().find(|&k| bytes(k) <= MOST_BYTES).unwrap_or(0);
    Err(ReduceError::request(format!(
        "the derivatives of {k} modes would take about {:.1} GB of memory, the limit is {:.1} GB; ask for at most \
         {affordable} modes, or use the basis `extended`",
        bytes(k) / 1e9,
        MOST_BYTES / 1e9
    )))
}

/// What is held, and as many numbers more as there are rigid motions, such that none of them is left.
///
/// Numbers are rows of the matrix of rigid motions; chosen is always the one with the largest remainder: far apart, so that
/// what is pinned does not tip.
fn pinned(body: &Body, rigid: &[Vec<f64>]) -> Dofs {
    let mut held: Vec<bool> = (0..body.size()).map(|i| body.dofs().is_held(i)).collect();
    for (part, own) in affine::loose_parts(body, rigid) {
        let numbers: Vec<usize> =
            part.iter().flat_map(|&v| (0..3).map(move |c| 3 * v as usize + c)).collect();
        let mut rows: Vec<Vec<f64>> =
            numbers.iter().map(|&i| own.iter().map(|motion| motion[i]).collect()).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for _ in 0..own.len() {
            let square = |k: &usize| dot(&rows[*k], &rows[*k]);
            let best = (0..rows.len()).fold(0, |best, k| if square(&k) > square(&best) { k } else { best });
            let norm = square(&best).sqrt();
            held[numbers[best]] = true;
            let pivot: Vec<f64> = rows[best].iter().map(|x| x / norm).collect();
            for row in &mut rows {
                let along = dot(&pivot, row);
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= along * p);
            }
        }
    }
    Dofs::new(held)
}
