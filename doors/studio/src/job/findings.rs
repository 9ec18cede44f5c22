//! What the doctor found, for all pages, with the surface that it is about.

use std::sync::Arc;

use pliant::mesh::doctor::{Finding, Report, Severity};
use pliant::mesh::{MeshData, ShownSurface};

use serde_json::{Value, json};

use crate::command::Command;
use crate::hub::Hub;
use crate::protocol::event;
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
    let finding = |f: &Finding| {
        let places = f.positions.iter().take(PLACES).map(|p| [p.x as f32, p.y as f32, p.z as f32]);
        json!({
            "what": f.what.name(),
            "severity": severity(f.severity),
            "sentence": words::said(&f.sentence, &f.terms),
            "places": places.collect::<Vec<_>>(),
        })
    };
    let findings: Vec<Value> = found.findings.iter().map(finding).collect();
    let findings = event("files.findings", &json!({ "job": job, "name": name, "findings": findings }));
    if let Ok(bytes) = shape::preview(&ShownSurface::of(mesh)) {
        hub.send(Command::Preview { job, bytes, findings });
    }
}
