//! A kind of load that a program adds, in scenarios, on the full body and on models of it.

use std::sync::Arc;

use pliant_dynamics::{Options, StepError, System, Tangent};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_sim::{Full, LoadSet, Reduced, RunOptions, Scenario, run_frames};

use crate::{Wind, know_wind, make};

const WINDY: &str = "dt = 0.004\nsteps = 25\ngravity = [0.0, -9.81, 0.0]\n\
    [[wind]]\nc = 0.8\nwind = [0.0, 0.0, 3.0]\nvertices = [14, 17, 18, 19]\n\
    [[spring]]\nvertex = 19\nstiffness = 30.0\npath = [[0, 0.4, 0.1, 0.2]]\n[[pressure]]\nvalue = 50.0";

fn options(integrator: &str) -> RunOptions {
    RunOptions { integrator: integrator.into(), solver: Options { tolerance: 1e-10, ..Options::default() } }
}

#[test]
fn it_moves_the_body_and_its_models_alike() {
    know_wind();
    let mesh = make::bar([4, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let body = recipe.build(mesh.clone()).unwrap();
    let scenario = Scenario::parse(WINDY, mesh.vertices.len()).unwrap();
    assert_eq!(scenario.loads.of::<Wind>().count(), 1);
    let basis = make::identity(&body);
    let model = make::model(mesh.clone(), recipe.clone(), basis.clone(), make::everything(&body));
    let without = Scenario { loads: LoadSet::default(), ..scenario.clone() };
    for integrator in ["newmark", "newmark-broyden", "backward-euler", "quasi-newton"] {
        let mut full = Full::new(recipe.build(mesh.clone()).unwrap(), &scenario.loads).unwrap();
        let mut reduced = Reduced::new(model.clone(), &scenario.loads).unwrap();
        let options = options(integrator);
        let of_full = run_frames(&mut full, &scenario, &options, None, &mut ignore_progress).unwrap();
        let of_model = run_frames(&mut reduced, &scenario, &options, None, &mut ignore_progress).unwrap();
        assert!(of_full.stopped.is_none() && of_full.unconverged == 0 && of_full.halved == 0, "{integrator}");
        assert_eq!(of_full.frames.len(), 26);
        let mut u = vec![0.0; body.size()];
        let mut size = 0.0f64;
        for (truth, q) in of_full.frames.iter().zip(&of_model.frames) {
            basis.expand(q, &mut u);
            size = truth.iter().fold(size, |m, x| m.max(x.abs()));
            let off = u.iter().zip(truth).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-7, "{integrator}: {off:e}");
        }
        let mut still = Full::new(recipe.build(mesh.clone()).unwrap(), LoadSet::default()).unwrap();
        let calm = run_frames(&mut still, &without, &options, None, &mut ignore_progress).unwrap();
        assert!(size > 1e-3 && calm.frames[25].iter().all(|x| *x == 0.0), "{size}");
    }
}

#[test]
fn newton_knows_its_damping() {
    know_wind();
    // The drag at the start of a step is far from that at its end.
    let mesh = make::bar([4, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let n = mesh.vertices.len();
    let text = "dt = 0.004\nsteps = 20\n[[wind]]\nc = 50.0\nwind = [0.0, 0.0, 3.0]\nvertices = [17, 18, 19]";
    let scenario = Scenario::parse(text, n).unwrap();
    let mut full = Full::new(recipe.build(mesh).unwrap(), &scenario.loads).unwrap();
    for integrator in ["newmark", "backward-euler"] {
        let record =
            run_frames(&mut full, &scenario, &options(integrator), None, &mut ignore_progress).unwrap();
        let most = record.iterations.iter().max().unwrap();
        assert!(record.stopped.is_none() && record.halved == 0 && *most <= 8, "{:?}", record.iterations);
    }
}

#[test]
fn the_matrices_of_a_model_are_derivatives_of_its_loads() {
    know_wind();
    let scenario = Scenario::parse(WINDY, 20).unwrap();
    let mut reduced = Reduced::new(make::held_with("linear", "stvk", 7), &scenario.loads).unwrap();
    let r = reduced.size();
    let q: Vec<f64> = (0..r).map(|k| 0.01 * (2.0 * k as f64).sin()).collect();
    let v: Vec<f64> = (0..r).map(|k| 0.3 * (1.0 + k as f64).cos()).collect();
    reduced.linearise(0.1, &q, &v, Tangent::Exact).unwrap();
    let (stiff, damped) =
        (reduced.load_stiffness().unwrap().clone(), reduced.load_damping().unwrap().clone());
    let h = 1e-5;
    let mut force = |q: &[f64], v: &[f64]| {
        let mut p = vec![0.0; r];
        reduced.external_force(0.1, q, v, &mut p);
        p
    };
    let size = (0..r).map(|k| damped.get(k, k).abs()).fold(0.0, f64::max);
    for k in 0..r {
        let moved = |x: &[f64], by: f64| {
            let mut x = x.to_vec();
            x[k] += by;
            x
        };
        let (a, b) = (force(&q, &moved(&v, h)), force(&q, &moved(&v, -h)));
        let (c, d) = (force(&moved(&q, h), &v), force(&moved(&q, -h), &v));
        for i in 0..r {
            let damping = (b[i] - a[i]) / (2.0 * h);
            assert!(
                (damping - damped.get(i, k)).abs() < 1e-6 * size,
                "({i}, {k}): {damping} and {}",
                damped.get(i, k)
            );
            let stiffness = (d[i] - c[i]) / (2.0 * h);
            let tolerance = 1e-6 * (stiff.get(i, i) * stiff.get(k, k)).abs().sqrt() + 1e-6;
            assert!((stiffness - stiff.get(i, k)).abs() < tolerance, "({i}, {k}): {stiffness}");
        }
    }
    assert!(size > 0.0);
    // Drag has no potential, and a minimiser is told so.
    reduced.load_potential(0.1, &q, &v);
    assert!(!reduced.loads_have_potential());
}

#[test]
fn a_load_that_breaks_is_named() {
    know_wind();
    let mesh = make::bar([4, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let mut loads = LoadSet::default();
    let wind = |breaks: f64| Wind { c: 1.0, wind: Vec3::x(), vertices: vec![19], breaks };
    loads.add(Arc::new(wind(f64::INFINITY)));
    loads.add(Arc::new(wind(0.021)));
    let scenario = Scenario { loads, ..Scenario::new(0.01, 9) };
    let mut full = Full::new(recipe.build(mesh).unwrap(), &scenario.loads).unwrap();
    let record = run_frames(&mut full, &scenario, &options("newmark"), None, &mut ignore_progress).unwrap();
    let why = record.stopped.unwrap();
    assert!(matches!(&why, StepError::LoadNotFinite { load, .. } if &**load == "wind 2"), "{why}");
    assert!(why.to_string().contains("the load \"wind 2\" gives coordinate"), "{why}");
    assert_eq!(record.times.len(), 3, "the steps before it are done");
}

#[test]
fn loads_that_cannot_be_are_refused_by_name() {
    know_wind();
    let model = make::held_with("linear", "stvk", 3);
    let mut loads = LoadSet::default();
    loads.add(Arc::new(Wind { c: f64::NAN, wind: Vec3::x(), vertices: vec![1], breaks: 0.0 }));
    let error = Reduced::new(model.clone(), &loads).map(drop).unwrap_err().to_string();
    assert_eq!(error, "wind 1: c and wind holds NaN; expected finite numbers");
    let full = Full::new(model.body().unwrap(), &loads).map(drop).unwrap_err().to_string();
    assert_eq!(full, error);
    let text = "dt = 0.1\nsteps = 1\n[[wind]]\nc = 1\nwind = [0, 0, 0]\nvertices = []";
    let idle = Scenario::parse(text, 8).unwrap().idle();
    assert_eq!(idle, ["wind 1 acts on no vertex: it has no effect"]);
    let error = Scenario::parse(&format!("{text}\n[[gust]]\nc = 1"), 8).unwrap_err().to_string();
    assert!(error.contains("unknown field `gust`") && error.contains("`wind`"), "{error}");
}
