//! A live model takes memory when it is made and when a hand grabs it, and never in a step.

#[path = "reduced/make.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod make;

use pliant_dynamics::integrator::{ALL, Entry};
use pliant_dynamics::{Damping, DampingKind, Settings, State, System};
use pliant_energy::load::{Loads, Pressure};
use pliant_linalg::Vec3;
use pliant_sim::{History, Live, LiveOptions, Reduced};
use pliant_testkit::counting::{Counting, taken};

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn a_thousand_steps_take_no_memory() {
    for (force, material) in
        [("linear", "stvk"), ("cubic", "stvk"), ("cubature", "stvk"), ("cubature", "stable-neo-hookean")]
    {
        thousand_steps(force, material);
    }
}

fn thousand_steps(force: &str, material: &str) {
    let model = make::held_with(force, material, 8);
    // The projective gradient is one of tets, not of a polynomial.
    let fits = |entry: &&Entry| {
        (force == "cubature" || entry.name != "quasi-newton-projective")
            && (force == "linear" || !entry.linear_only)
    };
    for entry in ALL.iter().filter(fits) {
        for kind in [DampingKind::Tangent, DampingKind::Rest] {
            let damping = Damping { mass: 0.1, stiffness: 1e-3, kind };
            let gravity = Vec3::new(0.0, -9.81, 0.0);
            let options =
                LiveOptions { integrator: entry.name.into(), damping, gravity, ..LiveOptions::default() };
            let mut live = Live::new(model.clone(), &options).unwrap();
            let here = Vec3::from(live.vertex(19).unwrap());
            let hand = live.grab(19, 300.0, here).unwrap();
            let before = taken();
            for step in 0..1000 {
                live.drag(hand, here + Vec3::new(0.0, 0.02 * (0.1 * f64::from(step)).sin(), 0.0)).unwrap();
                live.push(18, Vec3::new(0.0, 0.0, 0.1)).unwrap();
                // Now and then another length of step, and one that is refused.
                live.step(if step % 100 == 99 { 0.02 } else { 1.0 / 60.0 }).unwrap();
                assert!(live.step(-1.0).is_err());
                live.set_gravity(gravity).unwrap();
                assert!(live.vertex(19).unwrap()[1].is_finite());
            }
            assert_eq!(taken() - before, 0, "{force}, {material}, {}, {kind:?}", entry.name);
            live.release(hand).unwrap();
            live.grab(17, 1.0, here).unwrap();
            assert_eq!(taken() - before, 0, "a hand that takes the place of another");
            live.reset().unwrap();
            live.step(1.0 / 60.0).unwrap();
            assert_eq!(taken() - before, 0, "{force}, {material}, {}: a reset", entry.name);
            settings(&mut live, &format!("{force}, {material}, {}, {kind:?}", entry.name));
        }
    }
}

/// Setters that take no memory, and steps after each setter.
fn settings(live: &mut Live, what: &str) {
    let here = Vec3::from(live.vertex(19).unwrap());
    let hand = live.grab(19, 300.0, here + Vec3::new(0.0, 0.01, 0.0)).unwrap();
    let mut history = History::new(0.5, 1.0 / 60.0, live.coordinates()).unwrap();
    let (q, v) = (live.q().to_vec(), live.velocity().to_vec());
    let before = taken();
    let mut steps = |live: &mut Live, setter: &str, before: usize| {
        for _ in 0..12 {
            live.step(1.0 / 60.0).unwrap();
            history.note(live);
        }
        history.clear();
        assert_eq!(taken() - before, 0, "{what}: {setter}");
    };
    for factor in [2.0, 0.3, 1.0] {
        live.set_stiffness(factor).unwrap();
        steps(live, "stiffness", before);
        live.set_density(1.0 / factor).unwrap();
        steps(live, "density", before);
        assert!(live.set_density(-factor).is_err() && live.force_of(hand).is_ok());
        live.static_stiffness(19).unwrap();
    }
    for kind in [DampingKind::Rest, DampingKind::Tangent] {
        live.set_damping(Damping { mass: 1.0, stiffness: 2e-3, kind }).unwrap();
        steps(live, "damping", before);
    }
    live.set_state(&q, &v).unwrap();
    steps(live, "state", before);
    live.set_integrator(live.integrator()).unwrap();
    let before = taken();
    steps(live, "integrator", before);
    for count in [3, live.coordinates()] {
        live.set_coordinates(count).unwrap();
        let before = taken();
        steps(live, "coordinates", before);
        live.set_stiffness(1.5).unwrap();
        steps(live, "stiffness of fewer", before);
    }
}

#[test]
fn pressure_takes_memory_only_once() {
    let model = make::held(make::linear(), 8);
    let loads = Loads { pressures: vec![Pressure::always(500.0)], ..Loads::default() };
    for entry in ALL.iter().filter(|entry| entry.name != "quasi-newton-projective") {
        let mut system = Reduced::new(model.clone(), &loads).unwrap();
        let mut state = State::at_rest(system.size());
        let mut integrator = (entry.make)(Settings::default());
        integrator.step(&mut system, &mut state, 0.01).unwrap();
        let before = taken();
        (0..20).for_each(|_| assert!(integrator.step(&mut system, &mut state, 0.01).unwrap().converged));
        assert_eq!(taken() - before, 0, "{}", entry.name);
    }
}
