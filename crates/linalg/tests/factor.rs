//! The solvers on matrices of real size: residuals, and the same bits for any number of threads.

mod stiffness;

use pliant_linalg::{Cholesky, Dofs, FactorError, Ldlt, Symmetric, Vec3, par};
use pliant_mesh::data::MeshData;

/// A cube of side³ vertices, every cell cut into six tets.
fn cube(side: u32) -> MeshData {
    let number = |x: u32, y: u32, z: u32| x + side * (y + side * z);
    let place = |i: u32| Vec3::new((i % side).into(), (i / side % side).into(), (i / side / side).into());
    let mut tets = Vec::new();
    for cell in 0..(side - 1).pow(3) {
        let (x, y, z) = (cell % (side - 1), cell / (side - 1) % (side - 1), cell / (side - 1).pow(2));
        for path in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = [x, y, z];
            let mut tet = [number(x, y, z); 4];
            for (k, axis) in path.into_iter().enumerate() {
                at[axis] += 1;
                tet[k + 1] = number(at[0], at[1], at[2]);
            }
            let even = matches!(path, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
            if !even {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    MeshData::from_tets((0..side.pow(3)).map(place).collect(), tets)
}

fn right_hand_sides(size: usize, columns: usize) -> Vec<f64> {
    (0..size * columns).map(|i| ((i * 7919) as f64).sin()).collect()
}

/// |A x − b| / |b| over what is free.
fn residual(matrix: &Symmetric<3>, dofs: &Dofs, x: &[f64], b: &[f64]) -> f64 {
    let mut ax = vec![0.0; x.len()];
    matrix.apply(x, &mut ax);
    par::axpy(-1.0, b, &mut ax);
    dofs.hold(&mut ax);
    par::norm(&ax) / par::norm(b)
}

#[test]
fn the_same_bits_for_one_two_and_seven_threads() {
    // Large enough that the front at the top uses the threads inside its kernels.
    let (matrix, dofs) = stiffness::of_mesh(&cube(18));
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut cholesky = Cholesky::analyse(matrix.pattern(), &dofs).expect("free");
            cholesky.factorise(&matrix).expect("positive definite");
            let mut x = right_hand_sides(matrix.size(), 5);
            let (many, one) = x.split_at_mut(4 * matrix.size());
            cholesky.solve_many(many, 4);
            cholesky.solve(one);
            x.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        })
    };
    let alone = solve(1);
    assert!(alone == solve(2) && alone == solve(7));
}

#[test]
fn residuals_on_a_cube_are_rounding_and_both_factorisations_agree() {
    let (matrix, dofs) = stiffness::of_mesh(&cube(9));
    let mut cholesky = Cholesky::analyse(matrix.pattern(), &dofs).expect("free");
    let mut ldlt = Ldlt::analyse(matrix.pattern(), &dofs).expect("free");
    cholesky.factorise(&matrix).expect("positive definite");
    ldlt.factorise(&matrix).expect("not singular");
    assert_eq!(ldlt.inertia().negative, 0);
    let b = right_hand_sides(matrix.size(), 3);
    let (mut x, mut y) = (b.clone(), b.clone());
    cholesky.solve_many(&mut x, 3);
    ldlt.solve_many(&mut y, 3);
    for (x, b) in x.chunks(matrix.size()).zip(b.chunks(matrix.size())) {
        assert!(residual(&matrix, &dofs, x, b) < 1e-12);
    }
    par::axpy(-1.0, &x, &mut y);
    assert!(par::norm(&y) < 1e-11 * par::norm(&x));
}

#[test]
fn a_body_that_nothing_holds_is_refused() {
    // Six rigid motions cost nothing: the last pivots are rounding.
    let (matrix, _) = stiffness::of_mesh(&cube(5));
    let free = Dofs::all_free(matrix.size());
    let mut cholesky = Cholesky::analyse(matrix.pattern(), &free).expect("free");
    assert!(matches!(cholesky.factorise(&matrix), Err(FactorError::NotPositive { .. })));
}

#[test]
fn a_real_solid_is_solved() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let (matrix, dofs) = stiffness::of_file(&data.join("tets/armadillo_157k.mesh"));
    let mut cholesky = Cholesky::analyse(matrix.pattern(), &dofs).expect("free");
    cholesky.factorise(&matrix).expect("positive definite");
    let b = right_hand_sides(matrix.size(), 1);
    let mut x = b.clone();
    cholesky.solve(&mut x);
    assert!(residual(&matrix, &dofs, &x, &b) < 1e-8);
}
