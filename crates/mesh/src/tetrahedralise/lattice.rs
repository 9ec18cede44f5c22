//! The graded body-centred lattice: the corners and the centres of an octree's leaves, and the tets between them.
//!
//! ```text
//! two equal leaves share a face     centre, centre and an edge of the face: 4 tets, cut in two where a smaller
//!                                   leaf has a corner in the middle of that edge
//! a leaf meets a larger one         the small face, cut through the middle of the large one, seen from both
//!                                   centres: 4 tets
//! ```
//! Weak balance (leaves that share an edge differ by one level at most) makes these the only cases. Around every end
//! of a lattice edge that changes sides all leaves are finest, so the tets that are cut or warped are those of the
//! uniform lattice, and its guarantee of angles holds. Source: LS07 in docs/papers.md. In a tree with leaves of the surface
//! of several sizes that is so for each size, but not where two sizes meet: whoever asks for it looks at the angles.

use pliant_linalg::{Progress, Watch};
use rayon::prelude::*;

use super::Solid;
use super::octree::{FACES, FINEST, Frame, Key, Leaf, Octree, Side, is_inside, pack};
use crate::Result;

/// The lattice: where its points are, and its tets of positive volume with at least one corner inside.
pub(super) struct Lattice {
    pub(super) frame: Frame,
    pub(super) tets: Vec<[Key; 4]>,
    /// Whether tets of several sizes are cut.
    pub(super) mixed: bool,
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
            .flat_map(|leaf| (0..8).map(|i| leaf.corner(i)).chain([leaf.centre()]).chain(edge_middles(leaf)))
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

/// The middles of the edges of a leaf that may have smaller neighbours.
fn edge_middles(leaf: &Leaf) -> impl Iterator<Item = [u32; 3]> {
    let leaf = *leaf;
    let edges = (0..8usize).flat_map(|i| [1, 2, 4].map(|d| (i, i | d))).filter(|(i, j)| i != j);
    edges.filter(move |_| leaf.size > FINEST).map(move |(i, j)| {
        let (a, b) = (leaf.corner(i), leaf.corner(j));
        [0, 1, 2].map(|c| (a[c] + b[c]) / 2)
    })
}

/// Makes all leaves as small as those of the surface around the ends of lattice edges that change sides.
pub(super) fn refine_around_changes(tree: &mut Octree, signs: &Signs) {
    let leaves: Vec<Leaf> = tree.leaves().into_iter().filter(|l| l.side == Side::Surface).collect();
    let this = &*tree;
    // Low corners of the cells that must be small, and how small.
    let mut cells: Vec<([i64; 3], u32)> = leaves
        .par_iter()
        .flat_map_iter(|leaf| {
            let mut cells = Vec::new();
            let centre = signs.of(leaf, leaf.centre());
            let corners: [bool; 8] = std::array::from_fn(|i| signs.of(leaf, leaf.corner(i)));
            let low = leaf.low.map(i64::from);
            let mut around_centre = |low: [i64; 3]| {
                cells.extend(FACES.iter().map(|d| offset(low, *d, leaf.size)));
            };
            if corners.iter().any(|&c| c != centre) {
                around_centre(low);
            }
            for d in FACES {
                // Between leaves of two sizes no edge runs from centre to centre.
                if let Some((beside, _)) =
                    this.beside(leaf, d).filter(|(l, cut)| !cut && (!this.mixed || l.size == leaf.size))
                {
                    let there = match beside.side {
                        Side::Surface => signs.of(&beside, beside.centre()),
                        side => side == Side::Inside,
                    };
                    if there != centre {
                        around_centre(low);
                        around_centre(offset(low, d, leaf.size));
                    }
                }
            }
            for i in 0..8 {
                let changes = corners[i] != centre || (0..3).any(|c| corners[i] != corners[i ^ (1 << c)]);
                if changes {
                    let corner = leaf.corner(i).map(i64::from);
                    let low = |j: i64| [0, 1, 2].map(|c| corner[c] - i64::from(leaf.size) * (j >> c & 1));
                    cells.extend((0..8).map(low));
                }
            }
            cells.into_iter().map(|p| (p, leaf.size))
        })
        .collect();
    cells.par_sort_unstable();
    cells.dedup();
    for (p, size) in cells {
        // Leaves of the surface have the size that is meant for them.
        let known = |l: &Leaf| !tree.mixed || l.side != Side::Surface;
        if tree.find(p, size).is_some_and(|(leaf, _)| known(&leaf)) {
            tree.refine(p, size);
        }
    }
}

fn offset(low: [i64; 3], d: [i64; 3], size: u32) -> [i64; 3] {
    [0, 1, 2].map(|c| low[c] + d[c] * i64::from(size))
}

/// Points between two looks at the watch.
pub(super) const CHUNK: usize = 1 << 15;

/// The tets of the leaves that touch the inside.
pub(super) fn lattice(tree: &Octree, signs: &Signs) -> Lattice {
    let tets = tree
        .leaves()
        .par_iter()
        .filter(|leaf| tree.mixed || leaf.side != Side::Outside)
        .flat_map_iter(|leaf| {
            let mut tets = Vec::new();
            for d in FACES {
                let Some((beside, divided)) = tree.beside(leaf, d) else { continue };
                // A small leaf outside speaks only to a larger one that the surface passes through.
                if leaf.side == Side::Outside && (beside.size == leaf.size || beside.side == Side::Outside) {
                    continue;
                }
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
    Lattice { frame: tree.frame, tets, mixed: tree.mixed }
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
