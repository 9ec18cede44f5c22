//! A heap that counts: for tests that something takes no memory.
//!
//! ```
//! use pliant_testkit::counting::{Counting, taken};
//! #[global_allocator]
//! static HEAP: Counting = Counting;
//! let before = taken();
//! let some = vec![0.0; 8];
//! assert_eq!((taken() - before, some.len()), (1, 8));
//! ```
#![expect(unsafe_code, reason = "a global allocator is unsafe to implement; this one counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::cell::Cell;

/// The heap of the standard library, and a count for each thread: a test program has several.
pub struct Counting;

thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has taken memory, of a program whose global allocator is [`Counting`].
pub fn taken() -> usize {
    TAKEN.get()
}

/// How many bytes that were, those given back included.
pub fn taken_bytes() -> usize {
    BYTES.get()
}

// SAFETY: every call goes on to the heap of the standard library unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.with(|taken| taken.set(taken.get() + 1));
        BYTES.with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: as our caller promises.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as our caller promises.
        unsafe { SystemAllocator.dealloc(at, layout) }
    }
}
