//! `cargo xtask truth`: the truth suite in full, or some of its problems, written to `docs/truth.md`.

use crate::tools;

/// All problems, or those that are named; whether every row holds.
pub(crate) fn run(problems: &[String]) -> anyhow::Result<bool> {
    let mut cargo = tools::cargo(&["run", "--release", "-q", "-p", "pliant-truth", "--"]);
    tools::succeeds(cargo.args(problems))
}
