//! The area of a triangle, and how Discrete Shells resists a change of it.
//!
//! ```text
//! E_A = ½ Σ (A − A₀)² / A₀   over the triangles                                          (T14 eq. 2.5)
//! A = ½|n|,  n = e × a,      ∂A/∂e = ½ a × n̂,   ∂A/∂a = ½ n̂ × e
//! ∂²A: with Q = (1 − n̂ n̂ᵀ)/|n| and [v] w = v × w,
//!      ee: −½[a]Q[a],   ea: ½([a]Q[e] − [n̂]),   aa: −½[e]Q[e]
//! A − A₀ = ½ (n − n₀)·(n + n₀)/(|n| + |n₀|),   n − n₀ = (e − e₀) × a + e₀ × (a − a₀)
//! ```
//! The sides e and a run from corner 0 to corners 1 and 2.

use pliant_linalg::{Mat3, Vec3};

use super::term::{Jet, Measure, THIN};

/// A, m².
#[derive(Clone, Copy, Debug)]
pub(super) struct Area;

/// n = e × a and its length, where it has one.
pub(super) fn normal(e: &Vec3, a: &Vec3) -> Option<(Vec3, f64)> {
    let n = e.cross(a);
    let length = n.norm();
    (length > THIN * e.norm() * a.norm() && length.is_finite()).then_some((n, length))
}

impl Measure<2> for Area {
    /// e₀, n₀ and the length of that.
    type Rest = (Vec3, Vec3, f64);

    fn value([e, a]: &[Vec3; 2]) -> Option<f64> {
        normal(e, a).map(|(_, length)| 0.5 * length)
    }

    fn slope([e, a]: &[Vec3; 2]) -> Option<(f64, [Vec3; 2])> {
        let (n, length) = normal(e, a)?;
        let half = n / (2.0 * length);
        Some((0.5 * length, [a.cross(&half), half.cross(e)]))
    }

    fn jet(d: &[Vec3; 2]) -> Option<Jet<2>> {
        let (_, gradient) = Self::slope(d)?;
        let [e, a] = d;
        let (n, length) = normal(e, a)?;
        let unit = n / length;
        let Q = (Mat3::identity() - unit * unit.transpose()) / length;
        let ([e, a], unit) = ([e.cross_matrix(), a.cross_matrix()], unit.cross_matrix());
        let ea = (a * Q * e - unit) * 0.5;
        let hessian = [[a * Q * a * -0.5, ea], [ea.transpose(), e * Q * e * -0.5]];
        Some(Jet { gradient, hessian })
    }

    /// δn = δe × a + e × δa,  δn̂ = (1 − n̂ n̂ᵀ) δn/|n|.
    fn slope_along([e, a]: &[Vec3; 2], [by_e, by_a]: &[Vec3; 2]) -> Option<[[Vec3; 2]; 2]> {
        let (n, length) = normal(e, a)?;
        let half = n / (2.0 * length);
        let by_n = by_e.cross(a) + e.cross(by_a);
        let by_half = (by_n - half * (4.0 * half.dot(&by_n))) / (2.0 * length);
        let turn = [by_a.cross(&half) + a.cross(&by_half), by_half.cross(e) + half.cross(by_e)];
        Some([[a.cross(&half), half.cross(e)], turn])
    }

    fn rest([e, a]: &[Vec3; 2]) -> Option<Self::Rest> {
        normal(e, a).map(|(n, length)| (*e, n, length))
    }

    fn change((rest, rest_normal, length): &Self::Rest, [e, a]: &[Vec3; 2], by: &[Vec3; 2]) -> f64 {
        let turned = by[0].cross(a) + rest.cross(&by[1]);
        let n = e.cross(a);
        0.5 * turned.dot(&(rest_normal + n)) / (length + n.norm())
    }
}
