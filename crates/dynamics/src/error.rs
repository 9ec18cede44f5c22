//! What can go wrong in a step.

use std::sync::Arc;

use pliant_linalg::{Cancelled, Term, Terms};

/// A state for which the energy is not defined; a shorter step may get around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfDomain {
    /// The component of the energy that said so.
    pub component: usize,
}

/// A step that could not be done. The state is what it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The iteration did not meet the tolerance, not even with the step halved as often as allowed.
    #[error(
        "the step from t = {t} s did not converge: residual {residual:.2e} after {iterations} iterations with the step halved {halvings} times (largest at coordinate {worst}); use a smaller dt, a looser tolerance, or more iterations"
    )]
    NoConvergence {
        /// s.
        t: f64,
        /// Relative.
        residual: f64,
        /// In the last attempt.
        iterations: usize,
        /// How often the step was halved.
        halvings: usize,
        /// The coordinate with the largest residual.
        worst: usize,
    },
    /// An entry of a vector became infinite or NaN.
    #[error(
        "in the step to t = {t} s coordinate {worst} of the {what} is not finite, also with the step halved {halvings} times; use a smaller dt, or check loads and stiffness"
    )]
    NotFinite {
        /// The end of the step, s.
        t: f64,
        /// "load", "internal force", "inertia", "damping force" or "state".
        what: &'static str,
        /// The first such coordinate.
        worst: usize,
        /// How often the step was halved.
        halvings: usize,
    },
    /// A load gave a force that is infinite or NaN.
    #[error(
        "in the step to t = {t} s the load {load:?} gives coordinate {worst} a force that is not finite, also with the step halved {halvings} times; mend that load or take it away"
    )]
    LoadNotFinite {
        /// The end of the step, s.
        t: f64,
        /// What the load is called.
        load: Arc<str>,
        /// The first such coordinate.
        worst: usize,
        /// How often the step was halved.
        halvings: usize,
    },
    /// The energy is not defined at the state where the step starts.
    #[error(
        "at t = {t} s component {component} is where its energy is not defined; start from a state that is not inverted"
    )]
    OutOfDomain {
        /// s.
        t: f64,
        /// The component.
        component: usize,
    },
    /// No positive definite matrix was found, not even with the negative part taken out and mass added.
    #[error(
        "the step to t = {t} s has no solvable linear system; check that every part has mass, stiffness and enough fixed vertices"
    )]
    NotDefinite {
        /// The end of the step, s.
        t: f64,
    },
    /// Statics found no equilibrium.
    #[error(
        "no equilibrium found beyond {:.4} of the load: residual {residual:.2e} after {iterations} iterations (largest at coordinate {worst}); the body may buckle or need more fixed vertices: apply less load, or use damped dynamics",
        load
    )]
    NoEquilibrium {
        /// The part of the load, 0 to 1, that was carried.
        load: f64,
        /// Relative, in the last attempt.
        residual: f64,
        /// In the last attempt.
        iterations: usize,
        /// The coordinate with the largest residual.
        worst: usize,
    },
    /// A setting that makes no sense.
    #[error("{what} is {value}, but must be {allowed}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The thesis's variant of quasi-Newton, asked of a system without a projective energy.
    #[error(
        "no projective gradient here: that needs a solid, at full order or with the forces `cubature`, `ghost` or `projected`; use the integrator quasi-newton"
    )]
    NoProjectiveGradient,
    /// The exact oscillators, asked of a system that has none.
    #[error(
        "the integrator modal needs linear forces: build a model with those, or use the integrator newmark"
    )]
    NotLinear,
    /// The work was asked to stop.
    #[error("stopped before it was done")]
    Cancelled,
}

impl From<Cancelled> for StepError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// The length of a step.
const STEP: Term = Term::new("dt", "dt");
/// When a step has converged.
const TOLERANCE: Term = Term::new("tolerance", "tolerance");
/// Iterations of a step.
const ITERATIONS: Term = Term::new("iterations", "iterations");
/// Which reduced forces.
const FORCES: Term = Term::new("forces", "linear forces");
/// Which integrator.
const INTEGRATOR: Term = Term::new("integrator", "use the integrator");
/// What is held.
const FIXED: Term = Term::new("fix", "fixed vertices");

impl Terms for StepError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::NoConvergence { .. } => vec![STEP, TOLERANCE, ITERATIONS],
            Self::NotFinite { .. } => vec![STEP],
            Self::NotDefinite { .. } | Self::NoEquilibrium { .. } => vec![FIXED],
            Self::NotLinear => vec![FORCES, INTEGRATOR],
            Self::NoProjectiveGradient => vec![INTEGRATOR],
            Self::Setting { what: "dt", .. } => vec![STEP],
            Self::Setting { what: "tolerance", .. } => vec![TOLERANCE],
            Self::Setting { what: "iterations", .. } => vec![ITERATIONS],
            _ => Vec::new(),
        }
    }
}

/// Why one attempt at a step failed. A shorter step may succeed, except after `Refused`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// Relative residual, iterations, and the coordinate with the largest residual.
    NotConverged { residual: f64, iterations: usize, worst: usize },
    /// An entry that is infinite or NaN, and of what.
    NotFinite { what: &'static str, worst: usize },
    /// The same, of a load that has a name.
    LoadNotFinite { load: Arc<str>, worst: usize },
    /// Where the attempt starts.
    OutOfDomain { component: usize },
    /// No factorisation.
    NotDefinite,
    /// Nothing that a shorter step could change.
    Refused(StepError),
}

impl Failure {
    /// The error of a step from `t` by `dt` that was given up.
    pub(crate) fn into_error(self, t: f64, dt: f64, halvings: usize) -> StepError {
        match self {
            Self::NotConverged { residual, iterations, worst } => {
                StepError::NoConvergence { t, residual, iterations, halvings, worst }
            }
            Self::NotFinite { what, worst } => StepError::NotFinite { t: t + dt, what, worst, halvings },
            Self::LoadNotFinite { load, worst } => {
                StepError::LoadNotFinite { t: t + dt, load, worst, halvings }
            }
            Self::OutOfDomain { component } => StepError::OutOfDomain { t, component },
            Self::NotDefinite => StepError::NotDefinite { t: t + dt },
            Self::Refused(error) => error,
        }
    }
}
