//! The dinosaur, pulled about by a hand: what a step of a live body takes, on one core.
//!
//! The walk: a hand takes the vertex that moves farthest, leads it around for two seconds, and lets go; steps of 1/240 s in a
//! world, as in the studio. In 20 to 135 coordinates (modes and all their derivatives) with three points for each, held by its feet and
//! free. The limits are one iteration of Newton's method in the same run: a step takes at most half of it in the median, and
//! twice of it where it is slowest (p99). Beside it the step of linear modes in as many coordinates.

use std::sync::Arc;
use std::time::Instant;

use pliant::dynamics::Options;
use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{MeshData, select};
use pliant::reduce::{Model, Precompute};
use pliant::sim::LiveOptions;
use pliant::world::{LiveBody, World, suiting};

use super::Row;

/// Modes, which with their derivatives are 20, 44, 65 and 135 coordinates.
const MODES: [usize; 4] = [5, 8, 10, 15];

const DT: f64 = 1.0 / 240.0;
const STEPS: usize = 960;
/// The shortest time of each step counts: all runs do the same, and what the machine does beside it only adds.
const RUNS: usize = 5;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(measure)
}

fn measure() -> anyhow::Result<Vec<Row>> {
    let dino = shapes::find("dino").map_err(anyhow::Error::msg)?;
    let mesh = dino.make(&ShapeOptions::default(), &mut ignore_progress)?;
    let mut rows = Vec::new();
    for held in [true, false] {
        for modes in MODES {
            let model = reduced(&mesh, held, modes, None)?;
            let points = model.force().size("cubature_points").unwrap_or(0);
            let suited = suiting(&model);
            let once = Options { iterations: Some(1), least_correction: None, ..suited.solver };
            let newton = LiveOptions { integrator: "newmark".into(), solver: once, ..suited.clone() };
            let newton = Times::of(&model, &newton)?;
            let ours = Times::of(&model, &suited)?;
            let what = format!(
                "dinosaur, {}, r = {}, {points} points",
                if held { "held" } else { "free" },
                model.rank()
            );
            let row = |name: String, seconds: f64, limit: Option<f64>| Row {
                name,
                value: 1e6 * seconds,
                unit: "µs",
                limit: limit.map(|seconds| (1e7 * seconds).round() / 10.0),
            };
            rows.push(row(format!("{what}: step, median"), ours.median, Some(0.5 * newton.median)));
            rows.push(row(format!("{what}: step, p99"), ours.p99, Some(2.0 * newton.median)));
            rows.push(row(format!("{what}: step of one Newton iteration, median"), newton.median, None));
            let linear = reduced(&mesh, held, modes, Some("linear"))?;
            let modal = Times::of(&linear, &suiting(&linear))?;
            rows.push(row(
                format!("dinosaur, linear, r = {}: step, median", linear.rank()),
                modal.median,
                None,
            ));
        }
    }
    Ok(rows)
}

fn reduced(mesh: &MeshData, held: bool, modes: usize, forces: Option<&str>) -> anyhow::Result<Arc<Model>> {
    let fixed = if held { vec![select::select(mesh, "y<5%")?] } else { Vec::new() };
    let precompute = Precompute {
        modes: Some(modes),
        rank: Some(modes + modes * (modes + 1) / 2),
        forces: forces.map(str::to_owned),
        poses: forces.is_none().then_some(150),
        ..Precompute::default()
    };
    let recipe = Recipe { fixed, ..Recipe::default() };
    Ok(precompute.build(mesh.clone(), recipe, &mut ignore_progress)?.model.into())
}

/// Of the steps of a walk, s.
struct Times {
    median: f64,
    p99: f64,
}

impl Times {
    fn of(model: &Arc<Model>, options: &LiveOptions) -> anyhow::Result<Self> {
        let mut best = vec![f64::INFINITY; STEPS];
        for _ in 0..RUNS {
            walk(model, options, &mut best)?;
        }
        best.sort_by(f64::total_cmp);
        Ok(Self { median: best[STEPS / 2], p99: best[STEPS * 99 / 100] })
    }
}

/// Lowers `best` to the times of these steps.
fn walk(model: &Arc<Model>, options: &LiveOptions, best: &mut [f64]) -> anyhow::Result<()> {
    let mut world = World::new(DT);
    let body = LiveBody::with_options(model.clone(), options)?;
    let surface = body.surface().clone();
    let vertex = (0..surface.len()).max_by(|a, b| reach(&surface, *a).total_cmp(&reach(&surface, *b)));
    let vertex = vertex.ok_or_else(|| anyhow::anyhow!("the dinosaur has a surface"))? as u32;
    let (home, length) = (body.place(vertex)?, model.longest_side());
    let id = world.add(Box::new(body));
    let mut hand = Some(world.grab(id, vertex, home)?);
    let mut farthest: f64 = 0.0;
    for (step, best) in best.iter_mut().enumerate() {
        let t = DT * step as f64;
        if step == STEPS / 2
            && let Some(hand) = hand.take()
        {
            world.release(hand)?;
        }
        if let Some(hand) = hand {
            let way = Vec3::new((7.0 * t).sin(), 0.5 * (5.0 * t).sin(), 1.0 - (4.0 * t).cos());
            world.drag(hand, home + way * (0.15 * length))?;
        }
        let begin = Instant::now();
        let stumbled = world.step();
        *best = begin.elapsed().as_secs_f64().min(*best);
        anyhow::ensure!(stumbled == 0, "a step of the bench was refused");
        let body = world.get::<LiveBody>(id).ok_or_else(|| anyhow::anyhow!("the body is there"))?;
        farthest = farthest.max((body.place(vertex)? - home).norm());
    }
    anyhow::ensure!(farthest > 0.05 * length, "the dinosaur of the bench moves by {farthest} m only");
    Ok(())
}

/// How much the coordinates move a shown vertex.
fn reach(surface: &pliant::reduce::SurfaceBasis, vertex: usize) -> f64 {
    surface.rows()[3 * vertex * surface.rank()..][..3 * surface.rank()].iter().map(|x| x * x).sum()
}
