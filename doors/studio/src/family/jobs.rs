//! What is being made, and how to stop it. How far it is a job tells by itself.

use serde::Deserialize;

use super::{Answer, Family, Making, absent, done, number};
use crate::command::{Refusal, Served};
use crate::protocol::Ask;
use crate::stage::Stage;

pub(super) struct Jobs;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Cancel { job: u32 },
}

impl Family for Jobs {
    fn ask(&mut self, _: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let Words::Cancel { job } = ask.read_as()?;
        stage.jobs.cancel(job)?;
        done()
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let job = number(path)?;
        if path.len() != 2 || path[1] != "preview" {
            return Err(absent(path));
        }
        let preview = stage.jobs.preview(job);
        let preview =
            preview.ok_or_else(|| Refusal::Absent("this job has ended or has nothing to show yet".into()))?;
        Ok(Making::Made(Served::bytes(preview)))
    }
}
