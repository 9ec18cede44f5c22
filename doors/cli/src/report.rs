//! Pages about models: what one was made of, and how it moves beside the full body.

use std::path::Path;

use pliant::draw::{
    Card, Deformed, Options, Plot, Section, Severity, components_picture, deformed_picture, html_page,
};
use pliant::energy::Body;
use pliant::linalg::{Progress, Watch};
use pliant::mesh::MeshData;
use pliant::mesh::io::motion::modes as files;
use pliant::reduce::basis::modal_derivatives;
use pliant::reduce::model::ForceData;
use pliant::reduce::{Model, ReduceError, linear_modes};

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
    watch: &mut Watch<'_>,
) -> Result<String, ReduceError> {
    let mut sections = findings(warnings);
    sections.push(Section::Facts(facts(model)));
    sections.extend(shape_sections(model, body, watch)?);
    let subtitle = format!(
        "{} coordinates instead of {}, {} forces",
        model.basis.rank(),
        body.dofs().free().len(),
        model.force.name()
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
        ("vertices".to_owned(), model.mesh.vertices.len().to_string()),
        ("elements".to_owned(), model.mesh.elements.len().to_string()),
        ("material".to_owned(), model.materials().join(", ")),
        ("basis".to_owned(), format!("{} from {} modes", model.facts.basis, model.facts.eigenvalues.len())),
        ("coordinates".to_owned(), model.basis.rank().to_string()),
        ("forces".to_owned(), model.force.name().to_owned()),
    ];
    if model.facts.affine > 0 {
        facts.push(("affine or rigid fields".into(), model.facts.affine.to_string()));
    }
    if let (Some(training), Some(points)) = (&model.facts.training, model.force.points()) {
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
    if let ForceData::Cubature(cubature) = &model.force {
        let corners = |&c: &u32| body.energy().corners(c as usize).to_vec();
        let components: Vec<_> =
            cubature.components.iter().map(corners).zip(cubature.weights.iter().copied()).collect();
        let picture = components_picture(&model.mesh, &components, "weight", &Options::titled(""));
        sections.push(Section::Heading("Cubature".into()));
        let words = format!(
            "The {} components, of {}, whose weighted forces stand for the whole body.",
            cubature.components.len(),
            body.energy().count()
        );
        sections.push(Section::Picture(picture.to_png(), words));
    }
    if !model.facts.singular_values.is_empty() {
        let first = model.facts.singular_values[0];
        let points: Vec<[f64; 2]> = (1..)
            .zip(&model.facts.singular_values)
            .filter(|(_, s)| **s > 0.0)
            .map(|(k, s)| [f64::from(k), s / first])
            .collect();
        let plot = Plot::new("").x("direction").y("singular value, relative").log_y().dots("", &points);
        sections.push(Section::Heading("Singular values".into()));
        let kept = model.basis.rank() - model.facts.affine;
        sections.push(Section::Plot(plot, format!("The first {kept} directions were kept.")));
    }
    let count = MODES.min(model.facts.eigenvalues.len());
    let modes = linear_modes(body, count, watch)?;
    let derivatives = modal_derivatives::modal_derivatives(body, &modes, watch)?;
    sections.push(Section::Heading("Modes and their derivatives".into()));
    let frequencies = modes.frequencies_hz();
    let mut cards: Vec<Card> = Vec::new();
    for k in 0..modes.len() {
        let fact = vec![("frequency".into(), format!("{:.4} Hz", frequencies[k]))];
        cards.push(card(&model.mesh, modes.shape(k), format!("mode {}", k + 1), fact));
    }
    for ((i, j), shape) in derivatives.pairs.iter().zip(derivatives.shapes.chunks_exact(body.size())) {
        cards.push(card(&model.mesh, shape, format!("derivative {} {}", i + 1, j + 1), Vec::new()));
    }
    sections.push(Section::Gallery(cards));
    let shown = COLUMNS.min(model.basis.rank());
    let mut cards = Vec::new();
    for k in 0..shown {
        Progress { stage: "pictures", done: k, total: shown }.tell(watch)?;
        cards.push(card(&model.mesh, &model.basis.column(k), format!("column {}", k + 1), Vec::new()));
    }
    sections.push(Section::Heading("The first columns of the basis".into()));
    sections.push(Section::Gallery(cards));
    Ok(sections)
}

/// A shape that has no size of its own, as large as a mode is drawn.
fn card(mesh: &MeshData, shape: &[f64], title: String, facts: Vec<(String, String)>) -> Card {
    let one = files::Modes { rest: mesh, eigenvalues: &[0.0], shapes: &[shape] };
    let deformed =
        Deformed { displacement: shape, times: one.amplitude(0, files::SHARE), label: String::new() };
    let options = Options { width: 480, height: 360, ..Options::titled("") };
    Card { png: deformed_picture(mesh, &deformed, &options).to_png(), title, facts }
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
