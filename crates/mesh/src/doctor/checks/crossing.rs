//! Faces that pass through each other, lie on each other, or are folded onto a neighbour.

use pliant_linalg::{Progress, Watch};
use rayon::prelude::*;

use super::about_elements;
use super::repeated::{by_position, sorted};
use crate::Result;
use crate::bvh::{Aabb, Bvh};
use crate::doctor::case::Case;
use crate::doctor::exact::{self, Triangle};
use crate::doctor::words::{count, place};
use crate::doctor::{Finding, MAX_PAIRS, Severity, What};

/// Triangles between two words to the watch; few, since in a tangle each may cross all others.
const CHUNK: usize = 1024;

pub(in crate::doctor) fn crossing(case: &Case<'_>, watch: &mut Watch<'_>) -> Result<Option<Finding>> {
    if !case.options.crossings {
        return Ok(None);
    }
    // Vertices at the same position are the same here: a seam is not a crossing.
    let names = by_position(&case.scaled, &case.finite);
    let mut triangles = Vec::with_capacity(case.triangles.len());
    let mut face_of = Vec::with_capacity(case.triangles.len());
    for (t, &f) in case.triangles.iter().zip(&case.face_of) {
        if let Some(t) = Triangle::new(t.map(|v| names[v as usize]), t.map(|v| case.scaled[v as usize])) {
            triangles.push(t);
            face_of.push(f);
        }
    }
    let boxes: Vec<Aabb> = triangles.iter().map(Triangle::bounds).collect();
    let tree = Bvh::new(boxes.clone());
    let mut met = vec![false; case.faces.len()];
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    let mut more = false;
    for start in (0..triangles.len()).step_by(CHUNK) {
        Progress { stage: "crossing faces", done: start, total: triangles.len() }.tell(watch)?;
        let found: Vec<[u32; 2]> = (start..triangles.len().min(start + CHUNK))
            .into_par_iter()
            .flat_map_iter(|i| {
                let mut with = Vec::new();
                tree.visit(
                    |b| b.overlaps(&boxes[i]),
                    |j| {
                        let j = j as usize;
                        if j > i && face_of[j] != face_of[i] && exact::crossing(&triangles[i], &triangles[j])
                        {
                            with.push([face_of[i], face_of[j]]);
                        }
                    },
                );
                with.sort_unstable();
                with
            })
            .collect();
        for pair in found {
            // Repeated elements have a finding of their own.
            if triangles_repeat(case, pair) {
                continue;
            }
            pair.iter().for_each(|&f| met[f as usize] = true);
            more |= pairs.len() >= MAX_PAIRS;
            if pairs.len() < MAX_PAIRS {
                pairs.push(pair);
            }
        }
    }
    // Faces of several triangles may have met several times.
    pairs.sort_unstable();
    pairs.dedup();
    let mut ids: Vec<u32> =
        (0..met.len() as u32).filter(|&f| met[f as usize]).map(|f| case.element_of_face(f)).collect();
    ids.sort_unstable();
    ids.dedup();
    let pairs: Vec<[u32; 2]> = pairs.iter().map(|p| p.map(|f| case.element_of_face(f))).collect();
    let found = about_elements(case, What::Crossing, Severity::Warning, ids, |f| {
        let what = if case.is_solid() { "boundary faces" } else { "faces" };
        let next = if case.is_solid() {
            "the solid overlaps itself: mesh its surface anew with `pliant mesh IN -o OUT --tets`"
        } else {
            "inside and outside are unclear there: `pliant mesh IN -o OUT --tets` unites what overlaps"
        };
        format!(
            "{}{} of {what} cross or touch, {} in all ({} and {} at {}); {next}",
            if more { "more than " } else { "" },
            count(pairs.len(), "pair"),
            count(f.ids.len(), case.element_word()),
            pairs[0][0],
            pairs[0][1],
            place(&case.element_at(pairs[0][0])),
        )
    });
    Ok(found.map(|f| Finding { pairs, ..f }))
}

fn triangles_repeat(case: &Case<'_>, [a, b]: [u32; 2]) -> bool {
    sorted(case.faces.get(a as usize)) == sorted(case.faces.get(b as usize))
}
