//! What everybody may know, and the way to the engine.
//!
//! The server's side asks ([`Hub::join`], [`Hub::ask`], [`Hub::fetch`], [`Hub::take`]); the engine's and the job's side publish
//! ([`Hub::show_frame`], [`Hub::tell`], [`Hub::keep`], …) and never wait for a client.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use tokio::sync::{broadcast, oneshot, watch};

use crate::command::Observer;
pub(crate) use crate::command::{Command, Dropped, Refusal, Served, Shapes, Upload};
use crate::protocol::{Ask, Event, JobNews, JobState, PROTOCOL, event};

/// What a client that connects now is told.
#[derive(Default)]
struct Shown {
    /// The last word of a family on each of its topics: by its place in the table, and the number of a body, say.
    kept: BTreeMap<(usize, u32), Arc<str>>,
    /// By client.
    private: BTreeMap<u32, Line>,
    bodies: Vec<u32>,
    /// The newest job that was heard of.
    job: u32,
}

/// What lies between one client and the engine.
struct Line {
    /// Messages to this client alone.
    answers: tokio::sync::mpsc::Sender<Arc<str>>,
    /// Requests that the engine has not heard yet.
    waiting: usize,
    /// The last number of a request.
    seq: Option<u32>,
}

/// What a hub knows of a family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// Requests that are passed on however many wait already: letting go, say.
    pub(crate) always_heard: &'static [&'static str],
}

/// The meeting point.
pub(crate) struct Hub {
    /// In the order of their table.
    families: Vec<Known>,
    commands: mpsc::Sender<Command>,
    frames: watch::Sender<Arc<Vec<u8>>>,
    events: broadcast::Sender<Arc<str>>,
    /// Whether the studio closes.
    closing: watch::Sender<bool>,
    shown: Mutex<Shown>,
    next_client: AtomicU32,
    /// Told of every job beside the clients: the terminal.
    observer: Option<Observer>,
}

/// How many events a client may be behind before it is told to start again.
const EVENTS: usize = 512;

/// How many requests of one client may wait for the engine.
const WAITING: usize = 64;

/// How many answers to one client may wait.
const PRIVATE: usize = 128;

impl Hub {
    /// The hub, and the engine's end of its commands.
    pub(crate) fn new(
        families: Vec<Known>,
        observer: Option<Observer>,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let (commands, inbox) = mpsc::channel();
        let hub = Self {
            families,
            commands,
            frames: watch::Sender::new(Arc::new(Vec::new())),
            events: broadcast::Sender::new(EVENTS),
            closing: watch::Sender::new(false),
            shown: Mutex::default(),
            next_client: AtomicU32::new(1),
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
        let families = self.families.iter().map(|family| family.name).collect();
        let welcome = Event::Welcome { protocol: PROTOCOL, version, client, families, menus, limits };
        let mut greeting = vec![Arc::from(welcome.to_json())];
        greeting.extend(shown.kept.values().cloned());
        shown.private.insert(client, Line { answers, waiting: 0, seq: None });
        let clients = shown.private.len();
        drop(shown);
        self.tell(Event::People { clients }.to_json());
        self.send(Command::Join);
        let closing = self.closing.subscribe();
        Seat { hub: self.clone(), client, greeting, frames, events, private, closing }
    }

    /// How many clients are connected.
    pub(crate) fn clients(&self) -> usize {
        self.shown().private.len()
    }

    /// Passes a request on; the answer, if there is one, comes as an event.
    pub(crate) fn ask(&self, client: u32, ask: Ask) {
        match self.admit(client, &ask) {
            Ok(()) => self.send(Command::Ask { client, ask }),
            Err(sentence) => {
                self.answer(client, &Event::Refused { seq: ask.seq, what: ask.named(), sentence });
            }
        }
    }

    /// Whether a request may wait for the engine.
    fn admit(&self, client: u32, ask: &Ask) -> Result<(), String> {
        let family = self.families[self.place(&ask.family)?];
        let mut shown = self.shown();
        let Some(line) = shown.private.get_mut(&client) else { return Err("you have left".into()) };
        if let Some(seq) = ask.seq {
            if let Some(last) = line.seq.filter(|last| seq <= *last) {
                return Err(format!(
                    "the number {seq} of this request is not greater than {last}, that of an earlier one"
                ));
            }
            line.seq = Some(seq);
        }
        if line.waiting >= WAITING && !family.always_heard.contains(&ask.word.as_str()) {
            return Err(format!("{WAITING} of your requests are waiting already; send fewer"));
        }
        line.waiting += 1;
        Ok(())
    }

    /// Where a family stands in the table: how frames name it.
    ///
    /// # Errors
    /// A sentence that names those there are.
    pub(crate) fn place(&self, family: &str) -> Result<usize, String> {
        self.families.iter().position(|known| known.name == family).ok_or_else(|| {
            let names: Vec<_> = self.families.iter().map(|family| family.name).collect();
            let family: String = family.chars().take(40).collect();
            format!("there is no family {family:?}; there are {}; see docs/protocol.md", names.join(", "))
        })
    }

    /// What a family keeps under a topic; those that are not in the table keep nothing.
    fn topic(&self, family: &str, topic: u32) -> (usize, u32) {
        (self.place(family).unwrap_or(usize::MAX), topic)
    }

    /// The engine has heard a request.
    pub(crate) fn heard(&self, client: u32) {
        if let Some(line) = self.shown().private.get_mut(&client) {
            line.waiting = line.waiting.saturating_sub(1);
        }
    }

    /// Files were dropped on a family; the number of the job.
    pub(crate) async fn take(&self, family: String, dropped: Dropped) -> Result<u32, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Drop { family, dropped, reply });
        answer.await.unwrap_or_else(|_| Err(closing()))
    }

    /// A file of a family as it is now.
    pub(crate) async fn fetch(&self, family: String, path: String) -> Result<Served, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Fetch { family, path, reply });
        answer.await.unwrap_or_else(|_| Err(closing()))
    }

    /// The numbers of the bodies that there are.
    pub(crate) fn bodies(&self) -> Vec<u32> {
        self.shown().bodies.clone()
    }

    /// The studio closes.
    pub(crate) fn stop(&self) {
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

    /// Which bodies there are.
    pub(crate) fn show_bodies(&self, bodies: Vec<u32>) {
        self.shown().bodies = bodies;
    }

    /// News of the job for all; those that come later hear only of one that runs.
    pub(crate) fn show_job(&self, news: &JobNews) {
        if let Some(observer) = &self.observer {
            observer(news);
        }
        let mut shown = self.shown();
        let text: Arc<str> = event("jobs.news", news).into();
        // The last word of one job may come after the first of the next.
        if news.job >= shown.job {
            shown.job = news.job;
            let topic = self.topic("jobs", 0);
            if news.state == JobState::Running {
                shown.kept.insert(topic, text.clone());
            } else {
                shown.kept.remove(&topic);
            }
        }
        let _ = self.events.send(text);
    }

    /// The last word of a family on a topic: for all, and for those that come later.
    pub(crate) fn keep(&self, family: &str, topic: u32, text: String) {
        let text: Arc<str> = text.into();
        let mut shown = self.shown();
        shown.kept.insert(self.topic(family, topic), text.clone());
        // Under the lock, as in `join`: a client is either greeted with this or told of it.
        let _ = self.events.send(text);
    }

    /// As [`Hub::keep`], for what those who are there have heard in other words.
    pub(crate) fn amend(&self, family: &str, topic: u32, text: String) {
        self.shown().kept.insert(self.topic(family, topic), text.into());
    }

    /// Those that come later do not hear of this topic.
    pub(crate) fn forget(&self, family: &str, topic: u32) {
        self.shown().kept.remove(&self.topic(family, topic));
    }

    /// A word to all.
    pub(crate) fn tell(&self, text: String) {
        // No receiver is no error: nobody is connected.
        let _ = self.events.send(text.into());
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
        self.tell(Event::People { clients }.to_json());
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
    pub(crate) greeting: Vec<Arc<str>>,
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
