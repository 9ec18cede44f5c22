//! Tables of named things: the one list of its members, which everybody reads and a program may lengthen.
//!
//! Materials, bases, reduced forces, trainers and integrators are looked up by the names that people write in files and
//! commands. Members of the house stand in the source of their table; a program adds its own before it opens anything, and
//! from then on every reader of the table knows them.
//!
//! ```
//! use pliant_linalg::table::{Named, Table};
//!
//! struct Colour { name: &'static str, wavelength: f64 }
//! impl Named for Colour {
//!     fn name(&self) -> &'static str { self.name }
//! }
//! static ALL: Table<Colour> = Table::new("colour", &[Colour { name: "red", wavelength: 650e-9 }]);
//! static BLUE: Colour = Colour { name: "blue", wavelength: 450e-9 };
//!
//! ALL.add(&BLUE)?;
//! assert_eq!(ALL.get("blue")?.wavelength, 450e-9);
//! let error = ALL.get("ultra").map(|_| ()).unwrap_err();
//! assert_eq!(error.to_string(), "there is no colour \"ultra\"; there are: red, blue");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::{PoisonError, RwLock};

use super::quote::quote;

/// A thing that is known by a name.
pub trait Named {
    /// Unique in its table.
    fn name(&self) -> &'static str;
}

/// A list of named things.
pub struct Table<E: 'static> {
    /// What its members are, such as "material": for sentences.
    what: &'static str,
    own: &'static [E],
    added: RwLock<Vec<&'static E>>,
}

/// A name that is in no line of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {}; there are: {}", quote(name), known.join(", "))]
pub struct Unknown {
    /// What was looked for, such as "material".
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// All names there are, in the order of the table.
    pub known: Vec<&'static str>,
}

/// A name that two things cannot share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is a {what} called {name:?} already; give yours another name")]
pub struct Taken {
    /// What was to be added.
    pub what: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The members of a table, those of the house first.
pub type Members<E> = std::iter::Chain<std::slice::Iter<'static, E>, std::vec::IntoIter<&'static E>>;

impl<E: Named> Table<E> {
    /// A table of `own` members; `what` each of them is, in one or two words.
    pub const fn new(what: &'static str, own: &'static [E]) -> Self {
        Self { what, own, added: RwLock::new(Vec::new()) }
    }

    /// Adds a member, for the rest of the program.
    ///
    /// # Errors
    /// [`Taken`] where the name is in the table already.
    pub fn add(&self, member: &'static E) -> Result<(), Taken> {
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        let name = member.name();
        if self.own.iter().chain(added.iter().copied()).any(|other| other.name() == name) {
            return Err(Taken { what: self.what, name });
        }
        added.push(member);
        Ok(())
    }

    /// Every member, in the order in which they were written down and added.
    pub fn iter(&self) -> Members<E> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.own.iter().chain(added)
    }

    /// The member called `name`.
    pub fn find(&self, name: &str) -> Option<&'static E> {
        self.iter().find(|member| member.name() == name)
    }

    /// The member called `name`.
    ///
    /// # Errors
    /// [`Unknown`], which lists the names there are.
    pub fn get(&self, name: &str) -> Result<&'static E, Unknown> {
        self.find(name).ok_or_else(|| Unknown { what: self.what, name: name.to_owned(), known: self.names() })
    }

    /// Every name, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Named::name).collect()
    }
}

impl<E: Named> IntoIterator for &Table<E> {
    type Item = &'static E;
    type IntoIter = Members<E>;

    fn into_iter(self) -> Members<E> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word(&'static str);

    impl Named for Word {
        fn name(&self) -> &'static str {
            self.0
        }
    }

    static WORDS: Table<Word> = Table::new("word", &[Word("one"), Word("two")]);
    static THREE: Word = Word("three");
    static TWO: Word = Word("two");

    #[test]
    fn members_can_be_added_once_and_are_found_like_the_others() {
        assert!(WORDS.find("three").is_none());
        WORDS.add(&THREE).expect("a new name");
        let taken = WORDS.add(&TWO).expect_err("a name of the house");
        assert_eq!(taken.to_string(), "there is a word called \"two\" already; give yours another name");
        assert_eq!(WORDS.add(&THREE).expect_err("added before").name, "three");
        assert_eq!(WORDS.names(), ["one", "two", "three"]);
        assert_eq!(WORDS.get("three").map(|word| word.0), Ok("three"));
        assert_eq!((&WORDS).into_iter().count(), 3);
    }
}
