//! House tasks: `cargo xtask test`, `repeat`, `page`, `bench`, `truth`, `tables`, `fuzz`, `gallery`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task runner talks to the terminal")]

mod bench;
mod fuzz;
mod gallery;
mod repeat;
mod studio;
mod tables;
mod test;
#[cfg(test)]
mod tidy;
mod tools;
mod truth;

use std::process::ExitCode;

/// Name, what it does, how; whether all went well.
type Task = (&'static str, &'static str, fn(&[String]) -> anyhow::Result<bool>);

/// Every task.
const TASKS: &[Task] = &[
    (
        "test",
        "every check there is, installing what it needs: [a package, for what belongs to it alone]",
        test::run,
    ),
    (
        "repeat",
        "tests beside an artificial load: how often [page, a package, or a part of the names of tests]",
        repeat::run,
    ),
    ("page", "of those, only the studio in a browser: [axe.test.mjs ...]", studio::run),
    (
        "bench",
        "measure, and write docs/benchmarks.md: [limits, factor, modes, reduce, steps, studio or warp, for that section alone]",
        |args| match args {
            [section] if section == "limits" => bench::limits(),
            [section] if section == "factor" => bench::factor::run(),
            [section] if section == "steps" => bench::steps::run(),
            [section] if section == "modes" => bench::modes::run(),
            [section] if section == "warp" => bench::warp::run(),
            [section] if section == "reduce" => bench::reduce::run(),
            [section] if section == "studio" => bench::studio::run(),
            _ => bench::run(),
        },
    ),
    (
        "truth",
        "full-order physics against its references, and write docs/truth.md: [problem ...]",
        truth::run,
    ),
    ("tables", "the papers' tables, ours beside theirs, and write docs/tables.md: [table ...]", tables::run),
    ("fuzz", "fuzz every reader: [seconds for each, default 60] [target]", fuzz::run),
    ("gallery", "draw the pictures of the documentation anew", |_| gallery::run()),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task = args.first().and_then(|name| TASKS.iter().find(|t| t.0 == name));
    let Some((_, _, run)) = task else {
        eprintln!("cargo xtask TASK, where TASK is one of");
        for (name, what, _) in TASKS {
            eprintln!("  {name:<8} {what}");
        }
        return ExitCode::from(2);
    };
    match run(&args[1..]) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
