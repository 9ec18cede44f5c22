//! An octree whose leaves are finest wherever the surface may be.
//!
//! A leaf is *resolved* when it is known to lie wholly inside or wholly outside; every leaf that is not is of the
//! finest size. Coordinates are integers, in units of half a finest cell, so that two leaves always agree about a
//! corner they share. Where it is asked for, leaves of the surface are finer than the usual ones by a few halvings
//! ([`Finer`]); they are finest then. The lattice on top of it is in [`super::lattice`].

use pliant_linalg::{Progress, Vec3, Watch};
use rayon::prelude::*;

use crate::bvh::Aabb;
use crate::{MeshError, Result};

/// A lattice point: 21 bits for each coordinate, and in the lowest bit whether it is inside.
pub(super) type Key = u64;

/// From lattice units to metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Lattice point (0, 0, 0).
    origin: Vec3,
    /// Half a finest cell.
    half: f64,
}

impl Frame {
    pub(super) fn position(&self, key: Key) -> Vec3 {
        self.at(unpack(key))
    }

    fn at(&self, p: [u32; 3]) -> Vec3 {
        self.origin + Vec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2])) * self.half
    }

    pub(super) fn cube(&self, low: [u32; 3], size: u32) -> Aabb {
        Aabb { low: self.at(low), high: self.at(low.map(|x| x + size)) }
    }
}

pub(super) fn pack(p: [u32; 3], inside: bool) -> Key {
    u64::from(p[0]) << 43 | u64::from(p[1]) << 22 | u64::from(p[2]) << 1 | u64::from(inside)
}

pub(super) fn unpack(key: Key) -> [u32; 3] {
    [43, 22, 1].map(|shift| ((key >> shift) & 0x1f_ffff) as u32)
}

pub(super) fn is_inside(key: Key) -> bool {
    key & 1 == 1
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    Outside,
    /// The surface may pass through; a leaf of the finest size.
    Surface,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// First of eight children, or 0.
    children: u32,
    side: Side,
}

/// The leaf at some place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    node: u32,
    pub(super) low: [u32; 3],
    pub(super) size: u32,
    pub(super) side: Side,
}

impl Leaf {
    pub(super) fn centre(&self) -> [u32; 3] {
        self.low.map(|x| x + self.size / 2)
    }

    /// Corner i has the bits x, y, z.
    pub(super) fn corner(&self, i: usize) -> [u32; 3] {
        [0, 1, 2].map(|c| self.low[c] + if i >> c & 1 == 1 { self.size } else { 0 })
    }
}

/// Size of a finest cell in lattice units.
pub(super) const FINEST: u32 = 2;

/// Finest cells along a side of the root at most: 21 bits hold the lattice points.
const DEEPEST: u32 = 19;

/// Nodes at most: they make some ten million tets, and more is a slip of the keyboard.
const MOST_NODES: usize = 10_000_000;

/// Leaves between two looks at the watch.
const AT_ONCE: usize = 256;

/// Where `done` of `all` leaves of level `step` are known: a surface goes through four times as many leaves of the next.
fn level_progress(step: u32, deepest: u32, done: usize, all: usize) -> Progress {
    let before = |level: u32| 4f64.powi(level as i32);
    let share = (before(step) + 3.0 * before(step) * done as f64 / all as f64) / before(deepest + 1);
    Progress { stage: "finding the surface", done: (1000.0 * share) as usize, total: 1000 }
}

/// Where leaves of the surface are finer than elsewhere.
pub(super) struct Finer<'a> {
    /// How often the usual leaves are halved there.
    pub(super) halvings: u32,
    /// Whether they are in this box.
    pub(super) wanted: &'a (dyn Fn(&Aabb) -> bool + Sync),
}

impl Finer<'_> {
    /// Nowhere.
    pub(super) const NONE: Finer<'static> = Finer { halvings: 0, wanted: &|_| false };
}

/// The octree over a cube that holds a box.
pub(super) struct Octree {
    nodes: Vec<Node>,
    size: u32,
    /// Whether leaves of the surface have several sizes.
    pub(super) mixed: bool,
    pub(super) frame: Frame,
}

impl Octree {
    /// Divides until every leaf is resolved or of side `edge` (metres). `shift` (in finest cells) moves the lattice,
    /// a lattice point of which otherwise lies in the middle of the box.
    pub(super) fn new(
        bounds: &Aabb,
        edge: f64,
        shift: &Vec3,
        side: impl Fn(&Aabb) -> Option<bool> + Sync,
        watch: &mut Watch<'_>,
    ) -> Result<Self> {
        Self::graded(bounds, edge, shift, side, &Finer::NONE, watch)
    }

    /// The same, with smaller leaves in some places; those of side `edge` are where they would be without.
    pub(super) fn graded(
        bounds: &Aabb,
        edge: f64,
        shift: &Vec3,
        side: impl Fn(&Aabb) -> Option<bool> + Sync,
        finer: &Finer<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Self> {
        // Two cells of air on every side, and one more for the shift.
        let cells = (bounds.high - bounds.low).amax() / edge + 6.0;
        let depth = cells.log2().ceil().max(2.0);
        let depth = depth + f64::from(finer.halvings);
        if depth > f64::from(DEEPEST) {
            return Err(too_fine(edge, bounds));
        }
        let usual = FINEST << finer.halvings;
        let half = edge / f64::from(usual);
        let size = FINEST << depth as u32;
        let middle = Vec3::repeat(f64::from(size / 2)) + shift * f64::from(usual);
        let frame = Frame { origin: bounds.centre() - middle * half, half };
        let mixed = finer.halvings > 0;
        let mut tree = Self { nodes: vec![Node { children: 0, side: Side::Surface }], size, mixed, frame };
        let mut open = vec![tree.root()];
        let (mut step, mut length, mut estimated) = (0, size, mixed);
        while !open.is_empty() {
            let mut sides: Vec<Option<bool>> = Vec::with_capacity(open.len());
            // Some at a time: a level may take minutes, and whoever waits wants to see it move, or to stop it.
            for some in open.chunks(AT_ONCE) {
                level_progress(step, depth as u32, sides.len(), open.len()).tell(watch)?;
                sides.par_extend(some.par_iter().map(|leaf| side(&frame.cube(leaf.low, leaf.size))));
            }
            let mut undecided = Vec::new();
            for (leaf, known) in open.iter().zip(sides) {
                match known {
                    Some(true) => tree.nodes[leaf.node as usize].side = Side::Inside,
                    Some(false) => tree.nodes[leaf.node as usize].side = Side::Outside,
                    None if length > usual => undecided.push(*leaf),
                    None if length > FINEST && (finer.wanted)(&frame.cube(leaf.low, leaf.size)) => {
                        undecided.push(*leaf);
                    }
                    None => {}
                }
            }
            // Before the memory is taken; and long before, by an estimate that gets the benefit of the doubt.
            let mut expected = (tree.nodes.len() + 8 * undecided.len()) as f64;
            if !estimated && undecided.len() > MANY && length > 2 * FINEST {
                estimated = true;
                expected =
                    expected.max((tree.nodes.len() as f64 + nodes_below(&frame, &undecided, &side)) / 1.5);
            }
            if expected > MOST_NODES as f64 {
                return Err(too_fine(edge, bounds));
            }
            let next: Vec<Leaf> = undecided.iter().flat_map(|leaf| tree.divide(leaf)).collect();
            (open, step, length) = (next, step + 1, length / 2);
        }
        Ok(tree)
    }

    fn root(&self) -> Leaf {
        Leaf { node: 0, low: [0; 3], size: self.size, side: self.nodes[0].side }
    }

    fn divide(&mut self, leaf: &Leaf) -> [Leaf; 8] {
        let (first, side) = (self.nodes.len() as u32, self.nodes[leaf.node as usize].side);
        self.nodes[leaf.node as usize].children = first;
        self.nodes.extend([Node { children: 0, side }; 8]);
        std::array::from_fn(|i| self.child(leaf, first, i))
    }

    fn child(&self, parent: &Leaf, first: u32, i: usize) -> Leaf {
        let (node, size) = (first + i as u32, parent.size / 2);
        let low = [0, 1, 2].map(|c| parent.low[c] + if i >> c & 1 == 1 { size } else { 0 });
        Leaf { node, low, size, side: self.nodes[node as usize].side }
    }

    /// The leaf whose half-open cube holds lattice point `p`, or the node of side `size` that holds it if that is
    /// divided further (then the flag is true); nothing outside the root.
    pub(super) fn find(&self, p: [i64; 3], size: u32) -> Option<(Leaf, bool)> {
        if p.iter().any(|&x| x < 0 || x >= i64::from(self.size)) {
            return None;
        }
        let p = p.map(|x| x as u32);
        let mut leaf = self.root();
        loop {
            let first = self.nodes[leaf.node as usize].children;
            if first == 0 || leaf.size <= size {
                return Some((leaf, first != 0));
            }
            let half = leaf.size / 2;
            let i = (0..3).filter(|&c| p[c] >= leaf.low[c] + half).map(|c| 1 << c).sum();
            leaf = self.child(&leaf, first, i);
        }
    }

    /// The place next to `leaf` in direction `d`, of the same size.
    pub(super) fn beside(&self, leaf: &Leaf, d: [i64; 3]) -> Option<(Leaf, bool)> {
        self.find([0, 1, 2].map(|c| i64::from(leaf.low[c]) + d[c] * i64::from(leaf.size)), leaf.size)
    }

    /// All leaves, in the order of the tree.
    pub(super) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let mut stack = vec![self.root()];
        while let Some(leaf) = stack.pop() {
            match self.nodes[leaf.node as usize].children {
                0 => leaves.push(leaf),
                first => stack.extend((0..8).rev().map(|i| self.child(&leaf, first, i))),
            }
        }
        leaves
    }

    pub(super) fn set_side(&mut self, leaf: &Leaf, side: Side) {
        self.nodes[leaf.node as usize].side = side;
    }

    /// Makes the finest cell at `p` a leaf that counts as inside; nothing outside the root.
    pub(super) fn take_finest(&mut self, p: [i64; 3]) -> Option<Leaf> {
        self.refine(p, FINEST);
        let (leaf, _) = self.find(p, FINEST)?;
        self.set_side(&leaf, Side::Inside);
        Some(Leaf { side: Side::Inside, ..leaf })
    }

    /// Divides until the leaf at `p` has the side `size` at most.
    pub(super) fn refine(&mut self, p: [i64; 3], size: u32) {
        while let Some((leaf, _)) = self.find(p, size).filter(|(leaf, _)| leaf.size > size) {
            self.divide(&leaf);
        }
    }

    /// Weak balance among the leaves that `counts` (those that become tets).
    pub(super) fn balance(&mut self, counts: impl Fn(Side) -> bool) {
        let mut queue: Vec<Leaf> = self.leaves().into_iter().filter(|l| counts(l.side)).collect();
        while let Some(leaf) = queue.pop() {
            for d in DIRECTIONS.iter().filter(|d| d.iter().filter(|&&x| x != 0).count() < 3) {
                let large = |t: &Self| {
                    t.beside(&leaf, *d).map(|(l, _)| l).filter(|l| l.size > 2 * leaf.size && counts(l.side))
                };
                while let Some(other) = large(self) {
                    queue.extend(self.divide(&other));
                }
            }
        }
    }
}

/// Undecided nodes from which the size of the tree is estimated, once, and how many of them are looked at.
const MANY: usize = 4_000;
const PROBES: usize = 500;

/// How many nodes will be below these, about: from some of them a single way goes down to the finest cells, along
/// undecided children drawn by chance, and counts as many as there were to choose from. The mean is right whatever the
/// tree; the same tree always gives the same number. Source: KN75 in docs/papers.md.
fn nodes_below(frame: &Frame, nodes: &[Leaf], side: impl Fn(&Aabb) -> Option<bool> + Sync) -> f64 {
    let probe = |i: usize| {
        let Leaf { mut low, mut size, .. } = nodes[i * nodes.len() / PROBES];
        let (mut count, mut weight) = (0.0, 1.0);
        let mut chance = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        while size > FINEST {
            count += 8.0 * weight;
            size /= 2;
            let children = (0..8).map(|k| [0, 1, 2].map(|c| low[c] + (k >> c & 1) * size));
            let open: Vec<[u32; 3]> = children.filter(|c| side(&frame.cube(*c, size)).is_none()).collect();
            if open.is_empty() {
                break;
            }
            chance = (chance ^ (chance >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            low = open[(chance >> 33) as usize % open.len()];
            weight *= open.len() as f64;
        }
        count
    };
    let counts: Vec<f64> = (0..PROBES).into_par_iter().map(probe).collect();
    counts.iter().sum::<f64>() * nodes.len() as f64 / PROBES as f64
}

fn too_fine(edge: f64, bounds: &Aabb) -> MeshError {
    MeshError::TooFine { edge, length: (bounds.high - bounds.low).amax() }
}

pub(super) const FACES: [[i64; 3]; 6] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]];

/// The 26 places around a cube.
const DIRECTIONS: [[i64; 3]; 26] = {
    let mut all = [[0; 3]; 26];
    let (mut i, mut n) = (0, 0);
    while i < 27 {
        if i != 13 {
            all[n] = [i as i64 % 3 - 1, i as i64 / 3 % 3 - 1, i as i64 / 9 - 1];
            n += 1;
        }
        i += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit sphere, by its distance.
    fn side(cube: &Aabb) -> Option<bool> {
        let distance = cube.centre().norm() - 1.0;
        (distance.abs() > (cube.high - cube.low).norm() / 2.0).then_some(distance < 0.0)
    }

    fn tree(cells: f64) -> Result<Octree> {
        let bounds = Aabb { low: Vec3::repeat(-1.0), high: Vec3::repeat(1.0) };
        Octree::new(&bounds, 2.0 / cells, &Vec3::zeros(), side, &mut pliant_linalg::ignore_progress)
    }

    #[test]
    fn the_size_of_a_tree_is_known_from_a_few_ways_down() {
        let tree = tree(200.0).unwrap();
        // Nodes of 1/32 of the root, and what is really below them.
        let size = tree.size / 32;
        let mut nodes = Vec::new();
        let mut stack = vec![tree.root()];
        let mut below = 0;
        while let Some(leaf) = stack.pop() {
            let first = tree.nodes[leaf.node as usize].children;
            if first > 0 {
                nodes.extend((leaf.size == size).then_some(leaf));
                below += if leaf.size <= size { 8 } else { 0 };
                stack.extend((0..8).map(|i| tree.child(&leaf, first, i)));
            }
        }
        let share = nodes_below(&tree.frame, &nodes, side) / f64::from(below);
        assert!((share - 1.0).abs() < 0.1, "{share} of {below} below {} nodes", nodes.len());
    }

    #[test]
    fn progress_only_rises_and_a_level_can_be_stopped_in_its_midst() {
        let bounds = Aabb { low: Vec3::repeat(-1.0), high: Vec3::repeat(1.0) };
        let make = |watch: &mut Watch<'_>| Octree::new(&bounds, 2.0 / 60.0, &Vec3::zeros(), side, watch);
        let mut told: Vec<usize> = Vec::new();
        let tree = make(&mut |p: Progress| {
            told.push(p.done);
            assert!(p.done <= p.total);
            std::ops::ControlFlow::Continue(())
        });
        assert!(tree.is_ok() && told.is_sorted() && told.len() > 100, "{told:?}");
        let mut left = told.len() - 1;
        let stopped = make(&mut |_| {
            left -= 1;
            if left == 0 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(MeshError::Cancelled)));
    }

    #[test]
    fn too_many_cells_are_refused_before_they_are_made() {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let counted = |cube: &Aabb| {
            asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            side(cube)
        };
        let bounds = Aabb { low: Vec3::repeat(-1.0), high: Vec3::repeat(1.0) };
        let watch = &mut pliant_linalg::ignore_progress;
        let refused = Octree::new(&bounds, 2.0 / 8000.0, &Vec3::zeros(), counted, watch);
        assert!(matches!(refused, Err(MeshError::TooFine { .. })));
        let asked = asked.into_inner();
        assert!(asked < 200_000, "{asked} boxes were asked for");
    }
}
