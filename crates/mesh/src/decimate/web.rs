//! The triangles while edges collapse: who touches whom, and which collapse leaves the surface what it is.

use pliant_linalg::Vec3;

use crate::Faces;
use crate::measure::area_vector;
use crate::topology::{Edges, pinched_vertices, vertex_elements};

/// cos of the angle by which one collapse may turn a triangle.
const TURN: f64 = 0.2;

/// A triangle of this shape (1: equilateral, 0: collapsed) is good enough; a worse one must not be worse than what was.
const SHAPE: f64 = 0.1;

/// A surface of triangles that shrinks.
pub(super) struct Web {
    /// Positions.
    pub(super) at: Vec<Vec3>,
    /// Corners of every triangle, also of those that are gone.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The triangles at each vertex that are left, in no order that matters.
    around: Vec<Vec<u32>>,
    /// On the rim.
    rim: Vec<bool>,
    /// Where the surface is no surface: such a vertex stays where it is.
    stays: Vec<bool>,
    /// Marks of neighbours, by the number of the question.
    mark: Vec<u32>,
    question: u32,
}

impl Web {
    pub(super) fn new(at: Vec<Vec3>, triangles: Vec<[u32; 3]>, edges: &Edges) -> Self {
        let n = at.len();
        let rows = vertex_elements(n, triangles.iter().map(|t| &t[..]));
        let around = (0..n).map(|v| rows.row(v).to_vec()).collect();
        let (mut rim, mut stays) = (vec![false; n], vec![false; n]);
        for e in 0..edges.len() {
            for v in edges.ends(e) {
                rim[v as usize] |= edges.uses(e).len() == 1;
                stays[v as usize] |= edges.uses(e).len() > 2;
            }
        }
        for v in pinched_vertices(&Faces::from_triangles(&triangles), edges, n) {
            stays[v as usize] = true;
        }
        Self { at, triangles, around, rim, stays, mark: vec![0; n], question: 0 }
    }

    /// Whether `v` must stay where it is.
    pub(super) fn stays(&self, v: u32) -> bool {
        self.stays[v as usize]
    }

    /// Whether a triangle is at `v`.
    pub(super) fn is_used(&self, v: u32) -> bool {
        !self.around[v as usize].is_empty()
    }

    /// Whether triangle `t` is still there.
    pub(super) fn is_left(&self, t: u32) -> bool {
        self.around[self.triangles[t as usize][0] as usize].contains(&t)
    }

    /// How many triangles are at `v`.
    pub(super) fn valence(&self, v: u32) -> usize {
        self.around[v as usize].len()
    }

    /// The vertices next to `v`, each once.
    pub(super) fn ring(&mut self, v: u32) -> Vec<u32> {
        self.question += 1;
        let mut ring = Vec::with_capacity(self.around[v as usize].len() + 1);
        self.mark[v as usize] = self.question;
        for &t in &self.around[v as usize] {
            for w in self.triangles[t as usize] {
                if self.mark[w as usize] != self.question {
                    self.mark[w as usize] = self.question;
                    ring.push(w);
                }
            }
        }
        ring
    }

    /// Whether `u` and `v` are ends of an edge.
    pub(super) fn are_joined(&self, u: u32, v: u32) -> bool {
        self.shared(u, v).next().is_some()
    }

    /// The link condition: lk u ∩ lk v = lk uv, with everything outside the rim counted as one more vertex. Then the
    /// surface after the collapse is homeomorphic to the one before (DEGN99 in docs/papers.md); where the edges of many
    /// triangles meet, at least one of the two vertices is none of theirs, and only its disc is cut anew.
    pub(super) fn keeps_topology(&mut self, u: u32, v: u32) -> bool {
        let opposite: Vec<u32> =
            self.shared(u, v).map(|t| third(&self.triangles[t as usize], u, v)).collect();
        let sound = match opposite[..] {
            // An edge inside whose ends are both on the rim is a bridge.
            [c, d] => c != d && !(self.rim[u as usize] && self.rim[v as usize]),
            [_] => true,
            _ => false,
        };
        if !sound {
            return false;
        }
        // Vertices next to both are the opposite ones, no other.
        let ring = self.ring(u);
        let question = self.question;
        debug_assert!(ring.contains(&v));
        let mut common: Vec<u32> = Vec::new();
        for &t in &self.around[v as usize] {
            for w in self.triangles[t as usize] {
                if w != u && w != v && self.mark[w as usize] == question && !common.contains(&w) {
                    common.push(w);
                }
            }
        }
        if common.len() != opposite.len() {
            return false;
        }
        // No edge is in both links: triangles ucd and vcd would become one.
        if let [c, d] = opposite[..]
            && self.has_triangle(u, c, d)
            && self.has_triangle(v, c, d)
        {
            return false;
        }
        // The two edges to an opposite vertex become one edge of the same kind: inside, on the rim, or of many triangles.
        opposite.iter().all(|&c| match (self.shared(u, c).count(), self.shared(v, c).count()) {
            (1, 1) => false,
            (a, b) => a.max(b) <= 2 || a.min(b) == 2,
        })
    }

    /// Whether the triangles at `u` and `v` keep their sides and shapes when both vertices go to `x`.
    pub(super) fn keeps_shape(&self, u: u32, v: u32, x: &Vec3) -> bool {
        let place = |t: u32| self.triangles[t as usize].map(|w| self.at[w as usize]);
        let all = || self.around[u as usize].iter().chain(&self.around[v as usize]).copied();
        let worst = all().map(|t| shape(&place(t))).fold(SHAPE, f64::min);
        all().all(|t| {
            let corners = self.triangles[t as usize];
            if corners.contains(&u) && corners.contains(&v) {
                return true;
            }
            let before = place(t);
            let after = [0, 1, 2].map(|k| if corners[k] == u || corners[k] == v { *x } else { before[k] });
            let (old, new) = (area_vector(&before), area_vector(&after));
            let turned = old.dot(&new) < TURN * old.norm() * new.norm();
            !turned && shape(&after) >= worst
        })
    }

    /// Merges `v` into `u` at `x`; tells how many triangles that took.
    pub(super) fn collapse(&mut self, u: u32, v: u32, x: Vec3) -> usize {
        let gone: Vec<u32> = self.shared(u, v).collect();
        for &t in &gone {
            for w in self.triangles[t as usize] {
                self.around[w as usize].retain(|&s| s != t);
            }
        }
        let moved = std::mem::take(&mut self.around[v as usize]);
        for &t in &moved {
            self.triangles[t as usize].iter_mut().filter(|w| **w == v).for_each(|w| *w = u);
        }
        self.around[u as usize].extend(moved);
        self.at[u as usize] = x;
        self.rim[u as usize] |= self.rim[v as usize];
        gone.len()
    }

    /// Triangles at both.
    fn shared(&self, u: u32, v: u32) -> impl Iterator<Item = u32> + '_ {
        let (few, other) = if self.valence(u) <= self.valence(v) {
            (&self.around[u as usize], v)
        } else {
            (&self.around[v as usize], u)
        };
        few.iter().copied().filter(move |&t| self.triangles[t as usize].contains(&other))
    }

    fn has_triangle(&self, u: u32, c: u32, d: u32) -> bool {
        self.shared(c, d).any(|t| self.triangles[t as usize].contains(&u))
    }
}

/// The corner that is neither `u` nor `v`.
fn third(corners: &[u32; 3], u: u32, v: u32) -> u32 {
    let [a, b, c] = *corners;
    if a != u && a != v {
        a
    } else if b != u && b != v {
        b
    } else {
        c
    }
}

/// 4√3 area / sum of squared edges: 1 for an equilateral triangle, 0 for a collapsed one.
fn shape(p: &[Vec3; 3]) -> f64 {
    let squares = (p[1] - p[0]).norm_squared() + (p[2] - p[1]).norm_squared() + (p[0] - p[2]).norm_squared();
    if squares > 0.0 { 4.0 * 3_f64.sqrt() * area_vector(p).norm() / squares } else { 0.0 }
}
