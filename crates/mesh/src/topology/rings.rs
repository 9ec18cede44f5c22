//! One-rings: for every vertex the elements at it, and the vertices next to it.

use rayon::prelude::*;

use crate::measure::TET_EDGES;

/// Rows of different lengths in one piece of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Row i owns `items[offsets[i] .. offsets[i + 1]]`; starts with 0.
    pub offsets: Vec<u32>,
    /// All rows, one after another.
    pub items: Vec<u32>,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`, ascending.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Rows from pairs (row, item) that come with their items ascending within each row.
    fn gather(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            offsets[row as usize + 1] += 1;
        }
        for i in 0..rows {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[rows] as usize];
        for (row, item) in pairs {
            let at = &mut next[row as usize];
            items[*at as usize] = item;
            *at += 1;
        }
        Self { offsets, items }
    }
}

/// For every vertex the elements that use it, ascending, each once even if it names the vertex twice.
pub fn vertex_elements<'a, I>(vertices: usize, elements: I) -> Rows
where
    I: IntoIterator<Item = &'a [u32]>,
    I::IntoIter: Clone,
{
    let pairs = elements.into_iter().enumerate().flat_map(|(e, corners)| {
        corners
            .iter()
            .enumerate()
            .filter(move |(c, v)| !corners[..*c].contains(v))
            .map(move |(_, &v)| (v, e as u32))
    });
    Rows::gather(vertices, pairs)
}

/// For every vertex the vertices it shares an edge with, ascending. `edges` hold each edge once, as
/// [`super::Edges::all_ends`] and [`tet_edges`] do.
pub fn vertex_neighbours(vertices: usize, edges: &[[u32; 2]]) -> Rows {
    // Edges ascend, so first all smaller neighbours come, then all larger ones, each ascending.
    let smaller = edges.iter().map(|&[a, b]| (b, a));
    let larger = edges.iter().map(|&[a, b]| (a, b));
    Rows::gather(vertices, smaller.chain(larger))
}

/// Every edge of a solid once, the smaller vertex first, ascending.
pub fn tet_edges(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = tets
        .iter()
        .flat_map(|t| TET_EDGES.map(|[i, j]| [t[i].min(t[j]), t[i].max(t[j])]))
        .filter(|[a, b]| a != b)
        .collect();
    edges.par_sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Faces;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rings_are_what_a_plain_search_finds(tets in proptest::collection::vec([0..12u32, 0..12, 0..12, 0..12], 0..20)) {
            let edges = tet_edges(&tets);
            let around = vertex_elements(12, tets.iter().map(|t| &t[..]));
            let beside = vertex_neighbours(12, &edges);
            for v in 0..12u32 {
                let plain: Vec<u32> = (0..tets.len() as u32).filter(|&t| tets[t as usize].contains(&v)).collect();
                prop_assert_eq!(around.row(v as usize), &plain[..]);
                let plain: Vec<u32> = (0..12)
                    .filter(|&w| w != v && tets.iter().any(|t| t.contains(&v) && t.contains(&w)))
                    .collect();
                prop_assert_eq!(beside.row(v as usize), &plain[..]);
            }
        }
    }

    #[test]
    fn the_ring_of_a_quad_has_no_diagonal() {
        let faces: Faces = [&[0u32, 1, 2, 3][..]].into_iter().collect();
        let ring = vertex_neighbours(4, super::super::Edges::new(&faces).all_ends());
        assert_eq!(ring.row(0), [1, 3]);
    }
}
