//! The studio: a stage of bodies, stepped in real time, that pages in the browser watch and pull.
//!
//! ```text
//! pages ⇄ server (tokio: HTTP, WebSocket, who may connect, how much)      server/
//!            │ Ask, Drop, Fetch               ▲ frames, events, files
//!            ▼                                │
//!           Hub: what everybody may know, and the way to the engine        hub.rs
//!            │ Command                        ▲
//!            ▼                                │
//! engine (one thread: the loop)  ⇐  jobs (one thread: read, examine, fill, reduce)
//!            │
//!            ▼
//! families (what can be asked: a table)  →  stage (the bodies in their world)
//! ```
//! The server never computes and the engine never waits for a client: frames go through a cell that holds the last one, so a
//! page that reads slowly misses frames and slows nobody. docs/protocol.md is the contract, with a page for each family.

pub mod protocol;

mod cache;
mod command;
mod engine;
mod error;
mod family;
mod hub;
mod job;
mod menus;
mod packed;
mod server;
mod shape;
mod stage;
mod words;

pub use command::Observer;
pub use error::StudioError;
pub use server::{Options, Studio};

use std::path::PathBuf;

/// What a studio opens with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The demo, from the cache folder if it was made before.
    Demo,
    /// A mesh or a `.pliant` model.
    File(PathBuf),
}
