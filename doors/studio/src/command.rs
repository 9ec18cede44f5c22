//! What server, engine and jobs hand to each other: commands, files, bodies, and refusals.

use std::sync::Arc;

use pliant::reduce::Model;
use tokio::sync::oneshot;

use crate::protocol::{JobNews, Request};

/// Who is told of every job beside the pages.
pub type Observer = Box<dyn Fn(&JobNews) + Send + Sync>;

/// What the engine is told.
#[derive(Debug)]
pub(crate) enum Command {
    /// A client came.
    Join,
    /// A client went; its grabs end.
    Leave { client: u32 },
    /// A client asks.
    Ask { client: u32, request: Request },
    /// Files were dropped.
    Upload { client: Option<u32>, files: Vec<Upload>, reply: oneshot::Sender<Result<u32, Refusal>> },
    /// Something is to be saved.
    Save { what: Saving, reply: oneshot::Sender<Result<Saved, Refusal>> },
    /// A job has made a body.
    Install(Box<Finished>),
    /// The studio closes.
    Stop,
}

/// A file that a page sent; the name is for people and for its ending, never a path.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// What can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saving {
    Model,
    Motion,
    Scenario,
    State,
}

/// A file for a page.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    /// Such as `dino.pliant`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Why something was not done, in a sentence that says what would work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not now: HTTP 409.
    Busy(String),
    /// Not there: HTTP 404.
    Absent(String),
    /// No body yet, or the studio closes: HTTP 503.
    Early(String),
    /// Not what it should be: HTTP 422.
    Bad(String),
}

impl Refusal {
    pub(crate) fn sentence(&self) -> &str {
        let (Self::Busy(s) | Self::Absent(s) | Self::Early(s) | Self::Bad(s)) = self;
        s
    }
}

/// Shapes as they go over the wire.
#[derive(Clone, Default)]
pub(crate) struct Shapes {
    pub(crate) shape: Arc<Vec<u8>>,
    /// Of a solid.
    pub(crate) inside: Option<Arc<Vec<u8>>>,
}

/// A body that a job has made.
pub(crate) struct Finished {
    /// To be told when it is there.
    pub(crate) news: JobNews,
    /// `opened`, `dropped` or `rebuilt`.
    pub(crate) why: &'static str,
    pub(crate) by: Option<u32>,
    pub(crate) name: String,
    pub(crate) notes: Vec<String>,
    pub(crate) model: Arc<Model>,
    pub(crate) shapes: Shapes,
}

impl std::fmt::Debug for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finished").field("name", &self.name).field("why", &self.why).finish_non_exhaustive()
    }
}
