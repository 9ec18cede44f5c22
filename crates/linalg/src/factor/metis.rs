//! Nested dissection by METIS: the one place of this room that calls C.
//!
//! Cuts a graph in two by few vertices, numbers those last, and goes on inside the parts: the order in which a mesh
//! eliminates with least fill. METIS 5.1 (Apache-2.0) is compiled into the program. It draws from the `rand` of the C
//! library and replaces signal handlers (SIGABRT, SIGTERM) while it runs, both of which belong to the whole process.
//! Therefore one call at a time, from a fixed seed: the same graph gives the same order, whoever else calls. A program that
//! draws from C's `rand` in another thread at the same moment could still change the order; Rust code does not.
//! Source: KK98 in docs/papers.md.
#![expect(unsafe_code, reason = "METIS is a C library")]

use std::ptr;
use std::sync::{Mutex, PoisonError};

use metis_sys::{
    METIS_NOPTIONS, METIS_NodeND, METIS_SetDefaultOptions, idx_t, moptions_et_METIS_OPTION_NUMBERING,
    moptions_et_METIS_OPTION_SEED, rstatus_et_METIS_OK,
};

use super::FactorError;

/// Held while METIS runs: its random numbers and signal handlers are the process's.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Any number, but always the same one.
const SEED: idx_t = 4321;

/// The order of elimination, `order[new] = old`, of an undirected graph without loops: the neighbours of vertex i are
/// `neighbours[starts[i]..starts[i + 1]]`, and each edge stands at both its ends.
///
/// # Errors
/// `TooLarge` where METIS cannot count that far; `Ordering` when it gives up: out of memory, or a SIGTERM came meanwhile.
pub(super) fn nested_dissection(starts: &[usize], neighbours: &[u32]) -> Result<Vec<u32>, FactorError> {
    let size = starts.len() - 1;
    // What C code would not check.
    assert!(
        starts[0] == 0 && starts[size] == neighbours.len() && starts.is_sorted(),
        "a list for each vertex"
    );
    assert!(neighbours.iter().all(|&i| (i as usize) < size), "neighbours are vertices of the graph");
    // Transposed lists are sorted: once and twice transposed are the same where the graph is symmetric.
    let once = transposed(starts, neighbours);
    assert!(once == transposed(&once.0, &once.1), "every edge stands at both its ends");
    let loops = (0..size).any(|i| neighbours[starts[i]..starts[i + 1]].contains(&(i as u32)));
    assert!(!loops, "no vertex is its own neighbour");
    if size.max(neighbours.len()) >= idx_t::MAX as usize {
        return Err(FactorError::TooLarge { vertices: size });
    }
    if neighbours.is_empty() {
        // METIS wants at least one edge.
        return Ok((0..size as u32).collect());
    }
    let mut count = size as idx_t;
    let mut starts: Vec<idx_t> = starts.iter().map(|&s| s as idx_t).collect();
    let mut neighbours: Vec<idx_t> = neighbours.iter().map(|&i| i as idx_t).collect();
    let mut options = [0; METIS_NOPTIONS as usize];
    let (mut order, mut inverse) = (vec![0; size], vec![0; size]);
    let lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `options` has the METIS_NOPTIONS numbers that are written.
    unsafe { METIS_SetDefaultOptions(options.as_mut_ptr()) };
    options[moptions_et_METIS_OPTION_SEED as usize] = SEED;
    options[moptions_et_METIS_OPTION_NUMBERING as usize] = 0;
    // SAFETY: `starts` has size + 1 ascending numbers from 0 to the length of `neighbours`; `neighbours` are below `size`,
    // symmetric and without loops: all asserted above. `order` and `inverse` have room for `size` numbers; no weights
    // (null) is allowed. METIS keeps no pointer after it returns. It jumps (longjmp) only within its own C frames, and
    // only this thread is inside, by the lock.
    let status = unsafe {
        METIS_NodeND(
            &raw mut count,
            starts.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            ptr::null_mut(),
            options.as_mut_ptr(),
            order.as_mut_ptr(),
            inverse.as_mut_ptr(),
        )
    };
    drop(lock);
    let order: Vec<u32> = order.into_iter().map(|i: idx_t| i as u32).collect();
    if status == rstatus_et_METIS_OK && is_permutation(&order) {
        Ok(order)
    } else {
        Err(FactorError::Ordering { status })
    }
}

/// The lists of those that have i as a neighbour, ascending.
fn transposed(starts: &[usize], neighbours: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let size = starts.len() - 1;
    let mut ends = vec![0; size + 1];
    neighbours.iter().for_each(|&i| ends[i as usize + 1] += 1);
    (0..size).for_each(|i| ends[i + 1] += ends[i]);
    let (mut next, mut lists) = (ends.clone(), vec![0; neighbours.len()]);
    for i in 0..size {
        for &j in &neighbours[starts[i]..starts[i + 1]] {
            lists[next[j as usize]] = i as u32;
            next[j as usize] += 1;
        }
    }
    (ends, lists)
}

fn is_permutation(order: &[u32]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|&i| seen.get_mut(i as usize).is_some_and(|s| !std::mem::replace(s, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(size: usize, edges: &[(usize, usize)]) -> Vec<u32> {
        let mut lists = vec![Vec::new(); size];
        for &(i, j) in edges {
            lists[i].push(j as u32);
            lists[j].push(i as u32);
        }
        let mut starts = vec![0];
        lists.iter().for_each(|l| starts.push(starts[starts.len() - 1] + l.len()));
        nested_dissection(&starts, &lists.concat()).expect("an order")
    }

    /// A square grid, vertex (x, y) = x + side y.
    fn grid(side: usize) -> Vec<u32> {
        let horizontal = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1));
        let vertical = (0..side * (side - 1)).map(|i| (i, i + side));
        order(side * side, &horizontal.chain(vertical).collect::<Vec<_>>())
    }

    #[test]
    fn repeated_and_concurrent_calls_give_one_order() {
        let alone = grid(60);
        let other: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..8)
                .map(|k| {
                    scope.spawn(move || {
                        // Another graph in between, so that whoever shares the random numbers would show.
                        grid(20 + k);
                        grid(60)
                    })
                })
                .collect();
            calls.into_iter().map(|c| c.join().expect("no panic")).collect()
        });
        assert!(other.iter().all(|o| *o == alone));
    }

    #[test]
    fn the_last_vertices_cut_the_grid_in_two() {
        let side = 40;
        let order = grid(side);
        // A separator has about `side` vertices; without the last 2 side of them the grid falls apart.
        let mut part: Vec<Option<usize>> = vec![None; side * side];
        let removed: Vec<bool> = {
            let mut r = vec![false; side * side];
            order[side * side - 2 * side..].iter().for_each(|&i| r[i as usize] = true);
            r
        };
        let mut largest = 0;
        for start in 0..side * side {
            if removed[start] || part[start].is_some() {
                continue;
            }
            let (mut stack, mut count) = (vec![start], 0);
            part[start] = Some(start);
            while let Some(i) = stack.pop() {
                count += 1;
                let (x, y) = (i % side, i / side);
                let near = [(x > 0, i.wrapping_sub(1)), (x + 1 < side, i + 1)];
                let far = [(y > 0, i.wrapping_sub(side)), (y + 1 < side, i + side)];
                for (there, j) in near.into_iter().chain(far) {
                    if there && !removed[j] && part[j].is_none() {
                        part[j] = Some(start);
                        stack.push(j);
                    }
                }
            }
            largest = largest.max(count);
        }
        assert!(largest < side * side * 2 / 3, "largest part: {largest} of {}", side * side);
    }

    #[test]
    #[should_panic(expected = "both its ends")]
    fn a_graph_that_is_not_symmetric_never_reaches_metis() {
        let _ = nested_dissection(&[0, 1, 1], &[1]);
    }

    #[test]
    fn graphs_without_edges_with_one_vertex_or_in_pieces_are_ordered() {
        assert_eq!(order(1, &[]), [0]);
        assert_eq!(order(3, &[]).len(), 3);
        let pieces = order(9, &[(0, 1), (4, 5), (5, 6)]);
        assert!(pieces.len() == 9 && is_permutation(&pieces));
    }
}
