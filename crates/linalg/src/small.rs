//! Vectors and matrices of three dimensions, `f64` throughout.

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

/// A ← A with its negative eigenvalues set to zero; A symmetric.
pub fn project_positive9(A: &mut [[f64; 9]; 9]) {
    let eigen = nalgebra::SMatrix::<f64, 9, 9>::from_fn(|r, c| A[r][c]).symmetric_eigen();
    let kept = eigen.eigenvalues.map(|x| x.max(0.0));
    let B = eigen.eigenvectors * nalgebra::SMatrix::from_diagonal(&kept) * eigen.eigenvectors.transpose();
    (0..9).for_each(|r| (0..9).for_each(|c| A[r][c] = B[(r, c)]));
}
