//! What bases cost: times of linear modes, modal derivatives and extended bases of a solid or a surface.
//!
//! `cargo bench -p pliant-reduce --bench bases -- MESH K [--fix SPEC]… [--free]` reads a mesh, holds what SPEC names (the lowest 5 % in y where nothing is said, and
//! nothing with `--free`), and prints lines of JSON: seconds of the K modes and of their derivatives (stiffness,
//! factorisation, right-hand sides and solves); then for every basis seconds of the whole and of what comes after the last
//! solve, and how far from orthonormal it is. Short work is repeated, and the best time counts.
#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use pliant_energy::{Body, Recipe};
use pliant_linalg::orth::Metric;
use pliant_linalg::{Progress, ignore_progress, tall};
use pliant_mesh::select;
use pliant_reduce::basis::modal_derivatives::modal_derivatives;
use pliant_reduce::{Basis, Request, basis, linear_modes};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let free = words.iter().position(|w| w == "--free").map(|i| words.remove(i)).is_some();
    let mut fixed = Vec::new();
    while let Some(i) = words.iter().position(|w| w == "--fix") {
        fixed.push(words.drain(i..(i + 2).min(words.len())).nth(1).ok_or("--fix needs a selection")?);
    }
    let [mesh, modes] = words.as_slice() else { return Err("bases MESH K [--fix SPEC]… [--free]".into()) };
    let modes: usize = modes.parse()?;
    if fixed.is_empty() && !free {
        fixed.push("y<5%".into());
    }
    let data = pliant_mesh::io::load(Path::new(mesh))?.mesh;
    let fixed = fixed.iter().map(|spec| select::select(&data, spec)).collect::<Result<_, _>>()?;
    let body = Recipe { fixed, ..Recipe::default() }.build(data)?;

    let found = linear_modes(&body, modes, &mut ignore_progress)?;
    let [mut modes_best, mut derivatives_best, mut factor_best] = [f64::INFINITY; 3];
    let mut pairs = 0;
    best_of(|| {
        let start = Instant::now();
        linear_modes(&body, modes, &mut ignore_progress)?;
        modes_best = modes_best.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let mut factorised = f64::INFINITY;
        let mut watch = |progress: Progress| {
            if progress.stage == "modal derivatives" {
                factorised = factorised.min(start.elapsed().as_secs_f64());
            }
            ControlFlow::Continue(())
        };
        pairs = modal_derivatives(&body, &found, &mut watch)?.pairs.len();
        derivatives_best = derivatives_best.min(start.elapsed().as_secs_f64());
        factor_best = factor_best.min(factorised);
        Ok(())
    })?;
    println!(
        "{{\"vertices\": {}, \"components\": {}, \"modes\": {modes}, \"modes_seconds\": {modes_best:.4}, \
         \"pairs\": {pairs}, \"derivatives_seconds\": {derivatives_best:.4}, \"of_which_factor\": {factor_best:.4}}}",
        body.rest().len(),
        body.components().count(),
    );
    for entry in basis::ALL.iter().filter(|entry| entry.of_modes.is_some()) {
        let [mut whole, mut after] = [f64::INFINITY; 2];
        let mut built = None;
        best_of(|| {
            // What comes after the last solve: orthonormal columns, principal ones.
            let (start, mut solved) = (Instant::now(), Instant::now());
            let mut watch = |progress: Progress| {
                if progress.stage != "orthonormal basis" {
                    solved = Instant::now();
                }
                ControlFlow::Continue(())
            };
            built = Some((entry.make)(&body, &Request::of_modes(modes), &mut watch)?);
            (whole, after) =
                (whole.min(start.elapsed().as_secs_f64()), after.min(solved.elapsed().as_secs_f64()));
            Ok(())
        })?;
        let built = built.ok_or("made at least once")?;
        println!(
            "{{\"basis\": {:?}, \"seconds\": {whole:.4}, \"after_last_solve\": {after:.4}, \"rank\": {}, \"affine\": {}, \
             \"dropped\": {}, \"departure\": {:.1e}}}",
            entry.name,
            built.basis.rank(),
            built.affine,
            built.dropped,
            departure(&body, &built.basis)
        );
    }
    Ok(())
}

/// Runs something until a second has gone, at least once and at most fifty times.
fn best_of(mut run: impl FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
    let start = Instant::now();
    for _ in 0..50 {
        run()?;
        if start.elapsed().as_secs_f64() > 1.0 {
            break;
        }
    }
    Ok(())
}

/// The largest entry of |UᵀMU − I|.
fn departure(body: &Body, basis: &Basis) -> f64 {
    let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
    let weighted = Metric { mass: body.mass(), dofs: body.dofs() }.apply(&columns);
    let gram = tall::gram(&columns, &weighted, body.size());
    let entry =
        |(at, x): (usize, &f64)| (x - f64::from(u8::from(at / basis.rank() == at % basis.rank()))).abs();
    gram.iter().enumerate().map(entry).fold(0.0, f64::max)
}
