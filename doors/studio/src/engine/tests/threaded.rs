//! The engine on its own thread, heard and seen by clients.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{Faces, SurfaceMesh, embed, shapes};
use pliant::reduce::{Model, Precompute};
use serde_json::{Value, json};

use super::seen::Seen;
use super::{model, rest, tip};
use crate::Opening;
use crate::hub::{Dropped, Hub, Refusal, Seat, Served, Upload};
use crate::protocol::Ask;
use crate::server::MESSAGE;
use crate::stage::DT;

/// What takes longer hangs; machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(600);

/// An engine that plays the bar.
struct House {
    hub: Arc<Hub>,
    engine: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        Self::of(model())
    }

    fn of(model: &Model) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bar.pliant");
        model.write(&path).expect("a file");
        let (hub, inbox) = Hub::new(crate::family::known(), None);
        let engine = crate::engine::start(hub.clone(), inbox, vec![Opening::File(path)]).expect("a thread");
        Self { hub, engine: Some(engine), _folder: folder }
    }

    /// A client that has heard of the first body, and sees it: frames before are of an empty stage.
    fn seat(&self) -> Seat {
        let mut seat = self.hub.join(Value::Null, Value::Null);
        if !seat.greeting.iter().any(|said| said.contains(r#""event":"bodies.came""#)) {
            heard(&mut seat, "bodies.came", |_| true);
        }
        seen(&mut seat, |frame| !frame.bodies.is_empty());
        seat
    }

    fn upload(&self, name: &str, text: &str) -> Result<u32, Refusal> {
        let file = Upload { name: name.into(), bytes: text.as_bytes().to_vec() };
        self.drop(Dropped { replace: Some(1), files: vec![file], ..Dropped::default() })
    }

    fn drop(&self, dropped: Dropped) -> Result<u32, Refusal> {
        block_on(self.hub.take("files".into(), dropped))
    }

    fn ask(&self, seat: &Seat, what: &str, mut keys: Value) {
        keys["do"] = what.into();
        self.hub.ask(seat.client, Ask::read(&keys.to_string()).expect("a request"));
    }

    fn fetch(&self, family: &str, path: &str) -> Result<Served, Refusal> {
        block_on(self.hub.fetch(family.into(), path.into()))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.hub.stop();
        self.engine.take().expect("joined once").join().expect("an engine that did not panic");
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// The first event of that name that is so.
#[track_caller]
fn heard(seat: &mut Seat, event: &str, so: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let said = match (seat.private.try_recv(), seat.events.try_recv()) {
            (Ok(one), Ok(two)) => vec![one, two],
            (Ok(one), _) | (_, Ok(one)) => vec![one],
            _ => {
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
        };
        for said in said {
            let said: Value = serde_json::from_str(&said).expect("JSON");
            if said["event"] == event && so(&said) {
                return said;
            }
        }
    }
    panic!("no event {event} within {PATIENCE:?}")
}

/// The first frame that is so.
#[track_caller]
fn seen(seat: &mut Seat, so: impl Fn(&Seen) -> bool) -> Seen {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(seen) = Seen::read(&seat.frames.borrow_and_update()).filter(&so) {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("no such frame within {PATIENCE:?}")
}

fn ended(said: &Value) -> bool {
    said["state"] != "running"
}

/// What a request is refused with.
#[track_caller]
fn refused(seat: &mut Seat) -> String {
    heard(seat, "refused", |_| true)["sentence"].as_str().expect("a sentence").to_owned()
}

/// A hand on the tip of a body that stands where its own origin is.
fn grab(body: u32, id: u32, up: f64) -> Value {
    let (v, rest) = tip();
    json!({"body": body, "id": id, "vertex": v, "target": [rest.x, rest.y + up, rest.z]})
}

#[test]
fn two_clients_see_each_others_hands_and_leaving_opens_them() {
    let house = House::new();
    let (mut one, mut two) = (house.seat(), house.seat());
    house.ask(&one, "hand.grab", grab(1, 3, 0.1));
    house.ask(&two, "hand.grab", grab(1, 3, 0.1));
    let both = seen(&mut two, |f| f.hands.len() == 2);
    assert_eq!(both.bodies[0].number, 1, "of the first body");
    assert_eq!(both.bodies[0].q.len(), 12);
    seen(&mut one, |f| f.bodies[0].elastic > 0.0);
    let client = two.client;
    drop(one);
    let left = seen(&mut two, |f| f.hands.len() == 1);
    assert_eq!(left.hands[0].client, client);
    house.ask(&two, "hand.grab", grab(9, 4, 0.1));
    assert!(refused(&mut two).contains("body 9 never was"));
    house.ask(&two, "time.reset", json!({}));
    seen(&mut two, |f| f.hands.is_empty());
    house.ask(&two, "hand.release", json!({"id": 3}));
    house.ask(&two, "jobs.cancel", json!({"job": 1}));
    assert!(refused(&mut two).contains("job 1"), "opening an open hand is no mistake");
}

#[test]
fn requests_with_a_number_are_answered_by_it() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "time.pause", json!({"paused": false, "seq": 5}));
    let said = heard(&mut seat, "answered", |_| true);
    assert_eq!((&said["seq"], &said["do"]), (&json!(5), &json!("time.pause")));
    for (seq, words) in [(5, "not greater than 5"), (4, "not greater than 5")] {
        house.ask(&seat, "time.pause", json!({"paused": false, "seq": seq}));
        let said = heard(&mut seat, "refused", |_| true);
        assert!(said["seq"] == seq && said["sentence"].as_str().is_some_and(|s| s.contains(words)), "{said}");
    }
    house.ask(&seat, "time.speed", json!({"speed": 7, "seq": 6}));
    assert_eq!(heard(&mut seat, "refused", |_| true)["seq"], 6);
    house.ask(&seat, "garden.dig", json!({"seq": 7}));
    let said = heard(&mut seat, "refused", |_| true);
    assert!(said["sentence"].as_str().is_some_and(|s| s.contains("there are time, bodies")), "{said}");
    // Without a number only what is refused is told.
    house.ask(&seat, "time.pause", json!({"paused": false}));
    house.ask(&seat, "inside.look", json!({}));
    let said = heard(&mut seat, "refused", |_| true);
    assert!(said["seq"].is_null() && said["do"] == "inside.look", "{said}");
}

#[test]
fn ten_thousand_that_are_asked_for_fill_the_stage_and_slow_nobody() {
    let house = House::new();
    let (hostile, mut other) = (house.seat(), house.seat());
    let flood = {
        let (hub, client) = (house.hub.clone(), hostile.client);
        std::thread::spawn(move || {
            for _ in 0..10_000 {
                hub.ask(client, Ask::read(r#"{"do":"bodies.duplicate","body":1}"#).expect("a request"));
            }
        })
    };
    house.ask(
        &other,
        "hand.grab",
        json!({"body": 1, "id": 1, "vertex": tip().0, "target": [2.0, 0.0, 0.0], "seq": 1}),
    );
    heard(&mut other, "answered", |said| said["seq"] == 1);
    flood.join().expect("a flood");
    // It is heard, and what it asked for goes as far as the stage.
    house.ask(&other, "time.speed", json!({"speed": 0.5, "seq": 2}));
    heard(&mut other, "answered", |said| said["seq"] == 2);
    let bodies = house.hub.bodies().len();
    assert!((2..=crate::stage::MOST_BODIES).contains(&bodies), "{bodies} bodies");
    let time = |seen: &Seen| seen.bodies[0].time;
    let before = time(&seen(&mut other, |frame| !frame.bodies.is_empty()));
    seen(&mut other, |frame| time(frame) > before + 0.1);
}

#[test]
fn a_family_is_a_file_and_a_line() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "echo.say", json!({"text": "ho", "seq": 1}));
    assert_eq!(heard(&mut seat, "answered", |_| true)["text"], "ho");
    assert_eq!(*house.fetch("echo", "hello.txt").expect("a file").bytes, b"hello");
    house.ask(&seat, "echo.work", json!({"seconds": 60, "seq": 2}));
    let job = heard(&mut seat, "answered", |_| true)["job"].clone();
    house.ask(&seat, "jobs.cancel", json!({"job": job}));
    assert_eq!(heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == job)["state"], "cancelled");
}

#[test]
fn a_job_that_breaks_down_ends_with_a_sentence_and_nothing_else() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "echo.work", json!({"seconds": -1}));
    let said = heard(&mut seat, "jobs.news", |j| j["state"] == "failed");
    assert!(said["message"].as_str().is_some_and(|m| m.contains("mistake in pliant")), "{said}");
    house.ask(&seat, "hand.grab", grab(1, 1, 0.1));
    seen(&mut seat, |f| f.hands.len() == 1 && f.bodies[0].elastic > 0.0);
    house.ask(&seat, "echo.work", json!({"seconds": 0.0, "seq": 1}));
    assert!(heard(&mut seat, "answered", |_| true)["job"].is_u64(), "the next job begins");
}

#[test]
fn a_drop_takes_the_place_of_a_job_that_runs() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "echo.work", json!({"seconds": 60, "seq": 1}));
    let first = heard(&mut seat, "answered", |_| true)["job"].as_u64().expect("a number") as u32;
    let file = || vec![Upload { name: "cube.obj".into(), bytes: cube().into_bytes() }];
    let busy = house.drop(Dropped { files: file(), ..Dropped::default() });
    assert!(matches!(busy, Err(Refusal::Busy(_))), "{busy:?}");
    let wrong = house.drop(Dropped { files: file(), instead: Some(first + 7), ..Dropped::default() });
    assert!(matches!(wrong, Err(Refusal::Busy(_))), "{wrong:?}");
    let second = house.drop(Dropped { files: file(), instead: Some(first), ..Dropped::default() });
    let second = second.expect("it waits for the first to stop");
    assert_eq!(heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == first)["state"], "cancelled");
    let body = heard(&mut seat, "bodies.came", |_| true);
    let held = json!({"body": 2, "id": 1, "vertex": top(), "target": [2.0, 0.6, 0.15]});
    house.ask(&seat, "hand.grab", held);
    assert_eq!(heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == second)["state"], "done");
    let seen = seen(&mut seat, |f| f.bodies.iter().any(|b| b.number == 3));
    assert!(seen.hands.len() == 1 && seen.hands[0].body == 3, "who holds the draft holds the finished body");
    // It was to replace nobody: it stands beside the bar.
    assert!(body["replaces"].is_null() && body["position"][0].as_f64().is_some_and(|x| x > 1.0), "{body}");
    assert_eq!(house.hub.bodies(), [1, 3]);
    // Who has not heard of the finished body yet means it by the number of its draft.
    house.ask(
        &seat,
        "hand.grab",
        json!({"body": 2, "id": 2, "vertex": top(), "target": [2.0, 0.6, 0.15], "seq": 2}),
    );
    heard(&mut seat, "answered", |said| said["seq"] == 2);
    let both = self::seen(&mut seat, |f| f.hands.len() == 2);
    assert!(both.hands.iter().all(|hand| hand.body == 3), "{:?}", both.hands);
}

#[test]
fn time_stands_still_while_paused_or_alone_and_goes_on_step_by_step() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "feel.set", json!({"body": 1, "damping": {"mass": 0, "stiffness": 0}}));
    house.ask(&seat, "hand.grab", grab(1, 1, 0.1));
    let time = |frame: &Seen| frame.bodies[0].time;
    seen(&mut seat, |f| time(f) > 0.05);
    house.ask(&seat, "time.step", json!({}));
    assert!(refused(&mut seat).contains("pause"));
    house.ask(&seat, "time.pause", json!({"paused": true}));
    heard(&mut seat, "time.now", |s| s["paused"] == true);
    let stopped = seen(&mut seat, |f| f.paused);
    std::thread::sleep(Duration::from_millis(60));
    let still = Seen::read(&seat.frames.borrow_and_update()).expect("a frame");
    assert_eq!(time(&still), time(&stopped));
    house.ask(&seat, "time.step", json!({}));
    let next = seen(&mut seat, |f| time(f) > time(&stopped));
    assert!((time(&next) - time(&stopped) - DT).abs() < 1e-9);
    house.ask(&seat, "time.pause", json!({"paused": false}));
    let watched = time(&seen(&mut seat, |f| time(f) > time(&next) + 0.02));
    // It swings on, but nobody watches.
    house.ask(&seat, "hand.release", json!({"id": 1}));
    drop(seat);
    std::thread::sleep(Duration::from_secs(2));
    let mut seat = house.seat();
    let passed = time(&seen(&mut seat, |_| true)) - watched;
    assert!(passed < 1.0, "{passed} s of the body passed in two in which nobody watched");
}

#[test]
fn a_body_that_gravity_tears_off_is_put_back_and_freed_of_it() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "feel.set", json!({"body": 1, "stiffness": 2.0, "gravity": [0.0, -1e4, 0.0]}));
    heard(&mut seat, "feel.settings", |s| s["gravity"][1] == -1e4);
    let stumbled = heard(&mut seat, "time.stumbled", |_| true);
    assert!(stumbled["sentence"].as_str().is_some_and(|s| s.contains("put back")), "{stumbled}");
    heard(&mut seat, "feel.settings", |s| s["gravity"][1] == 0.0);
    seen(&mut seat, |f| f.at_rest);
}

/// A vertex at the upper end of [`cube`].
fn top() -> usize {
    let cube = shapes::bar(Vec3::new(0.3, 0.5, 0.3), [3, 5, 3]).boundary();
    cube.vertices().iter().position(|p| p.y == 0.5).expect("it is half a metre high")
}

/// The surface of a box.
fn cube() -> String {
    let cube = shapes::bar(Vec3::new(0.3, 0.5, 0.3), [3, 5, 3]).boundary();
    let mut text = String::new();
    cube.vertices().iter().for_each(|p| text += &format!("v {} {} {}\n", p.x, p.y, p.z));
    cube.triangles().iter().for_each(|t| text += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    text
}

#[test]
fn a_dropped_surface_ends_as_a_body_that_is_held_at_its_feet() {
    let house = House::new();
    let mut seat = house.seat();
    let job = house.upload("../../../etc/cube.obj", &cube()).expect("a job");
    let Err(Refusal::Busy(busy)) = house.upload("b.obj", &cube()) else { panic!("one job at a time") };
    assert!(busy.contains("at work"), "{busy}");
    let findings = heard(&mut seat, "files.findings", |f| f["job"] == job);
    assert_eq!(findings["name"], "cube.obj");
    assert!(house.fetch("jobs", &format!("{job}/preview")).is_ok_and(|served| !served.bytes.is_empty()));
    // A draft in the place of the bar, live at once; then the finished one in the place of the draft.
    let draft = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!((&draft["replaces"], &draft["forces"]), (&json!(1), &json!("linear")), "{draft}");
    house.ask(&seat, "feel.set", json!({"body": 2, "gravity": [0.0, -1.0, 0.0]}));
    let body = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!(
        (&body["replaces"], &body["why"], &body["forces"]),
        (&json!(2), &json!("refined"), &json!("cubature"))
    );
    heard(&mut seat, "feel.settings", |s| s["body"] == 3 && s["gravity"][1] == -1.0);
    assert_eq!(
        (&body["name"], &draft["why"], &body["kind"]),
        (&"cube.obj".into(), &"dropped".into(), &"tets".into())
    );
    assert!(body["body"] == 3 && body["pinned"].as_u64().unwrap() > 0 && body["free"] == false, "{body}");
    assert!(
        body["remarks"]
            .as_array()
            .unwrap()
            .iter()
            .any(|r| { r["sentence"].as_str().unwrap().contains("lowest 5 %") && r["severity"] == "note" }),
        "{body}"
    );
    assert_eq!(heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == job)["state"], "done");
    seen(&mut seat, |f| f.bodies.len() == 1 && f.bodies[0].number == 3);
    assert!(house.fetch("inside", "3").is_ok() && house.fetch("modes", "3").is_ok());
    assert!(matches!(house.fetch("bodies", "1/shape"), Err(Refusal::Absent(_))), "the old one is gone");
}

#[test]
fn a_broken_file_gives_the_sentence_of_the_command_line_and_the_body_stays() {
    let house = House::new();
    let mut seat = house.seat();
    for (name, text, words) in [
        ("bad.obj", "v 0 0 0\nf 1 2 3\n", ["bad.obj: ", "expected"]),
        ("what.xyz", "1 2 3", ["what.xyz: unknown format", "known endings"]),
        ("bad.pliant", "nothing", ["bad.pliant: ", ""]),
        ("../empty.stl", "", ["empty.stl", ""]),
    ] {
        let job = house.upload(name, text).expect("a job");
        let news = heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == job);
        let said = news["message"].as_str().unwrap_or_default();
        assert_eq!(news["state"], "failed", "{name}");
        assert!(words.iter().all(|w| said.contains(w)) && !said.contains("../"), "{said}");
    }
    assert_eq!(house.hub.bodies(), [1]);
}

#[test]
fn a_job_that_is_cancelled_leaves_the_body_as_it_is() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "files.shape", json!({"name": "dragon"}));
    assert!(refused(&mut seat).contains("dino"));
    house.ask(&seat, "files.shape", json!({"name": "bridge"}));
    let news = heard(&mut seat, "jobs.news", |j| j["state"] == "running" && j["title"] == "bridge");
    house.ask(&seat, "jobs.cancel", json!({"job": news["job"]}));
    assert_eq!(heard(&mut seat, "jobs.news", |j| ended(j) && j["job"] == news["job"])["state"], "cancelled");
    assert_eq!(house.hub.bodies(), [1]);
}

#[test]
fn a_body_is_rebuilt_with_other_pins_and_what_is_not_given_stays() {
    let house = House::new();
    let mut seat = house.seat();
    house.ask(&seat, "build.again", json!({"body": 1, "modes": 1000}));
    assert!(refused(&mut seat).contains("1 to 60"));
    house.ask(&seat, "feel.set", json!({"body": 1, "stiffness": 4e6}));
    let pins: Vec<u32> = (0..rest().len() as u32).filter(|p| rest()[*p as usize].x == 1.0).collect();
    // In two pieces, as more than a message carries.
    house.ask(&seat, "build.again", json!({"body": 1, "pins": "gathered"}));
    assert!(refused(&mut seat).contains("send them first"));
    let (one, two) = pins.split_at(4);
    house.ask(&seat, "build.pins", json!({"body": 1, "vertices": one, "first": true}));
    house.ask(&seat, "build.pins", json!({"body": 1, "vertices": two, "first": false}));
    house.ask(&seat, "build.again", json!({"body": 1, "pins": "gathered", "modes": 4}));
    let rebuilt = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!((&rebuilt["why"], &rebuilt["by"]), (&"rebuilt".into(), &seat.client.into()));
    // Nine at the other end now; the stiffness that was set is what it is built with.
    assert!(rebuilt["pinned"] == 9 && rebuilt["modes"] == 4, "{rebuilt}");
    let settings = heard(&mut seat, "feel.settings", |s| s["body"] == 2);
    assert!((settings["stiffness"].as_f64().unwrap() / 4e6 - 1.0).abs() < 1e-9, "{settings}");
    let shape = house.fetch("bodies", "2/shape").expect("the new body");
    let file = safetensors::SafeTensors::deserialize(&shape.bytes).expect("safetensors");
    let pinned = file.tensor("pinned").expect("pins").data().to_vec();
    for (p, pinned) in pinned.iter().enumerate() {
        assert_eq!(*pinned == 1, rest()[p].x == 1.0, "vertex {p}");
    }
    house.ask(&seat, "build.again", json!({"body": 2, "pins": []}));
    assert_eq!(heard(&mut seat, "bodies.came", |b| b["body"] == 3)["free"], true);
    heard(&mut seat, "jobs.news", ended);
    // Undone, undone again, and both done again.
    house.ask(&seat, "hand.strength", json!({"body": 3, "newton": 7.0}));
    let first = model().held_components().iter().filter(|held| held.contains(&true)).count();
    for (k, (way, pinned)) in
        [("back", 9), ("back", first), ("forward", 9), ("forward", 0)].into_iter().enumerate()
    {
        let (was, seq) = (3 + k as u32, 50 + k);
        house.ask(&seat, &format!("build.{way}"), json!({"body": was, "seq": seq}));
        let body = heard(&mut seat, "bodies.came", |b| b["replaces"] == was);
        assert!(body["why"] == "restored" && body["pinned"] == pinned, "{way}: {body}");
        assert_eq!(house.hub.bodies(), [was + 1]);
        let feel = heard(&mut seat, "feel.settings", |feel| feel["body"] == was + 1);
        let stiffness = feel["stiffness"].as_f64().expect("a number");
        assert!((stiffness / 4e6 - 1.0).abs() < 1e-9, "{way}: {feel}");
    }
    let strength = heard(&mut seat, "hand.strength", |said| said["body"] == 7);
    assert_eq!(strength["newton"], 7.0, "it is the same body");
    house.ask(&seat, "build.forward", json!({"body": 7}));
    assert!(refused(&mut seat).contains("nothing was undone"));
    house.ask(&seat, "build.back", json!({"body": 1}));
    assert!(refused(&mut seat).contains("is gone"));
}

/// The bar with a sheet of a quarter of a million vertices in its middle, which is what is seen of it.
fn fine() -> Model {
    let solid = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]);
    let [long, wide] = [1000_u32, 250];
    let at = |k: u32| {
        let part = |k: u32, of: u32| f64::from(k) / f64::from(of - 1);
        Vec3::new(part(k / wide, long), 0.1, 0.2 * part(k % wide, wide))
    };
    let corners = (0..long * wide).map(at).collect();
    let cells = (0..long - 1).flat_map(|i| (0..wide - 1).map(move |j| i * wide + j));
    let two = |k: u32| [[k, k + 1, k + wide + 1], [k, k + wide + 1, k + wide]];
    let faces: Vec<[u32; 3]> = cells.flat_map(two).collect();
    let sheet = SurfaceMesh::new(corners, Faces::from_triangles(&faces)).expect("a sheet");
    let (solid, _) = embed::attach(solid, &sheet).expect("it lies in the bar");
    let recipe = Recipe { young: Some(2e6), ..Recipe::default() };
    let precompute = Precompute { modes: Some(3), forces: Some("linear".into()), ..Precompute::default() };
    precompute.build(solid.into_data(), recipe, &mut ignore_progress).expect("a model").model
}

#[test]
fn two_hundred_thousand_pins_travel_in_pieces() {
    let fine = fine();
    let pins: Vec<u32> = (0..200_000).collect();
    let house = House::of(&fine);
    let mut seat = house.seat();
    let all = json!({"do": "build.again", "body": 1, "pins": pins}).to_string();
    assert!(all.len() > MESSAGE, "one message would carry them: {} bytes", all.len());
    for (k, piece) in pins.chunks(80_000).enumerate() {
        let ask = json!({"body": 1, "vertices": piece, "first": k == 0, "seq": k});
        assert!(ask.to_string().len() < MESSAGE);
        house.ask(&seat, "build.pins", ask);
        heard(&mut seat, "answered", |said| said["seq"] == k);
    }
    house.ask(&seat, "build.again", json!({"body": 1, "pins": "gathered"}));
    let rebuilt = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!((&rebuilt["why"], &rebuilt["surface_vertices"]), (&json!("rebuilt"), &json!(250_000)));
    let shape = house.fetch("bodies", "2/shape").expect("the new body");
    let file = safetensors::SafeTensors::deserialize(&shape.bytes).expect("safetensors");
    let pinned = file.tensor("pinned").expect("pins").data().to_vec();
    // Four fifths of its length are held; what is carried by the free end is not.
    assert!(pinned[..200_000].iter().all(|held| *held == 1), "each of them is pinned");
    assert!(pinned[240_000..].iter().all(|held| *held == 0), "the end is free");
}

#[test]
fn a_law_with_constants_of_its_own_comes_and_goes() {
    let house = House::new();
    let mut seat = house.seat();
    let again = |body: u32, name: &str, constants: Value| json!({"body": body, "material": name, "constants": constants, "forces": "linear", "modes": 3});
    house.ask(&seat, "build.again", again(1, "mooney-rivlin", json!({"mu10": 2e5, "mu01": 1e5})));
    let failed = heard(&mut seat, "jobs.news", |job| job["state"] == "failed");
    let words = "v1, the volume coefficient (its field below the Material menu)";
    assert!(failed["message"].as_str().is_some_and(|said| said.contains(words)), "{failed}");
    let rubber = json!({"mu10": 2e5, "mu01": 1e5, "v1": 1e6});
    house.ask(&seat, "build.again", again(1, "mooney-rivlin", rubber));
    let body = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!(body["material"], "mooney-rivlin");
    assert_eq!(body["constants"], serde_json::json!({"mu01": 1e5, "mu10": 2e5, "v1": 1e6}));
    house.ask(&seat, "build.again", again(2, "stvk", json!({})));
    let body = heard(&mut seat, "bodies.came", |_| true);
    assert_eq!((&body["material"], &body["constants"]), (&"stvk".into(), &serde_json::json!({})));
}

#[test]
fn what_was_played_can_be_saved() {
    let house = House::new();
    let mut seat = house.seat();
    let save = |what: &str| house.fetch("files", &format!("1/{what}"));
    let Err(Refusal::Absent(none)) = save("state.npz") else { panic!("it begins at rest") };
    assert!(none.contains("rest"), "{none}");
    house.ask(&seat, "hand.grab", grab(1, 1, 0.2));
    seen(&mut seat, |f| f.bodies[0].time > 0.3 && !f.hands.is_empty());
    let scenario = save("scenario.toml").expect("a scenario");
    let text = String::from_utf8(scenario.bytes.to_vec()).expect("text");
    assert!(text.contains("[[spring]]") && scenario.name.as_deref() == Some("bar.toml"), "{text}");
    let motion = save("motion.glb").expect("a motion");
    assert!(motion.bytes.starts_with(b"glTF") && motion.name.as_deref() == Some("bar.glb"));
    house.ask(&seat, "feel.set", json!({"body": 1, "stiffness": 1e7}));
    heard(&mut seat, "feel.settings", |s| s["stiffness"].as_f64().is_some_and(|x| x > 9e6));
    let saved = save("model.pliant").expect("a model");
    let saved = Model::from_bytes(std::path::Path::new("bar.pliant"), &saved.bytes).expect("sound");
    assert!((saved.frequencies_hz()[0] / model().frequencies_hz()[0] - 5f64.sqrt()).abs() < 1e-9);
    assert!(save("state.npz").is_ok(), "a change of settings begins in the middle of the motion");
}

#[test]
fn a_body_is_made_anew_as_another_form_held_elsewhere_and_of_another_size() {
    let house = House::new();
    let mut seat = house.seat();
    for (seq, (change, words)) in [
        (json!({"form": "jelly"}), "there is no form"),
        (json!({"tets": 10}), "50 to 60000"),
        (json!({"size": 1e9}), "from 1 µm to 10 km"),
        (json!({"up": "north"}), "there is no axis"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut ask = change.clone();
        (ask["body"], ask["seq"]) = (json!(1), json!(seq));
        house.ask(&seat, "build.shape", ask);
        let refused = heard(&mut seat, "refused", |_| true);
        assert!(refused["sentence"].as_str().is_some_and(|said| said.contains(words)), "{refused}");
    }
    house.ask(&seat, "feel.set", json!({"body": 1, "stiffness": 4e6}));
    house.ask(&seat, "build.shape", json!({"body": 1, "seq": 90, "hold": "nothing", "up": "x"}));
    let draft = heard(&mut seat, "bodies.came", |body| body["why"] == "rebuilt");
    assert_eq!(
        (&draft["replaces"], &draft["free"], &draft["form"]),
        (&json!(1), &json!(true), &json!("solid"))
    );
    assert_eq!(draft["forms"], json!(["solid", "shell"]), "it came as a solid");
    let floats = heard(&mut seat, "bodies.came", |body| body["why"] == "refined");
    let feel = heard(&mut seat, "feel.settings", |feel| feel["body"] == floats["body"]);
    let stiffness = feel["stiffness"].as_f64().expect("a number");
    assert!((stiffness / 4e6 - 1.0).abs() < 1e-9, "it keeps what it is made of: {stiffness}");
    heard(&mut seat, "jobs.news", ended);
    let ask = json!({"body": floats["body"], "seq": 91, "form": "shell", "hold": "top", "size": 0.5});
    house.ask(&seat, "build.shape", ask);
    let skin = heard(&mut seat, "bodies.came", |body| body["why"] == "reshaped");
    assert_eq!((&skin["kind"], &skin["form"]), (&json!("triangles"), &json!("shell")));
    assert!(skin["pinned"].as_u64().is_some_and(|held| held > 0), "{skin}");
    assert!((skin["length"].as_f64().expect("a number") - 0.5).abs() < 1e-9 && skin["proposed"].is_null());
    // It was turned: now its upper end is one of the two ends of the bar, nine vertices.
    let done = heard(&mut seat, "bodies.came", |body| body["why"] == "refined");
    assert_eq!(done["pinned"], 9, "{done}");
}

#[test]
fn the_last_seconds_and_the_numbers_of_colours_are_files() {
    let house = House::new();
    let mut seat = house.seat();
    let floats = |served: &Served, name: &str| -> Vec<f32> {
        let file = safetensors::SafeTensors::deserialize(&served.bytes).expect("safetensors");
        let tensor = file.tensor(name).expect("a tensor");
        tensor.data().chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().expect("four bytes"))).collect()
    };
    let largest = |name: &str| -> f32 {
        let served = house.fetch("colours", &format!("1/{name}")).expect("numbers");
        let values = floats(&served, "values");
        assert_eq!(values.len(), rest().len(), "{name}");
        values.into_iter().fold(0.0, f32::max)
    };
    for name in ["displacement", "strain", "stress", "energy"] {
        assert_eq!(largest(name), 0.0, "{name} at rest");
    }
    assert!(largest("weights") > 0.0);
    let Err(Refusal::Absent(said)) = house.fetch("colours", "1/error") else { panic!("it moves") };
    assert!(said.contains("pause first"), "{said}");
    let Err(Refusal::Absent(said)) = house.fetch("colours", "1/mood") else { panic!("no such quantity") };
    assert!(said.contains("there is no quantity \"mood\"; there are: displacement, strain"), "{said}");
    assert!(matches!(house.fetch("colours", "7/strain"), Err(Refusal::Absent(_))));
    // So are the surfaces of our shapes, for a gallery.
    let bar = house.fetch("files", "shape/bar").expect("a surface");
    assert!(floats(&bar, "rest").len() > 20);
    assert!(matches!(house.fetch("files", "shape/horse"), Err(Refusal::Absent(_))));
    let (vertex, at) = tip();
    let target = [at.x, at.y + 0.2, at.z];
    house.ask(&seat, "hand.grab", json!({"body": 1, "id": 1, "vertex": vertex, "target": target}));
    seen(&mut seat, |f| f.bodies[0].time > 0.5);
    house.ask(&seat, "time.pause", json!({"paused": true}));
    let now = seen(&mut seat, |f| f.paused).bodies[0].q.clone();
    let past = house.fetch("time", "1/past").expect("the last seconds");
    let (times, q) = (floats(&past, "times"), floats(&past, "q"));
    assert!(times.len() > 20 && times.is_sorted() && times[0] == 0.0, "{times:?}");
    assert_eq!(q.len(), times.len() * now.len());
    assert_eq!(&q[q.len() - now.len()..], &now[..], "they end with what is seen now");
    // A bar of 2 MPa that is bent by some centimetres.
    assert!((1e-3..1.0).contains(&largest("strain")), "{}", largest("strain"));
    assert!((1e3..1e6).contains(&largest("stress")), "{}", largest("stress"));
    assert!(largest("energy") > 0.0 && (0.05..0.3).contains(&largest("displacement")));
    // A cubature of some points is not exact, and not far off.
    assert!((1e-6..1.0).contains(&largest("error")), "{}", largest("error"));
    // Twice as stiff in the same pose is twice the stress.
    let before = largest("stress");
    house.ask(&seat, "feel.set", json!({"body": 1, "stiffness": 4e6}));
    heard(&mut seat, "feel.settings", |feel| feel["stiffness"].as_f64().is_some_and(|x| x > 3.9e6));
    assert!((largest("stress") / before - 2.0).abs() < 1e-3);
}
