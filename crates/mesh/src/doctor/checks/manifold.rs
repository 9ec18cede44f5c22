//! Places where a surface branches or only touches itself, and solids whose tets do not fit.

use pliant_linalg::{Note, Term, Watch};

use super::{about_edges, about_elements, about_vertices, first};
use crate::doctor::case::{Case, Shape};
use crate::doctor::words::{count, place, verb};
use crate::doctor::{Finding, Severity, What};
use crate::measure::TET_FACES;
use crate::topology::{TetFace, pinched_vertices};
use crate::{Elements, Result, terms};

pub(in crate::doctor) fn edges(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids: Vec<u32> =
        (0..case.edges.len() as u32).filter(|&e| case.edges.uses(e as usize).len() > 2).collect();
    Ok(about_edges(case, What::NonManifoldEdges, Severity::Warning, ids, |f| {
        let next = if case.is_solid() {
            "the solid hangs together by an edge only, a hinge without stiffness: join the parts by a face, or mesh it anew"
        } else {
            "shells need a manifold: remove the extra faces, or make a solid of it"
        };
        let sentence = format!(
            "{} {} to three or more {} ({}); {next}",
            count(f.ids.len(), "edge"),
            verb(f.ids.len(), "belongs", "belong"),
            if case.is_solid() { "boundary faces" } else { "faces" },
            first(f),
        );
        Note::new(sentence, remedy(case))
    }))
}

pub(in crate::doctor) fn vertices(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids = pinched_vertices(&case.faces, &case.edges, case.mesh.vertices.len());
    Ok(about_vertices(case, What::NonManifoldVertices, Severity::Warning, ids, |f| {
        let next = if case.is_solid() {
            "the solid hangs together by a point only there: join the parts by a face, or mesh it anew"
        } else {
            "shells need a manifold: give each sheet its own vertex, or make a solid of it"
        };
        let sentence = format!(
            "{} {} two or more sheets of the {} that only touch there ({}); {next}",
            count(f.ids.len(), "vertex"),
            verb(f.ids.len(), "joins", "join"),
            if case.is_solid() { "boundary" } else { "surface" },
            first(f),
        );
        Note::new(sentence, remedy(case))
    }))
}

pub(in crate::doctor) fn faces(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let crowded: Vec<&[TetFace]> = groups(case).filter(|g| g.len() > 2).collect();
    let mut ids: Vec<u32> = crowded.iter().flat_map(|g| g.iter().map(|f| f.tet)).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(about_elements(case, What::NonManifoldFaces, Severity::Error, ids, |f| {
        format!(
            "{} {} to three or more tets (of tet {} at {}); tets overlap there: remove the extra ones",
            count(crowded.len(), "face"),
            verb(crowded.len(), "belongs", "belong"),
            f.ids[0],
            place(&f.positions[0]),
        )
    }))
}

pub(in crate::doctor) fn folded(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let Elements::Tets(tets) = &case.mesh.elements else { return Ok(None) };
    let upright = |f: &TetFace| matches!(case.shapes[f.tet as usize], Shape::Sound | Shape::Sliver);
    // Two tets on different sides of a face run through it in opposite directions.
    let even = |f: &TetFace| {
        let run = TET_FACES[f.face as usize].map(|c| tets[f.tet as usize][c]);
        let first = run.iter().position(|v| *v == f.corners[0]).unwrap_or(0);
        run[(first + 1) % 3] == f.corners[1]
    };
    let mut ids: Vec<u32> = groups(case)
        .filter(|g| matches!(g, [a, b] if upright(a) && upright(b) && even(a) == even(b)))
        .flat_map(|g| g.iter().map(|f| f.tet))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(about_elements(case, What::Folded, Severity::Error, ids, |f| {
        let sentence = format!(
            "{} {} on the same side of a face as the neighbour ({}); the tets overlap and mass would count twice: \
             mesh the surface anew",
            count(f.ids.len(), "tet"),
            verb(f.ids.len(), "lies", "lie"),
            first(f),
        );
        Note::new(sentence, &[terms::MESH_ANEW])
    }))
}

/// What helps a surface that branches.
fn remedy(case: &Case<'_>) -> &'static [Term] {
    if case.is_solid() { &[] } else { &[terms::TETS] }
}

/// The faces of a solid, each with the tets at it; none for a surface.
fn groups<'a>(case: &'a Case<'_>) -> impl Iterator<Item = &'a [TetFace]> {
    case.tet_faces.chunk_by(|a, b| a.corners == b.corners)
}
