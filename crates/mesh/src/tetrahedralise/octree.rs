//! The graded body-centred lattice: an octree whose leaves are finest wherever the surface may be.
//!
//! Lattice points are the corners and the centres of the leaves, in integer units of half a finest cell, so that two
//! leaves always agree about a point they share. A leaf is *resolved* when it is known to lie wholly inside or
//! wholly outside; every leaf that is not is of the finest size. Tets (Labelle and Shewchuk 2007, section 4):
//! ```text
//! two equal leaves share a face     centre, centre and an edge of the face: 4 tets, cut in two where a smaller
//!                                   leaf has a corner in the middle of that edge
//! a leaf meets a larger one         the small face, cut through the middle of the large one, seen from both
//!                                   centres: 4 tets
//! ```
//! Weak balance (leaves that share an edge differ by one level at most) makes these the only cases. Around every end
//! of a lattice edge that changes sides all leaves are finest, so the tets that are cut or warped are those of the
//! uniform lattice, and its guarantee of angles holds.

use pliant_linalg::{Progress, Vec3, Watch};
use rayon::prelude::*;

use super::Solid;
use crate::bvh::Aabb;
use crate::{MeshError, Result};

/// A lattice point: 21 bits for each coordinate, and in the lowest bit whether it is inside.
pub(super) type Key = u64;

/// The lattice: where its points are, and its tets of positive volume with at least one corner inside.
pub(super) struct Lattice {
    pub(super) frame: Frame,
    pub(super) tets: Vec<[Key; 4]>,
}

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

/// The octree over a cube that holds a box.
pub(super) struct Octree {
    nodes: Vec<Node>,
    size: u32,
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
        // Two cells of air on every side, and one more for the shift.
        let cells = (bounds.high - bounds.low).amax() / edge + 6.0;
        let depth = cells.log2().ceil().max(2.0);
        if depth > f64::from(DEEPEST) {
            return Err(too_fine(edge, bounds));
        }
        let size = FINEST << depth as u32;
        let middle = Vec3::repeat(f64::from(size / 2)) + shift * f64::from(FINEST);
        let frame = Frame { origin: bounds.centre() - middle * (edge / 2.0), half: edge / 2.0 };
        let mut tree = Self { nodes: vec![Node { children: 0, side: Side::Surface }], size, frame };
        let mut open = vec![tree.root()];
        let (mut step, mut length) = (0, size);
        while !open.is_empty() {
            Progress { stage: "finding the surface", done: step, total: depth as usize + 1 }.tell(watch)?;
            let sides: Vec<Option<bool>> =
                open.par_iter().map(|leaf| side(&frame.cube(leaf.low, leaf.size))).collect();
            let mut next = Vec::new();
            for (leaf, known) in open.iter().zip(sides) {
                match known {
                    Some(true) => tree.nodes[leaf.node as usize].side = Side::Inside,
                    Some(false) => tree.nodes[leaf.node as usize].side = Side::Outside,
                    None if length > FINEST => next.extend(tree.divide(leaf)),
                    None => {}
                }
            }
            if tree.nodes.len() > MOST_NODES {
                return Err(too_fine(edge, bounds));
            }
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
    fn refine(&mut self, p: [i64; 3], size: u32) {
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

    /// Makes all leaves finest around the ends of lattice edges that change sides.
    pub(super) fn refine_around_changes(&mut self, signs: &Signs) {
        let leaves: Vec<Leaf> = self.leaves().into_iter().filter(|l| l.side == Side::Surface).collect();
        let this = &*self;
        // Low corners of the cells that must be finest.
        let mut cells: Vec<[i64; 3]> = leaves
            .par_iter()
            .flat_map_iter(|leaf| {
                let mut cells = Vec::new();
                let centre = signs.of(leaf, leaf.centre());
                let corners: [bool; 8] = std::array::from_fn(|i| signs.of(leaf, leaf.corner(i)));
                let low = leaf.low.map(i64::from);
                let mut around_centre = |low: [i64; 3]| {
                    cells.extend(FACES.iter().map(|d| offset(low, *d)));
                };
                if corners.iter().any(|&c| c != centre) {
                    around_centre(low);
                }
                for d in FACES {
                    if let Some((beside, _)) = this.beside(leaf, d) {
                        let there = match beside.side {
                            Side::Surface => signs.of(&beside, beside.centre()),
                            side => side == Side::Inside,
                        };
                        if there != centre {
                            around_centre(low);
                            around_centre(offset(low, d));
                        }
                    }
                }
                for i in 0..8 {
                    let changes = corners[i] != centre || (0..3).any(|c| corners[i] != corners[i ^ (1 << c)]);
                    if changes {
                        let corner = leaf.corner(i).map(i64::from);
                        cells.extend(
                            (0..8).map(|j: i64| {
                                [0, 1, 2].map(|c| corner[c] - i64::from(FINEST) * (j >> c & 1))
                            }),
                        );
                    }
                }
                cells
            })
            .collect();
        cells.par_sort_unstable();
        cells.dedup();
        cells.into_iter().for_each(|p| self.refine(p, FINEST));
    }
}

fn too_fine(edge: f64, bounds: &Aabb) -> MeshError {
    MeshError::Inconsistent(format!(
        "a lattice edge of {edge:.3e} m is too small for a body {:.3e} m long; expected an edge that makes fewer \
         than some ten million tets: choose a larger --edge or a smaller --resolution",
        (bounds.high - bounds.low).amax()
    ))
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

fn offset(low: [i64; 3], d: [i64; 3]) -> [i64; 3] {
    [0, 1, 2].map(|c| low[c] + d[c] * i64::from(FINEST))
}

/// Which side each lattice point of the unresolved leaves is on.
pub(super) struct Signs {
    /// Ascending, lowest bit 0.
    points: Vec<Key>,
    inside: Vec<bool>,
}

impl Signs {
    pub(super) fn new(tree: &Octree, solid: &dyn Solid, watch: &mut Watch<'_>) -> Result<Self> {
        let mut points: Vec<Key> = tree
            .leaves()
            .iter()
            .filter(|leaf| leaf.side == Side::Surface)
            .flat_map(|leaf| (0..8).map(|i| leaf.corner(i)).chain([leaf.centre()]))
            .map(|p| pack(p, false))
            .collect();
        points.par_sort_unstable();
        points.dedup();
        let mut inside = Vec::with_capacity(points.len());
        for chunk in points.chunks(CHUNK) {
            Progress { stage: "inside or outside", done: inside.len(), total: points.len() }.tell(watch)?;
            inside.par_extend(chunk.par_iter().map(|&p| solid.inside(&tree.frame.position(p))));
        }
        Ok(Self { points, inside })
    }

    /// Of a corner or the centre of a leaf.
    pub(super) fn of(&self, leaf: &Leaf, p: [u32; 3]) -> bool {
        match leaf.side {
            Side::Inside => true,
            Side::Outside => false,
            Side::Surface => {
                let i = self.points.binary_search(&pack(p, false));
                self.inside[i.expect("all corners and centres of unresolved leaves were asked for")]
            }
        }
    }
}

/// Points between two looks at the watch.
pub(super) const CHUNK: usize = 1 << 15;

/// The tets of the leaves that touch the inside.
pub(super) fn lattice(tree: &Octree, signs: &Signs) -> Lattice {
    let tets = tree
        .leaves()
        .par_iter()
        .filter(|leaf| leaf.side != Side::Outside)
        .flat_map_iter(|leaf| {
            let mut tets = Vec::new();
            for d in FACES {
                let Some((beside, divided)) = tree.beside(leaf, d) else { continue };
                if divided || beside.side == Side::Outside && beside.size > leaf.size {
                    continue;
                }
                // Between equal leaves the lower one speaks, unless the other is outside and silent.
                let mine = d.iter().sum::<i64>() > 0 || beside.side == Side::Outside;
                if beside.size == leaf.size && !mine {
                    continue;
                }
                face_tets(tree, leaf, &beside, d, &mut |corners: [(Which, [u32; 3]); 4]| {
                    let keys = corners.map(|(which, p)| {
                        let owner = if which == Which::Mine { leaf } else { &beside };
                        pack(p, signs.of(owner, p))
                    });
                    tets.extend(keys.iter().any(|&k| is_inside(k)).then_some(keys));
                });
            }
            tets
        })
        .collect();
    Lattice { frame: tree.frame, tets }
}

/// The leaf that a lattice point is a corner or the centre of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Mine,
    Other,
}

/// The tets across the face of `leaf` in direction `d` to an equal or larger leaf, positive.
pub(super) fn face_tets(
    tree: &Octree,
    leaf: &Leaf,
    other: &Leaf,
    d: [i64; 3],
    emit: &mut impl FnMut([(Which, [u32; 3]); 4]),
) {
    let square = face_corners(leaf, d);
    let (mine, theirs) = ((Which::Mine, leaf.centre()), (Which::Other, other.centre()));
    if other.size == leaf.size {
        for i in 0..4 {
            let (a, b) = (square[i], square[(i + 1) % 4]);
            // The middle of the edge is a lattice point if a leaf on its far side is smaller.
            let middle = [0, 1, 2].map(|c| (a[c] + b[c]) / 2);
            let out: [i64; 3] = std::array::from_fn(|c| {
                let centre = leaf.low[c] + leaf.size / 2;
                if d[c] == 0 { (i64::from(middle[c]) - i64::from(centre)).signum() } else { 0 }
            });
            let across = [0, 1, 2].map(|c| out[c] + d[c]);
            let cut = leaf.size > FINEST
                && [out, across].iter().any(|e| tree.beside(leaf, *e).is_some_and(|(_, divided)| divided));
            // Counter-clockwise seen from the other centre: (mine, a, b, theirs) is positive.
            let mut push = |a, b| emit([mine, (Which::Mine, a), (Which::Mine, b), theirs]);
            if cut {
                push(a, middle);
                push(middle, b);
            } else {
                push(a, b);
            }
        }
    } else {
        let (first, second) = diagonal(square, other);
        for [a, b, c] in [first, second] {
            let [a, b, c] = [a, b, c].map(|p| (Which::Mine, p));
            emit([mine, a, b, c]);
            emit([theirs, a, c, b]);
        }
    }
}

/// The corners of a face, counter-clockwise seen from outside the leaf.
pub(super) fn face_corners(leaf: &Leaf, d: [i64; 3]) -> [[u32; 3]; 4] {
    let axis = (0..3).find(|&c| d[c] != 0).expect("a face has a direction");
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let high = usize::from(d[axis] > 0) << axis;
    let mut square = [0, 1 << u, 1 << u | 1 << v, 1 << v].map(|i| leaf.corner(high | i));
    if d[axis] < 0 {
        square.reverse();
    }
    square
}

/// Cuts a face of a small leaf into two triangles of the same turning, along the diagonal that ends in the middle of
/// the large leaf's face.
fn diagonal(square: [[u32; 3]; 4], large: &Leaf) -> ([[u32; 3]; 3], [[u32; 3]; 3]) {
    let centre = large.centre();
    let from_middle = |p: &[u32; 3]| (0..3).map(|c| p[c].abs_diff(centre[c])).sum::<u32>();
    let m = (0..4).min_by_key(|&i| from_middle(&square[i])).expect("four corners");
    let at = |i: usize| square[(m + i) % 4];
    ([at(0), at(1), at(2)], [at(0), at(2), at(3)])
}
