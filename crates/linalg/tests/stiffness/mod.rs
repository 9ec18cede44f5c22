//! Stiffness matrices of real size, for tests and measurements of the solvers.

use std::convert::Infallible;
use std::path::Path;

use pliant_linalg::{Assembly, Dofs, LocalMatrix, Mat3, Symmetric, Vec3};
use pliant_mesh::data::{Elements, MeshData};
use pliant_mesh::measure::triangulate;
use pliant_mesh::topology::flaps;

/// The stiffness of a mesh file and what is held: a fiftieth of the vertices, those with the least x.
///
/// A solid is linearly elastic (λ = μ = 1); a surface has a hinge for each pair of triangles that share an edge.
pub(crate) fn of_file(path: &Path) -> (Symmetric<3>, Dofs) {
    of_mesh(&pliant_mesh::io::load(path).expect("a mesh").mesh)
}

/// As [`of_file`], for a mesh at hand.
pub(crate) fn of_mesh(mesh: &MeshData) -> (Symmetric<3>, Dofs) {
    let matrix = match &mesh.elements {
        Elements::Tets(tets) => assembled(&mesh.vertices, tets, solid),
        Elements::Faces(faces) => {
            let hinges: Vec<[u32; 4]> = flaps(&triangulate(&mesh.vertices, faces))
                .iter()
                .map(|f| [f.edge[0], f.edge[1], f.opposite[0], f.opposite[1]])
                .collect();
            assembled(&mesh.vertices, &hinges, hinge)
        }
    };
    let mut order: Vec<usize> = (0..mesh.vertices.len()).collect();
    order.sort_by(|&a, &b| mesh.vertices[a].x.total_cmp(&mesh.vertices[b].x));
    let mut held = vec![false; 3 * order.len()];
    order[..order.len() / 50].iter().for_each(|v| held[3 * v..3 * v + 3].fill(true));
    (matrix, Dofs::new(held))
}

fn assembled(
    x: &[Vec3],
    corners: &[[u32; 4]],
    local: impl Fn([Vec3; 4]) -> LocalMatrix + Sync,
) -> Symmetric<3> {
    let assembly = Assembly::new(x.len(), corners.iter().map(|c| c.as_slice()));
    let mut matrix = Symmetric::zeros(assembly.pattern().clone());
    let fill = |first: usize, out: &mut [LocalMatrix]| -> Result<(), Infallible> {
        out.iter_mut().zip(&corners[first..]).for_each(|(out, c)| *out = local(c.map(|v| x[v as usize])));
        Ok(())
    };
    let Ok(()) = assembly.matrix(corners.len(), fill, &mut matrix);
    matrix
}

fn add(matrix: &mut LocalMatrix, a: usize, b: usize, block: Mat3) {
    (0..9).for_each(|k| matrix[3 * a + k / 3][3 * b + k % 3] += block[(k / 3, k % 3)]);
}

/// K_ab = V (λ g_a g_bᵀ + μ g_b g_aᵀ + μ g_a·g_b I), g the gradients of the four shape functions.
fn solid(x: [Vec3; 4]) -> LocalMatrix {
    let edges = Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
    let volume = edges.determinant() / 6.0;
    let inverse = edges.try_inverse().expect("a tet with a volume");
    let g = |a: usize| inverse.row(a).transpose();
    let gradients = [-(g(0) + g(1) + g(2)), g(0), g(1), g(2)];
    let mut matrix = [[0.0; 12]; 12];
    for (a, ga) in gradients.iter().enumerate() {
        for (b, gb) in gradients.iter().enumerate() {
            let block = ga * gb.transpose() + gb * ga.transpose() + Mat3::identity() * ga.dot(gb);
            add(&mut matrix, a, b, block * volume);
        }
    }
    matrix
}

/// A spring along every edge of the two triangles, and (x₀ + x₁ − x₂ − x₃)² against bending.
fn hinge(x: [Vec3; 4]) -> LocalMatrix {
    let mut matrix = [[0.0; 12]; 12];
    for (a, b) in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)] {
        let along = (x[b] - x[a]).normalize();
        let spring = along * along.transpose();
        [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)]
            .iter()
            .for_each(|&(a, b, sign)| add(&mut matrix, a, b, spring * sign));
    }
    let signs = [1.0, 1.0, -1.0, -1.0];
    for a in 0..4 {
        (0..4).for_each(|b| add(&mut matrix, a, b, Mat3::identity() * (1e-2 * signs[a] * signs[b])));
    }
    matrix
}
