//! Which way faces look: whether neighbours agree, and whether a closed surface looks outward.
//!
//! Two faces agree when they run through their common edge in opposite directions. Agreement spreads over edges of
//! exactly two faces; what hangs together that way is a *patch*. In a patch the fewer faces are called wrong. A patch
//! that bounds a volume looks outward when that volume is positive. One that lies within another keeps its sense
//! relative to it, since a cavity rightly looks into its hole:
//! ```text
//! V = ⅙ Σ a · (b × c)                                                    (1)  divergence theorem
//! ```
//! What lies within what is told by the winding number (`winding.rs`), asked only of patches whose box
//! holds the point, and of a bounded number of them: thousands of long thin patches may all lie in each other's boxes.

use std::sync::OnceLock;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::edges::Edges;
use crate::Faces;
use crate::bvh::{Aabb, Bvh};
use crate::measure::triangulate;
use crate::winding::Winding;

/// What [`orientation`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// For every face its patch, numbered in the order of their first faces.
    pub patch_of: Vec<u32>,
    /// How many patches there are.
    pub patches: usize,
    /// Faces that look against the rest of their patch, ascending; turning them makes the surface consistent.
    pub against: Vec<u32>,
    /// Edges where no turning can make the two faces agree, ascending: the patch is one-sided, as a Möbius band is.
    /// Which edges these are depends on where the patch is entered; that there are some does not.
    pub twisted: Vec<u32>,
}

/// Whether neighbours agree, and which faces do not.
pub fn orientation(faces: &Faces, edges: &Edges) -> Orientation {
    const NONE: u32 = u32::MAX;
    let mut found = Orientation {
        patch_of: vec![NONE; faces.len()],
        patches: 0,
        against: Vec::new(),
        twisted: Vec::new(),
    };
    let mut turned = vec![false; faces.len()];
    let mut patch = Vec::new();
    for seed in 0..faces.len() {
        if found.patch_of[seed] != NONE {
            continue;
        }
        patch.clear();
        patch.push(seed as u32);
        found.patch_of[seed] = found.patches as u32;
        let mut done = 0;
        while let Some(&f) = patch.get(done) {
            done += 1;
            for side in 0..faces.get(f as usize).len() as u32 {
                let Some(e) = edges.of_side(f, side) else { continue };
                let [a, b] = edges.uses(e as usize) else { continue };
                let (me, other) = if (a.face, a.side) == (f, side) { (a, b) } else { (b, a) };
                // Both sides run the same way: one of the faces must be turned.
                let wanted = turned[f as usize] ^ (me.forward == other.forward);
                if found.patch_of[other.face as usize] == NONE {
                    found.patch_of[other.face as usize] = found.patches as u32;
                    turned[other.face as usize] = wanted;
                    patch.push(other.face);
                } else if turned[other.face as usize] != wanted {
                    found.twisted.push(e);
                }
            }
        }
        found.patches += 1;
        let against = patch.iter().filter(|&&f| turned[f as usize]).count();
        // The fewer are wrong; of two halves the one without the first face.
        let wrong = 2 * against <= patch.len();
        found.against.extend(patch.iter().filter(|&&f| turned[f as usize] == wrong));
    }
    found.against.sort_unstable();
    found.twisted.sort_unstable();
    found.twisted.dedup();
    found
}

/// Turns faces so that neighbours agree and closed patches look outward. Returns the faces and which were turned,
/// ascending. Nothing but the order of corners changes; a turned face keeps its first corner.
pub fn orient(vertices: &[Vec3], faces: &Faces) -> (Faces, Vec<u32>) {
    let edges = Edges::new(faces);
    let found = orientation(faces, &edges);
    let consistent = turned(faces, &found.against);
    let inside_out = inside_out_patches(vertices, &consistent, &edges, &found).turn;
    let mut turn = vec![false; faces.len()];
    found.against.iter().for_each(|&f| turn[f as usize] = true);
    for (f, &patch) in found.patch_of.iter().enumerate() {
        turn[f] ^= inside_out[patch as usize];
    }
    let which: Vec<u32> = (0..faces.len() as u32).filter(|&f| turn[f as usize]).collect();
    (turned(faces, &which), which)
}

/// The faces with those in `which` (ascending) run through the other way around.
pub fn turned(faces: &Faces, which: &[u32]) -> Faces {
    let mut next = which.iter().copied().peekable();
    let mut all = Faces::new();
    let mut corners = Vec::new();
    for (f, face) in faces.iter().enumerate() {
        corners.clear();
        corners.extend_from_slice(face);
        if next.next_if_eq(&(f as u32)).is_some() && !corners.is_empty() {
            corners[1..].reverse();
        }
        all.push(&corners);
    }
    all
}

/// For every patch whether it bounds a volume once its faces agree: each edge is run as often one way as the other by
/// the faces of the patch.
pub(crate) fn bounding_patches(edges: &Edges, found: &Orientation) -> Vec<bool> {
    let mut turn = vec![false; found.patch_of.len()];
    found.against.iter().for_each(|&f| turn[f as usize] = true);
    let mut bounding = vec![true; found.patches];
    let mut sums: Vec<(u32, i32)> = Vec::new();
    for e in 0..edges.len() {
        sums.clear();
        for along in edges.uses(e) {
            let patch = found.patch_of[along.face as usize];
            let step = if along.forward ^ turn[along.face as usize] { 1 } else { -1 };
            sums.push((patch, step));
        }
        sums.sort_unstable();
        for same in sums.chunk_by(|a, b| a.0 == b.0) {
            bounding[same[0].0 as usize] &= same.iter().map(|s| s.1).sum::<i32>() == 0;
        }
    }
    bounding
}

/// What [`inside_out_patches`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InsideOut {
    /// For every patch whether it must be turned to look outward.
    pub(crate) turn: Vec<bool>,
    /// Patches in so many boxes of others that not all of those were asked whether they lie around it.
    pub(crate) unsure: usize,
}

/// How many others are asked whether they lie around one of so many patches or parts: all of up to two thousand, and four
/// million times in all, which takes seconds.
pub(crate) fn most_hosts(patches: usize) -> usize {
    ((1 << 22) / patches.max(1)).max(32)
}

/// For every patch whether it must be turned to look outward; `faces` are consistent, `edges` those of the surface
/// before turning. Patches that bound nothing are left alone.
pub(crate) fn inside_out_patches(
    vertices: &[Vec3],
    faces: &Faces,
    edges: &Edges,
    found: &Orientation,
) -> InsideOut {
    let bounding = bounding_patches(edges, found);
    // Triangles of each patch, in the order of the patches.
    let mut triangles: Vec<Vec<[u32; 3]>> = vec![Vec::new(); found.patches];
    let mut one = Faces::new();
    for (f, face) in faces.iter().enumerate() {
        let list = &mut triangles[found.patch_of[f] as usize];
        match face {
            [a, b, c] => list.push([*a, *b, *c]),
            _ => {
                one.push(face);
                list.extend(triangulate(vertices, &one));
                one = Faces::new();
            }
        }
    }
    let boxes: Vec<Aabb> = triangles
        .iter()
        .map(|t| Aabb::around(t.as_flattened().iter().map(|&v| &vertices[v as usize])))
        .collect();
    let tree = Bvh::new(boxes);
    // Equation (1) seen from a corner of the patch; the box around all vertices would cost too much for each of many.
    let volume = |list: &[[u32; 3]]| {
        let Some(origin) = list.first().map(|t| vertices[t[0] as usize]) else { return 0.0 };
        let corners = list.iter().map(|t| t.map(|v| vertices[v as usize] - origin));
        corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum::<f64>()
    };
    let negative: Vec<bool> =
        (0..found.patches).into_par_iter().map(|p| bounding[p] && volume(&triangles[p]) < 0.0).collect();
    // Built for those that are asked, which are few.
    let windings: Vec<OnceLock<Winding>> = triangles.iter().map(|_| OnceLock::new()).collect();
    let winding = |q: usize| {
        let corners = || triangles[q].iter().map(|t| t.map(|v| vertices[v as usize])).collect();
        windings[q].get_or_init(|| Winding::new(corners()))
    };
    // The patch around each, if there is one: the first that is itself in no other.
    let most = most_hosts(found.patches);
    let around: Vec<(Vec<u32>, bool)> = (0..found.patches)
        .into_par_iter()
        .map(|p| {
            let Some(first) = triangles[p].first().filter(|_| bounding[p]) else {
                return (Vec::new(), false);
            };
            let point = first.iter().map(|&v| vertices[v as usize]).sum::<Vec3>() / 3.0;
            let (mut holders, more) = tree.holding(&point, most);
            holders.retain(|&q| {
                let q = q as usize;
                q != p && bounding[q] && winding(q).fine(&point).abs() > 0.5
            });
            (holders, more)
        })
        .collect();
    let turn = (0..found.patches)
        .map(|p| {
            let outermost = around[p].0.iter().find(|&&q| around[q as usize].0.is_empty());
            negative[outermost.map_or(p, |&q| q as usize)]
        })
        .collect();
    InsideOut { turn, unsure: around.iter().filter(|(_, more)| *more).count() }
}

/// χ = V − E + F, counting only vertices that a face uses. 2 for a sphere, 0 for a torus, 1 for a disc.
pub fn euler_characteristic(faces: &Faces, edges: &Edges) -> i64 {
    let mut used: Vec<u32> = faces.corners().to_vec();
    used.par_sort_unstable();
    used.dedup();
    used.len() as i64 - edges.len() as i64 + faces.len() as i64
}

/// Number of handles, g = (2 c − b − χ) / 2, for c parts with b boundary loops in all; `None` when that is not a whole
/// number ≥ 0, as for a surface that is not manifold or not orientable.
pub fn genus(euler: i64, parts: usize, loops: usize) -> Option<u64> {
    let twice = 2 * parts as i64 - loops as i64 - euler;
    (twice >= 0 && twice % 2 == 0).then_some(twice as u64 / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use crate::topology::boundary_faces;

    fn surface(mesh: &crate::TetMesh) -> (Vec<Vec3>, Faces) {
        (mesh.vertices().to_vec(), Faces::from_triangles(&boundary_faces(mesh.tets())))
    }

    /// The second surface's vertices scaled about the origin, its faces behind those of the first.
    fn both(a: &(Vec<Vec3>, Faces), b: &(Vec<Vec3>, Faces), scale: f64) -> (Vec<Vec3>, Faces) {
        let mut vertices = a.0.clone();
        let shift = vertices.len() as u32;
        vertices.extend(b.0.iter().map(|p| p * scale));
        let mut faces = a.1.clone();
        b.1.iter().for_each(|f| faces.push(&f.iter().map(|v| v + shift).collect::<Vec<_>>()));
        (vertices, faces)
    }

    #[test]
    fn turned_faces_are_found_and_turned_back() {
        let (vertices, faces) = surface(&shapes::ball(1.0, 3));
        let some = [3, 17, 40, 41];
        let broken = turned(&faces, &some);
        let found = orientation(&broken, &Edges::new(&broken));
        assert_eq!((found.against, found.twisted.len(), found.patches), (some.to_vec(), 0, 1));
        let (fixed, which) = orient(&vertices, &broken);
        assert_eq!(which, some);
        assert_eq!(fixed, faces);
    }

    proptest::proptest! {
        #[test]
        fn after_turning_neighbours_agree_and_no_more_than_half_were_turned(
            triangles in proptest::collection::vec([0..9u32, 0..9, 0..9], 1..16),
        ) {
            let faces = Faces::from_triangles(&triangles);
            let edges = Edges::new(&faces);
            let found = orientation(&faces, &edges);
            let after = turned(&faces, &found.against);
            let edges_after = Edges::new(&after);
            for e in 0..edges.len() {
                let [a, b] = edges_after.uses(e) else { continue };
                let twisted = found.twisted.contains(&(e as u32));
                proptest::prop_assert_eq!(a.forward == b.forward, twisted, "edge {:?}", edges.ends(e));
            }
            for patch in 0..found.patches as u32 {
                let size = found.patch_of.iter().filter(|&&p| p == patch).count();
                let wrong = found.against.iter().filter(|&&f| found.patch_of[f as usize] == patch).count();
                proptest::prop_assert!(2 * wrong <= size);
            }
        }
    }

    #[test]
    fn a_surface_inside_out_is_turned_and_a_cavity_is_not() {
        let ball = surface(&shapes::ball(1.0, 3));
        let n = ball.1.len() as u32;
        let all: Vec<u32> = (0..n).collect();
        let inside_out = (ball.0.clone(), turned(&ball.1, &all));
        assert_eq!(orient(&inside_out.0, &inside_out.1).1, all);
        let hollow = both(&ball, &inside_out, 0.5);
        assert_eq!(orient(&hollow.0, &hollow.1).1, Vec::<u32>::new());
        let both_wrong = both(&inside_out, &ball, 0.5);
        assert_eq!(orient(&both_wrong.0, &both_wrong.1).1, (0..2 * n).collect::<Vec<_>>());
    }

    #[test]
    fn a_moebius_band_is_twisted() {
        let band: Vec<[u32; 3]> = (0..5u32).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
        let faces = Faces::from_triangles(&band);
        assert!(!orientation(&faces, &Edges::new(&faces)).twisted.is_empty());
    }

    #[test]
    fn handles_are_counted() {
        let ball = surface(&shapes::ball(1.0, 2)).1;
        let euler = euler_characteristic(&ball, &Edges::new(&ball));
        assert_eq!((euler, genus(euler, 1, 0)), (2, Some(0)));
        // A torus of 3 × 3 quads.
        let at = |i: u32, j: u32| i % 3 + 3 * (j % 3);
        let torus: Faces = (0..9)
            .map(|k| {
                let (i, j) = (k % 3, k / 3);
                [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
            })
            .collect::<Vec<_>>()
            .iter()
            .map(|q| &q[..])
            .collect();
        let euler = euler_characteristic(&torus, &Edges::new(&torus));
        assert_eq!((euler, genus(euler, 1, 0)), (0, Some(1)));
        assert_eq!(genus(1, 1, 1), Some(0), "a disc");
    }
}
