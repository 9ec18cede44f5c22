//! Loads on live models: added, removed, summed, named, and copied with them.

use std::sync::Arc;

use pliant_dynamics::integrator::ALL;
use pliant_dynamics::{Options, State, StepError};
use pliant_energy::load::{NodalForce, Spring};
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_sim::load::ReducedLoad;
use pliant_sim::{Live, LiveOptions, LoadSet, Reduced, RunOptions, Scenario, SimError, run_frames};

use crate::{Wind, make};

const DT: f64 = 1.0 / 120.0;

fn live(force: &str, integrator: &str) -> Live {
    let options = LiveOptions {
        integrator: integrator.into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        ..LiveOptions::default()
    };
    Live::new(make::held_with(force, "stvk", 6), &options).unwrap()
}

fn step(live: &mut Live) {
    live.step(DT).unwrap();
}

fn bits(state: &State) -> Vec<u64> {
    [&state.q[..], &state.v, &state.a, &[state.t]].concat().iter().map(|x| x.to_bits()).collect()
}

fn wind() -> Wind {
    Wind { c: 0.7, wind: Vec3::new(0.0, 0.0, 2.0), vertices: vec![18, 19], breaks: f64::INFINITY }
}

/// f = −c v, and −k q.
#[derive(Clone)]
struct Treacle {
    c: f64,
    k: f64,
}

impl ReducedLoad for Treacle {
    fn force(&mut self, _: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        (0..q.len()).for_each(|i| out[i] -= self.c * v[i] + self.k * q[i]);
    }

    fn name(&self) -> &str {
        "treacle"
    }

    fn damping(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        (0..q.len()).for_each(|i| out.values_mut()[i * q.len() + i] += self.c);
        true
    }

    fn stiffness(&mut self, _: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        (0..q.len()).for_each(|i| out.values_mut()[i * q.len() + i] += self.k);
        true
    }
}

#[test]
fn a_load_on_a_live_model_is_the_load_of_a_scenario() {
    let spring = Spring::always(17, 25.0, vec![(0.0, Vec3::new(0.4, 0.2, 0.0))]);
    for integrator in ["newmark", "newmark-broyden", "backward-euler", "quasi-newton"] {
        let mut live = live("cubic", integrator);
        let mut loads = LoadSet::default();
        loads.add(Arc::new(pliant_sim::load::Gravity(live.gravity())));
        loads.add(Arc::new(spring.clone()));
        loads.add(Arc::new(wind()));
        live.add_load(Arc::new(spring.clone())).unwrap();
        live.add_load(Arc::new(wind())).unwrap();
        live.reset().unwrap();
        let scenario = Scenario { loads, ..Scenario::new(DT, 40) };
        let mut reduced = Reduced::new(live.model().clone(), &scenario.loads).unwrap();
        let options = RunOptions { integrator: integrator.into(), solver: Options::default() };
        let frames =
            run_frames(&mut reduced, &scenario, &options, None, &mut ignore_progress).unwrap().frames;
        // Making a live model has taken one step already, from which Broyden's method may have learned.
        let exact = integrator != "newmark-broyden";
        for q in &frames[1..] {
            live.step(DT).unwrap();
            let off = live.q().iter().zip(q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(if exact { off == 0.0 } else { off < 1e-7 }, "{integrator}: {off:e}");
        }
    }
}

/// f = −c |v| v, with or without its damping.
#[derive(Clone)]
struct Drag {
    c: f64,
    states_damping: bool,
}

impl ReducedLoad for Drag {
    fn force(&mut self, _: f64, _: &[f64], v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(v).for_each(|(out, v)| *out -= self.c * v.abs() * v);
    }

    fn damping(&mut self, _: f64, q: &[f64], v: &[f64], out: &mut DenseSymmetric) -> bool {
        if self.states_damping {
            (0..q.len()).for_each(|i| out.values_mut()[i * q.len() + i] += 2.0 * self.c * v[i].abs());
        }
        self.states_damping
    }
}

#[test]
fn newton_is_quicker_with_the_damping_of_a_load() {
    let iterations = |states_damping: bool| {
        let mut live = live("cubic", "backward-euler");
        live.add_reduced_load(Box::new(Drag { c: 200.0, states_damping }));
        (0..30).map(|_| live.step(DT).unwrap().iterations).sum::<usize>()
    };
    let (with, without) = (iterations(true), iterations(false));
    assert!(2 * with < without, "{with} and {without} iterations");
}

#[test]
fn loads_come_and_go() {
    let mut free = live("linear", "newmark");
    let mut loaded = live("linear", "newmark");
    let id = loaded.add_reduced_load(Box::new(Treacle { c: 3.0, k: 10.0 }));
    (0..30).for_each(|_| [&mut free, &mut loaded].into_iter().for_each(step));
    assert!(
        loaded.kinetic_energy() + loaded.elastic_energy()
            < 0.9 * (free.kinetic_energy() + free.elastic_energy())
    );
    loaded.remove_load(id).unwrap();
    assert!(matches!(loaded.remove_load(id), Err(SimError::Removed)));
    // Without it, and from the same state, both move alike again.
    let (q, v) = (free.q().to_vec(), free.velocity().to_vec());
    [&mut free, &mut loaded].into_iter().for_each(|live| live.set_state(&q, &v).unwrap());
    (0..10).for_each(|_| [&mut free, &mut loaded].into_iter().for_each(step));
    assert_eq!(free.q(), loaded.q());
    let nowhere = NodalForce::always(vec![99], Vec3::x());
    let error = loaded.add_load(Arc::new(nowhere)).unwrap_err().to_string();
    assert_eq!(error, "force names vertex 99; the body has 20 vertices, 0 to 19");
}

#[test]
fn loads_follow_settings_and_coordinates() {
    let mut live = live("linear", "newmark");
    let force = NodalForce::always(vec![19], Vec3::new(0.0, 3.0, 0.0));
    let pull = live.add_load(Arc::new(force.clone())).unwrap();
    let gone = live.add_reduced_load(Box::new(Treacle { c: 1.0, k: 0.0 }));
    live.set_coordinates(3).unwrap();
    live.remove_load(gone).unwrap();
    live.set_density(2.0).unwrap();
    live.set_gravity(Vec3::zeros()).unwrap();
    live.reset().unwrap();
    live.step(DT).unwrap();
    let mut pushed = crate::live::live("linear", "newmark");
    pushed.set_coordinates(3).unwrap();
    pushed.set_density(2.0).unwrap();
    pushed.set_gravity(Vec3::zeros()).unwrap();
    pushed.reset().unwrap();
    pushed.push(19, force.value).unwrap();
    pushed.step(DT).unwrap();
    assert_eq!(live.impulse(), pushed.impulse());
    assert!(live.impulse().iter().any(|x| *x != 0.0));
    // Gravity as a load weighs what the body weighs.
    pushed.add_load(Arc::new(pliant_sim::load::Gravity(Vec3::new(0.0, -9.81, 0.0)))).unwrap();
    live.remove_load(pull).unwrap();
    live.set_gravity(Vec3::new(0.0, -9.81, 0.0)).unwrap();
    [&mut live, &mut pushed].into_iter().for_each(|live| {
        live.reset().unwrap();
        live.step(DT).unwrap();
    });
    assert_eq!(live.q(), pushed.q());
}

#[test]
fn what_is_pushed_at_once_is_the_sum() {
    let (mut each, mut all) = (live("cubic", "newmark"), live("cubic", "newmark"));
    let forces: Vec<f64> = (0..60).map(|k| f64::from(k).sin()).collect();
    for (v, f) in forces.chunks_exact(3).enumerate() {
        each.push(v as u32, Vec3::new(f[0], f[1], f[2])).unwrap();
    }
    all.push_all(&forces).unwrap();
    let mut p = vec![0.0; 6];
    all.basis().project(&forces, &mut p);
    let mut coordinates = live("cubic", "newmark");
    coordinates.push_coordinates(&p).unwrap();
    [&mut each, &mut all, &mut coordinates].into_iter().for_each(step);
    let size = each.q().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let off = each.q().iter().zip(all.q()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-12 * size && size > 0.0, "{off:e} of {size}");
    assert_eq!(all.q(), coordinates.q());
    for (wrong, words) in [(vec![0.0; 59], "this body has 60"), (vec![f64::NAN; 60], "is NaN")] {
        assert!(all.push_all(&wrong).unwrap_err().to_string().contains(words));
    }
    assert!(all.push_coordinates(&[1.0; 7]).is_err());
}

#[test]
fn the_impulse_is_what_the_loads_gave() {
    // A constant force for a step of dt gives F dt.
    let force = [1.0, -2.0, 0.5, 0.0, 3.0, -0.25];
    for entry in ALL.iter().filter(|entry| entry.name != "quasi-newton-projective") {
        let mut live = live("linear", entry.name);
        live.set_gravity(Vec3::zeros()).unwrap();
        live.reset().unwrap();
        live.push_coordinates(&force).unwrap();
        live.step(DT).unwrap();
        for (got, f) in live.impulse().iter().zip(force) {
            assert!((got - DT * f).abs() < 1e-12, "{}: {got}", entry.name);
        }
        live.step(DT).unwrap();
        assert!(live.impulse().iter().all(|x| x.abs() < 1e-15), "{}: nothing acts any more", entry.name);
    }
    // Backward Euler: M Δv = impulse − dt f_int, with springs and drag among the loads.
    let mut live = live("cubic", "backward-euler");
    live.add_load(Arc::new(wind())).unwrap();
    let here = Vec3::from(live.vertex(19).unwrap());
    live.grab(19, 200.0, here + Vec3::new(0.0, 0.05, 0.0)).unwrap();
    let mut evaluator = live.model().evaluator();
    let (mut internal, mut gained) = ([0.0; 6], [0.0; 6]);
    for _ in 0..30 {
        let before = live.velocity().to_vec();
        live.step(DT).unwrap();
        evaluator.force(live.q(), &mut internal).unwrap();
        let change: Vec<f64> = live.velocity().iter().zip(&before).map(|(v, v0)| v - v0).collect();
        live.model().reduced_mass().apply(&change, &mut gained);
        let size = live.impulse().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for k in 0..6 {
            let given = live.impulse()[k] - DT * internal[k];
            assert!((gained[k] - given).abs() < 1e-6 * size, "{k}: {} and {given}", gained[k]);
        }
    }
}

#[test]
fn a_load_that_is_not_finite_is_named_and_leaves_no_trace() {
    for entry in ALL.iter().filter(|entry| entry.name != "quasi-newton-projective") {
        let mut live = live("linear", entry.name);
        live.add_reduced_load(Box::new(Treacle { c: 0.1, k: 0.0 }));
        let broken = live.add_load(Arc::new(Wind { breaks: 0.05, ..wind() })).unwrap();
        let mut before = bits(live.state());
        let why = loop {
            match live.step(DT) {
                Ok(_) => before = bits(live.state()),
                Err(why) => break why,
            }
        };
        assert!(
            matches!(&why, StepError::LoadNotFinite { load, .. } if &**load == "wind"),
            "{}: {why}",
            entry.name
        );
        assert_eq!(bits(live.state()), before, "{}", entry.name);
        assert!(live.time() > 0.04 && live.impulse().iter().all(|x| *x == 0.0));
        live.remove_load(broken).unwrap();
        live.step(DT).unwrap();
    }
}

#[test]
fn a_copy_goes_its_own_way_from_the_same_state() {
    for force in ["linear", "cubic", "cubature"] {
        for entry in ALL.iter().filter(|e| {
            (force == "linear" || !e.linear_only)
                && (force == "cubature" || e.name != "quasi-newton-projective")
        }) {
            let mut live = live(force, entry.name);
            let treacle = live.add_reduced_load(Box::new(Treacle { c: 0.2, k: 3.0 }));
            let here = Vec3::from(live.vertex(19).unwrap());
            let hand = live.grab(19, 300.0, here + Vec3::new(0.0, 0.02, 0.0)).unwrap();
            (0..25).for_each(|_| step(&mut live));
            live.push(18, Vec3::x()).unwrap();
            let mut copy = live.duplicate();
            for _ in 0..25 {
                live.step(DT).unwrap();
                copy.step(DT).unwrap();
                assert_eq!(bits(live.state()), bits(copy.state()), "{force}, {}", entry.name);
            }
            // What is done to one is not done to the other.
            copy.release(hand).unwrap();
            copy.remove_load(treacle).unwrap();
            copy.set_stiffness(2.0).unwrap();
            let kept = bits(live.state());
            (0..5).for_each(|_| step(&mut copy));
            assert!(bits(live.state()) == kept && live.force_of(hand).is_ok() && live.stiffness() == 1.0);
            live.step(DT).unwrap();
            assert_ne!(live.q(), copy.q());
        }
    }
}

#[test]
fn live_models_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Live>();
}
