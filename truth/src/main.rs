//! Runs the truth suite in full and writes docs/truth.md. Words behind the command choose problems by name.

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
    // A partial run shows its rows, but the page always tells of all problems.
    let complete = all.iter().all(|(_, outcome)| !outcome.rows.is_empty());
    if wanted.is_empty() && !complete {
        writeln!(
            err,
            "docs/truth.md stays as it is: the reference figures of another program are not there"
        )?;
    } else if wanted.is_empty() {
        let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let (page, pictures) = report::page(&all);
        let mut files = vec![(docs.join("truth.md"), page.into_bytes())];
        std::fs::create_dir_all(docs.join("truth"))?;
        files.extend(pictures.into_iter().map(|(name, bytes)| (docs.join("truth").join(name), bytes)));
        pliant::mesh::io::write_whole(&files)?;
    }
    Ok(if missed == 0 { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}
