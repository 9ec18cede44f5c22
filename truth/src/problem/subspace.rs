//! How well few coordinates hold large deformations: a bend, a twist and a drop in three kinds of bases.

use anyhow::Result;
use pliant::draw::{Image, Plot};
use pliant::energy::Recipe;
use pliant::energy::load::{Loads, NodalForce, Spring};
use pliant::linalg::Vec3;
use pliant::linalg::small::rotation;
use pliant::mesh::{MeshData, select, shapes};
use pliant::reduce::Request;

use super::Problem;
use crate::fidelity::{Case, DT, Judged, bases, way};
use crate::{Effort, Figure, Outcome, Row};

pub(super) const SUBSPACE: Problem = Problem {
    name: "subspace",
    title: "Large deformations in few coordinates",
    about: "A bar bent by a dead load at its end and twisted by springs, dropped to swing under gravity, and free shells that springs bend, in bases of one dimension: linear modes alone, modes with modal derivatives, extended modes. The \
            error is the root mean square of the displacement's over the volume, in parts of the body's longest side, with \
            forces through the full mesh, so that the basis alone is judged. Reference: the full body; T14 Table 3.1 has \
            0.0057 to 0.0225 for the two good kinds, and linear modes 2 to 16 times worse.",
    run,
};

/// The largest error that T14 Table 3.1 has for derivatives or extended modes.
const LIMIT: f64 = 0.0225;
/// How much better than linear modes of the same dimension.
const BETTER: f64 = 1.9;

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
            name: "bend".into(),
            mesh: mesh.clone(),
            recipe: recipe.clone(),
            loads: bend,
            steps: settle,
            dt: DT,
            damping: 10.0,
            limit: None,
        },
        Case {
            name: "twist".into(),
            mesh: mesh.clone(),
            recipe: recipe.clone(),
            loads: twist,
            steps: settle,
            dt: DT,
            damping: 10.0,
            limit: None,
        },
        Case {
            name: "drop".into(),
            mesh,
            recipe,
            loads: drop,
            steps: if full { 80 } else { 40 },
            dt: DT,
            damping: 0.0,
            limit: None,
        },
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

/// A free surface along x: its low end is held where it is, its high end brought where `to` says.
fn handled(name: &str, mesh: MeshData, to: impl Fn(Vec3, f64) -> Vec3) -> Result<Case> {
    let [low, high] = ["x<1%", "x>99%"].map(|spec| select::select(&mesh, spec));
    let (held, brought) = (low?.vertices, high?.vertices);
    Ok(Case::gripped(name, mesh, Recipe::default(), 1e3, &held, &brought, to))
}

fn run(effort: Effort) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut pictures: Vec<Image> = Vec::new();
    let mut plot = Plot::new("Drop: error over time").x("time, s").y("error, of the body");
    for case in cases(effort)? {
        let body = case.body()?;
        let truth = case.truth()?;
        let last = truth.len() - 1;
        pictures.push(
            case.picture(&truth[last], &format!("{}: full, {} numbers", case.name, body.dofs().free().len())),
        );
        let mut linear = f64::NAN;
        for (name, modes, rank) in bases(effort, body.rigid_count()) {
            let request = Request { rank: Some(rank), ..Request::of_modes(modes) };
            let Judged { errors, mean, last: u } = case.judge(&body, &truth, name, &request)?;
            pictures.push(case.picture(&u, &format!("{name}, {rank}")));
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
