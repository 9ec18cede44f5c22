//! What bases cost: times of linear modes, modal derivatives and extended bases of a solid or a surface.
//!
//! `bases MESH K [--fix SPEC]… [--free]` reads a mesh, holds what SPEC names (the lowest 5 % in y where nothing is said, and
//! nothing with `--free`), and prints a line of JSON: seconds of the K modes, of their derivatives (stiffness, factorisation,
//! right-hand sides and solves), and of what each basis takes beside; and how far from orthonormal the bases are.
#![expect(clippy::print_stdout, reason = "an example program prints")]

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
    let mut words: Vec<String> = std::env::args().skip(1).collect();
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

    let start = Instant::now();
    let found = linear_modes(&body, modes, &mut ignore_progress)?;
    let modes_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut factorised = 0.0;
    let mut watch = |progress: Progress| {
        if progress.stage == "modal derivatives" && factorised == 0.0 {
            factorised = start.elapsed().as_secs_f64();
        }
        ControlFlow::Continue(())
    };
    let derivatives = modal_derivatives(&body, &found, &mut watch)?;
    let derivatives_seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"vertices\": {}, \"components\": {}, \"modes\": {modes}, \"modes_seconds\": {modes_seconds:.4}, \"pairs\": {}, \
         \"derivatives_seconds\": {derivatives_seconds:.4}, \"of_which_factor\": {factorised:.4}}}",
        body.rest().len(),
        body.energy().count(),
        derivatives.pairs.len()
    );
    drop(derivatives);
    for entry in basis::ALL {
        // What comes after the modes, and before or after the derivatives.
        let (mut own, mut last) = (0.0, (Instant::now(), ""));
        let mut watch = |progress: Progress| {
            if !["modes", "factorising", "modal derivatives"].contains(&last.1) {
                own += last.0.elapsed().as_secs_f64();
            }
            last = (Instant::now(), progress.stage);
            ControlFlow::Continue(())
        };
        let start = Instant::now();
        let built = (entry.make)(&body, &Request { modes, rank: None }, &mut watch)?;
        let whole = start.elapsed().as_secs_f64();
        println!(
            "{{\"basis\": {:?}, \"seconds\": {whole:.4}, \"rank\": {}, \"affine\": {}, \"dropped\": {}, \"departure\": {:.1e}}}",
            entry.name,
            built.basis.rank(),
            built.affine,
            built.dropped,
            departure(&body, &built.basis)
        );
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
