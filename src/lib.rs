//! The facade: the rooms under one name. It holds no logic.
#![doc = include_str!("../README.md")]

pub use pliant_draw as draw;
pub use pliant_dynamics as dynamics;
pub use pliant_edit as edit;
pub use pliant_energy as energy;
pub use pliant_linalg as linalg;
pub use pliant_mesh as mesh;
pub use pliant_reduce as reduce;
pub use pliant_report as report;
pub use pliant_shape as shape;
pub use pliant_sim as sim;
pub use pliant_world as world;

/// What most programs need: your mesh as a body, pulled for a second, its surface in a buffer.
///
/// Long work takes a [`Watch`](pliant_linalg::Watch), by which it tells what it does and can be told to stop. Where nobody looks, what
/// the prelude has has a form without it, whose name ends with `_quietly`; `&mut ignore_progress` fits every call that takes one.
///
/// ```
/// use pliant::prelude::*;
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     # let folder = tempfile::tempdir()?;
///     # let path = folder.path().join("cup.obj");
///     # io::save(&path, &shapes::bar(Vec3::new(0.1, 0.3, 0.1), [2, 6, 2]).boundary().into_data(), None)?;
///     # let path = &path;
///     # /*
///     let path = "cup.obj";
///     # */
///     let body = open_file(path)?;
///     let mut world = World::default();
///     let id = world.add_model(body.model)?;
///     let mut buffer = vec![0_f32; 3 * world.shown(id)?.rest.len()];
///     let above = Vec3::new(0.05, 1.0, 0.05);
///     let top = world.pick(above, -Vec3::y()).ok_or("nothing lies below")?;
///     let hand = world.grab(id, top.vertex, top.point)?;
///     for frame in 0..60 {
///         world.drag(hand, top.point + Vec3::x() * (0.1 * f64::from(frame) / 60.0))?;
///         world.advance(1.0 / 60.0);
///         world.surface(id, &mut buffer)?;
///     }
///     assert!(f64::from(buffer[3 * top.vertex as usize]) > top.point.x + 0.02);
///     Ok(())
/// }
/// ```
///
/// Tables and what is called by a common name come with their module: `material::Entry`, `load::local`, `io::motion`, `draw::Options`.
pub mod prelude {
    pub use pliant_draw as draw;
    pub use pliant_edit as edit;
    pub use pliant_energy::load::{NodalForce, Pressure, Spring};
    pub use pliant_energy::material::{self, Isotropic, Material, StVk};
    pub use pliant_energy::{Allowed, Constant, Recipe};
    pub use pliant_linalg::{Mat3, Vec3, ignore_progress};
    pub use pliant_mesh::{MeshData, ShownSurface, SurfaceMesh, TetMesh, io, select::select, shapes};
    pub use pliant_reduce::warp::{Warp, WarpTraining};
    pub use pliant_reduce::{Model, Precompute, linear_modes, linear_modes_quietly};
    pub use pliant_shape as shape;
    pub use pliant_sim::load::{self, Gravity, local::VertexLoad};
    pub use pliant_sim::scenario::Probe;
    pub use pliant_sim::{
        Full, Live, LiveOptions, Motion, Reduced, RunOptions, Scenario, compare, compare_quietly, run,
        run_frames, run_quietly,
    };
    pub use pliant_world::{Body, BodyId, HandId, LiveBody, Open, Opened, World, open_file};
}
