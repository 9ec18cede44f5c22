//! Runs the truth suite in full and writes docs/truth.md. Words behind the command choose problems by name, and write their sections.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use pliant_truth::{Effort, problem, report};

fn main() -> anyhow::Result<std::process::ExitCode> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|w| problem::ALL.iter().all(|p| p.name != **w)) {
        let names: Vec<&str> = problem::ALL.iter().map(|p| p.name).collect();
        anyhow::bail!("there is no problem {unknown:?}; there are: {}", names.join(", "));
    }
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let mut err = std::io::stderr();
    let mut all = Vec::new();
    let mut missed = 0;
    for problem in problem::ALL.iter().filter(|p| chosen(p.name)) {
        let start = Instant::now();
        let outcome = (problem.run)(Effort::Full)?;
        for row in &outcome.rows {
            let mark = if row.holds() { "ok" } else { "MISSED" };
            writeln!(err, "{:>7} {}: {row:?}", mark, problem.name)?;
        }
        if !wanted.is_empty() {
            outcome.notes.iter().try_for_each(|note| writeln!(err, "{note}"))?;
        }
        missed += outcome.rows.iter().filter(|r| !r.holds()).count();
        writeln!(err, "{}: {:.1} s", problem.name, start.elapsed().as_secs_f64())?;
        all.push((problem, outcome));
    }
    // Where the reference figures of another program are not there, its section stays as it is.
    all.retain(|(problem, outcome)| {
        let there = !outcome.rows.is_empty();
        if !there {
            let _ = writeln!(err, "{}: nothing to compare with; its section stays as it is", problem.name);
        }
        there
    });
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let old = std::fs::read_to_string(docs.join("truth.md")).unwrap_or_default();
    let (page, pictures) = report::page(&old, &all);
    let mut files = vec![(docs.join("truth.md"), page.into_bytes())];
    std::fs::create_dir_all(docs.join("truth"))?;
    files.extend(pictures.into_iter().map(|(name, bytes)| (docs.join("truth").join(name), bytes)));
    pliant::mesh::io::write_whole(&files)?;
    Ok(if missed == 0 { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}
