//! The inside of a surface as a solid: {w > ½}, w the winding number; exact for closed surfaces, sensible for others.
//!
//! Three questions, each answered without a search for roots where the surface itself knows the answer:
//! - *inside*: w at a point (`winding.rs`).
//! - *crossing*: the triangles that the segment meets, in their order; where there are several, w between them says
//!   which one leaves the solid; where there is none (a hole is being closed) w is smooth and its root is found by false position.
//! - *side* of a box without a triangle: there w is smooth, and its gradient comes from the rim alone, since the
//!   field of dipoles on a surface is that of a current along its boundary (Biot and Savart):
//! ```text
//! ∇w(x) = 1/4π ∮ (r × dl) / |r|³   so   |w(x) − w(c)| ≤ ρ/4π Σ mₑ lₑ / dₑ²                                    (1)
//! ```
//!   with c the centre and ρ half the diagonal of the box, lₑ the length of rim edge e, mₑ how often it is missing a
//!   partner, dₑ its distance from the box. A closed surface has no rim, and one sample decides a box exactly.

use std::f64::consts::PI;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::Solid;
use crate::bvh::{Aabb, Below, Bvh};
use crate::measure::area_vector;
use crate::winding::{TOLERANCE, Winding};

/// A surface whose inside is asked for.
pub(super) struct Shell {
    winding: Winding,
    rim: Rim,
    bounds: Aabb,
}

impl Shell {
    /// Triangles, outward; edges that their neighbours do not close, with how often.
    pub(super) fn new(corners: Vec<[Vec3; 3]>, rim: Vec<([Vec3; 2], u32)>) -> Self {
        let bounds = Aabb::around(corners.iter().flatten());
        Self { winding: Winding::new(corners), rim: Rim::new(rim), bounds }
    }

    pub(super) fn winding(&self) -> &Winding {
        &self.winding
    }

    /// The share of the area that has an inside. The mean of w over the two sides of a triangle is ½ on a closed body
    /// (0 and 1), 0 on a sheet (−½ and ½), about 0.3 on a hemisphere without its lid; from ¼ on it counts.
    pub(super) fn enclosing_share(&self) -> f64 {
        let corners = self.winding.corners();
        let step = 1e-7 * (self.bounds.high - self.bounds.low).amax();
        // Two thousand samples tell a body from a sheet.
        let samples: Vec<(bool, f64)> = (0..corners.len())
            .into_par_iter()
            .step_by(corners.len().div_ceil(2000).max(1))
            .map(|t| {
                let area = area_vector(&corners[t]);
                let middle = (corners[t][0] + corners[t][1] + corners[t][2]) / 3.0;
                let off = area.try_normalize(0.0).unwrap_or_default() * step;
                let w = (self.winding.fast(&(middle + off)) + self.winding.fast(&(middle - off))) / 2.0;
                (w > 0.25, area.norm())
            })
            .collect();
        let enclosing: f64 = samples.iter().filter(|s| s.0).map(|s| s.1).sum();
        enclosing / samples.iter().map(|s| s.1).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// Whether a triangle shares a point with the box.
    pub(super) fn touches(&self, cube: &Aabb) -> bool {
        let tree = self.winding.tree();
        let mut stack = Vec::with_capacity(64);
        stack.extend((!tree.nodes().is_empty()).then_some(0));
        while let Some(node) = stack.pop() {
            if !tree.nodes()[node].bounds.overlaps(cube) {
                continue;
            }
            match tree.below(node) {
                Below::Items(items) => {
                    if items.iter().any(|&i| triangle_meets_box(&self.winding.corners()[i as usize], cube)) {
                        return true;
                    }
                }
                Below::Nodes([a, b]) => stack.extend([b, a]),
            }
        }
        false
    }

    /// Where the segment from `a` first passes to the other side (from inside to outside or back), as a fraction.
    pub(super) fn first_passage(&self, a: &Vec3, b: &Vec3) -> Option<f64> {
        let hits = self.hits(a, b);
        let inside = !hits.is_empty() && self.inside(a);
        let next = hits.iter().skip(1).copied().chain([1.0]);
        hits.iter()
            .zip(next)
            .find(|(h, n)| self.inside(&(a + (b - a) * ((**h + n) / 2.0))) != inside)
            .map(|(h, _)| *h)
    }

    /// Fractions at which the segment meets triangles, ascending; meetings in a shared edge count once.
    fn hits(&self, a: &Vec3, b: &Vec3) -> Vec<f64> {
        let mut hits = Vec::new();
        self.winding.tree().visit(
            |bounds| bounds.meets_segment(a, b),
            |i| hits.extend(segment_triangle(a, b, &self.winding.corners()[i as usize])),
        );
        hits.sort_unstable_by(f64::total_cmp);
        hits.dedup_by(|b, a| *b - *a < 1e-9);
        hits
    }
}

impl Solid for Shell {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn inside(&self, p: &Vec3) -> bool {
        self.winding.encloses(p)
    }

    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        let at = |t: f64| inner + (outer - inner) * t;
        let hits = self.hits(inner, outer);
        match hits[..] {
            [] => smooth_crossing(|t| self.winding.fast(&at(t)) - 0.5),
            [only] => only,
            [.., last] => {
                let leaves = |w: &&[f64]| !self.inside(&at((w[0] + w[1]) / 2.0));
                hits.windows(2).find(leaves).map_or(last, |w| w[0])
            }
        }
    }

    fn side(&self, cube: &Aabb) -> Option<bool> {
        if self.touches(cube) {
            return None;
        }
        let centre = cube.centre();
        let w = self.winding.fast(&centre);
        let clear = (w - 0.5).abs() - TOLERANCE;
        self.rim.varies_less_than(cube, clear).then_some(w > 0.5)
    }
}

/// The root of a function that falls from positive to negative over [0, 1], within a thousandth: false position, with
/// the value of an end that stays halved (Illinois), so that both ends move.
fn smooth_crossing(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = ((0.0, f(0.0)), (1.0, f(1.0)));
    if low.1 <= 0.0 || high.1 >= 0.0 {
        // Within the tolerance of w the end itself is the root.
        return if low.1 <= 0.0 { 0.0 } else { 1.0 };
    }
    for _ in 0..12 {
        let t = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
        let value = f(t);
        if value.abs() < 1e-3 || high.0 - low.0 < 1e-3 {
            return t;
        }
        if value > 0.0 {
            low = (t, value);
            high.1 /= 2.0;
        } else {
            high = (t, value);
            low.1 /= 2.0;
        }
    }
    (low.0 + high.0) / 2.0
}

/// The edges that triangles leave open.
struct Rim {
    /// Multiplicity times length.
    strength: Vec<f64>,
    tree: Bvh,
    /// The same, summed for each node.
    below: Vec<f64>,
}

impl Rim {
    fn new(edges: Vec<([Vec3; 2], u32)>) -> Self {
        let strength: Vec<f64> = edges.iter().map(|([a, b], m)| (a - b).norm() * f64::from(*m)).collect();
        let tree = Bvh::new(edges.iter().map(|(ends, _)| Aabb::around(ends)).collect());
        let mut below = vec![0.0; tree.nodes().len()];
        for node in (0..below.len()).rev() {
            below[node] = match tree.below(node) {
                Below::Items(items) => items.iter().map(|&i| strength[i as usize]).sum(),
                Below::Nodes([a, b]) => below[a] + below[b],
            };
        }
        Self { strength, tree, below }
    }

    /// Whether the bound (1) for the box is below `limit`.
    fn varies_less_than(&self, cube: &Aabb, limit: f64) -> bool {
        let reach = (cube.high - cube.low).norm() / 2.0;
        // What is left of the limit, in units of strength over distance squared.
        let mut left = limit * 4.0 * PI / reach;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.below.is_empty()).then_some(0));
        while let Some(node) = stack.pop() {
            let bounds = &self.tree.nodes()[node].bounds;
            let gap = gap_squared(bounds, cube);
            let size = (bounds.high - bounds.low).norm_squared();
            let whole = self.below[node] / gap;
            // Far away the node counts as a whole; near by its parts know better.
            if whole.is_finite() && (gap > 4.0 * size || whole < 1e-3 * left) {
                left -= whole;
            } else {
                match self.tree.below(node) {
                    Below::Items(items) => {
                        left -= items.iter().map(|&i| self.strength[i as usize] / gap).sum::<f64>();
                    }
                    Below::Nodes([a, b]) => stack.extend([b, a]),
                }
            }
            if left.is_nan() || left <= 0.0 {
                return false;
            }
        }
        left > 0.0
    }
}

fn gap_squared(a: &Aabb, b: &Aabb) -> f64 {
    (0..3).map(|c| (a.low[c] - b.high[c]).max(b.low[c] - a.high[c]).max(0.0).powi(2)).sum()
}

/// Where the segment from `a` to `b` meets the triangle, as a fraction; generous by rounding at its edges, so that no
/// segment slips between neighbours. (MT97 in docs/papers.md.)
fn segment_triangle(a: &Vec3, b: &Vec3, t: &[Vec3; 3]) -> Option<f64> {
    const EDGE: f64 = 1e-9;
    let (d, e1, e2) = (b - a, t[1] - t[0], t[2] - t[0]);
    let p = d.cross(&e2);
    let determinant = e1.dot(&p);
    if determinant == 0.0 {
        return None;
    }
    let s = a - t[0];
    let u = s.dot(&p) / determinant;
    let q = s.cross(&e1);
    let v = d.dot(&q) / determinant;
    let hit = e2.dot(&q) / determinant;
    let on = u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE && (-EDGE..=1.0 + EDGE).contains(&hit);
    on.then_some(hit.clamp(0.0, 1.0))
}

/// Separating axes: the box's three, the triangle's normal, the nine products of edges. (AM01 in docs/papers.md.)
fn triangle_meets_box(t: &[Vec3; 3], cube: &Aabb) -> bool {
    let centre = cube.centre();
    // A little larger, so that rounding never hides a triangle from both of two neighbours.
    let half = (cube.high - cube.low) * (0.5 + 1e-9);
    let p = t.map(|p| p - centre);
    let apart = |axis: &Vec3| {
        let [a, b, c] = p.map(|p| p.dot(axis));
        let reach = half.dot(&axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    let edges = [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    !(axes.iter().any(apart)
        || apart(&edges[0].cross(&edges[1]))
        || edges.iter().any(|e| axes.iter().any(|a| apart(&a.cross(e)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_and_boxes() {
        let cube = Aabb { low: Vec3::zeros(), high: Vec3::repeat(1.0) };
        let meets = |t: [[f64; 3]; 3]| triangle_meets_box(&t.map(Vec3::from), &cube);
        assert!(meets([[0.5, 0.5, 0.5], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]));
        // Through the box without a corner in it.
        assert!(meets([[-5.0, -5.0, 0.5], [5.0, -5.0, 0.5], [0.0, 9.0, 0.5]]));
        // Its box overlaps, its plane does not: x + y + z = 3.3.
        assert!(!meets([[3.3, 0.0, 0.0], [0.0, 3.3, 0.0], [0.0, 0.0, 3.3]]));
        // Only an axis made of two edges separates these.
        assert!(!meets([[1.6, 0.5, -1.0], [0.5, 1.6, 0.5], [1.6, 0.5, 2.0]]));
        assert!(meets([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]));
    }

    #[test]
    fn false_position_finds_smooth_and_steep_roots() {
        for (root, power) in [(0.3, 1), (0.9, 3), (0.05, 9)] {
            let f = |t: f64| (root - t).signum() * (root - t).abs().powf(1.0 / f64::from(power));
            let found = smooth_crossing(f);
            assert!((found - root).abs() < 0.02, "{found} for {root}");
        }
        assert_eq!(smooth_crossing(|_| -1.0), 0.0);
        assert_eq!(smooth_crossing(|_| 1.0), 1.0);
    }

    #[test]
    fn the_rim_bounds_the_change_of_the_winding_number() {
        // A square without a lid is a sheet: its w in a box beside it may not leave the bound.
        let p = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]].map(Vec3::from);
        let rim = (0..4).map(|i| ([p[i], p[(i + 1) % 4]], 1)).collect();
        let shell = Shell::new(vec![[p[0], p[1], p[2]], [p[0], p[2], p[3]]], rim);
        for (middle, size) in [([0.5, 0.5, 0.6], 0.2), ([1.5, 0.5, 0.3], 0.4), ([0.3, 0.2, -0.9], 0.5)] {
            let cube = Aabb::around([&Vec3::from(middle)]).grown(size / 2.0);
            let w = shell.winding.exact(&cube.centre());
            let change = (0..8)
                .map(|i| Vec3::from_fn(|c, _| if i >> c & 1 == 1 { cube.high[c] } else { cube.low[c] }))
                .map(|q| (shell.winding.exact(&q) - w).abs())
                .fold(0.0, f64::max);
            assert!(!shell.rim.varies_less_than(&cube, change), "{middle:?}: {change}");
            // And the bound is not idle.
            assert!(shell.rim.varies_less_than(&cube, 60.0 * change), "{middle:?}: {change}");
        }
    }
}
