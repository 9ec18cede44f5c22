//! The same body, stiffer or heavier: a recipe and a mesh whose constants are multiplied.
//!
//! ```text
//! W → s W,   M → d M        E, κ_b, κ_m and what a law says of its own → s times themselves
//!                           ρ (or the mass of an area) → d times itself
//! ```
//! Every law of this room is linear in these constants at a fixed Poisson's ratio, so that nothing else changes: a test
//! goes over both tables of laws.

use pliant_mesh::{Attributes, Kind, Law, Material, MeshData, Region, matter};

use crate::recipe::{DENSITY, Declared, POISSON, SHELL, YOUNG};
use crate::{EnergyError, Recipe, terms};

/// kg/m³ and m: together 1 kg/m², which is what a surface weighs when nobody says anything.
const SHEET: (f64, f64) = (1000.0, 1e-3);

impl Recipe {
    /// The recipe and the mesh of a body with `stiffness` times the energy and `density` times the mass of the one that
    /// this recipe makes of `mesh`. What was left to a default is stated afterwards; where some regions state a
    /// material and others do not, those others get one, called `default`.
    ///
    /// # Errors
    /// A factor, or a constant times it, that is not a finite number > 0.
    pub fn rescaled(
        &self,
        mesh: &MeshData,
        stiffness: f64,
        density: f64,
    ) -> Result<(Self, MeshData), EnergyError> {
        for (what, value) in [(terms::STIFFNESS_FACTOR, stiffness), (terms::DENSITY_FACTOR, density)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(EnergyError::NotPositive { what, value, unit: "" });
            }
        }
        let (mut recipe, mut mesh) = (self.clone(), mesh.clone());
        if (stiffness, density) == (1.0, 1.0) {
            return Ok((recipe, mesh));
        }
        for material in &mut mesh.attributes.materials {
            material.density *= density;
            scale(&mut material.law, stiffness);
        }
        let scaled = |x: Option<f64>, factor: f64| x.map(|x| x * factor);
        recipe.density = scaled(recipe.density, density);
        recipe.young = scaled(recipe.young, stiffness);
        let solid = mesh.kind() == Kind::Tets;
        let declared = self.law_of_constants(solid);
        for (key, value) in &mut recipe.constants {
            if declared.is_some_and(|law| law.scales(key)) {
                *value *= stiffness;
            }
        }
        if !solid {
            // A plate's follow Young's modulus.
            let usual = if self.young.is_some() { None } else { Some(SHELL) };
            recipe.bend = scaled(self.bend.or(usual), stiffness);
            recipe.membrane = scaled(self.membrane.or(usual), stiffness);
            if self.thickness.is_none() {
                (recipe.density, recipe.thickness) = (Some(SHEET.0 * density), Some(SHEET.1));
            }
        }
        let no_law = solid && recipe.young.is_none() && !declared.is_some_and(|law| law.replace);
        if (no_law || recipe.density.is_none()) && has_unstated(&mesh) {
            if mesh.attributes.regions.iter().any(|region| region.material.is_some()) {
                let law = Law::isotropic(YOUNG * stiffness, POISSON);
                state(&mut mesh, Material { name: "default".into(), density: DENSITY * density, law });
            } else {
                if no_law {
                    recipe.young = Some(YOUNG * stiffness);
                }
                recipe.density = recipe.density.or(Some(DENSITY * density));
            }
        }
        recipe.resolve(&mesh)?;
        Ok((recipe, mesh))
    }
}

fn scale(law: &mut Law, factor: f64) {
    let declared = Declared::of_file(law);
    let of_its_own = law.constants.keys().any(|key| key != matter::YOUNG && key != matter::POISSON);
    for (key, value) in &mut law.constants {
        if key == matter::YOUNG || declared.is_some_and(|law| law.scales(key)) {
            *value *= factor;
        }
    }
    // The default is stated, unless the law's own constants take its place.
    if !(of_its_own && declared.is_some_and(|law| law.replace)) {
        law.constants.entry(matter::YOUNG.to_owned()).or_insert(YOUNG * factor);
    }
}

/// Whether the defaults hold somewhere: in a region without a material, or in elements without a region.
fn has_unstated(mesh: &MeshData) -> bool {
    let attributes = &mesh.attributes;
    attributes.regions.iter().any(|region| region.material.is_none())
        || (0..mesh.elements.len()).any(|e| attributes.region(e).is_none())
}

/// Gives `material` to whatever has none.
fn state(mesh: &mut MeshData, material: Material) {
    let count = mesh.elements.len();
    let Attributes { regions, region_of, materials, .. } = &mut mesh.attributes;
    let this = materials.len() as u32;
    materials.push(material);
    regions.iter_mut().for_each(|region| region.material = region.material.or(Some(this)));
    let others = regions.len() as u32;
    region_of.resize(count, Attributes::NO_REGION);
    let mut found = false;
    for region in region_of.iter_mut().filter(|region| **region == Attributes::NO_REGION) {
        (*region, found) = (others, true);
    }
    if found {
        regions.push(Region { name: "default".into(), material: Some(this) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tangent, material, shell};
    use pliant_linalg::Vec3;
    use pliant_mesh::shapes;
    use pliant_testkit::numbers::noise;
    use std::collections::BTreeMap;

    const S: f64 = 3.7;
    const D: f64 = 0.3;

    /// Energy, force, stiffness and mass of the rescaled body are those of the first, times the factors.
    #[track_caller]
    fn check(recipe: &Recipe, mesh: &MeshData) -> (Recipe, MeshData) {
        let (other, changed) = recipe.rescaled(mesh, S, D).expect("sound factors");
        let (a, b) =
            (recipe.build(mesh.clone()).expect("a body"), other.build(changed.clone()).expect("a body"));
        let near = |what: &str, x: f64, y: f64| {
            assert!((x / y - 1.0).abs() < 1e-12, "{what}: {x:e} instead of {y:e}");
        };
        for (k, size) in [0.0, 1e-3, 1e-2].into_iter().enumerate() {
            let u = noise(a.size(), size, k as u64 + 1);
            let energies = (b.energy(&u).expect("admitted"), a.energy(&u).expect("admitted"));
            if size > 0.0 {
                near("energy", energies.0, S * energies.1);
            }
            let (mut K, mut L) = (a.zero_matrix(), b.zero_matrix());
            a.stiffness(&u, Tangent::Exact, &mut K).expect("admitted");
            b.stiffness(&u, Tangent::Exact, &mut L).expect("admitted");
            let size = |K: &[[[f64; 3]; 3]]| {
                K.as_flattened().as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt()
            };
            near("stiffness", size(L.values()), S * size(K.values()));
        }
        near("mass", b.total_mass(), D * a.total_mass());
        (other, changed)
    }

    #[test]
    fn every_law_is_linear_in_its_stiffness() {
        let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [3, 1, 1]).into_data();
        material::toy::add();
        for entry in &material::ALL {
            // What must be given, and nothing else.
            let needed = entry.constants.iter().filter(|c| c.needed && entry.small_strain.is_none());
            let constants: BTreeMap<_, _> = needed.map(|c| (c.key.to_owned(), c.usual_at(YOUNG))).collect();
            let recipe = Recipe { material: Some(entry.name.into()), constants, ..Recipe::default() };
            check(&recipe, &bar);
            check(&Recipe { young: Some(2e5), density: Some(700.0), poisson: Some(0.3), ..recipe }, &bar);
        }
        let mooney = [("mu10", 3e4), ("mu01", 1e4), ("v1", 5e5)].map(|(key, value)| (key.to_owned(), value));
        check(&Recipe { constants: mooney.into(), ..Recipe::default() }, &bar);
        let sheet = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [3, 1, 1]).boundary().into_data();
        for entry in &shell::ALL {
            let recipe = Recipe { material: Some(entry.name.into()), ..Recipe::default() };
            check(&recipe, &sheet);
            check(&Recipe { bend: Some(0.2), thickness: Some(0.01), ..recipe.clone() }, &sheet);
            check(&Recipe { young: Some(2e5), thickness: Some(0.01), ..recipe.clone() }, &sheet);
            check(
                &Recipe { young: Some(2e5), thickness: Some(0.01), bend: Some(0.3), ..recipe.clone() },
                &sheet,
            );
            check(&Recipe { density: Some(20.0), thickness: Some(0.01), ..recipe }, &sheet);
        }
    }

    #[test]
    fn constants_of_a_law_alone_scale_as_its_line_says() {
        material::toy::add();
        let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [3, 1, 1]).into_data();
        let given = [("hardening", 2e5), ("limit", 0.3)];
        let constants = given.map(|(key, value)| (key.to_owned(), value)).into();
        let (scaled, _) = check(&Recipe { constants, ..Recipe::default() }, &bar);
        assert_eq!((scaled.constants["hardening"], scaled.constants["limit"]), (2e5 * S, 0.3));
        // The same in a file, where Young's modulus is left to the default.
        let mut stated = bar.clone();
        let law = Law::named("toy", given);
        stated.attributes.materials = vec![Material { name: "m".into(), density: 900.0, law }];
        stated.attributes.regions = vec![Region { name: "all".into(), material: Some(0) }];
        stated.attributes.region_of = vec![0; bar.elements.len()];
        let (_, changed) = check(&Recipe::default(), &stated);
        let law = &changed.attributes.materials[0].law;
        assert_eq!(*law, Law::named("toy", [("hardening", 2e5 * S), ("limit", 0.3), ("young", YOUNG * S)]));
    }

    #[test]
    fn regions_with_and_without_a_material_keep_their_contrast() {
        let mut bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 1, 1]).into_data();
        let stated = |name: &str, law| Material { name: name.into(), density: 1200.0, law };
        bar.attributes.materials = vec![
            stated("wood", Law::isotropic(1e9, 0.3)),
            stated("rubber", Law::named("mooney-rivlin", [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)])),
        ];
        let region = |name: &str, material| Region { name: name.into(), material };
        bar.attributes.regions = vec![region("a", Some(0)), region("b", None), region("c", Some(1))];
        let count = bar.elements.len() as u32;
        bar.attributes.region_of =
            (0..count).map(|e| if e % 4 == 3 { Attributes::NO_REGION } else { e % 4 }).collect();
        let (_, changed) = check(&Recipe::default(), &bar);
        changed.check().expect("a sound mesh");
        assert_eq!(changed.attributes.regions[3].material, Some(2));
        // What the recipe states holds everywhere, and nothing is added.
        let (_, changed) =
            check(&Recipe { young: Some(1e5), density: Some(800.0), ..Recipe::default() }, &bar);
        assert_eq!(changed.attributes.regions.len(), 3);
        check(&Recipe { young: Some(1e5), ..Recipe::default() }, &bar);
        check(&Recipe { poisson: Some(0.2), density: Some(800.0), ..Recipe::default() }, &bar);
        // No region states anything.
        bar.attributes.regions.iter_mut().for_each(|region| region.material = None);
        let (recipe, _) = check(&Recipe::default(), &bar);
        assert_eq!((recipe.young, recipe.density), (Some(YOUNG * S), Some(DENSITY * D)));
    }

    #[test]
    fn factors_that_no_body_has_are_refused() {
        let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [1, 1, 1]).into_data();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Recipe::default().rescaled(&bar, bad, 1.0).is_err(), "{bad}");
            let error = Recipe::default().rescaled(&bar, 1.0, bad).expect_err("refused").to_string();
            assert!(error.contains("the factor of the density"), "{error}");
        }
        assert!(Recipe::default().rescaled(&bar, 1e305, 1.0).is_err(), "E would be infinite");
        let (same, _) = Recipe::default().rescaled(&bar, 1.0, 1.0).expect("nothing to do");
        assert_eq!(same.young, None);
    }
}
