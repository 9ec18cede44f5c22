//! `pliant build`: the whole precomputation, from a mesh to a model file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::linalg::{Note, Watch, shown};
use pliant::mesh::io;
use pliant::reduce::basis::{self, Needs, pod};
use pliant::reduce::warp::WarpTraining;
use pliant::reduce::{Precompute, Reduction};
use pliant::report::model as report;
use pliant::sim::accuracy::Goal;
use pliant::world::facts::{Built, Fact, missed};
use pliant::world::{BodyOptions, FullBody, Holding};

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::{check_folder, check_page, ending};
use crate::memory::peak_memory_mb;
use crate::stepping::read_scenario;
use crate::watch::Stages;
use crate::{help, numbers};

/// `--scenario`.
const POD_SCENARIO: &str =
    "What the full body does for --basis pod: every step of this scenario is a snapshot";

/// Make a reduced model of a body, ready to move in microseconds.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant build dino.veg -o dino.pliant --fix 'y<5%'                  40 coordinates
  pliant build dino.veg -o dino.pliant --material stvk               exact polynomial forces
  pliant build dino.veg -o dino.pliant --basis extended --modes 15 --cubature 400
  pliant build dino.veg -o dino.pliant --accuracy 1                  as small as 1 % allows, and what more would buy
  pliant build dino.veg -o dino.pliant --basis pod --snapshots run.npz   from motions that were seen
  pliant build bunny.obj -o bunny.pliant --solid                     a solid of a closed surface
  pliant build bunny.ply -o bunny.pliant --ghost 5000                the energy of a coarse stand-in
  pliant build dino.veg -o dino.pliant --basis extended --warp           also moves linearly and is shown turning
  pliant build dino.veg -o dino.pliant --report dino.html            what was made, in pictures")]
pub(crate) struct Args {
    /// Mesh of the body; any format that `pliant formats` lists.
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// The model to write, a `.pliant` file.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    #[arg(long, value_name = "NAME", help = help::basis())]
    basis: Option<String>,
    /// Linear modes to start from; rigid ones are not counted [default: 20, or what there is].
    #[arg(long, value_name = "K", value_parser = numbers::count(1..=u32::MAX))]
    modes: Option<u32>,
    /// How many coordinates [default: 40 for derivatives and pod, or what there is; all for the others].
    #[arg(long, value_name = "R", value_parser = numbers::count(1..=u32::MAX))]
    rank: Option<u32>,
    /// Displacements for --basis pod: an .npz file with `displacement` (N, n, 3), as `pliant simulate --full` writes it.
    #[arg(long, value_name = "FILE.npz")]
    snapshots: Option<PathBuf>,
    #[arg(long, value_name = "FILE.toml", conflicts_with = "snapshots", help = help::scenario(POD_SCENARIO))]
    scenario: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = help::forces())]
    forces: Option<String>,
    /// Cubature points [default: 3 a coordinate, or all elements].
    #[arg(long, value_name = "S", value_parser = numbers::count(1..=u32::MAX))]
    cubature: Option<u32>,
    /// Training poses of the cubature; as many fresh ones validate it [default: 500].
    #[arg(long, value_name = "T", value_parser = numbers::count(1..=u32::MAX))]
    training: Option<u32>,
    /// How far training poses go: the mean of their largest displacements, as a part of the body's longest side
    /// [default: 0.1].
    #[arg(long, allow_negative_numbers = true, value_name = "PART")]
    pose_scale: Option<f64>,
    #[arg(long, value_name = "NAME", help = help::trainer())]
    trainer: Option<String>,
    /// A warp, for motions that are linear and shown turning: so many points [default: 150, or one a coordinate]. Its poses go
    /// as far as --pose-scale says [default: 0.3].
    #[arg(long, value_name = "S", num_args = 0..=1, value_parser = numbers::count(1..=u32::MAX))]
    warp: Option<Option<u32>>,
    /// Find the smallest model whose error, measured under loads and on pulls by a tenth of the body's size, is below
    /// this, per cent. What other options say is held, the rest is searched; without --fix the lowest 5 % are fixed.
    #[arg(long, allow_negative_numbers = true, value_name = "PERCENT")]
    accuracy: Option<f64>,
    /// Vertices of the ghost, a coarse stand-in whose energy is taken [default: a tenth of the body's, 200 to 10000].
    #[arg(long, value_name = "N", value_parser = numbers::size)]
    ghost: Option<usize>,
    /// A page that shows what was made.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// On that page also what other choices would have come to: bases, points, ghosts and solvers compared. Takes minutes.
    #[arg(long, requires = "report")]
    report_studies: bool,
    /// Make a solid of a surface first, about 9000 tets: filled where it encloses a volume, else enclosed. The surface is tied
    /// to it. Without this a surface is a shell, thin as paper.
    #[arg(long)]
    solid: bool,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    check(args)?;
    let say = |note: &Note| context.words().note(note);
    let here = || shown(&args.mesh);
    let (mut bar, mut stages, mut warnings) = (context.bar(), Stages::new(), Vec::new());
    let mut watch = |p| {
        stages.tell(p);
        bar.tell(p)
    };
    let mut options = BodyOptions { solid: args.solid, ..args.body.options()? };
    if args.accuracy.is_some() && !args.body.fixes() {
        options.holding = Holding::Usual;
    }
    let body = args.body.make(&args.mesh, &options, context, &mut warnings, &mut watch)?;
    warnings.extend(body.hollow().iter().map(say));
    let mut precompute = precompute(args, context.seed());
    if let Some(file) = args.snapshots.as_ref().or(args.scenario.as_ref()) {
        // What is wrong with the rest is said before a scenario runs for minutes.
        precompute.check(&body.body).with_context(here)?;
        let seen = snapshots(args, &body, &mut warnings, &mut watch)?;
        pod::check(&body.body, &seen).with_context(|| shown(file))?;
        precompute.snapshots = Some(Arc::new(seen));
    }
    let outcome = match args.accuracy {
        None => body.reduce(&precompute, &mut watch).map(|made| (made, None)),
        Some(percent) => {
            let goal = Goal { error: percent / 100.0, basis: args.basis.clone(), given: precompute };
            body.reduce_to(&goal, &mut watch).map(|found| (found.made, Some(found.report)))
        }
    };
    let (Reduction { model, warnings: more }, accuracy) = match outcome {
        // Not bad input: the work could not be done to the standard asked.
        Err(error) if error.is_missed() => return Ok(context.missed(&[format!("{}: {error}", here())])),
        other => other.with_context(here)?,
    };
    warnings.extend(context.words().notes(&more));
    warnings.extend(accuracy.as_ref().and_then(|report| missed(report, &say)));
    // The page is made before anything is written, so that an interrupt leaves both files or none.
    let mut page = None;
    if let Some(path) = &args.report {
        stages.begin("report");
        let (studies, watch) = (args.report_studies, &mut |p| bar.tell(p));
        let text = report::page(&args.mesh, &model, &body.body, &warnings, studies, &say, watch)?;
        page = Some((path.clone(), text.into_bytes()));
    }
    stages.begin("writing");
    model.write(&args.output)?;
    let bytes = std::fs::metadata(&args.output).with_context(|| shown(&args.output))?.len();
    if let Some(page) = page {
        io::write_whole(&[page]).with_context(|| {
            format!("{} is written and whole, the report on it is not", shown(&args.output))
        })?;
    }
    drop(bar);
    let (stages, accuracy) = (&stages.finish()[..], accuracy.as_ref());
    let built = Built { model: &model, stages, peak_memory_mb: peak_memory_mb(), bytes, accuracy };
    let mut facts = built.facts(&say);
    facts.push(Fact::new("seconds", start.elapsed().as_secs_f64()).unit("s"));
    context.reported(facts, warnings, body.differs || accuracy.is_some_and(|report| !report.met))
}

/// What cannot be is better known before the work than after it.
fn check(args: &Args) -> anyhow::Result<()> {
    if ending(&args.output) != "pliant" {
        bail!("{}: expected a name that ends in .pliant", shown(&args.output));
    }
    check_folder(&args.output)?;
    args.report.as_deref().map_or(Ok(()), check_page)?;
    if args.accuracy.is_some() && args.ghost.is_some() {
        bail!(
            "--accuracy searches cubature or cubic forces, --ghost asks for ghost forces; leave out one of the two"
        );
    }
    let basis = args.basis.as_deref().unwrap_or("derivatives");
    let of_modes = basis::find(basis).is_some_and(|entry| entry.needs == Needs::Modes);
    if of_modes && (args.snapshots.is_some() || args.scenario.is_some()) {
        bail!(
            "--snapshots and --scenario are for the basis pod; leave them out, or use --basis pod instead of {basis}"
        );
    }
    Ok(())
}

/// How the body is reduced; snapshots come later.
fn precompute(args: &Args, seed: u64) -> Precompute {
    let usual = Precompute::default();
    let count = |n: Option<u32>| n.map(|n| n as usize);
    Precompute {
        basis: args.basis.clone().unwrap_or(usual.basis),
        snapshots: None,
        modes: count(args.modes),
        rank: count(args.rank),
        forces: args.forces.clone(),
        points: count(args.cubature),
        poses: count(args.training),
        pose_scale: args.pose_scale,
        trainer: args.trainer.clone(),
        ghost: args.ghost,
        seed,
        warp: args.warp.map(|points| WarpTraining { points: count(points), ..WarpTraining::default() }),
        usual: usual.usual,
    }
}

/// Displacements for the basis pod, 3n entries each: of a file, or of the full body in a scenario.
fn snapshots(
    args: &Args,
    body: &FullBody,
    warnings: &mut Vec<String>,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Vec<f64>> {
    if let Some(path) = &args.snapshots {
        return Ok(body.snapshots(path)?);
    }
    let path = args.scenario.as_deref().unwrap_or(Path::new(""));
    let (scenario, initial) = read_scenario(path, body.mesh.vertices.len())?;
    let record = body.motion(&scenario, initial, watch).with_context(|| shown(path))?;
    if let Some(stopped) = record.stopped {
        let (file, states) = (shown(path), record.times.len());
        warnings.push(format!("{file}: {stopped}; the {states} states before it are the snapshots"));
    }
    Ok(record.frames.concat())
}
