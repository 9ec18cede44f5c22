//! Words of the command line for the terms of the library.

use pliant::dynamics::StepError;
use pliant::linalg::{Note, Term, Terms, term::in_words};
use pliant::reduce::ReduceError;
use pliant::sim::SimError;

/// What is typed for a term: its option.
fn option(term: Term) -> Option<String> {
    Some(format!("--{}", term.key.replace('_', "-")))
}

/// A note with the options that it means.
pub(crate) fn note(note: &Note) -> String {
    in_words(&note.sentence, &note.terms, option)
}

/// An error, cause by cause, with the options that it means.
pub(crate) fn error(error: &anyhow::Error) -> String {
    let causes: Vec<String> = error.chain().map(cause).collect();
    causes.join(": ")
}

fn cause(cause: &(dyn std::error::Error + 'static)) -> String {
    let named = [
        cause.downcast_ref::<SimError>().map(Terms::terms),
        cause.downcast_ref::<StepError>().map(Terms::terms),
        cause.downcast_ref::<ReduceError>().map(Terms::terms),
    ];
    let terms: Vec<Term> = named.into_iter().flatten().flatten().collect();
    in_words(&cause.to_string(), &terms, option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_options_that_they_mean() {
        let wrong = anyhow::Error::from(SimError::from(StepError::NotLinear)).context("bar.pliant");
        assert_eq!(
            error(&wrong),
            "bar.pliant: the integrator modal needs linear forces (--forces): build a model with those, or use the integrator \
             (--integrator) newmark"
        );
        assert_eq!(error(&anyhow::anyhow!("no such file").context("x.stl")), "x.stl: no such file");
    }
}
