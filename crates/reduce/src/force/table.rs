//! The table of reduced forces, and what each needs to be made.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Named, Table, Watch};
use pliant_mesh::MeshData;

use super::{Polynomial, Trainer, cubature, ghost};
use crate::model::{ForceData, TrainingFacts};
use crate::{Basis, ReduceError};

/// How a force is made that has to be trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Cubature points; default three a coordinate, or all components.
    pub points: Option<usize>,
    /// Training poses; as many fresh ones validate.
    pub poses: usize,
    /// The mean over poses of the largest displacement, as a part of the longest side of the bounding box.
    pub pose_scale: f64,
    /// Where random choices start.
    pub seed: u64,
    /// How components are chosen.
    pub trainer: Trainer,
    /// Vertices of a ghost; default [`ghost::usual_size`].
    pub ghost: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { points: None, poses: 500, pose_scale: 0.1, seed: 0, trainer: Trainer::default(), ghost: None }
    }
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
    pub data: ForceData,
    /// How it was trained, if it was.
    pub training: Option<TrainingFacts>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl From<ForceData> for Prepared {
    fn from(data: ForceData) -> Self {
        Self { data, training: None, warnings: Vec::new() }
    }
}

/// A line of the table.
pub struct Entry {
    /// The word behind `--forces`.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// Whether a body can have it with these settings; asked before anything is computed.
    pub check: fn(&Body, &Settings) -> Result<(), ReduceError>,
    /// Makes it.
    pub prepare: fn(Source<'_>, &Basis, &Settings, &mut Watch<'_>) -> Result<Prepared, ReduceError>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every reduced force. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> = Table::new(
    "reduced force",
    &[
        Entry {
            name: "projected",
            about: "exact, through the full mesh: the reference, and as slow as that",
            check: |_, _| Ok(()),
            prepare: |_, _, _, _| Ok(ForceData::Projected.into()),
        },
        Entry {
            name: "linear",
            about: "the stiffness at rest: oscillators, for small displacements",
            check: |_, _| Ok(()),
            prepare: |_, _, _, _| Ok(ForceData::Linear.into()),
        },
        Entry {
            name: "cubic",
            about: "the exact polynomial of St. Venant-Kirchhoff: up to about sixty coordinates",
            check: |body, _| super::cubic::check(body),
            prepare: |of, basis, _, watch| {
                Ok(ForceData::Cubic(Arc::new(Polynomial::new(of.body, basis, watch)?)).into())
            },
        },
        Entry {
            name: "cubature",
            about: "a few weighted components, trained: every material, any number of coordinates",
            check: cubature::check,
            prepare: |of, basis, settings, watch| cubature::prepare(of.body, basis, settings, watch),
        },
        Entry {
            name: "ghost",
            about: "a coarse stand-in of the body, untrained: every material, any pose",
            check: ghost::check,
            prepare: ghost::prepare,
        },
    ],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}
