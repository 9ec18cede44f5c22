//! Accuracies and ghosts: what is measured, and what is missed.

use serde_json::Value;

use crate::place::{Place, has, number, text};

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
        number(&accuracy["measured"]["scenario"]) <= 0.08 && number(&accuracy["measured"]["loads"]) <= 0.08
    );
    assert_eq!(accuracy["measured"]["poses"], built["validation_error"]);
    assert_eq!(accuracy["measured"]["loads"], built["static_error"]);
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
    let said = text(&out.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["accuracy within 8.000 %", "under loads", "why", "would buy rank", "released"] {
        assert!(said.contains(words), "{said} has not {words:?}");
    }

    let build = ["build", "bar.veg", "-o", "x.pliant", "--fix", "x>95%"];
    for forces in ["linear", "projected"] {
        let words = [forces, "--accuracy", "cubature as forces (--forces)"];
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
    place.refuses(&[&build[..], &["--ghost", "170"]].concat(), &["170", "only 169", "smaller", "--ghost"]);
    place.refuses(&[&build[..], &["--ghost", "3"]].concat(), &["at least 4"]);
    place.refuses(
        &[&build[..], &["--ghost", "60", "--forces", "linear"]].concat(),
        &["linear", "for ghost forces", "--ghost"],
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
    // Who asks for silence is told all the same.
    let quiet = place.run(&[&build[..10], &["--accuracy", "1e-20", "--quiet"]].concat());
    assert_eq!((quiet.status.code(), quiet.stdout.len()), (Some(1), 0));
    assert!(text(&quiet.stderr).contains("missed"), "{}", text(&quiet.stderr));
}

#[test]
fn a_force_that_is_far_off_on_fresh_poses_says_so_wherever_it_is_seen() {
    let place = Place::new();
    let build = |more: &[&str]| {
        let cloth =
            ["build", "cloth.obj", "-o", "c.pliant", "--modes", "6", "--training", "60", "--fix", "x<30%"];
        place.json(&[&cloth[..], more].concat())
    };
    let told = "on poses that it was not trained on";
    let few = build(&["--cubature", "4"]);
    assert!(number(&few["validation_error"]) > 0.1, "{few}");
    for said in [&few, &place.json(&["info", "c.pliant"])] {
        let said = said["warnings"].to_string();
        assert!(
            said.contains(told) && said.contains("--cubature") && said.contains("--pose-scale"),
            "{said}"
        );
    }
    // As many as it takes where nobody says how many.
    let enough = build(&[]);
    assert!(
        number(&enough["validation_error"]) < 0.1 && !enough["warnings"].to_string().contains(told),
        "{enough}"
    );
}
