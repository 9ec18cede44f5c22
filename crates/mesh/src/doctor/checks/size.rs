//! The body as a whole: its units, its thickness.

use pliant_linalg::{Mat3, Note, Vec3, Watch};

use super::about_all;
use crate::doctor::case::Case;
use crate::doctor::words::{digits, number};
use crate::doctor::{Finding, Severity, What};
use crate::{Result, terms};

pub(in crate::doctor) fn scale(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    let [low, high] = case.bounds;
    let side = (high - low).max();
    let o = case.options;
    let beyond = if side > o.longest {
        Some(("longer", number(o.longest)))
    } else if side < o.shortest && !case.mesh.elements.is_empty() {
        Some(("shorter", number(o.shortest)))
    } else {
        None
    };
    Ok(beyond.map(|(comparison, limit)| {
        // As many digits as tell the two apart: "20 m, longer than 20 m" would help nobody.
        let length = [4, 8, 17].map(|n| digits(side, n)).into_iter().find(|text| *text != limit);
        let sentence = format!(
            "the body is {} m long, {comparison} than {limit} m: its file may be in other units; \
             scale it to its true length",
            length.unwrap_or(limit.clone())
        );
        about_all(What::Scale, Severity::Warning, Note::new(sentence, &[terms::SCALE]))
    }))
}

pub(in crate::doctor) fn flat(case: &Case<'_>, _: &mut Watch<'_>) -> Result<Option<Finding>> {
    if case.triangles.is_empty() {
        return Ok(None);
    }
    // Of the finite vertices in use: the smallest spread in any direction, as a part of the largest.
    let used = |v: &usize| case.finite[*v] && case.part_of[*v].is_some();
    let points: Vec<Vec3> = (0..case.scaled.len()).filter(used).map(|v| case.scaled[v]).collect();
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let spread: Mat3 = points.iter().map(|p| (p - middle) * (p - middle).transpose()).sum();
    let axes = spread.symmetric_eigen();
    let thin = axes.eigenvectors.column(axes.eigenvalues.imin()).into_owned();
    let thickness = points.iter().map(|p| (p - middle).dot(&thin).abs()).fold(0.0, f64::max);
    let length = points.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max);
    if thickness > FLAT * length {
        return Ok(None);
    }
    let closed = case.loops.is_empty();
    let (severity, next) = if case.is_solid() {
        (Severity::Error, "a solid needs a thickness: give it one, or use its faces as a shell")
    } else if closed {
        (Severity::Warning, "it encloses no volume: use it as a shell, or give it a thickness")
    } else {
        (Severity::Note, "it can be a shell or cloth, not a solid")
    };
    Ok(Some(about_all(What::Flat, severity, format!("all vertices lie in one plane; {next}"))))
}

/// Thickness as a part of the length that is no more than rounding.
const FLAT: f64 = 1e-9;
