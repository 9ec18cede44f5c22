//! Which blocks of a symmetric matrix are stored.

use std::{ops::Range, sync::Arc};

/// The places of the blocks of a symmetric matrix, lower triangle by column, the diagonal always there and first.
#[derive(Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Column j's blocks are `rows[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
    /// Ascending within a column.
    rows: Vec<u32>,
}

impl Pattern {
    /// Rows i and j meet wherever a clique holds both: the corners of a tet, of a hinge, of an edge.
    pub fn from_cliques<'a>(size: usize, cliques: impl Iterator<Item = &'a [u32]> + Clone) -> Arc<Self> {
        // Count, place, then sort and merge each column: no hashing, and the same result for any order of cliques.
        let pairs = |clique: &'a [u32]| {
            clique.iter().enumerate().flat_map(move |(a, &i)| {
                clique[..a].iter().map(move |&j| (i.max(j), i.min(j))).filter(|(i, j)| i != j)
            })
        };
        let mut starts = vec![0_usize; size + 1];
        (0..size).for_each(|j| starts[j + 1] = 1);
        cliques.clone().flat_map(pairs).for_each(|(_, j)| starts[j as usize + 1] += 1);
        (0..size).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut rows = vec![0_u32; starts[size]];
        let mut put = |i: u32, j: usize| {
            rows[next[j]] = i;
            next[j] += 1;
        };
        (0..size).for_each(|j| put(j as u32, j));
        cliques.flat_map(pairs).for_each(|(i, j)| put(i, j as usize));
        let (mut kept, mut begin) = (0, 0);
        for j in 0..size {
            let end = starts[j + 1];
            rows[begin..end].sort_unstable();
            starts[j] = kept;
            for k in begin..end {
                if k == begin || rows[k] != rows[k - 1] {
                    // `kept` never passes `k`, and `rows[k - 1]` is compared before it can be overwritten by a later k.
                    rows[kept] = rows[k];
                    kept += 1;
                }
            }
            begin = end;
        }
        starts[size] = kept;
        rows.truncate(kept);
        Arc::new(Self { starts, rows })
    }

    /// The diagonal alone.
    pub fn diagonal(size: usize) -> Arc<Self> {
        Self::from_cliques(size, std::iter::empty())
    }

    /// Rows (= columns) of blocks.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many blocks are stored.
    pub fn blocks(&self) -> usize {
        self.rows.len()
    }

    /// The slots of column j, and the row of each; the first is the diagonal.
    pub fn column(&self, j: usize) -> (Range<usize>, &[u32]) {
        let slots = self.starts[j]..self.starts[j + 1];
        (slots.clone(), &self.rows[slots])
    }

    /// Where block (i, j) is stored, i ≥ j.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let (slots, rows) = self.column(j);
        rows.binary_search(&(i as u32)).ok().map(|k| slots.start + k)
    }

    /// Whether two patterns store the same places.
    pub fn same(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self == other
    }

    /// Whether only the diagonal is stored.
    pub fn is_diagonal(&self) -> bool {
        self.blocks() == self.size()
    }
}
