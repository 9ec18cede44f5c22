//! Scalar fields: one number a vertex, by the same iteration.

use std::f64::consts::PI;

use super::*;

/// A chain of n beads that heat flows through: λ_k = 2 − 2 cos(kπ/n), and a constant costs nothing.
fn chain(n: u32) -> (Symmetric<1>, Symmetric<1>) {
    let links: Vec<[u32; 2]> = (1..n).map(|i| [i - 1, i]).collect();
    let pattern = Pattern::from_cliques(n as usize, links.iter().map(|l| &l[..]));
    let mut K = Symmetric::<1>::zeros(pattern.clone());
    for &[a, b] in &links {
        for (i, j, value) in [(a, a, 1.0), (b, b, 1.0), (b, a, -1.0)] {
            let slot = pattern.slot(i as usize, j as usize).expect("a link");
            K.values_mut()[slot][0][0] += value;
        }
    }
    let mut M = Symmetric::<1>::zeros(Pattern::diagonal(n as usize));
    M.values_mut().fill([[1.0]]);
    (K, M)
}

#[test]
fn a_chain_of_beads_cools_in_cosines() {
    // Far above the dense limit, and below it.
    for (n, wanted) in [(1500_u32, 40), (50, 49)] {
        let (K, M) = chain(n);
        let dofs = Dofs::all_free(n as usize);
        let known = vec![vec![1.0; n as usize]];
        let problem = Problem { stiffness: &K, mass: &M, dofs: &dofs, known: &known };
        let pairs = lowest(&problem, wanted, &Options::default(), &mut ignore_progress).expect("pairs");
        assert_eq!((pairs.known, pairs.solves > 0), (1, n > 1000));
        for (k, value) in (1..).zip(&pairs.values) {
            let exact = 2.0 - 2.0 * (PI * f64::from(k) / f64::from(n)).cos();
            assert!((value - exact).abs() < 1e-8 * exact, "{k}: {value} for {exact}");
            let x = pairs.vector(k as usize - 1);
            let size = 2.0 / f64::from(n);
            let bead = |i: u32| (PI * f64::from(k) * (f64::from(i) + 0.5) / f64::from(n)).cos();
            // Squared: the sign is chosen by another rule.
            for i in [0, n / 3, n - 1] {
                let exact = size * bead(i).powi(2);
                assert!((x[i as usize].powi(2) - exact).abs() < 1e-7 * size, "{k} at {i}");
            }
        }
        let error = lowest(&problem, n as usize, &Options::default(), &mut ignore_progress);
        assert!(matches!(error, Err(EigenError::TooMany { available, .. }) if available == n as usize - 1));
    }
}
