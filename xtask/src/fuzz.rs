//! `cargo xtask fuzz`: libFuzzer on every reader. The targets and their seeds are the crate `fuzz`, the program is in
//! `fuzz/libfuzzer`; the README there says more.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};

use crate::tools;

/// What libFuzzer may use for one input; the readers promise a small multiple of the file's size.
const LIMITS: [&str; 3] = ["-rss_limit_mb=400", "-timeout=5", "-print_final_stats=1"];

pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let seconds =
        args.first().map_or(Ok(60), |s| s.parse()).context("seconds for each target, a whole number")?;
    every(seconds, args.get(1).map(String::as_str))
}

/// Every target (or only one) for some seconds each; whether all of them found nothing.
fn every(seconds: u64, only: Option<&str>) -> anyhow::Result<bool> {
    let targets = build()?;
    if let Some(unknown) = only.filter(|o| !targets.iter().any(|t| t == o)) {
        bail!("there is no target {unknown:?}; the targets are {}", targets.join(" "));
    }
    let chosen: Vec<&String> = targets.iter().filter(|t| only.is_none_or(|o| o == *t)).collect();
    // A reader uses one core: as many at a time as there are.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut good = true;
        while let Some(target) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            good &= fuzz(target, seconds)?;
        }
        anyhow::Ok(good)
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let ends = workers.into_iter().map(|worker| worker.join().expect("fuzzing does not panic"));
        // All are waited for, whatever one of them says.
        let ends: Vec<anyhow::Result<bool>> = ends.collect();
        ends.into_iter().try_fold(true, |good, end| Ok(good & end?))
    })
}

fn folder() -> PathBuf {
    tools::root().join("fuzz")
}

/// `cargo` in the folder of the fuzz program, where its own flags hold.
fn cargo(args: &[&str]) -> Command {
    let mut command = tools::cargo(args);
    // Flags of ours would replace those of the folder.
    command
        .current_dir(folder().join("libfuzzer"))
        .env_remove("RUSTFLAGS")
        .env("CARGO_TARGET_DIR", target_dir());
    command
}

fn target_dir() -> PathBuf {
    tools::target_dir().join("fuzz")
}

/// The fuzz program: cargo puts it into a folder with the name of the host, since that is named as the target.
fn program() -> anyhow::Result<PathBuf> {
    let host = tools::output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    Ok(target_dir().join(host.trim()).join("release/fuzz"))
}

/// Builds the program and its seeds; returns the names of its targets.
fn build() -> anyhow::Result<Vec<String>> {
    tools::need("c++", "g++")?;
    if !tools::succeeds(&mut cargo(&["build", "--quiet", "--release"]))? {
        bail!("the fuzz targets do not build");
    }
    let corpus = corpus();
    let names =
        tools::output(tools::cargo(&["run", "--quiet", "--package", "pliant-fuzz", "--"]).arg(&corpus))?;
    let targets: Vec<String> = names.lines().map(str::to_owned).collect();
    if targets.is_empty() {
        bail!("there is nothing to fuzz: the program `seeds` named no target");
    }
    Ok(targets)
}

fn corpus() -> PathBuf {
    folder().join("corpus")
}

fn fuzz(target: &str, seconds: u64) -> anyhow::Result<bool> {
    let artifacts = folder().join("artifacts");
    std::fs::create_dir_all(&artifacts)?;
    let log = tools::scratch("fuzz")?.join(format!("{target}.log"));
    let out = std::fs::File::create(&log)?;
    let good = tools::succeeds(
        Command::new(program()?)
            .current_dir(folder())
            .env("TARGET", target)
            // Freed memory that the sanitiser keeps to catch late uses counts as used: keep less of it than the limit.
            .env("ASAN_OPTIONS", "quarantine_size_mb=64")
            .arg(corpus().join(target))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/{target}-", artifacts.display()))
            .args(LIMITS)
            .stdout(out.try_clone()?)
            .stderr(out),
    )?;
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let runs = said.lines().find_map(|l| l.strip_prefix("stat::number_of_executed_units: ")).unwrap_or("?");
    let mut report =
        format!("{target:<8} {} after {runs} inputs", if good { "found nothing" } else { "FOUND SOMETHING" });
    if !good {
        let tail: Vec<&str> = said.lines().rev().take(40).collect();
        tail.iter().rev().for_each(|line| report += &format!("\n  {line}"));
    }
    // At once: others report at the same time.
    println!("{report}");
    Ok(good)
}
