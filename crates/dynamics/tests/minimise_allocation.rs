//! Only the first call takes memory.

#![expect(non_snake_case, reason = "B, H, K are the papers' letters")]

#[path = "minimise/energies.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod energies;

use energies::{Toy, Valley};
use pliant_dynamics::minimise::{ALL, Stopping, Units, unseen};
use pliant_testkit::counting::{Counting, taken};

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn an_iteration_after_the_first_call_takes_no_memory() {
    for entry in &ALL {
        let mut minimiser = (entry.make)();
        let mut toy = Toy::new(Valley(12));
        let mut q = vec![0.3; 12];
        let stopping = |iterations| Stopping { epsilon: 1e-12, iterations, units: Units::PRINTED };
        minimiser.minimise(&mut toy, &mut q, &stopping(1), &mut unseen);
        let before = taken();
        let outcome = minimiser.minimise(&mut toy, &mut q, &stopping(30), &mut unseen);
        assert_eq!((taken() - before, outcome.iterations > 3), (0, true), "{}: {outcome:?}", entry.name);
    }
}
