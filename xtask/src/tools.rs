//! Running other programs, and having those that a task needs.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// `cargo` as it runs us, in the workspace.
pub(crate) fn cargo(args: &[&str]) -> Command {
    in_workspace(Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())), args)
}

/// `cargo` of another toolchain, in the workspace.
pub(crate) fn cargo_of(toolchain: &str, args: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    // Names the toolchain that runs us.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    in_workspace(command, args)
}

fn in_workspace(mut command: Command, args: &[&str]) -> Command {
    command.current_dir(root()).args(args);
    // Set for us by `cargo run`; inside another cargo they would only force rebuilds.
    for (key, _) in std::env::vars_os() {
        let ours = key.to_str().is_some_and(|k| k.starts_with("CARGO_PKG_") || k == "CARGO_MANIFEST_DIR");
        if ours {
            command.env_remove(key);
        }
    }
    command
}

/// Runs a command, output to the terminal; whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    Ok(command.status().with_context(|| format!("cannot start {command:?}"))?.success())
}

/// Runs a command and shows what it prints while `each` sees every line; whether it succeeded.
pub(crate) fn watched(command: &mut Command, mut each: impl FnMut(&str)) -> anyhow::Result<bool> {
    listened(command, |line| {
        println!("{line}");
        each(line);
    })
}

/// Runs a command while `each` sees every line that it prints; whether it succeeded.
pub(crate) fn listened(command: &mut Command, mut each: impl FnMut(&str)) -> anyhow::Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {command:?}"))?;
    let stdout = child.stdout.take().context("standard output is piped")?;
    for line in BufReader::new(stdout).lines() {
        each(&line?);
    }
    Ok(child.wait()?.success())
}

/// Runs a command and returns what it printed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let out =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !out.status.success() {
        bail!("{command:?} ended with {}", out.status);
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// What a run of a scenario says, as JSON. Steps of a fixed number of iterations end above the tolerance, and a run of such steps
/// with status 1.
pub(crate) fn run_answer(command: &mut Command) -> anyhow::Result<serde_json::Value> {
    let ran = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !matches!(ran.status.code(), Some(0 | 1)) {
        bail!("{command:?} ended with {}: {}", ran.status, String::from_utf8_lossy(&ran.stderr));
    }
    Ok(serde_json::from_slice(&ran.stdout)?)
}

/// The release binary, built if need be.
pub(crate) fn pliant() -> anyhow::Result<PathBuf> {
    if !succeeds(&mut cargo(&["build", "--release", "--quiet", "--package", "pliant-cli"]))? {
        bail!("the release build failed");
    }
    Ok(target_dir().join("release/pliant"))
}

/// A measurement of a package, `benches/NAME.rs`, built as it is released.
pub(crate) fn bench(package: &str, name: &str) -> anyhow::Result<PathBuf> {
    let args = ["build", "--release", "--quiet", "--package", package, "--bench", name];
    let said = output(&mut cargo(&[&args[..], &["--message-format", "json"]].concat()))?;
    // The name of the file has a hash in it, which only cargo knows.
    let of_line = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let ours = message["target"]["name"] == name && message["target"]["kind"][0] == "bench";
        message["executable"].as_str().filter(|_| ours).map(PathBuf::from)
    };
    said.lines().find_map(of_line).with_context(|| format!("the release build of {name} names no program"))
}

/// Scope of a build. Cargo joins the features of all that is built at once, so that one program asked for alone may need other
/// builds of what it stands on than the same program built with the whole workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuildScope {
    /// All tests of the workspace, which have built the program already.
    Workspace,
    /// The program's own package.
    Package,
}

impl BuildScope {
    /// The program, optimised and with every check, as tests are built.
    pub(crate) fn pliant(self) -> anyhow::Result<PathBuf> {
        self.build(&["--package", "pliant-cli"])?;
        Ok(target_dir().join("debug/pliant"))
    }

    /// A tool of a package: a program that `cargo test` builds for its sake.
    pub(crate) fn tool(self, package: &str, name: &str) -> anyhow::Result<PathBuf> {
        self.build(&["--package", package, "--bin", name])?;
        Ok(target_dir().join("debug").join(name))
    }

    fn build(self, package: &[&str]) -> anyhow::Result<()> {
        let mut cargo = match self {
            Self::Workspace => cargo(&["test", "--quiet", "--workspace", "--no-run"]),
            Self::Package => cargo(&[&["build", "--quiet"], package].concat()),
        };
        if !succeeds(&mut cargo)? {
            bail!("what the tests run does not build");
        }
        Ok(())
    }
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    // Made absolute: tasks run programs of it in other folders.
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A folder for what tasks make, never committed.
pub(crate) fn scratch(name: &str) -> anyhow::Result<PathBuf> {
    let folder = target_dir().join("xtask").join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The shared data beside the project, where there is any.
pub(crate) fn shared_data() -> Option<PathBuf> {
    let shared = std::env::var_os("PLIANT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    Some(shared.join("data")).filter(|p| p.is_dir())
}

/// Makes sure that a program is there; installs its Debian package if it is not and we may.
pub(crate) fn need(program: &str, package: &str) -> anyhow::Result<()> {
    need_that(program, &["--version"], package)
}

/// As [`need`], for a program that is of use only if it succeeds with `args`.
fn need_that(program: &str, args: &[&str], package: &str) -> anyhow::Result<()> {
    let there = || {
        let tried = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    if there() {
        return Ok(());
    }
    println!("{program} is not here: installing the package {package}");
    let installed = install(&[package]);
    if !there() {
        installed
            .with_context(|| format!("install {program} by hand (Debian: apt-get install {package})"))?;
        bail!("{program} could not be installed; install it by hand (Debian: apt-get install {package})");
    }
    Ok(())
}

/// Installs Debian packages by the system's own client; whether it did.
pub(crate) fn install(packages: &[&str]) -> anyhow::Result<bool> {
    let apt =
        |args: &[&str]| succeeds(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"));
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq"], packages].concat())
}

/// Python with the given packages, in an environment of its own.
pub(crate) fn python(packages: &[&str]) -> anyhow::Result<PathBuf> {
    python_in("python", packages)
}

/// As [`python`], in an environment with this name: two tasks that need different packages do not undo each other's.
pub(crate) fn python_in(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    // Debian has Python without the part that makes environments.
    need_that("python3", &["-c", "import ensurepip, venv"], "python3-venv")?;
    let folder = scratch(name)?;
    let python = folder.join("bin/python");
    let marker = folder.join("packages");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&marker).is_ok_and(|have| have == wanted) && python.is_file() {
        return Ok(python);
    }
    let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let filled =
        made && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    if !filled {
        bail!("cannot make a Python environment with {packages:?} in {}", folder.display());
    }
    std::fs::write(marker, wanted)?;
    Ok(python)
}
