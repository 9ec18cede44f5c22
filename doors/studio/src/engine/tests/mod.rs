//! The engine behind a hub, without sockets, and without a thread.

mod alone;
mod bodies;
mod edit;
mod hooks;
mod saved;
mod seen;
mod threaded;

use std::sync::OnceLock;

use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{select, shapes};
use pliant::reduce::{Model, Precompute};

/// A bar that is held at one end, reduced in a moment.
fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
        let recipe = Recipe { young: Some(2e6), fixed, ..Recipe::default() };
        let precompute =
            Precompute { modes: Some(5), rank: Some(12), poses: Some(30), ..Precompute::default() };
        precompute.build(bar, recipe, &mut ignore_progress).expect("a model").model
    })
}

/// Where the shown vertices of the bar rest.
fn rest() -> &'static [Vec3] {
    &model().surface().rest
}

/// The shown vertex in the middle of the free end, and where it rests.
fn tip() -> (u32, Vec3) {
    let far = |v: &usize| (rest()[*v] - Vec3::new(1.0, 0.1, 0.1)).norm();
    let v = (0..rest().len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("a surface");
    (v as u32, rest()[v])
}
