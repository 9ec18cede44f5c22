//! What is written is read again: every format in the table, every variant, every kind of element it holds.

use std::path::Path;

use pliant_mesh::io::{self, Format, Keeps, Source};
use pliant_mesh::{Attributes, Elements, MeshData, Region, VertexSet};
use pliant_testkit::strategies;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

/// Writes to memory and reads back, as if the parts lay in one folder.
fn round_trip(format: &Format, mesh: &MeshData, variant: &str) -> pliant_mesh::Result<MeshData> {
    let path = Path::new("folder").join("mesh").with_extension(format.extensions[0]);
    let parts = io::encode(format, mesh, &path, Some(variant))?;
    let open = |wanted: &Path| {
        parts
            .iter()
            .find(|p| path.with_extension(&p.extension) == wanted)
            .map(|p| p.bytes.clone())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let source = Source::memory(&path, open(&path).expect("the main part has the chosen ending"), &open);
    Ok(io::read(format, &source)?.mesh)
}

/// What the format promises to keep of a mesh.
fn kept(keeps: Keeps, mesh: &MeshData) -> MeshData {
    let mut mesh = mesh.clone();
    let a = &mut mesh.attributes;
    if !keeps.regions {
        a.regions.clear();
        a.region_of.clear();
    }
    if !keeps.materials {
        a.materials.clear();
        a.regions.iter_mut().for_each(|r| r.material = None);
    }
    if !keeps.sets {
        a.sets.clear();
    }
    if !keeps.digits {
        mesh.vertices.iter_mut().for_each(|p| *p = p.map(|x| f64::from(x as f32)));
    }
    mesh
}

/// Bits, not values: −0 is not 0.
fn bits(mesh: &MeshData) -> Vec<[u64; 3]> {
    mesh.vertices.iter().map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()]).collect()
}

/// For formats that number vertices anew: the positions of all corners in order.
fn corner_bits(mesh: &MeshData) -> Vec<[u64; 3]> {
    // Equal vertices are merged, and 0 equals −0.
    let bits = |x: f64| (x + 0.0).to_bits();
    let at = |v: &u32| mesh.vertices[*v as usize];
    mesh.elements.corners().iter().map(|v| [bits(at(v).x), bits(at(v).y), bits(at(v).z)]).collect()
}

fn check(format: &Format, mesh: &MeshData, variant: &str) -> Result<(), TestCaseError> {
    let fits_f32 = mesh.vertices.iter().all(|p| p.iter().all(|x| (*x as f32).is_finite()));
    let keeps = format.keeps_in(variant);
    prop_assume!(keeps.digits || fits_f32);
    let context = format!("{} {variant}", format.name);
    let read =
        round_trip(format, mesh, variant).map_err(|e| TestCaseError::fail(format!("{context}: {e}")))?;
    let kept = kept(keeps, mesh);
    if keeps.ids {
        prop_assert_eq!(bits(&read), bits(&kept), "{}: positions", context);
        prop_assert_eq!(&read.elements, &kept.elements, "{}: elements", context);
        prop_assert_eq!(&read.attributes, &kept.attributes, "{}: attributes", context);
    } else {
        prop_assert_eq!(corner_bits(&read), corner_bits(&kept), "{}: corners", context);
        prop_assert_eq!(&read.attributes.regions, &kept.attributes.regions, "{}: regions", context);
        prop_assert_eq!(&read.attributes.region_of, &kept.attributes.region_of, "{}: regions", context);
    }
    Ok(())
}

#[test]
fn what_is_written_is_read_again() {
    for format in io::ALL {
        for kind in format.holds {
            for variant in format.variants {
                let mut runner = TestRunner::new(ProptestConfig { cases: 64, ..ProptestConfig::default() });
                if let Err(e) = runner.run(&strategies::mesh(*kind), |mesh| check(format, &mesh, variant)) {
                    panic!("{} {variant}, {}: {e}", format.name, kind.name());
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
fn an_embedded_surface_stays_beside_its_solid() {
    let Ok(_) = io::format_of(Path::new("x.obj")) else { return };
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
            vertices: mesh.vertices.clone(),
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
