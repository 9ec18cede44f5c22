//! Words of a sentence for which each door has its own.
//!
//! A library says "the bending stiffness means nothing for a solid". On a command line that is `--bend`, in Python `bend=`,
//! on a page a slider. So sentences name quantities and remedies in plain words and carry them as [`Term`]s; the door puts its
//! own word behind each of them.
//!
//! ```
//! use pliant_linalg::term::{Note, Term, in_words};
//! const RANK: Term = Term::new("rank", "rank");
//! let note = Note::new("2 modes are too stiff: take a larger rank", &[RANK]);
//! assert_eq!(note.to_string(), "2 modes are too stiff: take a larger rank");
//! let option = |term: Term| Some(format!("--{}", term.key));
//! assert_eq!(in_words(&note.sentence, &note.terms, option), "2 modes are too stiff: take a larger rank (--rank)");
//! ```

use std::fmt;

/// A quantity or a remedy that a sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// What programs call it: the long option of the command line with `_` for `-`, such as `pose_scale`.
    pub key: &'static str,
    /// What people call it, as it stands in the sentence, such as "pose scale".
    pub name: &'static str,
}

impl Term {
    /// A term called `name`, known to doors as `key`.
    pub const fn new(key: &'static str, name: &'static str) -> Self {
        Self { key, name }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Something that a user should know: a sentence with its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// In plain words.
    pub sentence: String,
    /// What it names that doors have a word for.
    pub terms: Vec<Term>,
}

impl Note {
    /// A sentence that names `terms`.
    pub fn new(sentence: impl Into<String>, terms: &[Term]) -> Self {
        Self { sentence: sentence.into(), terms: terms.to_vec() }
    }
}

impl From<String> for Note {
    fn from(sentence: String) -> Self {
        Self { sentence, terms: Vec::new() }
    }
}

impl From<&str> for Note {
    fn from(sentence: &str) -> Self {
        sentence.to_owned().into()
    }
}

impl std::ops::Deref for Note {
    type Target = str;

    fn deref(&self) -> &str {
        &self.sentence
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// An error that names terms.
pub trait Terms {
    /// What its sentence names that doors have a word for.
    fn terms(&self) -> Vec<Term>;
}

/// The sentence with a door's word in brackets behind each term, where it has one: behind the first place where the term
/// stands as a whole word ("rank" does not stand in "ranks"), or at the end.
pub fn in_words(sentence: &str, terms: &[Term], word: impl Fn(Term) -> Option<String>) -> String {
    let mut said = sentence.to_owned();
    for &term in terms {
        let Some(word) = word(term) else { continue };
        let place = end_of_word(&said, term.name).unwrap_or(said.len());
        said.insert_str(place, &format!(" ({word})"));
    }
    said
}

/// Where the first occurrence of `word` ends that no letter, digit or underscore joins to another word.
fn end_of_word(sentence: &str, word: &str) -> Option<usize> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    sentence.match_indices(word).map(|(start, _)| (start, start + word.len())).find_map(|(start, end)| {
        let whole = !sentence[..start].ends_with(joins) && !sentence[end..].starts_with(joins);
        whole.then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEND: Term = Term::new("bend", "bending stiffness");
    const FILL: Term = Term::new("tets", "make a solid of it");

    #[test]
    fn words_stand_behind_what_they_mean() {
        let sentence = "the bending stiffness means nothing here; make a solid of it, or leave it out";
        let word = |term: Term| match term.key {
            "tets" => Some("`fill`".to_owned()),
            "bend" => Some("--bend".to_owned()),
            _ => None,
        };
        assert_eq!(
            in_words(sentence, &[BEND, FILL, Term::new("x", "means")], word),
            "the bending stiffness (--bend) means nothing here; make a solid of it (`fill`), or leave it out"
        );
        assert_eq!(in_words("refused", &[BEND], word), "refused (--bend)");
        assert_eq!(in_words(sentence, &[], word), sentence);
    }

    #[test]
    fn a_term_is_found_as_a_whole_word_only() {
        const RANK: Term = Term::new("rank", "rank");
        let said = |sentence: &str| in_words(sentence, &[RANK], |_| Some("--rank".to_owned()));
        assert_eq!(said("of all ranks the rank is too small"), "of all ranks the rank (--rank) is too small");
        assert_eq!(
            said("it was franked, low_rank, and ranked"),
            "it was franked, low_rank, and ranked (--rank)"
        );
        assert_eq!(said("rank: 3 of größerrank"), "rank (--rank): 3 of größerrank");
        assert_eq!(said("full-rank"), "full-rank (--rank)");
        assert_eq!(said("(rank)"), "(rank (--rank))");
    }
}
