//! What can go wrong in a step.

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
        "the step from t = {t} s did not converge: residual {residual:.2e} after {iterations} iterations with the step halved {halvings} times (largest at number {worst}); use a smaller dt, a looser tolerance, or more iterations"
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
    /// A number became infinite or NaN.
    #[error(
        "at t = {t} s number {worst} of the state is no longer finite; use a smaller dt, or check loads and stiffness"
    )]
    NotFinite {
        /// s.
        t: f64,
        /// The first such coordinate.
        worst: usize,
    },
    /// The energy is not defined at the state where the step starts.
    #[error("at t = {t} s component {component} is where its energy is not defined")]
    OutOfDomain {
        /// s.
        t: f64,
        /// The component.
        component: usize,
    },
}
