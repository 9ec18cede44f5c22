//! A cubature as a model keeps it.

use std::sync::Arc;

use super::{Cubature, CubatureForce, Pieces};
use crate::ReduceError;
use crate::container::TensorWriter;
use crate::force::{Context, ReducedForce, Stored, StoredForce};

/// What is wrong with flaps of what has none.
const NO_FLAPS: &str = "the cubature is of edge flaps, which only the energy of a surface has";

impl StoredForce for Cubature {
    fn name(&self) -> &'static str {
        super::ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let count = match self.pieces {
            Pieces::Components => of.energy.count(),
            Pieces::Flaps => of.energy.flaps().ok_or(NO_FLAPS)?.count(),
        };
        let points = &self.components;
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
        if let Some(R) = &self.correction {
            let r = of.basis.rank();
            if R.len() != r * r || !R.iter().all(|x| x.is_finite()) {
                let numbers = R.len();
                return Err(format!(
                    "the correction of the cubature has {numbers} numbers, expected {r} x {r}, all finite"
                ));
            }
        }
        match self.weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            Some(w) => Err(format!("the cubature has the weight {w}, expected finite numbers > 0")),
            None => Ok(()),
        }
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        let s = self.components.len();
        out.indices(self.pieces.tensor(), &[s], &self.components);
        out.reals("cubature.weights", &[s], &self.weights);
        if let Some(R) = &self.correction {
            let r = R.len().isqrt();
            out.reals("cubature.correction", &[r, r], R);
        }
    }

    /// The leading part of a correction: what is left out of the basis is out of reach of its components as well.
    fn truncated(&self, rank: usize) -> Option<Arc<dyn StoredForce>> {
        let R = self.correction.as_ref()?;
        let r = R.len().isqrt();
        let leading = R.chunks_exact(r).take(rank).flat_map(|row| &row[..rank]).copied().collect();
        Some(Arc::new(Self { correction: Some(leading), ..self.clone() }))
    }

    fn format(&self) -> u64 {
        match (self.pieces, &self.correction) {
            (Pieces::Flaps, _) => 5,
            (Pieces::Components, Some(_)) => 4,
            (Pieces::Components, None) => 1,
        }
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        let force = CubatureForce::new(of.energy, self, of.basis);
        Ok(Box::new(force.with_rounding()))
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("cubature_points", self.components.len())]
    }
}

impl Pieces {
    /// What their indices are called in a file.
    fn tensor(self) -> &'static str {
        match self {
            Self::Components => "cubature.components",
            Self::Flaps => "cubature.flaps",
        }
    }
}

/// The cubature of a model file.
pub(super) fn read(of: &Stored<'_>) -> Result<Arc<dyn StoredForce>, String> {
    let flaps = of.tensors.has(Pieces::Flaps.tensor());
    let pieces = if flaps { Pieces::Flaps } else { Pieces::Components };
    let components = of.tensors.indices(pieces.tensor(), &[None])?.to_vec();
    let weights = of.tensors.reals("cubature.weights", &[Some(components.len())])?.to_vec();
    let correction = if of.tensors.has("cubature.correction") {
        let r = Some(of.rank);
        Some(of.tensors.reals("cubature.correction", &[r, r])?.to_vec().into())
    } else {
        None
    };
    Ok(Arc::new(Cubature { components, weights, pieces, correction }))
}
