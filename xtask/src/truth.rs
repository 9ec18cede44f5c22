//! `cargo xtask truth`: the truth suite in full, written to `docs/truth.md`.

use std::process::Command;

use crate::tools;

/// All problems, or those that are named; whether every row holds.
pub(crate) fn run(problems: &[String]) -> anyhow::Result<bool> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(tools::root())
        .args(["run", "--release", "-q", "-p", "pliant-truth", "--"])
        .args(problems);
    Ok(cargo.status()?.success())
}
