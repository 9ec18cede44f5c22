//! `modes`, `energy` and `simulate` as a script sees them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    /// A folder with a bar in it.
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        let made = place.run(&["mesh", "--shape", "bar", "-o", "bar.veg"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a writable folder");
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.0.path()).args(args).output().expect("the binary runs")
    }

    fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat());
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("one JSON object")
    }

    /// Status 2, nothing on standard output, and these words on standard error.
    #[track_caller]
    fn refuses(&self, args: &[&str], words: &str) {
        let out = self.run(&[args, &["--json"]].concat());
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(said.contains(words), "{args:?} said {said:?}, not {words:?}");
        assert!(!said.contains("panicked"), "{said}");
        pliant_testkit::sentence::message(&said);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// An n×3 array as NumPy writes it.
fn npy(rows: usize, value: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 3), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    (0..rows).for_each(|i| (0..3).for_each(|c| bytes.extend(value(i, c).to_le_bytes())));
    bytes
}

fn vertices(place: &Place, mesh: &str) -> usize {
    place.json(&["info", mesh])["vertices"].as_u64().expect("a count") as usize
}

#[test]
fn modes_of_a_free_and_of_a_held_bar() {
    let place = Place::new();
    let free = place.json(&["modes", "bar.veg", "--modes", "6"]);
    assert_eq!(free["rigid_modes"], 6);
    let held = place.json(&["modes", "bar.veg", "--modes", "6", "--fix", "x<5%"]);
    assert_eq!(held["rigid_modes"], 0);
    for answer in [&free, &held] {
        let (f, lambda) = (numbers(&answer["frequencies_hz"]), numbers(&answer["eigenvalues"]));
        assert_eq!(f.len(), 6);
        assert!(f.is_sorted() && f[0] > 0.0);
        assert!(f.iter().zip(&lambda).all(|(f, l)| (l.sqrt() / std::f64::consts::TAU - f).abs() < 1e-12 * f));
        assert!(numbers(&answer["residuals"]).iter().all(|r| *r < 1e-7));
    }
    assert_eq!(place.json(&["modes", "bar.veg", "--modes", "1", "--fix", "z<0%:z"])["rigid_modes"], 3);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let place = Place::new();
    place.write("fall.toml", "dt = 0.01\nsteps = 3\ngravity = [0.0, -9.81, 0.0]");
    for threads in ["1", "2", "5"] {
        let name = |what: &str| format!("{what}{threads}.npz");
        place.json(&["modes", "bar.veg", "--modes", "5", "-o", &name("modes"), "--threads", threads]);
        let motion = name("motion");
        place.json(&[
            "simulate",
            "bar.veg",
            "fall.toml",
            "--full",
            "--fix",
            "x<5%",
            "-o",
            &motion,
            "--threads",
            threads,
        ]);
    }
    let read = |name: &str| std::fs::read(place.path(name)).expect("a file that was written");
    for what in ["modes", "motion"] {
        assert!(read(&format!("{what}1.npz")) == read(&format!("{what}2.npz")), "{what}, two threads");
        assert!(read(&format!("{what}1.npz")) == read(&format!("{what}5.npz")), "{what}, five threads");
    }
}

#[test]
fn energy_force_and_stiffness_belong_together() {
    let place = Place::new();
    let n = vertices(&place, "bar.veg");
    let wave = |i: usize, c: usize| 0.004 * ((7 * i + 3 * c) as f64).sin();
    let probe = |i: usize, c: usize| ((5 * i + 2 * c) as f64).cos();
    let at = |name: &str, t: f64| place.write(name, npy(n, |i, c| wave(i, c) + t * probe(i, c)));
    place.write("probe.npy", npy(n, probe));
    place.write("zero.npy", npy(n, |_, _| 0.0));
    let h = 1e-5;
    for (name, t) in [("u.npy", 0.0), ("plus.npy", h), ("minus.npy", -h)] {
        at(name, t);
    }
    for material in ["stvk", "stable-neo-hookean", "corotational", "linear"] {
        let energy = |file: &str| {
            let args =
                ["energy", "bar.veg", "--material", material, "--displacement", file, "--probe", "probe.npy"];
            let answer = place.json(&args);
            ["energy", "force_dot", "stiffness_quadratic"].map(|key| answer[key].as_f64().expect("a number"))
        };
        assert!(energy("zero.npy")[0].abs() < 1e-12, "{material}: rest");
        let ([w, f, k], [w1, f1, _], [w0, f0, _]) =
            (energy("u.npy"), energy("plus.npy"), energy("minus.npy"));
        assert!(w > 0.0);
        assert!(((w1 - w0) / (2.0 * h) / f - 1.0).abs() < 1e-5, "{material}: force");
        assert!(((f1 - f0) / (2.0 * h) / k - 1.0).abs() < 1e-5, "{material}: stiffness");
    }
}

#[test]
fn a_free_body_falls_as_galilei_has_it() {
    let place = Place::new();
    place.write(
        "fall.toml",
        "dt = 0.01\nsteps = 20\ngravity = [0.0, -9.81, 0.0]\n[[probe]]\nname = 'p'\nvertex = 3",
    );
    let answer = place.json(&["simulate", "bar.veg", "fall.toml", "--full"]);
    let path = answer["probes"]["p"].as_array().expect("a path");
    assert_eq!(path.len(), 21, "the initial state first");
    for (step, u) in path.iter().enumerate() {
        let t = 0.01 * step as f64;
        let y = numbers(u)[1];
        assert!((y + 0.5 * 9.81 * t * t).abs() < 1e-9, "step {step}: {y}");
    }
    assert_eq!(answer["diverged"], false);
    assert!(numbers(&answer["elastic"]).iter().all(|w| w.abs() < 1e-9));
}

#[test]
fn a_load_acts_in_the_step_that_ends_with_it() {
    let place = Place::new();
    // 6 · 0.01 is above 0.06 in floating point.
    let end = |to: &str| {
        let force = format!("[[force]]\nvertices = [0]\nvalue = [0.0, 0.2, 0.0]\nto = {to}");
        place.write("pull.toml", format!("dt = 0.01\nsteps = 8\n{force}"));
        numbers(&place.json(&["simulate", "bar.veg", "pull.toml", "--full", "--fix", "x>95%"])["kinetic"])
    };
    assert_eq!(end("0.06"), end("0.065"));
    assert_ne!(end("0.06"), end("0.055"));
}

#[test]
fn every_integrator_and_every_output() {
    let place = Place::new();
    place.write(
        "pull.toml",
        "dt = 0.005\nsteps = 4\n[[force]]\nvertices = [0]\nvalue = [0.0, 0.2, 0.0]\nto = 0.01",
    );
    let simulate = ["simulate", "bar.veg", "pull.toml", "--full", "--fix", "x>95%"];
    for integrator in ["newmark", "backward-euler", "quasi-newton", "quasi-newton-projective"] {
        let material = ["--material", if integrator.ends_with("projective") { "projective" } else { "stvk" }];
        let more = ["--integrator", integrator, "--iterations", "200"];
        let answer = place.json(&[&simulate[..], &more, &material].concat());
        assert_eq!(
            (&answer["steps"], &answer["diverged"], &answer["unconverged_steps"]),
            (&Value::from(4), &Value::from(false), &Value::from(0)),
            "{integrator}"
        );
        assert!(numbers(&answer["kinetic"])[2] > 0.0, "{integrator}");
        assert!(!answer["warnings"].to_string().contains("integrator"), "{integrator}: {answer}");
    }
    for out in ["m.npz", "m.glb", "m.pc2", "m.pvd", "m.csv", "m.html", "m.png"] {
        place.json(&[&simulate[..], &["-o", out]].concat());
        assert!(Path::new(&place.path(out)).metadata().is_ok_and(|m| m.len() > 100), "{out}");
    }
    for out in ["k.npz", "k.glb", "k.html"] {
        place.json(&["modes", "bar.veg", "--modes", "2", "-o", out]);
        assert!(place.path(out).metadata().is_ok_and(|m| m.len() > 100), "{out}");
    }
}

#[test]
fn constants_by_name_are_those_of_the_option_that_has_three() {
    let place = Place::new();
    let at_once = place.json(&["modes", "bar.veg", "--modes", "2", "--mooney", "2e5,1e5,1e6"]);
    let one_by_one = ["--constant", "v1=1e6", "--constant", "mu01=1e5", "--constant", "mu10 = 2e5"];
    let named = place.json(&[&["modes", "bar.veg", "--modes", "2"][..], &one_by_one].concat());
    assert_eq!(at_once["frequencies_hz"], named["frequencies_hz"]);
    let usual = place.json(&["modes", "bar.veg", "--modes", "2"]);
    assert_ne!(usual["frequencies_hz"], named["frequencies_hz"]);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_sentence() {
    let place = Place::new();
    let n = vertices(&place, "bar.veg");
    place.write("u.npy", npy(n - 1, |_, _| 0.0));
    place.write("nan.npy", npy(n, |i, _| if i == 4 { f64::NAN } else { 0.0 }));
    place.write("good.toml", "dt = 0.01\nsteps = 2");
    place.write("nan.toml", "dt = 0.01\nsteps = 2\ngravity = [nan, 0.0, 0.0]");
    place.write("vertex.toml", "dt = 0.01\nsteps = 2\n[[probe]]\nname = 'a'\nvertex = 1000000");
    place.write("zero.toml", "dt = 0.0\nsteps = 2");
    let modes = |more: &[&str], words: &str| place.refuses(&[&["modes", "bar.veg"], more].concat(), words);
    modes(&["--poisson", "0.5"], "(-1, 0.5)");
    modes(&["--poisson", "-1"], "(-1, 0.5)");
    modes(&["--density", "0"], "density");
    modes(&["--young", "-2"], "Young's modulus");
    modes(&["--fix", "x>-1%"], "nothing is left to move");
    modes(&["--modes", "1000000"], "modes");
    modes(&["--material", "chewing-gum"], "stable-neo-hookean");
    modes(&["--material", "discrete-shells"], "discrete-shells");
    modes(&["--mooney", "1,2"], "MU10,MU01,V1");
    modes(&["--mooney", "1e5,1e5,-1"], "the volume coefficient v1 (--mooney) must be");
    modes(&["--constant", "mu10"], "KEY=VALUE");
    modes(&["--constant", "mu10=much"], "KEY=VALUE");
    modes(&["--mooney", "1e5,1e5,1e6", "--constant", "v1=2"], "is given twice");
    modes(
        &["--constant", "mu10=1"],
        "mooney-rivlin also needs mu01, the second shear coefficient (--constant mu01=VALUE)",
    );
    modes(&["--constant", "softness=1"], "mooney-rivlin has mu01, mu10, v1");
    modes(&["--material", "stvk", "--constant", "mu10=1"], "stvk has no constant \"mu10\"");
    modes(
        &["--bend", "1"],
        "the bending stiffness (--bend) means nothing for a solid: its stiffness is Young's modulus (--young)",
    );
    modes(&["--fix", "ids:999999"], "999999");
    modes(&["-o", "modes.xyz"], ".npz");
    let simulate =
        |more: &[&str], words: &str| place.refuses(&[&["simulate", "bar.veg"], more].concat(), words);
    simulate(&["good.toml"], "--full");
    simulate(&["nan.toml", "--full"], "gravity holds NaN");
    simulate(&["vertex.toml", "--full"], "vertex 1000000");
    simulate(&["zero.toml", "--full"], "dt = 0");
    simulate(&["missing.toml", "--full"], "missing.toml");
    simulate(&["good.toml", "--full", "--integrator", "modal"], "linear forces (--forces)");
    place.write("wall.toml", "dt = 0.01\nsteps = 2\n[[probe]]\nname = 'wall'\nvertex = 0");
    simulate(&["wall.toml", "--full", "--fix", "ids:0"], "names vertex 0, which is fixed");
    place.refuses(&["simulate", "gone.pliant", "good.toml"], "gone.pliant");
    place.refuses(
        &["simulate", "gone.pliant", "good.toml", "--fix", "x<5%"],
        "--fix belongs to `pliant build`",
    );
    simulate(&["good.toml", "--full", "--dt", "0"], "--dt = 0");
    simulate(&["good.toml", "--full", "--steps", "-3"], "--steps = -3");
    simulate(&["good.toml", "--full", "--integrator", "magic"], "newmark");
    simulate(&["good.toml", "--full", "-o", "out.doc"], ".npz");
    simulate(&["good.toml", "--full", "--tolerance", "0"], "--tolerance");
    simulate(&["good.toml", "--full", "--tolerance", "2"], "tolerance");
    simulate(&["good.toml", "--full", "-o", "nowhere/m.npz"], "nowhere");
    modes(&["-o", "nowhere/m.html"], "nowhere");
    simulate(&["good.toml", "--full", "--steps", "900000000", "-o", "m.npz"], "GB");
    place.write("start.toml", "dt = 0.01\nsteps = 2\ninitial = 'u.npy'");
    simulate(&["start.toml", "--full"], ".npz");
    place.write("huge.npy", npy(n, |i, _| 1e160 * i as f64));
    place.refuses(&["energy", "bar.veg", "--material", "stvk", "--displacement", "huge.npy"], "finite");
    place.refuses(&["energy", "bar.veg", "--displacement", "u.npy"], "u.npy");
    place.refuses(&["energy", "bar.veg", "--displacement", "nan.npy"], "row 4");
}

#[test]
fn a_run_that_is_not_solved_has_status_1_and_is_warned_of_before() {
    let place = Place::new();
    place.write("fall.toml", "dt = 0.01\nsteps = 4\ngravity = [0.0, -9.81, 0.0]");
    let simulate = ["simulate", "bar.veg", "fall.toml", "--full", "--fix", "x>95%", "--json"];
    let run = |more: &[&str]| {
        let out = place.run(&[&simulate[..], more].concat());
        let answer: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
        (out.status.code(), answer, text(&out.stderr))
    };
    let (status, answer, said) = run(&["--integrator", "quasi-newton-projective"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("it is good for projective") && said.contains("above the tolerance"), "{said}");
    assert!(answer["unconverged_steps"].as_u64() > Some(2), "{answer}");
    let told = |words: &str| answer["warnings"].to_string().matches(words).count();
    assert_eq!([told("it is good for projective"), told("above the tolerance")], [1, 1], "{answer}");
    let (status, answer, said) = run(&["--iterations", "1"]);
    assert_eq!((status, &answer["diverged"]), (Some(1), &Value::from(false)), "{said}");
    // At rest no residual is below the rounding of the forces, and that is told.
    place
        .write("rest.toml", "dt = 0.01\nsteps = 400\ngravity = [0.0, -9.81, 0.0]\ndamping = { mass = 60.0 }");
    let rest = ["simulate", "bar.veg", "rest.toml", "--full", "--fix", "x>95%", "--tolerance", "1e-16"];
    let answer = place.json(&rest);
    assert!(answer["steps_at_round_off"].as_u64() > Some(0), "{answer}");
    assert!(answer["round_off_residual"].as_f64() > Some(1e-16), "{answer}");
}

#[test]
fn a_run_that_ends_early_says_so_and_keeps_what_it_has() {
    let place = Place::new();
    // A neo-Hookean bar, pulled inside out within one step.
    place.write(
        "tear.toml",
        "dt = 0.1\nsteps = 5\n[[force]]\nvertices = [0]\nvalue = [1e300, 1e300, 0.0]\nfrom = 0.25",
    );
    let args = ["simulate", "bar.veg", "tear.toml", "--full", "--fix", "x>95%", "--material", "neo-hookean"];
    let out = place.run(&[&args[..], &["-o", "m.npz", "--json"]].concat());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert_eq!(answer["diverged"], true);
    assert!(answer["steps"].as_u64().expect("a count") < 5);
    assert!(place.path("m.npz").exists());
}
