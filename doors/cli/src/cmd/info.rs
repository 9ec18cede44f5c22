//! `pliant info`: what is in a mesh or model file, and what is wrong with it.

use std::path::PathBuf;

use anyhow::Context as _;
use pliant::linalg::{Note, quote, shown};
use pliant::mesh::{doctor, io};
use pliant::reduce::Model;
use pliant::report::mesh as report;
use pliant::world::facts::{Facts, of_mesh, of_model};
use pliant::world::open::is_model;

use crate::context::{Context, Status, described};
use crate::files::{Cubes, ending};

/// Say what is in a mesh or model file, and what is wrong with it.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant info bunny.stl
  pliant info bunny.stl -o report.html     a page with a picture, the places marked
  pliant info bunny.stl --json | jq .warnings
  pliant info bunny.pliant                 a model: its basis, forces, measured errors, and its mesh at rest")]
pub(crate) struct Args {
    /// Mesh file, any format that `pliant formats` lists; or a model (.pliant).
    file: PathBuf,
    /// Also write a report: a page (.html) or a picture (.png).
    #[arg(short, long, value_name = "REPORT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    cubes: Cubes,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    // An ending that cannot be written is better known before the work.
    let ending = args.output.as_deref().map(ending);
    if let (Some(ending), Some(output)) = (&ending, &args.output)
        && !matches!(ending.as_str(), "html" | "png")
    {
        anyhow::bail!("{}: a report is a .html or a .png file, not {}", shown(output), quote(ending));
    }
    let (mesh, notes, model) = if is_model(&args.file) {
        let model = Model::read(&args.file)?;
        let (facts, notes) = (of_model(&model), model.cautions());
        (model.into_parts().mesh, context.words().notes(&notes).collect(), facts)
    } else {
        let loaded = io::load_with(&args.file, args.cubes.split())?;
        (loaded.mesh, loaded.notes, Facts::new())
    };
    let mut bar = context.bar();
    let found = doctor::examine(&mesh, &doctor::Options::default(), &mut |p| bar.tell(p))?;
    drop(bar);
    let say = |note: &Note| context.words().note(note);
    let mut warnings = report::sentences(&found, &say);
    warnings.extend(notes.iter().cloned());
    let mut facts = of_mesh(&mesh, &found, &warnings);
    // People read of the model first. `kind` is there already and becomes `model`.
    let rows = [model.rows(), facts.rows()].concat();
    facts.list.extend(model.list);
    let text = described(&shown(&args.file), &rows, &warnings);
    let Some(output) = &args.output else {
        context.answer_as(&facts, &text)?;
        return Ok(Status::Done);
    };
    let name = args.file.file_name().and_then(|n| n.to_str()).unwrap_or("mesh");
    let bytes = match ending.as_deref() {
        Some("png") => report::picture(&mesh, &found, name).to_png(),
        _ => report::page(name, &mesh, &rows, &found, &notes, &say).into_bytes(),
    };
    io::write_whole(&[(output.clone(), bytes)]).context("the report was not written")?;
    context.report_as(&facts, &text)?;
    Ok(Status::Done)
}
