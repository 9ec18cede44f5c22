//! St. Venant-Kirchhoff in a basis: its energy is a quartic polynomial of q, so everything is exact.
//!
//! ```text
//! W̃(q) = ½ S₂:qq + S₃:qqq + ½ S₄:qqqq,   f̃ = S₂q + 3 S₃qq + 2 S₄qqq,   K̃ = S₂ + 6 S₃q + 6 S₄qq
//! ```
//! (B12 section 3.1.) The tensors are fully symmetric, so that one number stands for all orders of its indices. Energy,
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

use super::{Context, Entry, ReducedForce, Stored, StoredForce};
use crate::ReduceError;
use crate::container::{DAMAGED, TensorWriter};

pub use precompute::{MOST_RANK, check, check_rank, syrk_operations};

/// Up to this rank the exact polynomial is taken by default: its cost grows with r⁴, that of a cubature with r³.
pub const MOST_USUAL: usize = 60;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "cubic",
    about: "the exact polynomial of St. Venant-Kirchhoff: up to about sixty coordinates",
    takes: &[],
    suits: |body| check(body).is_ok().then_some(MOST_USUAL),
    check: |body, rank, _| {
        check(body)?;
        rank.map_or(Ok(()), check_rank)
    },
    prepare: |of, basis, _, watch| Ok(Polynomial::new(of.body, basis, watch)?.into()),
    read,
};

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

impl StoredForce for Polynomial {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let r = of.basis.rank();
        if self.rank != r {
            return Err(format!("the polynomial has {} coordinates, but the basis has {r}", self.rank));
        }
        for (what, numbers, order) in self.parts() {
            if Some(numbers.len()) != coefficients(r, order) {
                return Err(format!(
                    "the {what} part of the polynomial has {} numbers, which do not fit {r} coordinates",
                    numbers.len()
                ));
            }
            crate::container::finite("the polynomial", numbers)?;
        }
        Ok(())
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        for (order, numbers, _) in self.parts() {
            out.reals(&format!("polynomial.{order}"), &[numbers.len()], numbers);
        }
    }

    fn truncated(&self, rank: usize) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(self.restricted(rank)))
    }

    fn rescaled(&self, stiffness: f64) -> Option<Arc<dyn StoredForce>> {
        let times = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| stiffness * x).collect() };
        let Self { rank, quadratic, cubic, quartic } = self;
        let (quadratic, cubic, quartic) = (times(quadratic), times(cubic), times(quartic));
        Some(Arc::new(Self { rank: *rank, quadratic, cubic, quartic }))
    }

    fn evaluator(&self, _: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(Box::new(Cubic::new(self)))
    }
}

impl Polynomial {
    /// S₂, S₃ and S₄ with their names and orders.
    fn parts(&self) -> [(&'static str, &[f64], usize); 3] {
        [("quadratic", &self.quadratic, 2), ("cubic", &self.cubic, 3), ("quartic", &self.quartic, 4)]
    }

    /// The terms of the first `count` coordinates alone.
    pub fn restricted(&self, count: usize) -> Self {
        let r = self.rank;
        let [n2, n3, n4] = Self::lengths(count);
        let (mut quadratic, mut cubic, mut quartic) =
            (Vec::with_capacity(n2), Vec::with_capacity(n3), Vec::with_capacity(n4));
        for i in 0..count {
            for j in i..count {
                quadratic.push(self.quadratic[layout::place2(r, [i, j])]);
                for k in j..count {
                    cubic.push(self.cubic[layout::place3(r, [i, j, k])]);
                    // The last index is the fastest.
                    let first = layout::place4(r, [i, j, k, k]);
                    quartic.extend(&self.quartic[first..first + count - k]);
                }
            }
        }
        Self { rank: count, quadratic, cubic, quartic }
    }
}

fn read(of: &Stored<'_>) -> Result<Arc<dyn StoredForce>, String> {
    let part = |name: &str, order: usize| {
        let count = coefficients(of.rank, order).ok_or_else(|| {
            format!("a polynomial of {} coordinates has too many terms; {DAMAGED}", of.rank)
        })?;
        Ok::<_, String>(of.tensors.reals(&format!("polynomial.{name}"), &[Some(count)])?.to_vec())
    };
    let (quadratic, cubic, quartic) = (part("quadratic", 2)?, part("cubic", 3)?, part("quartic", 4)?);
    Ok(Arc::new(Polynomial { rank: of.rank, quadratic, cubic, quartic }))
}

/// How many numbers a symmetric tensor of some order has: C(r + order − 1, order). `None`: too many to count.
pub(crate) fn coefficients(rank: usize, order: usize) -> Option<usize> {
    // Each quotient is a binomial coefficient, so that nothing is lost.
    (1..=order).try_fold(1usize, |count, k| Some(count.checked_mul(rank.checked_add(k - 1)?)? / k))
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
        3 * self.coefficients()
    }

    /// The quartic coefficients that one contraction reads, those included that are zero for the sake of the layout.
    pub fn coefficients(&self) -> usize {
        self.quartic.coefficients()
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

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
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
        _: &mut DenseSymmetric,
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
