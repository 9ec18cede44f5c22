//! Training: the least squares behind it, poses, weights, and what comes out.

use super::*;
use crate::force::TrainingFacts;
use crate::force::trainer::{self, How, Select};

/// What a trainer does, or the first of those that it tries.
fn alone(trainer: Trainer) -> Select {
    match trainer.how {
        How::Alone(select) => select,
        How::BestOf(names) => alone(*trainer::ALL.get(names[0]).expect("in the table")),
    }
}

#[test]
fn the_columns_of_the_least_squares_are_forces_of_components() {
    for (name, body) in
        [("stvk", body(bar(), "stvk", "x<1%")), ("shell", body(sheet(), "discrete-shells", "x<20%"))]
    {
        let basis = basis(&body, 5);
        let (d, T) = (5, 70);
        let mut poses: Vec<f64> = (0..T as u64).flat_map(|t| pose(&basis, 0.05, t)).collect();
        let (forces, shrunk) =
            super::forces::exact_forces(&body, &basis, &mut poses, "forces", &mut ignore_progress)
                .expect("forces");
        assert_eq!(shrunk, 0);
        // Behind them three gentle ones, with a row each.
        let gentle: Vec<f64> = (0..3).flat_map(|t| pose(&basis, 1e-3, 90 + t)).collect();
        let (pulls, _) =
            super::forces::exact_forces(&body, &basis, &mut gentle.clone(), "forces", &mut ignore_progress)
                .expect("forces");
        let samples =
            super::samples::Samples::new(body.components(), &basis, poses.clone(), forces.clone(), None)
                .and_then(|samples| samples.with_gentle(gentle.clone(), &pulls, 0.3))
                .expect("samples");
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let count = body.components().count() as u32;
        let picked: Vec<u32> = (0..count).filter(|c| c % 5 == 1).collect();
        // The same by the evaluator, one component at a time.
        let column = |c: u32| -> Vec<f64> {
            let one = Cubature::new(vec![c], vec![1.0]);
            let mut force = CubatureForce::new(body.components(), &one, &basis);
            let rows = poses.chunks_exact(d).zip(forces.chunks_exact(d));
            let mut column: Vec<f64> = rows
                .flat_map(|(q, F)| force_of(&mut force, q).into_iter().map(move |f| f / norm(F)))
                .collect();
            // All three together weigh as much as 0.3 of the 70 poses.
            let works = gentle.chunks_exact(d).zip(pulls.chunks_exact(d));
            column.extend(works.map(|(q, F)| 7_f64.sqrt() * dot(q, &force_of(&mut force, q)) / dot(q, F)));
            column
        };
        let A: Vec<Vec<f64>> = picked.iter().map(|&c| column(c)).collect();
        let columns = samples.columns(&picked).expect("columns");
        let (gram, squares) = (columns.gram(&DenseSymmetric::zeros(0), 0.0), columns.squared_lengths());
        // In two parts, with a ridge.
        let few = columns.pick(&(0..21).collect::<Vec<_>>()).gram(&DenseSymmetric::zeros(0), 0.25);
        let ridged = columns.gram(&few, 0.25);
        let x = noise(d * T + 3, 1.0, 8);
        let (against, correlations) =
            (columns.against(&x, 0), samples.correlations(&picked, &x, 0.25).expect("numbers"));
        assert_eq!(columns.against(&x, 16), against[16..]);
        for i in 0..picked.len() {
            for j in i..picked.len() {
                let scale = norm(&A[i]) * norm(&A[j]);
                assert!(
                    (gram.get(i, j) - dot(&A[i], &A[j])).abs() <= 1e-11 * scale + 1e-14,
                    "{name}: {i} {j}"
                );
                let added = ridged.get(i, j) - gram.get(i, j) - if i == j { 0.25 } else { 0.0 };
                assert!(added.abs() <= 1e-11 * scale + 1e-14, "{name}: {i} {j}");
            }
            assert!((squares[i] - dot(&A[i], &A[i])).abs() <= 1e-11 * squares[i] + 1e-14, "{name}: {i}");
            assert!((against[i] - dot(&A[i], &x)).abs() <= 1e-11 * norm(&x), "{name}: {i}");
            // Where a component is held at all its corners, its column is nothing.
            let column = (dot(&A[i], &x) + 0.25) / (dot(&A[i], &A[i]) + 0.25).sqrt();
            let expected = if squares[i] > 0.0 { column } else { 0.0 };
            assert!((correlations[i] - expected).abs() < 1e-10 * norm(&x), "{name}: {i}");
        }
        let w = noise(picked.len(), 1.0, 9);
        let sum = columns.combine(&w);
        for k in 0..d * T + 3 {
            let expected: f64 = A.iter().zip(&w).map(|(a, w)| w * a[k]).sum();
            assert!((sum[k] - expected).abs() < 1e-12, "{name}: {k}");
        }
        // All of them together are b.
        let all: Vec<u32> = (0..count).collect();
        let sum = samples.columns(&all).expect("columns").combine(&vec![1.0; all.len()]);
        assert!(sum.iter().zip(&samples.b).all(|(a, b)| (a - b).abs() < 1e-12), "{name}");
    }
}

#[test]
fn the_error_is_that_of_the_projected_force_and_falls_with_the_points() {
    for (name, body) in [
        ("stable-neo-hookean", body(bar(), "stable-neo-hookean", "x<1%")),
        ("discrete-shells", body(sheet(), "discrete-shells", "x<20%")),
    ] {
        let body = Arc::new(body);
        let basis = basis(&body, 6);
        let training = Training { poses: 40, seed: 5, trainer: Trainer::NN_HTP, ..Training::as_printed() };
        let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress).expect("poses");
        let mut exact = Projected::new(body.clone(), basis.clone());
        let mut last = 1.0;
        for points in [3, 10, 30, 90] {
            let trained = set.train(points, &mut ignore_progress).expect("a cubature");
            let Cubature { components, weights, .. } = &trained.cubature;
            assert!(
                components.len() <= points && components.is_sorted_by(|a, b| a < b),
                "{name}: {components:?}"
            );
            assert!(weights.iter().all(|&w| w > 0.0));
            let mut force = CubatureForce::new(body.components(), &trained.cubature, &basis);
            // Eq. 3.7 as it is printed, on the same poses, both of its forces from elsewhere.
            let (known, fresh) = set.poses();
            for (poses, told) in
                [(known, trained.facts.training_error), (fresh, trained.facts.validation_error)]
            {
                let error = |q: &[f64]| {
                    let (a, b) = (force_of(&mut force, q), force_of(&mut exact, q));
                    let off: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                    (norm(&off) / norm(&b)).powi(2)
                };
                let squares: Vec<f64> = poses.chunks_exact(6).map(error).collect();
                assert_eq!(squares.len(), 40);
                let expected = (squares.iter().sum::<f64>() / 40.0).sqrt();
                assert!((told - expected).abs() < 1e-9, "{name}: {told} vs {expected}");
            }
            let error = trained.facts.training_error;
            assert!(error < 0.8 * last, "{name}: {error} with {points} points, {last} with fewer");
            last = error;
        }
        assert!(last < 0.02, "{name}: {last}");
    }
}

#[test]
fn poses_reach_as_far_as_they_should_and_leave_rigid_motions_out() {
    let data = bar();
    let free = body(data, "stvk", "none");
    // Rigid motions and modes together.
    let found = linear_modes(&free, 4, &mut ignore_progress).expect("modes");
    let mut columns: Vec<f64> = found.rigid.concat();
    columns.extend(&found.modes.shapes);
    let basis = Basis::from_columns(&columns, free.size());
    let training = Training { poses: 300, pose_scale: Some(0.07), ..Training::as_printed() };
    let set = TrainingSet::new(&free, &basis, &training, &mut ignore_progress).expect("poses");
    let (known, fresh) = set.poses();
    let reach = super::poses::mean_reach(&basis, known);
    assert!((reach - 0.07).abs() < 1e-12, "{reach}");
    assert!((super::poses::mean_reach(&basis, fresh) / reach - 1.0).abs() < 0.1);
    // The largest displacement of one pose, by hand.
    let mut u = vec![0.0; free.size()];
    basis.expand(&known[..10], &mut u);
    let farthest = u.chunks_exact(3).map(norm).fold(0.0, f64::max);
    assert!((farthest - super::poses::mean_reach(&basis, &known[..10])).abs() < 1e-15);
    for q in known.chunks_exact(10) {
        assert!(norm(&q[..6]) < 1e-6 * norm(&q[6..]), "{q:?}");
    }
    // The standard deviation of mode i is 1/ω_i up to one factor: 300 samples know it to 4 %.
    let deviation = |i: usize| norm(&known.chunks_exact(10).map(|q| q[6 + i]).collect::<Vec<_>>());
    for i in 1..4 {
        let expected = (found.modes.eigenvalues[0] / found.modes.eigenvalues[i]).sqrt();
        assert!((deviation(i) / deviation(0) / expected - 1.0).abs() < 0.2, "{i}");
    }
}

#[test]
fn weights_stay_in_proportion_and_components_that_feel_nothing_out() {
    // A dinosaur on a plate that is held: most of the plate hardly moves.
    let options = shapes::ShapeOptions { subdivision: Some(16), ..shapes::ShapeOptions::default() };
    let dino =
        shapes::find("dino").and_then(|dino| dino.make(&options, &mut ignore_progress)).expect("a dinosaur");
    for (name, data, fixed) in [("dino", dino, "set:fixed"), ("bar", bar(), "x<15%")] {
        let body = body(data, "stvk", fixed);
        let basis = basis(&body, 6);
        for &trainer in &trainer::ALL {
            let training = Training { points: 30, poses: 60, trainer, ..Training::default() };
            let trained = train(&body, &basis, &training, &mut ignore_progress).expect("a cubature");
            let largest = trained.cubature.weights.iter().copied().fold(0.0, f64::max);
            let usual = body.components().count() as f64 / 30.0;
            assert!(largest <= 200.0 * usual, "{name}, {trainer:?}: {largest}, {usual} is usual");
            let most =
                if [Trainer::NN_HTP_STEP, Trainer::GREEDY_SUBSET].contains(&trainer) { 0.2 } else { 0.1 };
            assert!(
                trained.facts.training_error < most,
                "{name}, {trainer:?}: {}",
                trained.facts.training_error
            );
            for &c in &trained.cubature.components {
                let corners = body.components().corners(c as usize);
                assert!(corners.iter().any(|&v| !body.dofs().is_held(3 * v as usize)), "{name}: {c} is held");
            }
        }
    }
}

#[test]
fn what_hardly_moves_gets_no_weight_out_of_proportion() {
    // Half of the bar moves by a thousandth of what the shapes say: its forces are a millionth of the others', but
    // scaled to length one, as a choice needs them, they fit as well as any. Least squares alone gives them weights of
    // a million.
    // Not square: its vibrations come one by one, and any solver finds the same.
    let body = body(shapes::bar(Vec3::new(1.0, 0.2, 0.25), [16, 3, 3]).into_data(), "stvk", "x<1%");
    let still = |v: usize| body.rest()[v].x < 0.5;
    let shapes: Vec<f64> = {
        let plain = basis(&body, 6);
        let scaled = |(i, x): (usize, f64)| if still(i / 3) { 1e-3 * x } else { x };
        (0..6).flat_map(|k| plain.column(k).into_iter().enumerate().map(scaled).collect::<Vec<_>>()).collect()
    };
    let basis = Basis::from_columns(&shapes, body.size());
    let mut poses = super::poses::Spectrum::new(&body, &basis).expect("modes").draw(
        60,
        super::poses::Law::EqualEnergy,
        &mut Random(7),
    );
    let factor = 0.1 / super::poses::mean_reach(&basis, &poses);
    poses.iter_mut().for_each(|q| *q *= factor);
    let (forces, _) = super::forces::exact_forces(&body, &basis, &mut poses, "forces", &mut ignore_progress)
        .expect("forces");
    let samples =
        super::samples::Samples::new(body.components(), &basis, poses, forces, None).expect("samples");
    let points = 40;
    let usual = body.components().count() as f64 / points as f64;
    for &trainer in &trainer::ALL {
        let with = |ridge: f64| {
            let mut random = Random(1);
            let selected = alone(trainer)(&samples, points, ridge, &mut random, &mut ignore_progress)
                .expect("a cubature");
            (selected.cubature.weights.into_iter().fold(0.0, f64::max), selected.error)
        };
        let (with, without) = (with(super::trainer::ridge_of(&samples, points)), with(0.0));
        assert!(with.0 <= 30.0 * usual, "{trainer:?}: {:e}, {usual} is usual", with.0);
        // Few of the slow half are among the few candidates of this one.
        assert!(
            without.0 >= 1000.0 * usual || trainer == Trainer::GREEDY_SUBSET,
            "{trainer:?}: {:e} without a ridge, {usual} is usual",
            without.0
        );
        assert!(with.1 < 0.2, "{trainer:?}: {}", with.1);
    }
}

#[test]
fn the_work_of_gentle_poses_keeps_natural_frequencies() {
    // Held at both ends a slender bar is many times stiffer at a tenth of its length than next to rest.
    let data = shapes::bar(Vec3::new(1.0, 0.02, 0.02), [40, 2, 2]).into_data();
    let ends = ["x<1%", "x>99%"].map(|spec| select::select(&data, spec).expect("an end"));
    let recipe = Recipe { material: Some("stvk".into()), fixed: ends.to_vec(), ..Recipe::default() };
    let body = Arc::new(recipe.build(data).expect("a body"));
    let (d, points) = (12, 36);
    let basis = basis(&body, d);
    let spectrum = super::poses::Spectrum::new(&body, &basis).expect("modes");
    let mut known = spectrum.draw(150, super::poses::Law::EqualEnergy, &mut Random(7));
    let factor = 0.1 / super::poses::mean_reach(&basis, &known);
    known.iter_mut().for_each(|q| *q *= factor);
    let forces = |poses: &mut Vec<f64>| {
        super::forces::exact_forces(&body, &basis, poses, "forces", &mut ignore_progress).expect("forces").0
    };
    let plain = |known: &mut Vec<f64>| {
        let forces = forces(known);
        super::samples::Samples::new(body.components(), &basis, known.clone(), forces, None).expect("samples")
    };
    let mut gentle = spectrum.alone(&basis, 1e-3);
    let pulls = forces(&mut gentle);
    let both = plain(&mut known).with_gentle(gentle, &pulls, 2.0).expect("gentle ones");
    let exact = frequencies(&mut Projected::new(body.clone(), basis.clone()));
    let trained = |samples: &super::samples::Samples<'_>| {
        let ridge = super::trainer::ridge_of(samples, points);
        let selected = alone(Trainer::NN_HTP)(samples, points, ridge, &mut Random(1), &mut ignore_progress)
            .expect("a cubature");
        let own = frequencies(&mut CubatureForce::new(body.components(), &selected.cubature, &basis));
        let off = own.iter().zip(&exact).map(|(own, exact)| (own / exact - 1.0).abs()).sum::<f64>();
        (selected.error, off / d as f64)
    };
    let (without, with) = (trained(&plain(&mut known)), trained(&both));
    assert!(with.1 < 0.05 && with.1 < 0.4 * without.1, "off by {} with, {} without", with.1, without.1);
    assert!(with.0 < 1.5 * without.0, "an error of {} with, {} without", with.0, without.0);
}

/// ω of the reduced body at rest, for a basis that is orthonormal in the mass.
fn frequencies(force: &mut dyn ReducedForce) -> Vec<f64> {
    let r = force.rank();
    let mut K = DenseSymmetric::zeros(r);
    force.stiffness(&vec![0.0; r], Tangent::Exact, &mut K).expect("rest");
    K.eigen().expect("a spectrum").0.into_iter().map(f64::sqrt).collect()
}

#[test]
fn a_slender_free_body_keeps_its_bending_in_the_poses() {
    // One cell across and a thousand times as long: λ of bending is 1e-11 of the largest in the basis and less.
    let free = body(shapes::bar(Vec3::new(200.0, 0.2, 0.2), [60, 1, 1]).into_data(), "stvk", "none");
    let found = linear_modes(&free, 3, &mut ignore_progress).expect("modes");
    // A shape that is stiff beside the modes: every second slice is pressed flat.
    let mut stiff = vec![0.0; free.size()];
    (0..free.rest().len()).for_each(|v| stiff[3 * v + 1] = free.rest()[v].y - 0.1);
    for rigid in [0, 2, 6] {
        let mut columns: Vec<f64> = found.rigid[..rigid].concat();
        columns.extend(&found.modes.shapes);
        columns.extend(&stiff);
        let basis = Basis::from_columns(&columns, free.size());
        let poses = super::poses::Spectrum::new(&free, &basis).expect("modes").draw(
            40,
            super::poses::Law::EqualEnergy,
            &mut Random(3),
        );
        for q in poses.chunks_exact(rigid + 4) {
            assert!(norm(&q[..rigid]) < 1e-4 * norm(q) && q[rigid] != 0.0, "{rigid}: {q:?}");
        }
        let length = |k: usize| norm(&poses.chunks_exact(rigid + 4).map(|q| q[k]).collect::<Vec<_>>());
        let ratio = (found.modes.eigenvalues[0] / found.modes.eigenvalues[2]).sqrt();
        assert!((length(rigid + 2) / length(rigid) / ratio - 1.0).abs() < 0.5, "{rigid}");
    }
}

#[test]
fn a_basis_that_is_not_orthonormal_gives_the_same_poses() {
    // q of U A is A⁻¹ q of U; with A diagonal that is seen at once, up to the signs of eigenvectors.
    let body = body(bar(), "stvk", "x<1%");
    let plain = basis(&body, 4);
    let stretched: Vec<f64> =
        (0..4).flat_map(|k| plain.column(k).into_iter().map(move |x| x * (k + 2) as f64)).collect();
    let stretched = Basis::from_columns(&stretched, body.size());
    let draw = |basis: &Basis| {
        super::poses::Spectrum::new(&body, basis).expect("modes").draw(
            5,
            super::poses::Law::EqualEnergy,
            &mut Random(3),
        )
    };
    let (a, b) = (draw(&plain), draw(&stretched));
    for (k, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!(
            (a.abs() - b.abs() * (k % 4 + 2) as f64).abs() < 1e-9 * norm(&[*a]).max(1e-9),
            "{k}: {a} {b}"
        );
    }
}

#[test]
fn poses_that_turn_a_tet_inside_out_are_shrunk_and_told() {
    let body = body(bar(), "neo-hookean", "x<1%");
    let basis = basis(&body, 8);
    let training = Training { points: 20, poses: 20, pose_scale: Some(3.0), ..Training::default() };
    let trained = train(&body, &basis, &training, &mut ignore_progress).expect("a cubature");
    assert!(trained.shrunk > 0 && trained.warnings[0].contains("inside out"), "{:?}", trained.warnings);
    // The sentence says how far poses really reach.
    let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress).expect("poses");
    let reach = super::poses::mean_reach(&basis, set.poses().0) / 1.0;
    assert!(
        reach < 2.9 && trained.warnings[0].contains(&format!("reach {reach:.3} of")),
        "{:?}",
        trained.warnings
    );
    assert!(trained.facts.training_error < 0.5);
}

#[test]
fn the_same_bits_for_one_thread_and_for_many() {
    let body = body(bar(), "stable-neo-hookean", "x<1%");
    let basis = basis(&body, 6);
    for &trainer in &trainer::ALL {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let training = Training { points: 25, poses: 30, trainer, ..Training::default() };
            pool.install(|| train(&body, &basis, &training, &mut ignore_progress)).expect("a cubature")
        };
        let (one, many) = (with(1), with(7));
        assert_eq!(one.cubature, many.cubature);
        assert_eq!((one.facts, one.errors), (many.facts, many.errors));
    }
}

/// Random poses of a bar, their exact forces, and the matrix A of T14 eq. 3.7 written out.
fn written_out<'a>(body: &'a Body, basis: &'a Basis) -> (super::samples::Samples<'a>, Vec<Vec<f64>>) {
    let mut poses = super::poses::Spectrum::new(body, basis).expect("modes").draw(
        12,
        super::poses::Law::EqualEnergy,
        &mut Random(7),
    );
    let factor = 0.1 / super::poses::mean_reach(basis, &poses);
    poses.iter_mut().for_each(|q| *q *= factor);
    let (forces, _) =
        super::forces::exact_forces(body, basis, &mut poses, "forces", &mut ignore_progress).expect("forces");
    let r = basis.rank();
    let column = |c: u32| {
        let one = Cubature::new(vec![c], vec![1.0]);
        let mut force = CubatureForce::new(body.components(), &one, basis);
        let rows = poses.chunks_exact(r).zip(forces.chunks_exact(r));
        rows.flat_map(|(q, F)| force_of(&mut force, q).into_iter().map(move |f| f / norm(F))).collect()
    };
    let columns = (0..body.components().count() as u32).map(column).collect();
    (
        super::samples::Samples::new(body.components(), basis, poses.clone(), forces.clone(), None)
            .expect("samples"),
        columns,
    )
}

#[test]
fn greedy_takes_what_has_most_in_common_with_what_is_left() {
    let body = body(bar(), "stable-neo-hookean", "x<1%");
    let basis = basis(&body, 5);
    let (samples, A) = written_out(&body, &basis);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let select = |points: usize| {
        let mut random = Random(1);
        let all = super::greedy::Candidates::All;
        super::greedy::select(&samples, points, all, 0.0, &mut random, &mut ignore_progress).expect("chosen")
    };
    let best = |left: &[f64], out: &[u32]| {
        let score = |c: &u32| dot(&A[*c as usize], left) / norm(&A[*c as usize]);
        let all = (0..A.len() as u32).filter(|c| !out.contains(c));
        all.max_by(|a, b| score(a).total_cmp(&score(b))).expect("components")
    };
    let one = select(1).cubature;
    let first = best(&samples.b, &[]);
    assert_eq!(one.components, [first]);
    let column = &A[first as usize];
    let weight = dot(column, &samples.b) / dot(column, column);
    assert!((one.weights[0] / weight - 1.0).abs() < 1e-9, "{} is not {weight}", one.weights[0]);
    let left: Vec<f64> = samples.b.iter().zip(column).map(|(b, a)| b - weight * a).collect();
    assert!((select(1).error / (norm(&left) / 12f64.sqrt()) - 1.0).abs() < 1e-9);
    let second = best(&left, &[first]);
    assert!(select(2).cubature.components.contains(&second));
    // Every component lowers the error, and enough of them leave none.
    let many = select(60);
    assert!(many.errors.is_sorted_by(|a, b| a >= b), "{:?}", many.errors);
    assert!(many.error < 1e-3 && (many.error - many.errors[many.errors.len() - 1]).abs() < 1e-6);
}

#[test]
fn columns_that_are_made_anew_are_those_that_were_kept() {
    let body = body(sheet(), "discrete-shells", "x<20%");
    let basis = basis(&body, 5);
    let (samples, A) = written_out(&body, &basis);
    let some: Vec<u32> = (0..A.len() as u32).step_by(3).collect();
    let kept = samples.columns(&some).expect("columns").products(7);
    let anew = samples.products(&some, some[7]).expect("columns");
    let (_, squares) = samples.against_and_squares(&some, &samples.b).expect("columns");
    for (k, &c) in some.iter().enumerate() {
        let [own, one] = [&A[c as usize], &A[some[7] as usize]];
        let exact: f64 = own.iter().zip(one).map(|(x, y)| x * y).sum();
        let scale = norm(own) * norm(one);
        assert!((kept[k] - exact).abs() <= 1e-9 * scale && (anew[k] - exact).abs() <= 1e-9 * scale, "{k}");
        assert!((squares[k] - norm(own).powi(2)).abs() <= 1e-9 * squares[k], "{k}");
    }
}

#[test]
fn the_default_is_the_better_of_two() {
    let body = body(bar(), "stvk", "x<1%");
    let basis = basis(&body, 8);
    for points in [8, 16, 32] {
        let with = |trainer: Trainer| {
            let training = Training { points, poses: 60, trainer, ..Training::default() };
            train(&body, &basis, &training, &mut ignore_progress).expect("a cubature").facts
        };
        let (best, others) = (with(Trainer::BEST), [Trainer::NN_HTP, Trainer::GREEDY].map(with));
        let seen = |facts: &TrainingFacts| facts.static_error.expect("measured");
        let least = others.iter().map(seen).fold(f64::INFINITY, f64::min);
        // Exact shapes are found to a tolerance, from another cubature on.
        assert!((seen(&best) / least - 1.0).abs() < 1e-3, "{} for {least}", seen(&best));
        let same = |facts: &TrainingFacts| {
            (&facts.trainer, facts.validation_error) == (&best.trainer, best.validation_error)
        };
        assert!(others.iter().any(same), "the name is of the one that was taken");
    }
}

#[test]
fn what_makes_no_sense_is_said() {
    let body = body(bar(), "stvk", "x<1%");
    let basis = basis(&body, 3);
    let count = body.components().count();
    let good = || Training { points: 5, poses: 4, ..Training::default() };
    for (training, words) in [
        (Training { points: 0, ..good() }, "at least 1 point"),
        (Training { points: count + 1, ..good() }, "more than the 288 components"),
        (Training { poses: 0, ..good() }, "at least 1 pose"),
        (Training { pose_scale: Some(0.0), ..good() }, "> 0, got 0"),
        (Training { pose_scale: Some(f64::NAN), ..good() }, "got NaN"),
        (Training { pose_scale: Some(f64::INFINITY), ..good() }, "got inf"),
    ] {
        let refused = train(&body, &basis, &training, &mut ignore_progress).expect_err("refused");
        assert!(
            matches!(refused, ReduceError::Request(_)) && refused.to_string().contains(words),
            "{refused}"
        );
    }
    // Points and poses that no computer holds are refused before anything is made of them.
    let large =
        super::tests::body(shapes::bar(Vec3::new(1.0, 0.3, 0.25), [30, 15, 10]).into_data(), "stvk", "x<1%");
    for (training, words) in [
        (Training { points: 20_000, poses: 500, ..good() }, "about 54 GB of memory"),
        (Training { points: 20_000, poses: 500, ..good() }, "points fit"),
        (Training { points: 100, poses: 1_000_000_000, ..good() }, "poses"),
        (Training { points: usize::MAX / 4, ..good() }, "more than the 27000 components"),
    ] {
        let refused = training.check(&large).expect_err("refused");
        assert!(refused.to_string().contains(words), "{refused}");
    }
    for poses in [1, 500, 9000] {
        let most = most_points(poses, 1);
        let check = |points: usize| Training { points, poses, ..good() }.check(&large);
        assert!(check(most).is_ok() && check(most + 1).is_err(), "{most} points on {poses} poses");
    }
    assert_eq!(most_points(1_000_000_000, 40), 0);
    // As many points as components is allowed, and then nothing is lost.
    let all = train(&body, &basis, &Training { points: count, ..good() }, &mut ignore_progress)
        .expect("a cubature");
    assert!(all.facts.training_error < 1e-6, "{}", all.facts.training_error);
    let stopped = train(&body, &basis, &good(), &mut |_| std::ops::ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ReduceError::Cancelled)));
    let free = super::tests::body(bar(), "stvk", "none");
    let rigid = Basis::from_columns(&free.rigid_motions().concat(), free.size());
    let refused = train(&free, &rigid, &good(), &mut ignore_progress).expect_err("refused");
    assert!(refused.to_string().contains("no shape of the basis costs energy"), "{refused}");
}

#[test]
fn a_thinned_cubature_is_part_of_the_whole_and_next_to_as_good_as_a_trained_one() {
    let body = body(bar(), "stvk", "x<15%");
    let basis = basis(&body, 6);
    let training = Training { points: 60, poses: 60, trainer: Trainer::NN_HTP, ..Training::as_printed() };
    let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress).expect("poses");
    let whole = set.train(60, &mut ignore_progress).expect("a cubature");
    let mut last = whole.facts.training_error;
    for points in [50, 40, 30, 20] {
        let part = set.thin(&whole.cubature, points, &mut ignore_progress).expect("a part");
        assert!(part.cubature.components.len() <= points);
        assert!(part.cubature.components.iter().all(|c| whole.cubature.components.contains(c)));
        let [known, fresh] = set.errors(&part.cubature).expect("errors");
        assert_eq!((known, fresh), (part.facts.training_error, part.facts.validation_error));
        assert!(known >= 0.999 * last, "{points}: {known} after {last}");
        let trained = set.train(points, &mut ignore_progress).expect("a cubature").facts.training_error;
        assert!(known < 2.0 * trained, "{points}: {known} thinned, {trained} trained");
        last = known;
    }
    // No part at all: the same components, and weights that were the best already.
    let same = set.thin(&whole.cubature, 60, &mut ignore_progress).expect("all of it");
    assert_eq!(same.cubature.components, whole.cubature.components);
    for (a, b) in same.cubature.weights.iter().zip(&whole.cubature.weights) {
        assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn flaps_of_a_surface_are_chosen_from_where_that_is_asked_for() {
    let training = |flaps| Training { poses: 40, trainer: Trainer::NN_HTP, flaps, ..Training::default() };
    let solid = body(bar(), "stvk", "x<1%");
    let coordinates = basis(&solid, 4);
    let set = TrainingSet::new(&solid, &coordinates, &training(true), &mut ignore_progress).expect("poses");
    assert_eq!(set.train(10, &mut ignore_progress).expect("trained").cubature.pieces, Pieces::Components);

    let surface = body(sheet(), "discrete-shells", "x<20%");
    let coordinates = basis(&surface, 6);
    for (flaps, pieces) in [(false, Pieces::Components), (true, Pieces::Flaps)] {
        let set =
            TrainingSet::new(&surface, &coordinates, &training(flaps), &mut ignore_progress).expect("poses");
        let Trained { cubature, facts, .. } = set.train(25, &mut ignore_progress).expect("trained");
        assert_eq!(cubature.pieces, pieces);
        assert!(facts.validation_error < 0.5, "{facts:?}");
        // Judged as it is evaluated, whatever the set itself chooses from.
        assert_eq!(set.errors(&cubature).expect("errors"), [facts.training_error, facts.validation_error]);
        let count = pieces.in_body(&surface).count();
        let all = Cubature { pieces, ..Cubature::new((0..count as u32).collect(), vec![1.0; count]) };
        let [known, fresh] = set.errors(&all).expect("errors");
        assert!(known < 1e-11 && fresh < 1e-11, "{pieces:?}: {known:e} and {fresh:e}");
    }
}
