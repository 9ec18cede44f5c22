//! The engine without a thread: bodies that are asked and stepped by hand.

use std::time::Instant;

use pliant::linalg::Vec3;
use pliant::reduce::Model;
use pliant::world::{BodyId, LiveBody};
use serde_json::{Map, Value, json};

use super::seen::{Seen, SeenHand};
use super::{model, rest, tip};
use crate::engine::Engine;
use crate::hub::{Hub, Seat};
use crate::job;
use crate::protocol::Ask;
use crate::stage::DT;

/// An engine that somebody watches, with the bar as body 1.
pub(super) struct Room {
    pub(super) engine: Engine,
    pub(super) seat: Seat,
}

impl Room {
    pub(super) fn new() -> Self {
        Self::of(model().clone())
    }

    pub(super) fn of(model: Model) -> Self {
        let (hub, _) = Hub::new(crate::family::known(), None);
        let seat = hub.join(Value::Null, Value::Null);
        let mut engine = Engine::new(hub, Vec::new(), Instant::now());
        engine.stage.install(&job::finished(model)).expect("a body");
        engine.spread();
        Self { engine, seat }
    }

    /// Asks as some client.
    pub(super) fn ask_as(
        &mut self,
        client: u32,
        what: &str,
        keys: Value,
    ) -> Result<Map<String, Value>, String> {
        let Value::Object(mut keys) = keys else { panic!("keys are an object") };
        keys.insert("do".into(), what.into());
        let ask = Ask::read(&Value::Object(keys).to_string()).expect("a request");
        self.engine.answer(client, &ask)
    }

    pub(super) fn ask(&mut self, what: &str, keys: Value) -> Result<Map<String, Value>, String> {
        self.ask_as(1, what, keys)
    }

    pub(super) fn id(&self, body: u32) -> BodyId {
        self.engine.stage.actor(body).expect("a body").id
    }

    pub(super) fn body(&self, body: u32) -> &LiveBody {
        self.engine.stage.live_body(self.id(body))
    }

    /// Where a shown vertex of body 1 is.
    fn place(&self, v: u32) -> Vec3 {
        self.body(1).place(v).expect("a vertex of the surface")
    }

    /// One step; why a body was put back, if one was.
    fn step(&mut self) -> Result<(), String> {
        self.engine.stage.world.step();
        let stumble = self.engine.stage.world.take_stumble();
        stumble.map_or(Ok(()), |stumble| Err(stumble.trouble.to_string()))
    }

    pub(super) fn steps(&mut self, seconds: f64) {
        for _ in 0..(seconds / DT).round() as usize {
            self.step().expect("a sound step");
        }
    }

    /// What a client sees now.
    pub(super) fn seen(&mut self) -> Seen {
        self.engine.show(Instant::now());
        Seen::read(&self.seat.frames.borrow_and_update()).expect("a frame")
    }

    fn hands(&mut self) -> Vec<SeenHand> {
        self.seen().hands
    }
}

#[test]
fn a_hand_takes_the_body_with_it_and_the_body_comes_to_rest_again() {
    let mut room = Room::new();
    let (v, rest) = tip();
    let at = |y: f64| json!([rest.x, rest.y + y, rest.z]);
    room.ask("hand.grab", json!({"body": 1, "id": 7, "vertex": v, "target": at(0.0)})).expect("a grab");
    room.steps(0.1);
    assert!((room.place(v) - rest).norm() < 1e-9, "nothing jumps when a hand closes");
    room.ask("hand.drag", json!({"id": 7, "target": at(0.1)})).expect("a drag");
    room.steps(6.0);
    let moved = room.place(v).y - rest.y;
    assert!((0.05..0.1).contains(&moved), "a hand that stands still takes most of the way: {moved}");
    let held = room.hands();
    assert!(held.len() == 1 && held[0].vertex == v && held[0].force[1] > 0.0, "{held:?}");
    assert!(held[0].body == 1 && (f64::from(held[0].target[1]) - rest.y - 0.1).abs() < 1e-6, "{held:?}");
    room.ask("hand.release", json!({"id": 7})).expect("let go");
    room.ask("hand.release", json!({"id": 7})).expect("letting go of nothing is no mistake");
    assert!(room.hands().is_empty());
    room.steps(15.0);
    assert!((room.place(v) - rest).norm() < 1e-3, "{}", room.place(v) - rest);
}

#[test]
fn a_hand_beside_the_pins_does_not_tear_the_body() {
    let mut room = Room::new();
    let (tip, _) = tip();
    // Where the body hardly gives way: the first vertices that are not held.
    let movable = |v: &u32| !model().surface_basis().is_held(*v as usize);
    let near = |v: &u32| rest()[*v as usize].x;
    let stiffest = (0..rest().len() as u32).filter(movable).min_by(|a, b| near(a).total_cmp(&near(b)));
    let mut force = |v: u32| {
        let [x, y, z]: [f64; 3] = room.place(v).into();
        let grab = json!({"body": 1, "id": 1, "vertex": v, "target": [x, y + 0.2, z]});
        room.ask("hand.grab", grab).expect("a grab");
        let force = Vec3::from(room.hands()[0].force.map(f64::from)).norm();
        room.steps(1.0);
        room.ask("hand.release", json!({"id": 1})).expect("let go");
        room.ask("time.reset", json!({"body": 1})).expect("back to rest");
        force
    };
    let (soft, stiff) = (force(tip), force(stiffest.expect("a vertex beside the pins")));
    assert!(stiff < 100.0 * soft, "{stiff} N beside the pins, {soft} N at the tip");
    let away = (room.place(tip) - rest()[tip as usize]).norm();
    assert!(away < 0.5, "it is where it was, more or less: {away}");
}

#[test]
fn four_times_the_stiffness_is_twice_the_frequency() {
    let swings = |mut change: Value| {
        let mut room = Room::new();
        change["body"] = 1.into();
        change["damping"] = json!({"mass": 0, "stiffness": 0});
        room.ask("feel.set", change).expect("sound settings");
        let (v, rest) = tip();
        // In its lowest mode alone, which in a square bar may swing along y or z.
        let modes = model().natural_modes().expect("modes");
        let lowest: Vec<f64> = modes.shapes[..12].iter().map(|x| 0.01 * x).collect();
        let id = room.id(1);
        let body = room.engine.stage.live_body_mut(id);
        body.change(|live| live.set_state(&lowest, &[0.0; 12])).expect("a state");
        let along = room.place(v) - rest;
        let mut last = 0.0;
        let mut crossings = 0;
        for _ in 0..(8.0 / DT) as usize {
            room.step().expect("a sound step");
            let now = (room.place(v) - rest).dot(&along);
            crossings += usize::from(now * last < 0.0);
            last = now;
        }
        f64::from(crossings as u32)
    };
    let built = swings(json!({}));
    let (frequency, wanted) = (built / 16.0, model().frequencies_hz()[0]);
    assert!((frequency / wanted - 1.0).abs() < 0.05, "{frequency} Hz instead of {wanted} Hz");
    let stiff = swings(json!({"stiffness": 8e6}));
    assert!((stiff / built - 2.0).abs() < 0.1, "{built} and {stiff} crossings");
    let heavy = swings(json!({"density": 4000}));
    assert!((heavy / built - 0.5).abs() < 0.05, "{built} and {heavy} crossings");
}

#[test]
fn settings_are_what_they_were_set_to_and_nonsense_is_refused() {
    let mut room = Room::new();
    let change = json!({
        "body": 1, "stiffness": 5e6, "density": 900.0, "damping": {"mass": 0.5, "stiffness": 0.01},
        "gravity": [0.0, -9.81, 0.0], "integrator": "backward-euler", "coordinates": 7
    });
    room.ask("feel.set", change.clone()).expect("sound settings");
    let mut now = Value::Null;
    while let Ok(said) = room.seat.events.try_recv() {
        let said: Value = serde_json::from_str(&said).expect("JSON");
        if said["event"] == "feel.settings" {
            now = said;
        }
    }
    let close = |found: &Value, wanted: f64| (found.as_f64().expect("a number") / wanted - 1.0).abs() < 1e-12;
    assert!(close(&now["built"]["stiffness"], 2e6) && close(&now["built"]["density"], 1000.0), "{now}");
    assert!(close(&now["stiffness"], 5e6) && close(&now["density"], 900.0), "{now}");
    for key in ["body", "damping", "gravity", "integrator", "coordinates"] {
        assert_eq!(now[key], change[key], "{key}");
    }
    room.steps(0.5);
    for (bad, word) in [
        (json!({"stiffness": -1.0}), "stiffness"),
        (json!({"damping": {"mass": -1.0, "stiffness": 0.0}}), "damping"),
        (json!({"gravity": [1e300, 1e300, 1e300]}), "gravity"),
        (json!({"integrator": "magic"}), "newmark"),
        (json!({"integrator": "modal"}), "linear"),
        (json!({"coordinates": 0}), "1 to 12"),
        (json!({"coordinates": 13}), "1 to 12"),
        (json!({"stifness": 1}), "stifness"),
    ] {
        let mut bad = bad;
        bad["body"] = 1.into();
        let said = room.ask("feel.set", bad).expect_err("refused");
        assert!(said.contains(word), "{said}");
        room.step().expect("as before");
    }
    assert!(room.ask("feel.set", json!({"stiffness": 1e6})).is_err_and(|said| said.contains("body")));
    assert!(room.ask("time.speed", json!({"speed": 3})).is_err_and(|said| said.contains("0.01 to 1")));
    room.ask("time.speed", json!({"speed": 0.5})).expect("half as fast");
}

#[test]
fn hands_that_are_nowhere_or_far_away_are_harmless() {
    let mut room = Room::new();
    let (v, rest_at) = tip();
    let at: [f64; 3] = rest_at.into();
    let grab = |id: u32, vertex: u32, target: [f64; 3]| json!({"body": 1, "id": id, "vertex": vertex, "target": target});
    assert!(room.ask("hand.grab", grab(1, 1_000_000, at)).unwrap_err().contains("there is no vertex"));
    let held = rest().iter().position(|p| p.x == 0.0).expect("the held end");
    assert!(room.ask("hand.grab", grab(1, held as u32, at)).unwrap_err().contains("pinned"));
    assert!(room.ask("hand.drag", json!({"id": 1, "target": at})).unwrap_err().contains("grab"));
    let far = json!({"body": 9, "id": 1, "vertex": v, "target": at});
    assert!(room.ask("hand.grab", far).unwrap_err().contains("body 9 never was"));
    for id in 0..10 {
        room.ask("hand.grab", grab(id, v, at)).expect("ten hands");
    }
    assert!(room.ask("hand.grab", grab(10, v, at)).unwrap_err().contains("release"));
    room.ask_as(2, "hand.grab", grab(10, v, at)).expect("another client has ten of its own");
    room.engine.stage.tell(crate::family::News::Left { client: 1 });
    room.engine.spread();
    assert_eq!(room.hands().iter().map(|h| h.client).collect::<Vec<_>>(), [2]);
    // Torn in turns, at the strongest that can be asked for.
    for (k, target) in
        [[1e300, -1e300, 1e300], [-1e9, 1e9, 0.0], [0.0, 5.0, -5.0]].iter().cycle().take(12).enumerate()
    {
        room.ask_as(2, "hand.drag", json!({"id": 10, "target": target})).expect("clamped");
        for _ in 0..120 {
            if room.step().is_err() {
                room.ask_as(2, "hand.grab", grab(10, v, *target)).expect("a grab");
            }
        }
        assert!(room.body(1).live().q().iter().all(|q| q.is_finite()), "pull {k}");
    }
    room.ask_as(2, "hand.release", json!({"id": 10})).expect("let go");
    room.steps(20.0);
    assert!((room.place(v) - rest_at).norm() < 1e-2, "{}", room.place(v) - rest_at);
}
