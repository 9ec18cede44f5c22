//! Scenarios made by a program and written as files.

use std::sync::Arc;

use pliant_dynamics::integrator::Start;
use pliant_dynamics::{Damping, DampingKind};
use pliant_energy::load::{NodalForce, Pressure, Spring};
use pliant_linalg::Vec3;
use pliant_sim::load::Gravity;
use pliant_sim::scenario::Probe;
use pliant_sim::{LoadSet, Scenario, SimError};
use proptest::prelude::*;

use crate::{Wind, know_wind};

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e3..1e3, any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(0.0), Just(-0.0)]
}

fn vector() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from)
}

fn window() -> impl Strategy<Value = (f64, f64)> {
    let end = prop_oneof![number(), Just(f64::NEG_INFINITY), Just(f64::INFINITY)];
    (end.clone(), end).prop_map(|(a, b)| if a <= b { (a, b) } else { (b, a) })
}

fn named() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..50u32, 0..4)
}

prop_compose! {
    fn spring()(vertex in 0..50u32, k in 0.0..1e6, w in window(), path in prop::collection::vec(vector(), 1..4)) -> Spring {
        let path = path.into_iter().enumerate().map(|(i, p)| (0.1 * i as f64 - 3.0, p)).collect();
        Spring { vertex, stiffness: k, path, from: w.0, to: w.1 }
    }
}

prop_compose! {
    fn loads()(
        gravity in prop::option::of(vector()),
        forces in prop::collection::vec((named(), vector(), window()), 0..3),
        pressures in prop::collection::vec((number(), window()), 0..3),
        springs in prop::collection::vec(spring(), 0..3),
        winds in prop::collection::vec((number(), vector(), named()), 0..3),
    ) -> LoadSet {
        let mut loads = LoadSet::default();
        winds.into_iter().for_each(|(c, wind, vertices)| loads.add(Arc::new(Wind { c, wind, vertices, breaks: 1.5 })));
        gravity.into_iter().for_each(|g| loads.add(Arc::new(Gravity(g))));
        for (vertices, value, (from, to)) in forces {
            loads.add(Arc::new(NodalForce { vertices, value, from, to }));
        }
        pressures.into_iter().for_each(|(value, (from, to))| loads.add(Arc::new(Pressure { value, from, to })));
        springs.into_iter().for_each(|spring| loads.add(Arc::new(spring)));
        loads
    }
}

prop_compose! {
    fn scenario()(
        dt in 1e-9..1e3,
        steps in 1..1_000_000_000usize,
        loads in loads(),
        (mass, stiffness, rest, zero) in (0.0..10.0, 0.0..10.0, any::<bool>(), any::<bool>()),
        initial in prop::option::of(any::<String>()),
        probes in prop::collection::btree_map(any::<String>(), 0..50u32, 0..4),
    ) -> Scenario {
        let kind = if rest { DampingKind::Rest } else { DampingKind::Tangent };
        Scenario {
            loads,
            damping: Damping { mass, stiffness, kind },
            start: if zero { Start::Zero } else { Start::FromLoad },
            initial,
            probes: probes.into_iter().map(|(name, vertex)| Probe { name, vertex }).collect(),
            ..Scenario::new(dt, steps)
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(scenario in scenario()) {
        know_wind();
        let text = scenario.to_toml().expect("a sound scenario");
        let read = Scenario::parse(&text, 50).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(&read, &scenario);
        prop_assert_eq!(read.to_toml().expect("still sound"), text);
    }
}

#[test]
fn scenarios_that_differ_are_not_the_same() {
    know_wind();
    let of = |c: f64| {
        let mut scenario = Scenario::new(0.1, 3);
        scenario.loads.add(Arc::new(Wind { c, wind: Vec3::x(), vertices: vec![1], breaks: 1.0 }));
        scenario
    };
    assert!(of(1.0) == of(1.0) && of(1.0) != of(2.0) && of(1.0) != Scenario::new(0.1, 3));
}

#[test]
fn what_no_file_can_hold_is_refused() {
    let mut scenario = Scenario::new(0.1, 3);
    scenario.loads.add(Arc::new(Gravity(Vec3::x())));
    scenario.loads.add(Arc::new(Gravity(Vec3::y())));
    assert_eq!(scenario.loads.gravity(), Vec3::new(1.0, 1.0, 0.0));
    let error = scenario.to_toml().unwrap_err().to_string();
    assert!(error.contains("2 loads of the kind gravity"), "{error}");
    assert!(Scenario::new(f64::NAN, 3).to_toml().is_err() && Scenario::new(0.1, 0).to_toml().is_err());
    let mut scenario = Scenario::new(0.1, 3);
    scenario.loads.add(Arc::new(Pressure::always(f64::INFINITY)));
    let error = scenario.to_toml().unwrap_err();
    assert!(matches!(&error, SimError::BadLoad { name, .. } if name == "pressure 1"), "{error}");
}
