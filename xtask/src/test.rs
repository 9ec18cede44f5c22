//! `cargo xtask test`: every check there is, in the order in which they fail fastest. CI runs this and nothing else.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;

use crate::{fuzz, studio, tools};

/// Seconds that each fuzz target gets here; `cargo xtask fuzz` gives more.
const FUZZ_SECONDS: u64 = 3;

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    steps: Vec<(String, bool, f64)>,
}

impl Tally {
    fn step(&mut self, name: &str, run: impl FnOnce() -> anyhow::Result<bool>) {
        println!("\n== {name}");
        let start = Instant::now();
        let good = run().unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            false
        });
        self.steps.push((name.to_owned(), good, start.elapsed().as_secs_f64()));
        if good { self.passed += 1 } else { self.failed += 1 }
    }
}

pub(crate) fn run() -> anyhow::Result<bool> {
    let mut tally = Tally::default();
    tally.step("format", || tools::succeeds(&mut tools::cargo(&["fmt", "--all", "--check"])));
    tally.step("format of the fuzz targets", || {
        tools::succeeds(tools::cargo(&["fmt", "--check"]).current_dir(tools::root().join("fuzz")))
    });
    tally.step("clippy", || {
        let args = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
        tools::succeeds(&mut tools::cargo(&args))
    });
    let (mut passed, mut failed) = (0, 0);
    tally.step("tests, doctests and house rules", || {
        // --no-fail-fast: one broken room should not hide the state of the others.
        let args = ["test", "--quiet", "--workspace", "--no-fail-fast"];
        tools::watched(&mut tools::cargo(&args), |line| {
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
    tally.passed += passed;
    tally.failed += failed;
    tally.step("documentation", || {
        let args = ["doc", "--quiet", "--workspace", "--no-deps"];
        tools::succeeds(tools::cargo(&args).env("RUSTDOCFLAGS", "-D warnings"))
    });
    tally.step("what the README promises", readme);
    tally.step("files that another program reads", oracle);
    tally.step("arrays and motions that another program reads", oracle_arrays);
    tally.step("models that another program reads", oracle_model);
    let mut page = studio::Counted::default();
    tally.step("the studio in a browser", || studio::tests(&[], &mut page));
    tally.passed += page.passed;
    tally.failed += page.failed;
    tally.step("fuzzing, briefly", || fuzz::every(FUZZ_SECONDS, None));

    println!();
    for (name, good, seconds) in &tally.steps {
        println!("{} {name} ({seconds:.0} s)", if *good { "ok    " } else { "FAILED" });
    }
    if tools::shared_data().is_none() {
        println!(
            "The shared data is not beside the project: tests on real meshes did not run, own shapes stood in."
        );
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// `test result: ok. 12 passed; 0 failed; …` → (12, 0).
fn counts(line: &str) -> Option<(usize, usize)> {
    let rest = line.strip_prefix("test result: ")?;
    let number = |what: &str| {
        let before = rest.split(what).next()?;
        before.rsplit([' ', ';', '.']).find(|w| !w.is_empty())?.parse().ok()
    };
    Some((number(" passed")?, number(" failed")?))
}

/// `cargo run --release` opens the studio, which serves its page.
fn readme() -> anyhow::Result<bool> {
    let mut pliant = Command::new(tools::pliant()?);
    // Without a screen no browser is opened.
    pliant.arg("--json").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").stdout(Stdio::piped());
    let mut studio = pliant.spawn()?;
    let served = page_of(&mut studio);
    studio.kill()?;
    studio.wait()?;
    served
}

/// Whether the address that a studio prints has a page.
fn page_of(studio: &mut Child) -> anyhow::Result<bool> {
    let mut line = String::new();
    BufReader::new(studio.stdout.take().context("it has a standard output")?).read_line(&mut line)?;
    let url = line.split('"').find(|part| part.starts_with("http://")).context("no url was printed")?;
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200") && answer.contains("<title>"))
}

/// meshio (PyPI) reads what we write, and sees the same points and cells.
fn oracle() -> anyhow::Result<bool> {
    let pliant = tools::pliant()?;
    let python = tools::python(&["meshio==5.3.5", "numpy"])?;
    let script = tools::root().join("xtask/src/oracle.py");
    tools::succeeds(Command::new(python).arg(script).arg(pliant).arg(tools::scratch("oracle")?))
}

/// NumPy (PyPI) and meshio read the arrays and motions that we write, and we read NumPy's arrays.
fn oracle_arrays() -> anyhow::Result<bool> {
    let build = ["build", "--quiet", "--package", "pliant-mesh", "--example", "motion_files"];
    if !tools::succeeds(&mut tools::cargo(&build))? {
        anyhow::bail!("the example motion_files does not build");
    }
    let example = tools::target_dir().join("debug/examples/motion_files");
    let python = tools::python(&["meshio==5.3.5", "numpy"])?;
    let script = tools::root().join("xtask/src/oracle_arrays.py");
    tools::succeeds(Command::new(python).arg(script).arg(example).arg(tools::scratch("arrays")?))
}

/// The package safetensors (PyPI) reads our models, also by the lines that docs/model-format.md shows.
fn oracle_model() -> anyhow::Result<bool> {
    let build = ["build", "--quiet", "--package", "pliant-reduce", "--example", "model_files"];
    if !tools::succeeds(&mut tools::cargo(&build))? {
        anyhow::bail!("the example model_files does not build");
    }
    let example = tools::target_dir().join("debug/examples/model_files");
    let python = tools::python_in("python-model", &["safetensors==0.8.0", "numpy"])?;
    let (script, document) =
        (tools::root().join("xtask/src/oracle_model.py"), tools::root().join("docs/model-format.md"));
    tools::succeeds(Command::new(python).arg(script).arg(example).arg(tools::scratch("model")?).arg(document))
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_counted() {
        let line = "test result: FAILED. 19 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s";
        assert_eq!(super::counts(line), Some((19, 2)));
        assert_eq!(super::counts("running 3 tests"), None);
    }
}
