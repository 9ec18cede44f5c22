//! `pliant edit`: a shape that follows handles.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::edit::{Options, Request, Source, check_ending, read, usual_model, with_responses};
use pliant::linalg::{Watch, shown};
use pliant::reduce::{Model, Precompute};
use pliant::world::open::is_model;
use pliant::world::{FullBody, OpenError};

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::check_folder;
use crate::{help, numbers};

/// Edit a shape by handles: regions that stay, or are moved and turned, and a body that takes the shape which costs it least.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant edit bar.off bar.def -o twisted.obj              a .sel beside the .def says which vertices are handles
  pliant edit hand.obj wave.toml -o wave.glb              handles of a TOML file
  pliant build hand.obj -o hand.pliant --forces ghost     once, and then every edit takes milliseconds
  pliant edit hand.pliant wave.toml -o wave.png
  pliant edit bar.off bar.def -o slow.obj --full          all vertices, without a model
  pliant edit bar.off bar.def -o both.html --compare      how far the model is off")]
pub(crate) struct Args {
    /// Reduced model (`.pliant`), or the mesh of a body, which is then reduced first.
    #[arg(value_name = "MODEL|MESH")]
    input: PathBuf,
    /// Handles: a .toml, or a .def with a .sel of the same name beside it.
    #[arg(value_name = "HANDLES")]
    handles: PathBuf,
    /// The shape: a mesh (`.obj`, `.ply`, `.glb` and others), a picture (`.png`), a page (`.html`).
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// How stiff a handle is as a whole, N/m [default: 100 times what its region resists].
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    stiffness: Option<f64>,
    /// In how many steps handles go their way [default: turns of at most 10 degrees, moves of at most 5 % of the body].
    #[arg(long, value_name = "N", value_parser = numbers::size)]
    steps: Option<usize>,
    /// How it is minimised: newton, bfgs, bfgs-cold, steepest [default: bfgs; newton with --full].
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// When it has converged.
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    epsilon: f64,
    /// At most so many iterations a step.
    #[arg(long, value_name = "N", default_value = "500", value_parser = numbers::size)]
    iterations: usize,
    /// All vertices, by Newton's method, without a model.
    #[arg(long, conflicts_with = "compare")]
    full: bool,
    /// All vertices, too, to see how far the model is off.
    #[arg(long)]
    compare: bool,
    /// Twelve coordinates more for each handle: how the body responds to it. For details that few modes do not know.
    #[arg(long, conflicts_with = "full")]
    responses: bool,
    #[arg(long, value_name = "NAME", help = help::basis())]
    basis: Option<String>,
    /// Of a mesh: linear modes to start from [default: 15].
    #[arg(long, value_name = "K", value_parser = numbers::count(1..=u32::MAX))]
    modes: Option<u32>,
    /// Of a mesh: how many coordinates [default: 67].
    #[arg(long, value_name = "R", value_parser = numbers::count(1..=u32::MAX))]
    rank: Option<u32>,
    #[arg(long, value_name = "NAME", help = help::forces())]
    forces: Option<String>,
    /// Of a mesh: vertices of the ghost, a coarse stand-in whose energy is taken [default: 1000 of a surface].
    #[arg(long, value_name = "N", value_parser = numbers::size)]
    ghost: Option<usize>,
    #[command(flatten)]
    body: BodyArgs,
}

impl Args {
    fn request(&self) -> Request {
        let usual = Options::default();
        let options = Options {
            solver: self.solver.clone().unwrap_or(usual.solver),
            epsilon: self.epsilon,
            iterations: self.iterations,
            stiffness: self.stiffness,
        };
        Request { options, steps: self.steps, full: self.full, compare: self.compare }
    }

    /// An option that says how a mesh is reduced, if one was given.
    fn reduces(&self) -> Option<&'static str> {
        let options = [
            ("--basis", self.basis.is_some()),
            ("--modes", self.modes.is_some()),
            ("--rank", self.rank.is_some()),
            ("--forces", self.forces.is_some()),
            ("--ghost", self.ghost.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// How a mesh is reduced.
    fn precompute(&self, body: &FullBody, seed: u64) -> Precompute {
        let usual = usual_model(&body.body);
        let count = |n: Option<u32>, usual: Option<usize>| n.map(|n| n as usize).or(usual);
        let forces = self.forces.clone();
        let ghosts = forces.is_none() || forces.as_deref() == Some("ghost");
        Precompute {
            basis: self.basis.clone().unwrap_or(usual.basis),
            modes: count(self.modes, usual.modes),
            // What another basis or other modes come to is for them to say.
            rank: count(self.rank, usual.rank.filter(|_| self.basis.is_none() && self.modes.is_none())),
            forces: forces.or(usual.forces),
            ghost: self.ghost.or(usual.ghost.filter(|_| ghosts)),
            seed,
            ..usual
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let start = Instant::now();
    let request = args.request();
    request.check()?;
    if let Some(path) = &args.output {
        check_folder(path)?;
        check_ending(path)?;
    }
    let here = || shown(&args.input);
    let mut bar = context.bar();
    let mut watch = |p| bar.tell(p);
    let mut warnings = Vec::new();
    let (body, model, scale) = subject(args, context, &mut warnings, &mut watch)?;
    let handles = read(&args.handles, &body.mesh, scale)?;
    pliant::edit::check(&handles, &body.body).with_context(|| shown(&args.handles))?;
    let model = match model {
        Some(model) => Some(model),
        None if args.full => None,
        None => {
            let precompute = args.precompute(&body, context.seed());
            let made = match body.reduce(&precompute, &mut watch) {
                Err(error) if error.is_missed() => {
                    return Ok(context.missed(&[format!("{}: {error}", here())]));
                }
                other => other.with_context(here)?,
            };
            warnings.extend(context.words().notes(&made.warnings));
            Some(Arc::new(made.model))
        }
    };
    let of = Source { mesh: &body.mesh, recipe: &body.recipe, body: &body.body };
    let model = match model {
        Some(model) if args.responses => {
            let more = with_responses(of, &model, &handles, &mut watch).map_err(OpenError::from);
            Some(Arc::new(more.with_context(here)?))
        }
        model => model,
    };
    let found = match request.run(of, model.as_ref(), &handles, &mut watch).map_err(OpenError::from) {
        Err(error) if error.is_missed() => return Ok(context.missed(&[format!("{}: {error}", here())])),
        other => other.with_context(here)?,
    };
    warnings.extend(context.words().notes(&found.warnings));
    warnings.extend(context.words().notes(&found.missed));
    let facts = found.facts(start.elapsed().as_secs_f64());
    if let Some(path) = &args.output {
        let title =
            args.input.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        warnings.extend(found.save(path, &title, &body.mesh, &facts, &warnings)?);
    }
    drop(bar);
    context.reported(facts, warnings, !found.missed.is_empty())
}

/// The body, the model of a model file, and how much larger the body is than its file.
fn subject(
    args: &Args,
    context: &Context,
    warnings: &mut Vec<String>,
    watch: &mut Watch<'_>,
) -> anyhow::Result<(FullBody, Option<Arc<Model>>, f64)> {
    if is_model(&args.input) {
        if let Some(option) = args.body.given().or(args.reduces()) {
            bail!("{option} belongs to `pliant build`: a model has its body already; leave it out");
        }
        let model = Arc::new(Model::read(&args.input)?);
        let body = FullBody::of_model(&model).with_context(|| shown(&args.input))?;
        return Ok((body, Some(model), 1.0));
    }
    if let Some(option) = args.reduces().filter(|_| args.full) {
        bail!("{option} says how a body is reduced, and --full does without; leave one of them out");
    }
    let options = args.body.options()?;
    let body = args.body.make(&args.input, &options, context, warnings, watch)?;
    let scale = body.scale;
    Ok((body, None, scale))
}
