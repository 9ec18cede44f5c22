//! What `--accuracy` found, for people and for scripts.

use std::fmt::Write as _;

use pliant::sim::accuracy::{MeasuredModel, Report, percent};
use serde_json::{Value, json};

use crate::words::note;

/// The report as JSON; an error that was not measured, or of a run without end, is null.
pub(super) fn json(report: &Report) -> Value {
    let Report { asked, aim, met, chosen, basis_error, projection_error, .. } = report;
    let would_buy = report.would_buy.iter().map(|step| {
        let mut row = row(step);
        row["change"] = change(chosen, step).into();
        row
    });
    let scenarios = report.scenarios.iter().zip(&chosen.scenarios).map(|(scenario, error)| {
        json!({
            "dt": scenario.dt,
            "steps": scenario.steps,
            "period": scenario.period,
            "pulled_vertices": scenario.pulled,
            "force": scenario.force,
            "reach": scenario.reach,
            "full_seconds": scenario.full_seconds,
            "error": error,
        })
    });
    json!({
        "asked": asked,
        "aim": aim,
        "met": met,
        "measured": { "poses": chosen.poses, "scenario": chosen.scenario },
        "chosen": row(chosen),
        "basis_error": basis_error,
        "projection_error": projection_error,
        "why": report.why.iter().map(note).collect::<Vec<_>>(),
        "tried": report.tried.iter().map(row).collect::<Vec<_>>(),
        "would_buy": would_buy.collect::<Vec<_>>(),
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}

fn row(tried: &MeasuredModel) -> Value {
    json!({
        "basis": tried.basis,
        "modes": tried.modes,
        "rank": tried.rank,
        "forces": tried.forces,
        "points": tried.points,
        "poses": tried.poses,
        "scenario": tried.scenario,
    })
}

/// The sentence of a goal that was missed.
pub(super) fn missed(report: &Report) -> Option<String> {
    let next = note(report.why.last().filter(|_| !report.met)?);
    Some(format!(
        "the accuracy asked for, {}, was missed: the best found is off by {}; {next}",
        percent(report.asked),
        errors(&report.chosen)
    ))
}

/// A few lines for people.
pub(super) fn text(report: &Report) -> String {
    let chosen = &report.chosen;
    let mut text = format!(
        "\naccuracy        {} {}: off by {}\n",
        if report.met { "within" } else { "misses" },
        percent(report.asked),
        errors(chosen)
    );
    for (scenario, error) in report.scenarios.iter().zip(&chosen.scenarios) {
        let _ = writeln!(
            text,
            "measured        pulled by {:.3} of its size at {} vertices and released, {} steps: {}; the full body took {:.1} s",
            scenario.reach,
            scenario.pulled,
            scenario.steps,
            motion(*error),
            scenario.full_seconds
        );
    }
    for sentence in &report.why {
        let _ = writeln!(text, "why             {}", note(sentence));
    }
    for step in &report.would_buy {
        let _ = writeln!(text, "would buy       {}: off by {}", change(chosen, step), errors(step));
    }
    text
}

fn errors(tried: &MeasuredModel) -> String {
    let motion = motion(tried.scenario);
    tried.poses.map_or(motion.clone(), |poses| format!("{} on fresh poses, {motion}", percent(poses)))
}

fn motion(error: f64) -> String {
    if error.is_finite() { format!("{} in motion", percent(error)) } else { percent(error) }
}

fn change(from: &MeasuredModel, to: &MeasuredModel) -> String {
    match (from.points, to.points) {
        (Some(a), Some(b)) if from.rank == to.rank => format!("points {a} -> {b}"),
        (Some(_), None) => format!("rank {} -> {}, with exact forces", from.rank, to.rank),
        _ => format!("rank {} -> {}", from.rank, to.rank),
    }
}
