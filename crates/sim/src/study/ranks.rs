//! How much of the full motion each basis cannot have, by its number of columns.

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::basis::{self, Built, Needs};
use pliant_reduce::{Model, ReduceError, Request};

use super::{Chart, Style, modes_of};
use crate::SimError;
use crate::accuracy::Reference;

/// Columns up to which bases are compared.
const RANKS: usize = 100;

pub(super) fn ranks(
    model: &Model,
    body: &Body,
    reference: &Reference,
    watch: &mut Watch<'_>,
) -> Result<Chart, SimError> {
    let mut chart =
        Chart { x: "coordinates", y: "error, of the largest motion", log_y: true, ..Chart::default() };
    for entry in basis::ALL.iter().filter(|entry| entry.needs == Needs::Modes) {
        let built = widest(entry, model, body, watch)?;
        let errors = reference.projection_errors(&built.basis);
        let from = built.affine.max(1);
        let of = (from..errors.len()).filter(|&r| errors[r] > 0.0).map(|r| [r as f64, errors[r]]);
        chart = chart.line(entry.name, of.collect());
    }
    let (own, rank) = (reference.projection_errors(model.basis()), model.rank());
    chart = chart.with("this model", vec![[rank as f64, own[rank].max(f64::MIN_POSITIVE)]], Style::Dots);
    chart.words = format!(
        "The full body is pulled by {:.2} of its longest side and released ({} steps). Shown is what the best motion in so many \
         coordinates would leave of that, mean over time; of modes as many as there are coordinates, of the others those of {} \
         modes.",
        reference.reach / model.longest_side(),
        reference.rehearsal.scenario.steps,
        modes_of(model, body)
    );
    Ok(chart)
}

/// A basis with as many columns as it has, or [`RANKS`].
fn widest(
    entry: &basis::Entry,
    model: &Model,
    body: &Body,
    watch: &mut Watch<'_>,
) -> Result<Built, ReduceError> {
    let there = body.dofs().free().len() - body.rigid_count();
    let modes = if entry.name == "modes" { RANKS.min(there / 2) } else { modes_of(model, body) };
    let make = |rank: usize, watch: &mut Watch<'_>| {
        (entry.make)(body, &Request { rank: Some(rank), ..Request::of_modes(modes) }, watch)
    };
    match make(RANKS, watch) {
        Err(ReduceError::Rank { available, .. }) => make(available, watch),
        other => other,
    }
}
