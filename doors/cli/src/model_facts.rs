//! What `info` says about a model beside its mesh: as JSON, with the words of `build`, and as text.

use pliant::reduce::Model;
use serde_json::{Map, Value, json};

use crate::facts::constant;

/// The keys of a model; `kind` takes the place of the mesh's, which becomes `mesh_kind`.
pub(crate) fn json(model: &Model) -> anyhow::Result<Map<String, Value>> {
    let (facts, made) = (&model.facts(), model.recipe().resolve(&model.mesh())?);
    let training = facts.training.as_ref();
    let matter = made.matter.iter().map(|m| {
        let mut of = Map::new();
        of.insert("region".into(), json!(m.region));
        of.insert("material".into(), json!(m.material));
        of.extend(m.constants.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        Value::Object(of)
    });
    let all = json!({
        "kind": "model",
        "mesh_kind": model.mesh().kind().name(),
        "rank": model.basis().rank(),
        "modes": facts.eigenvalues.len(),
        "basis": facts.basis,
        "affine": facts.affine,
        "frequencies_hz": facts.frequencies_hz(),
        "singular_values": facts.singular_values,
        "dropped": facts.dropped,
        "forces": model.force().name(),
        "cubature_points": model.force().size("cubature_points"),
        "ghost_vertices": model.force().size("ghost_vertices"),
        "training_error": training.map(|t| t.training_error),
        "validation_error": training.map(|t| t.validation_error),
        "training": training.map(|t| json!({
            "trainer": t.trainer, "poses": t.poses, "pose_scale": t.pose_scale, "points": t.points,
        })),
        "material": matter.collect::<Vec<_>>(),
        "mass": made.mass.name(),
        "held": model.held(),
        "seed": facts.seed,
    });
    match all {
        Value::Object(all) => Ok(all),
        _ => Ok(Map::new()),
    }
}

/// The same as rows of two words, for people.
pub(crate) fn rows(model: &Model) -> anyhow::Result<Vec<(String, String)>> {
    let (facts, made) = (&model.facts(), model.recipe().resolve(&model.mesh())?);
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |key: &str, value: String| rows.push((key.to_owned(), value));
    let affine = match facts.affine {
        0 => String::new(),
        n => format!(", {n} of them {}", first_columns(model)),
    };
    row("model", format!("{} coordinates{affine}", model.basis().rank()));
    let hertz = facts.frequencies_hz();
    let range = match (hertz.first(), hertz.last()) {
        (Some(low), Some(high)) => format!(", from {} linear modes of {low:.4} to {high:.4} Hz", hertz.len()),
        _ => String::new(),
    };
    row("basis", format!("{}{range}", facts.basis));
    let count = model.force().size("cubature_points").map_or(String::new(), |s| format!(", {s} points"));
    let ghost = model.force().size("ghost_vertices").map_or(String::new(), |n| format!(", {n} vertices"));
    row("forces", format!("{}{count}{ghost}", model.force().name()));
    if let Some(t) = &facts.training {
        row(
            "training",
            format!("{}, {} poses that move it by {} of its length", t.trainer, t.poses, t.pose_scale),
        );
        let percent = |e: f64| format!("{:.3} %", 100.0 * e);
        let errors = (percent(t.training_error), percent(t.validation_error));
        row("error", format!("{} on training poses, {} on fresh ones", errors.0, errors.1));
    }
    for m in &made.matter {
        let of = m.region.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let constants: Vec<String> =
            m.constants.iter().map(|(name, x)| format!("{name} {}", constant(*x))).collect();
        row("material", format!("{of}{}, {}", m.material, constants.join(", ")));
    }
    row("mass", made.mass.name().to_owned());
    row("held", format!("{} of {} numbers", model.held(), model.basis().size()));
    Ok(rows)
}

/// What the columns are that a body gets for what the constraints leave free.
pub(crate) fn first_columns(model: &Model) -> &'static str {
    if model.facts().basis == "modes" { "rigid motions" } else { "affine fields" }
}
