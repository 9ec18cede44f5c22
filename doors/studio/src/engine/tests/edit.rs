//! Editing by handles, asked by hand.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::alone::Room;
use super::{model, rest};
use crate::family::Making;

/// A room whose body 1 is ready to be edited. Its job is on a thread of its own; what it made is asked for until it is there.
fn ready() -> Room {
    let mut room = Room::new();
    room.ask("time.pause", json!({ "paused": true })).expect("paused");
    room.ask("edit.begin", json!({ "body": 1 })).expect("a job");
    let begin = Instant::now();
    while let Err(why) = room.ask("edit.reset", json!({ "body": 1 })) {
        assert!(why.contains("wait for the job") && begin.elapsed() < Duration::from_secs(300), "{why}");
        std::thread::sleep(Duration::from_millis(5));
    }
    room
}

/// Shown vertices of the bar that are as far along it as `so` says.
fn along(so: impl Fn(f64) -> bool) -> Vec<usize> {
    (0..rest().len()).filter(|v| so(rest()[*v].x)).collect()
}

fn number(answer: &Map<String, Value>, key: &str) -> f64 {
    answer[key].as_f64().expect("a number")
}

/// Moves handle 0 up in steps, and follows until it has arrived.
fn lift(room: &mut Room, height: f64) -> Map<String, Value> {
    let mut answer = Map::new();
    for k in 1..=8 {
        let y = height * f64::from(k) / 8.0;
        let to = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, 0.0];
        answer = room.ask("edit.move", json!({ "body": 1, "handle": 0, "to": to })).expect("a move");
    }
    for _ in 0..40 {
        if answer["converged"] == true {
            return answer;
        }
        answer = room.ask("edit.follow", json!({ "body": 1 })).expect("more");
    }
    panic!("it does not arrive: {answer:?}");
}

#[test]
fn a_body_follows_a_handle_and_comes_back() {
    let mut room = ready();
    let tip = along(|x| x > 0.95);
    let made = room.ask("edit.handle", json!({ "body": 1, "vertices": tip })).expect("a handle");
    assert_eq!(made["handle"], 0);
    let answer = lift(&mut room, 0.2);
    assert!(number(&answer, "lag") < 0.02 * 0.2 && number(&answer, "elastic") > 0.0, "{answer:?}");
    assert!(number(&answer, "energy") > number(&answer, "elastic"));
    let place = room.body(1).place(tip[0] as u32).expect("a vertex");
    assert!((place.y - rest()[tip[0]].y - 0.2).abs() < 0.01, "the body stands in the shape: {place}");
    let bent = room.body(1).live().q().to_vec();
    assert_eq!(room.seen().bodies[0].q.len(), bent.len(), "and the next frame shows it");
    lift(&mut room, 0.0);
    room.ask("edit.reset", json!({ "body": 1 })).expect("back");
    assert!(room.body(1).live().q().iter().all(|q| *q == 0.0));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let mut room = Room::new();
    let tip = along(|x| x > 0.95);
    let early = room.ask("edit.handle", json!({ "body": 1, "vertices": tip })).expect_err("not begun");
    assert!(early.contains("begin first"), "{early}");
    let mut room = ready();
    room.ask("edit.handle", json!({ "body": 1, "vertices": tip })).expect("a handle");
    let to = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.0, 0.0, 1.0, 0.0];
    let mut flat = to;
    flat[10] = 0.0;
    for (what, keys, words) in [
        ("edit.handle", json!({ "body": 1, "vertices": along(|x| x < 0.01) }), "nothing there can be held"),
        ("edit.handle", json!({ "body": 1, "vertices": tip }), "nothing there can be held"),
        ("edit.handle", json!({ "body": 1, "vertices": [999_999] }), "no vertex 999999"),
        ("edit.handle", json!({ "body": 7, "vertices": [1] }), "body 7"),
        ("edit.move", json!({ "body": 1, "handle": 9, "to": to }), "removed"),
        ("edit.move", json!({ "body": 1, "handle": 0, "to": flat }), "singular"),
        (
            "edit.load",
            json!({ "body": 1, "text": "[[handle]]\nselect = \"secret.txt\"" }),
            "cannot be selected",
        ),
        ("edit.load", json!({ "body": 1, "text": "what" }), "line 1"),
    ] {
        let why = room.ask(what, keys).expect_err(words);
        assert!(why.contains(words), "{words}: {why}");
    }
    room.ask("time.pause", json!({ "paused": false })).expect("goes on");
    let moving = room.ask("edit.move", json!({ "body": 1, "handle": 0, "to": to })).expect_err("it moves");
    assert!(moving.contains("pause first"), "{moving}");
    room.ask("edit.end", json!({ "body": 1 })).expect("ended");
    let over = room.ask("edit.forget", json!({ "body": 1, "handle": 0 })).expect_err("over");
    assert!(over.contains("begin first"), "{over}");
}

/// What is saved is loaded again, and leads to the same shape; so does a program with the model.
#[test]
fn handles_are_saved_and_lead_to_the_same_shape() {
    let mut room = ready();
    room.ask("edit.handle", json!({ "body": 1, "vertices": along(|x| x > 0.95) })).expect("a handle");
    lift(&mut room, 0.15);
    for _ in 0..20 {
        room.ask("edit.follow", json!({ "body": 1 })).expect("more");
    }
    let shape = room.body(1).live().q().to_vec();
    let place = room.engine.stage.hub.place("edit").expect("the family");
    let (families, stage) = (&mut room.engine.families, &mut room.engine.stage);
    let Ok(Making::Made(file)) = families[place].file(&["1", "handles.toml"], stage) else {
        panic!("a file")
    };
    let text = String::from_utf8(file.bytes.to_vec()).expect("text");
    let handles = pliant::edit::read::of_toml("saved", &text, model().mesh(), 1.0, false).expect("handles");
    let model = std::sync::Arc::new(model().clone());
    let options = pliant::edit::Options { epsilon: 1e-10, ..pliant::edit::Options::default() };
    let mut editor = pliant::edit::Editor::new(model.clone(), &options).expect("an editor");
    let hand = editor.add(&handles[0].vertices).expect("a handle");
    for k in 1..=8 {
        editor.place(hand, &handles[0].at(f64::from(k) / 8.0)).expect("there");
        editor.solve();
    }
    let (mut a, mut b) = (vec![0.0; model.basis().size()], vec![0.0; model.basis().size()]);
    model.basis().expand(&shape, &mut a);
    model.basis().expand(editor.q(), &mut b);
    let off = a.iter().zip(&b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-4, "{off:e} of a bar of 1 m");
    let loaded = room.ask("edit.load", json!({ "body": 1, "text": text })).expect("loaded");
    assert_eq!(loaded["places"].as_array().map(Vec::len), Some(1));
    let (families, stage) = (&mut room.engine.families, &mut room.engine.stage);
    let Ok(Making::Later(make)) = families[place].file(&["1", "shape.obj"], stage) else { panic!("a file") };
    assert!(make().expect("a mesh").bytes.starts_with(b"v ") || !text.is_empty());
}
