//! The exact cubic force on one core: against the multiply-adds that it cannot do without and the coefficients that it has to read,
//! whichever takes longer, each at the speed that this core shows with nothing else to do. What is read is as long as the coefficients
//! are, so that it comes from the same cache.

use std::hint::black_box;
use std::time::Instant;

use pliant::dynamics;
use pliant::energy::{Recipe, Tangent};
use pliant::linalg::{DenseCholesky, DenseSymmetric, Vec3, ignore_progress, probe};
use pliant::mesh::{select, shapes};
use pliant::reduce::force::cubic::{Cubic, Polynomial, syrk_operations};
use pliant::reduce::{Basis, Precompute, ReducedForce};
use pliant::sim::{Live, LiveOptions};

use super::Row;
use super::depth::{DEPTHS, at_depth};

/// Rank, and how many times that floor energy, force and stiffness together may take.
const RANKS: [(usize, f64); 4] = [(20, 2.1), (30, 2.1), (40, 1.8), (60, 1.7)];

/// How long each is run again and again. The shortest time counts: what the machine does beside it only adds to it.
const SECONDS: f64 = 0.5;

/// Cells of a bar of six tets each: about as many tets as a letter A that others have measured.
const CELLS: [usize; 3] = [15, 6, 4];

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(measure)
}

fn measure() -> anyhow::Result<Vec<Row>> {
    let mut operations = 0.0;
    let seconds = fastest(1, || {
        let (count, sum) = probe::multiply_adds(20_000);
        operations = count;
        black_box(sum);
    });
    // Floating-point operations a second, two for each multiply-add.
    let peak = operations / seconds;
    let mut rows =
        vec![Row { name: "multiply-adds of one core".into(), value: peak / 1e9, unit: "GF/s", limit: None }];
    let micro = |name: String, seconds: f64, limit: f64| Row {
        name,
        value: seconds * 1e6,
        unit: "µs",
        limit: Some(four_digits(limit * 1e6)),
    };

    let bar = shapes::bar(Vec3::new(1.5, 0.6, 0.4), CELLS).into_data();
    let body = Recipe { material: Some("stvk".into()), ..Recipe::default() }.build(bar)?;
    let tets = body.components().count();
    for (rank, most) in RANKS {
        // Any columns will do: the time does not depend on them.
        let basis = Basis::from_columns(&numbers(body.size() * rank), body.size());
        let mut made = None;
        let mut failed = None;
        let seconds = fastest(1, || match Polynomial::new(&body, &basis, &mut ignore_progress) {
            Ok(polynomial) => made = Some(polynomial),
            Err(error) => failed = Some(error),
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        if rank != 30 {
            let limit = four_digits(2.0 * syrk_operations(rank, tets) / peak);
            let name = format!("polynomial of {tets} tets, r = {rank} (limit: 2 × its product)");
            rows.push(Row { name, value: seconds, unit: "s", limit: Some(limit) });
        }

        let mut force = Cubic::new(&made.expect("it was made at least once"));
        // Two states in turn: an evaluator remembers the last.
        let states = [numbers(rank), numbers(2 * rank)[rank..].to_vec()];
        let (mut f, mut stiffness) = (vec![0.0; rank], DenseSymmetric::zeros(rank));
        let (mut turn, mut sum) = (0, 0.0);
        let batch = 1 + 200_000 / rank.pow(3);
        let coefficients = vec![1.0; force.coefficients()];
        let reading = fastest(batch, || {
            black_box(probe::read(black_box(&coefficients)));
        });
        let megabytes = 8e-6 * coefficients.len() as f64;
        let name = format!("reading as many numbers as r = {rank} has coefficients, {megabytes:.1} MB");
        rows.push(Row { name, value: 1e-3 * megabytes / reading, unit: "GB/s", limit: None });
        let floor = reading.max(2.0 * force.multiply_adds() as f64 / peak);
        let mut work = || {
            turn ^= 1;
            let q = black_box(&states[turn]);
            // St. Venant-Kirchhoff's energy is defined everywhere.
            sum += force.energy(q).unwrap_or(f64::NAN);
            sum += force.force(q, &mut f).map_or(f64::NAN, |()| f[0]);
            sum +=
                force.stiffness(q, Tangent::Exact, &mut stiffness).map_or(f64::NAN, |()| stiffness.get(0, 0));
        };
        let seconds = fastest(batch, &mut work);
        let name = format!("cubic E+f+K, r = {rank} (limit: {most} × its multiply-adds or reading)");
        rows.push(micro(name, seconds, most * floor));
        if rank == RANKS[0].0 {
            let name = format!("the same at the worst of {DEPTHS} depths of the stack");
            rows.push(micro(name, slowest_depth(batch, &mut work), most * floor));
        }
        anyhow::ensure!(black_box(sum).is_finite(), "the cubic force gave numbers that are not finite");
        let step = newmark_step(rank)?;
        let name = format!("Newmark step with it, one iteration, r = {rank}");
        rows.push(Row { name, value: step * 1e6, unit: "µs", limit: None });

        let matrix =
            DenseSymmetric::from_upper(rank, |i, j| if i == j { rank as f64 } else { 1.0 / (i + j) as f64 });
        let (mut cholesky, mut x) = (DenseCholesky::new(rank), vec![1.0; rank]);
        let seconds = fastest(1 + 20_000 / rank.pow(2), || {
            let sound = cholesky.factorise(black_box(&matrix)).is_ok();
            x.fill(f64::from(u8::from(sound)));
            cholesky.solve(&mut x);
        });
        anyhow::ensure!(x[0] > 0.0, "a positive definite matrix was not factorised");
        let name = format!("dense Cholesky and solve, r = {rank}");
        rows.push(Row { name, value: seconds * 1e6, unit: "µs", limit: None });
    }
    Ok(rows)
}

/// A held bar in the coordinates of `rank` linear modes, falling: the shortest time of a step, seconds.
fn newmark_step(rank: usize) -> anyhow::Result<f64> {
    let bar = shapes::bar(Vec3::new(1.5, 0.6, 0.4), CELLS).into_data();
    let fixed = vec![select::select(&bar, "x<1%")?];
    let recipe = Recipe { material: Some("stvk".into()), fixed, ..Recipe::default() };
    let forces = Some("cubic".to_owned());
    let precompute = Precompute { basis: "modes".into(), modes: Some(rank), forces, ..Precompute::default() };
    let made = precompute.build(bar, recipe, &mut ignore_progress)?;
    let solver = dynamics::Options { iterations: Some(1), ..dynamics::Options::default() };
    let options = LiveOptions { solver, gravity: Vec3::new(0.0, -9.81, 0.0), ..LiveOptions::default() };
    let mut live = Live::new(made.model.into(), &options)?;
    let mut failed = None;
    let seconds =
        fastest(1 + 100_000 / rank.pow(3), || failed = failed.take().or(live.step(1.0 / 120.0).err()));
    failed.map_or(Ok(seconds), |error| Err(error.into()))
}

/// The shortest time of `work`, seconds, over runs of `batch` for [`SECONDS`], at least three.
fn fastest(batch: usize, mut work: impl FnMut()) -> f64 {
    let (begin, mut runs, mut best) = (Instant::now(), 0, f64::INFINITY);
    while runs < 3 || begin.elapsed().as_secs_f64() < SECONDS {
        let start = Instant::now();
        (0..batch).for_each(|_| work());
        best = start.elapsed().as_secs_f64().min(best);
        runs += 1;
    }
    best / batch as f64
}

/// As [`fastest`], at the depth of the stack where it takes longest. Depths take turns: what disturbs the machine for a
/// while disturbs all of them.
fn slowest_depth(batch: usize, work: &mut dyn FnMut()) -> f64 {
    let mut best = [f64::INFINITY; DEPTHS];
    let (begin, mut rounds) = (Instant::now(), 0);
    while rounds < 20 || begin.elapsed().as_secs_f64() < 4.0 * SECONDS {
        for (depth, best) in best.iter_mut().enumerate() {
            at_depth(depth, &mut || {
                let start = Instant::now();
                (0..batch).for_each(|_| work());
                *best = start.elapsed().as_secs_f64().min(*best);
            });
        }
        rounds += 1;
    }
    best.iter().copied().fold(0.0, f64::max) / batch as f64
}

/// Steps of the golden ratio: no two alike, the same in every run.
fn numbers(count: usize) -> Vec<f64> {
    (1..=count).map(|k| (k as f64 * 0.618_033_988_749_894_9).fract() - 0.5).collect()
}

/// Rounded to what was measured of it.
fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}
