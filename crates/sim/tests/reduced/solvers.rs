//! Solvers of a step in reduced coordinates: they find what Newton's method finds.

use pliant_dynamics::{Damping, State, StepError, System};
use pliant_sim::{Full, Reduced, Scenario, SimError, convergence};

use crate::make;
use crate::{difference, motion};

/// A held bar, pulled up and let go, with a spring at its side.
const LIVELY: &str = "dt = 0.008\nsteps = 60\ngravity = [0.0, -9.81, 0.0]\n\
    damping = { mass = 0.1, stiffness = 0.0005 }\n\
    [[force]]\nvertices = [19, 18]\nvalue = [0.0, 6.0, 2.0]\nfrom = 0.0\nto = 0.15\n\
    [[spring]]\nvertex = 17\nstiffness = 40.0\npath = [[0, 0.4, 0.1, 0.0], [0.3, 0.4, 0.2, 0.1]]";

#[test]
fn newmark_broyden_moves_as_newmark_does() {
    for (force, material) in
        [("cubature", "stable-neo-hookean"), ("cubature", "stvk"), ("cubic", "stvk"), ("projected", "stvk")]
    {
        for damping in ["tangent", "rest"] {
            let text = LIVELY.replace("0.0005", &format!("0.0005, kind = '{damping}'"));
            let model = make::held_with(force, material, 10);
            let scenario = Scenario::parse(&text, model.mesh().vertices.len()).unwrap();
            let mut system = Reduced::new(model.clone(), &scenario.loads).unwrap();
            let (_, truth) = motion(&mut system, &scenario, "newmark", None).unwrap();
            let (record, ours) = motion(&mut system, &scenario, "newmark-broyden", None).unwrap();
            assert!(record.stopped.is_none(), "{force}, {material}");
            let reach = truth.iter().flatten().fold(0.0f64, |m, x| x.abs().max(m));
            assert!(reach > 0.04, "{force}, {material}: it moves by a tenth of its length: {reach}");
            let worst = difference(&truth, &ours);
            assert!(worst < 1e-10, "{force}, {material}, {damping}: {worst:.1e} of the peak");
        }
    }
}

#[test]
fn newmark_broyden_works_at_full_order() {
    let mesh = make::bar([4, 1, 1]);
    let body = make::recipe(&mesh, "stable-neo-hookean", Some("x<0%")).build(mesh.clone()).unwrap();
    let scenario = Scenario::parse(LIVELY, mesh.vertices.len()).unwrap();
    let mut full = Full::new(body, scenario.loads.clone()).unwrap();
    let (_, truth) = motion(&mut full, &scenario, "newmark", None).unwrap();
    let (record, ours) = motion(&mut full, &scenario, "newmark-broyden", None).unwrap();
    assert!(record.stopped.is_none() && difference(&truth, &ours) < 1e-10);
}

/// Where one step of a bent bar ends.
fn end(system: &mut Reduced, state: &State, integrator: &str, iterations: usize) -> Vec<f64> {
    let options = pliant_dynamics::Options {
        tolerance: 1e-12,
        iterations: Some(iterations),
        halvings: 0,
        ..Default::default()
    };
    let entry = pliant_dynamics::integrator::find(integrator).unwrap();
    let mut integrator = (entry.make)(pliant_dynamics::Settings { options, ..Default::default() });
    let mut state = state.clone();
    integrator.step(system, &mut state, 0.02).unwrap();
    state.q
}

/// A cubature model, and the state that a load has bent it to.
fn bent(force: &str, material: &str) -> (Reduced, State) {
    let model = make::held_with(force, material, 10);
    let text = "dt = 0.02\nsteps = 1\ngravity = [0.0, -30.0, 0.0]";
    let scenario = Scenario::parse(text, model.mesh().vertices.len()).unwrap();
    let mut system = Reduced::new(model, &scenario.loads).unwrap();
    let mut state = State::at_rest(system.size());
    let entry = pliant_dynamics::integrator::find("backward-euler").unwrap();
    let mut integrator = (entry.make)(pliant_dynamics::Settings::default());
    (0..8).for_each(|_| assert!(integrator.step(&mut system, &mut state, 0.02).unwrap().converged));
    (system, state)
}

/// C17 Algorithm 1 in reduced coordinates, with weights 2μV: the projective gradient is that of the
/// projective material alone.
#[test]
fn the_projective_gradient_stalls_for_other_materials() {
    for force in ["cubature", "projected"] {
        for (material, stalls) in
            [("projective", false), ("invertible-stvk", true), ("stable-neo-hookean", true)]
        {
            let (mut system, state) = bent(force, material);
            let truth = end(&mut system, &state, "backward-euler", 50);
            let step = distance(&truth, &state.q);
            let own = distance(&end(&mut system, &state, "quasi-newton", 300), &truth) / step;
            let theirs = distance(&end(&mut system, &state, "quasi-newton-projective", 300), &truth) / step;
            assert!(own < 1e-8, "{force}, {material}: quasi-newton is off by {own:e}");
            if stalls {
                assert!(
                    theirs > 1e-3 && theirs < 1.0,
                    "{force}, {material}: stalls at {theirs:e} of the step"
                );
            } else {
                assert!(theirs < 1e-7, "{force}, {material}: off by {theirs:e}");
            }
        }
    }
}

#[test]
fn forces_without_tets_refuse_the_projective_gradient_and_say_what_to_do() {
    let model = make::held_with("cubic", "stvk", 6);
    let scenario = Scenario::parse(LIVELY, model.mesh().vertices.len()).unwrap();
    let mut system = Reduced::new(model, &scenario.loads).unwrap();
    let refused = match motion(&mut system, &scenario, "quasi-newton-projective", None) {
        Err(SimError::Step(error)) => Some(error),
        Err(other) => panic!("{other}"),
        Ok((record, _)) => record.stopped,
    };
    assert_eq!(refused, Some(StepError::NoProjectiveGradient));
    let words = StepError::NoProjectiveGradient.to_string();
    assert!(words.contains("cubature") && words.contains("quasi-newton"), "{words}");
}

#[test]
fn curves_of_convergence_fall_and_newtons_falls_fastest() {
    let (mut system, state) = bent("cubature", "stable-neo-hookean");
    let names = ["newmark", "newmark-broyden", "quasi-newton", "quasi-newton-projective"];
    let curves = convergence(&mut system, &state, (0.02, Damping::default()), &names, 40).unwrap();
    assert_eq!(curves.iter().map(|c| c.integrator).collect::<Vec<_>>(), names);
    for curve in &curves {
        let (first, last) = (curve.points[0], curve.points[curve.points.len() - 1]);
        if curve.integrator == "quasi-newton-projective" {
            assert!(last.residual > 1e-6, "of another material it stalls, also at once: {last:?}");
        } else {
            assert!(first.iterations == 1 && curve.points.iter().all(|p| p.seconds > 0.0), "{curve:?}");
            assert!(last.residual < 1e-11 && first.residual > 1e-6, "{curve:?}");
        }
    }
    let iterations = |k: usize| curves[k].points.len();
    assert!(iterations(0) <= iterations(1) && iterations(1) <= iterations(2), "{curves:?}");
    assert!(convergence(&mut system, &state, (0.02, Damping::default()), &["none"], 3).is_err());
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}
