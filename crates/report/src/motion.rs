//! A motion as a file, by its ending: arrays and animations with every state, a table of energies and probes, a page with a few
//! stills, a picture of the last state.
//!
//! [`MotionFile`] looks on while a scenario runs, and keeps no more of it than the file will need.

use std::path::{Path, PathBuf};

use pliant_draw::{Card, Deformed, Options, Plot, Section, deformed_picture, html_page};
use pliant_linalg::{Note, Watch, shown};
use pliant_mesh::io::{self, motion};
use pliant_mesh::{MeshData, MeshError};
use pliant_sim::{Frame, Record, Scenario};
use pliant_world::Actor;
use pliant_world::facts::Facts;

use crate::parts::{findings, name, over, small_picture};

/// Pictures on a page of a motion.
const STILLS: usize = 4;

/// Bytes that the frames of a motion may take.
const ROOM: usize = 8 << 30;

/// What the ending of a name asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Every state.
    Motion,
    /// Energies and probes only.
    Table,
    Page,
    Picture,
}

/// A file that a motion is written to.
pub struct MotionFile {
    path: PathBuf,
    ending: Ending,
    /// Coordinates of every state.
    frames: Vec<f64>,
    /// The displacement of the last one, 3n entries, m.
    last: Vec<f64>,
    stills: Stills,
}

impl MotionFile {
    /// A file of that name.
    ///
    /// # Errors
    /// An ending that no motion has.
    pub fn new(path: &Path) -> Result<Self, MeshError> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        let ending = match &*ending {
            "html" => Ending::Page,
            "png" => Ending::Picture,
            "csv" => Ending::Table,
            _ if motion::ALL.iter().any(|f| f.extension == ending) => Ending::Motion,
            _ => {
                let known: Vec<String> = motion::ALL.iter().map(|f| format!(".{}", f.extension)).collect();
                let (path, known) = (shown(path), known.join(", "));
                let sentence = format!("{path}: expected an ending of {known}, .html or .png");
                return Err(MeshError::Request(sentence.into()));
            }
        };
        Ok(Self {
            path: path.to_owned(),
            ending,
            frames: Vec::new(),
            last: Vec::new(),
            stills: Stills::new(0),
        })
    }

    /// To be told what will move, before it does.
    ///
    /// # Errors
    /// A motion that would not fit into memory.
    pub fn begin(&mut self, actor: &Actor, scenario: &Scenario) -> Result<(), MeshError> {
        let (states, size) = (scenario.steps + 1, actor.size());
        let bytes = states.saturating_mul(8 * size);
        if self.ending == Ending::Motion && bytes > ROOM {
            let sentence = format!(
                "{}: {states} states of {size} coordinates take {:.1} GB, more than {} GB; take fewer steps, or write .csv or .html",
                shown(&self.path),
                bytes as f64 / 1e9,
                ROOM >> 30
            );
            return Err(MeshError::Request(Note::from(sentence)));
        }
        self.last = vec![0.0; 3 * actor.mesh.vertices.len()];
        self.stills = Stills::new(scenario.steps);
        Ok(())
    }

    /// To be shown every state in turn.
    pub fn see(&mut self, frame: Frame<'_>) {
        match self.ending {
            Ending::Motion => self.frames.extend_from_slice(frame.q),
            Ending::Page => {
                frame.displacement(&mut self.last);
                self.stills.see(frame.step, &self.last);
            }
            Ending::Picture => frame.displacement(&mut self.last),
            Ending::Table => {}
        }
    }

    /// Writes what was seen of the body in `source`, a page with the `facts` of the run ([`pliant_world::facts::of_run`]); what the
    /// format cannot hold is in the notes that come back.
    ///
    /// # Errors
    /// A disk that refuses, or the watch asked to stop.
    pub fn write(
        &self,
        source: &Path,
        actor: &Actor,
        record: &Record,
        facts: &Facts,
        warnings: &[String],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<String>, MeshError> {
        let (mesh, times) = (&actor.mesh, &record.times[..]);
        let bytes = match (self.ending, &actor.basis) {
            (Ending::Motion, Some(basis)) => {
                let (series, rank, basis) = (series(record), basis.rank(), basis.rows());
                let (q, series) = (&self.frames[..], &borrowed(&series)[..]);
                let all = motion::ReducedMotion { rest: mesh, times, basis, rank, q, series };
                return motion::save_reduced(&self.path, &all, watch);
            }
            (Ending::Motion | Ending::Table, _) => {
                let size = 3 * mesh.vertices.len();
                let fill =
                    |k: usize, out: &mut [f64]| out.copy_from_slice(&self.frames[k * size..(k + 1) * size]);
                let series = series(record);
                let series = &borrowed(&series)[..];
                let all = motion::Motion { rest: mesh, times, displacement: &fill, series };
                return motion::save(&self.path, &all, watch);
            }
            (Ending::Page, _) => page(source, mesh, record, facts, &self.stills, warnings).into_bytes(),
            (Ending::Picture, _) => {
                let t = times.last().map_or(String::new(), |t| format!(", t = {t:.4} s"));
                let options = Options::titled(name(source) + &t);
                let displacement = &self.last;
                let deformed = Deformed { displacement, times: 1.0, label: "displacement, m".into() };
                deformed_picture(mesh, &deformed, &options).to_png()
            }
        };
        io::write_whole(&[(self.path.clone(), bytes)])?;
        Ok(Vec::new())
    }
}

/// Energies and probes by name.
fn series(record: &Record) -> Vec<(String, Vec<f64>)> {
    let mut all =
        vec![("kinetic".to_owned(), record.kinetic.clone()), ("elastic".to_owned(), record.elastic.clone())];
    for (name, path) in &record.probes {
        for (c, axis) in ["x", "y", "z"].iter().enumerate() {
            all.push((format!("{name}.{axis}"), path.iter().map(|u| u[c]).collect()));
        }
    }
    all
}

fn borrowed(series: &[(String, Vec<f64>)]) -> Vec<motion::Series<'_>> {
    series.iter().map(|(name, values)| motion::Series { name: name.clone(), values }).collect()
}

/// A few states of a motion, evenly over its steps, and the last one there was.
struct Stills {
    steps: usize,
    kept: Vec<(usize, Vec<f64>)>,
}

impl Stills {
    fn new(steps: usize) -> Self {
        Self { steps, kept: Vec::new() }
    }

    /// To be shown every state in turn.
    fn see(&mut self, step: usize, displacement: &[f64]) {
        let planned = |step: usize| (0..STILLS).any(|k| k * self.steps / (STILLS - 1) == step);
        if self.kept.last().is_some_and(|(last, _)| !planned(*last)) {
            self.kept.pop();
        }
        self.kept.push((step, displacement.to_vec()));
    }
}

/// The facts of a run, energies and probes as plots, and a few stills.
fn page(
    source: &Path,
    mesh: &MeshData,
    record: &Record,
    facts: &Facts,
    stills: &Stills,
    warnings: &[String],
) -> String {
    let over = |values: &[f64]| over(&record.times, values);
    let total: Vec<f64> = record.kinetic.iter().zip(&record.elastic).map(|(k, e)| k + e).collect();
    let mut sections = findings(warnings);
    sections.push(Section::Facts(facts.rows()));
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
    let cards = stills.kept.iter().map(|(step, displacement)| Card {
        png: small_picture(mesh, displacement, 1.0).to_png(),
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
    let subtitle = record.stopped.as_ref().map_or(String::new(), |error| format!("ended early: {error}"));
    html_page(&format!("Motion of {}", name(source)), &subtitle, &sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stills_are_spread_over_a_motion_and_end_with_it() {
        let seen = |steps: usize, until: usize| {
            let mut stills = Stills::new(steps);
            (0..=until).for_each(|step| stills.see(step, &[step as f64]));
            stills.kept.iter().map(|(step, _)| *step).collect::<Vec<_>>()
        };
        assert_eq!(seen(9, 9), [0, 3, 6, 9]);
        assert_eq!(seen(9, 5), [0, 3, 5], "one that ended early");
        assert_eq!(seen(1, 1), [0, 1]);
    }

    #[test]
    fn an_ending_that_no_motion_has_is_refused_with_those_that_there_are() {
        for good in ["a.npz", "a.GLB", "a.csv", "a.html", "a.png"] {
            assert!(MotionFile::new(Path::new(good)).is_ok(), "{good}");
        }
        let said = MotionFile::new(Path::new("a.doc")).err().expect("no motion").to_string();
        assert!(said.contains("a.doc") && said.contains(".npz") && said.contains(".png"), "{said}");
    }
}
