//! Threads that step the bodies of a world together.
//!
//! Bodies know nothing of each other, so no bit depends on who steps which. A body moves to the thread that steps it and back, through
//! lists that have room for all of them beforehand: a step takes no memory, and nothing is shared but the lists.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::{Body, Trouble};

/// Threads that wait for bodies.
pub(crate) struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    lists: Mutex<Lists>,
    /// There are bodies to step, or nothing to wait for any more.
    begin: Condvar,
    /// All of them are back.
    end: Condvar,
}

#[derive(Default)]
struct Lists {
    dt: f64,
    waiting: Vec<Turn>,
    back: Vec<Turn>,
    /// Bodies that wait or are being stepped.
    away: usize,
    over: bool,
}

/// A body that is due, and how its step went.
struct Turn {
    place: usize,
    body: Box<dyn Body>,
    went: std::thread::Result<Result<(), Trouble>>,
}

impl Turn {
    fn step(&mut self, dt: f64) {
        // A body that panics must not be waited for in vain.
        self.went = catch_unwind(AssertUnwindSafe(|| self.body.step(dt)));
    }
}

impl Shared {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        // Under the lock things are only moved, so the lists are whole whatever happened.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Steps what waits until nothing does.
    fn step_waiting<'a>(&'a self, mut lists: MutexGuard<'a, Lists>) -> MutexGuard<'a, Lists> {
        while let Some(mut turn) = lists.waiting.pop() {
            let dt = lists.dt;
            drop(lists);
            turn.step(dt);
            lists = self.lists();
            lists.back.push(turn);
            lists.away -= 1;
            if lists.away == 0 {
                self.end.notify_one();
            }
        }
        lists
    }

    fn work(&self) {
        let mut lists = self.lists();
        while !lists.over {
            lists = self.step_waiting(lists);
            if !lists.over {
                lists = self.begin.wait(lists).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Crew {
    /// So many threads, with the one that calls [`Crew::end`].
    ///
    /// # Errors
    /// A system that gives none.
    pub(crate) fn new(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            lists: Mutex::new(Lists::default()),
            begin: Condvar::new(),
            end: Condvar::new(),
        });
        let mut crew = Self { shared, threads: Vec::new() };
        for _ in 1..threads {
            let shared = crew.shared.clone();
            crew.threads.push(Builder::new().name("bodies".into()).spawn(move || shared.work())?);
        }
        Ok(crew)
    }

    /// How many of them there are.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len() + 1
    }

    /// Room for so many bodies.
    pub(crate) fn reserve(&self, bodies: usize) {
        let lists = &mut *self.shared.lists();
        lists.waiting.reserve(bodies);
        lists.back.reserve(bodies);
    }

    /// Bodies, each with its place, begin a step.
    pub(crate) fn begin(&self, dt: f64, bodies: impl Iterator<Item = (usize, Box<dyn Body>)>) {
        let mut lists = self.shared.lists();
        lists.dt = dt;
        lists.waiting.extend(bodies.map(|(place, body)| Turn { place, body, went: Ok(Ok(())) }));
        lists.away = lists.waiting.len();
        self.shared.begin.notify_all();
    }

    /// The caller steps bodies too until all are back; `back` is given each with its place and how its step went, in any order.
    ///
    /// # Panics
    /// When a body did, after all are back.
    pub(crate) fn end(&self, mut back: impl FnMut(usize, Box<dyn Body>, Result<(), Trouble>)) {
        let mut lists = self.shared.step_waiting(self.shared.lists());
        while lists.away > 0 {
            lists = self.shared.end.wait(lists).unwrap_or_else(PoisonError::into_inner);
        }
        let mut broken = None;
        for Turn { place, body, went } in lists.back.drain(..) {
            let went = went.unwrap_or_else(|panic| {
                broken = Some(panic);
                Ok(())
            });
            back(place, body, went);
        }
        drop(lists);
        if let Some(panic) = broken {
            resume_unwind(panic);
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.lists().over = true;
        self.shared.begin.notify_all();
        for thread in self.threads.drain(..) {
            // It catches what bodies do.
            let _ = thread.join();
        }
    }
}
