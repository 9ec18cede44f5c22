//! From a mesh to a body: what the file says, what the user says, and what holds when nobody says anything.

mod choice;

use std::collections::BTreeMap;

use pliant_linalg::{Dofs, Term};
use pliant_mesh::{Elements, Kind, MeshData, SurfaceMesh, TetMesh, measure, select::Selection};

use crate::element::Tet4;
use crate::material::Material;
use crate::{Body, Energy, EnergyError, MassKind, mass, shell, solid::Solid, terms};
pub(crate) use choice::Declared;
use choice::refuse;

/// What a body is made of. `None` means: what the mesh file says, else the default.
///
/// ```
/// use pliant_energy::Recipe;
/// let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let fixed = pliant_mesh::select::select(&bar, "x<5%")?;
/// let body = Recipe { material: Some("stvk".into()), young: Some(1e6), fixed: vec![fixed], ..Recipe::default() }
///     .build(bar)?;
/// assert_eq!(body.size() - body.dofs().free().len(), 4 * 3);
/// # Ok::<(), pliant_energy::EnergyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// A name of [`crate::material::ALL`], or of [`shell::ALL`] for surfaces. Default: the law whose constants are given,
    /// else the law that the file names, else `stable-neo-hookean`; `discrete-shells` for surfaces.
    pub material: Option<String>,
    /// Pa; default 1e6. For a surface only together with the thickness: the stiffnesses are then those of a plate. Where the file has constants of a law that take its place, such as Mooney-Rivlin's, their
    /// small-strain limit takes the place of the defaults of this and of `poisson`; with one of the two given the law's own
    /// constants are made from both.
    pub young: Option<f64>,
    /// –; default 0.45.
    pub poisson: Option<f64>,
    /// kg/m³; default 1000. For a surface only together with the thickness.
    pub density: Option<f64>,
    /// Constants that the material has of its own, by the keys that its line of the table declares, SI. Default: what the
    /// file says, else what the law says.
    pub constants: BTreeMap<String, f64>,
    /// Bending stiffness of a surface, T14 eq. 2.2; default 1, or that of a plate: [`shell::of_plate`].
    pub bend: Option<f64>,
    /// Membrane stiffness of a surface, T14 eq. 2.2; default 1, or that of a plate.
    pub membrane: Option<f64>,
    /// m; makes the mass of a surface together with the density. Default: the mass is the area, 1 kg/m².
    pub thickness: Option<f64>,
    /// Default: consistent for solids, lumped for surfaces.
    pub mass: Option<MassKind>,
    /// What does not move.
    pub fixed: Vec<Selection>,
}

/// Pa.
pub(crate) const YOUNG: f64 = 1e6;
pub(crate) const POISSON: f64 = 0.45;
/// kg/m³.
pub(crate) const DENSITY: f64 = 1000.0;
/// κ_b and κ_m of a surface.
pub(crate) const SHELL: f64 = 1.0;

impl Recipe {
    /// Makes the body.
    ///
    /// # Errors
    /// Constants that no body has, a material that is not there, everything fixed, or a mesh that cannot be computed
    /// with.
    pub fn build(&self, mesh: MeshData) -> Result<Body, EnergyError> {
        match mesh.elements {
            Elements::Tets(_) => self.solid(&TetMesh::from_data(mesh)?),
            Elements::Faces(_) => self.surface(&SurfaceMesh::from_data(mesh)?),
        }
    }

    /// Makes the energy alone, without mass, held degrees of freedom and matrices: what a reduced model needs at run time.
    ///
    /// # Errors
    /// As [`Recipe::build`].
    pub fn energy(&self, mesh: MeshData) -> Result<Box<dyn Energy>, EnergyError> {
        match mesh.elements {
            Elements::Tets(_) => Ok(Box::new(self.solid_energy(&TetMesh::from_data(mesh)?)?.0)),
            Elements::Faces(_) => Ok(self.surface_energy(&SurfaceMesh::from_data(mesh)?)?.0),
        }
    }

    /// The energy, and the face that each triangle comes from.
    fn surface_energy(&self, mesh: &SurfaceMesh) -> Result<(Box<dyn Energy>, Vec<usize>), EnergyError> {
        let of_solids = [(terms::POISSON, self.poisson.is_some())];
        let instead = "its stiffness is the bending stiffness and the membrane stiffness, or that of a plate of Young's \
                       modulus and the thickness; for a body with volume, make a solid of it";
        let terms = &[terms::BEND, terms::MEMBRANE, terms::YOUNG, terms::THICKNESS, terms::TETS];
        refuse(&of_solids, "surface", instead, terms)?;
        if self.thickness.is_none() {
            let instead = "without the thickness it makes no stiffness; give both, or the bending stiffness and the membrane \
                           stiffness";
            let terms = &[terms::THICKNESS, terms::BEND, terms::MEMBRANE];
            refuse(&[(terms::YOUNG, self.young.is_some())], "surface", instead, terms)?;
            let instead = "without the thickness its mass is its area, 1 kg/m²; give both, or neither";
            refuse(&[(terms::DENSITY, self.density.is_some())], "surface", instead, &[terms::THICKNESS])?;
        }
        let triangles = mesh.triangles();
        let (entry, constants) = self.shell(self.plate(mesh.vertices(), &triangles)?)?;
        positive(terms::BEND, constants.bend, "J")?;
        positive(terms::MEMBRANE, constants.membrane, "N/m")?;
        // A face of k corners becomes k − 2 triangles, one after another.
        let faces = mesh.faces().iter().enumerate();
        let face_of: Vec<usize> = faces.flat_map(|(f, corners)| (2..corners.len()).map(move |_| f)).collect();
        assert_eq!(
            face_of.len(),
            triangles.len(),
            "a polygon is cut into two triangles less than it has corners"
        );
        let energy = (entry.make)(&constants, mesh.vertices(), &triangles).map_err(|unfit| match unfit {
            shell::Unfit::NoArea(bad) => {
                let mut faces: Vec<usize> = bad.into_iter().map(|t| face_of[t]).collect();
                faces.dedup();
                EnergyError::NoArea { face: faces[0], count: faces.len() }
            }
            shell::Unfit::Crowded { ends, faces } => {
                EnergyError::CrowdedEdge { ends, faces, allowed: shell::MOST_AT_EDGE }
            }
        })?;
        Ok((energy, face_of))
    }

    fn surface(&self, mesh: &SurfaceMesh) -> Result<Body, EnergyError> {
        let (energy, face_of) = self.surface_energy(mesh)?;
        let triangles = mesh.triangles();
        let masses = (0..triangles.len())
            .map(|t| {
                let area = measure::area_vector(&triangles[t].map(|v| mesh.vertices()[v as usize])).norm();
                Ok(area * self.area_density(mesh.attributes(), face_of[t])?)
            })
            .collect::<Result<Vec<f64>, EnergyError>>()?;
        let kind = self.mass_kind(Kind::Triangles);
        let dofs = self.dofs(mesh.vertices().len(), triangles.as_flattened())?;
        let elements = triangles.iter().map(|t| t.as_slice()).zip(masses);
        let mass = |assembly: &pliant_linalg::Assembly| mass::mass(kind, assembly.pattern(), elements);
        weighed(Body::new(mesh.vertices().to_vec(), energy, mass, dofs, triangles.clone()))
    }

    /// κ_b and κ_m of a plate over these triangles, where Young's modulus and the thickness are given.
    pub(crate) fn plate(
        &self,
        vertices: &[pliant_linalg::Vec3],
        triangles: &[[u32; 3]],
    ) -> Result<Option<[f64; 2]>, EnergyError> {
        let (Some(young), Some(thickness)) = (self.young, self.thickness) else { return Ok(None) };
        positive(terms::YOUNG, young, "Pa")?;
        positive(terms::THICKNESS, thickness, "m")?;
        Ok(Some(shell::of_plate(young, thickness, vertices, triangles)))
    }

    /// kg/m² of a face: 1, unless there is a thickness.
    fn area_density(&self, attributes: &pliant_mesh::Attributes, face: usize) -> Result<f64, EnergyError> {
        let stated = attributes.region(face).and_then(|r| r.material);
        self.area_density_of(stated.map(|m| &attributes.materials[m as usize]))
    }

    /// kg/m² of what the file calls `stated`.
    pub(crate) fn area_density_of(
        &self,
        stated: Option<&pliant_mesh::data::Material>,
    ) -> Result<f64, EnergyError> {
        let Some(thickness) = self.thickness else { return Ok(1.0) };
        positive(terms::THICKNESS, thickness, "m")?;
        let stated = stated.map(|m| m.density);
        let density = self.density.or(stated).unwrap_or(DENSITY);
        positive(terms::DENSITY, density, "kg/m³")?;
        Ok(thickness * density)
    }

    /// The energy, and the mass of each tet, kg.
    fn solid_energy(&self, mesh: &TetMesh) -> Result<(Solid, Vec<f64>), EnergyError> {
        let of_surfaces = [
            (terms::BEND, self.bend.is_some()),
            (terms::MEMBRANE, self.membrane.is_some()),
            (terms::THICKNESS, self.thickness.is_some()),
        ];
        let instead = "its stiffness is Young's modulus and Poisson's ratio, its mass comes from the density";
        refuse(&of_surfaces, "solid", instead, &[terms::YOUNG, terms::POISSON, terms::DENSITY])?;
        check_slivers(mesh)?;
        let attributes = mesh.attributes();
        let mut materials: Vec<Box<dyn Material>> = Vec::new();
        let mut densities = Vec::new();
        // One material for each region, and one for what is in none, if there is something.
        let nowhere = (0..mesh.tets().len()).any(|t| attributes.region(t).is_none());
        for region in attributes.regions.iter().map(Some).chain(nowhere.then_some(None)) {
            let stated = region.and_then(|r| r.material).map(|m| &attributes.materials[m as usize]);
            let choice = self.of_region(stated)?;
            materials.push((choice.entry.make)(&choice.constants)?);
            densities.push(choice.density);
        }
        let nowhere = attributes.regions.len() as u32;
        let material_of: Vec<u32> = (0..mesh.tets().len())
            .map(|t| attributes.region_of.get(t).map_or(nowhere, |&r| r.min(nowhere)))
            .collect();
        let solid = Solid::new(mesh, materials, material_of.clone());
        let masses: Vec<f64> = (0..mesh.tets().len())
            .map(|t| densities[material_of[t] as usize] * solid.element(t).volume)
            .collect();
        Ok((solid, masses))
    }

    fn solid(&self, mesh: &TetMesh) -> Result<Body, EnergyError> {
        let (solid, masses) = self.solid_energy(mesh)?;
        let kind = self.mass_kind(Kind::Tets);
        let dofs = self.dofs(mesh.vertices().len(), mesh.tets().as_flattened())?;
        let boundary = pliant_mesh::topology::boundary_faces(mesh.tets());
        let elements = mesh.tets().iter().map(|t| t.as_slice()).zip(masses);
        let mass = |assembly: &pliant_linalg::Assembly| mass::mass(kind, assembly.pattern(), elements);
        weighed(Body::new(mesh.vertices().to_vec(), Box::new(solid), mass, dofs, boundary))
    }

    /// Which mass matrix elements of that kind get.
    pub(crate) fn mass_kind(&self, elements: Kind) -> MassKind {
        let default = if elements == Kind::Tets { MassKind::Consistent } else { MassKind::Lumped };
        self.mass.unwrap_or(default)
    }

    /// Held: what the recipe fixes, and vertices that no element touches, since nothing would hold or move them.
    fn dofs(&self, vertices: usize, corners: &[u32]) -> Result<Dofs, EnergyError> {
        let mut used = vec![false; vertices];
        corners.iter().for_each(|&v| used[v as usize] = true);
        let mut held: Vec<bool> = used.iter().flat_map(|&used| [!used; 3]).collect();
        for selection in &self.fixed {
            for &v in &selection.vertices {
                for c in (0..3).filter(|&c| selection.components[c]) {
                    held[3 * v as usize + c] = true;
                }
            }
        }
        let dofs = Dofs::new(held);
        if dofs.free().is_empty() { Err(EnergyError::AllFixed { vertices }) } else { Ok(dofs) }
    }
}

/// Tets that are flat to rounding are an error.
fn check_slivers(mesh: &TetMesh) -> Result<(), EnergyError> {
    let sliver = |t: usize| {
        let corners = mesh.corners(t);
        let (volume, allowed) = (measure::tet_volume(&corners), Tet4::least_volume(&corners));
        // Below the normal numbers a volume has lost its digits.
        let allowed = allowed.max(f64::MIN_POSITIVE);
        (volume <= allowed).then_some((t, volume, allowed))
    };
    let mut slivers = (0..mesh.tets().len()).filter_map(sliver);
    match slivers.next() {
        Some((tet, volume, allowed)) => {
            Err(EnergyError::Sliver { tet, count: 1 + slivers.count(), volume, allowed })
        }
        None => Ok(()),
    }
}

/// The body, if each of its vertices but the unused ones has a mass that can be divided by.
fn weighed(body: Body) -> Result<Body, EnergyError> {
    let masses = body.vertex_masses().iter().enumerate();
    let mut used = masses.filter(|(v, _)| body.unused().binary_search(&(*v as u32)).is_err());
    match used.find(|(_, m)| !(m.is_normal() && **m > 0.0)) {
        Some((vertex, &mass)) => Err(EnergyError::Weight { vertex, mass }),
        None => Ok(body),
    }
}

pub(crate) fn positive(what: Term, value: f64, unit: &'static str) -> Result<(), EnergyError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(EnergyError::NotPositive { what, value, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::Vec3;

    /// A unit square, cut in two or whole, and a vertex that nobody uses.
    fn square(faces: &[&[u32]]) -> MeshData {
        let vertices = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [7.0, 7.0]];
        let vertices = vertices.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        MeshData::from_faces(vertices, faces.iter().copied().collect())
    }

    fn refused(recipe: &Recipe, mesh: MeshData) -> String {
        recipe.build(mesh).expect_err("no body").to_string()
    }

    #[test]
    fn a_quad_is_a_surface_of_two_triangles_with_a_third_of_the_area_each() {
        let body = Recipe::default().build(square(&[&[0, 1, 2, 3]])).expect("a body");
        assert_eq!((body.boundary().len(), body.components().count()), (2, 1 + 5 + 2));
        let mut masses = body.vertex_masses().to_vec();
        assert_eq!(masses[4], 0.0);
        assert!((12..15).all(|i| body.dofs().is_held(i)));
        masses.sort_by(f64::total_cmp);
        let expected = [0.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0];
        assert!(masses.iter().zip(expected).all(|(m, e)| (m - e).abs() < 1e-15), "{masses:?}");
    }

    #[test]
    fn thickness_and_density_make_the_mass() {
        let mass =
            |recipe: Recipe| recipe.build(square(&[&[0, 1, 2], &[0, 2, 3]])).expect("a body").total_mass();
        for kind in [MassKind::Lumped, MassKind::Consistent] {
            let recipe = Recipe { mass: Some(kind), ..Recipe::default() };
            assert!((mass(recipe.clone()) - 1.0).abs() < 1e-14);
            assert!((mass(Recipe { thickness: Some(0.01), ..recipe.clone() }) - 10.0).abs() < 1e-13);
            let both = Recipe { thickness: Some(0.01), density: Some(200.0), ..recipe };
            assert!((mass(both) - 2.0).abs() < 1e-13);
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let surface = || square(&[&[0, 1, 2], &[0, 2, 3]]);
        let bar = || pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data();
        let base = Recipe::default;
        for (recipe, mesh, words) in [
            (Recipe { young: Some(1.0), ..base() }, surface(), "without the thickness it makes no stiffness"),
            (
                Recipe { young: Some(-1.0), thickness: Some(0.1), ..base() },
                surface(),
                "Young's modulus must be",
            ),
            (
                Recipe { poisson: Some(0.3), ..base() },
                surface(),
                "Poisson's ratio means nothing for a surface",
            ),
            (Recipe { density: Some(1.0), ..base() }, surface(), "without the thickness"),
            (Recipe { bend: Some(1.0), ..base() }, bar(), "the bending stiffness means nothing for a solid"),
            (Recipe { thickness: Some(1.0), ..base() }, bar(), "the thickness means nothing for a solid"),
            (Recipe { bend: Some(0.0), ..base() }, surface(), "the bending stiffness must be"),
            (Recipe { membrane: Some(f64::NAN), ..base() }, surface(), "the membrane stiffness must be"),
            (Recipe { thickness: Some(-1.0), ..base() }, surface(), "the thickness must be"),
            (Recipe { material: Some("stvk".into()), ..base() }, surface(), "a material of solids"),
            (Recipe { material: Some("discrete-shells".into()), ..base() }, bar(), "a material of surfaces"),
            (Recipe { material: Some("jelly".into()), ..base() }, surface(), "there are: discrete-shells"),
            (Recipe { material: Some("jelly".into()), ..base() }, bar(), "stvk"),
            (base(), square(&[&[0, 1, 2, 3], &[0, 2, 4]]), "face 1 has no area"),
        ] {
            let sentence = refused(&recipe, mesh);
            assert!(sentence.contains(words), "{sentence}");
        }
    }

    #[test]
    fn flat_tets_are_named_and_thin_ones_are_not() {
        let pair = |height: f64| {
            let top = |z: f64| Vec3::new(0.3, 0.3, z);
            let [x, y, z] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
            MeshData::from_tets(vec![x, y, z, top(1.0), top(-height)], vec![[0, 1, 2, 3], [0, 2, 1, 4]])
        };
        // The longest edge is √2: 1e-14 of its cube is 2.8e-14 m³, the volume is height / 6.
        for height in [1e-300, 1e-14, 1.6e-13] {
            let sentence = refused(&Recipe::default(), pair(height));
            assert!(sentence.starts_with("tet 1 is too flat"), "{sentence}");
            assert!(sentence.contains("2.828") && sentence.contains("examine the file"), "{sentence}");
        }
        for height in [1.8e-13, 1e-6] {
            let body = Recipe::default().build(pair(height)).expect("a body");
            let mut K = body.zero_matrix();
            body.stiffness(&[0.0; 15], crate::Tangent::Exact, &mut K).expect("admissible");
            // The thinner it is, the stiffer: nothing is dropped.
            assert!(K.block(4, 4)[2][2] > 1e4 / height, "{height}: {:?}", K.block(4, 4));
        }
    }

    #[test]
    fn a_mass_that_is_no_normal_number_is_refused() {
        let bar = || pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data();
        for density in [5e-324, 1e-306] {
            let sentence = refused(&Recipe { density: Some(density), ..Recipe::default() }, bar());
            assert!(sentence.contains("vertex 0 weighs") && sentence.contains("the density"), "{sentence}");
        }
        let thin = Recipe { thickness: Some(1e-200), density: Some(1e-200), ..Recipe::default() };
        let sentence = refused(&thin, square(&[&[0, 1, 2], &[0, 2, 3]]));
        assert!(sentence.contains("weighs 0e0 kg") && sentence.contains("the thickness"), "{sentence}");
        assert!(Recipe { density: Some(1e-300), ..Recipe::default() }.build(bar()).is_ok());
    }

    #[test]
    fn unused_vertices_are_told() {
        let body = Recipe::default().build(square(&[&[0, 1, 2], &[0, 2, 3]])).expect("a body");
        assert_eq!(body.unused(), [4]);
        let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data();
        assert!(Recipe::default().build(bar).expect("a body").unused().is_empty());
    }
}
