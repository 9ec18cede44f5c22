//! Vertices at exactly the same place become one.
//!
//! Many formats split a surface along its texture seams, and STL splits it everywhere: what looks closed is then a heap of
//! pieces. Only equal coordinates are joined (0 and -0 are equal); nothing moves.

use pliant_linalg::Vec3;

use crate::{Attributes, Elements, Faces, MeshData};

/// The surface with vertices joined that lie exactly on each other, and how many went away. The first of those at a place
/// stays; vertex sets, which name vertices that may be gone, are left out where anything was joined. A solid stays as it is.
///
/// ```
/// use pliant_linalg::Vec3;
/// use pliant_mesh::{Faces, MeshData, weld::weld};
/// let corner = |x, y| Vec3::new(x, y, 0.0);
/// let apart = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(-0.0, 1.0)];
/// let (square, joined) = weld(MeshData::from_faces(apart, Faces::from_triangles(&[[0, 1, 2], [3, 4, 5]])));
/// assert_eq!((square.vertices.len(), joined), (4, 2));
/// ```
pub fn weld(mesh: MeshData) -> (MeshData, usize) {
    let Elements::Faces(faces) = &mesh.elements else { return (mesh, 0) };
    // Adding zero makes one zero of two.
    let key = |v: u32| <[f64; 3]>::from(mesh.vertices[v as usize]).map(|x| (x + 0.0).to_bits());
    let count = mesh.vertices.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|a, b| key(*a).cmp(&key(*b)).then(a.cmp(b)));
    let mut first: Vec<u32> = (0..count as u32).collect();
    let mut joined = 0;
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            first[pair[1] as usize] = first[pair[0] as usize];
            joined += 1;
        }
    }
    if joined == 0 {
        return (mesh, 0);
    }
    let mut id = vec![0_u32; count];
    let mut vertices: Vec<Vec3> = Vec::with_capacity(count - joined);
    for v in 0..count {
        if first[v] as usize == v {
            id[v] = vertices.len() as u32;
            vertices.push(mesh.vertices[v]);
        } else {
            id[v] = id[first[v] as usize];
        }
    }
    let mut welded = Faces::new();
    for face in faces.iter() {
        welded.push(&face.iter().map(|&v| id[v as usize]).collect::<Vec<u32>>());
    }
    let attributes = Attributes { sets: Vec::new(), ..mesh.attributes };
    (MeshData { vertices, elements: Elements::Faces(welded), attributes }, joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn triangles_that_stand_alone_become_the_surface_that_they_came_from() {
        let surface = shapes::ball(0.7, 3).boundary();
        let corners = surface.triangles().as_flattened().to_vec();
        let alone: Vec<Vec3> = corners.iter().map(|v| surface.vertices()[*v as usize]).collect();
        let triangles: Vec<[u32; 3]> =
            (0..alone.len() as u32).step_by(3).map(|k| [k, k + 1, k + 2]).collect();
        let (welded, joined) = weld(MeshData::from_faces(alone, Faces::from_triangles(&triangles)));
        assert_eq!(welded.vertices.len(), surface.vertices().len());
        assert_eq!(joined, corners.len() - surface.vertices().len());
        let Elements::Faces(faces) = &welded.elements else { panic!("a surface") };
        for (face, old) in faces.iter().zip(surface.triangles()) {
            for (new, old) in face.iter().zip(old) {
                assert_eq!(welded.vertices[*new as usize], surface.vertices()[old as usize]);
            }
        }
        let (same, none) = weld(welded.clone());
        assert_eq!((same, none), (welded, 0));
    }

    #[test]
    fn solids_stay_as_they_are() {
        let solid = shapes::ball(1.0, 1).into_data();
        assert_eq!(weld(solid.clone()), (solid, 0));
    }
}
