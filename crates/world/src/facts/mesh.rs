//! Facts of a mesh: what is in it, and what the doctor says.

use pliant_mesh::doctor::{Finding, IdKind, Report, Severity};
use pliant_mesh::{Law, Material, MeshData};

use super::{Fact, Facts, Value};

/// What is in a mesh and what is wrong with it; `warnings` are sentences about it.
pub fn of_mesh(mesh: &MeshData, report: &Report, warnings: &[String]) -> Facts {
    let [low, high] = mesh.bounds();
    let size = high - low;
    let a = &mesh.attributes;
    let kind = report.kind.name();
    let one = if report.elements == 1 { kind.trim_end_matches('s') } else { kind };
    let sides = format!("{} × {} × {} m", length(size.x), length(size.y), length(size.z));
    let corners = vec![low.as_slice().to_vec(), high.as_slice().to_vec()];
    let measure = |key: &str, value: Option<f64>, unit| {
        let fact = Fact::new(key, value).unit(unit);
        if value.is_some() { fact.labelled(key) } else { fact }
    };
    let mut facts: Facts = [
        Fact::new("kind", kind).read_as("elements", format!("{} {one}", report.elements)),
        Fact::new("vertices", report.vertices).labelled("vertices"),
        Fact::new("elements", report.elements),
        Fact::new("components", report.components).labelled("parts"),
        Fact::new("bbox", corners).unit("m").read_as("size", sides),
        measure("volume", report.volume, "m³"),
        measure("area", report.area, "m²"),
        Fact::new("closed", report.closed).labelled("closed"),
        Fact::new("manifold", report.manifold).labelled("manifold"),
        Fact::new("inverted", report.inverted),
        Fact::new("degenerate", report.degenerate),
        quality(report),
        Fact::new("warnings", warnings.to_vec()),
        Fact::new("findings", report.findings.iter().map(finding).collect::<Vec<_>>()),
    ]
    .into_iter()
    .collect();
    facts.push(regions(mesh));
    facts.push(Fact::new("materials", a.materials.iter().map(material).collect::<Vec<_>>()));
    let mut sets = Fact::new("sets", Value::List(Vec::new()));
    let mut named = Vec::new();
    for set in &a.sets {
        let count = set.vertices.len();
        sets = sets.read_as("vertex set", format!("{}: {count} vertices", set.name));
        named.push(record([("name", set.name.as_str().into()), ("vertices", count.into())]));
    }
    facts.push(Fact { value: Value::List(named), ..sets });
    let embedded = Fact::new("embedded_vertices", a.embedded.as_ref().map(|e| e.vertices.len()));
    facts.push(match &a.embedded {
        Some(e) => {
            embedded.read_as("embedded", format!("{} vertices, {} faces", e.vertices.len(), e.faces.len()))
        }
        None => embedded,
    });
    facts
}

fn record<const N: usize>(facts: [(&str, Value); N]) -> Value {
    Value::Record(facts.into_iter().map(|(key, value)| Fact::new(key, value)).collect())
}

fn quality(report: &Report) -> Fact {
    let (low, high) = (report.quality.min_dihedral_deg, report.quality.max_dihedral_deg);
    let value = record([("min_dihedral_deg", low.into()), ("max_dihedral_deg", high.into())]);
    let fact = Fact::new("quality", value);
    match (low, high) {
        (Some(low), Some(high)) => fact.read_as("dihedral angles", format!("{low:.2}° to {high:.2}°")),
        _ => fact,
    }
}

fn finding(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let of = match finding.id_kind {
        IdKind::Vertex => "vertices",
        IdKind::Edge => "edges",
        IdKind::Element => "elements",
        IdKind::Whole => "mesh",
    };
    let positions: Vec<Value> = finding.positions.iter().map(|p| vec![p.x, p.y, p.z].into()).collect();
    record([
        ("what", finding.what.name().into()),
        ("severity", severity.into()),
        ("of", of.into()),
        ("ids", finding.ids.to_vec().into()),
        ("positions", positions.into()),
    ])
}

fn regions(mesh: &MeshData) -> Fact {
    let a = &mesh.attributes;
    let mut fact = Fact::new("regions", Value::Nothing);
    let mut regions = Vec::with_capacity(a.regions.len());
    // In one pass over the elements, however many regions there are.
    let mut counts = vec![0usize; a.regions.len()];
    for &r in &a.region_of {
        if let Some(count) = counts.get_mut(r as usize) {
            *count += 1;
        }
    }
    for (region, count) in a.regions.iter().zip(counts) {
        let matter = region.material.map(|m| &a.materials[m as usize]);
        let words = matter.map(|m| format!(", {}: {}, {} kg/m³", m.name, law_text(&m.law), m.density));
        let words = words.unwrap_or_default();
        fact = fact.read_as("region", format!("{}: {count} elements{words}", region.name));
        regions.push(record([
            ("name", region.name.as_str().into()),
            ("elements", count.into()),
            ("material", matter.map(|m| m.name.clone()).into()),
        ]));
    }
    Fact { value: Value::List(regions), ..fact }
}

/// The law whose constants are named as they were in the first version, in this order.
const MOONEY: (Option<&str>, [&str; 3]) = (Some("mooney-rivlin"), ["mu01", "mu10", "v1"]);

/// A material of the file: its constants by name; of any other law in a record of their own.
fn material(material: &Material) -> Value {
    let Material { name, density, law } = material;
    let (name, density) = (("name", name.as_str().into()), ("density", (*density).into()));
    if let Some([young, poisson]) = law.as_isotropic() {
        return record([name, density, ("young", young.into()), ("poisson", poisson.into())]);
    }
    match law.exactly(MOONEY.0, MOONEY.1) {
        Some([mu01, mu10, v1]) => {
            record([name, density, ("mu01", mu01.into()), ("mu10", mu10.into()), ("v1", v1.into())])
        }
        None => {
            let constants: Facts = law.constants.iter().map(|(key, x)| Fact::new(key.as_str(), *x)).collect();
            record([name, density, ("law", law.name.clone().into()), ("constants", constants.into())])
        }
    }
}

/// A law with its constants, for people.
fn law_text(law: &Law) -> String {
    if let Some([young, poisson]) = law.as_isotropic() {
        return format!("E {young:e} Pa, nu {poisson}");
    }
    if let Some([mu01, mu10, v1]) = law.exactly(MOONEY.0, MOONEY.1) {
        return format!("Mooney-Rivlin {mu01:e}, {mu10:e}, {v1:e} Pa");
    }
    let constants = law.constants.iter().map(|(key, value)| format!("{key} {value:e}"));
    law.name.clone().into_iter().chain(constants).collect::<Vec<_>>().join(", ")
}

/// A length that can be read, whether it is of a grain or of a planet.
fn length(metres: f64) -> String {
    match metres {
        0.0 => "0".to_owned(),
        x if (1e-3..1e5).contains(&x) => format!("{x:.4}"),
        x => format!("{x:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::ignore_progress;
    use pliant_mesh::{doctor, shapes};

    #[test]
    fn as_many_regions_are_counted_as_there_are() {
        let mut bar = shapes::bar(pliant_linalg::Vec3::new(1.0, 1.0, 1.0), [1, 1, 1]).into_data();
        // One pass over the elements for each region would take minutes.
        let count = 300_000;
        let region = |i: u32| pliant_mesh::Region { name: i.to_string(), material: None };
        bar.attributes.regions = (0..count).map(region).collect();
        bar.attributes.region_of = (0..count).map(|i| i / 2).chain([u32::MAX; 3]).collect();
        let fact = regions(&bar);
        let Value::List(list) = &fact.value else { panic!("a list of regions") };
        let elements = |r: usize| list[r].to_json()["elements"].clone();
        assert_eq!((elements(0), elements(149_999), elements(150_000)), (2.into(), 2.into(), 0.into()));
        assert_eq!(fact.rows[7].1, "7: 2 elements");
    }

    #[test]
    fn a_cube_is_described_in_both_languages() {
        let cube = shapes::bar(pliant_linalg::Vec3::new(1.0, 1.0, 1.0), [1, 1, 1]).into_data();
        let report =
            doctor::examine(&cube, &doctor::Options::default(), &mut ignore_progress).expect("a report");
        let facts = of_mesh(&cube, &report, &["a word".into()]);
        let json = facts.to_json();
        assert_eq!(
            (&json["kind"], &json["vertices"], &json["elements"]),
            (&"tets".into(), &8.into(), &6.into())
        );
        assert_eq!(json["bbox"], serde_json::json!([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]));
        assert_eq!(json["warnings"], serde_json::json!(["a word"]));
        assert_eq!(json.keys().next_back().map(String::as_str), Some("embedded_vertices"));
        let rows = facts.rows();
        assert_eq!(rows[0], ("elements".into(), "6 tets".into()));
        assert_eq!(rows[3], ("size".into(), "1.0000 × 1.0000 × 1.0000 m".into()));
        assert!(
            rows[4].0 == "volume" && rows[4].1.starts_with("1.0000") && rows[4].1.ends_with(" m³"),
            "{rows:?}"
        );
    }
}
