//! What is written is read again: every format in the table, every variant, every kind of element it holds.

use std::path::Path;

use pliant_linalg::Vec3;
use pliant_mesh::io;
use pliant_mesh::{Attributes, Elements, Faces, MeshData, Region, VertexSet};
use pliant_testkit::{round_trip, strategies};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

#[test]
fn what_is_written_is_read_again() {
    for format in io::ALL {
        for kind in format.holds {
            let endings = format.extensions.iter();
            for (ending, variant) in endings.flat_map(|e| format.variants.iter().map(move |v| (e, v))) {
                let mut runner = TestRunner::new(ProptestConfig { cases: 64, ..ProptestConfig::default() });
                if let Err(e) = runner.run(&strategies::mesh(*kind), |mesh| {
                    // Not one more of the cases that are skipped: a third of random numbers is too large.
                    prop_assume!(format.keeps_in(variant).digits || round_trip::fits_32_bits(&mesh));
                    round_trip::check(format, &mesh, ending, variant).map_err(TestCaseError::fail)
                }) {
                    panic!("{} .{ending} {variant}, {}: {e}", format.name, kind.name());
                }
            }
        }
    }
}

#[test]
fn every_format_is_found_by_its_endings_and_no_ending_is_taken_twice() {
    for format in io::ALL {
        for extension in format.extensions {
            let found = io::format_of(&Path::new("x").with_extension(extension.to_uppercase())).unwrap();
            assert_eq!(found.name, format.name);
        }
    }
    assert!(io::format_of(Path::new("x.blend")).is_err_and(|e| e.to_string().contains(".veg")));
}

#[test]
fn what_is_lost_is_said_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut solid = pliant_mesh::shapes::bar([0.5, 0.25, 0.25].into(), [1, 1, 1]).into_data();
    let mut save = |x: f64, name: &str, variant: &str| {
        solid.vertices[0].x = x;
        io::save(&folder.path().join(name), &solid, Some(variant)).unwrap()
    };
    let boundary = "STL holds surfaces only: the boundary of the solid was written";
    let numbers = "STL cannot hold vertex numbers: left out";
    assert_eq!(save(-0.5, "a.stl", "binary"), [boundary, numbers], "all coordinates fit 32 bits");
    assert_eq!(save(-0.1, "b.stl", "text"), [boundary, numbers], "text keeps all digits");
    let notes = save(-0.1, "c.stl", "binary");
    assert!(notes.len() == 3 && notes[1].contains("digits"), "{notes:?}");
    // Vertices in the order in which the triangles name them are read again with their numbers.
    let triangle = MeshData::from_faces(
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
        Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]),
    );
    assert_eq!(io::save(&folder.path().join("d.stl"), &triangle, None).unwrap(), Vec::<String>::new());
    assert_eq!(io::load(&folder.path().join("d.stl")).unwrap().mesh.vertices, triangle.vertices);
}

#[test]
fn what_a_solid_has_and_its_surface_has_not_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    let bar = pliant_mesh::shapes::bar([0.5, 0.25, 0.25].into(), [1, 1, 1]);
    let surface = bar.boundary();
    let (bar, _) = pliant_mesh::embed::attach(bar, &surface).unwrap();
    let mut solid = bar.into_data();
    solid.attributes.regions = vec![Region { name: "all".into(), material: None }];
    solid.attributes.region_of = vec![0; solid.elements.len()];
    solid.attributes.sets = vec![VertexSet { name: "fixed".into(), vertices: vec![0] }];
    let lost = "the surface does not have the solid's regions, vertex sets: left out";
    assert_eq!(io::save(&path, &solid, None).unwrap()[1..], [lost], "the embedded surface");
    solid.attributes.embedded = None;
    assert_eq!(io::save(&path, &solid, None).unwrap()[1..], [lost], "the boundary");
    solid.attributes = Attributes::default();
    assert_eq!(io::save(&path, &solid, None).unwrap().len(), 1);
}

#[test]
fn an_embedded_surface_stays_beside_its_solid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.veg");
    let mut mesh = pliant_mesh::shapes::ball(1.0, 2).into_data();
    let Elements::Tets(tets) = &mesh.elements else { unreachable!("a ball is a solid") };
    let boundary = pliant_mesh::topology::boundary_faces(tets);
    let mut embedding = pliant_mesh::Embedding::default();
    (0..mesh.vertices.len() as u32).for_each(|v| embedding.push([(v, 0.75), (0, 0.25)]));
    mesh.attributes = Attributes {
        sets: vec![VertexSet { name: "fixed".into(), vertices: vec![0, 3] }],
        embedded: Some(pliant_mesh::Embedded {
            vertices: embedding.apply(&mesh.vertices),
            faces: pliant_mesh::Faces::from_triangles(&boundary),
            embedding,
            regions: ["north", "south"].map(|n| Region { name: n.into(), material: None }).into(),
            region_of: (0..boundary.len() as u32).map(|f| f % 2).collect(),
        }),
        ..Attributes::default()
    };
    assert_eq!(io::save(&path, &mesh, None).unwrap(), Vec::<String>::new());
    assert_eq!(io::load(&path).unwrap().mesh, mesh);
}
