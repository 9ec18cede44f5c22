//! Scenarios of several bodies: each repeats its own, and says how strong the hands were.

use pliant::linalg::ignore_progress;
use pliant::sim::{Reduced, RunOptions, Scenario, run};
use serde_json::json;
use tokio::sync::oneshot;

use super::alone::Room;
use super::{model, tip};

/// A file that the page saves of a body.
fn saved(room: &mut Room, file: &str) -> Option<Vec<u8>> {
    let (reply, answer) = oneshot::channel();
    room.engine.fetch("files", file, reply);
    answer.blocking_recv().expect("an answer").ok().map(|served| served.bytes.to_vec())
}

fn scenario(room: &mut Room, body: u32) -> String {
    let text = saved(room, &format!("{body}/scenario.toml")).expect("a scenario");
    String::from_utf8(text).expect("text")
}

/// Two bars that are pulled at once, by a hand of 30 N and by one that never tires.
fn pulled() -> Room {
    let mut room = Room::new();
    room.ask("bodies.duplicate", json!({"body": 1})).expect("a second one");
    let beside = f64::from(room.seen().bodies[1].position[0]);
    let (vertex, rest) = tip();
    for (body, newton, x, up) in [(1, json!(30.0), 0.0, 0.4), (2, json!(null), beside, 0.3)] {
        room.ask("hand.strength", json!({"body": body, "newton": newton})).expect("a strength");
        let target = |up: f64| json!([rest.x + x, rest.y + up, rest.z]);
        let grab = json!({"body": body, "id": body, "vertex": vertex, "target": target(0.0)});
        room.ask("hand.grab", grab).expect("a grab");
        room.ask("hand.drag", json!({"id": body, "target": target(up)})).expect("a drag");
    }
    room.steps(0.4);
    room
}

#[test]
fn the_scenarios_of_two_bodies_repeat_each_of_them() {
    let mut room = pulled();
    let mut ends = Vec::new();
    for body in [1, 2] {
        assert!(saved(&mut room, &format!("{body}/state.npz")).is_none(), "it begins at rest");
        let text = scenario(&mut room, body);
        // Without what is said to people: that changes nothing.
        let bare: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let vertices = model().mesh().vertices.len();
        let read = Scenario::parse(&bare.join("\n"), vertices).expect("what was written is read");
        assert_eq!(read.loads, Scenario::parse(&text, vertices).expect("with its head, too").loads);
        let live = room.body(body).live();
        let mut system = Reduced::new(live.model().clone(), read.loads.clone()).expect("a system");
        let options = RunOptions { integrator: live.integrator().into(), solver: live.solver() };
        let mut end = Vec::new();
        let mut look = |frame: pliant::sim::Frame<'_>| end = frame.q.to_vec();
        run(&mut system, &read, &options, None, &mut ignore_progress, &mut look).expect("a run");
        let size = live.q().iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        let off = live.q().iter().zip(&end).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(size > 0.0 && off < 1e-9 * size, "body {body} ends {off:.1e} of {size:.1e} away");
        ends.push(end);
    }
    let apart = ends[0].iter().zip(&ends[1]).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(apart > 0.1 * ends[1].iter().fold(0.0, |m: f64, q| m.max(q.abs())), "they moved alike: {apart}");
}

#[test]
fn a_scenario_says_how_strong_the_hands_were_and_one_that_does_not_means_those_that_never_tire() {
    let mut room = pulled();
    let force = |room: &mut Room, hand: usize| {
        let [x, y, z] = room.seen().hands[hand].force.map(f64::from);
        (x * x + y * y + z * z).sqrt()
    };
    let weak = scenario(&mut room, 1);
    assert!(weak.contains("# Hands pulled with at most 30.0 N."), "{weak}");
    assert!(force(&mut room, 0) < 1.2 * 30.0);
    let tireless = scenario(&mut room, 2);
    assert!(!tireless.contains("at most"), "{tireless}");
    assert!(force(&mut room, 1) > 2.0 * 30.0, "{}", force(&mut room, 1));
    // A spring of a scenario pulls by its length alone, however far away it leads.
    let (vertices, rank) = (model().mesh().vertices.len(), model().rank());
    let v = model().surface().heaviest_carrier(tip().0).expect("a carrier");
    let [x, y, z]: [f64; 3] = model().mesh().vertices[v as usize].into();
    let pulls = |far: f64| {
        let path = format!("path = [[0.0, {x:?}, {:?}, {z:?}]]", y + far);
        let text = format!("dt = 0.01\nsteps = 1\n[[spring]]\nvertex = {v}\nstiffness = 200.0\n{path}\n");
        let read = Scenario::parse(&text, vertices).expect("a scenario of other days");
        let (load, rest) = (read.loads.iter().next().expect("a spring"), vec![0.0; rank]);
        let mut out = rest.clone();
        load.on_model(model()).expect("a load").force(0.0, &rest, &rest, &mut out);
        out.iter().map(|f| f * f).sum::<f64>().sqrt()
    };
    assert!(pulls(0.1) > 0.0 && (pulls(100.0) / pulls(0.1) - 1000.0).abs() < 1e-6);
}
