//! Pages and pictures of results: modes side by side, a motion with its energies.

use std::path::Path;

use pliant::draw::{Card, Deformed, Image, Options, Plot, Section, Severity, deformed_picture, html_page};
use pliant::energy::Body;
use pliant::linalg::{Cancelled, Progress, Watch};
use pliant::mesh::MeshData;
use pliant::mesh::io::motion::modes as files;
use pliant::reduce::ModalAnalysis;
use pliant::sim::Record;

/// Pictures on a page of a motion.
const STILLS: usize = 4;

/// A picture for each mode, its frequency, effective mass and participation.
pub(crate) fn modes_page(
    path: &Path,
    mesh: &MeshData,
    body: &Body,
    found: &ModalAnalysis,
    watch: &mut Watch<'_>,
) -> Result<String, Cancelled> {
    let total: f64 = body.total_mass();
    let frequencies = found.modes.frequencies_hz();
    let mut cards = Vec::new();
    let mut rows = Vec::new();
    let mut sum = [0.0; 3];
    for k in 0..found.modes.len() {
        Progress { stage: "pictures", done: k, total: found.modes.len() }.tell(watch)?;
        let shape = found.modes.shape(k);
        let times = files::amplitude(mesh, shape, files::SHARE);
        let deformed = Deformed { displacement: shape, times, label: String::new() };
        let options = Options { width: 480, height: 360, ..Options::titled("") };
        let participation = found.participation(k);
        let effective = participation.map(|g| 100.0 * g * g / total);
        (0..3).for_each(|d| sum[d] += effective[d]);
        let shares = format!("{:.1} / {:.1} / {:.1} %", effective[0], effective[1], effective[2]);
        cards.push(Card {
            png: deformed_picture(mesh, &deformed, &options).to_png(),
            title: format!("mode {}", k + 1),
            facts: vec![
                ("frequency".into(), format!("{:.5} Hz", frequencies[k])),
                ("effective mass x / y / z".into(), shares),
            ],
        });
        let mut row = vec![format!("{}", k + 1), format!("{:.6}", frequencies[k])];
        row.extend(participation.iter().map(|g| format!("{g:.4e}")));
        row.extend(effective.iter().map(|e| format!("{e:.2}")));
        row.push(format!("{:.1e}", found.residuals[k]));
        rows.push(row);
    }
    let heads =
        ["mode", "Hz", "Γx, √kg", "Γy, √kg", "Γz, √kg", "mass x, %", "mass y, %", "mass z, %", "residual"];
    let spectrum: Vec<[f64; 2]> = frequencies.iter().enumerate().map(|(k, &f)| [(k + 1) as f64, f]).collect();
    let subtitle = format!(
        "{} modes of {} degrees of freedom, {} rigid modes beside them, mass {total:.4} kg",
        found.modes.len(),
        body.dofs().free().len(),
        found.rigid.len()
    );
    let mut sections = vec![
        Section::Findings(found.warnings.iter().map(|w| (Severity::Warning, w.to_string())).collect()),
        Section::Gallery(cards),
        Section::Heading("Spectrum".into()),
        Section::Plot(Plot::new("").x("mode").y("frequency, Hz").dots("frequency", &spectrum), String::new()),
        Section::Heading("Participation".into()),
        Section::Text(format!(
            "Γ = φᵀM1 is what a shaking of the ground excites in a mode; its square is the effective mass. Together these \
             modes hold {:.1}, {:.1} and {:.1} % of the mass in x, y and z.",
            sum[0], sum[1], sum[2]
        )),
        Section::Table(heads.map(str::to_owned).to_vec(), rows),
    ];
    if found.warnings.is_empty() {
        sections.remove(0);
    }
    Ok(html_page(&format!("Modes of {}", name(path)), &subtitle, &sections))
}

/// A few states of a motion, evenly over its steps, and the last one there was.
pub(crate) struct Stills {
    steps: usize,
    kept: Vec<(usize, Vec<f64>)>,
}

impl Stills {
    pub(crate) fn new(steps: usize) -> Self {
        Self { steps, kept: Vec::new() }
    }

    /// To be shown every state in turn.
    pub(crate) fn see(&mut self, step: usize, displacement: &[f64]) {
        let planned = |step: usize| (0..STILLS).any(|k| k * self.steps / (STILLS - 1) == step);
        if self.kept.last().is_some_and(|(last, _)| !planned(*last)) {
            self.kept.pop();
        }
        self.kept.push((step, displacement.to_vec()));
    }
}

/// Energies and probes as plots, and a few stills.
pub(crate) fn simulation_page(
    path: &Path,
    mesh: &MeshData,
    record: &Record,
    stills: &Stills,
    warnings: &[String],
) -> String {
    let over = |values: &[f64]| -> Vec<[f64; 2]> {
        record.times.iter().zip(values).map(|(&t, &x)| [t, x]).collect()
    };
    let total: Vec<f64> = record.kinetic.iter().zip(&record.elastic).map(|(k, e)| k + e).collect();
    let mut sections = Vec::new();
    if !warnings.is_empty() {
        sections.push(Section::Findings(warnings.iter().map(|w| (Severity::Warning, w.clone())).collect()));
    }
    let energies = Plot::new("Energy")
        .x("time, s")
        .y("energy, J")
        .curve("kinetic", &over(&record.kinetic))
        .curve("elastic", &over(&record.elastic))
        .dashed("sum", &over(&total));
    sections.push(Section::Plot(energies, String::new()));
    for (name, path) in &record.probes {
        let mut plot = Plot::new(format!("Probe {name}")).x("time, s").y("displacement, m");
        for (c, axis) in ["x", "y", "z"].iter().enumerate() {
            plot = plot.curve(*axis, &over(&path.iter().map(|u| u[c]).collect::<Vec<_>>()));
        }
        sections.push(Section::Plot(plot, String::new()));
    }
    let last = record.times.len() - 1;
    let cards = stills.kept.iter().map(|(step, displacement)| Card {
        png: picture(mesh, displacement, 480, 360).to_png(),
        title: format!("t = {:.4} s", record.times[*step]),
        facts: Vec::new(),
    });
    sections.push(Section::Gallery(cards.collect()));
    let iterations: Vec<[f64; 2]> =
        record.iterations.iter().zip(&record.times[1..]).map(|(&n, &t)| [t, n as f64]).collect();
    if !iterations.is_empty() {
        let plot = Plot::new("Iterations of each step")
            .x("time, s")
            .y("iterations")
            .curve("iterations", &iterations);
        sections.push(Section::Plot(plot, String::new()));
    }
    let subtitle = match &record.stopped {
        Some(error) => format!("ended early: {error}"),
        None => format!("{} steps, {} iterations", last, record.iterations.iter().sum::<usize>()),
    };
    html_page(&format!("Motion of {}", name(path)), &subtitle, &sections)
}

/// The body as it is in `displacement`, true to scale.
pub(crate) fn state_picture(path: &Path, mesh: &MeshData, displacement: &[f64], t: Option<f64>) -> Image {
    let title = t.map_or_else(|| name(path), |t| format!("{}, t = {t:.4} s", name(path)));
    let deformed = Deformed { displacement, times: 1.0, label: "displacement, m".into() };
    deformed_picture(mesh, &deformed, &Options::titled(title))
}

fn picture(mesh: &MeshData, displacement: &[f64], width: usize, height: usize) -> Image {
    let deformed = Deformed { displacement, times: 1.0, label: String::new() };
    deformed_picture(mesh, &deformed, &Options { width, height, ..Options::titled("") })
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
