//! Where a mesh ends: the faces of a solid that belong to one tet, the loops of a surface that belong to one face.

use super::edges::Edges;
use super::parts::faces_of;
use crate::Faces;
use crate::measure::TET_FACES;

/// A face of a solid that belongs to one tet only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryFace {
    /// Its corners, counter-clockwise seen from outside (from inside, if the tet is inverted).
    pub corners: [u32; 3],
    /// The tet it belongs to.
    pub tet: u32,
}

/// A face of a tet, findable by its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TetFace {
    /// Ascending.
    pub corners: [u32; 3],
    /// The tet it belongs to.
    pub tet: u32,
    /// Which of its faces, as in [`TET_FACES`].
    pub face: u8,
}

/// The faces that belong to one tet only, outward, in the order of the tets. Shared faces of any orientation cancel.
pub fn boundary_faces(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    boundary_triangles(tets).into_iter().map(|f| f.corners).collect()
}

/// The same faces in the same order, each with its tet.
pub fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<BoundaryFace> {
    let mut alone: Vec<(u32, u8)> = tet_faces(tets)
        .chunk_by(|a, b| a.corners == b.corners)
        .filter(|group| group.len() == 1)
        .map(|group| (group[0].tet, group[0].face))
        .collect();
    alone.sort_unstable();
    alone
        .into_iter()
        .map(|(t, f)| BoundaryFace { corners: TET_FACES[f as usize].map(|c| tets[t as usize][c]), tet: t })
        .collect()
}

/// Every face of every tet, sorted by its corners: equal faces are neighbours in the list, their tets ascending.
pub fn tet_faces(tets: &[[u32; 4]]) -> Vec<TetFace> {
    use rayon::prelude::*;
    // Sorting beats hashing here and gives an order that never changes.
    let mut faces: Vec<TetFace> = Vec::with_capacity(tets.len() * 4);
    for (t, tet) in tets.iter().enumerate() {
        for (f, mut corners) in faces_of(tet).into_iter().enumerate() {
            corners.sort_unstable();
            faces.push(TetFace { corners, tet: t as u32, face: f as u8 });
        }
    }
    faces.par_sort_unstable();
    faces
}

/// A piece of the rim of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its vertices in order; the surface lies to the left if its faces are oriented consistently.
    pub vertices: Vec<u32>,
    /// Its edges in order, as numbers of [`Edges`]; edge i starts at vertex i.
    pub edges: Vec<u32>,
    /// Whether the last vertex is joined to the first. Only a non-manifold edge or a face without area on the rim
    /// leaves a loop open.
    pub closed: bool,
}

/// Whether every edge of a surface lies between two of its faces: it has no rim, and no third face meets another two.
///
/// ```
/// use pliant_mesh::{Elements, shapes, topology};
/// let ball = shapes::ball(1.0, 2).boundary().into_data();
/// let Elements::Faces(faces) = &ball.elements else { unreachable!("a surface") };
/// assert!(topology::is_closed(faces));
/// assert!(!topology::is_closed(&faces.iter().skip(1).collect()));
/// ```
pub fn is_closed(faces: &Faces) -> bool {
    let edges = Edges::new(faces);
    !edges.is_empty() && (0..edges.len()).all(|e| edges.uses(e).len() == 2)
}

/// The loops of edges that belong to one face only, in the order of their smallest edges. Where the surface touches
/// itself in a vertex, a loop follows its own fan of faces, so loops never cross.
pub fn boundary_loops(faces: &Faces, edges: &Edges) -> Vec<Loop> {
    let rim = |e: usize| edges.uses(e).len() == 1;
    let mut seen = vec![false; edges.len()];
    let mut loops = Vec::new();
    for first in (0..edges.len()).filter(|&e| rim(e)) {
        if seen[first] {
            continue;
        }
        let mut ahead = Loop { vertices: Vec::new(), edges: Vec::new(), closed: false };
        let start = edges.run(faces, edges.uses(first)[0]);
        ahead.closed = follow(faces, edges, first, start, &mut seen, &mut ahead);
        if !ahead.closed {
            // The other way, too: the piece began somewhere before the edge that we happened to meet first.
            let mut back = Loop { vertices: Vec::new(), edges: Vec::new(), closed: false };
            let [from, to] = start;
            follow(faces, edges, first, [to, from], &mut seen, &mut back);
            // `back` holds first as its edge 0 again, and the vertices behind it.
            let end = ahead.vertices.split_off(1);
            ahead.vertices = back.vertices[1..].iter().rev().copied().chain(end).collect();
            ahead.edges = back.edges[1..].iter().rev().copied().chain(ahead.edges).collect();
        }
        loops.push(ahead);
    }
    loops
}

/// Walks along the rim from edge `first`, which is run from `[from, to]`; true if it came back to where it began.
fn follow(
    faces: &Faces,
    edges: &Edges,
    first: usize,
    [from, to]: [u32; 2],
    seen: &mut [bool],
    path: &mut Loop,
) -> bool {
    path.vertices.push(from);
    let (mut edge, mut at) = (first, to);
    loop {
        seen[edge] = true;
        path.edges.push(edge as u32);
        match next_on_rim(faces, edges, edge, at) {
            Some(next) if next == first && at == from => return true,
            Some(next) if !seen[next] => {
                path.vertices.push(at);
                let [a, b] = edges.ends(next);
                at = if a == at { b } else { a };
                edge = next;
            }
            // The end of an open piece: its last vertex belongs to it.
            _ => {
                path.vertices.push(at);
                return false;
            }
        }
    }
}

/// Turns around vertex `at`, from face to face, from the rim edge `edge` to the other rim edge of that fan.
fn next_on_rim(faces: &Faces, edges: &Edges, edge: usize, at: u32) -> Option<usize> {
    let mut along = edges.uses(edge)[0];
    // A fan has no more faces than the surface; a broken one might turn for ever.
    for _ in 0..=faces.len() {
        let corners = faces.get(along.face as usize);
        let n = corners.len() as u32;
        // Side s runs from corner s to corner s + 1.
        let side =
            if corners[along.side as usize] == at { (along.side + n - 1) % n } else { (along.side + 1) % n };
        let next = edges.of_side(along.face, side)? as usize;
        match edges.uses(next) {
            [_] => return Some(next),
            [a, b] => along = if (a.face, a.side) == (along.face, side) { *b } else { *a },
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tets_share_a_face() {
        let tets = [[0, 1, 2, 3], [1, 2, 3, 4]];
        let boundary = boundary_faces(&tets);
        assert_eq!(boundary.len(), 6);
        assert!(!boundary.iter().any(|f| f.iter().all(|v| [1, 2, 3].contains(v))));
        assert_eq!(boundary_triangles(&tets).iter().map(|f| f.tet).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
        let all = tet_faces(&tets);
        let shared: Vec<_> = all.chunk_by(|a, b| a.corners == b.corners).filter(|g| g.len() > 1).collect();
        assert_eq!(shared.len(), 1);
        assert_eq!((shared[0][0].corners, shared[0][0].tet, shared[0][1].tet), ([1, 2, 3], 0, 1));
    }

    fn loops(triangles: &[[u32; 3]]) -> Vec<Loop> {
        let faces = Faces::from_triangles(triangles);
        boundary_loops(&faces, &Edges::new(&faces))
    }

    #[test]
    fn a_strip_has_one_loop_that_runs_with_its_faces() {
        let found = loops(&[[0, 1, 2], [2, 1, 3]]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].vertices, [0, 1, 3, 2]);
        assert!(found[0].closed);
        assert_eq!(found[0].edges.len(), 4);
    }

    #[test]
    fn a_ring_has_two_loops_and_a_bow_tie_one_for_each_wing() {
        // A triangular tube without its ends.
        let tube = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
        let found = loops(&tube);
        assert_eq!(found.iter().map(|l| l.vertices.len()).collect::<Vec<_>>(), [3, 3]);
        let found = loops(&[[0, 1, 2], [2, 3, 4]]);
        assert_eq!(found.iter().map(|l| l.closed).collect::<Vec<_>>(), [true, true]);
    }

    #[test]
    fn three_pages_of_a_book_leave_open_pieces() {
        let found = loops(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
        assert_eq!(found.len(), 3);
        for piece in &found {
            assert!(!piece.closed);
            assert_eq!((piece.edges.len(), piece.vertices.len()), (2, 3));
            assert_eq!(
                [piece.vertices[0].min(piece.vertices[2]), piece.vertices[0].max(piece.vertices[2])],
                [0, 1]
            );
        }
    }
}
