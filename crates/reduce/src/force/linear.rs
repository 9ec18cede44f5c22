//! The linear force: f̃ = K̃ q with the stiffness at rest, K̃ = UᵀK(0)U.
//!
//! In the basis of linear modes K̃ is diagonal, and the body a set of oscillators (B12 eq. 3). For small displacements
//! and small rotations only: a body that bends far swells.

use std::sync::Arc;

use pliant_energy::{Inadmissible, Tangent};
use pliant_linalg::DenseSymmetric;

use super::{Context, Entry, ReducedForce, StoredForce};
use crate::ReduceError;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "linear",
    about: "the stiffness at rest: oscillators, for small displacements",
    takes: &[],
    suits: |_| None,
    check: |_, _, _| Ok(()),
    prepare: |_, _, _, _| Ok(StoredLinear.into()),
    read: |_| Ok(Arc::new(StoredLinear)),
};

/// The linear force in a model, which has its stiffness in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLinear;

impl StoredForce for StoredLinear {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, _: &Context<'_>) -> Result<(), String> {
        Ok(())
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(Box::new(Linear::new(of.stiffness.clone())))
    }

    fn is_linear(&self) -> bool {
        true
    }
}

/// f̃ = K̃ q. Clones share K̃.
#[derive(Clone, Debug)]
pub struct Linear {
    stiffness: Arc<DenseSymmetric>,
    scratch: Vec<f64>,
}

impl Linear {
    /// With the reduced stiffness at rest.
    pub fn new(stiffness: DenseSymmetric) -> Self {
        let scratch = vec![0.0; stiffness.size()];
        Self { stiffness: Arc::new(stiffness), scratch }
    }
}

impl ReducedForce for Linear {
    fn rank(&self) -> usize {
        self.stiffness.size()
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        self.stiffness.apply(q, &mut self.scratch);
        Ok(0.5 * q.iter().zip(&self.scratch).map(|(q, f)| q * f).sum::<f64>())
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.stiffness.apply(q, out);
        Ok(())
    }

    fn stiffness(&mut self, _: &[f64], _: Tangent, out: &mut DenseSymmetric) -> Result<(), Inadmissible> {
        out.values_mut().copy_from_slice(self.stiffness.values());
        Ok(())
    }

    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        _: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.stiffness.apply(q, force);
        self.stiffness.apply(x, along);
        Ok(())
    }

    fn round_off(&mut self, _: &[f64]) -> f64 {
        0.0
    }
}
