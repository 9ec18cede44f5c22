//! Which way faces look.

use pliant_linalg::{Note, Watch};

use super::{about_all, about_edges, about_elements, first};
use crate::doctor::case::Case;
use crate::doctor::words::{count, verb};
use crate::doctor::{Finding, Severity, What};
use crate::{Result, terms};

pub(in crate::doctor) fn flipped(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    if case.is_solid() {
        return Ok(None);
    }
    let ids = case.orientation.against.clone();
    Ok(about_elements(case, What::Flipped, Severity::Warning, ids, |f| {
        let sentence = format!(
            "{} {} the other way than {} neighbours ({}); inside and outside change places there: turn {} around, \
             or make a solid of the surface",
            count(f.ids.len(), case.element_word()),
            verb(f.ids.len(), "looks", "look"),
            verb(f.ids.len(), "its", "their"),
            first(f),
            verb(f.ids.len(), "it", "them"),
        );
        Note::new(sentence, &[terms::SOLID_OF_SURFACE])
    }))
}

pub(in crate::doctor) fn one_sided(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    if case.is_solid() {
        return Ok(None);
    }
    let ids = case.orientation.twisted.clone();
    Ok(about_edges(case, What::OneSided, Severity::Warning, ids, |f| {
        format!(
            "the surface has only one side, as a Möbius band has: at {} the faces cannot be made to agree ({}); it \
             bounds no solid, and bending forces are undefined there: cut it along {}",
            count(f.ids.len(), "edge"),
            first(f),
            verb(f.ids.len(), "this edge", "these edges"),
        )
    }))
}

pub(in crate::doctor) fn inside_out(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    if case.is_solid() {
        return Ok(None);
    }
    let inward = &case.inward;
    let patch = |f: u32| case.orientation.patch_of[f as usize] as usize;
    let ids: Vec<u32> = (0..case.faces.len() as u32).filter(|&f| inward[patch(f)]).collect();
    let unsure = (case.unsure > 0).then(|| {
        let parts = count(case.unsure, "closed part");
        format!(
            "{parts} {} among so many others that only some of those were asked whether they lie around",
            verb(case.unsure, "lies", "lie")
        )
    });
    if ids.is_empty() {
        let none = |why| format!("{why}; none looks inward so far: unite what overlaps, and look again");
        return Ok(unsure.map(|why| about_all(What::InsideOut, Severity::Note, none(why))));
    }
    Ok(about_elements(case, What::InsideOut, Severity::Warning, ids, |f| {
        let patches = inward.iter().filter(|&&i| i).count();
        format!(
            "{} {} inside out: {} of {} look inward ({}); the volume comes out negative: turn these faces around{}",
            if inward.len() == 1 { "the surface".into() } else { count(patches, "closed part") },
            verb(patches, "is", "are"),
            count(f.ids.len(), case.element_word()),
            case.faces.len(),
            first(f),
            unsure.map_or(String::new(), |why| format!("; {why}")),
        )
    }))
}
