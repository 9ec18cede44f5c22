//! What was measured when a force was trained.

/// How a cubature was trained and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingFacts {
    /// The name of the trainer.
    pub trainer: String,
    /// Training poses; as many fresh ones validate.
    pub poses: usize,
    /// The mean over poses of the largest vertex displacement, as a part of the longest side of the bounding box.
    pub pose_scale: f64,
    /// Points asked for; zero weights are left out of the cubature.
    pub points: usize,
    /// T14 eq. 3.7 on the training poses.
    pub training_error: f64,
    /// T14 eq. 3.7 on fresh poses.
    pub validation_error: f64,
}
