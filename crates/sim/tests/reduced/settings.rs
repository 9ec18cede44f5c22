//! What can be changed on a live model, against models that were built that way.

use std::sync::Arc;

use pliant_dynamics::{Damping, DampingKind};
use pliant_linalg::Vec3;
use pliant_reduce::Model;
use pliant_sim::{Live, LiveOptions, SimError};

use crate::make;

const TIP: u32 = 19;
const DT: f64 = 1.0 / 120.0;

const DAMPING: Damping = Damping { mass: 0.5, stiffness: 1e-3, kind: DampingKind::Tangent };

/// Every force with every integrator that is for it.
const PAIRS: [(&str, &str, &str); 7] = [
    ("linear", "stvk", "modal"),
    ("linear", "stvk", "newmark"),
    ("cubic", "stvk", "newmark"),
    ("cubic", "stvk", "quasi-newton"),
    ("cubature", "stable-neo-hookean", "newmark"),
    ("cubature", "stable-neo-hookean", "backward-euler"),
    ("projected", "corotational", "newmark"),
];

fn live(model: Arc<Model>, integrator: &str) -> Live {
    let solver = pliant_dynamics::Options { tolerance: 1e-12, ..Default::default() };
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    Live::new(model, &LiveOptions { integrator: integrator.into(), damping: DAMPING, solver, gravity })
        .unwrap()
}

/// Steps with a hand at the tip that goes in circles, from its step `from` on.
fn play(live: &mut Live, steps: std::ops::Range<i32>) -> Vec<f64> {
    let home = live.model().mesh().vertices[TIP as usize];
    let at =
        |k: i32| home + Vec3::new(0.0, 0.02 * (0.2 * f64::from(k)).sin(), 0.01 * (0.1 * f64::from(k)).cos());
    let hand = live.grab(TIP, 150.0, at(steps.start)).unwrap();
    for k in steps {
        live.drag(hand, at(k)).unwrap();
        assert!(live.step(DT).unwrap().converged);
    }
    live.release(hand).unwrap();
    let mut u = vec![0.0; 3 * live.vertices()];
    live.displacement(&mut u);
    u
}

/// The largest difference, of the largest of the first.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    worst / a.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

#[test]
fn factors_are_the_rescaled_model() {
    let (s, d) = (3.0, 0.5);
    for (force, material, integrator) in PAIRS {
        let model = make::held_with(force, material, 6);
        let mut wanted = live(model.rescaled(s, d).unwrap().into(), integrator);
        let mut factored = live(model, integrator);
        factored.set_stiffness(s).unwrap();
        factored.set_density(d).unwrap();
        assert_eq!((factored.stiffness(), factored.density()), (s, d));
        let (a, b) = (play(&mut wanted, 0..60), play(&mut factored, 0..60));
        let what = format!("{force}, {integrator}");
        assert!(apart(&a, &b) < 1e-9, "{what}: {:.1e}", apart(&a, &b));
        let energies = [
            (wanted.kinetic_energy(), factored.kinetic_energy()),
            (wanted.elastic_energy(), factored.elastic_energy()),
            (wanted.static_stiffness(TIP).unwrap(), factored.static_stiffness(TIP).unwrap()),
        ];
        energies.iter().for_each(|(a, b)| assert!((a / b - 1.0).abs() < 1e-7, "{what}: {a} and {b}"));
        // In the middle of a motion: from the same state both go on alike, and back at 1 it is the model as it was built.
        let mut first = live(wanted.model().clone(), integrator);
        let (q, v) = (factored.q().to_vec(), factored.velocity().to_vec());
        // Both with the acceleration that the forces give: the hand has let go since the last step.
        first.set_state(&q, &v).unwrap();
        factored.set_state(&q, &v).unwrap();
        let (a, b) = (play(&mut first, 60..90), play(&mut factored, 60..90));
        assert!(apart(&a, &b) < 1e-8, "{what}, on the way: {:.1e}", apart(&a, &b));
        factored.set_stiffness(1.0).unwrap();
        factored.set_density(1.0).unwrap();
        let mut built = live(factored.model().clone(), integrator);
        built.set_state(factored.q(), factored.velocity()).unwrap();
        let (a, b) = (play(&mut built, 0..30), play(&mut factored, 0..30));
        assert!(apart(&a, &b) < 1e-9, "{what}, back: {:.1e}", apart(&a, &b));
    }
}

#[test]
fn damping_and_integrator_can_change_on_the_way() {
    let damping = Damping { mass: 4.0, stiffness: 0.0, kind: DampingKind::Rest };
    for (force, material, integrator) in PAIRS {
        let model = make::held_with(force, material, 6);
        let mut changed = live(model.clone(), "newmark");
        play(&mut changed, 0..20);
        let before = changed.state().clone();
        changed.set_integrator(integrator).unwrap();
        assert_eq!((changed.state(), changed.integrator()), (&before, integrator));
        changed.set_damping(damping).unwrap();
        assert_eq!((changed.damping(), &changed.state().q), (damping, &before.q));
        let options = LiveOptions {
            integrator: integrator.into(),
            damping,
            solver: changed.solver(),
            gravity: changed.gravity(),
        };
        let mut wanted = Live::new(model, &options).unwrap();
        wanted.set_state(&before.q, &before.v).unwrap();
        let (a, b) = (play(&mut wanted, 0..30), play(&mut changed, 0..30));
        assert!(apart(&a, &b) < 1e-9, "{force}, {integrator}: {:.1e}", apart(&a, &b));
    }
}

#[test]
fn fewer_coordinates_are_the_truncated_model() {
    for (force, material, integrator) in PAIRS {
        let model = make::held_with(force, material, 6);
        let mut changed = live(model.clone(), integrator);
        changed.set_stiffness(2.0).unwrap();
        play(&mut changed, 0..10);
        let (q, v) = (changed.q().to_vec(), changed.velocity().to_vec());
        let here = Vec3::from(changed.vertex(TIP).unwrap());
        let hand = changed.grab(TIP, 30.0, here).unwrap();
        changed.set_coordinates(3).unwrap();
        assert_eq!((changed.coordinates(), changed.q(), changed.velocity()), (3, &q[..3], &v[..3]));
        assert_eq!(changed.model().basis().rank(), 6);
        let mut wanted = live(model.truncated(3).unwrap().into(), integrator);
        wanted.set_stiffness(2.0).unwrap();
        wanted.grab(TIP, 30.0, here).unwrap();
        wanted.set_state(&q[..3], &v[..3]).unwrap();
        changed.drag(hand, here).unwrap();
        let (a, b) = (play(&mut wanted, 0..30), play(&mut changed, 0..30));
        assert!(apart(&a, &b) < 1e-9, "{force}, {integrator}: {:.1e}", apart(&a, &b));
        assert!(changed.force_of(hand).is_ok());
        let few = changed.q().to_vec();
        changed.set_coordinates(6).unwrap();
        assert_eq!((&changed.q()[..3], &changed.q()[3..]), (&few[..], &[0.0; 3][..]));
        changed.release(hand).unwrap();
        play(&mut changed, 0..10);
        assert!(changed.q()[5] != 0.0);
    }
}

#[test]
fn the_force_of_a_grab_and_the_stiffness_of_a_vertex_are_those_of_statics() {
    let heavy = Damping { mass: 30.0, stiffness: 0.05, kind: DampingKind::Rest };
    let options = LiveOptions { integrator: "modal".into(), damping: heavy, ..LiveOptions::default() };
    let mut live = Live::new(make::held_with("linear", "stvk", 6), &options).unwrap();
    for factor in [1.0, 5.0] {
        live.set_stiffness(factor).unwrap();
        // One over the mean of the displacements along a newton, measured.
        let mut compliance = 0.0;
        for axis in 0..3 {
            live.reset().unwrap();
            let mut force = Vec3::zeros();
            force[axis] = 1.0;
            let rest = live.vertex(TIP).unwrap()[axis];
            for _ in 0..4000 {
                live.push(TIP, force).unwrap();
                live.step(0.05).unwrap();
            }
            compliance += (live.vertex(TIP).unwrap()[axis] - rest) / 3.0;
        }
        let k = live.static_stiffness(TIP).unwrap();
        assert!((k * compliance - 1.0).abs() < 1e-8, "{k} N/m, {} measured", 1.0 / compliance);
    }
    live.reset().unwrap();
    let here = Vec3::from(live.vertex(TIP).unwrap());
    let hand = live.grab(TIP, 100.0, here + Vec3::new(0.0, 0.01, 0.0)).unwrap();
    assert!((Vec3::from(live.force_of(hand).unwrap()) - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-12);
    live.release(hand).unwrap();
    assert!(matches!(live.force_of(hand), Err(SimError::Released)));
    let fixed = (0..20).find(|&v| live.model().mesh().vertices[v as usize].x == 0.0).unwrap();
    assert!(live.static_stiffness(fixed).is_err() && live.static_stiffness(99).is_err());
    // A free body has a stiffness too.
    let mesh = make::bar([2, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", None);
    let basis = make::modes(&recipe.build(mesh.clone()).unwrap(), 3);
    let mut free =
        Live::new(make::model(mesh, recipe, basis, make::linear()), &LiveOptions::default()).unwrap();
    let k = free.static_stiffness(1).unwrap();
    assert!(k.is_finite() && k > 0.0);
    free.set_coordinates(2).unwrap();
    assert!(free.static_stiffness(1).unwrap().is_finite(), "nothing but rigid motions");
}

#[test]
fn settings_that_cannot_be_are_errors_and_change_nothing() {
    let mut live = live(make::held_with("cubic", "stvk", 4), "newmark");
    play(&mut live, 0..5);
    let before = live.state().clone();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(live.set_stiffness(bad).is_err() && live.set_density(bad).is_err(), "{bad}");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(live.set_damping(Damping { mass: bad, ..DAMPING }).is_err());
        assert!(live.set_damping(Damping { stiffness: bad, ..DAMPING }).is_err());
    }
    assert!(live.set_integrator("magic").unwrap_err().to_string().contains("newmark"));
    assert!(live.set_integrator("modal").unwrap_err().to_string().contains("needs linear forces"));
    for bad in [0, 5] {
        let error = live.set_coordinates(bad).unwrap_err().to_string();
        assert!(error.contains("expected 1 to 4"), "{error}");
    }
    assert!(matches!(
        live.set_state(&[0.0; 3], &[0.0; 4]),
        Err(SimError::Size { found: 3, expected: 4, .. })
    ));
    assert!(live.set_state(&[0.0; 4], &[0.0, 0.0, f64::NAN, 0.0]).is_err());
    assert!(live.set_state(&[1e200; 4], &[0.0; 4]).is_err(), "forces that no number holds");
    // More than numbers can hold.
    assert!(live.set_stiffness(1e308).is_err());
    assert_eq!((live.state(), live.damping(), live.integrator()), (&before, DAMPING, "newmark"));
    assert_eq!((live.stiffness(), live.density(), live.coordinates()), (1.0, 1.0, 4));
    live.step(DT).unwrap();
    let bad = LiveOptions { damping: Damping { mass: -1.0, ..DAMPING }, ..LiveOptions::default() };
    assert!(Live::new(make::held_with("linear", "stvk", 3), &bad).is_err());
}
