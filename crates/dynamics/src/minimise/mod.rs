//! Minimisers of an energy: one file each, one line in [`ALL`].
//!
//! ```text
//! q* = arg min E(q)                                                                               (T14 eqs 5.2, 5.5)
//! done:  E_{k−1} − E_k < ε (e + |E_k|),   |q_{k−1} − q_k|∞ < √ε (c + |q_k|∞),
//!        |∂E_k|∞ c < ∛ε (e + |E_k|)                                                                (T14 eq. 5.6)
//! ```
//! e and c, [`Units`], stand where the paper prints 1: its numbers have no units, and mean something only for bodies of its size. A
//! third condition without c would compare forces with energies.
//!
//! An [`Objective`] is any energy, of 60 coordinates or of 60 000. A step has to meet the weak Wolfe conditions (`line.rs`); where the
//! energy is not defined it is shortened. What a minimiser has learnt about the curvature it keeps from call to call: moving the
//! targets of springs leaves their Hessian alone, so that it is worth as much in the next frame. No iteration after the first takes memory.
//!
//! Measured on a bar of 1386 vertices in 67 coordinates, whose end turns by 7.5° a frame, to ε = 1e-6: see docs/edit.md.

mod bfgs;
mod descent;
mod line;
mod newton;
mod steepest;

use std::ops::ControlFlow;

use pliant_linalg::{DenseSymmetric, Named, Table};

use crate::{NotDefinite, StepError, Tangent};

/// An energy that is to be made small.
pub trait Objective {
    /// How many coordinates.
    fn size(&self) -> usize;

    /// E(q), J, and ∂E(q). Infinite or NaN where it is not defined, whatever then is in the gradient.
    fn evaluate(&mut self, q: &[f64], gradient: &mut [f64]) -> f64;

    /// B₁: the inverse of the Hessian, or of something like it, positive definite: where BFGS begins. A dense matrix; only energies of
    /// few coordinates are asked.
    fn first_inverse(&mut self, out: &mut DenseSymmetric);

    /// Factorises ∂²E(q) + shift · S, S positive definite and about as large as ∂²E at rest.
    ///
    /// # Errors
    /// [`NotDefinite`] when that is not positive definite, or not defined.
    fn factorise(&mut self, q: &[f64], tangent: Tangent, shift: f64) -> Result<(), NotDefinite>;

    /// x ← (what was factorised)⁻¹ x.
    fn solve(&mut self, x: &mut [f64]);
}

/// What stands for the 1s of T14 eq. 5.6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// e, J.
    pub energy: f64,
    /// c, in the unit of the coordinates.
    pub coordinate: f64,
}

impl Units {
    /// As the paper prints it: for bodies whose longest side is 10 and whose stiffnesses are 1.
    pub const PRINTED: Self = Self { energy: 1.0, coordinate: 1.0 };
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// ε.
    pub epsilon: f64,
    /// At most so many iterations.
    pub iterations: usize,
    /// What ε is relative to.
    pub units: Units,
}

impl Stopping {
    /// # Errors
    /// [`StepError::Setting`] for an ε that is not between 0 and 1, no iteration at all, or units that are not positive.
    pub fn check(&self) -> Result<(), StepError> {
        let refuse = |what, value, allowed| Err(StepError::Setting { what, value, allowed });
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return refuse("epsilon", self.epsilon, "between 0 and 1, such as 1e-6");
        }
        if self.iterations == 0 {
            return refuse("iterations", 0.0, "1 or more");
        }
        for value in [self.units.energy, self.units.coordinate] {
            if !(value.is_finite() && value > 0.0) {
                return refuse("the unit of convergence", value, "a finite number above 0");
            }
        }
        Ok(())
    }

    /// T14 eq. 5.6 after a step that took E down by `fall` and moved no coordinate by more than `moved`.
    fn met(&self, energy: f64, fall: f64, moved: f64, farthest: f64, steepest: f64) -> bool {
        let Units { energy: e, coordinate: c } = self.units;
        fall < self.epsilon * (e + energy.abs())
            && moved < self.epsilon.sqrt() * (c + farthest)
            && self.is_flat(energy, steepest)
    }

    /// The last of its conditions.
    fn is_flat(&self, energy: f64, steepest: f64) -> bool {
        steepest * self.units.coordinate < self.epsilon.cbrt() * (self.units.energy + energy.abs())
    }
}

/// How a minimiser ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// E where it ended, J.
    pub energy: f64,
    /// |∂E|∞ there.
    pub steepest: f64,
    /// Iterations.
    pub iterations: usize,
    /// Evaluations of E and ∂E.
    pub evaluations: usize,
    /// Why it ended.
    pub end: End,
}

impl Outcome {
    /// Whether the end is a minimum to ε.
    pub fn converged(&self) -> bool {
        self.end == End::Converged
    }
}

/// Why a minimiser ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// T14 eq. 5.6 is met, or nothing is left to be gained in the digits that a number has.
    Converged,
    /// As many iterations as allowed.
    Iterations,
    /// No step led down.
    Stalled,
    /// The energy is not defined where it started.
    Inadmissible,
    /// Whoever looked on said so.
    Stopped,
}

/// What somebody who looks on is told before every iteration, and at the end: its number from 0, and E.
pub type Onlooker<'a> = dyn FnMut(usize, f64) -> ControlFlow<()> + 'a;

/// Finds a minimum downhill of where it starts.
pub trait Minimiser: Send + Sync {
    /// Takes q downhill until [`Stopping`] is met. Wherever it ends, q is the lowest place that was found; a start where the energy is
    /// not defined is left as it is.
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        q: &mut [f64],
        stopping: &Stopping,
        look: &mut Onlooker<'_>,
    ) -> Outcome;

    /// What was learnt is of another energy: stiffer, with other springs. Takes no memory and gives none back.
    fn forget(&mut self);
}

/// A line of the table.
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// Whether it needs a dense matrix as large as the coordinates are many: not for full order.
    pub dense: bool,
    /// Whether it asks for second derivatives.
    pub hessian: bool,
    /// Makes it.
    pub make: fn() -> Box<dyn Minimiser>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every minimiser. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> =
    Table::new("minimiser", &[newton::ENTRY, bfgs::WARM, bfgs::COLD, steepest::ENTRY]);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

/// Nobody looks on.
pub fn unseen(_: usize, _: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
