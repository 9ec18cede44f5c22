//! From files to a body, on a thread of its own.

/// A body that a job has made.
#[derive(Debug)]
pub(crate) struct Finished {}
