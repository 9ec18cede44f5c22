//! What is seen of a body: a surface, and how the vertices of the body carry it.
//!
//! ```text
//! x_p = X_p + Σ_v w_pv u_v          a point p of the surface is carried by the vertices v of the body
//! ```
//! Pictures, files of motions, the page in the browser and buffers of a graphics card all show this one surface: the
//! embedded surface of a solid where there is one, else the boundary of the solid, else the surface itself.
//!
//! ```
//! use pliant_mesh::shown::ShownSurface;
//! let ball = pliant_mesh::shapes::ball(1.0, 3).into_data();
//! let shown = ShownSurface::of(&ball);
//! assert!(shown.rest.len() < ball.vertices.len(), "what lies inside is not seen");
//! let lifted: Vec<f64> = ball.vertices.iter().flat_map(|_| [0.0, 1.0, 0.0]).collect();
//! assert!(shown.displacement(&lifted).iter().all(|u| u.y == 1.0));
//! ```

use pliant_linalg::Vec3;

use crate::{Elements, Embedded, Embedding, Faces, MeshData, measure, shapes, topology};

/// The surface that is seen of a body, at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownSurface {
    /// Positions at rest, m. Those of a boundary are in the order of the body's vertices.
    pub rest: Vec<Vec3>,
    /// Faces as the mesh has them, with any number of corners.
    pub faces: Faces,
    /// The same cut into triangles, face by face.
    pub triangles: Vec<[u32; 3]>,
    /// By face, sRGB; `None` where a face has no colour of its own. Empty where none has.
    pub colours: Vec<Option<[u8; 3]>>,
    /// By shown vertex: vertices of the body and their weights.
    pub carriers: Embedding,
    /// Every shown vertex is one of the body's.
    own: bool,
}

impl ShownSurface {
    /// The embedded surface of a solid where there is one, else its boundary; of a surface all of it.
    pub fn of(mesh: &MeshData) -> Self {
        match (&mesh.elements, &mesh.attributes.embedded) {
            (Elements::Tets(_), Some(fine)) => Self {
                rest: fine.vertices.clone(),
                triangles: measure::triangulate(&fine.vertices, &fine.faces),
                faces: fine.faces.clone(),
                colours: colours(fine),
                carriers: fine.embedding.clone(),
                own: false,
            },
            (Elements::Tets(tets), None) => Self::boundary(mesh, topology::boundary_faces(tets)),
            (Elements::Faces(faces), _) => Self {
                rest: mesh.vertices.clone(),
                triangles: measure::triangulate(&mesh.vertices, faces),
                faces: faces.clone(),
                colours: Vec::new(),
                carriers: themselves(0..mesh.vertices.len() as u32),
                own: true,
            },
        }
    }

    /// Of the triangles of a mesh, without vertices that none of them uses.
    fn boundary(mesh: &MeshData, mut triangles: Vec<[u32; 3]>) -> Self {
        let mut used = triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        let mut shown = vec![0_u32; mesh.vertices.len()];
        for (p, &v) in (0..).zip(&used) {
            shown[v as usize] = p;
        }
        triangles.as_flattened_mut().iter_mut().for_each(|v| *v = shown[*v as usize]);
        Self {
            rest: used.iter().map(|&v| mesh.vertices[v as usize]).collect(),
            faces: Faces::from_triangles(&triangles),
            triangles,
            colours: Vec::new(),
            carriers: themselves(used.into_iter()),
            own: true,
        }
    }

    /// The vertex of the body that each shown vertex is; `None` where the surface lies between them, as an embedded one.
    pub fn body_vertices(&self) -> Option<&[u32]> {
        self.own.then_some(&self.carriers.vertices)
    }

    /// The displacement of every shown vertex when the body's is `u`, x y z of each vertex in turn, m.
    pub fn displacement(&self, u: &[f64]) -> Vec<Vec3> {
        let at = |v: u32| Vec3::from_column_slice(&u[3 * v as usize..3 * v as usize + 3]);
        match self.body_vertices() {
            Some(vertices) => vertices.iter().map(|&v| at(v)).collect(),
            None => {
                (0..self.rest.len()).map(|p| self.carriers.row(p).map(|(v, w)| at(v) * w).sum()).collect()
            }
        }
    }

    /// The vertex of the body that carries most of shown vertex `p`; `None` of one that nothing carries.
    pub fn heaviest_carrier(&self, p: u32) -> Option<u32> {
        self.carriers.row(p as usize).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(v, _)| v)
    }

    /// A colour for each triangle, `plain` for those without; empty where no face has a colour.
    pub fn triangle_colours(&self, plain: [u8; 3]) -> Vec<[u8; 3]> {
        // A polygon becomes two triangles less than it has corners.
        let faces = self.faces.iter().zip(&self.colours);
        faces
            .flat_map(|(face, c)| std::iter::repeat_n(c.unwrap_or(plain), face.len().saturating_sub(2)))
            .collect()
    }
}

/// Each of these vertices carries a point of its own.
fn themselves(vertices: impl Iterator<Item = u32>) -> Embedding {
    let mut carriers = Embedding::default();
    vertices.for_each(|v| carriers.push([(v, 1.0)]));
    carriers
}

/// Of each face of a surface whose regions have colours; nothing where none has.
fn colours(fine: &Embedded) -> Vec<Option<[u8; 3]>> {
    let of = |region: &u32| {
        let colour = shapes::colour_of(&fine.regions.get(*region as usize)?.name)?;
        Some(colour.map(|x| (255.0 * x).round() as u8))
    };
    let by_face: Vec<_> = fine.region_of.iter().map(of).collect();
    if by_face.iter().any(Option::is_some) { by_face } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Region, embed};

    #[test]
    fn a_boundary_is_that_of_the_solid_without_its_inside() {
        let ball = shapes::ball(1.0, 3);
        let boundary = ball.boundary();
        let shown = ShownSurface::of(&ball.into_data());
        assert_eq!((&*shown.rest, &shown.triangles), (boundary.vertices(), &boundary.triangles()));
        let vertices = shown.body_vertices().expect("its own vertices");
        assert!(vertices.is_sorted() && shown.heaviest_carrier(3) == Some(vertices[3]));
    }

    #[test]
    fn an_embedded_surface_is_carried_and_coloured() {
        let ball = shapes::ball(1.0, 2);
        let fine = shapes::ball(1.0, 4).boundary();
        let mut tied = embed::attach(ball, &fine).expect("tied").0.into_data();
        assert!(ShownSurface::of(&tied).colours.is_empty(), "no region, no colour");
        let embedded = tied.attributes.embedded.as_mut().expect("tied");
        embedded.regions = vec![Region { name: "belly".into(), material: None }];
        embedded.region_of = vec![crate::Attributes::NO_REGION; embedded.faces.len()];
        embedded.region_of[0] = 0;
        let shown = ShownSurface::of(&tied);
        assert!(shown.body_vertices().is_none());
        let colours = shown.triangle_colours([1, 2, 3]);
        assert_eq!((colours.len(), colours[1]), (shown.triangles.len(), [1, 2, 3]));
        assert_ne!(colours[0], [1, 2, 3]);
        let u: Vec<f64> = tied.vertices.iter().flat_map(|x| [x.y, 2.0 * x.x, 0.5]).collect();
        for (x, u) in shown.rest.iter().zip(shown.displacement(&u)) {
            assert!((u - Vec3::new(x.y, 2.0 * x.x, 0.5)).norm() < 1e-12);
        }
    }
}
