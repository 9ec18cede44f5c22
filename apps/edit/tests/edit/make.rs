//! Bodies and models for the tests.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_reduce::force::StoredProjected;
use pliant_reduce::{Basis, Model, Precompute, model::Facts};

/// A mesh, what it is made of, and the body.
pub(crate) struct Made {
    pub(crate) mesh: MeshData,
    pub(crate) recipe: Recipe,
    pub(crate) body: Arc<Body>,
}

impl Made {
    pub(crate) fn new(mesh: MeshData, recipe: Recipe) -> Self {
        let body = Arc::new(recipe.build(mesh.clone()).expect("a body"));
        Self { mesh, recipe, body }
    }

    pub(crate) fn select(&self, words: &str) -> Vec<u32> {
        select::select(&self.mesh, words).expect("a selection").vertices
    }

    pub(crate) fn model(&self, precompute: &Precompute) -> Arc<Model> {
        let made =
            precompute.reduce(self.mesh.clone(), self.recipe.clone(), &self.body, &mut ignore_progress);
        Arc::new(made.expect("a model").model)
    }

    /// A model whose coordinates are the displacements of all vertices.
    pub(crate) fn whole(&self) -> Arc<Model> {
        let n = self.body.size();
        let identity: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let basis = Basis::from_columns(&identity, n);
        let (mesh, recipe) = (self.mesh.clone(), self.recipe.clone());
        let facts = Facts { basis: "derivatives".into(), ..Facts::default() };
        let model = Model::assemble(mesh, recipe, &self.body, basis, Arc::new(StoredProjected), facts);
        Arc::new(model.expect("a model"))
    }

    pub(crate) fn largest(&self) -> f64 {
        let [low, high] = self.mesh.bounds();
        (high - low).max()
    }
}

/// The skin of a bar of 1 m by 0.2 m by 0.2 m as a shell, as thin as one of 10 m is with stiffnesses of 1.
pub(crate) fn shell(cells: [usize; 3]) -> Made {
    let mesh = shapes::bar(Vec3::new(1.0, 0.2, 0.2), cells).boundary().into_data();
    Made::new(mesh, Recipe { bend: Some(0.01), ..Recipe::default() })
}

/// The bar itself, of rubber.
pub(crate) fn solid(cells: [usize; 3]) -> Made {
    Made::new(shapes::bar(Vec3::new(1.0, 0.2, 0.2), cells).into_data(), Recipe::default())
}

pub(crate) fn small(forces: &str) -> Precompute {
    Precompute { modes: Some(8), rank: Some(36), forces: Some(forces.into()), ..Precompute::default() }
}

pub(crate) fn displacement(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; model.basis().size()];
    model.basis().expand(q, &mut u);
    u
}

pub(crate) fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}
