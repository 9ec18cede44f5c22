//! The facade: the rooms under one name. It holds no logic.
#![doc = include_str!("../README.md")]

pub use pliant_draw as draw;
pub use pliant_dynamics as dynamics;
pub use pliant_energy as energy;
pub use pliant_linalg as linalg;
pub use pliant_mesh as mesh;
pub use pliant_reduce as reduce;
pub use pliant_sim as sim;

/// What most programs need.
pub mod prelude {
    pub use pliant_linalg::Vec3;
    pub use pliant_mesh::{MeshData, SurfaceMesh, TetMesh, shapes};
}
