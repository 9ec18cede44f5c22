//! The linear tetrahedron: one deformation gradient, constant inside.
//!
//! ```text
//! Dm = [X₁−X₀ X₂−X₀ X₃−X₀],   F = I + [u₁−u₀ u₂−u₀ u₃−u₀] Dm⁻¹ = I + Σ_a u_a b_aᵀ        (C17 eq. 2.25)
//! ∂W/∂u_a = V P(F) b_a,       ∂²W/∂u_a∂u_b = V b_aᵀ (∂P/∂F) b_b                             (C17 eq. 2.27)
//! ```
//! b₁, b₂, b₃ are the rows of Dm⁻¹ and b₀ minus their sum, so that the forces of a tet add up to nothing.
//! Linear tets lock: in bending they are too stiff, and the more so the closer Poisson's ratio is to ½.

use pliant_linalg::{LocalMatrix, LocalVector, Mat3, Vec3};
use pliant_mesh::measure::tet_volume;

/// ∂P/∂F, 9×9, both vectorised by rows: entry \[3r + c\]\[3s + d\] = ∂P_rc/∂F_sd. Pa.
pub type Stiffness9 = [[f64; 9]; 9];

/// A linear tetrahedron: gradients of its four shape functions (1/m) and its rest volume (m³, > 0).
#[derive(Clone, Copy, Debug)]
pub struct Tet4 {
    /// b_a, 1/m.
    pub shape_gradients: [Vec3; 4],
    /// m³.
    pub volume: f64,
}

impl Tet4 {
    /// From the rest positions of its corners, which enclose a positive volume.
    pub fn new(corners: &[Vec3; 4]) -> Self {
        // The volume that the mesh was checked with, to the last bit: another formula could round a sliver to nothing.
        let volume = tet_volume(corners);
        debug_assert!(volume > 0.0, "a checked mesh has tets of positive volume");
        let [p, q, r, s] = corners;
        let (a, b, c) = (q - p, r - p, s - p);
        let det = 6.0 * volume;
        let (b1, b2, b3) = (b.cross(&c) / det, c.cross(&a) / det, a.cross(&b) / det);
        Self { shape_gradients: [-(b1 + b2 + b3), b1, b2, b3], volume }
    }

    /// The least volume, m³, that a tet with these corners must pass to be computed with: 1e-14 of the cube of its
    /// longest edge. What is below is rounding more than shape.
    pub fn least_volume(corners: &[Vec3; 4]) -> f64 {
        let edges = (0..4).flat_map(|i| (0..i).map(move |j| (corners[i] - corners[j]).norm()));
        1e-14 * edges.fold(0.0, f64::max).powi(3)
    }

    /// ∂u/∂X: what a displacement does to the tet.
    ///
    /// Of differences of u, so that a displacement as a whole, however large, leaves nothing behind.
    pub fn displacement_gradient(&self, u: &LocalVector) -> Mat3 {
        let mut H = Mat3::zeros();
        for a in 1..4 {
            let b = self.shape_gradients[a];
            for r in 0..3 {
                let apart = u[3 * a + r] - u[r];
                for c in 0..3 {
                    H[(r, c)] += apart * b[c];
                }
            }
        }
        H
    }

    /// V P b_a for each corner: forces from a stress.
    pub fn gradient(&self, P: &Mat3) -> LocalVector {
        let mut out = [0.0; 12];
        let scaled = P * self.volume;
        for a in 1..4 {
            let g = scaled * self.shape_gradients[a];
            for c in 0..3 {
                out[3 * a + c] = g[c];
                // The total force is zero to the last bit that a sum can give.
                out[c] -= g[c];
            }
        }
        out
    }

    /// V b_aᵀ (∂P/∂F) b_b for each pair of corners.
    pub fn hessian(&self, C: &Stiffness9, out: &mut LocalMatrix) {
        let b = &self.shape_gradients;
        // T[rc][3(b-1) + s] = V Σ_d C[rc][sd] b_b[d] for the corners 1 to 3; corner 0 is minus their sum.
        let mut T = [[0.0; 9]; 9];
        for rc in 0..9 {
            for q in 0..3 {
                let g = b[q + 1] * self.volume;
                for s in 0..3 {
                    T[rc][3 * q + s] =
                        C[rc][3 * s] * g[0] + C[rc][3 * s + 1] * g[1] + C[rc][3 * s + 2] * g[2];
                }
            }
        }
        for a in 1..4 {
            let g = b[a];
            for r in 0..3 {
                for q in 0..9 {
                    out[3 * a + r][3 + q] =
                        g[0] * T[3 * r][q] + g[1] * T[3 * r + 1][q] + g[2] * T[3 * r + 2][q];
                }
            }
        }
        for p in 3..12 {
            for s in 0..3 {
                let minus = -(out[p][3 + s] + out[p][6 + s] + out[p][9 + s]);
                out[p][s] = minus;
                out[s][p] = minus;
            }
        }
        for r in 0..3 {
            for s in 0..3 {
                out[r][s] = -(out[3 + r][s] + out[6 + r][s] + out[9 + r][s]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_gradients_are_the_inverse_of_the_edges_also_for_slivers() {
        // Flatter and flatter, away from the origin, and none of it along an axis.
        let turn = pliant_linalg::small::rotation(&Vec3::new(1.0, 2.0, -0.5), 0.7);
        let origin = Vec3::new(3.0, -1.0, 2.0);
        for height in [1.0, 1e-3, 1e-6, 1e-9] {
            let flat = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.0], [0.4, 0.3, height]];
            let corners = flat.map(|x| origin + turn * Vec3::from(x));
            let tet = Tet4::new(&corners);
            assert_eq!(tet.volume.to_bits(), tet_volume(&corners).to_bits());
            assert!(tet.volume > Tet4::least_volume(&corners));
            for (a, b) in tet.shape_gradients.iter().enumerate() {
                for k in 1..4 {
                    let expected = f64::from(u8::from(a == k)) - f64::from(u8::from(a == 0));
                    let found = b.dot(&(corners[k] - corners[0]));
                    // b is 1 / height long.
                    assert!((found - expected).abs() < 1e-14 / height, "{height}: {a}, {k}: {found}");
                }
            }
        }
    }

    #[test]
    fn the_least_volume_goes_with_the_cube_of_the_longest_edge() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
        let least = Tet4::least_volume(&corners);
        assert!((least / (1e-14 * 5_f64.powf(1.5)) - 1.0).abs() < 1e-14, "{least}");
        let tenfold = Tet4::least_volume(&corners.map(|x| x * 10.0));
        assert!((tenfold / least - 1000.0).abs() < 1e-10, "{tenfold}");
    }
}
