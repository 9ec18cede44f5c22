//! Everything that is done ahead of time: a mesh in, a model out.

use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Progress, Watch};
use pliant_mesh::MeshData;

use crate::basis::{self, pod};
use crate::force::{self, Prepared, Settings, Trainer};
use crate::model::{Facts, Model};
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
/// assert_eq!((made.model.basis.rank(), made.model.force.name()), (12, "cubic"));
/// # Ok::<(), pliant_reduce::ReduceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Precompute {
    /// A name of [`basis::ALL`], or `pod`.
    pub basis: String,
    /// What `pod` is made from: displacements, 3n numbers each, one after the other, m.
    pub snapshots: Option<Arc<Vec<f64>>>,
    /// Linear modes to start from, rigid ones not counted; default 20, or what there is.
    pub modes: Option<usize>,
    /// Coordinates; default: what the basis takes by itself.
    pub rank: Option<usize>,
    /// A name of [`force::ALL`]; default: `ghost` where ghost vertices are given, `cubature` where points are, `cubic` for St.
    /// Venant-Kirchhoff up to [`MOST_CUBIC`] coordinates, else `cubature`.
    pub forces: Option<String>,
    /// Cubature points; default three a coordinate, or all components.
    pub points: Option<usize>,
    /// Training poses of a cubature; as many fresh ones validate it.
    pub poses: usize,
    /// The mean over training poses of the largest displacement, as a part of the longest side of the bounding box.
    pub pose_scale: f64,
    /// The name of a [`Trainer`] of cubatures; default: NN-HTP and greedy, whichever is better.
    pub trainer: Option<String>,
    /// Vertices of a ghost; default [`force::ghost::usual_size`].
    pub ghost: Option<usize>,
    /// Where random choices start.
    pub seed: u64,
}

/// Up to this rank the exact polynomial is taken by default: its cost grows with r⁴, that of a cubature with r³.
pub const MOST_CUBIC: usize = 60;

/// Linear modes by default.
const MODES: usize = 20;

impl Default for Precompute {
    fn default() -> Self {
        let Settings { poses, pose_scale, .. } = Settings::default();
        Self {
            basis: "derivatives".into(),
            snapshots: None,
            modes: None,
            rank: None,
            forces: None,
            points: None,
            poses,
            pose_scale,
            trainer: None,
            ghost: None,
            seed: 0,
        }
    }
}

/// A model, and what a user should know about how it came to be.
#[derive(Clone, Debug)]
pub struct Made {
    /// The model.
    pub model: Model,
    /// Sentences.
    pub warnings: Vec<String>,
}

impl Precompute {
    /// Makes the body and reduces it.
    ///
    /// # Errors
    /// A body that cannot be made, names that are not there, more than the body can give, or the watch asked to stop.
    pub fn build(&self, mesh: MeshData, recipe: Recipe, watch: &mut Watch<'_>) -> Result<Made, ReduceError> {
        let body = recipe.build(mesh.clone())?;
        self.reduce(mesh, recipe, &body, watch)
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
    ) -> Result<Made, ReduceError> {
        // Refused before the modes are computed, which may take minutes.
        let (settings, choice) = self.check_forces(body)?;
        let source = self.source(body)?;
        let there = body.dofs().free().len() - body.rigid_count();
        let request = Request { modes: self.modes.unwrap_or(MODES.min(there)), rank: self.rank };
        let built = match source {
            Source::Body(entry) => (entry.make)(body, &request, watch)?,
            Source::Snapshots(snapshots) => pod::make(body, snapshots, self.rank, watch)?,
        };
        Progress::stage("preparing forces").tell(watch)?;
        let mut warnings = built.warnings;

        let rank = built.basis.rank();
        let forces = match choice {
            Choice::Of(forces) => forces,
            Choice::ByRank { small, .. } if rank <= MOST_CUBIC => small,
            Choice::ByRank { large, .. } => {
                warnings.push(format!(
                    "with {rank} coordinates the exact polynomial would be slow, so the force is a cubature; \
                     `--forces cubic` asks for the polynomial"
                ));
                large
            }
        };
        let prepared = {
            let of = force::Source { mesh: &mesh, recipe: &recipe, body };
            (forces.prepare)(of, &built.basis, &settings, watch)?
        };
        self.put_together(mesh, recipe, body, &self.basis, Built { warnings, ..built }, prepared)
    }

    /// Whether `body` can have all of this, but for snapshots, which may still have to be taken.
    ///
    /// # Errors
    /// As [`Precompute::build`], as far as can be told before anything is computed.
    pub fn check(&self, body: &Body) -> Result<(), ReduceError> {
        self.check_forces(body)?;
        match self.basis == pod::NAME {
            true => self.check_pod(),
            false => self.source(body).map(|_| ()),
        }
    }

    fn check_forces(&self, body: &Body) -> Result<(Settings, Choice), ReduceError> {
        let settings = self.settings()?;
        let choice = self.choose(body)?;
        choice.check(body, self.rank, &settings)?;
        Ok((settings, choice))
    }

    /// How a force is trained by this.
    ///
    /// # Errors
    /// A trainer that is none.
    pub fn settings(&self) -> Result<Settings, ReduceError> {
        let trainer = self.trainer.as_deref().map_or(Ok(Trainer::default()), |name| {
            Trainer::find(name).ok_or_else(|| unknown("trainer", name, Trainer::ALL.iter().map(|t| t.name())))
        })?;
        Ok(Settings {
            points: self.points,
            poses: self.poses,
            pose_scale: self.pose_scale,
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
    ) -> Result<Made, ReduceError> {
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
        };
        let model = Model::assemble(mesh, recipe, body, built.basis, prepared.data, facts)?;
        warnings.extend(lost_modes(&model, body.rigid_count()));
        Ok(Made { model, warnings })
    }
}

/// A frequency that is off by more than this is not the body's any more.
const OFF: f64 = 0.05;

/// What to say where the chosen coordinates vibrate at rest otherwise than the body does: a rank that is too small for the
/// modes it was chosen from loses them one by one, and the body gets stiffer.
fn lost_modes(model: &Model, rigid: usize) -> Option<String> {
    // Our bases are mass-orthonormal, so that these are ω². Rigid motions that the basis holds come first.
    let (own, _) = model.stiffness.eigen()?;
    let own = own.iter().skip(rigid.min(model.facts.affine));
    let off: Vec<f64> = model
        .facts
        .eigenvalues
        .iter()
        .zip(own)
        .map(|(&body, &own)| (own.max(0.0) / body.max(f64::MIN_POSITIVE)).sqrt() - 1.0)
        .collect();
    let lost = off.iter().filter(|&&x| x > OFF).count();
    (lost > 0).then(|| {
        format!(
            "{lost} of the {} linear modes are too stiff by more than {:.0} % in these {} coordinates (the lowest mode by \
             {:.1} %): take a larger --rank, or --basis extended",
            off.len(),
            100.0 * OFF,
            model.basis.rank(),
            100.0 * off[0]
        )
    })
}

/// What a basis is made from.
enum Source<'a> {
    Body(&'static basis::Entry),
    Snapshots(&'a [f64]),
}

impl Precompute {
    /// What snapshots have no use for.
    fn check_pod(&self) -> Result<(), ReduceError> {
        match self.modes {
            None => Ok(()),
            Some(_) => Err(ReduceError::Request(
                "the basis pod is made from snapshots and not from modes; leave `--modes` out, or use --basis derivatives"
                    .into(),
            )),
        }
    }

    /// Of the basis that is named, if it can be had.
    fn source(&self, body: &Body) -> Result<Source<'_>, ReduceError> {
        let snapshots = self.snapshots.as_deref();
        if self.basis == pod::NAME {
            let snapshots = snapshots.ok_or_else(|| {
                ReduceError::Request(
                    "the basis pod is made from snapshots: give a file of them (`--snapshots FILE.npz`), or a scenario that \
                     the full body runs (`--scenario FILE.toml`)"
                        .into(),
                )
            })?;
            self.check_pod()?;
            pod::check(body, snapshots)?;
            return Ok(Source::Snapshots(snapshots));
        }
        let names = basis::ALL.iter().map(|e| e.name).chain([pod::NAME]);
        let entry = basis::find(&self.basis).ok_or_else(|| unknown("basis", &self.basis, names))?;
        match snapshots {
            Some(_) => Err(ReduceError::Request(format!(
                "snapshots are for the basis pod, and {} is made from the body alone; leave them out, or use --basis pod",
                entry.name
            ))),
            None => Ok(Source::Body(entry)),
        }
    }
}

/// Which force a body gets.
enum Choice {
    Of(&'static force::Entry),
    /// One up to [`MOST_CUBIC`] coordinates, another beyond; how many there are is known with the basis.
    ByRank {
        small: &'static force::Entry,
        large: &'static force::Entry,
    },
}

impl Choice {
    /// Whether the body can have it, whatever the basis will be; `rank` is the one asked for.
    fn check(&self, body: &Body, rank: Option<usize>, settings: &Settings) -> Result<(), ReduceError> {
        match self {
            Self::Of(forces) => {
                (forces.check)(body, settings)?;
                match rank.filter(|_| forces.name == "cubic") {
                    Some(rank) => force::cubic::check_rank(rank),
                    None => Ok(()),
                }
            }
            Self::ByRank { small, large } => {
                // What is asked for decides, where something is; else either may be taken.
                if rank.is_none_or(|rank| rank <= MOST_CUBIC) {
                    (small.check)(body, settings)?;
                }
                if rank.is_none_or(|rank| rank > MOST_CUBIC) {
                    (large.check)(body, settings)?;
                }
                Ok(())
            }
        }
    }
}

impl Precompute {
    /// The force that was named, or that the other options ask for, or that fits the body.
    fn choose(&self, body: &Body) -> Result<Choice, ReduceError> {
        let trained = self.points.map(|_| "a number of points (`--cubature`)");
        let cubature = find_force("cubature")?;
        if self.ghost.is_some() {
            let other = self.forces.as_deref().map(find_force).transpose()?.filter(|f| f.name != "ghost");
            return match (other, trained) {
                (Some(other), _) => Err(ReduceError::Request(format!(
                    "a number of ghost vertices (`--ghost`) is for ghost forces, not for {} forces; leave it out, or use \
                     --forces ghost",
                    other.name
                ))),
                (None, Some(what)) => Err(ReduceError::Request(format!(
                    "{what} is for cubature forces, a number of ghost vertices (`--ghost`) for ghost forces; leave out one \
                     of the two"
                ))),
                (None, None) => Ok(Choice::Of(find_force("ghost")?)),
            };
        }
        match (self.forces.as_deref(), trained) {
            (Some(name), Some(what)) if name != cubature.name => {
                let name = find_force(name)?.name;
                Err(ReduceError::Request(format!(
                    "{what} is for cubature forces, and {name} forces have nothing to train; leave it out, or use \
                     --forces cubature"
                )))
            }
            (Some(name), _) => Ok(Choice::Of(find_force(name)?)),
            (None, Some(_)) => Ok(Choice::Of(cubature)),
            (None, None) if force::cubic::check(body).is_ok() => {
                Ok(Choice::ByRank { small: find_force("cubic")?, large: cubature })
            }
            (None, None) => Ok(Choice::Of(cubature)),
        }
    }
}

fn find_force(name: &str) -> Result<&'static force::Entry, ReduceError> {
    force::find(name).ok_or_else(|| unknown("force", name, force::ALL.iter().map(|e| e.name)))
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> ReduceError {
    let known: Vec<&str> = known.collect();
    ReduceError::Request(format!("there is no {what} {name:?}; there are: {}", known.join(", ")))
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
        Precompute { modes: Some(4), poses: 20, ..Precompute::default() }
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
        assert!(matches!(error, ReduceError::Request(_)), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said:?} has not all of {words:?}");
        assert_eq!(told, 0, "{said}: after work had begun");
    }

    fn made(material: &str, precompute: &Precompute) -> Made {
        let (mesh, recipe) = bar(material);
        precompute.build(mesh, recipe, &mut ignore_progress).expect("a model")
    }

    #[test]
    fn options_of_a_cubature_ask_for_one() {
        assert_eq!(made("stvk", &small()).model.force.name(), "cubic");
        let points = made("stvk", &Precompute { points: Some(30), ..small() }).model;
        assert_eq!((points.force.name(), points.facts.training.map(|t| t.points)), ("cubature", Some(30)));
    }

    #[test]
    fn options_of_a_cubature_are_refused_by_other_forces() {
        for forces in ["linear", "projected", "cubic"] {
            let other = Precompute { forces: Some(forces.into()), ..small() };
            let words = [forces, "--forces cubature", "leave it out"];
            refused(
                "stvk",
                &Precompute { points: Some(9), ..other },
                &[&words[..], &["--cubature"]].concat(),
            );
        }
    }

    #[test]
    fn what_cannot_be_is_refused_before_modes_are_computed() {
        let cubic = Precompute { forces: Some("cubic".into()), ..small() };
        refused("stvk", &Precompute { rank: Some(200), ..cubic.clone() }, &["up to 128", "got 200"]);
        refused("neo-hookean", &cubic, &["--material stvk"]);
        let points = Precompute { points: Some(1000), ..small() };
        refused("stvk", &points, &["1000", "at most 36"]);
        refused("neo-hookean", &points, &["1000", "at most 36"]);
        refused("stvk", &Precompute { rank: Some(61), pose_scale: -1.0, ..small() }, &["-1"]);
        refused("neo-hookean", &Precompute { pose_scale: f64::NAN, ..small() }, &["NaN"]);
        refused("neo-hookean", &Precompute { poses: 0, ..small() }, &["at least 1 pose"]);
        refused("stvk", &Precompute { forces: Some("magic".into()), ..small() }, &["magic", "cubature"]);
        refused("stvk", &Precompute { basis: "magic".into(), ..small() }, &["magic", "extended"]);
    }
}
