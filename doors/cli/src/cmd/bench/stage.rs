//! Many bodies in one world, on one core and on all: whether all of them take their step in the time that there is for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{MeshData, select};
use pliant::reduce::{Model, Precompute};
use pliant::world::{HandId, LiveBody, World};

use super::Row;
use super::busy::own_seconds;

/// Of the world's clock, s.
const DT: f64 = 1.0 / 240.0;

/// A second.
const STEPS: usize = 240;

/// Five seconds of them.
const FRAMES: u32 = 300;

/// Bodies with cubic forces.
const BODIES: usize = 60;

/// Dinosaurs whose steps are timed; how many fit is their mean.
const DINOSAURS: usize = 8;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(measure)
}

fn measure() -> anyhow::Result<Vec<Row>> {
    let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [20, 4, 4]).into_data();
    // Eight modes and the first 32 of their derivatives.
    let cubic =
        Precompute { modes: Some(8), rank: Some(40), forces: Some("cubic".into()), ..Precompute::default() };
    let bar = reduced(bar, "x<1%", Some("stvk"), &cubic)?;
    let dino = shapes::find("dino").map_err(anyhow::Error::msg)?;
    let dino = dino.make(&ShapeOptions::default(), &mut ignore_progress)?;
    let dino = reduced(dino, "y<5%", None, &Precompute { modes: Some(8), ..Precompute::default() })?;
    let budget = 1e6 * DT;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let what = format!("{BODIES} bodies, r = {}, cubic: a step of all", bar.rank());
    let [alone, _] = Crowd::new(&bar, BODIES, 1)?.steps()?;
    let [median, slowest] = Crowd::new(&bar, BODIES, cores)?.steps()?;
    let late = Crowd::new(&bar, BODIES, cores)?.late()?;
    let [one, _] = Crowd::new(&dino, DINOSAURS, 1)?.steps()?.map(|us| us / DINOSAURS as f64);
    let resting = Crowd::new(&dino, DINOSAURS, cores)?.resting()?;
    let points = dino.force().size("cubature_points").unwrap_or(0);
    let row = |name, value, limit| Row { name, value, unit: "µs", limit };
    Ok(vec![
        row(format!("{what} by one thread, median"), alone, None),
        row(format!("{what} by {cores} threads, median"), median, Some(budget)),
        row(format!("{what} by {cores} threads, p99"), slowest, None),
        Row {
            name: format!("{BODIES} of them swing in real time, {cores} threads: late steps in a thousand"),
            value: late,
            unit: "steps",
            limit: Some(1.0),
        },
        Row {
            name: format!("dinosaurs, r = {}, {points} points, that fit into 1/240 s", dino.rank()),
            value: (budget / one).floor(),
            unit: "bodies",
            limit: None,
        },
        Row {
            name: format!("{DINOSAURS} dinosaurs at rest, sixty frames a second: processor time, of a core"),
            value: resting,
            unit: "%",
            limit: Some(1.0),
        },
    ])
}

fn reduced(
    mesh: MeshData,
    held: &str,
    material: Option<&str>,
    precompute: &Precompute,
) -> anyhow::Result<Arc<Model>> {
    let fixed = vec![select::select(&mesh, held)?];
    let recipe = Recipe { fixed, material: material.map(str::to_owned), ..Recipe::default() };
    Ok(precompute.build(mesh, recipe, &mut ignore_progress)?.model.into())
}

/// A world of bodies, each pulled about by a hand of its own.
struct Crowd {
    world: World,
    hands: Vec<HandId>,
    home: Vec3,
    length: f64,
}

impl Crowd {
    fn new(model: &Arc<Model>, bodies: usize, threads: usize) -> anyhow::Result<Self> {
        let mut world = World::new(DT);
        world.set_threads(threads)?;
        let first = LiveBody::new(model.clone())?;
        let free = (0..first.surface().len() as u32).filter(|v| !first.surface().is_held(*v as usize));
        let far = |v: &u32| first.place(*v).map_or(0.0, |p| p.x + p.y);
        let vertex = free.max_by(|a, b| far(a).total_cmp(&far(b)));
        let vertex = vertex.ok_or_else(|| anyhow::anyhow!("a body of the bench has no free vertex"))?;
        let home = first.place(vertex)?;
        let mut hands = Vec::with_capacity(bodies);
        for _ in 0..bodies {
            let id = world.add(Box::new(first.duplicate()));
            hands.push(world.grab(id, vertex, home)?);
        }
        Ok(Self { world, hands, home, length: model.longest_side() })
    }

    fn pull(&mut self, t: f64) -> anyhow::Result<()> {
        for (k, hand) in self.hands.iter().enumerate() {
            let phase = t + 0.1 * k as f64;
            let way = Vec3::new((7.0 * phase).sin(), (5.0 * phase).sin(), (4.0 * phase).cos());
            self.world.drag(*hand, self.home + way * (0.1 * self.length))?;
        }
        Ok(())
    }

    /// The median of a step of all, and what one in a hundred takes, µs.
    fn steps(mut self) -> anyhow::Result<[f64; 2]> {
        let mut times = Vec::with_capacity(STEPS);
        for step in 0..STEPS {
            self.pull(DT * step as f64)?;
            let begin = Instant::now();
            let stumbled = self.world.step();
            times.push(1e6 * begin.elapsed().as_secs_f64());
            anyhow::ensure!(stumbled == 0, "a step of the bench was refused");
        }
        times.sort_by(f64::total_cmp);
        Ok([times[STEPS / 2], times[STEPS * 99 / 100]])
    }

    /// Let go and come to rest: what a second of sixty frames takes of one core, %.
    fn resting(mut self) -> anyhow::Result<f64> {
        for hand in self.hands.drain(..) {
            self.world.release(hand)?;
        }
        self.world.let_sleep(true);
        for _ in 0..20 * STEPS {
            self.world.step();
        }
        anyhow::ensure!(self.world.is_still(), "nothing moves these bodies any more");
        let begin = own_seconds();
        for _ in 0..FRAMES {
            self.world.advance(1.0 / 60.0);
        }
        Ok(100.0 * (own_seconds() - begin) / (f64::from(FRAMES) / 60.0))
    }

    /// Sixty frames a second by the clock on the wall, all bodies but two let go and swinging: of a thousand steps, how many
    /// were begun late or not at all.
    fn late(mut self) -> anyhow::Result<f64> {
        let swung = 0.5;
        for step in 0..(swung / DT) as usize {
            self.pull(DT * step as f64)?;
            self.world.step();
        }
        for hand in self.hands.drain(2..) {
            self.world.release(hand)?;
        }
        let (begin, mut before) = (Instant::now(), 0.0);
        let (mut steps, mut late) = (0.0, 0.0);
        for frame in 1..=FRAMES {
            let due = f64::from(frame) / 60.0 - begin.elapsed().as_secs_f64();
            if due > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(due));
            }
            let now = begin.elapsed().as_secs_f64();
            self.pull(swung + now)?;
            let advanced = self.world.advance(now - before);
            before = now;
            steps += f64::from(advanced.steps);
            late += f64::from(advanced.late) + advanced.forgotten / DT;
        }
        Ok(1000.0 * late / steps)
    }
}
