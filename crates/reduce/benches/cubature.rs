//! Trains cubatures of several sizes on a mesh and prints errors and times.
//!
//! ```text
//! cargo bench -p pliant-reduce --bench cubature -- MESH [MATERIAL] [POSES] [POINTS…]
//! ```
//! The lowest 5 % along y are held; the basis is the extended one of 15 modes (T14 Algorithm 1, d = 135).
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::path::Path;
use std::time::Instant;

use pliant_energy::Recipe;
use pliant_linalg::ignore_progress;
use pliant_mesh::{io, select};
use pliant_reduce::force::cubature::{CubatureForce, Training, TrainingSet};
use pliant_reduce::{ReducedForce, Request, basis};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let args: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mesh = args.first().ok_or("which mesh?")?;
    let material = args.get(1).map_or("stvk", String::as_str);
    let poses = args.get(2).map_or(Ok(500), |t| t.parse())?;
    let points: Vec<usize> = args.iter().skip(3).map(|s| s.parse()).collect::<Result<_, _>>()?;
    let points = if points.is_empty() { vec![50, 100, 150, 200, 300, 400, 500, 600] } else { points };

    let data = io::load(Path::new(mesh))?.mesh;
    let fixed = vec![select::select(&data, "y<5%")?];
    let body = Recipe { material: Some(material.into()), fixed, ..Recipe::default() }.build(data)?;
    let start = Instant::now();
    let extended = basis::find("extended").ok_or("no extended basis")?;
    let basis = (extended.make)(&body, &Request::of_modes(15), &mut ignore_progress)?.basis;
    println!(
        "{} components, d = {}, {material}, basis {:.1} s",
        body.components().count(),
        basis.rank(),
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let training = Training { poses, ..Training::default() };
    let set = TrainingSet::new(&body, &basis, &training, &mut ignore_progress)?;
    println!("exact forces at 2 × {poses} poses: {:.1} s", start.elapsed().as_secs_f64());
    println!(
        "{:>5} {:>5} {:>10} {:>10} {:>11} {:>8} {:>8}",
        "s", "used", "weights ≤", "training", "validation", "seconds", "force µs"
    );
    for s in points {
        let start = Instant::now();
        let trained = set.train(s, &mut ignore_progress)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut force = CubatureForce::new(body.components(), &trained.cubature, &basis);
        let (q, mut f) = (vec![0.0; basis.rank()], vec![0.0; basis.rank()]);
        let start = Instant::now();
        (0..1000).try_for_each(|_| force.force(&q, &mut f))?;
        let largest = trained.cubature.weights.iter().copied().fold(0.0, f64::max);
        println!(
            "{s:>5} {:>5} {:>10.0} {:>9.2}% {:>10.2}% {seconds:>8.1} {:>8.1}   {}",
            trained.cubature.components.len(),
            largest,
            100.0 * trained.facts.training_error,
            100.0 * trained.facts.validation_error,
            1e3 * start.elapsed().as_secs_f64(),
            trained.errors.iter().map(|e| format!("{:.2}", 100.0 * e)).collect::<Vec<_>>().join(" ")
        );
        trained.warnings.iter().for_each(|w| println!("      {w}"));
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|l| l.starts_with("VmHWM")).for_each(|l| println!("{l}"));
    }
    Ok(())
}
