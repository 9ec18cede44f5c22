//! `pliant simulate`: a scenario on a body or a reduced model, step by step.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::dynamics;
use pliant::mesh::MeshData;
use pliant::mesh::io::{self, motion};
use pliant::reduce::Basis;
use pliant::sim::{Frame, Full, Onlookers, Record, Reduced, Scenario, Subject, run_watched};
use serde_json::json;

use crate::body::{BodyArgs, LoadedBody, check_folder};
use crate::context::{Context, Status};
use crate::stepping::Stepping;
use crate::{gallery, model};

/// Run a scenario on a reduced model or a body.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant simulate dino.pliant pull.toml -o motion.glb                      for Blender and viewers
  pliant simulate dino.pliant pull.toml --integrator backward-euler --json
  pliant simulate dino.pliant pull.toml --full                             the body it was built from
  pliant simulate dino.veg pull.toml --full --fix 'y<5%' -o motion.npz     every number, for NumPy
  pliant simulate dino.veg pull.toml --full -o report.html                 energies and probes as plots

SCENARIO
  dt = 0.01                       # seconds
  steps = 100
  gravity = [0.0, -9.81, 0.0]
  [[force]]                       # newton on each of these vertices
  vertices = [12, 13]
  value = [0.0, -40.0, 0.0]
  to = 0.5
  [[probe]]
  name = \"tip\"
  vertex = 12
  The whole list of keys is in docs/cli/scenarios.md.")]
pub(crate) struct Args {
    /// Reduced model (`.pliant`), or a mesh in any format that `pliant formats` lists.
    #[arg(value_name = "MODEL|MESH")]
    input: PathBuf,
    /// The unreduced reference: all vertices of the mesh, or of the mesh that a model was built from.
    #[arg(long)]
    full: bool,
    /// Where to write the motion: `.npz`, `.glb`, `.pc2`, `.pvd`, `.csv`, `.html` or `.png`.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    stepping: Stepping,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let output = args.output.as_deref().map(Output::of).transpose()?;
    args.output.as_deref().map_or(Ok(()), check_folder)?;
    let options = args.stepping.options()?;
    let Actor { mesh, mut subject, basis, scenario, mut warnings } = actor(args, output)?;
    let n = mesh.vertices.len();
    let initial = args.stepping.initial(&scenario, n)?;
    warnings.extend(scenario.idle());
    // Coordinates of every frame for a file, the displacement of the last one for a picture.
    let (mut frames, mut last): (Vec<f64>, Vec<f64>) = (Vec::new(), vec![0.0; 3 * n]);
    let mut stills = gallery::Stills::new(scenario.steps);
    let mut bar = context.bar();
    let mut see = |frame: Frame<'_>| match output {
        Some(Output::Motion(_)) => frames.extend_from_slice(frame.q),
        Some(Output::Html(_)) => {
            frame.displacement(&mut last);
            stills.see(frame.step, &last);
        }
        Some(Output::Picture(_)) => frame.displacement(&mut last),
        Some(Output::Table(_)) | None => {}
    };
    let begin = Instant::now();
    let onlookers = Onlookers {
        watch: &mut |p| bar.tell(p),
        frame: &mut see,
        stopwatch: Some(&mut || begin.elapsed().as_secs_f64()),
        keep: false,
    };
    let record = run_watched(subject.as_mut(), &scenario, &options, initial, onlookers)
        .with_context(|| args.stepping.scenario.display().to_string())?;
    warnings.extend(remarks(&record, &scenario, basis.is_none()));
    match output {
        Some(Output::Motion(path) | Output::Table(path)) => {
            let series = Series::of(&record);
            let (series, times) = (&series.borrow()[..], &record.times[..]);
            let table = matches!(output, Some(Output::Table(_)));
            let notes = match basis.filter(|_| !table) {
                Some(basis) => {
                    let (rank, basis) = (basis.rank(), basis.rows());
                    let all = motion::ReducedMotion { rest: &mesh, times, basis, rank, q: &frames, series };
                    motion::save_reduced(path, &all, &mut |p| bar.tell(p))?
                }
                None => {
                    let fill =
                        |k: usize, out: &mut [f64]| out.copy_from_slice(&frames[k * 3 * n..(k + 1) * 3 * n]);
                    let all = motion::Motion { rest: &mesh, times, displacement: &fill, series };
                    motion::save(path, &all, &mut |p| bar.tell(p))?
                }
            };
            warnings.extend(notes);
        }
        Some(Output::Html(path)) => {
            let page = gallery::simulation_page(&args.input, &mesh, &record, &stills, &warnings);
            io::write_whole(&[(path.to_owned(), page.into_bytes())])?;
        }
        Some(Output::Picture(path)) => {
            let picture = gallery::state_picture(&args.input, &mesh, &last, record.times.last().copied());
            io::write_whole(&[(path.to_owned(), picture.to_png())])?;
        }
        None => {}
    }
    drop(bar);
    let diverged = record.stopped.is_some() || record.exploded();
    let (median, p99) = (record.median_seconds(), record.quantile(0.99));
    let probes: serde_json::Map<_, _> =
        record.probes.iter().map(|(name, path)| (name.clone(), json!(path))).collect();
    let json = json!({
        "steps": record.iterations.len(),
        "dt": scenario.dt,
        "microseconds_per_step": { "median": median.map(|s| 1e6 * s), "p99": p99.map(|s| 1e6 * s) },
        "kinetic": record.kinetic,
        "elastic": record.elastic,
        "probes": probes,
        "newton_iterations": record.iterations.iter().sum::<usize>(),
        "diverged": diverged,
        "coordinates": subject.size(),
        "iterations_per_step": record.iterations,
        "largest_residual": record.residual,
        "halved_steps": record.halved,
        "energy_gain": record.gain,
        "warnings": warnings,
    });
    let status = context.notes(&warnings, diverged);
    context.report(&json, &text(&record, scenario.dt, median))?;
    Ok(status)
}

/// What moves, and how.
struct Actor {
    mesh: MeshData,
    subject: Box<dyn Subject>,
    /// Of a reduced model.
    basis: Option<Basis>,
    scenario: Scenario,
    warnings: Vec<String>,
}

/// Reads model or mesh, and the scenario.
fn actor(args: &Args, output: Option<Output<'_>>) -> anyhow::Result<Actor> {
    if model::is_model(&args.input) {
        if let Some(option) = args.body.given() {
            bail!("{option} belongs to `pliant build`: a model has its body already; leave it out");
        }
        let model = Arc::new(model::load(&args.input)?);
        let (mesh, n) = (model.mesh().clone(), model.mesh().vertices.len());
        let scenario = args.stepping.read(n)?;
        let here = || args.input.display().to_string();
        if args.full {
            check_room(output, scenario.steps, 3 * n)?;
            let full = Full::new(model.body().with_context(here)?, scenario.loads.clone())?;
            return Ok(Actor { mesh, subject: Box::new(full), basis: None, scenario, warnings: Vec::new() });
        }
        check_room(output, scenario.steps, model.basis().rank())?;
        let basis = Some(model.basis().clone());
        let reduced = Reduced::new(model, &scenario.loads).with_context(here)?;
        return Ok(Actor { mesh, subject: Box::new(reduced), basis, scenario, warnings: Vec::new() });
    }
    if !args.full {
        bail!(
            "{}: a mesh is simulated at full order; say so with `--full`, or `pliant build` a model of it first",
            args.input.display()
        );
    }
    let LoadedBody { mesh, body, warnings } = args.body.make(&args.input)?;
    let scenario = args.stepping.read(body.rest().len())?;
    check_room(output, scenario.steps, body.size())?;
    let full = Full::new(body, scenario.loads.clone())?;
    Ok(Actor { mesh, subject: Box::new(full), basis: None, scenario, warnings })
}

/// What to say of a run that gained energy.
pub(crate) const EXPLODED: &str = "the body has more than twice the energy that it was given: the motion explodes although \
                                   every step converged; take a smaller dt, some damping, or --integrator backward-euler";

/// What a user should know of a run; `full`: coordinates are those of vertices.
fn remarks(record: &Record, scenario: &Scenario, full: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for (what, lost) in [("displacement", record.lost[0]), ("velocity", record.lost[1])] {
        if lost > 1e-6 {
            warnings.push(format!(
                "{:.3} % of the initial {what} (by mass) is not in the basis of the model and was left out",
                100.0 * lost
            ));
        }
    }
    if let Some(stopped) = &record.stopped {
        let done = record.times.len() - 1;
        let place = if full { place(stopped) } else { String::new() };
        warnings.push(format!("{stopped}{place}; {done} of {} steps were done", scenario.steps));
    }
    if record.exploded() && record.unconverged > 0 {
        warnings.push(
            "the body has more than twice the energy that it was given: the motion explodes, and steps that ended above the \
             tolerance are why; allow more --iterations"
                .into(),
        );
    } else if record.exploded() {
        warnings.push(EXPLODED.into());
    }
    if record.unconverged > 0 {
        warnings.push(format!(
            "{} of {} steps ended above the tolerance, after at most {} iterations (largest residual {:.1e})",
            record.unconverged,
            record.iterations.len(),
            record.iterations.iter().max().unwrap_or(&0),
            record.residual
        ));
    }
    warnings
}

/// What the ending of the output asks for.
#[derive(Clone, Copy)]
enum Output<'a> {
    Motion(&'a Path),
    /// Energies and probes only.
    Table(&'a Path),
    Html(&'a Path),
    Picture(&'a Path),
}

impl<'a> Output<'a> {
    fn of(path: &'a Path) -> anyhow::Result<Self> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        Ok(match &*ending {
            "html" => Self::Html(path),
            "png" => Self::Picture(path),
            "csv" => Self::Table(path),
            _ if motion::ALL.iter().any(|f| f.extension == ending) => Self::Motion(path),
            _ => {
                let known: Vec<String> = motion::ALL.iter().map(|f| format!(".{}", f.extension)).collect();
                bail!("{}: expected an ending of {}, .html or .png", path.display(), known.join(", "))
            }
        })
    }
}

/// Where on the body a step failed: number 3v + c is coordinate c of vertex v.
fn place(error: &dynamics::StepError) -> String {
    match error {
        dynamics::StepError::NoConvergence { worst, .. }
        | dynamics::StepError::NotFinite { worst, .. }
        | dynamics::StepError::LoadNotFinite { worst, .. } => {
            format!(" (that is vertex {}, {})", worst / 3, ["x", "y", "z"][worst % 3])
        }
        _ => String::new(),
    }
}

/// Bytes that the frames of a motion may take.
const ROOM: usize = 8 << 30;

/// Refuses a motion that would not fit into memory before any of it is computed.
fn check_room(output: Option<Output<'_>>, steps: usize, numbers: usize) -> anyhow::Result<()> {
    let bytes = (steps + 1).saturating_mul(8 * numbers);
    if let Some(Output::Motion(path)) = output
        && bytes > ROOM
    {
        bail!(
            "{}: {} frames of {numbers} numbers take {:.1} GB, more than {} GB; take fewer steps, or write .csv or .html",
            path.display(),
            steps + 1,
            bytes as f64 / 1e9,
            ROOM >> 30
        );
    }
    Ok(())
}

/// Energies and probes by name, for files.
struct Series(Vec<(String, Vec<f64>)>);

impl Series {
    fn of(record: &Record) -> Self {
        let mut all = vec![
            ("kinetic".to_owned(), record.kinetic.clone()),
            ("elastic".to_owned(), record.elastic.clone()),
        ];
        for (name, path) in &record.probes {
            for (c, axis) in ["x", "y", "z"].iter().enumerate() {
                all.push((format!("{name}.{axis}"), path.iter().map(|u| u[c]).collect()));
            }
        }
        Self(all)
    }

    fn borrow(&self) -> Vec<motion::Series<'_>> {
        self.0.iter().map(|(name, values)| motion::Series { name: name.clone(), values }).collect()
    }
}

fn text(record: &Record, dt: f64, median: Option<f64>) -> String {
    let mut text = format!("steps           {} of {dt} s\n", record.iterations.len());
    if let Some(median) = median {
        let _ = match median < 1e-3 {
            true => writeln!(text, "a step          {:.1} µs (median)", 1e6 * median),
            false => writeln!(text, "a step          {:.3} ms (median)", 1e3 * median),
        };
    }
    let _ = writeln!(text, "iterations      {}", record.iterations.iter().sum::<usize>());
    if let (Some(kinetic), Some(elastic)) = (record.kinetic.last(), record.elastic.last()) {
        let _ = writeln!(text, "at the end      kinetic {kinetic:.6e} J, elastic {elastic:.6e} J");
    }
    for (name, path) in &record.probes {
        if let Some([x, y, z]) = path.last() {
            let _ = writeln!(text, "{name:<15} {x:.6e} {y:.6e} {z:.6e} m");
        }
    }
    text
}
