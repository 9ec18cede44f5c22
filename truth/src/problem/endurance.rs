//! A thousand steps of every integrator with every material: nothing may diverge.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant::dynamics::{Damping, State, System as _, integrator};
use pliant::energy::load::{Loads, NodalForce};
use pliant::energy::{Recipe, material, shell};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{Elements, MeshData, io, select};
use pliant::reduce::model::Facts;
use pliant::reduce::{Model, Request, basis, force};
use pliant::sim::{Reduced, Subject as _};
use pliant_testkit::shared;
use rayon::prelude::*;

use super::Problem;
use crate::{Effort, Outcome, Row};

pub(super) const ENDURANCE: Problem = Problem {
    name: "endurance",
    title: "A thousand steps of everything",
    about: "Reduced models of our shapes and of real meshes, scaled to 1 m, the lowest 5 % fixed, every material, every \
            integrator: gravity acts from the start and is gone half-way, stiffness damping 0.001 s, 1,000 steps of 1/60 s. \
            A run fails when a step cannot be done, when the body leaves the box of ten times its size, or when its energy grows \
            once nothing acts on it any more; the error is the number of runs that failed. Every body has the constants that its \
            file or the defaults give it: surfaces weigh 1 kg/m² and have the stiffnesses κ_b = κ_m = 1, at which their own \
            weight folds and flattens them.",
    run,
};

const DT: f64 = 1.0 / 60.0;
/// Linear modes that a basis starts from, as everywhere by default.
const MODES: usize = 20;
/// Meshes of the shared data, where it is there.
const MESHES: &[&str] = &[
    "tets/letterA/A.veg",
    "tets/beam3/beam3_tet.veg",
    "tets/asianDragon/asianDragon.veg",
    "tets/turtle/turtle-volumetric-heterogeneous.veg",
    "tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
    "tets/menger_l2_2400.mesh",
    "tets/armadillo_11k.mesh",
    "surfaces/own_cactus_like.obj",
    "surfaces/own_cloth_irregular.obj",
    "surfaces/sphere.obj",
];

fn bodies(effort: Effort) -> Result<Vec<(String, MeshData)>> {
    let mut bodies = Vec::new();
    let names: &[&str] = if effort == Effort::Full { &["letter-a", "bridge", "dino"] } else { &["letter-a"] };
    for name in names {
        let mesh = shapes::find(name)?.make(&ShapeOptions::default(), &mut ignore_progress)?;
        bodies.push(((*name).to_owned(), mesh));
    }
    if let Some(data) = shared::data().filter(|_| effort == Effort::Full) {
        for file in MESHES {
            let name = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
            bodies.push((name, io::load(&data.join(file))?.mesh));
        }
    }
    Ok(bodies)
}

/// Which integrators a force can be stepped with: `modal` is for linear ones, the projective gradient for full bodies.
fn fits(integrator: &str, forces: &str) -> bool {
    match integrator {
        "modal" => forces == "linear",
        "quasi-newton-projective" => false,
        _ => true,
    }
}

fn run(effort: Effort) -> Result<Outcome> {
    let steps = if effort == Effort::Full { 1000 } else { 60 };
    let mut outcome = Outcome::default();
    for (name, mut mesh) in bodies(effort)? {
        mesh.scale_to(1.0)?;
        let lowest = select::select(&mesh, "y<5%")?;
        let laws: Vec<&str> = match mesh.elements {
            Elements::Tets(_) => material::ALL.iter().map(|m| m.name).collect(),
            Elements::Faces(_) => shell::ALL.iter().map(|m| m.name).collect(),
        };
        let runs_of = |law: &&str| {
            let recipe =
                Recipe { material: Some((*law).into()), fixed: vec![lowest.clone()], ..Recipe::default() };
            runs_of(&mesh, &recipe, law, steps).with_context(|| format!("{name}, {law}"))
        };
        let runs = laws.par_iter().map(runs_of).collect::<Result<Vec<_>>>()?.concat();
        let failed: Vec<String> = runs.iter().filter_map(|run| run.failure.clone()).collect();
        let what = format!("{name}: runs of {} that failed", runs.len());
        outcome.rows.push(Row::absolute(what, 0.0, failed.len() as f64, 0.0));
        outcome.notes.extend(failed.into_iter().map(|f| format!("{name}, {f}.")));
        if matches!(mesh.elements, Elements::Faces(_)) {
            outcome.notes.push(format!("{name}: a vertex moves by up to {:.2} m.", farthest(&runs)));
        }
    }
    Ok(outcome)
}

/// How one run went.
#[derive(Clone)]
struct Run {
    /// Why it failed, if it did.
    failure: Option<String>,
    /// The largest displacement of a vertex along an axis under nonlinear forces, m; 0 under linear ones, which know no
    /// bounds.
    farthest: f64,
}

/// m, of the runs that came to their end.
fn farthest(runs: &[Run]) -> f64 {
    runs.iter().filter(|run| run.failure.is_none()).fold(0.0, |far, run| far.max(run.farthest))
}

/// Every force and every integrator that go with one material.
fn runs_of(mesh: &MeshData, recipe: &Recipe, law: &str, steps: usize) -> Result<Vec<Run>> {
    let body = recipe.build(mesh.clone())?;
    let there = body.dofs().free().len();
    let request = Request::of_modes(MODES.min(there));
    let entry = basis::find("derivatives").context("a basis of the table")?;
    let built = (entry.make)(&body, &request, &mut ignore_progress)?;
    let weigh = |(v, m): (usize, &f64)| NodalForce {
        vertices: vec![v as u32],
        value: Vec3::new(0.0, -9.81 * m, 0.0),
        from: 0.0,
        to: 0.5 * steps as f64 * DT,
    };
    let forces_of_gravity = body.vertex_masses().iter().enumerate().map(weigh).collect();
    let loads = Loads { forces: forces_of_gravity, ..Loads::default() };
    let kinds: &[&str] =
        if law == "stvk" { &["linear", "cubic", "cubature"] } else { &["linear", "cubature"] };
    let mut runs = Vec::new();
    for name in kinds {
        let settings = force::Settings { poses: 100, ..force::Settings::default() };
        let forces = force::find(name).context("a force of the table")?;
        let of = force::Source { mesh, recipe, body: &body };
        let prepared = (forces.prepare)(of, &built.basis, &settings, &mut ignore_progress)?;
        let model = Model::assemble(
            mesh.clone(),
            recipe.clone(),
            &body,
            built.basis.clone(),
            prepared.force,
            Facts::default(),
        )?;
        let model = Arc::new(model);
        for entry in integrator::ALL.iter().filter(|e| fits(e.name, name)) {
            let mut system = Reduced::new(model.clone(), &loads)?;
            let mut farthest = 0.0;
            let outcome = endures(&mut system, model.basis(), entry, steps, &mut farthest);
            let failure = outcome.err().map(|why| format!("{law}, {name}, {}: {why}", entry.name));
            runs.push(Run { failure, farthest: if *name == "linear" { 0.0 } else { farthest } });
        }
    }
    Ok(runs)
}

/// Runs and keeps how far a vertex got; or tells why it could not.
fn endures(
    system: &mut Reduced,
    basis: &pliant::reduce::Basis,
    entry: &integrator::Entry,
    steps: usize,
    farthest: &mut f64,
) -> Result<(), String> {
    let damping = Damping { stiffness: 0.001, ..Damping::default() };
    let mut stepper = (entry.make)(integrator::Settings { damping, ..integrator::Settings::default() });
    let mut state = State::at_rest(system.size());
    integrator::start(system, &mut state, &damping, integrator::Start::FromLoad)
        .map_err(|e| e.to_string())?;
    let mut u = vec![0.0; basis.size()];
    let mut at_most = f64::INFINITY;
    for step in 0..steps {
        stepper.step(system, &mut state, DT).map_err(|e| format!("step {step}: {e}"))?;
        let elastic = system.elastic_energy(&state.q).map_err(|e| format!("step {step}: {e:?}"))?;
        let energy = elastic + system.kinetic_energy(&state.v);
        // From here on nothing acts, and damping only takes.
        if step == steps / 2 + 1 {
            at_most = 1.01 * energy;
        }
        if energy.is_nan() || energy > at_most {
            return Err(format!(
                "step {step}: the energy grew from {:.3e} to {energy:.3e} J",
                at_most / 1.01
            ));
        }
        basis.expand(&state.q, &mut u);
        let far = u.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
        *farthest = farthest.max(far);
        if far.is_nan() || far > 10.0 {
            return Err(format!("step {step}: a vertex is {far:.1} m away"));
        }
    }
    Ok(())
}
