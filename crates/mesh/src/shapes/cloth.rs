//! A square sheet of triangles: a surface with a border.

use pliant_linalg::{Vec3, Watch};

use super::solid::set;
use super::{ShapeOptions, subdivision};
use crate::{Faces, MeshData, Result};

/// Squares along a side, unless the options say otherwise.
pub(super) const CELLS: usize = 40;

/// Side of the sheet, metres.
const SIDE: f64 = 1.0;

/// Makes the sheet: flat at y = 0, seen from above. The diagonals alternate, so that it is equally stiff both ways.
/// Sets: `corners`, and `edge`, the side at lowest x.
///
/// # Errors
/// When the subdivision is out of range.
pub(super) fn make(options: &ShapeOptions, _watch: &mut Watch<'_>) -> Result<MeshData> {
    let n = subdivision("cloth", options, CELLS, 1..=2000)?;
    let at = |x: usize, z: usize| (x + (n + 1) * z) as u32;
    let mut vertices = Vec::with_capacity((n + 1) * (n + 1));
    let mut faces = Faces::new();
    for z in 0..=n {
        for x in 0..=n {
            vertices.push(Vec3::new(x as f64 / n as f64 - 0.5, 0.0, z as f64 / n as f64 - 0.5) * SIDE);
            if x == n || z == n {
                continue;
            }
            let [a, b, c, d] = [at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z)];
            let cut = if (x + z) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            cut.iter().for_each(|t| faces.push(t));
        }
    }
    let end = |x: f64| x.abs() > (0.5 - 1e-9) * SIDE;
    let sets = vec![
        set("corners", &vertices, |p| end(p.x) && end(p.z)),
        set("edge", &vertices, |p| end(p.x) && p.x < 0.0),
    ];
    let mut data = MeshData::from_faces(vertices, faces);
    data.attributes.sets = sets;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SurfaceMesh;
    use crate::measure::{area_vector, total_area};
    use pliant_linalg::ignore_progress;

    #[test]
    fn the_sheet_is_flat_whole_and_faces_up() {
        let options = ShapeOptions { subdivision: Some(7), ..ShapeOptions::default() };
        let sheet = SurfaceMesh::from_data(make(&options, &mut ignore_progress).unwrap()).unwrap();
        let triangles = sheet.triangles();
        assert_eq!((sheet.vertices().len(), triangles.len()), (64, 98));
        assert!((total_area(sheet.vertices(), &triangles) - SIDE * SIDE).abs() < 1e-12);
        for t in &triangles {
            assert!(area_vector(&t.map(|v| sheet.vertices()[v as usize])).y > 0.0);
        }
        assert_eq!(sheet.attributes().set("corners").unwrap().vertices, [0, 7, 56, 63]);
        assert_eq!(sheet.attributes().set("edge").unwrap().vertices.len(), 8);
    }
}
