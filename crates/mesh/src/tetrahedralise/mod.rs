//! A solid from any closed or nearly closed surface, triangle soup and self-intersections included.

mod octree;
mod stuffing;

use pliant_linalg::{Vec3, Watch};

use crate::bvh::Aabb;
use crate::{MeshError, Result, TetMesh};
use octree::{Octree, Side, Signs};

/// A region of space that can be filled with tets: the inside of a closed surface, or {distance < 0}.
pub trait Solid: Sync {
    /// A box that holds it.
    fn bounds(&self) -> Aabb;

    /// Whether `p` belongs to it.
    fn inside(&self, p: &Vec3) -> bool;

    /// Where the segment from `inner` (inside) to `outer` (outside) leaves the solid, as a fraction in [0, 1].
    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64;

    /// `Some(true)` if the closed box lies wholly inside, `Some(false)` if wholly outside, `None` where that is not
    /// known. A solid that always answers `None` is filled with a uniform lattice, at a price that grows with its
    /// volume; one with a distance d (Lipschitz constant 1) can answer where |d(centre)| exceeds half the diagonal.
    fn side(&self, cube: &Aabb) -> Option<bool> {
        let _ = cube;
        None
    }
}

/// How the lattice grows towards the inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grading {
    /// The same size everywhere.
    Uniform,
    /// Finest at the surface, each layer of cells up to twice as large as the one outside it.
    #[default]
    Coarser,
}

/// Fills a solid with the tets of a body-centred lattice of the given edge (metres; the short edges are √3/2 of it),
/// cut along its surface. All dihedral angles lie between 10.7° and 164.8°.
///
/// # Errors
/// When no lattice point is inside, when the edge is not positive or far too small, when `watch` stops it.
pub fn fill(solid: &dyn Solid, edge: f64, grading: Grading, watch: &mut Watch<'_>) -> Result<TetMesh> {
    let (points, tets) = fill_shifted(solid, edge, &Vec3::zeros(), grading, watch)?;
    TetMesh::new(points, tets)
}

fn fill_shifted(
    solid: &dyn Solid,
    edge: f64,
    shift: &Vec3,
    grading: Grading,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>)> {
    if !(edge.is_finite() && edge > 0.0) {
        return Err(MeshError::Inconsistent(format!(
            "the lattice edge is {edge} m, expected a finite length > 0"
        )));
    }
    let known = |cube: &Aabb| match grading {
        Grading::Coarser => solid.side(cube),
        // Air is never filled, so it may be skipped in large pieces.
        Grading::Uniform => {
            solid.side(cube).filter(|inside| !inside || cube.high.x - cube.low.x < 1.5 * edge)
        }
    };
    let mut tree = Octree::new(&solid.bounds(), edge, shift, known, watch)?;
    let signs = Signs::new(&tree, solid, watch)?;
    tree.refine_around_changes(&signs);
    tree.balance(|side| side != Side::Outside);
    stuffing::cut(octree::lattice(&tree, &signs), solid, watch)
}

#[cfg(test)]
mod tests;
