//! `pliant simulate`: a scenario on a body or a reduced model, step by step.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use pliant::linalg::{ignore_progress, shown};
use pliant::reduce::Model;
use pliant::report::motion::MotionFile;
use pliant::sim::{InitialState, Motion, Onlookers, Scenario, motion};
use pliant::world::Actor;
use pliant::world::facts::{loose_parts, of_run};
use pliant::world::open::is_model;

use crate::body::BodyArgs;
use crate::context::{Context, Status};
use crate::files::check_folder;
use crate::help;
use crate::stepping::Stepping;

/// Run a scenario on a reduced model or a body.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant simulate dino.pliant pull.toml -o motion.glb                      for Blender and viewers
  pliant simulate dino.pliant pull.toml --integrator backward-euler --json
  pliant simulate dino.pliant pull.toml --motion warped -o warped.glb      linear, but shown turning; see build --warp
  pliant simulate dino.pliant pull.toml --full                             the body it was built from
  pliant simulate dino.veg pull.toml --full --fix 'y<5%' -o motion.npz     every number, for NumPy
  pliant simulate dino.veg pull.toml --full -o report.html                 energies and probes as plots

SCENARIO
  dt = 0.01                       # seconds
  steps = 100
  gravity = [0.0, -9.81, 0.0]
  [[force]]                       # newton on each of these vertices
  vertices = [12, 13]
  value = [0.0, -40.0, 0.0]
  to = 0.5
  [[probe]]
  name = \"tip\"
  vertex = 12
  The whole list of keys is in docs/cli/scenarios.md.")]
pub(crate) struct Args {
    /// Reduced model (`.pliant`), or a mesh in any format that `pliant formats` lists.
    #[arg(value_name = "MODEL|MESH")]
    input: PathBuf,
    /// The unreduced reference: all vertices of the mesh, or of the mesh that a model was built from.
    #[arg(long)]
    full: bool,
    /// Where to write the motion: `.npz`, `.glb`, `.pc2`, `.pvd`, `.csv`, `.html` or `.png`.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "NAME", conflicts_with = "full", help = help::motion())]
    motion: Option<String>,
    #[command(flatten)]
    stepping: Stepping,
    #[command(flatten)]
    body: BodyArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let mut output = args.output.as_deref().map(MotionFile::new).transpose()?;
    args.output.as_deref().map_or(Ok(()), check_folder)?;
    let mut options = args.stepping.options()?;
    let mut warnings = Vec::new();
    let (mut actor, scenario, initial) = actor(args, context, &mut warnings)?;
    args.stepping.suit(&mut options, actor.usual_integrator());
    warnings.extend(scenario.idle());
    context.caution(actor.caution(&options).map(|note| context.words().note(&note)));
    if let Some(output) = &mut output {
        output.begin(&actor, &scenario)?;
    }
    let mut bar = context.bar();
    let begin = Instant::now();
    let onlookers = Onlookers {
        watch: &mut |p| bar.tell(p),
        frame: &mut |frame| output.as_mut().map_or((), |output| output.see(frame)),
        stopwatch: Some(&mut || begin.elapsed().as_secs_f64()),
        keep: false,
    };
    let record =
        actor.run(&scenario, &options, initial, onlookers).with_context(|| shown(&args.stepping.scenario))?;
    warnings.extend(context.words().notes(&actor.remarks(&record, &scenario)));
    let mut facts = of_run(&record, scenario.dt, actor.size());
    facts.push(loose_parts(actor.loose.as_ref()));
    if let Some(output) = &output {
        let notes = output.write(&args.input, &actor, &record, &facts, &warnings, &mut |p| bar.tell(p))?;
        warnings.extend(notes);
    }
    drop(bar);
    context.reported(facts, warnings, record.missed())
}

fn motion(name: Option<&str>) -> anyhow::Result<Motion> {
    Ok(name.map(|name| motion::ALL.get(name)).transpose()?.map_or_else(Motion::default, |entry| entry.motion))
}

/// What moves, what happens to it, and what it starts from.
fn actor(
    args: &Args,
    context: &Context,
    warnings: &mut Vec<String>,
) -> anyhow::Result<(Actor, Scenario, Option<InitialState>)> {
    let here = || shown(&args.input);
    if is_model(&args.input) {
        if let Some(option) = args.body.given() {
            bail!("{option} belongs to `pliant build`: a model has its body already; leave it out");
        }
        let model = Model::read(&args.input)?;
        let (scenario, first) = args.stepping.read(model.mesh().vertices.len())?;
        let actor = match args.full {
            true => Actor::of_full_model(&model, &scenario),
            false => Actor::of_moving_model(model, &scenario, motion(args.motion.as_deref())?),
        };
        let actor = actor.with_context(here)?;
        // A body says it in its notes.
        warnings.extend(actor.loose.iter().map(|parts| context.words().note(&parts.note())));
        return Ok((actor, scenario, first));
    }
    if args.motion.is_some() {
        bail!("{}: --motion is for models; `pliant build` a model of the mesh first", here());
    }
    if !args.full {
        bail!(
            "{}: a mesh is simulated at full order; say so with `--full`, or `pliant build` a model of it first",
            here()
        );
    }
    let body = args.body.make(&args.input, &args.body.options()?, context, warnings, &mut ignore_progress)?;
    let (scenario, first) = args.stepping.read(body.mesh.vertices.len())?;
    Ok((Actor::of_body(body, &scenario).with_context(here)?, scenario, first))
}
