//! A reduced model: all that a body needs to move in few coordinates, and what was measured when it was made.
//!
//! [`Model::write`] and [`Model::read`] are its file, `.pliant`: docs/model-format.md says what is in it. A model that was
//! read keeps its basis in the file, which is mapped into memory, not copied.
//!
//! ```
//! # use pliant_energy::Recipe;
//! # use std::sync::Arc;
//! # use pliant_reduce::{Model, Request, basis, force::StoredLinear, model::Facts};
//! let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
//! let fixed = vec![pliant_mesh::select::select(&bar, "x<5%")?];
//! let recipe = Recipe { fixed, ..Recipe::default() };
//! let body = recipe.build(bar.clone())?;
//! let modes = basis::find("modes").unwrap();
//! let built = (modes.make)(&body, &Request::of_modes(5), &mut pliant_linalg::ignore_progress)?;
//! let facts = Facts { basis: modes.name.into(), eigenvalues: built.eigenvalues, ..Facts::default() };
//! let model = Model::assemble(bar, recipe, &body, built.basis, Arc::new(StoredLinear), facts)?;
//! # let folder = std::env::temp_dir().join(format!("pliant-model-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("bar.pliant");
//! model.write(&path)?;
//! assert_eq!(Model::read(&path)?.basis().rows(), model.basis().rows());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod caution;
mod check;
mod description;
mod file;
mod outlook;
mod remade;
mod section;
mod shape;
mod shown;
mod source;
mod still;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use pliant_energy::{Body, Energy, Recipe, Resolved, Tangent};
use pliant_linalg::{DenseSymmetric, modes::hertz};
use pliant_mesh::MeshData;

use crate::force::projected::{project_mass, project_matrix};
use crate::force::{Context, Cubature, ReducedForce, StoredForce, TrainingFacts};
use crate::pull::{PullError, pull_error};
use crate::{Basis, ReduceError, SurfaceBasis};

pub use crate::container::seal;
pub use section::{Section, SectionTensor};
pub use shown::ShownModes;

/// A reduced model. Its parts fit each other: that was checked when it was made, and nothing behind it checks again.
#[derive(Clone)]
pub struct Model {
    parts: ModelParts,
    /// What the recipe comes to.
    resolved: Resolved,
    /// By vertex: which of x, y, z are held.
    held: Vec<[bool; 3]>,
    total_mass: f64,
    longest_side: f64,
    /// What evaluates the force; others are duplicates of it.
    evaluator: Arc<dyn ReducedForce>,
    bytes: OnceLock<usize>,
    /// U at the shown surface.
    surface: OnceLock<Arc<SurfaceBasis>>,
}

/// The parts of a model, before it is checked whether they fit each other.
#[derive(Clone, Debug)]
pub struct ModelParts {
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
    pub force: Arc<dyn StoredForce>,
    /// How it was made and how good it is.
    pub facts: Facts,
    /// What apps keep in it, by name.
    pub sections: BTreeMap<String, Section>,
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
    /// How far a standard pull is off in its coordinates; `None` where that was not measured, and of a model that was cut to fewer
    /// coordinates since.
    pub pull: Option<PullError>,
}

impl Facts {
    /// √λ / 2π of the linear modes, Hz; zero for a λ that rounding made negative.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|&eigenvalue| hertz(eigenvalue)).collect()
    }
}

impl ModelParts {
    fn context<'a>(&'a self, energy: &'a dyn Energy) -> Context<'a> {
        let Self { mesh, recipe, basis, stiffness, .. } = self;
        Context { mesh, recipe, basis, stiffness, energy }
    }
}

impl Model {
    /// The newest format of model files that is read and written.
    pub const NEWEST_FORMAT: u64 = description::VERSION;

    /// Checks parts, and makes a model of them.
    ///
    /// # Errors
    /// [`ReduceError::Unfit`] when the parts do not fit each other.
    pub fn new(parts: ModelParts) -> Result<Self, ReduceError> {
        // That there is an energy is known only when it was made; it also says what a component is.
        check::check_mesh(&parts).map_err(ReduceError::Unfit)?;
        let energy = parts.recipe.energy(parts.mesh.clone())?;
        Self::with_energy(parts, energy.as_ref())
    }

    /// As [`Model::new`], with the energy that the recipe makes of the mesh.
    fn with_energy(parts: ModelParts, energy: &dyn Energy) -> Result<Self, ReduceError> {
        check::check(&parts).map_err(ReduceError::Unfit)?;
        let context = parts.context(energy);
        parts.force.check(&context).map_err(ReduceError::Unfit)?;
        let evaluator = parts.force.evaluator(&context)?.into();
        Self::with_evaluator(parts, evaluator)
    }

    /// Of parts that were checked.
    fn with_evaluator(parts: ModelParts, evaluator: Arc<dyn ReducedForce>) -> Result<Self, ReduceError> {
        let resolved = parts.recipe.resolve(&parts.mesh)?;
        let [low, high] = parts.mesh.bounds();
        Ok(Self {
            held: shape::held(&parts.recipe.fixed, parts.mesh.vertices.len()),
            total_mass: resolved.total_mass(&parts.mesh),
            longest_side: (high - low).max(),
            resolved,
            evaluator,
            bytes: OnceLock::new(),
            surface: OnceLock::new(),
            parts,
        })
    }

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
        force: Arc<dyn StoredForce>,
        facts: Facts,
    ) -> Result<Self, ReduceError> {
        assert_eq!(basis.size(), body.size(), "a basis of this body");
        let (size, rank) = (basis.size(), basis.rank());
        let columns: Vec<f64> = (0..rank).flat_map(|k| basis.column(k)).collect();
        let mass = project_mass(body.mass(), &columns);
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K)
            .map_err(|bad| ReduceError::request(format!("the body has no stiffness at rest: {bad}")))?;
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
        let sections = BTreeMap::new();
        let parts = ModelParts { mesh, recipe, basis, mass, stiffness, gravity, force, facts, sections };
        Self::with_energy(parts, body.components())
    }

    /// The same, knowing how far a standard pull of `body`, which it is a model of, is off in its coordinates.
    #[must_use]
    pub(crate) fn with_pull_error(mut self, body: &Body) -> Self {
        let (mass, stiffness) = (self.reduced_mass(), self.reduced_stiffness());
        // Of a basis that is made of no modes the softest vibration in its coordinates, the first that is no rigid motion.
        let own = || {
            let (values, _) = stiffness.generalised_eigen(mass)?;
            let largest = values.last().copied()?;
            values.into_iter().find(|value| *value > still::ROUNDING * largest)
        };
        let lowest = self.lowest_eigenvalue().or_else(own);
        let found = pull_error(body, self.basis(), [mass, stiffness], lowest);
        self.parts.facts.pull = found;
        self
    }

    /// The mesh that was reduced, at rest, with its regions, materials and embedded surface.
    pub fn mesh(&self) -> &MeshData {
        &self.parts.mesh
    }

    /// What the body is made of and what is held.
    pub fn recipe(&self) -> &Recipe {
        &self.parts.recipe
    }

    /// What the recipe comes to: laws and constants after every default.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// U.
    pub fn basis(&self) -> &Basis {
        &self.parts.basis
    }

    /// r: how many coordinates.
    pub fn rank(&self) -> usize {
        self.parts.basis.rank()
    }

    /// UᵀMU: the identity, unless the basis came from elsewhere or the density was changed afterwards.
    pub fn reduced_mass(&self) -> &DenseSymmetric {
        &self.parts.mass
    }

    /// UᵀK(0)U.
    pub fn reduced_stiffness(&self) -> &DenseSymmetric {
        &self.parts.stiffness
    }

    /// What an acceleration of 1 m/s² along x, y and z puts on each coordinate: Σ_v m_v U_(3v+d).
    pub fn gravity(&self) -> &[Vec<f64>; 3] {
        &self.parts.gravity
    }

    /// The elastic force, as numbers.
    pub fn force(&self) -> &Arc<dyn StoredForce> {
        &self.parts.force
    }

    /// The points of its cubature; `None` for other forces.
    pub fn cubature(&self) -> Option<&Cubature> {
        self.force().downcast_ref()
    }

    /// How it was made and how good it is.
    pub fn facts(&self) -> &Facts {
        &self.parts.facts
    }

    /// The parts, to make another model of.
    pub fn into_parts(self) -> ModelParts {
        self.parts
    }

    /// The mass of the whole body, kg, held vertices included.
    pub fn total_mass(&self) -> f64 {
        self.total_mass
    }

    /// The longest side of the box around the body at rest, m.
    pub fn longest_side(&self) -> f64 {
        self.longest_side
    }

    /// By vertex: which of x, y and z are held.
    pub fn held_components(&self) -> &[[bool; 3]] {
        &self.held
    }

    /// How many of the 3n degrees of freedom are held.
    pub fn held(&self) -> usize {
        self.held.as_flattened().iter().filter(|held| **held).count()
    }

    /// How many bytes its file has.
    pub fn size_in_bytes(&self) -> usize {
        *self.bytes.get_or_init(|| self.file_length())
    }

    /// The full body that was reduced.
    ///
    /// # Errors
    /// As [`Recipe::build`]; a model that was checked has a body.
    pub fn body(&self) -> Result<Body, ReduceError> {
        Ok(self.recipe().build(self.mesh().clone())?)
    }

    /// √λ / 2π of the linear modes that the basis started from, Hz: those of the full body.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.facts().frequencies_hz()
    }

    /// The lowest λ of those that is not of a rigid motion, 1/s².
    pub fn lowest_eigenvalue(&self) -> Option<f64> {
        self.facts().eigenvalues.iter().copied().find(|x| *x > 0.0)
    }

    /// Names of the materials, each once, in the order of the regions.
    pub fn materials(&self) -> Vec<&'static str> {
        self.resolved.materials()
    }

    /// Something that evaluates the force; several may live at once and share the model's numbers.
    pub fn evaluator(&self) -> Box<dyn ReducedForce> {
        self.evaluator.duplicate()
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Model");
        shown.field("vertices", &self.mesh().vertices.len()).field("rank", &self.rank());
        shown.field("force", &self.force().name()).finish_non_exhaustive()
    }
}
