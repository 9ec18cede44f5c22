//! What a game loop holds: a reduced model that is pushed, grabbed and stepped.
//!
//! [`Live::step`] allocates nothing, does no IO, and does not panic on anything a player can do: a vertex that is not
//! there and a target that is no number are errors, and a step that leads to numbers that are not finite is halved and,
//! if that does not help, refused with the state as it was. What can be changed on the way, without a new model:
//! `live/settings.rs`; what may act on it: `live/loads.rs`.

mod downhill;
mod guard;
mod loads;
mod settings;

use std::sync::Arc;

pub use guard::Bounded;
use guard::Guard;
pub use loads::LoadId;
use pliant_dynamics::integrator::{self, Entry};
use pliant_dynamics::{Damping, Integrator, Settings, Start, State, StepError, StepReport, System};
use pliant_energy::load::{Loads, Spring};
use pliant_linalg::{Modes, Vec3};
use pliant_reduce::{Basis, Model};

use crate::load::ReducedSpring;
use crate::reduced::Held;
use crate::run::find;
use crate::{Reduced, SimError, Still, Subject};

/// How a live model moves.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// A name of [`integrator::ALL`].
    pub integrator: String,
    /// Rayleigh's.
    pub damping: Damping,
    /// When a step has converged, and how often it may be halved.
    pub solver: pliant_dynamics::Options,
    /// m/s².
    pub gravity: Vec3,
}

impl Default for LiveOptions {
    /// Newmark, no damping, no gravity; see [`crate::usual_integrator`] for a quicker one.
    fn default() -> Self {
        Self {
            integrator: "newmark".into(),
            damping: Damping::default(),
            solver: pliant_dynamics::Options::default(),
            gravity: Vec3::zeros(),
        }
    }
}

/// A vertex held by a spring, until it is released. Belongs to the [`Live`] that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grab {
    place: usize,
    generation: u32,
}

/// A reduced model in motion.
///
/// ```
/// use std::sync::Arc;
/// use pliant_energy::Recipe;
/// use pliant_linalg::{Vec3, ignore_progress};
/// use pliant_sim::{Live, LiveOptions};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A bar, held at its left end, in the coordinates of its eight lowest modes.
/// # let model = {
/// #     let mesh = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// #     let fixed = vec![pliant_mesh::select::select(&mesh, "x<0%")?];
/// #     let small = pliant_reduce::Precompute {
/// #         basis: "modes".into(), modes: Some(8), forces: Some("linear".into()), ..Default::default()
/// #     };
/// #     Arc::new(small.build(mesh, Recipe { fixed, ..Recipe::default() }, &mut ignore_progress)?.model)
/// # };
/// let tip = 43;
/// let mut live = Live::new(model, &LiveOptions::default())?;
///
/// // A player takes the tip, pulls it up, and lets go.
/// let here = Vec3::from(live.vertex(tip)?);
/// let hand = live.grab(tip, 500.0, here)?;
/// for frame in 0..60 {
///     live.drag(hand, here + Vec3::new(0.0, 0.002 * f64::from(frame), 0.0))?;
///     live.step(1.0 / 60.0)?;
/// }
/// assert!(live.vertex(tip)?[1] > here.y + 0.05);
/// live.release(hand)?;
///
/// // A ball hits it: a force for the length of one step.
/// live.push(tip, Vec3::new(0.0, -20.0, 0.0))?;
/// let report = live.step(1.0 / 60.0)?;
/// assert!(report.converged);
///
/// // To draw it: all vertices, or q alone for a shader that knows U.
/// let mut u = vec![0.0; 3 * live.vertices()];
/// live.displacement(&mut u);
/// assert_eq!(live.q().len(), 8);
/// assert!(live.push(1_000_000, Vec3::zeros()).is_err());
/// # Ok(())
/// # }
/// ```
pub struct Live {
    /// All of it; the system may use its first coordinates alone.
    model: Arc<Model>,
    system: Reduced,
    /// How the model vibrates without the factors, in the coordinates of the system.
    natural: Option<Arc<Modes>>,
    /// λ that is nothing but rounding, 1/s².
    costless: f64,
    entry: &'static Entry,
    /// The integrator of the motion by the forces that the model was built with.
    nonlinear_entry: &'static Entry,
    integrator: Box<dyn Integrator>,
    guard: Guard,
    settings: Settings,
    state: State,
    /// A state to be tried out.
    spare: State,
    no_push: Vec<f64>,
    /// For the first acceleration after a reset.
    scratch: Vec<f64>,
}

impl Live {
    /// A model at rest. Takes all memory that later steps need.
    ///
    /// # Errors
    /// A model whose parts do not fit together, an integrator that is not there or not for this model, settings or a
    /// gravity that make no sense.
    pub fn new(model: Arc<Model>, options: &LiveOptions) -> Result<Self, SimError> {
        let entry = find(&options.integrator)?;
        options.solver.check()?;
        settings::check_damping(&options.damping)?;
        let loads = Loads { gravity: options.gravity, ..Loads::default() };
        let mut system = Reduced::new(model.clone(), loads)?;
        let settings = Settings { damping: options.damping, options: options.solver };
        let integrator = settings::prepared(&mut system, entry, settings)?;
        let guard = Guard::new(&mut system)?;
        let mut state = State::at_rest(system.size());
        let mut scratch = Vec::new();
        integrator::start_in(&mut system, &mut state, &options.damping, Start::FromLoad, &mut scratch)?;
        let natural = Modes::of(model.reduced_stiffness(), model.reduced_mass()).map(Arc::new);
        let stiffest = natural.as_ref().and_then(|modes| modes.eigenvalues.last().copied());
        Ok(Self {
            natural,
            costless: 1e-12 * stiffest.unwrap_or(0.0),
            spare: state.clone(),
            no_push: vec![0.0; system.size()],
            model,
            system,
            entry,
            nonlinear_entry: entry,
            integrator,
            guard,
            settings,
            state,
            scratch,
        })
    }

    /// By `dt`, s, with the forces pushed since the last step, the springs of all grabs and all loads.
    ///
    /// # Errors
    /// [`StepError`]; the state is then, bit for bit, what it was. What was pushed is forgotten in any case.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let done = self.integrator.step(&mut self.system, &mut self.state, dt);
        self.system.loads.push.fill(0.0);
        self.guard.unguarded();
        self.look();
        done
    }

    /// Ties a vertex to a place in space, m, by a spring without length, N/m. May allocate: when more vertices are held at
    /// once than ever before.
    ///
    /// # Errors
    /// A vertex that is not there, fixed, or not moved by the basis, a stiffness below zero, a number that is not finite.
    pub fn grab(&mut self, vertex: u32, stiffness: f64, target: Vec3) -> Result<Grab, SimError> {
        self.exists(vertex)?;
        match self.system.still(vertex) {
            Some(Still::Fixed) => return Err(SimError::FixedVertex { vertex }),
            Some(Still::Unmoved) => return Err(SimError::UnmovedVertex { vertex }),
            None => {}
        }
        if !(stiffness.is_finite() && stiffness >= 0.0) {
            let (what, expected) = ("the stiffness of a grab", "a finite number >= 0 N/m");
            return Err(SimError::Number { what, value: stiffness, expected });
        }
        finite("a coordinate of the target", target)?;
        let rest = self.system.model().mesh().vertices[vertex as usize];
        let springs = &mut self.system.loads.springs;
        if let Some(place) = springs.iter().position(|held| !held.active) {
            let held = &mut springs[place];
            let spring = &mut held.pulls.spring;
            (spring.vertex, spring.stiffness, spring.path[0].1) = (vertex, stiffness, target);
            (held.pulls.rest, held.active) = (rest, true);
            held.pulls.look_away();
            let grab = Grab { place, generation: held.generation };
            self.look();
            return Ok(grab);
        }
        let spring = Spring::always(vertex, stiffness, vec![(0.0, target)]);
        springs.push(Held { pulls: ReducedSpring::new(spring, rest), active: true, generation: 0 });
        let grab = Grab { place: springs.len() - 1, generation: 0 };
        self.look();
        Ok(grab)
    }

    /// Moves the place that a grab pulls to, m.
    ///
    /// # Errors
    /// A grab that was released, a number that is not finite.
    pub fn drag(&mut self, grab: Grab, target: Vec3) -> Result<(), SimError> {
        finite("a coordinate of the target", target)?;
        self.held(grab)?.pulls.spring.path[0].1 = target;
        Ok(())
    }

    /// Lets go.
    ///
    /// # Errors
    /// A grab that was released before.
    pub fn release(&mut self, grab: Grab) -> Result<(), SimError> {
        let held = self.held(grab)?;
        held.active = false;
        held.generation = held.generation.wrapping_add(1);
        Ok(())
    }

    /// From the next step on, m/s².
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), SimError> {
        finite("a component of the gravity", gravity)?;
        self.system.set_gravity(gravity);
        Ok(())
    }

    /// Back to rest at t = 0: all grabs are released and pushes forgotten; all settings and loads stay.
    ///
    /// # Errors
    /// [`StepError`] where the loads give no finite acceleration; cannot happen while gravity is finite and reasonable and no load
    /// was added.
    pub fn reset(&mut self) -> Result<(), SimError> {
        for held in self.system.loads.springs.iter_mut().filter(|held| held.active) {
            held.active = false;
            held.generation = held.generation.wrapping_add(1);
        }
        self.system.loads.push.fill(0.0);
        self.guard.forget();
        let State { t, q, v, a } = &mut self.state;
        *t = 0.0;
        [q, v, a].into_iter().for_each(|x| x.fill(0.0));
        self.look();
        let Self { system, state, settings, scratch, .. } = self;
        integrator::start_in(system, state, &settings.damping, Start::FromLoad, scratch)?;
        Ok(())
    }

    /// Another one in the same state, under the same loads, that takes the same steps to the same bits. The two share the model
    /// and everything else that is constant; the copy takes memory of the order of the coordinates squared, whatever the mesh.
    pub fn duplicate(&self) -> Self {
        Self {
            model: self.model.clone(),
            system: self.system.duplicate(),
            natural: self.natural.clone(),
            costless: self.costless,
            entry: self.entry,
            nonlinear_entry: self.nonlinear_entry,
            integrator: self.integrator.duplicate(),
            guard: self.guard.duplicate(),
            settings: self.settings,
            state: self.state.clone(),
            spare: self.spare.clone(),
            no_push: self.no_push.clone(),
            scratch: self.scratch.clone(),
        }
    }

    /// Coordinates: as many as [`Live::coordinates`].
    pub fn q(&self) -> &[f64] {
        &self.state.q
    }

    /// Coordinates of what is seen: [`Live::q`], or in the warped motion p of it. U p is where the vertices are.
    pub fn shown(&self) -> &[f64] {
        self.system.seen().unwrap_or(&self.state.q)
    }

    /// The warp of `model`, which is this model with one, from now on: it can move warped then.
    ///
    /// # Errors
    /// [`SimError::Model`] of another model.
    pub fn take_warp_of(&mut self, model: Arc<Model>) -> Result<(), SimError> {
        let same = std::ptr::eq(self.model.basis().rows(), model.basis().rows());
        if !same {
            return Err(SimError::Model("its warp is that of another model".into()));
        }
        let whole = self.coordinates() == self.model.rank();
        self.model = model.clone();
        if whole { self.become_another(model, self.motion(), self.entry, self.state.clone()) } else { Ok(()) }
    }

    /// Their rates.
    pub fn velocity(&self) -> &[f64] {
        &self.state.v
    }

    /// The rates of those.
    pub fn acceleration(&self) -> &[f64] {
        &self.state.a
    }

    /// Time, coordinates and their rates.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// s, since the last reset.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// The model, with all its coordinates and as it was built.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// U of the coordinates in use.
    pub fn basis(&self) -> &Basis {
        self.system.model().basis()
    }

    /// The force of a grab on its vertex, N, where the body is now.
    ///
    /// # Errors
    /// A grab that was released.
    pub fn force_of(&self, grab: Grab) -> Result<[f64; 3], SimError> {
        let held = self.system.loads.springs.get(grab.place).filter(|held| is(held, grab));
        let held = held.ok_or(SimError::Released)?;
        Ok(self.system.loads.pull(held, self.state.t, &self.state.q).into())
    }

    /// n.
    pub fn vertices(&self) -> usize {
        self.system.vertices()
    }

    /// Where a vertex is, m.
    ///
    /// # Errors
    /// A vertex that is not there.
    pub fn vertex(&self, vertex: u32) -> Result<[f64; 3], SimError> {
        self.exists(vertex)?;
        let rest = self.system.model().mesh().vertices[vertex as usize];
        Ok((rest + Vec3::from(self.system.vertex(self.shown(), vertex))).into())
    }

    /// u of all vertices as they are seen: 3n entries, m.
    pub fn displacement(&self, out: &mut [f64]) {
        self.system.displacement(self.shown(), out);
    }

    /// W̃, J; NaN where it is not defined.
    pub fn elastic_energy(&mut self) -> f64 {
        self.system.elastic_energy(&self.state.q).unwrap_or(f64::NAN)
    }

    /// ½ q̇ᵀM̃q̇, J.
    pub fn kinetic_energy(&mut self) -> f64 {
        Subject::kinetic_energy(&mut self.system, &self.state.v)
    }

    fn exists(&self, vertex: u32) -> Result<(), SimError> {
        let vertices = self.vertices();
        if (vertex as usize) < vertices { Ok(()) } else { Err(SimError::NoVertex { vertex, vertices }) }
    }

    fn held(&mut self, grab: Grab) -> Result<&mut Held, SimError> {
        let held = self.system.loads.springs.get_mut(grab.place);
        held.filter(|held| is(held, grab)).ok_or(SimError::Released)
    }

    /// What is seen, and what hands see, follow the state.
    fn look(&mut self) {
        self.system.look(&self.state.q);
    }

    /// What is held now, with the place of each.
    pub(crate) fn hands(&self) -> impl Iterator<Item = (usize, &Held)> {
        self.system.loads.springs.iter().enumerate().filter(|(_, held)| held.active)
    }

    /// Whether a state of this acceleration is one that lies at rest under gravity when the motion begins.
    pub(crate) fn falls(&self, a: &[f64]) -> bool {
        let wanted = self.system.falling();
        let size = wanted.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        wanted.len() == a.len() && wanted.iter().zip(a).all(|(x, a)| (x - a).abs() <= 1e-10 * size)
    }
}

impl Clone for Live {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

fn is(held: &Held, grab: Grab) -> bool {
    held.active && held.generation == grab.generation
}

fn finite(what: &'static str, x: Vec3) -> Result<(), SimError> {
    match x.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(SimError::Number { what, value, expected: "a finite number" }),
        None => Ok(()),
    }
}
