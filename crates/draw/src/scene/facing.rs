//! Normals at the corners of triangles: the mean of the neighbours' normals, weighted by their angles at the vertex
//! (Thürmer and Wüthrich 1998), over those neighbours that do not lie across a crease.

use pliant_linalg::Vec3;
use rayon::prelude::*;

/// Bit of a triangle's flags: shaded flat, and no neighbour is smoothed with it. Bits 0 to 2 are its drawn edges.
pub(crate) const FLAT: u8 = 8;

/// Unit normals of the triangles; zero where a triangle has no area.
pub(crate) fn of_faces(points: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    triangles
        .par_iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let n = (b - a).cross(&(c - a));
            // The square of a length below 1e-150 is no number any more.
            if n.norm() > 1e-150 { n.normalize() } else { Vec3::zeros() }
        })
        .collect()
}

/// Unit normals at the three corners of every triangle. Normals further apart than the angle with cosine `crease` are
/// not mixed. `None` keeps everything flat.
pub(crate) fn of_corners(
    points: &[Vec3],
    triangles: &[[u32; 3]],
    flags: &[u8],
    faces: &[Vec3],
    crease: Option<f64>,
) -> Vec<[Vec3; 3]> {
    let Some(crease) = crease else { return faces.iter().map(|&n| [n; 3]).collect() };
    // Triangles around each vertex, with their angle there, as rows behind one another.
    let mut start = vec![0u32; points.len() + 1];
    triangles.as_flattened().iter().for_each(|&v| start[v as usize + 1] += 1);
    (0..points.len()).for_each(|v| start[v + 1] += start[v]);
    let mut next = start.clone();
    let mut around = vec![(0u32, 0.0f64); triangles.len() * 3];
    let angles: Vec<[f64; 3]> = triangles
        .par_iter()
        .map(|corners| {
            let p = corners.map(|v| points[v as usize]);
            std::array::from_fn(|c| {
                let angle = (p[(c + 1) % 3] - p[c]).angle(&(p[(c + 2) % 3] - p[c]));
                if angle.is_finite() { angle } else { 0.0 }
            })
        })
        .collect();
    for (t, corners) in triangles.iter().enumerate() {
        for c in 0..3 {
            let place = &mut next[corners[c] as usize];
            around[*place as usize] = (t as u32, angles[t][c]);
            *place += 1;
        }
    }
    triangles
        .par_iter()
        .enumerate()
        .map(|(t, corners)| {
            let own = faces[t];
            if flags[t] & FLAT != 0 {
                return [own; 3];
            }
            corners.map(|v| {
                let ring = &around[start[v as usize] as usize..start[v as usize + 1] as usize];
                let sum: Vec3 = ring
                    .iter()
                    .filter(|(n, _)| flags[*n as usize] & FLAT == 0 && faces[*n as usize].dot(&own) >= crease)
                    .map(|&(n, angle)| faces[n as usize] * angle)
                    .sum();
                if sum.norm() > 1e-12 { sum.normalize() } else { own }
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{shapes, topology::boundary_faces};

    fn normals(mesh: &pliant_mesh::TetMesh, degrees: f64) -> (Vec<[u32; 3]>, Vec<[Vec3; 3]>) {
        let t = boundary_faces(mesh.tets());
        let faces = of_faces(mesh.vertices(), &t);
        let n = of_corners(mesh.vertices(), &t, &vec![0; t.len()], &faces, Some(degrees.to_radians().cos()));
        (t, n)
    }

    #[test]
    fn a_ball_is_smooth_and_a_box_keeps_its_edges() {
        let ball = shapes::ball(1.0, 8);
        let (t, n) = normals(&ball, 40.0);
        for (corners, normals) in t.iter().zip(&n) {
            for (v, n) in corners.iter().zip(normals) {
                assert!(n.dot(&ball.vertices()[*v as usize]) > 0.995);
            }
        }
        let (t, n) = normals(&shapes::bar(Vec3::repeat(1.0), [2, 2, 2]), 40.0);
        assert_eq!(t.len(), n.len());
        assert!(
            n.as_flattened().iter().all(|n| (n.amax() - 1.0).abs() < 1e-12),
            "normals along the axes only"
        );
    }
}
