//! Non-negative least squares from the normal equations.
//!
//! ```text
//! min ‖A w − b‖²  subject to w ≥ 0,   given H = AᵀA and h = Aᵀb                       (1)
//! w ≥ 0,   h − H w ≤ 0,   (h − H w)ᵀ w = 0                                             (2)
//! ```
//! Conditions (2) hold at a solution and nowhere else. The active set method of Bro and De Jong (FNNLS): a set of columns
//! is free, the others have weight zero; the column whose gradient promises most becomes free, the least-squares problem
//! of the free columns is solved, and on the way to its solution columns whose weight would become negative are let go.
//!
//! Large problems first exchange blocks (Kim and Park): every free column with a negative weight is let go and every other
//! whose gradient is positive is freed, all at once, and again, which ends at (2) after a few factorisations or is given up
//! when the number of columns to exchange does not fall. What follows then has nothing left to do but to check.
//!
//! The free columns keep a Cholesky factor: a column that comes appends a row to it, one that goes is turned out of it by
//! rotations. Either costs p² for p free columns, not the p³/3 of a new factor. Columns are scaled to length one
//! first, so that all tolerances are relative; a column that depends on the free ones to within `DEPENDENT` stays at
//! zero. Normal equations square the condition of A: where weights themselves matter to more than seven digits, use
//! something else.
//!
//! Source: BDJ97 and KP11 in docs/papers.md.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::{Mat, Par};

use crate::DenseSymmetric;
use crate::dense::product::dot;

/// Problems of so many columns exchange blocks.
const LARGE: usize = 48;

/// Exchanges in a row that may leave as many columns to exchange as there were.
const GRACE: usize = 3;

/// A gradient below this share of the largest |h| at the start counts as zero (columns of length one).
const TOLERANCE: f64 = 1e-10;

/// A column that keeps less than this of its squared length, the free columns taken out, depends on them.
const DEPENDENT: f64 = 1e-11;

/// w of (1), starting from `start`: weights ≥ 0 whose positive entries are a guess of the free columns, or zeros.
///
/// Stops after 10 changes a column, which it does not need; w would then be feasible and no worse than the start.
pub fn nnls(gram: &DenseSymmetric, h: &[f64], start: &[f64]) -> Vec<f64> {
    let n = gram.size();
    assert_eq!((h.len(), start.len()), (n, n), "a right-hand side and a start of the matrix's size");
    let mut state = State::new(gram, h);
    let mut changes = 0;
    if n < LARGE || !state.exchange_blocks(start) {
        // Columns of the start come one by one; those that depend on others stay out.
        for j in 0..n {
            if start[j] > 0.0 && state.length[j] > 0.0 && state.append(j) {
                state.x[j] = start[j] * state.length[j];
            }
        }
    }
    let most = 10 * n + 10;
    let mut refused = vec![false; n];
    let mut newest = None;
    while changes < most {
        // To the least-squares solution of the free columns, as far as weights stay positive.
        while !state.free.is_empty() {
            let solution = state.solve();
            let reach = |(&j, &s): (&usize, &f64)| {
                if s <= 0.0 { state.x[j] / (state.x[j] - s) } else { f64::INFINITY }
            };
            let reaches: Vec<f64> = state.free.iter().zip(&solution).map(reach).collect();
            let least = reaches.iter().copied().fold(f64::INFINITY, f64::min);
            let step = least.min(1.0);
            for (&j, &s) in state.free.iter().zip(&solution) {
                state.x[j] = (state.x[j] + step * (s - state.x[j])).max(0.0);
            }
            if !least.is_finite() {
                break;
            }
            for k in (0..reaches.len()).rev().filter(|&k| reaches[k] <= least) {
                let j = state.free[k];
                state.x[j] = 0.0;
                state.remove(k);
                changes += 1;
                // Rounding chose it: its weight wants to be negative at once. Not again before something else moves.
                if newest == Some(j) {
                    refused[j] = true;
                }
            }
        }
        let gradient = state.gradient();
        let best = (0..n)
            .filter(|&j| !state.is_free[j] && !refused[j] && gradient[j] > TOLERANCE * state.largest)
            .max_by(|&i, &j| gradient[i].total_cmp(&gradient[j]).then(j.cmp(&i)));
        let Some(j) = best else { break };
        changes += 1;
        if state.append(j) {
            if newest.is_some_and(|newest| state.is_free[newest]) {
                refused.fill(false);
            }
            newest = Some(j);
        } else {
            refused[j] = true;
        }
    }
    (0..n).map(|j| if state.is_free[j] { state.x[j] / state.length[j] } else { 0.0 }).collect()
}

/// The problem with columns of length one, the free columns, and their factor.
struct State {
    size: usize,
    /// H, all of it, columns scaled.
    gram: Vec<f64>,
    /// h, scaled.
    h: Vec<f64>,
    /// The largest |h|.
    largest: f64,
    /// ‖A_j‖; zero for columns that are zero or not finite, which never become free.
    length: Vec<f64>,
    x: Vec<f64>,
    /// In the order of the rows of the factor.
    free: Vec<usize>,
    is_free: Vec<bool>,
    /// L of L Lᵀ = H over the free columns: row i at i · size.
    factor: Vec<f64>,
    /// L⁻¹ h.
    half: Vec<f64>,
}

impl State {
    fn new(gram: &DenseSymmetric, h: &[f64]) -> Self {
        let size = gram.size();
        let sound = |x: f64| if x.is_finite() && x > 0.0 { x.sqrt() } else { 0.0 };
        let length: Vec<f64> = (0..size).map(|j| sound(gram.get(j, j))).collect();
        let scale: Vec<f64> = length.iter().map(|&l| if l > 0.0 { 1.0 / l } else { 0.0 }).collect();
        let scaled: Vec<f64> = (0..size * size)
            .map(|k| {
                let (i, j) = (k / size, k % size);
                if scale[i] * scale[j] == 0.0 { 0.0 } else { gram.get(i, j) * scale[i] * scale[j] }
            })
            .collect();
        let h: Vec<f64> = h.iter().zip(&scale).map(|(&h, &s)| if s == 0.0 { 0.0 } else { h * s }).collect();
        let largest = h.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        Self {
            size,
            gram: scaled,
            h,
            largest,
            length,
            x: vec![0.0; size],
            free: Vec::new(),
            is_free: vec![false; size],
            factor: vec![0.0; size * size],
            half: Vec::new(),
        }
    }

    /// Exchanges blocks until (2) holds, from the columns that `start` frees; whether it does. Where it does not, nothing is
    /// free.
    fn exchange_blocks(&mut self, start: &[f64]) -> bool {
        let usable: Vec<bool> = self.length.iter().map(|&l| l > 0.0).collect();
        let mut free: Vec<bool> = start.iter().zip(&usable).map(|(&w, &usable)| usable && w > 0.0).collect();
        let (mut fewest, mut grace) = (usize::MAX, GRACE);
        while self.free_all(&free) {
            let solution = self.solve();
            for (&j, x) in self.free.iter().zip(solution) {
                self.x[j] = x;
            }
            let gradient = self.gradient();
            let wrong = |j: &usize| match free[*j] {
                true => self.x[*j] <= 0.0,
                false => usable[*j] && gradient[*j] > TOLERANCE * self.largest,
            };
            let wrong: Vec<usize> = (0..self.size).filter(wrong).collect();
            if wrong.is_empty() {
                return true;
            }
            if wrong.len() < fewest {
                (fewest, grace) = (wrong.len(), GRACE);
            } else if grace > 0 {
                grace -= 1;
            } else {
                break;
            }
            wrong.iter().for_each(|&j| free[j] = !free[j]);
        }
        self.free.clear();
        self.half.clear();
        self.is_free.fill(false);
        self.x.fill(0.0);
        false
    }

    /// Frees these columns and no others, unless some depend on each other. On one thread: the bits must not depend on threads.
    fn free_all(&mut self, free: &[bool]) -> bool {
        let n = self.size;
        self.free = (0..n).filter(|&j| free[j]).collect();
        self.is_free.copy_from_slice(free);
        self.x.fill(0.0);
        let p = self.free.len();
        let mut L = Mat::from_fn(p, p, |i, j| self.gram[self.free[i] * n + self.free[j]]);
        let mut memory =
            MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(p, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        let done =
            factor::cholesky_in_place(L.as_mut(), Default::default(), Par::Seq, stack, Default::default());
        // NaN is no pivot either.
        if done.is_err() || !(0..p).all(|i| L[(i, i)] * L[(i, i)] > DEPENDENT) {
            return false;
        }
        self.half.clear();
        for i in 0..p {
            let row = &mut self.factor[i * n..=i * n + i];
            row.iter_mut().enumerate().for_each(|(j, to)| *to = L[(i, j)]);
            let half = (self.h[self.free[i]] - dot(&row[..i], &self.half)) / row[i];
            self.half.push(half);
        }
        true
    }

    /// Frees column j, unless it depends on the free ones.
    fn append(&mut self, j: usize) -> bool {
        let (n, p) = (self.size, self.free.len());
        let (known, rest) = self.factor.split_at_mut(p * n);
        let row = &mut rest[..=p];
        for (i, &k) in self.free.iter().enumerate() {
            let above = &known[i * n..=i * n + i];
            row[i] = (self.gram[j * n + k] - dot(&above[..i], &row[..i])) / above[i];
        }
        let pivot = self.gram[j * n + j] - dot(&row[..p], &row[..p]);
        // NaN is no pivot either.
        if pivot.is_nan() || pivot <= DEPENDENT {
            return false;
        }
        row[p] = pivot.sqrt();
        self.half.push((self.h[j] - dot(&row[..p], &self.half)) / row[p]);
        self.free.push(j);
        self.is_free[j] = true;
        true
    }

    /// Fixes the k-th free column at zero: its row goes, and rotations of neighbouring columns make the rest a triangle.
    fn remove(&mut self, k: usize) {
        let (n, p) = (self.size, self.free.len());
        self.is_free[self.free.remove(k)] = false;
        let mut turns: Vec<(f64, f64)> = Vec::with_capacity(p - k);
        for i in k..p - 1 {
            self.factor.copy_within((i + 1) * n..(i + 1) * n + i + 2, i * n);
            let row = &mut self.factor[i * n + k..i * n + i + 2];
            for (at, &(c, s)) in turns.iter().enumerate() {
                (row[at], row[at + 1]) = (c * row[at] + s * row[at + 1], c * row[at + 1] - s * row[at]);
            }
            let (a, b) = (row[i - k], row[i - k + 1]);
            let length = a.hypot(b);
            turns.push((a / length, b / length));
            row[i - k] = length;
        }
        for (at, (c, s)) in (k..).zip(turns) {
            let (a, b) = (self.half[at], self.half[at + 1]);
            (self.half[at], self.half[at + 1]) = (c * a + s * b, c * b - s * a);
        }
        self.half.pop();
    }

    /// The least-squares weights of the free columns: Lᵀ x = L⁻¹ h.
    fn solve(&self) -> Vec<f64> {
        let mut x = self.half.clone();
        for i in (0..x.len()).rev() {
            let row = &self.factor[i * self.size..=i * self.size + i];
            let xi = x[i] / row[i];
            x[i] = xi;
            x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= xi * l);
        }
        x
    }

    /// h − H x.
    fn gradient(&self) -> Vec<f64> {
        let mut gradient = self.h.clone();
        for &j in &self.free {
            let column = &self.gram[j * self.size..(j + 1) * self.size];
            let x = self.x[j];
            gradient.iter_mut().zip(column).for_each(|(g, a)| *g -= x * a);
        }
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseCholesky;
    use crate::Random;

    fn noise(size: usize, scale: f64, seed: u64) -> Vec<f64> {
        let mut random = Random(seed);
        (0..size).map(|_| 0.5 * scale * random.symmetric()).collect()
    }

    /// A of m rows and n columns with b: (H, h, A, b).
    fn problem(m: usize, n: usize, seed: u64) -> (DenseSymmetric, Vec<f64>, Vec<f64>, Vec<f64>) {
        let scale = noise(n, 6.0, seed + 1);
        let mut a = noise(m * n, 2.0, seed + 2);
        // Columns of all lengths, and with something in common.
        a.iter_mut().enumerate().for_each(|(k, a)| *a = (*a + 0.4) * scale[k / m].exp());
        let b: Vec<f64> = noise(m, 2.0, seed + 3).iter().map(|b| b + 0.3).collect();
        let column = |j: usize| &a[j * m..(j + 1) * m];
        let h = (0..n).map(|j| dot(column(j), &b)).collect();
        (DenseSymmetric::from_upper(n, |i, j| dot(column(i), column(j))), h, a, b)
    }

    fn misfit(m: usize, a: &[f64], b: &[f64], w: &[f64]) -> f64 {
        let row = |i: usize| (0..w.len()).map(|j| a[j * m + i] * w[j]).sum::<f64>() - b[i];
        (0..m).map(|i| row(i).powi(2)).sum()
    }

    /// The smallest misfit over all sets of columns whose least-squares weights are not negative.
    fn by_trying(m: usize, n: usize, gram: &DenseSymmetric, h: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let mut best = misfit(m, a, b, &vec![0.0; n]);
        for set in 1_usize..1 << n {
            let members: Vec<usize> = (0..n).filter(|j| set >> j & 1 == 1).collect();
            let part = DenseSymmetric::from_upper(members.len(), |i, j| gram.get(members[i], members[j]));
            let mut x: Vec<f64> = members.iter().map(|&j| h[j]).collect();
            let mut cholesky = DenseCholesky::new(members.len());
            if cholesky.factorise(&part).is_err() {
                continue;
            }
            cholesky.solve(&mut x);
            if x.iter().all(|&x| x >= 0.0) {
                let mut w = vec![0.0; n];
                members.iter().zip(x).for_each(|(&j, x)| w[j] = x);
                best = best.min(misfit(m, a, b, &w));
            }
        }
        best
    }

    /// The conditions (2), relative to the lengths of the columns and of b.
    fn assert_optimal(gram: &DenseSymmetric, h: &[f64], b: &[f64], found: &[f64]) {
        let (n, length) = (h.len(), dot(b, b).sqrt());
        let mut product = vec![0.0; n];
        gram.apply(found, &mut product);
        for j in 0..n {
            let gradient = (h[j] - product[j]) / (gram.get(j, j).sqrt() * length);
            assert!(found[j] >= 0.0 && gradient < 1e-9, "{j}: {gradient:e}");
            assert!(found[j] == 0.0 || gradient.abs() < 1e-9, "{j}: {gradient:e}");
        }
    }

    #[test]
    fn no_set_of_columns_does_better() {
        for seed in 0..60 {
            let (m, n) = (4 + seed as usize % 9, 1 + seed as usize % 8);
            let (gram, h, a, b) = problem(m.max(n), n, 10 * seed);
            let m = m.max(n);
            let start = if seed % 2 == 0 { vec![0.0; n] } else { vec![1.0; n] };
            let found = nnls(&gram, &h, &start);
            assert_optimal(&gram, &h, &b, &found);
            let (ours, best) = (misfit(m, &a, &b, &found), by_trying(m, n, &gram, &h, &a, &b));
            assert!((ours - best).abs() <= 1e-9 * dot(&b, &b), "seed {seed}: {ours} vs {best}");
        }
    }

    #[test]
    fn a_large_problem_ends_at_its_optimum_from_any_start() {
        let (m, n) = (300, 200);
        let (gram, h, _, b) = problem(m, n, 7);
        let cold = nnls(&gram, &h, &vec![0.0; n]);
        assert_optimal(&gram, &h, &b, &cold);
        let positive = cold.iter().filter(|&&w| w > 0.0).count();
        assert!((20..180).contains(&positive), "{positive} of {n} are positive");
        let warm = nnls(&gram, &h, &cold);
        let all = nnls(&gram, &h, &vec![1.0; n]);
        assert_optimal(&gram, &h, &b, &all);
        for other in [warm, all] {
            for (j, (w, v)) in cold.iter().zip(&other).enumerate() {
                assert!((w - v).abs() <= 1e-8 * w.abs() + 1e-10 / gram.get(j, j).sqrt(), "{j}: {w} vs {v}");
            }
        }
    }

    #[test]
    fn blocks_end_where_single_exchanges_do() {
        let mut blocks = 0;
        for seed in 0..12 {
            let (m, n) = (150 + 20 * seed as usize, 60 + 10 * seed as usize);
            let (gram, h, _, b) = problem(m, n, 100 * seed + 3);
            for start in [vec![0.0; n], vec![1.0; n]] {
                let found = nnls(&gram, &h, &start);
                assert_optimal(&gram, &h, &b, &found);
                blocks += State::new(&gram, &h).exchange_blocks(&start) as usize;
            }
        }
        assert!(blocks >= 20, "{blocks} of 24 by blocks");
    }

    #[test]
    fn large_problems_with_columns_that_repeat_go_the_other_way() {
        let (m, n) = (120, 80);
        let (_, _, mut a, b) = problem(m, n, 11);
        a.copy_within(0..30 * m, 40 * m);
        a[75 * m..].fill(0.0);
        let column = |j: usize| &a[j * m..(j + 1) * m];
        let gram = DenseSymmetric::from_upper(n, |i, j| dot(column(i), column(j)));
        let h: Vec<f64> = (0..n).map(|j| dot(column(j), &b)).collect();
        assert!(!State::new(&gram, &h).exchange_blocks(&vec![1.0; n]));
        for start in [vec![0.0; n], vec![1.0; n]] {
            let found = nnls(&gram, &h, &start);
            let mut product = vec![0.0; n];
            gram.apply(&found, &mut product);
            for j in 0..75 {
                let gradient = (h[j] - product[j]) / (gram.get(j, j) * dot(&b, &b)).sqrt();
                assert!(found[j] >= 0.0 && gradient < 1e-9, "{j}: {gradient:e}");
            }
            assert!(found[75..].iter().all(|w| *w == 0.0));
        }
    }

    #[test]
    fn columns_that_repeat_or_are_nothing_do_no_harm() {
        let (m, n) = (12, 6);
        let (_, _, mut a, b) = problem(m, n, 5);
        a.copy_within(0..2 * m, 2 * m);
        a[5 * m..].fill(0.0);
        let column = |j: usize| &a[j * m..(j + 1) * m];
        let gram = DenseSymmetric::from_upper(n, |i, j| dot(column(i), column(j)));
        let h: Vec<f64> = (0..n).map(|j| dot(column(j), &b)).collect();
        for start in [vec![0.0; n], vec![1.0; n]] {
            let found = nnls(&gram, &h, &start);
            assert!(found[5] == 0.0, "{found:?}");
            let best = by_trying(m, n, &gram, &h, &a, &b);
            assert!((misfit(m, &a, &b, &found) - best).abs() < 1e-9 * dot(&b, &b));
        }
    }

    #[test]
    fn numbers_that_are_not_finite_end_too() {
        let gram = DenseSymmetric::from_upper(3, |i, j| {
            if i == 1 && j == 2 { f64::NAN } else { 1.0 + (i == j) as u8 as f64 }
        });
        let found = nnls(&gram, &[1.0, 2.0, 3.0], &[0.0; 3]);
        assert!(found.iter().all(|w| *w >= 0.0), "{found:?}");
    }
}
