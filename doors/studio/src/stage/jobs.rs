//! What is being made: one job at a time, and perhaps one that waits until that has stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::command::Refusal;
use crate::hub::Hub;
use crate::job::{self, Job};
use crate::protocol::{JobNews, JobState};

pub(crate) struct Jobs {
    hub: Arc<Hub>,
    running: Option<Running>,
    waiting: Option<(u32, Job)>,
    next: u32,
    /// What the last job is or was working on.
    preview: Option<(u32, Arc<Vec<u8>>)>,
}

struct Running {
    number: u32,
    cancel: Arc<AtomicBool>,
}

impl Jobs {
    pub(super) fn new(hub: Arc<Hub>) -> Self {
        Self { hub, running: None, waiting: None, next: 1, preview: None }
    }

    /// Starts a job, or lets it wait until `instead`, which is cancelled, has stopped; its number.
    ///
    /// # Errors
    /// While another one runs; when the system gives no thread.
    pub(crate) fn start(&mut self, job: Job, instead: Option<u32>) -> Result<u32, Refusal> {
        let number = self.next;
        if let (Some(running), Some(newest)) = (&self.running, self.newest()) {
            if instead != Some(newest) {
                let busy = format!("job {newest} is at work; wait for it, or let this one take its place");
                return Err(Refusal::Busy(busy));
            }
            running.cancel.store(true, Ordering::Relaxed);
            self.next += 1;
            self.drop_waiting();
            self.hub.show_job(&news(number, &job, JobState::Running));
            self.waiting = Some((number, job));
            return Ok(number);
        }
        self.next += 1;
        self.run(number, job)?;
        Ok(number)
    }

    fn run(&mut self, number: u32, job: Job) -> Result<(), Refusal> {
        let cancel = Arc::new(AtomicBool::new(false));
        job::start(&self.hub, number, job, cancel.clone())
            .map_err(|e| Refusal::Early(format!("the system gives no thread: {e}")))?;
        self.running = Some(Running { number, cancel });
        Ok(())
    }

    /// The newest job that is not over.
    pub(crate) fn newest(&self) -> Option<u32> {
        let waiting = self.waiting.as_ref().map(|(waiting, _)| *waiting);
        waiting.or(self.running.as_ref().map(|running| running.number))
    }

    /// A job is to stop.
    ///
    /// # Errors
    /// A sentence, of one that is over.
    pub(crate) fn cancel(&mut self, number: u32) -> Result<(), String> {
        if self.waiting.as_ref().is_some_and(|(waiting, _)| *waiting == number) {
            self.drop_waiting();
            return Ok(());
        }
        match &self.running {
            Some(running) if running.number == number => {
                running.cancel.store(true, Ordering::Relaxed);
                Ok(())
            }
            _ => Err(format!("job {number} is not at work; there is nothing to stop")),
        }
    }

    /// The studio closes.
    pub(crate) fn cancel_all(&mut self) {
        self.drop_waiting();
        if let Some(running) = &self.running {
            running.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a job is to stop, or has.
    pub(crate) fn is_stopping(&self, number: u32) -> bool {
        let running = self.running.as_ref().filter(|running| running.number == number);
        running.is_none_or(|running| running.cancel.load(Ordering::Relaxed))
    }

    /// A job has said its last word, and the next may begin; whether it was to be stopped.
    pub(crate) fn ended(&mut self, number: u32) -> bool {
        let Some(running) = self.running.take_if(|running| running.number == number) else { return false };
        if let Some((waiting, job)) = self.waiting.take() {
            let failed = news(waiting, &job, JobState::Failed);
            if let Err(refusal) = self.run(waiting, job) {
                self.hub.show_job(&JobNews { message: Some(refusal.sentence().into()), ..failed });
            }
        }
        running.cancel.load(Ordering::Relaxed)
    }

    /// What a job is working on.
    pub(crate) fn show(&mut self, number: u32, preview: Vec<u8>) {
        self.preview = Some((number, Arc::new(preview)));
    }

    /// What the last job is or was working on.
    pub(crate) fn preview(&self, number: u32) -> Option<Arc<Vec<u8>>> {
        self.preview.as_ref().filter(|(job, _)| *job == number).map(|(_, bytes)| bytes.clone())
    }

    fn drop_waiting(&mut self) {
        if let Some((number, job)) = self.waiting.take() {
            self.hub.show_job(&news(number, &job, JobState::Cancelled));
        }
    }
}

/// Of a job that has not begun.
fn news(job: u32, of: &Job, state: JobState) -> JobNews {
    let stage = "waiting for another to stop".to_owned();
    let (title, by) = (of.title.clone(), of.by);
    JobNews { job, title, state, stage, part: None, seconds: 0.0, left: None, by, message: None }
}
