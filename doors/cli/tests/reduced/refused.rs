//! Requests and files that are refused.

use crate::place::{HELD, Place};

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
        let words = [forces, "for cubature forces", "--cubature", "--forces"];
        place.refuses(&[&build[..], &["--forces", forces, "--cubature", "9"]].concat(), &words);
    }
}

#[test]
fn bad_requests_are_refused_with_what_would_work() {
    let place = Place::new();
    let build = |more: &[&str], words: &[&str]| {
        let bar = ["build", "bar.veg", "-o", "x.pliant", "--modes", "4"];
        place.refuses(&[&bar[..], &HELD, more].concat(), words);
    };
    build(&["--rank", "99"], &["--rank) 99", "14", "ask for more modes, or for a rank of at most 14"]);
    build(&["--cubature", "31"], &["31 cubature points", "30 components", "at most 30"]);
    build(&["--forces", "cubic"], &["stable-neo-hookean", "--forces", "law (--material) stvk"]);
    build(
        &["--forces", "cubic", "--material", "stvk", "--rank", "200"],
        &["up to 128 coordinates", "smaller rank (--rank)"],
    );
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
        &["linear forces (--forces)", "newmark"],
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
