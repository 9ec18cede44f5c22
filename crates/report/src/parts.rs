//! What several pages have: warnings, shapes on cards, curves over time.

use std::path::Path;

use pliant_draw::{Card, Deformed, Image, Options, Section, Severity, deformed_picture};
use pliant_mesh::MeshData;
use pliant_mesh::io::motion::modes as files;

/// Warnings, if there are any.
pub(crate) fn findings(warnings: &[String]) -> Vec<Section> {
    let all: Vec<_> = warnings.iter().map(|w| (Severity::Warning, w.clone())).collect();
    if all.is_empty() { Vec::new() } else { vec![Section::Findings(all)] }
}

/// A sentence by the way.
pub(crate) fn note(sentence: String) -> Section {
    Section::Findings(vec![(Severity::Note, sentence)])
}

/// A shape that has no size of its own, as large as a mode is drawn.
pub(crate) fn card(mesh: &MeshData, shape: &[f64], title: String, facts: Vec<(String, String)>) -> Card {
    let times = files::amplitude(mesh, shape, files::SHARE);
    Card { png: small_picture(mesh, shape, times).to_png(), title, facts }
}

/// A displaced body, as small as on a card.
pub(crate) fn small_picture(mesh: &MeshData, displacement: &[f64], times: f64) -> Image {
    let deformed = Deformed { displacement, times, label: String::new() };
    deformed_picture(mesh, &deformed, &Options { width: 480, height: 360, ..Options::titled("") })
}

/// Points of a curve over time.
pub(crate) fn over(times: &[f64], values: &[f64]) -> Vec<[f64; 2]> {
    times.iter().zip(values).map(|(&t, &x)| [t, x]).collect()
}

/// What a file is called in a title.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
