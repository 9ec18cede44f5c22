//! Warps of all vertices and of few coordinates: times and errors.
//!
//! ```text
//! cargo bench -p pliant-reduce --bench warp -- MESH HOLD BASIS MODES POINTS POSES [FOLDER]
//! ```
//! One line of JSON. Times are medians of single calls, s. With a folder, a pose and its warp are written there for another program:
//! `rest.npy`, `tets.npy`, `pinned.npy`, `u.npy`, `warped.npy`.
#![expect(clippy::print_stdout, reason = "a program that prints a line")]

use std::path::Path;
use std::time::Instant;

use pliant_energy::Recipe;
use pliant_linalg::{Random, ignore_progress};
use pliant_mesh::io::arrays::{self, Numbers};
use pliant_mesh::{Elements, io, select};
use pliant_reduce::warp::{ReducedWarp, Warp, WarpTraining, train};
use pliant_reduce::{Basis, Request, basis};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let args: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [mesh, hold, name, modes, points, poses, folder @ ..] = &args[..] else {
        return Err("MESH HOLD BASIS MODES POINTS POSES [FOLDER]".into());
    };
    let (modes, points, poses): (usize, usize, usize) = (modes.parse()?, points.parse()?, poses.parse()?);
    let data = io::load(Path::new(mesh))?.mesh;
    let fixed = vec![select::select(&data, hold)?];
    let body = Recipe { fixed, ..Recipe::default() }.build(data.clone())?;
    let entry = basis::find(name).ok_or("no such basis")?;
    let built = (entry.make)(&body, &Request::of_modes(modes), &mut ignore_progress)?;
    let basis = &built.basis;

    let start = Instant::now();
    let warp = Warp::new(&body)?;
    let prepared = start.elapsed().as_secs_f64();
    let u = pose(basis, built.affine, modes, &data)?;
    let mut warped = vec![0.0; u.len()];
    let full = median(9, || warp.apply(&u, &mut warped));
    if let Some(folder) = folder.first() {
        let shape = [u.len() / 3, 3];
        let rest: Vec<f64> = data.vertices.iter().flat_map(|x| <[f64; 3]>::from(*x)).collect();
        for (name, numbers) in [("u", &u), ("warped", &warped), ("rest", &rest)] {
            arrays::save_npy(
                &Path::new(folder).join(format!("{name}.npy")),
                &shape,
                Numbers::Reals(numbers),
            )?;
        }
        let held: Vec<i64> = (0..shape[0]).filter(|v| body.dofs().is_held(3 * v)).map(|v| v as i64).collect();
        arrays::save_npy(&Path::new(folder).join("pinned.npy"), &[held.len()], Numbers::Integers(&held))?;
        if let Elements::Tets(tets) = &data.elements {
            let all: Vec<i64> = tets.iter().flatten().map(|&v| i64::from(v)).collect();
            arrays::save_npy(&Path::new(folder).join("tets.npy"), &[tets.len(), 4], Numbers::Integers(&all))?;
        }
    }

    let training =
        WarpTraining { points: Some(points), poses, vibrations: Some(modes), ..WarpTraining::default() };
    let start = Instant::now();
    let numbers = train(&body, basis, &training, &mut ignore_progress)?;
    let trained = start.elapsed().as_secs_f64();
    let facts = numbers.facts.clone();
    let mut reduced = ReducedWarp::new(&data, basis, numbers)?;
    let (q, mut p) = (vec![0.1; basis.rank()], vec![0.0; basis.rank()]);
    let few = median(2001, || reduced.apply(&q, &mut p));
    println!(
        "{{\"elements\": {}, \"rank\": {}, \"points\": {}, \"prepare\": {prepared:.4}, \"full\": {full:.3e}, \"train\": {trained:.2}, \
         \"reduced\": {few:.3e}, \"validation\": {:.5}, \"basis\": {:.5}}}",
        warp.elements(),
        basis.rank(),
        points,
        facts.validation_error,
        facts.basis_error
    );
    Ok(())
}

/// The first modes, mixed, by three tenths of the longest side.
fn pose(
    basis: &Basis,
    affine: usize,
    modes: usize,
    mesh: &pliant_mesh::MeshData,
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let (mut q, mut random) = (vec![0.0; basis.rank()], Random(3));
    q.iter_mut().skip(affine).take(modes).for_each(|q| *q = random.normal());
    let mut u = vec![0.0; basis.size()];
    basis.expand(&q, &mut u);
    let reach = u.as_chunks::<3>().0.iter().map(|x| x.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max);
    let [low, high] = mesh.bounds();
    let times = 0.3 * (high - low).max() / reach.sqrt();
    u.iter_mut().for_each(|u| *u *= times);
    Ok(u)
}

/// Of some calls, s.
fn median(calls: usize, mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..calls)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[calls / 2]
}
