//! Only the first step takes memory.

#[path = "motion/systems.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod systems;

use pliant_dynamics::integrator::ALL;
use pliant_dynamics::{Damping, DampingKind, Options, Settings, State, System};
use pliant_testkit::counting::{Counting, taken};
use systems::{Law, Toy};

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn a_step_after_the_first_takes_no_memory() {
    for entry in &ALL {
        for kind in [DampingKind::Tangent, DampingKind::Rest] {
            let mut toy = if entry.linear_only {
                Toy::chain(12, 0.1, 1e4)
            } else {
                Toy::cantilever(3, 1e4, Law::Green)
            };
            toy.load_stiffness = 50.0;
            // From t = 0.1 on it is so rough that steps are halved.
            toy.load = |t, _, out| {
                let push = if t > 0.1 { 3e3 } else { 2.0 };
                (0..out.len()).for_each(|i| out[i] = push * (i as f64).sin());
            };
            let damping = Damping { mass: 0.1, stiffness: 1e-4, kind };
            let options = Options { halvings: 1, ..Options::default() };
            let mut integrator = (entry.make)(Settings { damping, options });
            let mut state = State::at_rest(toy.size());
            integrator.step(&mut toy, &mut state, 0.02).unwrap();
            let before = taken();
            for _ in 0..10 {
                // An error is no reason to allocate either.
                let _ = integrator.step(&mut toy, &mut state, 0.02);
            }
            assert_eq!(taken() - before, 0, "{}, {kind:?}", entry.name);
        }
    }
}
