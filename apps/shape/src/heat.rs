//! Heat on a surface: the same signature by the modes of the Laplacian, which see distances within the surface alone.
//!
//! ```text
//! L_ij = Σ_triangles e_i·e_j / 4A,   e_i the edge opposite to corner i: the stiffness of linear elements           (1)
//! ```
//! Off the diagonal that is −½ (cot α + cot β); negative where the angles add up to more than 180°, and not changed there:
//! (1) is positive semi-definite whatever the angles. Mass is a third of the adjacent area, the boundary is natural: no
//! heat passes it. A constant of each part costs nothing and is counted. Source: PP93 and SOG09 in docs/papers.md.

use pliant_linalg::{Pattern, Symmetric, Vec3, Watch, eigen};
use pliant_mesh::{Elements, MeshData, SurfaceMesh, measure, topology};
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

use crate::spectrum::{Kind, Spectrum, diagonal, held_where};
use crate::terms::{BOUNDARY, KIND, refused};

impl Spectrum {
    /// The `count` lowest modes of heat on a surface, constants not counted in `count`; they are part of signatures if
    /// `constants`.
    ///
    /// # Errors
    /// A solid, a triangle without area, more modes than there are, no convergence, or the watch asked to stop.
    pub fn heat(
        mesh: &MeshData,
        count: usize,
        constants: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        let (L, areas) = laplacian(mesh)?;
        let mass = diagonal(&areas);
        let dofs = held_where(&areas);
        let known = part_constants(mesh, &areas);
        let problem = eigen::Problem { stiffness: &L, mass: &mass, dofs: &dofs, known: &known };
        Self::solve(Kind::Heat, &problem, count, constants, watch)
    }
}

/// How many modes of heat there are, constants left out.
pub(crate) fn available(mesh: &MeshData) -> Result<usize, SimError> {
    let (_, areas) = laplacian(mesh)?;
    Ok(areas.iter().filter(|a| **a > 0.0).count() - part_constants(mesh, &areas).len())
}

/// L and a third of the adjacent area of every vertex, m².
fn laplacian(mesh: &MeshData) -> Result<(Symmetric<1>, Vec<f64>), SimError> {
    let Elements::Faces(_) = &mesh.elements else {
        let sentence = "heat flows on surfaces here, but this body is a solid; take its boundary, or vibration as the kind";
        return Err(refused(sentence, &[BOUNDARY, KIND]));
    };
    let surface = SurfaceMesh::from_data(mesh.clone()).map_err(ReduceError::from)?;
    let triangles = surface.triangles();
    let n = mesh.vertices.len();
    let pattern = Pattern::from_cliques(n, triangles.iter().map(|t| &t[..]));
    let mut L = Symmetric::<1>::zeros(pattern.clone());
    let mut areas = vec![0.0; n];
    for (number, t) in triangles.iter().enumerate() {
        let p = t.map(|v| mesh.vertices[v as usize]);
        let area = measure::area_vector(&p).norm();
        let opposite: [Vec3; 3] = std::array::from_fn(|i| p[(i + 2) % 3] - p[(i + 1) % 3]);
        let edge = opposite.iter().fold(0.0, |most: f64, e| most.max(e.norm_squared()));
        if !(area > f64::EPSILON * edge && area.is_normal()) {
            let sentence = format!("triangle {number} has no area, and no heat passes it; merge its corners");
            return Err(refused(sentence, &[]));
        }
        for i in 0..3 {
            areas[t[i] as usize] += area / 3.0;
            for j in 0..=i {
                let (row, column) = (t[i].max(t[j]) as usize, t[i].min(t[j]) as usize);
                let slot = pattern.slot(row, column).expect("the pattern holds every pair of a triangle");
                L.values_mut()[slot][0][0] += opposite[i].dot(&opposite[j]) / (4.0 * area);
            }
        }
    }
    Ok((L, areas))
}

/// For every part the constant on it, of length 1 in the mass.
fn part_constants(mesh: &MeshData, areas: &[f64]) -> Vec<Vec<f64>> {
    let Elements::Faces(faces) = &mesh.elements else { return Vec::new() };
    let (part_of, count) = topology::components(areas.len(), faces.iter());
    let mut sums = vec![0.0; count];
    part_of.iter().zip(areas).for_each(|(part, a)| {
        if let Some(part) = part {
            sums[*part as usize] += a;
        }
    });
    let constant = |c: usize| {
        let on = |part: &Option<u32>| if *part == Some(c as u32) { 1.0 / sums[c].sqrt() } else { 0.0 };
        part_of.iter().map(on).collect()
    };
    (0..count).map(constant).collect()
}
