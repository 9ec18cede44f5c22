//! Every page says what its result is, in the words of the door that asks for it.

use std::path::Path;
use std::sync::Arc;

use pliant_linalg::{Note, Vec3, ignore_progress};
use pliant_mesh::{MeshData, doctor, shapes};
use pliant_reduce::{Model, Precompute};
use pliant_report::{comparison, mesh, model, modes, motion::MotionFile};
use pliant_sim::{Onlookers, RunOptions, Scenario, compare};
use pliant_world::facts::{Facts, of_modes, of_run};
use pliant_world::{Actor, BodyOptions, FullBody, Holding};

fn bar() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.2, 0.2), [3, 1, 1]).into_data()
}

fn body(fixed: &str) -> FullBody {
    let holding = Holding::These(vec![fixed.into()]);
    BodyOptions { holding, ..BodyOptions::default() }.make(bar(), &mut ignore_progress).expect("a body")
}

fn reduced(body: &FullBody) -> Model {
    let precompute = Precompute {
        modes: Some(2),
        rank: Some(2),
        points: Some(4),
        poses: Some(10),
        ..Precompute::default()
    };
    body.reduce(&precompute, &mut ignore_progress).expect("a model").model
}

/// A door that speaks loudly of what it has a word for.
fn loud(note: &Note) -> String {
    note.terms
        .iter()
        .fold(note.sentence.clone(), |said, term| said.replace(term.name, &term.name.to_uppercase()))
}

#[track_caller]
fn has(page: &str, words: &[&str]) {
    words.iter().for_each(|word| assert!(page.contains(word), "{word:?} is missing"));
    assert!(!page.contains("https://") && !page.contains("src=\"http"), "nothing is fetched");
}

/// Every row of the list stands on the page, in the same words.
#[track_caller]
fn has_facts(page: &str, facts: &Facts) {
    assert!(!facts.rows().is_empty());
    for (label, words) in facts.rows() {
        let row = format!("<tr><th scope=\"row\">{label}</th><td>{words}</td></tr>");
        assert!(page.contains(&row), "{row} is missing");
    }
}

#[test]
fn modes_are_shown_with_their_frequencies_and_masses() {
    let body = body("x<5%");
    let found = body.vibration(2, &mut ignore_progress).expect("modes");
    let source = Path::new("folder/<bar>.veg");
    let facts = of_modes(&body, &found, 0.25);
    let page = modes::page(source, &body, &found, &facts, &loud, &mut ignore_progress).expect("a page");
    has(&page, &["Modes of &lt;bar&gt;.veg", "2 modes of 36 degrees of freedom", "effective mass"]);
    has_facts(&page, &facts);
    // The card of a mode says what the list says of it, in the same digits.
    assert_eq!(page.matches(&facts.rows()[1].1).count(), 2, "{:?}", facts.rows()[1]);
    assert_eq!(page.matches("data:image/png;base64,").count(), 2);
    assert!(
        modes::check_ending(Path::new("a.html")).is_ok() && modes::check_ending(Path::new("a.doc")).is_err()
    );
}

#[test]
fn a_model_is_shown_beside_what_could_be_studied_and_beside_its_body() {
    let body = body("x>95%");
    let model = reduced(&body);
    let warnings = ["mind the gap".to_owned()];
    let page =
        model::page(Path::new("bar.veg"), &model, &body.body, &warnings, false, &loud, &mut ignore_progress);
    let made_of =
        ["Cubature", "Singular values", "derivative 1 2", "columns of the basis", "on training poses"];
    let page = page.expect("a page");
    has(&page, &made_of);
    has(&page, &["Model of bar.veg", "2 coordinates instead of 36", "mind the gap", "CAN BE STUDIED"]);

    let text = "dt = 0.01\nsteps = 2\ngravity = [0.0, -1.0, 0.0]\n[[probe]]\nname = 'tip'\nvertex = 0";
    let scenario = Scenario::parse(text, body.mesh.vertices.len()).expect("a scenario");
    let model = Arc::new(model);
    let both =
        compare(&model, &scenario, &RunOptions::default(), None, &mut ignore_progress).expect("two runs");
    let page = comparison::page(Path::new("bar.pliant"), &model, &both, &[], &mut ignore_progress);
    let page = page.expect("a page");
    has(&page, &made_of);
    let error = format!("{:.3} % of the largest motion on average", 100.0 * both.relative_l2_mean());
    has(&page, &["bar.pliant compared", "Probe tip, y", "Natural frequencies at rest", &error]);
}

#[test]
fn a_motion_is_shown_with_the_facts_of_its_run() {
    let text = "dt = 0.01\nsteps = 2\ngravity = [0.0, -1.0, 0.0]\n[[probe]]\nname = 'tip'\nvertex = 0";
    let scenario = Scenario::parse(text, bar().vertices.len()).expect("a scenario");
    let mut actor = Actor::of_model(reduced(&body("x>95%")), &scenario).expect("a model that moves");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bar.html");
    let mut file = MotionFile::new(&path).expect("a page");
    file.begin(&actor, &scenario).expect("room");
    let onlookers = Onlookers {
        watch: &mut ignore_progress,
        frame: &mut |frame| file.see(frame),
        stopwatch: None,
        keep: false,
    };
    let record = actor.run(&scenario, &RunOptions::default(), None, onlookers).expect("a run");
    let facts = of_run(&record, scenario.dt, actor.size());
    file.write(Path::new("bar.pliant"), &actor, &record, &facts, &[], &mut ignore_progress).expect("a file");
    let page = std::fs::read_to_string(&path).expect("the page");
    has(&page, &["Motion of bar.pliant", "Probe tip", "Iterations of each step", "t = 0.0200 s"]);
    has_facts(&page, &facts);
}

#[test]
fn a_mesh_is_shown_with_what_is_wrong_with_it() {
    let mut mesh = bar();
    let rows = [("size".to_owned(), "small".to_owned())];
    let examined = |mesh: &MeshData| {
        doctor::examine(mesh, &doctor::Options::default(), &mut ignore_progress).expect("a report")
    };
    let good = mesh::page("bar", &mesh, &rows, &examined(&mesh), &[], &loud);
    has(&good, &["Nothing is wrong with it.", "small"]);
    if let pliant_mesh::Elements::Tets(tets) = &mut mesh.elements {
        tets[0].swap(0, 1);
    }
    let report = examined(&mesh);
    let bad = mesh::page("bar", &mesh, &rows, &report, &["a comment was skipped".into()], &loud);
    has(&bad, &["a comment was skipped", "The mesh, and where something was found"]);
    let sentences = mesh::sentences(&report, &loud);
    assert!(!sentences.is_empty() && !bad.contains("Nothing is wrong"), "{sentences:?}");
}
