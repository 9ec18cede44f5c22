//! The meshes of the tables.

use std::path::Path;

use anyhow::{Context as _, Result};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{Elements, MeshData, TetMesh, io, shapes};

/// A mesh from a file, 1 m long.
///
/// # Errors
/// As [`io::load`].
pub fn load(path: &Path) -> Result<MeshData> {
    let mut mesh = io::load(path)?.mesh;
    mesh.scale_to(1.0)?;
    Ok(mesh)
}

/// A shape of our own table.
///
/// # Errors
/// A name or a subdivision that is not there.
pub fn shape(name: &str, subdivision: usize) -> Result<MeshData> {
    let options = shapes::ShapeOptions { subdivision: Some(subdivision), ..Default::default() };
    let mut mesh = shapes::find(name)?.make(&options, &mut ignore_progress)?;
    mesh.attributes.embedded = None;
    Ok(mesh)
}

/// A post of 1 m with 240 tets, upright: for the tests.
pub fn post() -> MeshData {
    shapes::bar(Vec3::new(0.15, 1.0, 0.15), [2, 10, 2]).into_data()
}

/// The surface of a solid.
///
/// # Errors
/// When it is none.
pub fn surface(solid: MeshData) -> Result<MeshData> {
    Ok(TetMesh::from_data(solid)?.boundary().into_data())
}

/// Every tet cut into eight at the middles of its edges; the octahedron inside along its shortest diagonal. Mid points follow
/// the old vertices in the order of the edges. Sets, regions and an embedded surface are not kept.
///
/// # Errors
/// When the mesh is no solid.
pub fn refine(solid: MeshData) -> Result<MeshData> {
    let Elements::Tets(tets) = solid.elements else { anyhow::bail!("only solids are refined") };
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
    let mut edges: Vec<[u32; 2]> = tets.iter().flat_map(|t| EDGES.map(|[i, j]| sorted(t[i], t[j]))).collect();
    edges.sort_unstable();
    edges.dedup();
    let first = solid.vertices.len();
    let mut vertices = solid.vertices;
    for [i, j] in &edges {
        vertices.push((vertices[*i as usize] + vertices[*j as usize]) * 0.5);
    }
    let middle = |i: u32, j: u32| -> Result<u32> {
        let place =
            edges.binary_search(&sorted(i, j)).ok().context("an edge of a tet is in the list of edges")?;
        Ok((first + place) as u32)
    };
    let mut fine = Vec::with_capacity(8 * tets.len());
    for t in &tets {
        let mut m = [0; 6];
        for (m, [i, j]) in m.iter_mut().zip(EDGES) {
            *m = middle(t[i], t[j])?;
        }
        let [a, b, c, d, e, f] = m;
        fine.extend([[t[0], a, b, c], [a, t[1], d, e], [b, d, t[2], f], [c, e, f, t[3]]]);
        // A diagonal, and the ring of the other four around it.
        let ways = [([b, e], [a, d, f, c]), ([a, f], [b, d, e, c]), ([c, d], [a, e, f, b])];
        let length = |[p, q]: [u32; 2]| (vertices[p as usize] - vertices[q as usize]).norm_squared();
        let mut shortest = ways[0];
        for way in &ways[1..] {
            // Not by rounding: of diagonals that are equal the first is taken.
            if length(way.0) < length(shortest.0) * (1.0 - 1e-12) {
                shortest = *way;
            }
        }
        let ([p, q], ring) = shortest;
        fine.extend((0..4).map(|k| [p, q, ring[k], ring[(k + 1) % 4]]));
    }
    let positive = |[a, b, c, d]: [u32; 4]| {
        let [x, y, z, w] = [a, b, c, d].map(|v| vertices[v as usize]);
        if volume6(x, y, z, w) < 0.0 { [a, c, b, d] } else { [a, b, c, d] }
    };
    let fine = fine.into_iter().map(positive).collect();
    Ok(MeshData::from_tets(vertices, fine))
}

fn volume6(x: Vec3, y: Vec3, z: Vec3, w: Vec3) -> f64 {
    (y - x).cross(&(z - x)).dot(&(w - x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refining_keeps_the_volume_and_the_surface() {
        let coarse = TetMesh::from_data(post()).expect("a solid");
        let fine = TetMesh::from_data(refine(coarse.clone().into_data()).expect("refined")).expect("a solid");
        assert_eq!(fine.tets().len(), 8 * coarse.tets().len());
        assert!((fine.volume() / coarse.volume() - 1.0).abs() < 1e-12);
        // Faces fit together: none of them is inside.
        assert_eq!(fine.boundary().triangles().len(), 4 * coarse.boundary().triangles().len());
    }
}
