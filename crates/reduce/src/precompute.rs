//! Everything that is done ahead of time: a mesh in, a model out.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Note, Progress, Term, Watch, ignore_progress};
use pliant_mesh::MeshData;

use crate::basis::{self, Needs, pod};
use crate::error::{BASIS, FORCES, MODES, RANK, SNAPSHOTS};
use crate::force::{self, Prepared, Settings, setting, trainer};
use crate::model::{Facts, Model};
use crate::warp::WarpTraining;
use crate::{Built, ReduceError, Request};

/// What to make of a body. `None` means: what fits the body.
///
/// ```
/// use pliant_reduce::Precompute;
/// use pliant_energy::Recipe;
/// use pliant_linalg::{Vec3, ignore_progress};
/// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let fixed = pliant_mesh::select::select(&bar, "x<5%").expect("a slab");
/// let recipe = Recipe { material: Some("stvk".into()), fixed: vec![fixed], ..Recipe::default() };
/// let precompute = Precompute { modes: Some(5), rank: Some(12), ..Precompute::default() };
/// let made = precompute.build(bar, recipe, &mut ignore_progress)?;
/// assert_eq!((made.model.basis().rank(), made.model.force().name()), (12, "cubic"));
/// # Ok::<(), pliant_reduce::ReduceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Precompute {
    /// A name of [`basis::ALL`].
    pub basis: String,
    /// What bases of snapshots are made from: displacements, 3n entries each, one after the other, m.
    pub snapshots: Option<Arc<Vec<f64>>>,
    /// Linear modes to start from, rigid ones not counted; default 20, or what there is.
    pub modes: Option<usize>,
    /// Coordinates; default: what the basis takes by itself.
    pub rank: Option<usize>,
    /// A name of [`force::ALL`]; default: the one that takes what is given below, else the first that suits the body: `cubic`
    /// for St. Venant-Kirchhoff up to [`force::cubic::MOST_USUAL`] coordinates, else `cubature`.
    pub forces: Option<String>,
    /// Cubature points; default three a coordinate, or all components.
    pub points: Option<usize>,
    /// Training poses of a cubature; as many fresh ones validate it; default 500.
    pub poses: Option<usize>,
    /// The mean over training poses of the largest displacement, as a part of the longest side of the bounding box; default
    /// 0.1.
    pub pose_scale: Option<f64>,
    /// A name of [`force::trainer::ALL`]; default: NN-HTP and greedy, whichever is better.
    pub trainer: Option<String>,
    /// Vertices of a ghost; default [`force::ghost::usual_size`].
    pub ghost: Option<usize>,
    /// Where random choices start.
    pub seed: u64,
    /// A warp, for motions that are linear and shown as if they turned. Its pose scale, trainer and seed are those above, where they are
    /// given.
    pub warp: Option<WarpTraining>,
    /// What holds of a force where nothing is given above; its own points, ghost and seed are not used.
    pub usual: Settings,
}

/// Linear modes by default.
const USUAL_MODES: usize = 20;

impl Default for Precompute {
    fn default() -> Self {
        Self {
            basis: "derivatives".into(),
            snapshots: None,
            modes: None,
            rank: None,
            forces: None,
            points: None,
            poses: None,
            pose_scale: None,
            trainer: None,
            ghost: None,
            seed: 0,
            warp: None,
            usual: Settings::default(),
        }
    }
}

/// A model, and what a user should know about how it came to be.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The model.
    pub model: Model,
    /// What a user should know.
    pub warnings: Vec<Note>,
}

impl Precompute {
    /// Makes the body and reduces it.
    ///
    /// # Errors
    /// A body that cannot be made, names that are not there, more than the body can give, or the watch asked to stop.
    pub fn build(
        &self,
        mesh: MeshData,
        recipe: Recipe,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReduceError> {
        let body = recipe.build(mesh.clone())?;
        self.reduce(mesh, recipe, &body, watch)
    }

    /// [`Precompute::build`] without a watch.
    ///
    /// # Errors
    /// As there.
    pub fn build_quietly(&self, mesh: MeshData, recipe: Recipe) -> Result<Reduction, ReduceError> {
        self.build(mesh, recipe, &mut ignore_progress)
    }

    /// Reduces the body that `recipe` makes of `mesh`.
    ///
    /// # Errors
    /// As [`Precompute::build`].
    pub fn reduce(
        &self,
        mesh: MeshData,
        recipe: Recipe,
        body: &Body,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReduceError> {
        // Refused before the modes are computed, which may take minutes.
        let (settings, choice) = self.check_forces(body)?;
        self.check_warp(body)?;
        let entry = self.check_basis()?;
        if entry.needs == Needs::Snapshots {
            let snapshots = self.snapshots.as_deref().ok_or_else(|| no_snapshots(entry))?;
            pod::check(body, snapshots)?;
        }
        let there = body.dofs().free().len() - body.rigid_count();
        let request = Request {
            modes: self.modes.unwrap_or(USUAL_MODES.min(there)),
            rank: self.rank,
            snapshots: self.snapshots.as_ref().map(|s| s.as_slice()),
        };
        let built = (entry.make)(body, &request, watch)?;
        Progress::stage("preparing forces").tell(watch)?;
        let mut warnings = built.warnings;

        let rank = built.basis.rank();
        let forces = choice.of_rank(rank);
        if let Some(other) = choice.passed_over(rank) {
            let sentence = format!(
                "with {rank} coordinates {} forces would be slow, so the force is {}; other forces can be asked for",
                other.name, forces.name
            );
            warnings.push(Note::new(sentence, &[FORCES]));
        }
        let prepared = {
            let of = force::Source { mesh: &mesh, recipe: &recipe, body };
            (forces.prepare)(of, &built.basis, &settings, watch)?
        };
        let made =
            self.put_together(mesh, recipe, body, &self.basis, Built { warnings, ..built }, prepared)?;
        self.with_warp(made, body, watch)
    }

    /// With the warp that is asked for, if one is.
    ///
    /// # Errors
    /// As [`crate::warp::train`].
    pub fn with_warp(
        &self,
        made: Reduction,
        body: &Body,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReduceError> {
        let Some(training) = self.warp_training()? else { return Ok(made) };
        Ok(Reduction { model: made.model.trained_to_warp(body, &training, watch)?, ..made })
    }

    /// How the warp is trained, if one is asked for.
    fn warp_training(&self) -> Result<Option<WarpTraining>, ReduceError> {
        let Some(warp) = self.warp else { return Ok(None) };
        let trainer = match self.trainer.as_deref() {
            Some(name) => *trainer::ALL.get(name)?,
            None => warp.trainer,
        };
        let pose_scale = self.pose_scale.or(warp.pose_scale);
        Ok(Some(WarpTraining { trainer, pose_scale, seed: self.seed, ..warp }))
    }

    fn check_warp(&self, body: &Body) -> Result<(), ReduceError> {
        self.warp_training()?.map_or(Ok(()), |training| training.check(body, self.rank))
    }

    /// Whether `body` can have all of this, but for snapshots, which may still have to be taken.
    ///
    /// # Errors
    /// As [`Precompute::build`], as far as can be told before anything is computed.
    pub fn check(&self, body: &Body) -> Result<(), ReduceError> {
        self.check_forces(body)?;
        self.check_warp(body)?;
        self.check_basis().map(|_| ())
    }

    fn check_forces(&self, body: &Body) -> Result<(Settings, Choice), ReduceError> {
        let settings = self.settings()?;
        let choice = self.choose(body)?;
        choice.check(body, self.rank, &settings)?;
        Ok((settings, choice))
    }

    /// The basis that is named, if what is given goes with it; snapshots may still have to be taken.
    fn check_basis(&self) -> Result<&'static basis::Entry, ReduceError> {
        let entry = basis::ALL.get(&self.basis)?;
        match entry.needs {
            Needs::Snapshots if self.modes.is_some() => {
                let sentence = format!(
                    "the {BASIS} {} is made from snapshots and not from modes; leave the {MODES} out, or take another",
                    entry.name
                );
                Err(ReduceError::Request(Note::new(sentence, &[BASIS, MODES])))
            }
            Needs::Modes if self.snapshots.is_some() => {
                let sentence = format!(
                    "{SNAPSHOTS} are for bases that are made of them, and the {BASIS} {} is made from the body alone; \
                     leave them out, or take pod",
                    entry.name
                );
                Err(ReduceError::Request(Note::new(sentence, &[SNAPSHOTS, BASIS])))
            }
            Needs::Modes | Needs::Snapshots => Ok(entry),
        }
    }

    /// How a force is trained by this.
    ///
    /// # Errors
    /// A trainer that is none.
    pub fn settings(&self) -> Result<Settings, ReduceError> {
        let usual = self.usual;
        let trainer = match self.trainer.as_deref() {
            Some(name) => *trainer::ALL.get(name)?,
            None => usual.trainer,
        };
        Ok(Settings {
            points: self.points,
            poses: self.poses.unwrap_or(usual.poses),
            pose_scale: self.pose_scale.or(usual.pose_scale),
            seed: self.seed,
            trainer,
            ghost: self.ghost,
        })
    }

    /// The model of a basis called `name` and a force that were made before.
    ///
    /// # Errors
    /// When the energy of `body` is not defined at rest.
    pub fn put_together(
        &self,
        mesh: MeshData,
        recipe: Recipe,
        body: &Body,
        name: &str,
        built: Built,
        prepared: Prepared,
    ) -> Result<Reduction, ReduceError> {
        let mut warnings = built.warnings;
        warnings.extend(prepared.warnings);
        let facts = Facts {
            basis: name.into(),
            eigenvalues: built.eigenvalues,
            affine: built.affine,
            singular_values: built.singular_values,
            dropped: built.dropped,
            seed: self.seed,
            training: prepared.training,
            pull: None,
        };
        let model = Model::assemble(mesh, recipe, body, built.basis, prepared.force, facts)?;
        let model = model.with_pull_error(body);
        warnings.extend(lost_modes(&model, body.rigid_count()));
        warnings.extend(model.cautions());
        Ok(Reduction { model, warnings })
    }
}

/// A frequency that is off by more than this is not the body's any more.
const OFF: f64 = 0.05;

/// What to say where the chosen coordinates vibrate at rest otherwise than the body does: a rank that is too small for the
/// modes it was chosen from loses them one by one, and the body gets stiffer.
fn lost_modes(model: &Model, rigid: usize) -> Option<Note> {
    // Our bases are mass-orthonormal, so that these are ω². Rigid motions that the basis holds come first.
    let (own, _) = model.reduced_stiffness().eigen()?;
    let own = own.iter().skip(rigid.min(model.facts().affine));
    let off: Vec<f64> = model
        .facts()
        .eigenvalues
        .iter()
        .zip(own)
        .map(|(&body, &own)| (own.max(0.0) / body.max(f64::MIN_POSITIVE)).sqrt() - 1.0)
        .collect();
    let lost = off.iter().filter(|&&x| x > OFF).count();
    (lost > 0).then(|| {
        let sentence = format!(
            "{lost} of the {} linear modes are too stiff by more than {:.0} % in these {} coordinates (the lowest mode by \
             {:.1} %): take a larger {RANK}, or the extended {BASIS}",
            off.len(),
            100.0 * OFF,
            model.basis().rank(),
            100.0 * off[0]
        );
        Note::new(sentence, &[RANK, BASIS])
    })
}

fn no_snapshots(entry: &basis::Entry) -> ReduceError {
    let sentence = format!(
        "the basis {} is made from {SNAPSHOTS}: give some, or a scenario that the full body runs",
        entry.name
    );
    ReduceError::Request(Note::new(sentence, &[SNAPSHOTS, Term::new("scenario", "a scenario")]))
}

/// Which force a body gets: one, or the first that suits the number of coordinates, which is known with the basis.
struct Choice(Vec<(&'static force::Entry, usize)>);

impl Choice {
    fn of(entry: &'static force::Entry) -> Self {
        Self(vec![(entry, usize::MAX)])
    }

    fn of_rank(&self, rank: usize) -> &'static force::Entry {
        let (last, _) = self.0[self.0.len() - 1];
        self.0.iter().find(|(_, most)| rank <= *most).map_or(last, |(entry, _)| entry)
    }

    /// What the body would have with fewer coordinates.
    fn passed_over(&self, rank: usize) -> Option<&'static force::Entry> {
        self.0.first().filter(|(_, most)| rank > *most).map(|(entry, _)| *entry)
    }

    /// Whether the body can have it, whatever the basis will be; `rank` is the one asked for.
    fn check(&self, body: &Body, rank: Option<usize>, settings: &Settings) -> Result<(), ReduceError> {
        match rank {
            // What is asked for decides, where something is; else any may be taken.
            Some(rank) => (self.of_rank(rank).check)(body, Some(rank), settings),
            None => self.0.iter().try_for_each(|(entry, _)| (entry.check)(body, None, settings)),
        }
    }
}

impl Precompute {
    /// The settings of single forces that are given.
    fn given(&self) -> Vec<Term> {
        // A warp takes a scale and a trainer as well, so that they say nothing of the force beside one.
        let of_force = self.warp.is_none();
        let all = [
            (setting::POINTS, self.points.is_some()),
            (setting::POSES, self.poses.is_some()),
            (setting::POSE_SCALE, self.pose_scale.is_some() && of_force),
            (setting::TRAINER, self.trainer.is_some() && of_force),
            (setting::GHOST, self.ghost.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(term, _)| term).collect()
    }

    /// The force that was named, or that takes what is given, or that suits the body.
    fn choose(&self, body: &Body) -> Result<Choice, ReduceError> {
        let given = self.given();
        if let Some(name) = &self.forces {
            let entry = force::ALL.get(name)?;
            return match given.iter().find(|term| !entry.takes.contains(term)) {
                Some(&setting) => {
                    Err(ReduceError::Misplaced { setting, force: name.clone(), of: takers(setting) })
                }
                None => Ok(Choice::of(entry)),
            };
        }
        let Some(&first) = given.first() else {
            let suited = force::ALL.iter().filter_map(|entry| Some((entry, (entry.suits)(body)?)));
            return Ok(Choice(suited.collect()));
        };
        match force::ALL.iter().find(|entry| given.iter().all(|term| entry.takes.contains(term))) {
            Some(entry) => Ok(Choice::of(entry)),
            None => {
                let apart = |term: &&Term| takers(**term) != takers(first);
                let other = given.iter().find(apart).copied().unwrap_or(first);
                Err(ReduceError::Divided { settings: [first, other], of: [takers(first), takers(other)] })
            }
        }
    }
}

/// The forces that take a setting.
fn takers(setting: Term) -> Vec<&'static str> {
    force::ALL.iter().filter(|entry| entry.takes.contains(&setting)).map(|entry| entry.name).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use pliant_linalg::{Progress, Vec3, ignore_progress};
    use pliant_mesh::{select, shapes};

    fn bar(material: &str) -> (MeshData, Recipe) {
        let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [6, 1, 1]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
        (bar, Recipe { material: Some(material.into()), fixed, ..Recipe::default() })
    }

    fn small() -> Precompute {
        let usual = Settings { poses: 20, ..Settings::default() };
        Precompute { modes: Some(4), usual, ..Precompute::default() }
    }

    /// What is said, and that it is said before any work begins.
    #[track_caller]
    fn refused(material: &str, precompute: &Precompute, words: &[&str]) {
        let (mesh, recipe) = bar(material);
        let mut told = 0;
        let mut watch = |_: Progress| {
            told += 1;
            ControlFlow::Continue(())
        };
        let error = precompute.build(mesh, recipe, &mut watch).expect_err("refused");
        let said = error.to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{said:?} has not all of {words:?}");
        assert_eq!(told, 0, "{said}: after work had begun");
    }

    fn made(material: &str, precompute: &Precompute) -> Reduction {
        let (mesh, recipe) = bar(material);
        precompute.build(mesh, recipe, &mut ignore_progress).expect("a model")
    }

    #[test]
    fn options_of_a_cubature_ask_for_one() {
        assert_eq!(made("stvk", &small()).model.force().name(), "cubic");
        let points = made("stvk", &Precompute { points: Some(30), ..small() }).model;
        assert_eq!(
            (points.force().name(), points.facts().training.as_ref().map(|t| t.points)),
            ("cubature", Some(30))
        );
    }

    #[test]
    fn options_of_a_cubature_are_refused_by_other_forces() {
        for forces in ["linear", "projected", "cubic"] {
            let other = Precompute { forces: Some(forces.into()), ..small() };
            let words = [forces, "number of cubature points is for cubature forces", "leave it out"];
            refused("stvk", &Precompute { points: Some(9), ..other.clone() }, &words);
            let words = [forces, "trainer is for cubature forces"];
            refused("stvk", &Precompute { trainer: Some("greedy".into()), ..other }, &words);
        }
        let both = Precompute { points: Some(9), ghost: Some(8), ..small() };
        refused("stvk", &both, &["for cubature forces, the number of ghost vertices for ghost forces"]);
    }

    #[test]
    fn what_cannot_be_is_refused_before_modes_are_computed() {
        let cubic = Precompute { forces: Some("cubic".into()), ..small() };
        refused("stvk", &Precompute { rank: Some(200), ..cubic.clone() }, &["up to 128", "got 200"]);
        refused("neo-hookean", &cubic, &["the law stvk"]);
        let points = Precompute { points: Some(1000), ..small() };
        refused("stvk", &points, &["1000", "at most 36"]);
        refused("neo-hookean", &points, &["1000", "at most 36"]);
        refused("stvk", &Precompute { rank: Some(61), pose_scale: Some(-1.0), ..small() }, &["-1"]);
        refused("neo-hookean", &Precompute { pose_scale: Some(f64::NAN), ..small() }, &["NaN"]);
        refused("neo-hookean", &Precompute { poses: Some(0), ..small() }, &["at least 1 pose"]);
        refused("stvk", &Precompute { forces: Some("magic".into()), ..small() }, &["magic", "cubature"]);
        refused("stvk", &Precompute { basis: "magic".into(), ..small() }, &["magic", "extended"]);
    }
}
