//! An extruded letter A: two feet, a hole, and a bar between legs that bend.

use pliant_linalg::{Vec3, Watch};

use super::sdf::Sdf;
use super::solid::body;
use super::{ShapeOptions, subdivision};
use crate::{MeshData, Result};

/// Lattice cells along the height, unless the options say otherwise.
pub(super) const CELLS: usize = 24;

/// Vertices of the surface, unless the options say otherwise.
const SURFACE: usize = 8_000;

/// Height, half width at the foot, half depth, half width of a stroke; metres.
const HEIGHT: f64 = 0.5;
const SPREAD: f64 = 0.19;
const DEPTH: f64 = 0.06;
const STROKE: f64 = 0.045;

/// Makes the letter.
///
/// # Errors
/// When the subdivision is out of range or the work is cancelled.
pub(super) fn make(options: &ShapeOptions, watch: &mut Watch<'_>) -> Result<MeshData> {
    let cells = subdivision("letter-a", options, CELLS, 16..=200)?;
    body(&form(), HEIGHT / cells as f64, options.surface_vertices.unwrap_or(SURFACE), watch)
}

/// Standing on y = 0, facing z.
fn form() -> Sdf {
    let round = 0.015;
    // The axis of a leg runs from its foot to the middle of the top.
    let top = STROKE * 0.9;
    let lean = ((SPREAD - top) / HEIGHT).atan();
    let leg = |side: f64| {
        let long = Vec3::new(STROKE, HEIGHT, DEPTH);
        Sdf::cuboid(Vec3::zeros(), long, round).turned(Vec3::z(), side * lean).moved(Vec3::new(
            side * (SPREAD + top) / 2.0,
            HEIGHT / 2.0,
            0.0,
        ))
    };
    let bar =
        Sdf::cuboid(Vec3::new(0.0, 0.34 * HEIGHT, 0.0), Vec3::new(0.6 * SPREAD, 0.8 * STROKE, DEPTH), round);
    let strokes = Sdf::blend(0.02, [leg(1.0), leg(-1.0), bar]);
    let room = Vec3::new(2.0 * SPREAD, HEIGHT / 2.0, 2.0 * DEPTH);
    let slab = Sdf::cuboid(Vec3::new(0.0, HEIGHT / 2.0, 0.0), room, 0.0);
    slab.and(strokes, 0.01)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Elements;
    use crate::shapes::soundness::{compact, euler_of_closed_manifold};
    use crate::topology::boundary_faces;
    use pliant_linalg::ignore_progress;

    #[test]
    fn a_letter_a_has_one_hole() {
        let mesh = make(&ShapeOptions::default(), &mut ignore_progress).unwrap();
        let Elements::Tets(tets) = &mesh.elements else { panic!("a solid") };
        assert_eq!(euler_of_closed_manifold(&compact(&boundary_faces(tets))), Ok(0), "a torus, for topology");
    }
}
