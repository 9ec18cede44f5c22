//! Who touches whom.

use crate::measure::TET_FACES;

/// The faces that belong to one tet only, outward, in the order of the tets. Shared faces of any orientation cancel.
pub fn boundary_faces(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    // (sorted corners, tet, local face); sorting beats hashing here and gives an order that never changes.
    let mut faces: Vec<([u32; 3], u32, u8)> = Vec::with_capacity(tets.len() * 4);
    for (t, tet) in tets.iter().enumerate() {
        for (f, face) in TET_FACES.iter().enumerate() {
            let mut key = face.map(|c| tet[c]);
            key.sort_unstable();
            faces.push((key, t as u32, f as u8));
        }
    }
    faces.sort_unstable();
    let mut alone: Vec<(u32, u8)> = faces
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|group| group.len() == 1)
        .map(|group| (group[0].1, group[0].2))
        .collect();
    alone.sort_unstable();
    alone.into_iter().map(|(t, f)| TET_FACES[f as usize].map(|c| tets[t as usize][c])).collect()
}

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tets_share_a_face() {
        let boundary = boundary_faces(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(boundary.len(), 6);
        assert!(!boundary.iter().any(|f| f.iter().all(|v| [1, 2, 3].contains(v))));
    }

    #[test]
    fn parts_are_counted_and_unused_vertices_have_none() {
        let tets = [[0u32, 1, 2, 3], [5, 6, 7, 8], [3, 9, 10, 11]];
        let (part, count) = components(12, tets.iter().map(|t| &t[..]));
        assert_eq!(count, 2);
        assert_eq!(part[4], None);
        assert_eq!(part[11], Some(0));
        assert_eq!(part[8], Some(1));
    }
}
