//! What everybody may know, and the way to the engine.
//!
//! The server's side asks ([`Hub::join`], [`Hub::ask`], [`Hub::save`], [`Hub::upload`]) and never waits for the engine but in
//! `save`; the engine's and the job's side publish ([`Hub::show_frame`], [`Hub::tell`], …) and never wait for a client.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use tokio::sync::{broadcast, oneshot, watch};

use crate::command::Observer;
pub(crate) use crate::command::{Command, Refusal, Saved, Saving, Shapes, Upload};
use crate::protocol::{BodyFacts, Event, JobNews, Request, Settings};

/// What a client that connects now is told.
#[derive(Default)]
struct Shown {
    body: Option<(BodyFacts, Shapes)>,
    settings: Option<Settings>,
    job: Option<JobNews>,
    findings: Option<Event>,
    preview: Option<(u32, Arc<Vec<u8>>)>,
    /// By client.
    private: BTreeMap<u32, Line>,
}

/// What lies between one client and the engine.
struct Line {
    /// Messages to this client alone.
    answers: tokio::sync::mpsc::Sender<Arc<str>>,
    /// Requests that the engine has not heard yet.
    waiting: usize,
}

/// The meeting point.
pub(crate) struct Hub {
    commands: mpsc::Sender<Command>,
    frames: watch::Sender<Arc<Vec<u8>>>,
    events: broadcast::Sender<Arc<str>>,
    /// Whether the studio closes.
    closing: watch::Sender<bool>,
    shown: Mutex<Shown>,
    next_client: AtomicU32,
    /// Set by `cancel`, read by the watch of the running job.
    pub(crate) cancel: AtomicBool,
    /// Told of every job beside the clients: the terminal.
    observer: Option<Observer>,
}

/// Vertices that one client may hold.
pub(crate) const GRABS: usize = 10;

/// How many events a client may be behind before it is told to start again.
const EVENTS: usize = 256;

/// How many requests of one client may wait for the engine.
const WAITING: usize = 64;

/// How many answers to one client may wait.
const PRIVATE: usize = 64;

impl Hub {
    /// The hub, and the engine's end of its commands.
    pub(crate) fn new(observer: Option<Observer>) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let (commands, inbox) = mpsc::channel();
        let hub = Self {
            commands,
            frames: watch::Sender::new(Arc::new(Vec::new())),
            events: broadcast::Sender::new(EVENTS),
            closing: watch::Sender::new(false),
            shown: Mutex::default(),
            next_client: AtomicU32::new(1),
            cancel: AtomicBool::new(false),
            observer,
        };
        (Arc::new(hub), inbox)
    }

    // --- The server's side.

    /// A client comes; [`Seat`] is its place until it is dropped.
    pub(crate) fn join(self: &Arc<Self>, menus: serde_json::Value, limits: serde_json::Value) -> Seat {
        let client = self.next_client.fetch_add(1, Ordering::Relaxed);
        let (answers, private) = tokio::sync::mpsc::channel(PRIVATE);
        let mut shown = self.shown();
        // Subscribed under the lock: nothing that is told after the greeting is missed, nothing is told twice.
        let (frames, events) = (self.frames.subscribe(), self.events.subscribe());
        let version = env!("CARGO_PKG_VERSION");
        let welcome = Event::Welcome { protocol: crate::protocol::PROTOCOL, version, client, menus, limits };
        let mut greeting = vec![welcome.to_json()];
        greeting.extend(shown.settings.clone().map(|s| Event::Settings(s).to_json()));
        greeting.extend(shown.body.as_ref().map(|(b, _)| Event::Body(Box::new(b.clone())).to_json()));
        greeting.extend(shown.job.clone().map(|j| Event::Job(j).to_json()));
        greeting.extend(shown.findings.as_ref().map(Event::to_json));
        shown.private.insert(client, Line { answers, waiting: 0 });
        let clients = shown.private.len();
        drop(shown);
        self.tell(&Event::People { clients });
        self.send(Command::Join);
        let closing = self.closing.subscribe();
        Seat { hub: self.clone(), client, greeting, frames, events, private, closing }
    }

    /// How many clients are connected.
    pub(crate) fn clients(&self) -> usize {
        self.shown().private.len()
    }

    /// Passes a request on; the answer, if there is one, comes as an event.
    pub(crate) fn ask(&self, client: u32, request: Request) {
        if request == (Request::Cancel {}) {
            // Not through the engine: it must work while the engine is busy.
            self.cancel.store(true, Ordering::Relaxed);
        }
        let waits = {
            let mut shown = self.shown();
            // Letting go is always heard: a spring must not stay behind.
            let letting_go = matches!(request, Request::Release { .. });
            let room = |line: &&mut Line| line.waiting < WAITING || letting_go;
            let line = shown.private.get_mut(&client).filter(room);
            line.map(|line| line.waiting += 1).is_some()
        };
        if waits {
            return self.send(Command::Ask { client, request });
        }
        let sentence = format!("{WAITING} of your requests are waiting already; send fewer");
        self.answer(client, &Event::Refused { what: request.name().into(), sentence });
    }

    /// The engine has heard a request.
    pub(crate) fn heard(&self, client: u32) {
        if let Some(line) = self.shown().private.get_mut(&client) {
            line.waiting = line.waiting.saturating_sub(1);
        }
    }

    /// Files were dropped; the number of the job.
    pub(crate) async fn upload(&self, client: Option<u32>, files: Vec<Upload>) -> Result<u32, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Upload { client, files, reply });
        answer.await.unwrap_or_else(|_| Err(closing()))
    }

    /// A file of the body as it is now.
    pub(crate) async fn save(&self, what: Saving) -> Result<Saved, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Save { what, reply });
        answer.await.unwrap_or_else(|_| Err(closing()))
    }

    /// The number of the body that is shown.
    pub(crate) fn body(&self) -> Option<u32> {
        self.shown().body.as_ref().map(|(b, _)| b.body)
    }

    /// The shapes of body `body`, if it is still the one that is shown.
    pub(crate) fn shapes(&self, body: u32) -> Option<Shapes> {
        self.shown().body.as_ref().filter(|(b, _)| b.body == body).map(|(_, shapes)| shapes.clone())
    }

    /// What job `job` is working on.
    pub(crate) fn preview(&self, job: u32) -> Option<Arc<Vec<u8>>> {
        self.shown().preview.as_ref().filter(|(j, _)| *j == job).map(|(_, bytes)| bytes.clone())
    }

    /// The studio closes.
    pub(crate) fn stop(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.send(Command::Stop);
    }

    /// Tells every client that there is nothing more to come.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    // --- The engine's and the job's side.

    /// A new state for all.
    pub(crate) fn show_frame(&self, bytes: Vec<u8>) {
        self.frames.send_replace(Arc::new(bytes));
    }

    /// A new body for all.
    pub(crate) fn show_body(&self, facts: BodyFacts, shapes: Shapes) {
        let mut shown = self.shown();
        let text = Event::Body(Box::new(facts.clone())).to_json();
        (shown.body, shown.findings) = (Some((facts, shapes)), None);
        // Under the lock, as in `join`: a client is either greeted with this body or told of it.
        let _ = self.events.send(text.into());
    }

    /// New settings for all.
    pub(crate) fn show_settings(&self, settings: Settings) {
        let mut shown = self.shown();
        let text = Event::Settings(settings.clone()).to_json();
        shown.settings = Some(settings);
        let _ = self.events.send(text.into());
    }

    /// News of the job for all; those that come later hear only of one that runs.
    pub(crate) fn show_job(&self, news: JobNews) {
        if let Some(observer) = &self.observer {
            observer(&news);
        }
        let mut shown = self.shown();
        let running = news.state == crate::protocol::JobState::Running;
        let text = Event::Job(news.clone()).to_json();
        // The last word of one job may come after the first of the next.
        let other = shown.job.as_ref().is_some_and(|job| job.job > news.job);
        if !other {
            shown.job = running.then_some(news);
        }
        if !running && !other {
            // What was worked on stays until the next job: a page may be about to fetch it.
            shown.findings = None;
        }
        let _ = self.events.send(text.into());
    }

    /// What the job is working on and what is wrong with it.
    pub(crate) fn show_findings(&self, job: u32, preview: Vec<u8>, findings: Event) {
        let mut shown = self.shown();
        let text = findings.to_json();
        (shown.preview, shown.findings) = (Some((job, Arc::new(preview))), Some(findings));
        let _ = self.events.send(text.into());
    }

    /// A word to all.
    pub(crate) fn tell(&self, event: &Event) {
        // No receiver is no error: nobody is connected.
        let _ = self.events.send(event.to_json().into());
    }

    /// A word to one client; lost if that client does not read its answers.
    pub(crate) fn answer(&self, client: u32, event: &Event) {
        if let Some(line) = self.shown().private.get(&client) {
            let _ = line.answers.try_send(event.to_json().into());
        }
    }

    /// For the engine itself: a job hands over its body through it.
    pub(crate) fn send(&self, command: Command) {
        // The engine is gone only when the studio closes.
        let _ = self.commands.send(command);
    }

    fn leave(&self, client: u32) {
        let mut shown = self.shown();
        shown.private.remove(&client);
        let clients = shown.private.len();
        drop(shown);
        self.send(Command::Leave { client });
        self.tell(&Event::People { clients });
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        // What is shown is replaced whole, so a panic elsewhere leaves it as it was.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closing() -> Refusal {
    Refusal::Early("the studio is closing".into())
}

/// A client's place; leaving is dropping it.
pub(crate) struct Seat {
    hub: Arc<Hub>,
    pub(crate) client: u32,
    /// What it must be told first, in this order.
    pub(crate) greeting: Vec<String>,
    pub(crate) frames: watch::Receiver<Arc<Vec<u8>>>,
    pub(crate) events: broadcast::Receiver<Arc<str>>,
    pub(crate) private: tokio::sync::mpsc::Receiver<Arc<str>>,
    /// Whether the studio closes.
    pub(crate) closing: watch::Receiver<bool>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.hub.leave(self.client);
    }
}
