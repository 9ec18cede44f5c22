//! Motions with a cubature against motions with all components, in the same coordinates.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant::dynamics::{Damping, State, integrator};
use pliant::energy::load::Loads;
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Random, Vec3, ignore_progress};
use pliant::mesh::{MeshData, io, select, shapes};
use pliant::reduce::force::{StoredForce, StoredProjected, Training, TrainingFacts, TrainingSet};
use pliant::reduce::model::Facts;
use pliant::reduce::{Basis, Model, Request, basis};
use pliant::sim::Reduced;
use pliant_testkit::shared;

use super::Problem;
use crate::{Effort, Outcome, Row};

pub(super) const CUBATURE: Problem = Problem {
    name: "cubature",
    title: "Motions with a cubature",
    about: "Five solids of St. Venant-Kirchhoff rubber, scaled to 1 m and held at their lowest 5 %, in the d coordinates of 5 extended modes, with \
            2 d points. Trained as T14 eq. 3.7 is printed, with forces along vibrations, and as models are trained here, which is that with a rest \
            correction. Each swings for 2.5 periods of its softest vibration, undamped, by Newmark, from two velocities in its six softest \
            vibrations whose linear answer reaches a tenth and a fifth of the body. Reference: the same motions with all components; the \
            error of a motion is relative, L² over time and mass, the number of a row the geometric mean over both \
            velocities and two draws of training poses. The error in the table is ours over that of the training as it is printed.",
    run,
};

/// Meshes of the shared data, and what the motion may be off by, in parts of that of a cubature that is trained as T14 prints it.
const MESHES: [(&str, &str, f64); 4] = [
    ("turtle", "tets/turtle/turtle-volumetric-homogeneous.veg", 0.25),
    ("asianDragon", "tets/asianDragon/asianDragon.veg", 0.5),
    ("letterA", "tets/letterA/A.veg", 0.25),
    ("armadillo_11k", "tets/armadillo_11k.mesh", 0.25),
];
const DINO: f64 = 0.4;

/// What the best of all comes to.
const BEST: f64 = 0.1;

/// What was aimed at, and what was tried where it is missed.
const GOALS: &str = "Aimed at was a quarter on each body and a tenth on one. The dinosaur and the dragon miss the quarter: their limits are what \
            holds. Poses in which only the softest third of the vibrations is drawn and the others are relaxed bring the dragon to 7.3 % \
            (6.4 % where they go twice as far), turtle and letter to three quarters and less, and the dinosaur and the armadillo up by an eighth; they take \
            three times the forces of a training, and are not used. Poses that go two and three times as far in all vibrations make \
            the dragon's motion worse (10 and 23 %).";

const MODES: usize = 5;
const STEPS: usize = 150;
const PERIODS: f64 = 2.5;
/// Of the linear answer, in parts of the body, each with the seed of its velocity.
const STARTS: [(f64, u64); 2] = [(0.1, 1), (0.2, 2)];
/// Of training poses.
const SEEDS: [u64; 2] = [1, 2];
const POSES: usize = 200;

struct Case {
    name: &'static str,
    mesh: MeshData,
    limit: f64,
}

fn cases(effort: Effort, notes: &mut Vec<String>) -> Result<Vec<Case>> {
    if effort == Effort::Quick {
        let mesh = shapes::bar(Vec3::new(0.2, 1.0, 0.25), [2, 8, 2]).into_data();
        return Ok(vec![Case { name: "bar", mesh, limit: 0.5 }]);
    }
    let dino = shapes::find("dino")?.make(&shapes::ShapeOptions::default(), &mut ignore_progress)?;
    let mut cases = vec![Case { name: "dino", mesh: dino, limit: DINO }];
    let data = shared::data();
    if data.is_none() {
        notes.push("The meshes of the shared data are not there; only our own shape was measured.".into());
    }
    for (name, file, limit) in MESHES {
        let Some(data) = &data else { break };
        let mesh = io::load(&data.join(file)).with_context(|| file.to_owned())?.mesh;
        cases.push(Case { name, mesh, limit });
    }
    for case in &mut cases {
        case.mesh.scale_to(1.0)?;
    }
    Ok(cases)
}

/// Motion, and what a training told, of one way to train.
struct Found {
    /// Geometric mean of the errors of all motions.
    motion: f64,
    /// Geometric means over the draws of poses.
    validation: f64,
    loads: f64,
    frequencies: f64,
}

fn run(effort: Effort) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut table = String::from(
        "| body | elements | d | s | training | eq. 3.7, fresh poses | under loads | frequencies | motion |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut best = f64::INFINITY;
    for case in cases(effort, &mut outcome.notes)? {
        let fixed = vec![select::select(&case.mesh, "y<5%")?];
        let recipe = Recipe { material: Some("stvk".into()), fixed, ..Recipe::default() };
        let body = recipe.build(case.mesh.clone())?;
        let entry = basis::find("extended").context("a basis of the table")?;
        let modes = if effort == Effort::Quick { 2 } else { MODES };
        let basis = (entry.make)(&body, &Request::of_modes(modes), &mut ignore_progress)?.basis;
        let subject = Subject { mesh: &case.mesh, recipe: &recipe, body: &body, basis: &basis };
        let references = subject.references()?;
        let mut errors = Vec::new();
        let uncorrected = Training { correct: false, ..Training::default() };
        for (name, training) in [
            ("as printed", Training::as_printed()),
            ("along vibrations", uncorrected),
            ("ours", Training::default()),
        ] {
            let found = subject.measured(&references, &training)?;
            let percent = |x: f64| format!("{:.2} %", 100.0 * x);
            let d = basis.rank();
            table += &format!(
                "| {} | {} | {d} | {} | {name} | {} | {} | {} | {} |\n",
                case.name,
                case.mesh.elements.len(),
                2 * d,
                percent(found.validation),
                percent(found.loads),
                percent(found.frequencies),
                percent(found.motion)
            );
            errors.push(found.motion);
        }
        let (reference, ours) = (errors[0], errors[2]);
        best = best.min(ours / reference);
        outcome.rows.push(Row {
            what: format!("{}: motion, in parts of that of a training as printed", case.name),
            reference,
            ours,
            error: ours / reference,
            limit: case.limit,
        });
    }
    let limit = if effort == Effort::Quick { 0.5 } else { BEST };
    let what = "the best of these".to_owned();
    outcome.rows.push(Row { what, reference: 1.0, ours: best, error: best, limit });
    outcome.notes.push(table);
    if effort == Effort::Full {
        outcome.notes.push(GOALS.into());
    }
    Ok(outcome)
}

/// A body in its coordinates.
struct Subject<'a> {
    mesh: &'a MeshData,
    recipe: &'a Recipe,
    body: &'a Body,
    basis: &'a Basis,
}

/// A start with its exact motion.
struct Reference {
    velocity: Vec<f64>,
    dt: f64,
    motion: Vec<Vec<f64>>,
}

impl Subject<'_> {
    fn model(&self, force: Arc<dyn StoredForce>) -> Result<Arc<Model>> {
        let Self { mesh, recipe, body, basis } = *self;
        let model =
            Model::assemble(mesh.clone(), recipe.clone(), body, basis.clone(), force, Facts::default())?;
        Ok(Arc::new(model))
    }

    fn references(&self) -> Result<Vec<Reference>> {
        let exact = self.model(Arc::new(StoredProjected))?;
        let each = STARTS.iter().map(|&(reach, seed)| {
            let (velocity, dt) = start(&exact, reach, seed).context("independent columns")?;
            let motion = motion(&exact, &velocity, dt)?;
            Ok(Reference { velocity, dt, motion })
        });
        each.collect()
    }

    fn measured(&self, references: &[Reference], training: &Training) -> Result<Found> {
        let mut logarithms = [0.0; 4];
        for seed in SEEDS {
            let training = Training { seed, poses: POSES, ..training.clone() };
            let set = TrainingSet::new(self.body, self.basis, &training, &mut ignore_progress)?;
            let trained = set.train(2 * self.basis.rank(), &mut ignore_progress)?;
            let TrainingFacts { validation_error, static_error, frequency_error, .. } = trained.facts;
            let told = [Some(validation_error), static_error, frequency_error];
            for (sum, error) in logarithms.iter_mut().zip(told) {
                *sum += error.context("it was measured")?.max(f64::MIN_POSITIVE).ln();
            }
            let model = self.model(Arc::new(trained.cubature))?;
            for reference in references {
                // A motion that comes to no end is off by all of it.
                let error = match motion(&model, &reference.velocity, reference.dt) {
                    Ok(found) => distance(&model, &found, &reference.motion),
                    Err(_) => 1.0,
                };
                logarithms[3] += error.ln() / references.len() as f64;
            }
        }
        let [validation, loads, frequencies, motion] = logarithms.map(|sum| (sum / SEEDS.len() as f64).exp());
        Ok(Found { motion, validation, loads, frequencies })
    }
}

/// A velocity in the softest vibrations whose linear answer reaches so far, in parts of the body's metre; and a step, s.
fn start(model: &Model, reach: f64, seed: u64) -> Option<(Vec<f64>, f64)> {
    let r = model.rank();
    let (values, vectors) = model.reduced_stiffness().generalised_eigen(model.reduced_mass())?;
    let (mut v, mut u, mut random) = (vec![0.0; r], vec![0.0; r], Random(seed));
    for (value, shape) in values.iter().zip(vectors.chunks_exact(r)).take(6) {
        let deviate = random.normal();
        for ((v, u), x) in v.iter_mut().zip(&mut u).zip(shape) {
            *v += deviate * x / value.sqrt();
            *u += deviate * x / value;
        }
    }
    let mut moved = vec![0.0; model.basis().size()];
    model.basis().expand(&u, &mut moved);
    let far = moved.chunks_exact(3).map(|p| p.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max);
    v.iter_mut().for_each(|v| *v *= reach / far);
    Some((v, PERIODS * std::f64::consts::TAU / values[0].sqrt() / STEPS as f64))
}

/// q after every step.
fn motion(model: &Arc<Model>, v: &[f64], dt: f64) -> Result<Vec<Vec<f64>>> {
    let loads = Loads::default();
    let mut system = Reduced::new(model.clone(), &loads)?;
    let entry = integrator::find("newmark").context("no such integrator")?;
    let mut stepper = (entry.make)(integrator::Settings::default());
    let mut state = State::at_rest(v.len());
    state.v.copy_from_slice(v);
    integrator::start(&mut system, &mut state, &Damping::default(), integrator::Start::FromLoad)?;
    let mut shapes = Vec::new();
    for _ in 0..STEPS {
        stepper.step(&mut system, &mut state, dt)?;
        shapes.push(state.q.clone());
    }
    Ok(shapes)
}

/// √(Σ_t ‖q̃ − q‖²_M̃ / Σ_t ‖q‖²_M̃).
fn distance(model: &Model, found: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let mut product = vec![0.0; model.rank()];
    let mut square = |x: &[f64]| {
        model.reduced_mass().apply(x, &mut product);
        product.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
    };
    let (mut off, mut whole) = (0.0, 0.0);
    for (a, b) in found.iter().zip(exact) {
        let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        off += square(&difference);
        whole += square(b);
    }
    (off / whole).sqrt()
}
