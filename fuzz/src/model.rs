//! The reader of model files, with a checksum that always fits: otherwise nothing behind it would be reached.

use std::path::Path;
use std::sync::Arc;

use pliant_energy::Recipe;
use pliant_mesh::{Kind, MeshData, select};
use pliant_reduce::force::cubature::Cubature;
use pliant_reduce::force::cubic::Polynomial;
use pliant_reduce::force::ghost::Ghost;
use pliant_reduce::force::{StoredForce, StoredLinear, StoredProjected};
use pliant_reduce::model::{Facts, Section, seal};
use pliant_reduce::{Basis, Model};

/// As it is, and sealed. What is accepted is written, read back, and written to the same bytes; its body is made.
pub(crate) fn read(data: &[u8]) {
    let name = Path::new("model.pliant");
    crate::read_or_said(Model::from_bytes(name, data));
    let mut sealed = data.to_vec();
    seal(&mut sealed);
    let Some(model) = crate::read_or_said(Model::from_bytes(name, &sealed)) else { return };
    let bytes = model.to_bytes().expect("what was read can be written");
    let again = Model::from_bytes(name, &bytes).expect("what was written can be read");
    assert_eq!(again.to_bytes().expect("twice"), bytes);
    let _ = model.body();
}

/// A model of each kind of mesh and force, as small as they go.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let meshes = super::meshes();
    let forces: [Arc<dyn StoredForce>; 4] = [
        Arc::new(Cubature::new(vec![0, 1], vec![1.0, 2.5])),
        Arc::new(StoredProjected),
        Arc::new(StoredLinear),
        Arc::new(Polynomial {
            rank: 2,
            quadratic: vec![1.0; 3],
            cubic: vec![0.5; 4],
            quartic: vec![0.25; 5],
        }),
    ];
    let all = meshes.iter().zip(forces);
    let mut seeds: Vec<_> =
        all.map(|(mesh, force)| (mesh.kind().name().to_owned(), written(mesh, force))).collect();
    seeds.push(("ghost".into(), written(&meshes[1], Arc::new(ghost(&meshes[1])))));
    let correction = Some(vec![1.0, 0.25, -0.5, 0.75].into());
    let corrected = Cubature { correction, ..Cubature::new(vec![0, 1], vec![1.0, 2.5]) };
    seeds.push(("correction".into(), written(&meshes[0], Arc::new(corrected))));
    let mut section = Section::new(1);
    section.set("key", 1.5);
    section.put_reals("numbers", &[2], &[1.0, 2.0]).expect("finite");
    section.put_indices("ids", &[1], &[7]).expect("one");
    let model = made(&meshes[0], Arc::new(StoredLinear)).with_section("tenant", section).expect("a name");
    seeds.push(("section".into(), model.to_bytes().expect("a sound model")));
    seeds
}

/// A surface that stands in for itself.
fn ghost(mesh: &MeshData) -> Ghost {
    let components = Recipe::default().build(mesh.clone()).expect("a body").components().count();
    Ghost {
        vertices: mesh.vertices.clone(),
        elements: mesh.elements.clone(),
        region_of: mesh.attributes.region_of.clone(),
        rank: 2,
        rows: (0..6 * mesh.vertices.len()).map(|i| (i as f64).cos()).collect(),
        weights: vec![1.5; components],
    }
}

fn written(mesh: &MeshData, force: Arc<dyn StoredForce>) -> Vec<u8> {
    made(mesh, force).to_bytes().expect("a sound model")
}

fn made(mesh: &MeshData, force: Arc<dyn StoredForce>) -> Model {
    let mut mesh = mesh.clone();
    if mesh.kind() == Kind::Tets {
        let solid = pliant_mesh::TetMesh::from_data(mesh).expect("a sound solid");
        let surface = solid.boundary();
        let (tied, _) = pliant_mesh::embed::attach(solid, &surface).expect("its own surface");
        mesh = tied.into_data();
    }
    let fixed = vec![select::select(&mesh, "ids:0,1:xy").expect("two vertices")];
    let recipe = Recipe { fixed, ..Recipe::default() };
    let body = recipe.build(mesh.clone()).expect("a body");
    let rows: Vec<f64> = (0..2 * body.size()).map(|i| (i as f64).sin()).collect();
    let facts = Facts { basis: "modes".into(), eigenvalues: vec![1.5, 2.5], ..Facts::default() };
    let model = Model::assemble(mesh, recipe, &body, Basis::new(2, Arc::new(rows)), force, facts);
    model.expect("defined at rest")
}
