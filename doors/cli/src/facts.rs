//! What `info` and `mesh` say about a mesh: the same facts as JSON, as text and in a report.

use std::fmt::Write as _;

use pliant::mesh::doctor::{IdKind, Report, Severity};
use pliant::mesh::{Law, Material, MeshData};
use serde_json::{Map, Value, json};

/// The keys of the contract, in its order, then ours.
pub(crate) fn json(mesh: &MeshData, report: &Report, warnings: &[String]) -> Map<String, Value> {
    let [low, high] = mesh.bounds();
    let a = &mesh.attributes;
    let facts = json!({
        "kind": report.kind.name(),
        "vertices": report.vertices,
        "elements": report.elements,
        "components": report.components,
        "bbox": [low.as_slice(), high.as_slice()],
        "volume": report.volume,
        "area": report.area,
        "closed": report.closed,
        "manifold": report.manifold,
        "inverted": report.inverted,
        "degenerate": report.degenerate,
        "quality": {
            "min_dihedral_deg": report.quality.min_dihedral_deg,
            "max_dihedral_deg": report.quality.max_dihedral_deg,
        },
        "warnings": warnings,
        "findings": report.findings.iter().map(|f| json!({
            "what": f.what.name(),
            "severity": match f.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            },
            "of": match f.id_kind {
                IdKind::Vertex => "vertices",
                IdKind::Edge => "edges",
                IdKind::Element => "elements",
                IdKind::Whole => "mesh",
            },
            "ids": f.ids,
            "positions": f.positions.iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "regions": a.regions.iter().enumerate().map(|(r, region)| json!({
            "name": region.name,
            "elements": a.region_of.iter().filter(|&&x| x == r as u32).count(),
            "material": region.material.map(|m| a.materials[m as usize].name.clone()),
        })).collect::<Vec<_>>(),
        "materials": a.materials.iter().map(material_json).collect::<Vec<_>>(),
        "sets": a.sets.iter().map(|s| json!({ "name": s.name, "vertices": s.vertices.len() })).collect::<Vec<_>>(),
        "embedded_vertices": a.embedded.as_ref().map(|e| e.vertices.len()),
    });
    match facts {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }
}

/// Laws that keep their own place in `--json` since the first version.
const MOONEY: (Option<&str>, [&str; 3]) = (Some("mooney-rivlin"), ["mu01", "mu10", "v1"]);

/// A material of the file: its constants by name; of any other law in an object of their own.
fn material_json(m: &Material) -> Value {
    let (name, density) = (&m.name, m.density);
    if let Some([young, poisson]) = m.law.as_isotropic() {
        return json!({ "name": name, "density": density, "young": young, "poisson": poisson });
    }
    match m.law.exactly(MOONEY.0, MOONEY.1) {
        Some([mu01, mu10, v1]) => {
            json!({ "name": name, "density": density, "mu01": mu01, "mu10": mu10, "v1": v1 })
        }
        None => json!({ "name": name, "density": density, "law": m.law.name, "constants": m.law.constants }),
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

/// The facts as rows of two words, for people.
pub(crate) fn rows(mesh: &MeshData, report: &Report) -> Vec<(String, String)> {
    let [low, high] = mesh.bounds();
    let size = high - low;
    let yes = |b: bool| if b { "yes" } else { "no" };
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |key: &str, value: String| rows.push((key.to_owned(), value));
    let kind = report.kind.name();
    let kind = if report.elements == 1 { kind.trim_end_matches('s') } else { kind };
    row("elements", format!("{} {kind}", report.elements));
    row("vertices", report.vertices.to_string());
    row("parts", report.components.to_string());
    row("size", format!("{} × {} × {} m", length(size.x), length(size.y), length(size.z)));
    if let Some(volume) = report.volume {
        row("volume", format!("{} m³", measured(volume)));
    }
    if let Some(area) = report.area {
        row("area", format!("{} m²", measured(area)));
    }
    row("closed", yes(report.closed).to_owned());
    row("manifold", yes(report.manifold).to_owned());
    if let (Some(low), Some(high)) = (report.quality.min_dihedral_deg, report.quality.max_dihedral_deg) {
        row("dihedral angles", format!("{low:.2}° to {high:.2}°"));
    }
    let a = &mesh.attributes;
    for (r, region) in a.regions.iter().enumerate() {
        let count = a.region_of.iter().filter(|&&x| x == r as u32).count();
        let material = match region.material.map(|m| &a.materials[m as usize]) {
            None => String::new(),
            Some(m) => format!(", {}: {}, {} kg/m³", m.name, law_text(&m.law), m.density),
        };
        row("region", format!("{}: {count} elements{material}", region.name));
    }
    for set in &a.sets {
        row("vertex set", format!("{}: {} vertices", set.name, set.vertices.len()));
    }
    if let Some(embedded) = &a.embedded {
        row("embedded", format!("{} vertices, {} faces", embedded.vertices.len(), embedded.faces.len()));
    }
    rows
}

/// A length that can be read, whether it is of a grain or of a planet.
fn length(metres: f64) -> String {
    match metres {
        0.0 => "0".to_owned(),
        x if (1e-3..1e5).contains(&x) => format!("{x:.4}"),
        x => format!("{x:.3e}"),
    }
}

/// Six digits, with an exponent only where it is needed.
fn measured(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if (1e-3..1e6).contains(&a) => {
            let decimals = (5 - a.log10().floor() as i32).max(0) as usize;
            format!("{x:.decimals$}")
        }
        _ => format!("{x:.5e}"),
    }
}

/// A constant that somebody chose: six digits, and no more of them than it needs.
pub(crate) fn constant(x: f64) -> String {
    format!("{x:.5e}").parse::<f64>().unwrap_or(x).to_string()
}

/// Rows and warnings as text.
pub(crate) fn text(title: &str, rows: &[(String, String)], warnings: &[String]) -> String {
    let mut out = format!("{title}\n");
    for (key, value) in rows {
        let _ = writeln!(out, "  {key:<16} {value}");
    }
    match warnings.len() {
        0 => out.push_str("  nothing is wrong with it\n"),
        n => {
            let _ = writeln!(out, "  {n} {}", if n == 1 { "warning" } else { "warnings" });
            for warning in warnings {
                let _ = writeln!(out, "  ! {warning}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn constants_have_six_digits() {
        let shown = [(200_000.000_000_000_03, "200000"), (0.45, "0.45"), (1234567.0, "1234570"), (0.0, "0")];
        shown.iter().for_each(|(x, text)| assert_eq!(super::constant(*x), *text));
        assert_eq!(super::constant(1.0 / 3.0), "0.333333");
    }
}
