//! The table of reduced forces, and what each needs to be made.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::Watch;

use super::{Polynomial, Trainer, cubature};
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
}

impl Default for Settings {
    fn default() -> Self {
        Self { points: None, poses: 500, pose_scale: 0.1, seed: 0, trainer: Trainer::default() }
    }
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
    pub prepare: fn(&Body, &Basis, &Settings, &mut Watch<'_>) -> Result<Prepared, ReduceError>,
}

/// Every reduced force. A new one is a file in this folder and a line here.
pub static ALL: &[Entry] = &[
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
        prepare: |body, basis, _, watch| {
            Ok(ForceData::Cubic(Arc::new(Polynomial::new(body, basis, watch)?)).into())
        },
    },
    Entry {
        name: "cubature",
        about: "a few weighted components, trained: every material, any number of coordinates",
        check: cubature::check,
        prepare: cubature::prepare,
    },
];

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
