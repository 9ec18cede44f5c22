//! Factors against dense arithmetic, on small matrices of every shape and on a real mesh.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::{Dofs, Pattern, Symmetric};

/// Numbers in −1..1 without a pattern, the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn symmetric<const B: usize>(
    pattern: &Arc<Pattern>,
    seed: u64,
    diagonal: impl Fn(usize) -> f64,
) -> Symmetric<B> {
    let mut a = Symmetric::zeros(pattern.clone());
    let mut next = numbers(seed);
    for block in a.values_mut() {
        block.as_flattened_mut().iter_mut().for_each(|v| *v = next());
    }
    for j in 0..pattern.size() {
        let block = &mut a.values_mut()[pattern.column(j).0.start];
        for r in 0..B {
            (0..r).for_each(|c| block[c][r] = block[r][c]);
            block[r][r] = diagonal(B * j + r);
        }
    }
    a
}

/// Diagonally dominant, therefore positive definite.
fn positive<const B: usize>(pattern: &Arc<Pattern>, seed: u64) -> Symmetric<B> {
    let dominant = (B * pattern.size()) as f64;
    symmetric(pattern, seed, |i| dominant + (i % 7) as f64)
}

/// The free part, dense, row by row.
fn dense<const B: usize>(a: &Symmetric<B>, dofs: &Dofs) -> Vec<Vec<f64>> {
    let at = |i: u32, j: u32| a.block(i as usize / B, j as usize / B)[i as usize % B][j as usize % B];
    dofs.free().iter().map(|&i| dofs.free().iter().map(|&j| at(i, j)).collect()).collect()
}

/// Gauss with row pivots: shares nothing with the code under test.
fn solve_dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("a row is left");
        a.swap(k, best);
        b.swap(k, best);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    b
}

/// What the solvers must give: zeros where held, the dense solution elsewhere.
fn expected<const B: usize>(a: &Symmetric<B>, dofs: &Dofs, b: &[f64]) -> Vec<f64> {
    let free = solve_dense(dense(a, dofs), dofs.free().iter().map(|&i| b[i as usize]).collect());
    let mut x = vec![0.0; b.len()];
    dofs.free().iter().zip(free).for_each(|(&i, v)| x[i as usize] = v);
    x
}

#[track_caller]
fn assert_near(x: &[f64], y: &[f64], tolerance: f64) {
    let scale = y.iter().fold(1e-300_f64, |m, v| m.max(v.abs()));
    for (i, (x, y)) in x.iter().zip(y).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "number {i}: {x} instead of {y}");
    }
}

fn right_hand_sides(size: usize, columns: usize) -> Vec<f64> {
    let mut next = numbers(77);
    (0..size * columns).map(|_| next()).collect()
}

prop_compose! {
    /// A pattern, which degrees of freedom are held (at least one is not), and a seed for values. Vertices may be isolated.
    fn case(b: usize)(size in 1_usize..14)(
        cliques in prop::collection::vec(prop::collection::vec(0..size as u32, 1..=4), 0..16),
        mut held in prop::collection::vec(prop::bool::weighted(0.2), b * size),
        free in 0..b * size,
        size in Just(size),
        seed in 0..1000_u64,
    ) -> (Arc<Pattern>, Dofs, u64) {
        held[free] = false;
        (Pattern::from_cliques(size, cliques.iter().map(Vec::as_slice)), Dofs::new(held), seed)
    }
}

fn agrees<const B: usize>(pattern: &Arc<Pattern>, dofs: &Dofs, seed: u64) {
    let mut cholesky = Cholesky::<B>::analyse(pattern, dofs).expect("something is free");
    // Twice: the second matrix uses the analysis of the first.
    for seed in [seed, seed + 1] {
        let a = positive::<B>(pattern, seed);
        cholesky.factorise(&a).expect("positive definite");
        let b = right_hand_sides(a.size(), 5);
        let mut many = b.clone();
        cholesky.solve_many(&mut many, 5);
        for (b, x) in b.chunks(a.size()).zip(many.chunks(a.size())) {
            let expected = expected(&a, dofs, b);
            assert_near(x, &expected, 1e-12);
            let mut one = b.to_vec();
            cholesky.solve(&mut one);
            assert_near(&one, &expected, 1e-12);
        }
    }
}

proptest! {
    #[test]
    fn cholesky_agrees_with_dense_arithmetic((pattern, dofs, seed) in case(3)) {
        agrees::<3>(&pattern, &dofs, seed);
    }

    #[test]
    fn cholesky_of_single_numbers_agrees_with_dense_arithmetic((pattern, dofs, seed) in case(1)) {
        agrees::<1>(&pattern, &dofs, seed);
    }

    #[test]
    fn ldlt_agrees_with_dense_arithmetic_on_indefinite_matrices((pattern, dofs, seed) in case(3)) {
        let dominant = (3 * pattern.size()) as f64;
        let a: Symmetric<3> = symmetric(&pattern, seed, |i| if i % 3 == 1 { -dominant } else { dominant });
        let mut ldlt = Ldlt::<3>::analyse(&pattern, &dofs).expect("something is free");
        ldlt.factorise(&a).expect("dominated by its diagonal, so not singular");
        // Dominated by its diagonal (Gershgorin): as many eigenvalues below zero as numbers on it.
        let negative = dofs.free().iter().filter(|&&i| i % 3 == 1).count();
        let positive = dofs.free().len() - negative;
        prop_assert_eq!(ldlt.inertia(), Inertia { positive, negative });
        let b = right_hand_sides(a.size(), 2);
        let mut x = b.clone();
        ldlt.solve_many(&mut x, 2);
        for (b, x) in b.chunks(a.size()).zip(x.chunks(a.size())) {
            assert_near(x, &expected(&a, &dofs, b), 1e-12);
        }
    }
}

#[test]
fn a_matrix_with_a_zero_diagonal_is_solved_by_pivots_of_two() {
    let pattern = Pattern::from_cliques(2, [[0_u32, 1].as_slice()].into_iter());
    let mut a = Symmetric::<1>::zeros(pattern.clone());
    a.values_mut()[1][0][0] = 2.0;
    let mut ldlt = Ldlt::analyse(&pattern, &Dofs::all_free(2)).expect("free");
    ldlt.factorise(&a).expect("not singular");
    assert_eq!(ldlt.inertia(), Inertia { positive: 1, negative: 1 });
    let mut x = vec![6.0, -4.0];
    ldlt.solve(&mut x);
    assert_eq!(x, [-2.0, 3.0]);
}

#[test]
fn three_interleaved_sides_are_three_solves() {
    let pattern = Pattern::from_cliques(5, [[0_u32, 1, 2].as_slice(), &[2, 4]].into_iter());
    let a = positive::<1>(&pattern, 3);
    let mut cholesky =
        Cholesky::analyse(&pattern, &Dofs::new(vec![false, true, false, false, false])).expect("free");
    cholesky.factorise(&a).expect("positive definite");
    let mut alike = right_hand_sides(5, 3);
    let columns: Vec<Vec<f64>> = (0..3)
        .map(|c| {
            let mut x: Vec<f64> = (0..5).map(|i| alike[3 * i + c]).collect();
            cholesky.solve(&mut x);
            x
        })
        .collect();
    cholesky.solve_per_axis(&mut alike);
    for i in 0..5 {
        (0..3).for_each(|c| assert!((alike[3 * i + c] - columns[c][i]).abs() < 1e-14));
    }
    assert_eq!(alike[3..6], [0.0; 3]);
}

#[test]
fn nothing_free_is_an_error() {
    let pattern = Pattern::diagonal(2);
    let held = Dofs::new(vec![true; 6]);
    assert_eq!(Cholesky::<3>::analyse(&pattern, &held).err(), Some(FactorError::NothingFree));
    assert_eq!(Ldlt::<3>::analyse(&pattern, &held).err(), Some(FactorError::NothingFree));
}

#[test]
fn the_degree_of_freedom_that_is_not_positive_is_named() {
    // A chain, where only component 1 of vertex 4 has a negative diagonal, whatever the order of elimination.
    let cliques: Vec<[u32; 2]> = (0..30).map(|i| [i, i + 1]).collect();
    let pattern = Pattern::from_cliques(31, cliques.iter().map(|c| c.as_slice()));
    let mut a = positive::<3>(&pattern, 5);
    let slot = pattern.column(4).0.start;
    a.values_mut()[slot][1][1] = -1000.0;
    let mut cholesky = Cholesky::analyse(&pattern, &Dofs::all_free(93)).expect("free");
    let refused = cholesky.factorise(&a).expect_err("not positive");
    assert!(matches!(refused, FactorError::NotPositive { dof: 13, .. }));
    assert!(refused.to_string().contains("definite at component y of vertex 4;"), "{refused}");
    // And it can be used again.
    cholesky.factorise(&positive(&pattern, 5)).expect("positive definite");
}

#[test]
fn a_singular_matrix_is_refused_by_ldlt() {
    // A free spring: [k −k; −k k].
    let pattern = Pattern::from_cliques(2, [[0_u32, 1].as_slice()].into_iter());
    let mut a = Symmetric::<1>::zeros(pattern.clone());
    for (slot, value) in [3.0, -3.0, 3.0].into_iter().enumerate() {
        a.values_mut()[slot][0][0] = value;
    }
    let mut ldlt = Ldlt::analyse(&pattern, &Dofs::all_free(2)).expect("free");
    let refused = ldlt.factorise(&a).expect_err("singular");
    assert!(matches!(refused, FactorError::Singular { .. }));
    assert!(refused.to_string().contains("at vertex "), "{refused}");
}
