//! What `info` and `mesh` print about a mesh: its facts, then what is wrong with it.

use std::fmt::Write as _;

use pliant::world::facts::text_of;

/// Rows and warnings as text.
pub(crate) fn text(title: &str, rows: &[(String, String)], warnings: &[String]) -> String {
    let mut out = format!("{title}\n");
    out.push_str(&text_of(rows));
    match warnings.len() {
        0 => out.push_str("  nothing is wrong with it\n"),
        n => {
            let _ = writeln!(out, "  {n} {}", if n == 1 { "warning" } else { "warnings" });
            for warning in warnings {
                let _ = writeln!(out, "  ! {warning}");
            }
        }
    }
    out
}
