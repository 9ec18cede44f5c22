//! A reduced model: all that a body needs to move in few coordinates, and what was measured when it was made.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::DenseSymmetric;
use pliant_mesh::MeshData;

use crate::force::cubature::Cubature;
use crate::force::cubic::Polynomial;
use crate::force::{Linear, Projected, ReducedForce};
use crate::{Basis, ReduceError};

/// A reduced model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The mesh that was reduced, at rest, with its regions, materials and embedded surface.
    pub mesh: MeshData,
    /// What the body is made of and what is held.
    pub recipe: Recipe,
    /// U.
    pub basis: Basis,
    /// UᵀMU: the identity, unless the basis came from elsewhere.
    pub mass: DenseSymmetric,
    /// UᵀK(0)U.
    pub stiffness: DenseSymmetric,
    /// What an acceleration of 1 m/s² along x, y and z puts on each coordinate: Σ_v m_v U_(3v+d).
    pub gravity: [Vec<f64>; 3],
    /// The elastic force.
    pub force: ForceData,
    /// How it was made and how good it is.
    pub facts: Facts,
}

/// The numbers of a reduced force.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceData {
    /// Through the full mesh.
    Projected,
    /// [`Model::stiffness`] alone.
    Linear,
    /// An exact polynomial.
    Cubic(Arc<Polynomial>),
    /// Weighted components.
    Cubature(Arc<Cubature>),
}

impl ForceData {
    /// The word behind `--forces`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Projected => "projected",
            Self::Linear => "linear",
            Self::Cubic(_) => "cubic",
            Self::Cubature(_) => "cubature",
        }
    }
}

/// How a model was made and what was measured then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The name of the basis.
    pub basis: String,
    /// λ of the linear modes it started from, ascending, 1/s².
    pub eigenvalues: Vec<f64>,
    /// How many of the first columns of U are affine fields.
    pub affine: usize,
    /// Raw, descending; empty where nothing was chosen.
    pub singular_values: Vec<f64>,
    /// Vectors dropped because they lay in the span of others.
    pub dropped: usize,
    /// Where random choices started.
    pub seed: u64,
    /// How the cubature was trained; `None` where there is none.
    pub training: Option<TrainingFacts>,
}

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
    /// 004 eq. 3.7 on the training poses.
    pub training_error: f64,
    /// 004 eq. 3.7 on fresh poses.
    pub validation_error: f64,
}

impl Model {
    /// The full body that was reduced.
    ///
    /// # Errors
    /// As [`Recipe::build`]; a model that was built or checked has a body.
    pub fn body(&self) -> Result<Body, ReduceError> {
        Ok(self.recipe.build(self.mesh.clone())?)
    }

    /// Something that evaluates the force; several may live at once and share the model's numbers.
    ///
    /// # Errors
    /// As [`Model::body`].
    pub fn evaluator(&self) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(match &self.force {
            ForceData::Projected => Box::new(Projected::new(Arc::new(self.body()?), self.basis.clone())),
            ForceData::Linear => Box::new(Linear::new(self.stiffness.clone())),
            ForceData::Cubic(_) | ForceData::Cubature(_) => unimplemented!("the evaluators come next"),
        })
    }
}
