//! What `build` makes.

use std::process::Command;

use crate::place::{HELD, Place, count, has, number, text};

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
        let keys = "rank modes frequencies_hz singular_values forces cubature_points ghost_vertices training_error validation_error static_error frequency_error \
                    pull_error pull_error_with_half stages peak_memory_mb bytes basis affine dropped material seconds warnings";
        has(&built, &keys.split_whitespace().collect::<Vec<_>>());
        let rank = rank - if basis == "extended" { number(&built["dropped"]) as usize } else { 0 };
        let found = (&built["rank"], &built["modes"], &built["basis"], &built["forces"], &built["affine"]);
        let wanted = (rank.into(), 4.into(), basis.into(), forces.into(), 0.into());
        assert_eq!(found, (&wanted.0, &wanted.1, &wanted.2, &wanted.3, &wanted.4));
        assert_eq!((count(&built["frequencies_hz"]), &built["material"][0]), (4, &material.into()));
        assert_eq!(built["bytes"], place.read("bar.pliant").len(), "{basis} {forces}");
        assert_eq!(count(&built["singular_values"]) > 0, basis == "derivatives");
        let trained = forces == "cubature";
        for key in
            ["cubature_points", "training_error", "validation_error", "static_error", "frequency_error"]
        {
            assert_eq!(built[key].is_null(), !trained, "{basis} {forces}: {key}");
        }
        assert_eq!(built["ghost_vertices"].is_null(), forces != "ghost", "{basis} {forces}");
        let [pull, half] = ["pull_error", "pull_error_with_half"].map(|key| number(&built[key]));
        assert!(0.0 < pull && pull < half && half < 1.0, "{basis} {forces}: {pull} and {half}");
        assert!(built["stages"].as_object().is_some_and(|s| s.values().all(|x| number(x) >= 0.0)));

        let info = place.json(&["info", "bar.pliant"]);
        let keys = "kind vertices elements mesh_kind rank modes basis affine frequencies_hz singular_values dropped \
                    forces cubature_points ghost_vertices training_error validation_error static_error frequency_error \
                    pull_error pull_error_with_half training material mass held seed warnings";
        has(&info, &keys.split_whitespace().collect::<Vec<_>>());
        assert_eq!((&info["kind"], &info["elements"]), (&"model".into(), &30.into()));
        let shared = "rank modes basis forces affine dropped frequencies_hz singular_values cubature_points \
                      ghost_vertices training_error validation_error static_error frequency_error \
                      pull_error pull_error_with_half";
        for key in shared.split_whitespace() {
            assert_eq!(info[key], built[key], "{basis} {forces}: {key}");
        }

        let ran = place.json(&["simulate", "bar.pliant", "pull.toml"]);
        let keys = "steps dt microseconds_per_step kinetic elastic probes newton_iterations diverged coordinates \
                    iterations_per_step largest_residual halved_steps unconverged_steps idle_steps steps_at_round_off \
                    round_off_residual warnings";
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
