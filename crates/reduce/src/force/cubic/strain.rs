//! Green's strain of many tets in a basis, as a matrix whose square is the energy.
//!
//! With H_k = ∂(column k of U)/∂X in a tet:
//!
//! ```text
//! E(q) = Σ q_i L_i + Σ q_i q_j N_ij,   L_i = sym H_i,   N_ij = ¼ (H_iᵀH_j + H_jᵀH_i)
//! W = ½ Σ V E:C:E = ½ |A [q; q q]|²    with six rows a tet, √(V C) applied to a strain x:
//!     y_cc = √V (√(2μ) x_cc + ⅓ (√(2μ + 3λ) − √(2μ)) tr x),   y_cd = √V √2 √(2μ) x_cd
//! ```

use pliant_energy::material::Isotropic;
use pliant_energy::solid::Solid;
use pulp::{Arch, Simd, WithSimd};

use crate::Basis;

/// Tets in one piece: its rows lie component by component, so that all tets are worked on side by side.
pub(super) const TETS: usize = 128;

/// Six components, each of all tets of a piece.
pub(super) type Column = [[f64; TETS]; 6];

/// The components of a symmetric matrix.
const COMPONENTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// Displacement gradients of a piece of a solid, and the roots of its stiffnesses. Zero where tets are missing.
pub(super) struct Piece {
    /// H_k, row by row, for each column of the basis.
    gradients: Vec<[[f64; TETS]; 9]>,
    /// √V √(2μ).
    shear: [f64; TETS],
    /// ⅓ √V (√(2μ + 3λ) − √(2μ)).
    bulk: [f64; TETS],
}

impl Piece {
    /// Room for a basis of this rank.
    pub(super) fn new(rank: usize) -> Self {
        Self { gradients: vec![[[0.0; TETS]; 9]; rank], shear: [0.0; TETS], bulk: [0.0; TETS] }
    }

    /// Takes the tets from `first` on, each with its corners and constants.
    pub(super) fn load<'a>(
        &mut self,
        solid: &Solid,
        basis: &Basis,
        tets: impl Iterator<Item = (usize, &'a [u32], Isotropic)>,
    ) {
        let r = basis.rank();
        let mut count = 0;
        for (e, (t, corners, law)) in tets.enumerate() {
            let tet = solid.element(t);
            let (root, soft) = (tet.volume.sqrt(), (2.0 * law.mu()).sqrt());
            self.shear[e] = root * soft;
            self.bulk[e] = root * ((2.0 * law.mu() + 3.0 * law.lambda()).sqrt() - soft) / 3.0;
            let rows = [0, 1, 2, 3].map(|a| basis.vertex(corners[a] as usize));
            let b = &tet.shape_gradients;
            for (k, gradient) in self.gradients.iter_mut().enumerate() {
                for d in 0..3 {
                    let u = [0, 1, 2, 3].map(|a: usize| rows[a][d * r + k]);
                    for c in 0..3 {
                        gradient[3 * d + c][e] =
                            u[0] * b[0][c] + u[1] * b[1][c] + u[2] * b[2][c] + u[3] * b[3][c];
                    }
                }
            }
            count = e + 1;
        }
        self.shear[count..].fill(0.0);
        self.bulk[count..].fill(0.0);
    }

    /// √(V C) L_i.
    pub(super) fn linear(&self, i: usize, out: &mut Column) {
        let H = &self.gradients[i];
        for e in 0..TETS {
            let mut x = [0.0; 6];
            for (x, (c, d)) in x.iter_mut().zip(COMPONENTS) {
                *x = 0.5 * (H[3 * c + d][e] + H[3 * d + c][e]);
            }
            let trace = self.bulk[e] * (x[0] + x[1] + x[2]);
            for n in 0..6 {
                let y = self.shear[e] * x[n];
                out[n][e] = if n < 3 { y + trace } else { std::f64::consts::SQRT_2 * y };
            }
        }
    }

    /// √(V C) N_ij.
    pub(super) fn quadratic(&self, arch: Arch, i: usize, j: usize, out: &mut Column) {
        let (shear, bulk) = (&self.shear, &self.bulk);
        arch.dispatch(Quadratic { A: &self.gradients[i], B: &self.gradients[j], shear, bulk, out });
    }
}

/// Compiled for the processor's wide registers as well: a tenth of the whole work at small ranks.
struct Quadratic<'a> {
    A: &'a [[f64; TETS]; 9],
    B: &'a [[f64; TETS]; 9],
    shear: &'a [f64; TETS],
    bulk: &'a [f64; TETS],
    out: &'a mut Column,
}

impl WithSimd for Quadratic<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { A, B, shear, bulk, out } = self;
        const ROOT: f64 = std::f64::consts::SQRT_2 / 4.0;
        for e in 0..TETS {
            let xx = 0.5 * (A[0][e] * B[0][e] + A[3][e] * B[3][e] + A[6][e] * B[6][e]);
            let yy = 0.5 * (A[1][e] * B[1][e] + A[4][e] * B[4][e] + A[7][e] * B[7][e]);
            let zz = 0.5 * (A[2][e] * B[2][e] + A[5][e] * B[5][e] + A[8][e] * B[8][e]);
            let trace = bulk[e] * (xx + yy + zz);
            out[0][e] = shear[e] * xx + trace;
            out[1][e] = shear[e] * yy + trace;
            out[2][e] = shear[e] * zz + trace;
            let xy = (A[0][e] * B[1][e] + A[1][e] * B[0][e])
                + (A[3][e] * B[4][e] + A[4][e] * B[3][e])
                + (A[6][e] * B[7][e] + A[7][e] * B[6][e]);
            let yz = (A[1][e] * B[2][e] + A[2][e] * B[1][e])
                + (A[4][e] * B[5][e] + A[5][e] * B[4][e])
                + (A[7][e] * B[8][e] + A[8][e] * B[7][e]);
            let xz = (A[0][e] * B[2][e] + A[2][e] * B[0][e])
                + (A[3][e] * B[5][e] + A[5][e] * B[3][e])
                + (A[6][e] * B[8][e] + A[8][e] * B[6][e]);
            let scale = ROOT * shear[e];
            out[3][e] = scale * xy;
            out[4][e] = scale * yz;
            out[5][e] = scale * xz;
        }
    }
}
