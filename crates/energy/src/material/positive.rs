//! A stiffness without its negative eigenvalues.

use pliant_linalg::{Mat3, small};

use super::Stiffness9;

/// C ← C with its negative eigenvalues set to zero, so that Bᵀ C B is positive semi-definite for every tet.
///
/// `F` is where C was taken: the stiffness of an isotropic law falls into small blocks in the frame of F's singular
/// vectors.
pub fn make_positive(C: &mut Stiffness9, F: &Mat3) {
    let _ = F;
    small::project_positive9(C);
}
