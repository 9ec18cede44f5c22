//! Menger's sponge: a cube, without its middle column along each axis, and so on in every small cube.
//!
//! A cell of the 3ˡ grid is there when at no level two of its three digits to base 3 are 1: 20ˡ cells, six tets each,
//! volume (20/27)ˡ. Source: Menger, "Dimensionstheorie", 1928.

use pliant_linalg::{Vec3, Watch};

use super::solid::fixed_below;
use super::{ShapeOptions, structured, subdivision};
use crate::{MeshData, Result};

/// The level, unless the options say otherwise.
pub(super) const LEVEL: usize = 2;

/// Side of the cube, metres.
const SIDE: f64 = 0.3;

/// Makes the sponge.
///
/// # Errors
/// When the level is out of range (five has 19 million tets) or the work is cancelled.
pub(super) fn make(options: &ShapeOptions, _watch: &mut Watch<'_>) -> Result<MeshData> {
    let level = subdivision("sponge", options, LEVEL, 0..=4)?;
    let n = 3usize.pow(level as u32);
    let solid = structured::lattice_of(
        [n; 3],
        |s| Vec3::new(s.x - 0.5, s.y, s.z - 0.5) * SIDE,
        |cell| is_there(cell, level),
    );
    let mut data = solid.into_data();
    data.attributes.sets.push(fixed_below(&data.vertices, 1e-6 * SIDE));
    Ok(data)
}

fn is_there(cell: [usize; 3], level: usize) -> bool {
    let mut cell = cell;
    for _ in 0..level {
        if cell.iter().filter(|&&c| c % 3 == 1).count() > 1 {
            return false;
        }
        cell = cell.map(|c| c / 3);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TetMesh;
    use pliant_linalg::ignore_progress;

    #[test]
    fn every_level_has_twenty_times_the_cubes() {
        for level in 0..=3usize {
            let options = ShapeOptions { subdivision: Some(level), ..ShapeOptions::default() };
            let mesh = TetMesh::from_data(make(&options, &mut ignore_progress).unwrap()).unwrap();
            assert_eq!(mesh.tets().len(), 6 * 20usize.pow(level as u32));
            let exact = SIDE.powi(3) * (20.0f64 / 27.0).powi(level as i32);
            assert!((mesh.volume() / exact - 1.0).abs() < 1e-12);
            let mut used = vec![false; mesh.vertices().len()];
            mesh.tets().as_flattened().iter().for_each(|&v| used[v as usize] = true);
            assert!(used.iter().all(|u| *u), "only vertices that are used");
        }
    }
}
