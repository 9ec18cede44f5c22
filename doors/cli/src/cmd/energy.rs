//! `pliant energy`: the full-order energy and its derivatives at one state.

use std::path::PathBuf;

use anyhow::Context as _;
use pliant::linalg::{ignore_progress, shown};
use pliant::world::facts::of_state;
use pliant::world::{BodyOptions, Holding, field};

use crate::body::BodyArgs;
use crate::context::{Context, Status};

/// The energy of a body at one state, with no vertex removed.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant energy bar.veg --displacement u.npy                      W(u), 0 at rest
  pliant energy bar.veg --displacement u.npy --probe v.npy --json also v·f_int and vᵀKv
  pliant energy cloth.obj --displacement u.npy --bend 0.01 --membrane 100")]
pub(crate) struct Args {
    /// Mesh of the body; any format that `pliant formats` lists.
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// The state: n×3 displacements in metres, a NumPy array.
    #[arg(long, value_name = "FILE.npy")]
    displacement: PathBuf,
    /// A direction: n×3 numbers, a NumPy array.
    #[arg(long, value_name = "FILE.npy")]
    probe: Option<PathBuf>,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    // Nothing is held here: forces of fixed vertices are what an engineer asks for.
    let options = BodyOptions { holding: Holding::Recipe, ..args.body.options()? };
    let mut warnings = Vec::new();
    let body = args.body.make(&args.mesh, &options, context, &mut warnings, &mut ignore_progress)?;
    if args.body.fixes() {
        warnings
            .push("--fix has no effect here: energy, force and stiffness are those of all vertices".into());
    }
    let read = |path: &PathBuf| field(path, "displacement", body.mesh.vertices.len());
    let (state, probe) = (read(&args.displacement)?, args.probe.as_ref().map(read).transpose()?);
    let at = body.at_state(&state, probe.as_deref()).with_context(|| shown(&args.displacement))?;
    context.done(of_state(&at), warnings)
}
