//! The checked surface: faces of three or more different corners, indices in range, coordinates finite.

use pliant_linalg::Vec3;

use crate::data::{Attributes, Elements, Faces, MeshData};
use crate::measure::triangulate;
use crate::{MeshError, Result, terms};

/// A surface of triangles, quads or polygons that can be computed with. It may be open, and of any topology:
/// algorithms that need more say so themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceMesh {
    vertices: Vec<Vec3>,
    faces: Faces,
    attributes: Attributes,
}

impl SurfaceMesh {
    /// Checks everything once. `vertices` in metres.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn new(vertices: Vec<Vec3>, faces: Faces) -> Result<Self> {
        Self::from_data(MeshData::from_faces(vertices, faces))
    }

    /// The same for a mesh with attributes.
    ///
    /// # Errors
    /// As [`SurfaceMesh::new`]; also when the elements are not faces.
    pub fn from_data(data: MeshData) -> Result<Self> {
        data.check()?;
        let MeshData { vertices, elements, attributes } = data;
        let Elements::Faces(faces) = elements else {
            return Err(MeshError::WrongKind {
                found: "tets",
                needed: "faces of a surface",
                next: terms::BOUNDARY,
            });
        };
        for (f, corners) in faces.iter().enumerate() {
            if !has_different_corners(corners) {
                return Err(MeshError::BadFace { face: f, corners: corners.to_vec() });
            }
        }
        Ok(Self { vertices, faces, attributes })
    }

    /// As [`SurfaceMesh::from_data`], but leaves out faces without three different corners, and says how many.
    ///
    /// # Errors
    /// As [`SurfaceMesh::from_data`]; also when no face remains.
    pub fn without_bad_faces(data: MeshData) -> Result<(Self, usize)> {
        data.check()?;
        let Elements::Faces(faces) = &data.elements else { return Self::from_data(data).map(|s| (s, 0)) };
        let good: Vec<usize> = (0..faces.len()).filter(|&f| has_different_corners(faces.get(f))).collect();
        let dropped = faces.len() - good.len();
        let mut attributes = data.attributes;
        if !attributes.region_of.is_empty() {
            attributes.region_of = good.iter().map(|&f| attributes.region_of[f]).collect();
        }
        let elements = Elements::Faces(good.iter().map(|&f| faces.get(f)).collect());
        Ok((Self::from_data(MeshData { vertices: data.vertices, elements, attributes })?, dropped))
    }

    /// Positions, metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Corners of each face, counter-clockwise seen from outside.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Regions, materials, sets.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The faces cut into triangles, in the order of the faces.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        triangulate(&self.vertices, &self.faces)
    }

    /// Gives the parts back, to be written or changed.
    pub fn into_data(self) -> MeshData {
        MeshData {
            vertices: self.vertices,
            elements: Elements::Faces(self.faces),
            attributes: self.attributes,
        }
    }
}

fn has_different_corners(face: &[u32]) -> bool {
    match face {
        [a, b, c] => a != b && b != c && c != a,
        _ => {
            let mut sorted = face.to_vec();
            sorted.sort_unstable();
            face.len() >= 3 && sorted.windows(2).all(|w| w[0] != w[1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_become_two_triangles_and_bad_faces_are_refused() {
        let square = vec![Vec3::zeros(), Vec3::x(), Vec3::x() + Vec3::y(), Vec3::y()];
        let mesh = SurfaceMesh::new(square.clone(), [&[0, 1, 2, 3][..]].into_iter().collect()).unwrap();
        assert_eq!(mesh.triangles().len(), 2);
        let error = SurfaceMesh::new(square, [&[0, 1, 1][..]].into_iter().collect()).unwrap_err();
        assert!(error.to_string().contains("face 0"), "{error}");
    }
}
