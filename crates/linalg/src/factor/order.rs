//! In which order the free degrees of freedom are eliminated, and the matrix in that order.
//!
//! The order is found on the graph of vertices, whose size is a third of the matrix's; the free degrees of freedom of a
//! vertex follow each other.

use crate::{Dofs, Pattern, Symmetric};

use super::{FactorError, metis};

/// The free part of a matrix of B×B blocks in the order of elimination: where each of its entries comes from.
///
/// Lower triangle by column: rows of column j are `rows[starts[j]..starts[j + 1]]`, the diagonal among them, in no order.
#[derive(Clone, Debug)]
pub(super) struct Ordered {
    /// `order[new] = old`, over the free degrees of freedom; old counts all B n of them.
    pub(super) order: Vec<u32>,
    /// How many numbers a vector has, held ones included.
    pub(super) size: usize,
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<usize>,
    /// Index into the flat values of a [`Symmetric`].
    pub(super) sources: Vec<usize>,
}

const HELD: u32 = u32::MAX;

impl Ordered {
    pub(super) fn new<const B: usize>(pattern: &Pattern, dofs: &Dofs) -> Result<Self, FactorError> {
        let graph = Free::new::<B>(pattern, dofs)?;
        let order: Vec<u32> =
            graph.nested_dissection()?.into_iter().flat_map(|v| graph.numbers::<B>(v, dofs)).collect();
        let mut place = vec![HELD; dofs.size()];
        order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
        let entries = || {
            (0..pattern.size()).flat_map(|j| {
                let (slots, rows) = pattern.column(j);
                slots.zip(rows).flat_map(move |(slot, &i)| {
                    (0..B * B).map(move |k| (slot * B * B + k, B * i as usize + k / B, B * j + k % B))
                })
            })
        };
        // Of a diagonal block, which is stored whole, the part below the diagonal.
        let placed = || {
            entries().filter(|(_, i, j)| i >= j).filter_map(|(source, i, j)| {
                let (i, j) = (place[i], place[j]);
                (i != HELD && j != HELD).then(|| (source, i.max(j) as usize, i.min(j) as usize))
            })
        };
        let mut starts = vec![0; order.len() + 1];
        placed().for_each(|(_, _, j)| starts[j + 1] += 1);
        (0..order.len()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let (mut rows, mut sources) = (vec![0; starts[order.len()]], vec![0; starts[order.len()]]);
        for (source, i, j) in placed() {
            rows[next[j]] = i;
            sources[next[j]] = source;
            next[j] += 1;
        }
        Ok(Self { order, size: dofs.size(), starts, rows, sources })
    }

    /// The values of `matrix` in the order of [`Ordered::rows`].
    pub(super) fn gather<const B: usize>(&self, matrix: &Symmetric<B>, values: &mut Vec<f64>) {
        let flat = matrix.values().as_flattened().as_flattened();
        values.clear();
        values.extend(self.sources.iter().map(|&k| flat[k]));
    }
}

/// The graph of the vertices that have a free degree of freedom, numbered 0.. among themselves.
#[derive(Debug)]
pub(super) struct Free {
    /// The number of each in the pattern.
    vertices: Vec<u32>,
    /// How many free degrees of freedom each has.
    pub(super) weights: Vec<u8>,
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Free {
    pub(super) fn new<const B: usize>(pattern: &Pattern, dofs: &Dofs) -> Result<Self, FactorError> {
        assert_eq!(dofs.size(), B * pattern.size(), "as many numbers as the matrix has rows");
        if dofs.free().is_empty() {
            return Err(FactorError::NothingFree);
        }
        if dofs.size() >= HELD as usize {
            return Err(FactorError::TooLarge { vertices: pattern.size() });
        }
        let weight = |v: usize| (0..B).filter(|c| !dofs.is_held(B * v + c)).count() as u8;
        let vertices: Vec<u32> = (0..pattern.size() as u32).filter(|&v| weight(v as usize) > 0).collect();
        let weights = vertices.iter().map(|&v| weight(v as usize)).collect();
        let mut place = vec![HELD; pattern.size()];
        vertices.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
        let place = &place;
        let edges = || {
            vertices.iter().flat_map(move |&j| {
                let others = pattern.column(j as usize).1[1..].iter().map(|&i| place[i as usize]);
                others.filter(|&i| i != HELD).map(move |i| (i, place[j as usize]))
            })
        };
        let mut starts = vec![0_usize; vertices.len() + 1];
        edges().flat_map(|(i, j)| [i, j]).for_each(|i| starts[i as usize + 1] += 1);
        (0..vertices.len()).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[vertices.len()]];
        for (i, j) in edges().flat_map(|(i, j)| [(i, j), (j, i)]) {
            neighbours[next[i as usize]] = j;
            next[i as usize] += 1;
        }
        Ok(Self { weights, starts, neighbours, vertices })
    }

    /// The others that vertex v meets.
    pub(super) fn neighbours(&self, v: u32) -> &[u32] {
        &self.neighbours[self.starts[v as usize]..self.starts[v as usize + 1]]
    }

    /// The free degrees of freedom of vertex v, as a state counts them.
    pub(super) fn numbers<const B: usize>(&self, v: u32, dofs: &Dofs) -> impl Iterator<Item = u32> {
        let first = B as u32 * self.vertices[v as usize];
        (first..first + B as u32).filter(|&i| !dofs.is_held(i as usize))
    }

    /// The order of elimination: `order[new] = old`.
    pub(super) fn nested_dissection(&self) -> Result<Vec<u32>, FactorError> {
        metis::nested_dissection(&self.starts, &self.neighbours)
    }
}
