//! Live models: pushed, grabbed, dragged, and asked for what cannot be.

use pliant_dynamics::{Damping, DampingKind, StepError};
use pliant_linalg::Vec3;
use pliant_sim::{Live, LiveOptions, SimError};

use crate::make;

const TIP: u32 = 19;

fn live(force: &str, integrator: &str) -> Live {
    let damping = Damping { mass: 20.0, stiffness: 0.01, kind: DampingKind::Tangent };
    let options = LiveOptions { integrator: integrator.into(), damping, ..LiveOptions::default() };
    Live::new(make::held_with(force, "stvk", 6), &options).unwrap()
}

#[test]
fn a_dragged_vertex_comes_to_its_target_and_goes_home_when_let_go() {
    for (force, integrator) in [
        ("projected", "newmark"),
        ("cubic", "newmark"),
        ("cubature", "newmark"),
        ("cubature", "quasi-newton"),
        ("linear", "modal"),
        ("linear", "backward-euler"),
        ("linear", "quasi-newton"),
    ] {
        let mut live = live(force, integrator);
        let home = Vec3::from(live.vertex(TIP).unwrap());
        let target = home + Vec3::new(0.0, 0.03, 0.02);
        let hand = live.grab(TIP, 2e3, home).unwrap();
        live.drag(hand, target).unwrap();
        (0..600).for_each(|_| assert!(live.step(1.0 / 60.0).unwrap().converged));
        let there = Vec3::from(live.vertex(TIP).unwrap());
        assert!((there - target).norm() < 0.25 * (home - target).norm(), "{integrator}: {there}");
        assert!(live.elastic_energy() > 1e-4 && live.kinetic_energy() < 1e-8, "{integrator}: bent, at rest");
        live.release(hand).unwrap();
        assert!(matches!(live.drag(hand, home), Err(SimError::Released)));
        assert!(matches!(live.release(hand), Err(SimError::Released)));
        (0..600).for_each(|_| assert!(live.step(1.0 / 60.0).unwrap().converged));
        assert!((Vec3::from(live.vertex(TIP).unwrap()) - home).norm() < 1e-4, "{integrator}: home");
        // The place of the old grab is taken by a new one, which the old handle does not move.
        let other = live.grab(TIP - 1, 10.0, home).unwrap();
        assert!(live.drag(hand, target).is_err() && live.drag(other, target).is_ok());
        live.reset().unwrap();
        assert!(live.q().iter().all(|q| *q == 0.0) && live.time() == 0.0);
        assert!(live.release(other).is_err());
    }
}

#[test]
fn a_push_lasts_one_step() {
    // Momentum of a free body: force times dt, once.
    let mesh = make::bar([2, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", None);
    let body = recipe.build(mesh.clone()).unwrap();
    let model = make::model(mesh, recipe, make::modes(&body, 2), make::linear());
    let options = LiveOptions { integrator: "backward-euler".into(), ..LiveOptions::default() };
    let mut live = Live::new(model, &options).unwrap();
    live.push(3, Vec3::new(0.0, 5.0, 0.0)).unwrap();
    live.push(3, Vec3::new(0.0, 1.0, 0.0)).unwrap();
    for _ in 0..10 {
        live.step(0.01).unwrap();
        let momentum: f64 = live.velocity().iter().zip(&live.model().gravity()[1]).map(|(v, g)| v * g).sum();
        assert!((momentum - 6.0 * 0.01).abs() < 1e-12, "{momentum} N s");
    }
}

#[test]
fn gravity_can_change() {
    let mut live = live("linear", "newmark");
    live.set_gravity(Vec3::new(0.0, -9.81, 0.0)).unwrap();
    (0..900).for_each(|_| assert!(live.step(1.0 / 60.0).unwrap().converged));
    assert!(live.vertex(TIP).unwrap()[1] < 0.1 - 1e-3, "it hangs: {:?}", live.vertex(TIP));
    live.set_gravity(Vec3::zeros()).unwrap();
    (0..900).for_each(|_| assert!(live.step(1.0 / 60.0).unwrap().converged));
    let mut u = vec![1.0; 3 * live.vertices()];
    live.displacement(&mut u);
    assert!(u.iter().all(|u| u.abs() < 1e-6), "and comes back");
}

#[test]
fn what_cannot_be_is_an_error_and_nothing_moves() {
    for (force, integrator) in [("projected", "newmark"), ("cubic", "newmark"), ("linear", "modal")] {
        let mut live = live(force, integrator);
        let (here, nan) = (Vec3::zeros(), Vec3::new(0.0, f64::NAN, 0.0));
        assert!(matches!(live.push(20, here), Err(SimError::NoVertex { vertex: 20, vertices: 20 })));
        assert!(live.push(TIP, nan).is_err() && live.vertex(99).is_err());
        assert!(live.grab(20, 1.0, here).is_err() && live.grab(TIP, -1.0, here).is_err());
        assert!(live.grab(TIP, f64::INFINITY, here).is_err() && live.grab(TIP, 1.0, nan).is_err());
        let fixed = (0..20).find(|&v| make::bar([4, 1, 1]).vertices[v as usize].x == 0.0).unwrap();
        assert!(matches!(live.grab(fixed, 1.0, here), Err(SimError::FixedVertex { .. })));
        live.push(fixed, Vec3::y()).unwrap();
        let hand = live.grab(TIP, 1.0, here).unwrap();
        assert!(live.drag(hand, nan).is_err() && live.set_gravity(nan).is_err());
        live.release(hand).unwrap();
        live.push(TIP, Vec3::new(0.0, 1.0, 0.0)).unwrap();
        live.step(0.01).unwrap();
        let before = live.q().to_vec();
        for dt in [0.0, -1.0, f64::NAN] {
            assert!(matches!(live.step(dt), Err(StepError::Setting { what: "dt", .. })));
        }
        // More than numbers can hold: refused, and forgotten.
        live.push(TIP, Vec3::new(0.0, f64::MAX, 0.0)).unwrap();
        live.push(TIP, Vec3::new(0.0, f64::MAX, 0.0)).unwrap();
        assert!(matches!(live.step(0.01), Err(StepError::NotFinite { .. })), "{integrator}");
        assert_eq!(live.q(), before);
        live.step(0.01).unwrap();
    }
    let modal = LiveOptions { integrator: "modal".into(), ..LiveOptions::default() };
    let error = Live::new(make::held(make::projected(), 3), &modal).map(drop).unwrap_err().to_string();
    assert!(error.contains("needs linear forces"), "{error}");
    let magic = LiveOptions { integrator: "magic".into(), ..LiveOptions::default() };
    let error = Live::new(make::held(make::linear(), 3), &magic).map(drop).unwrap_err().to_string();
    assert!(error.contains("newmark"), "{error}");
}

#[test]
fn a_live_model_can_move_to_another_thread() {
    fn sent(_: impl Send) {}
    sent(live("linear", "newmark"));
}
