//! Vega `.interp`: which vertices of a solid carry each vertex of a fine surface.
//!
//! One line for each surface vertex: its number (from 0), then pairs of a solid vertex (from 0) and a weight.

use std::fmt::Write as _;

use pliant_linalg::number;

use super::{Source, text::Words};
use crate::{Embedding, Result};

/// A surface vertex, what carries it, and its line.
type Row = (u64, Vec<(u32, f64)>, crate::Place);

/// Reads an embedding; rows may come in any order, but each exactly once.
///
/// # Errors
/// With the line, when a row is missing, comes twice or is cut off.
pub fn read(source: &Source<'_>) -> Result<Embedding> {
    let mut words = Words::new(source, b'#', b"");
    let mut rows: Vec<Row> = Vec::new();
    while let Some(word) = words.next() {
        let row = super::text::parse_integer(word)
            .ok_or_else(|| words.unexpected(Some(word), "the number of a surface vertex"))?;
        let place = words.place();
        let mut entries = Vec::with_capacity(4);
        while let Some(word) = words.next_on_line() {
            let vertex = super::text::parse_integer(word)
                .and_then(|v| u32::try_from(v).ok())
                .ok_or_else(|| words.unexpected(Some(word), "the number of a vertex of the solid"))?;
            let weight = words.number_on_line("the weight of that vertex")?;
            if !weight.is_finite() {
                return Err(words.error(format!("the weight {}", number(weight)), "a finite number"));
            }
            entries.push((vertex, weight));
        }
        rows.push((row, entries, place));
    }
    rows.sort_by_key(|r| r.0);
    let mut embedding = Embedding::default();
    for (p, (row, entries, place)) in rows.into_iter().enumerate() {
        if row != p as u64 {
            return Err(source.error(
                place,
                format!("row {row} where row {p} is due"),
                "every row from 0 on exactly once",
            ));
        }
        embedding.push(entries);
    }
    Ok(embedding)
}

/// Writes an embedding, with all digits of the weights.
pub fn write(embedding: &Embedding) -> Vec<u8> {
    let mut out = String::new();
    for p in 0..embedding.len() {
        let _ = write!(out, "{p}");
        for (v, w) in embedding.row(p) {
            let _ = write!(out, " {v} {w:?}");
        }
        out.push('\n');
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Embedding> {
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        read(&Source::memory("t.interp", text.into(), &open))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut e = Embedding::default();
        e.push([(3, 0.1), (7, 0.2), (1, 0.3), (9, 0.4)]);
        e.push([]);
        e.push((0..8).map(|v| (v, 1.0 / 3.0 - f64::from(v))));
        assert_eq!(parse(std::str::from_utf8(&write(&e)).unwrap()).unwrap(), e);
    }

    #[test]
    fn gaps_and_cut_lines_are_named() {
        assert!(parse("0 1 1.0\n2 1 1.0\n").unwrap_err().to_string().contains("row 2 where row 1"));
        assert!(parse("0 1 1.0 2\n1 1 1.0\n").unwrap_err().to_string().contains("line 1"));
        assert!(parse("0 1 nan\n").unwrap_err().to_string().contains("finite"));
    }
}
