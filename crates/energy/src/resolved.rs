//! What a recipe comes to for a mesh: laws and constants after every default, region by region.
//!
//! Nothing is made of it; it is what a model file states, and what a report shows.

use pliant_mesh::{Kind, MeshData, SurfaceMesh};

use crate::{EnergyError, MassKind, Recipe};

/// What a body is made of, after every default.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Which mass matrix.
    pub mass: MassKind,
    /// One for each region in the order of the mesh, then one for the elements that are in none, where there are some.
    pub matter: Vec<Matter>,
}

/// What one region is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Matter {
    /// Its name; `None`: the elements that are in no region.
    pub region: Option<String>,
    /// The name of its law.
    pub material: &'static str,
    /// Names and values, SI. Solids: `young` (Pa), `poisson`, `density` (kg/m³); surfaces: `bend` (J), `membrane` (N/m),
    /// `area_density` (kg/m²). Then those of the law alone in the order of its line of the table; where they take the place
    /// of Young's modulus and Poisson's ratio only if they are given.
    pub constants: Vec<(&'static str, f64)>,
}

impl Resolved {
    /// Names of the materials, each once, in the order of the regions.
    pub fn materials(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for matter in &self.matter {
            if !names.contains(&matter.material) {
                names.push(matter.material);
            }
        }
        names
    }
}

impl Recipe {
    /// What the body made of `mesh` consists of.
    ///
    /// # Errors
    /// Constants that no body has, or a material that is not there.
    pub fn resolve(&self, mesh: &MeshData) -> Result<Resolved, EnergyError> {
        let attributes = &mesh.attributes;
        let kind = mesh.kind();
        let nowhere = (0..mesh.elements.len()).any(|e| attributes.region(e).is_none());
        let regions = attributes.regions.iter().map(Some).chain(nowhere.then_some(None));
        let plate = match (kind, self.young) {
            (Kind::Tets, _) | (_, None) => None,
            _ => {
                let surface = SurfaceMesh::from_data(mesh.clone())?;
                self.plate(surface.vertices(), &surface.triangles())?
            }
        };
        let matter = regions
            .map(|region| {
                let stated = region.and_then(|r| r.material).map(|m| &attributes.materials[m as usize]);
                let (material, constants) = match kind {
                    Kind::Tets => {
                        let choice = self.of_region(stated)?;
                        // What its constants make must be a law.
                        (choice.entry.make)(&choice.constants)?;
                        let law = choice.constants.isotropic;
                        let mut constants = vec![
                            ("young", law.young()),
                            ("poisson", law.poisson()),
                            ("density", choice.density),
                        ];
                        constants.extend(choice.stated.iter());
                        (choice.entry.name, constants)
                    }
                    Kind::Triangles | Kind::Quads | Kind::Polygons => {
                        let (entry, law) = self.shell(plate)?;
                        let density = self.area_density_of(stated)?;
                        let mut constants =
                            vec![("bend", law.bend), ("membrane", law.membrane), ("area_density", density)];
                        constants.extend(law.own.iter());
                        (entry.name, constants)
                    }
                };
                Ok(Matter { region: region.map(|r| r.name.clone()), material, constants })
            })
            .collect::<Result<_, EnergyError>>()?;
        Ok(Resolved { mass: self.mass_kind(kind), matter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::Vec3;
    use pliant_mesh::{Attributes, Law, Material, Region, shapes};

    #[test]
    fn each_region_says_what_it_is_made_of() {
        let mut bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [3, 1, 1]).into_data();
        let material = |name: &str, law| Material { name: name.into(), density: 1200.0, law };
        bar.attributes.materials = vec![
            material("wood", Law::isotropic(1e9, 0.3)),
            material("rubber", Law::named("mooney-rivlin", [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)])),
        ];
        bar.attributes.regions = vec![
            Region { name: "left".into(), material: Some(0) },
            Region { name: "right".into(), material: Some(1) },
        ];
        bar.attributes.region_of = (0..bar.elements.len() as u32).map(|e| e % 2).collect();
        let found = Recipe::default().resolve(&bar).expect("sound constants");
        assert_eq!(found.mass, MassKind::Consistent);
        let names: Vec<_> = found.matter.iter().map(|m| (m.region.as_deref(), m.material)).collect();
        assert_eq!(names, [(Some("left"), "stable-neo-hookean"), (Some("right"), "mooney-rivlin")]);
        let near = |k: usize, i: usize, name: &str, value: f64| {
            let (found, x) = found.matter[k].constants[i];
            assert!(found == name && (x / value - 1.0).abs() < 1e-12, "{found} {x}");
        };
        near(0, 0, "young", 1e9);
        near(0, 1, "poisson", 0.3);
        near(0, 2, "density", 1200.0);
        near(1, 3, "mu01", 1e4);
        near(1, 5, "v1", 5e5);
        // One element leaves its region: what is in none gets the defaults.
        bar.attributes.region_of[0] = Attributes::NO_REGION;
        let found =
            Recipe { density: Some(700.0), ..Recipe::default() }.resolve(&bar).expect("sound constants");
        assert_eq!(found.matter.len(), 3);
        assert_eq!(
            (found.matter[2].region.as_ref(), found.matter[2].constants[2]),
            (None, ("density", 700.0))
        );
    }

    #[test]
    fn a_surface_has_stiffnesses_and_a_mass_for_its_area() {
        let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).boundary().into_data();
        let recipe = Recipe { bend: Some(0.5), thickness: Some(0.01), ..Recipe::default() };
        let found = recipe.resolve(&bar).expect("sound constants");
        assert_eq!(found.mass, MassKind::Lumped);
        let constants = vec![("bend", 0.5), ("membrane", 1.0), ("area_density", 10.0)];
        assert_eq!(found.matter, [Matter { region: None, material: "discrete-shells", constants }]);
    }
}
