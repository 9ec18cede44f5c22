//! The loop: time passes for the stage, frames are shown, and the families hear what clients ask.
//!
//! It sleeps while nobody is connected, while time stands still and while nothing moves, and waits for nobody: commands lie in
//! its inbox, frames go into a cell that holds the last one. [`Engine`] has no thread and no clock of its own and takes a turn
//! when it is told to; [`start`] gives it both.

mod clock;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::Opening;
use crate::command::{Finished, Refusal, Served};
use crate::family::{self, Answer, Family, Making, News};
use crate::hub::{Command, Hub};
use crate::job::Task;
use crate::protocol::{Ask, Event, FrameWriter, Head, JobState};
use crate::stage::{DT, Stage};
use clock::Clock;

pub(crate) use crate::menus::menus;

/// Starts the engine on a thread of its own, which begins with the jobs of `openings`; it ends with [`Command::Stop`].
pub(crate) fn start(
    hub: Arc<Hub>,
    inbox: mpsc::Receiver<Command>,
    openings: Vec<Opening>,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("engine".into()).spawn(move || {
        let mut engine = Engine::new(hub, openings, Instant::now());
        while engine.serve(&inbox) {}
    })
}

/// How long clients are listened to before the bodies go on.
const ATTENTION: Duration = Duration::from_millis(4);

/// Steps before clients are listened to again: as many as the clock may owe.
const MOST_STEPS: usize = 16;

/// Files that are made at once on threads of their own.
const MOST_FILES: usize = 2;

pub(crate) struct Engine {
    stage: Stage,
    families: Vec<Box<dyn Family>>,
    /// What is still to be opened, the next one last.
    openings: Vec<Opening>,
    clock: Clock,
    awake: bool,
    frame: u32,
    /// Since the last frame.
    steps: u32,
    spent: f64,
    late: u32,
    /// Whether the last frame showed all at rest.
    shown_at_rest: bool,
    /// The job of which a draft is on the stage, and that body.
    draft: Option<(u32, u32)>,
    /// Files that are being made.
    making: Arc<AtomicUsize>,
}

impl Engine {
    pub(crate) fn new(hub: Arc<Hub>, mut openings: Vec<Opening>, now: Instant) -> Self {
        openings.reverse();
        let mut engine = Self {
            stage: Stage::new(hub),
            families: family::all().iter().map(|entry| (entry.make)()).collect(),
            openings,
            clock: Clock::new(now),
            awake: false,
            frame: 0,
            steps: 0,
            spent: 0.0,
            late: 0,
            shown_at_rest: false,
            draft: None,
            making: Arc::default(),
        };
        for family in &mut engine.families {
            family.begin(&mut engine.stage);
        }
        engine.open_next();
        engine
    }

    /// Waits for what is due or asked next, and does it; whether to go on.
    fn serve(&mut self, inbox: &mpsc::Receiver<Command>) -> bool {
        let first = match self.awake {
            true => match inbox.recv_timeout(self.rest(Instant::now())) {
                Ok(command) => Some(command),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => return false,
            },
            false => match inbox.recv() {
                Ok(command) => Some(command),
                Err(mpsc::RecvError) => return false,
            },
        };
        let begin = Instant::now();
        let mut next = first;
        while let Some(command) = next {
            if matches!(command, Command::Stop) {
                self.stage.jobs.cancel_all();
                return false;
            }
            self.obey(command);
            // A flood of commands must not stop the bodies.
            next = if begin.elapsed() > ATTENTION { None } else { inbox.try_recv().ok() };
        }
        self.turn(Instant::now);
        true
    }

    /// Steps and frames that are due by a clock.
    pub(crate) fn turn(&mut self, clock: impl Fn() -> Instant) {
        let awake = self.is_awake();
        if awake && !self.awake {
            self.restart(clock());
        }
        self.awake = awake;
        if self.awake {
            self.advance(&clock);
        }
        if std::mem::take(&mut self.stage.step_once) && self.stage.paused {
            let begin = clock();
            self.before_step();
            self.stage.world.step();
            self.after_step(begin, clock());
        }
        // What is at rest is shown once; after that only what has changed.
        let rested = !self.is_awake() && !self.shown_at_rest && !self.stage.actors().is_empty();
        if std::mem::take(&mut self.stage.changed) && !self.awake || rested {
            self.show(clock());
        }
    }

    fn is_awake(&self) -> bool {
        !self.stage.paused && self.stage.hub.clients() > 0 && !self.stage.world.is_still()
    }

    /// How long nothing is due.
    fn rest(&self, now: Instant) -> Duration {
        self.clock.rest(now, self.stage.world.clock().rest())
    }

    /// Nothing is owed: after a sleep.
    fn restart(&mut self, now: Instant) {
        self.clock = Clock::new(now);
        self.stage.world.clock_mut().restart();
    }

    fn advance(&mut self, clock: &impl Fn() -> Instant) {
        // No more than can be owed, so that clients are heard even where steps take longer than they should.
        for _ in 0..MOST_STEPS {
            let now = clock();
            let passed = self.clock.passed(now);
            if self.stage.world.pass(passed) > 0.0 {
                self.clock.forget(now);
            }
            if self.clock.frame_due(now) {
                self.show(now);
            }
            if !self.stage.world.clock().due() {
                return;
            }
            self.before_step();
            let Some((late, _)) = self.stage.world.step_due() else { return };
            self.late = self.late.saturating_add(u32::from(late));
            self.after_step(now, clock());
        }
    }

    fn before_step(&mut self) {
        for family in &mut self.families {
            family.before_step(&mut self.stage);
        }
    }

    /// After a step that began and ended then; bodies that could not take it were put back.
    fn after_step(&mut self, begin: Instant, end: Instant) {
        self.steps += 1;
        self.spent += end.saturating_duration_since(begin).as_secs_f64();
        for family in &mut self.families {
            family.after_step(&mut self.stage);
        }
        self.stage.note_stumbles();
        self.spread();
        if self.stage.paused {
            self.stage.changed = true;
        }
    }

    /// Every family hears what has happened.
    fn spread(&mut self) {
        loop {
            let news = self.stage.take_news();
            if news.is_empty() {
                return;
            }
            for news in news {
                for family in &mut self.families {
                    family.hear(&news, &mut self.stage);
                }
            }
        }
    }

    fn show(&mut self, now: Instant) {
        let passed = self.clock.begin_frame(now);
        let (steps, spent) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.spent));
        let paused = self.stage.paused;
        let head = Head {
            paused,
            at_rest: self.stage.world.is_still(),
            slow: !paused && self.clock.is_slow(now),
            number: self.frame,
            step_us: if steps > 0 { 1e6 * spent / f64::from(steps) } else { 0.0 },
            pace: if passed > 0.0 { f64::from(steps) * DT / passed } else { 0.0 },
            steps,
            late: self.late,
        };
        let mut frame = FrameWriter::new(&head);
        for (place, family) in (0..).zip(&mut self.families) {
            frame.section(place, |out| family.section(&mut self.stage, out));
        }
        self.stage.hub.show_frame(frame.finish());
        self.frame = self.frame.wrapping_add(1);
        self.shown_at_rest = head.at_rest || paused;
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Join => self.stage.changed = true,
            Command::Leave { client } => self.stage.tell(News::Left { client }),
            Command::Ask { client, mut ask } => {
                self.stage.hub.heard(client);
                ask.address(|body| self.stage.meant(body));
                match (self.answer(client, &ask), ask.seq) {
                    (Err(sentence), seq) => {
                        let refused = Event::Refused { seq, what: ask.named(), sentence };
                        self.stage.hub.answer(client, &refused);
                    }
                    (Ok(said), Some(seq)) => {
                        self.stage.hub.answer(client, &Event::Answered { seq, what: ask.named(), said });
                    }
                    (Ok(_), None) => {}
                }
            }
            Command::Drop { family, dropped, reply } => {
                let taken = match self.stage.hub.place(&family) {
                    Ok(place) => self.families[place].take(dropped, &mut self.stage),
                    Err(sentence) => Err(Refusal::Absent(sentence)),
                };
                let _ = reply.send(taken);
            }
            Command::Fetch { family, path, reply } => self.fetch(&family, &path, reply),
            Command::Preview { job, bytes, findings } => {
                self.stage.jobs.show(job, bytes);
                self.stage.hub.keep("files", 0, findings);
            }
            Command::Draft { job, made } => {
                if !self.stage.jobs.is_stopping(job)
                    && let Ok(body) = self.stage.install(&made)
                {
                    self.draft = Some((job, body));
                }
            }
            Command::Ended { job, made } => self.ended(job, made),
            Command::Stop => {}
        }
        self.spread();
    }

    /// What a family answers.
    fn answer(&mut self, client: u32, ask: &Ask) -> Answer {
        let place = self.stage.hub.place(&ask.family)?;
        let answer = self.families[place].ask(client, ask, &mut self.stage);
        self.spread();
        answer
    }

    fn fetch(&mut self, family: &str, path: &str, reply: oneshot::Sender<Result<Served, Refusal>>) {
        let path: Vec<&str> = path.split('/').collect();
        let made = match self.stage.hub.place(family) {
            Ok(place) => self.families[place].file(&path, &mut self.stage),
            Err(sentence) => Err(Refusal::Absent(sentence)),
        };
        match made {
            Ok(Making::Made(served)) => drop(reply.send(Ok(served))),
            Err(refusal) => drop(reply.send(Err(refusal))),
            Ok(Making::Later(make)) => {
                if self.making.load(Ordering::Acquire) >= MOST_FILES {
                    let many = "other files are being made; try again in a moment".into();
                    return drop(reply.send(Err(Refusal::Many(many))));
                }
                self.making.fetch_add(1, Ordering::AcqRel);
                let place = Counted(self.making.clone());
                // A system that gives no thread drops the reply, and the client hears that.
                let _ = std::thread::Builder::new().name("file".into()).spawn(move || {
                    let made = make();
                    drop(place);
                    let _ = reply.send(made);
                });
            }
        }
    }

    /// A job is over; what it made comes onto the stage.
    fn ended(&mut self, job: u32, made: Option<Box<Finished>>) {
        let cancelled = self.stage.jobs.ended(job);
        self.stage.hub.forget("files", 0);
        let draft = self.draft.take_if(|(of, _)| *of == job);
        if let Some(mut finished) = made {
            if let Some((_, body)) = draft {
                (finished.replaces, finished.why) = (Some(body), "refined");
            }
            let mut news = finished.news.clone();
            if cancelled {
                news.state = JobState::Cancelled;
            } else if let Err(sentence) = self.stage.install(&finished) {
                (news.state, news.message) = (JobState::Failed, Some(sentence));
            }
            self.spread();
            self.stage.hub.show_job(&news);
        }
        self.open_next();
    }

    fn open_next(&mut self) {
        if let Some(opening) = self.openings.pop()
            && self.stage.jobs.start(Task::Open(opening.clone()).into_job(None, None), None).is_err()
        {
            // Another job came first; it ends.
            self.openings.push(opening);
        }
    }
}

/// A file that is being made.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
