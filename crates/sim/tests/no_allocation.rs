//! A live model takes memory when it is made and when a hand grabs it, and never in a step.

#[path = "reduced/make.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod make;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_dynamics::integrator::{ALL, Entry};
use pliant_dynamics::{Damping, DampingKind, Settings, State, System};
use pliant_energy::load::{Loads, Pressure, Spring};
use pliant_linalg::{DenseSymmetric, Vec3};
use pliant_reduce::Precompute;
use pliant_reduce::warp::WarpTraining;
use pliant_sim::load::ReducedLoad;
use pliant_sim::{Bounded, History, Live, LiveOptions, Motion, Reduced};
use pliant_testkit::counting::{Counting, taken, taken_bytes};

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

#[test]
fn a_warped_motion_takes_no_memory() {
    let mesh = make::bar([6, 2, 2]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let precompute = Precompute {
        modes: Some(3),
        warp: Some(WarpTraining { points: Some(20), poses: 10, ..WarpTraining::default() }),
        ..Precompute::default()
    };
    let model = precompute.build_quietly(mesh, recipe).unwrap().model;
    let mut live = Live::new(model.into(), &LiveOptions::default()).unwrap();
    for motion in [Motion::Warped, Motion::Linear] {
        live.set_motion(motion).unwrap();
        let here = Vec3::from(live.vertex(62).unwrap());
        let hand = live.grab(62, 300.0, here).unwrap();
        let before = taken();
        for step in 0..200 {
            live.drag(hand, here + Vec3::new(0.0, 0.1 * (0.1 * f64::from(step)).sin(), 0.0)).unwrap();
            live.step_bounded(1.0 / 60.0).unwrap();
            live.step(1.0 / 60.0).unwrap();
            assert!(live.shown()[0].is_finite() && live.vertex(62).unwrap()[1].is_finite());
        }
        assert_eq!(taken() - before, 0, "{motion:?}");
        live.reset().unwrap();
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

/// f = −k q − c v, with everything a load may state.
#[derive(Clone)]
struct Damper {
    k: f64,
    c: f64,
}

impl ReducedLoad for Damper {
    fn force(&mut self, _: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        (0..q.len()).for_each(|i| out[i] -= self.k * q[i] + self.c * v[i]);
    }

    fn stiffness(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        (0..q.len()).for_each(|i| out.values_mut()[i * q.len() + i] += self.k);
        true
    }

    fn damping(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        (0..q.len()).for_each(|i| out.values_mut()[i * q.len() + i] += self.c);
        true
    }
}

#[test]
fn steps_under_loads_take_no_memory() {
    let model = make::held_with("linear", "stvk", 8);
    let forces = vec![0.01; 3 * model.mesh().vertices.len()];
    for entry in ALL.iter().filter(|entry| entry.name != "quasi-newton-projective") {
        let options = LiveOptions { integrator: entry.name.into(), ..LiveOptions::default() };
        let mut live = Live::new(model.clone(), &options).unwrap();
        live.add_reduced_load(Box::new(Damper { k: 2.0, c: 0.5 }));
        live.add_load(Arc::new(Pressure::always(300.0))).unwrap();
        let spring = Spring::always(19, 40.0, vec![(0.0, Vec3::zeros()), (1.0, Vec3::x())]);
        let removed = live.add_load(Arc::new(spring)).unwrap();
        live.step(1.0 / 60.0).unwrap();
        let before = taken();
        for _ in 0..200 {
            live.push_all(&forces).unwrap();
            live.push_coordinates(&[0.1; 8]).unwrap();
            live.step(1.0 / 60.0).unwrap();
            assert!(live.impulse()[0] != 0.0);
        }
        live.remove_load(removed).unwrap();
        live.step(1.0 / 60.0).unwrap();
        assert_eq!(taken() - before, 0, "{}", entry.name);
    }
}

/// By its mood nothing (0), a push with a potential that denies it (1), a force that is none (2), a push without potential (3).
#[derive(Clone)]
struct Moody(Arc<AtomicUsize>);

impl ReducedLoad for Moody {
    fn force(&mut self, _: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        out[0] += [0.0, 1e4, f64::NAN, 1.0][self.0.load(Ordering::Relaxed)];
    }

    fn potential(&mut self, _: f64, _: &[f64]) -> Option<f64> {
        (self.0.load(Ordering::Relaxed) != 3).then_some(0.0)
    }
}

#[test]
fn bounded_steps_take_no_memory_however_they_end() {
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let options = LiveOptions { gravity, ..LiveOptions::default() };
    let mut live = Live::new(make::held_with("cubic", "stvk", 8), &options).unwrap();
    let mood = Arc::new(AtomicUsize::new(0));
    live.add_reduced_load(Box::new(Moody(mood.clone())));
    let here = Vec3::from(live.vertex(19).unwrap());
    let hand = live.grab(19, 300.0, here).unwrap();
    let before = taken();
    let mut ends = [0; 4];
    for step in 0..1000 {
        live.drag(hand, here + Vec3::new(0.0, 0.02 * (0.1 * f64::from(step)).sin(), 0.0)).unwrap();
        live.push(18, Vec3::new(0.0, 0.0, 0.1)).unwrap();
        mood.store(step as usize % 4, Ordering::Relaxed);
        let end = match live.step_bounded(1.0 / 60.0) {
            Ok(Bounded::Done(_)) => 0,
            Ok(Bounded::Again(_) | Bounded::Downhill { .. }) => 1,
            Ok(Bounded::Stopped) => 2,
            Err(_) => 3,
        };
        ends[end] += 1;
        assert!(live.impulse().iter().all(|x| x.is_finite()));
    }
    assert_eq!(taken() - before, 0);
    // What is pushed by a load that denies it stops, or goes a little downhill from rest.
    assert!(ends[0] == 500 && ends[1] + ends[2] == 250 && ends[3] == 250, "{ends:?}");
    assert!(ends[1] > 0 && ends[2] > 0, "{ends:?}");
}

#[test]
fn a_copy_takes_little_memory() {
    // 1,155 vertices: U alone is 220 kB.
    let mesh = make::bar([32, 4, 6]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let basis = make::modes(&recipe.build(mesh.clone()).unwrap(), 8);
    let body = recipe.build(mesh.clone()).unwrap();
    let force = make::polynomial(&body, &basis);
    let model = make::model(mesh, recipe, basis, force);
    let options = LiveOptions { integrator: "newmark-broyden".into(), ..LiveOptions::default() };
    let mut live = Live::new(model.clone(), &options).unwrap();
    live.step(1.0 / 60.0).unwrap();
    let before = taken_bytes();
    let mut copy = live.duplicate();
    let bytes = taken_bytes() - before;
    assert!(10 * bytes < model.size_in_bytes(), "{bytes} bytes of a model of {}", model.size_in_bytes());
    // What a copy has is all it needs.
    let before = taken();
    (0..50).for_each(|_| assert!(copy.step(1.0 / 60.0).unwrap().converged));
    assert_eq!(taken() - before, 0, "steps of a copy");
}
