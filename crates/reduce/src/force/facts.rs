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
    /// An error on fresh poses above which a force is told of.
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

    /// Whether forces on fresh poses are off by no more than twice what `other`'s are: shapes under loads are small beside poses, and
    /// what is right there may be wild further out, as the correction of a sheet was seen to be.
    pub fn is_as_tame_as(&self, other: &Self) -> bool {
        self.validation_error <= 2.0 * other.validation_error
    }

    /// An error of shapes under loads below which more points would bring nothing that is seen.
    pub const NEAR: f64 = 0.02;

    /// Whether the force is so far off on fresh poses that a user should know.
    pub fn is_doubtful(&self) -> bool {
        self.validation_error.is_nan() || self.validation_error > Self::DOUBTFUL
    }

    /// Whether it is worth more points: doubtful, and shapes under loads do not say otherwise.
    pub fn asks_for_points(&self) -> bool {
        self.is_doubtful() && self.static_error.is_none_or(|error| error > Self::NEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(validation_error: f64, static_error: Option<f64>) -> TrainingFacts {
        TrainingFacts {
            trainer: "nn-htp".into(),
            poses: 100,
            pose_scale: 0.1,
            points: 60,
            training_error: 0.0,
            validation_error,
            static_error,
            frequency_error: None,
        }
    }

    #[test]
    fn what_is_seen_decides_unless_it_is_wild_further_out() {
        let (plain, near) = (facts(0.2, Some(0.1)), facts(0.3, Some(0.01)));
        assert!(near.is_nearer_than(&plain) && near.is_as_tame_as(&plain));
        assert!(
            !facts(0.5, Some(0.001)).is_as_tame_as(&plain) && !facts(f64::NAN, None).is_as_tame_as(&plain)
        );
        assert!(plain.asks_for_points() && !near.asks_for_points(), "shapes under loads say otherwise");
        assert!(near.is_doubtful() && facts(f64::NAN, None).is_doubtful(), "and are told all the same");
        assert!(facts(0.2, None).asks_for_points() && !facts(0.05, Some(0.5)).is_doubtful());
        assert_eq!((plain.seen_error(), facts(0.2, None).seen_error()), (0.1, 0.2));
    }
}
