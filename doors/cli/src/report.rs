//! Pages about models: what one was made of, and how it moves beside the full body.

use std::path::Path;

use pliant::draw::{
    Card, Deformed, Options, Plot, Section, Severity, components_picture, deformed_picture, html_page,
    mesh_picture,
};
use pliant::energy::Body;
use pliant::linalg::{Progress, Watch};
use pliant::mesh::MeshData;
use pliant::mesh::io::motion::modes as files;
use pliant::reduce::force::Ghost;

use pliant::reduce::{Model, ReduceError};
use pliant::sim::study::{self, Chart, Study, Style, shapes_at_rest};
use pliant::sim::{Comparison, Record, SimError};
use pliant::world::facts::first_columns;

/// Modes on a page; their derivatives are k(k+1)/2.
const MODES: usize = 3;
/// Columns of U on a page.
const COLUMNS: usize = 8;

/// What a model was made of: its shapes, singular values, cubature and errors.
pub(crate) fn model_page(
    path: &Path,
    model: &Model,
    body: &Body,
    warnings: &[String],
    studies: bool,
    watch: &mut Watch<'_>,
) -> Result<String, SimError> {
    let mut sections = findings(warnings);
    sections.push(Section::Facts(facts(model)));
    sections.extend(shape_sections(model, body, watch)?);
    sections.extend(study_sections(model, body, studies, watch)?);
    let subtitle = format!(
        "{} coordinates instead of {}, {} forces",
        model.basis().rank(),
        body.dofs().free().len(),
        model.force().name()
    );
    Ok(html_page(&format!("Model of {}", name(path)), &subtitle, &sections))
}

/// Warnings, if there are any.
pub(crate) fn findings(warnings: &[String]) -> Vec<Section> {
    let all: Vec<_> = warnings.iter().map(|w| (Severity::Warning, w.clone())).collect();
    if all.is_empty() { Vec::new() } else { vec![Section::Findings(all)] }
}

/// Names and values of a model.
pub(crate) fn facts(model: &Model) -> Vec<(String, String)> {
    let mut facts = vec![
        ("vertices".to_owned(), model.mesh().vertices.len().to_string()),
        ("elements".to_owned(), model.mesh().elements.len().to_string()),
        ("material".to_owned(), model.materials().join(", ")),
        (
            "basis".to_owned(),
            format!("{} from {} modes", model.facts().basis, model.facts().eigenvalues.len()),
        ),
        ("coordinates".to_owned(), model.basis().rank().to_string()),
        ("forces".to_owned(), model.force().name().to_owned()),
    ];
    if model.facts().affine > 0 {
        facts.push((first_columns(model).into(), model.facts().affine.to_string()));
    }
    if let (Some(training), Some(points)) = (&model.facts().training, model.force().size("cubature_points")) {
        facts.extend([
            ("cubature points".to_owned(), points.to_string()),
            ("training error".to_owned(), format!("{:.2} %", 100.0 * training.training_error)),
            ("error on fresh poses".to_owned(), format!("{:.2} %", 100.0 * training.validation_error)),
            (
                "poses".to_owned(),
                format!("{}, {} of the body's longest side", training.poses, training.pose_scale),
            ),
        ]);
    }
    facts
}

/// Cubature points on the shape, singular values, modes and their derivatives, columns of U.
pub(crate) fn shape_sections(
    model: &Model,
    body: &Body,
    watch: &mut Watch<'_>,
) -> Result<Vec<Section>, ReduceError> {
    let mut sections = Vec::new();
    if let Some(cubature) = model.cubature() {
        let corners = |&c: &u32| body.components().corners(c as usize).to_vec();
        let components: Vec<_> =
            cubature.components.iter().map(corners).zip(cubature.weights.iter().map(|w| w.log10())).collect();
        let picture =
            components_picture(model.mesh(), &components, "weight, powers of ten", &Options::titled(""));
        sections.push(Section::Heading("Cubature".into()));
        let words = format!(
            "The {} components, of {}, whose weighted forces stand for the whole body.",
            cubature.components.len(),
            body.components().count()
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
    watch: &mut Watch<'_>,
) -> Result<Vec<Section>, SimError> {
    if !asked {
        let titles = study::TITLES.map(str::to_lowercase).join("; ");
        return Ok(vec![
            Section::Heading("Studies".into()),
            note(format!(
                "`--report-studies` adds what other choices would have come to: {titles}. It moves the full body and \
                 trains several cubatures, which takes a minute or more on thousands of elements."
            )),
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

fn note(sentence: String) -> Section {
    Section::Findings(vec![(Severity::Note, sentence)])
}

/// A shape that has no size of its own, as large as a mode is drawn.
fn card(mesh: &MeshData, shape: &[f64], title: String, facts: Vec<(String, String)>) -> Card {
    let times = files::amplitude(mesh, shape, files::SHARE);
    let deformed = Deformed { displacement: shape, times, label: String::new() };
    let options = Options { width: 480, height: 360, ..Options::titled("") };
    Card { png: deformed_picture(mesh, &deformed, &options).to_png(), title, facts }
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// Both runs beside each other: probes, energies, errors; then what the model was made of.
pub(crate) fn comparison_page(
    path: &Path,
    model: &Model,
    comparison: &Comparison,
    warnings: &[String],
    watch: &mut Watch<'_>,
) -> Result<String, ReduceError> {
    let (full, reduced) = (&comparison.full, &comparison.reduced);
    let over = |record: &Record, values: &[f64]| -> Vec<[f64; 2]> {
        record.times.iter().zip(values).map(|(&t, &x)| [t, x]).collect()
    };
    let mut sections = findings(warnings);
    let mut numbers = vec![
        ("error, of the largest motion, mean".to_owned(), percent(comparison.relative_l2_mean())),
        ("at most".to_owned(), percent(comparison.relative_l2_max())),
        ("natural frequencies off by at most".to_owned(), percent(comparison.frequency_error())),
    ];
    numbers.extend(comparison.speedup().map(|s| ("times faster".to_owned(), format!("{s:.0}"))));
    sections.push(Section::Facts(numbers));
    for ((name, truth), (_, ours)) in full.probes.iter().zip(&reduced.probes) {
        // The component that moves most: the others only crowd the plot.
        let far = |c: usize| truth.iter().map(|u| u[c].abs()).fold(0.0, f64::max);
        let c = (0..3).max_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(0);
        let component = |path: &[[f64; 3]]| path.iter().map(|u| u[c]).collect::<Vec<_>>();
        let plot = Plot::new(format!("Probe {name}, {}", ["x", "y", "z"][c]))
            .x("time, s")
            .y("displacement, m")
            .curve("full", &over(full, &component(truth)))
            .dashed("reduced", &over(reduced, &component(ours)));
        sections.push(Section::Plot(plot, String::new()));
    }
    for (title, truth, ours) in [
        ("Kinetic energy", &full.kinetic, &reduced.kinetic),
        ("Elastic energy", &full.elastic, &reduced.elastic),
    ] {
        let plot = Plot::new(title)
            .x("time, s")
            .y("energy, J")
            .curve("full", &over(full, truth))
            .dashed("reduced", &over(reduced, ours));
        sections.push(Section::Plot(plot, String::new()));
    }
    let errors = over(full, &comparison.relative_l2);
    let plot = Plot::new("Error").x("time, s").y("of the largest motion").curve("error", &errors);
    sections.push(Section::Plot(plot, "Mass-weighted difference of displacements.".into()));
    let rows = comparison.frequencies_hz.iter().enumerate().map(|(k, [full, reduced])| {
        vec![
            (k + 1).to_string(),
            format!("{full:.6}"),
            format!("{reduced:.6}"),
            format!("{:.2e}", reduced / full - 1.0),
        ]
    });
    sections.push(Section::Heading("Natural frequencies at rest".into()));
    let heads = ["mode", "full, Hz", "reduced, Hz", "relative difference"].map(str::to_owned).to_vec();
    sections.push(Section::Table(heads, rows.collect()));
    sections.push(Section::Heading("The model".into()));
    sections.push(Section::Facts(facts(model)));
    sections.extend(shape_sections(model, &model.body()?, watch)?);
    let subtitle = format!("{} coordinates beside the full body", model.basis().rank());
    Ok(html_page(&format!("{} compared", name(path)), &subtitle, &sections))
}

fn percent(x: f64) -> String {
    format!("{:.3} %", 100.0 * x)
}
