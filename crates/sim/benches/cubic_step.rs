//! How long a whole step of a cubic model takes: `cargo bench -p pliant-sim --bench cubic_step -- 20 60`.
//!
//! No body stands behind it: the tensors are noise around oscillators, the basis is noise over the eight vertices of a
//! block. A step does the same work as that of a real model of so many coordinates, as often as it iterates.
#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use std::sync::Arc;
use std::time::Instant;

use pliant_dynamics::{Damping, DampingKind};
use pliant_energy::Recipe;
use pliant_linalg::{DenseSymmetric, Vec3};
use pliant_mesh::shapes;
use pliant_reduce::force::Polynomial;
use pliant_reduce::model::Facts;
use pliant_reduce::{Basis, Model, ModelParts};
use pliant_sim::{Live, LiveOptions};

/// 60 steps a second.
const DT: f64 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    let ranks: Vec<usize> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .map(|r| r.parse())
        .collect::<Result<_, _>>()?;
    for rank in if ranks.is_empty() { vec![20, 60] } else { ranks } {
        let damping = Damping { mass: 0.1, stiffness: 1e-3, kind: DampingKind::Tangent };
        let options = LiveOptions { damping, ..LiveOptions::default() };
        let mut live = Live::new(Arc::new(noise(rank)), &options)?;
        let (mut seconds, mut iterations) = (Vec::new(), 0);
        for step in 0..500 {
            live.push(7, Vec3::new((0.1 * f64::from(step)).sin(), 0.3, 0.0))?;
            let begin = Instant::now();
            iterations += live.step(DT)?.iterations;
            seconds.push(begin.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        let (median, p99) = (1e6 * seconds[249], 1e6 * seconds[494]);
        println!(
            "r = {rank:3}: a step {median:.1} µs (median), {p99:.1} µs (99 %), {:.2} iterations",
            iterations as f64 / 500.0
        );
    }
    Ok(())
}

/// Oscillators from 1 Hz on, tied by small cubic and quartic terms.
fn noise(rank: usize) -> Model {
    let mesh = shapes::bar(Vec3::new(1.0, 1.0, 1.0), [1, 1, 1]).into_data();
    let some = |k: usize| (12.9898 * k as f64).sin();
    let lambda = |i: usize| (std::f64::consts::TAU * (1.0 + 0.1 * i as f64)).powi(2);
    let diagonal = |i: usize, j: usize, x: f64| if i == j { x } else { 0.0 };
    let [_, cubic, quartic] = Polynomial::lengths(rank);
    let pairs = (0..rank).flat_map(|i| (i..rank).map(move |j| (i, j)));
    let polynomial = Polynomial {
        rank,
        quadratic: pairs.map(|(i, j)| diagonal(i, j, lambda(i))).collect(),
        cubic: (0..cubic).map(|k| 0.1 * some(k)).collect(),
        quartic: (0..quartic).map(|k| 0.1 * some(k + 1)).collect(),
    };
    let rows: Vec<f64> = (0..3 * mesh.vertices.len() * rank).map(some).collect();
    Model::new(ModelParts {
        recipe: Recipe { material: Some("stvk".into()), ..Recipe::default() },
        basis: Basis::new(rank, Arc::new(rows)),
        mass: DenseSymmetric::from_upper(rank, |i, j| diagonal(i, j, 1.0)),
        stiffness: DenseSymmetric::from_upper(rank, |i, j| diagonal(i, j, lambda(i))),
        gravity: [0; 3].map(|_| vec![0.0; rank]),
        force: Arc::new(polynomial),
        facts: Facts::default(),
        sections: Default::default(),
        mesh,
    })
    .expect("parts that fit")
}
