//! A cubature for a model: how many points, and what came out.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::Watch;

use super::{Training, TrainingSet};
use crate::force::{Prepared, Settings};
use crate::{Basis, ReduceError};

/// Points for each coordinate by default.
const EACH: usize = 3;

/// Whether a cubature of this kind can be trained.
///
/// # Errors
/// More points than the body has components, no poses, a pose scale that is none.
pub(super) fn check(body: &Body, settings: &Settings) -> Result<(), ReduceError> {
    training(settings, settings.points.unwrap_or(1)).check(body)
}

fn training(settings: &Settings, points: usize) -> Training {
    let Settings { poses, pose_scale, seed, trainer, .. } = *settings;
    Training { points, poses, pose_scale, seed, trainer }
}

/// Trains with the points that are asked for.
pub(super) fn prepare(
    body: &Body,
    basis: &Basis,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Prepared, ReduceError> {
    let (all, rank) = (body.components().count(), basis.rank());
    let points = settings.points.unwrap_or((EACH * rank).min(all));
    let set = TrainingSet::new(body, basis, &training(settings, points), watch)?;
    let trained = set.train(points, watch)?;
    Ok(Prepared {
        force: Arc::new(trained.cubature),
        training: Some(trained.facts),
        warnings: trained.warnings,
    })
}
