//! What a handle pulls with, in the coordinates of a basis.
//!
//! ```text
//! E^C_h = ½ Σ_i w_i |X_i + U_i q − T X_i|² = ½ qᵀA q − bᵀq + c,   w_i = m_i/m_h                        (T14 eq. 5.1)
//! A = Σ_i w_i U_iᵀU_i,   b = Σ_i w_i U_iᵀ D X̂_i = Σ_ab D_ab b_ab,   c = ½ tr (D S Dᵀ),   S = Σ_i w_i X̂_i X̂_iᵀ    (1)
//! ```
//! X̂ = (X − m, 1) with the middle m of the handle, and D the 3×4 matrix with D X̂ = T X − X. A and b_ab are made once for a region; a
//! move of the handle then costs 12 r multiplications, whatever was selected, and leaves A, the Hessian, alone.

use pliant_energy::Body;
use pliant_linalg::{DenseSymmetric, Vec3, rows};
use pliant_reduce::Basis;

use crate::Transform;

/// Entries of D.
const NUMBERS: usize = 12;

/// One handle, seen from the coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) vertices: Vec<u32>,
    /// w.
    weights: Vec<f64>,
    /// m.
    middle: Vec3,
    /// A.
    pub(crate) A: DenseSymmetric,
    /// b_ab, row by row of D.
    columns: [Vec<f64>; NUMBERS],
    /// S.
    moments: [[f64; 4]; 4],
    /// T, and D of it.
    transform: Transform,
    D: [[f64; 4]; 3],
    /// κ, N/m.
    pub(crate) stiffness: f64,
}

/// w_i of some vertices of a body.
pub(crate) fn weights(vertices: &[u32], body: &Body) -> Vec<f64> {
    let masses: Vec<f64> = vertices.iter().map(|&v| body.vertex_masses()[v as usize]).collect();
    let whole: f64 = masses.iter().sum();
    masses.iter().map(|m| m / whole).collect()
}

impl Target {
    /// A region at rest, of stiffness nothing.
    pub(crate) fn new(vertices: &[u32], body: &Body, basis: &Basis) -> Self {
        let (weights, r) = (weights(vertices, body), basis.rank());
        let rest = |v: u32| body.rest()[v as usize];
        let middle: Vec3 = vertices.iter().zip(&weights).map(|(&v, w)| rest(v) * *w).sum();
        let mut columns: [Vec<f64>; NUMBERS] = std::array::from_fn(|_| vec![0.0; r]);
        let mut moments = [[0.0; 4]; 4];
        let (mut all, mut weighted) = (Vec::new(), Vec::new());
        for (&v, &w) in vertices.iter().zip(&weights) {
            let x = rest(v) - middle;
            let X = [x[0], x[1], x[2], 1.0];
            let own = basis.vertex(v as usize);
            for (k, column) in columns.iter_mut().enumerate() {
                let row = &own[k / 4 * r..(k / 4 + 1) * r];
                column.iter_mut().zip(row).for_each(|(sum, u)| *sum += w * X[k % 4] * u);
            }
            (0..4).for_each(|a| (0..4).for_each(|b| moments[a][b] += w * X[a] * X[b]));
            all.extend_from_slice(own);
            weighted.extend(own.iter().map(|u| w * u));
        }
        let mut A = DenseSymmetric::zeros(r);
        rows::gram(&all, &weighted, &mut A);
        let transform = Transform::default();
        let vertices = vertices.to_vec();
        Self { vertices, weights, middle, A, columns, moments, transform, D: [[0.0; 4]; 3], stiffness: 0.0 }
    }

    /// It is to go there.
    pub(crate) fn place(&mut self, to: &Transform) {
        self.transform = *to;
        let moved = to.apply(&self.middle) - self.middle;
        for a in 0..3 {
            (0..3).for_each(|b| self.D[a][b] = to.linear[(a, b)] - if a == b { 1.0 } else { 0.0 });
            self.D[a][3] = moved[a];
        }
    }

    /// Where it is to be.
    pub(crate) fn transform(&self) -> &Transform {
        &self.transform
    }

    /// out ← out + κ b.
    pub(crate) fn add_pull(&self, out: &mut [f64]) {
        for (column, D) in self.columns.iter().zip(self.D.as_flattened()) {
            let factor = self.stiffness * D;
            if factor != 0.0 {
                out.iter_mut().zip(column).for_each(|(out, b)| *out += factor * b);
            }
        }
    }

    /// κ c.
    pub(crate) fn constant(&self) -> f64 {
        let mut sum = 0.0;
        for row in &self.D {
            for (a, x) in row.iter().enumerate() {
                sum += x * (0..4).map(|b| self.moments[a][b] * row[b]).sum::<f64>();
            }
        }
        0.5 * self.stiffness * sum
    }

    /// Σ_i w_i U_iᵀ along x, y, z: what a force of 1 N on the handle puts on the coordinates.
    pub(crate) fn pushes(&self) -> [&[f64]; 3] {
        [3, 7, 11].map(|k| &self.columns[k][..])
    }

    /// Σ_i w_i |x_i − t_i|², m², from the vertices themselves; `rest` of the body.
    pub(crate) fn square_off(&self, q: &[f64], basis: &Basis, rest: &[Vec3]) -> f64 {
        square_off(&self.vertices, &self.weights, &self.transform, rest, |v| basis.at(q, v as usize).into())
    }
}

/// Σ_i w_i |x_i − t_i|², m², of a region whose vertices moved by `u`.
pub(crate) fn square_off(
    vertices: &[u32],
    weights: &[f64],
    to: &Transform,
    rest: &[Vec3],
    u: impl Fn(u32) -> Vec3,
) -> f64 {
    let off = |v: u32| (rest[v as usize] + u(v) - to.apply(&rest[v as usize])).norm_squared();
    vertices.iter().zip(weights).map(|(&v, w)| w * off(v)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_energy::Recipe;
    use pliant_linalg::Vec3;
    use pliant_mesh::shapes;
    use pliant_testkit::derivative::assert_derivative;

    /// (1) is the sum over vertices, and its derivatives are A q − b and A.
    #[test]
    fn the_quadratic_is_the_sum_over_the_vertices() {
        let mesh = shapes::bar(Vec3::new(1.0, 0.2, 0.3), [4, 2, 2]).into_data();
        let body = Recipe::default().build(mesh).expect("a body");
        let r = 5;
        let columns: Vec<f64> = (0..r * body.size()).map(|k| ((7 * k) as f64).sin()).collect();
        let basis = Basis::from_columns(&columns, body.size());
        let mut target = Target::new(&[0, 3, 7, 20], &body, &basis);
        target.stiffness = 3.0;
        target.place(&Transform::turn(&Vec3::new(0.3, 1.0, 0.2), 1.2, &Vec3::x()));
        let q = [0.4, -0.3, 0.2, 0.1, -0.6];
        let energy = |target: &Target, q: &[f64]| {
            let (mut Aq, mut b) = (vec![0.0; r], vec![0.0; r]);
            target.A.apply(q, &mut Aq);
            target.add_pull(&mut b);
            let half: f64 = q.iter().zip(&Aq).map(|(q, a)| 0.5 * target.stiffness * q * a).sum();
            half - q.iter().zip(&b).map(|(q, b)| q * b).sum::<f64>() + target.constant()
        };
        let direct =
            |target: &Target, q: &[f64]| 0.5 * target.stiffness * target.square_off(q, &basis, body.rest());
        for motion in [*target.transform(), Transform::shift(Vec3::new(0.1, 0.2, -0.5)), Transform::default()]
        {
            target.place(&motion);
            let (a, b) = (energy(&target, &q), direct(&target, &q));
            assert!((a - b).abs() < 1e-12 * b, "{a} and {b}");
        }
        let d = [0.3, 0.1, -0.2, 0.5, 0.4];
        let at = |t: f64| -> Vec<f64> { q.iter().zip(&d).map(|(q, d)| q + t * d).collect() };
        let (mut Aq, mut b) = (vec![0.0; r], vec![0.0; r]);
        target.A.apply(&q, &mut Aq);
        target.add_pull(&mut b);
        let slope: f64 = (0..r).map(|i| (3.0 * Aq[i] - b[i]) * d[i]).sum();
        assert_derivative("E^C", |t| direct(&target, &at(t)), slope);
        // The weights are shares of the mass, and a push of 1 N is shared out by them.
        assert!((target.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let row = |v: usize, c: usize| basis.vertex(v)[c * r + 1];
        let shared: f64 =
            target.vertices.iter().zip(&target.weights).map(|(&v, w)| w * row(v as usize, 2)).sum();
        assert!((target.pushes()[2][1] - shared).abs() < 1e-15);
    }
}
