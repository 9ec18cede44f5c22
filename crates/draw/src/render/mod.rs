//! Rendering: from a scene to an image, in software.
//!
//! The scene is moved to a unit box (`geometry`), every sample finds its triangle (`raster`), light falls from a sky of some
//! forty directions and a soft key lamp, each with its own shadow map (`light`, `shadow`), also on the ground (`ground`),
//! samples become pixels (`shade`), and dots, numbers and legends are laid on top (`overlay`).

mod geometry;
mod ground;
mod light;
mod lines;
mod overlay;
mod raster;
mod shade;
mod shadow;

use crate::image::{Image, LARGEST};
use crate::scene::Scene;

impl Scene {
    /// Draws the picture. Sides are held between 1 and [`LARGEST`].
    pub fn render(&self, width: usize, height: usize) -> Image {
        shade::render(self, width.clamp(1, LARGEST), height.clamp(1, LARGEST))
    }
}
