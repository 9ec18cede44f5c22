//! Whether two triangles of a surface meet where they should not, decided without rounding.
//!
//! Every decision is the sign of a determinant, taken exactly (S97 in docs/papers.md, through the `robust` crate). Two
//! triangles that share nothing must not share a point; two that share a vertex, nothing but it; two that share an
//! edge, nothing but it. So an edge must not meet a triangle that has none of its ends for a corner, and the triangles
//! at an edge must lie in different half-planes from it; [`super::search`] asks for both. Triangles without area are
//! passed over here: they are reported for what they are.

use std::cmp::Ordering;

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

    /// Where its corners are.
    pub(crate) fn corners(&self) -> &[Vec3; 3] {
        &self.corners
    }

    /// Where its corner of that name is.
    pub(crate) fn position(&self, name: u32) -> Vec3 {
        self.corners[self.names.iter().position(|&n| n == name).unwrap_or(0)]
    }

    /// Where the corner beside the edge of these names is.
    pub(crate) fn third(&self, edge: [u32; 2]) -> Vec3 {
        self.corners[self.names.iter().position(|n| !edge.contains(n)).unwrap_or(0)]
    }

    /// From one end of its longest side to the other.
    pub(crate) fn longest_side(&self) -> Vec3 {
        let [a, b, c] = &self.corners;
        let longer = |d: Vec3, e: Vec3| if e.norm_squared() > d.norm_squared() { e } else { d };
        longer(longer(b - a, c - b), a - c)
    }

    /// Whether the closed triangle has a point of the closed segment from `p` to `q`.
    pub(crate) fn meets_segment(&self, p: &Vec3, q: &Vec3) -> bool {
        self.meets(p, q, self.side(p), self.side(q))
    }

    /// Half-planes from its edge u–v through `p` and `q`, by the angle from the one through its third corner `w`, 0 to
    /// 360°. None of the three lies on the line of the edge.
    pub(crate) fn compare_around(&self, u: &Vec3, v: &Vec3, w: &Vec3, p: &Vec3, q: &Vec3) -> Ordering {
        let sector = |p: &Vec3| match sign3(u, v, w, p) {
            0 if turn(self.dropped, u, v, w) == turn(self.dropped, u, v, p) => 0,
            1 => 1,
            0 => 2,
            _ => 3,
        };
        let (sp, sq) = (sector(p), sector(q));
        // Within less than 180° the volume tells which comes first.
        sp.cmp(&sq).then_with(|| if sp % 2 == 0 { Ordering::Equal } else { 0.cmp(&sign3(u, v, p, q)) })
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

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Sign of the volume of four points.
fn sign3(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> i8 {
    // Boxes and machine parts: a common coordinate says at once what exact arithmetic takes long to find, a zero.
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) {
        return 0;
    }
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

    /// Whether two triangles share more than the vertices they have in common.
    fn crossing(a: &Triangle, b: &Triangle) -> bool {
        let through = |a: &Triangle, b: &Triangle| {
            let edges = [[0, 1], [1, 2], [2, 0]];
            edges.iter().any(|e| {
                !e.iter().any(|&c| b.names.contains(&a.names[c]))
                    && b.meets_segment(&a.corners[e[0]], &a.corners[e[1]])
            })
        };
        let common: Vec<u32> = a.names.into_iter().filter(|n| b.names.contains(n)).collect();
        if let [u, v, ..] = common[..] {
            let [p, q] = [a, b].map(|t| t.third([u, v]));
            return a.compare_around(&a.position(u), &a.position(v), &p, &p, &q) == Ordering::Equal;
        }
        through(a, b) || through(b, a)
    }

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
