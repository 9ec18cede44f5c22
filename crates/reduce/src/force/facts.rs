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
    /// How far shapes under loads that stay are off, as a part of their displacement; `None` where that was not measured.
    pub static_error: Option<f64>,
    /// How far the lowest frequencies are off.
    pub frequency_error: Option<f64>,
}

impl TrainingFacts {
    /// An error on fresh poses above which a force is told of, and a surface gets more points.
    pub const DOUBTFUL: f64 = 0.1;

    /// What is seen: the error of shapes under loads; where that was not measured, of forces on fresh poses.
    pub fn seen_error(&self) -> f64 {
        self.static_error.unwrap_or(self.validation_error)
    }

    /// Whether it is the better of two by what is seen, if both have measured that.
    pub fn is_nearer_than(&self, other: &Self) -> bool {
        match (self.static_error, other.static_error) {
            (Some(own), Some(others)) => own < others,
            _ => self.validation_error < other.validation_error,
        }
    }

    /// An error of shapes under loads below which forces on fresh poses say nothing: they count what a load does not move.
    pub const NEAR: f64 = 0.02;

    /// Whether the force is so far off on fresh poses that a user should know, and shapes under loads do not say otherwise.
    pub fn is_doubtful(&self) -> bool {
        self.validation_error > Self::DOUBTFUL && self.seen_error() > Self::NEAR
    }
}
