//! A reduced model as a body of a world: settings that suit it, hands that grip as hard as it is stiff, its last seconds.
//!
//! A hand holds a vertex of the shown surface; a spring pulls the simulated vertex that carries most of it. Between the two
//! lies an offset, kept as it was when the hand closed, so that nothing jumps:
//! ```text
//! spring's target = hand − offset,   offset = (shown − simulated) at the grab
//! ```

use std::sync::Arc;

use pliant_dynamics::{Damping, Options};
use pliant_linalg::Vec3;
use pliant_mesh::{Kind, ShownSurface};
use pliant_reduce::{Model, SurfaceBasis};
use pliant_sim::{Bounded, Grab, History, Live, LiveOptions, Motion, SimError};

use crate::leash::Leash;
use crate::{Body, Energies, Held, Hold, Trouble, WorldError};

/// The part of critical damping that the lowest mode of a new body gets: after some ten swings little is left.
const DAMPED: f64 = 0.04;

/// When a step ends: what it would still be moved by, in lengths of the body, cannot be seen, and a step must not take long. What a
/// step leaves, δ, is a speed of 2δ/dt for the rest of a swing, so that it comes back hundredfold: with this the dinosaur, led around for
/// two seconds, stays within 3e-4 of its length of Newmark's motion, and free within 2e-2 (`tests/live_motion.rs`). With 1e-4 it was
/// 3e-2 off where it is held.
const UNSEEN_CORRECTION: f64 = 3e-7;
const SOLVER: Options = Options { tolerance: 1e-4, least_correction: None, iterations: Some(6), halvings: 4 };

/// A body whose mean displacement is so many of its lengths is lost; one that is held, much sooner.
const LOST: f64 = 1e3;
const LOST_HELD: f64 = 10.0;

/// Mean speed that nobody sees, lengths of the body in a second.
const UNSEEN: f64 = 5e-4;

/// What a body still has to go to where it would stay, lengths of it, that nobody sees: |a| / ω₁² bounds it from above. Where a slow body
/// turns it stands still for long, far from there.
const UNSEEN_WAY: f64 = 5e-4;

/// So long nobody must see it move before a body is at rest, s: it also stands still where it turns.
const STILL: f64 = 0.25;

/// So long a body may be kept where it is because no step can be done, s.
const STUCK: f64 = 1.0;

/// Beside pins a vertex hardly moves, and a spring as stiff as it is would tear the rest of the body: no spring is stiffer than
/// so many times the body as a whole, m λ₁.
const MOST_GRIP: f64 = 4.0;

/// The spring against the body: with k = 3 the vertex goes three quarters of the way to a hand that stands still, in the mean of
/// all directions. Where a body gives way in some and hardly in others, the spring suits those in which it does: a ball that stands
/// on a twentieth of its height rocks after the hand, and is hardly stretched by a hand that lifts it.
const GRIP: f64 = 3.0;

/// Farther from where the body rests no hand can be, in lengths of the body.
const FARTHEST: f64 = 100.0;

/// A hand pulls no harder than if it were so far from its vertex, in lengths of the body: beyond it the body is torn, not
/// pulled. A sheet has far less to resist with.
const REACH: f64 = 0.75;
const REACH_OF_A_SHEET: f64 = 0.25;

/// What a hand pulls with that is fair to any size, Pa on the square of the body's length: a hundred newton on thirty centimetres.
/// Displacements are then the same parts of a length: those of rubber are seen, those of steel are not.
const FAIR: f64 = 1e3;

/// The displacement that a hand can hold which suits a body as it was built, in lengths of it.
const HELD_AT: f64 = 0.5;

/// A carrier of less weight moves nothing that is shown.
const LEAST_WEIGHT: f64 = 1e-9;

/// A reduced model in a world.
pub struct LiveBody {
    live: Live,
    surface: Arc<SurfaceBasis>,
    history: Option<History>,
    hands: Vec<Hand>,
    /// What each of them pulls with at most, N; `None`: it never tires.
    strength: Option<f64>,
    /// m λ₁, N/m, as built: how stiff the body is as a whole.
    whole: f64,
    /// How long nobody could see it move, s.
    still: f64,
    /// How long no step could be done, s.
    stuck: f64,
    steps: StepCounts,
}

/// How the steps of a body were done since it was put to rest: [`Bounded`], counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCounts {
    /// By its integrator, at once.
    pub done: u64,
    /// By backward Euler, because the integrator failed or gained energy.
    pub again: u64,
    /// By going downhill, because that failed or gained, too.
    pub downhill: u64,
    /// Of the speed in those, what there was no energy for: 1 for a step that kept none of it.
    pub speed_lost: f64,
    /// By nobody: the body was kept where it was, without its speed.
    pub stopped: u64,
}

/// A place for a hand.
#[derive(Clone, Copy, Debug)]
struct Hand {
    generation: u32,
    closed: Option<Closed>,
}

/// A hand that holds something.
#[derive(Clone, Copy, Debug)]
struct Closed {
    /// Of the shown surface.
    vertex: u32,
    /// Of the body.
    carrier: u32,
    grab: Grab,
    /// Of its spring, N/m.
    stiffness: f64,
    offset: Vec3,
    target: Vec3,
}

/// What most of a body is made of: its first region.
#[derive(Clone, Debug, PartialEq)]
pub struct Matter {
    /// The name of its law.
    pub material: &'static str,
    /// Young's modulus, Pa; of a surface that is no [plate](crate::Plate) 1.
    pub stiffness: f64,
    /// kg/m³; of a surface kg/m².
    pub density: f64,
    /// Poisson's ratio, where the law has one.
    pub poisson: Option<f64>,
}

impl Matter {
    /// Of a model.
    pub fn of(model: &Model) -> Option<Self> {
        let first = model.resolved().matter.first()?;
        let constant = |name: &str| first.constants.iter().find(|(n, _)| *n == name).map(|(_, x)| *x);
        let plate = crate::Plate::of(model.recipe()).filter(|_| model.mesh().kind() != Kind::Tets);
        Some(Self {
            material: first.material,
            stiffness: constant("young").or(plate.map(|plate| plate.young)).unwrap_or(1.0),
            density: constant("density").or(constant("area_density")).unwrap_or(1.0),
            poisson: constant("poisson"),
        })
    }
}

/// Settings that suit a model: Newmark by Broyden's method with β = 2 ζ / ω₁. A sheet that buckles has a stiffness of both signs, by which
/// damping would drive it and Newmark would not stop it: it gets backward Euler, which damps by itself, ζ = ω dt / 2.
pub fn suiting(model: &Model) -> LiveOptions {
    let (integrator, damping) = if model.mesh().kind() == Kind::Tets {
        ("newmark-broyden", Damping { stiffness: suiting_damping(model), ..Damping::default() })
    } else {
        ("backward-euler", Damping::default())
    };
    let solver = Options { least_correction: Some(UNSEEN_CORRECTION * model.longest_side()), ..SOLVER };
    LiveOptions { integrator: integrator.into(), damping, solver, ..LiveOptions::default() }
}

/// β = 2 ζ / ω₁, s.
fn suiting_damping(model: &Model) -> f64 {
    model.lowest_eigenvalue().map_or(0.0, |x| 2.0 * DAMPED / x.sqrt())
}

impl LiveBody {
    /// A model at rest with settings that suit it.
    ///
    /// # Errors
    /// A model whose numbers allow no motion.
    pub fn new(model: Arc<Model>) -> Result<Self, WorldError> {
        let options = suiting(&model);
        Self::with_options(model, &options)
    }

    /// A model at rest with settings of one's own.
    ///
    /// # Errors
    /// As [`Live::new`].
    pub fn with_options(model: Arc<Model>, options: &LiveOptions) -> Result<Self, WorldError> {
        let whole = model.total_mass() * model.lowest_eigenvalue().unwrap_or(std::f64::consts::TAU.powi(2));
        let surface = model.surface_basis().clone();
        let leash = Leash::new(&model);
        let mut live = Live::new(model, options)?;
        leash.map(|leash| live.add_reduced_load(Box::new(leash)));
        Ok(Self {
            live,
            surface,
            history: None,
            hands: Vec::new(),
            strength: None,
            whole,
            still: 0.0,
            stuck: 0.0,
            steps: StepCounts::default(),
        })
    }

    /// From now on the last `seconds` of steps of `dt` seconds are kept: [`LiveBody::history`].
    ///
    /// # Errors
    /// As [`History::new`].
    pub fn remember(&mut self, seconds: f64, dt: f64) -> Result<(), WorldError> {
        let mut history = History::new(seconds, dt, self.live.model().rank())?;
        history.note(&self.live);
        self.history = Some(history);
        Ok(())
    }

    /// The last seconds; `None` unless [`LiveBody::remember`] was called.
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// How its steps were done since it was put to rest: a body that is kept where it is cannot blow up, and does not move either.
    pub fn steps(&self) -> StepCounts {
        self.steps
    }

    /// The model in motion.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// Changes the model in motion. What was remembered was another motion and is forgotten; a body at rest wakes.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Live) -> T) -> T {
        let done = change(&mut self.live);
        self.still = 0.0;
        self.begin_history();
        done
    }

    /// Another one in the same state with the same settings, that no hand holds. The two share all that is constant.
    pub fn duplicate(&self) -> Self {
        let mut live = self.live.duplicate();
        for hand in self.hands.iter().filter_map(|hand| hand.closed) {
            // The copy has the same springs.
            let _ = live.release(hand.grab);
        }
        let mut copy = Self {
            live,
            surface: self.surface.clone(),
            history: self.history.clone(),
            hands: Vec::new(),
            strength: self.strength,
            whole: self.whole,
            still: 0.0,
            stuck: 0.0,
            steps: StepCounts::default(),
        };
        copy.begin_history();
        copy
    }

    /// What each hand pulls with at most, N; `None`: it never tires.
    pub fn strength(&self) -> Option<f64> {
        self.strength
    }

    /// Hands pull with at most so much, N, also those that are closed; with `None` they never tire, and take steel along as they do
    /// gelatine.
    ///
    /// # Errors
    /// What is not a finite number > 0.
    pub fn set_strength(&mut self, newton: Option<f64>) -> Result<(), WorldError> {
        if let Some(newton) = newton.filter(|newton| !(newton.is_finite() && *newton > 0.0)) {
            return Err(WorldError::Strength { newton });
        }
        self.strength = newton;
        Ok(())
    }

    /// The strength of a hand by which materials can be told apart, on a body of any size, N.
    pub fn fair_strength(&self) -> f64 {
        FAIR * self.live.model().longest_side().powi(2)
    }

    /// The strength of a hand that takes the body along as it was built, whatever it is made of, N; not less than is fair.
    pub fn suiting_strength(&self) -> f64 {
        self.fair_strength().max(HELD_AT * self.live.model().longest_side() * self.whole)
    }

    /// Another motion of the model, while it moves. Oscillators that nothing damps would never come to rest: they get what suits.
    ///
    /// # Errors
    /// As [`Live::set_motion`].
    pub fn set_motion(&mut self, motion: Motion) -> Result<(), WorldError> {
        Ok(self.change(|live| {
            live.set_motion(motion)?;
            let Damping { mass, stiffness, .. } = live.damping();
            if motion.is_linear() && mass == 0.0 && stiffness == 0.0 {
                live.set_damping(Damping { stiffness: suiting_damping(live.model()), ..live.damping() })?;
            }
            Ok::<(), SimError>(())
        })?)
    }

    /// U at the shown surface.
    pub fn surface(&self) -> &Arc<SurfaceBasis> {
        &self.surface
    }

    /// Where a shown vertex is, m.
    ///
    /// # Errors
    /// A vertex that is not there.
    pub fn place(&self, vertex: u32) -> Result<Vec3, WorldError> {
        self.exists(vertex)?;
        Ok(self.surface.place(self.live.shown(), vertex as usize))
    }

    fn exists(&self, vertex: u32) -> Result<(), WorldError> {
        let count = self.surface.len();
        if (vertex as usize) < count { Ok(()) } else { Err(WorldError::NoVertex { vertex, count }) }
    }

    fn begin_history(&mut self) {
        if let Some(history) = &mut self.history {
            history.clear();
            history.note(&self.live);
        }
    }

    /// Before a step: springs go where their hands are, but not beyond [`REACH`], and no farther than their hands are strong.
    fn pull(&mut self) {
        let model = self.live.model();
        let solid = model.mesh().kind() == Kind::Tets;
        let reach = model.longest_side() * if solid { REACH } else { REACH_OF_A_SHEET };
        for hand in self.hands.iter().filter_map(|hand| hand.closed) {
            let Ok(here) = self.live.vertex(hand.carrier) else { continue };
            let (here, wanted) = (Vec3::from(here), hand.target - hand.offset);
            let far = (wanted - here).norm();
            let reach = self.strength.map_or(reach, |newton| reach.min(newton / hand.stiffness));
            let target = if far <= reach { wanted } else { here + (wanted - here) * (reach / far) };
            // The grab is there as long as its hand is closed.
            let _ = self.live.drag(hand.grab, target);
        }
    }

    /// Where a hand may be.
    fn reachable(&self, target: Vec3) -> Result<Vec3, WorldError> {
        if !target.iter().all(|x| x.is_finite()) {
            return Err(WorldError::Target);
        }
        let model = self.live.model();
        let [low, high] = model.mesh().bounds();
        let middle = (low + high) / 2.0;
        let (away, farthest) = (target - middle, FARTHEST * model.longest_side());
        // Scaled first: the square of a huge number is none.
        let size = away.amax();
        if size <= farthest {
            return Ok(target);
        }
        Ok(middle + (away / size) * farthest)
    }

    fn closed(&mut self, hold: Hold) -> Result<&mut Option<Closed>, WorldError> {
        let hand = self.hands.get_mut(hold.place()).filter(|hand| hand.generation == hold.generation());
        hand.map(|hand| &mut hand.closed).filter(|closed| closed.is_some()).ok_or(WorldError::Released)
    }

    /// One step that gains nothing. A body that nothing can move for [`STUCK`] is given up, unless a hand holds it.
    fn step_on(&mut self, dt: f64) -> Result<(), Trouble> {
        let bounded = self.live.step_bounded(dt).map_err(Trouble::Step)?;
        *match bounded {
            Bounded::Done(_) => &mut self.steps.done,
            Bounded::Again(_) => &mut self.steps.again,
            Bounded::Downhill { kept, .. } => {
                self.steps.speed_lost += 1.0 - kept;
                &mut self.steps.downhill
            }
            Bounded::Stopped => &mut self.steps.stopped,
        } += 1;
        self.stuck = if bounded == Bounded::Stopped { self.stuck + dt } else { 0.0 };
        if self.stuck >= STUCK && !self.is_in_a_hand() { Err(Trouble::Stuck) } else { Ok(()) }
    }

    fn is_in_a_hand(&self) -> bool {
        self.hands.iter().any(|hand| hand.closed.is_some())
    }

    /// Notes how long it has been still.
    fn watch(&mut self, dt: f64) {
        let kinetic = self.live.kinetic_energy();
        let model = self.live.model();
        let mass = model.total_mass() * self.live.density();
        let speed = (2.0 * kinetic / mass).sqrt();
        // UᵀMU is a multiple of one.
        let square: f64 = self.live.acceleration().iter().map(|a| a * a).sum();
        let acceleration = (square * model.reduced_mass().get(0, 0) / model.total_mass()).sqrt();
        let stiffness = self.whole * self.live.stiffness() / mass;
        let length = model.longest_side();
        let still = speed < UNSEEN * length && acceleration < UNSEEN_WAY * length * stiffness;
        self.still = if still { self.still + dt } else { 0.0 };
    }
}

impl Body for LiveBody {
    fn shown(&self) -> &Arc<ShownSurface> {
        self.surface.shown()
    }

    fn positions(&self, out: &mut [f64]) {
        self.surface.expand(self.live.shown(), out);
    }

    fn positions_f32(&self, out: &mut [f32]) {
        self.surface.expand_f32(self.live.shown(), out);
    }

    fn step(&mut self, dt: f64) -> Result<(), Trouble> {
        self.pull();
        self.step_on(dt)?;
        let model = self.live.model();
        // UᵀMU is a multiple of one: with it |q|² = ∫ρ|u|², the mean displacement, squared, times the mass.
        let square: f64 = self.live.q().iter().map(|q| q * q).sum::<f64>() * model.reduced_mass().get(0, 0);
        let lengths = (square / model.total_mass()).sqrt() / model.longest_side();
        let farthest = if model.recipe().fixed.is_empty() { LOST } else { LOST_HELD };
        if lengths.is_nan() || lengths > farthest {
            if lengths.is_nan() || !self.is_in_a_hand() {
                return Err(Trouble::Flew { lengths });
            }
            // Nothing is taken out of a hand: as long as it is closed, the body goes no farther.
            self.live.pull_in(farthest / lengths);
        }
        if let Some(history) = &mut self.history {
            history.note(&self.live);
        }
        self.watch(dt);
        Ok(())
    }

    fn reset(&mut self) -> Result<(), WorldError> {
        for hand in self.hands.iter_mut().filter(|hand| hand.closed.is_some()) {
            *hand = Hand { generation: hand.generation.wrapping_add(1), closed: None };
        }
        (self.still, self.stuck, self.steps) = (0.0, 0.0, StepCounts::default());
        self.live.reset()?;
        self.begin_history();
        Ok(())
    }

    fn time(&self) -> f64 {
        self.live.time()
    }

    fn energies(&mut self) -> Energies {
        Energies { kinetic: self.live.kinetic_energy(), elastic: self.live.elastic_energy() }
    }

    fn is_at_rest(&self) -> bool {
        // A few roundings of the sum of steps.
        self.still >= STILL - 1e-9 && self.hands.iter().all(|hand| hand.closed.is_none())
    }

    fn gravity(&self) -> Vec3 {
        self.live.gravity()
    }

    fn set_gravity(&mut self, gravity: Vec3) -> Result<(), WorldError> {
        Ok(self.change(|live| live.set_gravity(gravity))?)
    }

    fn grab(&mut self, vertex: u32, target: Vec3) -> Result<Hold, WorldError> {
        self.exists(vertex)?;
        let target = self.reachable(target)?;
        // By weight; the first of equals.
        let mut carriers: Vec<(u32, f64)> = self.surface.shown().carriers.row(vertex as usize).collect();
        carriers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (carrier, _) in carriers.into_iter().filter(|(_, w)| w.abs() > LEAST_WEIGHT) {
            let stiffness = match self.live.static_stiffness(carrier) {
                Ok(stiffness) => (GRIP * stiffness).min(MOST_GRIP * self.whole * self.live.stiffness()),
                Err(SimError::FixedVertex { .. } | SimError::UnmovedVertex { .. }) => continue,
                Err(other) => return Err(other.into()),
            };
            let offset = self.place(vertex)? - Vec3::from(self.live.vertex(carrier)?);
            self.still = 0.0;
            let grab = self.live.grab(carrier, stiffness, target - offset)?;
            let closed = Some(Closed { vertex, carrier, grab, stiffness, offset, target });
            if let Some(place) = self.hands.iter().position(|hand| hand.closed.is_none()) {
                self.hands[place].closed = closed;
                return Ok(Hold::new(place as u32, self.hands[place].generation));
            }
            self.hands.push(Hand { generation: 0, closed });
            return Ok(Hold::new(self.hands.len() as u32 - 1, 0));
        }
        Err(WorldError::Pinned)
    }

    fn drag(&mut self, hold: Hold, target: Vec3) -> Result<(), WorldError> {
        let target = self.reachable(target)?;
        if let Some(closed) = self.closed(hold)? {
            closed.target = target;
        }
        Ok(())
    }

    fn release(&mut self, hold: Hold) -> Result<(), WorldError> {
        if let Some(closed) = self.closed(hold)?.take() {
            self.live.release(closed.grab)?;
        }
        // However long it was held still, what was bent now springs back.
        self.still = 0.0;
        let hand = &mut self.hands[hold.place()];
        hand.generation = hand.generation.wrapping_add(1);
        Ok(())
    }

    fn held(&self, hold: Hold) -> Option<Held> {
        let hand = self.hands.get(hold.place()).filter(|hand| hand.generation == hold.generation())?;
        let Closed { vertex, grab, target, .. } = hand.closed?;
        Some(Held { vertex, target, force: self.live.force_of(grab).unwrap_or_default().into() })
    }
}
