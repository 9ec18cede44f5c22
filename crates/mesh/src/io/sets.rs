//! Lists of vertices: Vega's `.bou` (from 1, separated by commas) and plain `.txt` (from 0, one a line).

use std::fmt::Write as _;

use super::{Source, text::Words};
use crate::Result;

/// Reads a Vega `.bou` file: numbers from 1, separated by commas or white space. Returned from 0, ascending, without
/// repetition. An empty file is an empty list.
///
/// # Errors
/// With the line, when a word is no number or no vertex.
pub fn read_bou(source: &Source<'_>, vertices: usize) -> Result<Vec<u32>> {
    read(source, 1, vertices)
}

/// Reads a list of numbers from 0, otherwise as [`read_bou`].
///
/// # Errors
/// As [`read_bou`].
pub fn read_txt(source: &Source<'_>, vertices: usize) -> Result<Vec<u32>> {
    read(source, 0, vertices)
}

fn read(source: &Source<'_>, first: u64, vertices: usize) -> Result<Vec<u32>> {
    let mut words = Words::new(source, b'#', b",");
    let mut ids = Vec::new();
    while words.peek().is_some() {
        ids.push(words.vertex(first, vertices)?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Writes a Vega `.bou` file, ten numbers a line.
pub fn write_bou(ids: &[u32]) -> Vec<u8> {
    let mut out = String::new();
    for (i, id) in ids.iter().enumerate() {
        let end = if i + 1 == ids.len() || i % 10 == 9 { "\n" } else { "" };
        let _ = write!(out, "{}{}{end}", u64::from(*id) + 1, if i + 1 == ids.len() { "" } else { "," });
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'static> {
        Source::memory("t.bou", text.into(), &|_| Err(std::io::ErrorKind::NotFound.into()))
    }

    #[test]
    fn one_based_in_zero_based_out() {
        assert_eq!(read_bou(&source("3,1,\n2, 2\n"), 3).unwrap(), [0, 1, 2]);
        assert_eq!(read_txt(&source("3\n1\n"), 4).unwrap(), [1, 3]);
        assert_eq!(read_bou(&source(""), 3).unwrap(), [0u32; 0]);
        let ids: Vec<u32> = (0..25).collect();
        let text = String::from_utf8(write_bou(&ids)).unwrap();
        assert_eq!(read_bou(&source(&text), 25).unwrap(), ids);
    }

    #[test]
    fn vertices_that_are_not_there_are_refused_with_their_line() {
        for bad in ["1,\n0", "1,\n4", "1,\nx"] {
            let error = read_bou(&source(bad), 3).unwrap_err().to_string();
            assert!(error.contains("line 2"), "{error}");
        }
    }
}
