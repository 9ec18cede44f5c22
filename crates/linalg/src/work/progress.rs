//! How long work tells what it does and is told to stop.
//!
//! A long function takes one `&mut Watch<'_>`. The command line's bar, the studio's cancel button and an interrupt
//! from the keyboard are all that same parameter; a caller who wants none of it passes
//! `&mut` [`ignore_progress`], whatever the function: there is one answer for all of them.

use std::ops::ControlFlow;

/// What a long computation is doing now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage, in words for people: "winding numbers", "cutting".
    pub stage: &'static str,
    /// Units done in this stage.
    pub done: usize,
    /// Units in this stage; 0 when it cannot be known.
    pub total: usize,
}

/// Called with each [`Progress`]; `Break` asks the work to stop.
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// The work was asked to stop and did; nothing was produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Cancelled;

impl Progress {
    /// Tells `watch` about this moment, and turns its `Break` into an error that `?` passes on.
    ///
    /// # Errors
    /// [`Cancelled`] when `watch` asks to stop.
    pub fn tell(self, watch: &mut Watch<'_>) -> Result<(), Cancelled> {
        match watch(self) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }

    /// A stage whose length is not known in advance.
    pub fn stage(stage: &'static str) -> Self {
        Self { stage, done: 0, total: 0 }
    }
}

/// A watch that shows nothing and never stops the work: for every function that takes one.
///
/// ```
/// use pliant_linalg::{Progress, Watch, ignore_progress};
/// fn long_work(watch: &mut Watch<'_>) -> Result<u32, pliant_linalg::Cancelled> {
///     Progress::stage("working").tell(watch)?;
///     Ok(42)
/// }
/// assert_eq!(long_work(&mut ignore_progress), Ok(42));
/// ```
pub fn ignore_progress(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_becomes_an_error() {
        let mut seen = 0;
        let mut watch = |p: Progress| {
            seen += 1;
            if p.done == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let work = |watch: &mut Watch<'_>| -> Result<(), Cancelled> {
            (0..5).try_for_each(|done| Progress { stage: "count", done, total: 5 }.tell(watch))
        };
        assert_eq!(work(&mut watch), Err(Cancelled));
        assert_eq!(seen, 3);
        assert_eq!(work(&mut ignore_progress), Ok(()));
    }
}
