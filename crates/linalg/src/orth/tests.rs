//! Blocks keep their equation, dependent vectors go, singular values keep their digits.

use super::block::GOOD;
use super::*;
use crate::eigen::tests::bodies::Body;
use crate::ignore_progress;

/// Largest entry of |XᵀMX − I|.
fn departure(metric: &Metric<'_>, x: &[f64]) -> f64 {
    let gram = transposed_product(view(x, metric.size()), view(&metric.apply(x), metric.size()));
    let entry = |i: usize, j: usize| (gram[(i, j)] - f64::from(u8::from(i == j))).abs();
    let all = (0..gram.nrows()).flat_map(|i| (0..gram.nrows()).map(move |j| (i, j)));
    all.map(|(i, j)| entry(i, j)).fold(0.0, f64::max)
}

fn noise(metric: &Metric<'_>, count: usize, seed: u64) -> Vec<f64> {
    let mut x = vec![0.0; count * metric.size()];
    let mut random = Random(seed);
    x.chunks_mut(metric.size()).for_each(|x| random.fill(metric.dofs, x));
    x
}

#[test]
fn dependent_vectors_are_dropped_and_those_behind_them_kept_whole() {
    let body = Body::cube(5);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let size = metric.size();
    let basis =
        metric.extend(&[], &noise(&metric, 3, 1), 0.0, &mut ignore_progress).expect("a basis").columns;
    let mut x = noise(&metric, 40, 2);
    for d in 0..size {
        // 5 lies nearly in the span, 11 and 36 within, 20 is nothing, 35 keeps enough, 12 is one of the basis.
        x[5 * size + d] = x[4 * size + d] + 1e-10 * x[5 * size + d];
        x[11 * size + d] = 2.0 * x[d] - 3.0 * x[size + d];
        x[12 * size + d] = basis[size + d];
        x[20 * size + d] = 0.0;
        x[35 * size + d] = x[34 * size + d] + 1e-6 * x[35 * size + d];
        x[36 * size + d] = x[2 * size + d];
    }
    let span = metric.extend(&basis, &x, 0.0, &mut ignore_progress).expect("a span");
    let expected: Vec<usize> = (0..40).filter(|j| ![5, 11, 12, 20, 36].contains(j)).collect();
    assert_eq!(span.kept, expected);
    assert_eq!((span.rank(), span.dropped()), (35, 5));
    let all = [basis.clone(), span.columns.clone()].concat();
    assert!(departure(&metric, &all) < 1e-13, "{:e}", departure(&metric, &all));
    // A = V VᵀMA + W R, but for what was dropped.
    let mut rest = x.clone();
    metric.remove(&basis, &mut rest);
    let made = product(view(&span.columns, size), span.coefficients.as_ref());
    let error =
        |j: usize| (0..size).map(|d| (rest[j * size + d] - made[j * size + d]).abs()).fold(0.0, f64::max);
    for j in 0..40 {
        // Behind 35, of which a millionth is left, a millionth of the digits.
        let allowed = if j == 5 || j > 35 { 2e-10 } else { 1e-12 };
        assert!(error(j) < allowed, "vector {j}: {:e}", error(j));
    }
}

#[test]
fn small_vectors_are_judged_by_what_they_were_made_from() {
    let body = Body::cube(3);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let mut x = noise(&metric, 3, 2);
    x[metric.size()..2 * metric.size()].iter_mut().for_each(|x| *x *= 1e-10);
    let kept = |length: f64| metric.extend(&[], &x, length, &mut ignore_progress).expect("a span").kept;
    assert_eq!(kept(0.0), [0, 1, 2]);
    assert_eq!(kept(0.05), [0, 2]);
}

#[test]
fn more_vectors_than_numbers_span_everything() {
    let body = Body::cube(2);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let free = dofs.free().len();
    let span = metric.extend(&[], &noise(&metric, free + 9, 3), 0.0, &mut ignore_progress).expect("a span");
    assert_eq!((span.rank(), span.dropped()), (free, 9));
    assert!(departure(&metric, &span.columns) < 1e-12);
}

#[test]
fn singular_values_are_those_of_a_known_product() {
    let body = Body::cube(4);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let size = metric.size();
    let orthonormal =
        metric.extend(&[], &noise(&metric, 6, 4), 0.0, &mut ignore_progress).expect("a basis").columns;
    // A = W diag(σ) Q with a rotation Q of R⁶: over ten decades, of which AᵀMA would lose five.
    let sigma = [3.0, 0.5, 1e-2, 1e-5, 1e-8, 1e-10];
    let reflect =
        |i: usize, j: usize| f64::from(u8::from(i == j)) - 2.0 * (i + 1) as f64 * (j + 1) as f64 / 91.0;
    let h: Vec<f64> = (0..6).flat_map(|j| (0..6).map(move |i| sigma[i] * reflect(i, j))).collect();
    let vectors = tall::combine(&orthonormal, size, &h);
    let span = metric.extend(&[], &vectors, 0.0, &mut ignore_progress).expect("a span");
    let principal = span.principal(&[1.0; 6]).expect("singular values");
    let (values, columns) = (&principal.values, principal.columns(4));
    assert!(values.is_sorted_by(|a, b| a >= b));
    for (value, sigma) in values.iter().zip(&sigma[..4]) {
        assert!((value - sigma).abs() < 1e-14 * 3.0 + 1e-9 * sigma, "{value:e} for {sigma:e}");
    }
    assert!(departure(&metric, &columns) < 1e-13);
    // The columns are those of W, up to sign.
    let overlap = tall::gram(&orthonormal, &metric.apply(&columns), size);
    assert!((0..4).all(|k| (overlap[6 * k + k].abs() - 1.0).abs() < 1e-8), "{overlap:?}");
    // Factors stretch the vectors.
    let twice = span.principal(&[2.0; 6]).expect("singular values").values;
    assert!((twice[0] - 2.0 * values[0]).abs() < 1e-14);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let body = Body::cube(6);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let vectors = noise(&metric, 50, 5);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let span = metric.extend(&[], &vectors, 0.0, &mut ignore_progress).expect("a span");
            let principal = span.principal(&[1.0; 50]).expect("singular values");
            (principal.columns(20), principal.values)
        })
    };
    let one = with(1);
    assert!(one == with(2) && one == with(7));
}

#[test]
fn what_is_not_finite_is_refused() {
    let body = Body::cube(2);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let mut x = noise(&metric, 2, 1);
    x[3] = f64::NAN;
    assert_eq!(metric.extend(&[], &x, 0.0, &mut ignore_progress).err(), Some(OrthError::NotFinite));
}

#[test]
fn orthonormal_blocks_keep_their_equation() {
    let body = Body::cube(4);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let size = body.size();
    let mut random = Random(5);
    let mut fresh = |count: usize| {
        let mut x = vec![0.0; count * size];
        x.chunks_mut(size).for_each(|x| random.fill(&dofs, x));
        x
    };
    let (mut basis, mut block) = (fresh(5), fresh(4));
    metric.orthonormalise(&[], &mut basis, GOOD, &mut Random(7)).expect("a basis");
    // The third column nearly the second, the fourth the first.
    for d in 0..size {
        block[2 * size + d] = block[size + d] + 1e-9 * block[2 * size + d];
        block[3 * size + d] = block[d];
    }
    let before = block.clone();
    let parts = metric.orthonormalise(&basis, &mut block, GOOD, &mut Random(9)).expect("a block");
    let mut sum = product(view(&basis, size), parts.along.as_ref());
    let within = product(view(&block, size), parts.within.as_ref());
    sum.iter_mut().zip(&within).for_each(|(s, w)| *s += w);
    assert!(sum.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-12), "W = V A + W' B");
    assert_eq!(parts.within.row(3).iter().copied().collect::<Vec<f64>>(), [0.0; 4]);
    let all = [basis, block].concat();
    let gram = transposed_product(view(&all, size), view(&metric.apply(&all), size));
    for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
        let expected = if i == j { 1.0 } else { 0.0 };
        assert!((gram[(i, j)] - expected).abs() < 1e-10, "{i}, {j}: {}", gram[(i, j)]);
    }
}

#[test]
fn noise_of_a_few_bits_beside_dependent_vectors_is_no_trouble() {
    let body = Body::cube(3);
    let dofs = body.clamped();
    let metric = Metric { mass: &body.mass, dofs: &dofs };
    let size = metric.size();
    let x = noise(&metric, 3, 8);
    let bits = |x: &[f64]| x.iter().map(|x| (4.0 * x).round() * 1e-17).collect::<Vec<f64>>();
    let (one, two, three) = (&x[..size], &x[size..2 * size], &x[2 * size..]);
    let noise = bits(two);
    let twice: Vec<f64> = noise.iter().map(|x| 2.0 * x).collect();
    let vectors = [one, one, &noise, &twice, one, three].concat();
    let kept = |length: f64| metric.extend(&[], &vectors, length, &mut ignore_progress).expect("a span").kept;
    assert_eq!(kept(0.0), [0, 2, 5]);
    assert_eq!(kept(1.0), [0, 5]);
}
