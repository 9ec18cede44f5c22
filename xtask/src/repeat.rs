//! `cargo xtask repeat N [NAME]`: the same tests again and again beside an artificial load, to find those that hang on luck.
//!
//! NAME is `page` (the studio in a browser), a package (`studio`, `mesh`, …), or a part of the names of tests; without it, all
//! tests and the page. What a run printed is kept below `target/xtask/repeat`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context as _, bail};

use crate::studio;
use crate::test::Packages;
use crate::tools::{self, BuildScope};

/// What is repeated.
#[derive(Debug, PartialEq, Eq)]
struct Chosen {
    /// Arguments of `cargo test`, if it is run at all.
    cargo: Option<Vec<String>>,
    page: bool,
}

impl Chosen {
    fn scope(&self) -> BuildScope {
        if self.cargo.is_some() { BuildScope::Workspace } else { BuildScope::Package }
    }

    fn of(name: Option<&str>, packages: &Packages) -> Self {
        let words = |words: &[&str]| Some(words.iter().map(|w| (*w).to_owned()).collect());
        match name.map(|name| (name, packages.find(name))) {
            None => Self { cargo: words(&["--workspace"]), page: true },
            Some(("page", _)) => Self { cargo: None, page: true },
            Some((_, Some(package))) => Self { cargo: words(&["--package", package]), page: false },
            // Unit and integration tests only: a doctest is named by its file.
            Some((part, None)) => {
                Self { cargo: words(&["--workspace", "--lib", "--bins", "--tests", "--", part]), page: false }
            }
        }
    }
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let (count, name) = match args {
        [count] => (count, None),
        [count, name] => (count, Some(name.as_str())),
        _ => bail!("how often, and what: `cargo xtask repeat 20 studio`"),
    };
    let count: usize = count.parse().with_context(|| format!("{count:?} is not how often to run"))?;
    let chosen = Chosen::of(name, &Packages::read()?);
    // Built before the load begins.
    if let Some(args) = &chosen.cargo
        && !tools::succeeds(tools::cargo(&["test", "--quiet", "--no-run"]).args(args))?
    {
        bail!("the tests do not build");
    }
    let folder = tools::scratch("repeat")?;
    let mut failures: BTreeMap<String, usize> = BTreeMap::new();
    let mut bad_runs = 0;
    let load = Load::start();
    for run in 1..=count {
        let mut said = String::new();
        let mut keep = |line: &str| {
            said.push_str(line);
            said.push('\n');
        };
        let mut good = true;
        if let Some(args) = &chosen.cargo {
            let mut cargo = tools::cargo(&["test", "--no-fail-fast"]);
            good &= tools::listened(cargo.args(args), &mut keep)?;
        }
        if chosen.page {
            good &= tools::listened(&mut studio::test_command(chosen.scope(), &[])?, &mut keep)?;
        }
        let tests = ran(&said);
        let failed: BTreeSet<String> = said.lines().filter_map(failure).map(str::to_owned).collect();
        let log = folder.join(format!("run-{run}.log"));
        std::fs::write(&log, &said)?;
        if tests == 0 {
            bail!("run {run}: no test ran; {}", log.display());
        }
        if !good {
            bad_runs += 1;
        }
        let state = if good { "all passed".into() } else { format!("FAILED, {}", log.display()) };
        println!("run {run} of {count}: {tests} tests, {state}");
        for name in failed {
            println!("    {name}");
            *failures.entry(name).or_default() += 1;
        }
    }
    drop(load);
    println!();
    for (name, times) in &failures {
        println!("failed {times} of {count}: {name}");
    }
    println!("{} of {count} runs passed", count - bad_runs);
    Ok(bad_runs == 0)
}

/// Tests that ran, by the lines of cargo (`test … ok`) and of Node (`✔ …`).
fn ran(said: &str) -> usize {
    let passed =
        |line: &&str| line.starts_with("test ") && line.ends_with(" ... ok") || line.starts_with("✔ ");
    said.lines().filter(passed).count() + said.lines().filter_map(failure).collect::<BTreeSet<_>>().len()
}

/// The test that a line says has failed: `test NAME ... FAILED` of cargo, `✖ NAME (12.3ms)` of Node.
fn failure(line: &str) -> Option<&str> {
    if let Some(test) = line.strip_prefix("test ") {
        return test.strip_suffix(" ... FAILED");
    }
    let (name, time) = line.strip_prefix("✖ ")?.rsplit_once(" (")?;
    time.ends_with("ms)").then_some(name)
}

/// One busy thread for each core, until it is dropped.
struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<u64>>,
}

impl Load {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let busy = |_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                let mut x = 1_u64;
                while !stop.load(Ordering::Relaxed) {
                    x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
                }
                x
            })
        };
        Self { threads: (0..cores).map(busy).collect(), stop }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_cargo_and_of_node_are_read() {
        assert_eq!(failure("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(failure("test a::b ... ok"), None);
        assert_eq!(failure("test result: FAILED. 1 passed; 1 failed"), None);
        assert_eq!(failure("✖ a preset (of two) (1200.5ms)"), Some("a preset (of two)"));
        assert_eq!(failure("✖ failing tests:"), None);
        let said = "test a ... ok\ntest b ... FAILED\n✔ c (1ms)\n✖ d (2ms)\n✖ failing tests:\n✖ d (2ms)\n";
        assert_eq!(ran(said), 4);
    }

    #[test]
    fn a_name_is_the_page_a_package_or_a_part_of_names() {
        let packages = Packages::read().expect("cargo describes the workspace");
        let of = |name| Chosen::of(name, &packages);
        assert_eq!(of(Some("page")), Chosen { cargo: None, page: true });
        assert_eq!(of(Some("studio")).cargo, Some(vec!["--package".into(), "pliant-studio".into()]));
        assert!(of(Some("hands")).cargo.is_some_and(|args| args.ends_with(&["--".into(), "hands".into()])));
        assert!(of(None).page && of(None).cargo.is_some());
    }
}
