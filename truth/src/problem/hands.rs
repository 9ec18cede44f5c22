//! Fifty random hands on everything: no pull may blow a body up.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use pliant::dynamics::integrator;
use pliant::linalg::{Random, Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{Kind, MeshData, io};
use pliant::reduce::Model;
use pliant::world::{Body as _, Hold, LiveBody, Open};
use pliant_testkit::shared;
use rayon::prelude::*;

use super::Problem;
use crate::{Effort, Outcome, Row};

pub(super) const HANDS: Problem = Problem {
    name: "hands",
    title: "Fifty hands",
    about: "Every shape and real meshes as the studio opens them, with every integrator that it offers for them: fifty times one to \
            four hands take random vertices, drag them up to one length of the body away, stay, jump, push a part into the body, and let go, \
            for a second each in steps of 1/240 s. In every fifth of them gravity is 30 m/s², in every fifth the body is as soft as the page \
            allows, in every fifth both. A pull fails when the body is put back or when its energy is more than the hands and gravity could \
            have given it; the error is the number of pulls that failed.",
    run,
};

const DT: f64 = 1.0 / 240.0;
const PULLS: usize = 50;

/// What the page's slider allows, Pa; of a surface the part of its own stiffness.
const SOFTEST: f64 = 100.0;
const SOFTEST_SHEET: f64 = 0.01;

/// More than so many times the work of the hands and of gravity along three lengths of the body it must not have.
const BOUND: f64 = 4.0;

/// Meshes of the shared data, where it is there.
const MESHES: &[&str] = &[
    "tets/beam3/beam3_tet.veg",
    "tets/asianDragon/asianDragon.veg",
    "tets/turtle/turtle-volumetric-heterogeneous.veg",
    "tets/armadillo_11k.mesh",
    "surfaces/own_cactus_like.obj",
    "surfaces/own_cloth_irregular.obj",
    "surfaces/sphere.obj",
];

fn bodies(effort: Effort) -> Result<Vec<(String, MeshData)>> {
    let mut bodies = Vec::new();
    for entry in shapes::ALL.iter().filter(|e| effort == Effort::Full || e.name == "letter-a") {
        bodies.push((entry.name.to_owned(), entry.make(&ShapeOptions::default(), &mut ignore_progress)?));
    }
    if let Some(data) = shared::data().filter(|_| effort == Effort::Full) {
        for file in MESHES {
            let name = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
            bodies.push((name, io::load(&data.join(file))?.mesh));
        }
    }
    Ok(bodies)
}

fn run(effort: Effort) -> Result<Outcome> {
    let pulls = if effort == Effort::Full { PULLS } else { 5 };
    let mut outcome = Outcome::default();
    for (name, mesh) in bodies(effort)? {
        let model = std::sync::Arc::new(Open::default().open_mesh(mesh, &mut ignore_progress)?.model);
        let fitting = |entry: &&integrator::Entry| !entry.linear_only && entry.material.is_none();
        for entry in integrator::ALL.iter().filter(fitting) {
            let pull = |k: usize| Pull::new(k, &model).run(entry.name);
            let failed: Vec<String> = (0..pulls)
                .into_par_iter()
                .map(pull)
                .collect::<Result<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect();
            let what = format!("{name}, {}: pulls of {pulls} that failed", entry.name);
            if effort == Effort::Full {
                // It takes long: what is known is told.
                writeln!(std::io::stderr(), "  {what}: {}", failed.len())?;
            }
            outcome.rows.push(Row::absolute(what, 0.0, failed.len() as f64, 0.0));
            outcome.notes.extend(failed.into_iter().map(|f| format!("{name}, {}, {f}.", entry.name)));
        }
    }
    Ok(outcome)
}

/// One of the fifty.
struct Pull<'a> {
    number: usize,
    model: &'a std::sync::Arc<Model>,
    random: Random,
}

impl<'a> Pull<'a> {
    fn new(number: usize, model: &'a std::sync::Arc<Model>) -> Self {
        Self { number, model, random: Random(1000 + number as u64) }
    }

    /// A direction of random length up to one.
    fn anywhere(&mut self) -> Vec3 {
        let direction = Vec3::from_fn(|_, _| self.random.normal()).normalize();
        direction * self.random.symmetric().abs()
    }

    /// Why it failed, if it did.
    fn run(mut self, integrator: &str) -> Result<Option<String>> {
        let mut body = LiveBody::new(self.model.clone())?;
        let (heavy, soft) = ([1, 3].contains(&(self.number % 5)), [2, 3].contains(&(self.number % 5)));
        let young = pliant::world::Matter::of(self.model).map_or(1.0, |matter| matter.stiffness);
        let factor =
            if self.model.mesh().kind() == Kind::Tets { (SOFTEST / young).max(1e-6) } else { SOFTEST_SHEET };
        let gravity = Vec3::new(0.0, if heavy { -30.0 } else { 0.0 }, 0.0);
        body.change(|live| {
            live.set_integrator(integrator)?;
            if soft {
                live.set_stiffness(factor)?;
            }
            live.set_gravity(gravity)
        })?;
        let length = self.model.longest_side();
        let shown = body.shown().rest.len();
        let wanted = 1 + self.random.below(4);
        let mut hands: Vec<(Hold, Vec3, Vec3)> = Vec::new();
        while hands.len() < wanted {
            let vertex = self.random.below(shown) as u32;
            let here = body.place(vertex)?;
            let Ok(hold) = body.grab(vertex, here) else { continue };
            let by = match self.random.below(3) {
                // Through the middle of the body and out on the other side.
                0 => {
                    let [low, high] = self.model.mesh().bounds();
                    let inward = (low + high) / 2.0 - here;
                    inward * (1.5 * self.random.symmetric().abs()).min(length / inward.norm())
                }
                _ => self.anywhere() * length,
            };
            hands.push((hold, here, by));
        }
        let described = format!(
            "pull {} ({} hands{}{})",
            self.number,
            hands.len(),
            if heavy { ", heavy" } else { "" },
            if soft { ", soft" } else { "" }
        );
        let sudden = self.random.below(2) == 0;
        // N: how hard the hands together have pulled at most.
        let mut pulled: f64 = 0.0;
        for step in 0..240 {
            for (hold, from, by) in &hands {
                let way = if sudden { 1.0 } else { (f64::from(step) / 60.0).min(1.0) };
                // Half-way it turns over to the other side at once.
                let way = if step >= 120 { -0.7 * way } else { way };
                let target = from + by * way;
                body.drag(*hold, target)?;
            }
            if step == 180 {
                for (hold, _, _) in &hands {
                    body.release(*hold)?;
                }
                hands.clear();
            }
            if let Err(trouble) = body.step(DT) {
                return Ok(Some(format!("{described}: step {step}: {}", trouble)));
            }
            let now: f64 =
                hands.iter().filter_map(|(hold, ..)| body.held(*hold)).map(|h| h.force.norm()).sum();
            pulled = pulled.max(now);
            let energies = body.energies();
            let energy = energies.kinetic + energies.elastic;
            // A fall is no explosion.
            let given = 3.0 * length * (pulled + self.model.total_mass() * gravity.norm());
            if energy.is_nan() || energy > BOUND * given {
                return Ok(Some(format!(
                    "{described}: step {step}: {energy:.2e} J, of {given:.2e} J that it was given"
                )));
            }
        }
        Ok(None)
    }
}
