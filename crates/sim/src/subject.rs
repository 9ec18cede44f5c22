//! What a scenario can be run on: a body at full order, or a reduced model of one.

use pliant_dynamics::System;
use pliant_linalg::Dofs;

use crate::SimError;
pub use crate::still::Still;

/// A system of dynamics that knows which vertices its coordinates move.
pub trait Subject: System {
    /// n.
    fn vertices(&self) -> usize;

    /// Why this vertex cannot move; `None`: it can.
    fn still(&self, vertex: u32) -> Option<Still>;

    /// The displacement of one vertex at q, m (or, of rates, m/s).
    fn vertex(&self, q: &[f64], vertex: u32) -> [f64; 3];

    /// The displacement of all vertices at q: 3n entries, m (or, of rates, m/s).
    fn displacement(&self, q: &[f64], out: &mut [f64]);

    /// What is seen at q, as coordinates of the same basis: q itself, unless the body is shown warped.
    fn show(&mut self, q: &[f64], seen: &mut [f64]) {
        seen.copy_from_slice(q);
    }

    /// A step begins at q: loads that pull at what is seen look at it.
    fn look(&mut self, _q: &[f64]) {}

    /// Coordinates of a state of all vertices.
    ///
    /// # Errors
    /// When it moves what is fixed.
    fn initial(&self, first: InitialState) -> Result<InitialCoordinates, SimError>;

    /// ½ vᵀ M v, J.
    fn kinetic_energy(&mut self, v: &[f64]) -> f64;

    /// A name of [`integrator::ALL`](pliant_dynamics::integrator::ALL): what steps it soonest to the motion of Newmark's method.
    fn usual_integrator(&self) -> &'static str {
        "newmark"
    }
}

/// Initial state of all vertices, 3n entries each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialState {
    /// m.
    pub displacement: Vec<f64>,
    /// m/s.
    pub velocity: Vec<f64>,
    /// m/s². `None`: as the scenario says, [`crate::Scenario::start`]. What is in the middle of a motion has one of its own:
    /// Newmark's method goes on exactly only with the one it came to.
    pub acceleration: Option<Vec<f64>>,
}

impl From<(Vec<f64>, Vec<f64>)> for InitialState {
    /// Displacement and velocity.
    fn from((displacement, velocity): (Vec<f64>, Vec<f64>)) -> Self {
        Self { displacement, velocity, acceleration: None }
    }
}

/// Initial state in the coordinates of a [`Subject`].
#[derive(Clone, Debug, PartialEq)]
pub struct InitialCoordinates {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Their rates.
    pub v: Vec<f64>,
    /// The rates of those, where they are given.
    pub a: Option<Vec<f64>>,
    /// The part of displacement and velocity that no coordinates have: ‖u − Uq‖/‖u‖ by mass, 0 to 1.
    pub lost: [f64; 2],
}

/// An error for numbers that are not zero where the body is held.
pub(crate) fn refuse_held(dofs: &Dofs, first: &InitialState) -> Result<(), SimError> {
    let InitialState { displacement, velocity, acceleration } = first;
    let acceleration = acceleration.as_deref().unwrap_or(&[]);
    for (what, x) in
        [("displacement", &displacement[..]), ("velocity", velocity), ("acceleration", acceleration)]
    {
        if let Some(k) = (0..x.len()).find(|&k| dofs.is_held(k) && x[k] != 0.0) {
            return Err(SimError::HeldMoves { what, vertex: k / 3, axis: k % 3, value: x[k] });
        }
    }
    Ok(())
}
