//! The edges of a surface, each once, and the faces that meet in them.

use rayon::prelude::*;

use super::parts::UnionFind;
use crate::Faces;

/// One face at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeUse {
    /// The face.
    pub face: u32,
    /// Which of its sides: the one from corner `side` to the next.
    pub side: u32,
    /// Whether that side runs from the smaller vertex to the larger.
    pub forward: bool,
}

/// Every edge of a surface once, ascending by its vertices, with the faces along it.
///
/// A side whose two ends are the same vertex is no edge; a face of fewer than three corners has no sides.
#[derive(Clone, Debug)]
pub struct Edges {
    ends: Vec<[u32; 2]>,
    /// Edge e owns `uses[offsets[e] .. offsets[e + 1]]`.
    offsets: Vec<u32>,
    uses: Vec<EdgeUse>,
    /// Face f owns `side_edges[side_offsets[f] ..]`, one number for each corner.
    side_offsets: Vec<u32>,
    side_edges: Vec<u32>,
}

/// In the table of sides: this side is no edge.
const NO_EDGE: u32 = u32::MAX;

impl Edges {
    /// The edges of `faces`.
    pub fn new(faces: &Faces) -> Self {
        let mut sides: Vec<(u64, u32, u32)> = Vec::with_capacity(faces.corners().len());
        let mut side_offsets = Vec::with_capacity(faces.len() + 1);
        let mut corners_before = 0;
        for (f, corners) in faces.iter().enumerate() {
            side_offsets.push(corners_before);
            corners_before += corners.len() as u32;
            if corners.len() < 3 {
                continue;
            }
            for (side, &a) in corners.iter().enumerate() {
                let b = corners[(side + 1) % corners.len()];
                if a != b {
                    sides.push((u64::from(a.min(b)) << 32 | u64::from(a.max(b)), f as u32, side as u32));
                }
            }
        }
        sides.par_sort_unstable();
        let mut edges = Self {
            ends: Vec::with_capacity(sides.len() / 2 + 1),
            offsets: Vec::with_capacity(sides.len() / 2 + 2),
            uses: Vec::with_capacity(sides.len()),
            side_edges: vec![NO_EDGE; corners_before as usize],
            side_offsets,
        };
        edges.offsets.push(0);
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            let ends = [(group[0].0 >> 32) as u32, group[0].0 as u32];
            for &(_, face, side) in group {
                let forward = faces.get(face as usize)[side as usize] == ends[0];
                edges.uses.push(EdgeUse { face, side, forward });
                edges.side_edges[(edges.side_offsets[face as usize] + side) as usize] =
                    edges.ends.len() as u32;
            }
            edges.ends.push(ends);
            edges.offsets.push(edges.uses.len() as u32);
        }
        edges
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The two vertices of edge `e`, the smaller first.
    pub fn ends(&self, e: usize) -> [u32; 2] {
        self.ends[e]
    }

    /// The two vertices of every edge, ascending.
    pub fn all_ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The faces along edge `e`, ascending. One: it is on the rim. Two: the inside of a manifold.
    pub fn uses(&self, e: usize) -> &[EdgeUse] {
        &self.uses[self.offsets[e] as usize..self.offsets[e + 1] as usize]
    }

    /// The edge on side `side` of `face`, if that side is one.
    pub fn of_side(&self, face: u32, side: u32) -> Option<u32> {
        Some(self.side_edges[(self.side_offsets[face as usize] + side) as usize]).filter(|&e| e != NO_EDGE)
    }

    /// The vertices of a side in the order in which its face runs through them.
    pub fn run(&self, faces: &Faces, along: EdgeUse) -> [u32; 2] {
        let corners = faces.get(along.face as usize);
        [corners[along.side as usize], corners[(along.side as usize + 1) % corners.len()]]
    }

    /// Where corner `corner` of `face` stands in a list of all corners of all faces.
    fn slot(&self, face: u32, corner: usize) -> u32 {
        self.side_offsets[face as usize] + corner as u32
    }
}

/// Two triangles that share an edge: the hinge of Discrete Shells (GHDS03 in docs/papers.md).
///
/// ```text
///          opposite[0]
///            ╱    ╲          triangles[0] = (edge[0], edge[1], opposite[0]), counter-clockwise
///     edge[0] ──→ edge[1]
///            ╲    ╱          triangles[1] = (edge[1], edge[0], opposite[1]), if the surface is oriented consistently
///          opposite[1]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flap {
    /// The common edge, as it runs in the first triangle.
    pub edge: [u32; 2],
    /// The third corner of each triangle.
    pub opposite: [u32; 2],
    /// The two triangles; the smaller number first.
    pub triangles: [u32; 2],
}

/// The flaps of a triangle surface, in the order of its edges. Edges with one face or with three and more have none.
pub fn flaps(triangles: &[[u32; 3]]) -> Vec<Flap> {
    let faces = Faces::from_triangles(triangles);
    let edges = Edges::new(&faces);
    (0..edges.len())
        .filter_map(|e| match edges.uses(e) {
            [a, b] if a.face != b.face => Some(Flap {
                edge: edges.run(&faces, *a),
                opposite: [a, b].map(|u| triangles[u.face as usize][(u.side as usize + 2) % 3]),
                triangles: [a.face, b.face],
            }),
            _ => None,
        })
        .collect()
}

/// Vertices whose faces do not form one fan or one disc, ascending: there the surface only touches itself, although
/// every edge may be sound. Faces are connected around a vertex by any edge they share, however many share it.
pub fn pinched_vertices(faces: &Faces, edges: &Edges, vertices: usize) -> Vec<u32> {
    let mut corners = UnionFind::new(faces.corners().len());
    let corner_at = |u: EdgeUse, v: u32| {
        let face = faces.get(u.face as usize);
        let side = u.side as usize;
        edges.slot(u.face, if face[side] == v { side } else { (side + 1) % face.len() })
    };
    for e in 0..edges.len() {
        for pair in edges.uses(e).windows(2) {
            for v in edges.ends(e) {
                corners.join(corner_at(pair[0], v), corner_at(pair[1], v));
            }
        }
    }
    // The first fan met at each vertex; a corner of another fan betrays a pinch.
    const NONE: u32 = u32::MAX;
    let mut fan = vec![NONE; vertices];
    let mut pinched = vec![false; vertices];
    for (f, face) in faces.iter().enumerate() {
        for (c, &v) in face.iter().enumerate() {
            // Two corners in a row that are the same vertex are one corner.
            if face.len() < 3 || face[(c + 1) % face.len()] == v {
                continue;
            }
            let root = corners.root(edges.slot(f as u32, c));
            match fan[v as usize] {
                NONE => fan[v as usize] = root,
                known => pinched[v as usize] |= known != root,
            }
        }
    }
    (0..vertices as u32).filter(|&v| pinched[v as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles() {
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let faces = Faces::from_triangles(&triangles);
        let edges = Edges::new(&faces);
        assert_eq!(edges.all_ends(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
        assert_eq!(
            edges.uses(1).iter().map(|u| (u.face, u.forward)).collect::<Vec<_>>(),
            [(0, false), (1, true)]
        );
        let flap = flaps(&triangles);
        assert_eq!(flap, [Flap { edge: [2, 0], opposite: [1, 3], triangles: [0, 1] }]);
    }

    #[test]
    fn flaps_read_like_their_drawing() {
        let mesh = crate::shapes::ball(1.0, 3);
        let triangles = super::super::boundary_faces(mesh.tets());
        let all = flaps(&triangles);
        // A closed surface of triangles has 3/2 edges a face, each a flap.
        assert_eq!(2 * all.len(), 3 * triangles.len());
        let same = |t: u32, corners: [u32; 3]| {
            (0..3).any(|s| [0, 1, 2].map(|c| triangles[t as usize][(c + s) % 3]) == corners)
        };
        for f in all {
            assert!(same(f.triangles[0], [f.edge[0], f.edge[1], f.opposite[0]]), "{f:?}");
            assert!(same(f.triangles[1], [f.edge[1], f.edge[0], f.opposite[1]]), "{f:?}");
        }
    }

    #[test]
    fn a_repeated_corner_is_no_edge() {
        let faces: Faces = [&[0u32, 0, 1, 2][..], &[3, 4], &[]].into_iter().collect();
        let edges = Edges::new(&faces);
        assert_eq!(edges.all_ends(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!((edges.of_side(0, 0), edges.of_side(0, 1)), (None, Some(0)));
        assert!(pinched_vertices(&faces, &edges, 5).is_empty());
    }

    #[test]
    fn two_pyramids_on_one_tip_are_pinched_there() {
        let bow_tie = Faces::from_triangles(&[[0, 1, 2], [2, 3, 4]]);
        assert_eq!(pinched_vertices(&bow_tie, &Edges::new(&bow_tie), 5), [2]);
        let strip = Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]);
        assert!(pinched_vertices(&strip, &Edges::new(&strip), 4).is_empty());
    }
}
