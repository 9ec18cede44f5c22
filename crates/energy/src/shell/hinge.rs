//! The angle in which two triangles meet, and how Discrete Shells resists a change of it.
//!
//! ```text
//! E_F = 3/2 Σ |e₀|²/A_e (θ − θ₀)²   over edges with two triangles, A_e their area        (T14 eq. 2.3)
//!
//!             x₂                 e = x₁ − x₀,  a = x₂ − x₀,  b = x₃ − x₀
//!            ╱  ╲                n = e × a,    m = b × e
//!          x₀ ──→ x₁             θ = atan2(|e| m·a, n·m): 0 flat, positive where n and m look at each other
//!            ╲  ╱
//!             x₃
//! ∂θ/∂a = h = |e| n/|n|²,   ∂θ/∂b = k = |e| m/|m|²,   ∂θ/∂e = −(p h + q k),  p = a·e/|e|²,  q = b·e/|e|²
//! ```
//! The second derivatives are those of h, k, p and q by the product rule; θ has none by a and b together. Corners 0 and 1
//! are the edge. Both normals are taken along the edge, so that the orientation of the faces does not matter.
//!
//! θ is known up to full turns: θ − θ₀ is taken in (−π, π]. A hinge that turns by more than half a turn from rest snaps
//! to the other side; there the energy has a kink.
//!
//! A triangle that loses its height h over the edge takes the angle with it: ∂θ grows as 1/h, the stiffness as 1/h², and where
//! a corner crosses the edge within its plane θ and E_F jump. E_L and E_A are finite there and do not prevent it. A shell
//! that is too soft for its load gets there, and no step, however short, leads on: stiffen it or load it less. Source: GHDS03 in docs/papers.md; the derivatives are derived here.

use std::f64::consts::PI;

use pliant_linalg::{Mat3, Vec3};

use super::area::normal;
use super::term::{Jet, Measure};

/// θ, radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle;

impl Measure<3> for Angle {
    fn value([e, a, b]: &[Vec3; 3]) -> Option<f64> {
        let ((n, _), (m, _)) = (normal(e, a)?, normal(b, e)?);
        let (sin, cos) = (e.norm() * m.dot(a), n.dot(&m));
        (sin.is_finite() && cos.is_finite()).then(|| sin.atan2(cos))
    }

    fn slope(d: &[Vec3; 3]) -> Option<(f64, [Vec3; 3])> {
        let value = Self::value(d)?;
        let [e, a, b] = d;
        let ((n, along_n), (m, along_m)) = (normal(e, a)?, normal(b, e)?);
        let length = e.norm();
        let (h, k) = (n * (length / along_n / along_n), m * (length / along_m / along_m));
        let (p, q) = (a.dot(e) / length / length, b.dot(e) / length / length);
        let gradient = [-(h * p + k * q), h, k];
        gradient.iter().all(|g| g.iter().all(|x| x.is_finite())).then_some((value, gradient))
    }

    fn jet(d: &[Vec3; 3]) -> Option<Jet<3>> {
        let (value, gradient) = Self::slope(d)?;
        let [e, a, b] = d;
        let length = e.norm();
        let along = e / length;
        // Of h by e and by a; k is the same with n = b × e.
        let wing = |n: &Vec3, by_e: Mat3, by_own: Mat3| {
            let squared = n.norm_squared();
            let mirror = (Mat3::identity() - n * n.transpose() * (2.0 / squared)) * (length / squared);
            (n * along.transpose() / squared + mirror * by_e, mirror * by_own)
        };
        let (he, ha) = wing(&e.cross(a), -a.cross_matrix(), e.cross_matrix());
        let (ke, kb) = wing(&b.cross(e), b.cross_matrix(), -e.cross_matrix());
        let foot = |a: &Vec3| {
            let p = a.dot(e) / length / length;
            (p, (a - e * (2.0 * p)).transpose() / length / length)
        };
        let ((p, pe), (q, qe)) = (foot(a), foot(b));
        let ee = -(gradient[1] * pe + he * p + gradient[2] * qe + ke * q);
        let hessian =
            [[ee, he.transpose(), ke.transpose()], [he, ha, Mat3::zeros()], [ke, Mat3::zeros(), kb]];
        Some(Jet { value, gradient, hessian })
    }

    /// In (−π, π].
    fn difference(value: f64, rest: f64) -> f64 {
        match value - rest {
            x if x > PI => x - 2.0 * PI,
            x if x <= -PI => x + 2.0 * PI,
            x => x,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two right triangles along x, the second turned up by `fold`.
    fn folded(fold: f64) -> [Vec3; 3] {
        [Vec3::x() * 2.0, Vec3::y(), Vec3::new(2.0, -fold.cos(), fold.sin())]
    }

    #[test]
    fn the_angle_is_the_fold_with_its_sign() {
        for degrees in [-179.0, -90.0, -1.0, 0.0, 30.0, 135.0, 179.9_f64] {
            let fold = degrees.to_radians();
            let angle = Angle::value(&folded(fold)).expect("two triangles");
            assert!((angle - fold).abs() < 1e-14, "{degrees}");
        }
    }

    #[test]
    fn differences_go_the_short_way_round() {
        for (value, rest, expected) in [
            (3.1, -3.1, 6.2 - 2.0 * PI),
            (-3.1, 3.1, 2.0 * PI - 6.2),
            (PI, 0.0, PI),
            (-PI, 0.0, PI),
            (-PI, PI, 0.0),
            (0.5, -0.5, 1.0),
        ] {
            assert!((Angle::difference(value, rest) - expected).abs() < 1e-15, "{value} from {rest}");
        }
    }

    #[test]
    fn the_gradient_does_not_jump_where_the_angle_does() {
        let slope = |fold: f64| Angle::slope(&folded(fold)).expect("two triangles").1;
        let (before, after) = (slope(PI - 1e-9), slope(1e-9 - PI));
        assert!((0..3).all(|k| (before[k] - after[k]).norm() < 1e-8));
    }

    /// What no step gets across: flat, and half a turn away a moment later, with slopes of 1/h on both sides.
    #[test]
    fn a_corner_that_crosses_its_edge_makes_the_angle_jump() {
        for height in [1e-2, 1e-4, 1e-6] {
            let over = |h: f64| [Vec3::x() * 2.0, Vec3::new(1.0, h, 0.0), -Vec3::y()];
            let (before, slope) = Angle::slope(&over(height)).expect("two triangles");
            let (after, _) = Angle::slope(&over(-height)).expect("two triangles");
            assert!(before.abs() < 1e-12 && (after.abs() - PI).abs() < 1e-12, "{before} and {after}");
            assert!((slope[1].norm() * height - 1.0).abs() < 1e-12, "∂θ/∂a = 1/h");
        }
    }

    #[test]
    fn collapsed_triangles_and_bad_numbers_have_no_angle() {
        let [e, a, b] = folded(0.3);
        for bad in
            [[e, e * 0.3, b], [e, a, -e], [Vec3::zeros(), a, b], [e, a, b * f64::NAN], [e, a * 1e200, b]]
        {
            assert!(
                Angle::value(&bad).is_none() && Angle::slope(&bad).is_none() && Angle::jet(&bad).is_none()
            );
        }
    }
}
