//! Where a body is held of which nobody said where.

use pliant_mesh::{Kind, MeshData, MeshError, select};

/// Where a body is held of which nobody said where, and a sentence about it: what its file fixes (sets called `fixed`, or
/// `fixed:z` for that component alone); the corners of a sheet that names them; else the lowest 5 % along y, or of what lies
/// flat, the first 5 % along its longest side.
///
/// # Errors
/// Never of a sound mesh: the words are our own.
pub fn usual_hold(mesh: &MeshData) -> Result<(Vec<select::Selection>, String), MeshError> {
    let names = || mesh.attributes.sets.iter().map(|s| s.name.as_str());
    let stored: Vec<&str> = names().filter(|n| *n == "fixed" || n.starts_with("fixed:")).collect();
    // A stored `fixed:z` means that component alone.
    if !stored.is_empty() {
        let chosen = stored.iter().filter_map(|name| {
            let suffix = name.strip_prefix("fixed:").unwrap_or("xyz");
            let components = ["x", "y", "z"].map(|c| suffix.contains(c));
            let vertices = mesh.attributes.set(name)?.vertices.clone();
            Some(select::Selection { vertices, components })
        });
        return Ok((chosen.collect(), "it is held where its file says".into()));
    }
    if names().any(|n| n == "corners") && mesh.kind() != Kind::Tets {
        return Ok((vec![select::select(mesh, "set:corners")?], "it is held at its corners".into()));
    }
    let [low, high] = mesh.bounds();
    let sides = high - low;
    // What lies flat is held at one end.
    let axis = if sides.y > 0.05 * sides.max() { 1 } else { sides.imax() };
    let chosen = select::select(mesh, &format!("{}<5%", ["x", "y", "z"][axis]))?;
    let sentence = match axis {
        1 => "it is held at its lowest 5 %".into(),
        _ => format!("it lies flat, so it is held at its first 5 % along {}", ["x", "y", "z"][axis]),
    };
    Ok((vec![chosen], sentence))
}
