//! Patterns, products and assembly against dense arithmetic.

use super::*;

/// Numbers without a pattern, the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

const CLIQUES: [&[u32]; 4] = [&[4, 0, 2, 5], &[5, 2, 1], &[3, 1], &[0, 5, 4, 2]];

fn local(seed: u64) -> LocalMatrix {
    let mut next = numbers(seed);
    let mut a = [[0.0; LOCAL]; LOCAL];
    for r in 0..LOCAL {
        for c in 0..=r {
            a[r][c] = next();
            a[c][r] = a[r][c];
        }
    }
    a
}

fn assembled() -> Symmetric<3> {
    let assembly = Assembly::new(6, CLIQUES.into_iter());
    let mut a = Symmetric::zeros(assembly.pattern().clone());
    let fill = |first: usize, out: &mut [LocalMatrix]| -> Result<(), ()> {
        out.iter_mut().enumerate().for_each(|(k, m)| *m = local((first + k) as u64 + 1));
        Ok(())
    };
    assembly.matrix(CLIQUES.len(), fill, &mut a).expect("filling cannot fail");
    a
}

fn dense() -> Vec<Vec<f64>> {
    let mut a = vec![vec![0.0; 18]; 18];
    for (k, clique) in CLIQUES.iter().enumerate() {
        let local = local(k as u64 + 1);
        let dof = |p: usize| 3 * clique[p / 3] as usize + p % 3;
        for p in 0..3 * clique.len() {
            for q in 0..3 * clique.len() {
                a[dof(p)][dof(q)] += local[p][q];
            }
        }
    }
    a
}

#[test]
fn assembly_sums_what_the_components_give() {
    let (a, dense) = (assembled(), dense());
    for i in 0..6 {
        for j in 0..6 {
            let block = a.block(i, j);
            for r in 0..3 {
                for c in 0..3 {
                    assert!((block[r][c] - dense[3 * i + r][3 * j + c]).abs() < 1e-14, "block {i}, {j}");
                }
            }
        }
    }
}

#[test]
fn products_agree_with_dense_arithmetic() {
    let (a, dense) = (assembled(), dense());
    let mut next = numbers(99);
    let x: Vec<f64> = (0..18).map(|_| next()).collect();
    let mut y = vec![0.0; 18];
    a.apply(&x, &mut y);
    for (row, y) in dense.iter().zip(&y) {
        let expected: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
        assert!((expected - y).abs() < 1e-13);
    }
    let expected: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    assert!((a.quadratic(&x) - expected).abs() < 1e-12);
}

#[test]
fn a_matrix_that_treats_x_y_z_alike_acts_on_each() {
    let pattern = Pattern::from_cliques(6, CLIQUES.into_iter());
    let mut mass = Symmetric::<1>::zeros(pattern.clone());
    let mut next = numbers(7);
    mass.values_mut().iter_mut().for_each(|b| b[0][0] = next());
    let x: Vec<f64> = (0..18).map(|_| next()).collect();
    let mut alike = vec![0.0; 18];
    mass.apply_per_axis(&x, &mut alike);
    let mut wide = Symmetric::<3>::zeros(pattern);
    wide.add_per_axis(2.0, &mass);
    let mut y = vec![0.0; 18];
    wide.apply(&x, &mut y);
    for (alike, y) in alike.iter().zip(&y) {
        assert!((2.0 * alike - y).abs() < 1e-13);
    }
    // Columns together have the bits of each alone, also those that are left over.
    let columns: Vec<f64> = (0..18 * 7).map(|_| next()).collect();
    let mut together = vec![1.0; columns.len()];
    mass.apply_columns_per_axis(&columns, &mut together);
    for (x, y) in columns.chunks(18).zip(together.chunks(18)) {
        mass.apply_per_axis(x, &mut alike);
        assert_eq!(alike, y);
    }
}

#[test]
fn the_pattern_does_not_depend_on_the_order_of_components() {
    let forth = Pattern::from_cliques(6, CLIQUES.into_iter());
    let back = Pattern::from_cliques(6, CLIQUES.into_iter().rev());
    assert_eq!(forth, back);
    assert_eq!(forth.column(2).1, [2, 4, 5]);
    assert!(Pattern::diagonal(4).is_diagonal());
}

#[test]
fn vectors_gather_by_vertex() {
    let assembly = Assembly::new(6, CLIQUES.into_iter());
    let locals: Vec<LocalVector> = (0..4).map(|k| std::array::from_fn(|i| (100 * k + i) as f64)).collect();
    let mut out = vec![0.0; 18];
    assembly.vector(&locals, &mut out);
    // Vertex 2 is corner 2 of component 0, corner 1 of component 1, corner 3 of component 3.
    assert_eq!(out[6..9], [6.0 + 103.0 + 309.0, 7.0 + 104.0 + 310.0, 8.0 + 105.0 + 311.0]);
}

#[test]
fn the_first_error_is_the_one_reported() {
    let cliques: Vec<[u32; 2]> = (0..1000).map(|i| [i, i + 1]).collect();
    let assembly = Assembly::new(1001, cliques.iter().map(|c| c.as_slice()));
    let mut a = Symmetric::zeros(assembly.pattern().clone());
    let fail = |first: usize, out: &mut [LocalMatrix]| {
        let bad = (first..first + out.len()).find(|&k| k == 300 || k == 900);
        bad.map_or(Ok(()), Err)
    };
    assert_eq!(assembly.matrix(1000, fail, &mut a), Err(300));
}

#[test]
fn a_hub_may_have_more_neighbours_than_sixteen_bits_count() {
    const SPOKES: u32 = 70_000;
    let spokes: Vec<[u32; 2]> = (1..=SPOKES).map(|k| [0, k]).collect();
    let assembly = Assembly::new(SPOKES as usize + 1, spokes.iter().map(|s| s.as_slice()));
    let mut a = Symmetric::zeros(assembly.pattern().clone());
    let fill = |first: usize, out: &mut [LocalMatrix]| -> Result<(), ()> {
        out.iter_mut().enumerate().for_each(|(k, m)| m[3][0] = (first + k + 1) as f64);
        Ok(())
    };
    assembly.matrix(spokes.len(), fill, &mut a).expect("filling cannot fail");
    for k in [1, 65_535, 65_536, 65_537, 70_000] {
        assert_eq!(a.block(k, 0)[0][0], k as f64);
    }
}
