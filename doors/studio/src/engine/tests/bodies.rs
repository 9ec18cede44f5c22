//! Several bodies on one stage, and one that rests.

use std::time::{Duration, Instant};

use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{select, shapes};
use pliant::reduce::Precompute;
use pliant::world::PRESETS;
use serde_json::json;

use super::alone::Room;
use super::seen::Seen;
use super::tip;
use crate::stage::{DT, MOST_BODIES};

#[test]
fn a_second_body_stands_beside_the_first_and_is_pulled_by_itself() {
    let mut room = Room::new();
    let twin = room.ask("bodies.duplicate", json!({"body": 1})).expect("a second one");
    assert_eq!(twin["body"], 2);
    let seen = room.seen();
    assert_eq!(seen.bodies.iter().map(|b| b.number).collect::<Vec<_>>(), [1, 2]);
    let x = seen.bodies[1].position[0];
    assert!(x > 1.0 && seen.bodies[1].position[1] == 0.0, "{x}: the bar is one metre long");
    let (v, rest) = tip();
    // Up by a tenth from where the second one is seen.
    let target = [rest.x + f64::from(x), rest.y + 0.1, rest.z];
    room.ask("hand.grab", json!({"body": 2, "id": 1, "vertex": v, "target": target})).expect("a grab");
    room.steps(6.0);
    let up = |room: &Room, body: u32| room.body(body).place(v).expect("a vertex").y - rest.y;
    let sideways = (room.body(2).place(v).expect("a vertex") - rest).x.abs();
    assert!(up(&room, 1).abs() < 1e-9 && (0.05..0.1).contains(&up(&room, 2)), "{}", up(&room, 2));
    assert!(sideways < 0.03, "the target is one of the stage: {sideways}");
    let seen = room.seen();
    assert!((seen.hands[0].body, seen.bodies[0].at_rest, seen.bodies[1].at_rest) == (2, true, false));
    assert!((seen.hands[0].target[0] - target[0] as f32).abs() < 1e-6);
    room.ask("bodies.remove", json!({"body": 2})).expect("it goes");
    let seen = room.seen();
    assert!(seen.hands.is_empty() && seen.bodies.len() == 1);
    let said = room.ask("bodies.remove", json!({"body": 2})).expect_err("it is gone");
    assert!(said.contains("is gone; there is 1"), "{said}");
}

#[test]
fn a_body_that_is_turned_falls_where_the_stage_is_down() {
    let mut room = Room::new();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // A quarter turn about z takes the bar's x to the stage's y: it stands.
    let place = json!({"body": 1, "position": [5.0, 0.0, 0.0], "turn": [0.0, 0.0, half, half]});
    room.ask("feel.set", json!({"body": 1, "gravity": [0.0, -9.81, 0.0]})).expect("gravity");
    room.ask("bodies.place", place).expect("a place");
    let gravity = room.body(1).live().gravity();
    assert!((gravity - Vec3::new(-9.81, 0.0, 0.0)).norm() < 1e-9, "{gravity}");
    // What is set later is of the stage, too.
    room.ask("feel.set", json!({"body": 1, "gravity": [0.0, 0.0, 2.0]})).expect("gravity");
    assert!((room.body(1).live().gravity() - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-9);
    assert_eq!(room.seen().bodies[0].position, [5.0, 0.0, 0.0]);
    for bad in [json!([0, 0, 0, 0]), json!([1, 0, 0])] {
        let place = json!({"body": 1, "position": [0, 0, 0], "turn": bad});
        assert!(room.ask("bodies.place", place).is_err());
    }
}

#[test]
fn there_is_room_for_so_many_bodies_and_no_more() {
    let mut room = Room::new();
    for _ in 1..MOST_BODIES {
        room.ask("bodies.duplicate", json!({"body": 1})).expect("there is room");
    }
    for _ in 0..10_000 {
        let said = room.ask("bodies.duplicate", json!({"body": 1})).expect_err("there is none");
        assert!(said.contains("which is the limit"), "{said}");
    }
    assert_eq!(room.seen().bodies.len(), MOST_BODIES);
}

#[test]
fn a_stage_at_rest_is_shown_once_and_then_costs_nothing() {
    let mut room = Room::new();
    let start = Instant::now();
    let mut now = 0.0;
    let mut turn = |room: &mut Room, seconds: f64| {
        let mut frames = 0;
        for _ in 0..(seconds / 0.004) as usize {
            now += 0.004;
            let clock = start + Duration::from_secs_f64(now);
            room.engine.turn(|| clock);
            frames += usize::from(room.seat.frames.has_changed().expect("an engine"));
            room.seat.frames.borrow_and_update();
        }
        frames
    };
    let moving = turn(&mut room, 1.0);
    assert!(moving > 5, "a body that has just come is looked at: {moving} frames");
    let last = Seen::read(&room.seat.frames.borrow_and_update()).expect("a frame");
    assert!(last.at_rest && last.bodies[0].at_rest && !last.paused && !room.engine.awake);
    assert_eq!(turn(&mut room, 2.0), 0);
    let again = room.body(1).live().time();
    assert!((again - last.bodies[0].time).abs() < DT, "its time stands still");
    let (v, rest) = tip();
    let grab = json!({"body": 1, "id": 1, "vertex": v, "target": [rest.x, rest.y + 0.1, rest.z]});
    room.ask("hand.grab", grab).expect("a grab");
    assert!(turn(&mut room, 1.0) > 50 && room.body(1).live().time() > again + 0.9);
    room.ask("time.pause", json!({"paused": true})).expect("it stands still");
    turn(&mut room, 0.1);
    assert_eq!(turn(&mut room, 1.0), 0, "nor does a pause cost anything");
    let paused = room.body(1).live().time();
    room.ask("time.step", json!({})).expect("one step");
    assert_eq!(turn(&mut room, 0.1), 1);
    assert!((room.body(1).live().time() - paused - DT).abs() < 1e-9);
}

#[test]
fn presets_are_told_apart_by_the_same_hand_on_bodies_of_any_size() {
    for length in [2e-3, 0.3, 100.0] {
        let bar = shapes::bar(Vec3::new(1.0, 0.25, 0.25) * length, [6, 2, 2]).into_data();
        let fixed = vec![select::select(&bar, "x<1%").expect("one end")];
        let recipe = Recipe { young: Some(1e6), fixed, ..Recipe::default() };
        let precompute = Precompute { modes: Some(4), poses: Some(40), ..Precompute::default() };
        let model = precompute.build(bar, recipe, &mut ignore_progress).expect("a model").model;
        let mut room = Room::of(model);
        let fair = room.body(1).fair_strength();
        room.ask("hand.strength", json!({"body": 1, "newton": fair})).expect("a strength");
        let rest = room.body(1).live().model().surface().rest.clone();
        let far = |v: &usize| (rest[*v] - Vec3::new(1.0, 0.125, 0.125) * length).norm();
        let tip = (0..rest.len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("a surface");
        let [x, y, z]: [f64; 3] = rest[tip].into();
        let mut taken = Vec::new();
        for preset in PRESETS {
            let settings = json!({
                "body": 1, "stiffness": preset.young, "density": preset.density,
                // So that it comes to where it is held.
                "damping": {"mass": 0.0, "stiffness": 0.1 * length.max(0.3)}, "integrator": "backward-euler"
            });
            room.ask("feel.set", settings).expect("sound settings");
            room.ask("time.reset", json!({})).expect("at rest");
            let grab = json!({"body": 1, "id": 1, "vertex": tip, "target": [x, y + 0.5 * length, z]});
            room.ask("hand.grab", grab).expect("a grab");
            room.steps(if length > 1.0 { 120.0 } else { 4.0 });
            let moved = (room.body(1).place(tip as u32).expect("a vertex") - rest[tip]).norm() / length;
            let force = Vec3::from(room.seen().hands[0].force.map(f64::from)).norm();
            assert!(force < 1.2 * fair, "{}: {force} N of {fair} N", preset.name);
            taken.push(moved);
        }
        // The softest go all the way that the hand leads them.
        assert!(taken.is_sorted_by(|soft, hard| 1.1 * soft >= *hard), "{length} m: {taken:?}");
        let (soft, hard) = (taken[0], taken[taken.len() - 1]);
        assert!(soft > 0.2 && soft > 1000.0 * hard, "{length} m: {taken:?}");
    }
}

#[test]
fn a_frame_of_one_body_is_hardly_longer_than_its_coordinates() {
    let mut room = Room::new();
    let (v, rest) = tip();
    let grab = json!({"body": 1, "id": 1, "vertex": v, "target": [rest.x, rest.y, rest.z]});
    room.ask("hand.grab", grab).expect("a grab");
    let seen = room.seen();
    let (r, hands) = (seen.bodies[0].q.len(), seen.hands.len());
    // Twelve of them are of the family that is there for tests alone.
    let length = room.seat.frames.borrow().len() - 12;
    // 48 bytes, q and 36 bytes for each hand were a frame of the first protocol.
    assert!(length <= 48 + 4 * r + 36 * hands + 64, "{length} bytes with {r} coordinates and {hands} hands");
}
