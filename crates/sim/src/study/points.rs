//! Errors of cubatures of several sizes by both trainers, on the same poses.

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::Model;
use pliant_reduce::force::{Settings, Trainer, Training, TrainingSet};

use super::Chart;
use crate::SimError;

/// Training poses of the cubatures that are compared: fewer than of the model, since there are many of them.
const POSES: usize = 200;

/// Cubature points that are tried, in parts of the coordinates; and the most.
const POINTS: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0];
const MOST_POINTS: usize = 600;

pub(super) fn points(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Chart, SimError> {
    let (rank, all) = (model.rank(), body.components().count());
    let usual = Settings::default();
    let training = model.facts().training.as_ref();
    let (poses, pose_scale) =
        training.map_or((usual.poses, usual.pose_scale), |t| (t.poses, Some(t.pose_scale)));
    let poses = poses.min(POSES);
    let training = Training { poses, pose_scale, seed: model.facts().seed, ..Training::default() };
    let set = TrainingSet::new(body, model.basis(), &training, watch)?;
    let mut sizes: Vec<usize> = POINTS
        .iter()
        .map(|part| ((part * rank as f64).ceil() as usize).clamp(1, all.min(MOST_POINTS)))
        .collect();
    sizes.dedup();
    let mut chart = Chart { x: "points", y: "error of the force", log_y: true, ..Chart::default() };
    for trainer in [Trainer::NN_HTP, Trainer::GREEDY] {
        let (mut known, mut fresh) = (Vec::new(), Vec::new());
        for &s in &sizes {
            let facts = set.train_by(trainer, s, watch)?.facts;
            known.push([s as f64, facts.training_error]);
            fresh.push([s as f64, facts.validation_error]);
        }
        chart = chart
            .dashed(format!("{}, training", trainer.name), known)
            .line(format!("{}, fresh poses", trainer.name), fresh);
    }
    chart.words = format!(
        "Cubatures in the {rank} coordinates of this model, trained on {poses} poses and measured on as many fresh ones, of {all} \
         components.",
    );
    Ok(chart)
}
