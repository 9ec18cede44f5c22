//! What fills when the vertices of a graph are eliminated, gathered into supernodes.
//!
//! ```text
//! struct(j) = { i > j : A_ij ≠ 0 } ∪ ⋃ struct(c) \ {j}    over the children c of j in the elimination tree
//! ```
//! The parent of j is the least of struct(j). Neighbouring columns with one structure are a supernode: a dense panel.
//! A child whose panel is thin, or fills little of its parent's, is merged with it: a few stored zeros for larger panels.
//! Works on vertices, not on degrees of freedom; a vertex weighs as many columns as it has free ones. Source: L92 in docs/papers.md.

/// No parent.
pub(super) const ROOT: u32 = u32::MAX;

/// Supernodes in postorder: a subtree is a contiguous range that ends at its root.
#[derive(Debug)]
pub(super) struct Supernodes {
    /// `order[new] = old`: the vertices in the final order of elimination.
    pub(super) order: Vec<u32>,
    /// The columns of supernode s are `starts[s]..starts[s + 1]`, in the new order.
    pub(super) starts: Vec<u32>,
    /// The rows below each supernode's columns, new and ascending.
    pub(super) rows: Vec<Vec<u32>>,
    /// The supernode of each one's first row, or [`ROOT`].
    pub(super) parents: Vec<u32>,
}

/// Eliminates in the given order (any topological order of the elimination tree gives the same fill).
///
/// `neighbours(i)` are the others that vertex i meets; `weights[i]` counts its columns. Vertices are 0..weights.len(), and
/// `order[new] = old` is a permutation of them.
pub(super) fn eliminate<'a>(
    weights: &[u8],
    order: &[u32],
    neighbours: impl Fn(u32) -> &'a [u32],
) -> Supernodes {
    let count = order.len();
    let mut place = vec![0_u32; count];
    order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
    let parents = elimination_tree(order, &place, &neighbours);
    let postorder = postorder(&parents);
    let order: Vec<u32> = postorder.iter().map(|&k| order[k as usize]).collect();
    order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
    let mut merged = fundamental(weights, &order, &place, &neighbours);
    merged.amalgamate();
    merged.into_supernodes(&order)
}

/// parent(j) = min struct(j), by climbing with path compression.
fn elimination_tree<'a>(order: &[u32], place: &[u32], neighbours: &impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut parents = vec![ROOT; order.len()];
    let mut shortcuts = vec![ROOT; order.len()];
    for j in 0..order.len() as u32 {
        for &i in neighbours(order[j as usize]) {
            let mut i = place[i as usize];
            while i < j {
                let next = std::mem::replace(&mut shortcuts[i as usize], j);
                if next == ROOT {
                    parents[i as usize] = j;
                    break;
                }
                i = next;
            }
        }
    }
    parents
}

/// Children before parents, every subtree contiguous; `result[new] = old`.
fn postorder(parents: &[u32]) -> Vec<u32> {
    let mut children = children(parents);
    let mut result = Vec::with_capacity(parents.len());
    let mut stack = Vec::new();
    for root in (0..parents.len()).filter(|&j| parents[j] == ROOT) {
        stack.push(root);
        while let Some(&top) = stack.last() {
            // Children are taken from the back; reversed once, they come out ascending.
            match children[top].pop() {
                Some(child) => stack.push(child as usize),
                None => {
                    result.push(top as u32);
                    stack.pop();
                }
            }
        }
    }
    result
}

/// The children of each, descending.
fn children(parents: &[u32]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (j, &parent) in parents.iter().enumerate().rev().filter(|(_, p)| **p != ROOT) {
        children[parent as usize].push(j as u32);
    }
    children
}

/// Supernodes while they merge.
struct Merging {
    columns: Vec<Vec<u32>>,
    rows: Vec<Vec<u32>>,
    children: Vec<Vec<u32>>,
    roots: Vec<u32>,
    /// Numbers in the columns, in the rows below, and truly not zero in the panel.
    width: Vec<f64>,
    below: Vec<f64>,
    filled: Vec<f64>,
}

/// Columns j − 1 and j are one supernode where j is the parent and struct(j) = struct(j − 1) \ {j}.
fn fundamental<'a>(
    weights: &[u8],
    order: &[u32],
    place: &[u32],
    neighbours: &impl Fn(u32) -> &'a [u32],
) -> Merging {
    let count = order.len();
    let mut structures: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut seen = vec![ROOT; count];
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for j in 0..count as u32 {
        let mut structure = Vec::new();
        let mut take = |i: u32| {
            if i > j && seen[i as usize] != j {
                seen[i as usize] = j;
                structure.push(i);
            }
        };
        neighbours(order[j as usize]).iter().for_each(|&i| take(place[i as usize]));
        let children = std::mem::take(&mut waiting[j as usize]);
        children.iter().for_each(|&c| structures[c as usize].iter().for_each(|&i| take(i)));
        // In postorder the last child is j − 1, or there is none.
        let alike = children
            .last()
            .is_some_and(|&c| c + 1 == j && structures[c as usize].len() == structure.len() + 1);
        if alike {
            structures[j as usize - 1] = Vec::new();
            columns.last_mut().expect("the child's supernode").push(j);
        } else {
            columns.push(vec![j]);
        }
        if let Some(&parent) = structure.iter().min() {
            waiting[parent as usize].push(j);
        }
        structures[j as usize] = structure;
    }
    let mut owner = vec![0_u32; count];
    for (s, columns) in columns.iter().enumerate() {
        columns.iter().for_each(|&j| owner[j as usize] = s as u32);
    }
    let last = |columns: &Vec<u32>| *columns.last().expect("a supernode has columns") as usize;
    let rows: Vec<Vec<u32>> = columns.iter().map(|c| std::mem::take(&mut structures[last(c)])).collect();
    let parents: Vec<u32> =
        rows.iter().map(|r| r.iter().min().map_or(ROOT, |&i| owner[i as usize])).collect();
    let weigh =
        |list: &Vec<u32>| list.iter().map(|&i| f64::from(weights[order[i as usize] as usize])).sum::<f64>();
    let width: Vec<f64> = columns.iter().map(weigh).collect();
    let below: Vec<f64> = rows.iter().map(weigh).collect();
    let filled = width.iter().zip(&below).map(|(w, b)| panel(*w, *b)).collect();
    let roots = (0..rows.len() as u32).filter(|&s| parents[s as usize] == ROOT).collect();
    Merging { children: children(&parents), columns, rows, roots, width, below, filled }
}

/// Numbers on and below the diagonal of a panel.
fn panel(width: f64, below: f64) -> f64 {
    width * (width + 1.0) / 2.0 + width * below
}

impl Merging {
    /// Merges children into parents, from the leaves to the roots.
    fn amalgamate(&mut self) {
        for p in 0..self.columns.len() {
            let mut candidates = std::mem::take(&mut self.children[p]);
            let mut kept = Vec::new();
            while let Some(c) = candidates.pop() {
                let child = c as usize;
                let width = self.width[child] + self.width[p];
                let total = panel(width, self.below[p]);
                let filled = self.filled[child] + self.filled[p];
                if pays(width, 1.0 - filled / total) {
                    let mut columns = std::mem::take(&mut self.columns[child]);
                    columns.append(&mut self.columns[p]);
                    self.columns[p] = columns;
                    self.rows[child] = Vec::new();
                    (self.width[p], self.filled[p]) = (width, filled);
                    candidates.append(&mut self.children[child]);
                } else {
                    kept.push(c);
                }
            }
            self.children[p] = kept;
        }
    }

    /// Numbers them anew, in a postorder that keeps few update matrices waiting (Liu): the child that needs the most
    /// beyond what it leaves goes first.
    fn into_supernodes(mut self, order: &[u32]) -> Supernodes {
        let mut peak = vec![0.0_f64; self.columns.len()];
        let update = |s: u32| self.below[s as usize].powi(2);
        for s in 0..peak.len() {
            self.children[s].sort_by(|&a, &b| {
                let need = |c: u32| peak[c as usize] - update(c);
                need(b).total_cmp(&need(a)).then(a.cmp(&b))
            });
            let mut waiting = 0.0;
            for &c in &self.children[s] {
                peak[s] = peak[s].max(waiting + peak[c as usize]);
                waiting += update(c);
            }
            peak[s] = peak[s].max(waiting + update(s as u32));
        }
        let mut sequence = Vec::new();
        let mut parents = Vec::new();
        for &root in &self.roots {
            // Reversed preorder with reversed children is a postorder.
            let first = sequence.len();
            let mut stack = vec![root];
            while let Some(s) = stack.pop() {
                sequence.push(s);
                stack.extend(&self.children[s as usize]);
            }
            sequence[first..].reverse();
        }
        let mut number = vec![ROOT; self.columns.len()];
        sequence.iter().enumerate().for_each(|(new, &s)| number[s as usize] = new as u32);
        parents.resize(sequence.len(), ROOT);
        for &s in &sequence {
            for &c in &self.children[s as usize] {
                parents[number[c as usize] as usize] = number[s as usize];
            }
        }
        let mut starts = vec![0];
        let mut place = vec![0_u32; order.len()];
        let mut new_order = Vec::with_capacity(order.len());
        for &s in &sequence {
            for &j in &self.columns[s as usize] {
                place[j as usize] = new_order.len() as u32;
                new_order.push(order[j as usize]);
            }
            starts.push(new_order.len() as u32);
        }
        let rows = sequence
            .iter()
            .map(|&s| {
                let mut rows = std::mem::take(&mut self.rows[s as usize]);
                rows.iter_mut().for_each(|i| *i = place[*i as usize]);
                rows.sort_unstable();
                rows
            })
            .collect();
        Supernodes { order: new_order, starts, rows, parents }
    }
}

/// Whether a merged panel of this width with this share of zeros is taken to be quicker than two. The numbers are first
/// guesses that were never tuned; any are correct.
fn pays(width: f64, zeros: f64) -> bool {
    match width {
        w if w <= 12.0 => zeros < 0.8,
        w if w <= 24.0 => zeros < 0.5,
        w if w <= 48.0 => zeros < 0.2,
        w if w <= 96.0 => zeros < 0.1,
        _ => zeros < 0.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows below each column after eliminating in this order, by playing the elimination on a full table.
    fn fill(neighbours: &[Vec<u32>], order: &[u32]) -> Vec<Vec<usize>> {
        let count = order.len();
        let mut met = vec![vec![false; count]; count];
        for j in 0..count {
            for i in 0..count {
                met[i][j] = neighbours[order[i] as usize].contains(&order[j]);
            }
        }
        for k in 0..count {
            let rows: Vec<usize> = (k + 1..count).filter(|&i| met[i][k]).collect();
            for &i in &rows {
                rows.iter().filter(|&&j| j != i).for_each(|&j| met[i][j] = true);
            }
        }
        (0..count).map(|j| (j + 1..count).filter(|&i| met[i][j]).collect()).collect()
    }

    #[test]
    fn supernodes_hold_all_fill_and_few_zeros() {
        // A grid of 9 × 9 with diagonals, and four vertices alone.
        let (side, count) = (9_i32, 85);
        let mut neighbours = vec![Vec::new(); count];
        for i in 0..side * side {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)] {
                let (x, y) = (i % side + dx, i / side + dy);
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    neighbours[i as usize].push((x + side * y) as u32);
                }
            }
        }
        let order: Vec<u32> = (0..count as u32).map(|k| k * 37 % count as u32).collect();
        let nodes = eliminate(&vec![3; count], &order, |v| &neighbours[v as usize]);
        let fill = fill(&neighbours, &nodes.order);
        let (mut stored, mut needed) = (0, 0);
        for s in 0..nodes.rows.len() {
            let columns = nodes.starts[s] as usize..nodes.starts[s + 1] as usize;
            for j in columns.clone() {
                let there = |i: usize| columns.contains(&i) || nodes.rows[s].contains(&(i as u32));
                assert!(fill[j].iter().all(|&i| there(i)), "column {j}");
                stored += columns.end - j - 1 + nodes.rows[s].len();
                needed += fill[j].len();
            }
            assert!(nodes.rows[s].is_sorted() && nodes.rows[s].iter().all(|&i| i as usize >= columns.end));
            match nodes.rows[s].first() {
                None => assert_eq!(nodes.parents[s], ROOT),
                Some(&i) => {
                    let parent = nodes.parents[s] as usize;
                    assert!((nodes.starts[parent]..nodes.starts[parent + 1]).contains(&i) && parent > s);
                }
            }
        }
        assert!(stored < 2 * needed, "{stored} stored for {needed}");
        let mut sorted = nodes.order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(k, &v)| k == v as usize));
    }
}
