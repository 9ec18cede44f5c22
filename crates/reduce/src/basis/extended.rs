//! Extended modal bases: every linear map of every mode.
//!
//! ```text
//! b = (B_kl φᵢ(x₁), …, B_kl φᵢ(xₙ)),   B_kl the 3×3 matrix whose one entry that is not 0 is 1      (004 Algorithm 1)
//! ```
//! A linear mode that bends or twists a body far swells it, since its vectors do not turn; the same vectors turned by 90°
//! take that back (004 Figure 3.4). Nine maps make a basis of all, so that k modes give 9k columns, whatever the energy:
//! no third derivatives, no solves. A free body's modes do not count rigid motions, and its basis begins with the affine
//! fields: what it can do, it can do in every orientation.
//!
//! Where fewer columns are wanted, they are the principal ones in the mass of the vectors times λ₁/λᵢ. Several times as
//! many columns as modal derivatives need for one pose; made in a fraction of the time.
//!
//! A vector that lies in the span of those before it (1e-8 of its mode's length is left) is dropped: a flat sheet has modes
//! without in-plane part. Where only some components of a vertex are held, the vectors are held there afterwards.
//! Source: TSSH13 in docs/papers.md.

use pliant_energy::Body;
use pliant_linalg::{Progress, Watch, orth::Metric, tall};

use super::modal_derivatives::mode_factors;
use super::{Basis, Built, Request, affine, linear_modes};
use crate::{LinearModes, ReduceError};

/// The nine vectors of every mode, 3n numbers each, in the order of 004 Algorithm 1: number 9i + 3k + l has component k of
/// mode i in component l. Zero where the body is held.
pub fn extended_vectors(body: &Body, modes: &LinearModes) -> Vec<f64> {
    let mut vectors = vec![0.0; 9 * modes.shapes.len()];
    for (at, vector) in vectors.chunks_exact_mut(body.size()).enumerate() {
        let (i, k, l) = (at / 9, at / 3 % 3, at % 3);
        let mode = modes.shape(i).as_chunks::<3>().0;
        vector.as_chunks_mut::<3>().0.iter_mut().zip(mode).for_each(|(b, phi)| b[l] = phi[k]);
        body.dofs().hold(vector);
    }
    vectors
}

/// The basis.
pub(super) fn make(body: &Body, request: &Request, watch: &mut Watch<'_>) -> Result<Built, ReduceError> {
    let affine = affine::affine_fields(body, watch)?;
    let modes = linear_modes(body, request.modes, watch)?;
    Progress::stage("extending modes").tell(watch)?;
    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let vectors = extended_vectors(body, &modes);
    // A mode has length 1.
    let span = metric.extend(&affine, &vectors, 1.0, watch)?;
    drop(vectors);
    let (size, dropped) = (body.size(), span.dropped());
    let first = affine.len() / size;
    let available = first + span.rank();
    let rank = request.rank.unwrap_or(available);
    super::check_rank(rank, first, available, || {
        format!("{} and their linear maps", super::modes_in_words(modes.len()))
    })?;
    let (singular_values, columns) = if rank < available {
        let factors: Vec<f64> = mode_factors(&modes)?.into_iter().flat_map(|factor| [factor; 9]).collect();
        span.principal(&factors, rank - first)?
    } else {
        let mut columns = span.columns;
        tall::make_largest_positive(&mut columns, size);
        (Vec::new(), columns)
    };
    Ok(Built {
        basis: Basis::from_columns(&[affine, columns].concat(), size),
        eigenvalues: modes.eigenvalues,
        affine: first,
        singular_values,
        dropped,
        warnings: modes.warnings,
    })
}
