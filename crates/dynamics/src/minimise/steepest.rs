//! Steepest descent: p = −∂E. For comparison only: T14 Figure 5.6 gives it 5806 iterations, and it has not arrived.

use super::descent::{Direction, Room};
use super::{Entry, Minimiser, Objective, Onlooker, Outcome, Stopping};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "steepest",
    about: "straight down; for comparison, it hardly ever arrives",
    dense: false,
    hessian: false,
    make: || Box::new(Steepest::default()),
};

#[derive(Default)]
struct Steepest {
    room: Room,
    way: Way,
}

/// The fall that the last step was to bring, −t m: the next is to bring as much (NW06 section 3.5).
#[derive(Default)]
struct Way {
    promised: Option<f64>,
}

impl Direction for Way {
    fn begin(&mut self, _: &mut dyn Objective) {}

    fn point(&mut self, _: &mut dyn Objective, _: &[f64], g: &[f64], p: &mut [f64]) -> bool {
        p.iter_mut().zip(g).for_each(|(p, g)| *p = -g);
        true
    }

    fn first_length(&self, _: &[f64], slope: f64) -> f64 {
        self.promised.map_or(1.0, |promised| promised / -slope)
    }

    fn learn(&mut self, _: &[f64], _: &[f64], slope: f64, length: f64) {
        self.promised = Some(-slope * length);
    }

    fn renew(&mut self, _: &mut dyn Objective) -> bool {
        self.promised.take().is_some()
    }
}

impl Minimiser for Steepest {
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        q: &mut [f64],
        stopping: &Stopping,
        look: &mut Onlooker<'_>,
    ) -> Outcome {
        self.room.descend(&mut self.way, objective, q, stopping, look)
    }

    fn forget(&mut self) {
        self.way.promised = None;
    }
}
