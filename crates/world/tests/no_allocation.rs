//! A world takes memory when a body comes in and when a hand closes, and never while time passes.

mod shared;

use pliant_linalg::Vec3;
use pliant_testkit::counting::{Counting, taken};
use pliant_world::{LiveBody, World};

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn a_thousand_frames_take_no_memory() {
    for threads in [1, 3] {
        frames_take_no_memory(threads);
    }
}

fn frames_take_no_memory(threads: usize) {
    let model = shared::bar();
    let tip = shared::nearest(&model, Vec3::new(1.0, 0.1, 0.1));
    let here = model.surface().rest[tip as usize];
    let mut world = World::default();
    world.set_threads(threads).expect("threads");
    let mut body = LiveBody::new(model.clone()).expect("a body");
    body.remember(1.0, 1.0 / 240.0).expect("a second");
    let ids = [world.add(Box::new(body)), world.add_model(model.clone()).expect("a body")];
    // More of them, so that threads share the work.
    let others = [0; 4].map(|_| world.add_model(model.clone()).expect("a body"));
    for id in others {
        world.grab(id, tip, here + 0.02 * Vec3::z()).expect("a hand");
    }
    let hands = ids.map(|id| world.grab(id, tip, here).expect("a hand"));
    let mut buffer = vec![0_f32; 3 * model.surface().rest.len()];
    let mut exact = vec![0.0; buffer.len()];
    let before = taken();
    for frame in 0..1000 {
        let target = here + Vec3::new(0.0, 0.05 * (0.1 * f64::from(frame)).sin(), 0.0);
        hands.iter().for_each(|hand| world.drag(*hand, target).expect("a closed hand"));
        let advanced = world.advance(1.0 / 60.0);
        assert!(advanced.stumbles == 0 && advanced.late == 0 && advanced.forgotten == 0.0, "{advanced:?}");
        world.surface(ids[0], &mut buffer).expect("a buffer that fits");
        world.surface_f64(ids[1], &mut exact).expect("a buffer that fits");
        world.energies(ids[0]).expect("a body");
        assert!(!world.is_at_rest(ids[1]).expect("a body"));
        assert!(world.held(hands[0]).is_some_and(|held| held.force.norm().is_finite()));
        world.pick(here + Vec3::z(), -Vec3::z());
    }
    assert_eq!(taken() - before, 0);
    assert!((f64::from(buffer[3 * tip as usize]) - exact[3 * tip as usize]).abs() < 1e-6, "two alike");
    // A hand that closes again where another has opened.
    world.release(hands[0]).expect("a closed hand");
    world.reset(ids[1]).expect("a body");
    assert_eq!(taken() - before, 0);
}
