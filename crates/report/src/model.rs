//! What a model was made of: its shapes, singular values, cubature and errors; and what other choices would have come to.

use std::path::Path;

use pliant_draw::{Card, Options, Plot, Section, components_picture, html_page, mesh_picture};
use pliant_energy::Body;
use pliant_linalg::{Note, Progress, Term, Watch};
use pliant_reduce::force::Ghost;
use pliant_reduce::{Model, ReduceError};
use pliant_sim::SimError;
use pliant_sim::study::{self, Chart, Study, Style, shapes_at_rest};
use pliant_world::facts::{Fact, Facts, of_model};

use crate::Say;
use crate::parts::{card, findings, name, note};

/// Modes on a page; their derivatives are k(k+1)/2.
const MODES: usize = 3;
/// Columns of U on a page.
const COLUMNS: usize = 8;

/// The page of a model that was built of the mesh in `source`; with `studies` what other choices would have come to, which takes
/// minutes.
///
/// # Errors
/// A study that fails, or the watch asked to stop.
pub fn page(
    source: &Path,
    model: &Model,
    body: &Body,
    warnings: &[String],
    studies: bool,
    say: &Say<'_>,
    watch: &mut Watch<'_>,
) -> Result<String, SimError> {
    let mut sections = findings(warnings);
    sections.push(Section::Facts(facts(model).rows()));
    sections.extend(shape_sections(model, body, watch)?);
    sections.extend(study_sections(model, body, studies, say, watch)?);
    let subtitle = format!(
        "{} coordinates instead of {}, {} forces",
        model.basis().rank(),
        body.dofs().free().len(),
        model.force().name()
    );
    Ok(html_page(&format!("Model of {}", name(source)), &subtitle, &sections))
}

/// A model and its mesh in numbers.
pub(crate) fn facts(model: &Model) -> Facts {
    let mesh = [
        Fact::new("vertices", model.mesh().vertices.len()).labelled("vertices"),
        Fact::new("elements", model.mesh().elements.len()).labelled("elements"),
    ];
    mesh.into_iter().chain(of_model(model).list).collect()
}

/// Cubature points on the shape, singular values, modes and their derivatives, columns of U.
pub(crate) fn shape_sections(
    model: &Model,
    body: &Body,
    watch: &mut Watch<'_>,
) -> Result<Vec<Section>, ReduceError> {
    let mut sections = Vec::new();
    if let Some(cubature) = model.cubature() {
        let pieces = cubature.pieces.in_body(body);
        let corners = |&c: &u32| pieces.corners(c as usize).to_vec();
        let components: Vec<_> =
            cubature.components.iter().map(corners).zip(cubature.weights.iter().map(|w| w.log10())).collect();
        let picture =
            components_picture(model.mesh(), &components, "weight, powers of ten", &Options::titled(""));
        sections.push(Section::Heading("Cubature".into()));
        let words = format!(
            "The {} components, of {}, whose weighted forces stand for the whole body.",
            cubature.components.len(),
            pieces.count()
        );
        sections.push(Section::Picture(picture.to_png(), words));
    }
    if let Some(ghost) = model.force().downcast_ref::<Ghost>() {
        let picture = mesh_picture(&ghost.mesh(model.mesh()), &Options::titled(""));
        sections.push(Section::Heading("Ghost".into()));
        let words = format!(
            "The stand-in of {} vertices, of {}, whose energy is taken for that of the body.",
            ghost.vertices.len(),
            model.mesh().vertices.len()
        );
        sections.push(Section::Picture(picture.to_png(), words));
    }
    if !model.facts().singular_values.is_empty() {
        let first = model.facts().singular_values[0];
        let points: Vec<[f64; 2]> = (1..)
            .zip(&model.facts().singular_values)
            .filter(|(_, s)| **s > 0.0)
            .map(|(k, s)| [f64::from(k), s / first])
            .collect();
        let plot = Plot::new("").x("direction").y("singular value, relative").log_y().dots("", &points);
        sections.push(Section::Heading("Singular values".into()));
        let kept = model.basis().rank() - model.facts().affine;
        sections.push(Section::Plot(plot, format!("The first {kept} directions were kept.")));
    }
    sections.push(Section::Heading("Modes and their derivatives".into()));
    sections.extend(mode_sections(model, body, watch)?);
    let shown = COLUMNS.min(model.basis().rank());
    let mut cards = Vec::new();
    for k in 0..shown {
        Progress { stage: "pictures", done: k, total: shown }.tell(watch)?;
        cards.push(card(model.mesh(), &model.basis().column(k), format!("column {}", k + 1), Vec::new()));
    }
    sections.push(Section::Heading("The first columns of the basis".into()));
    sections.push(Section::Gallery(cards));
    Ok(sections)
}

/// The first modes and their derivatives.
fn mode_sections(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Vec<Section>, ReduceError> {
    let found = shapes_at_rest(body, MODES.min(model.facts().eigenvalues.len()), watch)?;
    let mut cards: Vec<Card> = Vec::new();
    for (k, (frequency, shape)) in (1..).zip(&found.modes) {
        let fact = vec![("frequency".into(), format!("{frequency:.4} Hz"))];
        cards.push(card(model.mesh(), shape, format!("mode {k}"), fact));
    }
    for ((i, j), shape) in &found.derivatives {
        cards.push(card(model.mesh(), shape, format!("derivative {} {}", i + 1, j + 1), Vec::new()));
    }
    let mut sections: Vec<Section> = found.notes.into_iter().map(note).collect();
    sections.push(Section::Gallery(cards));
    Ok(sections)
}

/// What other choices would have come to; or what could be studied.
fn study_sections(
    model: &Model,
    body: &Body,
    asked: bool,
    say: &Say<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Section>, SimError> {
    if !asked {
        let sentence = format!(
            "What other choices would have come to can be studied: {}. That moves the full body and trains several cubatures, \
             which takes a minute or more on thousands of elements.",
            study::TITLES.map(str::to_lowercase).join("; ")
        );
        return Ok(vec![
            Section::Heading("Studies".into()),
            note(say(&Note::new(sentence, &[Term::new("report_studies", "can be studied")]))),
        ]);
    }
    let mut sections = Vec::new();
    for Study { title, charts, notes } in study::studies(model, body, watch)? {
        sections.push(Section::Heading(title.into()));
        sections.extend(charts.into_iter().map(|chart| Section::Plot(plot(&chart), chart.words)));
        sections.extend(notes.into_iter().map(note));
    }
    Ok(sections)
}

fn plot(chart: &Chart) -> Plot {
    let plot = Plot::new("").x(chart.x).y(chart.y);
    let plot = if chart.log_y { plot.log_y() } else { plot };
    chart.curves.iter().fold(plot, |plot, curve| match curve.style {
        Style::Line => plot.curve(curve.name.clone(), &curve.points),
        Style::Dashed => plot.dashed(curve.name.clone(), &curve.points),
        Style::Dots => plot.dots(curve.name.clone(), &curve.points),
    })
}
