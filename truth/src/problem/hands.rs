//! Fifty random hands on everything: no pull may blow a body up, and none may be survived by standing still.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant::dynamics::integrator;
use pliant::linalg::{Random, Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{Kind, MeshData, io};
use pliant::reduce::Model;
use pliant::world::{Body as _, Hold, LiveBody, Open, StepCounts};
use pliant_testkit::shared;
use rayon::prelude::*;

use super::Problem;
use crate::{Effort, Outcome, Row};

pub(super) const HANDS: Problem = Problem {
    name: "hands",
    title: "Fifty hands",
    about: "Our shapes and real meshes as the studio opens them, with every integrator that it offers for them: fifty times one \
            to four hands take random vertices, drag them up to one length of the body away, stay, jump, push a part into the \
            body, and let go, for a second each in steps of 1/240 s. In every fifth of them gravity is 30 m/s², in every fifth \
            the body is as soft as the page allows, in every fifth both. Of our solids every integrator does all fifty; of the \
            meshes each of the fifty is done by one, in turns; of sheets, whose steps cost ten times as much, each of twenty. A \
            pull fails when the body is put back, when its energy is more than the hands and gravity could have given it, or \
            when it was kept where it is in more than a twentieth of its steps because no step could be done: a body that \
            stands still survives everything. The error is the number of pulls that failed. A second row counts the steps that \
            were stopped so, as a part of all steps; a third, the speed that bodies lost in steps that came downhill with more of it than \
            there was energy for: a step that keeps a tenth of its speed counts as 0.9; a fourth, the steps that backward Euler did \
            again because the integrator failed or gained energy. Downhill is where those are gone on with that backward Euler could not do, \
            either: the table below has their number.",
    run,
};

const DT: f64 = 1.0 / 240.0;
const STEPS: u64 = 240;
const PULLS: usize = 50;

/// Pulls of a sheet: each integrator does each kind once.
const PULLS_OF_A_SHEET: usize = 20;

/// What the page's slider allows, Pa; of a surface the part of its own stiffness.
const SOFTEST: f64 = 100.0;
const SOFTEST_SHEET: f64 = 0.01;

/// More than so many times the work of the hands and of gravity along three lengths of the body it must not have.
const BOUND: f64 = 4.0;

/// Steps of a pull that may be stopped: a twentieth of a second is hardly seen.
const STOPPED_IN_A_PULL: u64 = STEPS / 20;

/// Of all steps of a body, the part that may be stopped, whose speed may be lost, and that may be done again.
const STOPPED: f64 = 1e-3;
const SPEED_LOST: f64 = 0.01;
const AGAIN: f64 = 0.05;

/// The same of a sheet: where hinges flip as it crumples, average acceleration gains.
const AGAIN_SHEET: f64 = 0.1;

/// Meshes of the shared data, where it is there: all that differ by more than their fineness or their format.
const MESHES: &[&str] = &[
    "tets/letterA/A.veg",
    "tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
    "tets/beam3/beam3_tet.veg",
    "tets/asianDragon/asianDragon.veg",
    "tets/asianDragon/asianDragon_MooneyRivlin.veg",
    "tets/turtle/turtle-volumetric-heterogeneous.veg",
    "tets/armadillo_11k.mesh",
    "tets/bunny_37k.mesh",
    "tets/menger_l2_2400.mesh",
    "surfaces/3holes.off",
    "surfaces/armadillo.obj",
    "surfaces/beetle.off",
    "surfaces/bunny.off",
    "surfaces/cow.off",
    "surfaces/decimated-max.obj",
    "surfaces/fandisk.off",
    "surfaces/own_bar.obj",
    "surfaces/own_cactus_like.obj",
    "surfaces/own_cloth_irregular.obj",
    "surfaces/own_cylinder.obj",
    "surfaces/sphere.obj",
    "surfaces/survey_bar.off",
];

/// A body to be pulled.
struct Subject {
    name: String,
    mesh: MeshData,
    /// Whether every integrator does all pulls, or one each.
    all: bool,
}

fn subjects(effort: Effort) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    let quick = ["letter-a", "cloth"];
    for entry in shapes::ALL.iter().filter(|e| effort == Effort::Full || quick.contains(&e.name)) {
        let coarse = (effort == Effort::Quick && entry.name == "cloth").then_some(8);
        let options = ShapeOptions { subdivision: coarse, ..ShapeOptions::default() };
        let mesh = entry.make(&options, &mut ignore_progress)?;
        subjects.push(Subject { name: entry.name.to_owned(), mesh, all: effort == Effort::Full });
    }
    if let Some(data) = shared::data().filter(|_| effort == Effort::Full) {
        for file in MESHES {
            let name = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
            let mesh = io::load(&data.join(file)).with_context(|| (*file).to_owned())?.mesh;
            subjects.push(Subject { name, mesh, all: false });
        }
    }
    Ok(subjects)
}

/// Integrators that the page offers for a model: those that take a step of it.
fn offered(model: &Arc<Model>) -> Result<Vec<&'static str>> {
    let mut body = LiveBody::new(model.clone())?;
    let takes = |entry: &&integrator::Entry| body.change(|live| live.set_integrator(entry.name)).is_ok();
    Ok(integrator::ALL.iter().filter(takes).map(|entry| entry.name).collect())
}

fn run(effort: Effort) -> Result<Outcome> {
    let pulls = if effort == Effort::Full { PULLS } else { 10 };
    let mut outcome = Outcome::default();
    let mut table = String::from(
        "| body | integrator | pulls | failed | steps | stopped | downhill | speed lost | done again |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for Subject { name, mesh, all } in subjects(effort)? {
        let opened = Open::default().open_mesh(mesh, &mut ignore_progress).with_context(|| name.clone())?;
        let model = Arc::new(opened.model);
        let offered = offered(&model)?;
        let sheet = model.mesh().kind() != Kind::Tets;
        let (pulls, all) = if sheet { (pulls.min(PULLS_OF_A_SHEET), false) } else { (pulls, all) };
        let mut whole = Tally::default();
        for (turn, integrator) in offered.iter().enumerate() {
            // Five pulls in a row are the five kinds of settings: each integrator gets as many of each.
            let mine: Vec<usize> = (0..pulls).filter(|k| all || k / 5 % offered.len() == turn).collect();
            let pull = |k: &usize| Pull::new(*k, &model).run(integrator);
            let mut tally = Tally::default();
            for pulled in mine.par_iter().map(pull).collect::<Result<Vec<_>>>()? {
                let failed = pulled.failure.map(|why| format!("{name}, {integrator}, {why}."));
                outcome.notes.extend(failed.clone());
                tally.add(Tally { pulls: 1, failed: failed.iter().len(), steps: pulled.steps });
            }
            table += &tally.row(&format!("{name} | {integrator}"));
            whole.add(tally);
            if effort == Effort::Full {
                // It takes long: what is known is told.
                writeln!(std::io::stderr(), "  {name}, {integrator}: {tally:?}")?;
            }
        }
        let again = if sheet { AGAIN_SHEET } else { AGAIN };
        outcome.rows.extend(whole.rows(&name, again));
    }
    outcome.notes.push(table);
    Ok(outcome)
}

/// What became of some pulls.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    pulls: usize,
    failed: usize,
    steps: StepCounts,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.pulls += other.pulls;
        self.failed += other.failed;
        self.steps.done += other.steps.done;
        self.steps.again += other.steps.again;
        self.steps.downhill += other.steps.downhill;
        self.steps.speed_lost += other.steps.speed_lost;
        self.steps.stopped += other.steps.stopped;
    }

    fn all_steps(&self) -> u64 {
        let StepCounts { done, again, downhill, stopped, .. } = self.steps;
        done + again + downhill + stopped
    }

    /// `most`: the part of the steps that may be done again.
    fn rows(&self, name: &str, most: f64) -> [Row; 4] {
        let part = |what: &str, count: f64, limit: f64| {
            let ours = count / self.all_steps() as f64;
            Row::absolute(format!("{name}: {what}, of all"), 0.0, ours, limit)
        };
        let failed = format!("{name}: pulls of {} that failed", self.pulls);
        let StepCounts { again, speed_lost, stopped, .. } = self.steps;
        [
            Row::absolute(failed, 0.0, self.failed as f64, 0.0),
            part("steps that were stopped", stopped as f64, STOPPED),
            part("steps' speed that was lost", speed_lost, SPEED_LOST),
            part("steps that were done again", again as f64, most),
        ]
    }

    fn row(&self, first: &str) -> String {
        let StepCounts { again, downhill, speed_lost, stopped, .. } = self.steps;
        let Self { pulls, failed, .. } = self;
        format!(
            "| {first} | {pulls} | {failed} | {} | {stopped} | {downhill} | {speed_lost:.1} | {again} |\n",
            self.all_steps()
        )
    }
}

/// One of the fifty.
struct Pull<'a> {
    number: usize,
    model: &'a Arc<Model>,
    random: Random,
}

/// How a pull went.
struct Pulled {
    /// Why it failed, if it did.
    failure: Option<String>,
    steps: StepCounts,
}

/// What is done to a body in a pull.
struct Hands {
    /// Each with where it takes hold, and by how much it pulls from there, m.
    closed: Vec<(Hold, Vec3, Vec3)>,
    /// Whether they jump there at once.
    sudden: bool,
}

impl<'a> Pull<'a> {
    fn new(number: usize, model: &'a Arc<Model>) -> Self {
        Self { number, model, random: Random(1000 + number as u64) }
    }

    fn is_heavy(&self) -> bool {
        [1, 3].contains(&(self.number % 5))
    }

    fn is_soft(&self) -> bool {
        [2, 3].contains(&(self.number % 5))
    }

    /// m/s².
    fn gravity(&self) -> Vec3 {
        Vec3::new(0.0, if self.is_heavy() { -30.0 } else { 0.0 }, 0.0)
    }

    /// A direction of random length up to one.
    fn anywhere(&mut self) -> Vec3 {
        let direction = Vec3::from_fn(|_, _| self.random.normal()).normalize();
        direction * self.random.symmetric().abs()
    }

    /// At rest, with the settings of this pull.
    fn body(&self, integrator: &str) -> Result<LiveBody> {
        let mut body = LiveBody::new(self.model.clone())?;
        let young = pliant::world::Matter::of(self.model).map_or(1.0, |matter| matter.stiffness);
        let factor =
            if self.model.mesh().kind() == Kind::Tets { (SOFTEST / young).max(1e-6) } else { SOFTEST_SHEET };
        body.change(|live| {
            live.set_integrator(integrator)?;
            if self.is_soft() {
                live.set_stiffness(factor)?;
            }
            live.set_gravity(self.gravity())
        })?;
        Ok(body)
    }

    fn hands(&mut self, body: &mut LiveBody) -> Result<Hands> {
        let length = self.model.longest_side();
        let shown = body.shown().rest.len();
        let wanted = 1 + self.random.below(4);
        let mut closed: Vec<(Hold, Vec3, Vec3)> = Vec::new();
        while closed.len() < wanted {
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
            closed.push((hold, here, by));
        }
        Ok(Hands { closed, sudden: self.random.below(2) == 0 })
    }

    fn run(mut self, integrator: &str) -> Result<Pulled> {
        let mut body = self.body(integrator)?;
        let mut hands = self.hands(&mut body)?;
        let described = format!(
            "pull {} ({} hands{}{})",
            self.number,
            hands.closed.len(),
            if self.is_heavy() { ", heavy" } else { "" },
            if self.is_soft() { ", soft" } else { "" }
        );
        let failed = self.pull(&mut body, &mut hands)?;
        let steps = body.steps();
        let failed = failed.or_else(|| stood_still(steps));
        Ok(Pulled { failure: failed.map(|why| format!("{described}: {why}")), steps })
    }

    /// Why the body was put back or has too much energy, if so.
    fn pull(&self, body: &mut LiveBody, hands: &mut Hands) -> Result<Option<String>> {
        // J for each newton.
        let way = 3.0 * self.model.longest_side();
        let weight = self.model.total_mass() * self.gravity().norm();
        // N: how hard the hands together have pulled at most.
        let mut pulled: f64 = 0.0;
        for step in 0..STEPS {
            for (hold, from, by) in &hands.closed {
                let way = if hands.sudden { 1.0 } else { (step as f64 / 60.0).min(1.0) };
                // Half-way it turns over to the other side at once.
                let way = if step >= STEPS / 2 { -0.7 * way } else { way };
                body.drag(*hold, from + by * way)?;
            }
            if step == 3 * STEPS / 4 {
                for (hold, _, _) in hands.closed.drain(..) {
                    body.release(hold)?;
                }
            }
            if let Err(trouble) = body.step(DT) {
                return Ok(Some(format!("step {step}: {trouble}")));
            }
            let forces = hands.closed.iter().filter_map(|(hold, ..)| body.held(*hold));
            pulled = pulled.max(forces.map(|held| held.force.norm()).sum());
            let energies = body.energies();
            let energy = energies.kinetic + energies.elastic;
            // A fall is no explosion.
            let given = way * (pulled + weight);
            if energy.is_nan() || energy > BOUND * given {
                return Ok(Some(format!("step {step}: {energy:.2e} J, of {given:.2e} J that it was given")));
            }
        }
        Ok(None)
    }
}

/// What is wrong with a pull in which nothing but a body that stood still was seen.
fn stood_still(steps: StepCounts) -> Option<String> {
    let stopped = steps.stopped;
    (stopped > STOPPED_IN_A_PULL).then(|| format!("{stopped} of {STEPS} steps were stopped"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_frozen_does_not_pass() {
        let counts = |again, speed_lost, stopped| StepCounts {
            done: 10_000,
            again,
            downhill: again / 3,
            speed_lost,
            stopped,
        };
        assert!(stood_still(StepCounts { done: 100, stopped: 140, ..StepCounts::default() }).is_some());
        assert_eq!(stood_still(StepCounts { done: 230, stopped: 10, ..StepCounts::default() }), None);
        let tally = |steps| Tally { pulls: 1, failed: 0, steps }.rows("it", AGAIN).map(|row| row.holds());
        assert_eq!(tally(counts(300, 50.0, 5)), [true; 4]);
        assert_eq!(tally(counts(300, 50.0, 50)), [true, false, true, true]);
        assert_eq!(tally(counts(300, 500.0, 5)), [true, true, false, true]);
        assert_eq!(tally(counts(900, 50.0, 5)), [true, true, true, false]);
    }
}
