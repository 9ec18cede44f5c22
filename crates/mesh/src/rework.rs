//! What becomes of a mesh between one file and the next: scaled, thinned, filled, tied to a surface, given matter, fixed.
//!
//! Each step is a function of this room; [`Rework`] is their order, and what a user should know of each.
//!
//! ```
//! use pliant_mesh::rework::{Rework, Tie};
//! use pliant_mesh::{Kind, shapes, tetrahedralise};
//! let ball = shapes::ball(1.0, 4).boundary().into_data();
//! let solid = tetrahedralise::Options { size: tetrahedralise::Size::Resolution(8), ..Default::default() };
//! let rework = Rework { solid: Some(solid), tie: Some(Tie::Source), fix: vec!["y<5%".into()], ..Rework::default() };
//! let made = rework.make(ball, &mut pliant_linalg::ignore_progress)?;
//! assert_eq!((made.mesh.kind(), made.missed), (Kind::Tets, false));
//! assert!(made.mesh.attributes.embedded.is_some() && made.mesh.attributes.set("fixed").is_some());
//! # Ok::<(), pliant_mesh::MeshError>(())
//! ```

use pliant_linalg::{Note, Term, Watch, quote};

use crate::tetrahedralise::{self, Size};
use crate::{
    Attributes, Kind, Law, Material, MeshData, MeshError, Region, Result, SurfaceMesh, TetMesh, VertexSet,
    decimate, embed, select, terms,
};

/// More of the volume than this may not be missing from a solid that is called done.
const MOST_LOST: f64 = 0.2;

/// More than this may not be added to it where thin parts are thickened.
const MOST_GAINED: f64 = 0.5;

/// How near a number of tets must be met, of the number asked for.
const WITHIN: f64 = 0.15;

/// What a file that says nothing of it is made of: Young's modulus in Pa, Poisson's ratio, the density in kg/m³.
const USUAL_MATTER: [f64; 3] = [1e6, 0.45, 1000.0];

/// What is to be done with a mesh, in this order.
#[derive(Clone, Debug, Default)]
pub struct Rework {
    /// The longest side of its box, m.
    pub scale_to: Option<f64>,
    /// Vertices that a surface is thinned to.
    pub decimate: Option<usize>,
    /// A solid is made of the surface.
    pub solid: Option<tetrahedralise::Options>,
    /// A fine surface is tied to the solid.
    pub tie: Option<Tie>,
    /// Young's modulus to store, Pa.
    pub young: Option<f64>,
    /// Poisson's ratio to store.
    pub poisson: Option<f64>,
    /// Density to store, kg/m³.
    pub density: Option<f64>,
    /// Selections that are stored as the sets `fixed`, in the place of those that are there; `none` only clears them.
    pub fix: Vec<String>,
}

/// Which surface is tied to a solid.
#[derive(Clone, Debug)]
pub enum Tie {
    /// The one that the solid was made of.
    Source,
    /// This one.
    Surface(Box<MeshData>),
}

/// What became of a mesh.
#[derive(Clone, Debug)]
pub struct Reworked {
    /// The mesh.
    pub mesh: MeshData,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// Whether it is not what was asked for: too few collapses, too many tets, most of the body lost, or a solid that has not
    /// the pieces and handles of its surface.
    pub missed: bool,
}

impl Rework {
    /// Does all of it.
    ///
    /// # Errors
    /// A step that this mesh is nothing for, settings that no mesh can have, or the watch asked to stop.
    pub fn make(&self, mut mesh: MeshData, watch: &mut Watch<'_>) -> Result<Reworked> {
        if let Some(length) = self.scale_to {
            mesh.scale_to(length)?;
        }
        let mut remarks = Remarks::default();
        if let Some(vertices) = self.decimate {
            mesh = remarks.thinned(mesh, vertices, watch)?;
        }
        let mut source = None;
        if let Some(options) = &self.solid {
            let (solid, surface) = remarks.filled(mesh, options, watch)?;
            (mesh, source) = (solid, Some(surface));
        }
        if let Some(tie) = &self.tie {
            mesh = remarks.tied(mesh, tie, source)?;
        }
        self.store_matter(&mut mesh)?;
        self.store_fixed(&mut mesh, &mut remarks.notes)?;
        Ok(Reworked { mesh, notes: remarks.notes, missed: remarks.missed })
    }

    fn store_matter(&self, mesh: &mut MeshData) -> Result<()> {
        if [self.young, self.poisson, self.density].iter().all(Option::is_none) {
            return Ok(());
        }
        if mesh.kind() != Kind::Tets {
            let sentence = "Young's modulus, Poisson's ratio and the density belong to a solid; make a solid of it first";
            let of_solids = [
                Term::new("young", "Young's modulus"),
                Term::new("poisson", "Poisson's ratio"),
                Term::new("density", "the density"),
                terms::TETS,
            ];
            return Err(MeshError::Request(Note::new(sentence, &of_solids)));
        }
        // What is not given: what the file says of its only material, else the usual.
        let [mut young, mut poisson, mut density] = USUAL_MATTER;
        if let [only] = &mesh.attributes.materials[..] {
            density = only.density;
            if let Some([e, nu]) = only.law.as_isotropic() {
                (young, poisson) = (e, nu);
            }
        }
        let law = Law::isotropic(self.young.unwrap_or(young), self.poisson.unwrap_or(poisson));
        let material = Material { name: "body".into(), density: self.density.unwrap_or(density), law };
        material.check().map_err(MeshError::Inconsistent)?;
        let elements = mesh.elements.len();
        let a = &mut mesh.attributes;
        if a.regions.is_empty() {
            a.regions = vec![Region { name: "allElements".into(), material: None }];
            a.region_of = vec![0; elements];
        }
        a.materials = vec![material];
        a.regions.iter_mut().for_each(|r| r.material = Some(0));
        Ok(())
    }

    fn store_fixed(&self, mesh: &mut MeshData, notes: &mut Vec<Note>) -> Result<()> {
        if self.fix.is_empty() {
            return Ok(());
        }
        let chosen = self.fix.iter().map(|spec| select::select(mesh, spec)).collect::<Result<Vec<_>>>()?;
        let attributes = &mut mesh.attributes;
        attributes.sets.retain(|s| s.name != "fixed" && !s.name.starts_with("fixed:"));
        for (spec, chosen) in self.fix.iter().zip(chosen).filter(|(spec, _)| *spec != "none") {
            if chosen.vertices.is_empty() {
                notes.push(format!("{} fixes nothing: no vertex is there", quote(spec)).into());
            }
            let axes = ["x", "y", "z"].iter().zip(chosen.components).filter(|(_, on)| *on);
            let suffix: String = axes.map(|(c, _)| *c).collect();
            let name = if suffix == "xyz" { "fixed".to_owned() } else { format!("fixed:{suffix}") };
            add_to_set(attributes, name, chosen.vertices);
        }
        Ok(())
    }
}

/// What is to be said of the work so far.
#[derive(Default)]
struct Remarks {
    notes: Vec<Note>,
    missed: bool,
}

impl Remarks {
    /// The surface with fewer vertices.
    fn thinned(&mut self, mesh: MeshData, vertices: usize, watch: &mut Watch<'_>) -> Result<MeshData> {
        if mesh.kind() == Kind::Tets {
            let sentence = "only a surface can be thinned, but this mesh is a solid; take its boundary first, or make a \
                            coarser solid of that";
            let thinned = Term::new("decimate", "thinned");
            return Err(MeshError::Request(Note::new(sentence, &[thinned, terms::BOUNDARY])));
        }
        let surface = sound_faces(mesh, &mut self.notes)?;
        let thinned = decimate::decimate(&surface, decimate::Target::Vertices(vertices), watch)?;
        if !thinned.reached {
            let sentence = format!(
                "{} vertices are as few as it gets, {vertices} were asked for: no other edge can collapse without \
                 changing the topology or turning a triangle over",
                thinned.surface.vertices().len()
            );
            self.notes.push(sentence.into());
            self.missed = true;
        }
        Ok(thinned.surface.into_data())
    }

    /// A solid of the surface, and the surface.
    fn filled(
        &mut self,
        mesh: MeshData,
        options: &tetrahedralise::Options,
        watch: &mut Watch<'_>,
    ) -> Result<(MeshData, SurfaceMesh)> {
        if mesh.kind() == Kind::Tets {
            let sentence =
                "only a surface can be made into a solid, but this mesh is a solid already; leave that out";
            let solid = Term::new("tets", "made into a solid");
            return Err(MeshError::Request(Note::new(sentence, &[solid])));
        }
        let surface = sound_faces(mesh, &mut self.notes)?;
        let made = tetrahedralise::tetrahedralise(&surface, options, watch)?;
        let differs = made.whole.sentence();
        self.notes.extend(made.notes.into_iter().map(|note| match differs.as_ref() == Some(&note) {
            true => Note::new(note, &[terms::CAGE]),
            false => Note::from(note),
        }));
        self.missed |= differs.is_some();
        // What was thickened has more volume than the surface, not less.
        let most = if made.whole.thickened.is_some() { MOST_GAINED } else { MOST_LOST };
        let lost = made.volume_error.is_some_and(|e| e > most);
        if !options.cage && lost {
            let sentence =
                "the cells are too large for this body: make them smaller, or enclose it with a cage of tets";
            self.notes.push(Note::new(sentence, &[terms::CAGE]));
            self.missed = true;
        }
        let tets = made.mesh.tets().len();
        if let Size::Elements(wanted) = options.size
            && (tets as f64 / wanted as f64 - 1.0).abs() > WITHIN
        {
            let sentence = format!(
                "{tets} elements were made where {wanted} were asked for: ask for more or fewer, or say how large the cells \
                 are by their edge or the resolution"
            );
            let sizes = [
                Term::new("elements", "ask for more or fewer"),
                Term::new("edge", "their edge"),
                Term::new("resolution", "the resolution"),
            ];
            self.notes.push(Note::new(sentence, &sizes));
            self.missed = true;
        }
        Ok((made.mesh.into_data(), surface))
    }

    fn tied(&mut self, mesh: MeshData, tie: &Tie, source: Option<SurfaceMesh>) -> Result<MeshData> {
        let surface = match (tie, source) {
            (Tie::Source, Some(surface)) => surface,
            (Tie::Source, None) => {
                let sentence = "no surface was made into a solid that could be tied to it; name the file of a surface to tie";
                let file = Term::new("embed", "the file of a surface to tie");
                return Err(MeshError::Request(Note::new(sentence, &[file])));
            }
            (Tie::Surface(surface), _) => sound_faces((**surface).clone(), &mut self.notes)?,
        };
        let (solid, turned) = TetMesh::reoriented(mesh)?;
        if turned > 0 {
            self.notes.push(format!("{turned} inverted tets were turned around").into());
        }
        let (solid, report) = embed::attach(solid, &surface)?;
        if report.outside > 0 {
            let sentence = format!(
                "{} of {} surface vertices lie outside the solid, at most {:.3e} m away; they follow the nearest tet",
                report.outside,
                surface.vertices().len(),
                report.largest_distance
            );
            self.notes.push(sentence.into());
        }
        Ok(solid.into_data())
    }
}

/// A surface to be computed with: faces that name a corner twice are left out, and said.
fn sound_faces(mesh: MeshData, notes: &mut Vec<Note>) -> Result<SurfaceMesh> {
    let (surface, dropped) = SurfaceMesh::without_bad_faces(mesh)?;
    if dropped > 0 {
        let left_out = "faces that name fewer than three different corners were left out";
        notes.push(format!("{dropped} {left_out}").into());
    }
    Ok(surface)
}

fn add_to_set(attributes: &mut Attributes, name: String, vertices: Vec<u32>) {
    match attributes.sets.iter_mut().find(|s| s.name == name) {
        Some(set) => {
            set.vertices.extend(vertices);
            set.vertices.sort_unstable();
            set.vertices.dedup();
        }
        None => attributes.sets.push(VertexSet { name, vertices }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::{Vec3, ignore_progress};

    fn bar() -> MeshData {
        crate::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data()
    }

    #[test]
    fn what_a_solid_cannot_have_done_to_it_is_refused() {
        let refused = |rework: Rework, words: &str| {
            let said = rework.make(bar(), &mut ignore_progress).expect_err("a solid").to_string();
            assert!(said.contains(words), "{said}");
        };
        refused(Rework { decimate: Some(9), ..Rework::default() }, "only a surface can be thinned");
        refused(Rework { solid: Some(Default::default()), ..Rework::default() }, "a solid already");
        refused(Rework { tie: Some(Tie::Source), ..Rework::default() }, "name the file");
        refused(Rework { poisson: Some(0.5), ..Rework::default() }, "0.5");
        let sheet = crate::shapes::ball(1.0, 2).boundary().into_data();
        let young = Rework { young: Some(1.0), ..Rework::default() };
        assert!(
            young.make(sheet, &mut ignore_progress).is_err_and(|e| e.to_string().contains("make a solid"))
        );
    }

    #[test]
    fn matter_and_fixed_vertices_take_the_place_of_what_was_there() {
        let rework = |rework: Rework, mesh| rework.make(mesh, &mut ignore_progress).expect("a bar");
        let fix = ["x<5%:z", "ids:3,4", "ids:4,5"].map(str::to_owned).to_vec();
        let first = rework(Rework { young: Some(2e5), fix, ..Rework::default() }, bar()).mesh;
        let law = first.attributes.materials[0].law.as_isotropic();
        assert_eq!((law, first.attributes.materials[0].density), (Some([2e5, 0.45]), 1000.0));
        let set = |mesh: &MeshData, name: &str| mesh.attributes.set(name).map(|s| s.vertices.clone());
        assert_eq!(set(&first, "fixed"), Some(vec![3, 4, 5]));
        assert_eq!(set(&first, "fixed:z").map(|v| v.len()), Some(4));
        let again = Rework { density: Some(5.0), fix: vec!["none".into()], ..Rework::default() };
        let second = rework(again, first).mesh;
        assert!(second.attributes.sets.is_empty());
        assert_eq!(
            second.attributes.materials[0].law.as_isotropic(),
            Some([2e5, 0.45]),
            "what the file said"
        );
        let nowhere = rework(Rework { fix: vec!["box:8,8,8,9,9,9".into()], ..Rework::default() }, second);
        assert!(nowhere.notes[0].contains("fixes nothing"));
    }

    #[test]
    fn what_was_not_reached_is_missed() {
        let ball = || crate::shapes::ball(1.0, 3).boundary().into_data();
        let few = Rework { decimate: Some(3), ..Rework::default() };
        let made = few.make(ball(), &mut ignore_progress).expect("a surface");
        assert!(made.missed && made.notes[0].contains("as few as it gets"), "{:?}", made.notes);
        let size = Rework { scale_to: Some(3.0), ..Rework::default() };
        let made = size.make(ball(), &mut ignore_progress).expect("a surface");
        let [low, high] = made.mesh.bounds();
        assert!(!made.missed && ((high - low).max() - 3.0).abs() < 1e-12);
    }
}
