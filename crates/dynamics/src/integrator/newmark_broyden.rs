//! Newmark's method, its equation solved by Broyden's: the motion of `newmark` without its matrices.
//!
//! ```text
//! (M/(β dt²) + γ C/(β dt)) q + f_int(q) = b                                                T14 eq. (4.5)
//! ```
//! with average acceleration, solved as T14 section 4.3 has it: from the inverse Jacobian at rest, by updates of rank one,
//! each iteration O(d²). The same equation, tolerance and halving as [`Newmark`](super::Newmark), so that the motion is the same to the
//! tolerance. Full order works too: updates are kept as pairs of vectors beside one sparse factorisation.
//!
//! Not for steps so long that Newton's method has to work for them: `broyden.rs` says when.

use super::{Integrator, Settings, newmark::rule};
use crate::balance::Problem;
use crate::broyden::Broyden;
use crate::halving::Halving;
use crate::{Damping, State, StepError, StepReport, System, error::Failure};

/// Newmark's average acceleration by Broyden's method.
#[derive(Clone, Debug)]
pub struct NewmarkBroyden {
    settings: Settings,
    broyden: Broyden,
    halving: Halving,
}

impl NewmarkBroyden {
    /// β = 1/4, γ = 1/2.
    pub fn new(settings: Settings) -> Self {
        Self { settings, broyden: Broyden::default(), halving: Halving::default() }
    }
}

impl Integrator for NewmarkBroyden {
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let Self { settings: Settings { damping, options }, broyden, halving } = self;
        halving.step(system, state, dt, options, &mut |system, state, (t, dt), load| {
            let rule = rule(0.25, 0.5, dt);
            broyden.balance().begin(state, &rule);
            let solved = broyden.solve(system, &Problem::step(t, &rule, *damping), options)?;
            if !solved.converged && options.iterations.is_none() {
                let (iterations, residual, worst) = (solved.iterations, solved.residual, solved.worst);
                return Err(Failure::NotConverged { residual, iterations, worst });
            }
            broyden.balance().end(state)?;
            load.copy_from_slice(broyden.balance().external());
            let (iterations, residual, converged) = (solved.iterations, solved.residual, solved.converged);
            Ok(StepReport { iterations, residual, halvings: 0, converged })
        })
    }

    fn renew(&mut self, damping: Damping) {
        self.settings.damping = damping;
        self.broyden.forget();
    }

    fn impulse(&self) -> &[f64] {
        self.halving.impulse()
    }

    fn duplicate(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}
