//! The outline of a surface as thin tubes: edges where it turns away from the viewer, sharp edges, open edges.

use std::collections::BTreeMap;

use pliant_linalg::Vec3;
use pliant_mesh::Faces;
use pliant_mesh::measure::triangulate;

use crate::Camera;
use crate::scene::camera::View;
use crate::scene::frame::Frame;

/// Edges sharper than this are part of the outline, degrees.
const SHARP: f64 = 50.0;
/// Radius of a tube, pixels.
const RADIUS: f64 = 0.8;

/// Tubes along the outline as seen by the camera, in the axes of the file; `pixels` is the shorter side of the picture.
pub(crate) fn tubes(
    vertices: &[Vec3],
    faces: &Faces,
    frame: &Frame,
    camera: &Camera,
    pixels: usize,
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let triangles = triangulate(vertices, faces);
    // As from far away: near the rim of a body this differs little from what the lens sees.
    let eye = frame.direction(&towards(camera));
    let edges = outline(vertices, &triangles, &|direction| eye.dot(direction));
    let [low, high] = pliant_mesh::data::bounds(vertices);
    let radius = RADIUS * (high - low).norm() / pixels.max(1) as f64;
    let (mut points, mut skin) = (Vec::new(), Vec::new());
    for [a, b] in edges {
        tube(vertices[a as usize], vertices[b as usize], radius, &mut points, &mut skin);
    }
    (points, skin)
}

/// From the scene to the eye, in the unit frame.
fn towards(camera: &Camera) -> Vec3 {
    View::new(camera, None, &[Vec3::zeros()], [1, 1]).back
}

/// The edges of the outline; `facing` tells how much a direction points at the viewer.
fn outline(vertices: &[Vec3], triangles: &[[u32; 3]], facing: &dyn Fn(&Vec3) -> f64) -> Vec<[u32; 2]> {
    let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (t, corners) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push(t);
        }
    }
    let normal = |t: usize| {
        let [a, b, c] = triangles[t].map(|v| vertices[v as usize]);
        (b - a).cross(&(c - a)).normalize()
    };
    let sharp = SHARP.to_radians().cos();
    let drawn = |sides: &[usize]| match sides {
        [s, t] => {
            let (m, n) = (normal(*s), normal(*t));
            // Faces without area have no normal: NaN is in no outline.
            m.dot(&n) < sharp || (facing(&m) > 0.0) != (facing(&n) > 0.0)
        }
        _ => true,
    };
    sides.into_iter().filter(|(_, sides)| drawn(sides)).map(|(edge, _)| edge).collect()
}

/// A tube with three sides.
fn tube(a: Vec3, b: Vec3, radius: f64, points: &mut Vec<Vec3>, skin: &mut Vec<[u32; 3]>) {
    let along = b - a;
    // Across it: whichever axis it runs along least.
    let axis = [Vec3::x(), Vec3::y(), Vec3::z()][along.abs().imin()];
    let u = along.cross(&axis).normalize();
    let v = along.cross(&u).normalize();
    if !u.iter().chain(v.iter()).all(|x| x.is_finite()) {
        return;
    }
    let first = points.len() as u32;
    for end in [a, b] {
        for i in 0..3 {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 3.0).sin_cos();
            points.push(end + (u * cos + v * sin) * radius);
        }
    }
    for i in 0..3 {
        let j = (i + 1) % 3;
        skin.push([first + i, first + j, first + 3 + i]);
        skin.push([first + j, first + 3 + j, first + 3 + i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;
    use pliant_mesh::topology::boundary_faces;

    #[test]
    fn a_box_has_its_twelve_sides_and_a_ball_its_rim() {
        let bar = shapes::bar(Vec3::new(2.0, 1.0, 1.0), [4, 2, 2]);
        let edges = outline(bar.vertices(), &boundary_faces(bar.tets()), &|d| d.x + 0.5 * d.y + 0.3 * d.z);
        let length: f64 = edges
            .iter()
            .map(|[a, b]| (bar.vertices()[*a as usize] - bar.vertices()[*b as usize]).norm())
            .sum();
        assert!((length - 16.0).abs() < 1e-12, "{length}");
        let ball = shapes::ball(1.0, 8);
        let rim = outline(ball.vertices(), &boundary_faces(ball.tets()), &|d| d.z);
        let length: f64 = rim
            .iter()
            .map(|[a, b]| (ball.vertices()[*a as usize] - ball.vertices()[*b as usize]).norm())
            .sum();
        assert!((5.5..9.5).contains(&length), "about 2π: {length}");
    }

    #[test]
    fn tubes_point_outwards() {
        let (mut points, mut skin) = (Vec::new(), Vec::new());
        tube(Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0), 0.1, &mut points, &mut skin);
        for t in &skin {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let middle = (a + b + c) / 3.0;
            let along = Vec3::new(1.0, 2.0, 3.0).normalize();
            let out = middle - along * middle.dot(&along);
            assert!((b - a).cross(&(c - a)).dot(&out) > 0.0);
        }
        tube(Vec3::x(), Vec3::x(), 0.1, &mut points, &mut skin);
        assert_eq!(skin.len(), 6, "an edge without length has no tube");
    }
}
