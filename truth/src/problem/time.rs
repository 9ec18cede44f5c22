//! Integrators on a real body: orders, drift, and where quasi-Newton ends.

use anyhow::Result;
use pliant::draw::Plot;
use pliant::dynamics::{Options, State, System, integrator};
use pliant::energy::Recipe;
use pliant::energy::load::{Loads, NodalForce};
use pliant::linalg::{Vec3, par};
use pliant::mesh::{select, shapes};
use pliant::sim::Full;

use super::Problem;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const ORDERS: Problem = Problem {
    name: "orders",
    title: "Integrators: order and drift",
    about: "A soft cantilever of stable neo-Hookean rubber swings from a smooth initial velocity; the error against a run with very \
            short steps falls by the order of the integrator. And Newmark on a linear body keeps its energy over 10,000 \
            steps. Reference: the orders 2 and 1, and no drift.",
    run: orders,
};

pub(super) const MINIMISER: Problem = Problem {
    name: "minimiser",
    title: "Quasi-Newton and Newton",
    about: "One step of backward Euler from a strongly bent state: Newton's minimiser, quasi-Newton with the true gradient \
            and, as the thesis has it, with the projective gradient, which is not the gradient of another material's \
            energy. Reference: Newton.",
    run: minimiser,
};

/// Pulled down at its end by `force`, N in all.
fn cantilever(material: &str, young: f64, cells: [usize; 3], force: f64) -> Result<(Full, usize)> {
    let mesh = shapes::bar(Vec3::new(0.4, 0.1, 0.1), cells).into_data();
    let fixed = vec![select::select(&mesh, "x<0%")?];
    let end = select::select(&mesh, "x>100%")?.vertices;
    let tip = end[0] as usize;
    let body = Recipe {
        material: Some(material.into()),
        young: Some(young),
        poisson: Some(0.4),
        density: Some(1000.0),
        fixed,
        ..Recipe::default()
    }
    .build(mesh)?;
    let pull = Vec3::new(0.0, 0.0, -force / end.len() as f64);
    let loads = Loads { forces: vec![NodalForce::always(end, pull)], ..Loads::default() };
    Ok((Full::new(body, loads)?, tip))
}

/// The state at `until` with steps of `dt`.
fn swing(name: &str, dt: f64, until: f64, cells: [usize; 3]) -> Result<Vec<f64>> {
    let (mut system, _) = cantilever("stable-neo-hookean", 2e4, cells, 0.0)?;
    let entry = integrator::find(name).expect("an integrator of the table");
    let options = Options { tolerance: 1e-11, iterations: None, ..Options::default() };
    let settings = integrator::Settings { options, ..integrator::Settings::default() };
    let mut stepper = (entry.make)(settings);
    let mut state = State::at_rest(system.size());
    // Smooth, so that no wave runs through the body that the steps could not follow.
    for (v, p) in system.body().rest().to_vec().iter().enumerate() {
        state.v[3 * v + 2] = -8.0 * p.x * p.x;
    }
    integrator::start(&mut system, &mut state, &settings.damping, integrator::Start::FromLoad)?;
    for _ in 0..(until / dt).round() as usize {
        stepper.step(&mut system, &mut state, dt)?;
    }
    Ok(state.q)
}

fn orders(effort: Effort) -> Result<Outcome> {
    let cells = if effort == Effort::Full { [8, 2, 2] } else { [4, 1, 1] };
    let until = 0.1;
    let mut outcome = Outcome::default();
    let mut plot = Plot::new("Error at t = 0.1 s").x("dt, s").y("relative error").log_x().log_y();
    let fine = swing("newmark", until / 4096.0, until, cells)?;
    for entry in integrator::ALL.iter().filter(|e| e.name != "quasi-newton-projective" && !e.linear_only) {
        let steps: [f64; 3] = [128.0, 256.0, 512.0].map(|n| until / n);
        let mut errors = Vec::new();
        for dt in steps {
            let q = swing(entry.name, dt, until, cells)?;
            let difference: Vec<f64> = q.iter().zip(&fine).map(|(a, b)| a - b).collect();
            errors.push(par::norm(&difference) / par::norm(&fine));
        }
        let observed = pliant_testkit::order::observed(&steps, |dt| {
            errors[steps.iter().position(|&s| s == dt).expect("a step that was taken")]
        });
        let what = format!("{}: order (absolute)", entry.name);
        outcome.rows.push(Row::absolute(what, f64::from(entry.order), observed, 0.15));
        let points: Vec<[f64; 2]> = steps.iter().zip(&errors).map(|(&dt, &e)| [dt, e]).collect();
        plot = plot.curve(entry.name, &points);
    }
    outcome.figures.push((
        "orders.svg".into(),
        "Error against the length of a step".into(),
        Figure::Svg(plot.to_svg()),
    ));
    outcome.rows.push(drift(if effort == Effort::Full { 10_000 } else { 1_000 })?);
    Ok(outcome)
}

/// Energy of a linear body with an initial velocity, first against last.
fn drift(steps: usize) -> Result<Row> {
    let mesh = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [6, 1, 1]).into_data();
    let fixed = vec![select::select(&mesh, "x<0%")?];
    let recipe = Recipe { material: Some("linear".into()), young: Some(1e5), fixed, ..Recipe::default() };
    let mut system = Full::new(recipe.build(mesh)?, Loads::default())?;
    let mut state = State::at_rest(system.size());
    for (v, p) in system.body().rest().to_vec().iter().enumerate() {
        state.v[3 * v + 2] = p.x;
    }
    let settings = integrator::Settings {
        options: Options { tolerance: 1e-12, ..Options::default() },
        ..integrator::Settings::default()
    };
    let mut stepper = (integrator::find("newmark").expect("an integrator of the table").make)(settings);
    integrator::start(&mut system, &mut state, &settings.damping, integrator::Start::FromLoad)?;
    let energy = |system: &mut Full, state: &State| -> Result<f64> {
        let elastic =
            system.elastic_energy(&state.q).map_err(|_| anyhow::anyhow!("a linear body has an energy"))?;
        Ok(system.kinetic_energy(&state.v) + elastic)
    };
    let first = energy(&mut system, &state)?;
    // The step at which it is furthest from the first counts.
    let mut worst = first;
    for _ in 0..steps {
        stepper.step(&mut system, &mut state, 2e-3)?;
        let now = energy(&mut system, &state)?;
        if now.is_nan() || (now - first).abs() > (worst - first).abs() {
            worst = now;
        }
    }
    Ok(Row::relative(
        format!("Newmark, linear body: energy furthest off in {steps} steps, J"),
        first,
        worst,
        1e-9,
    ))
}

fn minimiser(effort: Effort) -> Result<Outcome> {
    let cells = if effort == Effort::Full { [12, 3, 3] } else { [6, 2, 2] };
    let mut outcome = Outcome::default();
    let mut plot = Plot::new("Distance to Newton's minimiser").x("iterations").y("relative distance").log_y();
    for material in ["projective", "invertible-stvk", "stable-neo-hookean"] {
        let step = |name: &str, iterations: Option<usize>| -> Result<Vec<f64>> {
            let (mut system, _) = cantilever(material, 2e4, cells, 0.6)?;
            let mut state = State::at_rest(system.size());
            // Far from rest: bent to a quarter circle.
            for (v, p) in system.body().rest().to_vec().iter().enumerate() {
                let angle = 4.0 * p.x;
                state.q[3 * v] = (p.z + 0.25) * angle.sin() - p.x;
                state.q[3 * v + 2] = (p.z + 0.25) * angle.cos() - p.z - 0.25;
            }
            system.body().dofs().hold(&mut state.q);
            let options = Options { tolerance: 1e-10, iterations, ..Options::default() };
            let settings = integrator::Settings { options, ..integrator::Settings::default() };
            let mut stepper = (integrator::find(name).expect("an integrator of the table").make)(settings);
            stepper.step(&mut system, &mut state, 0.02)?;
            Ok(state.q)
        };
        let newton = step("backward-euler", None)?;
        let distance = |q: &[f64]| {
            par::norm(&q.iter().zip(&newton).map(|(a, b)| a - b).collect::<Vec<_>>()) / par::norm(&newton)
        };
        let counts: &[usize] = &[2, 5, 10, 20, 40, 80, 160, 300];
        let mut last = 0.0;
        for (name, dashed) in [("quasi-newton", false), ("quasi-newton-projective", true)] {
            let mut curve = Vec::new();
            for &n in counts {
                last = distance(&step(name, Some(n))?);
                curve.push([n as f64, last.max(1e-16)]);
            }
            let label =
                format!("{material}, {}", if dashed { "projective gradient" } else { "true gradient" });
            plot = if dashed { plot.dashed(label, &curve) } else { plot.curve(label, &curve) };
            if !dashed {
                let what = format!("{material}: quasi-newton, distance to Newton after 300 iterations");
                outcome.rows.push(Row::absolute(what, 0.0, last, 1e-6));
            }
        }
        if material == "projective" {
            let what = format!("{material}: quasi-newton-projective, the same");
            outcome.rows.push(Row::absolute(what, 0.0, last, 1e-6));
        } else {
            outcome.notes.push(format!(
                "{material}: with the projective gradient the iteration stalls at a distance of {last:.1e} from the \
                 minimiser, however long it runs."
            ));
            // The stall itself is the claim: at least a thousandth away.
            let what =
                format!("{material}: quasi-newton-projective stalls (log10 of the distance, absolute)");
            outcome.rows.push(Row::absolute(what, -1.5, last.max(1e-16).log10(), 1.5));
        }
    }
    outcome.figures.push((
        "minimiser.svg".into(),
        "Two gradients, one preconditioner".into(),
        Figure::Svg(plot.to_svg()),
    ));
    Ok(outcome)
}
