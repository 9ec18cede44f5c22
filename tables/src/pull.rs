//! The experiments of C17 chapter 5: a body is pulled, at full order and in few coordinates.

use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use pliant::dynamics::Options;
use pliant::energy::load::{Loads, NodalForce};
use pliant::energy::{Body, Recipe};
use pliant::linalg::{DenseCholesky, Vec3, ignore_progress};
use pliant::mesh::{MeshData, io, select};
use pliant::reduce::force::{Trainer, Training, TrainingSet};
use pliant::reduce::model::Facts;
use pliant::reduce::{Model, Request, basis};
use pliant::sim::{
    Full, InitialState, Onlookers, Record, Reduced, RunOptions, Scenario, SimError, Subject, run_watched,
};

use crate::{Run, mesh};

/// A body that is pulled.
#[derive(Clone)]
pub struct Pull {
    /// For people.
    pub name: &'static str,
    /// Its mesh; matter is what the file says.
    pub mesh: MeshData,
    /// Which vertices are held.
    pub fixed: select::Selection,
    /// Which are pulled, and whereto.
    pub pulled: Vec<u32>,
    /// Of any length.
    pub direction: Vec3,
    /// s.
    pub dt: f64,
    /// r: coordinates.
    pub rank: usize,
    /// Points of the small and of the large cubature.
    pub points: [usize; 2],
    /// Iterations of a reduced quasi-Newton step; at full order there are 10.
    pub iterations: usize,
}

/// The largest displacement of what is pulled, by the stiffness at rest, as a part of the longest side.
const REACH: f64 = 0.1;

/// Letter A and the bridge of the shared data as C17 has them; `None` where they are not.
///
/// # Errors
/// Files that cannot be read.
pub fn letter_a(run: &Run, missing: &mut Vec<String>) -> Result<Option<Pull>> {
    let Some([veg, bou]) = files(run, ["tets/letterA/A.veg", "tets/letterA/A.bou"], missing) else {
        return Ok(None);
    };
    let mesh = io::load(&veg)?.mesh;
    Ok(Some(Pull {
        name: "Letter A",
        fixed: select::select(&mesh, text(&bou)?)?,
        pulled: select::select(&mesh, "y>95%")?.vertices,
        direction: Vec3::new(1.0, 0.4, 0.3),
        mesh,
        dt: 1e-3,
        rank: 20,
        points: [60, 120],
        iterations: 20,
    }))
}

/// The bridge, pulled upwards in the middle.
///
/// # Errors
/// Files that cannot be read.
pub fn bridge(run: &Run, missing: &mut Vec<String>) -> Result<Option<Pull>> {
    let names = ["tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg", "tets/simpleBridge/simpleBridge.bou"];
    let Some([veg, bou]) = files(run, names, missing) else { return Ok(None) };
    let mesh = io::load(&veg)?.mesh;
    let fixed = select::select(&mesh, text(&bou)?)?;
    let [low, high] = mesh.bounds();
    let (middle, wide) = (0.5 * (low.x + high.x), 0.03 * (high.x - low.x));
    let near = |v: &u32| (mesh.vertices[*v as usize].x - middle).abs() < wide && !fixed.vertices.contains(v);
    let pulled = (0..mesh.vertices.len() as u32).filter(near).collect();
    Ok(Some(Pull {
        name: "Bridge",
        fixed,
        pulled,
        direction: Vec3::y(),
        mesh,
        dt: 1e-3,
        rank: 20,
        points: [50, 100],
        iterations: 20,
    }))
}

/// An armadillo in the place of the dragon, on its feet, pulled sideways at its head.
///
/// # Errors
/// A file that cannot be read.
pub fn armadillo(run: &Run, file: &str, missing: &mut Vec<String>) -> Result<Option<Pull>> {
    let Some([path]) = files(run, [file], missing) else { return Ok(None) };
    Ok(Some(standing("Armadillo", mesh::load(&path)?)?))
}

/// A small post, for the tests.
///
/// # Errors
/// None, as long as the shape is in its table.
pub fn small() -> Result<Pull> {
    let standing = standing("post", mesh::post())?;
    Ok(Pull { rank: 10, points: [20, 40], dt: 4e-3, ..standing })
}

fn standing(name: &'static str, mesh: MeshData) -> Result<Pull> {
    Ok(Pull {
        name,
        fixed: select::select(&mesh, "y<5%")?,
        pulled: select::select(&mesh, "y>90%")?.vertices,
        direction: Vec3::new(1.0, 0.0, 0.3),
        mesh,
        dt: 1.0 / 30.0,
        rank: 40,
        points: [60, 120],
        iterations: 10,
    })
}

fn files<const N: usize>(
    run: &Run,
    names: [&str; N],
    missing: &mut Vec<String>,
) -> Option<[std::path::PathBuf; N]> {
    let found: Vec<_> = names.iter().filter_map(|name| run.file(name)).collect();
    missing.extend(names.iter().filter(|name| run.file(name).is_none()).map(ToString::to_string));
    found.try_into().ok()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is text")
}

/// A pull of one material: ready to run.
pub struct Ready {
    /// What is pulled.
    pub pull: Pull,
    recipe: Recipe,
    /// With the small and with the large cubature.
    pub models: [Arc<Model>; 2],
    /// What pulls, for as long as it is asked to.
    force: NodalForce,
    /// Of the vibration that the pull leaves behind, s: the Rayleigh quotient of the response to it.
    pub period: f64,
}

impl Ready {
    /// Reduces the body: half as many modes as coordinates, and derivatives; two cubatures of 200 poses.
    ///
    /// # Errors
    /// A body that cannot be made or reduced.
    pub fn new(run: &Run, pull: Pull, material: &str) -> Result<Self> {
        run.tell(&format!("  reducing {}, {material}", pull.name));
        let recipe =
            Recipe { material: Some(material.into()), fixed: vec![pull.fixed.clone()], ..Recipe::default() };
        let body = recipe.build(pull.mesh.clone())?;
        let entry = basis::find("derivatives").context("a basis of the table")?;
        let request = Request { rank: Some(pull.rank), ..Request::of_modes(pull.rank / 2) };
        let basis = (entry.make)(&body, &request, &mut ignore_progress)?.basis;
        let poses = if run.full { 200 } else { 40 };
        let training = Training { poses, trainer: Trainer::NN_HTP, ..Training::default() };
        let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress)?;
        let reduced = |points: usize| -> Result<Arc<Model>> {
            let cubature = set.train(points, &mut ignore_progress)?.cubature;
            let (mesh, recipe, force) = (pull.mesh.clone(), recipe.clone(), Arc::new(cubature));
            Ok(Arc::new(Model::assemble(mesh, recipe, &body, basis.clone(), force, Facts::default())?))
        };
        let [small, large] = pull.points;
        let models = [reduced(small)?, reduced(large)?];
        let (strength, period) = response(&pull, &body, &models[0])?;
        let value = pull.direction * strength;
        let force = NodalForce::always(pull.pulled.clone(), value);
        Ok(Self { pull, recipe, models, force, period })
    }

    /// The loads: for ever, or until `to`, s.
    fn loads(&self, to: f64) -> Loads {
        Loads { forces: vec![NodalForce { to, ..self.force.clone() }], ..Loads::default() }
    }

    /// The body at full order for `steps` steps of `dt`, pulled until `to`.
    ///
    /// # Errors
    /// A system that cannot be made or settings that cannot be.
    pub fn full(&self, way: &Way) -> Result<Record> {
        let loads = self.loads(way.to);
        way.run(&mut Full::new(self.recipe.build(self.pull.mesh.clone())?, loads.clone())?, loads)
    }

    /// A reduced model likewise.
    ///
    /// # Errors
    /// As [`Ready::full`].
    pub fn reduced(&self, model: usize, way: &Way) -> Result<Record> {
        let loads = self.loads(way.to);
        way.run(&mut Reduced::new(self.models[model].clone(), &loads)?, loads)
    }
}

/// How long, in which steps, by which integrator.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// A name of the table of integrators.
    pub integrator: &'static str,
    /// Iterations of a step; `None`: to the tolerance.
    pub iterations: Option<usize>,
    /// s.
    pub dt: f64,
    /// How many.
    pub steps: usize,
    /// When the pull ends, s.
    pub to: f64,
}

impl Way {
    fn run(&self, subject: &mut dyn Subject, loads: Loads) -> Result<Record> {
        let scenario = Scenario { loads: loads.into(), ..Scenario::new(self.dt, self.steps) };
        let solver = Options { iterations: self.iterations, ..Options::default() };
        let options = RunOptions { integrator: self.integrator.into(), solver };
        Ok(timed(subject, &scenario, &options, None)?)
    }
}

/// A run whose steps are measured.
pub(crate) fn timed(
    subject: &mut dyn Subject,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
) -> Result<Record, SimError> {
    let begin = Instant::now();
    let onlookers = Onlookers {
        watch: &mut ignore_progress,
        frame: &mut |_| {},
        stopwatch: Some(&mut || begin.elapsed().as_secs_f64()),
        keep: false,
    };
    run_watched(subject, scenario, options, initial, onlookers)
}

/// Newtons a vertex for each of the direction's length with which what is pulled would move by [`REACH`], by the stiffness at
/// rest in the coordinates of a model; and 2π √(uᵀMu / uᵀKu) of the displacement u that the pull makes, s.
fn response(pull: &Pull, body: &Body, model: &Model) -> Result<(f64, f64)> {
    let mut f = vec![0.0; body.size()];
    for &v in &pull.pulled {
        (0..3).for_each(|c| f[3 * v as usize + c] = pull.direction[c]);
    }
    let mut q = vec![0.0; model.basis().rank()];
    model.basis().project(&f, &mut q);
    let load = q.clone();
    let mut factor = DenseCholesky::new(q.len());
    let definite = factor.factorise(model.reduced_stiffness()).is_ok();
    anyhow::ensure!(definite, "{}: the body must be held", pull.name);
    factor.solve(&mut q);
    let far =
        pull.pulled.iter().map(|&v| Vec3::from(model.basis().at(&q, v as usize)).norm()).fold(0.0, f64::max);
    let [low, high] = pull.mesh.bounds();
    let mut mass_q = vec![0.0; q.len()];
    model.reduced_mass().apply(&q, &mut mass_q);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // K q is the load.
    let period = TAU * (dot(&q, &mass_q) / dot(&q, &load)).sqrt();
    Ok((REACH * (high - low).max() / far, period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gentle_pull_goes_as_far_as_the_stiffness_at_rest_says() {
        let ready = Ready::new(&Run::quick(), small().expect("a pull"), "invertible-stvk").expect("ready");
        // A hundred times as weak: next to linear. Damped motion ends where statics do; here half a swing goes twice as far.
        let mut ready = ready;
        ready.force.value *= 0.01;
        let body = ready.recipe.build(ready.pull.mesh.clone()).expect("a body");
        let far = REACH * 0.01 * 0.5;
        let (again, period) = response(&ready.pull, &body, &ready.models[1]).expect("a response");
        // Euler's cantilever, pulled across at its end: ω = 3.57 √(EI/ρA)/L² for that shape (3.52 for the first mode); the
        // coarse mesh is stiffer.
        let euler = TAU / (3.57 * (1e6 * 0.15_f64.powi(2) / 12.0 / 1000.0).sqrt());
        assert!(period > 0.4 * euler && period < 1.1 * euler, "{period} {euler}");
        assert!((again * 0.01 / ready.force.value.x - 1.0).abs() < 0.2, "{again} {:?}", ready.force.value);
        let way = Way { integrator: "newmark", iterations: None, dt: 2e-3, steps: 150, to: f64::INFINITY };
        let record = ready.reduced(0, &way).expect("a record");
        // ∫ of a swing about u: potential at the far end is twice what statics store; both of the order of f u.
        let work = ready.force.value.norm() * ready.pull.pulled.len() as f64 * far;
        let most = record.elastic.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.2 * work && most < 4.0 * work, "{most} {work}");
    }
}
