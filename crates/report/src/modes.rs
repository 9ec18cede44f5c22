//! Modes side by side: a picture for each, its frequency, effective mass and participation.

use std::path::Path;

use pliant_draw::{Card, Plot, Section, html_page};
use pliant_linalg::{Cancelled, Progress, Watch};
use pliant_mesh::MeshError;
use pliant_mesh::io::{self, motion::modes as files};
use pliant_reduce::ModalAnalysis;
use pliant_world::facts::{Facts, measured};
use pliant_world::{FullBody, OpenError};

use crate::Say;
use crate::parts::{findings, name, small_picture};

/// Whether a path asks for a page.
fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html"))
}

/// Whether modes can be written under this name: `.npz`, `.glb` or `.html`.
///
/// # Errors
/// Another ending.
pub fn check_ending(path: &Path) -> Result<(), MeshError> {
    if is_page(path) { Ok(()) } else { files::check_ending(path).map(|_| ()) }
}

/// Writes the modes of the body in `source`, a page with their `facts` ([`pliant_world::facts::of_modes`]); what the format cannot
/// hold is in the notes that come back.
///
/// # Errors
/// A name with another ending, a disk that refuses, or the watch asked to stop.
pub fn save(
    path: &Path,
    source: &Path,
    body: &FullBody,
    found: &ModalAnalysis,
    facts: &Facts,
    say: &Say<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<String>, OpenError> {
    if is_page(path) {
        let page = page(source, body, found, facts, say, watch)?;
        io::write_whole(&[(path.to_owned(), page.into_bytes())])?;
        return Ok(Vec::new());
    }
    Ok(files::save(path, &body.mesh, &found.modes)?)
}

/// The page of the body in `source` with the `facts` of its modes.
///
/// # Errors
/// The watch asked to stop.
pub fn page(
    source: &Path,
    body: &FullBody,
    found: &ModalAnalysis,
    facts: &Facts,
    say: &Say<'_>,
    watch: &mut Watch<'_>,
) -> Result<String, Cancelled> {
    let (mesh, body) = (&body.mesh, &body.body);
    let total: f64 = body.total_mass();
    let modes = &found.modes;
    let frequencies = modes.frequencies_hz();
    // What the list says of each mode.
    let told = facts.get("frequencies_hz").map_or(&[][..], |fact| &fact.rows);
    let mut cards = Vec::new();
    let mut rows = Vec::new();
    let mut sum = [0.0; 3];
    for k in 0..modes.len() {
        Progress { stage: "pictures", done: k, total: modes.len() }.tell(watch)?;
        let times = files::amplitude(mesh, modes.shape(k), files::SHARE);
        let participation = found.participation(k);
        let effective = participation.map(|g| 100.0 * g * g / total);
        (0..3).for_each(|d| sum[d] += effective[d]);
        let shares = format!("{:.1} / {:.1} / {:.1} %", effective[0], effective[1], effective[2]);
        cards.push(Card {
            png: small_picture(mesh, modes.shape(k), times).to_png(),
            title: format!("mode {}", k + 1),
            facts: told
                .get(k)
                .map(|(_, words)| ("frequency".to_owned(), words.clone()))
                .into_iter()
                .chain([("effective mass x / y / z".to_owned(), shares)])
                .collect(),
        });
        let mut row = vec![format!("{}", k + 1)];
        row.extend(participation.iter().map(|g| format!("{g:.4e}")));
        row.extend(effective.iter().map(|e| format!("{e:.2}")));
        rows.push(row);
    }
    let heads = ["mode", "Γx, √kg", "Γy, √kg", "Γz, √kg", "mass x, %", "mass y, %", "mass z, %"];
    let spectrum: Vec<[f64; 2]> = frequencies.iter().enumerate().map(|(k, &f)| [(k + 1) as f64, f]).collect();
    let subtitle = format!(
        "{} modes of {} degrees of freedom, mass {} kg",
        modes.len(),
        body.dofs().free().len(),
        measured(total)
    );
    let warnings: Vec<String> = found.warnings.iter().map(say).collect();
    let mut sections = findings(&warnings);
    sections.extend([
        Section::Facts(facts.rows()),
        Section::Gallery(cards),
        Section::Heading("Spectrum".into()),
        Section::Plot(Plot::new("").x("mode").y("frequency, Hz").dots("frequency", &spectrum), String::new()),
        Section::Heading("Participation".into()),
        Section::Text(format!(
            "Γ = φᵀM1 is what a shaking of the ground excites in a mode; its square is the effective mass. Together these \
             modes hold {:.1}, {:.1} and {:.1} % of the mass in x, y and z.",
            sum[0], sum[1], sum[2]
        )),
        Section::Table(heads.map(str::to_owned).to_vec(), rows),
    ]);
    Ok(html_page(&format!("Modes of {}", name(source)), &subtitle, &sections))
}
