//! The plan of a multifrontal factorisation: which degrees of freedom stand where, and what can be done side by side.
//!
//! ```text
//!            columns  rows
//!  columns  [ F11          ]     F = entries of A in these columns + what the children left
//!  rows     [ F21     F22  ]     the panel [F11; F21] becomes [L11; L21], F22 − L21 L21ᵀ goes to the parent
//! ```
//! Every supernode has one front. Fronts are in postorder, so that a subtree's panels, and its part of a vector, are one
//! contiguous range: two subtrees can be worked on at the same time without sharing anything.

use std::ops::Range;

use crate::{Dofs, Pattern};

use super::tree::{ROOT, Supernodes};
use super::{FactorError, order, tree};

/// `length` consecutive rows of a child's update matrix that are consecutive in the parent's front as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) length: u32,
}

/// A number of A and where in the panel it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Index into the flat values of the matrix.
    pub(super) source: u32,
    /// Index into the panel.
    pub(super) target: u32,
}

/// One dense front.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// Columns to eliminate: a range of the ordered free degrees of freedom.
    pub(super) columns: Range<usize>,
    /// How many rows lie below them.
    pub(super) below: usize,
    /// The fronts that add to this one, ascending.
    pub(super) children: Vec<u32>,
    /// The first front of this one's subtree.
    pub(super) first: usize,
    /// Where the update matrix's rows are in the parent's front.
    pub(super) runs: Vec<Run>,
    /// Multiplications of this front, and of its subtree.
    pub(super) work: f64,
    pub(super) subtree_work: f64,
    entries: Range<usize>,
}

impl Front {
    /// Columns to eliminate.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Rows of the panel.
    pub(super) fn height(&self) -> usize {
        self.width() + self.below
    }
}

/// All fronts of a matrix, children before parents.
#[derive(Debug)]
pub(super) struct Fronts {
    /// `order[new] = old`, over the free degrees of freedom; old counts the held ones too.
    pub(super) order: Vec<u32>,
    /// How many numbers a vector has, held ones included.
    pub(super) size: usize,
    pub(super) fronts: Vec<Front>,
    /// Panel s is `panels[s]..panels[s + 1]` of the factor.
    pub(super) panels: Vec<usize>,
    /// Fronts without a parent, ascending.
    pub(super) roots: Vec<u32>,
    entries: Vec<Entry>,
}

impl Fronts {
    pub(super) fn new<const B: usize>(pattern: &Pattern, dofs: &Dofs) -> Result<Self, FactorError> {
        let too_large = || FactorError::TooLarge { vertices: pattern.size() };
        let graph = order::Free::new::<B>(pattern, dofs)?;
        if pattern.blocks().checked_mul(B * B).is_none_or(|n| n >= u32::MAX as usize) {
            return Err(too_large());
        }
        let nodes = tree::eliminate(&graph.weights, &graph.nested_dissection()?, |v| graph.neighbours(v));
        let order: Vec<u32> = nodes.order.iter().flat_map(|&v| graph.numbers::<B>(v, dofs)).collect();
        // Where the degrees of freedom of each vertex begin.
        let mut offsets = vec![0_usize];
        for &v in &nodes.order {
            offsets.push(offsets[offsets.len() - 1] + graph.weights[v as usize] as usize);
        }
        let mut fronts = layout(&nodes, &offsets);
        let mut panels = vec![0_usize];
        for front in &fronts {
            if front.height() * front.width() >= u32::MAX as usize {
                return Err(too_large());
            }
            panels.push(panels[panels.len() - 1] + front.height() * front.width());
        }
        let entries = entries::<B>(pattern, dofs.size(), &order, &nodes, &offsets, &mut fronts);
        let roots = (0..fronts.len() as u32).filter(|&s| nodes.parents[s as usize] == ROOT).collect();
        Ok(Self { order, size: dofs.size(), fronts, panels, roots, entries })
    }

    /// The numbers of A that go to the panel of front s.
    pub(super) fn entries(&self, s: usize) -> &[Entry] {
        &self.entries[self.fronts[s].entries.clone()]
    }

    /// Numbers in all panels.
    pub(super) fn stored(&self) -> usize {
        self.panels[self.fronts.len()]
    }
}

/// Fronts without their entries.
fn layout(nodes: &Supernodes, offsets: &[usize]) -> Vec<Front> {
    let weight = |v: u32| offsets[v as usize + 1] - offsets[v as usize];
    let mut fronts: Vec<Front> = Vec::with_capacity(nodes.rows.len());
    for s in 0..nodes.rows.len() {
        let columns = offsets[nodes.starts[s] as usize]..offsets[nodes.starts[s + 1] as usize];
        let below = nodes.rows[s].iter().map(|&v| weight(v)).sum();
        let (w, b) = (columns.len() as f64, below as f64);
        // Σ over the columns of (rows below)² / 2.
        let work = w * (w * w / 3.0 + w * b + b * b) / 2.0;
        let front = Front {
            columns,
            below,
            children: Vec::new(),
            first: s,
            runs: runs(nodes, s, offsets),
            work,
            subtree_work: work,
            entries: 0..0,
        };
        fronts.push(front);
    }
    for s in 0..fronts.len() {
        if nodes.parents[s] != ROOT {
            let (first, work) = (fronts[s].first, fronts[s].subtree_work);
            let parent = &mut fronts[nodes.parents[s] as usize];
            parent.children.push(s as u32);
            parent.first = parent.first.min(first);
            parent.subtree_work += work;
        }
    }
    fronts
}

/// Both lists ascend, and every row of a child is a column or a row of its parent.
fn runs(nodes: &Supernodes, s: usize, offsets: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    if nodes.parents[s] == ROOT {
        return runs;
    }
    let parent = nodes.parents[s] as usize;
    let (start, end) = (nodes.starts[parent], nodes.starts[parent + 1]);
    let mut rows = nodes.rows[parent].iter();
    let mut below = offsets[end as usize] - offsets[start as usize];
    let mut from = 0;
    for &v in &nodes.rows[s] {
        let weight = offsets[v as usize + 1] - offsets[v as usize];
        let to = if v < end {
            offsets[v as usize] - offsets[start as usize]
        } else {
            // Skip the parent's rows that the child does not have.
            for &other in rows.by_ref() {
                let place = below;
                below += offsets[other as usize + 1] - offsets[other as usize];
                if other == v {
                    below = place;
                    break;
                }
            }
            below
        };
        match runs.last_mut() {
            Some(run) if (run.to + run.length) as usize == to => run.length += weight as u32,
            _ => runs.push(Run { from: from as u32, to: to as u32, length: weight as u32 }),
        }
        from += weight;
        if v >= end {
            below += weight;
        }
    }
    runs
}

/// Where every entry of A goes; fills in each front's range.
fn entries<const B: usize>(
    pattern: &Pattern,
    size: usize,
    order: &[u32],
    nodes: &Supernodes,
    offsets: &[usize],
    fronts: &mut [Front],
) -> Vec<Entry> {
    const HELD: u32 = u32::MAX;
    let mut place = vec![HELD; size];
    order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
    let mut owner = vec![0_u32; order.len()];
    for (s, front) in fronts.iter().enumerate() {
        owner[front.columns.clone()].fill(s as u32);
    }
    let place = &place;
    // (source, row, column), row ≥ column. Of a diagonal block, which is stored whole, the part below the diagonal.
    let numbers = || {
        (0..pattern.size()).flat_map(move |j| {
            let (slots, rows) = pattern.column(j);
            slots.zip(rows).flat_map(move |(slot, &i)| {
                (0..B * B).filter_map(move |k| {
                    let (i, j) = (B * i as usize + k / B, B * j + k % B);
                    let (row, column) = (place[i].max(place[j]), place[i].min(place[j]));
                    (i >= j && row != HELD).then_some(((slot * B * B + k) as u32, row, column))
                })
            })
        })
    };
    let mut starts = vec![0_usize; fronts.len() + 1];
    numbers().for_each(|(_, _, column)| starts[owner[column as usize] as usize + 1] += 1);
    (0..fronts.len()).for_each(|s| starts[s + 1] += starts[s]);
    let mut next = starts.clone();
    // First with the row itself as target, then front by front with its place in the panel.
    let mut entries = vec![Entry { source: 0, target: 0 }; starts[fronts.len()]];
    let mut columns = vec![0_u32; entries.len()];
    for (source, row, column) in numbers() {
        let k = &mut next[owner[column as usize] as usize];
        entries[*k] = Entry { source, target: row };
        columns[*k] = column;
        *k += 1;
    }
    let mut local = vec![0_u32; order.len()];
    for (s, front) in fronts.iter_mut().enumerate() {
        front.columns.clone().enumerate().for_each(|(k, i)| local[i] = k as u32);
        let mut below = front.width();
        for &v in &nodes.rows[s] {
            for i in offsets[v as usize]..offsets[v as usize + 1] {
                local[i] = below as u32;
                below += 1;
            }
        }
        front.entries = starts[s]..starts[s + 1];
        for k in front.entries.clone() {
            let column = columns[k] as usize - front.columns.start;
            entries[k].target = (column * front.height()) as u32 + local[entries[k].target as usize];
        }
    }
    entries
}
