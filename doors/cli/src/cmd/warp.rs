//! `pliant warp`: a linear displacement as one that turns.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::linalg::{ignore_progress, shown};
use pliant::reduce::Model;
use pliant::report::warp as report;
use pliant::world::facts::of_warp;
use pliant::world::open::is_model;
use pliant::world::{FullBody, field};

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::check_folder;

/// Warp a linear displacement, so that what turns does not swell.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant warp bar.veg --displacement u.npy --fix 'x<1%' -o q.npy     all vertices of a solid
  pliant warp cloth.obj --displacement u.npy -o warped.glb           of a surface, as a mesh
  pliant warp dino.pliant --displacement u.npy -o warped.png         the body that a model was built from
  pliant warp bar.veg --displacement u.npy --json                    how much it swelled, and how far it turns

The same for a model in motion: `pliant build --warp`, then `pliant simulate --motion warped`.")]
pub(crate) struct Args {
    /// Mesh of the body, or a reduced model, whose body is warped with all its vertices.
    #[arg(value_name = "MESH|MODEL")]
    input: PathBuf,
    /// The linear displacement: n×3 numbers in metres, a NumPy array. Zero where the body is fixed.
    #[arg(long, value_name = "FILE.npy")]
    displacement: PathBuf,
    /// Where to write the warped one: `.npy` (n×3, metres), a mesh (`.obj`, `.glb` and others), or a picture (`.png`).
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    if let Some(path) = &args.output {
        check_folder(path)?;
        report::check_ending(path)?;
    }
    let mut warnings = Vec::new();
    let body = body(args, context, &mut warnings)?;
    let linear = field(&args.displacement, "displacement", body.mesh.vertices.len())?;
    let start = Instant::now();
    let warped = body.warped(&linear).with_context(|| shown(&args.displacement))?;
    let facts = of_warp(&body, &warped, start.elapsed().as_secs_f64());
    if let Some(path) = &args.output {
        warnings.extend(report::save(path, &args.input, &body, &warped)?);
        return context.reported(facts, warnings, false);
    }
    context.done(facts, warnings)
}

fn body(args: &Args, context: &Context, warnings: &mut Vec<String>) -> anyhow::Result<FullBody> {
    if !is_model(&args.input) {
        return args.body.make(&args.input, &args.body.options()?, context, warnings, &mut ignore_progress);
    }
    if let Some(option) = args.body.given() {
        bail!("{option} belongs to `pliant build`: a model has its body already; leave it out");
    }
    FullBody::of_model(&Model::read(&args.input)?).with_context(|| shown(&args.input))
}
