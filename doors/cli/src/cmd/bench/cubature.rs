//! The cubature at run time: d = 135 coordinates, s = 150 tets, one core.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pliant::dynamics;
use pliant::energy::{Recipe, Tangent};
use pliant::linalg::{DenseSymmetric, Random, Vec3, probe};
use pliant::mesh::{MeshData, shapes};
use pliant::reduce::force::cubature::{Cubature, CubatureForce};
use pliant::reduce::model::Facts;
use pliant::reduce::{Basis, Model, ModelParts, ReducedForce};
use pliant::sim::{Live, LiveOptions};

use super::{Row, median};

const RANK: usize = 135;
const POINTS: usize = 150;

/// Times against what the multiplications and additions alone would take: 9·2 a point and coordinate for a force; for
/// a stiffness half a matrix of r², and the 9×9 matrices before it.
pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let rate = multiply_adds_per_second();
    let micros = |operations: usize| operations as f64 / rate * 1e6;
    let force_floor = micros(2 * 9 * RANK * POINTS);
    let stiffness_floor = micros(9 * POINTS * RANK * (RANK + 1) / 2 + 81 * POINTS * RANK + 9 * RANK * POINTS);
    let mut rows =
        vec![Row { name: "multiply-adds of one core".into(), value: rate / 1e9, unit: "G/s", limit: None }];
    for (material, cells, svd) in [
        ("stvk", [20, 10, 11], false),
        ("stable-neo-hookean", [20, 10, 11], false),
        ("corotational", [20, 10, 11], true),
        ("stvk", [60, 30, 15], false),
    ] {
        let mut force = Points::new(material, cells).force()?;
        let tets = 6 * cells.iter().product::<usize>();
        let mut random = Random(7);
        let q: Vec<f64> = (0..RANK).map(|_| 0.01 * random.symmetric()).collect();
        let (mut f, mut stiffness) = (vec![0.0; RANK], DenseSymmetric::zeros(RANK));
        let seconds = median(301, || force.force(&q, &mut f))?;
        // Three times the floor; where rotations are needed, what those cost besides (100 ns each, and some).
        let limit = force_floor * if svd { 3.0 * 65.0 / 45.0 } else { 3.0 };
        let name = format!("cubature {material}, force, of {tets} tets");
        rows.push(Row { name, value: seconds * 1e6, unit: "µs", limit: Some(limit) });
        let seconds = median(51, || force.stiffness(&q, Tangent::Exact, &mut stiffness))?;
        let name = format!("cubature {material}, stiffness, of {tets} tets");
        rows.push(Row { name, value: seconds * 1e6, unit: "µs", limit: Some(1.5 * stiffness_floor) });
    }
    let mut live = Points::new("stable-neo-hookean", [20, 10, 11]).live()?;
    let seconds = median(201, || live.step(1.0 / 120.0).map(drop))?;
    let name = format!("Newmark step with it, one iteration, r = {RANK}, {POINTS} tets");
    rows.push(Row { name, value: seconds * 1e6, unit: "µs", limit: None });
    Ok(rows)
}

/// Of one core, with numbers in registers: the best of several short runs.
fn multiply_adds_per_second() -> f64 {
    let run = || {
        let start = Instant::now();
        let (operations, sum) = probe::multiply_adds(50_000);
        black_box(sum);
        0.5 * operations / start.elapsed().as_secs_f64()
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
}

/// Tets of a bar, evenly spread, in a basis without a meaning: times do not depend on numbers.
struct Points {
    mesh: MeshData,
    recipe: Recipe,
    basis: Basis,
    cubature: Cubature,
}

impl Points {
    fn new(material: &str, cells: [usize; 3]) -> Self {
        let mesh = shapes::bar(Vec3::new(2.0, 1.0, 1.1), cells).into_data();
        let recipe = Recipe { material: Some(material.into()), ..Recipe::default() };
        let mut random = Random(5);
        let rows: Vec<f64> = (0..3 * mesh.vertices.len() * RANK).map(|_| 0.01 * random.symmetric()).collect();
        let basis = Basis::new(RANK, Arc::new(rows));
        let tets = 6 * cells.iter().product::<usize>();
        let components = (0..POINTS).map(|k| (k * tets / POINTS) as u32).collect();
        Self { mesh, recipe, basis, cubature: Cubature::new(components, vec![1.0; POINTS]) }
    }

    fn force(&self) -> anyhow::Result<CubatureForce> {
        let energy = self.recipe.energy(self.mesh.clone())?;
        Ok(CubatureForce::new(energy.as_ref(), &self.cubature, &self.basis))
    }

    /// Pushed by a constant force, with unit masses.
    fn live(self) -> anyhow::Result<Live> {
        let mut stiffness = DenseSymmetric::zeros(RANK);
        self.force()?.stiffness(&[0.0; RANK], Tangent::Exact, &mut stiffness)?;
        let Self { mesh, recipe, basis, cubature } = self;
        let model = Model::new(ModelParts {
            mesh,
            recipe,
            basis,
            mass: DenseSymmetric::from_upper(RANK, |i, j| if i == j { 1.0 } else { 0.0 }),
            stiffness,
            gravity: [0; 3].map(|_| vec![0.1; RANK]),
            force: Arc::new(cubature),
            facts: Facts::default(),
            sections: Default::default(),
        })?;
        let solver = dynamics::Options { iterations: Some(1), ..dynamics::Options::default() };
        let options = LiveOptions { solver, gravity: Vec3::new(0.0, -9.81, 0.0), ..LiveOptions::default() };
        Ok(Live::new(Arc::new(model), &options)?)
    }
}
