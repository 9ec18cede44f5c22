//! The generalised winding number of triangles around a point: 1 inside a closed surface, 0 outside, in between where
//! the surface has holes.
//!
//! ```text
//! w(q) = 1/4π Σ Ωₜ(q) = ∫ n(x) · ∇G(x − q) dA,   ∇G(r) = r / 4π|r|³                                          (1)
//! tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|),  a, b, c corners seen from q            (2)
//! ```
//! Far from a group of triangles with middle p, radius ρ, and r = p − q, the kernel is expanded to second order:
//! ```text
//! w ≈ N·∇G(r) + S : ∇²G(r) + ½ T ⋮ ∇³G(r),   N = ∫n,  S = ∫(x−p)⊗n,  T = ∫(x−p)⊗(x−p)⊗n                      (3)
//! ```
//! which is taken where |r| > β ρ. Its error falls like β⁻³; with β = 2 it stays below 0.02 in all our tests, and a
//! point that comes out nearer than that to the threshold ½ is asked again with 4 β, whose error is some 64 times smaller.
//! Sources: JKS13, BDS18; of (2): OS83; all in docs/papers.md.

use std::f64::consts::PI;

use pliant_linalg::{Mat3, Vec3};

use crate::bvh::{Below, Bvh};

/// Nodes farther than this many radii are seen through their moments.
const BETA: f64 = 2.0;

/// What the fast sum may be off by.
pub(crate) const TOLERANCE: f64 = 0.02;

/// Triangles whose winding number can be asked for.
pub(crate) struct Winding {
    corners: Vec<[Vec3; 3]>,
    tree: Bvh,
    moments: Vec<Moments>,
}

impl Winding {
    pub(crate) fn new(corners: Vec<[Vec3; 3]>) -> Self {
        let tree = Bvh::new(corners.iter().map(crate::bvh::Aabb::around).collect());
        let moments = moments(&corners, &tree);
        Self { corners, tree, moments }
    }

    pub(crate) fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }

    pub(crate) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// w(q) up to [`TOLERANCE`].
    pub(crate) fn fast(&self, q: &Vec3) -> f64 {
        self.sum(q, BETA)
    }

    /// w(q) up to rounding.
    #[cfg(test)]
    pub(crate) fn exact(&self, q: &Vec3) -> f64 {
        self.corners.iter().map(|t| solid_angle(t, q)).sum::<f64>() / (4.0 * PI)
    }

    /// w(q) with four times the β, so up to some 1/64 of [`TOLERANCE`]; exact for a handful of triangles.
    pub(crate) fn fine(&self, q: &Vec3) -> f64 {
        self.sum(q, 4.0 * BETA)
    }

    /// w(q) > ½, asked again more finely where it is close.
    pub(crate) fn encloses(&self, q: &Vec3) -> bool {
        let w = self.fast(q);
        if (w - 0.5).abs() > TOLERANCE { w > 0.5 } else { self.fine(q) > 0.5 }
    }

    fn sum(&self, q: &Vec3, beta: f64) -> f64 {
        if self.moments.is_empty() {
            return 0.0;
        }
        let mut stack = [0u32; 64];
        let mut depth = 1;
        let mut sum = 0.0;
        // The tree halves its items, so 64 levels hold more triangles than there are.
        while depth > 0 {
            depth -= 1;
            let node = stack[depth] as usize;
            let m = &self.moments[node];
            let r = m.middle - q;
            let distance = r.norm_squared();
            if distance > m.radius_squared * (beta * beta) {
                sum += m.far(&r, distance);
                continue;
            }
            match self.tree.below(node) {
                Below::Items(items) => {
                    sum += items.iter().map(|&i| solid_angle(&self.corners[i as usize], q)).sum::<f64>();
                }
                Below::Nodes([a, b]) => {
                    (stack[depth], stack[depth + 1]) = (b as u32, a as u32);
                    depth += 2;
                }
            }
        }
        sum / (4.0 * PI)
    }
}

/// Ω of equation (2): positive where the triangle shows its back.
fn solid_angle(t: &[Vec3; 3], q: &Vec3) -> f64 {
    let [a, b, c] = t.map(|p| p - q);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let numerator = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    // A point in the triangle's plane sees nothing of it; on the triangle itself either side will do.
    if numerator == 0.0 { 0.0 } else { 2.0 * numerator.atan2(denominator) }
}

/// Equation (3) for one node, contracted as far as the symmetry of the derivatives of G allows.
#[derive(Clone, Copy)]
struct Moments {
    middle: Vec3,
    radius_squared: f64,
    n: Vec3,
    /// The symmetric part of S, and its trace.
    s: Mat3,
    trace: f64,
    /// T_iik + 2 T_iki.
    u: Vec3,
    /// The cubic form T(r, r, r): coefficients of xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz.
    t: [f64; 10],
}

impl Moments {
    fn far(&self, r: &Vec3, squared: f64) -> f64 {
        let inverse = 1.0 / squared;
        let inverse3 = inverse * inverse.sqrt();
        let (x, y, z) = (r.x, r.y, r.z);
        let t = &self.t;
        let cubic = x * x * (t[0] * x + t[3] * y + t[4] * z)
            + y * y * (t[1] * y + t[5] * x + t[6] * z)
            + z * z * (t[2] * z + t[7] * x + t[8] * y)
            + t[9] * x * y * z;
        let first = self.n.dot(r);
        let second = self.trace - 3.0 * inverse * r.dot(&(self.s * r));
        let third = 0.5 * inverse * (-3.0 * self.u.dot(r) + 15.0 * inverse * cubic);
        inverse3 * (first + second + third)
    }
}

/// Moments about a common origin, which add up.
#[derive(Clone, Copy)]
struct Raw {
    area: f64,
    /// ∫x, ∫n, ∫x_i n_j, ∫x_i x_j n_k (the last index is the matrix's number).
    x: Vec3,
    n: Vec3,
    m: Mat3,
    q: [Mat3; 3],
}

impl Raw {
    fn triangle(t: &[Vec3; 3]) -> Self {
        let vector = crate::measure::area_vector(t);
        let area = vector.norm();
        let sum = t[0] + t[1] + t[2];
        // ∫x xᵀ over a triangle of area 1.
        let second = (sum * sum.transpose() + t.iter().map(|p| p * p.transpose()).sum::<Mat3>()) / 12.0;
        let x = sum / 3.0;
        Self {
            area,
            x: x * area,
            n: vector,
            m: x * vector.transpose(),
            q: [0, 1, 2].map(|k| second * vector[k]),
        }
    }

    fn add(&self, o: &Self) -> Self {
        Self {
            area: self.area + o.area,
            x: self.x + o.x,
            n: self.n + o.n,
            m: self.m + o.m,
            q: [0, 1, 2].map(|k| self.q[k] + o.q[k]),
        }
    }

    fn about(&self, p: &Vec3) -> (Vec3, Mat3, [Mat3; 3]) {
        let s = self.m - p * self.n.transpose();
        let t = [0, 1, 2].map(|k| {
            let column = self.m.column(k);
            self.q[k] - p * column.transpose() - column * p.transpose() + p * p.transpose() * self.n[k]
        });
        (self.n, s, t)
    }
}

fn moments(corners: &[[Vec3; 3]], tree: &Bvh) -> Vec<Moments> {
    let nodes = tree.nodes();
    let Some(root) = nodes.first() else { return Vec::new() };
    let origin = root.bounds.centre();
    let mut raw: Vec<Option<Raw>> = vec![None; nodes.len()];
    // Children stand behind their parents.
    for node in (0..nodes.len()).rev() {
        let sum = match tree.below(node) {
            Below::Items(items) => items
                .iter()
                .map(|&i| Raw::triangle(&corners[i as usize].map(|p| p - origin)))
                .reduce(|a, b| a.add(&b)),
            Below::Nodes([a, b]) => raw[a].zip(raw[b]).map(|(a, b)| a.add(&b)),
        };
        raw[node] = sum;
    }
    let finish = |(node, raw): (usize, &Option<Raw>)| {
        let raw = raw.as_ref().expect("every node holds a triangle");
        let bounds = &nodes[node].bounds;
        let middle = if raw.area > 0.0 { raw.x / raw.area } else { bounds.centre() - origin };
        let (n, s, t) = raw.about(&middle);
        let u = Vec3::from_fn(|k, _| t[k].trace() + 2.0 * (0..3).map(|i| t[i][(i, k)]).sum::<f64>());
        let middle = middle + origin;
        let reach = (middle - bounds.low).abs().sup(&(bounds.high - middle).abs());
        // T_ijk with i = j = a and k = b, and the two others that the cubic form cannot tell from it.
        let pair = |a: usize, b: usize| t[b][(a, a)] + 2.0 * t[a][(a, b)];
        Moments {
            middle,
            radius_squared: reach.norm_squared(),
            n,
            s: (s + s.transpose()) / 2.0,
            trace: s.trace(),
            u,
            t: [
                t[0][(0, 0)],
                t[1][(1, 1)],
                t[2][(2, 2)],
                pair(0, 1),
                pair(0, 2),
                pair(1, 0),
                pair(1, 2),
                pair(2, 0),
                pair(2, 1),
                2.0 * (t[0][(1, 2)] + t[1][(0, 2)] + t[2][(0, 1)]),
            ],
        }
    };
    raw.iter().enumerate().map(finish).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use crate::topology::boundary_faces;

    fn sphere(n: usize) -> Vec<[Vec3; 3]> {
        let ball = shapes::ball(1.0, n);
        boundary_faces(ball.tets()).iter().map(|f| f.map(|v| ball.vertices()[v as usize])).collect()
    }

    #[test]
    fn one_inside_and_zero_outside() {
        let w = Winding::new(sphere(4));
        for (q, expected) in
            [([0.1, 0.2, -0.3], 1.0), ([0.0, 0.0, 0.9], 1.0), ([1.2, 0.1, 0.0], 0.0), ([9.0, 9.0, 9.0], 0.0)]
        {
            let q = Vec3::from(q);
            assert!((w.exact(&q) - expected).abs() < 1e-12, "{q:?}: {}", w.exact(&q));
            assert!((w.fast(&q) - expected).abs() < TOLERANCE / 4.0, "{q:?}: {}", w.fast(&q));
        }
    }

    #[test]
    fn an_open_hemisphere_is_a_disc_seen_from_below() {
        // Closed by the disc z = 0, of solid angle 2π(1 − d/√(1+d²)) at distance d below it.
        let cap: Vec<_> = sphere(24).into_iter().filter(|t| t.iter().all(|p| p.z > -1e-9)).collect();
        let w = Winding::new(cap);
        for d in [0.1f64, 0.3, 0.6] {
            let disc = (1.0 - d / (1.0 + d * d).sqrt()) / 2.0;
            assert!((w.exact(&Vec3::new(0.0, 0.0, d)) - (1.0 - disc)).abs() < 2e-3, "{d} above");
            assert!((w.exact(&Vec3::new(0.0, 0.0, -d)) - disc).abs() < 2e-3, "{d} below");
        }
    }

    #[test]
    fn the_expansion_has_third_order() {
        // Seen from farther and farther through the moments of the root alone.
        let piece: Vec<_> = sphere(6).into_iter().filter(|t| t[0].x > 0.3 && t[1].y > 0.1).collect();
        let w = Winding::new(piece);
        let order = pliant_testkit::order::observed(&[8.0, 16.0, 32.0, 64.0], |distance| {
            let q = Vec3::new(0.6, -0.5, 0.7) * distance;
            let r = w.moments[0].middle - q;
            let far = w.moments[0].far(&r, r.norm_squared()) / (4.0 * PI);
            // Relative to the leading term, which falls with the square of the distance.
            (far - w.exact(&q)).abs() * distance * distance
        });
        assert!((order + 3.0).abs() < 0.3, "observed order {order:.3}");
    }

    #[test]
    fn fast_and_exact_agree_near_and_far() {
        let w = Winding::new(sphere(10).into_iter().filter(|t| t[0].z < 0.8).collect());
        let mut worst = 0.0f64;
        for i in 0..2000 {
            let h = |k: usize| ((i * 7919 + k * 104_729) % 1000) as f64 / 250.0 - 2.0;
            let q = Vec3::new(h(1), h(2) + 1e-3, h(3));
            worst = worst.max((w.fast(&q) - w.exact(&q)).abs());
        }
        assert!(worst < TOLERANCE / 2.0, "{worst}");
    }
}
