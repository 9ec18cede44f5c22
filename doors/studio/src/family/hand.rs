//! Whose hands are on the bodies: clients name theirs by an id of their own. How a hand pulls is the world's business.

use pliant::linalg::Vec3;
use pliant::world::HandId;
use serde::Deserialize;
use serde_json::json;

use super::{Answer, Family, News, done};
use crate::protocol::{Ask, event, put_f32, put_u32};
use crate::stage::Stage;
use crate::words::sentence;

/// Vertices that one client may hold.
pub(crate) const MOST: usize = 10;

/// Every hand.
#[derive(Default)]
pub(super) struct Hands(Vec<Hand>);

/// One hand.
#[derive(Clone, Copy, Debug)]
struct Hand {
    client: u32,
    id: u32,
    body: u32,
    vertex: u32,
    /// On the stage.
    target: Vec3,
    hand: HandId,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Grab { body: u32, id: u32, vertex: u32, target: [f64; 3] },
    Drag { id: u32, target: [f64; 3] },
    Release { id: u32 },
    Strength { body: u32, newton: Option<f64> },
}

/// A hand closes on a body.
fn close(stage: &mut Stage, body: u32, vertex: u32, target: Vec3) -> Result<HandId, String> {
    let actor = stage.actor(body)?;
    let (id, target) = (actor.id, actor.place.into_body(target));
    stage.world.grab(id, vertex, target).map_err(|e| sentence(&e))
}

impl Hands {
    /// Hands on a body that went close on the one that took its place.
    fn follow(&mut self, stage: &mut Stage, old: u32, new: u32) {
        for hand in self.0.iter_mut().filter(|hand| hand.body == old) {
            if let Ok(closed) = close(stage, new, hand.vertex, hand.target) {
                (hand.body, hand.hand) = (new, closed);
            }
        }
    }

    fn tell(stage: &Stage, body: u32) {
        let Ok(actor) = stage.actor(body) else { return };
        let live = stage.live_body(actor.id);
        let (newton, fair, suiting) = (live.strength(), live.fair_strength(), live.suiting_strength());
        let strength = json!({ "body": body, "newton": newton, "fair": fair, "suiting": suiting });
        stage.hub.keep("hand", body, event("hand.strength", &strength));
    }

    fn let_go(&mut self, stage: &mut Stage, whose: impl Fn(&Hand) -> bool) {
        for hand in self.0.iter().filter(|hand| whose(hand)) {
            let _ = stage.world.release(hand.hand);
            stage.changed = true;
        }
        self.0.retain(|hand| !whose(hand));
    }
}

impl Family for Hands {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        match ask.read_as()? {
            Words::Grab { body, id, vertex, target } => {
                let target = Vec3::from(target);
                let hand = close(stage, body, vertex, target)?;
                // One of the same client and id lets go first.
                self.let_go(stage, |hand| (hand.client, hand.id) == (client, id));
                if self.0.iter().filter(|hand| hand.client == client).count() >= MOST {
                    let _ = stage.world.release(hand);
                    return Err(format!("you hold {MOST} vertices already; release one first"));
                }
                self.0.push(Hand { client, id, body, vertex, target, hand });
            }
            Words::Drag { id, target } => {
                let held = self.0.iter_mut().find(|hand| (hand.client, hand.id) == (client, id));
                let held =
                    held.ok_or_else(|| format!("you hold nothing under the id {id}; grab a vertex first"))?;
                held.target = Vec3::from(target);
                let target = stage.actor(held.body)?.place.into_body(held.target);
                stage.world.drag(held.hand, target).map_err(|e| sentence(&e))?;
            }
            // A hand that a reset has opened may still be told to open.
            Words::Release { id } => {
                self.let_go(stage, |hand| (hand.client, hand.id) == (client, id));
            }
            Words::Strength { body, newton } => {
                let id = stage.actor(body)?.id;
                stage.live_body_mut(id).set_strength(newton).map_err(|e| sentence(&e))?;
                Self::tell(stage, body);
            }
        }
        stage.changed = true;
        done()
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match *news {
            News::Came { body, replaces, why, .. } => {
                if let Some(old) = replaces {
                    stage.hub.forget("hand", old);
                    // The same surface, better moved: who holds it goes on.
                    if why == "refined" {
                        self.follow(stage, old, body);
                    }
                }
                Self::tell(stage, body);
            }
            News::Went { body, .. } => stage.hub.forget("hand", body),
            _ => {}
        }
        match *news {
            News::Left { client } => self.let_go(stage, |hand| hand.client == client),
            // The world has opened them.
            News::Came { .. } | News::Went { .. } | News::Stumbled { .. } | News::Reset => {
                self.0.retain(|hand| stage.world.held(hand.hand).is_some());
            }
            News::Changed { .. } => {}
        }
    }

    fn section(&mut self, stage: &mut Stage, out: &mut Vec<u8>) {
        for hand in &self.0 {
            let (Some(held), Ok(actor)) = (stage.world.held(hand.hand), stage.actor(hand.body)) else {
                continue;
            };
            put_u32(out, [hand.client, hand.id, hand.body, held.vertex]);
            let target: [f64; 3] = actor.place.onto_stage(held.target).into();
            let force: [f64; 3] = (actor.place.turn * held.force).into();
            put_f32(out, target.into_iter().chain(force));
        }
    }
}
