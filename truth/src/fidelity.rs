//! How well a subspace holds what a full body does: the comparison behind T14 Table 3.1.
//!
//! ```text
//! ε = √( ∫ |u_reduced − u_full|² / volume ) / longest side
//! ```
//! Both are stepped through the same loads, with forces through the full mesh, so that the basis alone is judged. What is
//! brought somewhere is damped and judged by where it ends; what swings is judged by all of its way.

use std::sync::Arc;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use pliant::draw::{Deformed, Image, Options, deformed_picture};
use pliant::dynamics::{Damping, State, System, integrator};
use pliant::energy::load::{Loads, Spring};
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Vec3, ignore_progress, par};
use pliant::mesh::MeshData;
use pliant::reduce::force::StoredProjected;
use pliant::reduce::model::Facts;
use pliant::reduce::{Model, Request, basis};
use pliant::sim::{Full, Reduced};

use crate::Effort;

/// s.
pub const DT: f64 = 1.0 / 60.0;
/// How long a handle takes to where it is brought, s.
pub const WAY: f64 = 0.5;

/// A body and what is done to it.
pub struct Case {
    /// For people.
    pub name: String,
    /// Its mesh.
    pub mesh: MeshData,
    /// Its matter, and what of it is held.
    pub recipe: Recipe,
    /// What acts on it.
    pub loads: Loads,
    /// How many steps.
    pub steps: usize,
    /// s, each; [`DT`] unless the mesh is so large that fewer must do.
    pub dt: f64,
    /// 1/s; what is brought somewhere is to stay there, what is dropped is to swing.
    pub damping: f64,
    /// How long a run may take; `None`: as long as it needs.
    pub limit: Option<Duration>,
}

/// A subspace beside the full body.
pub struct Judged {
    /// ε after each step.
    pub errors: Vec<f64>,
    /// What counts: the last of them, or the mean of what swings.
    pub mean: f64,
    /// The displacement in the end, m.
    pub last: Vec<f64>,
}

impl Case {
    /// A free body in the grip of springs, of `grip` N/m in each of both hands: some vertices are held where they are, others
    /// brought where `to` says, from part 0 of the way to part 1.
    pub fn gripped(
        name: impl Into<String>,
        mesh: MeshData,
        recipe: Recipe,
        grip: f64,
        held: &[u32],
        brought: &[u32],
        to: impl Fn(Vec3, f64) -> Vec3,
    ) -> Self {
        let hand = |vertices: &[u32], to: &dyn Fn(Vec3, f64) -> Vec3| -> Vec<Spring> {
            let stiffness = grip / vertices.len() as f64;
            let path = |&v: &u32| way(|part| to(mesh.vertices[v as usize], part));
            vertices.iter().map(|v| Spring::always(*v, stiffness, path(v))).collect()
        };
        let springs = [hand(held, &|p, _| p), hand(brought, &to)].concat();
        let loads = Loads { springs, ..Loads::default() };
        Self { name: name.into(), mesh, recipe, loads, steps: 60, dt: DT, damping: 10.0, limit: None }
    }

    /// The body.
    ///
    /// # Errors
    /// As [`Recipe::build`].
    pub fn body(&self) -> Result<Body> {
        Ok(self.recipe.build(self.mesh.clone())?)
    }

    /// The displacements of the full body after each step.
    ///
    /// # Errors
    /// A step that could not be done, or more time than there is.
    pub fn truth(&self) -> Result<Vec<Vec<f64>>> {
        let mut system = Full::new(self.body()?, self.loads.clone())?;
        self.states(&mut system).with_context(|| format!("{}: the full body", self.name))
    }

    /// The states of a system from step to step: backward Euler for what is to settle, Newmark for what is to swing.
    fn states(&self, system: &mut dyn System) -> Result<Vec<Vec<f64>>> {
        let begin = Instant::now();
        let mut state = State::at_rest(system.size());
        let damping = Damping { mass: self.damping, ..Damping::default() };
        let settings = integrator::Settings { damping, ..integrator::Settings::default() };
        integrator::start(system, &mut state, &damping, integrator::Start::FromLoad)?;
        let name = if self.damping > 0.0 { "backward-euler" } else { "newmark" };
        let mut stepper = (integrator::find(name).context("an integrator of the table")?.make)(settings);
        (0..self.steps)
            .map(|step| {
                if let Some(limit) = self.limit.filter(|&limit| begin.elapsed() > limit) {
                    bail!("only {step} of {} steps in {} s", self.steps, limit.as_secs());
                }
                stepper.step(system, &mut state, self.dt)?;
                Ok(state.q.clone())
            })
            .collect()
    }

    /// The basis called `name` beside the `truth` of the full `body`.
    ///
    /// # Errors
    /// A basis that cannot be made, a step that could not be done, or more time than there is.
    pub fn judge(
        &self,
        body: &Body,
        truth: &[Vec<f64>],
        name: &str,
        request: &Request<'_>,
    ) -> Result<Judged> {
        let entry = basis::find(name).context("a basis of the table")?;
        let basis = (entry.make)(body, request, &mut ignore_progress)?.basis;
        let (mesh, recipe) = (self.mesh.clone(), self.recipe.clone());
        let model =
            Model::assemble(mesh, recipe, body, basis.clone(), Arc::new(StoredProjected), Facts::default())?;
        let mut reduced = Reduced::new(model.into(), &self.loads)?;
        let states = self.states(&mut reduced).with_context(|| format!("{}: {name}", self.name))?;
        let [low, high] = self.mesh.bounds();
        let longest = (high - low).max();
        let mut last = vec![0.0; body.size()];
        let mut errors = Vec::new();
        for (q, truth) in states.iter().zip(truth) {
            basis.expand(q, &mut last);
            errors.push(apart(body, longest, &last, truth));
        }
        let judged = if self.damping > 0.0 { &errors[errors.len() - 1..] } else { &errors[..] };
        let mean = judged.iter().sum::<f64>() / judged.len() as f64;
        Ok(Judged { errors, mean, last })
    }

    /// What a displacement makes of the body.
    pub fn picture(&self, displacement: &[f64], title: &str) -> Image {
        let deformed = Deformed { displacement, times: 1.0, label: String::new() };
        let options = Options { width: 400, height: 300, ..Options::titled(title) };
        deformed_picture(&self.mesh, &deformed, &options)
    }
}

/// (name, modes to start from, rank) of the bases that are compared. A free body's contain its 6 rigid motions or its 12
/// affine fields: 9 modes, extended or with all their derivatives, are 93 as in T14 Table 3.1.
pub fn bases(effort: Effort, rigid: usize) -> [(&'static str, usize, usize); 3] {
    match (effort, rigid) {
        (Effort::Full, 0) => [("modes", 135, 135), ("derivatives", 15, 135), ("extended", 15, 135)],
        (Effort::Quick, 0) => [("modes", 72, 72), ("derivatives", 11, 72), ("extended", 8, 72)],
        _ => [("modes", 93 - rigid, 93), ("derivatives", 9, 93), ("extended", 9, 93)],
    }
}

/// A way that takes [`WAY`], in eight straight pieces: a turn in one piece would squeeze what it turns.
pub fn way(place: impl Fn(f64) -> Vec3) -> Vec<(f64, Vec3)> {
    (0..=8).map(|k| f64::from(k) / 8.0).map(|part| (WAY * part, place(part))).collect()
}

/// The root mean square over the volume of a − b, in parts of the longest side.
fn apart(body: &Body, longest: f64, a: &[f64], b: &[f64]) -> f64 {
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut Md = vec![0.0; d.len()];
    body.mass().apply_per_axis(&d, &mut Md);
    // The density is one number here, so that mass stands for volume.
    (par::dot(&d, &Md) / body.total_mass()).sqrt() / longest
}
