//! What a world holds: anything that steps and has a surface to show.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use pliant_dynamics::StepError;
use pliant_linalg::{Term, Terms, Vec3};
use pliant_mesh::ShownSurface;

use crate::WorldError;

/// A body in a world: a reduced model ([`crate::LiveBody`]), a recorded motion that is played, a fluid.
///
/// [`Body::step`] and [`Body::positions`] are called in every frame and take no memory.
pub trait Body: Any + Send {
    /// What is seen of it, at rest.
    fn shown(&self) -> &Arc<ShownSurface>;

    /// Where every shown vertex is now: x y z of each in turn, m. The length is right.
    fn positions(&self, out: &mut [f64]);

    /// The same in 32 bits, for a graphics card.
    fn positions_f32(&self, out: &mut [f32]);

    /// By `dt`, s.
    ///
    /// # Errors
    /// [`Trouble`] when it cannot go on: it must be put back, unless that [is a refusal](Trouble::is_refusal).
    fn step(&mut self, dt: f64) -> Result<(), Trouble>;

    /// Back to rest at t = 0; all hands open.
    ///
    /// # Errors
    /// When its loads allow no rest.
    fn reset(&mut self) -> Result<(), WorldError>;

    /// s, since it was put to rest.
    fn time(&self) -> f64;

    /// Energies now.
    fn energies(&mut self) -> Energies;

    /// Whether nobody could see it move, and no hand holds it.
    fn is_at_rest(&self) -> bool;

    /// m/s².
    fn gravity(&self) -> Vec3 {
        Vec3::zeros()
    }

    /// From the next step on, m/s². A body that feels none takes it silently.
    ///
    /// # Errors
    /// A number that is not finite.
    fn set_gravity(&mut self, gravity: Vec3) -> Result<(), WorldError> {
        let _ = gravity;
        Ok(())
    }

    /// A hand closes on a shown vertex and pulls it to `target`, m.
    ///
    /// # Errors
    /// A vertex that is not there or cannot move, a target that is no place; a body that hands cannot hold.
    fn grab(&mut self, vertex: u32, target: Vec3) -> Result<Hold, WorldError> {
        let _ = (vertex, target);
        Err(WorldError::NoGrip)
    }

    /// A hand moves, m.
    ///
    /// # Errors
    /// A hand that is open, a target that is no place.
    fn drag(&mut self, hold: Hold, target: Vec3) -> Result<(), WorldError> {
        let _ = (hold, target);
        Err(WorldError::Released)
    }

    /// A hand opens.
    ///
    /// # Errors
    /// A hand that is open already.
    fn release(&mut self, hold: Hold) -> Result<(), WorldError> {
        let _ = hold;
        Err(WorldError::Released)
    }

    /// What a hand holds; `None` where it is open.
    fn held(&self, hold: Hold) -> Option<Held> {
        let _ = hold;
        None
    }
}

/// A hand as its body knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub(crate) place: u32,
    pub(crate) generation: u32,
}

impl Hold {
    /// For bodies that keep their holds in a list: a place in it, and how often that place was given away before.
    pub fn new(place: u32, generation: u32) -> Self {
        Self { place, generation }
    }

    /// The place in the list.
    pub fn place(self) -> usize {
        self.place as usize
    }

    /// How often the place was given away before.
    pub fn generation(self) -> u32 {
        self.generation
    }
}

/// What a hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Of the shown surface.
    pub vertex: u32,
    /// Where the hand is, m.
    pub target: Vec3,
    /// How hard it pulls, N.
    pub force: Vec3,
}

/// Energies of a body, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation; NaN where it is not defined.
    pub elastic: f64,
}

/// Why a body cannot go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Trouble {
    /// A step that was refused.
    Step(StepError),
    /// It is so many of its own lengths away from where it was built that it is lost.
    Flew {
        /// Mean displacement over the longest side.
        lengths: f64,
    },
    /// It was to be put to rest, and its loads allow none.
    NoRest,
    /// No step could be done for a second.
    Stuck,
}

impl Trouble {
    /// Whether it lies in a load or a setting and not in the motion: the step was refused, the state is what it was, and rest would
    /// not help.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Step(
                StepError::LoadNotFinite { .. }
                    | StepError::Setting { .. }
                    | StepError::NotLinear
                    | StepError::NoProjectiveGradient
            )
        )
    }
}

/// What pulls at all of it.
const GRAVITY: Term = Term::new("gravity", "gravity");

impl Terms for Trouble {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Step(error) => error.terms(),
            Self::NoRest => vec![GRAVITY],
            Self::Flew { .. } | Self::Stuck => Vec::new(),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(error) => error.fmt(f),
            Self::Flew { lengths } => write!(f, "it flew {lengths:.0e} times its length away"),
            Self::Stuck => f.write_str("no step could be done for a second"),
            Self::NoRest => f.write_str("its loads allow no rest; take gravity away"),
        }
    }
}
