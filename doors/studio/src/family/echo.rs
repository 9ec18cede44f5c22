//! For tests alone: a request, a section, a job and a file show that a family is a file and a line.

use super::{Answer, Family, Making, Refusal, Served};
use crate::{job::Job, protocol::Ask, protocol::put_u32, stage::Stage};
use serde_json::{Map, json};

#[derive(Default)]
pub(super) struct Echo(u32);

#[derive(serde::Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Say { text: String },
    Work { seconds: f64 },
}

impl Family for Echo {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let seconds = match ask.read_as()? {
            Words::Say { text } => {
                (self.0, stage.changed) = (self.0 + 1, true);
                return Ok(Map::from_iter([("text".to_owned(), json!(text))]));
            }
            Words::Work { seconds } => seconds,
        };
        let job = Job::waiting("echo", Some(client), seconds);
        let job = stage.jobs.start(job, None).map_err(|refusal| refusal.sentence().to_owned())?;
        Ok(Map::from_iter([("job".to_owned(), json!(job))]))
    }

    fn section(&mut self, _: &mut Stage, out: &mut Vec<u8>) {
        put_u32(out, [self.0]);
    }

    fn file(&mut self, _: &[&str], _: &mut Stage) -> Result<Making, Refusal> {
        Ok(Making::Made(Served { media: "text/plain", ..Served::bytes(b"hello".to_vec().into()) }))
    }
}
