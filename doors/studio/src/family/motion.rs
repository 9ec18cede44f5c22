//! How a body moves: by its own forces, linearly, or linearly and shown warped; and ghosts of the last two.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pliant::reduce::Model;
use pliant::reduce::warp::{ReducedWarp, WarpTraining};
use pliant::sim::{Motion, motion};
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, News, done};
use crate::job::Job;
use crate::protocol::{Ask, event, put_f32};
use crate::stage::Stage;
use crate::words::sentence;

/// The model of a body with a warp, once it is trained.
type Trained = Arc<Mutex<Option<Arc<Model>>>>;

#[derive(Default)]
pub(super) struct Motions {
    ghosts: BTreeMap<u32, Ghost>,
    trained: BTreeMap<u32, Trained>,
    /// What was said last of each body.
    known: BTreeMap<u32, Motion>,
}

/// What shows a body warped beside its linear motion.
struct Ghost {
    warp: ReducedWarp,
    p: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Set { body: u32, motion: Option<String>, ghosts: Option<bool> },
}

impl Motions {
    fn tell(&mut self, stage: &Stage, body: u32) {
        let Ok(actor) = stage.actor(body) else { return };
        let live = stage.live_body(actor.id).live();
        self.known.insert(body, live.motion());
        let facts = live.model().warp_facts().ok().flatten();
        let now = json!({
            "body": body,
            "motion": live.motion().name(),
            "ghosts": self.ghosts.contains_key(&body),
            "warp": facts.map(|facts| json!({ "points": facts.points, "validation_error": facts.validation_error })),
        });
        stage.hub.keep("motion", body, event("motion.now", &now));
    }

    /// What was trained for a body becomes its own.
    fn take_trained(&mut self, stage: &mut Stage, body: u32) -> Result<(), String> {
        let made = self
            .trained
            .get(&body)
            .and_then(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Some(model) = made else { return Ok(()) };
        self.trained.remove(&body);
        let id = stage.actor(body)?.id;
        stage.live_body_mut(id).change(|live| live.take_warp_of(model)).map_err(|e| sentence(&e))
    }

    /// A job that trains a warp for a body; its number.
    fn train(&mut self, stage: &mut Stage, body: u32, client: u32) -> Result<u32, String> {
        let actor = stage.actor(body)?;
        let (title, model) = (actor.name.clone(), stage.live_body(actor.id).live().model().clone());
        let slot = Trained::default();
        let into = slot.clone();
        let work = Box::new(move |report: &mut crate::job::Report| {
            let training = WarpTraining::default();
            let made = Model::clone(&model).taught_to_warp(&training, &mut |p| report.tell(p));
            let made = made.map_err(|e| sentence(&e))?;
            *into.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(made));
            Ok(None)
        });
        let job = Job { title: format!("{title}, to warp"), by: Some(client), work };
        let number = stage.jobs.start(job, None).map_err(|refusal| refusal.sentence().to_owned())?;
        self.trained.insert(body, slot);
        Ok(number)
    }

    fn set(&mut self, stage: &mut Stage, client: u32, words: Words) -> Answer {
        let Words::Set { body, motion, ghosts } = words;
        let id = stage.actor(body)?.id;
        let wanted = motion.map(|name| motion::ALL.get(&name).map(|entry| entry.motion)).transpose();
        let wanted = wanted.map_err(|e| e.to_string())?;
        let needs_warp = wanted == Some(Motion::Warped) || ghosts == Some(true);
        if needs_warp {
            self.take_trained(stage, body)?;
            let has = stage.live_body(id).live().model().warp_facts().ok().flatten().is_some();
            if !has {
                let job = self.train(stage, body, client)?;
                return Ok(Map::from_iter([("job".to_owned(), json!(job))]));
            }
        }
        if let Some(wanted) = wanted {
            stage.live_body_mut(id).set_motion(wanted).map_err(|e| sentence(&e))?;
        }
        match ghosts {
            Some(true) => {
                let warp = stage.live_body(id).live().model().warp().map_err(|e| sentence(&e))?;
                self.ghosts.extend(warp.map(|warp| (body, Ghost { p: vec![0.0; warp.rank()], warp })));
            }
            Some(false) => drop(self.ghosts.remove(&body)),
            None => {}
        }
        stage.tell(News::Changed { body });
        done()
    }
}

impl Family for Motions {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let words = ask.read_as()?;
        self.set(stage, client, words)
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match *news {
            News::Came { body, replaces, .. } => {
                if let Some(old) = replaces {
                    stage.hub.forget("motion", old);
                    self.ghosts.remove(&old);
                    self.trained.remove(&old);
                    // It goes on as it moved, where it can.
                    let before = self.known.remove(&old).unwrap_or_default();
                    if let Ok(actor) = stage.actor(body) {
                        let id = actor.id;
                        let _ = stage.live_body_mut(id).set_motion(before);
                    }
                }
                self.tell(stage, body);
            }
            News::Changed { body } => self.tell(stage, body),
            News::Went { body, .. } => {
                stage.hub.forget("motion", body);
                self.ghosts.remove(&body);
                self.trained.remove(&body);
                self.known.remove(&body);
            }
            _ => {}
        }
    }

    /// Of each body that has ghosts and moves linearly: the coordinates of its linear motion, and those of what that looks like warped.
    fn section(&mut self, stage: &mut Stage, out: &mut Vec<u8>) {
        for (&body, Ghost { warp, p }) in &mut self.ghosts {
            let Ok(actor) = stage.actor(body) else { continue };
            let live = stage.live_body(actor.id).live();
            let q = live.q();
            if !live.motion().is_linear() || q.len() != p.len() {
                continue;
            }
            warp.apply(q, p);
            out.extend(body.to_le_bytes());
            out.extend((q.len() as u16).to_le_bytes());
            out.extend(0_u16.to_le_bytes());
            put_f32(out, q.iter().chain(&*p).copied());
        }
    }
}
