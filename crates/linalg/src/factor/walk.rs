//! Walking the fronts from the leaves to the roots or back, subtrees side by side.
//!
//! What runs in parallel is decided by the amount of work alone, and every front sees its children in one order: the same
//! bits for any number of threads. A front owns a contiguous piece of `data`, a subtree the contiguous pieces of its
//! fronts, so that two subtrees never share an entry.

use super::fronts::Fronts;

/// Pieces of data, one a front.
pub(super) struct Pieces<'a> {
    /// Of the fronts `first..`, contiguous.
    pub(super) data: &'a mut [f64],
    pub(super) first: usize,
}

impl Fronts {
    /// Calls `visit(s, piece of s, results of its children)` for all fronts, children first. Subtrees with at least `heavy`
    /// work (multiplications) are walked side by side. `at(s)` is where the piece of front s starts.
    pub(super) fn walk_from_leaves<T: Send, E: Send>(
        &self,
        data: &mut [f64],
        at: &(impl Fn(usize) -> usize + Sync),
        heavy: f64,
        visit: &(impl Fn(usize, &mut [f64], Vec<T>) -> Result<T, E> + Sync),
    ) -> Result<(), E> {
        self.list_from_leaves(&self.roots, Pieces { data, first: 0 }, at, heavy, visit).map(|_| ())
    }

    fn list_from_leaves<T: Send, E: Send>(
        &self,
        list: &[u32],
        pieces: Pieces<'_>,
        at: &(impl Fn(usize) -> usize + Sync),
        heavy: f64,
        visit: &(impl Fn(usize, &mut [f64], Vec<T>) -> Result<T, E> + Sync),
    ) -> Result<Vec<T>, E> {
        let Some(middle) = self.middle(list, heavy) else {
            return match list {
                [s] if self.fronts[*s as usize].subtree_work >= heavy => {
                    let s = *s as usize;
                    let (below, own) = pieces.data.split_at_mut(at(s) - at(pieces.first));
                    let below = Pieces { data: below, first: pieces.first };
                    let children =
                        self.list_from_leaves(&self.fronts[s].children, below, at, heavy, visit)?;
                    Ok(vec![visit(s, own, children)?])
                }
                _ => self.one_by_one_from_leaves(list, pieces, at, visit),
            };
        };
        let (left, right) = list.split_at(middle);
        let border = self.fronts[right[0] as usize].first;
        let (before, after) = pieces.data.split_at_mut(at(border) - at(pieces.first));
        let (mut results, others) = rayon::join(
            || self.list_from_leaves(left, Pieces { data: before, first: pieces.first }, at, heavy, visit),
            || self.list_from_leaves(right, Pieces { data: after, first: border }, at, heavy, visit),
        );
        if let Ok(results) = &mut results {
            results.append(&mut others?);
        }
        results
    }

    fn one_by_one_from_leaves<T, E>(
        &self,
        list: &[u32],
        pieces: Pieces<'_>,
        at: &impl Fn(usize) -> usize,
        visit: &impl Fn(usize, &mut [f64], Vec<T>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        // In postorder the children's results are the last that were left.
        let mut waiting: Vec<T> = Vec::new();
        let Some(&last) = list.last() else {
            return Ok(waiting);
        };
        for s in pieces.first..=last as usize {
            let children = waiting.split_off(waiting.len() - self.fronts[s].children.len());
            let own = at(s) - at(pieces.first)..at(s + 1) - at(pieces.first);
            waiting.push(visit(s, &mut pieces.data[own], children)?);
        }
        Ok(waiting)
    }

    /// Calls `visit(s, piece of s, result of its parent)` for all fronts, parents first.
    pub(super) fn walk_from_roots<T: Send + Sync>(
        &self,
        data: &mut [f64],
        at: &(impl Fn(usize) -> usize + Sync),
        heavy: f64,
        visit: &(impl Fn(usize, &mut [f64], Option<&T>) -> T + Sync),
    ) {
        self.list_from_roots(&self.roots, None, Pieces { data, first: 0 }, at, heavy, visit);
    }

    fn list_from_roots<T: Send + Sync>(
        &self,
        list: &[u32],
        parent: Option<&T>,
        pieces: Pieces<'_>,
        at: &(impl Fn(usize) -> usize + Sync),
        heavy: f64,
        visit: &(impl Fn(usize, &mut [f64], Option<&T>) -> T + Sync),
    ) {
        let Some(middle) = self.middle(list, heavy) else {
            match list {
                [s] if self.fronts[*s as usize].subtree_work >= heavy => {
                    let s = *s as usize;
                    let (below, own) = pieces.data.split_at_mut(at(s) - at(pieces.first));
                    let result = visit(s, own, parent);
                    let below = Pieces { data: below, first: pieces.first };
                    self.list_from_roots(&self.fronts[s].children, Some(&result), below, at, heavy, visit);
                }
                _ => self.one_by_one_from_roots(list, parent, pieces, at, visit),
            }
            return;
        };
        let (left, right) = list.split_at(middle);
        let border = self.fronts[right[0] as usize].first;
        let (before, after) = pieces.data.split_at_mut(at(border) - at(pieces.first));
        rayon::join(
            || {
                self.list_from_roots(
                    left,
                    parent,
                    Pieces { data: before, first: pieces.first },
                    at,
                    heavy,
                    visit,
                )
            },
            || self.list_from_roots(right, parent, Pieces { data: after, first: border }, at, heavy, visit),
        );
    }

    fn one_by_one_from_roots<T>(
        &self,
        list: &[u32],
        parent: Option<&T>,
        pieces: Pieces<'_>,
        at: &impl Fn(usize) -> usize,
        visit: &impl Fn(usize, &mut [f64], Option<&T>) -> T,
    ) {
        let Some(&last) = list.last() else {
            return;
        };
        // Fronts whose children are still to come: (result, children to come). The innermost is the parent of the next.
        let mut open: Vec<(T, usize)> = Vec::new();
        for s in (pieces.first..=last as usize).rev() {
            let own = at(s) - at(pieces.first)..at(s + 1) - at(pieces.first);
            let result = visit(s, &mut pieces.data[own], open.last().map(|(t, _)| t).or(parent));
            if let Some((_, left)) = open.last_mut() {
                *left -= 1;
            }
            open.push((result, self.fronts[s].children.len()));
            while open.last().is_some_and(|(_, left)| *left == 0) {
                open.pop();
            }
        }
    }

    /// Where to cut a list of subtrees into two of about the same work; `None` where it is light or a single one.
    fn middle(&self, list: &[u32], heavy: f64) -> Option<usize> {
        let work = |s: u32| self.fronts[s as usize].subtree_work;
        let total: f64 = list.iter().map(|&s| work(s)).sum();
        if list.len() < 2 || total < heavy {
            return None;
        }
        let mut before = 0.0;
        let cut = list.iter().position(|&s| {
            before += work(s);
            before >= total / 2.0
        });
        // The subtree that crosses the half goes to the side that it is more of.
        let k = cut.unwrap_or(0);
        let without = before - work(list[k]);
        let middle = if total / 2.0 - without < before - total / 2.0 { k } else { k + 1 };
        Some(middle.clamp(1, list.len() - 1))
    }
}
