//! T14 Table 3.1: how well subspaces of one dimension hold large deformations.

use std::f64::consts::PI;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use pliant::draw::Image;
use pliant::energy::Recipe;
use pliant::energy::load::Loads;
use pliant::linalg::Vec3;
use pliant::linalg::small::rotation;
use pliant::mesh::{MeshData, select};
use pliant::reduce::Request;
use pliant_truth::Effort;
use pliant_truth::fidelity::{Case, DT, Judged, bases};

use super::Table;
use crate::{Grid, Outcome, Part, Run, mesh, seconds};

pub(super) const SUBSPACE: Table = Table {
    name: "subspace",
    title: "Subspace fidelity (T14 Table 3.1)",
    about: "Shells in the grip of springs and a solid that swings, at full order and in three subspaces of one dimension, with forces \
            through the full mesh. `survey_bar` and `survey_plane` are moved by their own handle files, the others are bent into \
            an arc. Our error is the root mean square of the displacement's over area or volume, in parts of the longest side, \
            where all bodies are 1 m long; the document divides an L²-norm by the area or volume, on meshes that could not be \
            had (but for bar and plane, which are of the suite it takes its poses from), so that ratios in a row can be \
            compared and not single numbers. Shells have a membrane stiffness of 100 and a bending stiffness of 1. Static states come from damped backward Euler, 1 s of it; the swing is \
            undamped Newmark, judged over all steps.",
    run,
};

/// A row of the document: model, vertices, d, and the errors of extended modes, derivatives and linear modes.
type Theirs = (&'static str, &'static str, usize, [f64; 3]);

const BAR: Theirs = ("Bar", "6k", 93, [0.0109, 0.0113, 0.0851]);
const CACTUS: Theirs = ("Cactus", "5k", 93, [0.0131, 0.0057, 0.0933]);
const CYLINDER: Theirs = ("Cylinder", "5k", 93, [0.0089, 0.0080, 0.0565]);
const PLATE: Theirs = ("Plate", "40k", 93, [0.0109, 0.0136, 0.0266]);
const DRAGON: Theirs = ("Dragon", "26k", 135, [0.0170, 0.0225, 0.0440]);

/// A run at full order, or in a subspace, may take so long.
const LIMIT: Duration = Duration::from_secs(200);

/// N/m of the springs at either end.
const GRIP: f64 = 1e4;

/// κ_m = 100 κ_b at a length of 1 m is about κ_m = κ_b at the 100 units of the survey's meshes. Softer membranes wrinkle when
/// they are twisted, and Newton's method with them.
fn sheet() -> Recipe {
    Recipe { bend: Some(1.0), membrane: Some(100.0), ..Recipe::default() }
}

/// The errors of extended modes, derivatives and linear modes; or why there are none.
struct Measured {
    rank: usize,
    full_seconds: f64,
    errors: [std::result::Result<f64, String>; 3],
    pictures: Vec<Image>,
}

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut grid = Grid::new(&[
        "shape",
        "vertices",
        "d",
        "extended",
        "derivatives",
        "linear modes",
        "linear / extended",
        "full run",
        "T14",
        "vertices",
        "extended",
        "derivatives",
        "linear modes",
        "linear / extended",
    ]);
    let mut pictures = Vec::new();
    let effort = if run.full { Effort::Full } else { Effort::Quick };
    for (case, theirs) in cases(run, &mut outcome.missing)? {
        let mut row = vec![case.name.clone(), case.mesh.vertices.len().to_string()];
        match measure(run, &case, effort) {
            Ok(measured) => {
                let cell = |k: usize| {
                    measured.errors[k].as_ref().map_or_else(|_| "–".to_owned(), |e| format!("{e:.4}"))
                };
                row.extend([measured.rank.to_string(), cell(0), cell(1), cell(2)]);
                row.push(match (&measured.errors[2], &measured.errors[0]) {
                    (Ok(linear), Ok(extended)) => format!("{:.1}", linear / extended),
                    _ => "–".into(),
                });
                row.push(seconds(measured.full_seconds));
                for why in measured.errors.iter().filter_map(|e| e.as_ref().err()) {
                    outcome.parts.push(Part::Text(why.clone()));
                }
                pictures.extend(measured.pictures);
            }
            Err(error) => {
                row.extend(["–"; 6].map(str::to_owned));
                outcome.parts.push(Part::Text(format!("{error:#}.")));
            }
        }
        let (model, vertices, _, errors) = theirs;
        row.extend([model.to_owned(), vertices.to_owned()]);
        row.extend(errors.map(|e| format!("{e:.4}")));
        row.push(format!("{:.1}", errors[2] / errors[0]));
        grid.push(row);
    }
    outcome.parts.insert(0, Part::Grid(grid));
    if !pictures.is_empty() {
        outcome.parts.push(Part::Figure(
            "subspace.png".into(),
            "As T14 Figure 3.7, a shape a row: the full body, extended modes, modes and derivatives, linear modes".into(),
            Image::sheet(&pictures, 4).to_png(),
        ));
    }
    Ok(outcome)
}

fn measure(run: &Run, case: &Case, effort: Effort) -> Result<Measured> {
    run.tell(&format!("subspace: {}, {} vertices, full", case.name, case.mesh.vertices.len()));
    let body = case.body()?;
    let begin = Instant::now();
    let truth = case.truth()?;
    let full_seconds = begin.elapsed().as_secs_f64();
    let last = truth.last().context("at least one step")?;
    let mut pictures = vec![case.picture(last, &format!("{}: full", case.name))];
    let [linear, derivatives, extended] = bases(effort, body.rigid_count());
    let mut errors = Vec::new();
    for (name, modes, rank) in [extended, derivatives, linear] {
        run.tell(&format!("subspace: {}, {name}", case.name));
        let judged =
            case.judge(&body, &truth, name, &Request { rank: Some(rank), ..Request::of_modes(modes) });
        errors.push(match judged {
            Ok(Judged { mean, last, .. }) => {
                pictures.push(case.picture(&last, name));
                Ok(mean)
            }
            Err(error) => {
                pictures.push(case.picture(&vec![0.0; body.size()], &format!("{name}: none")));
                Err(format!("{error:#}."))
            }
        });
    }
    let [a, b, c]: [_; 3] = errors.try_into().ok().context("three bases")?;
    Ok(Measured { rank: extended.2, full_seconds, errors: [a, b, c], pictures })
}

fn cases(run: &Run, missing: &mut Vec<String>) -> Result<Vec<(Case, Theirs)>> {
    if !run.full {
        let tube = mesh::surface(mesh::shape("cylinder", 2)?)?;
        return Ok(vec![(arc("cylinder, bent", tube, 2, 1.2)?, CYLINDER)]);
    }
    let mut cases = Vec::new();
    let mut with = |name: &str, make: &dyn Fn(&Path) -> Result<Case>, theirs: Theirs| -> Result<()> {
        match run.file(name) {
            Some(path) => cases.push((Case { limit: Some(LIMIT), ..make(&path)? }, theirs)),
            None => missing.push(name.to_owned()),
        }
        Ok(())
    };
    with("surfaces/survey_bar.off", &|path| survey("survey_bar, twisted by 135°", path), BAR)?;
    with("surfaces/own_bar.obj", &|path| arc("own_bar, bent by 90°", mesh::load(path)?, 2, PI / 2.0), BAR)?;
    let cactus = |path: &Path| arc("own_cactus_like, bent by 70°", mesh::load(path)?, 2, 1.2);
    with("surfaces/own_cactus_like.obj", &cactus, CACTUS)?;
    let cylinder = |path: &Path| arc("own_cylinder, bent by 120°", mesh::load(path)?, 2, PI / 1.5);
    with("surfaces/own_cylinder.obj", &cylinder, CYLINDER)?;
    // Forty thousand vertices: a step costs seconds, in a subspace too, since forces go through the full mesh.
    let plane = |path: &Path| Ok(Case { dt: 2.5 * DT, steps: 24, ..survey("survey_plane, lifted", path)? });
    with("surfaces/survey_plane.off", &plane, PLATE)?;
    with("tets/armadillo_11k.mesh", &swing, DRAGON)?;
    Ok(cases)
}

/// A surface along an axis, its high end brought along arcs that are all as long as the body.
fn arc(name: &str, mesh: MeshData, axis: usize, angle: f64) -> Result<Case> {
    let letter = ["x", "y", "z"][axis];
    let select = |words: &str| select::select(&mesh, &format!("{letter}{words}"));
    let (held, brought) = (select("<2%")?.vertices, select(">98%")?.vertices);
    let [low, high] = mesh.bounds();
    let length = (high - low)[axis];
    let along = Vec3::from_fn(|c, _| f64::from(u8::from(c == axis)));
    let across = Vec3::from_fn(|c, _| f64::from(u8::from(c == (axis + 1) % 3)));
    // The end of the middle line of the upright part, which stands over what is held.
    let foot = held.iter().map(|&v| mesh.vertices[v as usize]).sum::<Vec3>() / held.len() as f64;
    let end = foot + along * (high[axis] - foot[axis]);
    let to = move |p: Vec3, part: f64| {
        let now = (angle * part).max(1e-9);
        let bent = (along * now.sin() + across * (1.0 - now.cos())) * (length / now);
        foot + bent + rotation(&along.cross(&across), now) * (p - end)
    };
    Ok(Case::gripped(name, mesh, sheet(), GRIP, &held, &brought, to))
}

/// A mesh of the survey suite with its `.sel` (0 held, 1 free, 2 handle) and its `.def` (a 4×4 matrix for the handle).
fn survey(name: &str, path: &Path) -> Result<Case> {
    let numbers = |ending: &str| -> Result<Vec<f64>> {
        let text = std::fs::read_to_string(path.with_extension(ending))?;
        let words = text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
        words.map(|word| word.parse().with_context(|| format!("{ending}: {word:?} is no number"))).collect()
    };
    let mut mesh = pliant::mesh::io::load(path)?.mesh;
    let factor = mesh.scale_to(1.0)?;
    let (roles, matrix) = (numbers("sel")?, numbers("def")?);
    anyhow::ensure!(
        roles.len() == mesh.vertices.len() && matrix.len() == 16,
        "{}: a role for each vertex and a 4x4 matrix",
        path.display()
    );
    let of = |role: f64| -> Vec<u32> {
        roles.iter().enumerate().filter(|(_, r)| **r == role).map(|(v, _)| v as u32).collect()
    };
    let shift = Vec3::new(matrix[3], matrix[7], matrix[11]) * factor;
    let (axis, angle) = turn(&matrix);
    let to = |p: Vec3, part: f64| rotation(&axis, angle * part) * p + shift * part;
    Ok(Case::gripped(name, mesh, sheet(), GRIP, &of(0.0), &of(2.0), to))
}

/// Axis and angle (rad) of the rotation in the first three rows and columns of a 4×4 matrix, row by row.
fn turn(matrix: &[f64]) -> (Vec3, f64) {
    let m = |i: usize, j: usize| matrix[4 * i + j];
    let skew = Vec3::new(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) * 0.5;
    let angle = skew.norm().atan2(0.5 * (m(0, 0) + m(1, 1) + m(2, 2) - 1.0));
    (if skew.norm() > 1e-9 { skew.normalize() } else { Vec3::z() }, angle)
}

/// The armadillo on its feet, swinging sideways in gravity that points so. In more of it this material, which softens when it
/// is pressed, folds at the fingers, and Newton's method takes fifty iterations a step.
fn swing(path: &Path) -> Result<Case> {
    let mesh = mesh::load(path)?;
    let recipe = Recipe {
        material: Some("stvk".into()),
        young: Some(1e6),
        fixed: vec![select::select(&mesh, "y<5%")?],
        ..Recipe::default()
    };
    let loads = Loads { gravity: Vec3::new(3.0, 0.0, 0.0), ..Loads::default() };
    let name = "armadillo_11k (solid), swinging".to_owned();
    Ok(Case { name, mesh, recipe, loads, steps: 60, dt: DT, damping: 0.0, limit: Some(LIMIT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_modes_are_worse_on_a_bent_tube() {
        let mut missing = Vec::new();
        let (case, _) = cases(&Run::quick(), &mut missing).expect("cases").remove(0);
        let measured = measure(&Run::quick(), &case, Effort::Quick).expect("measured");
        let [extended, derivatives, linear] = measured.errors.map(|e| e.expect("an error"));
        assert!(measured.full_seconds > 0.0);
        assert!(extended > 0.0 && extended < 0.03 && derivatives < 0.03, "{extended} {derivatives}");
        assert!(linear > 1.5 * extended, "{linear} {extended}");
    }

    #[test]
    fn a_rotation_is_read_from_its_matrix() {
        let r = rotation(&Vec3::new(0.6, 0.0, 0.8), 2.0);
        let mut matrix = [0.0; 16];
        (0..9).for_each(|k| matrix[4 * (k / 3) + k % 3] = r[(k / 3, k % 3)]);
        let (axis, angle) = turn(&matrix);
        assert!((angle - 2.0).abs() < 1e-12 && (axis - Vec3::new(0.6, 0.0, 0.8)).norm() < 1e-12);
    }
}
