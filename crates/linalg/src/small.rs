//! Vectors and matrices of three dimensions, `f64` throughout.

/// A point or a direction in space; metres where it is a position.
pub type Vec3 = nalgebra::Vector3<f64>;

/// A 2×2 matrix, of a plane that the context names.
pub type Mat2 = nalgebra::Matrix2<f64>;

/// A 3×3 matrix; row = space, column = rest.
pub type Mat3 = nalgebra::Matrix3<f64>;
