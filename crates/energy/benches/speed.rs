//! Nanoseconds a tet for energy, gradient and Hessian of every material, and the time to assemble a stiffness matrix.
//!
//! ```sh
//! cargo bench -p pliant-energy --bench speed             # a bar of 13,200 tets
//! cargo bench -p pliant-energy --bench speed -- FILE     # a mesh of tets
//! ```
//! `RAYON_NUM_THREADS` says how many threads; times are the least of several runs.
#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::time::Instant;

use pliant_energy::{Recipe, Tangent, material};
use pliant_linalg::Vec3;
use pliant_mesh::{io, shapes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let mesh = match std::env::args().skip(1).find(|word| word != "--bench") {
        Some(file) => io::load(file.as_ref())?.mesh,
        None => shapes::bar(Vec3::new(2.0, 1.0, 1.1), [20, 10, 11]).into_data(),
    };
    println!("{} vertices, {} tets", mesh.vertices.len(), mesh.elements.len());
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>9} {:>9}   ns a tet; last: ms to assemble",
        "", "energy", "gradient", "Hessian", "positive", "assembly"
    );
    for entry in &material::ALL {
        let body = Recipe { material: Some(entry.name.into()), ..Recipe::default() }.build(mesh.clone())?;
        // A turn about z that grows along x, and a squeeze: strains of some ten percent, nothing turned inside out.
        let (low, high) = body.rest().iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.x), h.max(p.x)));
        let bent = |p: &Vec3| {
            let (s, c) = ((p.x - low) / (high - low) * 0.8).sin_cos();
            let q = Vec3::new(1.1 * p.x, 0.9 * p.y, 0.95 * p.z);
            Vec3::new(c * q.x - s * q.y, s * q.x + c * q.y, q.z) - p
        };
        let u: Vec<f64> = body.rest().iter().flat_map(|p| <[f64; 3]>::from(bent(p))).collect();
        let mut force = vec![0.0; u.len()];
        let mut matrix = body.zero_matrix();
        let per_tet = 1e9 / body.components().count() as f64;
        let energy = least(|| body.energy(&u).map(drop))?;
        let gradient = least(|| body.force(&u, &mut force))?;
        let exact = least(|| body.stiffness(&u, Tangent::Exact, &mut matrix))?;
        let positive = least(|| body.stiffness(&u, Tangent::Positive, &mut matrix))?;
        println!(
            "{:<20} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.2}",
            entry.name,
            energy * per_tet,
            gradient * per_tet,
            exact * per_tet,
            positive * per_tet,
            exact * 1e3
        );
    }
    Ok(())
}

fn least<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut least = f64::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}
