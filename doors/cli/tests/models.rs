//! Models on the command line: what `pliant info` says about a file, and about one that is none.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use pliant::energy::Recipe;
use pliant::linalg::ignore_progress;
use pliant::mesh::{select, shapes};
use pliant::prelude::Vec3;
use pliant::reduce::force::TrainingFacts;
use pliant::reduce::force::cubature::Cubature;
use pliant::reduce::model::Facts;
use pliant::reduce::{Model, Request, basis};
use serde_json::{Value, json};

fn pliant(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).current_dir(folder).args(args).output().expect("pliant starts")
}

/// A bar with four modes, held at one end.
fn model() -> Model {
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
    let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
    let recipe = Recipe { young: Some(2e5), fixed, ..Recipe::default() };
    let body = recipe.build(bar.clone()).expect("a body");
    let modes = basis::find("modes").expect("in the table");
    let built = (modes.make)(&body, &Request::of_modes(4), &mut ignore_progress).expect("four modes");
    let training = TrainingFacts {
        trainer: "nn-htp".into(),
        poses: 100,
        pose_scale: 0.1,
        points: 2,
        training_error: 0.025,
        validation_error: 0.03,
        static_error: None,
        frequency_error: None,
    };
    let facts = Facts {
        basis: "modes".into(),
        eigenvalues: built.eigenvalues,
        training: Some(training),
        ..Facts::default()
    };
    let cubature = Cubature::new(vec![3, 20], vec![1.0, 2.0]);
    let force = Arc::new(cubature);
    Model::assemble(bar, recipe, &body, built.basis, force, facts).expect("a model")
}

#[test]
fn info_tells_what_is_in_a_model() {
    let dir = tempfile::tempdir().unwrap();
    let model = model();
    model.write(&dir.path().join("bar.pliant")).unwrap();
    let out = pliant(dir.path(), &["info", "bar.pliant", "--json", "-o", "report.html"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    for (key, value) in [
        ("kind", json!("model")),
        ("mesh_kind", json!("tets")),
        ("vertices", json!(20)),
        ("elements", json!(24)),
        ("components", json!(1)),
        ("closed", json!(true)),
        ("manifold", json!(true)),
        ("inverted", json!(0)),
        ("degenerate", json!(0)),
        ("bbox", json!([[0.0, 0.0, 0.0], [1.0, 0.1, 0.1]])),
        ("warnings", json!([])),
        ("rank", json!(4)),
        ("modes", json!(4)),
        ("basis", json!("modes")),
        ("forces", json!("cubature")),
        ("cubature_points", json!(2)),
        ("training_error", json!(0.025)),
        ("validation_error", json!(0.03)),
        ("held", json!(12)),
        ("mass", json!("consistent")),
        ("seed", json!(0)),
    ] {
        assert_eq!(found[key], value, "{key}");
    }
    assert!((found["volume"].as_f64().unwrap() - 0.01).abs() < 1e-12);
    assert!((found["area"].as_f64().unwrap() - 0.42).abs() < 1e-12);
    assert!(found["quality"]["min_dihedral_deg"].as_f64().unwrap() > 10.0);
    assert_eq!(found["material"][0]["material"], "stable-neo-hookean");
    assert!((found["material"][0]["young"].as_f64().unwrap() / 2e5 - 1.0).abs() < 1e-12);
    let hertz = found["frequencies_hz"][0].as_f64().unwrap();
    assert!((hertz.powi(2) * 39.47841760435743 / model.facts().eigenvalues[0] - 1.0).abs() < 1e-12);
    let page = std::fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(page.contains("2.500 % on training poses, 3.000 % on fresh ones"));
    let text = pliant(dir.path(), &["info", "bar.pliant"]).stdout;
    let text = String::from_utf8(text).unwrap();
    for words in [
        "4 coordinates",
        "modes, from 4 linear modes of",
        "cubature, 2 points",
        "held             12 of 60 numbers",
        "24 tets",
    ] {
        assert!(text.contains(words), "{words:?} is missing in:\n{text}");
    }
}

#[test]
fn what_is_no_model_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = model().to_bytes().unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let files: [(&str, &[u8], &str); 3] = [
        ("altered.pliant", &bytes, "the checksum of the file is"),
        ("short.pliant", &bytes[..last], "the file ends after"),
        ("mesh.pliant", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "expected a model"),
    ];
    for (name, bytes, words) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
        let out = pliant(dir.path(), &["info", name, "--json"]);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{stderr}");
        assert!(out.stdout.is_empty() && !stderr.contains("panicked"), "{stderr}");
        assert!(stderr.contains(name) && stderr.contains(words) && stderr.contains("build"), "{stderr}");
        pliant_testkit::sentence::message(&stderr);
    }
    let out = pliant(dir.path(), &["info", "missing.pliant"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("missing.pliant: cannot read"), "{out:?}");
}

#[test]
fn a_quiet_report_prints_nothing() {
    let dir = tempfile::tempdir().unwrap();
    model().write(&dir.path().join("bar.pliant")).unwrap();
    let out = pliant(dir.path(), &["info", "bar.pliant", "-o", "report.html", "--quiet"]);
    assert!(out.status.success() && dir.path().join("report.html").exists());
    assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
    // Without a file the answer is the result, and stays.
    let out = pliant(dir.path(), &["info", "bar.pliant", "--quiet"]);
    assert!(out.status.success() && !out.stdout.is_empty());
}

#[test]
fn a_model_in_the_place_of_a_mesh_is_said_to_be_one() {
    let dir = tempfile::tempdir().unwrap();
    model().write(&dir.path().join("bar.pliant")).unwrap();
    for args in [
        &["mesh", "bar.pliant", "-o", "bar.obj"][..],
        &["modes", "bar.pliant"],
        &["build", "bar.pliant", "-o", "again.pliant"],
    ] {
        let out = pliant(dir.path(), args);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        pliant_testkit::sentence::message(&said);
        for word in ["bar.pliant", "reduced model", "info", "simulate", "compare"] {
            assert!(said.contains(word), "{args:?}: {said}");
        }
    }
}

#[test]
fn options_of_a_training_are_refused_where_nothing_is_trained() {
    let dir = tempfile::tempdir().unwrap();
    let made = pliant(dir.path(), &["mesh", "--shape", "bar", "-o", "bar.veg"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for forces in ["projected", "linear", "cubic"] {
        for option in [["--training", "50"], ["--pose-scale", "0.2"], ["--trainer", "nn-htp-step"]] {
            let args = ["build", "bar.veg", "-o", "bar.pliant", "--material", "stvk", "--forces", forces];
            let out = pliant(dir.path(), &[&args[..], &option[..]].concat());
            let said = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{forces}: {said}");
            pliant_testkit::sentence::message(&said);
            for word in [option[0], forces, "for cubature forces"] {
                assert!(said.contains(word), "{forces}: {said}");
            }
        }
    }
    // Alone they ask for what is trained.
    let args =
        ["build", "bar.veg", "-o", "bar.pliant", "--material", "stvk", "--modes", "3", "--training", "20"];
    let out = pliant(dir.path(), &[&args[..], &["--fix", "x<5%", "--json"]].concat());
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(found["forces"], json!("cubature"), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn a_surface_becomes_a_solid_when_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let ball = pliant::mesh::shapes::ball(0.3, 2);
    let surface = ball.boundary();
    pliant::mesh::io::save(&dir.path().join("ball.obj"), &surface.clone().into_data(), None).unwrap();
    pliant::mesh::io::save(&dir.path().join("ball.veg"), &ball.into_data(), None).unwrap();
    let build = |mesh: &str, solid: &[&str]| {
        let usual = [
            "build",
            mesh,
            "-o",
            "ball.pliant",
            "--fix",
            "y<10%",
            "--modes",
            "3",
            "--forces",
            "linear",
            "--json",
        ];
        pliant(dir.path(), &[&usual[..], solid].concat())
    };
    let warnings = |out: &std::process::Output| {
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice::<Value>(&out.stdout).unwrap()["warnings"].to_string()
    };
    let info = || {
        let out = pliant(dir.path(), &["info", "ball.pliant", "--json"]);
        serde_json::from_slice::<Value>(&out.stdout).unwrap()
    };
    let said = warnings(&build("ball.obj", &[]));
    assert!(said.contains("shell") && said.contains("--solid"), "{said}");
    assert_eq!((&info()["mesh_kind"], &info()["sections"]), (&json!("triangles"), &json!([])));
    let said = warnings(&build("ball.obj", &["--solid"]));
    assert!(!said.contains("--solid"), "{said}");
    let solid = info();
    assert_eq!(solid["mesh_kind"], "tets");
    assert_eq!(solid["embedded_vertices"], surface.vertices().len());
    assert!((5_000..20_000).contains(&solid["elements"].as_u64().unwrap()), "{}", solid["elements"]);
    assert!(solid["held"].as_u64().unwrap() > 0);
    let refused = build("ball.veg", &["--solid"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("solid already"), "{refused:?}");
}
