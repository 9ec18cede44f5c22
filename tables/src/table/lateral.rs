//! T14 Figure 3.9: a vertex of the full body beside reduced ones.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant::draw::Plot;
use pliant::energy::Recipe;
use pliant::energy::load::Loads;
use pliant::linalg::ignore_progress;
use pliant::mesh::{MeshData, select};
use pliant::reduce::Model;
use pliant::reduce::force::{StoredForce, StoredProjected};
use pliant::reduce::force::{Trainer, Training, TrainingFacts, TrainingSet};
use pliant::reduce::model::Facts;
use pliant::sim::scenario::Probe;
use pliant::sim::{Full, InitialState, Reduced, RunOptions, Scenario, Subject};

use super::Table;
use super::cubature::{by, made, seen};
use crate::pull::timed;
use crate::{Grid, Outcome, Part, Run, mesh, percent, seconds};

pub(super) const LATERAL: Table = Table {
    name: "lateral",
    title: "Lateral displacement of a vertex (T14 Figure 3.9)",
    about: "The armadillo_11k of St. Venant-Kirchhoff rubber stands on its feet and is hit sideways: its velocity grows linearly with the \
            height. The lateral displacement of the vertex with the largest initial velocity by Newmark at full order and in \
            135 coordinates of 15 extended modes, with forces through all tets, with 150 points by NN-HTP and with 150 points \
            by greedy with 100 candidates and 10 poses; how far shapes under eight loads and the ten lowest frequencies are off is \
            against all tets in the same coordinates. The document shows the curves of a dragon of 92k tets, prints 1.5 % and 8.4 % for the \
            training errors of its two cubatures, and is more than 6,000 times faster reduced than at full order.",
    run,
};

/// A curve, and what it took.
struct Curve {
    name: String,
    points: Vec<[f64; 2]>,
    /// A step, s.
    step: f64,
    /// Of the cubature, where there is one.
    facts: Option<TrainingFacts>,
}

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let file = "tets/armadillo_11k.mesh";
    let (mesh, modes, steps, points) = match run.file(file) {
        Some(path) => (mesh::load(&path)?, 15, 100, 150),
        None if run.full => {
            outcome.missing.push(file.to_owned());
            return Ok(outcome);
        }
        None => (mesh::post(), 3, 10, 40),
    };
    let curves = measure(run, mesh, modes, steps, points)?;
    let mut plot = Plot::new("Lateral displacement").x("time, s").y("displacement, m");
    let mut grid = Grid::new(&[
        "",
        "training error",
        "under loads",
        "frequencies",
        "root mean square off the full run",
        "a step",
        "full / this",
    ]);
    for (k, curve) in curves.iter().enumerate() {
        plot = if k == 0 {
            plot.dashed(&*curve.name, &curve.points)
        } else {
            plot.curve(&*curve.name, &curve.points)
        };
        let [loads, frequencies] = curve.facts.as_ref().map_or([(); 2].map(|()| "–".into()), seen);
        grid.push(vec![
            curve.name.clone(),
            curve.facts.as_ref().map_or("–".into(), |facts| percent(facts.training_error)),
            loads,
            frequencies,
            format!("{} of the largest", percent(off(&curves[0], curve))),
            seconds(curve.step),
            format!("{:.1}", curves[0].step / curve.step),
        ]);
    }
    outcome.parts.push(Part::Grid(grid));
    let caption = "Lateral displacement of the vertex with the largest initial velocity";
    outcome.parts.push(Part::Figure("lateral.svg".into(), caption.into(), plot.to_svg().into_bytes()));
    Ok(outcome)
}

/// Root mean square of the difference over the largest displacement of the full run.
fn off(full: &Curve, other: &Curve) -> f64 {
    let largest = full.points.iter().fold(0.0_f64, |most, p| most.max(p[1].abs()));
    let count = full.points.len().min(other.points.len());
    let squares: f64 = full.points.iter().zip(&other.points).map(|(a, b)| (a[1] - b[1]).powi(2)).sum();
    (squares / count as f64).sqrt() / largest
}

fn measure(run: &Run, mesh: MeshData, modes: usize, steps: usize, points: usize) -> Result<Vec<Curve>> {
    let fixed = vec![select::select(&mesh, "y<5%")?];
    let recipe = Recipe { material: Some("stvk".into()), fixed, ..Recipe::default() };
    let body = recipe.build(mesh.clone())?;
    let [low, _] = mesh.bounds();
    // Free vertices alone: what is held has no velocity. A body height a second at the top.
    let mut velocity = vec![0.0; body.size()];
    for &k in body.dofs().free() {
        let k = k as usize;
        if k.is_multiple_of(3) {
            velocity[k] = mesh.vertices[k / 3].y - low.y;
        }
    }
    let top = (0..mesh.vertices.len()).max_by(|&a, &b| velocity[3 * a].total_cmp(&velocity[3 * b]));
    let top = top.context("a mesh has vertices")?;
    let probes = vec![Probe { name: "top".into(), vertex: top as u32 }];
    let scenario = Scenario { probes, ..Scenario::new(1.0 / 120.0, steps) };
    let first = || InitialState::from((vec![0.0; velocity.len()], velocity.clone()));
    let curve = |name: &str, subject: &mut dyn Subject, facts: Option<TrainingFacts>| -> Result<Curve> {
        run.tell(&format!("lateral: {name}"));
        let options = RunOptions { integrator: "newmark".into(), solver: Default::default() };
        let record = timed(subject, &scenario, &options, Some(first()))?;
        if let Some(why) = &record.stopped {
            run.tell(&format!("  stopped: {why}"));
        }
        let path = &record.probes[0].1;
        let points = record.times.iter().zip(path).map(|(t, u)| [*t, u[0]]).collect();
        let step = record.median_seconds().context("no step was done")?;
        Ok(Curve { name: name.into(), points, step, facts })
    };
    let mut curves =
        vec![curve("full", &mut Full::new(recipe.build(mesh.clone())?, Loads::default())?, None)?];
    let basis = made(&body, "extended", modes)?;
    let training = Training { points, poses: if run.full { 1000 } else { 40 }, ..Training::default() };
    let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress)?;
    let exact: Arc<dyn StoredForce> = Arc::new(StoredProjected);
    let mut forces = vec![("all tets".to_owned(), exact, None)];
    for (name, trainer) in [("NN-HTP", Trainer::NN_HTP), ("greedy, 100 of 10", Trainer::GREEDY_SUBSET)] {
        let trained = by(&set, trainer, points)?.0;
        let data = Arc::new(trained.cubature);
        forces.push((format!("{points} tets by {name}"), data, Some(trained.facts)));
    }
    drop(set);
    for (name, force, facts) in forces {
        let model =
            Model::assemble(mesh.clone(), recipe.clone(), &body, basis.clone(), force, Facts::default())?;
        let mut reduced = Reduced::new(model.into(), Loads::default())?;
        curves.push(curve(&name, &mut reduced, facts)?);
    }
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduced_bodies_follow_the_full_one() {
        let mesh = mesh::post();
        let curves = measure(&Run::quick(), mesh, 6, 8, 60).expect("curves");
        assert_eq!(curves.len(), 4);
        for curve in &curves[1..] {
            let off = off(&curves[0], curve);
            assert!(curve.points.len() == 9 && off > 0.0 && off < 0.2, "{}: {off}", curve.name);
        }
    }
}
