//! `pliant modes`: the shapes and frequencies in which a body vibrates.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use pliant::linalg::eigen::EigenError;
use pliant::mesh::io::motion::modes as files;
use pliant::reduce::{ModalAnalysis, ReduceError, linear_modes};
use serde_json::json;

use crate::body::{BodyArgs, LoadedBody, check_folder};
use crate::context::{Context, Status};
use crate::gallery;

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
    #[arg(long, value_name = "K", default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    modes: u32,
    /// Where to write them: `.npz`, `.glb` or `.html`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    let html =
        args.output.as_ref().is_some_and(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")));
    args.output.as_deref().map_or(Ok(()), check_folder)?;
    if let Some(path) = args.output.as_ref().filter(|_| !html) {
        files::check_ending(path)?;
    }
    let LoadedBody { mesh, body, mut warnings } = args.body.make(&args.mesh)?;
    let mut bar = context.bar();
    let found = match linear_modes(&body, args.modes as usize, &mut |p| bar.tell(p)) {
        // Not bad input: the work could not be done to the standard asked.
        Err(ReduceError::Eigen(error @ EigenError::NotConverged { .. })) => {
            return Ok(context.missed(&[format!("{}: {error}", args.mesh.display())]));
        }
        other => other.with_context(|| args.mesh.display().to_string())?,
    };
    let seconds = start.elapsed().as_secs_f64();
    warnings.extend(found.warnings.iter().map(crate::words::note));
    if let Some(path) = &args.output {
        if html {
            let page = gallery::modes_page(&args.mesh, &mesh, &body, &found, &mut |p| bar.tell(p))?;
            pliant::mesh::io::write_whole(&[(path.clone(), page.into_bytes())])?;
        } else {
            warnings.extend(files::save(path, &mesh, &found.modes)?);
        }
    }
    drop(bar);
    let json = json!({
        "eigenvalues": found.modes.eigenvalues,
        "frequencies_hz": found.modes.frequencies_hz(),
        "rigid_modes": found.rigid.len(),
        "residuals": found.residuals,
        "seconds": seconds,
        "vertices": body.rest().len(),
        "degrees_of_freedom": body.dofs().free().len(),
        "warnings": warnings,
    });
    context.warn(&warnings);
    context.answer(&json, &text(&found, seconds))?;
    Ok(Status::Done)
}

fn text(found: &ModalAnalysis, seconds: f64) -> String {
    let mut text = format!("rigid modes     {}\n\n  mode        hertz     residual\n", found.rigid.len());
    for (k, (f, r)) in found.modes.frequencies_hz().iter().zip(&found.residuals).enumerate() {
        let _ = writeln!(text, "{:>6} {f:>12.6} {r:>12.1e}", k + 1);
    }
    let _ = writeln!(text, "\n{seconds:.2} s");
    text
}
