//! Extended modal bases: every linear map of every mode.
//!
//! ```text
//! b = (B_kl φᵢ(x₁), …, B_kl φᵢ(xₙ)),   B_kl the 3×3 matrix whose one entry that is not 0 is 1      (T14 Algorithm 1)
//! ```
//! A linear mode that bends or twists a body far swells it, since its vectors do not turn; the same vectors turned by 90°
//! take that back (T14 Figure 3.4). Nine maps make a basis of all, so that k modes give 9k columns, whatever the energy:
//! no third derivatives, no solves. A free body's modes do not count rigid motions, and its basis begins with the affine
//! fields: what it can do, it can do in every orientation.
//!
//! Where fewer columns are wanted, they are the principal ones in the mass of the vectors times λ₁/λᵢ. Several times as
//! many columns as modal derivatives need for one pose; made in a fraction of the time.
//!
//! A vector that lies in the span of those before it (1e-8 of its mode's length is left) is dropped: a flat sheet has modes
//! without in-plane part. Where only some components of a vertex are held, the vectors are held there afterwards.
//! Source: TSSH13 in docs/papers.md.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::{Dofs, Modes, Progress, Watch, orth::Metric, orth::Span, tall};

use super::from_modes::Columns;
use super::modal_derivatives::mode_factors;
use super::{Basis, Built, Entry, Needs, Request, affine, linear_modes};
use crate::{ModalAnalysis, ReduceError};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "extended",
    about: "every linear map of every linear mode: large deformations in any orientation, quickly made",
    needs: Needs::Modes,
    make,
    of_modes: Some(of_modes),
};

/// Makes the basis.
///
/// The mass ties no two components together, and a vector of the nine has one component only. So the 3k scalar fields that
/// the modes are made of are orthonormalised, for each component with what is held of it: the same columns for a fraction
/// of the products.
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
    let affine = affine::affine_fields(body, watch)?;
    Progress::stage("extending modes").tell(watch)?;
    let first = affine.len() / body.size();
    let scalars = scalar_fields(&found.modes);
    let mut spans: Vec<Arc<Span>> = Vec::with_capacity(3);
    let mut before: Option<Dofs> = None;
    for l in 0..3 {
        let dofs = Dofs::new((0..body.rest().len()).map(|v| body.dofs().is_held(3 * v + l)).collect());
        let alike = affine.is_empty() && before.as_ref() == Some(&dofs);
        let span = match spans.last().filter(|_| alike) {
            Some(span) => span.clone(),
            None => Arc::new(component(body, &dofs, &one_component(&affine, l), &scalars, watch)?),
        };
        spans.push(span);
        before = Some(dofs);
    }
    let available = first + spans.iter().map(|span| span.rank()).sum::<usize>();
    let rank = columns.rank(available, available);
    let source_of = || format!("{} and their linear maps", super::modes_in_words(found.modes.len()));
    super::check_rank(rank, first, available, source_of)?;

    let (columns, singular_values) = if rank < available || columns.by_weight() {
        let factors: Vec<f64> =
            mode_factors(&found.modes)?.into_iter().flat_map(|factor| [factor; 3]).collect();
        principal(&spans, &factors, rank - first, body.rest().len())?
    } else {
        (in_order(&spans, body.rest().len()), Vec::new())
    };
    Ok(Built {
        basis: put_together(body, &affine, &columns),
        eigenvalues: found.modes.eigenvalues,
        affine: first,
        singular_values,
        dropped: spans.iter().map(|span| span.dropped()).sum(),
        warnings: found.warnings,
    })
}

/// A column of the basis that has one component only: which, and its numbers, one a vertex.
type Column = (usize, Vec<f64>);

/// Components x, y, z of every mode, one number a vertex: field 3i + k is component k of mode i.
fn scalar_fields(modes: &Modes) -> Vec<f64> {
    (0..modes.len()).flat_map(|i| (0..3).flat_map(move |k| one_component(modes.shape(i), k))).collect()
}

/// Component `c` of vectors of three entries a vertex.
fn one_component(vectors: &[f64], c: usize) -> Vec<f64> {
    vectors.as_chunks::<3>().0.iter().map(|x| x[c]).collect()
}

/// What the scalar fields add, in a component of which `dofs` are free, to those of the affine fields.
fn component(
    body: &Body,
    dofs: &Dofs,
    affine: &[f64],
    scalars: &[f64],
    watch: &mut Watch<'_>,
) -> Result<Span, ReduceError> {
    let metric = Metric { mass: body.mass(), dofs };
    let known = metric.extend(&[], affine, 1.0, watch)?.columns;
    // A mode has length 1.
    Ok(metric.extend(&known, scalars, 1.0, watch)?)
}

/// All columns, in the order of T14 Algorithm 1: by mode, its component, and where that goes.
fn in_order(spans: &[Arc<Span>], rows: usize) -> Vec<Column> {
    let mut found: Vec<(usize, Column)> = Vec::new();
    for (l, span) in spans.iter().enumerate() {
        let mut columns = span.columns.clone();
        tall::make_largest_positive(&mut columns, rows);
        let columns = columns.chunks_exact(rows).map(<[f64]>::to_vec);
        found.extend(span.kept.iter().copied().zip(columns.map(|column| (l, column))));
    }
    found.sort_by_key(|(from, (l, _))| (*from, *l));
    found.into_iter().map(|(_, column)| column).collect()
}

/// The `count` principal columns, and all singular values, descending.
fn principal(
    spans: &[Arc<Span>],
    factors: &[f64],
    count: usize,
    rows: usize,
) -> Result<(Vec<Column>, Vec<f64>), ReduceError> {
    let each = spans.iter().map(|span| span.principal(factors)).collect::<Result<Vec<_>, _>>()?;
    let values = each.iter().enumerate().flat_map(|(l, p)| p.values.iter().map(move |&value| (value, l)));
    let mut values: Vec<(f64, usize)> = values.collect();
    // Of equal ones x before y before z.
    values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let chosen = |l: usize| values[..count].iter().filter(|(_, of)| *of == l).count();
    let columns: Vec<Vec<f64>> = each.iter().enumerate().map(|(l, p)| p.columns(chosen(l))).collect();
    let mut next: Vec<_> = columns.iter().map(|columns| columns.chunks_exact(rows)).collect();
    let take = |&(_, l): &(f64, usize)| (l, next[l].next().expect("as many as were counted").to_vec());
    let columns = values[..count].iter().map(take).collect();
    Ok((columns, values.into_iter().map(|(value, _)| value).collect()))
}

/// U from the affine fields and columns of one component each.
fn put_together(body: &Body, affine: &[f64], columns: &[Column]) -> Basis {
    let (size, first) = (body.size(), affine.len() / body.size());
    let rank = first + columns.len();
    let mut rows = vec![0.0; size * rank];
    for (v, rows) in rows.chunks_exact_mut(3 * rank).enumerate() {
        for (c, row) in rows.chunks_exact_mut(rank).enumerate() {
            (0..first).for_each(|k| row[k] = affine[k * size + 3 * v + c]);
        }
        for (k, (l, column)) in columns.iter().enumerate() {
            rows[l * rank + first + k] = column[v];
        }
    }
    Basis::new(rank, Arc::new(rows))
}
