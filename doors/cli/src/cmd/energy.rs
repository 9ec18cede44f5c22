//! `pliant energy`: the full-order energy and its derivatives at one state.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pliant::energy::Tangent;
use pliant::linalg::par;
use pliant::mesh::io::arrays;
use serde_json::{Map, Value, json};

use crate::body::{BodyArgs, LoadedBody};
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
    let LoadedBody { body, mut warnings, .. } = args.body.make_fixed(&args.mesh, false)?;
    if args.body.fixes() {
        warnings
            .push("--fix has no effect here: energy, force and stiffness are those of all vertices".into());
    }
    let u = field(&args.displacement, body.rest().len())?;
    let here = || args.displacement.display().to_string();
    let energy = body.energy(&u).with_context(here)?;
    let mut force = vec![0.0; u.len()];
    body.force(&u, &mut force).with_context(here)?;
    if !(energy.is_finite() && force.iter().all(|f| f.is_finite())) {
        anyhow::bail!(
            "{}: energy or force is not a finite number at this state; displacements are in metres",
            here()
        );
    }
    let mut json = Map::new();
    json.insert("energy".into(), json!(energy));
    json.insert("force_norm".into(), json!(par::norm(&force)));
    json.insert("force_dot".into(), Value::Null);
    json.insert("stiffness_quadratic".into(), Value::Null);
    let mut text =
        format!("energy               {energy:.12e} J\nforce norm           {:.12e} N\n", par::norm(&force));
    if let Some(path) = &args.probe {
        let probe = field(path, body.rest().len())?;
        let mut stiffness = body.zero_matrix();
        body.stiffness(&u, Tangent::Exact, &mut stiffness).with_context(here)?;
        let (dot, quadratic) = (par::dot(&force, &probe), stiffness.quadratic(&probe));
        json.insert("force_dot".into(), json!(dot));
        json.insert("stiffness_quadratic".into(), json!(quadratic));
        text += &format!("probe · force        {dot:.12e}\nprobe · K probe      {quadratic:.12e}\n");
    }
    json.insert("warnings".into(), json!(warnings));
    context.warn(&warnings);
    context.answer(&Value::Object(json), &text)?;
    Ok(Status::Done)
}

/// An n×3 array of finite numbers.
fn field(path: &Path, vertices: usize) -> anyhow::Result<Vec<f64>> {
    let numbers = arrays::load(path, "displacement")?.expect_shape(path, "the array", &[vertices, 3])?;
    if let Some(k) = numbers.iter().position(|x| !x.is_finite()) {
        anyhow::bail!("{}: row {} holds {}; expected finite numbers", path.display(), k / 3, numbers[k]);
    }
    Ok(numbers)
}
