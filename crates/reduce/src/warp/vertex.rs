//! How a vertex turns: what a hand needs that pulls at a warped body.
//!
//! ```text
//! ω_v = Σ_j s_j ω_j / Σ_j s_j   over the elements j at v,   ω_v = A q
//! ```
//! A force that is meant for the warped vertex acts on the linear motion as exp(ω_v)ᵀ f.

use pliant_linalg::Vec3;
use pliant_mesh::{Elements, MeshData, measure};

use crate::rotation_strain::element::{picked, spin};
use crate::{Basis, ReduceError};

/// A: three rows of r numbers, of a vertex of the mesh that was reduced; zero where no element is. Goes through all elements.
///
/// # Errors
/// An element at the vertex without volume or area.
pub fn vertex_spin(mesh: &MeshData, basis: &Basis, vertex: u32) -> Result<Vec<f64>, ReduceError> {
    let has = |corners: &[u32]| corners.contains(&vertex);
    let at: Vec<u32> = match &mesh.elements {
        Elements::Tets(tets) => (0..).zip(tets).filter(|(_, t)| has(&t[..])).map(|(i, _)| i).collect(),
        Elements::Faces(faces) => {
            let triangles = measure::triangulate(&mesh.vertices, faces);
            (0..).zip(&triangles).filter(|(_, t)| has(&t[..])).map(|(i, _)| i).collect()
        }
    };
    let elements = picked(mesh, &at)?;
    let whole: f64 = elements.iter().map(|element| element.size).sum();
    let r = basis.rank();
    let mut rows = vec![0.0; 3 * r];
    for element in &elements {
        for (a, &v) in element.corners().iter().enumerate() {
            for (c, u) in basis.vertex(v as usize).chunks_exact(r).enumerate() {
                let along = Vec3::ith(c, element.size / whole);
                let by = spin(&element.gradient(|b| if b == a { along } else { Vec3::zeros() }));
                for (row, by) in rows.chunks_exact_mut(r).zip(by.iter()) {
                    row.iter_mut().zip(u).for_each(|(sum, u)| *sum += by * u);
                }
            }
        }
    }
    Ok(rows)
}
