//! Pause, step, slow motion, back to rest: one time for all bodies; and their last seconds.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::{Answer, Family, Making, News, absent, done, number};
use crate::command::{Refusal, Served};
use crate::protocol::{Ask, event};
use crate::stage::{DT, Stage};
use crate::{shape, words};

/// Slower and faster than real time cannot be asked for.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1.0;

pub(super) struct Time;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Pause { paused: bool },
    Step {},
    Speed { speed: f64 },
    Reset { body: Option<u32> },
}

impl Time {
    fn tell(stage: &Stage) {
        let now = json!({ "paused": stage.paused, "speed": stage.world.clock().speed(), "dt": DT });
        stage.hub.keep("time", 0, event("time.now", &now));
    }
}

impl Family for Time {
    fn begin(&mut self, stage: &mut Stage) {
        Self::tell(stage);
    }

    fn ask(&mut self, _: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        match ask.read_as()? {
            Words::Pause { paused } => (stage.paused, stage.changed) = (paused, true),
            Words::Step {} if stage.paused => {
                stage.step_once = true;
                return done();
            }
            Words::Step {} => {
                return Err("single steps are for a stage that is paused; pause it first".into());
            }
            Words::Speed { speed } if SPEEDS.contains(&speed) => stage.world.clock_mut().set_speed(speed),
            Words::Speed { speed } => {
                let (low, high) = (SPEEDS.start(), SPEEDS.end());
                return Err(format!("the speed must be from {low} to {high}, got {speed}"));
            }
            Words::Reset { body: Some(body) } => {
                stage.reset(body)?;
                return done();
            }
            Words::Reset { body: None } => {
                for body in stage.numbers() {
                    stage.reset(body)?;
                }
                return done();
            }
        }
        Self::tell(stage);
        done()
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let [_, "past"] = path else { return Err(absent(path)) };
        let actor = stage.actor(number(path)?).map_err(Refusal::Absent)?;
        let history = stage.live_body(actor.id).history();
        let motion = history.ok_or_else(|| Refusal::Absent("nothing of it is remembered".into()))?.motion();
        let bytes = shape::past(&motion).map_err(Refusal::Bad)?;
        Ok(Making::Made(Served::bytes(Arc::new(bytes))))
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match news {
            // Whoever brings a body wants to see it move.
            News::Came { why, .. } if !matches!(*why, "rebuilt" | "refined" | "restored") && stage.paused => {
                stage.paused = false;
                Self::tell(stage);
            }
            News::Stumbled { body, stumble } => {
                let what =
                    if stumble.put_back { "the body was put back to rest" } else { "a step was refused" };
                let mut sentence = format!("{what}: {}", words::told(&stumble.trouble));
                if stumble.gravity_taken {
                    sentence.push_str("; gravity was taken away");
                }
                stage.hub.tell(event("time.stumbled", &json!({ "body": body, "sentence": sentence })));
            }
            _ => {}
        }
    }
}
