//! What a cubature must be: its parts exact, its training honest.

use std::sync::Arc;

use pliant_energy::{Body, Inadmissible, Recipe, Tangent, material};
use pliant_linalg::{DenseSymmetric, Random, Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_testkit::derivative::assert_derivative;
use pliant_testkit::numbers::noise;

use super::*;
use crate::force::{Linear, Projected, ReducedForce};
use crate::{Basis, ReduceError, linear_modes};

mod rest;
mod training;

fn bar() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.3, 0.25), [8, 3, 2]).into_data()
}

/// A curved sheet: hinges, edges and triangles.
fn sheet() -> MeshData {
    let mut sheet = shapes::ball(1.0, 2).boundary().into_data();
    sheet.vertices.iter_mut().for_each(|p| p.z *= 0.5);
    sheet
}

fn body(data: MeshData, material: &str, fixed: &str) -> Body {
    let fixed = vec![select::select(&data, fixed).expect("a selection")];
    Recipe { material: Some(material.into()), fixed, ..Recipe::default() }.build(data).expect("a body")
}

/// Every material of solids on a bar, and the shell.
fn bodies() -> Vec<(&'static str, Body)> {
    let mut all: Vec<_> = material::ALL.iter().map(|m| (m.name, body(bar(), m.name, "x<1%"))).collect();
    all.push(("discrete-shells", body(sheet(), "discrete-shells", "x<20%")));
    all
}

/// Linear modes, and columns without a meaning but zero where held: any matrix will do.
fn basis(body: &Body, modes: usize) -> Basis {
    let found = linear_modes(body, modes, &mut ignore_progress).expect("modes");
    Basis::from_columns(&found.modes.shapes, body.size())
}

/// A pose of moderate size in the coordinates of a basis.
fn pose(basis: &Basis, reach: f64, seed: u64) -> Vec<f64> {
    let q = noise(basis.rank(), 1.0, seed);
    let factor = reach / super::poses::mean_reach(basis, &q);
    q.iter().map(|q| factor * q).collect()
}

fn everything(body: &Body) -> Cubature {
    let count = body.components().count();
    Cubature::new((0..count as u32).collect(), vec![1.0; count])
}

fn some(body: &Body) -> Cubature {
    let components: Vec<u32> = (0..body.components().count() as u32).filter(|c| c * c % 7 < 2).collect();
    let weights = noise(components.len(), 1.0, 3).iter().map(|w| 1.0 + w).collect();
    Cubature::new(components, weights)
}

fn force_of(force: &mut dyn ReducedForce, q: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; q.len()];
    force.force(q, &mut f).expect("admissible");
    f
}

fn stiffness_of(force: &mut dyn ReducedForce, q: &[f64], tangent: Tangent) -> DenseSymmetric {
    let mut K = DenseSymmetric::zeros(q.len());
    force.stiffness(q, tangent, &mut K).expect("admissible");
    K
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn all_components_with_weight_one_are_the_projected_force() {
    for (name, body) in bodies() {
        let body = Arc::new(body);
        let basis = basis(&body, 7);
        let mut ours = CubatureForce::new(body.components(), &everything(&body), &basis);
        let mut exact = Projected::new(body.clone(), basis.clone());
        assert_eq!(ours.rank(), 7);
        for seed in 0..3 {
            let q = pose(&basis, 0.08, seed);
            let (a, b) = (ours.energy(&q).expect("admissible"), exact.energy(&q).expect("admissible"));
            assert!((a - b).abs() <= 1e-12 * b, "{name}: energy {a} vs {b}");
            let (a, b) = (force_of(&mut ours, &q), force_of(&mut exact, &q));
            let off: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            assert!(norm(&off) <= 1e-12 * norm(&b), "{name}: force off by {:e}", norm(&off) / norm(&b));
            for tangent in [Tangent::Exact, Tangent::Positive] {
                let (a, b) = (stiffness_of(&mut ours, &q, tangent), stiffness_of(&mut exact, &q, tangent));
                let scale = (0..7).fold(0.0, |most: f64, i| most.max(b.get(i, i)));
                for (i, j) in (0..7).flat_map(|i| (i..7).map(move |j| (i, j))) {
                    let off = (a.get(i, j) - b.get(i, j)).abs();
                    assert!(off <= 1e-12 * scale, "{name}, {tangent:?}: {i} {j} off by {:e}", off / scale);
                }
            }
        }
    }
}

#[test]
fn what_is_computed_together_is_what_is_computed_apart() {
    for (name, body) in bodies() {
        let body = Arc::new(body);
        let basis = basis(&body, 7);
        let mut cubature = CubatureForce::new(body.components(), &some(&body), &basis);
        let mut projected = Projected::new(body.clone(), basis.clone());
        let mut linear = Linear::new(stiffness_of(&mut projected, &[0.0; 7], Tangent::Exact));
        let forces: [&mut dyn ReducedForce; 3] = [&mut cubature, &mut projected, &mut linear];
        for force in forces {
            let (q, x) = (pose(&basis, 0.08, 1), noise(7, 1.0, 5));
            let (mut f, mut along, mut wanted) = (vec![0.0; 7], vec![0.0; 7], vec![0.0; 7]);
            let energy = force.energy_and_force(&q, &mut f).expect("admissible");
            assert_eq!(energy, force.energy(&q).expect("admissible"), "{name}");
            assert_eq!(f, force_of(force, &q), "{name}");
            f.fill(0.0);
            let mut room = DenseSymmetric::zeros(7);
            force.force_along(&q, &x, &mut f, &mut along, &mut room).expect("admissible");
            assert_eq!(f, force_of(force, &q), "{name}");
            stiffness_of(force, &q, Tangent::Exact).apply(&x, &mut wanted);
            let off = along.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-12 * norm(&wanted), "{name}: K x off by {:e}", off / norm(&wanted));
        }
    }
}

#[test]
fn the_projective_part_is_that_of_the_chosen_tets() {
    let name = "invertible-stvk";
    let body = Arc::new(body(bar(), name, "x<1%"));
    let basis = basis(&body, 7);
    let mut ours = CubatureForce::new(body.components(), &everything(&body), &basis);
    let mut exact = Projected::new(body.clone(), basis.clone());
    let q = pose(&basis, 0.08, 4);
    let (mut a, mut b) = (vec![0.0; 7], vec![0.0; 7]);
    assert!(ours.projective_force(&q, &mut a) && exact.projective_force(&q, &mut b));
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= 1e-12 * norm(&b), "gradient off by {off:e}");
    let (K, L) =
        (ours.projective_stiffness().expect("a solid"), exact.projective_stiffness().expect("a solid"));
    for (i, j) in (0..7).flat_map(|i| (i..7).map(move |j| (i, j))) {
        let scale = (L.get(i, i) * L.get(j, j)).sqrt();
        assert!(
            (K.get(i, j) - L.get(i, j)).abs() <= 1e-12 * scale,
            "{i} {j}: {} {}",
            K.get(i, j),
            L.get(i, j)
        );
    }
    // Of the projective material it is f̃ itself, also of a few weighted tets; and C17 eq. 4.4: where nothing turns, R = 1,
    // the gradient is L̃ q.
    let body = Arc::new(self::body(bar(), "projective", "x<1%"));
    let mut few = CubatureForce::new(body.components(), &some(&body), &basis);
    assert!(few.projective_force(&q, &mut a));
    let truth = force_of(&mut few, &q);
    let off = a.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= 1e-12 * norm(&truth), "f̃ off by {off:e}");
    let stretch: Vec<f64> = body.rest().iter().flat_map(|p| [0.2 * p.x, -0.1 * p.y, 0.3 * p.z]).collect();
    let stretched = Basis::from_columns(&stretch, body.size());
    let mut few = CubatureForce::new(body.components(), &some(&body), &stretched);
    let (mut pull, L) = ([0.0], few.projective_stiffness().expect("a solid").get(0, 0));
    assert!(few.projective_force(&[0.7], &mut pull));
    assert!((pull[0] - 0.7 * L).abs() < 1e-12 * L, "{} and {}", pull[0], 0.7 * L);
    // A surface has none.
    let body = self::body(sheet(), "discrete-shells", "x<20%");
    let basis = self::basis(&body, 7);
    let mut sheet = CubatureForce::new(body.components(), &some(&body), &basis);
    assert!(!sheet.projective_force(&q, &mut a) && sheet.projective_stiffness().is_none());
}

#[test]
fn force_and_stiffness_are_derivatives() {
    for (name, body) in bodies() {
        let basis = basis(&body, 6);
        let force = CubatureForce::new(body.components(), &some(&body), &basis);
        let (q, dq) = (pose(&basis, 0.06, 1), pose(&basis, 0.06, 2));
        let at = |t: f64| -> Vec<f64> { q.iter().zip(&dq).map(|(q, d)| q + t * d).collect() };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        // Clones share the numbers and nothing else.
        let energy = |t: f64| force.clone().energy(&at(t)).expect("admissible");
        let along = |t: f64| dot(&force_of(&mut force.clone(), &at(t)), &dq);
        assert_derivative(&format!("{name}, energy"), energy, along(0.0));
        let mut product = vec![0.0; q.len()];
        stiffness_of(&mut force.clone(), &q, Tangent::Exact).apply(&dq, &mut product);
        assert_derivative(&format!("{name}, force"), along, dot(&product, &dq));
    }
}

#[test]
fn a_component_is_told_by_its_own_name_and_numbers_that_are_not_finite_do_no_harm() {
    let body = body(bar(), "neo-hookean", "x<1%");
    let basis = basis(&body, 5);
    let cubature = some(&body);
    let mut force = CubatureForce::new(body.components(), &cubature, &basis);
    let wild: Vec<f64> = pose(&basis, 40.0, 4);
    let Err(Inadmissible { component }) = force.energy(&wild) else { panic!("it is inside out") };
    assert!(cubature.components.contains(&(component as u32)), "{component}");
    let mut u = vec![0.0; body.size()];
    basis.expand(&wild, &mut u);
    let local = body.gather(&[component as u32], &u);
    assert!(body.components().energies(&[component as u32], &local, &mut [0.0]).is_err());
    for (_, body) in bodies() {
        let basis = super::tests::basis(&body, 4);
        let mut force = CubatureForce::new(body.components(), &some(&body), &basis);
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX] {
            let (q, mut f, mut K) = ([0.1, bad, 0.0, 0.2], [0.0; 4], DenseSymmetric::zeros(4));
            let _ = (force.energy(&q), force.force(&q, &mut f));
            for tangent in [Tangent::Exact, Tangent::Positive] {
                let _ = force.stiffness(&q, tangent, &mut K);
            }
        }
    }
}
