//! Which vertices: the words behind `--fix`.
//!
//! ```text
//! x<5%  y>95%              a slab at the low or high end of the bounding box, in per cent of its length
//! box:x0,y0,z0,x1,y1,z1    everything in a box, metres
//! ids:3,17,20              these vertices, from 0
//! fixed.bou  fixed.txt     a file: Vega's, from 1; or one number a line, from 0
//! set:NAME                 a vertex set that the mesh file names
//! none                     none
//! ```
//! A suffix such as `:z` or `:xy` means only those components; without it all three.

use std::path::Path;

use pliant_linalg::{Vec3, quote, quote_few};

use crate::io::{Source, sets};
use crate::{MeshData, MeshError, Result};

/// Vertices and the components of their motion that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// From 0, ascending, without repetition.
    pub vertices: Vec<u32>,
    /// x, y, z.
    pub components: [bool; 3],
}

/// What may be written, for error messages.
const ALLOWED: &str = "x<5%, y>95%, box:x0,y0,z0,x1,y1,z1, ids:3,17,20, set:NAME, a .bou or .txt file, or none; \
                       a suffix :z or :xy takes only those components";

/// The vertices of `mesh` that `spec` means.
///
/// ```
/// let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let fixed = pliant_mesh::select::select(&bar, "x<5%")?;
/// assert_eq!(fixed.vertices, [0, 11, 22, 33]);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
///
/// # Errors
/// When the words cannot be understood, a vertex is not there, or a file cannot be read.
pub fn select(mesh: &MeshData, spec: &str) -> Result<Selection> {
    // A set may be called `fixed:z`: its whole name comes before a suffix.
    if let Some(set) = spec.strip_prefix("set:").and_then(|name| mesh.attributes.set(name)) {
        return Ok(Selection { vertices: set.vertices.clone(), components: [true; 3] });
    }
    let (what, components) = split_components(spec);
    let vertices = if what == "none" {
        Vec::new()
    } else if let Some(rest) = what.strip_prefix("ids:") {
        ids(mesh, spec, rest)?
    } else if let Some(rest) = what.strip_prefix("box:") {
        let [low, high] = corners(spec, rest)?;
        filter(mesh, |p| (0..3).all(|c| low[c] <= p[c] && p[c] <= high[c]))
    } else if let Some(name) = what.strip_prefix("set:") {
        named(mesh, spec, name)?
    } else if let Some((axis, low, percent)) = slab(what) {
        let [from, to] = mesh.bounds();
        let border = from[axis] + (to[axis] - from[axis]) * percent / 100.0;
        filter(mesh, |p| if low { p[axis] <= border } else { p[axis] >= border })
    } else {
        match Path::new(what).extension().and_then(|e| e.to_str()) {
            Some("bou") => sets::read_bou(&Source::open(Path::new(what))?, mesh.vertices.len())?,
            Some("txt") => sets::read_txt(&Source::open(Path::new(what))?, mesh.vertices.len())?,
            _ => return Err(unknown(spec)),
        }
    };
    Ok(Selection { vertices, components })
}

fn unknown(spec: &str) -> MeshError {
    MeshError::Inconsistent(format!("{} names no vertices; expected {ALLOWED}", quote(spec)))
}

/// Takes a suffix of x, y and z behind the last colon off.
fn split_components(spec: &str) -> (&str, [bool; 3]) {
    if let Some((what, suffix)) = spec.rsplit_once(':')
        && !suffix.is_empty()
        && suffix.chars().all(|c| matches!(c, 'x' | 'y' | 'z'))
    {
        return (what, ['x', 'y', 'z'].map(|c| suffix.contains(c)));
    }
    (spec, [true; 3])
}

/// `x<5%` → (axis, low end, per cent).
fn slab(what: &str) -> Option<(usize, bool, f64)> {
    let mut chars = what.chars();
    let axis = "xyz".find(chars.next()?)?;
    let low = match chars.next()? {
        '<' => true,
        '>' => false,
        _ => return None,
    };
    let percent: f64 = chars.as_str().trim_start_matches('=').strip_suffix('%')?.trim().parse().ok()?;
    percent.is_finite().then_some((axis, low, percent))
}

fn named(mesh: &MeshData, spec: &str, name: &str) -> Result<Vec<u32>> {
    mesh.attributes.set(name).map(|set| set.vertices.clone()).ok_or_else(|| {
        let there = match mesh.attributes.sets.as_slice() {
            [] => format!("nor any other; expected {ALLOWED}"),
            sets => format!("only {}", quote_few(sets.iter().map(|s| s.name.as_str()))),
        };
        MeshError::Inconsistent(format!(
            "{}: the mesh has no vertex set {}, {there}",
            quote(spec),
            quote(name)
        ))
    })
}

fn ids(mesh: &MeshData, spec: &str, list: &str) -> Result<Vec<u32>> {
    let n = mesh.vertices.len();
    let mut ids = Vec::new();
    for word in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        match word.parse::<u32>() {
            Ok(id) if (id as usize) < n => ids.push(id),
            _ => {
                return Err(MeshError::Inconsistent(format!(
                    "{}: {} is no vertex of this mesh; expected numbers from 0 to {}",
                    quote(spec),
                    quote(word),
                    n.saturating_sub(1)
                )));
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn corners(spec: &str, list: &str) -> Result<[Vec3; 2]> {
    let numbers: Option<Vec<f64>> = list.split(',').map(|w| w.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x0, y0, z0, x1, y1, z1]) => {
            let (a, b) = (Vec3::new(x0, y0, z0), Vec3::new(x1, y1, z1));
            Ok([a.inf(&b), a.sup(&b)])
        }
        _ => Err(MeshError::Inconsistent(format!(
            "{}: expected six numbers, box:x0,y0,z0,x1,y1,z1",
            quote(spec)
        ))),
    }
}

fn filter(mesh: &MeshData, wanted: impl Fn(&Vec3) -> bool) -> Vec<u32> {
    (0..mesh.vertices.len() as u32).filter(|&v| wanted(&mesh.vertices[v as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar() -> MeshData {
        crate::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data()
    }

    #[test]
    fn every_way_to_say_it() {
        let bar = bar();
        for (spec, count) in [
            ("x<5%", 4),
            ("x>95%", 4),
            ("y<=0%", 22),
            ("none", 0),
            ("ids:3,1,3", 2),
            ("box:0.45,0,0,0.65,1,1", 8),
        ] {
            assert_eq!(select(&bar, spec).unwrap().vertices.len(), count, "{spec}");
        }
        assert_eq!(select(&bar, "x<5%:zx").unwrap().components, [true, false, true]);
        assert_eq!(select(&bar, "ids:1").unwrap().components, [true; 3]);
    }

    #[test]
    fn a_set_is_found_by_its_whole_name_or_with_a_suffix() {
        let mut bar = bar();
        bar.attributes.sets = [("fixed", 1), ("fixed:z", 2)]
            .map(|(name, v)| crate::VertexSet { name: name.into(), vertices: vec![v] })
            .into();
        assert_eq!(select(&bar, "set:fixed:z").unwrap().vertices, [2]);
        let suffixed = select(&bar, "set:fixed:x").unwrap();
        assert_eq!((suffixed.vertices, suffixed.components), (vec![1], [true, false, false]));
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_what_can() {
        for bad in ["", "x<5", "w<5%", "box:1,2,3", "ids:44", "ids:-1", "set:feet", "left"] {
            let error = select(&bar(), bad).unwrap_err().to_string();
            assert!(error.contains("expected") || error.contains("only"), "{bad}: {error}");
        }
    }
}
