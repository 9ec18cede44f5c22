//! Elastic bodies made of tets, for tests: linear elasticity and consistent mass, straight from the textbook.

use std::sync::Arc;

use crate::{Assembly, Dofs, LocalMatrix, Mat3, Symmetric, Vec3};

/// A body with its matrices; E = ρ = 1, ν = 0.3.
pub(crate) struct Body {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) stiffness: Symmetric<3>,
    pub(crate) mass: Symmetric<1>,
}

impl Body {
    pub(crate) fn new(vertices: Vec<Vec3>, tets: &[[u32; 4]]) -> Self {
        let (young, poisson): (f64, f64) = (1.0, 0.3);
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let assembly = Assembly::new(vertices.len(), tets.iter().map(|t| t.as_slice()));
        let pattern = Arc::clone(assembly.pattern());
        let edges = |t: &[u32; 4]| {
            let p = t.map(|v| vertices[v as usize]);
            Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]])
        };
        let mut stiffness = Symmetric::zeros(pattern.clone());
        let compute = |first: usize, locals: &mut [LocalMatrix]| -> Result<(), ()> {
            for (k, local) in locals.iter_mut().enumerate() {
                let d = edges(&tets[first + k]);
                let volume = d.determinant() / 6.0;
                assert!(volume > 0.0, "tet {}", first + k);
                let inverse = d.try_inverse().expect("a tet with volume");
                let g = |a: usize| match a {
                    0 => -(inverse.row(0) + inverse.row(1) + inverse.row(2)),
                    a => inverse.row(a - 1).into_owned(),
                };
                for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                    let (ga, gb) = (g(a), g(b));
                    for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                        let same = if r == c { ga.dot(&gb) } else { 0.0 };
                        local[3 * a + r][3 * b + c] =
                            volume * (lambda * ga[r] * gb[c] + mu * ga[c] * gb[r] + mu * same);
                    }
                }
            }
            Ok(())
        };
        assembly.matrix(tets.len(), compute, &mut stiffness).expect("nothing fails");
        let mut mass = Symmetric::<1>::zeros(pattern.clone());
        for t in tets {
            let volume = edges(t).determinant() / 6.0;
            for (&i, &j) in t.iter().flat_map(|i| t.iter().map(move |j| (i, j))).filter(|(i, j)| i >= j) {
                let slot = pattern.slot(i as usize, j as usize).expect("corners of a tet meet");
                mass.values_mut()[slot][0][0] += volume / 20.0 * if i == j { 2.0 } else { 1.0 };
            }
        }
        Self { vertices, stiffness, mass }
    }

    /// A cube of unit edge, cells³ cells of five tets each, mirrored from cell to cell: for an even number of cells the
    /// mesh has the symmetry of a tetrahedron, so that pairs and triples of modes are exact.
    pub(crate) fn cube(cells: usize) -> Self {
        let (vertices, tets) = grid([cells; 3], 1.0 / cells as f64);
        Self::new(vertices, &tets)
    }

    /// Two bricks that share only an edge of their surface: a hinge.
    pub(crate) fn hinge(cells: usize) -> Self {
        let (mut vertices, mut tets) = grid([cells; 3], 1.0 / cells as f64);
        let count = vertices.len() as u32;
        let shared = |p: &Vec3| p.x == 0.0 && p.y == 0.0;
        let (mirrored, mut name) = (vertices.clone(), Vec::new());
        for (i, p) in mirrored.iter().enumerate() {
            if shared(p) {
                name.push(i as u32);
            } else {
                name.push(vertices.len() as u32);
                // Turned by half around the edge.
                vertices.push(Vec3::new(-p.x, -p.y, p.z));
            }
        }
        tets.extend(tets.clone().iter().map(|t| t.map(|v| name[v as usize])));
        assert!(vertices.len() > count as usize);
        Self::new(vertices, &tets)
    }

    /// `copies` cubes far from each other.
    pub(crate) fn cubes(cells: usize, copies: usize) -> Self {
        let (one, one_tets) = grid([cells; 3], 1.0 / cells as f64);
        let (mut vertices, mut tets) = (Vec::new(), Vec::new());
        for copy in 0..copies {
            let first = vertices.len() as u32;
            vertices.extend(one.iter().map(|p| p + Vec3::new(3.0 * copy as f64, 0.0, 0.0)));
            tets.extend(one_tets.iter().map(|t| t.map(|v| v + first)));
        }
        Self::new(vertices, &tets)
    }

    /// A slender bar, 12 × 1 × 1.
    pub(crate) fn bar(cells: usize) -> Self {
        let (vertices, tets) = grid([12 * cells, cells, cells], 1.0 / cells as f64);
        Self::new(vertices, &tets)
    }

    pub(crate) fn size(&self) -> usize {
        3 * self.vertices.len()
    }

    pub(crate) fn all_free(&self) -> Dofs {
        Dofs::all_free(self.size())
    }

    /// Held where x = 0.
    pub(crate) fn clamped(&self) -> Dofs {
        Dofs::new(self.vertices.iter().flat_map(|p| [p.x == 0.0; 3]).collect())
    }

    /// Translations and rotations of the vertices in `part`.
    pub(crate) fn rigid(&self, part: std::ops::Range<usize>) -> Vec<Vec<f64>> {
        let field = |f: &dyn Fn(Vec3) -> Vec3| {
            let of = |(i, p): (usize, &Vec3)| if part.contains(&i) { f(*p) } else { Vec3::zeros() };
            self.vertices.iter().enumerate().map(of).flat_map(|u| [u.x, u.y, u.z]).collect()
        };
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let mut motions: Vec<Vec<f64>> = axes.iter().map(|axis| field(&|_| *axis)).collect();
        motions.extend(axes.iter().map(|axis| field(&|p| axis.cross(&p))));
        motions
    }
}

fn grid(cells: [usize; 3], edge: f64) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = cells;
    let id = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut vertices = Vec::new();
    let mut tets = Vec::new();
    for (k, j) in (0..=nz).flat_map(|k| (0..=ny).map(move |j| (k, j))) {
        vertices.extend((0..=nx).map(|i| Vec3::new(i as f64, j as f64, k as f64) * edge));
    }
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        // Corner b of the cell, bits x, y, z; mirrored in x in every other cell.
        let odd = (i + j + k) % 2;
        let corner = |b: usize| id(i + ((b & 1) ^ odd), j + ((b >> 1) & 1), k + (b >> 2));
        for mut t in
            [[0, 3, 5, 6], [1, 0, 3, 5], [2, 3, 0, 6], [4, 5, 6, 0], [7, 6, 5, 3]].map(|t| t.map(corner))
        {
            let p = t.map(|v| vertices[v as usize]);
            if (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&(p[3] - p[0])) < 0.0 {
                t.swap(2, 3);
            }
            tets.push(t);
        }
    }
    (vertices, tets)
}
