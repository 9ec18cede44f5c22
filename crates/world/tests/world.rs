//! Bodies that are pulled, left alone, torn off and put back.

mod shared;

use std::sync::{Arc, OnceLock};

use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::ShownSurface;
use pliant_reduce::Model;
use pliant_reduce::warp::WarpTraining;
use pliant_sim::Motion;
use pliant_sim::load::ReducedLoad;
use pliant_world::{Body, BodyId, Energies, LiveBody, StepCounts, Trouble, World, WorldError};

fn model() -> &'static Arc<Model> {
    static MODEL: OnceLock<Arc<Model>> = OnceLock::new();
    MODEL.get_or_init(shared::bar)
}

/// A world with the bar, and the shown vertex at its tip.
fn bar() -> (World, BodyId, u32) {
    let mut world = World::default();
    let id = world.add_model(model().clone()).expect("a body");
    (world, id, shared::nearest(model(), Vec3::new(1.0, 0.1, 0.1)))
}

fn place(world: &World, id: BodyId, vertex: u32) -> Vec3 {
    world.get::<LiveBody>(id).expect("a live body").place(vertex).expect("a vertex")
}

fn play(world: &mut World, seconds: f64) {
    for _ in 0..(60.0 * seconds).round() as usize {
        assert_eq!(world.advance(1.0 / 60.0).stumbles, 0);
    }
}

#[test]
fn a_hand_takes_the_body_with_it_and_the_body_comes_to_rest_again() {
    let (mut world, id, tip) = bar();
    let rest = place(&world, id, tip);
    let hand = world.grab(id, tip, rest).expect("a hand");
    play(&mut world, 0.1);
    assert!((place(&world, id, tip) - rest).norm() < 1e-9, "nothing jumps when a hand closes");
    world.drag(hand, rest + Vec3::new(0.0, 0.1, 0.0)).expect("a drag");
    play(&mut world, 6.0);
    let moved = place(&world, id, tip).y - rest.y;
    assert!((0.05..0.1).contains(&moved), "a hand that stands still takes most of the way: {moved}");
    let held = world.held(hand).expect("a closed hand");
    assert!(held.vertex == tip && held.force.y > 0.0, "{held:?}");
    let Energies { elastic, .. } = world.energies(id).expect("a body");
    assert!(elastic > 0.0 && !world.is_at_rest(id).expect("a body"));
    world.release(hand).expect("a closed hand");
    assert!(matches!(world.release(hand), Err(WorldError::Released)) && world.held(hand).is_none());
    play(&mut world, 15.0);
    assert!((place(&world, id, tip) - rest).norm() < 1e-3);
    play(&mut world, 30.0);
    assert!(world.is_at_rest(id).expect("a body"));
}

/// Oscillators that are shown warped: what is placed, picked and held is what is seen.
#[test]
fn a_warped_body_is_held_where_it_is_seen() {
    let full = model().body().expect("its body");
    let training = WarpTraining { points: Some(30), poses: 20, ..WarpTraining::default() };
    let warped =
        Model::clone(model()).trained_to_warp(&full, &training, &mut ignore_progress).expect("a warp");
    let mut world = World::default();
    let id = world.add_model(Arc::new(warped)).expect("a body");
    let tip = shared::nearest(model(), Vec3::new(1.0, 0.1, 0.1));
    let body = world.get_mut::<LiveBody>(id).expect("a live body");
    body.set_motion(Motion::Warped).expect("it has a warp");
    let rest = place(&world, id, tip);
    let hand = world.grab(id, tip, rest).expect("a hand");
    play(&mut world, 0.1);
    assert!((place(&world, id, tip) - rest).norm() < 1e-9, "nothing jumps when a hand closes");
    world.drag(hand, rest + Vec3::new(-0.3, 0.5, 0.0)).expect("a drag");
    play(&mut world, 6.0);
    let live = world.get::<LiveBody>(id).expect("a live body").live();
    let seen = model().surface_basis().place(live.shown(), tip as usize);
    let linear = model().surface_basis().place(live.q(), tip as usize);
    assert_eq!(place(&world, id, tip), seen);
    assert!((seen - linear).norm() > 0.02 && seen.x < rest.x - 0.02, "it bends: {seen}, linear {linear}");
    let hit = world.pick(seen + Vec3::new(0.0, 1.0, 0.0), -Vec3::y()).expect("the ray meets what is seen");
    assert!((hit.point - seen).norm() < 0.05, "{hit:?}");
}

#[test]
fn a_ray_finds_what_is_seen_where_it_is_now() {
    let (mut world, id, tip) = bar();
    let above = Vec3::new(0.99, 5.0, 0.11);
    let picked = world.pick(above, -2.0 * Vec3::y()).expect("the bar lies below");
    assert!(picked.body == id && (picked.point - Vec3::new(0.99, 0.2, 0.11)).norm() < 1e-9);
    assert!((picked.distance - 2.4).abs() < 1e-9, "in lengths of the direction");
    assert!((model().surface().rest[picked.vertex as usize] - picked.point).norm() < 0.1);
    assert!(world.pick(above, Vec3::y()).is_none());
    let hand = world.grab(id, tip, Vec3::new(1.0, 0.3, 0.1)).expect("a hand");
    play(&mut world, 2.0);
    let higher = world.pick(above, -Vec3::y()).expect("it is still there");
    assert!(higher.point.y > 0.25, "{higher:?}");
    world.release(hand).expect("a closed hand");
    // The nearer of two bodies.
    let other = world.add_model(model().clone()).expect("a body");
    world.reset(id).expect("a body");
    let hand = world.grab(other, tip, Vec3::new(1.0, 0.4, 0.1)).expect("a hand");
    play(&mut world, 2.0);
    assert_eq!(world.pick(above, -Vec3::y()).map(|p| p.body), Some(other));
    assert!(world.remove(other).is_some() && world.remove(other).is_none());
    assert!(matches!(world.drag(hand, Vec3::zeros()), Err(WorldError::Released)));
    assert_eq!((world.bodies().collect::<Vec<_>>(), world.shown(other).is_err()), (vec![id], true));
}

#[test]
fn hands_that_are_nowhere_or_far_away_are_harmless() {
    let (mut world, id, tip) = bar();
    let rest = place(&world, id, tip);
    let nowhere = Vec3::new(f64::NAN, 0.0, 0.0);
    assert!(matches!(world.grab(id, tip, nowhere), Err(WorldError::Target)));
    let none = world.grab(id, 1_000_000, rest).expect_err("no such vertex").to_string();
    assert!(none.contains("there is no vertex 1000000"), "{none}");
    let held = model().surface().rest.iter().position(|p| p.x == 0.0).expect("the held end");
    assert!(matches!(world.grab(id, held as u32, rest), Err(WorldError::Pinned)));
    let mut hand = world.grab(id, tip, rest).expect("a hand");
    // Torn in turns, at the strongest that can be asked for.
    let far = [Vec3::new(1e300, -1e300, 1e300), Vec3::new(-1e9, 1e9, 0.0), Vec3::new(0.0, 5.0, -5.0)];
    for target in far.iter().cycle().take(12) {
        world.drag(hand, *target).expect("clamped");
        for _ in 0..30 {
            if world.advance(1.0 / 60.0).stumbles > 0 {
                assert!(world.take_stumble().is_some() && world.held(hand).is_none());
                hand = world.grab(id, tip, *target).expect("a hand");
            }
        }
        let mut x = vec![0.0; 3 * model().surface().rest.len()];
        world.surface_f64(id, &mut x).expect("a buffer that fits");
        assert!(x.iter().all(|x| x.is_finite()));
    }
    world.release(hand).expect("a closed hand");
    play(&mut world, 20.0);
    assert!((place(&world, id, tip) - rest).norm() < 1e-2);
}

#[test]
fn what_flies_away_is_put_back_and_freed_of_a_gravity_that_it_cannot_bear() {
    let (mut world, id, _) = bar();
    let soft = world.get_mut::<LiveBody>(id).expect("a live body");
    soft.change(|live| live.set_stiffness(1e-6)).expect("a factor");
    soft.set_gravity(Vec3::new(0.0, -1e4, 0.0)).expect("a gravity");
    let mut told = Vec::new();
    for _ in 0..600 {
        world.advance(1.0 / 60.0);
        told.extend(world.take_stumble());
    }
    assert_eq!(told.iter().map(|s| (s.body, s.gravity_taken)).collect::<Vec<_>>(), [(id, false), (id, true)]);
    assert!(told[0].trouble.to_string().len() > 10, "{told:?}");
    assert!(world.body(id).expect("a body").gravity() == Vec3::zeros());
    assert!(world.is_at_rest(id).expect("a body"));
}

/// A steady push along the first coordinate that breaks at a time, s: from then on it is none.
#[derive(Clone)]
struct Breaking(f64);

impl ReducedLoad for Breaking {
    fn force(&mut self, t: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        out[0] += if t > self.0 { f64::NAN } else { 0.5 };
    }

    fn name(&self) -> &str {
        "gust"
    }
}

#[test]
fn a_load_that_is_not_finite_is_told_and_changes_nothing() {
    let (mut world, id, tip) = bar();
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    world.body_mut(id).expect("a body").set_gravity(gravity).expect("a gravity");
    let rest = place(&world, id, tip);
    let hand = world.grab(id, tip, rest).expect("a hand");
    let body = world.get_mut::<LiveBody>(id).expect("a live body");
    let gust = body.change(|live| live.add_reduced_load(Box::new(Breaking(0.5))));
    play(&mut world, 0.5);
    let state = world.get::<LiveBody>(id).expect("a live body").live().state().clone();
    assert!((state.t - 0.5).abs() < 1e-9 && state.v.iter().any(|v| *v != 0.0), "it moves: {state:?}");
    let stumbles: u32 = (0..300).map(|_| world.advance(1.0 / 60.0).stumbles).sum();
    assert_eq!(stumbles, 1200, "every step is refused");
    let stumble = world.take_stumble().expect("it is told");
    assert_eq!((stumble.body, stumble.put_back, stumble.gravity_taken), (id, false, false));
    assert!(stumble.trouble.to_string().contains("the load \"gust\""), "{}", stumble.trouble);
    let body = world.get_mut::<LiveBody>(id).expect("a live body");
    assert_eq!((body.live().state(), body.gravity()), (&state, gravity));
    assert!(world.held(hand).is_some(), "the hand is closed");
    let body = world.get_mut::<LiveBody>(id).expect("a live body");
    body.change(|live| live.remove_load(gust)).expect("the load");
    play(&mut world, 0.1);
    assert!(world.body(id).expect("a body").time() > 0.59, "it goes on");
    // One that allows no rest, with gravity or without.
    let body = world.get_mut::<LiveBody>(id).expect("a live body");
    body.change(|live| live.add_reduced_load(Box::new(Breaking(-1.0))));
    world.reset(id).expect("a body");
    let stumble = world.take_stumble().expect("it is told");
    assert_eq!((stumble.trouble, stumble.gravity_taken), (Trouble::NoRest, false));
    assert_eq!(world.body(id).expect("a body").gravity(), gravity);
}

/// A push that gives energy and says that it has a potential of zero, until it was asked so often.
#[derive(Clone)]
struct Lying(usize);

impl ReducedLoad for Lying {
    fn force(&mut self, _: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        if self.0 > 0 {
            self.0 -= 1;
            out[0] += 1e4;
        }
    }

    fn name(&self) -> &str {
        "liar"
    }

    fn potential(&mut self, _: f64, _: &[f64]) -> Option<f64> {
        Some(0.0)
    }
}

#[test]
fn every_way_in_which_a_step_can_be_done_is_counted() {
    const DT: f64 = 1.0 / 240.0;
    let mut ways = StepCounts::default();
    for lies in 0..300 {
        let mut body = LiveBody::new(model().clone()).expect("a body");
        body.set_gravity(Vec3::new(0.0, -9.81, 0.0)).expect("a gravity");
        (0..5).for_each(|_| body.step(DT).expect("a step"));
        assert_eq!(body.steps(), StepCounts { done: 5, ..StepCounts::default() });
        body.change(|live| live.add_reduced_load(Box::new(Lying(lies))));
        body.step(DT).expect("a step that cannot fail");
        let StepCounts { done, again, downhill, speed_lost, stopped } = body.steps();
        assert_eq!(done + again + downhill + stopped, 6, "{lies} lies");
        let Energies { kinetic, elastic, .. } = body.energies();
        assert!(kinetic.is_finite() && elastic.is_finite());
        // What gravity gives in six steps: 9.81 m/s² over 25 ms.
        let most = 0.5 * body.live().model().total_mass() * (9.81 * 6.0 * DT).powi(2);
        assert!(kinetic + elastic < 1.2 * most, "{lies} lies: {kinetic} + {elastic} of {most} J");
        assert!((0.0..=1.0).contains(&speed_lost) && (speed_lost == 0.0 || downhill == 1), "{speed_lost}");
        ways.done += done - 5;
        ways.again += again;
        ways.downhill += downhill;
        ways.speed_lost += speed_lost;
        ways.stopped += stopped;
    }
    assert!(ways.done > 0 && ways.again > 0 && ways.downhill > 0 && ways.stopped > 0, "{ways:?}");
}

#[test]
fn what_went_too_far_is_put_back_unless_a_hand_holds_it() {
    let lengths = |body: &LiveBody| {
        let model = body.live().model();
        let square: f64 = body.live().q().iter().map(|q| q * q).sum::<f64>() * model.reduced_mass().get(0, 0);
        (square / model.total_mass()).sqrt() / model.longest_side()
    };
    let thrown = || {
        let (world, id, tip) = bar();
        let mut body =
            LiveBody::new(world.get::<LiveBody>(id).expect("a body").live().model().clone()).expect("a body");
        body.set_strength(None).expect("a strength");
        let r = body.live().coordinates();
        let q: Vec<f64> = (0..r).map(|k| if k == 0 { 1.0 } else { 0.0 }).collect();
        body.change(|live| live.set_state(&q, &vec![0.0; r])).expect("a state");
        let part = 40.0 / lengths(&body);
        let q: Vec<f64> = q.iter().map(|q| q * part).collect();
        body.change(|live| live.set_state(&q, &vec![0.0; r])).expect("a state");
        (body, tip)
    };
    let (mut body, _) = thrown();
    assert!(matches!(body.step(1e-6), Err(Trouble::Flew { lengths }) if lengths > 30.0));
    let (mut body, tip) = thrown();
    let here = body.place(tip).expect("a vertex");
    let hold = body.grab(tip, here).expect("a hand");
    for _ in 0..100 {
        body.step(1e-6).expect("a hand holds it");
        assert!(lengths(&body) <= 10.0 * (1.0 + 1e-9), "{}", lengths(&body));
    }
    assert!(body.drag(hold, here).is_ok(), "the hand is still closed");
}

#[test]
fn a_clock_that_stops_for_a_while_does_not_make_the_world_freeze() {
    let (mut world, id, _) = bar();
    let advanced = world.advance(10.0);
    assert_eq!((advanced.steps, advanced.late), (16, 11));
    assert!((advanced.forgotten - (10.0 - 1.0 / 15.0)).abs() < 1e-9);
    world.clock_mut().set_speed(0.5);
    assert_eq!(world.advance(1.0 / 60.0).steps, 2);
    let time = world.body(id).expect("a body").time();
    assert!((time - 18.0 / 240.0).abs() < 1e-12, "{time}");
    assert!(matches!(world.surface(id, &mut [0.0; 5]), Err(WorldError::Buffer { found: 5, .. })));
}

/// A body of another kind: a triangle that goes up, and falls over at the height of one metre.
struct Riser {
    shown: Arc<ShownSurface>,
    height: f64,
    /// Panics where others cannot go on.
    brittle: bool,
}

impl Body for Riser {
    fn shown(&self) -> &Arc<ShownSurface> {
        &self.shown
    }

    fn positions(&self, out: &mut [f64]) {
        for (x, rest) in out.chunks_exact_mut(3).zip(&self.shown.rest) {
            x.copy_from_slice((rest + Vec3::y() * self.height).as_slice());
        }
    }

    fn positions_f32(&self, out: &mut [f32]) {
        let mut x = vec![0.0; out.len()];
        self.positions(&mut x);
        out.iter_mut().zip(x).for_each(|(out, x)| *out = x as f32);
    }

    fn step(&mut self, dt: f64) -> Result<(), Trouble> {
        self.height += dt;
        assert!(!(self.brittle && self.height > 1.0), "too high");
        if self.height > 1.0 { Err(Trouble::Flew { lengths: self.height }) } else { Ok(()) }
    }

    fn reset(&mut self) -> Result<(), WorldError> {
        self.height = 0.0;
        Ok(())
    }

    fn time(&self) -> f64 {
        self.height
    }

    fn energies(&mut self) -> Energies {
        Energies::default()
    }

    fn is_at_rest(&self) -> bool {
        false
    }
}

#[test]
fn a_body_is_anything_that_steps_and_has_a_surface() {
    let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::z()];
    let faces = pliant_mesh::Faces::from_triangles(&[[0, 2, 1]]);
    let shown = Arc::new(ShownSurface::of(&pliant_mesh::MeshData::from_faces(corners, faces)));
    let (mut world, bar, _) = bar();
    let id = world.add(Box::new(Riser { shown, height: 0.0, brittle: false }));
    assert!(matches!(world.grab(id, 0, Vec3::zeros()), Err(WorldError::NoGrip)));
    assert!(world.get::<Riser>(id).is_some() && world.get::<LiveBody>(id).is_none());
    for _ in 0..30 {
        world.advance(1.0 / 60.0);
    }
    let mut buffer = [0_f32; 9];
    world.surface(id, &mut buffer).expect("a buffer that fits");
    assert!((buffer[1] - 0.5).abs() < 1e-3);
    let stumbles: u32 = (0..60).map(|_| world.advance(1.0 / 60.0).stumbles).sum();
    let stumble = world.take_stumble().expect("it went too far");
    assert_eq!((stumbles, stumble.body, stumble.gravity_taken), (1, id, false));
    assert!(world.take_stumble().is_none() && world.body(bar).is_ok());
}

/// A hand shakes the body, and the scenario of its last half second, which begins in motion, is run again: the body has what the
/// hand gives and no more, also what it gave in the first step.
#[test]
fn a_saved_pull_that_is_run_again_gains_nothing() {
    use pliant_sim::{LiveOptions, Reduced, RunOptions, Scenario, run};
    let dt = 1.0 / 240.0;
    for integrator in ["newmark", "backward-euler"] {
        let options = LiveOptions { integrator: integrator.into(), ..pliant_world::suiting(model()) };
        let mut body = LiveBody::with_options(model().clone(), &options).expect("a body");
        body.remember(0.5, dt).expect("memory");
        let tip = shared::nearest(model(), Vec3::new(1.0, 0.1, 0.1));
        let rest = body.place(tip).expect("a vertex");
        let hand = body.grab(tip, rest).expect("a hand");
        for k in 0..480 {
            let side = if k % 2 == 0 { 0.3 } else { -0.3 };
            body.drag(hand, rest + Vec3::new(0.0, side, 0.1)).expect("a drag");
            body.step(dt).expect("a step");
        }
        let history = body.history().expect("remembered");
        let text = history.scenario(body.live()).expect("a scenario");
        let scenario =
            Scenario::parse(&text, model().mesh().vertices.len()).expect("what was written is read");
        let first = history.state(body.live()).expect("a state");
        assert!(first.is_some(), "it begins in motion");
        let mut system = Reduced::new(model().clone(), scenario.loads.clone()).expect("a system");
        let options = RunOptions { integrator: integrator.into(), solver: options.solver };
        let record =
            run(&mut system, &scenario, &options, first, &mut pliant_linalg::ignore_progress, &mut |_| {});
        let record = record.expect("a run");
        assert!(record.gain < 0.02 && record.stopped.is_none(), "{integrator}: {}", record.gain);
        assert!(record.kinetic.iter().any(|k| *k > 0.1), "it moves");
    }
}

#[test]
fn a_body_at_rest_sleeps_until_something_wakes_it() {
    let (mut world, id, tip) = bar();
    let time = |world: &World| world.body(id).expect("a body").time();
    play(&mut world, 2.0);
    assert!(time(&world) > 1.9, "nobody sleeps unless they are let");
    world.let_sleep(true);
    assert!(world.is_still());
    let asleep = time(&world);
    play(&mut world, 1.0);
    assert_eq!(time(&world), asleep);
    let rest = place(&world, id, tip);
    let hand = world.grab(id, tip, rest + Vec3::new(0.0, 0.1, 0.0)).expect("a hand");
    play(&mut world, 4.0);
    assert!(time(&world) > asleep + 3.9 && place(&world, id, tip).y > rest.y + 0.05);
    // Held still for long, and still awake once the hand opens.
    world.release(hand).expect("it was closed");
    assert!(!world.is_still());
    play(&mut world, 20.0);
    assert!((place(&world, id, tip) - rest).norm() < 1e-3 && world.is_still());
    let asleep = time(&world);
    world.body_mut(id).expect("a body").set_gravity(Vec3::new(0.0, -9.81, 0.0)).expect("sound");
    play(&mut world, 0.5);
    assert!(time(&world) > asleep && place(&world, id, tip).y < rest.y);
}

#[test]
fn a_copy_moves_as_its_original_does_and_nobody_holds_it() {
    let (mut world, id, tip) = bar();
    let rest = place(&world, id, tip);
    world.grab(id, tip, rest + Vec3::new(0.0, 0.2, 0.0)).expect("a hand");
    play(&mut world, 1.0);
    let twin = world.get::<LiveBody>(id).expect("a live body").duplicate();
    let bent = place(&world, id, tip);
    let twin = world.add(Box::new(twin));
    assert_eq!(place(&world, twin, tip), bent);
    play(&mut world, 20.0);
    assert!((place(&world, twin, tip) - rest).norm() < 1e-3, "it springs back");
    assert!(place(&world, id, tip).y > rest.y + 0.1, "the other is still held");
}

#[test]
fn a_body_that_begins_slowly_or_turns_is_not_asleep() {
    let (mut world, id, tip) = bar();
    world.let_sleep(true);
    let rest = place(&world, id, tip);
    let body: &mut LiveBody = world.get_mut(id).expect("a live body");
    // A swing of a minute, by so little gravity that its tip sinks by a twentieth.
    let swing = 1.0 / body.live().model().frequencies_hz()[0];
    let factor = (swing / 60.0_f64).powi(2);
    let sag = 0.05 * (std::f64::consts::TAU / 60.0).powi(2);
    body.change(|live| {
        live.set_stiffness(factor)?;
        live.set_gravity(Vec3::new(0.0, -sag, 0.0))
    })
    .expect("sound settings");
    let mut lowest: f64 = 0.0;
    for _ in 0..60 {
        play(&mut world, 1.0);
        assert!(!world.is_still(), "{lowest}");
        lowest = lowest.min(place(&world, id, tip).y - rest.y);
    }
    assert!(lowest < -0.02, "{lowest}");
}

#[test]
fn threads_share_the_bodies_and_change_no_bit() {
    let positions = |threads: usize| {
        let (mut world, first, tip) = bar();
        world.set_threads(threads).expect("threads");
        assert_eq!(world.threads(), threads);
        let ids: Vec<BodyId> = std::iter::once(first)
            .chain((0..6).map(|_| world.add_model(model().clone()).expect("a body")))
            .collect();
        for (k, id) in (1..).zip(&ids) {
            let here = place(&world, *id, tip);
            world.grab(*id, tip, here + 0.02 * f64::from(k) * Vec3::y()).expect("a hand");
        }
        play(&mut world, 0.3);
        let mut x = vec![0.0; 3 * world.shown(first).expect("a body").rest.len()];
        let mut all = Vec::new();
        for id in ids {
            world.surface_f64(id, &mut x).expect("a buffer that fits");
            all.extend(x.iter().map(|x| x.to_bits()));
        }
        all
    };
    let alone = positions(1);
    assert_eq!(alone, positions(2));
    assert_eq!(alone, positions(5));
}

#[test]
fn what_cannot_go_on_is_put_back_whoever_steps_it_and_a_panic_comes_through() {
    let mut world = World::default();
    world.set_threads(3).expect("threads");
    let riser = |brittle| Box::new(Riser { shown: model().surface().clone(), height: 0.0, brittle });
    for _ in 0..20 {
        world.add(riser(false));
    }
    let stumbles: u32 = (0..250).map(|_| world.step()).sum();
    assert_eq!(stumbles, 20, "each flew once");
    assert_eq!(std::iter::from_fn(|| world.take_stumble()).filter(|stumble| stumble.put_back).count(), 20);
    let brittle = world.add(riser(true));
    let all = std::panic::AssertUnwindSafe(|| (0..250).map(|_| world.step()).sum::<u32>());
    let broken = std::panic::catch_unwind(all);
    assert!(broken.is_err_and(|panic| panic.downcast_ref::<&str>() == Some(&"too high")));
    assert!(world.bodies().count() == 21 && world.remove(brittle).is_some(), "nobody is lost");
    assert_eq!(world.step(), 0, "the others go on");
}
