//! Motions and pages of a model.

use pliant::mesh::TetMesh;
use pliant::mesh::io::{self, arrays};
use pliant::prelude::Vec3;

use crate::place::{HELD, Place, number, text};

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
    let few = ["--modes", "2", "--rank", "4", "--cubature", "10"];
    place.build("bar.pliant", &[&few[..], &["--report", "model.html"]].concat());
    place.build("studied.pliant", &[&few[..], &["--report", "studied.html", "--report-studies"]].concat());
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
    for words in ["Model of bar.veg", "4 coordinates instead of 60", "on training poses"] {
        assert!(model.contains(words), "{words}");
    }
    // Studies are made when they are asked for, and named when they are not.
    let studied = place.page("studied.html");
    for words in ["Error against rank", "Error against cubature points", "Solvers on one step"] {
        assert!(studied.contains(words) && !model.contains(words), "{words}");
        assert!(model.contains(&words.to_lowercase()), "{words} can be asked for");
    }
    assert!(model.contains("--report-studies") && !studied.contains("--report-studies"));
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
