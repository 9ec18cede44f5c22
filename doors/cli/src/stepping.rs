//! How a scenario is stepped: the options that every command with a SCENARIO shares.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use pliant::dynamics;
use pliant::linalg::{quote, shown};
use pliant::sim::{InitialState, RunOptions, Scenario, scenario};
use pliant::world::initial_state;

use crate::files::ending;
use crate::{help, numbers};

/// A scenario and how to step it.
#[derive(clap::Args)]
pub(crate) struct Stepping {
    #[arg(value_name = "SCENARIO.toml", help = help::scenario("What happens to it: a TOML file"))]
    pub(crate) scenario: PathBuf,
    #[arg(long, value_name = "NAME", help = help::integrator())]
    integrator: Option<String>,
    /// Length of a step, seconds [default: the scenario's].
    #[arg(long, allow_negative_numbers = true, value_name = "S")]
    dt: Option<f64>,
    /// How many steps [default: the scenario's].
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    steps: Option<i64>,
    /// At most so many iterations a step, converged or not [default: until it converges; 10 for
    /// quasi-newton-projective].
    #[arg(long, value_name = "N", value_parser = numbers::count(1..=u32::MAX))]
    iterations: Option<u32>,
    /// A step has converged when its residual is below this share of the largest force.
    #[arg(long, allow_negative_numbers = true, value_name = "TOL", default_value = "1e-8")]
    tolerance: f64,
}

impl Stepping {
    /// For the run, by Newmark's method where nobody says otherwise.
    pub(crate) fn options(&self) -> anyhow::Result<RunOptions> {
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            bail!("--tolerance {}: expected a finite number > 0, such as 1e-8", self.tolerance);
        }
        Ok(RunOptions {
            integrator: self.integrator.clone().unwrap_or_else(|| "newmark".into()),
            solver: dynamics::Options {
                tolerance: self.tolerance,
                iterations: self.iterations.map(|n| n as usize),
                ..dynamics::Options::default()
            },
        })
    }

    /// Takes the integrator that is usual for what moves, unless one was named, or a number of iterations, which are Newton's.
    pub(crate) fn suit(&self, options: &mut RunOptions, usual: &str) {
        if self.integrator.is_none() && self.iterations.is_none() {
            options.integrator = usual.into();
        }
    }

    /// Reads the scenario for a body of so many vertices, and what it starts from, if it names a file of that.
    pub(crate) fn read(&self, vertices: usize) -> anyhow::Result<(Scenario, Option<InitialState>)> {
        let (mut scenario, first) = read_scenario(&self.scenario, vertices)?;
        if let Some(dt) = self.dt {
            scenario::step_length("--dt", dt).map_err(anyhow::Error::msg)?;
            scenario.dt = dt;
        }
        if let Some(steps) = self.steps {
            scenario.steps = scenario::step_count("--steps", steps).map_err(anyhow::Error::msg)?;
        }
        Ok((scenario, first))
    }
}

/// A scenario for a body of so many vertices as its file has it, and what to start from, if it names a file of that.
pub(crate) fn read_scenario(
    path: &Path,
    vertices: usize,
) -> anyhow::Result<(Scenario, Option<InitialState>)> {
    let here = || shown(path);
    let text = std::fs::read_to_string(path).with_context(here)?;
    let scenario = Scenario::parse(&text, vertices).with_context(here)?;
    let first = scenario.initial.as_deref().map(|file| initial(path, file, vertices)).transpose()?;
    Ok((scenario, first))
}

/// What a scenario starts from, in the file that it names, beside it.
fn initial(scenario: &Path, file: &str, vertices: usize) -> anyhow::Result<InitialState> {
    let path = scenario.parent().unwrap_or(Path::new("")).join(file);
    if ending(&path) != "npz" {
        bail!(
            "{}: initial = {}: expected a .npz file with displacement and velocity (n, 3)",
            shown(scenario),
            quote(file)
        );
    }
    Ok(initial_state(&path, vertices)?)
}
