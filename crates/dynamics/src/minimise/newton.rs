//! Newton's method: p = −(∂²E)⁻¹ ∂E.
//!
//! Where ∂²E is not positive definite its positive part is taken, component by component; where that is singular, too, something
//! positive definite is added, little at first. Few iterations, each with a matrix; the only one that works at full order, where the
//! matrix is sparse.

use super::descent::{Direction, Room};
use super::{Entry, Minimiser, Objective, Onlooker, Outcome, Stopping};
use crate::Tangent;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "newton",
    about: "few iterations, each with a matrix of second derivatives",
    dense: false,
    hessian: true,
    make: || Box::new(Newton::default()),
};

/// Powers of ten of the shift.
const LEAST_SHIFT: i32 = -10;
const MOST_SHIFT: i32 = 2;

#[derive(Default)]
struct Newton {
    room: Room,
}

struct Way;

impl Direction for Way {
    fn begin(&mut self, _: &mut dyn Objective) {}

    fn point(&mut self, objective: &mut dyn Objective, q: &[f64], g: &[f64], p: &mut [f64]) -> bool {
        let whole = [(Tangent::Exact, 0.0), (Tangent::Positive, 0.0)].into_iter();
        let shifted = (LEAST_SHIFT..=MOST_SHIFT).map(|k| (Tangent::Positive, 10f64.powi(k)));
        for (tangent, shift) in whole.chain(shifted) {
            if objective.factorise(q, tangent, shift).is_err() {
                continue;
            }
            p.iter_mut().zip(g).for_each(|(p, g)| *p = -g);
            objective.solve(p);
            if p.iter().zip(g).map(|(p, g)| p * g).sum::<f64>() < 0.0 {
                return true;
            }
        }
        false
    }
}

impl Minimiser for Newton {
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        q: &mut [f64],
        stopping: &Stopping,
        look: &mut Onlooker<'_>,
    ) -> Outcome {
        self.room.descend(&mut Way, objective, q, stopping, look)
    }

    fn forget(&mut self) {}
}
