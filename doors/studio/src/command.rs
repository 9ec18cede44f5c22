//! What server, engine, families and jobs hand to each other: commands, files, bodies, and refusals.

use std::sync::Arc;

use pliant::reduce::Model;
use pliant::world::{Carry, Form};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::packed::Packable;
use crate::protocol::{Ask, JobNews};

/// Who is told of every job beside the pages.
pub type Observer = Box<dyn Fn(&JobNews) + Send + Sync>;

/// What the engine is told.
#[derive(Debug)]
pub(crate) enum Command {
    /// A client came.
    Join,
    /// A client went.
    Leave { client: u32 },
    /// A client asks.
    Ask { client: u32, ask: Ask },
    /// Files were dropped on a family.
    Drop { family: String, dropped: Dropped, reply: oneshot::Sender<Result<u32, Refusal>> },
    /// A file of a family is wanted.
    Fetch { family: String, path: String, reply: oneshot::Sender<Result<Served, Refusal>> },
    /// A job has something to show of what it works on.
    Preview { job: u32, bytes: Vec<u8>, findings: String },
    /// A job has a first body, which moves while the finished one is being made.
    Draft { job: u32, made: Box<Finished> },
    /// A job is over, with what it made.
    Ended { job: u32, made: Option<Box<Finished>> },
    /// The studio closes.
    Stop,
}

/// Files that a page sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dropped {
    pub(crate) client: Option<u32>,
    /// The body whose place is taken.
    pub(crate) replace: Option<u32>,
    /// The job that is cancelled first.
    pub(crate) instead: Option<u32>,
    pub(crate) files: Vec<Upload>,
}

/// A file that a page sent; the name is for people and for its ending, never a path.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A file for a page.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) media: &'static str,
    /// What a browser saves it as, such as `dino.pliant`; `None` of what is not to be saved.
    pub(crate) name: Option<String>,
    /// Shared, not copied: many pages may load the same shape at once.
    pub(crate) bytes: Arc<Vec<u8>>,
    /// The same for those who take it packed, where that is worth it.
    pub(crate) packable: Option<Packable>,
}

impl Served {
    /// Tensors, or whatever has no better name.
    pub(crate) fn bytes(bytes: Arc<Vec<u8>>) -> Self {
        Self { media: "application/octet-stream", name: None, bytes, packable: None }
    }

    /// Bytes that many load.
    pub(crate) fn packable(packable: &Packable) -> Self {
        Self { packable: Some(packable.clone()), ..Self::bytes(packable.plain().clone()) }
    }
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
    /// Too many at once: HTTP 429.
    Many(String),
}

impl Refusal {
    pub(crate) fn sentence(&self) -> &str {
        let (Self::Busy(s) | Self::Absent(s) | Self::Early(s) | Self::Bad(s) | Self::Many(s)) = self;
        s
    }
}

/// Shapes as they go over the wire.
#[derive(Clone, Default)]
pub(crate) struct Shapes {
    pub(crate) shape: Packable,
    pub(crate) modes: Arc<Vec<u8>>,
    /// Of a solid.
    pub(crate) inside: Option<Packable>,
    /// What it can be made as.
    pub(crate) forms: Vec<Form>,
}

/// What a person should know of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Remark {
    /// In the words of the page.
    pub(crate) sentence: String,
    /// `note`, `warning` or `error`: of the file.
    pub(crate) severity: &'static str,
    /// What would help, by its name on the page.
    pub(crate) remedy: Option<&'static str>,
}

/// A body that a job has made.
pub(crate) struct Finished {
    /// To be told when it is there.
    pub(crate) news: JobNews,
    /// `opened`, `dropped`, `rebuilt`, `reshaped` or `refined`.
    pub(crate) why: &'static str,
    pub(crate) by: Option<u32>,
    /// The body whose place it takes.
    pub(crate) replaces: Option<u32>,
    pub(crate) name: String,
    /// What it was to be made as, where that was asked for.
    pub(crate) form: Option<Form>,
    /// What it became: tets may enclose what they could not fill.
    pub(crate) became: Option<Form>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) model: Arc<Model>,
    /// How the state of its draft goes over.
    pub(crate) carry: Option<Carry>,
    pub(crate) shapes: Shapes,
}

impl std::fmt::Debug for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finished").field("name", &self.name).field("why", &self.why).finish_non_exhaustive()
    }
}
