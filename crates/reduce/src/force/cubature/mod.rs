//! Cubature: a few components of the energy, weighted so that they stand for all.
//!
//! ```text
//! W̃(q) = Σ_i w_i W_i(Uq),   w ≥ 0                                        (T14 eq. 3.6)
//! ```
//! The sum runs over some tens or hundreds of components whatever the size of the mesh, so that a step costs the same on
//! any mesh. [`train`] chooses components and weights from random poses; [`CubatureForce`] evaluates.
//!
//! W̃ is an energy, so that its force and stiffness are its derivatives, and its stiffness is positive definite where
//! those of its components are: weights are not negative. What it is not: exact. For St. Venant-Kirchhoff bodies in few
//! coordinates `cubic` is.
//!
//! Sources: AKJ08 and TSSH13 in docs/papers.md.

mod evaluate;
mod forces;
mod greedy;
mod nn_htp;
mod poses;
mod prepare;
mod rest;
mod samples;
mod statics;
mod stored;
#[cfg(test)]
mod tests;
mod train;
pub mod trainer;

pub use evaluate::CubatureForce;
pub(crate) use evaluate::differences;
pub(crate) use forces::{expand, project};
pub(crate) use poses::{Law, Spectrum, mean_reach};
pub use samples::{Samples, Summands};
pub use train::{MOST_BYTES, Rows, Trained, Training, TrainingSet, most_points, train};
pub use trainer::Trainer;

use std::sync::Arc;

use pliant_energy::{Body, Energy};

use super::{Entry, setting};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "cubature",
    about: "a few weighted components, trained: every material, any number of coordinates",
    takes: &[setting::POINTS, setting::POSES, setting::POSE_SCALE, setting::TRAINER],
    suits: |_| Some(usize::MAX),
    check: |body, _, settings| prepare::check(body, settings),
    prepare: |of, basis, settings, watch| prepare::prepare(of.body, basis, settings, watch),
    read: stored::read,
};

/// What a cubature chooses from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pieces {
    /// The components of the energy: tets; of a surface hinges, edges and triangles.
    #[default]
    Components,
    /// Edges of a surface, each with all that is at it: [`Energy::flaps`].
    Flaps,
}

impl Pieces {
    /// The energy of `body` as a sum of these.
    ///
    /// # Panics
    /// Where it has no such pieces.
    pub fn in_body(self, body: &Body) -> &dyn Energy {
        match self {
            Self::Components => body.components(),
            Self::Flaps => body.flaps().expect("a surface has flaps"),
        }
    }
}

/// Which components, and how much each counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubature {
    /// Ascending, without repetition.
    pub components: Vec<u32>,
    /// > 0, one for each.
    pub weights: Vec<f64>,
    /// Of which pieces of the energy.
    pub pieces: Pieces,
    /// R, r×r by rows, where components see R q in place of q: see `rest.rs`.
    pub correction: Option<Arc<[f64]>>,
}

impl Cubature {
    /// Components of the energy in ascending order and their weights, as they are.
    pub fn new(components: Vec<u32>, weights: Vec<f64>) -> Self {
        Self { components, weights, pieces: Pieces::Components, correction: None }
    }
}
