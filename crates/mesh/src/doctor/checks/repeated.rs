//! The same thing twice.

use pliant_linalg::{Vec3, Watch};
use rayon::prelude::*;

use super::{about_elements, about_vertices};
use crate::Result;
use crate::doctor::case::Case;
use crate::doctor::words::{count, place, plural, verb};
use crate::doctor::{Finding, Severity, What};

pub(in crate::doctor) fn vertices(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let names = by_position(&case.mesh.vertices, &case.finite);
    let ids: Vec<u32> = (0..names.len() as u32).filter(|&v| names[v as usize] != v).collect();
    let pairs: Vec<[u32; 2]> = ids.iter().map(|&v| [v, names[v as usize]]).collect();
    let found = about_vertices(case, What::RepeatedVertices, Severity::Warning, ids, |f| {
        format!(
            "{} {} exactly where an earlier one is (vertex {} on vertex {} at {}); {} on both sides of such a seam \
             are not connected: merge the vertices if the {} should hold together there",
            count(f.ids.len(), "vertex"),
            verb(f.ids.len(), "lies", "lie"),
            pairs[0][0],
            pairs[0][1],
            place(&f.positions[0]),
            plural(case.element_word()),
            if case.is_solid() { "body" } else { "surface" },
        )
    });
    Ok(found.map(|f| Finding { pairs, ..f }))
}

pub(in crate::doctor) fn elements(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let mut keys: Vec<(Vec<u32>, u32)> = (0..case.mesh.elements.len())
        .into_par_iter()
        .map(|e| (sorted(case.mesh.elements.get(e)), e as u32))
        .collect();
    keys.par_sort_unstable();
    let mut pairs: Vec<[u32; 2]> = keys
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|same| same[1..].iter().map(|later| [later.1, same[0].1]))
        .collect();
    pairs.sort_unstable();
    let ids = pairs.iter().map(|p| p[0]).collect();
    let found = about_elements(case, What::RepeatedElements, Severity::Warning, ids, |f| {
        format!(
            "{} {} the same corners as an earlier one ({} as {}, at {}); mass and stiffness would count twice there: \
             remove {}",
            count(f.ids.len(), case.element_word()),
            verb(f.ids.len(), "has", "have"),
            pairs[0][0],
            pairs[0][1],
            place(&f.positions[0]),
            verb(f.ids.len(), "the repetition", "the repetitions"),
        )
    });
    Ok(found.map(|f| Finding { pairs, ..f }))
}

/// For every vertex the smallest one at the same position; 0 and −0 are the same, a vertex that is nowhere is alone.
pub(super) fn by_position(vertices: &[Vec3], finite: &[bool]) -> Vec<u32> {
    // Adding 0 makes 0 of −0, so that equal numbers have equal bits.
    let bits = |x: f64| (x + 0.0).to_bits();
    let mut order: Vec<([u64; 3], u32)> = (0..vertices.len())
        .into_par_iter()
        .filter(|&v| finite[v])
        .map(|v| (vertices[v].map(bits).into(), v as u32))
        .collect();
    order.par_sort_unstable();
    let mut names: Vec<u32> = (0..vertices.len() as u32).collect();
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        same.iter().for_each(|s| names[s.1 as usize] = same[0].1);
    }
    names
}

pub(super) fn sorted(corners: &[u32]) -> Vec<u32> {
    let mut corners = corners.to_vec();
    corners.sort_unstable();
    corners
}
