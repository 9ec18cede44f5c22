//! A reduced force as a model keeps it: its numbers, and all that a model file, a smaller or a stiffer model ask of them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use pliant_energy::{Energy, Recipe};
use pliant_linalg::DenseSymmetric;
use pliant_mesh::MeshData;

use super::ReducedForce;
use crate::container::{TensorReader, TensorWriter};
use crate::{Basis, ReduceError};

/// What a force belongs to: the other parts of its model.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The mesh that was reduced.
    pub mesh: &'a MeshData,
    /// What the body is made of.
    pub recipe: &'a Recipe,
    /// U.
    pub basis: &'a Basis,
    /// UᵀK(0)U.
    pub stiffness: &'a DenseSymmetric,
    /// What `recipe` makes of `mesh`.
    pub energy: &'a dyn Energy,
}

/// What a force is read from.
pub struct Stored<'a> {
    /// The tensors of the model file.
    pub tensors: &'a TensorReader<'a>,
    /// The kind of the elements of the mesh, such as `tets`.
    pub kind: &'a str,
    /// r.
    pub rank: usize,
}

/// The numbers of a reduced force.
///
/// Tensors of a force are called `<name of the force>.<word>`, so that they meet no others of the file.
pub trait StoredForce: Any + fmt::Debug + Send + Sync {
    /// Its name in [`super::ALL`].
    fn name(&self) -> &'static str;

    /// Whether its numbers fit the rest of the model.
    ///
    /// # Errors
    /// A sentence: what was found, what was expected.
    fn check(&self, of: &Context<'_>) -> Result<(), String>;

    /// Its tensors.
    fn write<'a>(&'a self, _out: &mut TensorWriter<'a>) {}

    /// The force in the first `rank` coordinates alone; `None` where its numbers stay as they are.
    fn truncated(&self, _rank: usize) -> Option<Arc<dyn StoredForce>> {
        None
    }

    /// The force of a body whose recipe has `stiffness` times the stiffness; `None` where its numbers stay as they are, since
    /// the recipe says it.
    fn rescaled(&self, _stiffness: f64) -> Option<Arc<dyn StoredForce>> {
        None
    }

    /// Something that evaluates it.
    ///
    /// # Errors
    /// A body that cannot be made.
    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError>;

    /// Whether it is K̃(0) q, so that the body is a set of oscillators.
    fn is_linear(&self) -> bool {
        false
    }

    /// How large it is, by the names that reports use, such as `cubature_points`.
    fn sizes(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// The first format of model files that can say this.
    fn format(&self) -> u64 {
        1
    }
}

impl dyn StoredForce {
    /// The numbers themselves, where they are of the type T.
    pub fn downcast_ref<T: StoredForce>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// The size that reports call `name`; `None` where this force has none.
    pub fn size(&self, name: &str) -> Option<usize> {
        self.sizes().iter().find(|(key, _)| *key == name).map(|(_, size)| *size)
    }
}
