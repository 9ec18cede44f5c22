//! How well few coordinates hold large deformations: a bend, a twist and a drop in three kinds of bases.

use anyhow::{Context as _, Result};
use pliant::draw::{Deformed, Image, Options, Plot, deformed_picture};
use pliant::dynamics::{Damping, State, System, integrator};
use pliant::energy::load::{Loads, NodalForce, Spring};
use pliant::energy::{Body, Recipe};
use pliant::linalg::small::rotation;
use pliant::linalg::{Vec3, ignore_progress, par};
use pliant::mesh::{MeshData, select, shapes};
use pliant::reduce::model::{Facts, ForceData};
use pliant::reduce::{Basis, Model, Request, basis};
use pliant::sim::{Full, Reduced};

use super::Problem;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const SUBSPACE: Problem = Problem {
    name: "subspace",
    title: "Large deformations in few coordinates",
    about: "A bar bent by a dead load at its end and twisted by springs, dropped to swing under gravity, and free shells that springs bend, in bases of one dimension: linear modes alone, modes with modal derivatives, extended modes. The \
            error is the root mean square of the displacement's over the volume, in parts of the body's longest side, with \
            forces through the full mesh, so that the basis alone is judged. Reference: the full body; 004 Table 3.1 has \
            0.0057 to 0.0225 for the two good kinds, and linear modes 2 to 16 times worse.",
    run,
};

/// The largest error that 004 Table 3.1 has for derivatives or extended modes.
const LIMIT: f64 = 0.0225;
/// How much better than linear modes of the same dimension.
const BETTER: f64 = 1.9;

struct Case {
    name: &'static str,
    mesh: MeshData,
    recipe: Recipe,
    loads: Loads,
    /// Steps of [`DT`].
    steps: usize,
    /// 1/s; what is brought somewhere is to stay there, what is dropped is to swing.
    damping: f64,
}

/// s.
const DT: f64 = 1.0 / 60.0;
/// How long a handle takes to where it is brought, s.
const WAY: f64 = 0.5;

impl Case {
    fn body(&self) -> Result<Body> {
        Ok(self.recipe.build(self.mesh.clone())?)
    }

    /// The states of a system from step to step: backward Euler for what is to settle, Newmark for what is to swing.
    fn states(&self, system: &mut dyn System) -> Result<Vec<Vec<f64>>> {
        let mut state = State::at_rest(system.size());
        let damping = Damping { mass: self.damping, ..Damping::default() };
        let settings = integrator::Settings { damping, ..integrator::Settings::default() };
        integrator::start(system, &mut state, &damping, integrator::Start::FromLoad)?;
        let name = if self.damping > 0.0 { "backward-euler" } else { "newmark" };
        let mut stepper = (integrator::find(name).context("an integrator of the table")?.make)(settings);
        (0..self.steps)
            .map(|_| {
                stepper.step(system, &mut state, DT)?;
                Ok(state.q.clone())
            })
            .collect()
    }
}

fn bar(cells: [usize; 3]) -> Result<(MeshData, Recipe, Vec<u32>)> {
    let mesh = shapes::bar(Vec3::new(1.0, 0.15, 0.15), cells).into_data();
    let recipe = Recipe { fixed: vec![select::select(&mesh, "x<0%")?], ..Recipe::default() };
    let end = select::select(&mesh, "x>100%")?.vertices;
    Ok((mesh, recipe, end))
}

fn cases(effort: Effort) -> Result<Vec<Case>> {
    let full = effort == Effort::Full;
    let cells = if full { [40, 6, 6] } else { [20, 3, 3] };
    let (mesh, recipe, end) = bar(cells)?;
    // PL²/EI = 3: the end points half way down.
    let force = 3.0 * 1e6 * 0.15_f64.powi(4) / 12.0 / end.len() as f64;
    let bend = Loads {
        forces: vec![NodalForce::always(end.clone(), Vec3::new(0.0, -force, 0.0))],
        ..Loads::default()
    };
    let middle = Vec3::new(1.0, 0.075, 0.075);
    let springs = end.iter().map(|&vertex| {
        let from = mesh.vertices[vertex as usize] - middle;
        let path = way(|part| middle + rotation(&Vec3::x(), 2.0 * part) * from);
        Spring::always(vertex, 2e4 / end.len() as f64, path)
    });
    let twist = Loads { springs: springs.collect(), ..Loads::default() };
    let drop = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
    let settle = if full { 90 } else { 45 };
    let mut cases = vec![
        Case {
            name: "bend",
            mesh: mesh.clone(),
            recipe: recipe.clone(),
            loads: bend,
            steps: settle,
            damping: 10.0,
        },
        Case {
            name: "twist",
            mesh: mesh.clone(),
            recipe: recipe.clone(),
            loads: twist,
            steps: settle,
            damping: 10.0,
        },
        Case { name: "drop", mesh, recipe, loads: drop, steps: if full { 80 } else { 40 }, damping: 0.0 },
    ];
    let fine = if full { 2 } else { 1 };
    let tube = shapes::cylinder(0.1, 1.0, 3 * fine, 15 * fine).boundary().into_data();
    let tube = turned(tube);
    let square = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [20, 4, 4]).boundary().into_data();
    // Arcs of up to 1.2 rad, all as long as the tube.
    let arc = |p: Vec3, part: f64| {
        let angle = (1.2 * part).max(1e-9);
        let (sin, cos) = angle.sin_cos();
        rotation(&Vec3::z(), angle) * Vec3::new(0.0, p.y, p.z) + Vec3::new(sin, 1.0 - cos, 0.0) / angle
    };
    cases.push(handled("shell of a cylinder, bent", tube, arc)?);
    cases.push(handled("shell of a bar, bent", square, arc)?);
    Ok(cases)
}

/// The cylinder along z laid along x.
fn turned(mut mesh: MeshData) -> MeshData {
    mesh.vertices.iter_mut().for_each(|p| *p = Vec3::new(p.z, p.x, p.y));
    mesh
}

/// A free surface along x in the grip of springs: its low end is held where it is, its high end brought where `to` says,
/// from part 0 of the way to part 1.
fn handled(name: &'static str, mesh: MeshData, to: impl Fn(Vec3, f64) -> Vec3) -> Result<Case> {
    let grip = |spec: &str, to: &dyn Fn(Vec3, f64) -> Vec3| -> Result<Vec<Spring>> {
        let vertices = select::select(&mesh, spec)?.vertices;
        let stiffness = 1e3 / vertices.len() as f64;
        let path = |&v: &u32| way(|part| to(mesh.vertices[v as usize], part));
        Ok(vertices.iter().map(|v| Spring::always(*v, stiffness, path(v))).collect())
    };
    let springs = [grip("x<1%", &|p, _| p)?, grip("x>99%", &to)?].concat();
    let loads = Loads { springs, ..Loads::default() };
    Ok(Case { name, mesh, recipe: Recipe::default(), loads, steps: 60, damping: 10.0 })
}

/// A way that takes [`WAY`], in eight straight pieces: a turn in one piece would squeeze what it turns.
fn way(place: impl Fn(f64) -> Vec3) -> Vec<(f64, Vec3)> {
    (0..=8).map(|k| f64::from(k) / 8.0).map(|part| (WAY * part, place(part))).collect()
}

/// The root mean square over the volume of a − b, in parts of the longest side.
fn apart(body: &Body, longest: f64, a: &[f64], b: &[f64]) -> f64 {
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut Md = vec![0.0; d.len()];
    body.mass().apply_alike(&d, &mut Md);
    // The density is one number here, so that mass stands for volume.
    (par::dot(&d, &Md) / body.total_mass()).sqrt() / longest
}

/// (name, modes to start from, rank) of the bases that are compared. A free body's contain its 6 rigid motions or its 12
/// affine fields: 9 modes, extended or with all their derivatives, are 93 as in 004 Table 3.1.
fn bases(effort: Effort, rigid: usize) -> [(&'static str, usize, usize); 3] {
    match (effort, rigid) {
        (Effort::Full, 0) => [("modes", 135, 135), ("derivatives", 15, 135), ("extended", 15, 135)],
        (Effort::Quick, 0) => [("modes", 72, 72), ("derivatives", 11, 72), ("extended", 8, 72)],
        _ => [("modes", 93 - rigid, 93), ("derivatives", 9, 93), ("extended", 9, 93)],
    }
}

fn run(effort: Effort) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut pictures: Vec<Image> = Vec::new();
    let mut plot = Plot::new("Drop: error over time").x("time, s").y("error, of the body");
    for case in cases(effort)? {
        let body = case.body()?;
        let [low, high] = case.mesh.bounds();
        let longest = (high - low).max();
        let mut system = Full::new(case.body()?, case.loads.clone())?;
        let truth = case.states(&mut system).with_context(|| format!("{}: the full body", case.name))?;
        let last = truth.len() - 1;
        pictures.push(picture(
            &case,
            &truth[last],
            &format!("{}: full, {} numbers", case.name, body.dofs().free().len()),
        ));
        let mut linear = f64::NAN;
        for (name, modes, rank) in bases(effort, body.rigid_count()) {
            let entry = basis::find(name).context("a basis of the table")?;
            let request = Request { modes, rank: Some(rank) };
            let built = (entry.make)(&body, &request, &mut ignore_progress)?;
            let basis: Basis = built.basis;
            let model = Model::assemble(
                case.mesh.clone(),
                case.recipe.clone(),
                &body,
                basis.clone(),
                ForceData::Projected,
                Facts::default(),
            )?;
            let mut reduced = Reduced::new(model.into(), &case.loads)?;
            let states = case.states(&mut reduced).with_context(|| format!("{}: {name}", case.name))?;
            let mut u = vec![0.0; body.size()];
            let mut errors = Vec::new();
            for (q, truth) in states.iter().zip(&truth) {
                basis.expand(q, &mut u);
                errors.push(apart(&body, longest, &u, truth));
            }
            // What settles is judged by where it ends, what swings by all of its way.
            let judged = if case.damping > 0.0 { &errors[errors.len() - 1..] } else { &errors[..] };
            let mean = judged.iter().sum::<f64>() / judged.len() as f64;
            pictures.push(picture(&case, &u, &format!("{name}, {rank}")));
            if case.damping == 0.0 {
                let curve: Vec<[f64; 2]> =
                    errors.iter().enumerate().map(|(k, &e)| [(k + 1) as f64 * DT, e]).collect();
                plot = plot.curve(name, &curve);
            }
            if name == "modes" {
                linear = mean;
                outcome.notes.push(format!(
                    "{}: {rank} linear modes alone are off by {mean:.4} of the body.",
                    case.name
                ));
                continue;
            }
            outcome.rows.push(Row {
                what: format!("{}: error with {name}, {rank} coordinates, of the body", case.name),
                reference: 0.0,
                ours: mean,
                error: mean,
                limit: LIMIT,
            });
            outcome.rows.push(Row {
                what: format!("{}: {rank} linear modes are so many times worse than {name}", case.name),
                reference: BETTER,
                ours: linear / mean,
                // Not `max`: what is no number must not pass.
                error: if linear / mean >= BETTER { 0.0 } else { f64::INFINITY },
                limit: 0.0,
            });
        }
    }
    let sheet = Image::sheet(&pictures, 4);
    outcome.figures.push((
        "subspace.png".into(),
        "Bend, twist and drop: the full body, linear modes, modes and derivatives, extended modes".into(),
        Figure::Png(sheet.to_png()),
    ));
    outcome.figures.push((
        "subspace.svg".into(),
        "The error of the bar as it swings".into(),
        Figure::Svg(plot.to_svg()),
    ));
    Ok(outcome)
}

fn picture(case: &Case, displacement: &[f64], title: &str) -> Image {
    let deformed = Deformed { displacement, times: 1.0, label: String::new() };
    let options = Options { width: 400, height: 300, ..Options::titled(title) };
    deformed_picture(&case.mesh, &deformed, &options)
}
