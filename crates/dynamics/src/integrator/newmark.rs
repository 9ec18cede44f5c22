//! Newmark's method: second order, and no damping that the body does not have.
//!
//! ```text
//! q = q₀ + dt v₀ + dt²/2 [(1 − 2β) a₀ + 2β a]          v = v₀ + dt [(1 − γ) a₀ + γ a]                    (1)
//! a = a₁ d − a₂ v₀ − a₃ a₀,    a₁ = 1/(β dt²),  a₂ = 1/(β dt),  a₃ = (1 − 2β)/(2β)                       (2)
//! v = a₄ d + a₅ v₀ + a₆ a₀,    a₄ = γ/(β dt),   a₅ = 1 − γ/β,   a₆ = (1 − γ/(2β)) dt                     (3)
//! ```
//! with d = q − q₀, and M a + C v + f_int = f_ext at the end of the step. β = 1/4, γ = 1/2 (average acceleration) keeps
//! the energy of a linear system. It needs the first acceleration. A stiff body in large motion at a large dt can gain
//! energy: use backward Euler there. Source: N59 in docs/papers.md.

use super::{Integrator, Settings, implicit::Implicit};
use crate::balance::Rule;
use crate::{Damping, State, StepError, StepReport, System};

/// Implicit Newmark.
#[derive(Clone, Debug)]
pub struct Newmark {
    beta: f64,
    gamma: f64,
    implicit: Implicit,
}

impl Newmark {
    /// Average acceleration, β = 1/4, γ = 1/2.
    pub fn new(settings: Settings) -> Self {
        Self { beta: 0.25, gamma: 0.5, implicit: Implicit::new(settings) }
    }

    /// Another member of the family. γ > 1/2 damps at the price of the second order; β ≥ (γ + 1/2)²/4 is stable.
    ///
    /// # Errors
    /// [`StepError::Setting`] unless 0 < β ≤ 1 and 0 < γ ≤ 2; β = 0 is an explicit method, which this is not.
    pub fn with(beta: f64, gamma: f64, settings: Settings) -> Result<Self, StepError> {
        if !(beta > 0.0 && beta <= 1.0) {
            let allowed = "above 0 and at most 1, such as 0.25";
            return Err(StepError::Setting { what: "Newmark's beta", value: beta, allowed });
        }
        if !(gamma > 0.0 && gamma <= 2.0) {
            let allowed = "above 0 and at most 2, such as 0.5";
            return Err(StepError::Setting { what: "Newmark's gamma", value: gamma, allowed });
        }
        Ok(Self { beta, gamma, implicit: Implicit::new(settings) })
    }
}

impl Integrator for Newmark {
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let (beta, gamma) = (self.beta, self.gamma);
        self.implicit.step(system, state, dt, |dt| rule(beta, gamma, dt))
    }

    fn renew(&mut self, damping: Damping) {
        self.implicit.renew(damping);
    }

    fn impulse(&self) -> &[f64] {
        self.implicit.impulse()
    }

    fn duplicate(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}

/// (2) and (3).
pub(super) fn rule(beta: f64, gamma: f64, dt: f64) -> Rule {
    Rule {
        rate: [gamma / (beta * dt), 1.0 - gamma / beta, (1.0 - gamma / (2.0 * beta)) * dt],
        acceleration: [1.0 / (beta * dt * dt), -1.0 / (beta * dt), -(1.0 - 2.0 * beta) / (2.0 * beta)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_solves_newmarks_equations() {
        for (beta, gamma, dt) in [(0.25, 0.5, 0.1), (0.3025, 0.6, 0.02), (1.0 / 6.0, 0.5, 2.0)] {
            let (d, v0, a0) = (0.7, -1.3, 2.9);
            let of = |c: [f64; 3]| c[0] * d + c[1] * v0 + c[2] * a0;
            let rule = rule(beta, gamma, dt);
            let (v, a) = (of(rule.rate), of(rule.acceleration));
            let q = dt * v0 + 0.5 * dt * dt * ((1.0 - 2.0 * beta) * a0 + 2.0 * beta * a);
            assert!((q - d).abs() < 1e-13, "β {beta}: {q} vs {d}");
            assert!((v0 + dt * ((1.0 - gamma) * a0 + gamma * a) - v).abs() < 1e-11 * v.abs(), "γ {gamma}");
        }
    }
}
