//! `pliant compare`: a model and the full body on the same scenario.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::linalg::shown;
use pliant::mesh::io;
use pliant::reduce::Model;
use pliant::report::comparison as report;
use pliant::sim::{caution, compare_timed, usual_integrator};
use pliant::world::facts::of_comparison;

use crate::context::{Context, Status};
use crate::files::check_page;
use crate::stepping::Stepping;

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
    args.output.as_deref().map_or(Ok(()), check_page)?;
    let mut options = args.stepping.options()?;
    let model = Arc::new(Model::read(&args.model)?);
    if let Some(mesh) = &args.mesh
        && let Some(found) = model.differs_from(&io::load(mesh)?.mesh)
    {
        let (model, mesh) = (shown(&args.model), shown(mesh));
        bail!(
            "{model}: this model was built from another mesh: {mesh} has {found}; build a model of it with `pliant build {mesh} \
             -o MODEL.pliant`"
        );
    }
    args.stepping.suit(&mut options, usual_integrator(&model));
    let (scenario, initial) = args.stepping.read(model.mesh().vertices.len())?;
    context.caution(caution(&options, &model.materials()).map(|note| context.words().note(&note)));
    let mut bar = context.bar();
    let begin = Instant::now();
    let mut stopwatch = || begin.elapsed().as_secs_f64();
    let comparison =
        compare_timed(&model, &scenario, &options, initial, &mut |p| bar.tell(p), Some(&mut stopwatch))
            .with_context(|| shown(&args.stepping.scenario))?;
    let mut warnings = scenario.idle();
    warnings.extend(context.words().notes(&comparison.remarks(scenario.steps)));
    if let Some(path) = &args.output {
        let page = report::page(&args.model, &model, &comparison, &warnings, &mut |p| bar.tell(p))?;
        io::write_whole(&[(path.clone(), page.into_bytes())])?;
    }
    drop(bar);
    context.reported(of_comparison(&comparison), warnings, comparison.missed())
}
