//! The command line's words for what sentences of the library name.

use std::collections::BTreeSet;

use pliant::energy::{material, shell};
use pliant::linalg::{Note, Term, in_bounds, quote, term};
use pliant::world::terms_of;

/// What is not an option of the command at hand, but another command, or needs a value to be understood.
const REMEDIES: &[(&str, &str)] = &[
    ("tets", "`pliant mesh IN -o OUT --tets`"),
    ("cage", "`pliant mesh IN -o OUT --tets --cage`"),
    ("boundary", "`pliant mesh SOLID -o surface.obj`"),
    ("info", "`pliant info FILE`"),
    ("formats", "`pliant formats` lists what each can hold"),
    ("scale_to", "--scale-to LENGTH"),
    ("full", "`pliant simulate --full`"),
];

/// Knows which options there are.
pub(crate) struct Words {
    options: BTreeSet<String>,
}

impl Words {
    /// The words of a command line.
    pub(crate) fn of(command: &clap::Command) -> Self {
        let arguments = command.get_subcommands().flat_map(clap::Command::get_arguments);
        Self { options: arguments.filter_map(|arg| arg.get_long().map(str::to_owned)).collect() }
    }

    /// What to type for a term: a remedy, a constant of some material, or an option that some command has.
    fn word(&self, term: Term) -> Option<String> {
        if let Some((_, command)) = REMEDIES.iter().find(|(key, _)| *key == term.key) {
            return Some((*command).to_owned());
        }
        let solids = material::ALL.iter().flat_map(|entry| entry.constants);
        if solids.chain(shell::ALL.iter().flat_map(|entry| entry.constants)).any(|c| c.key == term.key) {
            return Some(format!("--constant {}=VALUE", term.key));
        }
        let option = term.key.replace('_', "-");
        self.options.contains(&option).then(|| format!("--{option}"))
    }

    /// A note of the library as the command line says it.
    pub(crate) fn note(&self, note: &Note) -> String {
        term::in_words(&note.sentence, &note.terms, |term| self.word(term))
    }

    /// Several of them.
    pub(crate) fn notes<'a>(&'a self, notes: &'a [Note]) -> impl Iterator<Item = String> + 'a {
        notes.iter().map(|note| self.note(note))
    }

    /// An error with its causes, as the command line says it.
    pub(crate) fn error(&self, error: &anyhow::Error) -> String {
        let link = |error: &(dyn std::error::Error + 'static)| {
            term::in_words(&in_bounds(&error.to_string()), &terms_of(error), |term| self.word(term))
        };
        error.chain().map(link).collect::<Vec<_>>().join(": ")
    }
}

/// What clap says of arguments, with those that are no short line cut: it repeats them as they are.
pub(crate) fn refusal(said: &str, arguments: impl Iterator<Item = String>) -> String {
    let rude = |part: &str| part.chars().count() > 60 || part.chars().any(char::is_control);
    let mut said = said.to_owned();
    for argument in arguments.filter(|a| rude(a)) {
        // An option and its value in one argument are repeated apart.
        let (before, behind) = argument.split_once('=').unwrap_or((&argument, ""));
        for part in [argument.as_str(), before, behind].into_iter().filter(|part| rude(part)) {
            let cut = quote(part);
            said = said.replace(part, cut.trim_matches('"'));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;
    use pliant::reduce::ReduceError;
    use pliant::sim::SimError;

    fn ours() -> Words {
        Words::of(&crate::cmd::command())
    }

    #[test]
    fn options_constants_and_remedies_have_words() {
        let ours = ours();
        let words = |key| ours.word(Term::new(key, "it"));
        assert_eq!(words("young").as_deref(), Some("--young"));
        assert_eq!(words("pose_scale").as_deref(), Some("--pose-scale"));
        assert_eq!(words("mu10").as_deref(), Some("--constant mu10=VALUE"));
        assert_eq!(words("info").as_deref(), Some("`pliant info FILE`"));
        assert_eq!(words("stiffness_factor"), None);
    }

    #[test]
    fn arguments_that_are_no_short_line_are_cut_where_clap_repeats_them() {
        let long = "x".repeat(100_000);
        for arguments in [
            vec!["pliant".to_owned(), "info".into(), format!("--{long}")],
            vec!["pliant".to_owned(), "info".into(), "a\n\n\nb".into(), "c\u{1b}[2J\n".into()],
            vec!["pliant".to_owned(), "modes".into(), "a.veg".into(), format!("--modes={long}")],
            vec![format!("pliant"), long.clone()],
        ] {
            let error = crate::cmd::command().try_get_matches_from(&arguments).expect_err("nonsense");
            let said = refusal(&error.render().to_string(), arguments.into_iter());
            assert!(said.len() < 1200 && said.lines().count() < 12, "{said}");
            assert!(!said.contains('\u{1b}') && said.contains("error: "), "{said}");
        }
    }

    #[test]
    fn an_error_is_said_with_options_however_deep_it_lies() {
        let wrong =
            || pliant::energy::material::Isotropic::from_young_poisson(-1.0, 0.3).expect_err("below zero");
        let said = "Young's modulus (--young) must be a finite number > 0 Pa, got -1";
        let context = Err::<(), _>(wrong()).context("bar.veg").expect_err("an error");
        assert_eq!(ours().error(&context), format!("bar.veg: {said}"));
        let deep = SimError::from(ReduceError::from(wrong()));
        assert_eq!(
            ours().error(&Err::<(), _>(deep).context("x").expect_err("an error")),
            format!("x: {said}")
        );
    }
}
