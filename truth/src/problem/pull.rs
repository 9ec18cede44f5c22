//! Pull and release, as the experiments of C17 section 5.3: kinetic energy over time.

use anyhow::{Context as _, Result};
use pliant::draw::Plot;
use pliant::dynamics::{Options, State, System, integrator};
use pliant::energy::Recipe;
use pliant::energy::load::{Loads, NodalForce};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{MeshData, select, shapes};
use pliant::sim::Full;

use super::Problem;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const PULL: Problem = Problem {
    name: "pull",
    title: "Pull and release",
    about: "Our shapes `letter-a` and `bridge` of invertible St. Venant-Kirchhoff rubber are pulled at one end for a while \
            and released: kinetic energy by backward Euler with one iteration, by quasi-Newton with ten, and by backward \
            Euler with five short steps in the place of one, the ground truth. All of it is numerical damping: nothing \
            else takes energy out. Reference: the order of the curves in C17, Figures 5.4 to 5.7: the ground truth keeps \
            most.",
    run,
};

/// Short steps of the ground truth in the place of one, as C17 section 5.1 has it.
const SUBSTEPS: usize = 5;

struct Experiment {
    shape: &'static str,
    /// Coarser than the shape's own default: the ground truth takes five steps for one.
    subdivision: usize,
    /// What stands still, and what is pulled.
    fix: &'static str,
    pull: &'static str,
    /// In halves of the body's weight.
    force: Vec3,
    dt: f64,
    young: f64,
}

const EXPERIMENTS: [Experiment; 2] = [
    Experiment {
        shape: "letter-a",
        subdivision: 16,
        fix: "y<5%",
        pull: "y>95%",
        force: Vec3::new(1.0, 0.4, 0.0),
        dt: 4e-3,
        young: 1e5,
    },
    Experiment {
        shape: "bridge",
        subdivision: 26,
        fix: "y<5%",
        pull: "y>90%",
        force: Vec3::new(0.0, 1.0, 0.3),
        dt: 4e-3,
        young: 1e5,
    },
];

/// Kinetic energy after each step.
fn energies(
    mesh: &MeshData,
    experiment: &Experiment,
    name: &str,
    iterations: Option<usize>,
    substeps: usize,
    steps: usize,
) -> Result<Vec<f64>> {
    let fixed = vec![select::select(mesh, experiment.fix)?];
    let pulled = select::select(mesh, experiment.pull)?.vertices;
    let body = Recipe {
        material: Some("invertible-stvk".into()),
        young: Some(experiment.young),
        poisson: Some(0.4),
        fixed,
        ..Recipe::default()
    }
    .build(mesh.clone())?;
    // Measured in the body's weight on Earth, so that any size of shape is bent alike.
    let weight = body.total_mass() * 9.81;
    let release = 0.25 * steps as f64 * experiment.dt;
    let force = NodalForce {
        value: experiment.force * (0.5 * weight / pulled.len() as f64),
        vertices: pulled,
        from: f64::NEG_INFINITY,
        to: release,
    };
    let mut system = Full::new(body, Loads { forces: vec![force], ..Loads::default() })?;
    let options = Options { iterations, ..Options::default() };
    let settings = integrator::Settings { options, ..integrator::Settings::default() };
    let mut stepper = (integrator::find(name).context("an integrator of the table")?.make)(settings);
    let mut state = State::at_rest(system.size());
    let mut all = Vec::with_capacity(steps);
    for _ in 0..steps {
        for _ in 0..substeps {
            stepper.step(&mut system, &mut state, experiment.dt / substeps as f64)?;
        }
        all.push(system.kinetic_energy(&state.v));
    }
    Ok(all)
}

fn run(effort: Effort) -> Result<Outcome> {
    let steps = if effort == Effort::Full { 120 } else { 12 };
    let mut outcome = Outcome::default();
    let chosen = if effort == Effort::Full { &EXPERIMENTS[..] } else { &EXPERIMENTS[..1] };
    for experiment in chosen {
        let shape = shapes::find(experiment.shape)?;
        let mesh = {
            let options =
                shapes::ShapeOptions { subdivision: Some(experiment.subdivision), ..Default::default() };
            shape.make(&options, &mut ignore_progress)?
        };
        let truth = energies(&mesh, experiment, "backward-euler", Some(1), SUBSTEPS, steps)?;
        let euler = energies(&mesh, experiment, "backward-euler", Some(1), 1, steps)?;
        let quasi = energies(&mesh, experiment, "quasi-newton", Some(10), 1, steps)?;
        let over = |values: &[f64]| -> Vec<[f64; 2]> {
            values.iter().enumerate().map(|(k, &e)| [(k + 1) as f64 * experiment.dt, e]).collect()
        };
        let plot = Plot::new(format!("{}: kinetic energy", experiment.shape))
            .x("time, s")
            .y("kinetic energy, J")
            .curve("ground truth", &over(&truth))
            .curve("backward Euler, 1 iteration", &over(&euler))
            .dashed("quasi-Newton, 10 iterations", &over(&quasi));
        outcome.figures.push((
            format!("pull-{}.svg", experiment.shape),
            format!("{}: pulled, then released at a quarter of the time", experiment.shape),
            Figure::Svg(plot.to_svg()),
        ));
        // The largest kinetic energy in the last third: what numerical damping has left.
        let left = |values: &[f64]| values[2 * steps / 3..].iter().copied().fold(0.0, f64::max);
        let peak = truth.iter().copied().fold(0.0, f64::max);
        let difference = euler.iter().zip(&quasi).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / peak;
        outcome.rows.push(Row::absolute(
            format!(
                "{}: quasi-Newton against backward Euler, largest difference over the peak",
                experiment.shape
            ),
            0.0,
            difference,
            0.1,
        ));
        if effort == Effort::Full {
            for (name, values) in [("backward Euler", &euler), ("quasi-Newton", &quasi)] {
                // 1 where the ground truth has kept more.
                let kept = f64::from(u8::from(left(values) <= left(&truth)));
                let what = format!("{}: {name} keeps less than the ground truth (1 = yes)", experiment.shape);
                outcome.rows.push(Row::absolute(what, 1.0, kept, 0.0));
            }
            outcome.notes.push(format!(
                "{}: {} vertices; of the peak of {peak:.3e} J the last third still reaches {:.0} % (ground truth), {:.0} % \
                 (backward Euler), {:.0} % (quasi-Newton).",
                experiment.shape,
                mesh.vertices.len(),
                100.0 * left(&truth) / peak,
                100.0 * left(&euler) / peak,
                100.0 * left(&quasi) / peak
            ));
        }
    }
    Ok(outcome)
}
