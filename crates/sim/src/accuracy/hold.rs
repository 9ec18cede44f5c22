//! Where a body is held of which nobody said where.

use pliant_linalg::Vec3;
use pliant_mesh::loose::main_part;
use pliant_mesh::{Kind, MeshData, MeshError, select};

/// Where a body is held of which nobody said where, and a sentence about it: what its file fixes (sets called `fixed`, or
/// `fixed:z` for that component alone); the corners of a sheet that names them; else the lowest 5 % along y, or of what lies
/// flat, the first 5 % along its longest side. Of a body in several parts that is its main part: what is not joined to it
/// holds nothing.
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
    let main = main_part(mesh);
    let [low, high] = main.as_ref().map_or_else(|| mesh.bounds(), |main| bounds_of(mesh, main));
    let sides = high - low;
    // What lies flat is held at one end.
    let axis = if sides.y > 0.05 * sides.max() { 1 } else { sides.imax() };
    let mut sentence = match axis {
        1 => "it is held at its lowest 5 %".into(),
        _ => format!("it lies flat, so it is held at its first 5 % along {}", ["x", "y", "z"][axis]),
    };
    let Some(main) = main else {
        return Ok((vec![select::select(mesh, &format!("{}<5%", ["x", "y", "z"][axis]))?], sentence));
    };
    sentence += ", the main part only";
    let level = low[axis] + 0.05 * sides[axis];
    let below = |v: &u32| main[*v as usize] && mesh.vertices[*v as usize][axis] <= level;
    let vertices = (0..main.len() as u32).filter(below).collect();
    Ok((vec![select::Selection { vertices, components: [true; 3] }], sentence))
}

/// The box of some vertices.
fn bounds_of(mesh: &MeshData, some: &[bool]) -> [Vec3; 2] {
    let points = mesh.vertices.iter().zip(some).filter(|(_, is)| **is).map(|(p, _)| p);
    let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    points.fold(empty, |[low, high], p| [low.inf(p), high.sup(p)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    #[test]
    fn a_crumb_below_the_body_holds_nothing() {
        let bar = shapes::bar(Vec3::new(0.2, 1.0, 0.2), [1, 5, 1]);
        let crumb = shapes::bar(Vec3::repeat(0.01), [1, 1, 1]);
        let mut vertices = bar.vertices().to_vec();
        let start = vertices.len() as u32;
        vertices.extend(crumb.vertices().iter().map(|p| p - Vec3::y()));
        let mut tets = bar.tets().to_vec();
        tets.extend(crumb.tets().iter().map(|t| t.map(|v| v + start)));
        let mesh = MeshData::from_tets(vertices, tets);
        let (held, sentence) = usual_hold(&mesh).expect("a hold");
        assert_eq!(held[0].vertices.len(), 4, "the four lowest of the bar");
        assert!(held[0].vertices.iter().all(|v| *v < start), "{held:?}");
        assert_eq!(sentence, "it is held at its lowest 5 %, the main part only");
    }
}
