//! The same in the coordinates of a basis: exact where it can be, trained where not, kept in the model.

use std::f64::consts::PI;
use std::path::Path;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_testkit::{numbers::noise, order};

use super::*;
use crate::rotation_strain::element::elements;
use crate::rotation_strain::tests::{bar, body, field, middle, warped};
use crate::{Basis, Model, Precompute, ReduceError, Request, basis};

/// Every motion of a small body as its basis.
fn whole(mesh: &MeshData, fix: &str) -> (Body, Basis) {
    let body = body(mesh, &[fix]);
    let count = body.dofs().free().len() - body.rigid_count();
    let modes = basis::find("modes").expect("in the table");
    let built = (modes.make)(&body, &Request::of_modes(count), &mut ignore_progress).expect("all modes");
    (body, built.basis)
}

/// The warp of all elements.
fn of_all(body: &Body, basis: &Basis) -> WarpNumbers {
    let training = WarpTraining { poses: 2, ..WarpTraining::default() };
    let count = elements(body).expect("sound").len() as u32;
    let trained = train(body, basis, &training, &mut ignore_progress).expect("a warp");
    WarpNumbers { points: (0..count).collect(), weights: vec![1.0; count as usize], ..trained }
}

fn near(what: &str, found: &[f64], wanted: &[f64], part: f64) {
    let size = wanted.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let off = found.iter().zip(wanted).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(off <= part * size, "{what}: off by {off:e} of {size:e}");
}

#[test]
fn all_elements_in_all_coordinates_are_the_warp_of_all_vertices() {
    let bar = shapes::bar(Vec3::new(0.6, 0.3, 0.2), [2, 1, 1]).into_data();
    let ball = shapes::ball(0.4, 1).boundary().into_data();
    for (mesh, fix) in [(&bar, "x<0%"), (&bar, "none"), (&bar, "x<0%:x"), (&ball, "none"), (&ball, "y<1%")] {
        let (body, basis) = whole(mesh, fix);
        let mut reduced = ReducedWarp::new(mesh, &basis, of_all(&body, &basis)).expect("a warp");
        let q = noise(basis.rank(), 0.2 * body.total_mass().sqrt(), 4);
        let (mut u, mut p, mut seen) =
            (vec![0.0; body.size()], vec![0.0; basis.rank()], vec![0.0; body.size()]);
        basis.expand(&q, &mut u);
        reduced.apply(&q, &mut p);
        basis.expand(&p, &mut seen);
        near(fix, &seen, &warped(&body, &u), 1e-9);
    }
}

fn made(fix: &str, more: Precompute) -> Model {
    let fixed = vec![select::select(&bar(), fix).expect("a selection")];
    let recipe = Recipe { fixed, ..Recipe::default() };
    let precompute = Precompute {
        basis: "extended".into(),
        modes: Some(4),
        forces: Some("linear".into()),
        warp: Some(WarpTraining { points: Some(25), poses: 40, ..WarpTraining::default() }),
        ..more
    };
    precompute.build(bar(), recipe, &mut ignore_progress).expect("a model").model
}

#[test]
fn a_trained_warp_is_near_that_of_all_vertices() {
    for fix in ["x<0%", "none"] {
        let facts =
            made(fix, Precompute::default()).warp_facts().expect("of this model").expect("it has one");
        let (points, training, fresh) = (facts.points, facts.training_error, facts.validation_error);
        assert_eq!((points, facts.poses, facts.judged, facts.pose_scale), (25, 40, 40, 0.3));
        // Four modes of a stout bar, far out: most of it is what the basis cannot say.
        assert!(
            fresh < 0.08 && facts.basis_error < fresh && fresh < 1.5 * facts.basis_error,
            "{fix}: {facts:?}"
        );
        assert!(training < 1.3 * fresh, "{fix}: {facts:?}");
    }
}

#[test]
fn small_motions_are_exact_and_free_bodies_turn_by_any_angle() {
    let model = made("none", Precompute::default());
    let mut warp = model.warp().expect("of this model").expect("it has one");
    let r = model.rank();
    let direction = noise(r, 1.0, 8);
    let beyond = |h: f64| {
        let q: Vec<f64> = direction.iter().map(|x| h * x).collect();
        let mut p = vec![0.0; r];
        warp.clone().apply(&q, &mut p);
        p.iter().zip(&q).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt()
    };
    let order = order::observed(&[1e-2, 1e-3, 1e-4], beyond);
    assert!((order - 2.0).abs() < 0.02, "order {order}");
    let body = model.body().expect("its body");
    let centre = middle(&body, &field(&bar(), |x| *x));
    for angle in [0.5, 2.0, 5.0 * PI] {
        let w = Vec3::new(0.4, 0.7, -0.5).normalize() * angle;
        let mut q = vec![0.0; r];
        let mut Mu = vec![0.0; body.size()];
        body.mass().apply_per_axis(&field(&bar(), |x| w.cross(&(x - centre))), &mut Mu);
        model.basis().project(&Mu, &mut q);
        let (mut p, mut seen) = (vec![0.0; r], vec![0.0; body.size()]);
        warp.apply(&q, &mut p);
        model.basis().expand(&p, &mut seen);
        let exact = field(&bar(), |x| rotation(&w) * (x - centre) + centre - x);
        near(&format!("by {angle}"), &seen, &exact, 1e-9);
        // Each of its vertices turns by that.
        let spin = vertex_spin(model.mesh(), model.basis(), 17).expect("a vertex");
        let turned: Vec<f64> =
            spin.chunks_exact(r).map(|row| row.iter().zip(&q).map(|(a, q)| a * q).sum()).collect();
        near("a vertex", &turned, w.as_slice(), 1e-9);
    }
}

#[test]
fn what_looks_warped_is_found_again() {
    let model = made("x<0%", Precompute::default());
    let mut warp = model.warp().expect("of this model").expect("it has one");
    let q = noise(model.rank(), 0.3, 2);
    let (mut p, mut again, mut seen) = (vec![0.0; q.len()], vec![0.0; q.len()], vec![0.0; q.len()]);
    warp.apply(&q, &mut p);
    warp.undo(&p, &mut again);
    warp.apply(&again, &mut seen);
    near("p", &seen, &p, 1e-6);
}

#[test]
fn a_warp_stays_with_its_model() {
    let model = made("x<0%", Precompute::default());
    let bytes = model.to_bytes().expect("a file");
    assert_eq!(bytes, made("x<0%", Precompute::default()).to_bytes().expect("a file"), "the same again");
    let read = Model::from_bytes(Path::new("bar"), &bytes).expect("sound");
    let q = noise(model.rank(), 0.1, 3);
    let seen = |model: &Model| {
        let mut p = vec![0.0; q.len()];
        model.warp().expect("of this model").expect("it has one").apply(&q, &mut p);
        p
    };
    assert_eq!(seen(&model), seen(&read));
    // Warping is geometry: stiffer or heavier matter changes nothing.
    assert_eq!(seen(&model), seen(&model.rescaled(3.0, 0.5).expect("sound factors")));
    let part = model.truncated(5).expect("in range");
    assert!(matches!(part.warp(), Err(ReduceError::StaleSection { .. })), "of other coordinates");
    assert!(part.has_warp() && part.warp_facts().is_err());
    let mut bad = model.warp_numbers().expect("of this model").expect("it has one");
    bad.points[3] = 100_000;
    let said = model.clone().with_warp(&bad).expect_err("refused").to_string();
    assert!(said.contains("names tet 100000, but there are 144"), "{said}");
    let mut bad = model.warp_numbers().expect("of this model").expect("it has one");
    bad.smoothing = DenseSymmetric::zeros(3);
    assert!(model.with_warp(&bad).expect_err("refused").to_string().contains("train it again"));
}

#[test]
fn what_cannot_be_trained_is_said_before_any_work() {
    let body = body(&bar(), &["x<0%"]);
    let said = |training: WarpTraining, rank: Option<usize>| {
        training.check(&body, rank).expect_err("refused").to_string()
    };
    let usual = WarpTraining::default();
    let few = said(WarpTraining { points: Some(3), ..usual }, Some(36));
    assert!(few.contains("expected 4 to 144") && few.contains("nine of the 36 coordinates"), "{few}");
    assert!(said(WarpTraining { points: Some(145), ..usual }, None).contains("expected 1 to 144"));
    assert!(said(WarpTraining { points: Some(0), ..usual }, None).contains("expected 1 to 144"));
    assert!(said(WarpTraining { poses: 0, ..usual }, None).contains("at least 1 pose"));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            said(WarpTraining { pose_scale: Some(scale), ..usual }, None).contains("number > 0"),
            "{scale}"
        );
    }
}
