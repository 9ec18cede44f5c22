//! Symmetric matrices of two and three dimensions: eigenvalues, and the closest matrix without negative ones.
//! ```text
//! A = V diag(λ) Vᵀ,   λ₁ ≥ λ₂ ≥ λ₃,   det V = +1                                                    (1)
//! A₊ = V diag(max(λ, 0)) Vᵀ     the positive semi-definite matrix closest to A (Frobenius)          (2)
//! ```
//! By Jacobi (`jacobi.rs`), exact to a few rounding errors of ‖A‖ for every finite matrix, repeated eigenvalues included;
//! where they repeat, V is one choice of many. Of a matrix that is not symmetric, the symmetric part ½(A + Aᵀ) is taken.

use pulp::Scalar;

use super::jacobi::{Symmetric, diagonalise};
use super::lanes::{lane, lane_of_matrix, load};
use super::split::scaled;
use crate::small::{Mat2, Mat3, Vec3};

/// (λ, V) of (1): eigenvalues in descending order, in the unit of A, and their eigenvectors in the columns of a rotation.
/// Every number is NaN where A has one that is not finite.
pub fn symmetric_eigen3(A: &Mat3) -> (Vec3, Mat3) {
    let (power, poison, A) = scaled(load(Scalar, std::slice::from_ref(A)));
    let half = power.constant(0.5);
    let mut D = Symmetric {
        diagonal: [A[0][0], A[1][1], A[2][2]],
        across: [half * (A[1][2] + A[2][1]), half * (A[0][2] + A[2][0]), half * (A[0][1] + A[1][0])],
    };
    let mut norm = poison;
    for x in D.diagonal.into_iter().chain(D.across) {
        norm = norm.or_greater(x.abs());
    }
    let V = diagonalise(&mut D, norm * norm.constant(f64::EPSILON));

    let [power, poison] = [power, poison].map(|x| lane(&x, 0));
    let mut lambda = Vec3::from(D.diagonal.map(|x| lane(&x, 0))) * power;
    let mut V = lane_of_matrix(&V, 0);
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        if lambda[p] < lambda[q] {
            // The turn by a right angle: V stays a rotation.
            lambda.swap_rows(p, q);
            V.swap_columns(p, q);
            V.column_mut(q).neg_mut();
        }
    }
    (lambda.add_scalar(poison), V.add_scalar(poison))
}

/// A₊ of (2); A itself, to the bit, where it is symmetric and has no negative eigenvalue.
pub fn project_psd3(A: &Mat3) -> Mat3 {
    let (lambda, V) = symmetric_eigen3(A);
    if lambda[2] >= 0.0 {
        return (A + A.transpose()) * 0.5;
    }
    let positive = lambda.map(|x| if x < 0.0 { 0.0 } else { x });
    let A = V * Mat3::from_diagonal(&positive) * V.transpose() * 0.5;
    A + A.transpose()
}

/// A₊ of (2) in two dimensions; A itself, to the bit, where it is symmetric and has no negative eigenvalue.
///
/// With m = ½ tr A, A = m I + r Q and Q² = I: eigenvalues m ± r, and ½(I + Q) projects to the larger one.
pub fn project_psd2(A: &Mat2) -> Mat2 {
    let A = (A + A.transpose()) * 0.5;
    let m = 0.5 * (A[(0, 0)] + A[(1, 1)]);
    let deviator = A - Mat2::identity() * m;
    let scale = deviator[(0, 0)].abs().max(deviator[(0, 1)].abs());
    let (x, y) = (deviator[(0, 0)] / scale, deviator[(0, 1)] / scale);
    let r = if scale == 0.0 { 0.0 } else { scale * (x * x + y * y).sqrt() };
    if m >= r {
        A
    } else if m <= -r {
        Mat2::zeros()
    } else {
        (Mat2::identity() + deviator / r) * (0.5 * (m + r))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{any_matrix, rotation};
    use super::*;

    /// Relative to ‖A‖.
    const EXACT: f64 = 1e-14;

    fn assert_eigen(A: &Mat3) {
        let (lambda, V) = symmetric_eigen3(A);
        let error = (V * Mat3::from_diagonal(&lambda) * V.transpose() - A).norm();
        assert!(error <= EXACT * A.norm(), "A = {A} is missed by {:.1e}", error / A.norm());
        assert!((V.transpose() * V - Mat3::identity()).norm() < EXACT && V.determinant() > 0.0, "{V}");
        assert!(lambda[0] >= lambda[1] && lambda[1] >= lambda[2], "{lambda}");
    }

    #[test]
    fn known_eigenvalues() {
        // The chain of three masses: 2 + √2, 2, 2 − √2.
        let chain = Mat3::new(2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0);
        let (lambda, V) = symmetric_eigen3(&chain);
        let root = 2f64.sqrt();
        assert!((lambda - Vec3::new(2.0 + root, 2.0, 2.0 - root)).norm() < 4e-15, "{lambda}");
        assert!((V.column(1).dot(&Vec3::new(1.0, 0.0, -1.0)).abs() - root).abs() < 4e-15, "{V}");
        assert_eq!(symmetric_eigen3(&Mat3::identity()), (Vec3::new(1.0, 1.0, 1.0), Mat3::identity()));
        assert_eq!(symmetric_eigen3(&Mat3::zeros()), (Vec3::zeros(), Mat3::identity()));
        let (lambda, V) = symmetric_eigen3(&Mat3::from_element(f64::NAN));
        assert!(lambda.iter().chain(&V).all(|x| x.is_nan()));
    }

    #[test]
    fn what_is_positive_stays_and_what_is_negative_goes() {
        let A = Mat3::new(2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 3.0);
        assert_eq!(project_psd3(&A), A);
        assert_eq!(project_psd3(&-A), Mat3::zeros());
        let B = Mat2::new(2.0, 0.3, 0.3, 1.0);
        assert_eq!(project_psd2(&B), B);
        assert_eq!(project_psd2(&-B), Mat2::zeros());
        assert_eq!(project_psd2(&Mat2::zeros()), Mat2::zeros());
        // Eigenvalues ±1e160, whose squares overflow.
        let half = 0.5e160;
        assert_eq!(project_psd2(&Mat2::new(0.0, 1e160, 1e160, 0.0)), Mat2::new(half, half, half, half));
        assert!(project_psd2(&Mat2::from_element(f64::NAN)).iter().all(|x| x.is_nan()));
        assert!(project_psd3(&Mat3::from_element(f64::NAN)).iter().all(|x| x.is_nan()));
    }

    proptest! {
        #[test]
        fn eigenpairs_make_up_the_matrix(A in any_matrix()) {
            assert_eigen(&((A + A.transpose()) * 0.5));
        }

        #[test]
        fn the_projection_keeps_the_positive_part(V in rotation(), lambda in [-1.0..1.0f64, -1.0..1.0, -1.0..1.0]) {
            let with = |l: [f64; 3]| V * Mat3::from_diagonal(&Vec3::from(l)) * V.transpose();
            let error = project_psd3(&with(lambda)) - with(lambda.map(|l| l.max(0.0)));
            prop_assert!(error.norm() < EXACT, "{error}");
        }

        #[test]
        fn the_projection_in_the_plane_is_the_one_in_space(a in -1.0..1.0f64, b in -1.0..1.0f64, c in -1.0..1.0f64) {
            let plane = project_psd2(&Mat2::new(a, b, b, c));
            let space = project_psd3(&Mat3::new(a, b, 0.0, b, c, 0.0, 0.0, 0.0, 0.0));
            let error = space.fixed_view::<2, 2>(0, 0) - plane;
            prop_assert!(error.norm() < EXACT, "{plane} is missed by {error}");
        }
    }
}
