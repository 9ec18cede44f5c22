//! A stiffness without its negative eigenvalues.
//!
//! The stiffness of an isotropic law falls into a 3×3 block and six numbers in the frame of F's singular vectors
//! (`principal.rs`), so that no 9×9 eigenproblem need be solved. Source: TSIF05 in docs/papers.md.

use pliant_linalg::{Mat3, Svd3, svd3, symmetric_eigen3};

use super::Stiffness9;
use super::principal::{PAIRS, add_outer, direction};

/// C ← C with its negative eigenvalues set to zero, so that Bᵀ C B is positive semi-definite for every tet. C keeps its
/// bits where it has none.
///
/// `F` is where C was taken; C is the stiffness of an isotropic, frame-indifferent law.
pub fn make_positive(C: &mut Stiffness9, F: &Mat3) {
    make_positive_in(C, &svd3(F));
}

/// The same with the singular vectors of F at hand.
pub(crate) fn make_positive_in(C: &mut Stiffness9, frame: &Svd3) {
    let w: [[f64; 9]; 3] = std::array::from_fn(|i| direction(frame, i, i));
    let Cw: [[f64; 9]; 3] = std::array::from_fn(|i| times(C, &w[i]));
    let (values, vectors) = symmetric_eigen3(&Mat3::from_fn(|i, j| dot(&w[i], &Cw[j])));
    // The directions are orthogonal: taking one out changes no other's eigenvalue.
    for k in (0..3).filter(|&k| values[k] < 0.0) {
        let v = vectors.column(k);
        let t = std::array::from_fn(|e| v[0] * w[0][e] + v[1] * w[1][e] + v[2] * w[2][e]);
        take_out(C, values[k], &t);
    }
    for (i, j) in PAIRS {
        let (p, q) = (direction(frame, i, j), direction(frame, j, i));
        for sign in [1.0, -1.0] {
            let t: [f64; 9] = std::array::from_fn(|e| (p[e] + sign * q[e]) * std::f64::consts::FRAC_1_SQRT_2);
            let value = dot(&t, &times(C, &t));
            if value < 0.0 {
                take_out(C, value, &t);
            }
        }
    }
}

/// C ← C − value t tᵀ, |t| = 1.
fn take_out(C: &mut Stiffness9, value: f64, t: &[f64; 9]) {
    add_outer(C, &t.map(|x| -value * x), t);
}

fn times(C: &Stiffness9, x: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|r| dot(&C[r], x))
}

fn dot(x: &[f64; 9], y: &[f64; 9]) -> f64 {
    (0..9).map(|k| x[k] * y[k]).sum()
}
