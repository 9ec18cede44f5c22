//! A model and the full body on the same scenario: probes, energies, errors; then what the model was made of.

use std::path::Path;

use pliant_draw::{Plot, Section, html_page};
use pliant_linalg::Watch;
use pliant_reduce::{Model, ReduceError};
use pliant_sim::{Comparison, Record};
use pliant_world::facts::of_comparison;

use crate::model::{facts, shape_sections};
use crate::parts::{findings, name, over};

/// The page of the model in `source`.
///
/// # Errors
/// A model whose body cannot be made again, or the watch asked to stop.
pub fn page(
    source: &Path,
    model: &Model,
    comparison: &Comparison,
    warnings: &[String],
    watch: &mut Watch<'_>,
) -> Result<String, ReduceError> {
    let (full, reduced) = (&comparison.full, &comparison.reduced);
    let over = |record: &Record, values: &[f64]| over(&record.times, values);
    let mut sections = findings(warnings);
    sections.push(Section::Facts(of_comparison(comparison).rows()));
    for ((name, truth), (_, ours)) in full.probes.iter().zip(&reduced.probes) {
        // The component that moves most: the others only crowd the plot.
        let far = |c: usize| truth.iter().map(|u| u[c].abs()).fold(0.0, f64::max);
        let c = (0..3).max_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(0);
        let component = |path: &[[f64; 3]]| path.iter().map(|u| u[c]).collect::<Vec<_>>();
        let plot = Plot::new(format!("Probe {name}, {}", ["x", "y", "z"][c]))
            .x("time, s")
            .y("displacement, m")
            .curve("full", &over(full, &component(truth)))
            .dashed("reduced", &over(reduced, &component(ours)));
        sections.push(Section::Plot(plot, String::new()));
    }
    for (title, truth, ours) in [
        ("Kinetic energy", &full.kinetic, &reduced.kinetic),
        ("Elastic energy", &full.elastic, &reduced.elastic),
    ] {
        let plot = Plot::new(title)
            .x("time, s")
            .y("energy, J")
            .curve("full", &over(full, truth))
            .dashed("reduced", &over(reduced, ours));
        sections.push(Section::Plot(plot, String::new()));
    }
    let errors = over(full, &comparison.relative_l2);
    let plot = Plot::new("Error").x("time, s").y("of the largest motion").curve("error", &errors);
    sections.push(Section::Plot(plot, "Mass-weighted difference of displacements.".into()));
    let rows = comparison.frequencies_hz.iter().enumerate().map(|(k, [full, reduced])| {
        vec![
            (k + 1).to_string(),
            format!("{full:.6}"),
            format!("{reduced:.6}"),
            format!("{:.2e}", reduced / full - 1.0),
        ]
    });
    sections.push(Section::Heading("Natural frequencies at rest".into()));
    let heads = ["mode", "full, Hz", "reduced, Hz", "relative difference"].map(str::to_owned).to_vec();
    sections.push(Section::Table(heads, rows.collect()));
    sections.push(Section::Heading("The model".into()));
    sections.push(Section::Facts(facts(model).rows()));
    sections.extend(shape_sections(model, &comparison.body, watch)?);
    let subtitle = format!("{} coordinates beside the full body", model.basis().rank());
    Ok(html_page(&format!("{} compared", name(source)), &subtitle, &sections))
}
