//! What a ray meets: for a mouse, a finger, a controller.
//!
//! ```text
//! o + t d = a + β (b − a) + γ (c − a),   t ≥ 0,  β, γ ≥ 0,  β + γ ≤ 1
//! ```
//! solved for every triangle of the deformed surface, seen from both sides; the least t counts. The order of the products is that
//! of MT97 in docs/papers.md.

use pliant_linalg::Vec3;

use crate::BodyId;

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// The body.
    pub body: BodyId,
    /// Of its shown surface.
    pub triangle: u32,
    /// The corner of that triangle which is nearest in barycentric terms, for [`crate::World::grab`].
    pub vertex: u32,
    /// Where the ray meets the triangle, m.
    pub point: Vec3,
    /// In lengths of the direction.
    pub distance: f64,
}

/// A triangle that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) triangle: u32,
    pub(crate) vertex: u32,
    pub(crate) distance: f64,
}

/// The first triangle on the ray, of a surface whose vertices are at `x`, three entries each.
pub(crate) fn first_hit(origin: Vec3, direction: Vec3, x: &[f64], triangles: &[[u32; 3]]) -> Option<Hit> {
    let at = |v: u32| Vec3::from_column_slice(&x[3 * v as usize..3 * v as usize + 3]);
    let mut best: Option<Hit> = None;
    for (triangle, corners) in (0..).zip(triangles) {
        let Some((distance, weights)) = meet(origin, direction, &corners.map(at)) else { continue };
        if best.is_none_or(|best| distance < best.distance) {
            let heaviest = (0..3).max_by(|i, j| weights[*i].total_cmp(&weights[*j])).unwrap_or(0);
            best = Some(Hit { triangle, vertex: corners[heaviest], distance });
        }
    }
    best
}

/// t, and the weights of the corners.
fn meet(origin: Vec3, direction: Vec3, [a, b, c]: &[Vec3; 3]) -> Option<(f64, [f64; 3])> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(&ac);
    let volume = ab.dot(&across);
    if volume == 0.0 {
        return None;
    }
    let from = origin - a;
    let beta = from.dot(&across) / volume;
    let turned = from.cross(&ab);
    let gamma = direction.dot(&turned) / volume;
    let distance = ac.dot(&turned) / volume;
    // A ray through an edge meets one of its two triangles in spite of rounding.
    let rim = -1e-12;
    let met = beta >= rim && gamma >= rim && beta + gamma <= 1.0 - rim && distance >= 0.0;
    met.then_some((distance, [1.0 - beta - gamma, beta, gamma]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_triangle_and_its_nearest_corner_are_found() {
        let square = |z: f64| [0.0, 0.0, z, 1.0, 0.0, z, 0.0, 1.0, z];
        let x = [square(-1.0), square(-3.0)].concat();
        let triangles = [[3, 4, 5], [0, 1, 2]];
        let down = |a, b| first_hit(Vec3::new(a, b, 2.0), Vec3::new(0.0, 0.0, -2.0), &x, &triangles);
        assert_eq!(down(0.7, 0.2), Some(Hit { triangle: 1, vertex: 1, distance: 1.5 }));
        assert_eq!(down(0.1, 0.8).map(|hit| hit.vertex), Some(2));
        assert_eq!(down(0.7, 0.7), None, "beside the long edge");
        let away = first_hit(Vec3::new(0.2, 0.2, 2.0), Vec3::z(), &x, &triangles);
        assert_eq!(away, None, "behind the eye");
        let level = first_hit(Vec3::new(-1.0, 0.2, -1.0), Vec3::x(), &x, &triangles);
        assert_eq!(level, None, "along the triangle");
    }
}
