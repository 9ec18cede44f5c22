//! Words of the command line for the terms of the library.

use pliant::linalg::{Note, Term, term::in_words};

/// What is typed for a term: its option.
fn option(term: Term) -> Option<String> {
    Some(format!("--{}", term.key.replace('_', "-")))
}

/// A note with the options that it means.
pub(crate) fn note(note: &Note) -> String {
    in_words(&note.sentence, &note.terms, option)
}
