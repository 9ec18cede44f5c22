//! The rest correction: what it makes exact, what it leaves alone, and that it is still an energy.

use pliant_linalg::{Mat3, product::dot};

use super::super::poses::Spectrum;
use super::super::rest::{congruence, correction};
use super::*;
use crate::{Request, basis as bases};

fn corrected(body: &Body, basis: &Basis, plain: &Cubature) -> (Spectrum, Cubature) {
    let spectrum = Spectrum::new(body, basis).expect("vibrations");
    let mut force = CubatureForce::new(body.components(), plain, basis);
    let rest = stiffness_of(&mut force, &vec![0.0; basis.rank()], Tangent::Exact);
    let R = correction(&spectrum, &rest).expect("enough points");
    (spectrum, Cubature { correction: Some(R.into()), ..plain.clone() })
}

/// Every third component, three times.
fn third(body: &Body) -> Cubature {
    let components: Vec<u32> = (0..body.components().count() as u32).filter(|c| c % 3 != 1).collect();
    let weights = vec![1.5; components.len()];
    Cubature::new(components, weights)
}

#[test]
fn the_softest_vibrations_are_those_of_the_body_and_no_longer_coupled_to_the_others() {
    for (name, body) in bodies() {
        let basis = basis(&body, 9);
        let (spectrum, cubature) = corrected(&body, &basis, &third(&body));
        let mut force = CubatureForce::new(body.components(), &cubature, &basis);
        let rest = stiffness_of(&mut force, &[0.0; 9], Tangent::Exact);
        let G = congruence(&rest, &spectrum.directions);
        for i in 0..3 {
            for j in 0..9 {
                let expected = f64::from(u8::from(i == j));
                assert!((G.get(i, j) - expected).abs() < 1e-10, "{name}: {i} {j}: {}", G.get(i, j));
            }
        }
        // Without it they were.
        let mut plain = CubatureForce::new(body.components(), &third(&body), &basis);
        let G = congruence(&stiffness_of(&mut plain, &[0.0; 9], Tangent::Exact), &spectrum.directions);
        let coupled = (0..3).flat_map(|i| (3..9).map(move |j| (i, j))).map(|(i, j)| G.get(i, j).abs());
        assert!(coupled.fold(0.0, f64::max) > 1e-3, "{name}");
    }
}

#[test]
fn what_is_exact_stays_as_it_is() {
    for (name, body) in bodies() {
        let basis = basis(&body, 7);
        let (_, cubature) = corrected(&body, &basis, &everything(&body));
        for (k, R) in cubature.correction.expect("one").iter().enumerate() {
            let expected = f64::from(u8::from(k % 8 == 0));
            assert!((R - expected).abs() < 1e-9, "{name}: {k}: {R}");
        }
    }
}

#[test]
fn force_and_stiffness_are_derivatives_of_the_energy() {
    for (name, body) in bodies() {
        let basis = basis(&body, 6);
        let (_, cubature) = corrected(&body, &basis, &third(&body));
        let mut force = CubatureForce::new(body.components(), &cubature, &basis);
        let (q, v) = (pose(&basis, 0.05, 1), pose(&basis, 0.05, 2));
        let at = |s: f64| -> Vec<f64> { q.iter().zip(&v).map(|(q, v)| q + s * v).collect() };
        let slope = dot(&force_of(&mut force, &q), &v);
        let mut energy = |s: f64| force.energy(&at(s)).expect("admissible");
        let numeric = (energy(1e-5) - energy(-1e-5)) / 2e-5;
        assert!((numeric / slope - 1.0).abs() < 1e-5, "{name}: {numeric} for {slope}");
        let mut product = vec![0.0; 6];
        stiffness_of(&mut force, &q, Tangent::Exact).apply(&v, &mut product);
        let (ahead, behind) = (force_of(&mut force, &at(1e-5)), force_of(&mut force, &at(-1e-5)));
        for i in 0..6 {
            let numeric = (ahead[i] - behind[i]) / 2e-5;
            assert!((numeric - product[i]).abs() < 1e-5 * norm(&product), "{name}: {i}");
        }
    }
}

#[test]
fn a_free_body_still_turns_for_nothing() {
    let data = bar();
    let recipe = Recipe { material: Some("stvk".into()), ..Recipe::default() };
    let body = recipe.build(data).expect("a body");
    let extended = bases::find("extended").expect("in the table");
    let basis = (extended.make)(&body, &Request::of_modes(3), &mut ignore_progress).expect("a basis").basis;
    let (spectrum, cubature) = corrected(&body, &basis, &third(&body));
    assert_eq!(spectrum.uniform.len(), 6 * spectrum.eigenvalues.len(), "six uniform strains");
    let R = cubature.correction.clone().expect("one");
    let largest = R.iter().enumerate().map(|(k, x)| if k % (basis.rank() + 1) == 0 { x - 1.0 } else { *x });
    assert!(largest.fold(0.0, |most: f64, x| most.max(x.abs())) > 1e-3, "it does something");
    let mut force = CubatureForce::new(body.components(), &cubature, &basis);
    let usual = force.energy(&pose(&basis, 0.1, 1)).expect("admissible");
    for angle in [0.1_f64, 1.0, 2.5] {
        let axis = pliant_linalg::Vec3::new(0.3, -0.5, 0.8).normalize();
        let turn = rotation(axis, angle);
        let field: Vec<f64> = body.rest().iter().flat_map(|x| <[f64; 3]>::from(turn * x - x)).collect();
        let mut weighted = vec![0.0; field.len()];
        body.mass().apply_per_axis(&field, &mut weighted);
        let mut q = vec![0.0; basis.rank()];
        basis.project(&weighted, &mut q);
        let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
        let mass = crate::force::projected::project_mass(body.mass(), &columns);
        let mut factor = pliant_linalg::DenseCholesky::new(basis.rank());
        factor.factorise(&mass).expect("independent columns");
        factor.solve(&mut q);
        let cost = force.energy(&q).expect("admissible");
        assert!(cost < 1e-15 * usual, "{angle}: {cost:e} beside {usual:e}");
    }
}

/// Rodrigues: 1 + sin [a] + (1 − cos) [a]².
fn rotation(a: Vec3, angle: f64) -> Mat3 {
    let cross = Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0);
    Mat3::identity() + cross * angle.sin() + cross * cross * (1.0 - angle.cos())
}

#[test]
fn too_few_points_are_not_corrected_and_that_is_said() {
    let body = body(bar(), "stvk", "x<1%");
    let basis = basis(&body, 20);
    let training = Training { points: 3, poses: 20, ..Training::default() };
    let trained = train(&body, &basis, &training, &mut ignore_progress).expect("a cubature");
    assert!(trained.cubature.correction.is_none());
    assert!(
        trained.warnings.iter().any(|note| note.contains("too few for 20 coordinates")),
        "{:?}",
        trained.warnings
    );
    let enough = Training { points: 60, ..training };
    let trained = train(&body, &basis, &enough, &mut ignore_progress).expect("a cubature");
    let facts = &trained.facts;
    assert!(facts.static_error.is_some_and(|e| e < 0.1), "{facts:?}");
    if trained.cubature.correction.is_some() {
        assert!(facts.frequency_error.is_some_and(|e| e < 0.05), "{facts:?}");
    }
}
