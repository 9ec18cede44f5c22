//! Bodies that follow handles: a job makes one ready, and every move of a handle is answered by a few iterations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant::edit::{Followed, HandleId, Session, Transform};
use pliant::linalg::{Mat3, Vec3};
use pliant::mesh::MeshData;
use pliant::sim::Motion;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Answer, Family, Making, News, absent, done, number};
use crate::command::{Refusal, Served};
use crate::job::{Job, Report};
use crate::protocol::{Ask, event};
use crate::stage::Stage;
use crate::words::sentence;

/// Iterations of a move, so that sixty a second can be answered: T14 section 5.4 takes 5 to 10.
const OF_MOVE: usize = 8;

/// Of a request that only goes on.
const OF_FOLLOW: usize = 24;

/// What a job has made, or will.
type Slot = Arc<Mutex<Option<Session>>>;

#[derive(Default)]
pub(super) struct Edit {
    /// By body.
    sessions: BTreeMap<u32, Slot>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Begin { body: u32 },
    End { body: u32 },
    Handle { body: u32, vertices: Vec<u32> },
    Move { body: u32, handle: u32, to: [f64; 12] },
    Follow { body: u32 },
    Forget { body: u32, handle: u32 },
    Reset { body: u32 },
    Load { body: u32, text: String },
}

fn open(slot: &Slot) -> MutexGuard<'_, Option<Session>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Twelve numbers, row by row: x ↦ L x + o.
fn transform(to: &[f64; 12]) -> Transform {
    let linear = Mat3::from_fn(|r, c| to[4 * r + c]);
    Transform { linear, offset: Vec3::new(to[3], to[7], to[11]) }
}

fn numbers(to: &Transform) -> Vec<f64> {
    to.matrix()[..3].concat()
}

/// The topic of the places of a body's handles, and that of what they hold.
fn places(body: u32) -> u32 {
    2 * body + 1
}

fn regions(body: u32) -> u32 {
    2 * body
}

impl Edit {
    /// Works on the session of a body.
    ///
    /// # Errors
    /// A body that is not there or not ready, and whatever `work` refuses.
    fn with<T>(
        &self,
        body: u32,
        stage: &mut Stage,
        work: impl FnOnce(&mut Session) -> Result<T, String>,
    ) -> Result<T, String> {
        stage.actor(body)?;
        let slot = self.sessions.get(&body);
        let slot = slot.ok_or("this body is not being edited; begin first")?;
        let mut session = open(slot);
        let session = session.as_mut().ok_or("this body is being made ready; wait for the job")?;
        work(session)
    }

    /// The shape of the session is shown: the body stands in it, without a velocity.
    fn show(&self, body: u32, stage: &mut Stage) -> Result<(), String> {
        let q = self.with(body, stage, |session| Ok(session.q().to_vec()))?;
        let id = stage.actor(body)?.id;
        let still = vec![0.0; q.len()];
        stage.live_body_mut(id).change(|live| live.set_state(&q, &still)).map_err(|e| sentence(&e))?;
        stage.changed = true;
        Ok(())
    }

    /// Tells what is held, and where it is to be.
    fn tell(&self, body: u32, stage: &mut Stage) -> Result<(), String> {
        let handles = self.with(body, stage, |session| {
            let of = |handle: HandleId| {
                let vertices = session.shown(handle).map_err(|e| sentence(&e))?;
                Ok(json!({ "handle": handle.number(), "vertices": vertices }))
            };
            session.handles().into_iter().map(of).collect::<Result<Vec<Value>, String>>()
        })?;
        let all = json!({ "body": body, "handles": handles });
        stage.hub.keep("edit", regions(body), event("edit.handles", &all));
        self.tell_places(body, None, stage)
    }

    fn tell_places(&self, body: u32, by: Option<u32>, stage: &mut Stage) -> Result<(), String> {
        let now = self.with(body, stage, |session| {
            let of = |handle: HandleId| {
                let to = numbers(session.placed(handle).map_err(|e| sentence(&e))?);
                Ok(json!({ "handle": handle.number(), "to": to }))
            };
            let places = session.handles().into_iter().map(of).collect::<Result<Vec<Value>, String>>()?;
            let mut now = session.last().map_or_else(Map::new, |last| last.facts().to_json());
            now.insert("body".into(), body.into());
            now.insert("by".into(), json!(by));
            now.insert("places".into(), places.into());
            Ok(now)
        })?;
        stage.hub.keep("edit", places(body), event("edit.now", &now));
        Ok(())
    }

    /// A few iterations; the answer.
    fn follow(
        &self,
        body: u32,
        work: impl FnOnce(&mut Session) -> Result<Followed, String>,
        by: u32,
        stage: &mut Stage,
    ) -> Answer {
        if !stage.paused {
            return Err("the bodies move by themselves; pause first".into());
        }
        let followed = self.with(body, stage, work)?;
        self.show(body, stage)?;
        self.tell_places(body, Some(by), stage)?;
        Ok(followed.facts().to_json())
    }

    fn begin(&mut self, body: u32, by: u32, stage: &mut Stage) -> Answer {
        let actor = stage.actor(body)?;
        let live = stage.live_body(actor.id).live();
        if live.motion() != Motion::Nonlinear {
            return Err("a body is edited by its own forces; choose the motion by those first".into());
        }
        if live.coordinates() != live.model().rank() {
            return Err("a body is edited in all of its coordinates; use all of them first".into());
        }
        // Whoever comes second joins.
        if self.sessions.get(&body).is_some_and(|slot| open(slot).is_some()) {
            return Ok(Map::from_iter([("job".to_owned(), Value::Null)]));
        }
        let (model, title) = (live.model().clone(), format!("Getting {} ready to be edited", actor.name));
        let slot = Slot::default();
        let into = slot.clone();
        let work = move |_: &mut Report| {
            let session = Session::new(&model).map_err(|error| sentence(&error))?;
            *open(&into) = Some(session);
            Ok(None)
        };
        let job = Job { title, by: Some(by), work: Box::new(work) };
        let job = stage.jobs.start(job, None).map_err(|refusal| refusal.sentence().to_owned())?;
        self.end(body, stage);
        self.sessions.insert(body, slot);
        Ok(Map::from_iter([("job".to_owned(), json!(job))]))
    }

    fn end(&mut self, body: u32, stage: &mut Stage) {
        if self.sessions.remove(&body).is_some() {
            [regions(body), places(body)].into_iter().for_each(|topic| stage.hub.forget("edit", topic));
            stage.hub.tell(event("edit.ended", &json!({ "body": body })));
        }
    }
}

impl Family for Edit {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let said = |error: pliant::sim::SimError| sentence(&error);
        match ask.read_as()? {
            Words::Begin { body } => self.begin(body, client, stage),
            Words::End { body } => {
                stage.actor(body)?;
                self.end(body, stage);
                done()
            }
            Words::Handle { body, vertices } => {
                let handle = self.with(body, stage, |session| session.hold(&vertices).map_err(said))?;
                self.tell(body, stage)?;
                Ok(Map::from_iter([("handle".to_owned(), json!(handle.number()))]))
            }
            Words::Move { body, handle, to } => {
                let to = transform(&to);
                let go =
                    |session: &mut Session| session.go(HandleId::new(handle), &to, OF_MOVE).map_err(said);
                self.follow(body, go, client, stage)
            }
            Words::Follow { body } => {
                self.follow(body, |session| Ok(session.follow(OF_FOLLOW)), client, stage)
            }
            Words::Forget { body, handle } => {
                self.with(body, stage, |session| session.forget(HandleId::new(handle)).map_err(said))?;
                self.tell(body, stage)?;
                done()
            }
            Words::Reset { body } => {
                self.with(body, stage, |session| {
                    session.reset();
                    Ok(())
                })?;
                self.show(body, stage)?;
                self.tell_places(body, Some(client), stage)?;
                done()
            }
            Words::Load { body, text } => {
                let loaded = self.with(body, stage, |session| session.load(&text).map_err(said))?;
                self.tell(body, stage)?;
                let of = |(handle, to): &(HandleId, Transform)| json!({ "handle": handle.number(), "to": numbers(to) });
                let places: Vec<Value> = loaded.iter().map(of).collect();
                Ok(Map::from_iter([("places".to_owned(), places.into())]))
            }
        }
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match *news {
            News::Came { replaces: Some(gone), .. } | News::Went { body: gone, .. } => self.end(gone, stage),
            // The world has put the bodies back; what is edited goes back with them.
            News::Reset => {
                for body in self.sessions.keys().copied().collect::<Vec<_>>() {
                    let back = self.with(body, stage, |session| {
                        session.reset();
                        Ok(())
                    });
                    if back.is_ok() {
                        let _ = self.tell_places(body, None, stage);
                    }
                }
            }
            _ => {}
        }
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let body = number(path)?;
        let name = stage.actor(body).map_err(Refusal::Absent)?.name.clone();
        let stem = Path::new(&name).file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
        let served = |name: String, media: &'static str, bytes: Vec<u8>| Served {
            media,
            name: Some(name),
            bytes: Arc::new(bytes),
            packable: None,
        };
        match path[1..] {
            ["handles.toml"] => {
                let text =
                    self.with(body, stage, |session| Ok(session.to_toml())).map_err(Refusal::Absent)?;
                Ok(Making::Made(served(
                    format!("{stem}-handles.toml"),
                    "application/toml",
                    text.into_bytes(),
                )))
            }
            [file @ ("shape.obj" | "shape.ply" | "shape.glb")] => {
                let mesh: MeshData =
                    self.with(body, stage, |session| Ok(session.mesh())).map_err(Refusal::Absent)?;
                let name = format!("{stem}-{}", file.replace("shape", "edited"));
                Ok(Making::Later(Box::new(move || {
                    let bytes = Session::file(&mesh, &name).map_err(|e| Refusal::Bad(sentence(&e)))?;
                    Ok(served(name, "application/octet-stream", bytes))
                })))
            }
            _ => Err(absent(path)),
        }
    }
}
