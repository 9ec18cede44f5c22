//! The checks, by subject. Each is a function that looks at the [`super::Case`] and tells at most one finding.

pub(super) mod crossing;
pub(super) mod elements;
pub(super) mod manifold;
pub(super) mod open;
pub(super) mod orientation;
pub(super) mod parts;
pub(super) mod repeated;
pub(super) mod size;
pub(super) mod vertices;

use pliant_linalg::Note;

use super::case::Case;
use super::{Finding, IdKind, Severity, What};

/// A finding about vertices; `None` when there are none.
fn about_vertices<N: Into<Note>>(
    case: &Case<'_>,
    what: What,
    severity: Severity,
    ids: Vec<u32>,
    note: impl FnOnce(&Finding) -> N,
) -> Option<Finding> {
    let positions = ids.iter().map(|&v| case.vertex_at(v)).collect();
    tell(what, severity, IdKind::Vertex, ids, positions, note)
}

/// A finding about elements; `None` when there are none.
fn about_elements<N: Into<Note>>(
    case: &Case<'_>,
    what: What,
    severity: Severity,
    ids: Vec<u32>,
    note: impl FnOnce(&Finding) -> N,
) -> Option<Finding> {
    let positions = ids.iter().map(|&e| case.element_at(e)).collect();
    tell(what, severity, IdKind::Element, ids, positions, note)
}

/// A finding about edges of the surface; `None` when there are none.
fn about_edges<N: Into<Note>>(
    case: &Case<'_>,
    what: What,
    severity: Severity,
    ids: Vec<u32>,
    note: impl FnOnce(&Finding) -> N,
) -> Option<Finding> {
    let positions = ids.iter().map(|&e| case.edge_at(e)).collect();
    let pairs: Vec<[u32; 2]> = ids.iter().map(|&e| case.edges.ends(e as usize)).collect();
    let with_pairs = |f: &Finding| note(&Finding { pairs: pairs.clone(), ..f.clone() });
    tell(what, severity, IdKind::Edge, ids, positions, with_pairs).map(|f| Finding { pairs, ..f })
}

/// A finding about the mesh as a whole.
fn about_all(what: What, severity: Severity, note: impl Into<Note>) -> Finding {
    let Note { sentence, terms } = note.into();
    Finding {
        what,
        severity,
        id_kind: IdKind::Whole,
        ids: Vec::new(),
        positions: Vec::new(),
        pairs: Vec::new(),
        sentence,
        terms,
    }
}

fn tell<N: Into<Note>>(
    what: What,
    severity: Severity,
    id_kind: IdKind,
    ids: Vec<u32>,
    positions: Vec<pliant_linalg::Vec3>,
    note: impl FnOnce(&Finding) -> N,
) -> Option<Finding> {
    if ids.is_empty() {
        return None;
    }
    let (pairs, sentence, terms) = (Vec::new(), String::new(), Vec::new());
    let finding = Finding { what, severity, id_kind, ids, positions, pairs, sentence, terms };
    let Note { sentence, terms } = note(&finding).into();
    Some(Finding { sentence, terms, ..finding })
}

/// "first: 17–43 at (0.1, 0.2, 0.3)" for edges, "first: 17 at (…)" for the rest; without "first" when there is one.
fn first(finding: &Finding) -> String {
    let name = match (finding.id_kind, finding.pairs.first()) {
        (IdKind::Edge, Some([a, b])) => format!("{a}–{b}"),
        _ => finding.ids[0].to_string(),
    };
    let lead = if finding.ids.len() == 1 { "" } else { "first: " };
    format!("{lead}{name} at {}", super::words::place(&finding.positions[0]))
}
