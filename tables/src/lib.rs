//! The tables of the papers: their rows beside what our code measures, on meshes that can be had.
//!
//! A table is one file in `table/` and one line in [`table::ALL`]. `cargo xtask tables` runs them in full and writes
//! docs/tables.md, one section a table; the tests of this package run the quick form of each on small meshes of our own.
//!
//! Nothing is claimed here: a claim with a limit belongs into the truth suite or the benchmarks.

pub mod mesh;
pub mod pull;
pub mod report;
pub mod stages;
pub mod table;

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

/// How much is done, and with what.
pub struct Run {
    /// Real meshes and real sizes; else seconds on small meshes of our own.
    pub full: bool,
    data: Option<PathBuf>,
    begin: Instant,
}

impl Run {
    /// Everything, with the shared data where there is any.
    pub fn full() -> Self {
        Self { full: true, data: pliant_testkit::shared::data(), begin: Instant::now() }
    }

    /// Seconds: own shapes alone, and silent.
    pub fn quick() -> Self {
        Self { full: false, data: None, begin: Instant::now() }
    }

    /// Says on standard error what is being done.
    pub fn tell(&self, what: &str) {
        if self.full {
            // Nobody may be listening, which is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{:7.1} s  {what}", self.begin.elapsed().as_secs_f64());
        }
    }

    /// A file of the shared data.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join(name)).filter(|path| path.is_file())
    }
}

/// What a table came to.
#[derive(Default)]
pub struct Outcome {
    /// In the order of the page.
    pub parts: Vec<Part>,
    /// Files that are not there: rows that need them are left out, and the page stays as it is.
    pub missing: Vec<String>,
}

/// A piece of a section.
pub enum Part {
    /// A paragraph.
    Text(String),
    /// A table.
    Grid(Grid),
    /// File name without folder, caption, bytes.
    Figure(String, String, Vec<u8>),
}

/// A table: as many cells a row as the head has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Without rows.
    pub fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.head.len(), "a cell for each column: {row:?}");
        self.rows.push(row);
    }
}

/// A time in the unit in which it has one to three digits before the point.
pub fn seconds(t: f64) -> String {
    if t >= 1.0 {
        format!("{t:.1} s")
    } else if t >= 1e-3 {
        format!("{:.1} ms", 1e3 * t)
    } else {
        format!("{:.1} µs", 1e6 * t)
    }
}

/// A part as per cent.
pub fn percent(x: f64) -> String {
    format!("{:.1} %", 100.0 * x)
}

/// The one in the middle; NaN where there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!([12.34, 0.5, 2.5e-3, 7.5e-5].map(seconds), ["12.3 s", "500.0 ms", "2.5 ms", "75.0 µs"]);
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(Vec::new()).is_nan()), (2.0, true));
    }
}
