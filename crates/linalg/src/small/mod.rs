//! Small vectors and matrices, of three dimensions, `f64` throughout; and decompositions of one 3×3 matrix, and of very many:
//! what materials ask for once a tet.
//!
//! The decompositions scale with the matrix, none loops or panics on any input, and each matrix gets the same bits wherever
//! it stands in a batch and on whatever processor. One thread: callers split the batch.

mod jacobi;
mod lanes;
mod polar;
#[cfg(test)]
mod samples;
mod split;
mod svd;
mod symmetric;

pub use polar::{polar3, rotation3, rotations3_batch};
pub use svd::{Svd3, svd3, svd3_batch};
pub use symmetric::{project_psd2, project_psd3, symmetric_eigen3};

/// A point or a direction in space; metres where it is a position.
pub type Vec3 = nalgebra::Vector3<f64>;

/// A 2×2 matrix, of a plane that the context names.
pub type Mat2 = nalgebra::Matrix2<f64>;

/// A 3×3 matrix; row = space, column = rest.
pub type Mat3 = nalgebra::Matrix3<f64>;

/// The rotation about `axis` (any length but zero) by `angle`, radians.
pub fn rotation(axis: &Vec3, angle: f64) -> Mat3 {
    nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(*axis), angle).into_inner()
}

/// The rotation of a unit quaternion x, y, z, w.
#[rustfmt::skip]
pub fn quaternion_rotation([x, y, z, w]: [f64; 4]) -> Mat3 {
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w),       2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),       2.0 * (y * z + x * w),       1.0 - 2.0 * (x * x + y * y),
    )
}

/// Steps after which an eigenproblem of nine is given up; a sound one takes some twenty.
const MOST_STEPS: usize = 1000;

/// A ← A with its negative eigenvalues set to zero; A symmetric. Where A holds something that is no finite number, all
/// of it becomes NaN: the iteration for its eigenvalues would not end.
pub fn project_positive9(A: &mut [[f64; 9]; 9]) {
    let finite = A.as_flattened().iter().all(|x| x.is_finite());
    let matrix = nalgebra::SMatrix::<f64, 9, 9>::from_fn(|r, c| A[r][c]);
    let eigen = finite.then(|| nalgebra::SymmetricEigen::try_new(matrix, f64::EPSILON, MOST_STEPS)).flatten();
    let Some(eigen) = eigen else {
        *A = [[f64::NAN; 9]; 9];
        return;
    };
    let kept = eigen.eigenvalues.map(|x| x.max(0.0));
    let B = eigen.eigenvectors * nalgebra::SMatrix::from_diagonal(&kept) * eigen.eigenvectors.transpose();
    (0..9).for_each(|r| (0..9).for_each(|c| A[r][c] = B[(r, c)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_ends_whatever_the_numbers_are() {
        let sample = |scale: f64| {
            let mut A = [[0.0; 9]; 9];
            for r in 0..9 {
                for c in 0..9 {
                    A[r][c] = scale * (((r * c + r + c) % 7) as f64 - 3.0);
                }
            }
            A
        };
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut A = sample(1.0);
            A[4][4] = bad;
            project_positive9(&mut A);
            assert!(A.as_flattened().iter().all(|x| x.is_nan()));
        }
        let mut one = sample(1.0);
        project_positive9(&mut one);
        assert!((0..9).all(|k| one[k][k] >= 0.0) && one != sample(1.0), "{one:?}");
        for scale in [1e-200, 1e200] {
            let mut A = sample(scale);
            project_positive9(&mut A);
            let pairs = A.as_flattened().iter().zip(one.as_flattened());
            assert!(pairs.into_iter().all(|(a, b)| (a / scale - b).abs() < 1e-12), "{scale}");
        }
    }
}
