//! The lowest modes of a solid, timed; its matrices can be written for other solvers to try.
//!
//! `cargo bench -p pliant-linalg --bench modes -- MESH FOLDER K…` reads a tet mesh, holds the lowest 5 % in y, writes the free parts of K and M to FOLDER as
//! `stiffness.bin` and `mass.bin`, and prints a line of JSON for each number K of modes. `--free` holds nothing;
//! `--block B` sets the block; FOLDER `-` writes nothing.
//!
//! A file holds n and the number of entries (u64), then the lower triangle by columns: n + 1 starts (i64), rows (i64),
//! values (f64), all little-endian.
#![expect(clippy::print_stdout, reason = "a measurement is printed")]

#[path = "../src/eigen/tests/bodies.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod bodies;

use std::path::Path;
use std::time::Instant;

use bodies::Body;
use pliant_linalg::eigen::{Options, Problem, lowest};
// The shared module finds these at the root of whichever crate it is part of.
use pliant_linalg::{Assembly, Dofs, LocalMatrix, Mat3, Progress, Symmetric, Vec3};
use std::ops::ControlFlow;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let free = words.iter().position(|w| w == "--free").map(|i| words.remove(i)).is_some();
    let block = match words.iter().position(|w| w == "--block") {
        Some(i) => Some(words.drain(i..i + 2).nth(1).ok_or("--block needs a number")?.parse::<usize>()?),
        None => None,
    };
    let [mesh, folder, counts @ ..] = words.as_slice() else {
        return Err("modes MESH FOLDER K…".into());
    };
    let loaded = pliant_mesh::io::load(Path::new(mesh))?;
    let mesh = pliant_mesh::TetMesh::from_data(loaded.mesh)?;
    let body = Body::new(mesh.vertices().to_vec(), mesh.tets());
    let height = body.vertices.iter().map(|p| p.y);
    let (low, high) = height.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
    let held = |p: &Vec3| !free && p.y <= low + 0.05 * (high - low);
    let dofs = Dofs::new(body.vertices.iter().flat_map(|p| [held(p); 3]).collect());
    if folder != "-" {
        let mut alike = Symmetric::<3>::zeros(body.stiffness.pattern().clone());
        alike.add_per_axis(1.0, &body.mass);
        write(&Path::new(folder).join("stiffness.bin"), &body.stiffness, &dofs)?;
        write(&Path::new(folder).join("mass.bin"), &alike, &dofs)?;
    }
    let known = if free { body.rigid(0..usize::MAX) } else { vec![] };
    let problem = Problem { stiffness: &body.stiffness, mass: &body.mass, dofs: &dofs, known: &known };
    let options = Options { block, ..Options::default() };
    for count in counts {
        let (start, cpu) = (Instant::now(), processor_seconds());
        let mut factorised = 0.0;
        let mut watch = |progress: Progress| {
            if progress.stage != "modes" {
                factorised = f64::NAN;
            } else if f64::is_nan(factorised) {
                factorised = processor_seconds() - cpu;
            }
            ControlFlow::Continue(())
        };
        let pairs = lowest(&problem, count.parse()?, &options, &mut watch)?;
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), processor_seconds() - cpu);
        let worst = pairs.residuals.iter().fold(0.0, |a: f64, &b| a.max(b));
        println!(
            "{{\"modes\": {count}, \"seconds\": {seconds:.3}, \"cpu\": {cpu:.2}, \"cpu_factor\": {factorised:.2}, \"solves\": {}, \
             \"restarts\": {}, \"residual\": {worst:.2e}, \"first\": {:.15e}, \"last\": {:.15e}}}",
            pairs.solves,
            pairs.restarts,
            pairs.values[0],
            pairs.values[pairs.values.len() - 1]
        );
    }
    Ok(())
}

/// Processor time of this program so far, all threads, in steps of a hundredth of a second; NaN where there is no such file.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |i: usize| stat.rsplit(") ").next().and_then(|s| s.split(' ').nth(i)?.parse::<f64>().ok());
    ticks(11).zip(ticks(12)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

/// The lower triangle of the free part, by columns.
fn write(path: &Path, matrix: &Symmetric<3>, dofs: &Dofs) -> Result<(), Failure> {
    let mut place = vec![None; dofs.size()];
    dofs.free().iter().enumerate().for_each(|(at, &i)| place[i as usize] = Some(at));
    let (mut starts, mut rows, mut values) = (vec![0_i64], Vec::<i64>::new(), Vec::<f64>::new());
    for &column in dofs.free() {
        let (j, c) = (column as usize / 3, column as usize % 3);
        let (slots, neighbours) = matrix.pattern().column(j);
        for (block, &i) in matrix.values()[slots].iter().zip(neighbours) {
            for r in 0..3 {
                let row = 3 * i as usize + r;
                if let Some(at) = place[row].filter(|_| row >= column as usize) {
                    rows.push(at as i64);
                    values.push(block[r][c]);
                }
            }
        }
        starts.push(rows.len() as i64);
    }
    let mut bytes = Vec::new();
    bytes.extend((dofs.free().len() as u64).to_le_bytes());
    bytes.extend((rows.len() as u64).to_le_bytes());
    starts.iter().chain(&rows).for_each(|i| bytes.extend(i.to_le_bytes()));
    values.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    Ok(std::fs::write(path, bytes)?)
}
