//! What bodies were before they were made anew: kept, so that it can be undone and done again.

use std::collections::BTreeMap;

use pliant::world::Body;

use super::Actor;

/// What is kept of one body, and of all: each is a model with its shapes.
const MOST_OF_ONE: usize = 6;
const MOST: usize = 24;

/// A body that does not stand on the stage any more, at rest, with the settings that it had.
pub(super) struct Kept {
    pub(super) actor: Actor,
    pub(super) body: Box<dyn Body>,
}

/// What a body was before, and what it was before that was undone; the newest last.
#[derive(Default)]
struct Line {
    past: Vec<Kept>,
    future: Vec<Kept>,
}

/// Of every body by its number.
#[derive(Default)]
pub(super) struct Former(BTreeMap<u32, Line>);

impl Former {
    /// A body was made anew under another number: nothing that was undone can be done again.
    pub(super) fn replaced(&mut self, old: u32, new: u32, kept: Kept) {
        let Line { mut past, .. } = self.0.remove(&old).unwrap_or_default();
        past.push(kept);
        past.drain(..past.len().saturating_sub(MOST_OF_ONE));
        self.0.insert(new, Line { past, future: Vec::new() });
        while self.0.values().map(|line| line.past.len() + line.future.len()).sum::<usize>() > MOST {
            // The oldest of the body that has most.
            let Some(line) = self.0.values_mut().max_by_key(|line| line.past.len()) else { return };
            if line.past.is_empty() {
                return;
            }
            line.past.remove(0);
        }
    }

    /// A body goes on under another number.
    pub(super) fn renamed(&mut self, old: u32, new: u32) {
        if let Some(line) = self.0.remove(&old) {
            self.0.insert(new, line);
        }
    }

    /// A body went for good.
    pub(super) fn forget(&mut self, number: u32) {
        self.0.remove(&number);
    }

    /// What a body was, or what it was before that was undone; taken out.
    pub(super) fn take(&mut self, number: u32, again: bool) -> Option<Kept> {
        let line = self.0.get_mut(&number)?;
        if again { line.future.pop() } else { line.past.pop() }
    }

    /// What stood there until [`Former::take`] was put in its place.
    pub(super) fn put(&mut self, number: u32, again: bool, kept: Kept) {
        let line = self.0.entry(number).or_default();
        if again { line.past.push(kept) } else { line.future.push(kept) }
    }
}
