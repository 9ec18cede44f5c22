//! The checked solid: every tet has positive volume, every index is in range, every coordinate is finite.

use pliant_linalg::Vec3;

use crate::data::{Attributes, Elements, Faces, MeshData};
use crate::measure::tet_volume;
use crate::topology::boundary_faces;
use crate::{MeshError, Result, SurfaceMesh, terms};

/// A solid of four-node tetrahedra that can be computed with.
///
/// ```
/// use pliant_mesh::shapes;
/// let bar = shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]);
/// assert_eq!(bar.tets().len(), 60);
/// assert!((bar.volume() - 0.01).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    vertices: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    attributes: Attributes,
}

impl TetMesh {
    /// Checks everything once. `vertices` in metres.
    ///
    /// # Errors
    /// The first contradiction; a tet without positive volume is one. See [`TetMesh::reoriented`].
    pub fn new(vertices: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Result<Self> {
        Self::from_data(MeshData::from_tets(vertices, tets))
    }

    /// The same for a mesh with attributes.
    ///
    /// # Errors
    /// As [`TetMesh::new`]; also when the elements are not tets.
    pub fn from_data(data: MeshData) -> Result<Self> {
        data.check()?;
        let MeshData { vertices, elements, attributes } = data;
        let tets = match elements {
            Elements::Tets(tets) => tets,
            Elements::Faces(faces) => {
                return Err(MeshError::WrongKind {
                    found: faces.kind().name(),
                    needed: "tets",
                    next: terms::TETS,
                });
            }
        };
        let volume = |t: &[u32; 4]| tet_volume(&t.map(|v| vertices[v as usize]));
        // Finite coordinates can still have a product that is not: 1e200³.
        let sound = |volume: f64| volume > 0.0 && volume.is_finite();
        let mut bad = tets.iter().enumerate().filter(|(_, t)| !sound(volume(t))).map(|(i, _)| i);
        if let Some(tet) = bad.next() {
            let volume = volume(&tets[tet]);
            if !volume.is_finite() {
                return Err(MeshError::TooLarge { tet });
            }
            return Err(MeshError::BadTet { count: 1 + bad.count(), tet, volume });
        }
        Ok(Self { vertices, tets, attributes })
    }

    /// As [`TetMesh::from_data`], but turns tets of negative volume around, and says how many.
    ///
    /// # Errors
    /// As [`TetMesh::from_data`]; tets without any volume remain an error.
    pub fn reoriented(mut data: MeshData) -> Result<(Self, usize)> {
        data.check()?;
        let mut turned = 0;
        if let Elements::Tets(tets) = &mut data.elements {
            for t in tets {
                if tet_volume(&t.map(|v| data.vertices[v as usize])) < 0.0 {
                    t.swap(2, 3);
                    turned += 1;
                }
            }
        }
        Ok((Self::from_data(data)?, turned))
    }

    /// Rest positions, metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Corners of each tet; (p1 − p0) × (p2 − p0) · (p3 − p0) > 0.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Positions of the corners of tet `t`.
    pub fn corners(&self, t: usize) -> [Vec3; 4] {
        self.tets[t].map(|v| self.vertices[v as usize])
    }

    /// Regions, materials, sets, embedded surface.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Replaces the attributes.
    ///
    /// # Errors
    /// When they do not fit this mesh.
    pub fn with_attributes(self, attributes: Attributes) -> Result<Self> {
        let data = MeshData { attributes, ..self.into_data() };
        data.check()?;
        Self::from_data(data)
    }

    /// Sum of the volumes, m³.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|t| tet_volume(&self.corners(t))).sum()
    }

    /// The boundary as a surface of its own: outward triangles, only the vertices that they use, in their order.
    pub fn boundary(&self) -> SurfaceMesh {
        SurfaceMesh::from_data(boundary(&self.vertices, &self.tets))
            .expect("a solid has a boundary, and a tet of positive volume has different corners")
    }

    /// Gives the parts back, to be written or changed.
    pub fn into_data(self) -> MeshData {
        MeshData { vertices: self.vertices, elements: Elements::Tets(self.tets), attributes: self.attributes }
    }
}

/// The boundary of tets, sound or not, with only the vertices that it uses.
pub(crate) fn boundary(vertices: &[Vec3], tets: &[[u32; 4]]) -> MeshData {
    let mut triangles = boundary_faces(tets);
    let mut used = vec![false; vertices.len()];
    triangles.as_flattened().iter().for_each(|&v| used[v as usize] = true);
    let mut number = vec![0; vertices.len()];
    let mut kept = Vec::new();
    for (v, p) in vertices.iter().enumerate().filter(|(v, _)| used[*v]) {
        number[v] = kept.len() as u32;
        kept.push(*p);
    }
    triangles.as_flattened_mut().iter_mut().for_each(|v| *v = number[*v as usize]);
    MeshData::from_faces(kept, Faces::from_triangles(&triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]
    }

    #[test]
    fn a_sound_tet_is_taken() {
        let mesh = TetMesh::new(corner(), vec![[0, 1, 2, 3]]).unwrap();
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-16);
    }

    #[test]
    fn a_boundary_has_only_its_own_vertices_and_the_same_volume() {
        let ball = crate::shapes::ball(1.0, 3);
        let surface = ball.boundary();
        assert_eq!(surface.faces().len(), 6 * 36 * 2);
        assert_eq!(surface.vertices().len(), 6 * 36 + 2, "Euler: V = 2 + F / 2");
        let volume = crate::measure::enclosed_volume(surface.vertices(), &surface.triangles());
        assert!((volume / ball.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_inverted_tet_is_refused_by_name_and_can_be_turned() {
        let tets = vec![[0, 1, 2, 3], [0, 2, 1, 3]];
        let error = TetMesh::new(corner(), tets.clone()).unwrap_err().to_string();
        assert!(error.contains("tet 1 "), "{error}");
        let (mesh, turned) = TetMesh::reoriented(MeshData::from_tets(corner(), tets)).unwrap();
        assert_eq!(turned, 1);
        assert!((mesh.volume() - 1.0 / 3.0).abs() < 1e-16);
    }

    #[test]
    fn a_volume_that_overflows_is_no_volume() {
        for scale in [1e103, 1e200] {
            let huge: Vec<Vec3> = corner().iter().map(|p| p * scale + Vec3::repeat(scale)).collect();
            for tet in [[0, 1, 2, 3], [0, 2, 1, 3]] {
                let error = TetMesh::new(huge.clone(), vec![tet]).unwrap_err().to_string();
                assert!(error.contains("tet 0 ") && error.contains("too large"), "{error}");
                assert!(TetMesh::reoriented(MeshData::from_tets(huge.clone(), vec![tet])).is_err());
            }
        }
    }

    #[test]
    fn flat_tets_bad_indices_and_nan_are_refused() {
        assert!(matches!(TetMesh::new(corner(), vec![[0, 1, 1, 3]]), Err(MeshError::BadTet { .. })));
        assert!(matches!(TetMesh::new(corner(), vec![[0, 1, 2, 4]]), Err(MeshError::IndexOutOfRange { .. })));
        assert!(matches!(TetMesh::new(corner(), vec![]), Err(MeshError::Empty { .. })));
        let mut broken = corner();
        broken[2].y = f64::NAN;
        assert!(matches!(
            TetMesh::new(broken, vec![[0, 1, 2, 3]]),
            Err(MeshError::NotFinite { vertex: 2, .. })
        ));
    }
}
