//! Quantities and remedies that sentences of this app name, each with the key by which doors know it.

use pliant_linalg::{Note, Term};
use pliant_sim::SimError;

/// Which vertices make a handle.
pub(crate) const SELECT: Term = Term::new("select", "select");
/// What is held for good.
pub(crate) const FIX: Term = Term::new("fix", "fixed");
/// How many iterations.
pub(crate) const ITERATIONS: Term = Term::new("iterations", "more iterations");
/// Into how many parts the way of a handle is cut.
pub(crate) const STEPS: Term = Term::new("steps", "more steps");
/// Which minimiser.
pub(crate) const SOLVER: Term = Term::new("solver", "minimiser");
/// Which reduced forces.
pub(crate) const FORCES: Term = Term::new("forces", "ghost or projected forces");
/// How stiff handles are.
pub(crate) const STIFFNESS: Term = Term::new("stiffness", "stiffness");

/// A refusal that names what would work.
pub(crate) fn refused(sentence: impl Into<String>, terms: &[Term]) -> SimError {
    SimError::Request(Note::new(sentence, terms))
}
