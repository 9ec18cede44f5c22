//! docs/truth.md from the outcomes: a section for each problem, in the order of the table.

use std::fmt::Write as _;

use crate::problem::{self, Problem};
use crate::{Figure, Outcome};

const HEAD: &str = "# Truth\n\nOur full-order physics against exact solutions, published figures and other programs. Written by \
                    `cargo xtask truth`, or one section by `cargo xtask truth NAME`; the quick form of each problem runs in \
                    `cargo xtask test`.\n\n";

const COLUMNS: &str = "| what | reference | ours | error | limit | |";
const MISSED: &str = "**missed**";

/// The page with these sections in their places, the others as they were; and the pictures of these with their names.
pub fn page(old: &str, new: &[(&Problem, Outcome)]) -> (String, Vec<(String, Vec<u8>)>) {
    let old: Vec<String> =
        old.split("\n## ").skip(1).map(|rest| format!("## {}\n", rest.trim_end())).collect();
    let mut sections = String::new();
    for problem in problem::ALL {
        let made = new.iter().find(|(p, _)| p.name == problem.name).map(|(p, outcome)| section(p, outcome));
        let heading = format!("## {}\n", problem.title);
        let found = made.or_else(|| old.iter().find(|section| section.starts_with(&heading)).cloned());
        if let Some(section) = found {
            let _ = writeln!(sections, "{section}");
        }
    }
    let (rows, missed) = counted(&sections);
    let text =
        format!("{HEAD}{rows} rows, {missed} of them outside their limit.\n\n{}\n", sections.trim_end());
    let figures = new.iter().flat_map(|(_, outcome)| &outcome.figures);
    let pictures = figures.map(|(name, _, figure)| match figure {
        Figure::Svg(svg) => (name.clone(), svg.clone().into_bytes()),
        Figure::Png(png) => (name.clone(), png.clone()),
    });
    (text, pictures.collect())
}

/// Heading, rows, notes and figures of a problem.
fn section(problem: &Problem, outcome: &Outcome) -> String {
    let mut text = format!("## {}\n\n{}\n\n", problem.title, problem.about);
    if !outcome.rows.is_empty() {
        let _ = writeln!(text, "{COLUMNS}\n|---|---|---|---|---|---|");
        for row in &outcome.rows {
            let mark = if row.holds() { "" } else { MISSED };
            let (reference, ours) = (number(row.reference), number(row.ours));
            let _ = writeln!(
                text,
                "| {} | {reference} | {ours} | {:.1e} | {:.1e} | {mark} |",
                row.what, row.error, row.limit
            );
        }
        text.push('\n');
    }
    outcome.notes.iter().for_each(|note| {
        let _ = writeln!(text, "{note}\n");
    });
    for (name, caption, _) in &outcome.figures {
        let _ = writeln!(text, "![{caption}](truth/{name})\n*{caption}*\n");
    }
    format!("{}\n", text.trim_end())
}

/// Rows of all problems, and those outside their limit.
fn counted(text: &str) -> (usize, usize) {
    let (mut rows, mut missed, mut inside) = (0, 0, false);
    for line in text.lines() {
        if line == COLUMNS {
            inside = true;
        } else if !line.starts_with('|') {
            inside = false;
        } else if inside && !line.starts_with("|---") {
            rows += 1;
            missed += usize::from(line.ends_with(&format!("{MISSED} |")));
        }
    }
    (rows, missed)
}

/// Seven digits, with an exponent only where it helps.
fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) {
        let digits = if x == 0.0 { 0 } else { (6 - x.abs().log10().floor() as i32).max(0) as usize };
        format!("{x:.digits$}")
    } else {
        format!("{x:.6e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    #[test]
    fn a_section_takes_the_place_of_its_old_one_and_rows_are_counted() {
        let row = |what: &str, error| Row { what: what.into(), reference: 1.0, ours: 1.0, error, limit: 0.5 };
        let with = |rows, note: &str| Outcome { rows, notes: vec![note.into()], ..Outcome::default() };
        let [first, second] = [&problem::ALL[0], &problem::ALL[3]];
        let good = with(vec![row("a", 0.1), row("b", 0.2)], "| not | a row |\n|---|---|\n| 1 | 2 |");
        let (both, _) = page("", &[(second, with(vec![row("c", 0.9)], "old")), (first, good)]);
        assert!(both.contains("3 rows, 1 of them outside"), "{both}");
        assert!(both.find(first.title) < both.find(second.title), "in the order of the table");
        let (again, _) = page(&both, &[(second, with(vec![row("c", 0.3)], "new"))]);
        assert!(
            again.contains("3 rows, 0 of them outside") && again.contains("new") && !again.contains("old")
        );
        assert_eq!(page(&again, &[]).0, again, "nothing else changes");
    }
}
