//! `pliant info`: what is in a mesh or model file, and what is wrong with it.

use std::path::PathBuf;

use anyhow::Context as _;
use pliant::draw;
use pliant::linalg::Vec3;
use pliant::mesh::doctor::{self, Report};
use pliant::mesh::{MeshData, io};
use pliant::reduce::Model;
use pliant::world::facts::{Facts, of_mesh, of_model};
use serde_json::Value;

use crate::context::{Context, Status};
use crate::{facts, words};

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
    cubes: super::mesh::Cubes,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    // An ending that cannot be written is better known before the work.
    let ending =
        args.output.as_ref().map(|o| o.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase());
    if let (Some(ending), Some(output)) = (&ending, &args.output)
        && !matches!(ending.as_str(), "html" | "png")
    {
        anyhow::bail!("{}: a report is a .html or a .png file, not {ending:?}", output.display());
    }
    let Contents { mesh, notes, model } = contents(args)?;
    let mut bar = context.bar();
    let report = doctor::examine(&mesh, &doctor::Options::default(), &mut |p| bar.tell(p))?;
    drop(bar);
    let warnings = warnings(&report, &notes);
    let of_mesh = of_mesh(&mesh, &report, &warnings);
    let (mut json, mut rows) = (of_mesh.to_json(), of_mesh.rows());
    if let Some(model) = model {
        // `kind` is there already and becomes `model`.
        json.extend(model.to_json());
        rows = model.rows().into_iter().chain(rows).collect();
    }
    let title = args.file.display().to_string();
    if let (Some(output), Some(ending)) = (&args.output, &ending) {
        let name = args.file.file_name().and_then(|n| n.to_str()).unwrap_or("mesh");
        let picture = picture(&mesh, &report, name).to_png();
        let bytes = match ending.as_str() {
            "png" => picture,
            _ => page(name, &rows, &report, &notes, picture).into_bytes(),
        };
        io::write_whole(&[(output.clone(), bytes)]).context("the report was not written")?;
    }
    let (json, text) = (Value::Object(json), facts::text(&title, &rows, &warnings));
    if args.output.is_some() {
        context.report(&json, &text)?
    } else {
        context.answer(&json, &text)?
    }
    Ok(Status::Done)
}

/// What a file holds: a mesh, perhaps inside of a model.
struct Contents {
    mesh: MeshData,
    notes: Vec<String>,
    /// What is said of a model beside its mesh.
    model: Option<Facts>,
}

fn contents(args: &Args) -> anyhow::Result<Contents> {
    if args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("pliant")) {
        let model = Model::read(&args.file)?;
        let facts = of_model(&model);
        Ok(Contents { mesh: model.into_parts().mesh, notes: Vec::new(), model: Some(facts) })
    } else {
        let loaded = io::load_with(&args.file, args.cubes.split())?;
        Ok(Contents { mesh: loaded.mesh, notes: loaded.notes, model: None })
    }
}

/// Every finding and every note of the reader, as sentences.
pub(crate) fn warnings(report: &Report, notes: &[String]) -> Vec<String> {
    report.findings.iter().map(|f| words::say(&f.sentence, &f.terms)).chain(notes.iter().cloned()).collect()
}

/// The mesh with the place of every finding marked, a colour for each kind of finding.
fn picture(mesh: &MeshData, report: &Report, title: &str) -> draw::Image {
    let marks: Vec<(String, draw::Colour, Vec<Vec3>)> = report
        .findings
        .iter()
        .filter(|f| !f.positions.is_empty())
        .enumerate()
        .map(|(i, f)| {
            let colour = draw::palette::MARKS[i % draw::palette::MARKS.len()];
            (f.what.name().to_owned(), colour, f.positions.clone())
        })
        .collect();
    draw::defects_picture(mesh, &marks, &draw::Options::titled(title))
}

fn page(
    title: &str,
    rows: &[(String, String)],
    report: &Report,
    notes: &[String],
    picture: Vec<u8>,
) -> String {
    let severity = |s: doctor::Severity| match s {
        doctor::Severity::Error => draw::Severity::Error,
        doctor::Severity::Warning => draw::Severity::Warning,
        doctor::Severity::Note => draw::Severity::Note,
    };
    let findings: Vec<(draw::Severity, String)> = report
        .findings
        .iter()
        .map(|f| (severity(f.severity), words::say(&f.sentence, &f.terms)))
        .chain(notes.iter().map(|n| (draw::Severity::Note, n.clone())))
        .collect();
    draw::html_report(title, rows, &findings, &[("The mesh, and where something was found".into(), picture)])
}
