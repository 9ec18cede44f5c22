//! The mesh room: what a shape is, where it comes from, and what is wrong with it.
//!
//! - [`MeshData`] is what a file states: indices are in range, nothing else is judged.
//! - [`TetMesh`] and [`SurfaceMesh`] are checked once, when they are made; everything behind them trusts the type.
//! - [`io`] reads and writes files, [`shapes`] makes bodies by code, [`measure`] and [`topology`] answer questions.
//! - [`doctor`] tells what is wrong, [`embed`] ties a fine surface to a solid, [`decimate`](decimate::decimate) thins one,
//!   [`weld`](weld::weld) joins what lies on each other; [`ShownSurface`] is what is seen of a body.
//! - [`rework::Rework`] is all that happens to a mesh between one file and the next.
//!
//! This room knows no physics: a [`Material`] is carried from file to file as the numbers it is.

pub mod bvh;
pub mod data;
pub mod decimate;
pub mod doctor;
pub mod embed;
pub mod error;
pub mod io;
pub mod loose;
pub mod matter;
pub mod measure;
pub mod rework;
pub mod select;
pub mod shapes;
pub mod shown;
pub mod surface;
pub mod terms;
pub mod tet;
pub mod tetrahedralise;
pub mod topology;
pub mod weld;
mod winding;

pub use data::{
    Attributes, Elements, Embedded, Embedding, Faces, Kind, Law, Material, MeshData, Region, VertexSet,
};
pub use error::{MeshError, Place};
pub use shown::ShownSurface;
pub use surface::SurfaceMesh;
pub use tet::TetMesh;

/// `Result` of this room.
pub type Result<T> = std::result::Result<T, MeshError>;
