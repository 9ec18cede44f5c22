//! `pliant info`: what is in a mesh file, and what is wrong with it.

use std::path::PathBuf;

use anyhow::Context as _;
use pliant::draw;
use pliant::linalg::Vec3;
use pliant::mesh::doctor::{self, Report};
use pliant::mesh::{MeshData, io};
use serde_json::Value;

use crate::context::{Context, Status};
use crate::facts;

/// Say what is in a mesh file, and what is wrong with it.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant info bunny.stl
  pliant info bunny.stl -o report.html     a page with a picture, the places marked
  pliant info bunny.stl --json | jq .warnings")]
pub(crate) struct Args {
    /// Mesh file; any format that `pliant formats` lists.
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
    let loaded = io::load_with(&args.file, args.cubes.split())?;
    let mut bar = context.bar();
    let report = doctor::examine(&loaded.mesh, &doctor::Options::default(), &mut |p| bar.tell(p))?;
    drop(bar);
    let warnings = warnings(&report, &loaded.notes);
    let rows = facts::rows(&loaded.mesh, &report);
    let title = args.file.display().to_string();
    if let (Some(output), Some(ending)) = (&args.output, &ending) {
        let name = args.file.file_name().and_then(|n| n.to_str()).unwrap_or("mesh");
        let picture = picture(&loaded.mesh, &report, name).to_png();
        let bytes = match ending.as_str() {
            "png" => picture,
            _ => page(name, &rows, &report, &loaded.notes, picture).into_bytes(),
        };
        io::write_whole(&[(output.clone(), bytes)]).context("the report was not written")?;
    }
    let json = Value::Object(facts::json(&loaded.mesh, &report, &warnings));
    context.answer(&json, &facts::text(&title, &rows, &warnings))?;
    Ok(Status::Done)
}

/// Every finding and every note of the reader, as sentences.
pub(crate) fn warnings(report: &Report, notes: &[String]) -> Vec<String> {
    report.findings.iter().map(|f| f.sentence.clone()).chain(notes.iter().cloned()).collect()
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
        .map(|f| (severity(f.severity), f.sentence.clone()))
        .chain(notes.iter().map(|n| (draw::Severity::Note, n.clone())))
        .collect();
    draw::html_report(title, rows, &findings, &[("The mesh, and where something was found".into(), picture)])
}
