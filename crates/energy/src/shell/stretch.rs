//! The length of an edge, and how Discrete Shells resists a change of it.
//!
//! ```text
//! E_L = ½ Σ (|e| − |e₀|)² / |e₀|   over all edges                                        (T14 eq. 2.4)
//! ∂l = ê,   ∂²l = (1 − ê êᵀ)/l,   l − l₀ = (e − e₀)·(e + e₀)/(l + l₀)
//! ```

use pliant_linalg::{Mat3, Vec3};

use super::term::{Jet, Measure};

/// l = |e|, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length;

impl Measure<1> for Length {
    /// e₀ and its length.
    type Rest = (Vec3, f64);

    fn value([e]: &[Vec3; 1]) -> Option<f64> {
        let length = e.norm();
        (length > 0.0 && length.is_finite()).then_some(length)
    }

    fn slope(d: &[Vec3; 1]) -> Option<(f64, [Vec3; 1])> {
        let length = Self::value(d)?;
        Some((length, [d[0] / length]))
    }

    fn jet(d: &[Vec3; 1]) -> Option<Jet<1>> {
        let (value, [along]) = Self::slope(d)?;
        let hessian = (Mat3::identity() - along * along.transpose()) / value;
        Some(Jet { gradient: [along], hessian: [[hessian]] })
    }

    fn slope_along(d: &[Vec3; 1], [x]: &[Vec3; 1]) -> Option<[[Vec3; 1]; 2]> {
        let (length, [along]) = Self::slope(d)?;
        Some([[along], [(x - along * along.dot(x)) / length]])
    }

    fn rest(d: &[Vec3; 1]) -> Option<Self::Rest> {
        Some((d[0], Self::value(d)?))
    }

    fn change((rest, length): &Self::Rest, [e]: &[Vec3; 1], [by]: &[Vec3; 1]) -> f64 {
        by.dot(&(rest + e)) / (length + e.norm())
    }
}
