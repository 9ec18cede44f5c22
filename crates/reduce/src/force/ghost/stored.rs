//! A ghost as a model keeps it.

use std::sync::Arc;

use pliant_mesh::{Elements, Kind};

use super::Ghost;
use crate::ReduceError;
use crate::container::{TensorWriter, finite, positions, read_faces, read_positions, write_faces};
use crate::force::{Context, ReducedForce, Stored, StoredForce};

impl StoredForce for Ghost {
    fn name(&self) -> &'static str {
        super::ENTRY.name
    }

    fn check(&self, of: &Context<'_>) -> Result<(), String> {
        let (n, r) = (self.vertices.len(), of.basis.rank());
        if self.rank != r || Some(self.rows.len()) != n.checked_mul(3).and_then(|rows| rows.checked_mul(r)) {
            let numbers = self.rows.len();
            return Err(format!(
                "the ghost's basis has {numbers} numbers, which do not fit {n} vertices and {r} coordinates"
            ));
        }
        let solid = |kind: Kind| kind == Kind::Tets;
        if solid(self.elements.kind()) != solid(of.mesh.kind()) {
            let (ghost, body) = (self.elements.kind().name(), of.mesh.kind().name());
            return Err(format!("the ghost is made of {ghost}, but the body of {body}"));
        }
        if self.region_of.is_empty() != of.mesh.attributes.region_of.is_empty() {
            return Err("either the ghost or its body has regions, expected both or none".to_owned());
        }
        let of_ghost = |e: &dyn std::fmt::Display| format!("the ghost: {e}");
        self.mesh(of.mesh).check().map_err(|e| of_ghost(&e))?;
        let energy = self.energy(of.recipe, of.mesh).map_err(|e| of_ghost(&e))?;
        let (count, weights) = (energy.count(), self.weights.len());
        if weights != count {
            return Err(format!("the ghost has {count} components and {weights} weights"));
        }
        if let Some(w) = self.weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            return Err(format!("the ghost has the weight {w}, expected finite numbers > 0"));
        }
        finite("the ghost's basis", &self.rows)
    }

    fn write<'a>(&'a self, out: &mut TensorWriter<'a>) {
        out.put("ghost.rest", positions(&self.vertices));
        match &self.elements {
            Elements::Tets(tets) => out.indices("ghost.elements", &[tets.len(), 4], tets.as_flattened()),
            Elements::Faces(faces) => write_faces("ghost.elements", faces, out),
        }
        if !self.region_of.is_empty() {
            out.indices("ghost.regions", &[self.region_of.len()], &self.region_of);
        }
        out.reals("ghost.U", &[3 * self.vertices.len(), self.rank], &self.rows);
        out.reals("ghost.weights", &[self.weights.len()], &self.weights);
    }

    fn truncated(&self, rank: usize) -> Option<Arc<dyn StoredForce>> {
        Some(Arc::new(Self::truncated(self, rank)))
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        Ok(Box::new(self.force(of.recipe, of.mesh)?))
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("ghost_vertices", self.vertices.len())]
    }

    fn format(&self) -> u64 {
        2
    }
}

/// The ghost of a body in a model file: tets for tets, triangles for every surface.
pub(super) fn read(of: &Stored<'_>) -> Result<Arc<dyn StoredForce>, String> {
    let Stored { tensors, kind, rank } = *of;
    let vertices = read_positions(tensors, "ghost.rest", None)?;
    let elements = if kind == Kind::Tets.name() {
        Elements::Tets(tensors.indices("ghost.elements", &[None, Some(4)])?.as_chunks().0.to_vec())
    } else {
        Elements::Faces(read_faces(tensors, "ghost.elements", Kind::Triangles.name(), None)?)
    };
    let region_of = match tensors.has("ghost.regions") {
        true => tensors.indices("ghost.regions", &[Some(elements.len())])?.to_vec(),
        false => Vec::new(),
    };
    let rows = tensors.reals("ghost.U", &[Some(vertices.len().saturating_mul(3)), Some(rank)])?.to_vec();
    let weights = tensors.reals("ghost.weights", &[None])?.to_vec();
    Ok(Arc::new(Ghost { vertices, elements, region_of, rank, rows, weights }))
}
