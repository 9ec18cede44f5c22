//! Warping on the command line: a displacement, a model, a motion.

use std::f64::consts::PI;

use pliant::mesh::io;
use pliant::mesh::io::arrays::{self, Numbers};

use crate::place::{HELD, Place, has, number};

/// Writes a displacement of a mesh file: at(x) for each of its vertices.
fn displacement(place: &Place, mesh: &str, name: &str, at: impl Fn([f64; 3]) -> [f64; 3]) {
    let mesh = io::load(&place.path(mesh)).expect("a mesh").mesh;
    let u: Vec<f64> = mesh.vertices.iter().flat_map(|x| at([x.x, x.y, x.z])).collect();
    arrays::save_npy(&place.path(name), &[u.len() / 3, 3], Numbers::Reals(&u)).expect("written");
}

#[test]
fn what_turns_does_not_swell() {
    let place = Place::new();
    for (mesh, ratio) in [("bar.veg", 1.0 + PI * PI), ("cloth.obj", (1.0 + PI * PI).sqrt())] {
        // Half a turn about z of the bar, about x of the cloth, as if it were small.
        let solid = mesh == "bar.veg";
        let turn = |[x, y, z]: [f64; 3]| if solid { [-PI * y, PI * x, 0.0] } else { [0.0, -PI * z, PI * y] };
        displacement(&place, mesh, "u.npy", turn);
        let said = place.json(&["warp", mesh, "--displacement", "u.npy", "-o", "q.npy"]);
        has(&said, &["volume_ratio", "largest_rotation_deg", "seconds", "warnings"]);
        assert!((number(&said["volume_ratio"]["linear"]) / ratio - 1.0).abs() < 0.5, "{said}");
        assert!(number(&said["volume_ratio"]["linear"]) > 2.0, "{said}");
        assert!((number(&said["volume_ratio"]["warped"]) - 1.0).abs() < 1e-9, "{said}");
        assert!((number(&said["largest_rotation_deg"]) - 180.0).abs() < 1e-6, "{said}");
        // Its distances are those at rest.
        let q = arrays::load(&place.path("q.npy"), "q").expect("an array");
        let rest = io::load(&place.path(mesh)).expect("a mesh").mesh.vertices;
        assert_eq!(q.shape, [rest.len(), 3]);
        let at = |v: usize| rest[v] + pliant::prelude::Vec3::from_column_slice(&q.data[3 * v..3 * v + 3]);
        for v in 1..rest.len() {
            let (before, after) = ((rest[v] - rest[0]).norm(), (at(v) - at(0)).norm());
            assert!((before - after).abs() < 1e-9, "{mesh}: {before} and {after}");
        }
        for out in ["q.obj", "q.glb", "q.png"] {
            place.done(&["warp", mesh, "--displacement", "u.npy", "-o", out]);
            assert!(place.read(out).len() > 500, "{out}");
        }
    }
}

#[test]
fn a_displacement_that_cannot_be_is_refused() {
    let place = Place::new();
    displacement(&place, "bar.veg", "u.npy", |[x, _, _]| [0.0, 0.1 * x, 0.0]);
    displacement(&place, "bar.veg", "nan.npy", |[x, _, _]| [0.0, if x > 0.1 { f64::NAN } else { 0.0 }, 0.0]);
    displacement(&place, "cloth.obj", "other.npy", |_| [0.0; 3]);
    let refuses = |more: &[&str], words: &[&str]| {
        place.refuses(&[&["warp", "bar.veg", "--displacement"], more].concat(), words);
    };
    refuses(&["other.npy"], &["other.npy", "(25, 3)", "3)"]);
    refuses(&["nan.npy"], &["nan.npy", "NaN", "finite numbers"]);
    refuses(
        &["u.npy", "--fix", "x>95%"],
        &["u.npy", "is fixed", "moves it by", "along y", "fix what stood still"],
    );
    refuses(&["u.npy", "-o", "q.pdf"], &["q.pdf", ".npy"]);
    refuses(&["u.npy", "-o", "nowhere/q.npy"], &["nowhere", "make it first"]);
    refuses(&["gone.npy"], &["gone.npy"]);
    // A surface is warped as a surface.
    let cloth = ["warp", "cloth.obj", "--displacement", "other.npy"];
    place.refuses(&[&cloth[..], &["--material", "stvk"]].concat(), &["cloth.obj", "discrete-shells"]);
}

#[test]
fn a_model_with_a_warp_moves_in_three_ways() {
    let place = Place::new();
    let options = ["--basis", "extended", "--forces", "linear", "--warp", "20", "--pose-scale", "0.3"];
    let built = place.build("bar.pliant", &options);
    has(&built["warp"], &["points", "training_error", "validation_error"]);
    assert_eq!(built["warp"]["points"], 20);
    let error = number(&built["warp"]["validation_error"]);
    assert!(0.0 < error && error < 0.2, "{built}");
    assert_eq!(place.json(&["info", "bar.pliant"])["warp"], built["warp"]);
    let bytes = place.read("bar.pliant");
    place.build("bar.pliant", &[&options[..], &["--threads", "1"]].concat());
    assert_eq!(place.read("bar.pliant"), bytes, "the same bytes whatever the number of threads");

    let tip = |motion: &str| {
        let ran = place.json(&["simulate", "bar.pliant", "pull.toml", "--motion", motion, "-o", "m.npz"]);
        assert_eq!(ran["diverged"], false);
        number(&ran["probes"]["tip"][6][1])
    };
    let [nonlinear, linear, warped] = ["nonlinear", "linear", "warped"].map(tip);
    assert!((linear / nonlinear - 1.0).abs() < 0.05, "linear forces, two integrators: {linear} {nonlinear}");
    assert!(warped != linear && (warped / linear - 1.0).abs() < 0.1, "small as yet: {warped} {linear}");
    let warp = place.json(&[
        "build", "bar.veg", "-o", "w.pliant", "--basis", "warped", "--modes", "4", "--fix", "x>95%", "--warp",
    ]);
    assert_eq!(
        (&warp["rank"], &warp["warp"]["points"]),
        (&16.into(), &30.into()),
        "four a mode; all elements"
    );
}

#[test]
fn a_warp_that_cannot_be_is_refused() {
    let place = Place::new();
    let build = |more: &[&str], words: &[&str]| {
        let bar =
            ["build", "bar.veg", "-o", "x.pliant", "--modes", "4", "--basis", "extended", "--rank", "36"];
        place.refuses(&[&bar[..], &HELD, more].concat(), words);
    };
    build(&["--warp", "3"], &["--warp", "3 points", "expected 4 to 30"]);
    build(&["--warp", "31"], &["31 points", "expected 4 to 30"]);
    build(&["--warp", "0"], &["--warp"]);
    build(&["--warp", "20", "--pose-scale", "-1"], &["-1"]);
    place.build("plain.pliant", &["--forces", "linear"]);
    let simulate = ["simulate", "plain.pliant", "pull.toml", "--motion"];
    place.refuses(&[&simulate[..], &["warped"]].concat(), &["no warp", "--warp"]);
    place.refuses(&[&simulate[..], &["sideways"]].concat(), &["sideways", "nonlinear, linear, warped"]);
    place.refuses(&["simulate", "bar.veg", "pull.toml", "--motion", "linear"], &["--motion", "pliant build"]);
}
