//! Writes one model of each kind into a folder, for other programs to read: `model_files FOLDER`.
//!
//! `cargo xtask test` checks them with the Python package `safetensors`, and runs what docs/model-format.md says on
//! `model.pliant`.

#![expect(non_snake_case, reason = "R is the letter of docs/model-format.md")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use pliant_energy::Recipe;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{Elements, Faces, Law, Material, MeshData, Region, VertexSet, embed, select, shapes};
use pliant_reduce::force::Ghost;
use pliant_reduce::force::cubature::{Cubature, Pieces};
use pliant_reduce::force::cubic::Polynomial;
use pliant_reduce::force::{StoredForce, StoredLinear, TrainingFacts};
use pliant_reduce::model::{Facts, Section};
use pliant_reduce::{Model, PullError, Request, basis};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("model_files FOLDER")?;
    let folder = Path::new(&folder);
    let base = Recipe::default;

    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [4, 1, 1]);
    let surface = bar.boundary();
    let (bar, _) = embed::attach(bar, &surface)?;
    let mut bar = bar.into_data();
    let law = Law::isotropic(5e5, 0.3);
    bar.attributes.materials = vec![Material { name: "wood".into(), density: 700.0, law }];
    bar.attributes.regions = vec![
        Region { name: "handle".into(), material: Some(0) },
        Region { name: "head".into(), material: None },
    ];
    bar.attributes.region_of = (0..bar.elements.len()).map(|e| u32::from(e >= 6)).collect();
    bar.attributes.sets = vec![
        VertexSet { name: "left".into(), vertices: vec![0, 5] },
        VertexSet { name: "right".into(), vertices: vec![4] },
    ];
    let cubature = Cubature::new(vec![0, 7, 20], vec![2.0, 10.5, 1.0 / 3.0]);
    model(bar, base(), &["x<5%", "x>95%:y"], Arc::new(cubature))?.write(&folder.join("model.pliant"))?;

    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data();
    // A correction that mixes coordinates: components see R q.
    let R = vec![1.0, 0.25, 0.0, -0.5, 1.5, 1.0 / 3.0, 0.0, 0.125, 0.75];
    let corrected = Cubature { correction: Some(R.into()), ..Cubature::new(vec![1, 9], vec![4.0, 7.5]) };
    model(bar, base(), &["x<5%"], Arc::new(corrected))?.write(&folder.join("corrected.pliant"))?;

    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data();
    let mut pulled = model(bar, base(), &["x<5%"], Arc::new(StoredLinear))?.into_parts();
    pulled.facts.pull = Some(PullError { error: 0.02, with_half: 1.0 / 3.0 });
    Model::new(pulled)?.write(&folder.join("pulled.pliant"))?;

    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data();
    let ghost = Ghost {
        vertices: [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]
            .map(Vec3::from)
            .to_vec(),
        elements: Elements::Tets(vec![[0, 1, 2, 3]]),
        region_of: Vec::new(),
        rank: 3,
        rows: (0..36).map(|k| 0.25 * f64::from(k)).collect(),
        weights: vec![1.5],
    };
    model(bar, base(), &["x<5%"], Arc::new(ghost))?.write(&folder.join("ghost.pliant"))?;

    let mut section = Section::new(2);
    section.set("title", "what an app keeps");
    section.put_reals("numbers", &[2, 2], &[1.0, -2.5, 1.0 / 3.0, 4.0])?;
    section.put_indices("ids", &[3], &[7, 8, 9])?;
    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data();
    let tenant = model(bar, base(), &["x<5%"], Arc::new(StoredLinear))?.with_section("tenant", section)?;
    tenant.write(&folder.join("section.pliant"))?;

    // Constants and laws by name: Mooney-Rivlin's of the file with one of them changed, and a law that the file names.
    let mut rubber = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data();
    let own = Law::named("mooney-rivlin", [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)]);
    let stiff = Law::named("stvk", [("young", 1e9), ("poisson", 0.25)]);
    rubber.attributes.materials = [("rubber", own), ("steel", stiff)]
        .map(|(name, law)| Material { name: name.into(), density: 1100.0, law })
        .to_vec();
    rubber.attributes.regions = vec![Region { name: "all".into(), material: Some(0) }];
    rubber.attributes.region_of = vec![0; rubber.elements.len()];
    let harder = Recipe { constants: [("v1".into(), 7e5)].into(), ..base() };
    model(rubber, harder, &["x<5%"], Arc::new(StoredLinear))?.write(&folder.join("named.pliant"))?;

    let ramp = |count: u32| (1..=count).map(f64::from).collect::<Vec<f64>>();
    let polynomial = Polynomial { rank: 3, quadratic: ramp(6), cubic: ramp(10), quartic: ramp(15) };
    let free = shapes::bar(Vec3::new(0.2, 0.1, 0.1), [2, 1, 1]).into_data();
    let stvk = Recipe { material: Some("stvk".into()), ..base() };
    model(free, stvk, &["x<5%"], Arc::new(polynomial))?.write(&folder.join("cubic.pliant"))?;

    let points: Vec<Vec3> =
        (0..4).flat_map(|i| [0.0, 1.0].map(|y| Vec3::new(f64::from(i), y, 0.1 * f64::from(i * i)))).collect();
    let strip: [&[u32]; 4] = [&[0, 2, 3, 1], &[2, 4, 5], &[2, 5, 3], &[4, 6, 7, 5]];
    let sheet =
        |faces: &[&[u32]]| MeshData::from_faces(points.clone(), faces.iter().copied().collect::<Faces>());
    for (name, faces) in [("polygons", &strip[..]), ("quads", &[strip[0], &[2, 4, 5, 3], strip[3]])] {
        model(sheet(faces), base(), &["x<40%"], Arc::new(StoredLinear))?
            .write(&folder.join(name).with_extension("pliant"))?;
    }
    let flaps = Cubature { pieces: Pieces::Flaps, ..Cubature::new(vec![1, 6], vec![2.0, 0.5]) };
    model(sheet(&strip), base(), &["x<40%"], Arc::new(flaps))?.write(&folder.join("flaps.pliant"))?;
    Ok(())
}

/// Three linear modes and some facts.
fn model(
    mesh: MeshData,
    mut recipe: Recipe,
    fixed: &[&str],
    force: Arc<dyn StoredForce>,
) -> Result<Model, Box<dyn Error>> {
    recipe.fixed = fixed.iter().map(|spec| select::select(&mesh, spec)).collect::<Result<_, _>>()?;
    let body = recipe.build(mesh.clone())?;
    let modes = basis::find("modes").ok_or("the table has modes")?;
    let built = (modes.make)(&body, &Request::of_modes(3), &mut ignore_progress)?;
    let cubature = force.downcast_ref::<Cubature>();
    let corrected = cubature.is_some_and(|cubature| cubature.correction.is_some());
    let training = TrainingFacts {
        trainer: "nn-htp".into(),
        poses: 500,
        pose_scale: 0.1,
        points: 3,
        training_error: 0.01,
        validation_error: 0.1 + 0.2,
        static_error: corrected.then_some(0.02),
        frequency_error: corrected.then_some(1.0 / 3.0),
    };
    let facts = Facts {
        basis: modes.name.to_owned(),
        eigenvalues: built.eigenvalues,
        affine: built.affine,
        singular_values: built.singular_values,
        dropped: built.dropped,
        seed: 0,
        training: cubature.is_some().then_some(training),
        pull: None,
    };
    Ok(Model::assemble(mesh, recipe, &body, built.basis, force, facts)?)
}
