//! Quantities and remedies that sentences of this app name, each with the key by which doors know it.

use pliant_linalg::{Note, Term};
use pliant_sim::SimError;

/// How many modes.
pub(crate) const MODES: Term = Term::new("modes", "modes");
/// Times in units of the slowest mode.
pub(crate) const TIMES: Term = Term::new("times", "times");
/// Times as they are, s² or m².
pub(crate) const ABSOLUTE: Term = Term::new("t", "absolute times");
/// What a surface is measured from.
pub(crate) const FROM: Term = Term::new("from", "from");
/// Vertices that are told of.
pub(crate) const AT: Term = Term::new("at", "at");
/// Vibration or heat.
pub(crate) const KIND: Term = Term::new("kind", "kind");
/// Without modes.
pub(crate) const EXACT: Term = Term::new("exact", "exactly");
/// A thinned surface.
pub(crate) const COARSE: Term = Term::new("coarse", "coarse");
/// Modes of a file.
pub(crate) const CACHE: Term = Term::new("cache", "modes of a file");
/// A surface of a solid.
pub(crate) const BOUNDARY: Term = Term::new("boundary", "take its boundary");

/// A refusal that names what would work.
pub(crate) fn refused(sentence: impl Into<String>, terms: &[Term]) -> SimError {
    SimError::Request(Note::new(sentence, terms))
}
