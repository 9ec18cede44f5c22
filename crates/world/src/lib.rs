//! From a file to bodies that a program can hold, pull, step and draw: what a game loop, a notebook and a page share.
//!
//! - [`Open`]: a file becomes a reduced model that can be pulled in real time: read, examined, welded, filled, held, reduced.
//! - [`BodyOptions`]: a mesh as a body at full order, exactly as asked: modes, energies, models of it. [`Actor`]: what runs a scenario.
//! - [`World`]: bodies by id, hands that pull them, a clock that takes elapsed seconds, surfaces for a buffer.
//! - [`Body`]: anything that steps and has a shown surface; [`LiveBody`] is a reduced model as one.
//! - [`facts`]: results as one list, from which JSON, text and pages are made.
//!
//! Your mesh as a body, pulled for a second, its surface in a buffer:
//! ```
//! use pliant_linalg::Vec3;
//! use pliant_world::{World, open_file};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("ball.obj");
//! # pliant_mesh::io::save(&path, &pliant_mesh::shapes::ball(0.3, 2).boundary().into_data(), None)?;
//! # let quick = pliant_world::Open { tets: 400, ..pliant_world::Open::default() };
//! # let open_file = |path| quick.open_file(path, &mut pliant_linalg::ignore_progress);
//! let body = open_file(&path)?;
//! let mut world = World::default();
//! let id = world.add_model(body.model)?;
//! let mut buffer = vec![0_f32; 3 * world.shown(id)?.rest.len()];
//! let top = world.pick(Vec3::new(0.0, 2.0, 0.0), -Vec3::y()).expect("the ray meets the body");
//! let hand = world.grab(id, top.vertex, top.point)?;
//! for frame in 0..60 {
//!     world.drag(hand, top.point + Vec3::x() * (0.1 * f64::from(frame) / 60.0))?;
//!     world.advance(1.0 / 60.0);
//!     world.surface(id, &mut buffer)?;
//! }
//! let moved = f64::from(buffer[3 * top.vertex as usize]) - top.point.x;
//! assert!((0.05..0.1).contains(&moved), "a hand takes its vertex most of the way, not {moved} m of a tenth");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This room prints nothing, measures no time, and reads files only through `mesh::io` and `reduce::model`.

mod actor;
mod body;
mod clock;
mod crew;
mod error;
pub mod facts;
mod full_body;
mod id;
mod leash;
mod live_body;
pub mod open;
mod pick;
mod quantity;
mod world;

pub use actor::{Actor, field, initial_state};
pub use body::{Body, Energies, Held, Hold, Trouble};
pub use clock::Clock;
pub use error::{OpenError, WorldError, terms_of};
pub use full_body::{AtState, BodyOptions, FullBody, Warped};
pub use id::{BodyId, HandId};
pub use live_body::{LiveBody, Matter, StepCounts, suiting};
pub use open::{
    Carry, Contents, Form, Holding, Open, Opened, PLATES, PRESETS, Plate, Prepared, Preset, Remake, open_file,
};
pub use pick::Picked;
pub use quantity::{SurfaceQuantities, SurfaceQuantity, SurfaceQuantityEntry};
pub use world::{Advanced, Stumble, World};
