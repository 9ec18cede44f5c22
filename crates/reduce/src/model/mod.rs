//! A reduced model: all that a body needs to move in few coordinates, and what was measured when it was made.
//!
//! [`Model::write`] and [`Model::read`] are its file, `.pliant`: docs/model-format.md says what is in it. A model that was
//! read keeps its basis in the file, which is mapped into memory, not copied.
//!
//! ```
//! # use pliant_energy::Recipe;
//! # use pliant_reduce::{Model, Request, basis, model::{Facts, ForceData}};
//! let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
//! let fixed = vec![pliant_mesh::select::select(&bar, "x<5%")?];
//! let recipe = Recipe { fixed, ..Recipe::default() };
//! let body = recipe.build(bar.clone())?;
//! let modes = basis::find("modes").unwrap();
//! let request = Request { modes: 5, rank: None };
//! let built = (modes.make)(&body, &request, &mut pliant_linalg::ignore_progress)?;
//! let facts = Facts { basis: modes.name.into(), eigenvalues: built.eigenvalues, ..Facts::default() };
//! let model = Model::assemble(bar, recipe, &body, built.basis, ForceData::Linear, facts)?;
//! # let folder = std::env::temp_dir().join(format!("pliant-model-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("bar.pliant");
//! model.write(&path)?;
//! assert_eq!(Model::read(&path)?.basis.rows(), model.basis.rows());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod container;
mod description;
mod file;
mod map;
mod remade;
mod shape;
mod still;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pliant_energy::{Body, Recipe, Tangent};
use pliant_linalg::DenseSymmetric;
use pliant_mesh::MeshData;

use crate::force::projected::{project_mass, project_matrix};
use crate::force::{Cubature, CubatureForce, Cubic, Ghost, Linear, Polynomial, Projected, ReducedForce};
use crate::{Basis, ReduceError};

pub use container::seal;
pub use remade::NaturalModes;

/// A reduced model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The mesh that was reduced, at rest, with its regions, materials and embedded surface.
    pub mesh: MeshData,
    /// What the body is made of and what is held.
    pub recipe: Recipe,
    /// U.
    pub basis: Basis,
    /// UᵀMU: the identity, unless the basis came from elsewhere or the density was changed afterwards.
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
    /// A coarse stand-in.
    Ghost(Arc<Ghost>),
}

impl ForceData {
    /// The word behind `--forces`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Projected => "projected",
            Self::Linear => "linear",
            Self::Cubic(_) => "cubic",
            Self::Cubature(_) => "cubature",
            Self::Ghost(_) => "ghost",
        }
    }

    /// How many points a cubature has; `None` for other forces.
    pub fn points(&self) -> Option<usize> {
        match self {
            Self::Cubature(cubature) => Some(cubature.components.len()),
            _ => None,
        }
    }

    /// How many vertices a ghost has; `None` for other forces.
    pub fn ghost_vertices(&self) -> Option<usize> {
        match self {
            Self::Ghost(ghost) => Some(ghost.vertices.len()),
            _ => None,
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
    /// How many of the first columns of U are affine fields; of the basis `modes`: rigid motions.
    pub affine: usize,
    /// Raw, descending; empty where nothing was chosen.
    pub singular_values: Vec<f64>,
    /// Vectors dropped because they lay in the span of others.
    pub dropped: usize,
    /// Where random choices started.
    pub seed: u64,
    /// How the cubature was trained; `None` where there is none, and of a model that was cut to fewer coordinates since.
    pub training: Option<TrainingFacts>,
}

impl Facts {
    /// √λ / 2π of the linear modes, Hz; zero for a λ that rounding made negative.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|&l| l.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }
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
    /// Puts a model together: mass UᵀMU, stiffness UᵀK(0)U and gravity Σ_v m_v U_(3v+d) are those of `body`, exactly. What
    /// rounding makes of the stiffness of rigid motions is taken out.
    ///
    /// # Errors
    /// When the energy of `body` is not defined at rest.
    pub fn assemble(
        mesh: MeshData,
        recipe: Recipe,
        body: &Body,
        basis: Basis,
        force: ForceData,
        facts: Facts,
    ) -> Result<Self, ReduceError> {
        assert_eq!(basis.size(), body.size(), "a basis of this body");
        let (size, rank) = (basis.size(), basis.rank());
        let columns: Vec<f64> = (0..rank).flat_map(|k| basis.column(k)).collect();
        let mass = project_mass(body.mass(), &columns);
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K)
            .map_err(|bad| ReduceError::Request(format!("the body has no stiffness at rest: {bad}")))?;
        let mut stiffness = project_matrix(&K, &columns);
        still::clean(&mut stiffness, &mass, body, &basis);
        let masses = body.vertex_masses();
        let gravity = std::array::from_fn(|d| {
            let mut along = vec![0.0; size];
            masses.iter().enumerate().for_each(|(v, m)| along[3 * v + d] = *m);
            let mut on = vec![0.0; rank];
            basis.project(&along, &mut on);
            on
        });
        Ok(Self { mesh, recipe, basis, mass, stiffness, gravity, force, facts })
    }

    /// The full body that was reduced.
    ///
    /// # Errors
    /// As [`Recipe::build`]; a model that was built or checked has a body.
    pub fn body(&self) -> Result<Body, ReduceError> {
        Ok(self.recipe.build(self.mesh.clone())?)
    }

    /// How many of the 3n numbers the recipe holds.
    pub fn held(&self) -> usize {
        shape::held(&self.recipe.fixed, self.mesh.vertices.len()).iter().filter(|&&h| h == 1).count()
    }

    /// √λ / 2π of the linear modes that the basis started from, Hz: those of the full body.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.facts.frequencies_hz()
    }

    /// Names of the materials, each once, in the order of the regions.
    pub fn materials(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for matter in self.recipe.resolve(&self.mesh).map_or(Vec::new(), |r| r.matter) {
            if !names.contains(&matter.material) {
                names.push(matter.material);
            }
        }
        names
    }

    /// Something that evaluates the force; several may live at once and share the model's numbers.
    ///
    /// # Errors
    /// As [`Model::body`].
    pub fn evaluator(&self) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(match &self.force {
            ForceData::Projected => Box::new(Projected::new(Arc::new(self.body()?), self.basis.clone())),
            ForceData::Linear => Box::new(Linear::new(self.stiffness.clone())),
            ForceData::Cubic(polynomial) => Box::new(Cubic::new(polynomial)),
            ForceData::Cubature(cubature) => {
                let energy = self.recipe.energy(self.mesh.clone())?;
                let force = CubatureForce::new(energy.as_ref(), cubature, &self.basis);
                Box::new(force.with_rest(&self.mesh.vertices))
            }
            ForceData::Ghost(ghost) => Box::new(ghost.force(&self.recipe, &self.mesh)?),
        })
    }
}
