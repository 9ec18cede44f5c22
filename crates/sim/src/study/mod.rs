//! What other choices would have come to: error against rank for every basis, against points for every trainer, energies of
//! ghosts, and how solvers converge (the figures that T14 has as 3.10 and 3.13); and the shapes that a basis is made of.
//!
//! A study is numbers and sentences; whoever shows it draws the [`Chart`]s. One that a body has not, or that would take too
//! long, is a sentence and no reason to fail.

mod ghosts;
mod points;
mod ranks;
mod shapes;
mod solvers;

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::{Model, ReduceError};

use crate::SimError;
use crate::accuracy::{Pull, Reference};

pub use shapes::{ShapesAtRest, shapes_at_rest};

/// The full body takes minutes to move beyond this many elements.
const MOST_ELEMENTS: usize = 60_000;

/// One study of a model.
#[derive(Clone, Debug)]
pub struct Study {
    /// What was asked, in a few words.
    pub title: &'static str,
    /// What came out.
    pub charts: Vec<Chart>,
    /// What could not be shown, and why.
    pub notes: Vec<String>,
}

/// Curves over common axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// What goes to the right, with its unit.
    pub x: &'static str,
    /// What the vertical axis shows, with its unit.
    pub y: &'static str,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The curves.
    pub curves: Vec<Curve>,
    /// What is to be seen, in a sentence or two.
    pub words: String,
}

/// A curve of a chart.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// x and y of its points.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub style: Style,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line.
    Line,
    /// A dashed line.
    Dashed,
    /// Points alone.
    Dots,
}

impl Chart {
    fn with(mut self, name: impl Into<String>, points: Vec<[f64; 2]>, style: Style) -> Self {
        self.curves.push(Curve { name: name.into(), points, style });
        self
    }

    fn line(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.with(name, points, Style::Line)
    }

    fn dashed(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.with(name, points, Style::Dashed)
    }
}

/// Titles of all studies, in order.
pub const TITLES: [&str; 4] = [
    "Error against rank",
    "Error against cubature points",
    "Energy along a line, and ghosts of it",
    "Solvers on one step",
];

/// All studies of a model of `body`. They move the full body, and train several cubatures: a minute and more on thousands of
/// elements.
///
/// # Errors
/// The watch asked to stop; all else is a note of its study.
pub fn studies(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Vec<Study>, SimError> {
    let mut all = Vec::new();
    let mut add = |title: &'static str, outcome: Result<(Vec<Chart>, Vec<String>), SimError>| {
        let (charts, notes) = match outcome {
            Ok(found) => found,
            Err(error @ (SimError::Cancelled | SimError::Reduce(ReduceError::Cancelled))) => {
                return Err(error);
            }
            Err(why) => (Vec::new(), vec![format!("not shown: {why}")]),
        };
        all.push(Study { title, charts, notes });
        Ok(())
    };
    let reference = full_motion(model, watch);
    let rehearsal = reference.as_ref().ok().map(|r| r.rehearsal.clone());
    let judged = reference.and_then(|reference| ranks::ranks(model, body, &reference, watch));
    add(TITLES[0], judged.map(|chart| (vec![chart], Vec::new())))?;
    add(TITLES[1], points::points(model, body, watch).map(|chart| (vec![chart], Vec::new())))?;
    add(TITLES[2], ghosts::ghosts(model, body, watch).map(|(chart, notes)| (vec![chart], notes)))?;
    let solved = match rehearsal {
        Some(rehearsal) => solvers::solvers(model, &rehearsal, watch),
        None => {
            Ok((Vec::new(), vec!["not shown: solvers are compared on the motion of the first study".into()]))
        }
    };
    add(TITLES[3], solved)?;
    Ok(all)
}

/// The full body, pulled by a tenth of its size and released.
fn full_motion(model: &Model, watch: &mut Watch<'_>) -> Result<Reference, SimError> {
    let elements = model.mesh().elements.len();
    if elements > MOST_ELEMENTS {
        return Err(SimError::Scenario(format!(
            "the full body, which bases are measured against, has {elements} elements, and more than {MOST_ELEMENTS} take \
             too long for a page"
        )));
    }
    let body = Arc::new(model.body()?);
    Reference::of(Pull::usual(&body), &body, watch)
}

/// As many linear modes as the model has, or as are usual where its basis is of something else.
fn modes_of(model: &Model, body: &Body) -> usize {
    let there = body.dofs().free().len() - body.rigid_count();
    match model.facts().eigenvalues.len() {
        0 => 20.min(there),
        modes => modes,
    }
}
