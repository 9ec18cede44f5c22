//! Shapes made by code: for tests, for convergence studies, for the first picture.
//!
//! [`bar`], [`plate`], [`ball`] and [`cylinder`] are lattices with exact sizes of your choice; [`ALL`] is the table of
//! finished bodies that `pliant mesh --shape NAME` makes, in metres and of everyday size. [`sdf`] is the language in
//! which the free forms are said, [`polygonise`] makes surfaces of it, the tetrahedraliser solids.
//!
//! ```
//! use pliant_mesh::shapes::{self, ShapeOptions};
//! let sponge = shapes::find("sponge")?.make_quietly(&ShapeOptions::default())?;
//! assert_eq!(sponge.elements.len(), 6 * 20 * 20);
//! assert!(sponge.attributes.set("fixed").is_some());
//! # Ok::<(), pliant_mesh::MeshError>(())
//! ```

mod bridge;
mod cloth;
mod dino;
mod flip;
mod letter_a;
pub mod limbed;
mod paint;
pub mod polygonise;
pub mod sdf;
mod solid;
#[cfg(test)]
mod soundness;
mod sponge;
mod structured;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use pliant_linalg::table::Unknown;
use pliant_linalg::{Vec3, Watch, ignore_progress};

use crate::{MeshData, MeshError, Result};
pub use structured::{ball, bar, cylinder, plate};

/// What can be chosen about a shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeOptions {
    /// How finely it is divided; [`Shape::subdivision`] says what that counts.
    pub subdivision: Option<usize>,
    /// About how many vertices its embedded surface has; for shapes that have one.
    pub surface_vertices: Option<usize>,
}

/// One line of the table of shapes.
pub struct Shape {
    /// What `--shape` calls it.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// What [`ShapeOptions::subdivision`] counts.
    pub subdivision: &'static str,
    /// Its value when none is given.
    pub default_subdivision: usize,
    make: fn(&ShapeOptions, &mut Watch<'_>) -> Result<MeshData>,
}

impl Shape {
    /// Makes it.
    ///
    /// # Errors
    /// When an option is out of range, or `watch` stops the work.
    pub fn make(&self, options: &ShapeOptions, watch: &mut Watch<'_>) -> Result<MeshData> {
        (self.make)(options, watch)
    }

    /// [`Shape::make`] that nobody watches.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn make_quietly(&self, options: &ShapeOptions) -> Result<MeshData> {
        self.make(options, &mut ignore_progress)
    }
}

/// All shapes, the default first.
pub const ALL: &[Shape] = &[
    Shape {
        name: "dino",
        about: "a rubber dinosaur on a small plate, with a fine coloured surface",
        subdivision: "lattice cells along its height",
        default_subdivision: dino::CELLS,
        make: dino::make,
    },
    Shape {
        name: "bar",
        about: "a bar of 1 m x 0.2 m x 0.2 m, fixed at one end",
        subdivision: "cells across",
        default_subdivision: 4,
        make: |options, _| {
            let n = subdivision("bar", options, 4, 1..=64)?;
            let mesh = bar(Vec3::new(1.0, 0.2, 0.2), [5 * n, n, n]);
            Ok(with_set(mesh.into_data(), "fixed", |p| p.x == 0.0))
        },
    },
    Shape {
        name: "plate",
        about: "a square plate of 1 m, 2 cm thick, its rim fixed",
        subdivision: "cells along a side",
        default_subdivision: 24,
        make: |options, _| {
            let n = subdivision("plate", options, 24, 1..=512)?;
            let mesh = plate(1.0, 0.02, n, n.div_ceil(24));
            Ok(with_set(mesh.into_data(), "fixed", |p| p.x.abs().max(p.y.abs()) > 0.5 - 1e-9))
        },
    },
    Shape {
        name: "ball",
        about: "a ball of 1 m across",
        subdivision: "cells from the middle to the surface",
        default_subdivision: 8,
        make: |options, _| Ok(ball(0.5, subdivision("ball", options, 8, 1..=64)?).into_data()),
    },
    Shape {
        name: "cylinder",
        about: "a cylinder along z, 0.3 m across and 1 m long, fixed at z = 0",
        subdivision: "cells from the axis to the mantle",
        default_subdivision: 4,
        make: |options, _| {
            let n = subdivision("cylinder", options, 4, 1..=64)?;
            Ok(with_set(cylinder(0.15, 1.0, n, 6 * n).into_data(), "fixed", |p| p.z == 0.0))
        },
    },
    Shape {
        name: "letter-a",
        about: "an extruded letter A of 0.5 m, its feet fixed",
        subdivision: "lattice cells along its height",
        default_subdivision: letter_a::CELLS,
        make: letter_a::make,
    },
    Shape {
        name: "bridge",
        about: "a suspension bridge of 2 m, its piers fixed",
        subdivision: "lattice cells along half of its deck",
        default_subdivision: bridge::CELLS,
        make: bridge::make,
    },
    Shape {
        name: "sponge",
        about: "Menger's sponge of 0.3 m, its underside fixed",
        subdivision: "level",
        default_subdivision: sponge::LEVEL,
        make: sponge::make,
    },
    Shape {
        name: "cloth",
        about: "a square sheet of 1 m, a surface, with the sets `corners` and `edge`",
        subdivision: "squares along a side",
        default_subdivision: cloth::CELLS,
        make: cloth::make,
    },
];

/// The shape called `name`.
///
/// # Errors
/// [`MeshError::Unknown`], which lists all there are.
pub fn find(name: &str) -> Result<&'static Shape> {
    ALL.iter().find(|s| s.name == name).ok_or_else(|| {
        let known = ALL.iter().map(|s| s.name).collect();
        Unknown { what: "shape", name: name.to_owned(), known }.into()
    })
}

/// The colour (sRGB) that a region of one of our surfaces is meant to have, by its name.
pub fn colour_of(region: &str) -> Option<[f32; 3]> {
    dino::colour_of(region)
}

/// The subdivision that was asked for, or the default.
fn subdivision(
    shape: &str,
    options: &ShapeOptions,
    default: usize,
    allowed: RangeInclusive<usize>,
) -> Result<usize> {
    let n = options.subdivision.unwrap_or(default);
    if allowed.contains(&n) {
        return Ok(n);
    }
    Err(MeshError::Inconsistent(format!(
        "the shape {shape:?} cannot have the subdivision {n}; it may be {} to {}, and is {default} unless given",
        allowed.start(),
        allowed.end()
    )))
}

fn with_set(mut data: MeshData, name: &str, wanted: impl Fn(&Vec3) -> bool) -> MeshData {
    data.attributes.sets.push(solid::set(name, &data.vertices, wanted));
    data
}
