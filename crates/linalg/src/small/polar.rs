//! The rotation in a 3×3 matrix, and what is left of the matrix without it.
//! ```text
//! F = R S,   R = U Vᵀ a rotation,   S = V diag(σ) Vᵀ symmetric        (F = U diag(σ) Vᵀ as in `svd.rs`)   (1)
//! ```
//! R is the rotation closest to F, never a reflection: where det F < 0, S has one negative eigenvalue, the smallest in
//! magnitude. R is unique while σ₂ + σ₃ > 0, and changes quickly near the matrices where that fails (flat to a line, or
//! turned inside out with two equal stretches); there it is one of the closest rotations, still exact in (1).

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::lanes::{M3, lane_of_matrix, load, shift, times};
use super::split::split;
use crate::small::Mat3;

/// R of (1): the rotation closest to F. Every number is NaN where F has one that is not finite.
pub fn rotation3(F: &Mat3) -> Mat3 {
    lane_of_matrix(&kernel(load(Scalar, std::slice::from_ref(F))), 0)
}

/// [`rotation3`] of each matrix, several at once where the processor can: the same bits, a fraction of the time.
///
/// # Panics
/// Where `out` is not as long as `F`.
pub fn rotations3_batch(F: &[Mat3], out: &mut [Mat3]) {
    assert_eq!(F.len(), out.len(), "there are {} matrices and {} places for results", F.len(), out.len());
    Arch::new().dispatch(Batch { F, out });
}

/// (R, S) of (1): F = R S, R a rotation, S symmetric (to the bit). S is positive semi-definite where det F ≥ 0.
pub fn polar3(F: &Mat3) -> (Mat3, Mat3) {
    let R = rotation3(F);
    // Halved first: the sum of two huge numbers must not overflow.
    let S = R.transpose() * F * 0.5;
    (R, S + S.transpose())
}

struct Batch<'a> {
    F: &'a [Mat3],
    out: &'a mut [Mat3],
}

impl WithSimd for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (F, out) in self.F.chunks(S::F64_LANES).zip(self.out.chunks_mut(S::F64_LANES)) {
            let R = kernel(load(simd, F));
            for (l, out) in out.iter_mut().enumerate() {
                *out = lane_of_matrix(&R, l);
            }
        }
    }
}

/// R = u₁v₁ᵀ + [w₂ w₃] P [v₂ v₃]ᵀ: the rest need not be diagonal, symmetric is enough.
#[inline(always)]
fn kernel<S: Simd>(F: M3<S>) -> M3<S> {
    let mut split = split(F);
    split.symmetrise();
    let (U, V) = (split.U, split.V);
    let column = [[V[0][0], V[1][0], V[2][0]], [V[0][1], V[1][1], V[2][1]], [V[0][2], V[1][2], V[2][2]]];
    [
        shift(split.poison, times(U, column[0])),
        shift(split.poison, times(U, column[1])),
        shift(split.poison, times(U, column[2])),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::samples::{any_matrix, rotation};
    use super::super::svd3;
    use super::*;
    use crate::small::Vec3;

    /// Relative to ‖F‖.
    const EXACT: f64 = 1e-14;

    fn assert_polar(F: &Mat3) {
        let (R, S) = polar3(F);
        let error = (R * S - F).norm();
        assert!(error <= EXACT * F.norm(), "F = {F} is missed by {:.1e}", error / F.norm());
        let error = (R.transpose() * R - Mat3::identity()).norm();
        assert!(error <= EXACT && R.determinant() > 0.0, "{R} is no rotation, by {error:.1e}");
        assert_eq!(S, S.transpose());
        // Closest of all rotations: tr RᵀF = tr S is as large as it can be.
        let most = svd3(F).sigma.sum();
        assert!((S.trace() - most).abs() <= EXACT * F.norm(), "tr S is {}, and could be {most}", S.trace());
    }

    #[test]
    fn known_rotations() {
        let one = Mat3::identity();
        assert_eq!(polar3(&one), (one, one));
        assert_eq!(rotation3(&Mat3::zeros()), one);
        // A reflection is undone by S, not by R.
        let mirror = Mat3::from_diagonal(&Vec3::new(3.0, 2.0, -1.0));
        assert_eq!(polar3(&mirror), (one, mirror));
        // A quarter turn about z, then a stretch by 2 along x: F = Q diag(2, 1, 1).
        let quarter = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let stretch = Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 1.0));
        assert_eq!(polar3(&(quarter * stretch)), (quarter, stretch));
    }

    #[test]
    fn what_is_not_finite_gives_nan() {
        for (place, bad) in (0..9).flat_map(|i| [(i, f64::NAN), (i, f64::INFINITY)]) {
            let mut F = Mat3::identity();
            F[place] = bad;
            assert!(rotation3(&F).iter().all(|x| x.is_nan()), "{bad} at {place}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn the_factors_make_up_the_matrix(F in any_matrix()) {
            assert_polar(&F);
        }

        #[test]
        fn the_rotation_is_found_again(
            R in rotation(), V in rotation(), s in [0.2..5.0f64, 0.2..5.0, -0.1..5.0], power in -150..150i32,
        ) {
            let S = V * Mat3::from_diagonal(&Vec3::from(s)) * V.transpose();
            let error = (rotation3(&(R * S * 10f64.powi(power))) - R).norm();
            // σ₁/(σ₂ + σ₃) is the condition of R; here at most 50.
            prop_assert!(error <= 50.0 * EXACT, "missed by {error:.1e}");
        }

        #[test]
        fn a_batch_gives_the_bits_of_each_alone(F in vec(any_matrix(), 0..14)) {
            let mut out = vec![Mat3::zeros(); F.len()];
            rotations3_batch(&F, &mut out);
            for (F, R) in F.iter().zip(&out) {
                prop_assert_eq!(R.map(f64::to_bits), rotation3(F).map(f64::to_bits));
            }
        }
    }
}
