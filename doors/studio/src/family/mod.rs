//! What a studio can be asked: a table of families, one file and one line each.
//!
//! A family has its own requests, events and files, may act before and after every step, and may add a section to every frame.
//! Families do not know each other: what one does to the stage the others hear as [`News`]. docs/protocol has a page for each.

mod bodies;
mod build;
mod colours;
mod compare;
#[cfg(debug_assertions)]
mod echo;
mod edit;
mod feel;
mod files;
mod hand;
mod inside;
mod jobs;
mod modes;
mod motion;
mod time;

pub(crate) use hand::MOST as MOST_HANDS;

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::command::{Dropped, Refusal, Served};
use crate::hub::Known;
use crate::protocol::Ask;
pub(crate) use crate::stage::News;
use crate::stage::Stage;

/// One line of the table.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its name stands before the dot of its requests and events, and in the path of its files.
    known: Known,
    pub(crate) make: fn() -> Box<dyn Family>,
}

impl Entry {
    const fn new(name: &'static str, make: fn() -> Box<dyn Family>) -> Self {
        Self { known: Known { name, always_heard: &[] }, make }
    }

    /// These requests are passed on however many wait already.
    const fn always_hears(mut self, words: &'static [&'static str]) -> Self {
        self.known.always_heard = words;
        self
    }
}

/// All families. Their order is the order in which a client that joins is told of what there is.
const ALL: &[Entry] = &[
    Entry::new("time", || Box::new(time::Time)),
    Entry::new("bodies", || Box::new(bodies::Bodies)),
    Entry::new("feel", || Box::new(feel::Feel)),
    Entry::new("motion", || Box::<motion::Motions>::default()),
    Entry::new("hand", || Box::<hand::Hands>::default()).always_hears(&["release"]),
    Entry::new("build", || Box::<build::Build>::default()),
    Entry::new("files", || Box::<files::Files>::default()),
    Entry::new("jobs", || Box::new(jobs::Jobs)).always_hears(&["cancel"]),
    Entry::new("inside", || Box::new(inside::Inside)),
    Entry::new("modes", || Box::new(modes::Modes)),
    Entry::new("colours", || Box::<colours::Colours>::default()),
    Entry::new("compare", || Box::<compare::Compare>::default()),
    Entry::new("edit", || Box::<edit::Edit>::default()),
];

/// The table, with what is there for tests alone where that is asked for.
pub(crate) fn all() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "nothing is added there"))]
        let mut table = ALL.to_vec();
        #[cfg(debug_assertions)]
        if std::env::var_os("PLIANT_STUDIO_TEST").is_some() || cfg!(test) {
            table.push(Entry::new("echo", || Box::<echo::Echo>::default()));
        }
        table
    })
}

/// What the hub knows of them.
pub(crate) fn known() -> Vec<Known> {
    all().iter().map(|entry| entry.known).collect()
}

/// What a request is answered with, or a sentence that says why not and what would work.
pub(crate) type Answer = Result<Map<String, Value>, String>;

/// Nothing to add: it was done.
pub(crate) fn done() -> Answer {
    Ok(Map::new())
}

/// A family of what can be asked.
pub(crate) trait Family: Send {
    /// The studio opens.
    fn begin(&mut self, _: &mut Stage) {}

    /// A client asks; `ask` is of this family.
    fn ask(&mut self, _client: u32, ask: &Ask, _: &mut Stage) -> Answer {
        Err(format!("the family {} takes no requests; see docs/protocol/{0}.md", ask.family))
    }

    /// Something has happened.
    fn hear(&mut self, _: &News, _: &mut Stage) {}

    /// Before every step. Takes no memory.
    fn before_step(&mut self, _: &mut Stage) {}

    /// After every step. Takes no memory.
    fn after_step(&mut self, _: &mut Stage) {}

    /// What it has to say in a frame.
    fn section(&mut self, _: &mut Stage, _out: &mut Vec<u8>) {}

    /// A file below its own path.
    ///
    /// # Errors
    /// One that is not there, or not now.
    fn file(&mut self, path: &[&str], _: &mut Stage) -> Result<Making, Refusal> {
        Err(absent(path))
    }

    /// Files were dropped on it; the number of the job.
    ///
    /// # Errors
    /// When it takes none, or not now.
    fn take(&mut self, _: Dropped, _: &mut Stage) -> Result<u32, Refusal> {
        Err(Refusal::Absent("nothing can be dropped there; files are dropped at /family/files/drop".into()))
    }
}

/// A file, or how to make it: what takes long is made on a thread of its own, so that the bodies go on.
pub(crate) enum Making {
    Made(Served),
    Later(Box<dyn FnOnce() -> Result<Served, Refusal> + Send>),
}

/// Nothing is served at that path.
pub(crate) fn absent(path: &[&str]) -> Refusal {
    let path: String = path.join("/").chars().take(40).collect();
    Refusal::Absent(format!("there is nothing at {path:?}; docs/protocol.md lists what there is"))
}

/// The number of a body in a path.
///
/// # Errors
/// What is no number.
pub(crate) fn number(path: &[&str]) -> Result<u32, Refusal> {
    path.first().and_then(|first| first.parse().ok()).ok_or_else(|| absent(path))
}
