//! `signature` as a script sees it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with a bar of tets and its surface.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for args in
            [["mesh", "--shape", "bar", "-o", "bar.veg"], ["mesh", "bar.veg", "-o", "bar.obj", "--quiet"]]
        {
            assert!(place.run(&args).status.success(), "{args:?}");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
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
    let found = place.json(&[
        "signature",
        "bar.obj",
        "--modes",
        "40",
        "--from",
        "0",
        "--at",
        "5,7",
        "--alike",
        "3",
        "--threshold",
        "5%",
        "--features",
        "--times",
        "0.05,2,15",
        "-o",
        "bar.npz",
    ]);
    for key in [
        "kind",
        "eigenvalues",
        "rigid_modes",
        "t",
        "l1",
        "vertices",
        "signature",
        "distance",
        "regions",
        "alike",
        "features",
        "truncation",
        "stages",
        "seconds",
        "warnings",
    ] {
        assert!(found.get(key).is_some(), "{key}");
    }
    let count = |key: &str| found[key].as_array().map_or(0, Vec::len);
    assert_eq!((count("t"), count("l1"), count("signature"), count("eigenvalues")), (15, 15, 15, 40));
    assert_eq!((&found["vertices"], &found["rigid_modes"]), (&serde_json::json!([5, 7, 0]), &6.into()));
    assert_eq!((count("alike"), found["distance"][2].as_f64()), (3, Some(0.0)));
    assert!(count("regions") > 0 && found["regions"][0]["centre"].as_array().is_some_and(|c| c.len() == 3));
    for stage in ["hessian", "modes", "signature"] {
        assert!(found["stages"][stage].as_f64().is_some_and(|s| s >= 0.0), "{stage}");
    }
    // Times are relative: 2/λ₁ at the end.
    let [last, slow] = [&found["t"][14], &found["eigenvalues"][0]].map(|x| x.as_f64().expect("a number"));
    assert!((last * slow - 2.0).abs() < 1e-9);
    // The same by modes of a file, whatever the number of threads and the name of the output.
    place.json(&["modes", "bar.obj", "--modes", "40", "-o", "modes.npz"]);
    let cached = place.json(&[
        "signature",
        "bar.obj",
        "--cache",
        "modes.npz",
        "--from",
        "0",
        "--at",
        "5,7",
        "--times",
        "0.05,2,15",
    ]);
    assert_eq!(cached["eigenvalues"], found["eigenvalues"]);
    for (name, threads) in
        [("a.ply", "1"), ("b.ply", "2"), ("c.glb", "1"), ("d.csv", "1"), ("e.html", "1"), ("f.png", "1")]
    {
        place.json(&[
            "signature",
            "bar.obj",
            "--modes",
            "40",
            "--from",
            "0",
            "--threads",
            threads,
            "-o",
            name,
        ]);
    }
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a file");
    assert_eq!(bytes("a.ply"), bytes("b.ply"));
    assert!(bytes("c.glb").starts_with(b"glTF") && bytes("d.csv").starts_with(b"t,l1,0\n"));
    let solid = place.json(&[
        "signature",
        "bar.veg",
        "--modes",
        "20",
        "--fix",
        "x<1%",
        "--at",
        "3",
        "-o",
        "solid.ply",
    ]);
    assert_eq!((&solid["rigid_modes"], &solid["distance"]), (&0.into(), &Value::Null));
    let exact = place.json(&["signature", "bar.obj", "--at", "5", "--exact", "--t", "0.01,0.1"]);
    assert_eq!((&exact["l1"], exact["signature"].as_array().map(Vec::len)), (&Value::Null, Some(2)));
}

#[test]
fn bad_input_says_what_would_work() {
    let place = Place::new();
    let bar = |more: &[&'static str]| [&["signature", "bar.obj"][..], more].concat();
    for (args, words) in [
        (bar(&["--modes", "1e6"]), "ask for at most"),
        (bar(&["--t", "0,1"]), "(--t) hold 0"),
        (bar(&["--times", "2,1"]), "turn them around"),
        (bar(&["--times", "1"]), "--times \"1\": expected A,B"),
        (bar(&["--times", "1,2,x"]), "how many"),
        (bar(&["--at", "99999"]), "there is no vertex 99999"),
        (bar(&["--at", "x"]), "--at \"x\": expected vertices"),
        (bar(&["--alike", "2"]), "(--from)"),
        (bar(&["--from", "0", "--threshold", "x%"]), "a share such as 4%"),
        (bar(&["--exact"]), "name some to look at (--at)"),
        (bar(&["--at", "1", "--exact", "-o", "a.ply"]), "no surface to be painted"),
        (bar(&["-o", "a.txt"]), ".ply .glb"),
        (bar(&["--kind", "heat", "--coarse", "9"]), "heat has modes of its own"),
        (vec!["signature", "bar.veg", "--kind", "heat"], "take its boundary"),
        (vec!["signature", "bar.veg", "--coarse", "30"], "only surfaces are thinned"),
        (vec!["signature", "gone.obj"], "gone.obj"),
    ] {
        place.refuses(&args, words);
    }
    place.json(&["modes", "bar.veg", "--modes", "5", "-o", "other.npz"]);
    place.refuses(&bar(&["--cache", "other.npz"]), "is it of another mesh?");
}
