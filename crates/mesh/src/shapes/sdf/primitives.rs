//! The exact distances that everything else is said with.

use pliant_linalg::Vec3;

use crate::bvh::Aabb;

/// What each number means is said at the makers in [`super::Sdf`].
#[derive(Clone, Debug)]
pub(super) enum Primitive {
    Ellipsoid { centre: Vec3, radii: Vec3 },
    RoundCone { a: Vec3, ra: f64, b: Vec3, rb: f64 },
    Cuboid { centre: Vec3, half: Vec3, round: f64 },
    Cylinder { centre: Vec3, radius: f64, half_height: f64, round: f64 },
    Torus { centre: Vec3, ring: f64, tube: f64 },
}

impl Primitive {
    pub(super) fn distance(&self, p: Vec3) -> f64 {
        match *self {
            Self::Ellipsoid { centre, radii } => ellipsoid((p - centre).abs(), radii),
            Self::RoundCone { a, ra, b, rb } => round_cone(p - a, b - a, ra, rb),
            Self::Cuboid { centre, half, round } => {
                let q = (p - centre).abs() - half.add_scalar(-round);
                q.sup(&Vec3::zeros()).norm() + q.max().min(0.0) - round
            }
            Self::Cylinder { centre, radius, half_height, round } => {
                let q = p - centre;
                let (x, y) = (q.x.hypot(q.z) - (radius - round), q.y.abs() - (half_height - round));
                x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0) - round
            }
            Self::Torus { centre, ring, tube } => {
                let q = p - centre;
                (q.x.hypot(q.z) - ring).hypot(q.y) - tube
            }
        }
    }

    pub(super) fn bounds(&self) -> Aabb {
        let around = |centre: Vec3, half: Vec3| Aabb { low: centre - half, high: centre + half };
        match *self {
            Self::Ellipsoid { centre, radii } => around(centre, radii),
            Self::RoundCone { a, ra, b, rb } => {
                around(a, Vec3::repeat(ra)).union(&around(b, Vec3::repeat(rb)))
            }
            Self::Cuboid { centre, half, .. } => around(centre, half),
            Self::Cylinder { centre, radius, half_height, .. } => {
                around(centre, Vec3::new(radius, half_height, radius))
            }
            Self::Torus { centre, ring, tube } => around(centre, Vec3::new(ring + tube, tube, ring + tube)),
        }
    }
}

/// In the half plane (distance from the axis, height along it) the mantle is the straight line with the normal (c, s)
/// that touches both circles, s = (ra − rb) / length; `along` runs on it from one point of touch to the other.
fn round_cone(p: Vec3, axis: Vec3, ra: f64, rb: f64) -> f64 {
    let length = axis.norm();
    if length <= (ra - rb).abs() {
        // One ball holds the other.
        return if ra >= rb { p.norm() - ra } else { (p - axis).norm() - rb };
    }
    let s = (ra - rb) / length;
    let c = (1.0 - s * s).sqrt();
    let height = p.dot(&axis) / length;
    let across = (p - axis * (height / length)).norm();
    let along = height * c - across * s;
    if along <= 0.0 {
        p.norm() - ra
    } else if along >= length * c {
        (p - axis).norm() - rb
    } else {
        across * c + height * s - ra
    }
}

/// The nearest point of the ellipsoid to p ≥ 0 is yᵢ = rᵢ² pᵢ / (rᵢ² + t), where t is the largest root of
///
/// ```text
/// S(t) = Σ (rᵢ pᵢ / (rᵢ² + t))² = 1
/// ```
/// Newton's method on 1/√S, which is nearly a straight line, climbs to it from below in a few steps
/// (Moré and Sorensen, "Computing a trust region step", 1983).
fn ellipsoid(p: Vec3, r: Vec3) -> f64 {
    let squares = r.component_mul(&r);
    let shortest = r.imin();
    let pole = -squares[shortest];
    let outside = p.component_div(&r).norm_squared() > 1.0;
    let sum = |t: f64| p.component_mul(&r).component_div(&squares.add_scalar(t)).norm_squared();
    // Each term alone reaches 1 here, so S ≥ 1: below the root, or on it.
    let mut t = (0..3).map(|i| r[i] * p[i] - squares[i]).fold(pole, f64::max);
    // In the middle plane of the shortest axis there may be no root above the pole: then t is the pole itself.
    let lowest = pole + 1e-13 * squares[shortest];
    if t < lowest {
        t = lowest;
    }
    let hard = sum(t) <= 1.0 && t == lowest;
    if !hard {
        for _ in 0..40 {
            let s = sum(t);
            let slope: f64 = (0..3).map(|i| (r[i] * p[i]).powi(2) / (squares[i] + t).powi(3)).sum();
            let step = (s.sqrt() - 1.0) * s / slope;
            t += step;
            if step.abs() <= 1e-15 * (squares.max() + t.abs()) {
                break;
            }
        }
    }
    let mut nearest = p.component_mul(&squares).component_div(&squares.add_scalar(t));
    if hard {
        // The two other coordinates are known; the shortest axis closes the equation.
        nearest[shortest] = 0.0;
        let rest: f64 = nearest.component_div(&r).norm_squared();
        nearest[shortest] = r[shortest] * (1.0 - rest).max(0.0).sqrt();
    }
    let d = (p - nearest).norm();
    if outside { d } else { -d }
}
