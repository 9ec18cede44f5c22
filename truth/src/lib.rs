//! The truth suite: our full-order physics against exact solutions, published figures and other programs.
//!
//! A problem is one file in `problem/` and one line in [`problem::ALL`]. It gives rows: what was computed, the reference,
//! ours, and the error that is allowed. `cargo xtask truth` runs all of them in full and writes docs/truth.md; the tests
//! of this package run the quick form of each. Convergence is a slope, not one lucky number.
#![expect(non_snake_case, reason = "K, M, E are the papers' letters")]

pub mod fidelity;
pub mod modal;
pub mod problem;
pub mod report;

/// How much work a problem may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: coarse meshes, fewer cases, wider limits where coarseness asks for them.
    Quick,
    /// As much as the claim needs.
    Full,
}

/// A row of a table: a number with its reference.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is: "second mode, Hz".
    pub what: String,
    /// What it should be.
    pub reference: f64,
    /// What we got.
    pub ours: f64,
    /// The error as it is measured here; relative unless `what` says otherwise.
    pub error: f64,
    /// The largest error allowed.
    pub limit: f64,
}

impl Row {
    /// A row with a relative error.
    pub fn relative(what: impl Into<String>, reference: f64, ours: f64, limit: f64) -> Self {
        Self { what: what.into(), reference, ours, error: (ours - reference).abs() / reference.abs(), limit }
    }

    /// A row with an absolute error.
    pub fn absolute(what: impl Into<String>, reference: f64, ours: f64, limit: f64) -> Self {
        Self { what: what.into(), reference, ours, error: (ours - reference).abs(), limit }
    }

    /// Whether it holds. NaN does not.
    pub fn holds(&self) -> bool {
        self.error <= self.limit
    }
}

/// A picture of a problem.
pub enum Figure {
    /// A plot.
    Svg(String),
    /// A rendering.
    Png(Vec<u8>),
}

/// What a problem found.
#[derive(Default)]
pub struct Outcome {
    /// Numbers with their references.
    pub rows: Vec<Row>,
    /// What a reader should know, a paragraph each.
    pub notes: Vec<String>,
    /// (file name without folder, caption, picture).
    pub figures: Vec<(String, String, Figure)>,
}
