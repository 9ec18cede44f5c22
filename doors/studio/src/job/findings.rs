//! What the doctor found, for all pages, with the surface that it is about.

use std::sync::Arc;

use pliant::mesh::doctor::{Report, Severity};
use pliant::mesh::{MeshData, ShownSurface};

use crate::hub::Hub;
use crate::protocol::{Event, Finding};
use crate::{shape, words};

/// Places of a finding that are told.
const PLACES: usize = 200;

/// Tells all pages; a surface that cannot be sent is not shown.
pub(super) fn show(hub: &Arc<Hub>, job: u32, name: &str, mesh: &MeshData, found: &Report) {
    let severity = |s| match s {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let findings = found.findings.iter().map(|f| Finding {
        what: f.what.name(),
        severity: severity(f.severity),
        sentence: words::said(&f.sentence, &f.terms),
        places: f.positions.iter().take(PLACES).map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect(),
    });
    let event = Event::Findings { job, name: name.to_owned(), findings: findings.collect() };
    if let Ok(preview) = shape::preview(&ShownSurface::of(mesh)) {
        hub.show_findings(job, preview, event);
    }
}
