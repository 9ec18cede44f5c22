//! Constants of a law alone: a toy law of solids and one of surfaces, and Mooney-Rivlin, from recipes and from files.

use std::sync::Once;

use pliant_linalg::{Mat3, Terms, Vec3};
use pliant_mesh::{Law, MeshData, Region, shapes};

use super::*;
use crate::material::{MooneyRivlin, toy};
use crate::{Allowed, Constant, Energy};

/// Numbers by their keys.
fn numbers<const N: usize>(pairs: [(&str, f64); N]) -> BTreeMap<String, f64> {
    pairs.map(|(key, value)| (key.to_owned(), value)).into()
}

fn bar() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data()
}

/// A bar whose file says `law` of all of it.
fn bar_of(law: Law) -> MeshData {
    let mut bar = bar();
    bar.attributes.materials = vec![data::Material { name: "m".into(), density: 1100.0, law }];
    bar.attributes.regions = vec![Region { name: "all".into(), material: Some(0) }];
    bar.attributes.region_of = vec![0; bar.elements.len()];
    bar
}

fn sheet() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.3, 0.2), [3, 1, 1]).boundary().into_data()
}

fn rubber() -> Law {
    Law::named("mooney-rivlin", [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)])
}

#[track_caller]
fn refused(recipe: &Recipe, mesh: MeshData, words: &[&str]) -> EnergyError {
    let error = recipe.build(mesh).expect_err("no body");
    let sentence = error.to_string();
    assert!(words.iter().all(|word| sentence.contains(word)), "{sentence}");
    error
}

/// Names and values of the only region.
fn resolved(recipe: &Recipe, mesh: &MeshData) -> (&'static str, Vec<(&'static str, f64)>) {
    let mut matter = recipe.resolve(mesh).expect("sound constants").matter;
    assert_eq!(matter.len(), 1);
    let only = matter.remove(0);
    (only.material, only.constants)
}

#[test]
fn a_law_with_constants_of_its_own_is_a_line_of_the_table() {
    toy::add();
    let recipe = |constants| Recipe { material: Some("toy".into()), constants, ..Recipe::default() };
    let stretched = |recipe: &Recipe, mesh: MeshData| {
        let body = recipe.build(mesh).expect("a body");
        let u: Vec<f64> = body.rest().iter().flat_map(|x| [0.5 * x[0], 0.0, 0.0]).collect();
        body.energy(&u).expect("admissible") / 0.01
    };
    // E₁₁ = ½(1.5² − 1) = 0.625: ψ = (μ + λ/2) E₁₁² + h E₁₁⁴/l².
    let law = Isotropic::from_young_poisson(YOUNG, POISSON).expect("sound constants");
    let psi =
        |h: f64, l: f64| (law.mu() + 0.5 * law.lambda()) * 0.390_625 + h * 0.390_625 * 0.390_625 / (l * l);
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} vs {b}");
    let both = recipe(numbers([("hardening", 3e6), ("limit", 0.5)]));
    near(stretched(&both, bar()), psi(3e6, 0.5));
    // Of what is not needed the usual holds: a tenth of Young's modulus.
    near(stretched(&recipe(numbers([("limit", 0.5)])), bar()), psi(1e5, 0.5));
    // Without a name it is the law that has such constants.
    near(stretched(&Recipe { material: None, ..both.clone() }, bar()), psi(3e6, 0.5));
    // The file says it, and the user changes one of it.
    let file = bar_of(Law::named("toy", [("hardening", 7e6), ("limit", 0.25)]));
    near(stretched(&Recipe::default(), file.clone()), psi(7e6, 0.25));
    let change = Recipe { constants: numbers([("limit", 0.5)]), ..Recipe::default() };
    near(stretched(&change, file.clone()), psi(7e6, 0.5));
    let (name, constants) = resolved(&change, &file);
    assert_eq!(
        (name, &constants[2..]),
        ("toy", &[("density", 1100.0), ("hardening", 7e6), ("limit", 0.5)][..])
    );
    // Another law asks the file only for what it has, too.
    let other = Recipe { material: Some("stvk".into()), ..Recipe::default() };
    near(stretched(&other, file), psi(0.0, 1.0));
}

#[test]
fn constants_that_are_wrong_missing_or_unknown_are_named() {
    toy::add();
    let toy = |constants| Recipe { material: Some("toy".into()), constants, ..Recipe::default() };
    let error = refused(
        &toy(numbers([("limit", 0.0)])),
        bar(),
        &["limit", "the strain where it hardens", "> 0, got 0"],
    );
    assert_eq!(error.terms()[0].key, "limit");
    refused(&toy(numbers([("limit", 1.0), ("hardening", -1.0)])), bar(), &["hardening", ">= 0 Pa, got -1"]);
    refused(&toy(numbers([("limit", f64::NAN)])), bar(), &["limit", "NaN"]);
    let error = refused(&toy(numbers([("hardening", 1.0)])), bar(), &["toy also needs limit"]);
    assert_eq!(error.terms()[0].key, "limit");
    refused(
        &toy(numbers([("limit", 1.0), ("mu10", 1.0)])),
        bar(),
        &["toy has no constant \"mu10\"", "hardening, limit"],
    );
    let stvk = Recipe { material: Some("stvk".into()), ..toy(numbers([("limit", 1.0)])) };
    refused(&stvk, bar(), &["stvk has no constant \"limit\"", "no constants of its own"]);
    let nameless = |constants| Recipe { constants, ..Recipe::default() };
    refused(
        &nameless(numbers([("limit", 1.0), ("mu10", 1.0)])),
        bar(),
        &["limit, mu10", "mooney-rivlin has mu01, mu10, v1", "toy has hardening, limit", "name the material"],
    );
    refused(&nameless(numbers([("mu10", 1.0)])), sheet(), &["mu10", "of surfaces"]);
    let error =
        refused(&nameless(numbers([("mu10", 1.0), ("v1", 1.0)])), bar(), &["mooney-rivlin also needs mu01"]);
    assert_eq!(error.terms()[0].key, "mu01");
    // What the file says is held against the same table.
    refused(&Recipe::default(), bar_of(Law::named("toy", [("limit", -1.0)])), &["limit"]);
    refused(&Recipe::default(), bar_of(Law::named("toy", [("k", 1.0)])), &["toy has no constant \"k\""]);
    refused(&Recipe::default(), bar_of(Law::named("jelly", [])), &["\"jelly\"", "stvk"]);
    let known = Recipe { material: Some("stvk".into()), ..Recipe::default() };
    refused(&known, bar_of(Law::named("jelly", [])), &["\"jelly\""]);
    let stated = Law::named("jelly", [("young", 1e5), ("poisson", 0.3)]);
    assert!(known.build(bar_of(stated)).is_ok(), "its stiffness is stated");
}

#[test]
fn young_and_poisson_with_constants_in_their_place_are_refused() {
    let constants = rubber().constants;
    for (recipe, words) in [
        (
            Recipe { young: Some(1.0), ..Recipe::default() },
            "Young's modulus means nothing for a solid with constants",
        ),
        (
            Recipe { poisson: Some(0.3), ..Recipe::default() },
            "Poisson's ratio means nothing for a solid with",
        ),
    ] {
        refused(&Recipe { constants: constants.clone(), ..recipe }, bar(), &[words]);
    }
    for (key, words) in [("mu10", "the sum mu10 + mu01"), ("v1", "the volume coefficient v1")] {
        let mut constants = constants.clone();
        constants.insert(key.into(), -1e6);
        let error = refused(&Recipe { constants, ..Recipe::default() }, bar(), &[words, "> 0 Pa"]);
        assert_eq!(error.terms()[0].key, "mooney");
    }
}

#[test]
fn what_the_user_says_changes_only_that_of_a_mooney_rivlin_file() {
    // ψ of a stretched bar says which law it is, and with which coefficients.
    let stretched = |recipe: &Recipe| {
        let body = recipe.build(bar_of(rubber())).expect("a body");
        let u: Vec<f64> = body.rest().iter().flat_map(|x| [0.5 * x[0], 0.2 * x[1], -0.1 * x[2]]).collect();
        body.energy(&u).expect("admissible")
    };
    let by_law = |isotropic: Isotropic, own: &[(&'static str, f64)]| {
        use crate::material::Material as _;
        let H = Mat3::from_diagonal(&Vec3::new(0.5, 0.2, -0.1));
        let rubber = MooneyRivlin::new(&Constants { isotropic, own: own.iter().copied().collect() });
        0.01 * rubber.energy_density(&H)
    };
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} vs {b}");
    let own = [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)];
    let file = Recipe::default().of_region(bar_of(rubber()).attributes.materials.first()).expect("sound");
    let file = file.constants.isotropic;
    // μ = 8e4, κ = 1e6: E = 9κμ/(3κ + μ), ν = (3κ − 2μ)/2(3κ + μ).
    near(file.young(), 9.0 * 1e6 * 8e4 / 3.08e6);
    near(file.poisson(), 2.84e6 / 6.16e6);
    let base = Recipe::default;
    near(stretched(&base()), by_law(file, &own));
    let with = |young: f64, poisson: f64| {
        by_law(Isotropic::from_young_poisson(young, poisson).expect("sound constants"), &[])
    };
    near(stretched(&Recipe { young: Some(5e5), ..base() }), with(5e5, file.poisson()));
    near(stretched(&Recipe { poisson: Some(0.3), ..base() }), with(file.young(), 0.3));
    near(stretched(&Recipe { young: Some(5e5), poisson: Some(0.3), ..base() }), with(5e5, 0.3));
    let other = [("mu01", 2e4), ("mu10", 1e4), ("v1", 7e5)];
    near(stretched(&Recipe { constants: numbers(other), ..base() }), by_law(file, &other));
    // One of them alone is changed in what the file says.
    let changed = [("mu01", 1e4), ("mu10", 3e4), ("v1", 7e5)];
    near(stretched(&Recipe { constants: numbers([("v1", 7e5)]), ..base() }), by_law(file, &changed));
    // Another law takes the small-strain limit, and what it came from is stated.
    let stvk = Recipe { material: Some("stvk".into()), ..base() };
    let (name, constants) = resolved(&stvk, &bar_of(rubber()));
    assert_eq!((name, &constants[3..]), ("stvk", &own[..]));
    near(constants[0].1, file.young());
}

/// Discrete Shells with more membrane stiffness.
static TOY_SHEET: shell::Entry = shell::Entry {
    name: "toy-sheet",
    about: "Discrete Shells with a lining",
    constants: &[Constant {
        key: "lining",
        name: "the stiffness of the lining",
        unit: "N/m",
        allowed: Allowed::Positive,
        scales: true,
        usual: 0.5,
        needed: false,
    }],
    make: |constants, vertices, triangles| {
        let lining = constants.own("lining").expect("declared, so that it is there");
        let stiffer = shell::Constants { membrane: constants.membrane + lining, ..constants.clone() };
        shell::Shell::new(&stiffer, vertices, triangles).map(|shell| Box::new(shell) as Box<dyn Energy>)
    },
};

#[test]
fn a_law_of_surfaces_has_constants_of_its_own_too() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| shell::ALL.add(&TOY_SHEET).expect("a new name"));
    let stretched = |recipe: &Recipe| {
        let body = recipe.build(sheet()).expect("a body");
        let u: Vec<f64> = body.rest().iter().flat_map(|x| [0.5 * x[0], 0.0, 0.0]).collect();
        body.energy(&u).expect("admissible")
    };
    let plain = stretched(&Recipe::default());
    // Bending is no part of it: a box that is stretched keeps its angles.
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} vs {b}");
    let lined = Recipe { constants: numbers([("lining", 2.0)]), ..Recipe::default() };
    near(stretched(&lined), 3.0 * plain);
    let usual = Recipe { material: Some("toy-sheet".into()), ..Recipe::default() };
    near(stretched(&usual), 1.5 * plain);
    let (name, constants) = resolved(&lined, &sheet());
    assert_eq!((name, constants[3]), ("toy-sheet", ("lining", 2.0)));
    let (scaled, mesh) = lined.rescaled(&sheet(), 3.0, 1.0).expect("sound factors");
    assert_eq!((scaled.constants["lining"], scaled.membrane), (6.0, Some(3.0)));
    near(
        scaled.build(mesh).expect("a body").total_mass(),
        lined.build(sheet()).expect("a body").total_mass(),
    );
    near(stretched(&scaled), 9.0 * plain);
    refused(
        &Recipe { constants: numbers([("lining", 0.0)]), ..usual.clone() },
        sheet(),
        &["lining", "> 0 N/m"],
    );
    refused(
        &Recipe { constants: numbers([("x", 0.0)]), ..usual },
        sheet(),
        &["toy-sheet has no constant \"x\""],
    );
}
