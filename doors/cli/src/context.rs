//! What every command gets: where to report, and how.

use std::cell::RefCell;
use std::io::{IsTerminal as _, Write};

use clap::ArgMatches;
use pliant::world::facts::{Fact, Facts, text_of};
use serde_json::Value;

use crate::watch::Bar;
use crate::words::Words;

/// How a command ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All that was asked.
    Done,
    /// Computed and written, but not to the standard that was asked; the report says so.
    Missed,
}

/// Options that all commands share.
pub(crate) struct Context {
    json: bool,
    quiet: bool,
    seed: u64,
    words: Words,
    /// Where results go.
    out: RefCell<Box<dyn Write>>,
    /// Warnings that were said before the work began.
    said: Vec<String>,
}

impl Context {
    /// Results go to `out`, which is standard output but for tests.
    pub(crate) fn new(matches: &ArgMatches, words: Words, out: Box<dyn Write>) -> Self {
        let seed = matches.get_one("seed").copied().unwrap_or(0);
        Self {
            json: matches.get_flag("json"),
            quiet: matches.get_flag("quiet"),
            seed,
            words,
            out: RefCell::new(out),
            said: Vec::new(),
        }
    }

    /// Whether `--json` was given.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether `--quiet` was given.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Where random choices start.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// How the command line says what the library says.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Puts the result on standard output: one JSON object, or rows for people.
    pub(crate) fn answer(&self, facts: &Facts) -> anyhow::Result<()> {
        self.answer_as(facts, &facts.to_text())
    }

    /// The same, where people read `text` instead of rows.
    pub(crate) fn answer_as(&self, facts: &Facts, text: &str) -> anyhow::Result<()> {
        let mut out = self.out.borrow_mut();
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &Value::Object(facts.to_json()))
                .map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.flush()?;
        Ok(())
    }

    /// The same of a result that is a file: in silence if that was asked for.
    pub(crate) fn report_as(&self, facts: &Facts, text: &str) -> anyhow::Result<()> {
        self.answer_as(facts, if self.quiet { "" } else { text })
    }

    /// One fact on one line, at once, while the command goes on.
    pub(crate) fn announce(&self, fact: &Fact, text: &str) -> anyhow::Result<()> {
        let facts: Facts = [fact.clone()].into_iter().collect();
        let mut out = self.out.borrow_mut();
        match self.json {
            true => writeln!(out, "{}", Value::Object(facts.to_json()))?,
            false => writeln!(out, "{text}")?,
        }
        Ok(out.flush()?)
    }

    /// Puts a warning on standard error at once, before work that may take long; it is a key of the result, too.
    pub(crate) fn caution(&mut self, warning: Option<String>) {
        let warnings: Vec<String> = warning.into_iter().collect();
        self.warn(&warnings);
        self.said.extend(warnings);
    }

    /// Ends a command whose result is an answer: warnings are a key of it and go to standard error.
    pub(crate) fn done(&self, mut facts: Facts, warnings: Vec<String>) -> anyhow::Result<Status> {
        self.warn(&warnings);
        facts.push(self.all_warnings(warnings));
        self.answer(&facts)?;
        Ok(Status::Done)
    }

    /// Ends a command whose result is a file, as [`Context::done`]; of what was `missed` the reader is told even where
    /// silence was asked for.
    pub(crate) fn reported(
        &self,
        mut facts: Facts,
        warnings: Vec<String>,
        missed: bool,
    ) -> anyhow::Result<Status> {
        if missed {
            self.missed(&warnings);
        } else {
            self.warn(&warnings);
        }
        facts.push(self.all_warnings(warnings));
        self.report_as(&facts, &facts.to_text())?;
        Ok(if missed { Status::Missed } else { Status::Done })
    }

    fn all_warnings(&self, warnings: Vec<String>) -> Fact {
        Fact::new("warnings", [self.said.clone(), warnings].concat())
    }

    /// Puts on standard error why the status is 1.
    pub(crate) fn missed(&self, why: &[String]) -> Status {
        say(why);
        Status::Missed
    }

    /// Puts warnings on standard error; with `--json` too, where they are also a key.
    fn warn(&self, warnings: &[String]) {
        if !self.quiet {
            say(warnings);
        }
    }

    /// A progress bar that appears when the work takes longer than half a second, on a terminal only.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(!self.quiet && std::io::stderr().is_terminal())
    }
}

fn say(notes: &[String]) {
    let mut err = std::io::stderr().lock();
    // Nobody is left to tell if standard error is closed.
    notes.iter().for_each(|note| drop(writeln!(err, "pliant: note: {note}")));
}

/// A mesh for people: its rows, then what is wrong with it.
pub(crate) fn described(title: &str, rows: &[(String, String)], warnings: &[String]) -> String {
    let mut out = format!("{title}\n{}", text_of(rows));
    match warnings.len() {
        0 => out.push_str("  nothing is wrong with it\n"),
        n => {
            out += &format!("  {n} {}\n", if n == 1 { "warning" } else { "warnings" });
            warnings.iter().for_each(|warning| out += &format!("  ! {warning}\n"));
        }
    }
    out
}
