//! A cubature takes no memory after it was made.
#![expect(non_snake_case, reason = "K is the papers' letter")]

use pliant_energy::{Recipe, Tangent, material};
use pliant_linalg::{DenseSymmetric, Random, Vec3};
use pliant_mesh::{MeshData, shapes};
use pliant_reduce::force::cubature::{Cubature, CubatureForce};
use pliant_reduce::{Basis, ReducedForce};
use pliant_testkit::counting::{Counting, taken};

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn energy_force_and_stiffness_take_no_memory() {
    let bar = || shapes::bar(Vec3::new(1.0, 0.3, 0.25), [8, 3, 2]).into_data();
    for entry in &material::ALL {
        evaluate(entry.name, bar());
    }
    evaluate("discrete-shells", shapes::ball(1.0, 2).boundary().into_data());
}

fn evaluate(material: &str, mesh: MeshData) {
    let vertices = mesh.vertices.len();
    let energy =
        Recipe { material: Some(material.into()), ..Recipe::default() }.energy(mesh).expect("an energy");
    let r = 21;
    let mut random = Random(5);
    let rows: Vec<f64> = (0..3 * vertices * r).map(|_| 0.01 * random.symmetric()).collect();
    let basis = Basis::new(r, std::sync::Arc::new(rows));
    let components: Vec<u32> = (0..energy.count() as u32).filter(|c| c % 3 == 0).collect();
    let weights = vec![2.0; components.len()];
    let mut force = CubatureForce::new(energy.as_ref(), &Cubature::new(components, weights), &basis);
    let (mut f, mut K) = (vec![0.0; r], DenseSymmetric::zeros(r));
    let before = taken();
    // A pose that is far too large, and one that is no pose: an error is no reason to allocate either.
    for scale in [0.1, 1e4, f64::NAN] {
        let q: [f64; 21] = std::array::from_fn(|_| scale * random.symmetric());
        let sound = scale < 1.0;
        assert!(force.energy(&q).is_ok() || !sound, "{material}");
        assert!(force.force(&q, &mut f).is_ok() || !sound, "{material}");
        for tangent in [Tangent::Exact, Tangent::Positive] {
            assert!(force.stiffness(&q, tangent, &mut K).is_ok() || !sound, "{material}");
        }
    }
    assert_eq!(taken() - before, 0, "{material}");
}
