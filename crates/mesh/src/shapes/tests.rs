//! Every shape of the table is sound.

use pliant_linalg::ignore_progress;

use super::soundness::{compact, euler_of_closed_manifold, parts};
use super::{ALL, Shape, ShapeOptions, find};
use crate::embed::embed;
use crate::measure::{dihedral_angles, enclosed_volume};
use crate::topology::boundary_faces;
use crate::{Elements, MeshData, TetMesh};

fn make(shape: &Shape) -> MeshData {
    shape.make(&ShapeOptions::default(), &mut ignore_progress).unwrap()
}

/// Name, sets that it must have, holes through it.
const EXPECTED: [(&str, &[&str], isize); 9] = [
    ("dino", &["fixed"], 3),
    ("bar", &["fixed"], 0),
    ("plate", &["fixed"], 0),
    ("ball", &[], 0),
    ("cylinder", &["fixed"], 0),
    ("letter-a", &["fixed"], 1),
    ("bridge", &["fixed"], 24),
    ("sponge", &["fixed"], 81),
    ("cloth", &["corners", "edge"], 0),
];

#[test]
fn the_table_and_what_is_expected_of_it_name_the_same_shapes() {
    assert!(ALL.iter().map(|s| s.name).eq(EXPECTED.iter().map(|e| e.0)));
    let error = find("dinosaur").map(|s| s.name).unwrap_err();
    assert!(
        matches!(&error, crate::MeshError::Unknown(unknown) if unknown.known.len() == ALL.len()),
        "{error}"
    );
    assert!(error.to_string().starts_with("there is no shape \"dinosaur\"; there are: dino, bar"), "{error}");
}

#[test]
fn every_shape_is_closed_manifold_in_one_part_and_has_its_sets() {
    for (name, sets, holes) in EXPECTED {
        let data = make(find(name).unwrap());
        data.check().unwrap();
        for set in sets {
            let vertices =
                &data.attributes.set(set).unwrap_or_else(|| panic!("{name} has no {set}")).vertices;
            assert!(!vertices.is_empty() && vertices.len() < data.vertices.len() / 2, "{name}: {set}");
        }
        if let Some(surface) = &data.attributes.embedded {
            let triangles: Vec<[u32; 3]> =
                surface.faces.iter().map(|f| f.try_into().expect("triangles")).collect();
            assert_eq!(euler_of_closed_manifold(&triangles), Ok(2 - 2 * holes), "{name}: surface");
            assert_eq!(parts(&triangles), 1, "{name}: surface");
        }
        let Elements::Tets(tets) = &data.elements else {
            assert_eq!(name, "cloth", "the only one that is not a solid");
            continue;
        };
        let boundary = compact(&boundary_faces(tets));
        assert_eq!(euler_of_closed_manifold(&boundary), Ok(2 - 2 * holes), "{name}");
        assert_eq!(parts(&boundary), 1, "{name}");
        let mesh = TetMesh::from_data(data.clone()).unwrap();
        assert!(enclosed_volume(mesh.vertices(), &boundary_faces(mesh.tets())) > 0.0, "{name}");
        let sharpest = (0..mesh.tets().len())
            .flat_map(|t| dihedral_angles(&mesh.corners(t)))
            .fold(f64::INFINITY, f64::min)
            .to_degrees();
        assert!(sharpest >= 8.0, "{name}: {sharpest:.1}°");
        let [low, high] = data.bounds();
        assert!((0.1..=2.1).contains(&(high - low).max()), "{name} is of everyday size");
    }
}

#[test]
fn the_doctor_finds_nothing_in_any_solid_or_surface() {
    use crate::doctor::{Options, examine};
    for shape in ALL.iter().filter(|s| s.name != "cloth") {
        let data = make(shape);
        for mesh in data.attributes.embedded.iter().map(|e| e.to_mesh()).chain([data.clone()]) {
            let report = examine(&mesh, &Options::default(), &mut ignore_progress).unwrap();
            let sentences: Vec<&str> = report.findings.iter().map(|f| &*f.sentence).collect();
            assert!(sentences.is_empty(), "{}: {sentences:?}", shape.name);
        }
    }
}

#[test]
fn the_dino_is_what_the_first_picture_needs() {
    let data = make(&ALL[0]);
    let solid = TetMesh::from_data(data.clone()).unwrap();
    assert!((5_000..=20_000).contains(&solid.tets().len()), "{} tets", solid.tets().len());
    let surface = data.attributes.embedded.as_ref().unwrap();
    let count = surface.vertices.len();
    assert!((22_000..=28_000).contains(&count), "{count} vertices");
    let (_, report) = embed(&solid, &surface.vertices, &mut ignore_progress).unwrap();
    assert!(report.largest_distance < 0.008, "{report:?}");
    assert!(report.mean_distance < 0.001, "{report:?}");
    let [low, high] = data.bounds();
    assert!((0.2..=0.3).contains(&(high.y - low.y)));
    // Every colour is there, and every region of the solid has its material.
    for (r, region) in surface.regions.iter().enumerate() {
        let faces = surface.region_of.iter().filter(|&&f| f as usize == r).count();
        assert!(faces >= 50, "{}: {faces} faces", region.name);
        assert!(super::colour_of(&region.name).is_some(), "{}", region.name);
    }
    for (r, region) in data.attributes.regions.iter().enumerate() {
        let of: Vec<usize> =
            (0..solid.tets().len()).filter(|&t| data.attributes.region_of[t] as usize == r).collect();
        assert!(of.len() > 500, "{}: {} tets", region.name, of.len());
        data.attributes.materials[region.material.unwrap() as usize].check().unwrap();
    }
    let fixed = &data.attributes.set("fixed").unwrap().vertices;
    assert!(fixed.iter().all(|&v| data.vertices[v as usize].y < 3e-4), "the underside of the plate");
}

#[test]
fn the_dino_is_the_same_on_one_thread_and_on_three() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = ShapeOptions { surface_vertices: Some(6_000), ..ShapeOptions::default() };
        pool.install(|| ALL[0].make(&options, &mut ignore_progress).unwrap())
    };
    assert!(on(1) == on(3));
}

#[test]
fn a_subdivision_that_cannot_be_is_refused_with_what_can() {
    for shape in ALL {
        let options = ShapeOptions { subdivision: Some(1_000_000), ..ShapeOptions::default() };
        let error = shape.make(&options, &mut ignore_progress).unwrap_err().to_string();
        let default = format!("is {} unless given", shape.default_subdivision);
        assert!(error.contains(shape.name) && error.contains(&default), "{error}");
    }
}
