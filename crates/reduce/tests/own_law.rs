//! A law that a program adds, with two constants of its own: from mesh files and recipes to a model file and back.

use std::collections::BTreeMap;
use std::path::Path;

use pliant_energy::material::{self, Isotropic, StVk};
use pliant_energy::{Allowed, Constant, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{Law, Material, MeshData, Region, io, select, shapes};
use pliant_reduce::{Model, Precompute};

const fn number(key: &'static str, name: &'static str, scales: bool, needed: bool) -> Constant {
    Constant { key, name, unit: "", allowed: Allowed::Positive, scales, usual: 1.0, needed }
}

/// St. Venant-Kirchhoff with more of its stiffness.
static ENTRY: material::Entry = material::Entry {
    name: "toy",
    about: "St. Venant-Kirchhoff with fibres in all directions",
    constants: &[
        number("fibres", "the share of fibres", false, true),
        number("matrix", "the matrix", true, false),
    ],
    small_strain: None,
    make: |c| {
        let own = |key| c.own(key).expect("declared, so that it is there");
        let young = c.isotropic.young() * (1.0 + own("fibres")) + own("matrix");
        Ok(Box::new(StVk(Isotropic::from_young_poisson(young, c.isotropic.poisson())?)))
    },
};

fn numbers<const N: usize>(pairs: [(&str, f64); N]) -> BTreeMap<String, f64> {
    pairs.map(|(key, value)| (key.to_owned(), value)).into()
}

/// A bar whose file names the law.
fn bar() -> MeshData {
    let mut bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
    let law = Law::named("toy", [("fibres", 0.25), ("matrix", 1.0 / 3.0), ("young", 2e5)]);
    bar.attributes.materials = vec![Material { name: "m".into(), density: 900.0, law }];
    bar.attributes.regions = vec![Region { name: "all".into(), material: Some(0) }];
    bar.attributes.region_of = vec![0; bar.elements.len()];
    bar
}

fn stretched(recipe: &Recipe, mesh: &MeshData) -> f64 {
    let body = recipe.build(mesh.clone()).expect("a body");
    let u: Vec<f64> = body.rest().iter().flat_map(|x| [0.1 * x[0], 0.0, 0.0]).collect();
    body.energy(&u).expect("admissible")
}

#[test]
fn a_law_of_a_program_goes_through_every_file() {
    material::ALL.add(&ENTRY).expect("a new name");
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = bar();
    for name in ["bar.msh", "bar.vtu", "bar.veg", "bar.mesh"] {
        let path = folder.path().join(name);
        let notes = io::save(&path, &mesh, None).expect("written");
        assert!(notes.is_empty(), "{name}: {notes:?}");
        let found = io::load(&path).expect("read").mesh.attributes;
        assert_eq!(found.materials, mesh.attributes.materials, "{name}");
        assert_eq!(found.regions, mesh.attributes.regions, "{name}");
    }
    let fixed = vec![select::select(&mesh, "x<5%").expect("some")];
    let recipe = Recipe { constants: numbers([("fibres", 0.5)]), fixed, ..Recipe::default() };
    assert!(stretched(&recipe, &mesh) > 1.1 * stretched(&Recipe::default(), &mesh), "1.5 instead of 1.25");
    let precompute = Precompute {
        basis: "modes".into(),
        modes: Some(3),
        forces: Some("linear".into()),
        ..Precompute::default()
    };
    let model = precompute.build(mesh.clone(), recipe, &mut ignore_progress).expect("a model").model;
    // Of fewer coordinates no pull was measured: nothing in it needs a newer format.
    let model = model.truncated(2).expect("fewer");
    let path = folder.path().join("bar.pliant");
    model.write(&path).expect("written");
    let bytes = std::fs::read(&path).expect("the file");
    let has = |words: &[u8]| bytes.windows(words.len()).any(|w| w == words);
    assert!(
        has(br#"\"version\":3"#) && has(br#"\"constants\":{\"fibres\":0.5}"#),
        "format 3 names its constants"
    );
    let back = Model::read(&path).expect("read");
    assert_eq!(back.to_bytes().expect("a file"), bytes);
    assert_eq!(back.mesh().attributes.materials, mesh.attributes.materials);
    assert_eq!(back.recipe().constants, numbers([("fibres", 0.5)]));
    assert_eq!(stretched(back.recipe(), back.mesh()), stretched(model.recipe(), &mesh));
    // Another version would be a lie.
    let mut bytes = bytes;
    let place = bytes.windows(11).position(|w| w == br#"version\":3"#).expect("its version");
    bytes[place + 10] = b'1';
    pliant_reduce::model::seal(&mut bytes);
    let error = Model::from_bytes(Path::new("bar.pliant"), &bytes).expect_err("not of version 1");
    assert!(error.to_string().contains("format 3"), "{error}");
    // What needs no constants by name is written as ever.
    let plain = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
    let model = precompute.build(plain, Recipe::default(), &mut ignore_progress).expect("a model").model;
    let bytes = model.truncated(model.rank() - 1).and_then(|fewer| fewer.to_bytes()).expect("a file");
    assert!(bytes.windows(13).any(|w| w == br#"\"version\":1"#), "format 1");
}
