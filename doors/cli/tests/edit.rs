//! `edit` as a script sees it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with the surface of a bar, and handles at its ends.
struct Place(TempDir);

const TWIST: &str = "[[handle]]\nselect = \"x<10%\"\n[[handle]]\nname = \"right\"\nselect = \"x>90%\"\n\
    rotate = { axis = [1, 0, 0], angle = 60 }\nmove = [0, 0.02, 0]\n";

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for args in
            [["mesh", "--shape", "bar", "-o", "bar.veg"], ["mesh", "bar.veg", "-o", "bar.obj", "--quiet"]]
        {
            assert!(place.run(&args).status.success(), "{args:?}");
        }
        place.write("twist.toml", TWIST);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.0.path()).args(args).output().expect("the binary runs")
    }

    fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat());
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("one JSON object")
    }

    #[track_caller]
    fn refuses(&self, args: &[&str], words: &str) {
        let out = self.run(&[args, &["--json"]].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(said.contains(words), "{args:?} said {said:?}, not {words:?}");
        pliant_testkit::sentence::message(&said);
    }
}

#[test]
fn what_is_found_has_its_keys_and_files() {
    let place = Place::new();
    let keys = [
        "energy",
        "elastic",
        "handle_rms",
        "iterations",
        "evaluations",
        "converged",
        "energies",
        "milliseconds_per_iteration",
        "rank",
        "ghost_vertices",
        "relative_l2",
        "seconds",
        "warnings",
    ];
    let found = place.json(&["edit", "bar.obj", "twist.toml", "-o", "a.obj"]);
    keys.iter().for_each(|key| assert!(found.get(*key).is_some(), "{key}"));
    assert_eq!(
        (&found["converged"], &found["solver"], &found["relative_l2"]),
        (&true.into(), &"bfgs".into(), &Value::Null)
    );
    assert!(found["energy"].as_f64() > found["elastic"].as_f64() && found["steps"] == 6);
    for name in ["a.png", "a.html", "a.ply", "a.glb"] {
        let out = place.run(&["edit", "bar.obj", "twist.toml", "-o", name, "--quiet"]);
        assert!(out.status.success() && place.path(name).metadata().expect("there").len() > 1000, "{name}");
    }
    // The same by a model of a file, and by many threads: the same bytes.
    let model = ["build", "bar.obj", "-o", "bar.pliant", "--forces", "ghost", "--modes", "10", "--quiet"];
    assert!(place.run(&model).status.success());
    for (name, threads) in [("b.obj", "1"), ("c.obj", "4")] {
        let out =
            place.run(&["edit", "bar.pliant", "twist.toml", "-o", name, "--quiet", "--threads", threads]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("there");
    assert_eq!(bytes("b.obj"), bytes("c.obj"));
    // Beside full order, and full order alone.
    let both = place.json(&["edit", "bar.obj", "twist.toml", "--compare", "--steps", "8"]);
    assert!(both["relative_l2"].as_f64().is_some_and(|x| x > 0.0 && x < 0.2), "{}", both["relative_l2"]);
    assert_eq!((&both["full"]["converged"], &both["steps"]), (&true.into(), &8.into()));
    let full = place.json(&["edit", "bar.obj", "twist.toml", "--full"]);
    assert_eq!((&full["rank"], &full["solver"]), (&Value::Null, &"newton".into()));
}

#[test]
fn a_scaled_body_takes_handles_in_the_units_of_its_file() {
    let place = Place::new();
    let vertices = |name: &str| -> Vec<f64> {
        let text = std::fs::read_to_string(place.path(name)).expect("a mesh");
        let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
        lines
            .flat_map(|line| line.split(' ').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>())
            .collect()
    };
    // A hard pull, so that what is far away does not matter: the handle itself.
    place.write(
        "lift.toml",
        "[[handle]]\nselect = \"x<10%\"\n[[handle]]\nselect = \"x>90%\"\nmove = [0, 0.3, 0]\n",
    );
    for (name, more) in [("a.obj", vec![]), ("b.obj", vec!["--scale-to", "10"])] {
        let args = [&["edit", "bar.obj", "lift.toml", "-o", name, "--quiet"][..], &more].concat();
        let out = place.run(&args);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    let (rest, small, large) = (vertices("bar.obj"), vertices("a.obj"), vertices("b.obj"));
    let side = rest.iter().step_by(3).fold(0.0, |most: f64, x| most.max(*x));
    for v in (0..rest.len()).step_by(3).filter(|v| rest[*v] > 0.95 * side) {
        assert!((small[v + 1] - rest[v + 1] - 0.3).abs() < 0.03, "{}", small[v + 1] - rest[v + 1]);
        let factor = 10.0 / side;
        assert!((large[v + 1] / factor - rest[v + 1] - 0.3).abs() < 0.03, "{}", large[v + 1] / factor);
    }
}

#[test]
fn what_does_not_arrive_is_written_and_ends_with_1() {
    let place = Place::new();
    let few = ["edit", "bar.obj", "twist.toml", "--iterations", "1", "--steps", "1", "-o", "a.obj", "--json"];
    let out = place.run(&few);
    assert_eq!(out.status.code(), Some(1));
    assert!(place.path("a.obj").exists());
    let found: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert_eq!(found["converged"], false);
    assert!(String::from_utf8_lossy(&out.stderr).contains("--iterations"));
}

#[test]
fn bad_input_ends_with_2_and_a_sentence() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("bar.obj")).expect("a mesh");
    let n = text.lines().filter(|line| line.starts_with("v ")).count();
    let labels = |of: &dyn Fn(usize) -> usize| (0..n).map(|v| format!("{}\n", of(v))).collect::<String>();
    let turn = "0 -1 0 1\n1 0 0 0\n0 0 1 0\n0 0 0 1\n";
    for (name, sel, def) in [
        ("good", labels(&|v| v % 3), turn.to_owned()),
        ("short", "0\n2\n".into(), turn.into()),
        ("more", labels(&|v| v % 4), turn.into()),
        ("flat", labels(&|v| v % 3), turn.replace("0 0 1 0", "0 0 0 0")),
        ("mirror", labels(&|v| v % 3), turn.replace("0 0 1 0", "0 0 -1 0")),
        ("nan", labels(&|v| v % 3), turn.replace("0 0 1 0", "0 0 nan 0")),
        ("empty", labels(&|v| v % 2), turn.into()),
    ] {
        place.write(&format!("{name}.sel"), &sel);
        place.write(&format!("{name}.def"), &def);
    }
    place.write("none.toml", "");
    place.write("two.toml", &TWIST.replace("x>90%", "x>5%"));
    place.write("typo.toml", &TWIST.replace("rotate", "turn"));
    for (handles, words) in [
        ("short.def", "2 labels, and the mesh has"),
        ("more.def", "the label 3"),
        ("flat.def", "singular"),
        ("mirror.def", "mirrors"),
        ("nan.def", "not finite"),
        ("empty.def", "moves nothing"),
        ("none.toml", "there is no handle"),
        ("two.toml", "in two handles"),
        ("typo.toml", "unknown field"),
        ("gone.def", "gone.def"),
        ("bar.veg", "a .toml, or a .def"),
    ] {
        place.refuses(&["edit", "bar.obj", handles], words);
    }
    place.refuses(&["edit", "bar.obj", "twist.toml", "--fix", "x>50%"], "and cannot move");
    place.refuses(&["edit", "bar.obj", "twist.toml", "-o", "a.xyz"], ".png");
    place.refuses(&["edit", "bar.obj", "twist.toml", "--solver", "simplex"], "newton, bfgs");
    place.refuses(&["edit", "bar.obj", "twist.toml", "--epsilon", "0"], "epsilon");
    place.refuses(&["edit", "bar.obj", "twist.toml", "--full", "--rank", "20"], "--full");
    // Triangles without area.
    place.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n");
    place.write(
        "ids.toml",
        "[[handle]]\nselect = \"ids:3\"\nmove = [0, 1, 0]\n[[handle]]\nselect = \"ids:0\"\n",
    );
    place.refuses(&["edit", "flat.obj", "ids.toml"], "area");
}
