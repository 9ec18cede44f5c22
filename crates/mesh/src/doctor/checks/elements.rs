//! Elements one by one: inside out, without size, too sharp.

use pliant_linalg::{Note, Watch};

use super::{about_elements, first};
use crate::doctor::case::{Case, NOTHING, Shape};
use crate::doctor::words::{count, number, verb};
use crate::doctor::{Finding, Severity, What};
use crate::measure::Quality;
use crate::{Result, terms};

pub(in crate::doctor) fn inverted(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids = case.of_shape(Shape::Inverted);
    Ok(about_elements(case, What::Inverted, Severity::Error, ids, |f| {
        let sentence = format!(
            "{} of {} {} inside out, with negative volume ({}); mass and stiffness would be negative there: \
             swap two corners of {}, or, where neighbours are folded through each other, mesh the surface anew",
            count(f.ids.len(), "tet"),
            case.shapes.len(),
            verb(f.ids.len(), "is", "are"),
            first(f),
            verb(f.ids.len(), "it", "each"),
        );
        Note::new(sentence, &[terms::MESH_ANEW])
    }))
}

pub(in crate::doctor) fn degenerate(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids = case.of_shape(Shape::Degenerate);
    let severity = if case.is_solid() { Severity::Error } else { Severity::Warning };
    Ok(about_elements(case, What::Degenerate, severity, ids, |f| {
        let them = verb(f.ids.len(), "it", "them");
        let (no_size, next) = if case.is_solid() {
            (
                format!("no volume (at most {NOTHING:e} L³, L the longest edge)"),
                format!("the stiffness would be infinite there: remove {them}, or mesh the surface anew"),
            )
        } else {
            (
                format!("no area (at most {NOTHING:e} L², L the longest edge), a side without length,"),
                format!(
                    "there is no normal and no stiffness there: remove {them}, or make a solid of the surface"
                ),
            )
        };
        let sentence = format!(
            "{} {} {no_size} or the same corner twice ({}); {next}",
            count(f.ids.len(), case.element_word()),
            verb(f.ids.len(), "has", "have"),
            first(f),
        );
        Note::new(sentence, &[if case.is_solid() { terms::MESH_ANEW } else { terms::SOLID_OF_SURFACE }])
    }))
}

pub(in crate::doctor) fn slivers(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids = case.of_shape(Shape::Sliver);
    let o = case.options;
    Ok(about_elements(case, What::Sliver, Severity::Warning, ids, |f| {
        let worst = f.ids.iter().map(|&e| quality(case, e)).reduce(|a, b| a.and(&b)).unwrap_or_default();
        let limits = if case.is_solid() {
            format!(
                "a dihedral angle below {}° or above {}°, or a radius ratio below {}; the extremes are {}°, {}° and {}",
                number(o.min_dihedral_deg),
                number(o.max_dihedral_deg),
                number(o.min_radius_ratio),
                number(worst.min_dihedral_deg.unwrap_or(f64::NAN)),
                number(worst.max_dihedral_deg.unwrap_or(f64::NAN)),
                number(worst.min_radius_ratio.unwrap_or(f64::NAN)),
            )
        } else {
            format!(
                "an angle below {}° or above {}°; the extremes are {}° and {}°",
                number(o.min_angle_deg),
                number(o.max_angle_deg),
                number(worst.min_angle_deg.unwrap_or(f64::NAN)),
                number(worst.max_angle_deg.unwrap_or(f64::NAN)),
            )
        };
        let (next, term) = if case.is_solid() {
            let next = "the solid is far too stiff there and its motion inaccurate: mesh the surface anew";
            (next, terms::MESH_ANEW)
        } else {
            ("bending is inaccurate there: remesh the surface, or make a solid of it", terms::TETS)
        };
        let sentence = format!(
            "{} of {} {} sliver{} ({}): {limits}; {next}",
            count(f.ids.len(), case.element_word()),
            case.shapes.len(),
            verb(f.ids.len(), "is a", "are"),
            verb(f.ids.len(), "", "s"),
            first(f),
        );
        Note::new(sentence, &[term])
    }))
}

/// The quality of one element whose corners are finite.
fn quality(case: &Case<'_>, e: u32) -> Quality {
    let at = |v: u32| case.scaled[v as usize];
    match &case.mesh.elements {
        crate::Elements::Tets(tets) => Quality::of_tet(&tets[e as usize].map(at)),
        crate::Elements::Faces(faces) => {
            let one = [faces.get(e as usize)].into_iter().collect();
            let triangles = crate::measure::triangulate(&case.scaled, &one);
            let all = triangles.iter().map(|t| Quality::of_triangle(&t.map(at)));
            all.reduce(|a, b| a.and(&b)).unwrap_or_default()
        }
    }
}
