//! Where a system is, and what a step reports.

/// Coordinates with their rates at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// s.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// q̇.
    pub v: Vec<f64>,
    /// q̈.
    pub a: Vec<f64>,
}

impl State {
    /// At rest at t = 0.
    pub fn at_rest(size: usize) -> Self {
        Self { t: 0.0, q: vec![0.0; size], v: vec![0.0; size], a: vec![0.0; size] }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && [&self.q, &self.v, &self.a].iter().all(|x| x.iter().all(|x| x.is_finite()))
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Iterations of the solver, all parts of a halved step together.
    pub iterations: usize,
    /// ‖R‖ at the end, relative to the largest force (the rule behind `tolerance`).
    pub residual: f64,
    /// How many times the step was cut in half to get through.
    pub halvings: usize,
    /// Whether the residual met the tolerance, or rounding allows no smaller one; a fixed number of iterations may leave it unmet without being an error.
    pub converged: bool,
}
