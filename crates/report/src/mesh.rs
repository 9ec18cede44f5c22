//! A mesh with the place of every finding marked, a colour for each kind of finding.

use pliant_draw::{Colour, Image, Options, Severity, defects_picture, html_report, palette};
use pliant_linalg::{Note, Vec3};
use pliant_mesh::MeshData;
use pliant_mesh::doctor::{self, Report};

use crate::Say;

/// The picture.
pub fn picture(mesh: &MeshData, report: &Report, title: &str) -> Image {
    let marked = report.findings.iter().filter(|f| !f.positions.is_empty()).enumerate();
    let marks: Vec<(String, Colour, Vec<Vec3>)> = marked
        .map(|(i, f)| {
            (f.what.name().to_owned(), palette::MARKS[i % palette::MARKS.len()], f.positions.clone())
        })
        .collect();
    defects_picture(mesh, &marks, &Options::titled(title))
}

/// Every finding as a sentence.
pub fn sentences(report: &Report, say: &Say<'_>) -> Vec<String> {
    report.findings.iter().map(|f| say(&Note::new(&*f.sentence, &f.terms))).collect()
}

/// The page: `rows` of facts, findings, `notes` of the reader, the picture.
pub fn page(
    title: &str,
    mesh: &MeshData,
    rows: &[(String, String)],
    report: &Report,
    notes: &[String],
    say: &Say<'_>,
) -> String {
    let severities = report.findings.iter().map(|f| match f.severity {
        doctor::Severity::Error => Severity::Error,
        doctor::Severity::Warning => Severity::Warning,
        doctor::Severity::Note => Severity::Note,
    });
    let notes = notes.iter().map(|n| (Severity::Note, n.clone()));
    let findings: Vec<_> = severities.zip(sentences(report, say)).chain(notes).collect();
    let picture = picture(mesh, report, title).to_png();
    html_report(title, rows, &findings, &[("The mesh, and where something was found".into(), picture)])
}
