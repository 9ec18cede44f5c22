//! Whether two triangles of a surface meet where they should not, decided without rounding.
//!
//! Every decision is the sign of a determinant, taken exactly (Shewchuk 1997, through the `robust` crate). Two
//! triangles that share nothing must not share a point; two that share a vertex, nothing but it; two that share an
//! edge, nothing but it. Triangles without area are passed over here: they are reported for what they are.

use crate::bvh::Aabb;
use pliant_linalg::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// A triangle that is not degenerate, ready to be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Who its corners are; vertices at the same position have the same name.
    pub(crate) names: [u32; 3],
    corners: [Vec3; 3],
    /// A coordinate that may be dropped without flattening the triangle to a line.
    dropped: usize,
}

impl Triangle {
    /// `None` when the three points lie on one line.
    pub(crate) fn new(names: [u32; 3], corners: [Vec3; 3]) -> Option<Self> {
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let largest = normal.iamax();
        let dropped = [largest, (largest + 1) % 3, (largest + 2) % 3]
            .into_iter()
            .find(|&axis| turn(axis, &corners[0], &corners[1], &corners[2]) != 0)?;
        Some(Self { names, corners, dropped })
    }

    /// The box around it.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::around(&self.corners)
    }

    /// On which side of the plane `p` lies: −1, 0 or 1.
    fn side(&self, p: &Vec3) -> i8 {
        let [a, b, c] = &self.corners;
        sign3(a, b, c, p)
    }

    /// Whether the closed triangle has a point of the closed segment from `p` to `q`, which lie on the sides `sp` and
    /// `sq` of its plane.
    fn meets(&self, p: &Vec3, q: &Vec3, sp: i8, sq: i8) -> bool {
        if sp * sq > 0 {
            return false;
        }
        if sp == 0 && sq == 0 {
            return self.meets_in_plane(p, q);
        }
        // The line goes through the plane in one point; it is in the triangle if the line passes all three edges on
        // the same side.
        let [a, b, c] = &self.corners;
        let turns = [sign3(p, q, a, b), sign3(p, q, b, c), sign3(p, q, c, a)];
        turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
    }

    /// The same for a segment that lies in the plane of the triangle.
    fn meets_in_plane(&self, p: &Vec3, q: &Vec3) -> bool {
        let axis = self.dropped;
        let edges = [[0, 1], [1, 2], [2, 0]].map(|e| e.map(|c| &self.corners[c]));
        let turns = edges.map(|[a, b]| turn(axis, a, b, p));
        let holds_p = turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0);
        // A segment that begins outside must come in through an edge.
        holds_p || edges.iter().any(|[a, b]| segments_meet(axis, [p, q], [a, b]))
    }
}

/// Whether two triangles share more than the vertices they have in common.
pub(crate) fn crossing(a: &Triangle, b: &Triangle) -> bool {
    let shared = |of: &Triangle, with: &Triangle| of.names.map(|n| with.names.contains(&n));
    let (sa, sb) = (shared(a, b), shared(b, a));
    let corner = |of: &[bool; 3], wanted: bool| of.iter().position(|&s| s == wanted).unwrap_or(0);
    match sa.iter().filter(|&&s| s).count() {
        0 => apart(a, b),
        1 => {
            // A common point beside the common vertex lies on a segment from it that leaves one of the triangles
            // through the edge opposite to it.
            let (i, j) = (corner(&sa, true), corner(&sb, true));
            opposite_edge_meets(a, i, b) || opposite_edge_meets(b, j, a)
        }
        2 => {
            // Planes that differ meet in the line of the common edge; in one plane the third corners must be on
            // different sides of it.
            let (i, j) = (corner(&sa, false), corner(&sb, false));
            let [u, v] = [1, 2].map(|k| &a.corners[(i + k) % 3]);
            let (p, q) = (&a.corners[i], &b.corners[j]);
            sign3(u, v, p, q) == 0 && turn(a.dropped, u, v, p) * turn(a.dropped, u, v, q) > 0
        }
        _ => true,
    }
}

fn opposite_edge_meets(of: &Triangle, vertex: usize, other: &Triangle) -> bool {
    let [p, q] = [1, 2].map(|k| &of.corners[(vertex + k) % 3]);
    other.meets(p, q, other.side(p), other.side(q))
}

/// Whether two triangles without a common vertex have a common point.
fn apart(a: &Triangle, b: &Triangle) -> bool {
    let one_side = |s: &[i8; 3]| s.iter().all(|&s| s > 0) || s.iter().all(|&s| s < 0);
    let b_sides = [0, 1, 2].map(|c| a.side(&b.corners[c]));
    if one_side(&b_sides) {
        return false;
    }
    let a_sides = [0, 1, 2].map(|c| b.side(&a.corners[c]));
    if one_side(&a_sides) {
        return false;
    }
    let any_edge = |of: &Triangle, other: &Triangle, sides: &[i8; 3]| {
        [[0, 1], [1, 2], [2, 0]]
            .iter()
            .any(|&[i, j]| other.meets(&of.corners[i], &of.corners[j], sides[i], sides[j]))
    };
    any_edge(a, b, &a_sides) || any_edge(b, a, &b_sides)
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Sign of the volume of four points.
fn sign3(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> i8 {
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    sign(orient3d(a, b, c, d))
}

/// Sign of the turn a → b → c, seen along `axis`.
fn turn(axis: usize, a: &Vec3, b: &Vec3, c: &Vec3) -> i8 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p[u], y: p[v] });
    sign(orient2d(a, b, c))
}

/// Whether two closed segments in one plane meet, seen along `axis`.
fn segments_meet(axis: usize, [p, q]: [&Vec3; 2], [a, b]: [&Vec3; 2]) -> bool {
    let (ta, tb, tp, tq) =
        (turn(axis, p, q, a), turn(axis, p, q, b), turn(axis, a, b, p), turn(axis, a, b, q));
    if ta * tb < 0 && tp * tq < 0 {
        return true;
    }
    let within = |x: &Vec3, s: &Vec3, e: &Vec3| {
        (0..3).filter(|&c| c != axis).all(|c| s[c].min(e[c]) <= x[c] && x[c] <= s[c].max(e[c]))
    };
    (ta == 0 && within(a, p, q))
        || (tb == 0 && within(b, p, q))
        || (tp == 0 && within(p, a, b))
        || (tq == 0 && within(q, a, b))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::doctor) type Whole = [i64; 3];

    fn sub(a: Whole, b: Whole) -> Whole {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }
    fn cross(a: Whole, b: Whole) -> Whole {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    fn dot(a: Whole, b: Whole) -> i64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Whole numbers and separating axes: another way to the same answer. `a` and `b` are triangles or segments.
    fn share_a_point(a: &[Whole], b: &[Whole]) -> bool {
        let edges =
            |p: &[Whole]| -> Vec<Whole> { (0..p.len()).map(|i| sub(p[(i + 1) % p.len()], p[i])).collect() };
        let (ea, eb) = (edges(a), edges(b));
        let mut normals: Vec<Whole> = Vec::new();
        for e in [&ea, &eb] {
            if e.len() == 3 {
                normals.push(cross(e[0], e[1]));
            }
        }
        let mut axes = normals.clone();
        for &e in &ea {
            axes.extend(eb.iter().map(|&f| cross(e, f)));
        }
        for &n in &normals {
            axes.extend(ea.iter().chain(&eb).map(|&e| cross(n, e)));
        }
        !axes.iter().any(|&axis| {
            let span = |p: &[Whole]| {
                let on = p.iter().map(|&x| dot(x, axis));
                (on.clone().min().unwrap(), on.max().unwrap())
            };
            let ((al, ah), (bl, bh)) = (span(a), span(b));
            ah < bl || bh < al
        })
    }

    pub(in crate::doctor) fn plainly_crossing(a: [Whole; 3], b: [Whole; 3]) -> bool {
        let common: Vec<Whole> = a.into_iter().filter(|p| b.contains(p)).collect();
        let rest = |t: [Whole; 3]| t.into_iter().filter(|p| !common.contains(p)).collect::<Vec<_>>();
        match common.len() {
            0 => share_a_point(&a, &b),
            1 => share_a_point(&rest(a), &b) || share_a_point(&rest(b), &a),
            2 => {
                let along = sub(common[1], common[0]);
                let [p, q] = [rest(a)[0], rest(b)[0]].map(|p| cross(along, sub(p, common[0])));
                cross(p, q) == [0; 3] && dot(p, q) > 0
            }
            _ => true,
        }
    }

    pub(in crate::doctor) fn flat(t: [Whole; 3]) -> bool {
        cross(sub(t[1], t[0]), sub(t[2], t[0])) == [0; 3]
    }

    fn whole() -> impl Strategy<Value = [Whole; 3]> {
        // A small grid, so that touching, common vertices and common planes come up all the time.
        let point = || [0..4i64, 0..4i64, 0..3i64];
        [point(), point(), point()]
    }

    fn triangle(t: [Whole; 3], scale: f64) -> Option<Triangle> {
        let name = |p: Whole| (p[0] + 10 * p[1] + 100 * p[2]) as u32;
        Triangle::new(t.map(name), t.map(|p| Vec3::from(p.map(|x| x as f64)) * scale))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn whole_numbers_and_signs_agree(a in whole(), b in whole()) {
            match (triangle(a, 1.0), triangle(b, 1.0)) {
                (Some(x), Some(y)) => {
                    prop_assert!(!flat(a) && !flat(b));
                    prop_assert_eq!(crossing(&x, &y), plainly_crossing(a, b));
                    prop_assert_eq!(crossing(&y, &x), plainly_crossing(a, b));
                }
                _ => prop_assert!(flat(a) || flat(b)),
            }
        }
    }

    #[test]
    fn the_last_bit_decides() {
        let sheet = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]].map(Vec3::from);
        let above = |z: f64| [[0.2, 0.2, z], [0.2, 0.3, 1.], [0.3, 0.2, 1.]].map(Vec3::from);
        let a = Triangle::new([0, 1, 2], sheet).unwrap();
        for (z, expected) in [(0.0, true), (f64::MIN_POSITIVE, false), (-f64::MIN_POSITIVE, true)] {
            let b = Triangle::new([3, 4, 5], above(z)).unwrap();
            assert_eq!(crossing(&a, &b), expected, "z = {z}");
        }
    }
}
