//! `pliant modes`: the shapes and frequencies in which a body vibrates.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use pliant::linalg::{Note, shown};
use pliant::report::modes as report;
use pliant::world::facts::of_modes;

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::check_folder;
use crate::numbers;

/// The lowest vibration modes of a body.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant modes dino.veg --modes 20 --fix 'y<5%'                twenty modes of a body that stands
  pliant modes dino.veg --modes 12 -o modes.html               a gallery: pictures, frequencies, effective mass
  pliant modes bar.msh --modes 5 --young 2.1e11 --poisson 0.3 --density 7850 --json
  pliant modes cloth.obj --modes 10 -o modes.npz               a surface; arrays for NumPy
  pliant modes dino.veg --modes 8 -o modes.glb                 one animation for each mode")]
pub(crate) struct Args {
    /// Mesh of the body; any format that `pliant formats` lists.
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// How many modes; rigid ones are not counted.
    #[arg(long, value_name = "K", default_value = "20", value_parser = numbers::count(1..=u32::MAX))]
    modes: u32,
    /// Where to write them: `.npz`, `.glb` or `.html`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    if let Some(path) = &args.output {
        check_folder(path)?;
        report::check_ending(path)?;
    }
    let here = || shown(&args.mesh);
    let mut bar = context.bar();
    let mut watch = |p| bar.tell(p);
    let mut warnings = Vec::new();
    let body = args.body.make(&args.mesh, &args.body.options()?, context, &mut warnings, &mut watch)?;
    let modes = match body.vibration(args.modes as usize, &mut watch) {
        // Not bad input: the work could not be done to the standard asked.
        Err(error) if error.is_missed() => return Ok(context.missed(&[format!("{}: {error}", here())])),
        other => other.with_context(here)?,
    };
    let facts = of_modes(&body, &modes, start.elapsed().as_secs_f64());
    let words = context.words();
    warnings.extend(words.notes(&modes.warnings));
    if let Some(path) = &args.output {
        let say = |note: &Note| words.note(note);
        warnings.extend(report::save(path, &args.mesh, &body, &modes, &facts, &say, &mut watch)?);
    }
    drop(bar);
    context.done(facts, warnings)
}
