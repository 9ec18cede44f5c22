//! What a job tells, and how it is told to stop.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pliant::linalg::Progress;

use crate::hub::Hub;
use crate::protocol::{JobNews, JobState};

/// Between two words about the same stage.
const PAUSE: Duration = Duration::from_millis(50);

/// A stage must have gone on for so long before its end is estimated, s.
const FIRST_ESTIMATE: f64 = 0.3;

/// The voice of one job.
pub(crate) struct Report {
    hub: Arc<Hub>,
    /// Set when it is to stop.
    cancel: Arc<AtomicBool>,
    news: JobNews,
    began: Instant,
    stage_began: Instant,
    told: Option<Instant>,
}

impl Report {
    /// Says at once that the job has begun.
    pub(crate) fn new(
        hub: Arc<Hub>,
        job: u32,
        title: String,
        by: Option<u32>,
        cancel: Arc<AtomicBool>,
    ) -> Self {
        let now = Instant::now();
        let news = JobNews {
            job,
            title,
            state: JobState::Running,
            stage: "beginning".into(),
            part: None,
            seconds: 0.0,
            left: None,
            by,
            message: None,
        };
        let mut report = Self { hub, cancel, news, began: now, stage_began: now, told: None };
        report.publish();
        report
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(crate) fn job(&self) -> u32 {
        self.news.job
    }

    pub(crate) fn title(&self) -> &str {
        &self.news.title
    }

    /// To be given to work as its watch.
    pub(crate) fn tell(&mut self, progress: Progress) -> ControlFlow<()> {
        self.tell_as(progress.stage, progress)
    }

    /// The same under another name: for work whose own stages are of no interest.
    pub(crate) fn tell_as(&mut self, stage: &str, progress: Progress) -> ControlFlow<()> {
        if self.stopped() {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        let new = self.news.stage != stage;
        if new {
            self.news.stage = stage.to_owned();
            self.stage_began = now;
        }
        if new || self.told.is_none_or(|told| now - told >= PAUSE) {
            self.news.part =
                (progress.total > 0).then(|| (progress.done as f64 / progress.total as f64).clamp(0.0, 1.0));
            let passed = (now - self.stage_began).as_secs_f64();
            self.news.left = self
                .news
                .part
                .filter(|part| *part > 0.02 && passed > FIRST_ESTIMATE)
                .map(|part| passed * (1.0 - part) / part);
            self.publish();
        }
        ControlFlow::Continue(())
    }

    /// Whether somebody wants the job to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// The last word.
    pub(crate) fn end(&mut self, state: JobState, message: Option<String>) {
        (self.news.state, self.news.message) = (state, message);
        (self.news.part, self.news.left) = (None, None);
        self.publish();
    }

    /// The last word, to be said by the engine once the body is there.
    pub(crate) fn done(&self) -> JobNews {
        JobNews {
            state: JobState::Done,
            part: None,
            left: None,
            seconds: self.began.elapsed().as_secs_f64(),
            ..self.news.clone()
        }
    }

    fn publish(&mut self) {
        self.news.seconds = self.began.elapsed().as_secs_f64();
        self.told = Some(Instant::now());
        self.hub.show_job(&self.news);
    }
}
