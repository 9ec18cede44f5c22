//! One model in its three motions: as built, as oscillators, as oscillators that are shown warped.

use std::sync::Arc;

use pliant_dynamics::{Damping, DampingKind};
use pliant_energy::Loads;
use pliant_energy::load::Spring;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{Kind, MeshData};
use pliant_reduce::force::Settings;
use pliant_reduce::warp::{WarpTraining, rotation, vertex_spin};
use pliant_reduce::{Model, Precompute};
use pliant_sim::{Live, LiveOptions, Motion, Reduced, RunOptions, Scenario, SimError, run_quietly};

use crate::make;

/// A bar that is held at one end, with a warp.
pub(crate) fn model(forces: &str) -> Arc<Model> {
    with_warp(make::bar([6, 2, 2]), "stvk", "x<0%", forces)
}

/// A sheet of 0.6 x 0.2 m that is held at one end, with a warp. Two rows are held: about one it would turn freely.
fn sheet() -> Arc<Model> {
    let at = |k: usize| Vec3::new(0.1 * (k % 7) as f64, 0.0, 0.1 * (k / 7) as f64);
    let cells = (0..12_u32).map(|k| k % 6 + 7 * (k / 6));
    let faces: Vec<Vec<u32>> =
        cells.flat_map(|v| [vec![v, v + 7, v + 1], vec![v + 1, v + 7, v + 8]]).collect();
    let mesh = MeshData::from_faces((0..21).map(at).collect(), faces.iter().map(Vec::as_slice).collect());
    with_warp(mesh, "discrete-shells", "x<20%", "linear")
}

fn with_warp(mesh: MeshData, material: &str, fix: &str, forces: &str) -> Arc<Model> {
    let mut recipe = make::recipe(&mesh, material, Some(fix));
    if mesh.kind() == Kind::Triangles {
        // Its own stiffnesses, 1 and 1.
        recipe.young = None;
    }
    let precompute = Precompute {
        basis: "extended".into(),
        modes: Some(3),
        forces: Some(forces.into()),
        usual: Settings { poses: 30, ..Settings::default() },
        warp: Some(WarpTraining { points: Some(24), poses: 30, ..WarpTraining::default() }),
        ..Precompute::default()
    };
    precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model.into()
}

fn live(forces: &str, motion: Motion, damping: f64) -> Live {
    live_of(model(forces), motion, damping)
}

fn live_of(model: Arc<Model>, motion: Motion, damping: f64) -> Live {
    let damping = Damping { mass: damping, stiffness: 0.0, kind: DampingKind::Rest };
    let mut live = Live::new(model, &LiveOptions { damping, ..LiveOptions::default() }).unwrap();
    live.set_motion(motion).unwrap();
    live
}

/// The vertex of the free end that lies farthest from the middle.
fn tip(live: &Live) -> u32 {
    (live.vertices() - 1) as u32
}

/// Where a shape of the lowest vibrations bends the bar by about half its length.
fn bent(live: &Live) -> Vec<f64> {
    let modes = live.model().natural_modes().expect("modes");
    let mut q: Vec<f64> = modes.shape(0).iter().zip(modes.shape(2)).map(|(a, b)| a + 0.3 * b).collect();
    let far = Vec3::from(live.basis().at(&q, tip(live) as usize)).norm();
    q.iter_mut().for_each(|q| *q *= 0.2 / far);
    q
}

#[test]
fn linear_motions_are_exact_oscillators() {
    for motion in [Motion::Linear, Motion::Warped] {
        let mut live = live("cubic", motion, 0.0);
        assert_eq!((live.motion(), live.integrator()), (motion, "modal"));
        let (q, r) = (bent(&live), live.coordinates());
        live.set_state(&q, &vec![0.0; r]).unwrap();
        let modes = live.model().natural_modes().expect("modes");
        let mut Mq = vec![0.0; r];
        live.model().reduced_mass().apply(&q, &mut Mq);
        // A step of any length is exact.
        for dt in [1.0 / 60.0, 0.003, 0.21] {
            live.step(dt).unwrap();
        }
        let mut exact = vec![0.0; r];
        for (lambda, shape) in modes.eigenvalues.iter().zip(modes.each_shape()) {
            let z: f64 = shape.iter().zip(&Mq).map(|(x, y)| x * y).sum();
            let now = z * (lambda.sqrt() * live.time()).cos();
            exact.iter_mut().zip(shape).for_each(|(q, x)| *q += now * x);
        }
        let size = q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (found, exact) in live.q().iter().zip(&exact) {
            assert!((found - exact).abs() < 1e-10 * size, "{motion:?}: {found} instead of {exact}");
        }
    }
}

#[test]
fn warped_is_linear_seen_otherwise() {
    let [mut plain, mut warped] = [Motion::Linear, Motion::Warped].map(|motion| live("cubic", motion, 0.5));
    let (q, r) = (bent(&plain), plain.coordinates());
    let mut warp = plain.model().warp().unwrap().expect("it was built with one");
    let mut p = vec![0.0; r];
    for live in [&mut plain, &mut warped] {
        live.set_state(&q, &vec![0.0; r]).unwrap();
    }
    for _ in 0..40 {
        plain.step(1.0 / 60.0).unwrap();
        warped.step_bounded(1.0 / 60.0).unwrap();
        warp.apply(plain.q(), &mut p);
        assert_eq!((warped.q(), warped.shown()), (plain.q(), &p[..]));
        assert_eq!(plain.shown(), plain.q());
    }
    let (a, b) = (plain.vertex(tip(&plain)).unwrap(), warped.vertex(tip(&warped)).unwrap());
    assert!((Vec3::from(a) - Vec3::from(b)).norm() > 1e-4, "they differ where they should");
    let mut u = vec![0.0; 3 * warped.vertices()];
    warped.displacement(&mut u);
    let tip = tip(&warped) as usize;
    let rest = warped.model().mesh().vertices[tip];
    assert!((rest + Vec3::from_column_slice(&u[3 * tip..]) - Vec3::from(b)).norm() < 1e-15);
}

/// At rest in a hand: K̃ q = Bᵀ exp(ω_v)ᵀ k (target − x_v), x_v where the vertex is seen.
#[test]
fn a_hand_pulls_where_it_sees() {
    for (model, motion, stiffness) in [
        (model("cubic"), Motion::Linear, 400.0),
        (model("cubic"), Motion::Warped, 400.0),
        (sheet(), Motion::Warped, 4000.0),
    ] {
        let mut live = live_of(model, motion, 60.0);
        let tip = tip(&live);
        let home = Vec3::from(live.vertex(tip).unwrap());
        let target = home + Vec3::new(-0.08, 0.16, 0.05);
        let hand = live.grab(tip, stiffness, home).unwrap();
        for step in 0..1200 {
            live.drag(hand, home + (target - home) * (f64::from(step) / 400.0).min(1.0)).unwrap();
            live.step(1.0 / 60.0).unwrap();
        }
        let seen = Vec3::from(live.vertex(tip).unwrap());
        assert!((seen - target).norm() < 0.4 * (home - target).norm(), "{motion:?}: it follows, {seen}");
        let pull = (target - seen) * stiffness;
        assert!((Vec3::from(live.force_of(hand).unwrap()) - pull).norm() < 1e-9 * pull.norm());
        let r = live.coordinates();
        let spin = vertex_spin(live.model().mesh(), live.basis(), tip).unwrap();
        let dot = |row: &[f64]| row.iter().zip(live.q()).map(|(a, q)| a * q).sum::<f64>();
        let w = Vec3::from_iterator(spin.chunks_exact(r).map(dot));
        let linear = if motion == Motion::Warped { rotation(&w).transpose() * pull } else { pull };
        assert!(w.norm() > 0.3 && (linear - pull).norm() > 0.1 * pull.norm() || motion == Motion::Linear);
        let mut left = vec![0.0; r];
        live.model().reduced_stiffness().apply(live.q(), &mut left);
        let size = left.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (row, f) in live.basis().vertex(tip as usize).chunks_exact(r).zip(linear.iter()) {
            left.iter_mut().zip(row).for_each(|(left, b)| *left -= b * f);
        }
        let off = left.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(off < 1e-5 * size, "{motion:?}: out of balance by {off:e} of {size:e}");
        live.release(hand).unwrap();
        (0..3000).for_each(|_| assert!(live.step(1.0 / 60.0).unwrap().converged));
        let off = (Vec3::from(live.vertex(tip).unwrap()) - home).norm();
        assert!(off < 1e-4, "{motion:?}: home but for {off:e}");
    }
}

#[test]
fn the_motion_can_change_while_it_moves() {
    let options = LiveOptions { integrator: "backward-euler".into(), ..LiveOptions::default() };
    let mut live = Live::new(model("cubic"), &options).unwrap();
    let tip = tip(&live);
    let home = Vec3::from(live.vertex(tip).unwrap());
    let hand = live.grab(tip, 200.0, home + Vec3::new(0.0, 0.1, 0.0)).unwrap();
    let place = |live: &Live| Vec3::from(live.vertex(tip).unwrap());
    let mut seen = place(&live);
    for (motion, integrator, stays) in [
        (Motion::Warped, "modal", true),
        (Motion::Linear, "modal", false),
        (Motion::Warped, "modal", false),
        (Motion::Nonlinear, "backward-euler", true),
        (Motion::Linear, "modal", true),
        (Motion::Nonlinear, "backward-euler", true),
    ] {
        let q = live.q().to_vec();
        live.set_motion(motion).unwrap();
        assert_eq!((live.motion(), live.integrator()), (motion, integrator));
        if stays {
            assert!((place(&live) - seen).norm() < 1e-4, "{motion:?}: {} and before {seen}", place(&live));
        } else {
            assert_eq!(live.q(), q, "{motion:?}: seen in another way");
        }
        for _ in 0..20 {
            live.step_bounded(1.0 / 120.0).unwrap();
        }
        assert!(place(&live).y > home.y + 1e-3, "{motion:?}: the hand holds on");
        live.force_of(hand).unwrap();
        let mut twin = live.duplicate();
        twin.step(0.01).unwrap();
        live.step(0.01).unwrap();
        assert_eq!((twin.q(), twin.shown()), (live.q(), live.shown()));
        seen = place(&live);
    }
}

#[test]
fn what_has_no_warp_does_not_warp() {
    let mut plain = Live::new(make::held(make::linear(), 4), &LiveOptions::default()).unwrap();
    plain.push(19, Vec3::y()).unwrap();
    plain.step(0.01).unwrap();
    let before = plain.q().to_vec();
    assert!(matches!(plain.set_motion(Motion::Warped), Err(SimError::NoWarp)));
    assert_eq!((plain.q(), plain.motion()), (&before[..], Motion::Nonlinear));
    plain.set_motion(Motion::Linear).unwrap();
    let mut warped = live("cubic", Motion::Warped, 0.0);
    assert!(matches!(warped.set_coordinates(3), Err(SimError::WarpCoordinates { used: 3, .. })));
    warped.set_motion(Motion::Linear).unwrap();
    warped.set_coordinates(3).unwrap();
    assert!(matches!(warped.set_motion(Motion::Warped), Err(SimError::WarpCoordinates { used: 3, .. })));
}

#[test]
fn a_scenario_runs_in_every_motion() {
    let model = model("cubic");
    let tip = (model.mesh().vertices.len() - 1) as u32;
    let home = model.mesh().vertices[tip as usize];
    let mut scenario = Scenario::new(1.0 / 60.0, 120);
    let path = vec![(0.0, home), (1.0, home + Vec3::new(-0.05, 0.15, 0.0))];
    scenario.loads =
        Loads { springs: vec![Spring::always(tip, 300.0, path.clone())], ..Loads::default() }.into();
    let end = |motion: Motion| {
        let mut system = Reduced::moving(model.clone(), &scenario.loads, motion).unwrap();
        let options = RunOptions {
            integrator: if motion.is_linear() { "modal" } else { "newmark" }.into(),
            ..RunOptions::default()
        };
        let record = run_quietly(&mut system, &scenario, &options).unwrap();
        record.frames.last().expect("a state").clone()
    };
    let [linear, warped, _] = [Motion::Linear, Motion::Warped, Motion::Nonlinear].map(&end);
    // As a hand that is dragged along the same path.
    let mut live = Live::new(model.clone(), &LiveOptions::default()).unwrap();
    for (motion, frame) in [(Motion::Linear, linear), (Motion::Warped, warped)] {
        live.reset().unwrap();
        live.set_motion(motion).unwrap();
        let hand = live.grab(tip, 300.0, home).unwrap();
        for step in 1..=120 {
            let part = (f64::from(step) / 60.0).min(1.0);
            live.drag(hand, home + (path[1].1 - home) * part).unwrap();
            live.step(1.0 / 60.0).unwrap();
        }
        let size = frame.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (a, b) in live.shown().iter().zip(&frame) {
            assert!((a - b).abs() < 1e-9 * size, "{motion:?}: {a} and {b}");
        }
    }
}
