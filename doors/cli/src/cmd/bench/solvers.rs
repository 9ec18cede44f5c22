//! Solvers of a step in reduced coordinates, on one core: Broyden's step, and an iteration of the reduced quasi-Newton.
//!
//! The bodies are bars that swing by a tenth of their length and more. Broyden's step: d = 135 coordinates, s = 150 tets.

use std::sync::Arc;
use std::time::Instant;

use pliant::dynamics::{self, Damping, DampingKind, Settings, State, integrator};
use pliant::energy::{
    Recipe,
    load::{Loads, NodalForce},
};
use pliant::linalg::{Vec3, ignore_progress, probe};
use pliant::mesh::select;
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::reduce::{Model, Precompute};
use pliant::sim::{Full, Live, LiveOptions, Reduced};

use super::Row;

/// Steps of each run, and runs. Every run does the same, step by step, so that the shortest time of each step counts: what
/// the machine does beside it only adds to it. The mean over steps has the costly ones in it that renew a matrix.
const STEPS: usize = 240;
const RUNS: usize = 7;
const LONG: usize = 1000;

const DT: f64 = 1.0 / 120.0;

/// A rotation or an SVD takes about so long, s; a row of its own measures it.
const ROTATION: f64 = 100e-9;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(measure)
}

fn measure() -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let model = swinging("stable-neo-hookean", 135, 150)?;
    // T14 section 4.4 has the average over 1000 steps with constant loads, 3.7 ms; beside it what is harder, a body that is
    // driven and not damped.
    for (driven, what) in [(false, "constant loads"), (true, "driven, undamped")] {
        for name in ["newmark", "newmark-broyden"] {
            let (seconds, iterations) = live_step(&model, name, driven)?;
            let limit = (name == "newmark-broyden" && !driven).then_some(250.0);
            let name = format!("{name}, step, {what}, {iterations:.1} iterations");
            rows.push(Row { name, value: 1e6 * seconds, unit: "µs", limit });
        }
    }
    for held in [true, false] {
        let what = if held { "held" } else { "free" };
        let name = format!(
            "Newton iterations of the worst step, dinosaur at full order, {what}, pulled at a vertex"
        );
        rows.push(Row { name, value: local_pull(held)?, unit: "", limit: Some(12.0) });
    }
    let peak = multiply_adds_per_second();
    let full = full_iteration()?;
    for (material, name, points) in [
        ("invertible-stvk", "quasi-newton", 60),
        ("invertible-stvk", "quasi-newton", 120),
        ("projective", "quasi-newton", 60),
        ("projective", "quasi-newton", 120),
        ("projective", "quasi-newton-projective", 60),
    ] {
        let seconds = reduced_iteration(&swinging(material, 40, points)?, name)?;
        let floor = multiply_adds(40, points) as f64 / peak + points as f64 * ROTATION;
        let limit = (3e7 * floor).round() / 10.0;
        let row = format!("{name}, iteration, r = 40, {points} tets, {material}");
        rows.push(Row { name: row, value: 1e6 * seconds, unit: "µs", limit: Some(limit) });
        if material == "invertible-stvk" && points == 60 {
            let name = "times that takes one at full order, 24000 tets".into();
            rows.push(Row { name, value: full / seconds, unit: "×", limit: None });
        }
    }
    Ok(rows)
}

/// Of an iteration, that nothing can save: B q and Bᵀ g, 27 for each of F, P and the force of a tet, A₀⁻¹, M a for the
/// energy and the gradient, and eight pairs of L-BFGS.
fn multiply_adds(rank: usize, points: usize) -> usize {
    points * (2 * 9 * rank + 3 * 27) + 2 * rank * rank + 8 * 4 * rank
}

/// A bar held at one end, in its modes and their derivatives, with a trained cubature.
fn swinging(material: &str, rank: usize, points: usize) -> anyhow::Result<Arc<Model>> {
    let bar = shapes::bar(Vec3::new(2.0, 0.4, 0.4), [24, 5, 5]).into_data();
    let fixed = vec![select::select(&bar, "x<1%")?];
    let recipe = Recipe { material: Some(material.into()), young: Some(1.5e7), fixed, ..Recipe::default() };
    let precompute = Precompute {
        modes: Some(15),
        rank: Some(rank),
        forces: Some("cubature".into()),
        points: Some(points),
        poses: Some(100),
        ..Precompute::default()
    };
    Ok(precompute.build(bar, recipe, &mut ignore_progress)?.model.into())
}

/// The time of a step, seconds, and iterations a step.
fn live_step(model: &Arc<Model>, integrator: &str, driven: bool) -> anyhow::Result<(f64, f64)> {
    let damping = if driven {
        Damping::default()
    } else {
        Damping { mass: 0.0, stiffness: 2e-3, kind: DampingKind::Rest }
    };
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let options = LiveOptions { integrator: integrator.into(), damping, gravity, ..LiveOptions::default() };
    let tip = (model.mesh().vertices.len() - 1) as u32;
    let steps = if driven { STEPS } else { LONG };
    let (mut best, mut iterations) = (vec![f64::INFINITY; steps], 0);
    for _ in 0..RUNS {
        let mut live = Live::new(model.clone(), &options)?;
        let rest = Vec3::from(live.vertex(tip)?);
        let mut moved: f64 = 0.0;
        iterations = 0;
        for (step, best) in best.iter_mut().enumerate() {
            if driven {
                let t = DT * step as f64;
                live.push(tip, Vec3::new(0.0, 1000.0 * (7.0 * t).sin(), 1000.0 * (5.0 * t).cos()))?;
            }
            let begin = Instant::now();
            let report = live.step(DT)?;
            *best = begin.elapsed().as_secs_f64().min(*best);
            anyhow::ensure!(report.converged, "a step of the bench did not converge");
            iterations += report.iterations;
            moved = moved.max((Vec3::from(live.vertex(tip)?) - rest).norm());
        }
        anyhow::ensure!((0.1..0.7).contains(&moved), "the bar of the bench moves by {moved} m");
    }
    Ok((best.iter().sum::<f64>() / steps as f64, iterations as f64 / steps as f64))
}

/// The time of an iteration, seconds.
fn reduced_iteration(model: &Arc<Model>, integrator: &str) -> anyhow::Result<f64> {
    let loads = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
    let mut best = [f64::INFINITY; STEPS];
    let mut iterations = 0;
    for _ in 0..RUNS {
        iterations = steps(&mut Reduced::new(model.clone(), &loads)?, integrator, &mut best)?;
    }
    Ok(best.iter().sum::<f64>() / iterations as f64)
}

/// The same at full order.
fn full_iteration() -> anyhow::Result<f64> {
    let bar = shapes::bar(Vec3::new(2.0, 0.4, 0.4), [40, 10, 10]).into_data();
    let fixed = vec![select::select(&bar, "x<1%")?];
    let recipe =
        Recipe { material: Some("invertible-stvk".into()), young: Some(1.5e7), fixed, ..Recipe::default() };
    let loads = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
    let mut full = Full::new(recipe.build(bar)?, loads)?;
    let mut best = [f64::INFINITY; 6];
    let iterations = steps(&mut full, "quasi-newton", &mut best)?;
    Ok(best.iter().sum::<f64>() / iterations as f64)
}

/// Iterations of the worst step of a body at full order that is pulled at one vertex.
fn local_pull(held: bool) -> anyhow::Result<f64> {
    let dino = shapes::find("dino").map_err(anyhow::Error::msg)?;
    let mesh = dino.make(&ShapeOptions::default(), &mut ignore_progress)?;
    let fixed = if held { vec![select::select(&mesh, "y<5%")?] } else { Vec::new() };
    let force = NodalForce::always(vec![100], Vec3::new(4.0, 0.0, 0.0));
    let loads = Loads { forces: vec![force], ..Loads::default() };
    let mut full = Full::new(Recipe { fixed, ..Recipe::default() }.build(mesh)?, loads)?;
    let damping = Damping { stiffness: 2e-3, ..Damping::default() };
    let mut newmark = (integrator::find("newmark").expect("in the table").make)(Settings {
        damping,
        ..Settings::default()
    });
    let mut state = State::at_rest(dynamics::System::size(&full));
    let mut most = 0;
    for _ in 0..30 {
        most = most.max(newmark.step(&mut full, &mut state, 0.01)?.iterations);
    }
    Ok(most as f64)
}

/// Lowers `best` to the times of these steps, after a first one, which prepares; gives the iterations of all.
fn steps(system: &mut dyn dynamics::System, name: &str, best: &mut [f64]) -> anyhow::Result<usize> {
    let options = dynamics::Options { iterations: Some(10), tolerance: 1e-9, ..dynamics::Options::default() };
    let entry = integrator::find(name).expect("in the table");
    let mut integrator = (entry.make)(Settings { options, ..Settings::default() });
    let mut state = State::at_rest(system.size());
    integrator.step(system, &mut state, DT)?;
    let mut iterations = 0;
    for best in best {
        let begin = Instant::now();
        iterations += integrator.step(system, &mut state, DT)?.iterations;
        *best = begin.elapsed().as_secs_f64().min(*best);
    }
    Ok(iterations.max(1))
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
