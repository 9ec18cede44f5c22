//! `cargo xtask test`: every check there is, in the order in which they fail fastest. CI runs this and nothing else.
//! `cargo xtask test NAME`: of those, what belongs to one package.
//!
//! Nothing is built twice that could be built once: what runs the program (the page, the README, the oracles) runs the one
//! that the tests have built.

mod oracles;
mod packages;
mod readme;
mod tally;

pub(crate) use packages::Packages;
pub(crate) use tally::counts;

use anyhow::bail;
use tally::{Outcome, Tally};

use crate::studio;
use crate::tools::{self, BuildScope};

/// A check beside those that cargo knows.
type Extra = (&'static str, &'static str, fn(BuildScope) -> anyhow::Result<bool>);

/// Package it belongs to, what it checks, how.
const EXTRAS: &[Extra] = &[
    ("cli", "what the README promises", readme::holds),
    ("mesh", "files that another program reads", oracles::files),
    ("mesh", "arrays and motions that another program reads", oracles::arrays),
    ("reduce", "models that another program reads", oracles::models),
];

/// What property tests take their seed from.
const DRAWN_BY: &str = "PROPTEST_RNG_SEED";

/// The package whose page is tested in a browser.
const PAGE_OF: &str = "studio";

/// All checks, or those of one package.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    match args {
        [] => every(),
        [name] => one(name),
        _ => bail!("`cargo xtask test` takes no more than one name"),
    }
}

fn every() -> anyhow::Result<bool> {
    // While the compiler works. What fails here fails again, and is told, where it is needed.
    let fetching = std::thread::spawn(|| {
        let _ = studio::fetch();
        let _ = oracles::fetch();
    });
    let mut tally = Tally::default();
    tally.step("format", || tools::succeeds(&mut tools::cargo(&["fmt", "--all", "--check"])));
    tally.step("format of the fuzz program", || {
        tools::succeeds(tools::cargo(&["fmt", "--check"]).current_dir(tools::root().join("fuzz/libfuzzer")))
    });
    clippy(&mut tally, &["--workspace"]);
    tests(&mut tally, &["--workspace"]);
    let _ = fetching.join();
    for (_, what, check) in EXTRAS {
        tally.step(what, || check(BuildScope::Workspace));
    }
    page(&mut tally, BuildScope::Workspace, || documentation(&["--workspace"]));
    tally.may_pass_over("the oldest compiler that is promised", oldest_compiler);
    Ok(tally.tell())
}

fn one(name: &str) -> anyhow::Result<bool> {
    let packages = Packages::read()?;
    let Some(package) = packages.find(name) else {
        bail!("there is no package {name:?}; the packages are {}", packages.names().join(" "));
    };
    let mut tally = Tally::default();
    let chosen = ["--package", package];
    tally.step("format", || tools::succeeds(tools::cargo(&["fmt", "--check"]).args(chosen)));
    clippy(&mut tally, &chosen);
    tests(&mut tally, &chosen);
    for (_, what, check) in EXTRAS.iter().filter(|(of, ..)| packages.find(of) == Some(package)) {
        tally.step(what, || check(BuildScope::Package));
    }
    if packages.find(PAGE_OF) == Some(package) {
        page(&mut tally, BuildScope::Package, || documentation(&chosen));
    } else {
        tally.step("documentation", || documentation(&chosen));
    }
    Ok(tally.tell())
}

fn clippy(tally: &mut Tally, chosen: &[&str]) {
    tally.step("clippy", || {
        let mut cargo = tools::cargo(&["clippy", "--quiet", "--all-targets"]);
        tools::succeeds(cargo.args(chosen).args(["--", "-D", "warnings"]))
    });
}

/// Unit tests, integration tests, doctests; examples are built. Built first and alone: what takes long is then told apart.
fn tests(tally: &mut Tally, chosen: &[&str]) {
    tally.step("tests are built", || {
        tools::succeeds(tools::cargo(&["test", "--quiet", "--no-run"]).args(chosen))
    });
    let (mut passed, mut failed) = (0, 0);
    tally.step("tests, doctests and house rules", || {
        // --no-fail-fast: one broken room should not hide the state of the others.
        let mut cargo = tools::cargo(&["test", "--quiet", "--no-fail-fast"]);
        // Inputs that are drawn are the same in every run: what passes here passes there. `cargo xtask repeat` draws anew.
        if std::env::var_os(DRAWN_BY).is_none() {
            cargo.env(DRAWN_BY, "1");
        }
        tools::watched(cargo.args(chosen), |line| {
            if let Some((p, f)) = counts(line) {
                passed += p;
                failed += f;
            }
        })
    });
    if passed == 0 {
        println!("no test ran");
        failed += 1;
    }
    tally.add(passed, failed);
}

fn documentation(chosen: &[&str]) -> anyhow::Result<bool> {
    let mut cargo = tools::cargo(&["doc", "--quiet", "--no-deps"]);
    tools::succeeds(cargo.args(chosen).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The page in a browser, which waits more than it works, and the documentation meanwhile.
fn page(tally: &mut Tally, scope: BuildScope, documentation: impl FnOnce() -> anyhow::Result<bool> + Send) {
    let mut counted = studio::Counted::default();
    // What it runs is built first: cargo builds for one at a time.
    let command = studio::test_command(scope, &[]);
    std::thread::scope(|threads| {
        let meanwhile = threads.spawn(documentation);
        tally.step("the studio in a browser", || studio::tests(&mut command?, &mut counted));
        tally.step("documentation, as far as it took longer", || match meanwhile.join() {
            Ok(made) => made,
            Err(_) => bail!("it broke down"),
        });
    });
    tally.add(counted.passed, counted.failed);
}

/// What `rust-version` promises: the workspace passes the checks of that compiler, where it is installed.
fn oldest_compiler() -> anyhow::Result<Outcome> {
    let manifest = std::fs::read_to_string(tools::root().join("Cargo.toml"))?;
    let promised = manifest.lines().find_map(|l| l.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let Some(promised) = promised else { bail!("Cargo.toml states no rust-version") };
    let listed = tools::output(std::process::Command::new("rustup").args(["toolchain", "list"]));
    let Some(toolchain) = listed.ok().and_then(|list| installed(&list, promised)) else {
        return Ok(Outcome::PassedOver(format!(
            "Rust {promised} is not installed: rustup toolchain install {promised}"
        )));
    };
    // Through rustup: the cargo that runs us is of one toolchain and knows no other.
    let mut cargo = tools::cargo_of(&toolchain, &["check", "--quiet", "--workspace"]);
    Ok(if tools::succeeds(&mut cargo)? { Outcome::Passed } else { Outcome::Failed })
}

/// The toolchain of a version, `1.93` or any `1.93.x`, in what `rustup toolchain list` prints.
fn installed(listed: &str, version: &str) -> Option<String> {
    let fits = |name: &str| {
        name.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    listed.lines().filter_map(|l| l.split(' ').next()).find(|name| fits(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_promised_compiler_is_found_by_its_version() {
        let listed = "stable-x86_64 (active, default)\n1.9.0-x86_64\n1.93.1-x86_64\n";
        assert_eq!(super::installed(listed, "1.93").as_deref(), Some("1.93.1-x86_64"));
        assert_eq!(super::installed("1.93-x86_64\n", "1.93").as_deref(), Some("1.93-x86_64"));
        assert_eq!(super::installed("1.930.0-x86_64\nstable-x86_64\n", "1.93"), None);
    }

    #[test]
    fn extras_belong_to_packages_that_exist() {
        let packages = super::Packages::read().expect("cargo describes the workspace");
        for name in super::EXTRAS.iter().map(|(of, ..)| *of).chain([super::PAGE_OF]) {
            assert!(packages.find(name).is_some(), "{name}");
        }
    }
}
