//! Facts of a model beside those of its mesh: basis, forces, measured errors, matter, sections.

use pliant_reduce::Model;

use super::{Fact, Facts, Value, constant};

/// What is known of a model; `kind` takes the place of the mesh's, which becomes `mesh_kind`.
pub fn of_model(model: &Model) -> Facts {
    let facts = model.facts();
    let training = facts.training.as_ref();
    let size = |name: &str| model.force().size(name);
    let affine = match facts.affine {
        0 => String::new(),
        n => format!(", {n} of them {}", first_columns(model)),
    };
    let hertz = facts.frequencies_hz();
    let range = match (hertz.first(), hertz.last()) {
        (Some(low), Some(high)) => format!(", from {} linear modes of {low:.4} to {high:.4} Hz", hertz.len()),
        _ => String::new(),
    };
    let points = size("cubature_points").map_or(String::new(), |s| format!(", {s} points"));
    let ghost = size("ghost_vertices").map_or(String::new(), |n| format!(", {n} vertices"));
    let forces = model.force().name();
    let held = format!("{} of {} numbers", model.held(), model.basis().size());
    let mass = model.resolved().mass.name();
    [
        Fact::new("kind", "model"),
        Fact::new("mesh_kind", model.mesh().kind().name()),
        Fact::new("rank", model.rank()).read_as("model", format!("{} coordinates{affine}", model.rank())),
        Fact::new("modes", facts.eigenvalues.len()),
        Fact::new("basis", facts.basis.as_str()).read_as("basis", format!("{}{range}", facts.basis)),
        Fact::new("affine", facts.affine),
        Fact::new("frequencies_hz", hertz).unit("Hz"),
        Fact::new("singular_values", facts.singular_values.clone()),
        Fact::new("dropped", facts.dropped),
        Fact::new("forces", forces).read_as("forces", format!("{forces}{points}{ghost}")),
        Fact::new("cubature_points", size("cubature_points")),
        Fact::new("ghost_vertices", size("ghost_vertices")),
        Fact::new("training_error", training.map(|t| t.training_error)),
        validated(model),
        seen("static_error", "under loads", "of the displacement", training.and_then(|t| t.static_error)),
        seen(
            "frequency_error",
            "lowest frequencies",
            "on the mean",
            training.and_then(|t| t.frequency_error),
        ),
        pulled(model),
        warp(model),
        Fact::new("pull_error_with_half", facts.pull.map(|pull| pull.with_half)),
        trained(model),
        matter(model),
        Fact::new("mass", mass).labelled("mass"),
        Fact::new("held", model.held()).read_as("held", held),
        Fact::new("seed", facts.seed),
        sections(model),
    ]
    .into_iter()
    .collect()
}

/// What the columns are that a body gets for what the constraints leave free.
pub fn first_columns(model: &Model) -> &'static str {
    if model.facts().basis == "modes" { "rigid motions" } else { "affine fields" }
}

fn validated(model: &Model) -> Fact {
    let Some(t) = &model.facts().training else { return Fact::new("validation_error", Value::Nothing) };
    let percent = |e: f64| format!("{:.3} %", 100.0 * e);
    let errors = (percent(t.training_error), percent(t.validation_error));
    let words = format!("{} on training poses, {} on fresh ones", errors.0, errors.1);
    Fact::new("validation_error", t.validation_error).read_as("error", words)
}

/// An error that people see.
fn seen(key: &'static str, label: &'static str, of: &str, error: Option<f64>) -> Fact {
    let fact = Fact::new(key, error);
    match error {
        Some(error) => fact.read_as(label, format!("off by {:.3} % {of}", 100.0 * error)),
        None => fact,
    }
}

/// The error of a standard pull, and what would take it off.
fn pulled(model: &Model) -> Fact {
    let Some(pull) = model.facts().pull else { return Fact::new("pull_error", Value::Nothing) };
    let percent = |error: f64| format!("{:.3} %", 100.0 * error);
    let words =
        format!("off by {}, with half the coordinates {}", percent(pull.error), percent(pull.with_half));
    let fact = Fact::new("pull_error", pull.error).read_as("a pull", words);
    match model.outlook() {
        Some(outlook) => fact.read_as("more", outlook.sentence),
        None => fact,
    }
}

/// The warp, if the model has one for its coordinates.
fn warp(model: &Model) -> Fact {
    let fact = Fact::new("warp", Value::Nothing);
    let Ok(Some(warp)) = model.warp_facts() else { return fact };
    let record: Facts = [
        Fact::new("points", warp.points),
        Fact::new("training_error", warp.training_error),
        Fact::new("validation_error", warp.validation_error),
        Fact::new("basis_error", warp.basis_error),
        Fact::new("poses", warp.poses),
        Fact::new("judged", warp.judged),
        Fact::new("pose_scale", warp.pose_scale),
        Fact::new("trainer", warp.trainer.as_str()),
    ]
    .into_iter()
    .collect();
    let words = format!(
        "{} points, off by {:.3} % on fresh poses of {} of its length; the basis alone by {:.3} %",
        warp.points,
        100.0 * warp.validation_error,
        warp.pose_scale,
        100.0 * warp.basis_error
    );
    Fact { value: record.into(), ..fact }.read_as("warp", words)
}

fn trained(model: &Model) -> Fact {
    let Some(t) = &model.facts().training else { return Fact::new("training", Value::Nothing) };
    let record: Facts = [
        Fact::new("trainer", t.trainer.to_string()),
        Fact::new("poses", t.poses),
        Fact::new("pose_scale", t.pose_scale),
        Fact::new("points", t.points),
    ]
    .into_iter()
    .collect();
    let words = format!("{}, {} poses that move it by {} of its length", t.trainer, t.poses, t.pose_scale);
    Fact::new("training", record).read_as("training", words)
}

fn matter(model: &Model) -> Fact {
    let mut fact = Fact::new("material", Value::Nothing);
    let mut list = Vec::new();
    for m in &model.resolved().matter {
        let of = m.region.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let constants: Vec<String> =
            m.constants.iter().map(|(name, x)| format!("{name} {}", constant(*x))).collect();
        fact = fact.read_as("material", format!("{of}{}, {}", m.material, constants.join(", ")));
        let named = [Fact::new("region", m.region.clone()), Fact::new("material", m.material)];
        let constants = m.constants.iter().map(|(name, x)| Fact::new(*name, *x));
        list.push(Value::Record(named.into_iter().chain(constants).collect()));
    }
    Fact { value: Value::List(list), ..fact }
}

/// What apps keep in it.
fn sections(model: &Model) -> Fact {
    let mut fact = Fact::new("sections", Value::Nothing);
    let mut list = Vec::new();
    for (name, section) in model.sections() {
        let (version, bytes) = (section.version(), section.size_in_bytes());
        fact = fact.read_as("section", format!("{name}, version {version}, {bytes} bytes"));
        let facts = [
            Fact::new("name", name.as_str()),
            Fact::new("version", version),
            Fact::new("bytes", bytes).unit("bytes"),
        ];
        list.push(Value::Record(facts.into_iter().collect()));
    }
    Fact { value: Value::List(list), ..fact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_reduce::Precompute;
    use pliant_reduce::model::Section;

    #[test]
    fn a_model_and_its_sections_are_described() {
        let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
        let precompute =
            Precompute { modes: Some(3), forces: Some("linear".into()), ..Precompute::default() };
        let model = precompute.build(bar, Recipe::default(), &mut ignore_progress).expect("a model").model;
        let mut section = Section::new(2);
        section.put_reals("x", &[2], &[1.0, 2.0]).expect("two numbers");
        let facts = of_model(&model.with_section("sound", section).expect("a name"));
        let json = facts.to_json();
        assert_eq!((&json["kind"], &json["forces"]), (&"model".into(), &"linear".into()));
        assert_eq!(json["sections"], serde_json::json!([{ "name": "sound", "version": 2, "bytes": 16 }]));
        assert_eq!(json["training"], serde_json::Value::Null);
        assert_eq!(json["material"][0]["young"], 1e6);
        let rows = facts.rows();
        assert_eq!(rows.last().map(|r| r.1.as_str()), Some("sound, version 2, 16 bytes"));
        assert!(rows[0].1.contains("affine fields"), "{rows:?}");
    }
}
