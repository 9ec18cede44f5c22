//! Times the sparse factorisation of a mesh's stiffness matrix:
//! `cargo bench -p pliant-linalg --bench factor -- MESH THREADS [MATRIX]`.
//!
//! Prints the best times in seconds as one JSON object; writes the matrix to the file MATRIX, for a peer to read.
#![expect(clippy::print_stdout, reason = "a program, not a library")]

#[path = "../tests/stiffness/mod.rs"]
mod stiffness;

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use pliant_linalg::{Cholesky, Dofs, Symmetric};

fn main() {
    // `cargo bench` adds `--bench` to what the user wrote.
    let args: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (mesh, threads, out) = match args.as_slice() {
        [mesh, threads] => (mesh, threads, None),
        [mesh, threads, out] => (mesh, threads, Some(out)),
        _ => {
            println!("usage: factor MESH THREADS [MATRIX]");
            std::process::exit(2);
        }
    };
    let (matrix, dofs) = stiffness::of_file(Path::new(mesh));
    if let Some(out) = out {
        write(Path::new(out), &matrix, &dofs).expect("the matrix is written");
    }
    let threads = threads.parse().expect("a number of threads");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    println!("{}", pool.install(|| measure(&matrix, &dofs)));
}

fn measure(matrix: &Symmetric<3>, dofs: &Dofs) -> String {
    let start = Instant::now();
    let mut cholesky = Cholesky::analyse(matrix.pattern(), dofs).expect("something is free");
    let analyse = start.elapsed().as_secs_f64();
    let factorise = best(3, || cholesky.factorise(matrix).expect("positive definite"));
    let mut ones = vec![1.0; matrix.size()];
    dofs.hold(&mut ones);
    let mut x = ones.clone();
    cholesky.solve(&mut x);
    let mut ax = vec![0.0; x.len()];
    matrix.apply(&x, &mut ax);
    dofs.hold(&mut ax);
    let residual = ax.iter().zip(&ones).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    let one = best(8, || cholesky.solve(&mut x));
    let mut many = ones.repeat(16);
    let sixteen = best(4, || cholesky.solve_many(&mut many, 16));
    format!(
        "{{\"analyse\":{analyse:.6},\"factorise\":{factorise:.6},\"solve_1\":{one:.6},\"solve_16\":{sixteen:.6},\
         \"stored\":{},\"residual\":{residual:.1e},\"rows\":{}}}",
        cholesky.nonzeros(),
        dofs.free().len()
    )
}

fn best(repeat: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..repeat).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The free part, lower triangle by column: n, m (64 bits), starts and rows (32 bits), values.
fn write(path: &Path, matrix: &Symmetric<3>, dofs: &Dofs) -> std::io::Result<()> {
    let mut place = vec![None; dofs.size()];
    dofs.free().iter().enumerate().for_each(|(k, &i)| place[i as usize] = Some(k as i32));
    let (mut starts, mut rows, mut values) = (vec![0_i32], Vec::new(), Vec::new());
    for &column in dofs.free() {
        let (j, c) = (column as usize / 3, column as usize % 3);
        let (slots, others) = matrix.pattern().column(j);
        for (block, &i) in matrix.values()[slots].iter().zip(others) {
            for r in 0..3 {
                let row = 3 * i as usize + r;
                if let Some(place) = place[row].filter(|_| row >= column as usize) {
                    rows.push(place);
                    values.push(block[r][c]);
                }
            }
        }
        starts.push(rows.len() as i32);
    }
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    file.write_all(&(dofs.free().len() as i64).to_le_bytes())?;
    file.write_all(&(rows.len() as i64).to_le_bytes())?;
    starts.iter().chain(&rows).try_for_each(|i| file.write_all(&i.to_le_bytes()))?;
    values.iter().try_for_each(|v| file.write_all(&v.to_le_bytes()))?;
    file.flush()
}
