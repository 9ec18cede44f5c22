//! The facade: the rooms under one name. It holds no logic.
#![doc = include_str!("../README.md")]

pub use pliant_draw as draw;
pub use pliant_linalg as linalg;
pub use pliant_mesh as mesh;

/// What most programs need.
pub mod prelude {
    pub use pliant_linalg::Vec3;
    pub use pliant_mesh::{MeshData, SurfaceMesh, TetMesh, shapes};
}
