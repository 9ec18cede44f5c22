//! What every command gets: where to report, and how.

use std::io::{IsTerminal as _, Write};

use clap::ArgMatches;
use serde_json::Value;

use crate::watch::Bar;

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
}

impl Context {
    pub(crate) fn new(matches: &ArgMatches) -> Self {
        let seed = matches.get_one("seed").copied().unwrap_or(0);
        Self { json: matches.get_flag("json"), quiet: matches.get_flag("quiet"), seed }
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

    /// Reports on a result that is a file: as [`Context::answer`], but in silence if that was asked for.
    pub(crate) fn report(&self, json: &Value, text: &str) -> anyhow::Result<()> {
        self.answer(json, if self.quiet { "" } else { text })
    }

    /// Puts the result on standard output: `json` as one object, or `text` for people.
    pub(crate) fn answer(&self, json: &Value, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, json).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.flush()?;
        Ok(())
    }

    /// Puts warnings on standard error; with `--json` too, where they are also a key.
    pub(crate) fn warn(&self, warnings: &[String]) {
        if !self.quiet {
            let mut err = std::io::stderr().lock();
            // Nobody is left to tell if standard error is closed.
            warnings.iter().for_each(|w| drop(writeln!(err, "pliant: note: {w}")));
        }
    }

    /// As [`Context::warn`], and the status: of what was `missed` the reader is told even where silence was asked for.
    pub(crate) fn notes(&self, warnings: &[String], missed: bool) -> Status {
        if missed {
            return self.missed(warnings);
        }
        self.warn(warnings);
        Status::Done
    }

    /// Puts on standard error why the status is 1.
    pub(crate) fn missed(&self, why: &[String]) -> Status {
        Self { quiet: false, ..*self }.warn(why);
        Status::Missed
    }

    /// A progress bar that appears when the work takes longer than half a second, on a terminal only.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(!self.quiet && std::io::stderr().is_terminal())
    }
}
