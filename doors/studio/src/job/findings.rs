//! What the doctor found, for all pages, with the surface that it is about.

use std::sync::Arc;

use pliant::linalg::Note;
use pliant::mesh::doctor::{Finding, Report, Severity};
use pliant::mesh::{MeshData, ShownSurface};

use serde_json::{Value, json};

use crate::command::{Command, Remark};
use crate::hub::Hub;
use crate::protocol::event;
use crate::{shape, words};

/// Places of a finding that are told.
const PLACES: usize = 200;

/// Tells all pages; a surface that cannot be sent is not shown.
pub(super) fn show(hub: &Arc<Hub>, job: u32, name: &str, mesh: &MeshData, found: &Report) {
    let finding = |f: &Finding| {
        let places = f.positions.iter().take(PLACES).map(|p| [p.x as f32, p.y as f32, p.z as f32]);
        json!({
            "what": f.what.name(),
            "severity": severity(f),
            "sentence": words::said(&f.sentence, &f.terms),
            "places": places.collect::<Vec<_>>(),
        })
    };
    let findings: Vec<Value> = found.findings.iter().map(finding).collect();
    preview(hub, job, name, &ShownSurface::of(mesh), &findings);
}

/// Shows all pages what a job works on.
pub(super) fn preview(hub: &Arc<Hub>, job: u32, name: &str, shown: &ShownSurface, findings: &[Value]) {
    let findings = event("files.findings", &json!({ "job": job, "name": name, "findings": findings }));
    if let Ok(bytes) = shape::preview(shown) {
        hub.send(Command::Preview { job, bytes, findings });
    }
}

fn severity(found: &Finding) -> &'static str {
    match found.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// What a person should know of a body: what its maker did, and what was found in its file where that says something else.
pub(super) fn remarks(notes: &[Note], found: Option<&Report>) -> Vec<Remark> {
    let made: Vec<Remark> = notes.iter().map(words::remark).collect();
    let found = found.map_or(&[][..], |report| &report.findings).iter().map(|f| Remark {
        sentence: words::said(&f.sentence, &f.terms),
        severity: severity(f),
        remedy: words::remedy(&f.terms),
    });
    // That a size is unlikely is said by both.
    let is_new = |of: &Remark| of.remedy != Some("size") || made.iter().all(|made| made.remedy != of.remedy);
    let found: Vec<Remark> = found.filter(is_new).collect();
    made.into_iter().chain(found).collect()
}
