//! The polynomial against the full mesh, its own derivatives, and coefficients that others published.

use std::ops::ControlFlow;
use std::sync::Arc;

use pliant_energy::{Body, Recipe};
use pliant_linalg::{Progress, Vec3, ignore_progress};
use pliant_mesh::data::{Law, Material, Region};
use pliant_mesh::{MeshData, io, shapes};
use pliant_testkit::derivative::assert_derivative;
use pliant_testkit::numbers::noise;

use super::*;
use crate::force::Projected;
use crate::{Basis, ReduceError};

/// More tets than two pieces hold, none of them along the axes' symmetry: the bar is bent and sheared at rest.
fn bar() -> MeshData {
    let mut bar = shapes::bar(Vec3::new(2.0, 1.0, 0.7), [6, 3, 3]).into_data();
    for p in &mut bar.vertices {
        *p = Vec3::new(p.x + 0.1 * p.y * p.z, p.y + 0.2 * p.x * p.x, p.z - 0.1 * p.x);
    }
    bar
}

fn stvk(data: MeshData) -> Body {
    Recipe { material: Some("stvk".into()), poisson: Some(0.3), young: Some(3.0), ..Recipe::default() }
        .build(data)
        .expect("a body")
}

/// Two halves, one fifty times as stiff as the other, with different Poisson's ratios.
fn two_halves() -> Body {
    let mut data = bar();
    let of = |young: f64, poisson: f64| {
        let law = Law::isotropic(young, poisson);
        Material { name: format!("E{young}"), density: 1000.0, law }
    };
    data.attributes.materials = vec![of(1.0, 0.2), of(50.0, 0.45)];
    let region = |name: &str, m: u32| Region { name: name.into(), material: Some(m) };
    data.attributes.regions = vec![region("soft", 0), region("stiff", 1)];
    let count = data.elements.len() as u32;
    data.attributes.region_of = (0..count).map(|t| u32::from(t > count / 2)).collect();
    Recipe { material: Some("stvk".into()), ..Recipe::default() }.build(data).expect("a body")
}

/// Columns without a pattern: every entry of every tensor counts.
fn basis(body: &Body, rank: usize) -> Basis {
    Basis::from_columns(&noise(body.size() * rank, 0.5, 11), body.size())
}

fn polynomial(body: &Body, basis: &Basis) -> Polynomial {
    Polynomial::new(body, basis, &mut ignore_progress).expect("a polynomial")
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale
}

#[test]
fn it_is_the_projected_force_also_for_large_deformations() {
    for body in [stvk(bar()), two_halves()].map(Arc::new) {
        for rank in [1, 2, 3, 4, 5, 9, 14, 23] {
            let basis = basis(&body, rank);
            let mut cubic = Cubic::new(&polynomial(&body, &basis));
            let mut projected = Projected::new(body.clone(), basis);
            assert_eq!(cubic.rank(), rank);
            // From nearly at rest to turned inside out.
            for (seed, size) in [1e-3, 0.3, 3.0].into_iter().enumerate() {
                let q = noise(rank, size, 5 + seed as u64);
                let mut found = (0.0, vec![0.0; rank], DenseSymmetric::zeros(rank));
                let mut exact = found.clone();
                let forces: [(&mut dyn ReducedForce, _); 2] =
                    [(&mut cubic, &mut found), (&mut projected, &mut exact)];
                for (force, (W, f, K)) in forces {
                    *W = force.energy(&q).expect("defined everywhere");
                    force.force(&q, f).expect("defined everywhere");
                    force.stiffness(&q, Tangent::Exact, K).expect("defined everywhere");
                }
                let upper = |K: &DenseSymmetric| -> Vec<f64> {
                    (0..rank).flat_map(|i| (i..rank).map(move |j| (i, j))).map(|(i, j)| K.get(i, j)).collect()
                };
                let errors = [
                    worst(&[found.0], &[exact.0]),
                    worst(&found.1, &exact.1),
                    worst(&upper(&found.2), &upper(&exact.2)),
                ];
                assert!(errors.iter().all(|&e| e < 1e-10), "rank {rank}, size {size}: {errors:?}");
            }
        }
    }
}

#[test]
fn force_and_stiffness_are_derivatives() {
    let body = stvk(bar());
    for rank in [1, 5, 12] {
        let cubic = Cubic::new(&polynomial(&body, &basis(&body, rank)));
        let (q, d, e) = (noise(rank, 1.0, 1), noise(rank, 1.0, 2), noise(rank, 1.0, 3));
        let along = |t: f64| -> Vec<f64> { q.iter().zip(&d).map(|(q, d)| q + t * d).collect() };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let force = |t: f64| {
            let mut f = vec![0.0; rank];
            cubic.clone().force(&along(t), &mut f).expect("defined everywhere");
            f
        };
        let energy = |t: f64| cubic.clone().energy(&along(t)).expect("defined everywhere");
        assert_derivative("energy", energy, dot(&force(0.0), &d));
        let (mut K, mut Kd) = (DenseSymmetric::zeros(rank), vec![0.0; rank]);
        cubic.clone().stiffness(&q, Tangent::Exact, &mut K).expect("defined everywhere");
        K.apply(&d, &mut Kd);
        assert_derivative("force", |t| dot(&force(t), &e), dot(&Kd, &e));
    }
}

#[test]
fn one_state_costs_one_contraction_and_clones_share_the_coefficients() {
    let body = stvk(bar());
    let mut cubic = Cubic::new(&polynomial(&body, &basis(&body, 6)));
    let (q, other) = (noise(6, 1.0, 1), noise(6, 1.0, 2));
    let (mut f, mut K) = (vec![0.0; 6], DenseSymmetric::zeros(6));
    assert_eq!(cubic.energy(&[0.0; 6]).expect("at rest"), 0.0);
    let energy = cubic.energy(&q).expect("defined everywhere");
    // What is kept is what is given.
    (cubic.energy, cubic.force[0]) = (42.0, 43.0);
    cubic.stiffness.values_mut()[0] = 44.0;
    cubic.force(&q, &mut f).expect("defined everywhere");
    cubic.stiffness(&q, Tangent::Positive, &mut K).expect("defined everywhere");
    assert_eq!((cubic.energy(&q).expect("kept"), f[0], K.get(0, 0)), (42.0, 43.0, 44.0));
    // Until another state is asked for.
    cubic.energy(&other).expect("defined everywhere");
    assert_eq!(cubic.energy(&q).expect("computed again"), energy);
    assert!(Arc::ptr_eq(&cubic.quartic, &cubic.clone().quartic));
}

#[test]
fn the_same_bits_for_one_thread_and_for_many() {
    let body = two_halves();
    let basis = basis(&body, 17);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| polynomial(&body, &basis))
    };
    let bits = |p: &Polynomial| -> Vec<u64> {
        [&p.quadratic, &p.cubic, &p.quartic].into_iter().flatten().map(|x| x.to_bits()).collect()
    };
    let one = run(1);
    assert_eq!(bits(&one), bits(&run(7)));
    assert_eq!([one.quadratic.len(), one.cubic.len(), one.quartic.len()], Polynomial::lengths(17));
}

#[test]
fn progress_is_told_and_a_stop_is_obeyed() {
    let body = stvk(bar());
    let (basis, mut told) = (basis(&body, 2), Vec::new());
    let mut watch = |progress: Progress| {
        told.push((progress.done, progress.total));
        ControlFlow::Continue(())
    };
    Polynomial::new(&body, &basis, &mut watch).expect("a polynomial");
    let pieces = body.components().count().div_ceil(128);
    assert!(pieces > 1);
    assert_eq!(told, (0..=pieces).map(|done| (done, pieces)).collect::<Vec<_>>());
    let stopped = Polynomial::new(&body, &basis, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ReduceError::Cancelled)), "{stopped:?}");
}

#[test]
fn other_materials_surfaces_and_ranks_are_refused_with_what_would_work() {
    let refusal =
        |body: &Body, rank: usize| match Polynomial::new(body, &basis(body, rank), &mut ignore_progress) {
            Err(ReduceError::Request(sentence)) => sentence,
            other => panic!("{other:?}"),
        };
    let rubber =
        Recipe { material: Some("neo-hookean".into()), ..Recipe::default() }.build(bar()).expect("a body");
    let sentence = refusal(&rubber, 2);
    for part in ["tet 0 is made of neo-hookean", "cubature forces", "the law stvk"] {
        assert!(sentence.contains(part), "{sentence}");
    }
    let surface = Recipe::default().build(shapes::ball(1.0, 2).boundary().into_data()).expect("a shell");
    assert!(refusal(&surface, 2).contains("this body is a surface"));
    assert!(refusal(&stvk(bar()), MOST_RANK + 1).contains("up to 128, got 129"));
}

/// Coefficients of f̃ that were published with a mesh and a basis; the mesh is a little different, see where it lies.
#[test]
fn letter_a_has_the_published_coefficients() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let folder = data.join("tets/letterA");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file beside the mesh");
    let whole = |bytes: &[u8], n: usize| u32::from_le_bytes(bytes.as_chunks::<4>().0[n]) as usize;

    let mesh = io::load(&folder.join("A.veg")).expect("a mesh").mesh;
    let body = Recipe { material: Some("stvk".into()), ..Recipe::default() }.build(mesh).expect("a body");
    let modes = read("A.URendering.float");
    let (rows, rank) = (whole(&modes, 0), whole(&modes, 1));
    assert_eq!((rows, rank), (body.size(), 20));
    let columns: Vec<f64> =
        modes.as_chunks::<4>().0[2..].iter().map(|&x| f64::from(f32::from_le_bytes(x))).collect();
    let found = polynomial(&body, &Basis::from_columns(&columns, rows));

    let published = read("A.cub");
    assert_eq!([0, 1, 2, 3].map(|n| whole(&published, n)), [20, 20, 210, 1540]);
    let mut numbers = published.as_chunks::<8>().0[2..].iter().map(|&x| f64::from_le_bytes(x));
    // f_o = S₂_oi q_i + 3 S₃_oij q_i q_j + 2 S₄_oijk q_i q_j q_k; a monomial stands in as many orders as it has.
    let mut errors = [[0.0; 2]; 3];
    let mut note = |part: usize, ours: f64| {
        let theirs: f64 = numbers.next().expect("as many as there are monomials");
        errors[part][0] += (ours - theirs).powi(2);
        errors[part][1] += theirs.powi(2);
    };
    let sorted4 = |mut at: [usize; 4]| {
        at.sort_unstable();
        at
    };
    for o in 0..rank {
        (0..rank).for_each(|i| note(0, found.quadratic[layout::place2(rank, [o.min(i), o.max(i)])]));
    }
    for o in 0..rank {
        for i in 0..rank {
            for j in i..rank {
                let mut at = [o, i, j];
                at.sort_unstable();
                let orders = if i == j { 1.0 } else { 2.0 };
                note(1, 3.0 * orders * found.cubic[layout::place3(rank, at)]);
            }
        }
    }
    for o in 0..rank {
        for i in 0..rank {
            for j in i..rank {
                for k in j..rank {
                    let orders = match (i == j, j == k) {
                        (true, true) => 1.0,
                        (false, false) => 6.0,
                        _ => 3.0,
                    };
                    note(2, 2.0 * orders * found.quartic[layout::place4(rank, sorted4([o, i, j, k]))]);
                }
            }
        }
    }
    assert_eq!(numbers.next(), None);
    for (part, [difference, size]) in ["linear", "quadratic", "cubic"].into_iter().zip(errors) {
        let error = (difference / size).sqrt();
        assert!(error < 5e-3, "the {part} part differs by {error:.1e}");
    }
}
