//! The exact oscillators of a linear model.

use pliant_dynamics::Options;
use pliant_energy::{Recipe, load::Loads};
use pliant_linalg::ignore_progress;
use pliant_sim::{Frame, Reduced, RunOptions, Scenario, run};

use crate::make;
use crate::{difference, motion};

#[test]
fn a_load_that_stands_still_is_met_by_the_formula() {
    // From rest under a constant p: q = p/λ (1 − cos √λ t) of each mode.
    let model = make::held(make::linear(), 6);
    let scenario = Scenario::parse("dt = 0.02\nsteps = 50\ngravity = [0.0, -9.81, 2.0]", 20).unwrap();
    let mut reduced = Reduced::new(model.clone(), &scenario.loads).unwrap();
    let (_, frames) = motion(&mut reduced, &scenario, "modal", None).unwrap();
    let exact: Vec<Vec<f64>> = (0..=50)
        .map(|step| {
            let t = 0.02 * f64::from(step);
            let q = (0..6).map(|k| {
                let p = -9.81 * model.gravity()[1][k] + 2.0 * model.gravity()[2][k];
                let lambda = model.reduced_stiffness().get(k, k);
                p / lambda * (1.0 - (lambda.sqrt() * t).cos())
            });
            let mut u = vec![0.0; model.basis().size()];
            model.basis().expand(&q.collect::<Vec<f64>>(), &mut u);
            u
        })
        .collect();
    let worst = difference(&exact, &frames);
    assert!(worst < 1e-9, "{worst:.1e}");
}

#[test]
fn a_fine_newmark_comes_to_the_same_place_under_springs_and_windows() {
    let text = "gravity = [0.0, -9.81, 0.0]\ndamping = { mass = 0.3, stiffness = 0.004 }\n\
        [[spring]]\nvertex = 19\nstiffness = 2000.0\npath = [[0, 0.4, 0.1, 0.0]]";
    let model = make::held(make::linear(), 6);
    let at = |integrator: &str, dt: f64| {
        let steps = (0.5 / dt).round();
        let scenario = Scenario::parse(&format!("dt = {dt}\nsteps = {steps}\n{text}"), 20).unwrap();
        let mut reduced = Reduced::new(model.clone(), &scenario.loads).unwrap();
        let (record, mut frames) = motion(&mut reduced, &scenario, integrator, None).unwrap();
        assert!(record.stopped.is_none(), "{integrator}");
        vec![frames.pop().unwrap()]
    };
    let fine = at("newmark", 1e-4);
    // First order in the spring, which is a load.
    let (coarse, half) = (difference(&fine, &at("modal", 1e-3)), difference(&fine, &at("modal", 5e-4)));
    assert!(coarse < 0.02 && (coarse / half - 2.0).abs() < 0.3, "{coarse:.2e} → {half:.2e}");
}

#[test]
fn a_free_body_drifts_for_ever_as_it_is() {
    // A rigid motion whose λ rounding makes ±10⁻⁶ comes back, or runs away, within the 1000 s of this run.
    for young in [1e5, 1e11] {
        let mesh = make::bar([3, 1, 1]);
        let recipe = Recipe { young: Some(young), ..make::recipe(&mesh, "stvk", None) };
        let basis = make::modes(&recipe.build(mesh.clone()).unwrap(), 4);
        let model = make::model(mesh.clone(), recipe, basis, make::linear());
        let mut reduced = Reduced::new(model, Loads::default()).unwrap();
        let scenario = Scenario::parse("dt = 0.01\nsteps = 100000", mesh.vertices.len()).unwrap();
        let velocity = [1.0, -2.0, 0.5];
        let size = 3 * mesh.vertices.len();
        let initial = (vec![0.0; size], velocity.repeat(size / 3));
        let options = RunOptions { integrator: "modal".into(), solver: Options::default() };
        let (mut worst, mut u) = (0f64, vec![0.0; size]);
        let mut look = |frame: Frame<'_>| {
            if frame.step > 0 && frame.step.is_multiple_of(1000) {
                frame.displacement(&mut u);
                for u in u.chunks_exact(3) {
                    let off = (0..3).map(|c| (u[c] / (velocity[c] * frame.t) - 1.0).abs());
                    worst = off.fold(worst, f64::max);
                }
            }
        };
        let record =
            run(&mut reduced, &scenario, &options, Some(initial.into()), &mut ignore_progress, &mut look);
        assert!(record.unwrap().stopped.is_none());
        assert!(worst < 1e-9, "E = {young:e} Pa: {worst:.1e} of the way");
    }
}

#[test]
fn modal_is_refused_where_forces_are_not_linear() {
    let scenario = Scenario::parse("dt = 0.02\nsteps = 5", 20).unwrap();
    let mut reduced = Reduced::new(make::held(make::projected(), 3), &scenario.loads).unwrap();
    let error = motion(&mut reduced, &scenario, "modal", None).unwrap_err().to_string();
    assert!(error.contains("needs linear forces"), "{error}");
}
