//! The ghost of a surface: edges collapse, and a coarse vertex is the mean of the fine ones that went into it.
//!
//! ```text
//! x^s = Σ m_k x_k / Σ m_k,   b_i^s = Σ m_k b_i(v_k) / Σ m_k                                                       (1)
//! ```
//! Masses are in the mean because meshes are irregular, as T14 section 3.3.2 advises. Also the rest position is the mean,
//! not the place where the collapse would put it: then rest and motion are one linear map, a rotation of the fine body is
//! a rotation of the ghost, and costs nothing. With the rest elsewhere, a vertex that stands off its mean by d sees, when
//! the body turns by a small angle φ, a spurious displacement φ d: along a rim, where means lie half a triangle inside,
//! that is an error that no finer ghost makes smaller. For the same reason a vertex of the rim is the mean of fine vertices
//! of the rim alone: the ghost reaches as far as the body does.
//!
//! Bending is not insensitive to simplification: a mean lies ½κσ² off a surface of curvature κ, σ² the spread of its fine
//! vertices, and hinges of differently shaped triangles differ in stiffness, whatever their size. Where bending alone
//! counts, small amplitudes may be off by tens of per cent; stretching, which decides large ones, is met to a few.

use pliant_linalg::{Vec3, Watch};
use pliant_mesh::decimate::{Target, decimate};
use pliant_mesh::topology::Edges;
use pliant_mesh::{Attributes, SurfaceMesh};

use super::{Shape, Source};
use crate::{Basis, ReduceError};

pub(super) fn shape(
    of: Source<'_>,
    basis: &Basis,
    vertices: usize,
    watch: &mut Watch<'_>,
) -> Result<Shape, ReduceError> {
    let mut data = of.mesh.clone();
    data.attributes = Attributes { sets: Vec::new(), embedded: None, ..data.attributes };
    let fine = SurfaceMesh::from_data(data)?;
    let found = decimate(&fine, Target::Vertices(vertices), watch)?;
    let mut rim = vec![false; fine.vertices().len()];
    let edges = Edges::new(fine.faces());
    for e in (0..edges.len()).filter(|&e| edges.uses(e).len() == 1) {
        edges.ends(e).into_iter().for_each(|v| rim[v as usize] = true);
    }
    let masses = of.body.vertex_masses();
    let rank = basis.rank();
    let groups = found.fine_of();
    let mut means = Vec::with_capacity(groups.len());
    let mut rows = vec![0.0; 3 * rank * groups.len()];
    for (group, rows) in groups.iter().zip(rows.chunks_exact_mut(3 * rank)) {
        let on_rim = group.iter().any(|&v| rim[v as usize]);
        let members = || group.iter().map(|&v| v as usize).filter(|&v| !on_rim || rim[v]);
        let total: f64 = members().map(|v| masses[v]).sum();
        let mut mean = Vec3::zeros();
        for v in members() {
            // A vertex whose triangles are all without area weighs nothing; such ones count alike.
            let part = if total > 0.0 { masses[v] / total } else { 1.0 / members().count() as f64 };
            mean += fine.vertices()[v] * part;
            rows.iter_mut().zip(basis.vertex(v)).for_each(|(row, b)| *row += part * b);
        }
        means.push(mean);
    }
    let mut warnings = Vec::new();
    if !found.reached {
        warnings.push(format!(
            "the ghost has {} vertices, {vertices} were asked for: no other edge can collapse without changing the \
             topology or turning a triangle over",
            means.len()
        ));
    }
    let coarse_of = Some(found.coarse_of);
    let coarse = found.surface.into_data();
    let region_of = coarse.attributes.region_of;
    Ok(Shape { vertices: means, elements: coarse.elements, region_of, rows, coarse_of, warnings })
}
