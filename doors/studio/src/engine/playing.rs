//! The body that is shown: a [`Live`] model with its surface, its grabs, and its last seconds.

use std::sync::Arc;

use pliant::dynamics::{Damping, Options};
use pliant::energy::Recipe;
use pliant::linalg::Vec3;
use pliant::mesh::{Kind, MeshData};
use pliant::reduce::{Model, ReduceError};
use pliant::sim::{History, Live, LiveOptions, SimError};

use super::clock::DT;
use super::grabs::Hold;
use crate::job::{Finished, sentence};
use crate::protocol::BodyFacts;
use crate::shape::{self, Skin};

/// How much is kept for saving, s.
const KEPT: f64 = 10.0;

/// The part of critical damping that the lowest mode of a new body gets: after some ten swings little is left.
const DAMPED: f64 = 0.04;

/// Newton squares what is left, so that a step which stops here is better than can be seen, and a step must not take long.
const SOLVER: Options = Options { tolerance: 1e-3, iterations: Some(6), halvings: 4 };

/// A body whose mean displacement is so many of its lengths is lost; one that is held, much sooner.
const LOST: f64 = 1e3;
const LOST_HELD: f64 = 10.0;

/// Mean speed that nobody sees, lengths of the body in a second.
const UNSEEN: f64 = 5e-4;

/// So many frames in a row must be still before a body is at rest: it also stands still where it turns.
const STILL_FRAMES: u32 = 15;

/// The body.
pub(super) struct Playing {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) live: Live,
    pub(super) skin: Arc<Skin>,
    pub(super) history: History,
    pub(super) holds: Vec<Hold>,
    /// Longest side, m.
    pub(super) length: f64,
    /// kg, as built.
    mass: f64,
    /// m λ₁, N/m, as built: how stiff the body is as a whole.
    pub(super) whole: f64,
    /// Factors of stiffness and density when a rebuild was last asked for: what it is built with.
    pub(super) asked: [f64; 2],
    /// Young's modulus (of a surface: 1) and density as built.
    pub(super) matter: [f64; 2],
    pub(super) late: u32,
    still: u32,
}

impl Playing {
    /// A body at rest, with settings that suit it.
    pub(super) fn new(number: u32, finished: &Finished) -> Result<Self, SimError> {
        let model = &finished.model;
        let (integrator, damping) = suiting(model);
        let options =
            LiveOptions { integrator: integrator.into(), damping, solver: SOLVER, ..LiveOptions::default() };
        let live = Live::new(model.clone(), &options)?;
        let mut history = History::new(KEPT, DT, model.basis().rank())?;
        history.note(&live);
        Ok(Self {
            number,
            name: finished.name.clone(),
            live,
            skin: finished.skin.clone(),
            history,
            holds: Vec::new(),
            length: shape::length(&model.mesh()),
            mass: finished.mass,
            whole: finished.mass * lowest(model).unwrap_or(std::f64::consts::TAU.powi(2)),
            asked: [1.0; 2],
            matter: matter(&model.recipe(), &model.mesh()).map_or([1.0; 2], |m| [m.stiffness, m.density]),
            late: 0,
            still: 0,
        })
    }

    /// One step.
    ///
    /// # Errors
    /// A sentence: the body must be put back.
    pub(super) fn step(&mut self) -> Result<(), String> {
        self.pull();
        self.live.step(DT).map_err(|e| sentence(&e))?;
        // UᵀMU is a multiple of one: with it |q|² = ∫ρ|u|², the mean displacement, squared, times the mass.
        let square: f64 =
            self.live.q().iter().map(|q| q * q).sum::<f64>() * self.live.model().reduced_mass().get(0, 0);
        let away = (square / self.mass).sqrt();
        let farthest = if self.live.model().recipe().fixed.is_empty() { LOST } else { LOST_HELD };
        if away.is_nan() || away > farthest * self.length {
            return Err(format!("it flew {:.0e} times its length away", away / self.length));
        }
        self.history.note(&self.live);
        Ok(())
    }

    /// Back to rest at t = 0, all grabs released.
    pub(super) fn reset(&mut self) -> Result<(), SimError> {
        self.holds.clear();
        self.history.clear();
        self.live.reset()?;
        self.history.note(&self.live);
        Ok(())
    }

    /// Kinetic and elastic energy, J, and whether no motion can be seen; once a frame.
    pub(super) fn energies(&mut self) -> (f64, f64, bool) {
        let (kinetic, elastic) = (self.live.kinetic_energy(), self.live.elastic_energy());
        let speed = (2.0 * kinetic / (self.mass * self.live.density())).sqrt();
        self.still = if speed < UNSEEN * self.length { self.still.saturating_add(1) } else { 0 };
        (kinetic, if elastic.is_finite() { elastic } else { 0.0 }, self.still >= STILL_FRAMES)
    }

    /// Factors of stiffness and density over what was built.
    pub(super) fn factors(&self) -> [f64; 2] {
        [self.live.stiffness(), self.live.density()]
    }
}

/// The model with other stiffness and density. Takes a while: not for the engine's thread.
///
/// # Errors
/// A sentence.
pub(crate) fn rescaled(model: &Arc<Model>, factors: [f64; 2]) -> Result<Arc<Model>, ReduceError> {
    if factors == [1.0; 2] {
        return Ok(model.clone());
    }
    model.rescaled(factors[0], factors[1]).map(Arc::new)
}

/// What is known of a body that a job has made.
pub(super) fn facts(number: u32, finished: &Finished) -> BodyFacts {
    let Finished { model, skin, .. } = finished;
    let matter = matter(&model.recipe(), &model.mesh());
    let kind = if model.mesh().kind() == Kind::Tets { "tets" } else { "triangles" };
    let mut held: Vec<u32> = model.recipe().fixed.iter().flat_map(|s| s.vertices.iter().copied()).collect();
    held.sort_unstable();
    held.dedup();
    BodyFacts {
        body: number,
        why: finished.why,
        by: finished.by,
        name: finished.name.clone(),
        kind,
        vertices: model.mesh().vertices.len(),
        elements: model.mesh().elements.len(),
        surface_vertices: skin.rest.len(),
        triangles: skin.triangles.len(),
        rank: model.basis().rank(),
        modes: model.facts().eigenvalues.len(),
        frequencies_hz: model.frequencies_hz(),
        basis: model.facts().basis.clone(),
        forces: model.force().name(),
        cubature_points: model.force().size("cubature_points"),
        validation_error: model.facts().training.as_ref().map(|t| t.validation_error),
        material: matter.as_ref().map_or_else(String::new, |m| m.material.to_owned()),
        poisson: matter.as_ref().and_then(|m| m.poisson),
        pinned: held.len(),
        free: held.is_empty(),
        length: shape::length(&model.mesh()),
        mass: finished.mass,
        bytes: finished.bytes,
        notes: finished.notes.clone(),
    }
}

/// What most of a body is made of.
struct Matter {
    material: &'static str,
    /// Young's modulus, Pa; of a surface 1.
    stiffness: f64,
    /// kg/m³, of a surface kg/m².
    density: f64,
    poisson: Option<f64>,
}

/// Of the first region.
fn matter(recipe: &Recipe, mesh: &MeshData) -> Option<Matter> {
    let first = recipe.resolve(mesh).ok()?.matter.into_iter().next()?;
    let constant = |name: &str| first.constants.iter().find(|(n, _)| *n == name).map(|(_, x)| *x);
    Some(Matter {
        material: first.material,
        stiffness: constant("young").unwrap_or(1.0),
        density: constant("density").or(constant("area_density")).unwrap_or(1.0),
        poisson: constant("poisson"),
    })
}

/// Newmark with β = 2 ζ / ω₁. A sheet that buckles has a stiffness of both signs, by which damping would drive it and
/// Newmark would not stop it: it gets backward Euler, which damps by itself, ζ = ω dt / 2.
fn suiting(model: &Model) -> (&'static str, Damping) {
    if model.mesh().kind() != Kind::Tets {
        return ("backward-euler", Damping::default());
    }
    let stiffness = lowest(model).map_or(0.0, |x| 2.0 * DAMPED / x.sqrt());
    ("newmark", Damping { stiffness, ..Damping::default() })
}

/// The lowest λ that is not of a rigid motion, 1/s².
fn lowest(model: &Model) -> Option<f64> {
    model.facts().eigenvalues.iter().copied().find(|x| *x > 0.0)
}

/// All of them finite.
pub(super) fn finite(x: [f64; 3]) -> Option<Vec3> {
    x.iter().all(|x| x.is_finite()).then(|| Vec3::from(x))
}
