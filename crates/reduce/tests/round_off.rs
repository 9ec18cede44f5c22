//! What a reduced force says of its own rounding is what rounding does.
#![expect(non_snake_case, reason = "K, M, U are the papers' letters")]

use std::sync::Arc;

use pliant_energy::{Body, Recipe, Tangent};
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_reduce::force::{Cubature, CubatureForce, Projected};
use pliant_reduce::{Basis, ReducedForce, linear_modes};

fn bar(fix: &[&str], material: &str) -> (MeshData, Body) {
    let mesh = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [4, 2, 2]).into_data();
    let fixed = fix.iter().map(|spec| select::select(&mesh, spec).expect("a selection")).collect();
    let recipe = Recipe { material: Some(material.into()), fixed, ..Recipe::default() };
    let body = recipe.build(mesh.clone()).expect("a body");
    (mesh, body)
}

fn modes(body: &Body, count: usize) -> Basis {
    let found = linear_modes(body, count, &mut ignore_progress).expect("enough modes");
    let mut columns: Vec<f64> = found.rigid.concat();
    columns.extend(&found.modes.shapes);
    Basis::from_columns(&columns, body.size())
}

/// ‖f̃(q) − K̃q‖ where q is so small that f̃ is linear but for rounding, beside what is told of it; the largest part of a few.
fn noise(force: &mut dyn ReducedForce) -> f64 {
    let r = force.rank();
    let mut K = DenseSymmetric::zeros(r);
    force.stiffness(&vec![0.0; r], Tangent::Exact, &mut K).expect("rest");
    let mut at = |turn: usize| {
        let q: Vec<f64> = (0..r).map(|k| 1e-20 * ((7 * k + 31 * turn) as f64).sin()).collect();
        let (mut f, mut linear) = (vec![0.0; r], vec![0.0; r]);
        force.force(&q, &mut f).expect("near rest");
        K.apply(&q, &mut linear);
        let is = f.iter().zip(&linear).map(|(f, l)| (f - l).powi(2)).sum::<f64>().sqrt();
        is / force.round_off(&q)
    };
    (0..8).map(&mut at).fold(0.0, f64::max)
}

#[test]
fn rounding_is_of_the_size_that_is_told() {
    for material in ["stvk", "stable-neo-hookean"] {
        let (_, body) = bar(&["x<0%"], material);
        let basis = modes(&body, 8);
        let count = body.components().count() as u32;
        let few = Cubature::new((0..count).step_by(9).collect(), vec![9.0; count.div_ceil(9) as usize]);
        let all = Cubature::new((0..count).collect(), vec![1.0; count as usize]);
        let cubature = |c: &Cubature| CubatureForce::new(body.components(), c, &basis).with_rounding();
        let (_, own) = bar(&["x<0%"], material);
        let forces: [(&str, Box<dyn ReducedForce>); 3] = [
            ("few components", Box::new(cubature(&few))),
            ("all components", Box::new(cubature(&all))),
            ("projected", Box::new(Projected::new(Arc::new(own), basis.clone()))),
        ];
        for (what, mut force) in forces {
            assert_eq!(force.round_off(&[0.0; 8]), 0.0, "{material}, {what}: at rest nothing is rounded");
            // All entries at their worst are what is told; they are not.
            let part = noise(force.as_mut());
            assert!((1e-3..1.0).contains(&part), "{material}, {what}: {part} of what is told");
        }
    }
}

#[test]
fn a_component_counts_by_its_weight_and_others_do_not_count() {
    let (_, body) = bar(&["x<0%"], "stvk");
    let basis = modes(&body, 5);
    let of = |components: &[u32], weight: f64| {
        let cubature = Cubature::new(components.to_vec(), vec![weight; components.len()]);
        CubatureForce::new(body.components(), &cubature, &basis)
            .with_rounding()
            .round_off(&[0.0, -1.0, 0.0, 0.0, 0.0])
    };
    let (a, b, both) = (of(&[3], 1.0), of(&[40], 1.0), of(&[3, 40], 2.0));
    assert!(a > 0.0 && b > 0.0 && (both / (2.0 * a.hypot(b)) - 1.0).abs() < 1e-12, "{a:e}, {b:e}, {both:e}");
}

#[test]
fn a_body_that_has_travelled_far_has_fewer_digits() {
    let (_, body) = bar(&[], "stvk");
    let basis = modes(&body, 2);
    // All vertices by 1 m along x, as coordinates of an orthonormal basis.
    let (mut Mu, mut q) = (vec![0.0; body.size()], vec![0.0; basis.rank()]);
    body.mass().apply_per_axis(&[1.0, 0.0, 0.0].repeat(body.size() / 3), &mut Mu);
    basis.project(&Mu, &mut q);
    let mut force = Projected::new(Arc::new(body), basis);
    let mut at = |x: f64| force.round_off(&q.iter().map(|q| q * x).collect::<Vec<f64>>());
    let (rest, near, far) = (at(1e-3), at(1e3), at(1e6));
    assert!(
        (near / rest / 1e6 - 1.0).abs() < 0.01 && (far / near / 1000.0 - 1.0).abs() < 0.01,
        "{rest:e}, {near:e}, {far:e}"
    );
}
