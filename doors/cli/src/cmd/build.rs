//! `pliant build`: the whole precomputation, from a mesh to a model file.

mod accuracy;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::dynamics;
use pliant::energy::Recipe;
use pliant::linalg::Watch;
use pliant::linalg::eigen::EigenError;
use pliant::mesh::io::arrays;
use pliant::mesh::{Elements, MeshData, topology};
use pliant::reduce::basis::{self, Needs, pod};
use pliant::reduce::{Model, Precompute, ReduceError, Reduction};
use pliant::sim::accuracy::Goal;
use pliant::sim::{Full, RunOptions, SimError};
use pliant::world::{Form, Holding, Open};
use serde_json::json;

use crate::body::{BodyArgs, check_folder};
use crate::context::{Context, Status};
use crate::help;
use crate::memory::peak_memory_mb;
use crate::report;
use crate::stepping;
use crate::watch::Stages;
use crate::words;

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
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    modes: Option<u32>,
    /// How many coordinates [default: 40 for derivatives and pod, or what there is; all for the others].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    rank: Option<u32>,
    /// Displacements for --basis pod: an .npz file with `displacement` (N, n, 3), as `pliant simulate --full` writes it.
    #[arg(long, value_name = "FILE.npz")]
    snapshots: Option<PathBuf>,
    /// What the full body does for --basis pod: every step of this scenario is a snapshot.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "snapshots")]
    scenario: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = help::forces())]
    forces: Option<String>,
    /// Cubature points [default: 3 a coordinate, or all elements].
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..))]
    cubature: Option<u32>,
    /// Training poses of the cubature; as many fresh ones validate it [default: 500].
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..))]
    training: Option<u32>,
    /// How far training poses go: the mean of their largest displacements, as a part of the body's longest side
    /// [default: 0.1].
    #[arg(long, allow_negative_numbers = true, value_name = "PART")]
    pose_scale: Option<f64>,
    #[arg(long, value_name = "NAME", help = help::trainer())]
    trainer: Option<String>,
    /// Find the smallest model whose error, measured on fresh poses and on a pull by a tenth of the body's size, is below
    /// this, per cent. What other options say is held, the rest is searched; without --fix the lowest 5 % are fixed.
    #[arg(long, allow_negative_numbers = true, value_name = "PERCENT")]
    accuracy: Option<f64>,
    /// Vertices of the ghost, a coarse stand-in whose energy is taken [default: a tenth of the body's, 200 to 10000].
    #[arg(long, value_name = "N")]
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
    let ends = |path: &PathBuf, with: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(with));
    if !ends(&args.output, "pliant") {
        bail!("{}: expected a name that ends in .pliant", args.output.display());
    }
    if let Some(report) = args.report.as_ref().filter(|r| !ends(r, "html")) {
        bail!("{}: a report is a page: expected a name that ends in .html", report.display());
    }
    if args.accuracy.is_some() && args.ghost.is_some() {
        bail!(
            "--accuracy searches cubature or cubic forces, --ghost asks for ghost forces; leave out one of the two"
        );
    }
    check_folder(&args.output)?;
    args.report.as_deref().map_or(Ok(()), check_folder)?;
    let usual = Precompute::default();
    let mut bar = context.bar();
    let mut stages = Stages::new();
    let mut watch = |p| {
        stages.tell(p);
        bar.tell(p)
    };
    let mut form = |mesh, warnings: &mut _| formed(args.solid, mesh, warnings, &mut watch);
    let (made, recipe) = match args.accuracy {
        Some(_) => args.body.make_held(&args.mesh, &mut form)?,
        None => args.body.make_with_recipe(&args.mesh, &mut form)?,
    };
    let mut warnings = made.warnings;
    let mut precompute = Precompute {
        basis: args.basis.clone().unwrap_or(usual.basis),
        snapshots: None,
        modes: args.modes.map(|k| k as usize),
        rank: args.rank.map(|r| r as usize),
        forces: args.forces.clone(),
        points: args.cubature.map(|s| s as usize),
        poses: args.training.map(|t| t as usize),
        pose_scale: args.pose_scale,
        trainer: args.trainer.clone(),
        ghost: args.ghost,
        seed: context.seed(),
        usual: usual.usual,
    };
    if args.snapshots.is_some() || args.scenario.is_some() {
        // What is wrong with the rest is said before a scenario runs for minutes.
        precompute.check(&made.body).with_context(|| args.mesh.display().to_string())?;
        precompute.snapshots = snapshots(args, &recipe, &made.mesh, &mut warnings, &mut watch)?.map(Arc::new);
        let from = args.snapshots.as_ref().or(args.scenario.as_ref());
        let name = from.map_or_else(String::new, |path| path.display().to_string());
        pod::check(&made.body, precompute.snapshots.as_ref().map_or(&[], |s| s)).with_context(|| name)?;
    }
    let outcome = match args.accuracy {
        None => precompute
            .reduce(made.mesh, recipe, &made.body, &mut watch)
            .map(|made| (made, None))
            .map_err(SimError::from),
        Some(percent) => {
            let goal = Goal { error: percent / 100.0, basis: args.basis.clone(), given: precompute };
            goal.build(made.mesh, recipe, &mut watch).map(|found| (found.made, Some(found.report)))
        }
    };
    let (reduced, accuracy) = match outcome {
        // Not bad input: the work could not be done to the standard asked.
        Err(SimError::Reduce(ReduceError::Eigen(error @ EigenError::NotConverged { .. }))) => {
            return Ok(context.missed(&[format!("{}: {error}", args.mesh.display())]));
        }
        other => other.with_context(|| args.mesh.display().to_string())?,
    };
    let Reduction { model, warnings: more } = reduced;
    warnings.extend(more.iter().map(words::note));
    let training = model.facts().training.as_ref();
    let accurate = accuracy.as_ref().is_none_or(|report| report.met);
    warnings.extend(accuracy.as_ref().and_then(accuracy::missed));
    // The page is made before anything is written, so that an interrupt leaves both files or none.
    let mut page = None;
    if let Some(path) = &args.report {
        stages.begin("report");
        let (studies, body) = (args.report_studies, &made.body);
        let text = report::model_page(&args.mesh, &model, body, &warnings, studies, &mut |p| bar.tell(p))?;
        page = Some((path.clone(), text.into_bytes()));
    }
    stages.begin("writing");
    model.write(&args.output)?;
    let bytes = std::fs::metadata(&args.output).with_context(|| args.output.display().to_string())?.len();
    if let Some(page) = page {
        pliant::mesh::io::write_whole(&[page]).with_context(|| {
            format!("{} is written and whole, the report on it is not", args.output.display())
        })?;
    }
    drop(bar);
    let stages = stages.finish();
    let json = json!({
        "rank": model.basis().rank(),
        "modes": model.facts().eigenvalues.len(),
        "frequencies_hz": model.frequencies_hz(),
        "singular_values": model.facts().singular_values,
        "forces": model.force().name(),
        "cubature_points": model.force().size("cubature_points"),
        "ghost_vertices": model.force().size("ghost_vertices"),
        "training_error": training.map(|t| t.training_error),
        "validation_error": training.map(|t| t.validation_error),
        "stages": stages.iter().map(|(name, s)| (name.clone(), json!(s))).collect::<serde_json::Map<_, _>>(),
        "peak_memory_mb": peak_memory_mb(),
        "bytes": bytes,
        "basis": model.facts().basis,
        "affine": model.facts().affine,
        "dropped": model.facts().dropped,
        "material": model.materials(),
        "accuracy": accuracy.as_ref().map(accuracy::json),
        "seconds": start.elapsed().as_secs_f64(),
        "warnings": warnings,
    });
    let status = context.notes(&warnings, !accurate);
    let told = accuracy.as_ref().map(accuracy::text).unwrap_or_default();
    context.report(&json, &(text(&model, &stages, bytes) + &told))?;
    Ok(status)
}

/// With `--solid` a solid of a surface; without, a word about a surface that could be one.
fn formed(
    solid: bool,
    mesh: MeshData,
    warnings: &mut Vec<String>,
    watch: &mut Watch<'_>,
) -> anyhow::Result<MeshData> {
    match (&mesh.elements, solid) {
        (Elements::Tets(_), true) => {
            bail!("--solid makes a solid of a surface, but this mesh is a solid already; leave it out")
        }
        (Elements::Tets(_), false) => Ok(mesh),
        (Elements::Faces(_), true) => {
            let open = Open { form: Form::Solid, holding: Holding::Recipe, ..Open::default() };
            let prepared = open.prepare(mesh, watch)?;
            warnings.extend(prepared.notes.iter().map(words::note));
            Ok(prepared.mesh)
        }
        (Elements::Faces(faces), false) => {
            if topology::is_closed(faces) {
                let shell = "the surface encloses a volume and is reduced as a shell, thin as paper; `--solid` fills it";
                warnings.push(shell.into());
            }
            Ok(mesh)
        }
    }
}

/// Displacements for the basis pod, 3n entries each: of a file, or of the full body in a scenario.
fn snapshots(
    args: &Args,
    recipe: &Recipe,
    mesh: &MeshData,
    warnings: &mut Vec<String>,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Option<Vec<f64>>> {
    let n = mesh.vertices.len();
    // What no basis but pod takes is refused before a scenario runs for minutes.
    let basis = args.basis.as_deref().unwrap_or("derivatives");
    let of_modes = basis::find(basis).is_some_and(|entry| entry.needs == Needs::Modes);
    if of_modes && (args.snapshots.is_some() || args.scenario.is_some()) {
        bail!(
            "--snapshots and --scenario are for the basis pod; leave them out, or use --basis pod instead of {basis}"
        );
    }
    if let Some(path) = &args.snapshots {
        return read_snapshots(path, mesh).map(Some);
    }
    let Some(path) = &args.scenario else { return Ok(None) };
    let here = || path.display().to_string();
    let (scenario, initial) = stepping::read_scenario(path, n)?;
    let body = recipe.build(mesh.clone())?;
    let mut full = Full::new(body, scenario.loads.clone())?;
    let mut frames = Vec::new();
    let options = RunOptions { integrator: "newmark".into(), solver: dynamics::Options::default() };
    let record = pliant::sim::run(&mut full, &scenario, &options, initial, watch, &mut |frame| {
        frames.extend_from_slice(frame.q);
    })
    .with_context(here)?;
    if let Some(stopped) = record.stopped {
        warnings.push(format!(
            "{}: {stopped}; the {} states before it are the snapshots",
            path.display(),
            record.times.len()
        ));
    }
    Ok(Some(frames))
}

/// `displacement` of a file, which is of this mesh as far as the file tells.
fn read_snapshots(path: &Path, mesh: &MeshData) -> anyhow::Result<Vec<f64>> {
    let n = mesh.vertices.len();
    let here = path.display();
    let zipped = std::fs::read(path).with_context(|| here.to_string())?.starts_with(b"PK");
    if zipped {
        let npz = arrays::Npz::open(path)?;
        if !npz.has("displacement") && npz.has("q") {
            bail!(
                "{here}: the motion of a reduced model, which moves in its own basis only; snapshots are displacements of the full \
                 body: run it with `pliant simulate --full`"
            );
        }
        if npz.has("rest") {
            let rest = npz.get("rest")?;
            let [low, high] = mesh.bounds();
            let near = 1e-6 * (high - low).max();
            let flat = mesh.vertices.iter().flat_map(|p| <[f64; 3]>::from(*p));
            let same = rest.shape == [n, 3] && rest.data.iter().zip(flat).all(|(a, b)| (a - b).abs() <= near);
            if !same {
                bail!(
                    "{here}: its rest positions are not those of the mesh: the snapshots are of another mesh, or of this one in \
                     another size or place; run the full body of this mesh again"
                );
            }
        }
    }
    let array = arrays::load(path, "displacement")?;
    if array.shape.len() != 3 || array.shape[1..] != [n, 3] {
        bail!(
            "{here}: `displacement` has the shape {:?}; expected (N, {n}, 3), N states of the {n} vertices of the mesh: are they of \
             another mesh?",
            array.shape
        );
    }
    Ok(array.data)
}

fn text(model: &Model, stages: &[(String, f64)], bytes: u64) -> String {
    let source = match model.facts().eigenvalues.len() {
        0 => model.facts().basis.clone(),
        modes => format!("{} from {modes} modes", model.facts().basis),
    };
    let mut text = format!("coordinates     {} ({source})\n", model.basis().rank());
    let _ = match (&model.facts().training, model.force().size("cubature_points")) {
        (Some(training), Some(points)) => writeln!(
            text,
            "forces          {}, {points} points, error {:.2} % in training, {:.2} % on fresh poses",
            model.force().name(),
            100.0 * training.training_error,
            100.0 * training.validation_error
        ),
        _ => match model.force().size("ghost_vertices") {
            Some(n) => writeln!(text, "forces          {}, {n} vertices", model.force().name()),
            None => writeln!(text, "forces          {}", model.force().name()),
        },
    };
    let _ = writeln!(text, "size            {:.2} MB\n", bytes as f64 / 1e6);
    for (stage, seconds) in stages {
        let _ = writeln!(text, "{stage:<24} {seconds:>8.2} s");
    }
    text
}
