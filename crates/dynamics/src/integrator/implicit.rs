//! What Newmark and backward Euler share: one Newton solve for the end of the step.

use super::Settings;
use crate::balance::{Problem, Rule};
use crate::halving::Halving;
use crate::newton::Newton;
use crate::{Damping, State, StepError, StepReport, System, error::Failure};

/// Steps by any [`Rule`].
#[derive(Clone, Debug)]
pub(crate) struct Implicit {
    settings: Settings,
    newton: Newton,
    halving: Halving,
}

impl Implicit {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, newton: Newton::default(), halving: Halving::default() }
    }

    /// Nothing is kept between steps but memory.
    pub(crate) fn renew(&mut self, damping: Damping) {
        self.settings.damping = damping;
    }

    /// See [`super::Integrator::impulse`].
    pub(crate) fn impulse(&self) -> &[f64] {
        self.halving.impulse()
    }

    /// One step; `rule` of the length of its parts.
    pub(crate) fn step(
        &mut self,
        system: &mut dyn System,
        state: &mut State,
        dt: f64,
        rule: impl Fn(f64) -> Rule,
    ) -> Result<StepReport, StepError> {
        let Self { settings: Settings { damping, options }, newton, halving } = self;
        halving.step(system, state, dt, options, &mut |system, state, (t, dt), load| {
            let rule = rule(dt);
            newton.balance.begin(state, &rule);
            let solved = newton.solve(system, &Problem::step(t, &rule, *damping), options)?;
            if !solved.converged && options.iterations.is_none() {
                let (iterations, residual, worst) = (solved.iterations, solved.residual, solved.worst);
                return Err(Failure::NotConverged { residual, iterations, worst });
            }
            newton.balance.end(state)?;
            load.copy_from_slice(newton.balance.external());
            let (iterations, residual, converged) = (solved.iterations, solved.residual, solved.converged);
            Ok(StepReport { iterations, residual, halvings: 0, converged })
        })
    }
}
