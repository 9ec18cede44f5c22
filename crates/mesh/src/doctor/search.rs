//! Which triangles an edge of a surface meets, without looking at all of them.
//!
//! Two triangles that pass through each other, and share one vertex or none, do so through an edge of one of them that
//! has no vertex in common with the other. So edges are asked, not triangles: short ones have small boxes. Two
//! things keep long thin faces from costing the square of their number:
//! a part of the tree in which all faces share a vertex of the edge is passed over at once (the fan at the tip of a
//! cone), and a part in which all faces are long has, beside the box along the axes, one along the faces (the wall of
//! a cylinder that stands askew).

use pliant_linalg::{Mat3, Vec3};
use rayon::prelude::*;

use super::exact::Triangle;
use crate::bvh::{Aabb, Below, Bvh};

/// An edge of some of the triangles.
pub(super) struct Edge {
    /// Names of its ends, ascending.
    pub(super) names: [u32; 2],
    /// Where they are.
    pub(super) ends: [Vec3; 2],
    /// Its triangles: a range of [`Search::uses`].
    uses: [u32; 2],
}

/// Triangles, their edges, and a tree over them.
pub(super) struct Search {
    pub(super) triangles: Vec<Triangle>,
    pub(super) edges: Vec<Edge>,
    uses: Vec<u32>,
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// For every node of the tree.
    hulls: Vec<Hull>,
}

/// What is known of all triangles below a node.
struct Hull {
    /// Vertices that all of them have; [`NOBODY`] fills up.
    common: [u32; 3],
    /// Rows: the axes of a box that fits better, and that box.
    askew: Option<Box<(Mat3, Aabb)>>,
}

const NOBODY: u32 = u32::MAX;

/// Positions are at most 1 in each coordinate; turning them into other axes rounds by a few units of 1e-16.
const ROUND_OFF: f64 = 1e-14;

/// What an exact test costs, in steps of the tree.
pub(super) const EXACT: u64 = 16;

impl Search {
    /// Of triangles whose coordinates are at most 1.
    pub(super) fn new(triangles: Vec<Triangle>) -> Self {
        let mut sides: Vec<([u32; 2], u32)> = triangles
            .par_iter()
            .enumerate()
            .flat_map_iter(|(t, triangle)| {
                let n = triangle.names;
                [[n[0], n[1]], [n[1], n[2]], [n[2], n[0]]].map(|[a, b]| ([a.min(b), a.max(b)], t as u32))
            })
            .collect();
        sides.par_sort_unstable();
        let mut edges = Vec::with_capacity(sides.len() / 2);
        let mut start = 0;
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            let (names, first) = same[0];
            let ends = names.map(|n| triangles[first as usize].position(n));
            let end = start + same.len() as u32;
            edges.push(Edge { names, ends, uses: [start, end] });
            start = end;
        }
        let boxes: Vec<Aabb> = triangles.iter().map(Triangle::bounds).collect();
        let tree = Bvh::new(boxes.clone());
        let hulls =
            (0..tree.nodes().len()).into_par_iter().map(|n| Hull::new(&triangles, &tree, n)).collect();
        let uses = sides.into_iter().map(|(_, t)| t).collect();
        Self { triangles, edges, uses, boxes, tree, hulls }
    }

    /// The triangles of an edge, ascending.
    pub(super) fn uses(&self, edge: &Edge) -> &[u32] {
        &self.uses[edge.uses[0] as usize..edge.uses[1] as usize]
    }

    /// Calls `met` with every triangle that has a point of the edge, but none of its ends for a corner, and passes
    /// `wanted`. The number of steps that were taken.
    pub(super) fn visit(&self, edge: &Edge, wanted: impl Fn(u32) -> bool, mut met: impl FnMut(u32)) -> u64 {
        let [p, q] = &edge.ends;
        let around = Aabb::around(&edge.ends);
        let mut steps = 0;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.tree.nodes().is_empty()).then_some(0));
        while let Some(node) = stack.pop() {
            steps += 1;
            let hull = &self.hulls[node];
            if !self.tree.nodes()[node].bounds.overlaps(&around)
                || edge.names.iter().any(|n| hull.common.contains(n))
                || hull.askew.as_ref().is_some_and(|b| !b.1.meets_segment(&(b.0 * p), &(b.0 * q)))
            {
                continue;
            }
            match self.tree.below(node) {
                Below::Nodes([a, b]) => stack.extend([b, a]),
                Below::Items(items) => {
                    steps += items.len() as u64;
                    for &t in items {
                        let triangle = &self.triangles[t as usize];
                        if self.boxes[t as usize].overlaps(&around)
                            && !edge.names.iter().any(|n| triangle.names.contains(n))
                            && wanted(t)
                        {
                            steps += EXACT;
                            if triangle.meets_segment(p, q) {
                                met(t);
                            }
                        }
                    }
                }
            }
        }
        steps
    }

    /// The triangles of an edge in groups that lie in the same half-plane from it, on each other; groups of one are
    /// left out. Also the number of steps, at most a little more than `most`: what is left then is not looked at.
    pub(super) fn folded(&self, edge: &Edge, most: u64) -> (Vec<Vec<u32>>, u64) {
        let uses = self.uses(edge);
        if uses.len() < 2 {
            return (Vec::new(), 0);
        }
        let [u, v] = &edge.ends;
        let start = &self.triangles[uses[0] as usize];
        let third = |t: u32| self.triangles[t as usize].third(edge.names);
        let mut groups = vec![vec![uses[0]]];
        // Groups by angle, from the first triangle around. Not sorted by the library: products of tiny numbers may
        // underflow and contradict each other, and that must not be fatal.
        let mut by_angle = vec![0usize];
        let mut steps = 0;
        for &t in &uses[1..] {
            let p = third(t);
            let place = by_angle.binary_search_by(|&g| {
                steps += EXACT;
                start.compare_around(u, v, &third(uses[0]), &third(groups[g][0]), &p)
            });
            match place {
                Ok(at) => groups[by_angle[at]].push(t),
                Err(at) => {
                    by_angle.insert(at, groups.len());
                    groups.push(vec![t]);
                    // So many are moved at the cost of one step.
                    steps += by_angle.len() as u64 / 64;
                }
            }
            if steps > most {
                break;
            }
        }
        groups.retain(|g| g.len() > 1);
        (groups, steps)
    }
}

impl Hull {
    fn new(triangles: &[Triangle], tree: &Bvh, node: usize) -> Self {
        let items = tree.items(node);
        let mut common = triangles[items[0] as usize].names;
        for &t in items {
            let names = &triangles[t as usize].names;
            common = common.map(|n| if names.contains(&n) { n } else { NOBODY });
            if common == [NOBODY; 3] {
                break;
            }
        }
        let bounds = &tree.nodes()[node].bounds;
        let size = (bounds.high - bounds.low).norm();
        let each = 1.0 / items.len() as f64;
        let mean: f64 = items.iter().map(|&t| triangles[t as usize].longest_side().norm() * each).sum();
        // Faces as long as all of them together lie side by side. In a leaf they are tested one by one at once.
        let long = matches!(tree.below(node), Below::Nodes(_)) && mean > size / 2.0;
        let askew = long.then(|| {
            let axes = axes(triangles, items);
            let corners = items.iter().flat_map(|&t| triangles[t as usize].corners().iter());
            let turned: Vec<Vec3> = corners.map(|p| axes * p).collect();
            Box::new((axes, Aabb::around(&turned).grown(ROUND_OFF)))
        });
        Self { common, askew }
    }
}

/// Rows: along the faces, across them, and out of them, on average.
fn axes(triangles: &[Triangle], items: &[u32]) -> Mat3 {
    let mean = |of: &dyn Fn(&Triangle) -> Vec3| {
        let first = of(&triangles[items[0] as usize]);
        let sum = items
            .iter()
            .map(|&t| of(&triangles[t as usize]))
            .map(|d| if d.dot(&first) < 0.0 { -d } else { d });
        sum.sum::<Vec3>()
    };
    let unit = |d: Vec3, otherwise: Vec3| d.try_normalize(0.0).unwrap_or(otherwise);
    let along = unit(mean(&Triangle::longest_side), Vec3::x());
    let normal = mean(&|t| {
        let [a, b, c] = t.corners();
        unit((b - a).cross(&(c - a)), Vec3::zeros())
    });
    let across = normal.cross(&along);
    let least = Vec3::ith(along.iamin(), 1.0);
    let across = unit(across, along.cross(&least).normalize());
    Mat3::from_rows(&[along.transpose(), across.transpose(), along.cross(&across).transpose()])
}
