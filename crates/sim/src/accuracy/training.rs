//! Cubatures for motions: trained so that soft and stiff vibrations count alike.
//!
//! ```text
//! K̃ Φ_i = ω_i² M̃ Φ_i,    V = U [Φ_1/ω_1, …, Φ_r/ω_r],    Vᵀf instead of Uᵀf          (1)
//! ```
//! Poses hold all vibrations with the same energy, so that those of Uᵀf that belong to stiff ones are larger by ω. A
//! cubature that is 0.1 % off in ‖Uᵀf‖ was seen to be several per cent off in the force of the softest vibration, which is
//! the one that is seen, and so its swing came several per cent too early or late. In (1) all count alike. The cubature
//! is the same thing for V and for U: components and weights. Judged it is by T14 eq. 3.7 as every other, with U.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::{Watch, tall};
use pliant_reduce::force::{Cubature, Prepared, Settings, Trained, Training, TrainingFacts, TrainingSet};
use pliant_reduce::{Basis, Model, ReduceError};

/// V of (1), for the basis of a held model.
///
/// # Errors
/// A basis whose columns depend on each other, or a vibration that costs nothing.
pub(super) fn even(model: &Model) -> Result<Basis, ReduceError> {
    let r = model.basis().rank();
    let (values, mut vectors) = model
        .reduced_stiffness()
        .generalised_eigen(model.reduced_mass())
        .filter(|(values, _)| values.iter().all(|value| *value > 0.0))
        .ok_or_else(|| {
            ReduceError::Request("a vibration of the basis costs no energy; hold the body".into())
        })?;
    for (vector, value) in vectors.chunks_exact_mut(r).zip(&values) {
        vector.iter_mut().for_each(|x| *x /= value.sqrt());
    }
    let columns: Vec<f64> = (0..r).flat_map(|k| model.basis().column(k)).collect();
    Ok(Basis::from_columns(&tall::combine(&columns, model.basis().size(), &vectors), model.basis().size()))
}

/// Poses to learn from with V, and the same to judge by with U.
pub(super) struct Sets<'a> {
    learn: TrainingSet<'a>,
    judge: TrainingSet<'a>,
}

impl<'a> Sets<'a> {
    pub(super) fn new(
        body: &'a Body,
        basis: &'a Basis,
        even: &'a Basis,
        settings: &Settings,
        watch: &mut Watch<'_>,
    ) -> Result<Self, ReduceError> {
        let &Settings { poses, pose_scale, seed, trainer, .. } = settings;
        let training = Training { points: 1, poses, pose_scale, seed, trainer };
        Ok(Self {
            learn: TrainingSet::new(body, even, &training, watch)?,
            judge: TrainingSet::new(body, basis, &training, watch)?,
        })
    }

    /// At most so many components.
    pub(super) fn train(&self, points: usize, watch: &mut Watch<'_>) -> Result<Prepared, ReduceError> {
        self.judged(self.learn.train(points, watch)?)
    }

    /// At most so many of the components of a force that was trained here.
    pub(super) fn thin(&self, prepared: &Prepared, points: usize) -> Result<Prepared, ReduceError> {
        let Some(cubature) = prepared.force.downcast_ref::<Cubature>() else { return Ok(prepared.clone()) };
        self.judged(self.learn.thin(cubature, points)?)
    }

    fn judged(&self, trained: Trained) -> Result<Prepared, ReduceError> {
        let [training_error, validation_error] = self.judge.errors(&trained.cubature)?;
        Ok(Prepared {
            force: Arc::new(trained.cubature),
            training: Some(TrainingFacts { training_error, validation_error, ..trained.facts }),
            warnings: trained.warnings,
        })
    }
}
