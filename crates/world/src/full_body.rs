//! A mesh as a body at full order, exactly as it is asked for, and what can be computed of it: modes, the energy at a state,
//! snapshots of a motion, a reduced model.
//!
//! [`crate::Open`] chooses what suits a mesh and mends what is wrong with it; nothing is chosen or mended here.
//!
//! ```
//! use pliant_world::{BodyOptions, Holding};
//! let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [6, 1, 1]).into_data();
//! let options = BodyOptions { holding: Holding::These(vec!["x<5%".into()]), ..BodyOptions::default() };
//! let body = options.make(bar, &mut pliant_linalg::ignore_progress)?;
//! let found = body.vibration(3, &mut pliant_linalg::ignore_progress)?;
//! assert!(found.rigid.is_empty() && found.modes.frequencies_hz()[0] > 0.0);
//! # Ok::<(), pliant_world::OpenError>(())
//! ```

use std::path::Path;
use std::sync::Arc;

use pliant_energy::{Body, Recipe, Tangent};
use pliant_linalg::{Note, Term, Watch, par, quote, shown};
use pliant_mesh::io::arrays;
use pliant_mesh::loose::{LooseParts, loose_parts};
use pliant_mesh::{Elements, MeshData, MeshError, select, topology};
use pliant_reduce::{ModalAnalysis, Model, Precompute, Reduction, Warp, linear_modes};
use pliant_sim::accuracy::{Found, Goal, usual_hold};
use pliant_sim::{Full, InitialState, Record, RunOptions, Scenario, run_frames};

use crate::open::unlikely_unit;
use crate::{Form, Holding, Open, OpenError};

const FIX: Term = Term::new("fix", "fix");

/// How a mesh becomes a body.
#[derive(Clone, Debug)]
pub struct BodyOptions {
    /// The longest side of its box, m.
    pub scale_to: Option<f64>,
    /// A solid is made of a surface first.
    pub solid: bool,
    /// What is held; the default is nothing.
    pub holding: Holding,
    /// What it is made of.
    pub recipe: Recipe,
}

impl Default for BodyOptions {
    fn default() -> Self {
        let holding = Holding::These(Vec::new());
        Self { scale_to: None, solid: false, holding, recipe: Recipe::default() }
    }
}

/// A body with the mesh and the recipe that it was made of.
pub struct FullBody {
    /// The mesh.
    pub mesh: MeshData,
    /// What it is made of, and what is held.
    pub recipe: Recipe,
    /// The body; who steps it shares it.
    pub body: Arc<Body>,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// Parts that nothing holds and nothing joins to what is held; a note names them.
    pub loose: Option<LooseParts>,
    /// Whether a solid was made that has not the pieces and handles of its surface; a note says where.
    pub differs: bool,
    /// How many times as large it is as the mesh that it was made of.
    pub scale: f64,
}

/// Energy and forces at one state, no vertex left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtState {
    /// W(u), J; 0 at rest.
    pub energy: f64,
    /// ‖f‖ of the internal force f = +∂W/∂u, N.
    pub force_norm: f64,
    /// Of a probe v: v·f and vᵀKv with the exact tangent K.
    pub probe: Option<[f64; 2]>,
}

/// A linear displacement, warped.
#[derive(Clone, Debug, PartialEq)]
pub struct Warped {
    /// 3n entries, m.
    pub displacement: Vec<f64>,
    /// The volume of a solid (the area of a surface) as a part of that at rest: of the linear displacement, and of the warped one.
    pub size_ratio: [f64; 2],
    /// The largest angle by which an element turns, radians.
    pub largest_rotation: f64,
}

impl BodyOptions {
    /// Makes the body; its energy is made once.
    ///
    /// # Errors
    /// Options that this mesh cannot have, or a mesh that cannot be computed with; or the watch asked to stop.
    pub fn make(&self, mut mesh: MeshData, watch: &mut Watch<'_>) -> Result<FullBody, OpenError> {
        let (mut notes, mut differs) = (Vec::new(), false);
        let scale = self.scale_to.map_or(Ok(1.0), |length| mesh.scale_to(length))?;
        match (self.solid, &mesh.elements) {
            (false, _) => notes.extend(unlikely_unit(&mesh)),
            (true, Elements::Tets(_)) => {
                let sentence = "only a surface can be made into a solid, but this mesh is a solid already; leave that out";
                let solid = Term::new("solid", "made into a solid");
                return Err(OpenError::Request(Note::new(sentence, &[solid])));
            }
            (true, Elements::Faces(_)) => {
                let open = Open { form: Form::Solid, holding: Holding::Recipe, ..Open::default() };
                let prepared = open.prepare(mesh, watch)?;
                notes.extend(prepared.notes);
                (mesh, differs) = (prepared.mesh, prepared.differs);
            }
        }
        let mut recipe = self.recipe.clone();
        match &self.holding {
            Holding::Recipe => {}
            Holding::Usual => {
                let (fixed, sentence) = usual_hold(&mesh)?;
                recipe.fixed = fixed;
                let sentence = format!("nothing is said of what to fix, so {sentence}");
                notes.push(Note::new(sentence, &[FIX]));
            }
            Holding::These(specs) => recipe.fixed = chosen(&mesh, specs, &mut notes)?,
            other => {
                if let Some((fixed, note)) = other.of(&mesh)? {
                    recipe.fixed = fixed;
                    notes.extend(note);
                }
            }
        }
        let body = Arc::new(recipe.build(mesh.clone())?);
        let unused = body.unused().len();
        if unused > 0 {
            let stay = "vertices belong to no element; they stay where they are";
            notes.push(format!("{unused} {stay}").into());
        }
        let loose = loose_parts(&mesh, &recipe.fixed);
        notes.extend(loose.map(|parts| parts.note()));
        Ok(FullBody { mesh, recipe, body, notes, loose, differs, scale })
    }
}

/// What is selected, with a word about what selects nothing.
fn chosen(
    mesh: &MeshData,
    specs: &[String],
    notes: &mut Vec<Note>,
) -> Result<Vec<select::Selection>, OpenError> {
    let names = mesh.attributes.sets.iter().map(|s| s.name.as_str());
    let stored: Vec<String> = names
        .filter(|name| *name == "fixed" || name.starts_with("fixed:"))
        .map(|name| format!("set:{name}"))
        .collect();
    if specs.is_empty() && !stored.is_empty() {
        let sentence = format!(
            "nothing is fixed; the file stores fixed vertices, to fix by name: {}",
            stored.join(", ")
        );
        notes.push(Note::new(sentence, &[Term::new("fix", "to fix by name")]));
    }
    let mut fixed = Vec::new();
    for spec in specs {
        let refused = |error: MeshError| OpenError::Request(Note::new(format!("to fix: {error}"), &[FIX]));
        let selection = select::select(mesh, spec).map_err(refused)?;
        if selection.vertices.is_empty() && spec != "none" {
            let sentence = format!("to fix {} has no effect: it names no vertex of this mesh", quote(spec));
            notes.push(Note::new(sentence, &[FIX]));
        }
        fixed.push(selection);
    }
    Ok(fixed)
}

impl FullBody {
    /// The `count` lowest linear modes, rigid motions not counted.
    ///
    /// # Errors
    /// More modes than the body has, or no convergence ([`OpenError::is_missed`]); or the watch asked to stop.
    pub fn vibration(&self, count: usize, watch: &mut Watch<'_>) -> Result<ModalAnalysis, OpenError> {
        Ok(linear_modes(&self.body, count, watch)?)
    }

    /// The body that a model was built from.
    ///
    /// # Errors
    /// As [`Model::body`].
    pub fn of_model(model: &Model) -> Result<Self, OpenError> {
        let (mesh, recipe) = (model.mesh().clone(), model.recipe().clone());
        let loose = loose_parts(&mesh, &recipe.fixed);
        let notes = loose.iter().map(LooseParts::note).collect();
        Ok(Self { body: Arc::new(model.body()?), mesh, recipe, notes, loose, differs: false, scale: 1.0 })
    }

    /// A linear displacement, 3n entries in m, warped: what turns does not swell.
    ///
    /// # Errors
    /// A displacement of another body, not finite, or one that moves what is held; an element without volume or area.
    pub fn warped(&self, linear: &[f64]) -> Result<Warped, OpenError> {
        let warp = Warp::new(&self.body)?;
        warp.check(linear)?;
        let mut displacement = vec![0.0; linear.len()];
        warp.apply(linear, &mut displacement);
        let size_ratio = [warp.size_ratio(linear), warp.size_ratio(&displacement)];
        Ok(Warped { largest_rotation: warp.largest_rotation(linear), displacement, size_ratio })
    }

    /// Energy and force at `displacement`, 3n entries in m; with a `probe` of 3n entries, what they are along it.
    ///
    /// # Errors
    /// A state at which the energy is not defined or not finite.
    pub fn at_state(&self, displacement: &[f64], probe: Option<&[f64]>) -> Result<AtState, OpenError> {
        let energy = self.body.energy(displacement)?;
        let mut force = vec![0.0; displacement.len()];
        self.body.force(displacement, &mut force)?;
        if !(energy.is_finite() && force.iter().all(|f| f.is_finite())) {
            let sentence =
                "energy or force is not a finite number at this state; displacements are in metres";
            return Err(OpenError::Request(sentence.into()));
        }
        let along = |probe: &[f64]| -> Result<[f64; 2], OpenError> {
            let mut stiffness = self.body.zero_matrix();
            self.body.stiffness(displacement, Tangent::Exact, &mut stiffness)?;
            Ok([par::dot(&force, probe), stiffness.quadratic(probe)])
        };
        Ok(AtState { energy, force_norm: par::norm(&force), probe: probe.map(along).transpose()? })
    }

    /// A surface that encloses a volume is a shell, thin as paper, where nobody asks for a solid: that is worth a word.
    pub fn hollow(&self) -> Option<Note> {
        let Elements::Faces(faces) = &self.mesh.elements else { return None };
        let sentence =
            "the surface encloses a volume and is reduced as a shell, thin as paper; it can be filled";
        topology::is_closed(faces).then(|| Note::new(sentence, &[Term::new("solid", "can be filled")]))
    }

    /// A reduced model of it.
    ///
    /// # Errors
    /// As [`Precompute::build`].
    pub fn reduce(&self, precompute: &Precompute, watch: &mut Watch<'_>) -> Result<Reduction, OpenError> {
        Ok(precompute.reduce(self.mesh.clone(), self.recipe.clone(), &self.body, watch)?)
    }

    /// The smallest model of it that is as accurate as asked.
    ///
    /// # Errors
    /// As [`Goal::build`].
    pub fn reduce_to(&self, goal: &Goal, watch: &mut Watch<'_>) -> Result<Found, OpenError> {
        // What is searched does not depend on a warp: the model that was found gets one.
        let plain = Goal { given: Precompute { warp: None, ..goal.given.clone() }, ..goal.clone() };
        let found = plain.reduce(self.mesh.clone(), self.recipe.clone(), Arc::clone(&self.body), watch)?;
        Ok(Found { made: goal.given.with_warp(found.made, &self.body, watch)?, ..found })
    }

    /// What it does in a scenario, step by step by Newmark's method: [`Record::frames`].
    ///
    /// # Errors
    /// As [`pliant_sim::run()`].
    pub fn motion(
        &self,
        scenario: &Scenario,
        initial: Option<InitialState>,
        watch: &mut Watch<'_>,
    ) -> Result<Record, OpenError> {
        let mut full = Full::new(Arc::clone(&self.body), scenario.loads.clone())?;
        Ok(run_frames(&mut full, scenario, &RunOptions::default(), initial, watch)?)
    }

    /// Displacements of a file, 3n entries each, m: of this mesh as far as the file tells.
    ///
    /// # Errors
    /// A file that cannot be read, or of another mesh.
    pub fn snapshots(&self, path: &Path) -> Result<Vec<f64>, OpenError> {
        let n = self.mesh.vertices.len();
        let refuse = |note: Note| {
            let sentence = format!("{}: {}", shown(path), note.sentence);
            Err(OpenError::Request(Note { sentence, ..note }))
        };
        if let Ok(npz) = arrays::Npz::open(path) {
            if !npz.has("displacement") && npz.has("q") {
                let sentence = "the motion of a reduced model, which moves in its own basis only; snapshots are displacements of \
                                the full body: simulate that";
                return refuse(Note::new(sentence, &[Term::new("full", "simulate that")]));
            }
            if npz.has("rest") {
                let rest = npz.get("rest")?;
                let [low, high] = self.mesh.bounds();
                let near = 1e-6 * (high - low).max();
                let mut flat =
                    rest.data.iter().zip(self.mesh.vertices.iter().flat_map(|p| <[f64; 3]>::from(*p)));
                if rest.shape != [n, 3] || !flat.all(|(a, b)| (a - b).abs() <= near) {
                    let other = "its rest positions are not those of the mesh: the snapshots are of another mesh, or of this one \
                                 in another size or place; run the full body of this mesh again";
                    return refuse(other.into());
                }
            }
        }
        let array = arrays::load(path, "displacement")?;
        if array.shape.len() != 3 || array.shape[1..] != [n, 3] {
            let sentence = format!(
                "`displacement` has the shape {:?}; expected (N, {n}, 3), N states of the {n} vertices of the mesh: are they of \
                 another mesh?",
                array.shape
            );
            return refuse(sentence.into());
        }
        Ok(array.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{VertexSet, shapes};

    fn bar() -> MeshData {
        shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data()
    }

    fn made(options: &BodyOptions, mesh: MeshData) -> FullBody {
        options.make(mesh, &mut ignore_progress).expect("a body")
    }

    #[test]
    fn what_is_held_is_what_was_asked_for() {
        let held = |body: &FullBody| body.body.size() - body.body.dofs().free().len();
        let these =
            |spec: &str| BodyOptions { holding: Holding::These(vec![spec.into()]), ..BodyOptions::default() };
        let mut mesh = bar();
        mesh.attributes.sets.push(VertexSet { name: "fixed".into(), vertices: vec![0, 1] });
        let nothing = made(&BodyOptions::default(), mesh.clone());
        assert_eq!(held(&nothing), 0);
        assert!(nothing.notes[0].contains("set:fixed"), "{:?}", nothing.notes);
        let usual = BodyOptions { holding: Holding::Usual, ..BodyOptions::default() };
        let usual = made(&usual, mesh.clone());
        assert_eq!(held(&usual), 6);
        assert!(usual.notes[0].contains("held where its file says"), "{:?}", usual.notes);
        assert_eq!(held(&made(&these("x<5%"), mesh.clone())), 12);
        let nowhere = made(&these("x>195%"), mesh.clone());
        assert!(nowhere.notes[0].contains("no effect"), "{:?}", nowhere.notes);
        assert!(these("left").make(mesh, &mut ignore_progress).is_err());
    }

    #[test]
    fn a_size_that_means_another_unit_is_said() {
        let long = BodyOptions { scale_to: Some(100.0), ..BodyOptions::default() };
        assert!(made(&long, bar()).notes[0].contains("other units"));
        assert!(made(&BodyOptions::default(), bar()).notes.is_empty());
    }

    #[test]
    fn a_surface_is_a_shell_unless_a_solid_is_asked_for() {
        let ball = || shapes::ball(0.3, 2).boundary().into_data();
        let shell = made(&BodyOptions::default(), ball());
        assert!(shell.hollow().is_some_and(|note| note.contains("thin as paper")));
        let solid = BodyOptions { solid: true, ..BodyOptions::default() };
        let filled = made(&solid, ball());
        assert!(filled.hollow().is_none() && matches!(filled.mesh.elements, Elements::Tets(_)));
        let already = solid.make(bar(), &mut ignore_progress);
        assert!(already.is_err_and(|error| error.to_string().contains("a solid already")));
    }

    #[test]
    fn a_state_has_an_energy_and_a_slope() {
        let body = made(&BodyOptions::default(), bar());
        let n = body.body.size();
        let u: Vec<f64> = (0..n).map(|k| 1e-3 * (k as f64).sin()).collect();
        let v: Vec<f64> = (0..n).map(|k| (2.0 * k as f64).cos()).collect();
        let at = body.at_state(&u, Some(&v)).expect("a state");
        let energy = |h: f64| {
            let moved: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u + h * v).collect();
            body.at_state(&moved, None).expect("a state").energy
        };
        let [slope, bend] = at.probe.expect("along the probe");
        let h = 1e-6;
        assert!(((energy(h) - energy(-h)) / (2.0 * h) / slope - 1.0).abs() < 1e-5);
        assert!(at.energy > 0.0 && at.force_norm > 0.0 && bend > 0.0);
        assert!(body.at_state(&vec![f64::INFINITY; n], None).is_err());
    }
}
