//! Another program's results on the same meshes: Vega, whose figures lie beside the project where they are shared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant::draw::Plot;
use pliant::dynamics::{Damping, DampingKind, State, System, integrator};
use pliant::energy::load::{Loads, NodalForce};
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{MeshData, io, select};
use pliant::reduce::force::Polynomial;
use pliant::reduce::model::Facts;
use pliant::reduce::{Basis, Model, linear_modes};
use pliant::sim::{Full, Reduced};
use serde_json::Value;

use super::Problem;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const VEGA: Problem = Problem {
    name: "vega",
    title: "Against Vega",
    about: "Frequencies of five models and St. Venant-Kirchhoff trajectories of `beam3_tet`, full and in Vega's own basis of \
            20 with our exact polynomial, 200 Newmark steps, with and without damping, against the C++ library VegaFEM 4: its results, figures only. Where they are not shared \
            beside the project this problem has no rows.",
    run,
};

/// Key of the reference, mesh, fixed vertices.
const MODELS: &[(&str, &str, Option<&str>)] = &[
    ("modes_beam3_tet", "tets/beam3/beam3_tet.veg", Some("tets/beam3/beam3.bou")),
    ("modes_asianDragon", "tets/asianDragon/asianDragon.veg", Some("tets/asianDragon/asianDragon.bou")),
    ("modes_asianDragon_free", "tets/asianDragon/asianDragon.veg", None),
    (
        "modes_simpleBridge_tet",
        "tets/simpleBridge/simpleBridge-ic_128_0.15_.1.veg",
        Some("tets/simpleBridge/simpleBridge.bou"),
    ),
    (
        "modes_turtle",
        "tets/turtle/turtle-volumetric-homogeneous.veg",
        Some("tets/turtle/turtle-volumetric.bou"),
    ),
];

fn run(effort: Effort) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let Some(data) = pliant_testkit::shared::data() else {
        outcome.notes.push("The reference figures were not there in this run.".into());
        return Ok(outcome);
    };
    let reference = data.join("../reference/vega");
    let frequencies = read(&reference.join("frequencies.json"))?;
    let models = if effort == Effort::Full { MODELS } else { &MODELS[..2] };
    for &(key, mesh, fix) in models {
        let listed = numbers(&frequencies[format!("{key}_pardiso")]["frequencies_hz"])?;
        // A free body's rigid modes stand in its list as numbers near zero.
        let expected: Vec<f64> = listed.into_iter().filter(|f| *f > 1e-4).collect();
        let body = body(&data, mesh, fix, "stvk")?;
        let found = linear_modes(&body, expected.len(), &mut ignore_progress)?;
        let worst = found
            .modes
            .frequencies_hz()
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a / b - 1.0).abs())
            .fold(0.0, worse);
        let what = format!("{key}: first of {} frequencies, Hz; worst error of all", expected.len());
        let row = Row::relative(what, expected[0], found.modes.frequencies_hz()[0], 1e-6);
        outcome.rows.push(Row { error: worst, ..row });
    }
    let columns = read(&reference.join("beam3_reference_basis.json"))?;
    for which in ["undamped", "damped"] {
        let expected = read(&reference.join(format!("beam3_traj_{which}.json")))?;
        let (beam, loads) = beam(&data)?;
        let mut full = Full::new(beam.body()?, loads.clone())?;
        let (row, plot) = trajectory(&mut full, |q| q.to_vec(), &expected, "full_displacement", which)?;
        outcome.rows.push(row);
        let model = Arc::new(reduced(&beam, &columns)?);
        let mut small = Reduced::new(model.clone(), &loads)?;
        let expand = |q: &[f64]| {
            let mut u = vec![0.0; model.basis().size()];
            model.basis().expand(q, &mut u);
            u
        };
        outcome.rows.push(trajectory(&mut small, expand, &expected, "reduced_displacement", which)?.0);
        outcome.figures.push((
            format!("vega-{which}.svg"),
            format!("beam3_tet, {which}: z of vertex 1, ours and Vega's"),
            Figure::Svg(plot.to_svg()),
        ));
    }
    Ok(outcome)
}

fn body(data: &Path, mesh: &str, fix: Option<&str>, material: &str) -> Result<Body> {
    let mesh = io::load(&data.join(mesh))?.mesh;
    let spec = fix.map(|f| data.join(f).display().to_string());
    let fixed = spec.iter().map(|s| select::select(&mesh, s)).collect::<Result<_, _>>()?;
    Ok(Recipe { material: Some(material.into()), fixed, ..Recipe::default() }.build(mesh)?)
}

/// The beam of the trajectories, and what pulls at it.
fn beam(data: &Path) -> Result<(Beam, Loads)> {
    let mesh = io::load(&data.join("tets/beam3/beam3_tet.veg"))?.mesh;
    let fixed = select::select(&mesh, &data.join("tets/beam3/beam3.bou").display().to_string())?;
    let recipe = Recipe { material: Some("stvk".into()), fixed: vec![fixed], ..Recipe::default() };
    let pull = NodalForce::always(vec![0, 1], Vec3::new(2.0, 0.0, 10.0));
    Ok((Beam { mesh, recipe }, Loads { forces: vec![pull], ..Loads::default() }))
}

struct Beam {
    mesh: MeshData,
    recipe: Recipe,
}

impl Beam {
    fn body(&self) -> Result<Body> {
        Ok(self.recipe.build(self.mesh.clone())?)
    }
}

/// The beam in the basis of the reference, with the exact polynomial.
fn reduced(beam: &Beam, file: &Value) -> Result<Model> {
    let columns = file["columns"].as_array().context("columns in the reference")?;
    let columns = columns.iter().map(numbers).collect::<Result<Vec<_>>>()?.concat();
    let body = beam.body()?;
    let basis = Basis::from_columns(&columns, body.size());
    let polynomial = Polynomial::new(&body, &basis, &mut ignore_progress)?;
    let force = Arc::new(polynomial);
    Ok(Model::assemble(beam.mesh.clone(), beam.recipe.clone(), &body, basis, force, Facts::default())?)
}

/// The largest difference over all steps and listed vertices, of the largest displacement.
fn trajectory(
    system: &mut dyn System,
    displacement: impl Fn(&[f64]) -> Vec<f64>,
    reference: &Value,
    key: &str,
    which: &str,
) -> Result<(Row, Plot)> {
    let settings = &reference["integrator"];
    let number = |v: &Value| v.as_f64().context("a number in the reference");
    let (dt, steps) = (number(&settings["dt"])?, number(&settings["steps"])? as usize);
    let damping = Damping {
        mass: number(&settings["alpha"])?,
        stiffness: number(&settings["beta_damp"])?,
        kind: DampingKind::Tangent,
    };
    let mut state = State::at_rest(system.size());
    let entry = integrator::find("newmark").expect("an integrator of the table");
    let mut stepper = (entry.make)(integrator::Settings { damping, ..integrator::Settings::default() });
    let paths = reference[key].as_object().context("displacements in the reference")?;
    let (mut worst, mut peak) = (0_f64, 0_f64);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The reference starts with a = 0 although a load acts.
    for step in 0..steps {
        stepper.step(system, &mut state, dt)?;
        let u = displacement(&state.q);
        for (vertex, path) in paths {
            let id: usize = vertex.trim_start_matches('v').parse().context("a vertex in the reference")?;
            let expected = numbers(&path[step])?;
            for c in 0..3 {
                worst = worse(worst, (u[3 * (id - 1) + c] - expected[c]).abs());
                peak = peak.max(expected[c].abs());
            }
            if vertex == "v1" {
                ours.push([(step + 1) as f64 * dt, u[3 * (id - 1) + 2]]);
                theirs.push([(step + 1) as f64 * dt, expected[2]]);
            }
        }
    }
    let what = format!(
        "beam3_tet, {which}, {} numbers, {steps} steps: largest displacement, m; worst difference over it",
        state.q.len()
    );
    let largest = ours.iter().map(|p| p[1].abs()).fold(0.0, f64::max);
    let expected = theirs.iter().map(|p| p[1].abs()).fold(0.0, f64::max);
    let row = Row { what, reference: expected, ours: largest, error: worst / peak, limit: 1e-6 };
    let plot =
        Plot::new(format!("beam3_tet, {which}")).x("time, s").y("z of vertex 1, m").curve("ours", &ours);
    Ok((row, plot.dots("Vega", &theirs.iter().copied().step_by(5).collect::<Vec<_>>())))
}

/// The larger of two errors; one that is no number is the worst of all.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

fn read(path: &PathBuf) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

fn numbers(value: &Value) -> Result<Vec<f64>> {
    let list = value.as_array().context("a list in the reference")?;
    list.iter().map(|x| x.as_f64().context("a number in the reference")).collect()
}
