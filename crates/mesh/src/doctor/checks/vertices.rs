//! Vertices that are nowhere, or of no use.

use pliant_linalg::Watch;

use super::{about_all, about_vertices, first};
use crate::Result;
use crate::doctor::case::Case;
use crate::doctor::words::{count, few, place, verb};
use crate::doctor::{Finding, Severity, What};

pub(in crate::doctor) fn empty(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let sentence = || {
        format!(
            "the mesh has {} and no elements; a body needs at least one: look at the program that wrote the file",
            count(case.mesh.vertices.len(), "vertex")
        )
    };
    Ok(case.mesh.elements.is_empty().then(|| about_all(What::Empty, Severity::Error, sentence())))
}

pub(in crate::doctor) fn not_finite(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids: Vec<u32> = (0..case.finite.len() as u32).filter(|&v| !case.finite[v as usize]).collect();
    Ok(about_vertices(case, What::NotFinite, Severity::Error, ids, |f| {
        format!(
            "{} {} coordinates that are not finite ({} {}, {}at {}); nothing can be computed with them, and the \
             elements there were not judged: correct the file",
            count(f.ids.len(), "vertex"),
            verb(f.ids.len(), "has", "have"),
            verb(f.ids.len(), "vertex", "vertices"),
            few(&f.ids, u32::to_string),
            verb(f.ids.len(), "", "the first "),
            place(&case.mesh.vertices[f.ids[0] as usize]),
        )
    }))
}

pub(in crate::doctor) fn unused(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids: Vec<u32> =
        (0..case.part_of.len() as u32).filter(|&v| case.part_of[v as usize].is_none()).collect();
    Ok(about_vertices(case, What::Unused, Severity::Note, ids, |f| {
        format!(
            "{} {} to no element ({}); such vertices have no mass and never move, and are kept so that ids stay valid",
            count(f.ids.len(), "vertex"),
            verb(f.ids.len(), "belongs", "belong"),
            first(f),
        )
    }))
}
