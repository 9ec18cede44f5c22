//! Solvers of a step in reduced coordinates, on one core: Broyden's step, and an iteration of the reduced quasi-Newton.
//!
//! The bodies are bars that swing: pulled by gravity and a hand, by about a tenth of their length.

use std::sync::Arc;
use std::time::Instant;

use pliant::dynamics::{self, Settings, State, integrator};
use pliant::energy::{Recipe, load::Loads};
use pliant::linalg::{Vec3, ignore_progress, probe};
use pliant::mesh::{select, shapes};
use pliant::reduce::{Model, Precompute};
use pliant::sim::{Full, Live, LiveOptions, Reduced};

use super::Row;

/// Steps of each run, and runs: the fastest run counts, since what the machine does beside it only adds to it.
const STEPS: usize = 240;
const RUNS: usize = 5;

const DT: f64 = 1.0 / 120.0;

/// Rotations take about so many multiply-adds each: 4 to 5 sweeps of Jacobi.
const ROTATION: usize = 800;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(measure)
}

fn measure() -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let model = swinging("stable-neo-hookean", 135, 150)?;
    for (name, limit) in [("newmark", None), ("newmark-broyden", Some(250.0))] {
        let (seconds, iterations) = live_step(&model, name)?;
        let name = format!("{name}, step, r = 135, 150 tets, {iterations:.1} iterations");
        rows.push(Row { name, value: 1e6 * seconds, unit: "µs", limit });
    }
    let peak = multiply_adds_per_second();
    let full = full_iteration()?;
    for (material, points) in
        [("invertible-stvk", 60), ("invertible-stvk", 120), ("projective", 60), ("projective", 120)]
    {
        let model = swinging(material, 40, points)?;
        let mut fastest = f64::INFINITY;
        let floor = floor_operations(40, points) as f64 / peak;
        for name in ["quasi-newton", "quasi-newton-projective"] {
            let seconds = reduced_iteration(&model, name)?;
            let limit = (3e6 * floor * 10.0).round() / 10.0;
            let name = format!("{name}, iteration, r = 40, {points} tets, {material}");
            rows.push(Row { name, value: 1e6 * seconds, unit: "µs", limit: Some(limit) });
            fastest = seconds.min(fastest);
        }
        if material == "invertible-stvk" && points == 60 {
            let name = "the same of a body of 24000 tets, times that".into();
            rows.push(Row { name, value: full / fastest, unit: "×", limit: None });
        }
    }
    Ok(rows)
}

/// Multiply-adds of an iteration that nothing can save: B q and Bᵀ g, a stress and a strain for every tet (27 each for F,
/// P and the force, and a rotation), A₀⁻¹, M a twice, and eight pairs of L-BFGS.
fn floor_operations(rank: usize, points: usize) -> usize {
    points * (2 * 9 * rank + 3 * 27 + ROTATION) + 3 * rank * rank + 8 * 4 * rank
}

/// A bar held at one end, in its modes and their derivatives, with a trained cubature.
fn swinging(material: &str, rank: usize, points: usize) -> anyhow::Result<Arc<Model>> {
    let bar = shapes::bar(Vec3::new(2.0, 0.4, 0.4), [24, 5, 5]).into_data();
    let fixed = vec![select::select(&bar, "x<1%")?];
    let recipe = Recipe { material: Some(material.into()), young: Some(1e7), fixed, ..Recipe::default() };
    let precompute = Precompute {
        modes: Some(15),
        rank: Some(rank),
        forces: Some("cubature".into()),
        points: Some(points),
        poses: 100,
        ..Precompute::default()
    };
    Ok(precompute.build(bar, recipe, &mut ignore_progress)?.model.into())
}

/// The shortest mean time of a step, seconds, and iterations a step.
fn live_step(model: &Arc<Model>, integrator: &str) -> anyhow::Result<(f64, f64)> {
    let options = LiveOptions {
        integrator: integrator.into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        ..LiveOptions::default()
    };
    let tip = (model.mesh.vertices.len() - 1) as u32;
    let (mut best, mut iterations) = (f64::INFINITY, 0);
    for _ in 0..RUNS {
        let mut live = Live::new(model.clone(), &options)?;
        let mut moved: f64 = 0.0;
        let rest = Vec3::from(live.vertex(tip)?);
        let mut seconds = 0.0;
        iterations = 0;
        for step in 0..STEPS {
            let t = DT * step as f64;
            live.push(tip, Vec3::new(0.0, 1500.0 * (7.0 * t).sin(), 1500.0 * (5.0 * t).cos()))?;
            let begin = Instant::now();
            let report = live.step(DT)?;
            seconds += begin.elapsed().as_secs_f64();
            anyhow::ensure!(report.converged, "a step of the bench did not converge");
            iterations += report.iterations;
            moved = moved.max((Vec3::from(live.vertex(tip)?) - rest).norm());
        }
        anyhow::ensure!(moved > 0.15, "the bar of the bench moves by {moved} m only");
        best = best.min(seconds / STEPS as f64);
    }
    Ok((best, iterations as f64 / STEPS as f64))
}

/// The shortest mean time of an iteration of 10 a step, seconds.
fn reduced_iteration(model: &Arc<Model>, integrator: &str) -> anyhow::Result<f64> {
    let loads = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let mut system = Reduced::new(model.clone(), &loads)?;
        best = best.min(iteration(&mut system, integrator, STEPS)?);
    }
    Ok(best)
}

/// The same at full order.
fn full_iteration() -> anyhow::Result<f64> {
    let bar = shapes::bar(Vec3::new(2.0, 0.4, 0.4), [40, 10, 10]).into_data();
    let fixed = vec![select::select(&bar, "x<1%")?];
    let recipe =
        Recipe { material: Some("invertible-stvk".into()), young: Some(1e7), fixed, ..Recipe::default() };
    let loads = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
    let mut full = Full::new(recipe.build(bar)?, loads)?;
    iteration(&mut full, "quasi-newton", 6)
}

/// After a first step, which prepares.
fn iteration(system: &mut dyn dynamics::System, name: &str, steps: usize) -> anyhow::Result<f64> {
    let options =
        dynamics::Options { iterations: Some(10), tolerance: 1e-14, ..dynamics::Options::default() };
    let entry = integrator::find(name).expect("in the table");
    let mut integrator = (entry.make)(Settings { options, ..Settings::default() });
    let mut state = State::at_rest(system.size());
    integrator.step(system, &mut state, DT)?;
    let (mut iterations, begin) = (0, Instant::now());
    for _ in 0..steps {
        iterations += integrator.step(system, &mut state, DT)?.iterations;
    }
    Ok(begin.elapsed().as_secs_f64() / iterations.max(1) as f64)
}

/// Of one core, with numbers in registers: the best of several short runs.
fn multiply_adds_per_second() -> f64 {
    let run = || {
        let start = Instant::now();
        let (operations, sum) = probe::multiply_adds(50_000);
        std::hint::black_box(sum);
        0.5 * operations / start.elapsed().as_secs_f64()
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
}
