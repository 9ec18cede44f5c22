//! Linear modes, and what they become when they are warped.
//!
//! ```text
//! U = [Φ, PCA of W(Φ z_t) − Φ Φᵀ M W(Φ z_t)],   z_t = σ N(0, 1/ω) for each mode                       (T14 section 3.3.1)
//! ```
//! W is rotation-strain warping of all vertices; σ makes the mean over poses of the largest displacement three tenths of the longest
//! side. The modes come first, so that linear motions are exact, then the principal directions of what warped shapes have beside
//! them. Where the constraints leave rigid motions, affine fields come before all.
//!
//! For bodies that move linearly and are shown warped: some four columns a mode hold what the extended basis holds with nine. For
//! nonlinear forces take `derivatives` or `extended`: nothing here knows how a material answers.
//!
//! Source: HTZBD11 in docs/papers.md; of snapshots B12 section 3.2.1.

use pliant_energy::Body;
use pliant_linalg::{Progress, Random, Watch, orth::Metric, par, tall};
use pliant_mesh::data::bounds;

use super::from_modes::Columns;
use super::{Basis, Built, Entry, Needs, Request, affine, linear_modes};
use crate::{ModalAnalysis, ReduceError, Warp};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "warped",
    about: "modes and what they become when they are warped: for linear motions that are shown turning",
    needs: Needs::Modes,
    make,
    of_modes: Some(of_modes),
};

/// Columns for each mode where nothing is said.
const EACH: usize = 4;

/// Poses for each mode.
const POSES: usize = 12;

/// The mean over poses of the largest displacement, as a part of the longest side.
const SCALE: f64 = 0.3;

/// Poses that are warped together.
const AT_ONCE: usize = 16;

/// A singular value below this part of the first is rounding.
const ROUNDING: f64 = 1e-10;

fn make(body: &Body, request: &Request<'_>, watch: &mut Watch<'_>) -> Result<Built, ReduceError> {
    of_modes(body, linear_modes(body, request.modes, watch)?, Columns::Asked(request.rank), watch)
}

/// The same of modes that are there.
fn of_modes(
    body: &Body,
    found: ModalAnalysis,
    columns: Columns,
    watch: &mut Watch<'_>,
) -> Result<Built, ReduceError> {
    let (size, modes) = (body.size(), &found.modes);
    let affine = affine::affine_fields(body, watch)?;
    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let mut known = affine.clone();
    let own = metric.extend(&affine, &modes.shapes, 1.0, watch)?;
    known.extend(&own.columns);
    tall::make_largest_positive(&mut known, size);
    let snapshots = snapshots(body, &found, watch)?;
    let span = metric.extend(&known, &snapshots, 0.0, watch)?;
    let principal = span.principal(&vec![1.0; snapshots.len() / size])?;
    let largest = principal.values.first().copied().unwrap_or(0.0);
    let sound = principal.values.iter().take_while(|&&s| s > ROUNDING * largest).count();
    let (first, available) = (known.len() / size, known.len() / size + sound);
    let usual = (affine.len() / size + EACH * modes.len()).clamp(first, available);
    let rank = columns.rank(usual, available);
    let source_of = || format!("{} and what they become warped", super::modes_in_words(modes.len()));
    super::check_rank(rank, affine.len() / size, available, source_of)?;
    known.truncate(rank * size);
    known.extend(principal.columns(rank.saturating_sub(first)));
    Ok(Built {
        basis: Basis::from_columns(&known, size),
        affine: affine.len() / size,
        singular_values: principal.values,
        dropped: own.dropped(),
        eigenvalues: found.modes.eigenvalues,
        warnings: found.warnings,
    })
}

/// Warped poses of the modes, 3n entries each, one after the other.
fn snapshots(body: &Body, found: &ModalAnalysis, watch: &mut Watch<'_>) -> Result<Vec<f64>, ReduceError> {
    let (size, modes) = (body.size(), &found.modes);
    // Modes that cost nothing have no amplitude of their own.
    let costly: Vec<usize> = (0..modes.len()).filter(|&i| modes.eigenvalues[i] > 0.0).collect();
    let count = POSES * costly.len();
    let (warp, mut random) = (Warp::new(body)?, Random(1));
    let mut linear = vec![0.0; size * count];
    for u in linear.chunks_exact_mut(size) {
        for &i in &costly {
            par::axpy(random.normal() / modes.eigenvalues[i].sqrt(), modes.shape(i), u);
        }
    }
    let reach = |u: &[f64]| {
        let square = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
        u.as_chunks::<3>().0.iter().map(square).fold(0.0, f64::max).sqrt()
    };
    let mean = linear.chunks_exact(size).map(reach).sum::<f64>() / count.max(1) as f64;
    let [low, high] = bounds(body.rest());
    let times = SCALE * (high - low).max() / mean;
    linear.iter_mut().for_each(|u| *u *= times);
    let mut warped = vec![0.0; linear.len()];
    let chunks = linear.chunks(AT_ONCE * size).zip(warped.chunks_mut(AT_ONCE * size));
    for (k, (linear, warped)) in chunks.enumerate() {
        Progress { stage: "warping modes", done: k * AT_ONCE, total: count }.tell(watch)?;
        warp.apply_many(linear, warped);
    }
    Ok(warped)
}
