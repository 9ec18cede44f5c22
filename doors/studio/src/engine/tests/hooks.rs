//! What a family may do beside every step: it is called before and after each, and that takes no memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pliant_testkit::counting::{Counting, taken};
use serde_json::json;

use super::alone::Room;
use super::tip;
use crate::family::Family;
use crate::stage::{DT, Stage};

#[global_allocator]
static HEAP: Counting = Counting;

/// How often it was called before and after a step, and how far the first body was each time, in steps.
#[derive(Default)]
struct Calls {
    before: AtomicU64,
    after: AtomicU64,
    /// Calls that came at the wrong time.
    wrong: AtomicU64,
}

struct Counts(Arc<Calls>);

impl Counts {
    /// Steps of the first body.
    fn steps(stage: &Stage) -> u64 {
        let time = stage.actors().first().map_or(0.0, |actor| stage.live_body(actor.id).live().time());
        (time / DT).round() as u64
    }
}

impl Family for Counts {
    fn before_step(&mut self, stage: &mut Stage) {
        let k = self.0.before.fetch_add(1, Ordering::Relaxed);
        self.0.wrong.fetch_add(u64::from(Self::steps(stage) != k), Ordering::Relaxed);
    }

    fn after_step(&mut self, stage: &mut Stage) {
        let k = self.0.after.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.wrong.fetch_add(u64::from(Self::steps(stage) != k), Ordering::Relaxed);
    }
}

#[test]
fn families_are_called_before_and_after_every_step_and_that_takes_no_memory() {
    let mut room = Room::new();
    for _ in 0..3 {
        room.ask("bodies.duplicate", json!({"body": 1})).expect("another one");
    }
    let (vertex, rest) = tip();
    let grab = json!({"body": 1, "id": 1, "vertex": vertex, "target": [rest.x, rest.y + 0.1, rest.z]});
    room.ask("hand.grab", grab).expect("a grab");
    let calls = Arc::new(Calls::default());
    room.engine.families.push(Box::new(Counts(calls.clone())));
    let told = || [&calls.before, &calls.after, &calls.wrong].map(|n| n.load(Ordering::Relaxed));

    // As its own loop does it: frames between the steps.
    let start = Instant::now();
    for k in 1..=100 {
        let clock = start + Duration::from_millis(4 * k);
        room.engine.turn(|| clock);
    }
    let [before, after, wrong] = told();
    assert!(before > 50 && before == after && wrong == 0, "{before} before, {after} after, {wrong} wrong");
    // One that is asked for while paused is a step, too.
    room.ask("time.pause", json!({"paused": true})).expect("a pause");
    room.ask("time.step", json!({})).expect("a step");
    room.engine.turn(Instant::now);
    assert_eq!(told(), [before + 1, after + 1, 0]);

    room.ask("time.pause", json!({"paused": false})).expect("no pause");
    let now = Instant::now();
    let heap = taken();
    assert!(heap > 0, "it counts");
    for _ in 0..500 {
        room.engine.before_step();
        room.engine.stage.world.step();
        room.engine.after_step(now, now);
    }
    assert_eq!(taken() - heap, 0);
    assert_eq!(told(), [before + 501, after + 501, 0]);
}
