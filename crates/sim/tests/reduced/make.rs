//! Small bodies and their models.
#![expect(unreachable_pub, reason = "two test programs share this file")]

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_reduce::force::StoredForce;
use pliant_reduce::model::Facts;
use pliant_reduce::{Basis, Model, force, linear_modes};

/// A bar of 0.4 m along x.
pub fn bar(cells: [usize; 3]) -> MeshData {
    shapes::bar(Vec3::new(0.4, 0.1, 0.1), cells).into_data()
}

pub fn recipe(mesh: &MeshData, material: &str, fix: Option<&str>) -> Recipe {
    let fixed = fix.iter().map(|spec| select::select(mesh, spec).expect("a selection")).collect();
    Recipe { material: Some(material.into()), young: Some(1e5), fixed, ..Recipe::default() }
}

/// A model of any basis, its matrices by projection.
pub fn model(mesh: MeshData, recipe: Recipe, basis: Basis, force: Arc<dyn StoredForce>) -> Arc<Model> {
    let body = recipe.build(mesh.clone()).expect("a sound body");
    Model::assemble(mesh, recipe, &body, basis, force, Facts::default()).expect("defined at rest").into()
}

/// U = I on the free degrees of freedom.
pub fn identity(body: &Body) -> Basis {
    let free = body.dofs().free();
    let mut columns = vec![0.0; body.size() * free.len()];
    free.iter().enumerate().for_each(|(k, &i)| columns[k * body.size() + i as usize] = 1.0);
    Basis::from_columns(&columns, body.size())
}

/// Linear modes, after the rigid ones where there are such.
pub fn modes(body: &Body, count: usize) -> Basis {
    let found = linear_modes(body, count, &mut ignore_progress).expect("enough modes");
    let mut columns: Vec<f64> = found.rigid.concat();
    columns.extend(&found.modes.shapes);
    Basis::from_columns(&columns, body.size())
}

/// A held bar in its lowest modes.
pub fn held(force: Arc<dyn StoredForce>, count: usize) -> Arc<Model> {
    let mesh = bar([4, 1, 1]);
    let recipe = recipe(&mesh, "stvk", Some("x<0%"));
    let basis = modes(&recipe.build(mesh.clone()).expect("a sound body"), count);
    model(mesh, recipe, basis, force)
}

/// The same with forces that have to be made: a name of [`force::ALL`].
pub fn held_with(force: &str, material: &str, count: usize) -> Arc<Model> {
    let mesh = bar([4, 1, 1]);
    let recipe = recipe(&mesh, material, Some("x<0%"));
    let body = recipe.build(mesh.clone()).expect("a sound body");
    let basis = modes(&body, count);
    let settings = force::Settings { poses: 40, ..force::Settings::default() };
    let prepare = force::find(force).expect("in the table").prepare;
    let of = force::Source { mesh: &mesh, recipe: &recipe, body: &body };
    let data = prepare(of, &basis, &settings, &mut ignore_progress).expect("a force").force;
    model(mesh, recipe, basis, data)
}

/// The linear force.
pub fn linear() -> Arc<dyn StoredForce> {
    Arc::new(force::StoredLinear)
}

/// The projected force.
pub fn projected() -> Arc<dyn StoredForce> {
    Arc::new(force::StoredProjected)
}

/// All components, each counted once: the exact force.
pub fn everything(body: &Body) -> Arc<dyn StoredForce> {
    let count = body.components().count();
    let (components, weights) = ((0..count as u32).collect(), vec![1.0; count]);
    Arc::new(force::Cubature::new(components, weights))
}

/// The exact polynomial.
pub fn polynomial(body: &Body, basis: &Basis) -> Arc<dyn StoredForce> {
    Arc::new(force::Polynomial::new(body, basis, &mut ignore_progress).expect("of stvk"))
}

/// The DenseSymmetric of one number, for models that are wrong on purpose.
pub fn diagonal(r: usize, x: f64) -> DenseSymmetric {
    DenseSymmetric::from_upper(r, |i, j| if i == j { x } else { 0.0 })
}
