//! Which bodies there are, their shapes, where they stand and how they are.

use pliant::linalg::Vec3;
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, Making, News, absent, done, number};
use crate::command::{Refusal, Served};
use crate::protocol::{Ask, event, put_f32};
use crate::stage::{BodyFacts, Place, Stage};
use crate::words::sentence;

pub(super) struct Bodies;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Duplicate { body: u32 },
    Remove { body: u32 },
    Place { body: u32, position: [f64; 3], turn: Option<[f64; 4]> },
}

impl Bodies {
    fn facts(stage: &Stage, body: u32) -> Result<BodyFacts, String> {
        let actor = stage.actor(body)?;
        Ok(BodyFacts::of(actor, stage.live_body(actor.id).live().model()))
    }
}

impl Family for Bodies {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        match ask.read_as()? {
            Words::Duplicate { body } => {
                let twin = stage.duplicate(body, client)?;
                Ok(Map::from_iter([("body".to_owned(), json!(twin))]))
            }
            Words::Remove { body } => {
                stage.remove(body, client)?;
                done()
            }
            Words::Place { body, position, turn } => {
                let actor = stage.actor_mut(body)?;
                let turn = turn.unwrap_or(actor.place.quaternion);
                actor.place = Place::new(Vec3::from(position), turn)?;
                let (id, gravity) = (actor.id, actor.place.turn.transpose() * actor.gravity);
                let placed = json!({
                    "body": body, "position": position, "turn": actor.place.quaternion, "by": client
                });
                let live = stage.live_body_mut(id);
                if live.live().gravity() != gravity {
                    live.change(|live| live.set_gravity(gravity)).map_err(|e| sentence(&e))?;
                }
                stage.hub.tell(event("bodies.placed", &placed));
                stage.hub.amend("bodies", body, event("bodies.came", &Self::facts(stage, body)?));
                stage.changed = true;
                done()
            }
        }
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match *news {
            News::Came { body, replaces, why, by } => {
                if let Some(old) = replaces {
                    stage.hub.forget("bodies", old);
                }
                let Ok(mut facts) = Self::facts(stage, body) else { return };
                (facts.replaces, facts.why, facts.by) = (replaces, why, by);
                stage.hub.keep("bodies", body, event("bodies.came", &facts));
            }
            News::Went { body, by } => {
                stage.hub.forget("bodies", body);
                stage.hub.tell(event("bodies.gone", &json!({ "body": body, "by": by })));
            }
            _ => {}
        }
    }

    fn section(&mut self, stage: &mut Stage, out: &mut Vec<u8>) {
        for k in 0..stage.actors().len() {
            let (id, number, place) = {
                let actor = &stage.actors()[k];
                (actor.id, actor.number, actor.place)
            };
            let energies = stage.world.energies(id).unwrap_or_default();
            let at_rest = stage.world.is_at_rest(id).unwrap_or(true);
            let live = stage.live_body(id).live();
            // A model has far fewer than 2¹⁶ coordinates.
            let q = live.shown();
            let q = &q[..q.len().min(usize::from(u16::MAX))];
            out.extend(number.to_le_bytes());
            out.extend((q.len() as u16).to_le_bytes());
            out.extend(u16::from(at_rest).to_le_bytes());
            out.extend(live.time().to_le_bytes());
            let elastic = if energies.elastic.is_finite() { energies.elastic } else { 0.0 };
            put_f32(out, [energies.kinetic, elastic]);
            let position: [f64; 3] = place.position.into();
            put_f32(out, position.into_iter().chain(place.quaternion).chain(q.iter().copied()));
        }
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let body = number(path)?;
        if path.len() != 2 || path[1] != "shape" {
            return Err(absent(path));
        }
        let shapes = stage.shapes(body).map_err(Refusal::Absent)?;
        Ok(Making::Made(Served::packable(&shapes.shape)))
    }
}
