//! Eigenpairs against exact values, against inertia, and against the dense solver.

pub(crate) mod bodies;
mod scalar;

use crate::dense::tall;
use std::f64::consts::TAU;
use std::ops::ControlFlow;

use bodies::Body;

use super::*;
use crate::factor::Ldlt;
use crate::{Pattern, ignore_progress};

fn problem<'a>(body: &'a Body, dofs: &'a Dofs, known: &'a [Vec<f64>]) -> Problem<'a> {
    Problem { stiffness: &body.stiffness, mass: &body.mass, dofs, known }
}

fn modes(problem: &Problem<'_>, wanted: usize) -> Pairs {
    lowest(problem, wanted, &Options::default(), &mut ignore_progress).expect("modes")
}

fn hertz(value: f64) -> f64 {
    value.sqrt() / TAU
}

/// How many eigenvalues lie below `value` (Sylvester).
fn count_below(problem: &Problem<'_>, value: f64) -> usize {
    let mut shifted = problem.stiffness.clone();
    shifted.add_per_axis(-value, problem.mass);
    let mut factor = Ldlt::analyse(shifted.pattern(), problem.dofs).expect("a pattern");
    factor.factorise(&shifted).expect("between eigenvalues");
    factor.inertia().negative
}

/// Nothing is lost: between the values of the pairs lie as many eigenvalues as there are pairs.
#[track_caller]
fn assert_complete(problem: &Problem<'_>, pairs: &Pairs) {
    let v = &pairs.values;
    let gap = |i: usize| v[i + 1] > v[i] * (1.0 + 1e-5) && v[i + 1] > 1e-9;
    let mut counted = 0;
    for i in (0..v.len() - 1).filter(|&i| gap(i)) {
        assert_eq!(
            count_below(problem, 0.5 * (v[i] + v[i + 1])),
            pairs.known + i + 1,
            "below pair {}",
            i + 1
        );
        counted += 1;
    }
    assert!(counted > 0, "some gap among {v:?}");
}

#[track_caller]
fn assert_orthonormal(problem: &Problem<'_>, pairs: &Pairs) {
    let metric = Metric { mass: problem.mass, dofs: problem.dofs };
    let size = problem.dofs.size();
    let x = tall::view(&pairs.vectors, size);
    let weighted = metric.apply(&pairs.vectors);
    let gram = tall::transposed_product(x, tall::view(&weighted, size));
    for (i, j) in (0..gram.nrows()).flat_map(|i| (0..gram.ncols()).map(move |j| (i, j))) {
        let expected = if i == j { 1.0 } else { 0.0 };
        assert!((gram[(i, j)] - expected).abs() < 1e-12, "{i}, {j}: {}", gram[(i, j)]);
    }
    for (i, x) in pairs.vectors.chunks(size).enumerate() {
        let largest = x.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        assert!(largest > 0.0, "the sign of vector {i}");
        assert!((0..size).all(|d| !problem.dofs.is_held(d) || x[d] == 0.0), "held degrees of freedom stay");
    }
    for known in problem.known {
        for x in weighted.chunks(size) {
            assert!(crate::work::par::dot(known, x).abs() < 1e-11, "known vectors are kept out");
        }
    }
}

#[test]
fn a_diagonal_problem_has_the_ratios_as_values() {
    // λ = k/m, each three times; far above the dense limit.
    let pattern = Pattern::diagonal(400);
    let (mut k, mut m) = (Symmetric::<3>::zeros(pattern.clone()), Symmetric::<1>::zeros(pattern));
    for i in 0..400 {
        let mass = 0.5 + (i % 7) as f64;
        let value = 3.0 + 2.0 * ((i * 37) % 400) as f64;
        m.values_mut()[i][0][0] = mass;
        (0..3).for_each(|c| k.values_mut()[i][c][c] = value * mass);
    }
    let dofs = Dofs::all_free(1200);
    let problem = Problem { stiffness: &k, mass: &m, dofs: &dofs, known: &[] };
    let pairs = modes(&problem, 20);
    assert!(pairs.solves > 0, "not the dense solver");
    for (i, value) in pairs.values.iter().enumerate() {
        let expected = 3.0 + 2.0 * (i / 3) as f64;
        assert!((value - expected).abs() < 1e-10 * expected, "{i}: {value} for {expected}");
    }
    assert!(pairs.residuals.iter().all(|&r| r < 1e-8), "{:?}", pairs.residuals);
    assert_orthonormal(&problem, &pairs);
}

#[test]
fn a_free_cube_has_its_pairs_and_triples() {
    let body = Body::cube(8);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let problem = problem(&body, &dofs, &rigid);
    let pairs = modes(&problem, 20);
    assert_eq!(pairs.known, 6);
    assert!(pairs.residuals.iter().all(|&r| r < 1e-8), "{:?}", pairs.residuals);
    // 0.281902 (2), 0.379612 (3), 0.386055 (3), 0.438529 (3) Hz as the mesh gets finer; from above. Of the last three,
    // which only the symmetry of the cube ties together, two stay a pair.
    let f: Vec<f64> = pairs.values.iter().map(|&v| hertz(v)).collect();
    for (range, exact) in [(0..2, 0.281902), (2..5, 0.379612), (5..8, 0.386055), (8..10, 0.438529)] {
        for i in range.clone() {
            assert!((f[i] - f[range.start]).abs() < 1e-11 * f[i], "mode {i} of {range:?}: {f:?}");
            assert!(f[i] > exact && f[i] < 1.08 * exact, "mode {i}: {} for {exact}", f[i]);
        }
    }
    assert_complete(&problem, &pairs);
    assert_orthonormal(&problem, &pairs);
}

#[test]
fn a_cut_through_a_triple_takes_part_of_it() {
    let body = Body::cube(6);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let problem = problem(&body, &dofs, &rigid);
    let all = modes(&problem, 14);
    for wanted in [1, 3, 4, 7] {
        let some = modes(&problem, wanted);
        for (a, b) in some.values.iter().zip(&all.values) {
            assert!((a - b).abs() < 1e-10 * b, "{wanted} wanted: {a} for {b}");
        }
    }
}

#[test]
fn the_dense_solver_and_the_iteration_agree() {
    let body = Body::cube(6);
    for (dofs, rigid) in [(body.clamped(), vec![]), (body.all_free(), body.rigid(0..usize::MAX))] {
        let problem = problem(&body, &dofs, &rigid);
        let pairs = modes(&problem, 24);
        assert!(pairs.solves > 0, "not the dense solver");
        let metric = Metric { mass: &body.mass, dofs: &dofs };
        let known = metric.extend(&[], &rigid.concat(), 0.0, &mut ignore_progress).expect("a basis").columns;
        let vectors = dense::lowest(&problem, &known, 24).expect("dense");
        let options = Options::default();
        let dense = verify::pairs(&problem, &known, vectors, 0.0, None, &options)
            .and_then(|checked| checked.accept(options.tolerance, Pairs::default()))
            .expect("dense pairs");
        for (a, b) in pairs.values.iter().zip(&dense.values) {
            assert!((a - b).abs() < 1e-11 * b, "{a} for {b}");
        }
        assert_orthonormal(&problem, &dense);
        assert_complete(&problem, &pairs);
    }
}

/// Steel is rubber times 10⁵: the same modes, for few and for many, by iteration and densely.
#[test]
fn the_units_of_the_stiffness_do_not_matter() {
    let mut body = Body::cube(6);
    let dofs = body.clamped();
    for wanted in [5, 60, 400] {
        let soft = modes(&problem(&body, &dofs, &[]), wanted);
        body.stiffness.scale(1e12);
        let stiff = modes(&problem(&body, &dofs, &[]), wanted);
        body.stiffness.scale(1e-12);
        for (a, b) in soft.values.iter().zip(&stiff.values) {
            assert!((a * 1e12 - b).abs() < 1e-8 * b, "{wanted} wanted: {a} and {b}");
        }
    }
}

#[test]
fn small_bodies_give_all_they_have() {
    let body = Body::cube(1);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let problem = problem(&body, &dofs, &rigid);
    let pairs = modes(&problem, 18);
    assert_eq!((pairs.values.len(), pairs.solves), (18, 0));
    assert!(pairs.values[0] > 0.1, "{:?}", pairs.values);
    assert_orthonormal(&problem, &pairs);
    let error = lowest(&problem, 19, &Options::default(), &mut ignore_progress).expect_err("one too many");
    assert_eq!(error, EigenError::TooMany { wanted: 19, available: 18, free: 24, known: 6 });
    assert!(modes(&problem, 0).values.is_empty());
}

#[test]
fn many_equal_bodies_have_every_mode_many_times() {
    // 9 cubes: pairs come 18 times, triples 27 times, more than any block holds at first.
    let copies = 9;
    let body = Body::cubes(4, copies);
    let per = body.vertices.len() / copies;
    let rigid: Vec<Vec<f64>> = (0..copies).flat_map(|c| body.rigid(c * per..(c + 1) * per)).collect();
    let dofs = body.all_free();
    let problem = problem(&body, &dofs, &rigid);
    let pairs = modes(&problem, 2 * copies + 5);
    assert_eq!(pairs.known, 6 * copies);
    assert!(pairs.solves > 0, "not the dense solver");
    let one = Body::cube(4);
    let (dofs, rigid) = (one.all_free(), one.rigid(0..usize::MAX));
    let alone = modes(&Problem { known: &rigid, dofs: &dofs, ..self::problem(&one, &dofs, &rigid) }, 5);
    for (i, value) in pairs.values.iter().enumerate() {
        let expected = alone.values[if i < 2 * copies { 0 } else { 2 }];
        assert!((value - expected).abs() < 1e-10 * expected, "{i}: {value} for {expected}");
    }
}

#[test]
fn a_hinge_that_nobody_announced_is_a_value_of_nearly_zero() {
    let body = Body::hinge(4);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    // With the rigid motions known, one mode of nearly zero is left; with none known, seven.
    for (known, zeros) in [(rigid.as_slice(), 1), (&[], 7)] {
        let problem = problem(&body, &dofs, known);
        let pairs = modes(&problem, 16);
        let scale = pairs.values[zeros];
        assert!(scale > 1e-3);
        for value in &pairs.values[..zeros] {
            assert!((0.0..1e-9 * scale).contains(value), "{:?}", pairs.values);
        }
        assert_complete(&problem, &pairs);
        assert_orthonormal(&problem, &Pairs { ..pairs.clone() });
    }
}

#[test]
fn a_small_hinge_is_solved_densely_and_has_its_zero() {
    let body = Body::hinge(1);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    for (known, zeros) in [(rigid.as_slice(), 1), (&[], 7)] {
        let problem = problem(&body, &dofs, known);
        let pairs = modes(&problem, 12);
        assert_eq!(pairs.solves, 0, "the dense solver");
        assert!(pairs.values[..zeros].iter().all(|v| (0.0..1e-9).contains(v)), "{:?}", pairs.values);
        assert!(pairs.values[zeros] > 1e-2, "{:?}", pairs.values);
        assert_orthonormal(&problem, &pairs);
    }
}

#[test]
fn a_body_held_too_little_still_has_its_modes() {
    // Held at one edge only: it turns about that edge, and nobody said so.
    let body = Body::cube(6);
    let held: Vec<bool> = body.vertices.iter().flat_map(|p| [p.x == 0.0 && p.y == 0.0; 3]).collect();
    let dofs = Dofs::new(held);
    let problem = problem(&body, &dofs, &[]);
    let pairs = modes(&problem, 8);
    assert!(pairs.values[0] < 1e-9 * pairs.values[1], "{:?}", pairs.values);
    assert_complete(&problem, &pairs);
}

#[test]
fn a_slender_bar_keeps_its_slow_pairs() {
    let body = Body::bar(2);
    let dofs = body.clamped();
    let problem = problem(&body, &dofs, &[]);
    let pairs = modes(&problem, 12);
    assert!((pairs.values[0] - pairs.values[1]).abs() < 1e-9 * pairs.values[0], "{:?}", pairs.values);
    assert_complete(&problem, &pairs);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let body = Body::cube(6);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let problem = problem(&body, &dofs, &rigid);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| modes(&problem, 12))
    };
    let one = with(1);
    for threads in [2, 7] {
        let other = with(threads);
        assert!(one.values.iter().zip(&other.values).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(one.vectors.iter().zip(&other.vectors).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn what_cannot_be_is_said() {
    let body = Body::cube(6);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let run = |problem: &Problem<'_>, options: &Options| lowest(problem, 12, options, &mut ignore_progress);
    let options = Options::default();

    // Not rigid: a stretch.
    let stretch: Vec<f64> = body.vertices.iter().flat_map(|p| [p.x, 0.0, 0.0]).collect();
    let error = run(&problem(&body, &dofs, &[stretch]), &options).expect_err("a stretch has energy");
    assert!(matches!(error, EigenError::NotNull { index: 0, .. }), "{error}");

    let error = run(&problem(&body, &dofs, &rigid), &Options { most_restarts: 0, block: Some(2), ..options })
        .expect_err("too few restarts");
    let EigenError::NotConverged { converged, wanted: 12, worst, .. } = &error else { panic!("{error}") };
    assert!(converged.len() < 12 && *worst > 1e-9, "{error}");
    assert!(error.to_string().starts_with(&format!("{} of 12 modes converged", converged.len())), "{error}");

    let mut mass = body.mass.clone();
    let slot = mass.pattern().column(5).0.start;
    mass.values_mut()[slot][0][0] = 0.0;
    let error =
        run(&Problem { mass: &mass, ..problem(&body, &dofs, &rigid) }, &options).expect_err("no mass");
    assert_eq!(error, EigenError::NoMass { vertex: 5, mass: 0.0 });

    let mut negative = body.stiffness.clone();
    negative.scale(-1.0);
    let error = run(&Problem { stiffness: &negative, ..problem(&body, &body.clamped(), &[]) }, &options);
    assert!(matches!(error, Err(EigenError::Factor(_))), "{error:?}");

    let mut stop = |_: Progress| ControlFlow::Break(());
    let error = lowest(&problem(&body, &dofs, &rigid), 12, &options, &mut stop);
    assert_eq!(error, Err(EigenError::Cancelled));
}

#[test]
fn what_converged_is_said() {
    let body = Body::cube(6);
    let (dofs, rigid) = (body.all_free(), body.rigid(0..usize::MAX));
    let problem = problem(&body, &dofs, &rigid);
    let all = modes(&problem, 12);
    // Enough restarts for some, too few for all.
    let some = (0..12).find_map(|most_restarts| {
        let options = Options { most_restarts, block: Some(1), ..Options::default() };
        match lowest(&problem, 12, &options, &mut ignore_progress) {
            Err(EigenError::NotConverged { converged, .. }) if !converged.is_empty() => Some(converged),
            _ => None,
        }
    });
    let some = some.expect("some restarts at which a part has converged");
    assert!(some.len() < 12);
    assert!((some[0] - all.values[0]).abs() < 1e-6 * all.values[0], "{some:?} of {:?}", all.values);
    assert_eq!(range(&[TAU * TAU, 4.0 * TAU * TAU]), " (1.0000e0 to 2.0000e0 Hz)");
}

/// A chain of six masses along x, stiff springs of about 1 N/m between them, each tied to the ground by `tie` N/m; y and z
/// held.
fn chain(tie: f64) -> (Symmetric<3>, Symmetric<1>, Dofs) {
    let links: Vec<[u32; 2]> = (0..5).map(|i| [i, i + 1]).collect();
    let pattern =
        std::sync::Arc::clone(crate::Assembly::new(6, links.iter().map(|l| l.as_slice())).pattern());
    let (mut k, mut m) = (Symmetric::<3>::zeros(pattern.clone()), Symmetric::<1>::zeros(pattern.clone()));
    let mut add = |i: usize, j: usize, value: f64| {
        k.values_mut()[pattern.slot(i, j).expect("neighbours")][0][0] += value;
    };
    for i in 0..6 {
        add(i, i, tie);
        m.values_mut()[pattern.slot(i, i).expect("a diagonal")][0][0] = 1.0 + 0.1 * (i * i % 5) as f64;
    }
    for i in 0..5 {
        let spring = 1.0 / (1.0 + 0.3 * i as f64);
        add(i, i, spring);
        add(i + 1, i + 1, spring);
        add(i + 1, i, -spring);
    }
    (k, m, Dofs::new([false, true, true].repeat(6)))
}

#[test]
fn residuals_are_relative_to_the_stiffness_of_their_mode() {
    // The slowest mode far above the smallest stiffness that counts (1e-10), near it, and below it; never a zero.
    for tie in [1e-5, 1e-9, 1e-12] {
        let (k, m, dofs) = chain(tie);
        let pairs = modes(&Problem { stiffness: &k, mass: &m, dofs: &dofs, known: &[] }, 6);
        assert!(pairs.zeros.is_empty(), "{tie}: {:?}", pairs.values);
        for (i, (&value, &residual)) in pairs.values.iter().zip(&pairs.residuals).enumerate() {
            let (mut kx, mut mx) = (vec![0.0; 18], vec![0.0; 18]);
            k.apply(pairs.vector(i), &mut kx);
            m.apply_per_axis(pairs.vector(i), &mut mx);
            let length = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
            let rest = length(&mut kx.iter().zip(&mx).map(|(k, m)| k - value * m));
            let exact = rest / length(&mut kx.iter().copied());
            assert!((residual - exact).abs() <= 1e-6 * exact, "{tie}, pair {i}: {residual:e} for {exact:e}");
        }
        let above: Vec<usize> = (0..6).filter(|&i| pairs.residuals[i] > 1e-8).collect();
        assert_eq!(pairs.rounded, above, "{tie}: {:?}", pairs.residuals);
        assert_eq!(pairs.rounded.is_empty(), tie == 1e-5, "{tie}: {:?}", pairs.residuals);
    }
    // Tied to nothing, the chain slides.
    let (k, m, dofs) = chain(0.0);
    let pairs = modes(&Problem { stiffness: &k, mass: &m, dofs: &dofs, known: &[] }, 6);
    assert_eq!((pairs.zeros, pairs.rounded), (vec![0], Vec::<usize>::new()), "{:?}", pairs.values);
}

#[test]
fn memory_is_counted_before_it_is_taken() {
    // 9 261 vertices: 6 000 modes need a basis of 12 080 columns.
    let count = 9261;
    let pattern = Pattern::diagonal(count);
    let (mut k, mut m) = (Symmetric::<3>::zeros(pattern.clone()), Symmetric::<1>::zeros(pattern));
    for i in 0..count {
        m.values_mut()[i][0][0] = 1.0;
        (0..3).for_each(|c| k.values_mut()[i][c][c] = 1.0 + i as f64);
    }
    let dofs = Dofs::all_free(3 * count);
    let problem = Problem { stiffness: &k, mass: &m, dofs: &dofs, known: &[] };
    let error = lowest(&problem, 6000, &Options::default(), &mut ignore_progress).expect_err("too much");
    let EigenError::TooLarge { wanted: 6000, bytes, affordable } = error else { panic!("{error}") };
    let basis = 8.0 * 3.0 * count as f64 * 12080.0;
    assert!(bytes > basis && bytes < 10.0 * basis, "{bytes}");
    let bytes = |wanted| Plan::new(wanted, 3 * count, &Options::default()).bytes(3 * count, 3 * count);
    assert!(affordable > PROMISED && bytes(affordable) <= MOST_BYTES && bytes(affordable + 1) > MOST_BYTES);
    assert!(error.to_string().contains(&format!("ask for at most {affordable}")), "{error}");
    // All of them: dense matrices of 27 783 rows.
    let error = lowest(&problem, 3 * count, &Options::default(), &mut ignore_progress);
    assert!(matches!(error, Err(EigenError::TooLarge { .. })), "{error:?}");
}
