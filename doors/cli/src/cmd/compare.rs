//! `pliant compare`: a model and the full body on the same scenario.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::mesh::{MeshData, io};
use pliant::reduce::Model;
use pliant::sim::{Comparison, Record, compare_timed};
use serde_json::json;

use crate::body::check_folder;
use crate::context::{Context, Status};
use crate::stepping::Stepping;
use crate::{model, report};

/// A reduced model beside the full body: error, frequencies, speed.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant compare dino.pliant pull.toml                     how far the model is off, and how much faster it is
  pliant compare dino.pliant pull.toml -o compare.html     curves of both, the cubature, the shapes of the basis
  pliant compare dino.pliant pull.toml --mesh dino.veg     make sure that it was built from that mesh")]
pub(crate) struct Args {
    /// Reduced model (`.pliant`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The mesh that the model must have been built from.
    #[arg(long, value_name = "MESH")]
    mesh: Option<PathBuf>,
    /// A page that shows both.
    #[arg(short, long, value_name = "REPORT.html")]
    output: Option<PathBuf>,
    #[command(flatten)]
    stepping: Stepping,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    if let Some(path) = &args.output {
        if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("html")) {
            bail!("{}: a report is a page: expected a name that ends in .html", path.display());
        }
        check_folder(path)?;
    }
    let options = args.stepping.options()?;
    let model = Arc::new(model::load(&args.model)?);
    if let Some(mesh) = &args.mesh {
        check_mesh(&args.model, &model, mesh, &io::load(mesh)?.mesh)?;
    }
    let n = model.mesh().vertices.len();
    let scenario = args.stepping.read(n)?;
    let initial = args.stepping.initial(&scenario, n)?;
    let mut warnings = scenario.idle();
    let mut bar = context.bar();
    let begin = Instant::now();
    let mut stopwatch = || begin.elapsed().as_secs_f64();
    let comparison =
        compare_timed(&model, &scenario, &options, initial, &mut |p| bar.tell(p), Some(&mut stopwatch))
            .with_context(|| args.stepping.scenario.display().to_string())?;
    for (which, record) in [("full", &comparison.full), ("reduced", &comparison.reduced)] {
        if let Some(stopped) = &record.stopped {
            let done = record.times.len() - 1;
            warnings.push(format!(
                "the {which} run ended early: {stopped}; {done} of {} steps were done",
                scenario.steps
            ));
        }
    }
    for (which, record) in [("full", &comparison.full), ("reduced", &comparison.reduced)] {
        if record.exploded() {
            warnings.push(format!("{which} run: {}", super::simulate::EXPLODED));
        }
    }
    if let Some(path) = &args.output {
        let page =
            report::comparison_page(&args.model, &model, &comparison, &warnings, &mut |p| bar.tell(p))?;
        io::write_whole(&[(path.clone(), page.into_bytes())])?;
    }
    drop(bar);
    let microseconds = |record: &Record| record.median_seconds().map(|s| 1e6 * s);
    let of_the_body = &comparison.of_the_body;
    let diverged = [&comparison.full, &comparison.reduced].map(|r| r.stopped.is_some() || r.exploded());
    let json = json!({
        "relative_l2_mean": comparison.relative_l2_mean(),
        "relative_l2_max": comparison.relative_l2_max(),
        "frequency_error": comparison.frequency_error(),
        "speedup": comparison.speedup(),
        "of_the_body_mean": of_the_body.iter().sum::<f64>() / of_the_body.len() as f64,
        "of_the_body_max": of_the_body.iter().copied().fold(0.0, f64::max),
        "microseconds_per_step": {
            "full": microseconds(&comparison.full),
            "reduced": microseconds(&comparison.reduced),
        },
        "steps": comparison.relative_l2.len() - 1,
        "diverged": { "full": diverged[0], "reduced": diverged[1] },
        "warnings": warnings,
    });
    let status = context.notes(&warnings, diverged.contains(&true));
    context.report(&json, &text(&comparison))?;
    Ok(status)
}

/// Refuses a mesh that the model was not built from.
fn check_mesh(path: &Path, model: &Model, mesh_path: &Path, mesh: &MeshData) -> anyhow::Result<()> {
    let own = &model.mesh();
    let found = if own.vertices.len() != mesh.vertices.len() {
        format!("{} vertices, the model has {}", mesh.vertices.len(), own.vertices.len())
    } else if own.elements != mesh.elements {
        "other elements than the model".to_owned()
    } else {
        // The model may have been scaled: what counts is the shape.
        let size = |m: &MeshData| (m.bounds()[1] - m.bounds()[0]).max();
        let (scale, low, own_low) = (size(own) / size(mesh), mesh.bounds()[0], own.bounds()[0]);
        let off = |(a, b): (&pliant::linalg::Vec3, &pliant::linalg::Vec3)| {
            ((b - low) * scale - (a - own_low)).norm()
        };
        let worst = own.vertices.iter().zip(&mesh.vertices).map(off).fold(0.0, f64::max);
        if worst <= 1e-9 * size(own) {
            return Ok(());
        }
        format!("vertices up to {worst:.3e} m away from those of the model")
    };
    bail!(
        "{}: this model was built from another mesh: {} has {found}; build a model of it with `pliant build {} -o \
         MODEL.pliant`",
        path.display(),
        mesh_path.display(),
        mesh_path.display()
    )
}

fn text(comparison: &Comparison) -> String {
    let body = &comparison.of_the_body;
    let mut text = format!(
        "error           {:.3} % of the motion on average, {:.3} % at most\n",
        100.0 * comparison.relative_l2_mean(),
        100.0 * comparison.relative_l2_max()
    );
    text += &format!(
        "of the body     {:.5} on average, {:.5} at most\n",
        body.iter().sum::<f64>() / body.len() as f64,
        body.iter().copied().fold(0.0, f64::max)
    );
    text += &format!("frequencies     off by {:.3} % at most\n", 100.0 * comparison.frequency_error());
    if let Some(speedup) = comparison.speedup() {
        text += &format!("a step          {speedup:.0} times faster\n");
    }
    text
}
