//! A cubature as a model keeps it.

use std::sync::Arc;

use super::{Cubature, CubatureForce};
use crate::ReduceError;
use crate::container::TensorWriter;
use crate::force::{Context, ReducedForce, Stored, StoredForce};

impl StoredForce for Cubature {
    fn name(&self) -> &'static str {
        super::ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let (points, count) = (&self.components, of.energy.count());
        if points.len() != self.weights.len() {
            let weights = self.weights.len();
            return Err(format!("the cubature has {} components and {weights} weights", points.len()));
        }
        if let Some(c) = points.iter().find(|&&c| c as usize >= count) {
            let last = count.saturating_sub(1);
            return Err(format!("the cubature names component {c}, but there are {count} (0 to {last})"));
        }
        if !points.is_sorted_by(|a, b| a < b) {
            return Err("the components of the cubature are not ascending, or one is named twice".to_owned());
        }
        match self.weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            Some(w) => Err(format!("the cubature has the weight {w}, expected finite numbers > 0")),
            None => Ok(()),
        }
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        let s = self.components.len();
        out.indices("cubature.components", &[s], &self.components);
        out.reals("cubature.weights", &[s], &self.weights);
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        let force = CubatureForce::new(of.energy, self, of.basis);
        Ok(Box::new(force.with_rounding()))
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("cubature_points", self.components.len())]
    }
}

/// The cubature of a model file.
pub(super) fn read(of: &Stored<'_>) -> Result<Arc<dyn StoredForce>, String> {
    let components = of.tensors.indices("cubature.components", &[None])?.to_vec();
    let weights = of.tensors.reals("cubature.weights", &[Some(components.len())])?.to_vec();
    Ok(Arc::new(Cubature { components, weights }))
}
