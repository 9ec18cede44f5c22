//! pliant: model reduction of deformable objects. Give it a mesh, get a body that moves in microseconds.
//!
//! This crate is the facade: it holds no logic, only the rooms under one name.

pub use pliant_draw as draw;
pub use pliant_linalg as linalg;
pub use pliant_mesh as mesh;

/// What most programs need.
pub mod prelude {
    pub use pliant_linalg::Vec3;
    pub use pliant_mesh::{MeshData, SurfaceMesh, TetMesh, shapes};
}
