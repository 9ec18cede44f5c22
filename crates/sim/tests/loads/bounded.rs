//! Steps that may not gain: done at once, done again by the second integrator, stopped, refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_dynamics::{Damping, State, StepError};
use pliant_energy::load::{NodalForce, Pressure};
use pliant_linalg::Vec3;
use pliant_sim::load::{Load, ReducedLoad};
use pliant_sim::{Bounded, Live, LiveOptions};

use crate::{Wind, make};

const DT: f64 = 1.0 / 120.0;

fn live(integrator: &str) -> Live {
    let options = LiveOptions {
        integrator: integrator.into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        // So that it does not come back to where it has no energy, of which any rounding is more than a tenth.
        damping: Damping { mass: 4.0, ..Damping::default() },
        ..LiveOptions::default()
    };
    let mut live = Live::new(make::held_with("cubic", "stvk", 6), &options).unwrap();
    (0..5).for_each(|_| assert!(live.step(DT).unwrap().converged));
    live
}

fn bits(state: &State) -> Vec<u64> {
    [&state.q[..], &state.v, &state.a, &[state.t]].concat().iter().map(|x| x.to_bits()).collect()
}

/// A load that gives energy and denies it: `early`, N, until it was asked so often, `then` from there on, and a potential of zero.
#[derive(Clone)]
struct Liar {
    asked: Arc<AtomicUsize>,
    until: usize,
    early: f64,
    then: f64,
}

impl Liar {
    fn new(until: usize, then: f64) -> Self {
        Self { asked: Arc::default(), until, early: 1e4, then }
    }
}

impl ReducedLoad for Liar {
    fn force(&mut self, _: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        let early = self.asked.fetch_add(1, Ordering::Relaxed) < self.until;
        out[0] += if early { self.early } else { self.then };
    }

    fn name(&self) -> &str {
        "liar"
    }

    fn potential(&mut self, _: f64, _: &[f64]) -> Option<f64> {
        Some(0.0)
    }
}

/// How often a load is asked in the first attempt at a step.
fn asked_in_a_step() -> usize {
    let (mut live, liar) = (live("newmark"), Liar::new(usize::MAX, 0.0));
    live.add_reduced_load(Box::new(liar.clone()));
    live.step(DT).unwrap();
    liar.asked.load(Ordering::Relaxed)
}

#[test]
fn what_gains_nothing_is_done_at_once() {
    let (mut bounded, mut plain) = (live("newmark"), live("newmark"));
    for _ in 0..60 {
        let report = plain.step(DT).unwrap();
        assert_eq!(bounded.step_bounded(DT), Ok(Bounded::Done(report)));
        assert_eq!(bits(bounded.state()), bits(plain.state()));
        assert_eq!(bounded.impulse(), plain.impulse());
    }
}

#[test]
fn what_loads_give_is_no_gain() {
    let wind = Wind { c: 5.0, wind: Vec3::new(0.0, 6.0, 8.0), vertices: vec![18, 19], breaks: f64::INFINITY };
    let late = NodalForce { from: 0.1, ..NodalForce::always(vec![18, 19], Vec3::new(0.0, 4.0, 0.0)) };
    let loads: [Arc<dyn Load>; 3] = [Arc::new(wind), Arc::new(late), Arc::new(Pressure::always(300.0))];
    for load in loads {
        let [mut bounded, mut plain] = [(); 2].map(|()| live("newmark"));
        for live in [&mut bounded, &mut plain] {
            live.add_load(load.clone()).unwrap();
        }
        for k in 0..120 {
            plain.step(DT).unwrap();
            let done = bounded.step_bounded(DT).unwrap();
            assert!(matches!(done, Bounded::Done(_)), "{}, step {k}: {done:?}", load.kind());
        }
        assert_eq!(bits(bounded.state()), bits(plain.state()), "{}", load.kind());
        assert!(plain.kinetic_energy() + plain.elastic_energy() > 1e-3, "{} moves it", load.kind());
    }
}

#[test]
fn what_gains_is_done_again() {
    let (mut again, mut euler) = (live("newmark"), live("newmark"));
    euler.set_integrator("backward-euler").unwrap();
    again.add_reduced_load(Box::new(Liar::new(asked_in_a_step(), 0.0)));
    let done = again.step_bounded(DT).unwrap();
    assert!(matches!(done, Bounded::Again(_)), "{done:?}");
    euler.step(DT).unwrap();
    assert_eq!(again.impulse(), euler.impulse(), "what the second attempt received");
    assert!(again.impulse().iter().any(|x| *x != 0.0));
    let size = euler.q().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let off = again.q().iter().zip(euler.q()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-3 * size && again.time() == euler.time(), "{off:e} of {size:e}");
    // A step without bounds speaks for itself again.
    again.step(DT).unwrap();
    let mut copy = again.duplicate();
    assert!(matches!(copy.step_bounded(DT).unwrap(), Bounded::Done(_)));
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0f64, |m, a| m.max(a.abs()))
}

/// T + W, J.
fn own(live: &mut Live) -> f64 {
    live.kinetic_energy() + live.elastic_energy()
}

#[test]
fn what_gains_twice_goes_downhill_with_its_speed() {
    // The load lies through both attempts before it, and then it is silent.
    let first = asked_in_a_step();
    let mut tried = (first..first + 200).map(|until| {
        let mut live = live("newmark");
        live.add_reduced_load(Box::new(Liar::new(until, 0.0)));
        let done = live.step_bounded(DT).unwrap();
        (live, done)
    });
    let found = tried.find(|(_, done)| matches!(done, Bounded::Downhill { .. }));
    let (mut found, done) = found.expect("a load that lies until the second attempt is over");
    let Bounded::Downhill { kept, .. } = done else { unreachable!() };
    assert_eq!(kept, 1.0, "there is energy for all of it");
    let mut before = live("newmark");
    let had = own(&mut before);
    assert!(before.kinetic_energy() > 0.1 * before.elastic_energy(), "it had speed to lose");
    let mut euler = live("newmark");
    euler.set_integrator("backward-euler").unwrap();
    euler.step(DT).unwrap();
    let moved: Vec<f64> = found.q().iter().zip(before.q()).map(|(x, q)| x - q).collect();
    assert!(far(found.q(), euler.q()) < 1e-3 * largest(&moved), "where backward Euler takes it");
    let rate: Vec<f64> = moved.iter().map(|d| d / DT).collect();
    assert!(far(found.velocity(), &rate) < 1e-9 * largest(&rate), "{:?} vs {rate:?}", found.velocity());
    assert_eq!(found.time(), before.time() + DT);
    // What it received is what gravity gave.
    assert!(far(found.impulse(), euler.impulse()) < 1e-9 * largest(euler.impulse()));
    let given: f64 = found.impulse().iter().zip(&moved).map(|(p, d)| p / DT * d).sum();
    let has = own(&mut found);
    assert!(has - given <= had * (1.0 + 1e-12), "{has} J, of {had} and {given}");
    // And it goes on.
    assert!((0..60).all(|_| matches!(found.step_bounded(DT), Ok(Bounded::Done(_)))));
    assert!(found.q().iter().all(|x| x.is_finite()));
}

#[test]
fn what_comes_downhill_too_fast_is_slowed_to_the_energy_that_there_is() {
    let mut before = live("newmark");
    let (q, had) = (before.q().to_vec(), own(&mut before));
    // Forces along its speed, which make it faster than it may be and do not bend it beyond what it had.
    let ahead = before.velocity()[0].signum();
    let tried = (0..120).map(|k| {
        let (mut slowed, early) = (live("newmark"), ahead * 1.15f64.powi(k) * 1e-4);
        slowed.add_reduced_load(Box::new(Liar { early, ..Liar::new(usize::MAX, early) }));
        let done = slowed.step_bounded(DT).unwrap();
        (early, slowed, done)
    });
    let mut slowed = tried.filter(|(.., done)| matches!(done, Bounded::Downhill { kept, .. } if *kept < 1.0));
    let (early, mut slowed, done) = slowed.next_back().expect("a force that is enough and not too much");
    let Bounded::Downhill { kept, .. } = done else { unreachable!() };
    let moved: Vec<f64> = slowed.q().iter().zip(&q).map(|(x, q)| x - q).collect();
    let expected: Vec<f64> = moved.iter().map(|d| kept * d / DT).collect();
    assert!(kept > 0.0 && far(slowed.velocity(), &expected) < 1e-9 * largest(&expected), "{kept}");
    // Of what it received the lie gave no energy.
    let lie = |k: usize| if k == 0 { early } else { 0.0 };
    let gravity = slowed.impulse().iter().enumerate().map(|(k, p)| p / DT - lie(k));
    let given: f64 = gravity.zip(&moved).map(|(f, d)| f * d).sum();
    let has = own(&mut slowed);
    assert!((has - had - given).abs() < 1e-9 * had, "{has} J, of {had} and {given}");
}

#[test]
fn what_gains_twice_stops_where_it_is_and_receives_nothing() {
    let mut live = live("newmark");
    let liar = live.add_reduced_load(Box::new(Liar::new(usize::MAX, 0.0)));
    let (q, t) = (live.q().to_vec(), live.time());
    assert!(live.velocity().iter().any(|v| *v != 0.0));
    live.push(19, Vec3::new(0.0, 1.0, 0.0)).unwrap();
    assert_eq!(live.step_bounded(DT), Ok(Bounded::Stopped));
    assert_eq!((live.q(), live.time()), (&q[..], t + DT));
    let nothing = |x: &[f64]| x.iter().all(|x| *x == 0.0);
    assert!(nothing(live.velocity()) && nothing(live.acceleration()));
    assert!(nothing(live.impulse()), "{:?}", live.impulse());
    assert!(nothing(live.duplicate().impulse()));
    live.remove_load(liar).unwrap();
    assert!(matches!(live.step_bounded(DT), Ok(Bounded::Done(_))), "the push is forgotten, too");
    assert!(!nothing(live.impulse()));
}

#[test]
fn a_load_that_is_not_finite_is_refused_in_either_attempt() {
    let broken = Wind { c: 0.7, wind: Vec3::z(), vertices: vec![18], breaks: 0.0 };
    for (at, name) in [(None, "wind"), (Some(asked_in_a_step()), "liar")] {
        let mut live = live("newmark");
        let id = match at {
            None => live.add_load(Arc::new(broken.clone())).unwrap(),
            Some(until) => live.add_reduced_load(Box::new(Liar::new(until, f64::NAN))),
        };
        let before = bits(live.state());
        for _ in 0..3 {
            let why = live.step_bounded(DT).unwrap_err();
            assert!(matches!(&why, StepError::LoadNotFinite { load, .. } if &**load == name), "{why}");
            assert_eq!(bits(live.state()), before, "{name}");
            assert!(live.impulse().iter().all(|x| *x == 0.0), "{name}");
        }
        live.remove_load(id).unwrap();
        assert!(matches!(live.step_bounded(DT), Ok(Bounded::Done(_))), "{name}");
    }
}

#[test]
fn a_setting_that_no_step_can_be_done_with_is_refused() {
    let mut live = live("newmark");
    let before = bits(live.state());
    assert!(matches!(live.step_bounded(-1.0), Err(StepError::Setting { what: "dt", .. })));
    assert_eq!(bits(live.state()), before);
}
