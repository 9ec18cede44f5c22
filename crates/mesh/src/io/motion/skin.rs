//! What is seen of a body that moves: its embedded surface, else its boundary, as triangles, and how the vertices of
//! the simulated mesh carry it.

use pliant_linalg::Vec3;

use super::vectors;
use crate::io::{gltf, store};
use crate::{Elements, Embedding, Kind, MeshData, Result};

/// A surface of triangles that moves with a body.
pub(super) struct Skin<'a> {
    /// At rest.
    pub(super) surface: MeshData,
    carrier: Carrier<'a>,
}

enum Carrier<'a> {
    /// The vertices of the body that it has.
    Vertices(Vec<u32>),
    Embedded(&'a Embedding),
}

impl<'a> Skin<'a> {
    pub(super) fn of(mesh: &'a MeshData) -> Result<Self> {
        let surface = match mesh.kind() {
            Kind::Triangles => mesh.clone(),
            _ => store::fit(&gltf::FORMAT, mesh, &mut Vec::new())?,
        };
        let carrier = match (&mesh.elements, &mesh.attributes.embedded) {
            (Elements::Tets(_), Some(embedded)) => Carrier::Embedded(&embedded.embedding),
            (Elements::Tets(tets), None) => {
                // As the boundary numbers them: ascending.
                let mut used = crate::topology::boundary_faces(tets).into_flattened();
                used.sort_unstable();
                used.dedup();
                Carrier::Vertices(used)
            }
            (Elements::Faces(_), _) => Carrier::Vertices((0..mesh.vertices.len() as u32).collect()),
        };
        Ok(Self { surface, carrier })
    }

    /// The displacement of the surface when the body's is `u`.
    pub(super) fn displacement(&self, u: &[f64]) -> Vec<Vec3> {
        match &self.carrier {
            Carrier::Vertices(ids) => ids
                .iter()
                .map(|&v| {
                    let at = 3 * v as usize;
                    Vec3::new(u[at], u[at + 1], u[at + 2])
                })
                .collect(),
            Carrier::Embedded(embedding) => embedding.apply(&vectors(u).collect::<Vec<_>>()),
        }
    }
}
