//! Geometry of a scene: the triangles of all its parts in the unit frame, ready to be drawn.

use pliant_linalg::Vec3;

use crate::scene::Scene;
use crate::scene::facing;
use crate::scene::frame::Frame;

/// Triangles of all parts of a scene, in the unit frame.
pub(crate) struct Geometry {
    pub(crate) points: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) flags: Vec<u8>,
    /// Unit normals at the corners; zero where a triangle has no area.
    pub(crate) normals: Vec<[Vec3; 3]>,
    /// For each part its first point and first triangle.
    pub(crate) starts: Vec<[u32; 2]>,
}

impl Geometry {
    pub(crate) fn new(scene: &Scene, frame: &Frame) -> Self {
        let mut geometry =
            Self { points: vec![], triangles: vec![], flags: vec![], normals: vec![], starts: vec![] };
        for part in &scene.parts {
            let first = geometry.points.len() as u32;
            geometry.starts.push([first, geometry.triangles.len() as u32]);
            let points: Vec<Vec3> = part.vertices.iter().map(|p| frame.place(p)).collect();
            let faces = facing::of_faces(&points, &part.triangles);
            geometry.normals.extend(facing::of_corners(
                &points,
                &part.triangles,
                &part.flags,
                &faces,
                part.crease,
            ));
            geometry.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
            geometry.flags.extend(&part.flags);
            geometry.points.extend(points);
        }
        geometry
    }

    /// The part to which a triangle belongs.
    pub(crate) fn part(&self, triangle: u32) -> usize {
        self.starts.partition_point(|s| s[1] <= triangle) - 1
    }
}
