//! What to know of a model before it is used, whoever made it and wherever it was kept.

use pliant_linalg::{Note, digits};

use super::Model;
use crate::error::FORCES;
use crate::force::TrainingFacts;
use crate::force::setting::{POINTS, POSE_SCALE};

impl Model {
    /// What a user should know: a force that was trained and is far off on poses that it was not trained on.
    pub fn cautions(&self) -> Vec<Note> {
        let Some(t) = self.facts().training.as_ref().filter(|t| t.is_doubtful()) else {
            return Vec::new();
        };
        // Poses are large; what loads do is smaller, and often near all the same.
        let loads =
            t.static_error.map(|error| format!("; shapes under loads are off by {:.1} %", 100.0 * error));
        let sentence = format!(
            "on poses that it was not trained on its force is off by {:.0} %, more than {:.0} %, so that motions as large are not the \
             body's{}: a larger {POINTS} than {}, a smaller {POSE_SCALE} than {} or the {FORCES} projected would be nearer",
            100.0 * t.validation_error,
            100.0 * TrainingFacts::DOUBTFUL,
            loads.unwrap_or_default(),
            t.points,
            digits(t.pose_scale, 3)
        );
        vec![Note::new(sentence, &[POINTS, POSE_SCALE, FORCES])]
    }
}
