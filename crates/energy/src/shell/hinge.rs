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
//! θ is known up to full turns: θ − θ₀ is taken between −π and π. A hinge that turns by more than half a turn from rest snaps
//! to the other side; there the energy has a kink. With s = |e| m·a and c = n·m,
//! ```text
//! θ − θ₀ = atan2((s − s₀) c₀ − (c − c₀) s₀, c c₀ + s s₀)
//! ```
//! where s − s₀ and c − c₀ are sums of products with a difference in each: a small one keeps its digits.
//!
//! A triangle that loses its height h over the edge takes the angle with it: ∂θ grows as 1/h, the stiffness as 1/h², and where
//! a corner crosses the edge within its plane θ and E_F jump. E_L and E_A are finite there and do not prevent it; `kept_hinge.rs`
//! does. Source: GHDS03 in docs/papers.md; the derivatives are derived here.

use pliant_linalg::{Mat3, Vec3};

use super::area::normal;
use super::term::{Jet, Measure};

/// θ, radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle;

/// What is needed of the rest shape, its normals, the length of its edge, sine and cosine of θ₀.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestAngle {
    e: Vec3,
    b: Vec3,
    n: Vec3,
    m: Vec3,
    length: f64,
    sin: f64,
    cos: f64,
}

impl Measure<3> for Angle {
    type Rest = RestAngle;

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
        let (_, gradient) = Self::slope(d)?;
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
        Some(Jet { gradient, hessian })
    }

    /// By the product rule, h and k as they are, of n and m, p and q.
    fn slope_along(d: &[Vec3; 3], [by_e, by_a, by_b]: &[Vec3; 3]) -> Option<[[Vec3; 3]; 2]> {
        let (_, gradient) = Self::slope(d)?;
        let [e, a, b] = d;
        let (length, squared) = (e.norm(), e.norm_squared());
        let longer = e.dot(by_e) / squared;
        // Of h = |e| n/|n|².
        let wing = |h: &Vec3, n: &Vec3, by_n: &Vec3| {
            let size = n.norm_squared();
            h * (longer - 2.0 * n.dot(by_n) / size) + by_n * (length / size)
        };
        let by_h = wing(&gradient[1], &e.cross(a), &(by_e.cross(a) + e.cross(by_a)));
        let by_k = wing(&gradient[2], &b.cross(e), &(by_b.cross(e) + b.cross(by_e)));
        let foot = |a: &Vec3, by_a: &Vec3| {
            let p = a.dot(e) / squared;
            (p, (by_a.dot(e) + a.dot(by_e)) / squared - 2.0 * p * longer)
        };
        let ((p, by_p), (q, by_q)) = (foot(a, by_a), foot(b, by_b));
        let by_edge = -(gradient[1] * by_p + by_h * p + gradient[2] * by_q + by_k * q);
        Some([gradient, [by_edge, by_h, by_k]])
    }

    fn rest([e, a, b]: &[Vec3; 3]) -> Option<Self::Rest> {
        let ((n, _), (m, _)) = (normal(e, a)?, normal(b, e)?);
        let length = e.norm();
        let (sin, cos) = (length * m.dot(a), n.dot(&m));
        let size = sin.hypot(cos);
        Some(RestAngle { e: *e, b: *b, n, m, length, sin: sin / size, cos: cos / size })
    }

    fn change(rest: &Self::Rest, [e, a, b]: &[Vec3; 3], by: &[Vec3; 3]) -> f64 {
        let (n, m, length) = (e.cross(a), b.cross(e), e.norm());
        let longer = by[0].dot(&(rest.e + e)) / (rest.length + length);
        let (by_n, by_m) = (by[0].cross(a) + rest.e.cross(&by[1]), by[2].cross(e) + rest.b.cross(&by[0]));
        let by_sin = longer * m.dot(a) + rest.length * (by_m.dot(a) + rest.m.dot(&by[1]));
        let by_cos = by_n.dot(&m) + rest.n.dot(&by_m);
        let (sin, cos) = (length * m.dot(a), n.dot(&m));
        (by_sin * rest.cos - by_cos * rest.sin).atan2(cos * rest.cos + sin * rest.sin)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

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
    fn changes_go_the_short_way_round_and_keep_their_digits() {
        let change = |to: f64, from: f64| {
            let (rest, d) = (folded(from), folded(to));
            let by = std::array::from_fn(|k| d[k] - rest[k]);
            Angle::change(&Angle::rest(&rest).expect("two triangles"), &d, &by)
        };
        for (to, from, expected) in [
            (3.1, -3.1, 6.2 - 2.0 * PI),
            (-3.1, 3.1, 2.0 * PI - 6.2),
            (0.5, -0.5, 1.0),
            (-1.0, 2.0, -3.0),
            (0.7, 0.7, 0.0),
        ] {
            assert!((change(to, from) - expected).abs() < 1e-15, "{to} from {from}");
        }
        // Turned by a small angle, which is given by the difference alone.
        for small in [1e-6, 1e-10, 1e-14] {
            let rest = folded(0.4);
            let by = [Vec3::zeros(), Vec3::zeros(), Vec3::new(0.0, 0.4_f64.sin(), 0.4_f64.cos()) * small];
            let d = std::array::from_fn(|k| rest[k] + by[k]);
            let found = Angle::change(&Angle::rest(&rest).expect("two triangles"), &d, &by);
            assert!((found / small.atan() - 1.0).abs() < 1e-14, "{small}: {found}");
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
