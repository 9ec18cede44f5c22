//! The engine behind a hub, without sockets, and the body without an engine.

use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pliant::energy::Recipe;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{select, shapes};
use pliant::reduce::{Model, Precompute};
use serde_json::Value;

use super::clock::DT;
use super::playing::Playing;
use crate::Opening;
use crate::hub::{Hub, Refusal, Saving, Seat, Upload};
use crate::job;
use crate::protocol::{Change, Damping, Pins, Rebuild, Request};

/// What takes longer hangs; machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(600);

/// A bar that is held at one end, reduced in a moment.
fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
        let recipe = Recipe { young: Some(2e6), fixed, ..Recipe::default() };
        let precompute =
            Precompute { modes: Some(5), rank: Some(12), poses: Some(30), ..Precompute::default() };
        precompute.build(bar, recipe, &mut ignore_progress).expect("a model").model
    })
}

fn playing() -> Playing {
    Playing::new(1, &job::finished(model().clone())).expect("a body")
}

/// The shown vertex in the middle of the free end, and where it is.
fn tip(body: &Playing) -> (u32, Vec3) {
    let rest = shown(body);
    let far = |v: &usize| (rest[*v] - Vec3::new(1.0, 0.1, 0.1)).norm();
    let v = (0..rest.len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("a surface");
    (v as u32, place(body, v as u32))
}

/// Where the shown vertices rest.
fn shown(body: &Playing) -> &[Vec3] {
    &body.live().model().surface().rest
}

/// Where a shown vertex is.
fn place(body: &Playing, v: u32) -> Vec3 {
    body.live_body().place(v).expect("a vertex of the surface")
}

/// One step; why the body was put back, if it was.
fn step(body: &mut Playing) -> Result<(), String> {
    body.world.step();
    body.stumbled().map_or(Ok(()), |stumble| Err(stumble.trouble.to_string()))
}

fn steps(body: &mut Playing, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        step(body).expect("a sound step");
    }
}

#[test]
fn a_hand_takes_the_body_with_it_and_the_body_comes_to_rest_again() {
    let mut body = playing();
    let (v, rest) = tip(&body);
    let target = rest + Vec3::new(0.0, 0.1, 0.0);
    body.grab(1, 7, v, rest.into()).expect("a grab");
    steps(&mut body, 0.1);
    assert!((tip(&body).1 - rest).norm() < 1e-9, "nothing jumps when a hand closes");
    body.drag(1, 7, target.into()).expect("a drag");
    steps(&mut body, 6.0);
    let moved = tip(&body).1.y - rest.y;
    assert!((0.05..0.1).contains(&moved), "a hand that stands still takes most of the way: {moved}");
    let held = body.held();
    let force = Vec3::from(held[0].force);
    assert!(held.len() == 1 && held[0].vertex == v && force.y > 0.0, "{held:?}");
    assert!(body.release(1, 7) && !body.release(1, 7) && body.held().is_empty());
    steps(&mut body, 15.0);
    assert!((tip(&body).1 - rest).norm() < 1e-3, "{}", tip(&body).1 - rest);
}

#[test]
fn a_hand_beside_the_pins_does_not_tear_the_body() {
    let mut body = playing();
    let (tip, _) = tip(&body);
    // Where the body hardly gives way: the first vertices that are not held.
    let movable = |v: &u32| !model().surface_basis().is_held(*v as usize);
    let near = |v: &u32| shown(&body)[*v as usize].x;
    let stiffest = (0..shown(&body).len() as u32).filter(movable).min_by(|a, b| near(a).total_cmp(&near(b)));
    let stiffest = stiffest.expect("a vertex beside the pins");
    let force = |body: &mut Playing, v: u32| {
        let here = place(body, v);
        body.grab(1, 1, v, (here + Vec3::new(0.0, 0.2, 0.0)).into()).expect("a grab");
        let force = Vec3::from(body.held()[0].force).norm();
        steps(body, 1.0);
        body.release(1, 1);
        force
    };
    let soft = force(&mut body, tip);
    body.reset();
    let stiff = force(&mut body, stiffest);
    assert!(stiff < 100.0 * soft, "{stiff} N beside the pins, {soft} N at the tip");
    assert!(
        (place(&body, tip) - shown(&body)[tip as usize]).norm() < 0.5,
        "it is where it was, more or less"
    );
}

#[test]
fn four_times_the_stiffness_is_twice_the_frequency() {
    let swings = |change: &Change| {
        let mut body = playing();
        let undamped = Change { damping: Some(Damping { mass: 0.0, stiffness: 0.0 }), ..change.clone() };
        body.change(&undamped).expect("sound settings");
        let (_, rest) = tip(&body);
        // In its lowest mode alone, which in a square bar may swing along y or z.
        let modes = model().natural_modes().expect("modes");
        let lowest: Vec<f64> = modes.shapes[..12].iter().map(|x| 0.01 * x).collect();
        body.change_live(|live| live.set_state(&lowest, &[0.0; 12])).expect("a state");
        let along = tip(&body).1 - rest;
        let mut last = 0.0;
        let mut crossings = 0;
        for _ in 0..(8.0 / DT) as usize {
            step(&mut body).expect("a sound step");
            let now = (tip(&body).1 - rest).dot(&along);
            crossings += usize::from(now * last < 0.0);
            last = now;
        }
        crossings as f64
    };
    let built = swings(&Change::default());
    let frequency = built / 16.0;
    let wanted = model().frequencies_hz()[0];
    assert!((frequency / wanted - 1.0).abs() < 0.05, "{frequency} Hz instead of {wanted} Hz");
    let stiff = swings(&Change { stiffness: Some(8e6), ..Change::default() });
    assert!((stiff / built - 2.0).abs() < 0.1, "{built} and {stiff} crossings");
    let heavy = swings(&Change { density: Some(4000.0), ..Change::default() });
    assert!((heavy / built - 0.5).abs() < 0.05, "{built} and {heavy} crossings");
}

#[test]
fn settings_are_what_they_were_set_to_and_nonsense_is_refused() {
    let mut body = playing();
    let change = Change {
        stiffness: Some(5e6),
        density: Some(900.0),
        damping: Some(Damping { mass: 0.5, stiffness: 0.01 }),
        gravity: Some([0.0, -9.81, 0.0]),
        integrator: Some("backward-euler".into()),
        coordinates: Some(7),
        speed: Some(0.5),
    };
    body.change(&change).expect("sound settings");
    let now = body.settings(true);
    let built = now.built;
    assert!((built.stiffness / 2e6 - 1.0).abs() < 1e-12 && (built.density / 1000.0 - 1.0).abs() < 1e-12);
    assert!((now.stiffness / 5e6 - 1.0).abs() < 1e-12 && (now.density / 900.0 - 1.0).abs() < 1e-12);
    assert_eq!((now.damping, now.gravity), (change.damping.unwrap(), change.gravity.unwrap()));
    assert_eq!((now.integrator.as_str(), now.coordinates, now.speed), ("backward-euler", 7, 0.5));
    steps(&mut body, 0.5);
    for (bad, word) in [
        (Change { stiffness: Some(-1.0), ..Change::default() }, "stiffness"),
        (Change { density: Some(f64::NAN), ..Change::default() }, "density"),
        (Change { damping: Some(Damping { mass: -1.0, stiffness: 0.0 }), ..Change::default() }, "damping"),
        (Change { gravity: Some([0.0, f64::INFINITY, 0.0]), ..Change::default() }, "gravity"),
        (Change { gravity: Some([1e300; 3]), ..Change::default() }, "gravity"),
        (Change { integrator: Some("magic".into()), ..Change::default() }, "newmark"),
        (Change { integrator: Some("modal".into()), ..Change::default() }, "linear"),
        (Change { coordinates: Some(0), ..Change::default() }, "1 to 12"),
        (Change { coordinates: Some(13), ..Change::default() }, "1 to 12"),
    ] {
        let said = body.change(&bad).expect_err("refused");
        assert!(said.contains(word), "{said}");
        step(&mut body).expect("as before");
    }
}

#[test]
fn hands_that_are_nowhere_or_far_away_are_harmless() {
    let mut body = playing();
    let (v, rest) = tip(&body);
    assert!(body.grab(1, 1, v, [f64::NAN, 0.0, 0.0]).is_err());
    assert!(body.grab(1, 1, 1_000_000, rest.into()).unwrap_err().contains("there is no vertex"));
    let held = shown(&body).iter().position(|p| p.x == 0.0).expect("the held end");
    assert!(body.grab(1, 1, held as u32, rest.into()).unwrap_err().contains("pinned"));
    assert!(body.drag(1, 1, rest.into()).unwrap_err().contains("grab"));
    for id in 0..10 {
        body.grab(1, id, v, rest.into()).expect("ten hands");
    }
    assert!(body.grab(1, 10, v, rest.into()).unwrap_err().contains("release"));
    body.grab(2, 10, v, rest.into()).expect("another client has ten of its own");
    body.release_all(1);
    assert_eq!(body.held().iter().map(|h| h.client).collect::<Vec<_>>(), [2]);
    // Torn in turns, at the strongest that can be asked for.
    for (k, target) in
        [[1e300, -1e300, 1e300], [-1e9, 1e9, 0.0], [0.0, 5.0, -5.0]].iter().cycle().take(12).enumerate()
    {
        body.drag(2, 10, *target).expect("clamped");
        for _ in 0..120 {
            if step(&mut body).is_err() {
                body.grab(2, 10, v, *target).expect("a grab");
            }
        }
        assert!(body.live().q().iter().all(|q| q.is_finite()), "pull {k}");
    }
    body.release_all(2);
    steps(&mut body, 20.0);
    assert!((tip(&body).1 - rest).norm() < 1e-2, "{}", tip(&body).1 - rest);
}

/// An engine that plays the bar.
struct Stage {
    hub: Arc<Hub>,
    engine: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bar.pliant");
        model().write(&path).expect("a file");
        let (hub, inbox) = Hub::new(None);
        let engine = super::start(hub.clone(), inbox, Opening::File(path)).expect("a thread");
        Self { hub, engine: Some(engine), _folder: folder }
    }

    /// A client that has heard of the first body.
    fn seat(&self) -> Seat {
        let mut seat = self.hub.join(Value::Null, Value::Null);
        if !seat.greeting.iter().any(|said| said.contains(r#""event":"body""#)) {
            heard(&mut seat, "body", |_| true);
        }
        seat
    }

    fn upload(&self, name: &str, text: &str) -> Result<u32, Refusal> {
        let file = Upload { name: name.into(), bytes: text.as_bytes().to_vec() };
        block_on(self.hub.upload(None, vec![file]))
    }
}

impl Drop for Stage {
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
fn seen(seat: &mut Seat, so: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let frame = seat.frames.borrow_and_update().clone();
        if !frame.is_empty() && so(&frame) {
            return frame.to_vec();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("no such frame within {PATIENCE:?}")
}

fn u32_at(frame: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(frame[at..at + 4].try_into().expect("four bytes"))
}

fn grabs(frame: &[u8]) -> u16 {
    u16::from_le_bytes([frame[12], frame[13]])
}

fn ended(said: &Value) -> bool {
    said["state"] != "running"
}

#[test]
fn two_clients_see_each_others_hands_and_leaving_opens_them() {
    let stage = Stage::new();
    let (mut one, mut two) = (stage.seat(), stage.seat());
    let (v, rest) = tip(&playing());
    let target = [rest.x, rest.y + 0.1, rest.z];
    stage.hub.ask(one.client, Request::Grab { id: 3, body: 1, vertex: v, target });
    stage.hub.ask(two.client, Request::Grab { id: 3, body: 1, vertex: v, target });
    let both = seen(&mut two, |f| grabs(f) == 2);
    assert_eq!(u32_at(&both, 4), 1, "of the first body");
    seen(&mut one, |f| f32::from_le_bytes(f[28..32].try_into().unwrap()) > 0.0);
    let client = two.client;
    drop(one);
    let left = seen(&mut two, |f| grabs(f) == 1);
    assert_eq!(u32_at(&left, left.len() - 36), client);
    stage.hub.ask(client, Request::Grab { id: 4, body: 9, vertex: v, target });
    let refused = heard(&mut two, "refused", |_| true);
    assert!(
        refused["do"] == "grab" && refused["sentence"].as_str().unwrap().contains("replaced"),
        "{refused}"
    );
    stage.hub.ask(client, Request::Reset {});
    seen(&mut two, |f| grabs(f) == 0);
    stage.hub.ask(client, Request::Release { id: 3 });
    stage.hub.ask(client, Request::Cancel {});
    assert!(heard(&mut two, "refused", |_| true)["do"] == "cancel", "opening an open hand is no mistake");
}

#[test]
fn time_stands_still_while_paused_or_alone_and_goes_on_step_by_step() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    let time = |frame: &[u8]| f64::from_le_bytes(frame[16..24].try_into().unwrap());
    seen(&mut seat, |f| time(f) > 0.05);
    stage.hub.ask(seat.client, Request::Step {});
    assert!(heard(&mut seat, "refused", |_| true)["sentence"].as_str().unwrap().contains("pause"));
    stage.hub.ask(seat.client, Request::Pause { paused: true });
    heard(&mut seat, "settings", |s| s["paused"] == true);
    let stopped = seen(&mut seat, |f| f[1] & 1 == 1);
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(time(&seat.frames.borrow_and_update()), time(&stopped));
    stage.hub.ask(seat.client, Request::Step {});
    let next = seen(&mut seat, |f| time(f) > time(&stopped));
    assert!((time(&next) - time(&stopped) - DT).abs() < 1e-9);
    stage.hub.ask(seat.client, Request::Pause { paused: false });
    seen(&mut seat, |f| time(f) > time(&next) + 0.02);
    let watched = time(&seat.frames.borrow_and_update());
    drop(seat);
    std::thread::sleep(Duration::from_secs(2));
    let passed = time(&stage.seat().frames.borrow_and_update()) - watched;
    assert!(passed < 1.0, "{passed} s of the body passed in two in which nobody watched");
}

#[test]
fn a_body_that_gravity_tears_off_is_put_back_and_freed_of_it() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    let torn = Change { stiffness: Some(2.0), gravity: Some([0.0, -1e4, 0.0]), ..Change::default() };
    stage.hub.ask(seat.client, Request::Set(torn));
    assert!(heard(&mut seat, "settings", |s| s["gravity"][1] == -1e4)["paused"] == false);
    let stumbled = heard(&mut seat, "stumbled", |_| true);
    assert!(stumbled["sentence"].as_str().unwrap().contains("put back"), "{stumbled}");
    heard(&mut seat, "settings", |s| s["gravity"][1] == 0.0);
    seen(&mut seat, |f| f[1] & 2 == 2);
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
    let stage = Stage::new();
    let mut seat = stage.seat();
    let job = stage.upload("../../../etc/cube.obj", &cube()).expect("a job");
    let Err(Refusal::Busy(busy)) = stage.upload("b.obj", &cube()) else { panic!("one job at a time") };
    assert!(busy.contains("cancel"), "{busy}");
    let findings = heard(&mut seat, "findings", |f| f["job"] == job);
    assert_eq!(findings["name"], "cube.obj");
    assert!(stage.hub.preview(job).is_some_and(|bytes| !bytes.is_empty()));
    let body = heard(&mut seat, "body", |_| true);
    assert_eq!(
        (&body["name"], &body["why"], &body["kind"]),
        (&"cube.obj".into(), &"dropped".into(), &"tets".into())
    );
    assert!(body["body"] == 2 && body["pinned"].as_u64().unwrap() > 0 && body["free"] == false, "{body}");
    assert!(
        body["notes"].as_array().unwrap().iter().any(|n| n.as_str().unwrap().contains("lowest 5 %")),
        "{body}"
    );
    assert_eq!(heard(&mut seat, "job", |j| ended(j) && j["job"] == job)["state"], "done");
    seen(&mut seat, |f| u32_at(f, 4) == 2);
    assert!(stage.hub.shapes(2).is_some_and(|s| s.inside.is_some()) && stage.hub.shapes(1).is_none());
}

#[test]
fn a_broken_file_gives_the_sentence_of_the_command_line_and_the_body_stays() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    for (name, text, words) in [
        ("bad.obj", "v 0 0 0\nf 1 2 3\n", ["bad.obj: ", "expected"]),
        ("what.xyz", "1 2 3", ["what.xyz: unknown format", "known endings"]),
        ("bad.pliant", "nothing", ["bad.pliant: ", ""]),
        ("../empty.stl", "", ["empty.stl", ""]),
    ] {
        let job = stage.upload(name, text).expect("a job");
        let news = heard(&mut seat, "job", |j| ended(j) && j["job"] == job);
        let said = news["message"].as_str().unwrap_or_default();
        assert_eq!(news["state"], "failed", "{name}");
        assert!(words.iter().all(|w| said.contains(w)) && !said.contains("../"), "{said}");
    }
    assert_eq!(stage.hub.body(), Some(1));
}

#[test]
fn a_job_that_is_cancelled_leaves_the_body_as_it_is() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    stage.hub.ask(seat.client, Request::Shape { name: "dragon".into() });
    assert!(heard(&mut seat, "refused", |_| true)["sentence"].as_str().unwrap().contains("dino"));
    stage.hub.ask(seat.client, Request::Shape { name: "bridge".into() });
    heard(&mut seat, "job", |j| j["state"] == "running" && j["title"] == "bridge");
    stage.hub.ask(seat.client, Request::Cancel {});
    assert_eq!(heard(&mut seat, "job", ended)["state"], "cancelled");
    assert_eq!(stage.hub.body(), Some(1));
}

#[test]
fn a_body_is_rebuilt_with_other_pins_and_what_is_not_given_stays() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    stage.hub.ask(seat.client, Request::Build(Rebuild { modes: Some(1000), ..Rebuild::default() }));
    assert!(heard(&mut seat, "refused", |_| true)["sentence"].as_str().unwrap().contains("1 to 60"));
    stage.hub.ask(seat.client, Request::Set(Change { stiffness: Some(4e6), ..Change::default() }));
    let body = playing();
    let rest = shown(&body);
    let vertices = (0..rest.len() as u32).filter(|p| rest[*p as usize].x == 1.0).collect();
    let pins = Some(Pins { body: 1, vertices });
    stage.hub.ask(seat.client, Request::Build(Rebuild { pins, modes: Some(4), ..Rebuild::default() }));
    let rebuilt = heard(&mut seat, "body", |_| true);
    assert_eq!((&rebuilt["why"], &rebuilt["by"]), (&"rebuilt".into(), &seat.client.into()));
    // Nine at the other end now; the stiffness that was set is what it is built with.
    assert!(rebuilt["pinned"] == 9 && rebuilt["modes"] == 4, "{rebuilt}");
    let settings = heard(&mut seat, "settings", |_| true);
    assert!((settings["stiffness"].as_f64().unwrap() / 4e6 - 1.0).abs() < 1e-9, "{settings}");
    let shapes = stage.hub.shapes(2).expect("the new body");
    let file = safetensors::SafeTensors::deserialize(&shapes.shape).expect("safetensors");
    let pinned = file.tensor("pinned").expect("pins").data().to_vec();
    for (p, pinned) in pinned.iter().enumerate() {
        assert_eq!(*pinned == 1, rest[p].x == 1.0, "vertex {p}");
    }
    let none = Some(Pins { body: 2, vertices: Vec::new() });
    stage.hub.ask(seat.client, Request::Build(Rebuild { pins: none, ..Rebuild::default() }));
    assert_eq!(heard(&mut seat, "body", |b| b["body"] == 3)["free"], true);
}

#[test]
fn a_law_with_constants_of_its_own_comes_and_goes() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    let client = seat.client;
    let ask = |name: &str, constants: &[(&str, f64)]| {
        let constants = Some(constants.iter().map(|(key, x)| ((*key).to_owned(), *x)).collect());
        let (material, forces) = (Some(name.into()), Some("linear".into()));
        let change = Rebuild { material, constants, forces, modes: Some(3), ..Rebuild::default() };
        stage.hub.ask(client, Request::Build(change));
    };
    let rubber = [("mu10", 2e5), ("mu01", 1e5), ("v1", 1e6)];
    ask("mooney-rivlin", &rubber[..2]);
    let failed = heard(&mut seat, "job", |job| job["state"] == "failed");
    let words = "v1, the volume coefficient (its field below the Material menu)";
    assert!(failed["message"].as_str().is_some_and(|said| said.contains(words)), "{failed}");
    ask("mooney-rivlin", &rubber);
    let body = heard(&mut seat, "body", |_| true);
    assert_eq!(body["material"], "mooney-rivlin");
    assert_eq!(body["constants"], serde_json::json!({"mu01": 1e5, "mu10": 2e5, "v1": 1e6}));
    ask("stvk", &[]);
    let body = heard(&mut seat, "body", |_| true);
    assert_eq!((&body["material"], &body["constants"]), (&"stvk".into(), &serde_json::json!({})));
}

#[test]
fn what_was_played_can_be_saved() {
    let stage = Stage::new();
    let mut seat = stage.seat();
    let (v, rest) = tip(&playing());
    let save = |what| block_on(stage.hub.save(what));
    let Err(Refusal::Absent(none)) = save(Saving::State) else { panic!("it begins at rest") };
    assert!(none.contains("rest"), "{none}");
    stage.hub.ask(
        seat.client,
        Request::Grab { id: 1, body: 1, vertex: v, target: [rest.x, rest.y + 0.2, rest.z] },
    );
    seen(&mut seat, |f| f64::from_le_bytes(f[16..24].try_into().unwrap()) > 0.3);
    let scenario = save(Saving::Scenario).expect("a scenario");
    let text = String::from_utf8(scenario.bytes).expect("text");
    assert!(text.contains("[[spring]]") && scenario.name == "bar.toml", "{text}");
    let motion = save(Saving::Motion).expect("a motion");
    assert!(motion.bytes.starts_with(b"glTF") && motion.name == "bar.glb");
    stage.hub.ask(seat.client, Request::Set(Change { stiffness: Some(1e7), ..Change::default() }));
    heard(&mut seat, "settings", |s| s["stiffness"].as_f64().is_some_and(|x| x > 9e6));
    let saved = save(Saving::Model).expect("a model");
    let saved = Model::from_bytes(std::path::Path::new(&saved.name), &saved.bytes).expect("sound");
    assert!((saved.frequencies_hz()[0] / model().frequencies_hz()[0] - 5f64.sqrt()).abs() < 1e-9);
    assert!(save(Saving::State).is_ok(), "a change of settings begins in the middle of the motion");
}
