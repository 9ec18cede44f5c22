//! The thread that owns the body: it steps it by the clock, shows it, and does what clients ask.
//!
//! It sleeps while nobody is connected and while the body is paused, and waits for nobody: commands lie in its inbox, frames
//! go into a cell that holds the last one.

mod clock;
mod grabs;
pub(crate) mod playing;
mod saving;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::Opening;
use crate::hub::{Command, Hub, Refusal};
use crate::job::{self, Finished, Task, Ticket};
use crate::protocol::{Event, Frame, JobState, Rebuild, Request};
use crate::words::{self, sentence};
use clock::{Clock, DT};
use playing::Playing;

pub(crate) use crate::menus::menus;

/// Starts the engine, which begins with the job of `opening`; it ends with [`Command::Stop`].
pub(crate) fn start(
    hub: Arc<Hub>,
    inbox: mpsc::Receiver<Command>,
    opening: Opening,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("engine".into()).spawn(move || {
        let mut engine = Engine::new(hub);
        let _ = engine.begin(None, Task::Open(opening));
        engine.run(&inbox);
    })
}

/// How long clients are listened to before the body goes on.
const ATTENTION: Duration = Duration::from_millis(4);

/// Steps before clients are listened to again: as many as the clock may owe.
const MOST_STEPS: usize = 16;

/// What a job may be asked for: beyond this it takes minutes, or all memory.
const MOST_MODES: usize = 60;
const MOST_RANK: usize = 200;
const MOST_POINTS: usize = 3000;

struct Engine {
    hub: Arc<Hub>,
    body: Option<Playing>,
    job: Option<job::Running>,
    next_job: u32,
    next_body: u32,
    clock: Clock,
    paused: bool,
    /// Something that a paused body must show.
    changed: bool,
    frame: u32,
    /// Since the last frame.
    steps: u32,
    spent: f64,
}

impl Engine {
    fn new(hub: Arc<Hub>) -> Self {
        Self {
            hub,
            body: None,
            job: None,
            next_job: 1,
            next_body: 1,
            clock: Clock::new(Instant::now()),
            paused: false,
            changed: false,
            frame: 0,
            steps: 0,
            spent: 0.0,
        }
    }

    fn run(&mut self, inbox: &mpsc::Receiver<Command>) {
        let mut awake = false;
        loop {
            let first = match awake {
                true => match inbox.recv_timeout(self.rest()) {
                    Ok(command) => Some(command),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                },
                false => match inbox.recv() {
                    Ok(command) => Some(command),
                    Err(mpsc::RecvError) => return,
                },
            };
            let begin = Instant::now();
            let mut next = first;
            while let Some(command) = next {
                if matches!(command, Command::Stop) {
                    return;
                }
                self.obey(command);
                // A flood of commands must not stop the body.
                next = if begin.elapsed() > ATTENTION { None } else { inbox.try_recv().ok() };
            }
            let was = std::mem::replace(&mut awake, self.is_awake());
            if awake && !was {
                self.restart();
            }
            if awake {
                self.turn();
            } else if std::mem::take(&mut self.changed) {
                self.show(Instant::now());
            }
        }
    }

    fn is_awake(&self) -> bool {
        self.body.is_some() && !self.paused && self.hub.clients() > 0
    }

    /// How long nothing is due.
    fn rest(&self) -> Duration {
        let step = self.body.as_ref().map_or(DT, |body| body.world.clock().rest());
        self.clock.rest(Instant::now(), step)
    }

    /// Nothing is owed: after a sleep.
    fn restart(&mut self) {
        self.clock = Clock::new(Instant::now());
        if let Some(body) = &mut self.body {
            body.world.clock_mut().restart();
        }
    }

    /// Steps and frames that are due.
    fn turn(&mut self) {
        // No more than can be owed, so that clients are heard even where steps take longer than they should.
        for _ in 0..MOST_STEPS {
            let now = Instant::now();
            let passed = self.clock.passed(now);
            let Some(body) = &mut self.body else { return };
            if body.world.pass(passed) > 0.0 {
                self.clock.forget(now);
            }
            if self.clock.frame_due(now) {
                self.show(now);
            }
            let Some(body) = &mut self.body else { return };
            if !body.step_due() {
                return;
            }
            self.count_step(now);
        }
    }

    /// After a step that began then; a body that could not take it was put back.
    fn count_step(&mut self, begin: Instant) {
        self.steps += 1;
        self.spent += begin.elapsed().as_secs_f64();
        self.tell_stumble();
    }

    fn tell_stumble(&mut self) {
        let Some(stumble) = self.body.as_mut().and_then(Playing::stumbled) else { return };
        let what = if stumble.put_back { "the body was put back to rest" } else { "a step was refused" };
        let mut sentence = format!("{what}: {}", words::told(&stumble.trouble));
        if stumble.gravity_taken {
            sentence.push_str("; gravity was taken away");
            self.tell_settings();
        }
        self.changed = true;
        self.hub.tell(&Event::Stumbled { sentence });
    }

    fn show(&mut self, now: Instant) {
        let Some(body) = &mut self.body else { return };
        let passed = self.clock.begin_frame(now);
        let (kinetic, elastic, still) = body.energies();
        let (steps, spent) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.spent));
        let grabs = body.held();
        let frame = Frame {
            paused: self.paused,
            at_rest: still,
            slow: !self.paused && self.clock.is_slow(now),
            body: body.number,
            number: self.frame,
            time: body.live().time(),
            kinetic,
            elastic,
            step_us: if steps > 0 { 1e6 * spent / f64::from(steps) } else { 0.0 },
            pace: if passed > 0.0 { f64::from(steps) * DT / passed } else { 0.0 },
            steps,
            late: body.late,
            q: body.live().q(),
            grabs: &grabs,
        };
        self.hub.show_frame(frame.to_bytes());
        self.frame = self.frame.wrapping_add(1);
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Join => self.changed = true,
            Command::Leave { client } => {
                self.changed |= self.body.as_mut().is_some_and(|body| body.release_all(client));
            }
            Command::Ask { client, request } => {
                self.hub.heard(client);
                let what = request.name().to_owned();
                if let Err(sentence) = self.answer(client, request) {
                    self.hub.answer(client, &Event::Refused { what, sentence });
                }
            }
            Command::Upload { client, files, reply } => {
                let _ = reply.send(self.begin(client, Task::Files(files)));
            }
            Command::Save { what, reply } => match &self.body {
                Some(body) => body.save(what, reply),
                None => drop(reply.send(Err(Refusal::Early(NO_BODY.into())))),
            },
            Command::Install(finished) => self.install(*finished),
            Command::Stop => {}
        }
    }

    /// Does what is asked, or says why not.
    fn answer(&mut self, client: u32, request: Request) -> Result<(), String> {
        if request == (Request::Cancel {}) {
            // The flag was set when the word came in; a job that was asked for before that has cleared it since.
            if self.job.as_ref().is_some_and(|job| !job.is_over()) {
                self.hub.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            return match self.job {
                Some(_) => Ok(()),
                None => Err("nothing is being made that could be stopped".into()),
            };
        }
        if let Request::Shape { name } = request {
            let known = pliant::mesh::shapes::find(&name).map_err(|e| sentence(&e));
            return known.and_then(|_| self.start(client, Task::Shape(name)));
        }
        let Some(body) = &mut self.body else { return Err(NO_BODY.into()) };
        match request {
            Request::Grab { id, body: number, vertex, target } => {
                current(body, number)?;
                body.grab(client, id, vertex, target)?;
            }
            Request::Drag { id, target } => body.drag(client, id, target)?,
            Request::Release { id } => {
                // A hand that a reset has opened may still be told to open.
                body.release(client, id);
            }
            Request::Reset {} => {
                body.reset();
                self.tell_stumble();
            }
            Request::Pause { paused } => {
                self.paused = paused;
                self.tell_settings();
            }
            Request::Step {} if self.paused => {
                let begin = Instant::now();
                body.world.step();
                self.count_step(begin);
            }
            Request::Step {} => {
                return Err("single steps are for a body that is paused; pause it first".into());
            }
            Request::Set(change) => {
                let done = body.change(&change);
                self.tell_settings();
                self.changed = true;
                return done;
            }
            Request::Build(change) => {
                if let Some(pins) = &change.pins {
                    current(body, pins.body)?;
                }
                in_bounds(&change)?;
                let (name, factors) = (body.name.clone(), body.factors());
                let model = body.live().model().clone();
                self.start(client, Task::Rebuild { name, model, factors, change: Box::new(change) })?;
                if let Some(body) = &mut self.body {
                    body.asked = factors;
                }
            }
            Request::Cancel {} | Request::Shape { .. } => {}
        }
        self.changed = true;
        Ok(())
    }

    fn start(&mut self, client: u32, task: Task) -> Result<(), String> {
        self.begin(Some(client), task).map(|_| ()).map_err(|refusal| refusal.sentence().to_owned())
    }

    /// Starts a job; its number.
    fn begin(&mut self, by: Option<u32>, task: Task) -> Result<u32, Refusal> {
        if self.job.as_ref().is_some_and(|job| !job.is_over()) {
            let busy = "a body is being made already; wait for it, or cancel it first";
            return Err(Refusal::Busy(busy.into()));
        }
        let number = self.next_job;
        self.next_job += 1;
        let running = job::start(&self.hub, Ticket { number, by, task });
        self.job = Some(running.map_err(|e| Refusal::Early(format!("the system gives no thread: {e}")))?);
        Ok(number)
    }

    /// A job's body replaces the one that is there.
    fn install(&mut self, finished: Finished) {
        self.job = None;
        let mut news = finished.news.clone();
        if self.hub.cancel.load(std::sync::atomic::Ordering::Relaxed) {
            news.state = JobState::Cancelled;
            return self.hub.show_job(news);
        }
        let number = self.next_body;
        let mut body = match Playing::new(number, &finished) {
            Ok(body) => body,
            Err(error) => {
                (news.state, news.message) = (JobState::Failed, Some(sentence(&error)));
                return self.hub.show_job(news);
            }
        };
        self.next_body += 1;
        match (&self.body, finished.why) {
            (Some(old), "rebuilt") => body.inherit(old),
            _ => self.paused = false,
        }
        let facts = playing::facts(number, &finished);
        self.body = Some(body);
        self.hub.show_body(facts, finished.shapes);
        self.tell_settings();
        self.hub.show_job(news);
        (self.steps, self.spent, self.changed) = (0, 0.0, true);
        self.restart();
        self.show(Instant::now());
    }

    fn tell_settings(&self) {
        if let Some(body) = &self.body {
            self.hub.show_settings(body.settings(self.paused));
        }
    }
}

const NO_BODY: &str = "there is no body yet; wait for it, or drop a file";

/// Vertices are those of a body.
fn current(body: &Playing, number: u32) -> Result<(), String> {
    if body.number == number {
        return Ok(());
    }
    Err(format!("body {number} was replaced by body {}; fetch its shape and ask again", body.number))
}

fn in_bounds(change: &Rebuild) -> Result<(), String> {
    for (what, asked, most) in [
        ("modes", change.modes, MOST_MODES),
        ("coordinates", change.rank, MOST_RANK),
        ("cubature points", change.cubature, MOST_POINTS),
    ] {
        if let Some(asked) = asked.filter(|n| !(1..=most).contains(n)) {
            return Err(format!("{asked} {what} were asked for; the studio makes 1 to {most}"));
        }
    }
    Ok(())
}
