//! The ghost of a solid: a coarse lattice in its boundary, with rows interpolated from the fine tets.
//!
//! T14 collapses edges of surfaces and leaves solids open; a coarse tet mesh with interpolated basis vectors is the natural
//! counterpart. The boundary is filled anew (`pliant_mesh::tetrahedralise`) with a uniform lattice, and every coarse vertex
//! takes the rows of the fine tet that holds it by its barycentric coordinates (`pliant_mesh::embed`): affine fields are
//! reproduced, so that a ghost that is moved as a whole costs nothing. Each coarse tet has the region of the fine tet
//! that holds its centre.
//!
//! Parts thinner than its cells are lost to the lattice, so that a body with thin parts needs a fine ghost, or a cubature.

use pliant_linalg::{Vec3, Watch};
use pliant_mesh::embed::{embed, locate};
use pliant_mesh::tetrahedralise::{Grading, Options, Size, Solidified, tetrahedralise};
use pliant_mesh::topology::components;
use pliant_mesh::{MeshError, SurfaceMesh, TetMesh};

use super::{Shape, Source};
use crate::force::setting;
use crate::{Basis, ReduceError};

/// How near the number of vertices should come to what was asked for.
const WITHIN: f64 = 0.1;

/// Lattices that are tried to come there.
const TRIES: usize = 6;

/// A ghost that lacks more than this part of the volume is no stand-in.
const MOST_LOST: f64 = 0.25;

pub(super) fn shape(
    of: Source<'_>,
    basis: &Basis,
    vertices: usize,
    watch: &mut Watch<'_>,
) -> Result<Shape, ReduceError> {
    let mut data = of.mesh.clone();
    data.attributes.embedded = None;
    let fine = TetMesh::from_data(data)?;
    let parts = components(fine.vertices().len(), fine.tets().iter().map(|t| &t[..])).1;
    let found = lattice(&fine.boundary(), fine.volume(), vertices, watch)?;
    let lost = found.as_ref().and_then(|found| found.volume_error).unwrap_or(0.0);
    // Cells that are small enough for a thin body may be many.
    let too_many = |found: &Solidified| found.mesh.vertices().len() > 2 * vertices;
    let Some(found) =
        found.filter(|found| lost <= MOST_LOST && found.components >= parts && !too_many(found))
    else {
        return Err(super::asked(format!(
            "a ghost of {vertices} vertices is too coarse for this body: parts of it are thinner than its cells; ask for a \
             larger {}, or for cubature forces",
            setting::GHOST
        )));
    };
    let (ties, _) = embed(&fine, found.mesh.vertices(), watch)?;
    let rank = basis.rank();
    let mut rows = vec![0.0; 3 * rank * ties.len()];
    for (p, rows) in rows.chunks_exact_mut(3 * rank).enumerate() {
        for (v, w) in ties.row(p) {
            rows.iter_mut().zip(basis.vertex(v as usize)).for_each(|(row, b)| *row += w * b);
        }
    }
    let mut region_of = Vec::new();
    if !fine.attributes().region_of.is_empty() {
        let centres: Vec<Vec3> =
            (0..found.mesh.tets().len()).map(|t| found.mesh.corners(t).iter().sum::<Vec3>() / 4.0).collect();
        let holders = locate(&fine, &centres, watch)?;
        region_of = holders.into_iter().map(|t| fine.attributes().region_of[t as usize]).collect();
    }
    let mut warnings = Vec::new();
    let count = found.mesh.vertices().len();
    if (count as f64 / vertices as f64 - 1.0).abs() > WITHIN {
        warnings.push(format!("the ghost has {count} vertices, {vertices} were asked for"));
    }
    if lost > 0.05 {
        warnings.push(format!(
            "the ghost lacks {:.0} % of the volume: its cells are large for this body; a larger {} helps",
            100.0 * lost,
            setting::GHOST
        ));
    }
    let data = found.mesh.into_data();
    Ok(Shape { vertices: data.vertices, elements: data.elements, region_of, rows, coarse_of: None, warnings })
}

/// The lattice whose number of vertices is nearest to `vertices`, if one holds anything.
fn lattice(
    boundary: &SurfaceMesh,
    volume: f64,
    vertices: usize,
    watch: &mut Watch<'_>,
) -> Result<Option<Solidified>, ReduceError> {
    // A body-centred lattice has two points a cell, half of a layer of cells lies on the surface.
    let mut edge = (2.0 * volume / vertices as f64).cbrt();
    let mut best: Option<(f64, Solidified)> = None;
    for _ in 0..TRIES {
        let options = Options { size: Size::Edge(edge), grading: Grading::Uniform, ..Options::default() };
        let found = match tetrahedralise(boundary, &options, watch) {
            Ok(found) => found,
            Err(MeshError::NothingInside) => {
                edge *= 0.7;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let ratio = found.mesh.vertices().len() as f64 / vertices as f64;
        let off = ratio.ln().abs();
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, found));
        }
        if off < WITHIN {
            break;
        }
        edge *= ratio.cbrt();
    }
    Ok(best.map(|(_, found)| found))
}
