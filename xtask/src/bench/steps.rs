//! The section 'Full-order steps' of `cargo xtask bench`: the command line on real meshes, as a user runs it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::tools;

/// Name, mesh, fixed, options, iterations a step, aim in ms for one iteration.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str], usize, f64);

/// Vega's time for an invertible step of simpleBridge, ms, and for its 20 modes with assembly, s: another machine's, so that ratios
/// to them are a guide only.
const VEGA_INVERTIBLE: f64 = 75.0;
const VEGA_MODES: f64 = 1.3;

const CASES: &[Case] = &[
    (
        "simpleBridge, stvk: Newmark step with one iteration",
        "tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
        "tets/simpleBridge/simpleBridge.bou",
        &["--material", "stvk", "--integrator", "newmark"],
        1,
        30.0,
    ),
    (
        "simpleBridge, invertible-stvk: Newmark step with one iteration",
        "tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
        "tets/simpleBridge/simpleBridge.bou",
        &["--material", "invertible-stvk", "--integrator", "newmark"],
        1,
        VEGA_INVERTIBLE / 3.0,
    ),
    (
        "armadillo_157k, invertible-stvk: quasi-Newton iteration",
        "tets/armadillo_157k.mesh",
        "y<5%",
        &[
            "--material",
            "invertible-stvk",
            "--scale-to",
            "1",
            "--young",
            "1e5",
            "--integrator",
            "quasi-newton",
        ],
        10,
        60.0,
    ),
    (
        "armadillo_157k, projective: quasi-Newton iteration",
        "tets/armadillo_157k.mesh",
        "y<5%",
        &["--material", "projective", "--scale-to", "1", "--young", "1e5", "--integrator", "quasi-newton"],
        10,
        60.0,
    ),
];

/// `cargo xtask bench steps`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    crate::bench::replace_section(&section(&tools::scratch("bench")?)?)
}

/// The section; empty without shared data.
pub(crate) fn section(folder: &Path) -> anyhow::Result<String> {
    let Some(data) = tools::shared_data() else { return Ok(String::new()) };
    let mut page = String::from(
        "## Full-order steps\n\nMedian of the steps of `pliant simulate --full` under gravity, dt = 1/120 s, a fixed number \
         of iterations; per iteration. Vega's own figures for one step of simpleBridge, on a similar machine: 290 to 360 ms \
         (StVK), 75 to 79 ms (invertible). The thesis of the quasi-Newton solver has 292 to 299 ms an iteration on 160k tets.\
         \n\n| what | threads | ms | aim, ms | ratio to the aim |\n|---|---|---|---|---|\n",
    );
    let pliant = tools::pliant()?;
    let scenario = folder.join("steps.toml");
    std::fs::write(&scenario, "dt = 0.008333333333333333\nsteps = 12\ngravity = [0.0, -9.81, 0.0]\n")?;
    for &(name, mesh, fix, options, iterations, aim) in CASES {
        let fix = if fix.contains('/') { data.join(fix).display().to_string() } else { fix.to_owned() };
        for threads in ["1", "2"] {
            let mut command = Command::new(&pliant);
            command.arg("simulate").arg(data.join(mesh)).arg(&scenario).args(["--full", "--json", "--quiet"]);
            command.args(options).args(["--fix", &fix, "--threads", threads]);
            command.args(["--iterations", &iterations.to_string()]);
            let answer = tools::run_answer(&mut command)?;
            let median =
                answer["microseconds_per_step"]["median"].as_f64().context("a time for each step")?;
            let done = answer["newton_iterations"].as_f64().context("a number of iterations")?
                / answer["steps"].as_f64().context("a number of steps")?;
            let ms = median / 1000.0 / done.max(1.0);
            let _ = writeln!(page, "| {name} | {threads} | {ms:.1} | {aim} | {:.2} |", ms / aim);
        }
    }
    page.push('\n');
    page += &modes(&pliant, &data)?;
    page += &reduced(&pliant, &data, folder, &scenario)?;
    Ok(page)
}

/// From the file to 20 modes, beside what Vega takes with ARPACK and PARDISO.
fn modes(pliant: &Path, data: &Path) -> anyhow::Result<String> {
    let mut page = String::from(
        "From the file of simpleBridge to its 20 modes (`pliant modes --modes 20`, the least of five runs); Vega, with ARPACK and PARDISO, takes \
         0.5 s for them and 0.8 s for the matrices.\n\n| threads | s | aim, s | ratio to the aim |\n|---|---|---|---|\n",
    );
    let folder = data.join("tets/simpleBridge");
    for threads in ["1", "2"] {
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let mut command = Command::new(pliant);
            command.arg("modes").arg(folder.join("simpleBridge-ic_128_0.15_.1.veg"));
            command.arg("--fix").arg(folder.join("simpleBridge.bou"));
            command.args(["--modes", "20", "--threads", threads, "--json", "--quiet"]);
            let answer: Value = serde_json::from_str(&tools::output(&mut command)?)?;
            least = least.min(answer["seconds"].as_f64().context("the seconds of all")?);
        }
        let aim = VEGA_MODES / 5.0;
        let _ = writeln!(page, "| {threads} | {least:.3} | {aim:.2} | {:.2} |", least / aim);
    }
    page.push('\n');
    Ok(page)
}

/// An iteration of the reduced quasi-Newton beside one at full order, both on one thread.
fn reduced(pliant: &Path, data: &Path, folder: &Path, scenario: &Path) -> anyhow::Result<String> {
    let mut page = String::from(
        "The same solver in 40 reduced coordinates (`pliant simulate MODEL --integrator quasi-newton --iterations 10`, one \
         thread) against full order; the thesis has 0.7 ms with 60 tets and 1.3 ms with 120. The limit is a thousandth of our \
         own iteration at full order.\n\n| what | µs | full order, µs | times faster | limit |\n|---|---|---|---|---|\n",
    );
    for material in ["invertible-stvk", "projective"] {
        let mesh = data.join("tets/armadillo_157k.mesh");
        let body = ["--material", material, "--scale-to", "1", "--young", "1e5", "--fix", "y<5%"];
        let mut command = Command::new(pliant);
        command.arg("simulate").arg(&mesh).arg(scenario).args(["--full"]).args(body);
        let full = microseconds(&mut command)?;
        for points in ["60", "120"] {
            let model = folder.join(format!("armadillo_{material}_{points}.pliant"));
            let mut command = Command::new(pliant);
            command.arg("build").arg(&mesh).arg("-o").arg(&model).args(body).args(["--quiet"]);
            command.args(["--rank", "40", "--cubature", points]);
            tools::output(&mut command)?;
            let mut command = Command::new(pliant);
            command.arg("simulate").arg(&model).arg(scenario).args(["--steps", "200"]);
            let ours = microseconds(&mut command)?;
            let _ = writeln!(
                page,
                "| armadillo_157k, {material}, {points} tets: quasi-Newton iteration | {ours:.1} | {full:.0} | {:.0} | 1000 |",
                full / ours
            );
        }
    }
    page.push('\n');
    Ok(page)
}

/// One iteration of quasi-Newton on one thread, ten a step.
fn microseconds(command: &mut Command) -> anyhow::Result<f64> {
    command.args([
        "--integrator",
        "quasi-newton",
        "--iterations",
        "10",
        "--threads",
        "1",
        "--json",
        "--quiet",
    ]);
    let answer = tools::run_answer(command)?;
    let median = answer["microseconds_per_step"]["median"].as_f64().context("a time for each step")?;
    let iterations = answer["newton_iterations"].as_f64().context("a number of iterations")?;
    let steps = answer["steps"].as_f64().context("a number of steps")?;
    Ok(median * steps / iterations.max(1.0))
}
