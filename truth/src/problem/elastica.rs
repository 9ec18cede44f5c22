//! The elastica: a slender cantilever under a dead load at its tip, bent as far as it goes.

use anyhow::Result;
use pliant::draw::{Deformed, Options, Plot, deformed_picture};
use pliant::dynamics::{Damping, State, integrator, statics};
use pliant::energy::load::{Loads, NodalForce};
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Vec3, ignore_progress, par};
use pliant::mesh::{MeshData, select, shapes};
use pliant::sim::Full;

use super::Problem;
use crate::modal::richardson;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const ELASTICA: Problem = Problem {
    name: "elastica",
    title: "Cantilever with a tip load, large deflection",
    about: "L/h = 20, ν = 0, a dead load P at the tip, PL²/EI = 1, 2, 5, 10; 4, 8 and 12 layers, extrapolated; \
            corotational, whose stress is linear in the stretch as the theory wants it. Reference: Bisshopp and Drucker's \
            solution of the elastica, w/L and u/L.",
    run,
};

const LENGTH: f64 = 1.0;
const HEIGHT: f64 = LENGTH / 20.0;
const WIDTH: f64 = HEIGHT / 4.0;
/// Pa.
const YOUNG: f64 = 1e6;
/// PL²/EI, w/L, u/L.
const REFERENCE: [(f64, f64, f64); 4] =
    [(1.0, 0.30172, 0.05643), (2.0, 0.49346, 0.16064), (5.0, 0.71379, 0.38763), (10.0, 0.81061, 0.55500)];

struct Beam {
    mesh: MeshData,
    /// In the middle of the free end.
    tip: usize,
    end: Vec<u32>,
}

fn beam(layers: usize) -> Beam {
    let mesh = shapes::bar(Vec3::new(LENGTH, WIDTH, HEIGHT), [10 * layers, 1, layers]).into_data();
    let at_end = mesh.vertices.iter().enumerate().filter(|(_, p)| (p.x - LENGTH).abs() < 1e-9);
    let end: Vec<u32> = at_end.map(|(v, _)| v as u32).collect();
    let middle = |v: &u32| {
        let p = mesh.vertices[*v as usize];
        (p.z - 0.5 * HEIGHT).abs() < 1e-9 && p.y < 1e-9
    };
    let tip = *end.iter().find(|v| middle(v)).expect("an even number of layers has a middle") as usize;
    Beam { mesh, tip, end }
}

fn body(beam: &Beam) -> Result<Body> {
    // Plane motion: with ν = 0 the width plays no part.
    let fixed =
        ["x<0%", "x>-1%:y"].iter().map(|s| select::select(&beam.mesh, s)).collect::<Result<_, _>>()?;
    Ok(Recipe {
        material: Some("corotational".into()),
        young: Some(YOUNG),
        poisson: Some(0.0),
        density: Some(1000.0),
        fixed,
        ..Recipe::default()
    }
    .build(beam.mesh.clone())?)
}

fn loads(beam: &Beam, alpha: f64) -> Loads {
    let EI = YOUNG * WIDTH * HEIGHT.powi(3) / 12.0;
    let force = alpha * EI / LENGTH.powi(2) / beam.end.len() as f64;
    Loads {
        forces: vec![NodalForce::always(beam.end.clone(), Vec3::new(0.0, 0.0, -force))],
        ..Loads::default()
    }
}

/// The state of rest under PL²/EI = `alpha`.
fn bent(beam: &Beam, alpha: f64) -> Result<Vec<f64>> {
    let mut system = Full::new(body(beam)?, loads(beam, alpha))?;
    let mut q = vec![0.0; 3 * beam.mesh.vertices.len()];
    statics::solve(&mut system, 0.0, &mut q, &statics::Loading::default(), &mut ignore_progress)?;
    Ok(q)
}

/// Damped dynamics until nothing moves, against statics: the largest difference, of the largest displacement.
fn dynamics_against_statics(layers: usize) -> Result<f64> {
    let beam = beam(layers);
    let rest = bent(&beam, 2.0)?;
    let mut system = Full::new(body(&beam)?, loads(&beam, 2.0))?;
    let mut state = State::at_rest(rest.len());
    // Twice the first angular frequency: the slowest motion comes to rest as fast as it can.
    let damping = Damping { mass: 3.2, ..Damping::default() };
    let entry = integrator::find("backward-euler").expect("an integrator of the table");
    let mut stepper = (entry.make)(integrator::Settings { damping, ..integrator::Settings::default() });
    // Long steps: backward Euler comes to rest in a few hundred of them.
    for _ in 0..400 {
        stepper.step(&mut system, &mut state, 0.05)?;
    }
    let difference: Vec<f64> = state.q.iter().zip(&rest).map(|(a, b)| a - b).collect();
    Ok(par::norm(&difference) / par::norm(&rest))
}

fn run(effort: Effort) -> Result<Outcome> {
    let layers: [usize; 3] = if effort == Effort::Full { [4, 8, 12] } else { [2, 4, 6] };
    let limit = if effort == Effort::Full { 2e-2 } else { 5e-2 };
    let cases: &[_] = if effort == Effort::Full { &REFERENCE } else { &REFERENCE[1..3] };
    let h = layers.map(|n| 1.0 / n as f64);
    let mut outcome = Outcome::default();
    let beams = layers.map(beam);
    let mut curves: Vec<Vec<[f64; 2]>> = vec![Vec::new(); 3];
    for &(alpha, w, u) in cases {
        let states = beams.iter().map(|b| bent(b, alpha)).collect::<Result<Vec<_>>>()?;
        let component = |k: usize, c: usize| -states[k][3 * beams[k].tip + c] / LENGTH;
        let down = [component(0, 2), component(1, 2), component(2, 2)];
        let back = [component(0, 0), component(1, 0), component(2, 0)];
        outcome.rows.push(Row::relative(format!("PL²/EI = {alpha}: w/L"), w, richardson(h, down), limit));
        outcome.rows.push(Row::relative(format!("PL²/EI = {alpha}: u/L"), u, richardson(h, back), limit));
        (0..3).for_each(|k| curves[k].push([alpha, down[k]]));
        if effort == Effort::Full && alpha == 10.0 {
            let beam = &beams[0];
            let deformed = Deformed { displacement: &states[0], times: 1.0, label: "displacement, m".into() };
            let picture =
                deformed_picture(&beam.mesh, &deformed, &Options::titled("PL²/EI = 10, four layers"));
            outcome.figures.push((
                "elastica.png".into(),
                "PL²/EI = 10".into(),
                Figure::Png(picture.to_png()),
            ));
        }
    }
    let mut plot = Plot::new("Tip deflection").x("PL²/EI").y("w/L");
    for (curve, n) in curves.iter().zip(layers) {
        plot = plot.curve(format!("{n} layers"), curve);
    }
    plot = plot.dots("elastica", &cases.iter().map(|c| [c.0, c.1]).collect::<Vec<_>>());
    outcome.figures.push(("elastica.svg".into(), "Deflection of the tip".into(), Figure::Svg(plot.to_svg())));
    let apart = dynamics_against_statics(layers[0].min(4))?;
    outcome.rows.push(Row::absolute("statics against the rest state of damped dynamics", 0.0, apart, 1e-6));
    outcome.notes.push(
        "Linear tets lock in bending: with four layers the beam is visibly too stiff. Extrapolation needs the finer \
         meshes to be in the range where the error falls as h²."
            .into(),
    );
    Ok(outcome)
}
