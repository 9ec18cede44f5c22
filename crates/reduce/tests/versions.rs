//! Models that were written once stay readable: a file of each version of the format lies in `tests/data`.
//!
//! `format-1.pliant` is `model.pliant` of the tool `model_files`, `format-2.pliant` its `ghost.pliant`,
//! `format-3.pliant` its `named.pliant`, `format-4.pliant` its `corrected.pliant`, `format-5.pliant` its `pulled.pliant`.

#![expect(non_snake_case, reason = "K is the stiffness, R a correction")]

use std::path::Path;

use pliant_reduce::force::cubature::{Cubature, CubatureForce};
use pliant_reduce::force::{Ghost, ReducedForce as _};
use pliant_reduce::{Model, PullError};

#[test]
fn format_1() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-1.pliant");
    let model = Model::read(&path).expect("version 1 is read");
    assert_eq!((model.mesh().vertices.len(), model.mesh().elements.len(), model.basis().rank()), (20, 24, 3));
    let a = &model.mesh().attributes;
    assert_eq!((a.regions[0].name.as_str(), a.regions[0].material), ("handle", Some(0)));
    assert_eq!((a.region_of[5], a.region_of[6]), (0, 1));
    assert_eq!(a.set("left").map(|s| s.vertices.clone()), Some(vec![0, 5]));
    assert!(a.embedded.as_ref().is_some_and(|e| e.embedding.len() == e.vertices.len()));
    assert_eq!(model.held(), 4 * 3 + 4);
    let cubature = model.cubature().expect("a cubature");
    assert_eq!((cubature.components.as_slice(), cubature.weights[2]), (&[0, 7, 20][..], 1.0 / 3.0));
    let training = model.facts().training.as_ref().expect("it was trained");
    assert_eq!((training.poses, training.validation_error), (500, 0.1 + 0.2));
    // The basis belongs to the body that is made of the file today: λ = φᵀKφ.
    let body = model.body().expect("a body");
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], pliant_energy::Tangent::Exact, &mut K).expect("at rest");
    for (k, &lambda) in model.facts().eigenvalues.iter().enumerate() {
        let (mode, mut f) = (model.basis().column(k), vec![0.0; body.size()]);
        K.apply(&mode, &mut f);
        let found: f64 = mode.iter().zip(&f).map(|(a, b)| a * b).sum();
        assert!((found / lambda - 1.0).abs() < 1e-9, "{found} vs {lambda}");
    }
}

#[test]
fn format_2() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-2.pliant");
    let model = Model::read(&path).expect("version 2 is read");
    let ghost = model.force().downcast_ref::<Ghost>().expect("a ghost");
    assert_eq!((ghost.vertices.len(), ghost.elements.len(), ghost.rank), (4, 1, 3));
    assert_eq!((ghost.vertices[1].x, ghost.rows[35], ghost.weights[0]), (0.4, 8.75, 1.5));
    // (1, 1, 1) moves the corners by sums of its rows, which grow evenly: a tet that is sheared and stretched.
    let energy = model.evaluator().energy(&[1e-3; 3]).expect("admitted");
    assert!(energy > 0.0);
    let mut bytes = std::fs::read(&path).expect("the file");
    let place = bytes.windows(11).position(|w| w == br#"version\":2"#).expect("its version");
    bytes[place + 10] = b'1';
    pliant_reduce::model::seal(&mut bytes);
    let error = Model::from_bytes(&path, &bytes).expect_err("not of version 1");
    assert!(error.to_string().contains("format 2"), "{error}");
}

#[test]
fn format_3() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-3.pliant");
    let model = Model::read(&path).expect("version 3 is read");
    assert_eq!(
        model.recipe().constants.iter().map(|(k, v)| (k.as_str(), *v)).collect::<Vec<_>>(),
        [("v1", 7e5)]
    );
    let steel = &model.mesh().attributes.materials[1].law;
    assert_eq!((steel.name.as_deref(), steel.constant("poisson")), (Some("stvk"), Some(0.25)));
    let made = model.recipe().resolve(model.mesh()).expect("sound constants");
    assert_eq!(made.matter[0].material, "mooney-rivlin");
    assert_eq!(made.matter[0].constants[3..], [("mu01", 1e4), ("mu10", 3e4), ("v1", 7e5)]);
    assert_eq!(model.to_bytes().expect("a file"), std::fs::read(&path).expect("the file"));
}

#[test]
fn format_4() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-4.pliant");
    let bytes = std::fs::read(&path).expect("the file");
    let model = Model::read(&path).expect("version 4 is read");
    let cubature = model.cubature().expect("a cubature").clone();
    let R = cubature.correction.clone().expect("a correction");
    assert_eq!(R[..], [1.0, 0.25, 0.0, -0.5, 1.5, 1.0 / 3.0, 0.0, 0.125, 0.75]);
    let training = model.facts().training.as_ref().expect("it was trained");
    assert_eq!((training.static_error, training.frequency_error), (Some(0.02), Some(1.0 / 3.0)));
    // W̃(q) = Σ w_c W_c(U R q): what the same points without it come to at R q.
    let body = model.body().expect("a body");
    let plain = Cubature { correction: None, ..cubature };
    let mut plain = CubatureForce::new(body.components(), &plain, model.basis());
    let q = [1e-3, -2e-3, 5e-4];
    let Rq: Vec<f64> = R.chunks_exact(3).map(|row| row.iter().zip(&q).map(|(r, q)| r * q).sum()).collect();
    let (with, without) = (model.evaluator().energy(&q), plain.energy(&Rq));
    let (with, without) = (with.expect("admitted"), without.expect("admitted"));
    assert!(with > 0.0 && (with / without - 1.0).abs() < 1e-10, "{with} J and {without} J");
    assert_eq!(model.to_bytes().expect("a file"), bytes);
}

#[test]
fn format_5() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-5.pliant");
    let bytes = std::fs::read(&path).expect("the file");
    let model = Model::read(&path).expect("version 5 is read");
    assert_eq!(model.facts().pull, Some(PullError { error: 0.02, with_half: 1.0 / 3.0 }));
    assert_eq!(model.to_bytes().expect("a file"), bytes);
    // It was measured in all coordinates, and is the same of a stiffer body.
    assert_eq!(model.truncated(2).expect("in range").facts().pull, None);
    assert_eq!(model.rescaled(3.0, 0.5).expect("sound").facts().pull, model.facts().pull);
    let mut parts = model.into_parts();
    parts.facts.pull = Some(PullError { error: f64::NAN, with_half: 0.5 });
    let error = Model::new(parts).expect_err("no number").to_string();
    assert!(error.contains("the error of a pull is NaN"), "{error}");
}

/// Every version that is written has its file here.
#[test]
fn no_version_is_without_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for version in 1..=Model::NEWEST_FORMAT {
        assert!(folder.join(format!("format-{version}.pliant")).is_file(), "no file of version {version}");
    }
}
