//! A force of a program's own: the linear one, and a spring on each coordinate that hardens.
//!
//! ```text
//! W̃ = ½ qᵀK̃q + Σ_k c q_k⁴/4
//! ```

use std::sync::Arc;

use pliant_energy::{Inadmissible, Tangent};
use pliant_linalg::DenseSymmetric;
use pliant_reduce::force::{Context, Entry, Linear, ReducedForce, Stored, StoredForce};
use pliant_reduce::{ReduceError, TensorWriter};

/// c, N/m³ in coordinates.
pub(crate) const HARDENING: f64 = 1e9;

/// Its line in the table.
pub(crate) static ENTRY: Entry = Entry {
    name: "toy-stiffening",
    about: "the stiffness at rest, and a spring on each coordinate that hardens",
    takes: &[],
    suits: |_| None,
    check: |_, _, _| Ok(()),
    prepare: |_, basis, _, _| Ok(Toy { hardening: vec![HARDENING; basis.rank()] }.into()),
    read: |stored: &Stored<'_>| {
        let hardening = stored.tensors.reals("toy.hardening", &[Some(stored.rank)])?.to_vec();
        Ok(Arc::new(Toy { hardening }))
    },
};

/// Its numbers.
#[derive(Debug)]
struct Toy {
    hardening: Vec<f64>,
}

impl StoredForce for Toy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let (found, expected) = (self.hardening.len(), of.basis.rank());
        if found == expected { Ok(()) } else { Err(format!("{found} springs for {expected} coordinates")) }
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        out.reals("toy.hardening", &[self.hardening.len()], &self.hardening);
    }

    fn truncated(&self, rank: usize) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(Self { hardening: self.hardening[..rank].to_vec() }))
    }

    fn rescaled(&self, stiffness: f64) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(Self { hardening: self.hardening.iter().map(|c| stiffness * c).collect() }))
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(Box::new(Springs { linear: Linear::new(of.stiffness.clone()), hardening: self.hardening.clone() }))
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("toy_terms", self.hardening.len())]
    }
}

/// What evaluates it.
#[derive(Clone)]
struct Springs {
    linear: Linear,
    hardening: Vec<f64>,
}

impl ReducedForce for Springs {
    fn rank(&self) -> usize {
        self.hardening.len()
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        let own = self.hardening.iter().zip(q).map(|(c, q)| 0.25 * c * q.powi(4)).sum::<f64>();
        Ok(self.linear.energy(q)? + own)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.linear.force(q, out)?;
        out.iter_mut().zip(&self.hardening).zip(q).for_each(|((f, c), q)| *f += c * q.powi(3));
        Ok(())
    }

    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.linear.stiffness(q, tangent, out)?;
        let r = q.len();
        (0..r).for_each(|i| out.values_mut()[i * r + i] += 3.0 * self.hardening[i] * q[i] * q[i]);
        Ok(())
    }

    fn round_off(&mut self, _: &[f64]) -> f64 {
        0.0
    }
}
