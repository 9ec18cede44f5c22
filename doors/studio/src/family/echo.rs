//! A family for tests alone: a request, a section, a job and a file, to see that a family is a file and a line.

use std::time::{Duration, Instant};

use pliant::linalg::Progress;
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, Making};
use crate::command::{Refusal, Served};
use crate::job::Job;
use crate::protocol::{Ask, put_u32};
use crate::stage::Stage;

#[derive(Default)]
pub(super) struct Echo {
    said: u32,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Say {
        text: String,
    },
    Work {
        seconds: f64,
    },
    /// Ends as no job should.
    Panic {},
}

impl Family for Echo {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let (key, value) = match ask.read_as()? {
            Words::Say { text } => {
                (self.said, stage.changed) = (self.said + 1, true);
                ("text", json!(text))
            }
            Words::Work { seconds } => {
                ("job", json!(start(stage, client, move |watch| wait(seconds, watch))?))
            }
            Words::Panic {} => ("job", json!(start(stage, client, |_| panic!("as it was asked to"))?)),
        };
        Ok(Map::from_iter([(key.to_owned(), value)]))
    }

    fn section(&mut self, _: &mut Stage, out: &mut Vec<u8>) {
        put_u32(out, [self.said]);
    }

    fn file(&mut self, _: &[&str], _: &mut Stage) -> Result<Making, Refusal> {
        Ok(Making::Made(Served { media: "text/plain", ..Served::bytes(b"hello".to_vec().into()) }))
    }
}

type Watch<'a> = &'a mut dyn FnMut(Progress) -> bool;

fn start(
    stage: &mut Stage,
    client: u32,
    work: impl FnOnce(Watch<'_>) + Send + 'static,
) -> Result<u32, String> {
    let job = Job {
        title: "echo".into(),
        by: Some(client),
        work: Box::new(|report| {
            work(&mut |progress| report.tell(progress).is_continue());
            if report.stopped() { Err("it was stopped".into()) } else { Ok(None) }
        }),
    };
    stage.jobs.start(job, None).map_err(|refusal| refusal.sentence().to_owned())
}

fn wait(seconds: f64, watch: Watch<'_>) {
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds.min(60.0) && watch(Progress::stage("waiting")) {
        std::thread::sleep(Duration::from_millis(5));
    }
}
