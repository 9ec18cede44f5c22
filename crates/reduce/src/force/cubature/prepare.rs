//! A cubature for a model: how many points, and what came out.

use std::sync::Arc;

use pliant_energy::{Body, ComponentKind};
use pliant_linalg::Watch;

use super::{Trained, Training, TrainingSet, most_points};
use crate::force::{Prepared, Settings, TrainingFacts};
use crate::{Basis, ReduceError};

/// Points for each coordinate by default.
const EACH: usize = 3;

/// What a surface begins with: its forces are stiff and local, three for each coordinate are often not enough.
const OF_A_SURFACE: usize = 250;

/// The most points that nobody asked for: the cost of a step grows with them.
const MOST: usize = 1000;

/// Twice the points are kept where they take this part off the error.
const WORTH: f64 = 0.9;

/// Whether a cubature of this kind can be trained.
///
/// # Errors
/// More points than the body has components, no poses, a pose scale that is none.
pub(super) fn check(body: &Body, settings: &Settings) -> Result<(), ReduceError> {
    training(settings, settings.points.unwrap_or(1)).check(body)
}

fn training(settings: &Settings, points: usize) -> Training {
    let Settings { poses, pose_scale, seed, trainer, .. } = *settings;
    Training { points, poses, pose_scale, seed, trainer, ..Training::default() }
}

/// Trains with the points that are asked for. Where nobody asks, a surface gets more of them while its shapes under loads are far off.
pub(super) fn prepare(
    body: &Body,
    basis: &Basis,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Prepared, ReduceError> {
    let energy = body.components();
    let (all, rank) = (energy.count(), basis.rank());
    let surface = all > 0 && energy.kind(all - 1) != ComponentKind::Tet;
    let least = if surface { OF_A_SURFACE } else { 0 };
    let points = settings.points.unwrap_or((EACH * rank).max(least).min(all));
    let set = TrainingSet::new(body, basis, &training(settings, points), watch)?;
    let mut trained = set.train(points, watch)?;
    if surface && settings.points.is_none() {
        let most = all.min(MOST).min(most_points(settings.poses, rank));
        trained = more_points(&set, trained, most, watch)?;
    }
    Ok(Prepared {
        force: Arc::new(trained.cubature),
        training: Some(trained.facts),
        warnings: trained.warnings,
    })
}

/// Twice the points, and twice again, while forces on fresh poses ask for them and they help.
fn more_points(
    set: &TrainingSet<'_>,
    mut best: Trained,
    most: usize,
    watch: &mut Watch<'_>,
) -> Result<Trained, ReduceError> {
    while best.facts.asks_for_points() && best.facts.points < most {
        let next = set.train((2 * best.facts.points).min(most), watch)?;
        let worth = |error: fn(&TrainingFacts) -> f64| error(&next.facts) <= WORTH * error(&best.facts);
        if !(worth(|t| t.validation_error) || worth(TrainingFacts::seen_error)) {
            break;
        }
        best = next;
    }
    Ok(best)
}
