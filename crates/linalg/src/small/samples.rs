//! Matrices that are hard to take apart, for the tests of this folder.

use proptest::prelude::*;

use crate::small::{Mat3, Vec3, quaternion_rotation};

/// Any rotation, from a quaternion.
pub(super) fn rotation() -> impl Strategy<Value = Mat3> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(|q| {
        let n = q.iter().map(|x| x * x).sum::<f64>();
        if n < 1e-3 {
            return Mat3::identity();
        }
        quaternion_rotation(q.map(|x| x / n.sqrt()))
    })
}

/// Signed singular values, largest 1: σ₁ ≥ σ₂ ≥ |σ₃|. Spread, repeated, nearly so, vanishing, graded over 60 decades.
pub(super) fn values() -> impl Strategy<Value = Vec3> {
    let near = || (-40i32..40).prop_map(|n| 1.0 - f64::from(n.abs()) * f64::EPSILON);
    let graded = || (0.0..30.0f64).prop_map(|decades| 10f64.powf(-decades));
    let ratio =
        move || prop_oneof![2 => 0.0..1.0f64, 1 => Just(1.0), 1 => Just(0.0), 1 => near(), 2 => graded()];
    (ratio(), ratio(), prop::bool::ANY)
        .prop_map(|(b, c, inverted)| Vec3::new(1.0, b, if inverted { -b * c } else { b * c }))
}

/// U diag(σ) Vᵀ of such values with what it was made of: (F, σ).
pub(super) fn composed() -> impl Strategy<Value = (Mat3, Vec3)> {
    let turn = || prop_oneof![1 => Just(Mat3::identity()), 4 => rotation()];
    let scale = prop_oneof![2 => Just(1.0), 1 => (-150.0..150.0f64).prop_map(|e| 10f64.powf(e))];
    (turn(), values(), turn(), scale)
        .prop_map(|(U, s, V, scale)| (U * Mat3::from_diagonal(&s) * V.transpose() * scale, s * scale))
}

/// A finite matrix of any kind.
pub(super) fn any_matrix() -> impl Strategy<Value = Mat3> {
    let nine = |x: BoxedStrategy<f64>| proptest::collection::vec(x, 9).prop_map(|v| Mat3::from_row_slice(&v));
    prop_oneof![
        2 => nine((-1.0..1.0f64).boxed()),
        1 => nine((-1i8..=1).prop_map(f64::from).boxed()),
        1 => nine((-60.0..60.0f64).prop_map(|e| 10f64.powf(e)).boxed()),
        1 => nine((-1e-8..1e-8f64).boxed()).prop_map(|x| x + Mat3::identity()),
        4 => composed().prop_map(|(F, _)| F),
    ]
}
