//! Everything that is done ahead of time: a mesh in, a model out.

use pliant_energy::{Body, Recipe};
use pliant_linalg::Watch;
use pliant_mesh::MeshData;

use crate::force::{self, Settings, Trainer};
use crate::model::{Facts, Model};
use crate::{ReduceError, Request, basis};

/// What to make of a body. `None` means: what fits the body.
///
/// ```
/// use pliant_reduce::Precompute;
/// use pliant_energy::Recipe;
/// use pliant_linalg::{Vec3, ignore_progress};
/// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let fixed = pliant_mesh::select::select(&bar, "x<5%").expect("a slab");
/// let recipe = Recipe { material: Some("stvk".into()), fixed: vec![fixed], ..Recipe::default() };
/// let precompute = Precompute { modes: Some(5), rank: Some(12), ..Precompute::default() };
/// let made = precompute.build(bar, recipe, &mut ignore_progress)?;
/// assert_eq!((made.model.basis.rank(), made.model.force.name()), (12, "cubic"));
/// # Ok::<(), pliant_reduce::ReduceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Precompute {
    /// A name of [`basis::ALL`].
    pub basis: String,
    /// Linear modes to start from, rigid ones not counted; default 20, or what there is.
    pub modes: Option<usize>,
    /// Coordinates; default: what the basis takes by itself.
    pub rank: Option<usize>,
    /// A name of [`force::ALL`]; default: `cubic` for St. Venant-Kirchhoff up to [`MOST_CUBIC`] coordinates, else
    /// `cubature`.
    pub forces: Option<String>,
    /// Cubature points; default three a coordinate, or all components.
    pub points: Option<usize>,
    /// Training poses of a cubature; as many fresh ones validate it.
    pub poses: usize,
    /// The mean over training poses of the largest displacement, as a part of the longest side of the bounding box.
    pub pose_scale: f64,
    /// The validation error that the cubature must reach, such as 0.03: points are added until it does.
    pub accuracy: Option<f64>,
    /// The name of a [`Trainer`] of cubatures; default `nn-htp`.
    pub trainer: Option<String>,
    /// Where random choices start.
    pub seed: u64,
}

/// Up to this rank the exact polynomial is taken by default: its cost grows with r⁴, that of a cubature with r³.
pub const MOST_CUBIC: usize = 60;

/// Linear modes by default.
const MODES: usize = 20;

impl Default for Precompute {
    fn default() -> Self {
        let Settings { poses, pose_scale, .. } = Settings::default();
        Self {
            basis: "derivatives".into(),
            modes: None,
            rank: None,
            forces: None,
            points: None,
            poses,
            pose_scale,
            accuracy: None,
            trainer: None,
            seed: 0,
        }
    }
}

/// A model, and what a user should know about how it came to be.
#[derive(Clone, Debug)]
pub struct Made {
    /// The model.
    pub model: Model,
    /// Sentences.
    pub warnings: Vec<String>,
    /// Whether the accuracy asked for was reached; true where none was.
    pub accurate: bool,
}

impl Precompute {
    /// Makes the body and reduces it.
    ///
    /// # Errors
    /// A body that cannot be made, names that are not there, more than the body can give, or the watch asked to stop.
    pub fn build(&self, mesh: MeshData, recipe: Recipe, watch: &mut Watch<'_>) -> Result<Made, ReduceError> {
        let body = recipe.build(mesh.clone())?;
        self.reduce(mesh, recipe, &body, watch)
    }

    /// Reduces the body that `recipe` makes of `mesh`.
    ///
    /// # Errors
    /// As [`Precompute::build`].
    pub fn reduce(
        &self,
        mesh: MeshData,
        recipe: Recipe,
        body: &Body,
        watch: &mut Watch<'_>,
    ) -> Result<Made, ReduceError> {
        let entry = basis::find(&self.basis)
            .ok_or_else(|| unknown("basis", &self.basis, basis::ALL.iter().map(|e| e.name)))?;
        let trainer = self.trainer.as_deref().map_or(Ok(Trainer::default()), |name| {
            Trainer::find(name).ok_or_else(|| unknown("trainer", name, Trainer::ALL.iter().map(|t| t.name())))
        })?;
        let settings = Settings {
            points: self.points,
            poses: self.poses,
            pose_scale: self.pose_scale,
            accuracy: self.accuracy,
            seed: self.seed,
            trainer,
        };
        // Refused before the modes are computed, which may take minutes.
        let forces = self.forces.as_deref().map(find_force).transpose()?;
        if let Some(forces) = forces {
            (forces.check)(body, &settings)?;
        }
        if let Some(accuracy) = self.accuracy
            && !(accuracy.is_finite() && accuracy > 0.0)
        {
            return Err(ReduceError::Request(format!("the accuracy is {accuracy}; expected a number > 0")));
        }
        let there = body.dofs().free().len() - body.rigid_count();
        let request = Request { modes: self.modes.unwrap_or(MODES.min(there)), rank: self.rank };
        let built = (entry.make)(body, &request, watch)?;
        let mut warnings = built.warnings;

        let rank = built.basis.rank();
        let stvk = force::cubic::check(body).is_ok();
        let forces = match forces {
            Some(forces) => forces,
            None if stvk && rank <= MOST_CUBIC => find_force("cubic")?,
            None => {
                if stvk {
                    warnings.push(format!(
                        "with {rank} coordinates the exact polynomial would be slow, so the force is a cubature; \
                         `--forces cubic` asks for the polynomial"
                    ));
                }
                find_force("cubature")?
            }
        };
        let prepared = (forces.prepare)(body, &built.basis, &settings, watch)?;
        warnings.extend(prepared.warnings);
        let reached = prepared.training.as_ref().map(|t| t.validation_error);
        let accurate = match (self.accuracy, reached) {
            (Some(asked), Some(reached)) => reached <= asked,
            _ => true,
        };
        let facts = Facts {
            basis: entry.name.into(),
            eigenvalues: built.eigenvalues,
            affine: built.affine,
            singular_values: built.singular_values,
            dropped: built.dropped,
            seed: self.seed,
            training: prepared.training,
        };
        let model = Model::assemble(mesh, recipe, body, built.basis, prepared.data, facts)?;
        Ok(Made { model, warnings, accurate })
    }
}

fn find_force(name: &str) -> Result<&'static force::Entry, ReduceError> {
    force::find(name).ok_or_else(|| unknown("force", name, force::ALL.iter().map(|e| e.name)))
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> ReduceError {
    let known: Vec<&str> = known.collect();
    ReduceError::Request(format!("there is no {what} {name:?}; there are: {}", known.join(", ")))
}
