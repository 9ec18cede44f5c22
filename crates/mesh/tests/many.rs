//! Tens of thousands of regions, materials and sets cost as many times what one costs. Where somebody looks for a name in a list, each
//! of these tests takes minutes instead of a moment.

use std::ops::ControlFlow;

use pliant_linalg::Vec3;
use pliant_mesh::doctor::{self, Severity, What};
use pliant_mesh::io::{self, Source};
use pliant_mesh::{Elements, Faces, Law, Material, MeshData, Region, VertexSet, shapes};
use pliant_testkit::round_trip;

/// Every element a region with a material of its own, every vertex a set.
fn each_its_own(mut mesh: MeshData) -> MeshData {
    let elements = mesh.elements.len() as u32;
    let a = &mut mesh.attributes;
    // Not in the order of their names.
    let name = |what: &str, i: u32| format!("{what} {}", i.wrapping_mul(0x9E37_79B1));
    let law = Law::isotropic(1e6, 0.45);
    a.materials = (0..elements)
        .map(|i| Material { name: name("matter", i), density: 1000.0, law: law.clone() })
        .collect();
    a.regions = (0..elements).map(|i| Region { name: name("region", i), material: Some(i) }).collect();
    a.region_of = (0..elements).collect();
    a.sets = (0..mesh.vertices.len() as u32)
        .map(|v| VertexSet { name: name("set", v), vertices: vec![v] })
        .collect();
    mesh
}

#[test]
fn every_format_writes_and_reads_as_many_regions_and_sets_as_it_is_given() {
    let solid = shapes::bar(Vec3::new(0.5, 0.25, 0.25), [32, 16, 16]).into_data();
    let triangles = pliant_mesh::topology::boundary_faces(match &solid.elements {
        Elements::Tets(tets) => tets,
        Elements::Faces(_) => unreachable!("a bar is a solid"),
    });
    let surface = MeshData::from_faces(solid.vertices.clone(), Faces::from_triangles(&triangles));
    let (solid, surface) = (each_its_own(solid), each_its_own(surface));
    assert!(solid.attributes.regions.len() > 40_000, "{}", solid.attributes.regions.len());
    for format in io::ALL {
        for mesh in [&solid, &surface].into_iter().filter(|m| format.holds.contains(&m.kind())) {
            let (ending, variant) = (format.extensions[0], format.variants[0]);
            round_trip::check(format, mesh, ending, variant).unwrap();
        }
    }
}

#[test]
fn a_set_that_has_a_thousand_regions_is_refused_before_it_is_gone_through_for_each() {
    let mut text =
        String::from("*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n200000 4 0\n");
    (1..=200_000).for_each(|e| text += &format!("{e} 1 2 3 4\n"));
    text += "*MATERIAL m\nENU, 1000, 1e6, 0.4\n";
    let first = text.lines().count() + 4;
    (0..20_000).for_each(|_| text += "*REGION\nallElements, m\n");
    let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let format = io::ALL.iter().find(|f| f.name == "veg").unwrap();
    let error = io::read(format, &Source::memory("t.veg", text.into(), &open)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("t.veg: line {first}: a second region")), "{error}");
}

/// Closed spikes, thin and long, all of them through one place.
fn spikes(count: u32) -> MeshData {
    let (mut vertices, mut faces) = (Vec::new(), Faces::new());
    for i in 0..count {
        let z = 1.0 - (2 * i + 1) as f64 / f64::from(count);
        let (sin, cos) = (f64::from(i) * 2.399_963).sin_cos();
        let along = Vec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
        let across = along.cross(&Vec3::new(-sin, cos, 0.1)).normalize() * 1e-4;
        let other = along.cross(&across);
        let base = vertices.len() as u32;
        vertices.extend([along, across - along, other - across / 2.0 - along, -other - across / 2.0 - along]);
        for t in [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]] {
            faces.push(&t.map(|v| base + v));
        }
    }
    MeshData::from_faces(vertices, faces)
}

#[test]
fn what_lies_in_what_is_asked_a_bounded_number_of_times_and_that_is_said() {
    let examine = |count| {
        let options = doctor::Options { crossings: false, ..doctor::Options::default() };
        doctor::examine(&spikes(count), &options, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    // So few are all asked.
    let few = examine(300);
    assert!(few.findings.iter().all(|f| f.what != What::InsideOut), "{:?}", few.findings);
    assert_eq!(few.components, 300);
    let many = examine(30_000);
    let said = many.findings.iter().find(|f| f.what == What::InsideOut).expect("that it is not sure");
    assert!(said.sentence.contains("only some of those were asked"), "{}", said.sentence);
    assert_ne!(said.severity, Severity::Error);
    assert_eq!(many.components, 30_000);
}

#[test]
fn of_sections_that_nobody_knows_the_first_are_named_and_the_others_counted() {
    let mut text = String::from(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n",
    );
    text += "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n";
    (0..100_000).for_each(|i| text += &format!("$Other{i}\n$EndOther{i}\n"));
    let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let format = io::ALL.iter().find(|f| f.name == "gmsh").unwrap();
    let notes = io::read(format, &Source::memory("t.msh", text.into(), &open)).unwrap().notes;
    assert_eq!(notes.len(), 21, "{notes:?}");
    assert_eq!(notes[20], "and 99,980 more of this kind");
}
