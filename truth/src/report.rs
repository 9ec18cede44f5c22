//! docs/truth.md from the outcomes.

use std::fmt::Write as _;

use crate::problem::Problem;
use crate::{Figure, Outcome};

/// The page, and its pictures with their names.
pub fn page(all: &[(&Problem, Outcome)]) -> (String, Vec<(String, Vec<u8>)>) {
    let mut text = String::from(
        "# Truth\n\nOur full-order physics against exact solutions, published figures and other programs. Written by \
         `cargo xtask truth`; the quick form of each problem runs in `cargo xtask test`.\n\n",
    );
    let rows: usize = all.iter().map(|(_, o)| o.rows.len()).sum();
    let missed: usize = all.iter().map(|(_, o)| o.rows.iter().filter(|r| !r.holds()).count()).sum();
    let _ = writeln!(text, "{rows} rows, {missed} of them outside their limit.\n");
    let mut pictures = Vec::new();
    for (problem, outcome) in all {
        let _ = writeln!(text, "## {}\n\n{}\n", problem.title, problem.about);
        if !outcome.rows.is_empty() {
            text.push_str("| what | reference | ours | error | limit | |\n|---|---|---|---|---|---|\n");
            for row in &outcome.rows {
                let mark = if row.holds() { "" } else { "**missed**" };
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
        for (name, caption, figure) in &outcome.figures {
            let _ = writeln!(text, "![{caption}](truth/{name})\n*{caption}*\n");
            let bytes = match figure {
                Figure::Svg(svg) => svg.clone().into_bytes(),
                Figure::Png(png) => png.clone(),
            };
            pictures.push((name.clone(), bytes));
        }
    }
    (text, pictures)
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
