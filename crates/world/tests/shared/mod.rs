//! What the tests of this crate share.

use std::sync::Arc;

use pliant_energy::Recipe;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{embed, select, shapes};
use pliant_reduce::{Model, Precompute};

/// A bar of one metre that is held at one end, with a finer surface tied to it, reduced in a moment.
pub(crate) fn bar() -> Arc<Model> {
    let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]);
    let fine = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [10, 3, 3]).boundary();
    let mesh = embed::attach(bar, &fine).expect("tied").0.into_data();
    let fixed = vec![select::select(&mesh, "x<5%").expect("one end")];
    let recipe = Recipe { young: Some(2e6), fixed, ..Recipe::default() };
    let precompute = Precompute { modes: Some(5), rank: Some(12), poses: Some(30), ..Precompute::default() };
    Arc::new(precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model)
}

/// The shown vertex that is nearest to a place at rest.
pub(crate) fn nearest(model: &Model, place: Vec3) -> u32 {
    let rest = &model.surface().rest;
    let far = |v: &usize| (rest[*v] - place).norm();
    (0..rest.len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("a surface") as u32
}
