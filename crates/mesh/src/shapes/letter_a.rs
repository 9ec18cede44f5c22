//! An extruded letter A: two feet, a hole, and a bar between legs that bend.

use pliant_linalg::{Vec3, Watch};

use super::sdf::Sdf;
use super::solid::{fill_shape, fixed_below};
use super::{ShapeOptions, subdivision};
use crate::tetrahedralise::Grading;
use crate::{MeshData, Result};

/// Lattice cells along the height, unless the options say otherwise.
pub(super) const CELLS: usize = 24;

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
    let solid = fill_shape(&form(), HEIGHT / cells as f64, Grading::Coarser, watch)?;
    let mut data = solid.into_data();
    data.attributes.sets.push(fixed_below(&data.vertices, 1e-3 * HEIGHT));
    Ok(data)
}

/// Standing on y = 0, facing z.
fn form() -> Sdf {
    let round = 0.012;
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
    use crate::shapes::soundness::euler_of_closed_manifold;
    use crate::topology::boundary_faces;
    use pliant_linalg::ignore_progress;

    #[test]
    fn a_letter_a_has_one_hole() {
        let mesh = make(&ShapeOptions::default(), &mut ignore_progress).unwrap();
        let Elements::Tets(tets) = &mesh.elements else { panic!("a solid") };
        let mut number = vec![u32::MAX; mesh.vertices.len()];
        let mut count = 0;
        let skin: Vec<[u32; 3]> = boundary_faces(tets)
            .iter()
            .map(|t| {
                t.map(|v| {
                    let n = &mut number[v as usize];
                    if *n == u32::MAX {
                        *n = count;
                        count += 1;
                    }
                    *n
                })
            })
            .collect();
        assert_eq!(euler_of_closed_manifold(&skin), Ok(0), "a torus, for topology");
    }
}
