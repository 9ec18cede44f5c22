//! St. Venant-Kirchhoff in a basis: its energy is a quartic polynomial of q, so everything is exact.
//!
//! ```text
//! W̃(q) = ½ S₂:qq + S₃:qqq + ½ S₄:qqqq,   f̃ = S₂q + 3 S₃qq + 2 S₄qqq,   K̃ = S₂ + 6 S₃q + 6 S₄qq
//! ```
//! (000 section 3.1.) The tensors are fully symmetric, so that one number stands for all orders of its indices. Energy,
//! force and stiffness come out of one contraction ([`pliant_linalg::quartic`]), which costs r⁴/8 multiply-adds: with
//! more than a hundred coordinates, and for every other material, `cubature` is the force to use.
//! Source: BJ05 in docs/papers.md.

mod precompute;
mod strain;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pliant_energy::{Inadmissible, Tangent};
use pliant_linalg::DenseSymmetric;
use pliant_linalg::quartic::{Quartic, Scratch, layout};

use super::ReducedForce;

pub use precompute::{MOST_RANK, check, check_rank, syrk_operations};

/// The tensors S₂, S₃, S₄ of the energy: entries with ascending indices i ≤ j ≤ k ≤ l, the last index fastest. J.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// r.
    pub rank: usize,
    /// S₂, r(r+1)/2 numbers.
    pub quadratic: Vec<f64>,
    /// S₃, r(r+1)(r+2)/6 numbers.
    pub cubic: Vec<f64>,
    /// S₄, r(r+1)(r+2)(r+3)/24 numbers.
    pub quartic: Vec<f64>,
}

impl Polynomial {
    /// How many numbers S₂, S₃ and S₄ have for r coordinates.
    pub fn lengths(rank: usize) -> [usize; 3] {
        [layout::count2(rank), layout::count3(rank), layout::count4(rank)]
    }
}

/// The exact force of a [`Polynomial`].
///
/// Clones share the coefficients. The answers at the last q are kept: a solver that asks for energy, force and stiffness
/// of one state pays for one contraction.
#[derive(Clone, Debug)]
pub struct Cubic {
    quartic: Arc<Quartic>,
    scratch: Scratch,
    /// Where `energy`, `force` and `stiffness` hold.
    q: Vec<f64>,
    energy: f64,
    force: Vec<f64>,
    stiffness: DenseSymmetric,
}

impl Cubic {
    /// Puts the coefficients in the order in which they are used. The tensors must be of the lengths that
    /// [`Polynomial::lengths`] gives.
    pub fn new(polynomial: &Polynomial) -> Self {
        let Polynomial { rank, quadratic, cubic, quartic } = polynomial;
        let r = *rank;
        let mut force = Self {
            quartic: Arc::new(Quartic::new(r, quadratic, cubic, quartic)),
            scratch: Scratch::new(r),
            q: vec![0.0; r],
            energy: 0.0,
            force: vec![0.0; r],
            stiffness: DenseSymmetric::zeros(r),
        };
        force.compute();
        force
    }

    /// The multiply-adds that one contraction cannot do without: three for each quartic coefficient it reads, those
    /// included that are zero for the sake of the layout.
    pub fn multiply_adds(&self) -> usize {
        3 * self.quartic.coefficients()
    }

    /// Energy, force and stiffness at q, unless they are there.
    fn at(&mut self, q: &[f64]) {
        assert_eq!(q.len(), self.q.len(), "as many coordinates as the polynomial has");
        if self.q.iter().zip(q).any(|(known, q)| known.to_bits() != q.to_bits()) {
            self.q.copy_from_slice(q);
            self.compute();
        }
    }

    fn compute(&mut self) {
        let Self { quartic, scratch, q, energy, force, stiffness } = self;
        *energy = quartic.evaluate(q, scratch, force, stiffness.values_mut());
    }
}

impl ReducedForce for Cubic {
    fn rank(&self) -> usize {
        self.q.len()
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        self.at(q);
        Ok(self.energy)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.at(q);
        out.copy_from_slice(&self.force);
        Ok(())
    }

    fn stiffness(&mut self, q: &[f64], _: Tangent, out: &mut DenseSymmetric) -> Result<(), Inadmissible> {
        self.at(q);
        out.values_mut().copy_from_slice(self.stiffness.values());
        Ok(())
    }

    /// K̃ comes with f̃ in any case.
    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
    ) -> Result<(), Inadmissible> {
        self.at(q);
        force.copy_from_slice(&self.force);
        self.stiffness.apply(x, along);
        Ok(())
    }

    fn round_off(&mut self, _: &[f64]) -> f64 {
        0.0
    }
}
