//! Who touches whom.
//!
//! - [`boundary_faces`], [`boundary_triangles`]: where a solid ends. [`boundary_loops`]: where a surface ends.
//! - [`Edges`]: every edge of a surface once, with the faces along it; [`flaps`]: the pairs of triangles that bend.
//! - [`Rows`]: one-rings, vertex → elements and vertex → vertices.
//! - [`components`], [`joined_components`]: the parts of a mesh.
//! - [`orient`]: which faces look the wrong way; [`euler_characteristic`], [`genus`].
//!
//! Everything is found by sorting: the same mesh gives the same answer, in the same order, on every machine.
//! Nothing here asks that a surface be manifold, closed or oriented; a face may even name a vertex twice.

mod boundary;
mod edges;
mod orientation;
mod parts;
mod rings;

pub use boundary::{
    BoundaryFace, Loop, TetFace, boundary_faces, boundary_loops, boundary_triangles, is_closed, tet_faces,
};
pub use edges::{EdgeUse, Edges, Flap, flaps, pinched_vertices};
pub(crate) use orientation::{InsideOut, bounding_patches, inside_out_patches, most_hosts};
pub use orientation::{Orientation, euler_characteristic, genus, orient, orientation, turned};
pub use parts::{UnionFind, components, joined_components};
pub use rings::{Rows, tet_edges, vertex_elements, vertex_neighbours};
