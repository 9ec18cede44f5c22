//! A section of docs/tables.md from an outcome.

use std::fmt::Write as _;

use crate::table::Table;
use crate::{Outcome, Part};

/// The section, its heading first, and its pictures with their names.
pub fn section(table: &Table, outcome: &Outcome) -> (String, Vec<(String, Vec<u8>)>) {
    let mut text = format!("## {}\n\n{}\n", table.title, table.about);
    let mut pictures = Vec::new();
    for part in &outcome.parts {
        text.push('\n');
        match part {
            Part::Text(words) => {
                let _ = writeln!(text, "{words}");
            }
            Part::Grid(grid) => {
                let rule = vec!["---"; grid.head.len()].join("|");
                let _ = writeln!(text, "| {} |\n|{rule}|", grid.head.join(" | "));
                for row in &grid.rows {
                    let _ = writeln!(text, "| {} |", row.join(" | "));
                }
            }
            Part::Figure(name, caption, bytes) => {
                let _ = writeln!(text, "![{caption}](tables/{name})\n*{caption}*");
                pictures.push((name.clone(), bytes.clone()));
            }
        }
    }
    (text, pictures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn a_section_has_all_parts_in_order() {
        let table = Table { name: "t", title: "T", about: "What.", run: |_| Ok(Outcome::default()) };
        let mut grid = Grid::new(&["a", "b"]);
        grid.push(vec!["1".into(), "2".into()]);
        let figure = Part::Figure("t.svg".into(), "A curve".into(), b"<svg/>".to_vec());
        let outcome = Outcome { parts: vec![Part::Grid(grid), figure], ..Outcome::default() };
        let (text, pictures) = section(&table, &outcome);
        assert_eq!(
            text,
            "## T\n\nWhat.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![A curve](tables/t.svg)\n*A curve*\n"
        );
        assert_eq!(pictures, [("t.svg".to_owned(), b"<svg/>".to_vec())]);
    }
}
