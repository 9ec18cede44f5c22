//! From a mesh to a body: what the file says, what the user says, and what holds when nobody says anything.

use pliant_linalg::Dofs;
use pliant_mesh::{MeshData, TetMesh, data::Law, select::Selection};

use crate::material::{self, Constants, Isotropic, Material, Mooney};
use crate::{Body, EnergyError, MassKind, mass, solid::Solid};

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
    /// A name of [`material::ALL`], or of a surface's energies. Default: `mooney-rivlin` where the file has its
    /// coefficients, else `stable-neo-hookean`; `discrete-shells` for surfaces.
    pub material: Option<String>,
    /// Pa; default 1e6.
    pub young: Option<f64>,
    /// –; default 0.45.
    pub poisson: Option<f64>,
    /// kg/m³; default 1000.
    pub density: Option<f64>,
    /// Mooney-Rivlin coefficients; default: from Young's modulus and Poisson's ratio.
    pub mooney: Option<Mooney>,
    /// Bending stiffness of a surface, 004 eq. 2.2; default 1.
    pub bend: Option<f64>,
    /// Membrane stiffness of a surface, 004 eq. 2.2; default 1.
    pub membrane: Option<f64>,
    /// m; makes the mass of a surface together with the density. Default: the mass is the area.
    pub thickness: Option<f64>,
    /// Default: consistent for solids, lumped for surfaces.
    pub mass: Option<MassKind>,
    /// What does not move.
    pub fixed: Vec<Selection>,
}

/// Pa.
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.45;
/// kg/m³.
const DENSITY: f64 = 1000.0;
const SOLID: &str = "stable-neo-hookean";

impl Recipe {
    /// Makes the body.
    ///
    /// # Errors
    /// Constants that no body has, a material that is not there, everything fixed, or a mesh that cannot be computed
    /// with.
    pub fn build(&self, mesh: MeshData) -> Result<Body, EnergyError> {
        self.solid(&TetMesh::from_data(mesh)?)
    }

    fn solid(&self, mesh: &TetMesh) -> Result<Body, EnergyError> {
        let attributes = mesh.attributes();
        let mut materials: Vec<Box<dyn Material>> = Vec::new();
        let mut densities = Vec::new();
        // One material for each region, and one for what is in none.
        for region in attributes.regions.iter().map(Some).chain([None]) {
            let stated = region.and_then(|r| r.material).map(|m| &attributes.materials[m as usize]);
            let (material, density) = self.of_region(stated)?;
            materials.push(material);
            densities.push(density);
        }
        let nowhere = attributes.regions.len() as u32;
        let material_of: Vec<u32> = (0..mesh.tets().len())
            .map(|t| attributes.region_of.get(t).map_or(nowhere, |&r| r.min(nowhere)))
            .collect();
        let solid = Solid::new(mesh, materials, material_of.clone());
        let masses: Vec<f64> = (0..mesh.tets().len())
            .map(|t| densities[material_of[t] as usize] * solid.element(t).volume)
            .collect();
        let kind = self.mass.unwrap_or(MassKind::Consistent);
        let dofs = self.dofs(mesh.vertices().len(), mesh.tets().as_flattened())?;
        let boundary = pliant_mesh::topology::boundary_faces(mesh.tets());
        let elements = mesh.tets().iter().map(|t| t.as_slice()).zip(masses);
        let mass = |assembly: &pliant_linalg::Assembly| mass::mass(kind, assembly.pattern(), elements);
        Ok(Body::new(mesh.vertices().to_vec(), Box::new(solid), mass, dofs, boundary))
    }

    fn of_region(
        &self,
        stated: Option<&pliant_mesh::data::Material>,
    ) -> Result<(Box<dyn Material>, f64), EnergyError> {
        let density = self.density.or(stated.map(|s| s.density)).unwrap_or(DENSITY);
        positive("the density", density, "kg/m³")?;
        let (mut young, mut poisson, mut mooney) = (None, None, self.mooney);
        match stated.map(|s| s.law) {
            Some(Law::Isotropic { young: e, poisson: nu }) => (young, poisson) = (Some(e), Some(nu)),
            // The user's Young's modulus or Poisson's ratio overrules the file's coefficients.
            Some(Law::MooneyRivlin { mu01, mu10, v1 }) if self.young.is_none() && self.poisson.is_none() => {
                mooney = mooney.or(Some(Mooney { mu10, mu01, v1 }));
            }
            Some(Law::MooneyRivlin { .. }) | None => {}
        }
        let isotropic = match mooney {
            Some(mooney) => Isotropic::from_mooney(&mooney)?,
            None => Isotropic::from_young_poisson(
                self.young.or(young).unwrap_or(YOUNG),
                self.poisson.or(poisson).unwrap_or(POISSON),
            )?,
        };
        let default = if mooney.is_some() { "mooney-rivlin" } else { SOLID };
        let name = self.material.as_deref().unwrap_or(default);
        let entry = material::find(name).ok_or_else(|| EnergyError::UnknownMaterial {
            name: name.to_owned(),
            kind: "solids",
            allowed: material::ALL.iter().map(|m| m.name).collect(),
        })?;
        Ok(((entry.make)(&Constants { isotropic, mooney }), density))
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

fn positive(what: &'static str, value: f64, unit: &'static str) -> Result<(), EnergyError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(EnergyError::NotPositive { what, value, unit })
    }
}
