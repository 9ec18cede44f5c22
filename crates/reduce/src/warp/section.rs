//! The warp of a model, as a section of its file: `warp`, version 1 (docs/model-format.md).

use pliant_energy::Body;
use pliant_linalg::{DenseSymmetric, Watch};
use serde_json::Value;

use super::{ReducedWarp, WarpFacts, WarpNumbers, WarpTraining, train};
use crate::model::Section;
use crate::{Model, ReduceError};

/// What the section is called.
pub const NAME: &str = "warp";

/// The version that is written, and the latest that is read.
const VERSION: u64 = 1;

impl Model {
    /// Whether it has a warp, for whatever coordinates.
    pub fn has_warp(&self) -> bool {
        self.sections().contains_key(NAME)
    }

    /// How the warp of this model was trained and how good it is; `None` where it has none.
    ///
    /// # Errors
    /// A warp of other coordinates, or of a newer program.
    pub fn warp_facts(&self) -> Result<Option<WarpFacts>, ReduceError> {
        Ok(self.section(NAME, VERSION)?.map(facts))
    }

    /// Something that warps in the coordinates of this model; `None` where it has no warp.
    ///
    /// # Errors
    /// A warp of other coordinates, or of a newer program.
    pub fn warp(&self) -> Result<Option<ReducedWarp>, ReduceError> {
        let Some(numbers) = self.warp_numbers()? else { return Ok(None) };
        ReducedWarp::new(self.mesh(), self.basis(), numbers).map(Some)
    }

    /// The model with a warp, in place of one that it had.
    ///
    /// # Errors
    /// Numbers that are not finite, or of another number of coordinates.
    pub fn with_warp(self, numbers: &WarpNumbers) -> Result<Self, ReduceError> {
        // What cannot be evaluated is not kept.
        ReducedWarp::new(self.mesh(), self.basis(), numbers.clone())?;
        let (r, s) = (self.rank(), numbers.points.len());
        let mut section = Section::new(VERSION);
        let all: Vec<f64> = (0..r * r).map(|k| numbers.smoothing.get(k / r, k % r)).collect();
        section.put_indices("points", &[s], &numbers.points)?;
        section.put_reals("weights", &[s], &numbers.weights)?;
        section.put_reals("mean", &[9, r], &numbers.mean)?;
        section.put_reals("spread", &[9, r], &numbers.spread)?;
        section.put_reals("smoothing", &[r, r], &all)?;
        let WarpFacts {
            points,
            poses,
            judged,
            pose_scale,
            trainer,
            training_error,
            validation_error,
            basis_error,
        } = &numbers.facts;
        section.set("points", *points);
        section.set("poses", *poses);
        section.set("judged", *judged);
        section.set("pose_scale", *pose_scale);
        section.set("trainer", trainer.as_str());
        section.set("training_error", *training_error);
        section.set("validation_error", *validation_error);
        section.set("basis_error", *basis_error);
        self.with_section(NAME, section)
    }

    /// The model with a warp that is trained now, on `body`, which it is a model of.
    ///
    /// # Errors
    /// As [`train`].
    pub fn trained_to_warp(
        self,
        body: &Body,
        training: &WarpTraining,
        watch: &mut Watch<'_>,
    ) -> Result<Self, ReduceError> {
        // Poses are what the linear modes do: what else a basis holds is there for what they become.
        let modes = Some(self.facts().eigenvalues.len()).filter(|count| *count > 0);
        let training = WarpTraining { vibrations: training.vibrations.or(modes), ..*training };
        let numbers = train(body, self.basis(), &training, watch)?;
        self.with_warp(&numbers)
    }

    /// The same on the body that it is a model of, which is made for it.
    ///
    /// # Errors
    /// As [`Model::trained_to_warp`].
    pub fn taught_to_warp(self, training: &WarpTraining, watch: &mut Watch<'_>) -> Result<Self, ReduceError> {
        let body = self.body()?;
        self.trained_to_warp(&body, training, watch)
    }

    /// The numbers of the warp of these coordinates.
    pub(crate) fn warp_numbers(&self) -> Result<Option<WarpNumbers>, ReduceError> {
        let Some(section) = self.section(NAME, VERSION)? else { return Ok(None) };
        let r = self.rank();
        let smoothing = section.reals("smoothing", &[Some(r), Some(r)])?;
        Ok(Some(WarpNumbers {
            points: section.indices("points", &[None])?,
            weights: section.reals("weights", &[None])?,
            mean: section.reals("mean", &[Some(9), Some(r)])?,
            spread: section.reals("spread", &[Some(9), Some(r)])?,
            smoothing: DenseSymmetric::from_upper(r, |i, j| smoothing[i * r + j]),
            facts: facts(section),
        }))
    }
}

/// What is not there is zero, as in a file of an older program.
fn facts(section: &Section) -> WarpFacts {
    let number = |key: &str| section.facts().get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let trainer = section.facts().get("trainer").and_then(Value::as_str).unwrap_or_default();
    WarpFacts {
        points: number("points") as usize,
        poses: number("poses") as usize,
        judged: number("judged") as usize,
        pose_scale: number("pose_scale"),
        trainer: trainer.into(),
        training_error: number("training_error"),
        validation_error: number("validation_error"),
        basis_error: number("basis_error"),
    }
}
