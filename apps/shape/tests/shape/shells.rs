//! Bodies of the tests.

use pliant_energy::{Body, MassKind, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{Faces, MeshData, shapes};
use pliant_shape::{Kind, Spectrum};

/// A shell without any symmetry: a box with bumps, `n` cells along its longest side.
pub(crate) fn potato(n: usize) -> MeshData {
    let mut mesh = shapes::bar(Vec3::new(1.0, 0.6, 0.4), [n, n * 3 / 5, n * 2 / 5]).boundary().into_data();
    for x in &mut mesh.vertices {
        let bump = 1.0 + 0.2 * (3.0 * x.x + 1.0).sin() * (4.0 * x.y + 0.3).cos() + 0.1 * (5.0 * x.z).sin();
        *x = (*x - Vec3::new(0.45, 0.3, 0.2)) * bump;
    }
    mesh
}

/// A sphere of radius 1: an octahedron whose triangles are cut in four so many times.
pub(crate) fn sphere(cuts: usize) -> MeshData {
    let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()];
    let mut vertices = vec![x, -x, y, -y, z, -z];
    let mut triangles =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5_u32]];
    for _ in 0..cuts {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32, vertices: &mut Vec<Vec3>| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| middle(p, q, &mut vertices));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    MeshData::from_faces(vertices, Faces::from_triangles(&triangles))
}

/// A strip of 2 m by 1 m with so many cells along, folded by `degrees` along its middle.
pub(crate) fn folded(cells: usize, degrees: f64) -> MeshData {
    let (rows, columns) = (cells / 2 + 1, cells + 1);
    let angle = degrees.to_radians();
    let at = |i: usize, j: usize| {
        let (x, y) = (2.0 * i as f64 / cells as f64 - 1.0, j as f64 / (rows - 1) as f64);
        if x > 0.0 { Vec3::new(x * angle.cos(), y, x * angle.sin()) } else { Vec3::new(x, y, 0.0) }
    };
    let vertices = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))).map(|(i, j)| at(i, j)).collect();
    let id = |i: usize, j: usize| (j * columns + i) as u32;
    let cell =
        |(i, j)| [[id(i, j), id(i + 1, j), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i, j + 1)]];
    let cells = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| (i, j)));
    let triangles: Vec<[u32; 3]> = cells.flat_map(cell).collect();
    MeshData::from_faces(vertices, Faces::from_triangles(&triangles))
}

/// The usual body of a mesh, its mass lumped.
pub(crate) fn body(mesh: &MeshData) -> Body {
    let recipe = Recipe { mass: Some(MassKind::Lumped), ..Recipe::default() };
    recipe.build(mesh.clone()).expect("a body")
}

/// The modes of a mesh.
pub(crate) fn modes(kind: Kind, mesh: &MeshData, count: usize) -> Spectrum {
    match kind {
        Kind::Vibration => Spectrum::vibration(&body(mesh), count, false, &mut ignore_progress),
        Kind::Heat => Spectrum::heat(mesh, count, true, &mut ignore_progress),
    }
    .expect("modes")
}

/// The largest |a − b| / max |a|.
pub(crate) fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / largest
}
