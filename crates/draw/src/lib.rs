//! Pictures without a screen: a small software renderer, so that any command can show what it made.
//!
//! ```
//! use pliant_draw::{Camera, Cut, Scene, Style};
//! use pliant_linalg::Vec3;
//! let ball = pliant_mesh::shapes::ball(1.0, 4);
//! let picture = Scene::new()
//!     .solid(ball.vertices(), ball.tets(), Cut::plane(Vec3::zeros(), Vec3::z()), &Style::default())
//!     .marks(&[Vec3::x()], pliant_draw::palette::MARKS[0], 4.0)
//!     .camera(Camera::fit().turn(30.0, 20.0))
//!     .render(192, 108);
//! let png: Vec<u8> = picture.to_png();
//! assert!(png.starts_with(b"\x89PNG"));
//! ```
//!
//! - [`picture::mesh_picture`] and [`picture::defects_picture`] are the one-liners; [`Scene`] is what they are made of.
//! - [`picture::deformed_picture`] shows a body that has moved, [`Plot`] draws curves.
//! - [`page::html_page`] and [`report::html_report`] put all of it on one page that needs no other file.
//! - No file is touched, nothing is printed, no graphics driver is asked. The same scene gives the same bytes whatever
//!   the number of threads. Colours and sizes are for people: nothing here is to be computed with.
//!
//! Folders, each of which uses only those before it: `image` (pixels, colours, letters), `scene` (what is to be drawn),
//! `render` (from a scene to an image), `picture` (pictures in one call), `page` (plots and HTML).

pub mod image;
pub mod page;
pub mod picture;
mod render;
pub mod scene;

pub use image::{colour, palette};
pub use page::{plot, report};
pub use picture::components;
pub use scene::{camera, cut, field};

pub use camera::{Camera, Up};
pub use colour::Colour;
pub use components::components_picture;
pub use cut::Cut;
pub use field::{ColourMap, Field};
pub use image::Image;
pub use page::{Card, Section, html_page};
pub use picture::{Deformed, Options, defects_picture, deformed_picture, mesh_picture};
pub use plot::Plot;
pub use report::{Severity, html_report};
pub use scene::{Paint, Scene, Style};
