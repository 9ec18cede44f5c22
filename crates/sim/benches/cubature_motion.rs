//! How far motions with a cubature are off, against all components in the same coordinates: trained as T14 eq. 3.7 is printed,
//! and as models are trained here (forces along vibrations, rest correction).
//!
//! ```text
//! cargo bench -p pliant-sim --bench cubature_motion -- MESH [MODES] [MATERIAL]
//! ```
//! The lowest 5 % along y are held; the basis is the extended one, 5 modes unless asked for others (d = 45). Two initial velocities
//! in the six softest vibrations, of which the linear answer reaches a tenth and a fifth of the body; 2.5 periods of the
//! softest, undamped, by Newmark; relative L² over time in the norm of M̃.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use pliant_dynamics::{Damping, State, integrator};
use pliant_energy::Recipe;
use pliant_energy::load::Loads;
use pliant_linalg::{Random, ignore_progress};
use pliant_mesh::{io, select};
use pliant_reduce::force::cubature::{Rows, Training, TrainingSet};
use pliant_reduce::force::{StoredForce, StoredProjected};
use pliant_reduce::model::Facts;
use pliant_reduce::{Model, Request, basis};
use pliant_sim::Reduced;

const STEPS: usize = 150;
const PERIODS: f64 = 2.5;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let args: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut mesh = io::load(Path::new(args.first().ok_or("which mesh?")?))?.mesh;
    mesh.scale_to(1.0)?;
    let modes = args.get(1).map_or(Ok(5), |n| n.parse())?;
    let material = args.get(2).map_or("stvk", String::as_str);
    let fixed = vec![select::select(&mesh, "y<5%")?];
    let recipe = Recipe { material: Some(material.into()), fixed, ..Recipe::default() };
    let body = recipe.build(mesh.clone())?;
    let extended = basis::find("extended").ok_or("no extended basis")?;
    let basis = (extended.make)(&body, &Request::of_modes(modes), &mut ignore_progress)?.basis;
    let d = basis.rank();
    println!("{} components, d = {d}, {material}", body.components().count());
    let model = |force: Arc<dyn StoredForce>| -> Result<Arc<Model>, Box<dyn Error>> {
        let made =
            Model::assemble(mesh.clone(), recipe.clone(), &body, basis.clone(), force, Facts::default())?;
        Ok(Arc::new(made))
    };
    let exact = model(Arc::new(StoredProjected))?;
    let starts = [(0.1, 1), (0.2, 2)].map(|(reach, seed)| start(&exact, reach, seed));
    let references = starts.iter().map(|(v, dt)| motion(&exact, v, *dt)).collect::<Result<Vec<_>, _>>()?;
    println!(
        "{:>12} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "rows", "s", "eq. 3.7", "static", "ω", "motion", "motion"
    );
    for (name, rows, correct) in [
        ("printed", Rows::Forces, false),
        ("printed, R", Rows::Forces, true),
        ("vibrations", Rows::Vibrations, false),
        ("vibrations, R", Rows::Vibrations, true),
    ] {
        let training = Training { poses: 200, rows, correct, ..Training::default() };
        let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress)?;
        for s in [d, 2 * d, 3 * d] {
            let trained = set.train(s, &mut ignore_progress)?;
            let facts = trained.facts;
            let kept = if trained.cubature.correction.is_some() { "R" } else { "" };
            let reduced = model(Arc::new(trained.cubature))?;
            let mut off = String::new();
            for ((v, dt), reference) in starts.iter().zip(&references) {
                off += &match motion(&reduced, v, *dt) {
                    Ok(found) => format!(" {:>8.2}%", 100.0 * distance(&exact, &found, reference)),
                    Err(_) => " diverges".into(),
                };
            }
            let percent = |e: Option<f64>| 100.0 * e.unwrap_or(f64::NAN);
            println!(
                "{name:>12} {s:>5} {:>8.2}% {:>8.2}% {:>8.2}%{off} {} {kept}",
                100.0 * facts.validation_error,
                percent(facts.static_error),
                percent(facts.frequency_error),
                facts.trainer
            );
        }
    }
    Ok(())
}

/// A velocity in the softest vibrations whose linear answer reaches so far, as a part of the body's metre; and a step.
fn start(model: &Model, reach: f64, seed: u64) -> (Vec<f64>, f64) {
    let r = model.rank();
    let (values, vectors) =
        model.reduced_stiffness().generalised_eigen(model.reduced_mass()).expect("independent columns");
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
    (v, PERIODS * std::f64::consts::TAU / values[0].sqrt() / STEPS as f64)
}

/// q after every step.
fn motion(model: &Arc<Model>, v: &[f64], dt: f64) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let loads = Loads::default();
    let mut system = Reduced::new(model.clone(), &loads)?;
    let entry = integrator::find("newmark").ok_or("no such integrator")?;
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
