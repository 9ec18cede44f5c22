//! A force of a program's own: the linear one, and a spring on each coordinate.
//!
//! ```text
//! W̃ = ½ qᵀK̃q + ½ Σ_k c q_k²
//! ```

use std::sync::Arc;

use pliant::reduce::force::{ALL, Context, Entry, Linear, ReducedForce, Stored, StoredForce};
use pliant::reduce::{ReduceError, TensorWriter};

/// Its line in the table.
static ENTRY: Entry = Entry {
    name: "toy-stiffening",
    about: "the stiffness at rest, and a spring on each coordinate",
    takes: &[],
    suits: |_| None,
    check: |_, _, _| Ok(()),
    prepare: |_, basis, _, _| Ok(Springs(vec![1e3; basis.rank()]).into()),
    read: |stored: &Stored<'_>| {
        Ok(Arc::new(Springs(stored.tensors.reals("toy.springs", &[Some(stored.rank)])?.to_vec())))
    },
};

pub(super) fn add() {
    ALL.add(&ENTRY).expect("a new name");
}

/// c of each coordinate, 1/s².
#[derive(Debug)]
struct Springs(Vec<f64>);

impl StoredForce for Springs {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let (found, expected) = (self.0.len(), of.basis.rank());
        if found == expected { Ok(()) } else { Err(format!("{found} springs for {expected} coordinates")) }
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        out.reals("toy.springs", &[self.0.len()], &self.0);
    }

    fn truncated(&self, rank: usize) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(Self(self.0[..rank].to_vec())))
    }

    fn rescaled(&self, stiffness: f64) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(Self(self.0.iter().map(|c| stiffness * c).collect())))
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        let mut stiffness = of.stiffness.clone();
        let r = self.0.len();
        (0..r).for_each(|k| stiffness.values_mut()[k * r + k] += self.0[k]);
        Ok(Box::new(Linear::new(stiffness)))
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("toy_terms", self.0.len())]
    }
}
