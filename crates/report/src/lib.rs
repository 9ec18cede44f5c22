//! Results on one page each: what is in a mesh, modes side by side, what a model was made of, how it moves beside the full body.
//!
//! - [`mesh`]: a mesh, with the place of every finding marked.
//! - [`modes`]: a picture for each mode, its frequency and effective mass.
//! - [`model`]: the shapes, singular values, cubature and errors of a model; what other choices would have come to.
//! - [`comparison`]: a model and the full body on the same scenario.
//! - [`motion`]: a motion as a file, by its ending: arrays, animations, a table, a page, a picture.
//! - [`warp`]: a warped displacement as a file.
//!
//! A page is one HTML text that needs no other file; numbers in it are [`pliant_world::facts`]. Nothing is printed here, and files
//! are written through `mesh::io` alone. Sentences carry terms; a door hands in its words for them as [`Say`].

pub mod comparison;
pub mod mesh;
pub mod model;
pub mod modes;
pub mod motion;
mod parts;
pub mod warp;

use pliant_linalg::Note;

/// How a door says a sentence of the library.
pub type Say<'a> = dyn Fn(&Note) -> String + 'a;
