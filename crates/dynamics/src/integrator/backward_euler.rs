//! Backward Euler: first order, and stable whatever the step.
//!
//! ```text
//! v = (q − q₀)/dt,   a = (v − v₀)/dt,   M a + C v + f_int(q) = f_ext(t, q, v)    at the end of the step
//! ```
//! Its own damping grows with dt and frequency: motion dies that should not. For true motion use Newmark.

use super::{Integrator, Settings, implicit::Implicit};
use crate::balance::Rule;
use crate::{Damping, State, StepError, StepReport, System};

/// Backward Euler by Newton's method.
#[derive(Clone, Debug)]
pub struct BackwardEuler(Implicit);

impl BackwardEuler {
    /// A new one.
    pub fn new(settings: Settings) -> Self {
        Self(Implicit::new(settings))
    }
}

impl Integrator for BackwardEuler {
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        self.0.step(system, state, dt, Rule::backward_euler)
    }

    fn renew(&mut self, damping: Damping) {
        self.0.renew(damping);
    }

    fn impulse(&self) -> &[f64] {
        self.0.impulse()
    }

    fn duplicate(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}
