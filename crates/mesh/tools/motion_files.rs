//! Writes a swinging bar in every format of a motion, and reads arrays that others wrote:
//! `cargo run -p pliant-mesh --bin motion_files -- FOLDER` and `… -- --read FILE NAME`, which prints the array.

use std::f64::consts::TAU;
use std::path::Path;

use pliant_linalg::{Mass, Modes, Pattern, Symmetric, Vec3, ignore_progress};
use pliant_mesh::io::arrays;
use pliant_mesh::io::motion::modes;
use pliant_mesh::io::motion::{self, Motion, Series};
use pliant_mesh::{MeshError, shapes};

#[expect(clippy::print_stdout, reason = "a program prints")]
fn main() -> Result<(), MeshError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file, name] = &args[..]
        && flag == "--read"
    {
        let array = arrays::load(Path::new(file), name)?;
        println!("{:?}\n{:?}", array.shape, array.data);
        return Ok(());
    }
    let folder = Path::new(args.first().map_or(".", String::as_str));
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 2, 2]).into_data();
    let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 30.0).collect();
    // A bend and a twist, each at its own frequency.
    let bend = |p: &Vec3| [0.0, 0.3 * p.x * p.x, 0.0];
    let twist = |p: &Vec3| [0.0, -(p.z - 0.05) * p.x, (p.y - 0.05) * p.x];
    let displacement = |frame: usize, u: &mut [f64]| {
        let t = times[frame];
        let (a, b) = ((TAU * t).sin(), 0.5 * (3.1 * TAU * t).sin());
        for (u, p) in u.chunks_exact_mut(3).zip(&bar.vertices) {
            (0..3).for_each(|c| u[c] = a * bend(p)[c] + b * twist(p)[c]);
        }
    };
    let height: Vec<f64> = times.iter().map(|t| 0.3 * (TAU * t).sin()).collect();
    let series = [Series { name: "tip.y".into(), values: &height }];
    let swing = Motion { rest: &bar, times: &times, displacement: &displacement, series: &series };
    for format in motion::ALL {
        let path = folder.join("swing").with_extension(format.extension);
        for note in motion::save(&path, &swing, &mut ignore_progress)? {
            println!("{}: {note}", path.display());
        }
    }
    let both = Modes {
        eigenvalues: vec![TAU * TAU, (3.1 * TAU).powi(2)],
        shapes: bar.vertices.iter().flat_map(bend).chain(bar.vertices.iter().flat_map(twist)).collect(),
        mass: Mass::Vertices(Symmetric::zeros(Pattern::diagonal(bar.vertices.len()))),
    };
    modes::save(&folder.join("modes.npz"), &bar, &both)?;
    modes::save(&folder.join("modes.glb"), &bar, &both)?;
    Ok(())
}
