//! The last seconds of a live model, saved and repeated.

use std::path::Path;
use std::sync::Arc;

use pliant_dynamics::{Damping, DampingKind};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::io::Source;
use pliant_mesh::io::arrays::Npz;
use pliant_reduce::Model;
use pliant_sim::{History, InitialState, Live, LiveOptions, Motion, Reduced, RunOptions, Scenario, run};

use crate::make;
use crate::motions::model as warped_model;

const DT: f64 = 1.0 / 240.0;

fn live(model: Arc<Model>, integrator: &str) -> Live {
    let damping = Damping { mass: 0.5, stiffness: 1e-3, kind: DampingKind::Tangent };
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let options = LiveOptions { integrator: integrator.into(), damping, gravity, ..LiveOptions::default() };
    Live::new(model, &options).unwrap()
}

/// Two hands that come and go; the first is dragged as a mouse drags, every fourth step.
fn play(live: &mut Live, history: &mut History, steps: std::ops::Range<i32>) -> Vec<Vec<f64>> {
    let at = |v: u32| live.model().mesh().vertices[v as usize];
    let [tip, beside] = [1, 6].map(|k| live.vertices() as u32 - k);
    let (home, other) = (at(tip), at(beside));
    let (mut one, mut two, mut noted) = (None, None, Vec::new());
    for k in steps {
        let moved =
            home + Vec3::new(0.0, 0.03 * (0.05 * f64::from(k / 4 * 4)).sin(), 0.001 * f64::from(k / 4 % 30));
        match k % 150 {
            10 => one = Some(live.grab(tip, 120.0, moved).unwrap()),
            100 => live.release(one.take().unwrap()).unwrap(),
            60 => two = Some(live.grab(beside, 40.0, other + Vec3::x() * 0.02).unwrap()),
            120 => live.release(two.take().unwrap()).unwrap(),
            _ => {}
        }
        if let Some(hand) = one {
            live.drag(hand, moved).unwrap();
        }
        live.step(DT).unwrap();
        history.note(live);
        noted.push(live.shown().to_vec());
    }
    [one, two].into_iter().flatten().for_each(|hand| live.release(hand).unwrap());
    noted
}

/// q of every step of the saved scenario, the first state first.
fn repeated(history: &History, live: &Live, model: Arc<Model>) -> Vec<Vec<f64>> {
    let n = live.vertices();
    let text = history.scenario(live).unwrap();
    let scenario = Scenario::parse(&text, n).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(scenario.initial.is_some(), history.state(live).unwrap().is_some(), "{text}");
    assert_eq!(scenario.steps, history.steps());
    // As a file.
    let first = history.state_npz(live).unwrap().map(|bytes| {
        let npz =
            Npz::read(Source::memory("state.npz", bytes, &|_| Err(std::io::ErrorKind::NotFound.into())));
        let npz = npz.unwrap();
        let read =
            |name: &str| npz.get(name).unwrap().expect_shape(Path::new("state.npz"), name, &[n, 3]).unwrap();
        let (displacement, velocity) = (read("displacement"), read("velocity"));
        InitialState { displacement, velocity, acceleration: Some(read("acceleration")) }
    });
    let motion = history.conditions(live).motion;
    let mut system = Reduced::moving(model, &scenario.loads, motion).unwrap();
    let options = RunOptions { integrator: live.integrator().into(), solver: live.solver() };
    let mut frames = Vec::new();
    let record = run(&mut system, &scenario, &options, first, &mut ignore_progress, &mut |frame| {
        frames.push(frame.q.to_vec());
    });
    assert!(record.unwrap().stopped.is_none());
    frames
}

#[track_caller]
fn same(what: &str, wanted: &[Vec<f64>], found: &[Vec<f64>]) {
    assert_eq!(wanted.len(), found.len(), "{what}");
    let size = wanted.iter().flatten().fold(0.0, |m: f64, q| m.max(q.abs()));
    let off = wanted.iter().flatten().zip(found.iter().flatten()).map(|(a, b)| (a - b).abs());
    let worst = off.fold(0.0, f64::max) / size;
    assert!(size > 0.0 && worst < 1e-9, "{what}: {worst:.1e} of {size}");
}

#[test]
fn a_saved_scenario_repeats_the_motion() {
    for (force, material, integrator) in [
        ("linear", "stvk", "modal"),
        ("cubic", "stvk", "newmark"),
        ("cubature", "stable-neo-hookean", "newmark"),
        ("cubature", "stable-neo-hookean", "quasi-newton"),
        ("cubic", "stvk", "backward-euler"),
    ] {
        let what = format!("{force}, {integrator}");
        let model = make::held_with(force, material, 6);
        let mut live = live(model.clone(), integrator);
        let mut history = History::new(1.0, DT, 6).unwrap();
        assert!(history.scenario(&live).is_err() && history.motion().times.is_empty());
        history.note(&live);
        let begun = play(&mut live, &mut history, 0..130);
        assert!(history.state(&live).unwrap().is_none(), "{what} begins at rest");
        same(&what, &begun, &repeated(&history, &live, model.clone())[1..]);
        // The ring is full and begins in the middle of a drag.
        let all = [begun, play(&mut live, &mut history, 130..440)].concat();
        assert!(history.steps() == 240 && (history.seconds() - 1.0).abs() < 1e-12);
        same(&what, &all[all.len() - 241..], &repeated(&history, &live, model));
    }
}

#[test]
fn linear_motions_are_repeated_as_they_were() {
    for motion in [Motion::Linear, Motion::Warped] {
        let model = warped_model("cubic");
        let mut live = live(model.clone(), "newmark");
        live.set_motion(motion).unwrap();
        let mut history = History::new(0.5, DT, live.coordinates()).unwrap();
        let all = play(&mut live, &mut history, 0..300);
        same(motion.name(), &all[all.len() - 121..], &repeated(&history, &live, model));
    }
}

#[test]
fn factors_and_fewer_coordinates_are_repeated_on_the_model_that_has_them() {
    let model = make::held_with("cubic", "stvk", 6);
    let mut live = live(model.clone(), "newmark");
    let mut history = History::new(0.5, DT, 6).unwrap();
    play(&mut live, &mut history, 0..50);
    live.set_stiffness(2.0).unwrap();
    live.set_density(0.7).unwrap();
    live.set_coordinates(4).unwrap();
    history.clear();
    history.note(&live);
    let mut all = vec![live.q().to_vec()];
    all.extend(play(&mut live, &mut history, 150..230));
    let same_matter = Arc::new(model.truncated(4).unwrap().rescaled(2.0, 0.7).unwrap());
    same("rescaled", &all, &repeated(&history, &live, same_matter));
    let under = history.conditions(&live);
    assert_eq!((under.stiffness, under.density, under.coordinates, under.rank), (2.0, 0.7, 4, 6));
    assert_eq!((under.integrator, under.tolerance, under.iterations), ("newmark", 1e-8, None));
    assert!((under.seconds - history.seconds()).abs() < 1e-12);
    live.set_coordinates(6).unwrap();
    assert!(history.scenario(&live).is_err(), "of other coordinates");
}

#[test]
fn a_reset_and_another_step_begin_anew() {
    let mut live = live(make::held_with("linear", "stvk", 4), "newmark");
    let mut history = History::new(0.5, DT, 4).unwrap();
    play(&mut live, &mut history, 0..20);
    assert_eq!(history.steps(), 19);
    live.reset().unwrap();
    history.note(&live);
    assert_eq!(history.steps(), 0);
    play(&mut live, &mut history, 0..5);
    assert_eq!(history.steps(), 5);
    live.step(2.0 * DT).unwrap();
    history.note(&live);
    assert_eq!(history.steps(), 0);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(History::new(bad, DT, 4).is_err(), "{bad} s");
    }
    assert!(History::new(1.0, 0.0, 4).is_err());
}

#[test]
fn a_motion_has_sixty_frames_a_second() {
    let mut live = live(make::held_with("linear", "stvk", 4), "newmark");
    let mut history = History::new(1.0, DT, 4).unwrap();
    history.note(&live);
    let all = play(&mut live, &mut history, 0..240);
    let motion = history.motion();
    assert_eq!((motion.times.len(), motion.rank, motion.q.len()), (61, 4, 4 * 61));
    assert!(motion.times.iter().enumerate().all(|(k, t)| (t - k as f64 / 60.0).abs() < 1e-12));
    assert_eq!(motion.q[4 * 30..4 * 31], all[4 * 30 - 1]);
}
