//! `build`, `simulate`, `compare` and `info` of reduced models as a script sees them.
#![expect(non_snake_case, reason = "U is the papers' letter")]

use std::path::PathBuf;
use std::process::{Command, Output};

use pliant::mesh::TetMesh;
use pliant::mesh::io::{self, arrays};
use pliant::prelude::Vec3;
use serde_json::Value;
use tempfile::TempDir;

struct Place(TempDir);

/// Held at the far end: vertex 0 is free.
const HELD: [&str; 2] = ["--fix", "x>95%"];

impl Place {
    /// A folder with a bar of 30 tets, a cloth, and a scenario that pulls at vertex 0.
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        place.done(&["mesh", "--shape", "bar", "--subdivision", "1", "-o", "bar.veg"]);
        place.done(&["mesh", "--shape", "cloth", "--subdivision", "4", "-o", "cloth.obj"]);
        place.write(
            "pull.toml",
            "dt = 0.005\nsteps = 6\ndamping = { stiffness = 0.001 }\n[[force]]\nvertices = [0]\n\
             value = [0.0, 0.5, 0.0]\n[[probe]]\nname = 'tip'\nvertex = 0",
        );
        place
    }

    /// A model of the held bar, from four modes unless said otherwise.
    fn build(&self, model: &str, more: &[&str]) -> Value {
        let bar = ["build", "bar.veg", "-o", model];
        let modes: &[&str] = if more.contains(&"--modes") { &[] } else { &["--modes", "4"] };
        // Refused beside forces that are not trained, and it would ask stvk for others than its own.
        let untrained =
            ["projected", "linear", "cubic", "ghost", "stvk"].iter().any(|name| more.contains(name));
        let training: &[&str] = if untrained { &[] } else { &["--training", "20"] };
        self.json(&[&bar[..], training, modes, &HELD, more].concat())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a writable folder");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file that was written")
    }

    fn page(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.0.path()).args(args).output().expect("the binary runs")
    }

    #[track_caller]
    fn done(&self, args: &[&str]) -> Output {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        out
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let out = self.done(&[args, &["--json"]].concat());
        serde_json::from_slice(&out.stdout).expect("one JSON object")
    }

    /// Status 2, nothing on standard output, no file, and all of these words on standard error.
    #[track_caller]
    fn refuses(&self, args: &[&str], words: &[&str]) {
        let before = self.files();
        let out = self.run(&[args, &["--json"]].concat());
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(words.iter().all(|word| said.contains(word)), "{args:?} said {said:?}, not all of {words:?}");
        assert!(!said.contains("panicked"), "{said}");
        assert_eq!(self.files(), before, "{args:?}");
    }

    fn files(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> =
            folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Value) -> usize {
    value.as_array().expect("a list").len()
}

#[track_caller]
fn has(answer: &Value, keys: &[&str]) {
    let object = answer.as_object().expect("an object");
    keys.iter().for_each(|key| assert!(object.contains_key(*key), "{key} is missing in {object:?}"));
}

#[test]
fn every_basis_and_every_force_says_what_the_contract_says() {
    let place = Place::new();
    let all = [
        ("modes", "projected", 4),
        ("modes", "linear", 4),
        ("derivatives", "cubic", 14),
        ("derivatives", "cubature", 14),
        ("extended", "cubature", 36),
        ("derivatives", "ghost", 14),
    ];
    for (basis, forces, rank) in all {
        let material = if forces == "cubic" { "stvk" } else { "stable-neo-hookean" };
        let options = ["--basis", basis, "--forces", forces, "--material", material];
        let points = if basis == "extended" { &["--cubature", "20"][..] } else { &[] };
        let built = place.build("bar.pliant", &[&options[..], points].concat());
        let keys = "rank modes frequencies_hz singular_values forces cubature_points ghost_vertices training_error validation_error \
                    stages peak_memory_mb bytes basis affine dropped material seconds warnings";
        has(&built, &keys.split_whitespace().collect::<Vec<_>>());
        let rank = rank - if basis == "extended" { number(&built["dropped"]) as usize } else { 0 };
        let found = (&built["rank"], &built["modes"], &built["basis"], &built["forces"], &built["affine"]);
        let wanted = (rank.into(), 4.into(), basis.into(), forces.into(), 0.into());
        assert_eq!(found, (&wanted.0, &wanted.1, &wanted.2, &wanted.3, &wanted.4));
        assert_eq!((count(&built["frequencies_hz"]), &built["material"][0]), (4, &material.into()));
        assert_eq!(built["bytes"], place.read("bar.pliant").len(), "{basis} {forces}");
        assert_eq!(count(&built["singular_values"]) > 0, basis == "derivatives");
        let trained = forces == "cubature";
        for key in ["cubature_points", "training_error", "validation_error"] {
            assert_eq!(built[key].is_null(), !trained, "{basis} {forces}: {key}");
        }
        assert_eq!(built["ghost_vertices"].is_null(), forces != "ghost", "{basis} {forces}");
        assert!(built["stages"].as_object().is_some_and(|s| s.values().all(|x| number(x) >= 0.0)));

        let info = place.json(&["info", "bar.pliant"]);
        let keys = "kind vertices elements mesh_kind rank modes basis affine frequencies_hz singular_values dropped \
                    forces cubature_points ghost_vertices training_error validation_error training material mass held seed warnings";
        has(&info, &keys.split_whitespace().collect::<Vec<_>>());
        assert_eq!((&info["kind"], &info["elements"]), (&"model".into(), &30.into()));
        let shared = "rank modes basis forces affine dropped frequencies_hz singular_values cubature_points \
                      ghost_vertices training_error validation_error";
        for key in shared.split_whitespace() {
            assert_eq!(info[key], built[key], "{basis} {forces}: {key}");
        }

        let ran = place.json(&["simulate", "bar.pliant", "pull.toml"]);
        let keys = "steps dt microseconds_per_step kinetic elastic probes newton_iterations diverged coordinates \
                    iterations_per_step largest_residual halved_steps warnings";
        has(&ran, &keys.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            (&ran["steps"], &ran["coordinates"], &ran["diverged"]),
            (&6.into(), &rank.into(), &false.into())
        );
        assert_eq!([count(&ran["kinetic"]), count(&ran["elastic"]), count(&ran["probes"]["tip"])], [7; 3]);
        assert!(number(&ran["probes"]["tip"][6][1]) > 0.0, "{basis} {forces}: it goes where it is pulled");

        let compared = place.json(&["compare", "bar.pliant", "pull.toml", "--mesh", "bar.veg"]);
        let keys = "relative_l2_mean relative_l2_max frequency_error speedup of_the_body_mean of_the_body_max \
                    microseconds_per_step diverged warnings";
        has(&compared, &keys.split_whitespace().collect::<Vec<_>>());
        let [mean, max] = ["relative_l2_mean", "relative_l2_max"].map(|key| number(&compared[key]));
        assert!(0.0 < mean && mean <= max && max < 1.0, "{basis} {forces}: {mean} and {max}");
        assert!(number(&compared["speedup"]) > 0.0);
    }
}

#[test]
fn options_of_a_cubature_ask_for_one() {
    let place = Place::new();
    let built = place.build("s.pliant", &["--material", "stvk", "--cubature", "12"]);
    assert_eq!(
        (&built["forces"], &built["cubature_points"].as_u64().map(|s| s <= 12)),
        (&"cubature".into(), &Some(true))
    );
    let build = ["build", "bar.veg", "-o", "x.pliant", "--fix", "x>95%", "--material", "stvk"];
    for forces in ["linear", "projected", "cubic"] {
        let words = [forces, "--forces cubature"];
        place.refuses(&[&build[..], &["--forces", forces, "--cubature", "9"]].concat(), &words);
    }
}

#[test]
fn an_accuracy_finds_its_model() {
    let place = Place::new();
    let build = ["build", "bar.veg", "-o", "a.pliant", "--training", "60", "--accuracy", "8", "--json"];
    // Held as usual where nothing is said: this file stores what is fixed.
    let out = place.run(&[&build[..], &["--quiet"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let held: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert!(held["warnings"].to_string().contains("held where its file says"), "{}", held["warnings"]);
    assert!(number(&place.json(&["info", "a.pliant"])["held"]) > 0.0);

    let built = place.json(&[&build[..8], &["--fix", "x>95%"]].concat());
    let accuracy = &built["accuracy"];
    has(
        accuracy,
        &[
            "asked",
            "aim",
            "met",
            "measured",
            "chosen",
            "basis_error",
            "projection_error",
            "why",
            "tried",
            "would_buy",
        ],
    );
    assert_eq!((&accuracy["met"], number(&accuracy["asked"])), (&true.into(), 0.08));
    assert!(
        number(&accuracy["measured"]["scenario"]) <= 0.08 && number(&accuracy["measured"]["poses"]) <= 0.08
    );
    assert_eq!(accuracy["measured"]["poses"], built["validation_error"]);
    assert_eq!(
        (&accuracy["chosen"]["rank"], &accuracy["chosen"]["modes"]),
        (&built["rank"], &built["modes"])
    );
    assert!(!built["warnings"].to_string().contains("nothing is said"));
    let buys = accuracy["would_buy"].as_array().expect("a list");
    assert!(buys.iter().all(|step| step["change"].as_str().is_some_and(|c| c.contains("->"))), "{buys:?}");
    let scenarios = accuracy["scenarios"].as_array().expect("a list");
    assert_eq!(scenarios.len(), 2);
    for scenario in scenarios {
        let (reach, error) = (number(&scenario["reach"]), number(&scenario["error"]));
        assert!(
            (reach - 0.1).abs() < 0.02 && error <= number(&accuracy["measured"]["scenario"]),
            "{scenario}"
        );
    }
    assert!(place.json(&["build", "bar.veg", "-o", "b.pliant", "--modes", "4"])["accuracy"].is_null());

    // For people.
    let out = place.run(&[&build[..8], &["--fix", "x>95%"]].concat());
    let said = text(&out.stdout);
    for words in
        ["accuracy        within 8.000 %", "on fresh poses", "why", "would buy       rank", "released"]
    {
        assert!(said.contains(words), "{said} has not {words:?}");
    }

    let build = ["build", "bar.veg", "-o", "x.pliant", "--fix", "x>95%"];
    for forces in ["linear", "projected"] {
        let words = [forces, "--accuracy", "--forces cubature"];
        place.refuses(&[&build[..], &["--forces", forces, "--accuracy", "3"]].concat(), &words);
    }
    place.refuses(&[&build[..], &["--accuracy", "-3"]].concat(), &["accuracy", "> 0"]);
    let free = ["build", "bar.veg", "-o", "x.pliant", "--fix", "none", "--accuracy", "3"];
    place.refuses(&free, &["move as a whole", "--fix"]);
}

#[test]
fn a_number_of_ghost_vertices_asks_for_a_ghost() {
    let place = Place::new();
    place.json(&["mesh", "--shape", "cloth", "--subdivision", "12", "-o", "cloth.obj"]);
    let build = ["build", "cloth.obj", "-o", "cloth.pliant", "--modes", "4", "--fix", "x<5%"];
    let built = place.json(&[&build[..], &["--ghost", "60"]].concat());
    assert_eq!((&built["forces"], &built["ghost_vertices"]), (&"ghost".into(), &60.into()));
    assert!(built["cubature_points"].is_null() && built["validation_error"].is_null());
    assert_eq!(place.json(&["info", "cloth.pliant"])["ghost_vertices"], 60);
    let usual = place.json(&[&build[..], &["--forces", "ghost"]].concat());
    assert_eq!(usual["ghost_vertices"], 169, "all, where there are so few");
    place.refuses(&[&build[..], &["--ghost", "170"]].concat(), &["170", "only 169", "fewer"]);
    place.refuses(&[&build[..], &["--ghost", "3"]].concat(), &["at least 4"]);
    place.refuses(
        &[&build[..], &["--ghost", "60", "--forces", "linear"]].concat(),
        &["linear", "--forces ghost"],
    );
    place.refuses(&[&build[..], &["--ghost", "60", "--cubature", "9"]].concat(), &["leave out one"]);
    place.refuses(&[&build[..], &["--ghost", "60", "--training", "9"]].concat(), &["leave out one"]);
}

#[test]
fn a_surface_is_thinned() {
    let place = Place::new();
    place.json(&["mesh", "--shape", "cloth", "--subdivision", "12", "-o", "cloth.obj"]);
    let thin = place.json(&["mesh", "cloth.obj", "-o", "thin.obj", "--decimate", "50"]);
    assert_eq!(
        (&thin["vertices"], &thin["closed"], &thin["manifold"]),
        (&50.into(), &false.into(), &true.into())
    );
    place.refuses(&["mesh", "cloth.obj", "-o", "x.obj", "--decimate", "170"], &["170", "only 169"]);
    place.refuses(&["mesh", "bar.veg", "-o", "x.obj", "--decimate", "9"], &["solid"]);
}

#[test]
fn what_is_missed_is_written_with_status_one() {
    let place = Place::new();
    let build =
        ["build", "bar.veg", "-o", "x.pliant", "--fix", "x>95%", "--modes", "4", "--training", "2", "--json"];
    let out = place.run(&[&build[..], &["--accuracy", "1e-20"]].concat());
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("missed") && said.contains("--modes"), "{said}");
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert_eq!(answer["accuracy"]["met"], false);
    assert!(number(&answer["accuracy"]["measured"]["scenario"]) > 1e-22);
    place.json(&["info", "x.pliant"]);
}

#[test]
fn a_free_body_has_first_columns_with_a_name() {
    let place = Place::new();
    for (basis, columns, words) in
        [("modes", 6, "6 of them rigid motions"), ("extended", 12, "12 of them affine fields")]
    {
        let args = [
            "build",
            "bar.veg",
            "-o",
            "free.pliant",
            "--modes",
            "3",
            "--basis",
            basis,
            "--forces",
            "projected",
        ];
        assert_eq!(place.json(&args)["affine"], columns);
        assert_eq!(place.json(&["info", "free.pliant"])["affine"], columns);
        let said = text(&place.done(&["info", "free.pliant"]).stdout);
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("00000000"), "constants are rounded for people: {said}");
    }
}

#[test]
fn a_surface_is_reduced_as_well() {
    let place = Place::new();
    let build =
        ["build", "cloth.obj", "-o", "cloth.pliant", "--modes", "5", "--basis", "derivatives", "--rank", "8"];
    let built = place.json(&[&build[..], &["--fix", "x<5%", "--training", "20"]].concat());
    assert_eq!((&built["rank"], &built["forces"]), (&8.into(), &"cubature".into()));
    let info = place.json(&["info", "cloth.pliant"]);
    assert_eq!((&info["mesh_kind"], &info["mass"]), (&"triangles".into(), &"lumped".into()));
    place.write("fall.toml", "dt = 0.01\nsteps = 3\ngravity = [0.0, -1.0, 0.0]");
    assert_eq!(place.json(&["simulate", "cloth.pliant", "fall.toml"])["steps"], 3);
}

#[test]
fn arrays_of_a_motion_have_the_shapes_of_the_contract() {
    let place = Place::new();
    place.build("bar.pliant", &["--rank", "10"]);
    let ran = place.json(&["simulate", "bar.pliant", "pull.toml", "-o", "m.npz"]);
    let array = |name: &str| arrays::load(&place.path("m.npz"), name).expect("an array of the file");
    for (name, shape) in [
        ("times", &[7][..]),
        ("q", &[7, 10]),
        ("U", &[72, 10]),
        ("rest", &[24, 3]),
        ("elements", &[30, 4]),
        ("kinetic", &[7]),
        ("elastic", &[7]),
        ("tip.x", &[7]),
        ("tip.y", &[7]),
        ("tip.z", &[7]),
    ] {
        assert_eq!(array(name).shape, shape, "{name}");
    }
    // u = U q at vertex 0 is what the probe says.
    let (q, U) = (array("q").data, array("U").data);
    for c in 0..3 {
        let u: f64 = (0..10).map(|k| U[c * 10 + k] * q[60 + k]).sum();
        let probe = number(&ran["probes"]["tip"][6][c]);
        assert!((u - probe).abs() <= 1e-12 * u.abs().max(1e-6), "component {c}: {u} and {probe}");
    }
    for out in ["m.glb", "m.pc2", "m.pvd", "m.csv", "m.html", "m.png"] {
        place.json(&["simulate", "bar.pliant", "pull.toml", "-o", out]);
        assert!(place.read(out).len() > 100, "{out}");
    }
    for integrator in ["newmark", "backward-euler", "quasi-newton"] {
        let args = ["simulate", "bar.pliant", "pull.toml", "--integrator", integrator];
        assert_eq!(place.json(&args)["diverged"], false, "{integrator}");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_any_name() {
    let place = Place::new();
    place.done(&["mesh", "--shape", "bar", "--subdivision", "2", "-o", "bar.veg"]);
    let all: [(&str, &[&str]); 3] = [
        ("cubature", &["--cubature", "15"]),
        ("cubic", &["--material", "stvk"]),
        ("extended", &["--basis", "extended", "--forces", "linear"]),
    ];
    for (name, more) in all {
        let build = |threads: &str| {
            let file = format!("{name}-{threads}.pliant");
            place.build(&file, &[more, &["--threads", threads]].concat());
            place.read(&file)
        };
        let one = build("1");
        assert!(build("2") == one, "{name}, two threads");
        assert!(build("7") == one, "{name}, seven threads");
        place.build("another-name.pliant", more);
        assert!(place.read("another-name.pliant") == one, "{name}, another name");
    }
    let points = |seed: &str| {
        place.build("seed.pliant", &["--cubature", "15", "--seed", seed]);
        (place.json(&["info", "seed.pliant"])["training_error"].clone(), place.read("seed.pliant"))
    };
    assert!(points("0").1 == place.read("cubature-1.pliant"), "zero is the default");
    assert_ne!(points("1").0, points("0").0, "another seed, other poses");
}

#[test]
fn bad_requests_are_refused_with_what_would_work() {
    let place = Place::new();
    let build = |more: &[&str], words: &[&str]| {
        let bar = ["build", "bar.veg", "-o", "x.pliant", "--modes", "4"];
        place.refuses(&[&bar[..], &HELD, more].concat(), words);
    };
    build(&["--rank", "99"], &["rank 99", "14", "ask for more modes, or for a rank of at most 14"]);
    build(&["--cubature", "31"], &["31 cubature points", "30 components", "at most 30"]);
    build(&["--forces", "cubic"], &["stable-neo-hookean", "--forces cubature", "--material stvk"]);
    build(&["--forces", "cubic", "--material", "stvk", "--rank", "200"], &["up to 128", "fewer"]);
    build(&["--forces", "magic"], &["magic", "projected, linear, cubic, cubature"]);
    build(&["--basis", "magic"], &["magic", "modes, derivatives, extended"]);
    build(&["--pose-scale", "0"], &["scale"]);
    let bar = |output: &str, more: &[&str], words: &[&str]| {
        place.refuses(&[&["build", "bar.veg", "-o", output], more].concat(), words);
    };
    bar("nowhere/x.pliant", &[], &["nowhere", "make it first"]);
    bar("x.model", &[], &["x.model", ".pliant"]);
    bar("x.pliant", &["--report", "nowhere/x.html"], &["nowhere", "make it first"]);
    bar("x.pliant", &["--report", "x.pdf"], &["x.pdf", ".html"]);

    place.build("bar.pliant", &["--forces", "projected"]);
    place.done(&["mesh", "--shape", "bar", "--subdivision", "2", "-o", "other.veg"]);
    place.done(&["mesh", "bar.veg", "-o", "small.veg", "--scale-to", "0.5"]);
    place.json(&["compare", "bar.pliant", "pull.toml", "--mesh", "small.veg"]);
    let other = ["compare", "bar.pliant", "pull.toml", "--mesh", "other.veg"];
    place.refuses(&other, &["bar.pliant", "another mesh", "other.veg", "pliant build other.veg"]);

    let info = place.json(&["info", "bar.pliant"]);
    assert_eq!(info["held"], 12, "four vertices of the far end");
    place.json(&[
        "build",
        "bar.veg",
        "-o",
        "held.pliant",
        "--modes",
        "4",
        "--forces",
        "projected",
        "--fix",
        "ids:0,1,2,3",
    ]);
    for (name, load) in [
        ("force.toml", "[[force]]\nvertices = [V]\nvalue = [0.0, 1.0, 0.0]"),
        ("spring.toml", "[[spring]]\nvertex = V\nstiffness = 1.0\npath = [[0.0, 0.0, 0.0, 0.0]]"),
        ("probe.toml", "[[probe]]\nname = 'p'\nvertex = V"),
    ] {
        for (model, vertex, words) in [
            ("held.pliant", "0", &["vertex 0", "fixed"][..]),
            ("bar.pliant", "24", &["vertex 24", "24 vertices"]),
        ] {
            place.write(name, format!("dt = 0.01\nsteps = 2\n{}", load.replace('V', vertex)));
            for command in ["simulate", "compare"] {
                place.refuses(&[command, model, name], &[&[name], words].concat());
            }
        }
    }
    place.refuses(
        &["simulate", "bar.pliant", "pull.toml", "--integrator", "modal"],
        &["--forces linear", "newmark"],
    );
    place.refuses(
        &["simulate", "bar.pliant", "pull.toml", "-o", "nowhere/m.npz"],
        &["nowhere", "make it first"],
    );
    place.refuses(
        &["simulate", "bar.pliant", "pull.toml", "--young", "3"],
        &["--young belongs to `pliant build`"],
    );
    place.refuses(&["compare", "bar.pliant", "pull.toml", "-o", "c.pdf"], &["c.pdf", ".html"]);
    place.refuses(
        &["compare", "bar.pliant", "pull.toml", "-o", "nowhere/c.html"],
        &["nowhere", "make it first"],
    );
    place.build("linear.pliant", &["--basis", "modes", "--forces", "linear"]);
    let modal = ["simulate", "linear.pliant", "pull.toml", "--integrator", "modal"];
    assert_eq!(place.json(&modal)["diverged"], false);
}

#[test]
fn broken_model_files_are_refused_by_every_command() {
    let place = Place::new();
    place.build("bar.pliant", &["--forces", "projected"]);
    let good = place.read("bar.pliant");
    let mut altered = good.clone();
    *altered.last_mut().expect("bytes") ^= 1;
    place.write("altered.pliant", altered);
    place.write("short.pliant", &good[..good.len() / 2]);
    place.write("head.pliant", &good[..5]);
    place.write("empty.pliant", "");
    std::fs::copy(place.path("bar.veg"), place.path("mesh.pliant")).expect("a copy");
    for name in
        ["altered.pliant", "short.pliant", "head.pliant", "empty.pliant", "mesh.pliant", "absent.pliant"]
    {
        place.refuses(&["info", name], &[name]);
        place.refuses(&["simulate", name, "pull.toml"], &[name]);
        place.refuses(&["compare", name, "pull.toml"], &[name]);
    }
    std::fs::copy(place.path("bar.pliant"), place.path("model.veg")).expect("a copy");
    place.refuses(&["info", "model.veg"], &["model.veg"]);
}

#[test]
fn a_basis_of_everything_moves_as_the_body_does() {
    let place = Place::new();
    // 20 free vertices: sixty modes are all there is.
    let all = [
        "build",
        "bar.veg",
        "-o",
        "all.pliant",
        "--basis",
        "modes",
        "--modes",
        "60",
        "--forces",
        "projected",
    ];
    assert_eq!(place.json(&[&all[..], &HELD].concat())["rank"], 60);
    let same = place.json(&["compare", "all.pliant", "pull.toml"]);
    assert!(number(&same["relative_l2_max"]) < 1e-6, "{same}");
    assert!(number(&same["frequency_error"]) < 1e-6, "{same}");
    // Few coordinates are off, and more of them less so.
    let error = |rank: &str| {
        place.json(
            &[&["build", "bar.veg", "-o", "few.pliant", "--forces", "projected", "--rank", rank], &HELD[..]]
                .concat(),
        );
        number(&place.json(&["compare", "few.pliant", "pull.toml"])["relative_l2_mean"])
    };
    let (few, more) = (error("5"), error("40"));
    assert!(1e-6 < more && more < few && few < 1.0, "{few} and {more}");
    // The reduced run of a model is not the full one, which `--full` gives.
    let tip = |more: &[&str]| {
        let args = [&["simulate", "few.pliant", "pull.toml"], more].concat();
        number(&place.json(&args)["probes"]["tip"][6][1])
    };
    let mesh = place.json(&[&["simulate", "bar.veg", "pull.toml", "--full"], &HELD[..]].concat());
    assert_eq!(tip(&["--full"]), number(&mesh["probes"]["tip"][6][1]));
    assert_ne!(tip(&["--full"]), tip(&[]));
}

#[test]
fn pages_show_what_was_made() {
    let place = Place::new();
    // Few shapes: each is a picture.
    place.build("bar.pliant", &["--modes", "2", "--rank", "4", "--cubature", "10", "--report", "model.html"]);
    place.json(&["compare", "bar.pliant", "pull.toml", "-o", "compare.html"]);
    let shared = [
        "Cubature",
        "Singular values",
        "Modes and their derivatives",
        "derivative 1 2",
        "columns of the basis",
    ];
    let (model, compared) = (place.page("model.html"), place.page("compare.html"));
    for words in shared {
        assert!(model.contains(words) && compared.contains(words), "{words}");
    }
    for words in ["Model of bar.veg", "4 coordinates instead of 60", "error on fresh poses"] {
        assert!(model.contains(words), "{words}");
    }
    for words in ["Probe tip, y", "Kinetic energy", "Elastic energy", "Natural frequencies at rest"] {
        assert!(compared.contains(words), "{words}");
    }
    for page in [&model, &compared] {
        assert!(page.contains("data:image/png;base64,") && !page.contains("https://"), "nothing is fetched");
    }
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_model_and_says_so() {
    let place = Place::new();
    std::fs::create_dir(place.path("taken.html")).expect("a folder");
    let build =
        ["build", "bar.veg", "-o", "bar.pliant", "--modes", "1", "--rank", "1", "--forces", "projected"];
    let out = place.run(&[&build[..], &HELD, &["--report", "taken.html", "--json"]].concat());
    let said = text(&out.stderr);
    assert_eq!((out.status.code(), out.stdout.is_empty()), (Some(2), true), "{said}");
    assert!(said.contains("bar.pliant is written") && said.contains("taken.html"), "{said}");
    assert_eq!(place.json(&["info", "bar.pliant"])["rank"], 1);
}

/// A part that hangs by an edge has modes without stiffness, and no derivatives: the model is none the worse.
#[test]
fn a_page_of_a_body_with_a_hanging_part_says_what_is_missing() {
    let place = Place::new();
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [1.0, 0.0, -1.0],
    ];
    let vertices = corners.into_iter().map(Vec3::from).collect();
    let mesh = TetMesh::new(vertices, vec![[0, 1, 2, 3], [1, 2, 4, 5]]).expect("a common edge").into_data();
    io::save(&place.path("hinge.veg"), &mesh, None).expect("a file");
    let build = [
        "build",
        "hinge.veg",
        "-o",
        "hinge.pliant",
        "--fix",
        "ids:0,1,2,3",
        "--basis",
        "modes",
        "--modes",
        "2",
    ];
    place.json(&[&build[..], &["--forces", "projected", "--report", "hinge.html"]].concat());
    place.write("fall.toml", "dt = 0.01\nsteps = 2\ngravity = [0.0, -1.0, 0.0]");
    place.json(&["compare", "hinge.pliant", "fall.toml", "-o", "compare.html"]);
    for page in ["hinge.html", "compare.html"] {
        let page = place.page(page);
        assert!(page.contains("derivatives are not shown: "), "why there are none");
        assert!(page.contains("mode 1") && page.contains("columns of the basis"), "what there is");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_leaves_no_file() {
    let place = Place::new();
    place.done(&["mesh", "--shape", "bar", "--subdivision", "5", "-o", "bar.veg"]);
    let before = place.files();
    // More training than anybody waits for.
    let build = [
        "build",
        "bar.veg",
        "-o",
        "x.pliant",
        "--report",
        "x.html",
        "--training",
        "100000",
        "--fix",
        "x>95%",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    let mut child = command.current_dir(place.0.path()).args(build).spawn().expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !sent.is_ok_and(|s| s.success()) {
        child.kill().expect("a running child");
        child.wait().expect("its end");
        return;
    }
    let start = std::time::Instant::now();
    assert_eq!(child.wait().expect("its end").code(), Some(130));
    assert!(start.elapsed().as_secs() < 20, "it stops soon");
    assert_eq!(place.files(), before);
}

#[test]
fn a_basis_of_snapshots_from_a_file_or_from_a_scenario() {
    let place = Place::new();
    let full = ["simulate", "bar.veg", "pull.toml", "--full", "-o", "run.npz"];
    place.done(&[&full[..], &HELD].concat());
    let build = |model: &str, more: &[&str]| {
        let bar = ["build", "bar.veg", "-o", model, "--basis", "pod", "--training", "20"];
        place.json(&[&bar[..], &HELD, more].concat())
    };
    let file = build("file.pliant", &["--snapshots", "run.npz"]);
    let scenario = build("scenario.pliant", &["--scenario", "pull.toml"]);
    // Seven states, the first of them at rest.
    assert_eq!((file["rank"].as_u64(), file["modes"].as_u64()), (Some(6), Some(0)));
    assert_eq!(file["frequencies_hz"], serde_json::json!([]));
    assert_eq!(place.read("file.pliant"), place.read("scenario.pliant"));
    assert_eq!(file["singular_values"], scenario["singular_values"]);
    let small = build("two.pliant", &["--snapshots", "run.npz", "--rank", "2"]);
    assert_eq!(small["rank"], 2);
    // The model repeats what it was made from; all other commands take it.
    let two = ["compare", "file.pliant", "pull.toml"];
    let error = place.json(&two)["relative_l2_max"].as_f64().expect("a number");
    assert!(error < 0.05, "{error}");
    assert_eq!(place.json(&["info", "file.pliant"])["basis"], "pod");

    place.write("cloth.toml", "dt = 0.005\nsteps = 2\ngravity = [0.0, -1.0, 0.0]");
    let hold = ["--fix", "x>95%"];
    place.done(&[&["simulate", "cloth.obj", "cloth.toml", "--full", "-o", "cloth.npz"][..], &hold].concat());
    let pod = ["build", "bar.veg", "-o", "x.pliant", "--basis", "pod"];
    place.refuses(&[&pod[..], &["--snapshots", "cloth.npz"]].concat(), &["cloth.npz", "another mesh"]);
    place.done(&["mesh", "bar.veg", "-o", "long.veg", "--scale-to", "3"]);
    let long = ["build", "long.veg", "-o", "x.pliant", "--basis", "pod", "--snapshots", "run.npz"];
    place.refuses(&long, &["run.npz", "rest positions", "another size"]);
    place.done(&["simulate", "file.pliant", "pull.toml", "-o", "reduced.npz"]);
    place.refuses(&[&pod[..], &["--snapshots", "reduced.npz"]].concat(), &["reduced.npz", "--full"]);
    // Said before the scenario runs.
    let late = [&pod[..], &["--scenario", "pull.toml", "--trainer", "magic"]].concat();
    place.refuses(&late, &["magic", "greedy"]);
    place.refuses(
        &["build", "bar.veg", "-o", "x.pliant", "--accuracy", "1", "--ghost", "20"],
        &["--accuracy", "--ghost"],
    );
    place.refuses(&pod, &["--snapshots", "--scenario"]);
    place.refuses(
        &[&pod[..], &["--snapshots", "run.npz", "--rank", "9"]].concat(),
        &["at most 6", "7 snapshots"],
    );
    place.refuses(&[&pod[..], &["--snapshots", "run.npz", "--modes", "4"]].concat(), &["--modes", "pod"]);
    place.refuses(
        &["build", "bar.veg", "-o", "x.pliant", "--snapshots", "run.npz"],
        &["--basis pod", "derivatives"],
    );
}

#[test]
fn every_trainer_trains_and_says_its_name() {
    let place = Place::new();
    for trainer in ["nn-htp", "nn-htp-step", "greedy", "greedy-all", "greedy-subset"] {
        let made = place.build("model.pliant", &["--trainer", trainer, "--cubature", "9"]);
        assert!(made["validation_error"].as_f64().is_some_and(|e| e < 1.0), "{trainer}: {made}");
        let info = place.json(&["info", "model.pliant"]);
        assert_eq!(info["training"]["trainer"], trainer);
    }
    let best = place.build("model.pliant", &["--cubature", "9"]);
    assert!(best["validation_error"].as_f64().is_some());
    place.refuses(
        &["build", "bar.veg", "-o", "x.pliant", "--trainer", "magic"],
        &["magic", "best, nn-htp", "greedy"],
    );
}
