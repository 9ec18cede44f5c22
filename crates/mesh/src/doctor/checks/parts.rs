//! The connected parts and their sizes.

use pliant_linalg::{Note, Watch};

use super::about_elements;
use crate::doctor::case::Case;
use crate::doctor::words::{count, number, place, plural};
use crate::doctor::{Finding, Part, Severity, What};
use crate::measure::{area_vector, tet_volume};
use crate::{Elements, Result, terms};

pub(in crate::doctor) fn parts(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    if case.parts < 2 {
        return Ok(None);
    }
    let parts = sizes(case);
    let ids = parts.iter().map(|p| p.first).collect();
    Ok(about_elements(case, What::Parts, Severity::Note, ids, |_| {
        let mut largest: Vec<&Part> = parts.iter().collect();
        largest.sort_by(|a, b| b.elements.cmp(&a.elements).then(a.first.cmp(&b.first)));
        let unit = if case.is_solid() { "m³" } else { "m²" };
        let show = |p: &&Part| {
            format!(
                "{} of {} {unit} at {}",
                count(p.elements, case.element_word()),
                number(p.size),
                place(&case.element_at(p.first))
            )
        };
        let mut list = largest.iter().take(3).map(show).collect::<Vec<_>>().join("; ");
        if largest.len() > 3 {
            let smallest = largest[largest.len() - 1].elements;
            list += &format!("; …; the smallest has {}", count(smallest, case.element_word()));
        }
        let sentence = format!(
            "the mesh has {} parts that share no vertex ({list}); {} of different parts do not move together: \
             make a solid of them, which unites parts that overlap",
            parts.len(),
            plural(case.element_word()),
        );
        Note::new(sentence, &[terms::SOLID_OF_PARTS])
    }))
}

/// Every part with its size.
pub(in crate::doctor) fn sizes(case: &Case<'_>) -> Vec<Part> {
    let mut parts = vec![Part { elements: 0, vertices: 0, first: u32::MAX, size: 0.0 }; case.parts];
    let part_of = |v: u32| case.part_of[v as usize].map(|p| p as usize);
    case.part_of.iter().flatten().for_each(|&p| parts[p as usize].vertices += 1);
    for e in 0..case.mesh.elements.len() {
        // A face without corners is in no part.
        if let Some(p) = case.mesh.elements.get(e).first().and_then(|&v| part_of(v)) {
            parts[p].elements += 1;
            parts[p].first = parts[p].first.min(e as u32);
        }
    }
    match &case.mesh.elements {
        Elements::Tets(tets) => {
            for t in tets.iter().filter(|t| t.iter().all(|&v| case.finite[v as usize])) {
                if let Some(p) = part_of(t[0]) {
                    parts[p].size += tet_volume(&t.map(|v| case.scaled[v as usize])) * case.scale.powi(3);
                }
            }
        }
        Elements::Faces(_) => {
            for t in &case.triangles {
                if let Some(p) = part_of(t[0]) {
                    parts[p].size +=
                        area_vector(&t.map(|v| case.scaled[v as usize])).norm() * case.scale.powi(2);
                }
            }
        }
    }
    parts
}
