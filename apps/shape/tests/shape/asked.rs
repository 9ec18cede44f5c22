//! What can be asked, what is refused, and what is written.

use pliant_energy::{MassKind, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::io::arrays::Npz;
use pliant_mesh::{Faces, MeshData};
use pliant_reduce::linear_modes_quietly;
use pliant_shape::{Found, Kind, Request, SimError, Threshold, Times};

use crate::shells::{apart, potato};

fn asked(mesh: &MeshData, request: &Request) -> Result<Found, SimError> {
    let recipe = Recipe { mass: Some(MassKind::Lumped), ..Recipe::default() };
    let body = recipe.build(mesh.clone()).expect("a body");
    request.run(mesh, &recipe, &body, &mut ignore_progress)
}

fn small() -> Request {
    Request { modes: Some(30), at: vec![3], from: vec![9], ..Request::default() }
}

#[test]
fn all_of_it_in_one_call_and_as_files() {
    let mesh = potato(8);
    let request = Request { thresholds: vec![Threshold::Share(0.1)], alike: 2, features: true, ..small() };
    let found = asked(&mesh, &request).expect("a signature");
    let facts = found.facts(1.5);
    let json = facts.to_json();
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
    ] {
        assert!(json.contains_key(key), "{key}");
    }
    assert_eq!((&json["kind"], &json["rigid_modes"]), (&"vibration".into(), &6.into()));
    assert_eq!(json["vertices"], serde_json::json!([3, 9]));
    assert_eq!(
        (json["signature"].as_array().expect("rows").len(), json["t"].as_array().expect("t").len()),
        (101, 101)
    );
    assert_eq!(json["distance"][1], 0.0);
    assert_eq!(json["signature"][7][0], found.signature.as_ref().expect("all").at_time(7)[3]);
    assert!(!found.regions.is_empty() && !found.features.is_empty());
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.npz", "a.csv", "a.ply", "a.glb", "a.png", "a.html"] {
        let path = folder.path().join(name);
        found.save(&path, "potato", &facts, &["a <word>".into()], &mut ignore_progress).expect("a file");
        let bytes = std::fs::read(&path).expect("a file");
        found.save(&path, "potato", &facts, &["a <word>".into()], &mut ignore_progress).expect("a file");
        assert_eq!(bytes, std::fs::read(&path).expect("a file"), "{name}: the same bytes");
        match name {
            "a.csv" => {
                let text = String::from_utf8(bytes).expect("text");
                assert_eq!((text.lines().next(), text.lines().count()), (Some("t,l1,3,9"), 102));
            }
            "a.html" => {
                let text = String::from_utf8(bytes).expect("text");
                assert!(text.contains("a &lt;word&gt;") && text.matches("data:image/png").count() == 4);
            }
            "a.npz" => {
                let npz = Npz::open(&path).expect("arrays");
                assert_eq!(npz.names().collect::<Vec<_>>(), ["t", "signature", "distance", "eigenvalues"]);
                let s = npz.get("signature").expect("S");
                assert_eq!(s.shape, [mesh.vertices.len(), 101]);
                assert_eq!(s.data[3 * 101 + 7], found.signature.as_ref().expect("all").at_time(7)[3]);
                assert_eq!(npz.get("distance").expect("d").data, *found.distance.as_ref().expect("d"));
            }
            _ => assert!(bytes.len() > 1000, "{name}"),
        }
    }
    let wrong = found.save(&folder.path().join("a.txt"), "", &facts, &[], &mut ignore_progress);
    assert!(wrong.expect_err("no such format").to_string().contains(".ply"));
}

#[test]
fn exactly_is_what_many_modes_come_to() {
    let mesh = potato(6);
    let times = Times::Relative { from: 0.05, to: 5.0, count: 9 };
    let exact = Request { exact: true, from: Vec::new(), times: times.clone(), ..small() };
    let found = asked(&mesh, &exact).expect("a signature");
    let all = asked(&mesh, &Request { modes: Some(200), times, ..small() }).expect("a signature");
    assert!(found.missed.is_empty() && found.signature.is_none() && found.eigenvalues.len() == 1);
    assert!(apart(&found.told[0], &all.told[0]) < 1e-4, "{:?} {:?}", found.told, all.told);
    let json = found.facts(1.0).to_json();
    assert!(json["l1"].is_null() && json["distance"].is_null() && json["vertices"] == serde_json::json!([3]));
}

#[test]
fn modes_of_a_file_are_held_against_the_body() {
    let mesh = potato(6);
    let recipe = Recipe { mass: Some(MassKind::Lumped), ..Recipe::default() };
    let body = recipe.build(mesh.clone()).expect("a body");
    let modes = linear_modes_quietly(&body, 40).expect("modes").modes;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("modes.npz");
    pliant_mesh::io::motion::modes::save(&path, &mesh, &modes).expect("a file");
    let cached = Request { cache: Some(path), ..small() };
    let [own, other] = [&small(), &cached].map(|request| asked(&mesh, request).expect("a signature"));
    assert_eq!(own.eigenvalues, other.eigenvalues);
    assert!(apart(own.distance.as_ref().expect("d"), other.distance.as_ref().expect("d")) < 1e-9);
    let said = |mesh: &MeshData, request: &Request| match asked(mesh, request) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("not refused"),
    };
    assert!(said(&potato(7), &cached).contains("another mesh"));
    let mut moved = mesh.clone();
    moved.vertices[5].x += 0.01;
    assert!(said(&moved, &cached).contains("another mesh"));
    assert!(said(&mesh, &Request { modes: Some(41), ..cached.clone() }).contains("the file has 40"));
    let stiff = Recipe { bend: Some(5.0), ..recipe };
    let body = stiff.build(mesh.clone()).expect("a body");
    let error = cached.run(&mesh, &stiff, &body, &mut ignore_progress).err().expect("another material");
    assert!(error.to_string().contains("another material"), "{error}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mesh = potato(5);
    let base = small;
    let many = Request { modes: Some(5000), ..base() };
    let heat = Request { kind: Kind::Heat, ..base() };
    for (request, words) in [
        (many, "5000 modes were asked for"),
        (Request { modes: Some(0), ..base() }, "needs a mode"),
        (Request { at: vec![9999], ..base() }, "there is no vertex 9999"),
        (Request { times: Times::Relative { from: 3.0, to: 1.0, count: 5 }, ..base() }, "turn them around"),
        (Request { times: Times::Absolute(vec![0.0]), ..base() }, "expected finite numbers > 0"),
        (Request { from: vec![], alike: 2, ..base() }, "need a vertex that distances are measured from"),
        (Request { thresholds: vec![Threshold::Distance(-1.0)], ..base() }, "a threshold of -1"),
        (Request { thresholds: vec![Threshold::Share(1.5)], ..base() }, "up to 100 %"),
        (Request { persistence: f64::NAN, ..base() }, "a persistence of NaN"),
        (Request { exact: true, ..base() }, "leave one of the two out"),
        (Request { exact: true, at: vec![], from: vec![], ..base() }, "name some to look at"),
        (Request { exact: true, from: vec![], ..heat.clone() }, "only vibrations"),
        (Request { coarse: Some(50), ..heat.clone() }, "heat has modes of its own"),
        (Request { check: true, ..base() }, "nothing to check"),
        (Request { coarse: Some(2), ..base() }, "coarse by 2 vertices"),
        (Request { coarse: Some(1_000_000), ..base() }, "those of the body"),
        (Request { exact: true, from: vec![], tolerance: 2.0, ..base() }, "between 0 and 1"),
    ] {
        let said = asked(&mesh, &request).err().unwrap_or_else(|| panic!("{words}: not refused")).to_string();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_vertex_that_weighs_nothing_is_left_out_and_named() {
    let mut mesh = potato(5);
    let lonely = mesh.vertices.len() as u32;
    mesh.vertices.push(Vec3::new(9.0, 9.0, 9.0));
    for kind in Kind::ALL {
        let request = Request { kind, ..small() };
        let found = asked(&mesh, &request).expect("a signature");
        assert!(found.distance.as_ref().expect("d")[lonely as usize].is_nan());
        let said: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|w| w.contains(&format!("vertex {lonely}"))), "{said:?}");
        let error =
            asked(&mesh, &Request { at: vec![lonely], ..request }).err().expect("refused").to_string();
        assert!(error.contains("belongs to no element"), "{error}");
    }
}

#[test]
fn open_and_broken_surfaces_work_or_say_why() {
    // Three triangles at an edge, and a part of its own.
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.5, 1.0, 0.0],
        [0.5, -1.0, 0.3],
        [0.5, 0.2, 1.0],
        [5.0, 0.0, 0.0],
        [6.0, 0.0, 0.0],
        [5.5, 1.0, 0.0],
        [5.5, 0.4, 0.9],
    ];
    let triangles = [[0, 1, 2], [1, 0, 3], [0, 1, 4], [5, 6, 7], [5, 7, 8]];
    let mesh = MeshData::from_faces(vertices.map(Vec3::from).to_vec(), Faces::from_triangles(&triangles));
    for (kind, rigid) in [(Kind::Vibration, 12), (Kind::Heat, 2)] {
        let request = Request { kind, from: vec![0], ..Request::default() };
        match asked(&mesh, &request) {
            Ok(found) => {
                assert_eq!(found.rigid_modes, rigid, "{}", kind.name());
                assert!(found.distance.expect("d").iter().all(|d| d.is_finite()));
            }
            Err(error) => panic!("{}: {error}", kind.name()),
        }
    }
}
