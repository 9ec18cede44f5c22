//! Where a surface ends: holes, rims, open sheets.

use pliant_linalg::{Note, Watch};

use super::about_edges;
use crate::doctor::case::Case;
use crate::doctor::words::{count, number, place};
use crate::doctor::{Finding, Severity, What};
use crate::topology::Loop;
use crate::{Result, terms};

pub(in crate::doctor) fn open(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let ids = case.loops.iter().flat_map(|l| l.edges.iter().copied()).collect();
    Ok(about_edges(case, What::Open, Severity::Warning, ids, |f| {
        let mut longest: Vec<&Loop> = case.loops.iter().collect();
        longest.sort_by(|a, b| b.edges.len().cmp(&a.edges.len()).then(a.edges.cmp(&b.edges)));
        let show = |l: &&Loop| {
            format!(
                "{}, {} m, from vertex {} at {}",
                count(l.edges.len(), "edge"),
                number(length(case, l)),
                l.vertices[0],
                place(&case.vertex_at(l.vertices[0]))
            )
        };
        let mut list = longest.iter().take(3).map(show).collect::<Vec<_>>().join("; ");
        if longest.len() > 3 {
            list.push_str("; …");
        }
        let all = match case.loops.len() {
            1 => format!("1 boundary loop ({list})"),
            n => format!("{n} boundary loops with {} ({list})", count(f.ids.len(), "edge")),
        };
        if case.is_solid() {
            Note::from(format!(
                "the boundary of the solid is open: {all}; the tets do not fit together there: faces of three or more \
                 tets are the cause"
            ))
        } else {
            let sentence = format!(
                "the surface is open: {all}; it encloses no volume, which is right for cloth and shells: for a solid, \
                 fill it with tets, which closes small holes; a cage of tets encloses what cannot be closed"
            );
            Note::new(sentence, &[terms::FILL, terms::CAGE])
        }
    }))
}

/// Length of a loop, metres.
pub(in crate::doctor) fn length(case: &Case<'_>, rim: &Loop) -> f64 {
    let one = |&e: &u32| {
        let [a, b] = case.edges.ends(e as usize).map(|v| case.vertex_at(v));
        (a - b).norm()
    };
    rim.edges.iter().map(one).sum()
}
