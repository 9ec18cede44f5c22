//! The table of reduced forces, and what each needs to be made.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Named, Note, Table, Term, Watch};
use pliant_mesh::MeshData;

use super::stored::{Stored, StoredForce};
use super::{Trainer, TrainingFacts, cubature, cubic, ghost, linear, projected};
use crate::{Basis, ReduceError};

/// How a force is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Cubature points; default three a coordinate, or all components.
    pub points: Option<usize>,
    /// Training poses; as many fresh ones validate.
    pub poses: usize,
    /// The mean over poses of the largest displacement, as a part of the longest side of the bounding box.
    pub pose_scale: Option<f64>,
    /// Where random choices start.
    pub seed: u64,
    /// How components are chosen.
    pub trainer: Trainer,
    /// Vertices of a ghost; default [`ghost::usual_size`].
    pub ghost: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { points: None, poses: 500, pose_scale: None, seed: 0, trainer: Trainer::default(), ghost: None }
    }
}

/// The settings of [`Settings`] that only some forces take.
pub mod setting {
    use pliant_linalg::Term;

    /// How many components a cubature keeps.
    pub const POINTS: Term = Term::new("cubature", "number of cubature points");
    /// How many poses it is trained on.
    pub const POSES: Term = Term::new("training", "number of training poses");
    /// How far they go.
    pub const POSE_SCALE: Term = Term::new("pose_scale", "pose scale");
    /// How the components are chosen.
    pub const TRAINER: Term = Term::new("trainer", "trainer");
    /// How many vertices a ghost has.
    pub const GHOST: Term = Term::new("ghost", "number of ghost vertices");
}

/// What a force is made of: a body, and the mesh and the recipe that it was made from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The mesh.
    pub mesh: &'a MeshData,
    /// What the body is made of.
    pub recipe: &'a Recipe,
    /// What `recipe` makes of `mesh`.
    pub body: &'a Body,
}

/// A force that is ready for a model.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Its numbers.
    pub force: Arc<dyn StoredForce>,
    /// How it was trained, if it was.
    pub training: Option<TrainingFacts>,
    /// What a user should know.
    pub warnings: Vec<Note>,
}

impl<F: StoredForce> From<F> for Prepared {
    fn from(force: F) -> Self {
        Self { force: Arc::new(force), training: None, warnings: Vec::new() }
    }
}

/// A line of the table.
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// The settings that it takes and others do not.
    pub takes: &'static [Term],
    /// Up to how many coordinates it is what a body gets by default; `None`: never.
    pub suits: fn(&Body) -> Option<usize>,
    /// Whether a body can have it with these settings, and with so many coordinates where that is known; asked before
    /// anything is computed.
    pub check: fn(&Body, Option<usize>, &Settings) -> Result<(), ReduceError>,
    /// Makes it.
    pub prepare: fn(Source<'_>, &Basis, &Settings, &mut Watch<'_>) -> Result<Prepared, ReduceError>,
    /// Reads it from a model file; what is wrong with it as a sentence.
    pub read: fn(&Stored<'_>) -> Result<Arc<dyn StoredForce>, String>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every reduced force. A new one is a file in this folder and a line here; what suits a body is looked for in this order.
pub static ALL: Table<Entry> =
    Table::new("force", &[projected::ENTRY, linear::ENTRY, cubic::ENTRY, cubature::ENTRY, ghost::ENTRY]);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}
