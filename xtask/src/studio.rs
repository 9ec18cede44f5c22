//! The studio seen from the browser: Node runs `doors/studio/tests/page` on the program in headless Chromium.
//!
//! Node, npm and Chromium are Debian's, installed if need be; what the tests import is fetched into a folder below `target`, in the
//! versions of their lock file. Pictures of the page are left in `target/studio-screens`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::tools::{self, BuildScope};

/// The first Node that runs the tests.
const NODE: u32 = 20;

/// What Node's test runner counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// `cargo xtask page`: these tests alone, or some of their files.
pub(crate) fn run(files: &[String]) -> anyhow::Result<bool> {
    tests(&mut test_command(BuildScope::Package, files)?, &mut Counted::default())
}

/// Runs what [`test_command`] has made; whether all went well.
pub(crate) fn tests(command: &mut Command, counted: &mut Counted) -> anyhow::Result<bool> {
    let good = tools::watched(command, |line| {
        // A cancelled test is one that did not end: neither passed nor to be forgotten.
        match count(line) {
            Some(("pass", n)) => counted.passed = n,
            Some(("fail" | "cancelled", n)) => counted.failed += n,
            _ => {}
        }
    })?;
    if counted.passed == 0 {
        bail!("no test of the page passed");
    }
    Ok(good)
}

/// What runs the tests of some files, or all, on the program that the tests have built.
pub(crate) fn test_command(scope: BuildScope, files: &[String]) -> anyhow::Result<Command> {
    // Another binary may be named, one of last week say.
    let pliant = std::env::var_os("PLIANT").map_or_else(|| scope.pliant(), |named| Ok(named.into()))?;
    let mut node = node(&pliant)?;
    // One file after the other: the browser draws with the processor. A file that takes half an hour hangs.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec", "--test-timeout=1800000"])
        .args(files);
    Ok(node)
}

/// What the tests run in: the folder with all that they import, and the browser. Fetched and installed if need be.
pub(crate) fn fetch() -> anyhow::Result<(PathBuf, PathBuf)> {
    tools::need("node", "nodejs")?;
    tools::need("npm", "npm")?;
    let version = tools::output(Command::new("node").arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    if major.is_none_or(|n| n < NODE) {
        bail!("the tests of the page need Node {NODE} or newer, here it is {}", version.trim());
    }
    Ok((folder()?, chromium()?))
}

/// Node in the folder of the tests, with everything that they import and are told.
pub(crate) fn node(pliant: &Path) -> anyhow::Result<Command> {
    let (folder, chromium) = fetch()?;
    let mut command = Command::new("node");
    command.current_dir(&folder).env("PLIANT", pliant).env("CHROMIUM", chromium);
    command.env("STUDIO_WEB", tools::root().join("doors/studio/web"));
    command.env("STUDIO_SCRATCH", tools::scratch("studio/made")?);
    command.env("STUDIO_SCREENS", tools::target_dir().join("studio-screens"));
    Ok(command)
}

/// A Chromium that runs: what `CHROMIUM` names, else Debian's.
fn chromium() -> anyhow::Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    tools::need("chromium", "chromium")?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .map(|folder| folder.join("chromium"))
        .find(|program| program.is_file())
        .context("chromium runs but is not in the PATH")
}

/// A copy of the tests beside what they import: modules are looked for in the folders above a file, and none may lie in the sources.
fn folder() -> anyhow::Result<PathBuf> {
    let folder = tools::scratch("studio/page")?;
    for old in std::fs::read_dir(&folder)? {
        let old = old?.path();
        if old.is_file() && old.extension().is_some_and(|e| e == "mjs") {
            std::fs::remove_file(old)?;
        }
    }
    let sources = tools::root().join("doors/studio/tests/page");
    for file in std::fs::read_dir(&sources).with_context(|| format!("{} is there", sources.display()))? {
        let file = file?.path();
        if let Some(name) = file.file_name().filter(|_| file.is_file()) {
            std::fs::copy(&file, folder.join(name))?;
        }
    }
    install(&folder)?;
    Ok(folder)
}

/// `npm ci`, when the lock file is not the one of last time.
fn install(folder: &Path) -> anyhow::Result<()> {
    let lock = std::fs::read_to_string(folder.join("package-lock.json"))?;
    let marker = folder.join("installed");
    if std::fs::read_to_string(&marker).is_ok_and(|have| have == lock) && folder.join("node_modules").is_dir()
    {
        return Ok(());
    }
    let args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    if !tools::succeeds(Command::new("npm").current_dir(folder).args(args))? {
        bail!(
            "npm could not fetch what doors/studio/tests/page/package-lock.json names; it needs a package registry once"
        );
    }
    std::fs::write(marker, lock)?;
    Ok(())
}

/// `ℹ pass 12` → ("pass", 12).
fn count(line: &str) -> Option<(&str, usize)> {
    let (what, number) = line.strip_prefix("ℹ ")?.split_once(' ')?;
    Some((what, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_of_node_are_counted() {
        assert_eq!(super::count("ℹ pass 12"), Some(("pass", 12)));
        assert_eq!(super::count("ℹ cancelled 0"), Some(("cancelled", 0)));
        assert_eq!(super::count("ℹ duration_ms 93.1"), None);
        assert_eq!(super::count("✔ pass 12 (1.0ms)"), None);
    }
}
