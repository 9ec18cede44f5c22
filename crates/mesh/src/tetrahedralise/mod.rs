//! A solid from any closed or nearly closed surface, triangle soup and self-intersections included.
//!
//! What is inside is decided by the generalised winding number (w > ½: `../winding.rs`, `shell.rs`), so overlapping parts
//! are united, cavities stay, and holes are closed by the surface w = ½ across them. An octree, finest at the surface
//! (`octree.rs`), carries a body-centred lattice (`lattice.rs`) whose tets are cut along the surface (`stuffing.rs`):
//! all dihedral angles lie between 10.77° and 164.71° whatever comes in (between 5° and 172° where cells were halved around
//! something thin). Edges and corners of the surface are rounded by
//! less than a cell. The boundary is a manifold (`tidy.rs`, `pinches.rs`), and its pieces and handles are held against those
//! of the surface (`whole.rs`): where they differ, cells are halved, or parts thinner than a cell thickened and gaps widened
//! (`mend.rs`, `thick.rs`). A cage (`cage.rs`) encloses whatever is thin.
//!
//! The volume that the result is held against is, for a closed surface, what it encloses by the divergence theorem,
//! less what is counted twice where it overlaps itself (summed over the leaves of the octree); for an open one it is
//! extrapolated from the edge and half the edge. Papers are named in the files.

mod cage;
mod lattice;
mod mend;
mod octree;
mod parts;
mod pinches;
mod shell;
mod sizing;
mod soup;
mod stuffing;
mod thick;
mod tidy;
mod whole;

use pliant_linalg::{Vec3, Watch};

use crate::bvh::Aabb;
use crate::{MeshError, Result, SurfaceMesh, TetMesh};
use lattice::Signs;
use octree::{Finer, Octree, Side};
pub use whole::Wholeness;

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
    ///
    /// What it says must agree with [`Solid::inside`] at the corners and the centre of the box; where two answers about
    /// one point differ, filling is refused, since the mesh would have a crack there.
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

/// How fine the lattice is at the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Size {
    /// So fine that the volume is within 1 %.
    #[default]
    Auto,
    /// Cells along the longest side of the bounding box.
    Resolution(usize),
    /// Edge of a cell, metres.
    Edge(f64),
    /// About so many tets in all; within 15 % where the shape allows it.
    Elements(usize),
}

/// What to make of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// How fine.
    pub size: Size,
    /// Only enclose the surface: for features thinner than the cells, and for surfaces that enclose nothing.
    pub cage: bool,
    /// Mesh every connected part of the surface on its own, as a region of its own, instead of uniting them. A cavity
    /// stays a cavity of the part around it.
    pub keep_parts: bool,
    /// Coarser inside, or not.
    pub grading: Grading,
}

/// A solid, and how it came to be.
#[derive(Clone, Debug)]
pub struct Solidified {
    /// The solid.
    pub mesh: TetMesh,
    /// What was closed, turned, united, dropped: sentences for people.
    pub notes: Vec<String>,
    /// Edge of the finest cells, metres.
    pub edge: f64,
    /// Volume of the inside of the surface, m³; `None` for a cage, and for an open surface at a given size.
    pub surface_volume: Option<f64>,
    /// |volume of the mesh / volume of the surface − 1|.
    pub volume_error: Option<f64>,
    /// Connected parts of the solid.
    pub components: usize,
    /// Holes that were closed.
    pub holes: usize,
    /// Pieces, handles and places of the surface against those of the solid, and what was thickened for them.
    pub whole: Wholeness,
}

/// Fills a solid with the tets of a body-centred lattice of the given edge (metres; the short edges are √3/2 of it),
/// cut along its surface. All dihedral angles lie between 10.77° and 164.71°. Pieces that would touch in an edge or a
/// corner only are taken apart; nothing else is dropped.
///
/// # Errors
/// When no lattice point is inside, when the edge is not positive or far too small, when `side` and `inside` contradict
/// each other, when `watch` stops it.
pub fn fill(solid: &dyn Solid, edge: f64, grading: Grading, watch: &mut Watch<'_>) -> Result<TetMesh> {
    let (points, tets) = fill_shifted(solid, edge, &Vec3::zeros(), grading, watch)?;
    let filled = tidy::Filled::new(points, tets, 0.0);
    TetMesh::new(filled.points, filled.tets)
}

/// Makes a solid of a surface.
///
/// ```
/// use pliant_mesh::{shapes, tetrahedralise as t, topology, Faces, SurfaceMesh};
/// let ball = shapes::ball(1.0, 4);
/// let skin = Faces::from_triangles(&topology::boundary_faces(ball.tets()));
/// let surface = SurfaceMesh::new(ball.vertices().to_vec(), skin)?;
/// let solid = t::tetrahedralise(&surface, &t::Options::default(), &mut pliant_linalg::ignore_progress)?;
/// assert!(solid.volume_error.unwrap() < 0.01);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
///
/// # Errors
/// When the surface encloses nothing (a sentence that names `--cage`), when a size makes no sense, when `watch` stops
/// it.
pub fn tetrahedralise(surface: &SurfaceMesh, options: &Options, watch: &mut Watch<'_>) -> Result<Solidified> {
    parts::solidify(surface, options, watch)
}

fn fill_shifted(
    solid: &dyn Solid,
    edge: f64,
    shift: &Vec3,
    grading: Grading,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>)> {
    fill_graded(solid, edge, shift, grading, &Finer::NONE, watch)
}

/// With smaller cells in some places; where two sizes meet, angles are not promised.
fn fill_graded(
    solid: &dyn Solid,
    edge: f64,
    shift: &Vec3,
    grading: Grading,
    finer: &Finer<'_>,
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
    let mut tree = Octree::graded(&solid.bounds(), edge, shift, known, finer, watch)?;
    let mixed = tree.mixed;
    let counts = |side| mixed || side != Side::Outside;
    if mixed {
        tree.balance(counts);
    }
    let surface = |tree: &Octree| tree.leaves().iter().filter(|l| l.side == Side::Surface).count();
    let mut signs = Signs::new(&tree, solid, watch)?;
    loop {
        let before = if mixed { surface(&tree) } else { 0 };
        lattice::refine_around_changes(&mut tree, &signs);
        tree.balance(counts);
        if !mixed || surface(&tree) == before {
            break;
        }
        // Leaves of the surface were divided too.
        signs = Signs::new(&tree, solid, watch)?;
    }
    let (points, tets) = stuffing::cut(lattice::lattice(&tree, &signs), solid, watch)?;
    if tets.is_empty() {
        return Err(MeshError::NothingInside);
    }
    Ok((points, tets))
}

/// The sentence for a surface with no inside.
fn encloses_nothing(why: &str) -> MeshError {
    MeshError::EnclosesNothing { why: why.to_owned() }
}

#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod whole_tests;
