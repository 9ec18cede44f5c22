//! Isotropic laws in the principal stretches, which need the singular values of F.
//!
//! ```text
//! F = U diag(s) Vᵀ (rotations U, V; the last stretch carries the sign of det F),   ψ = ψ(s),   P = U diag(ψ_i) Vᵀ
//! ```
//! In the frame of U and V, with w_ij = u_i v_jᵀ, ∂P/∂F falls into a 3×3 block and six numbers, its eigenvalues there:
//! ```text
//! stretch   Σ_ij ψ_ij w_ii ⊗ w_jj
//! shear     (ψ_i − ψ_j)/(s_i − s_j)   of (w_ij + w_ji)/√2
//! twist     (ψ_i + ψ_j)/(s_i + s_j)   of (w_ij − w_ji)/√2
//! ```
//! A law gives the shears as exact divided differences, also in the limit s_i = s_j: no small number decides. A twist has
//! no limit at s_i + s_j = 0 unless ψ_i + ψ_j vanishes with it: the law then really has a kink there (no rotation is the
//! closest one), and [`twist`] stops growing at stretches of [`KINK`]. Source: ITF04 in docs/papers.md and TSIF05 in docs/papers.md.

use pliant_linalg::{Mat3, Svd3, project_psd3, svd3_batch};

use super::Stiffness9;

/// The pairs i < j, in the order of [`Blocks::shear`] and [`Blocks::twist`].
pub(crate) const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// Below this s_i + s_j a twist is what it would be at this value: closer than a solver's step can tell, and far enough
/// for the stiffness to stay finite.
pub(crate) const KINK: f64 = 1e-8;

/// How many gradients are decomposed at once.
const BATCH: usize = 16;

/// ∂P/∂F in the frame of the singular vectors, Pa.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    pub(crate) stretch: Mat3,
    pub(crate) shear: [f64; 3],
    pub(crate) twist: [f64; 3],
}

/// (ψ_i + ψ_j)/(s_i + s_j) from numerator and denominator, which is not negative for ordered stretches.
pub(crate) fn twist(numerator: f64, denominator: f64) -> f64 {
    numerator / denominator.max(KINK)
}

impl Blocks {
    /// The closest blocks without negative eigenvalues.
    pub(crate) fn positive(&self) -> Self {
        Self {
            stretch: project_psd3(&self.stretch),
            shear: self.shear.map(|x| x.max(0.0)),
            twist: self.twist.map(|x| x.max(0.0)),
        }
    }

    /// ∂P/∂F in the frame of the world.
    pub(crate) fn stiffness(&self, frame: &Svd3) -> Stiffness9 {
        let mut C = [[0.0; 9]; 9];
        let w: [[f64; 9]; 3] = std::array::from_fn(|i| direction(frame, i, i));
        for i in 0..3 {
            let row: [f64; 9] = std::array::from_fn(|k| {
                self.stretch[(i, 0)] * w[0][k]
                    + self.stretch[(i, 1)] * w[1][k]
                    + self.stretch[(i, 2)] * w[2][k]
            });
            add_outer(&mut C, &w[i], &row);
        }
        for (k, &(i, j)) in PAIRS.iter().enumerate() {
            let (p, q) = (direction(frame, i, j), direction(frame, j, i));
            let (own, other) = (0.5 * (self.shear[k] + self.twist[k]), 0.5 * (self.shear[k] - self.twist[k]));
            add_outer(&mut C, &p, &std::array::from_fn(|k| own * p[k] + other * q[k]));
            add_outer(&mut C, &q, &std::array::from_fn(|k| other * p[k] + own * q[k]));
        }
        C
    }
}

impl Blocks {
    /// (∂P/∂F):δF: in the frame of U and V a product of the blocks with D = UᵀδF V.
    pub(crate) fn stress_along(&self, frame: &Svd3, dF: &Mat3) -> Mat3 {
        let D = frame.u.transpose() * dF * frame.v;
        let mut out = Mat3::from_diagonal(&(self.stretch * D.diagonal()));
        for (k, &(i, j)) in PAIRS.iter().enumerate() {
            let (own, other) = (0.5 * (self.shear[k] + self.twist[k]), 0.5 * (self.shear[k] - self.twist[k]));
            out[(i, j)] = own * D[(i, j)] + other * D[(j, i)];
            out[(j, i)] = other * D[(i, j)] + own * D[(j, i)];
        }
        frame.u * out * frame.v.transpose()
    }
}

/// U diag(x) Vᵀ.
pub(crate) fn compose(frame: &Svd3, x: [f64; 3]) -> Mat3 {
    let mut U = frame.u;
    (0..3).for_each(|i| U.column_mut(i).scale_mut(x[i]));
    U * frame.v.transpose()
}

/// w_ij = u_i v_jᵀ, row after row.
pub(crate) fn direction(frame: &Svd3, i: usize, j: usize) -> [f64; 9] {
    std::array::from_fn(|k| frame.u[(k / 3, i)] * frame.v[(k % 3, j)])
}

/// C ← C + p qᵀ.
pub(crate) fn add_outer(C: &mut Stiffness9, p: &[f64; 9], q: &[f64; 9]) {
    for i in 0..9 {
        for j in 0..9 {
            C[i][j] += p[i] * q[j];
        }
    }
}

/// `work(k, svd of 1 + H[k])` for each k, decomposed several at once.
pub(crate) fn each_svd(H: &[Mat3], mut work: impl FnMut(usize, &Svd3)) {
    let (mut F, mut frames) = ([Mat3::zeros(); BATCH], [Svd3::zero(); BATCH]);
    for (first, H) in (0..).step_by(BATCH).zip(H.chunks(BATCH)) {
        let (F, frames) = (&mut F[..H.len()], &mut frames[..H.len()]);
        F.iter_mut().zip(H).for_each(|(F, H)| *F = Mat3::identity() + H);
        svd3_batch(F, frames);
        frames.iter().enumerate().for_each(|(k, frame)| work(first + k, frame));
    }
}
