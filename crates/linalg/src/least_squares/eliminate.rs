//! Which columns of a least-squares problem can go: backward elimination.
//!
//! ```text
//! min ‖A w − b‖² with w_k = 0 is larger than without that by  w_k² / (H⁻¹)_kk,   H = AᵀA            (1)
//! ```
//! at the least-squares weights w: exactly, for one column. So the column with the smallest (1) goes, w and H⁻¹ follow by
//! one rank-one change, and so on. Columns whose weight has become negative on the way go first.
//!
//! Better than to keep the largest weights: of two columns that stand for the same thing both have large ones. Costs n³
//! for H⁻¹ and n² for every column that goes.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, inverse};
use faer::{Mat, Par};

use crate::DenseSymmetric;

/// The `count` columns, ascending, that are left of those with `weights` > 0, which are their least-squares weights.
///
/// Where H of these is not positive definite to rounding, the ones with the largest weights (columns scaled to length
/// one) are left.
pub fn eliminate(gram: &DenseSymmetric, weights: &[f64], count: usize) -> Vec<usize> {
    assert_eq!(weights.len(), gram.size(), "a weight for every column");
    let mut left: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] > 0.0).collect();
    if left.len() <= count {
        return left;
    }
    let length = |j: usize| gram.get(j, j).sqrt();
    let mut x: Vec<f64> = left.iter().map(|&j| weights[j] * length(j)).collect();
    let scaled = Mat::from_fn(left.len(), left.len(), |i, j| {
        gram.get(left[i], left[j]) / (length(left[i]) * length(left[j]))
    });
    let Some(mut inverse) = inverted(scaled) else {
        let mut order: Vec<usize> = (0..left.len()).collect();
        order.sort_by(|&i, &j| x[j].total_cmp(&x[i]).then(i.cmp(&j)));
        order.truncate(count);
        order.sort_unstable();
        return order.into_iter().map(|k| left[k]).collect();
    };
    let n = left.len();
    let mut there = vec![true; n];
    for _ in count..n {
        let loss = |k: &usize| x[*k] * x[*k].abs() / inverse[k * n + k];
        let least = (0..n).filter(|&k| there[k]).min_by(|i, j| loss(i).total_cmp(&loss(j)));
        let k = least.expect("more columns than are to be left");
        there[k] = false;
        let row: Vec<f64> = inverse[k * n..(k + 1) * n].to_vec();
        for i in (0..n).filter(|&i| there[i]) {
            let factor = row[i] / row[k];
            x[i] -= factor * x[k];
            inverse[i * n..(i + 1) * n].iter_mut().zip(&row).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let mut k = 0;
    left.retain(|_| (there[k], k += 1).0);
    left
}

/// A⁻¹, all of it, of a symmetric positive definite A. On one thread: the bits must not depend on threads.
fn inverted(mut A: Mat<f64>) -> Option<Vec<f64>> {
    let n = A.nrows();
    let need = factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(need.or(inverse::inverse_scratch::<f64>(n, Par::Seq)));
    let stack = MemStack::new(&mut memory);
    factor::cholesky_in_place(A.as_mut(), Default::default(), Par::Seq, stack, Default::default()).ok()?;
    let mut out = Mat::zeros(n, n);
    inverse::inverse(out.as_mut(), A.as_ref(), Par::Seq, stack);
    let values: Vec<f64> = (0..n * n).map(|k| out[((k / n).max(k % n), (k / n).min(k % n))]).collect();
    values.iter().all(|x| x.is_finite()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DenseCholesky, Random};

    /// min ‖A w − b‖² − ‖b‖² over the columns of a set, and its weights.
    fn solve(gram: &DenseSymmetric, h: &[f64], set: &[usize]) -> (f64, Vec<f64>) {
        let part = DenseSymmetric::from_upper(set.len(), |i, j| gram.get(set[i], set[j]));
        let mut x: Vec<f64> = set.iter().map(|&j| h[j]).collect();
        let mut cholesky = DenseCholesky::new(set.len());
        cholesky.factorise(&part).expect("independent columns");
        cholesky.solve(&mut x);
        (-x.iter().zip(set).map(|(x, &j)| x * h[j]).sum::<f64>(), x)
    }

    #[test]
    fn each_column_that_goes_is_the_one_that_costs_least() {
        let (m, n) = (30, 9);
        for seed in 0..20 {
            let mut random = Random(seed);
            // All positive, so that least-squares weights of a sum of columns are.
            let a: Vec<f64> = (0..m * n).map(|_| 1.2 + random.symmetric()).collect();
            let weights: Vec<f64> = (0..n).map(|_| 1.2 + random.symmetric()).collect();
            let dot = |i: usize, j: usize| (0..m).map(|k| a[i * m + k] * a[j * m + k]).sum::<f64>();
            let gram = DenseSymmetric::from_upper(n, dot);
            let h: Vec<f64> = (0..n).map(|i| (0..n).map(|j| dot(i, j) * weights[j]).sum()).collect();
            let mut set: Vec<usize> = (0..n).collect();
            for count in (4..n).rev() {
                let (_, x) = solve(&gram, &h, &set);
                if x.iter().any(|&x| x < 0.0) {
                    break;
                }
                let without = |k: usize| {
                    let rest: Vec<usize> = set.iter().copied().filter(|&j| j != set[k]).collect();
                    solve(&gram, &h, &rest).0
                };
                let cheapest = (0..set.len()).min_by(|&i, &j| without(i).total_cmp(&without(j)));
                set.remove(cheapest.expect("a set that is not empty"));
                assert_eq!(eliminate(&gram, &weights, count), set, "seed {seed}");
            }
            assert!(set.len() < n);
        }
    }

    #[test]
    fn weights_of_zero_are_left_out_and_a_singular_matrix_is_no_end() {
        let gram = DenseSymmetric::from_upper(4, |i, j| if i == j { 4.0 } else { 0.0 });
        assert_eq!(eliminate(&gram, &[0.0, 3.0, 1.0, 2.0], 2), [1, 3]);
        assert_eq!(eliminate(&gram, &[0.0, 3.0, 1.0, 2.0], 4), [1, 2, 3]);
        let same = DenseSymmetric::from_upper(3, |_, _| 1.0);
        assert_eq!(eliminate(&same, &[1.0, 3.0, 2.0], 2), [1, 2]);
    }
}
