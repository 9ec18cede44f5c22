//! The parts of a mesh: elements that hang together by a vertex, or by a whole side.

use crate::Elements;
use crate::measure::TET_FACES;
use crate::topology::Edges;

/// For every vertex the number of its connected part (0, 1, … in the order of first vertices), or `None` for a vertex
/// that no element uses; and how many parts there are. Elements that share a vertex are connected.
pub fn components<'a>(
    vertices: usize,
    elements: impl IntoIterator<Item = &'a [u32]>,
) -> (Vec<Option<u32>>, usize) {
    let mut union = UnionFind::new(vertices);
    let mut used = vec![false; vertices];
    for corners in elements {
        for &v in corners {
            used[v as usize] = true;
            union.join(corners[0], v);
        }
    }
    let mut number = vec![None; vertices];
    let mut count = 0;
    let part = (0..vertices)
        .map(|v| {
            used[v].then(|| {
                let root = union.root(v as u32) as usize;
                *number[root].get_or_insert_with(|| {
                    count += 1;
                    count as u32 - 1
                })
            })
        })
        .collect();
    (part, count)
}

/// For every element the number of its part, and how many parts there are; here only a common side connects: an edge
/// of two faces, a face of two tets. A bow tie of two triangles is one part by vertex and two by side.
pub fn joined_components(elements: &Elements) -> (Vec<u32>, usize) {
    let mut union = UnionFind::new(elements.len());
    match elements {
        Elements::Faces(faces) => {
            let edges = Edges::new(faces);
            for e in 0..edges.len() {
                for pair in edges.uses(e).windows(2) {
                    union.join(pair[0].face, pair[1].face);
                }
            }
        }
        Elements::Tets(tets) => {
            for shared in super::boundary::tet_faces(tets).chunk_by(|a, b| a.corners == b.corners) {
                for pair in shared.windows(2) {
                    union.join(pair[0].tet, pair[1].tet);
                }
            }
        }
    }
    union.numbers()
}

/// Disjoint sets with path halving; the smallest member is the root, so results never depend on the order of joins.
pub struct UnionFind(Vec<u32>);

impl UnionFind {
    /// `n` sets of one member.
    pub fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    /// The smallest member of the set of `v`.
    pub fn root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    /// Makes one set of the sets of `a` and `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// For every member the number of its set (0, 1, … in the order of smallest members), and how many there are.
    pub fn numbers(mut self) -> (Vec<u32>, usize) {
        let mut count = 0;
        let mut number = vec![0; self.0.len()];
        for v in 0..self.0.len() {
            let root = self.root(v as u32) as usize;
            // The root is the smallest member, so it has its number before the others ask for it.
            if root == v {
                number[v] = count;
                count += 1;
            } else {
                number[v] = number[root];
            }
        }
        (number, count as usize)
    }
}

/// The four faces of a tet in the order of [`TET_FACES`].
pub(super) fn faces_of(tet: &[u32; 4]) -> [[u32; 3]; 4] {
    TET_FACES.map(|f| f.map(|c| tet[c]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Faces;

    #[test]
    fn parts_are_counted_and_unused_vertices_have_none() {
        let tets = [[0u32, 1, 2, 3], [5, 6, 7, 8], [3, 9, 10, 11]];
        let (part, count) = components(12, tets.iter().map(|t| &t[..]));
        assert_eq!(count, 2);
        assert_eq!(part[4], None);
        assert_eq!(part[11], Some(0));
        assert_eq!(part[8], Some(1));
    }

    #[test]
    fn a_common_vertex_is_not_a_common_side() {
        let bow_tie = Elements::Faces(Faces::from_triangles(&[[0, 1, 2], [2, 3, 4], [4, 3, 5]]));
        assert_eq!(joined_components(&bow_tie), (vec![0, 1, 1], 2));
        let tets = Elements::Tets(vec![[0, 1, 2, 3], [2, 3, 4, 5], [1, 2, 3, 6]]);
        assert_eq!(joined_components(&tets), (vec![0, 1, 0], 2));
    }
}
