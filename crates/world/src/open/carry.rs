//! From the coordinates of one reduced model to those of another of the same body.
//!
//! ```text
//! U_b q_b ≈ U_a q_a,   q_b = M̃_b⁻¹ U_bᵀ M U_a q_a        the nearest by mass
//! ```
//! M̃ is a multiple of one where a basis is orthonormal in the mass, as all of ours are.

use pliant_energy::Body;
use pliant_reduce::{Basis, Model};

/// A body that was a [draft](super::Open::open_drafted) goes on as the finished one where it was.
#[derive(Clone, Debug)]
pub struct Carry {
    /// Of the model that it goes to.
    rank: usize,
    /// A column for each coordinate of the one that it comes from.
    columns: Vec<f64>,
}

impl Carry {
    pub(super) fn between(from: &Basis, to: &Model, body: &Body) -> Self {
        let (a, rank) = (from.rank(), to.rank());
        let mut columns = vec![0.0; a * rank];
        let (mut u, mut inertia) = (vec![0.0; body.size()], vec![0.0; body.size()]);
        let mut unit = vec![0.0; a];
        for (k, column) in columns.chunks_exact_mut(rank).enumerate() {
            unit[k] = 1.0;
            from.expand(&unit, &mut u);
            unit[k] = 0.0;
            body.mass().apply_per_axis(&u, &mut inertia);
            to.basis().project(&inertia, column);
            let mass = to.reduced_mass().get(0, 0);
            column.iter_mut().for_each(|x| *x /= mass);
        }
        Self { rank, columns }
    }

    /// Coordinates, or rates of them, as the other model has them; those that are not given are zero.
    pub fn apply(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut carried = vec![0.0; self.rank];
        for (column, x) in self.columns.chunks_exact(self.rank).zip(coordinates) {
            carried.iter_mut().zip(column).for_each(|(q, c)| *q += c * x);
        }
        carried
    }
}
