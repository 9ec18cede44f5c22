//! Solids as whole bodies: derivatives, momentum, patch tests, threads, regions; every material of the table.
#![expect(non_snake_case, reason = "F, K, R are the papers' letters")]

use pliant_energy::{Body, Inadmissible, Recipe, Tangent, material};
use pliant_linalg::{LocalVector, Mat3, Vec3, par};
use pliant_mesh::{Attributes, MeshData, Region, TetMesh, io, shapes};
use pliant_testkit::derivative::assert_derivative;

/// Numbers in (−1, 1) without a pattern, the same in every run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

/// A block of 3×3×3 cells of side 1, its vertices moved by up to a seventh of a side: no two tets alike.
fn distorted() -> TetMesh {
    let block = shapes::bar(Vec3::new(3.0, 3.0, 3.0), [3, 3, 3]);
    let noise = numbers(3 * block.vertices().len(), 5);
    let move_vertex = |(p, n): (&Vec3, &[f64; 3])| p + Vec3::from(*n) * 0.14;
    let vertices = block.vertices().iter().zip(noise.as_chunks::<3>().0).map(move_vertex).collect();
    TetMesh::new(vertices, block.tets().to_vec()).expect("a seventh turns no tet inside out")
}

fn recipe(material: &str) -> Recipe {
    Recipe { material: Some(material.into()), young: Some(2.5), poisson: Some(0.3), ..Recipe::default() }
}

fn each(mut check: impl FnMut(&'static str, Body)) {
    for entry in &material::ALL {
        check(entry.name, recipe(entry.name).build(distorted().into_data()).expect("a sound body"));
    }
}

fn displacement(body: &Body, to: impl Fn(&Vec3) -> Vec3) -> Vec<f64> {
    body.rest().iter().flat_map(|p| <[f64; 3]>::from(to(p) - p)).collect()
}

fn along(u: &[f64], t: f64, d: &[f64]) -> Vec<f64> {
    u.iter().zip(d).map(|(u, d)| u + t * d).collect()
}

fn force(body: &Body, u: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; body.size()];
    body.force(u, &mut f).expect("an admissible state");
    f
}

fn stiffness_times(body: &Body, u: &[f64], tangent: Tangent, x: &[f64]) -> Vec<f64> {
    let (mut K, mut y) = (body.zero_matrix(), vec![0.0; body.size()]);
    body.stiffness(u, tangent, &mut K).expect("an admissible state");
    K.apply(x, &mut y);
    y
}

/// A bend with some noise: strains of about ten percent, nothing turned inside out.
fn bent(body: &Body) -> Vec<f64> {
    let u = displacement(body, |p| Vec3::new(1.05 * p.x, p.y + 0.05 * p.x * p.x, p.z - 0.04 * p.x * p.y));
    along(&u, 0.03, &numbers(u.len(), 11))
}

#[test]
fn force_and_stiffness_are_derivatives() {
    each(|name, body| {
        let (u, d, e) = (bent(&body), numbers(body.size(), 2), numbers(body.size(), 3));
        let (d, e) = (d.iter().map(|x| 0.3 * x).collect::<Vec<_>>(), e);
        let energy = |t: f64| body.energy(&along(&u, t, &d)).expect("an admissible state");
        assert_derivative(name, energy, par::dot(&force(&body, &u), &d));
        let exact = par::dot(&stiffness_times(&body, &u, Tangent::Exact, &d), &e);
        assert_derivative(name, |t| par::dot(&force(&body, &along(&u, t, &d)), &e), exact);
    });
}

#[test]
fn the_third_derivative_is_that_of_the_stiffness_and_symmetric() {
    each(|name, body| {
        let n = body.size();
        let (a, b, e) = (numbers(n, 7), numbers(n, 8), numbers(n, 9));
        let small: Vec<f64> = a.iter().map(|x| 0.2 * x).collect();
        let (mut ab, mut ba) = (vec![0.0; n], vec![0.0; n]);
        body.third_at_rest(&small, &b, &mut ab);
        body.third_at_rest(&b, &small, &mut ba);
        let rest = vec![0.0; n];
        let product =
            |t: f64| par::dot(&stiffness_times(&body, &along(&rest, t, &small), Tangent::Exact, &b), &e);
        assert_derivative(name, product, par::dot(&ab, &e));
        let difference = along(&ab, -1.0, &ba);
        assert!(par::norm(&difference) <= 1e-13 * par::norm(&ab), "{name}: {}", par::norm(&difference));
    });
}

#[test]
fn rigid_motion_costs_nothing() {
    let R = pliant_linalg::small::rotation(&Vec3::new(1.0, -2.0, 0.5), 2.2);
    each(|name, body| {
        let size = par::norm(&force(&body, &bent(&body)));
        let moved = displacement(&body, |p| p + Vec3::new(3.0, -1.0, 2.0));
        assert!(par::norm(&force(&body, &moved)) < 1e-13 * size, "{name}: moved");
        let turned = displacement(&body, |p| R * p + Vec3::new(0.1, 0.2, 0.3));
        let (f, W) = (par::norm(&force(&body, &turned)), body.energy(&turned).expect("admissible"));
        if name == "linear" {
            assert!(f > size && W > 1.0, "linear elasticity takes a rotation for strain");
        } else {
            assert!(f < 1e-12 * size && W.abs() < 1e-12, "{name}: turned, {f}, {W}");
        }
    });
}

#[test]
fn forces_and_torques_add_up_to_nothing() {
    each(|name, body| {
        let u = bent(&body);
        let f = force(&body, &u);
        let (mut total, mut torque) = (Vec3::zeros(), Vec3::zeros());
        for ((f, u), p) in f.as_chunks::<3>().0.iter().zip(u.as_chunks::<3>().0).zip(body.rest()) {
            total += Vec3::from(*f);
            torque += (p + Vec3::from(*u)).cross(&Vec3::from(*f));
        }
        assert!(total.norm() < 1e-12 * par::norm(&f), "{name}: {total}");
        // The linear law has a torque of second order: it is balanced about the shape at rest.
        assert!(name == "linear" || torque.norm() < 1e-11 * par::norm(&f), "{name}: {torque}");
    });
}

#[test]
fn patch_test_an_affine_boundary_gives_an_affine_inside() {
    let F = Mat3::new(1.1, 0.15, -0.05, 0.02, 0.9, 0.1, -0.08, 0.05, 1.05);
    each(|name, body| {
        let f = force(&body, &displacement(&body, |p| F * p + Vec3::new(0.3, 0.0, -0.2)));
        let outside: std::collections::BTreeSet<u32> = body.boundary().iter().flatten().copied().collect();
        let (mut inside, mut largest, mut worst) = (0, 0.0_f64, 0.0_f64);
        for (v, f) in f.as_chunks::<3>().0.iter().enumerate() {
            let size = Vec3::from(*f).norm();
            if outside.contains(&(v as u32)) {
                largest = largest.max(size);
            } else {
                (inside, worst) = (inside + 1, worst.max(size));
            }
        }
        assert_eq!(inside, 8, "2×2×2 vertices are inside");
        assert!(largest > 0.01 && worst < 1e-10 * largest, "{name}: {worst} of {largest}");
    });
}

#[test]
fn a_positive_tangent_is_positive_and_the_exact_one_where_it_can_be() {
    each(|name, body| {
        let u = bent(&body);
        let (mut positive, mut exact) = (body.zero_matrix(), body.zero_matrix());
        body.stiffness(&u, Tangent::Positive, &mut positive).expect("admissible");
        body.stiffness(&u, Tangent::Exact, &mut exact).expect("admissible");
        let size = par::norm(&positive.diagonal());
        for seed in 0..20 {
            let x = numbers(body.size(), 100 + seed);
            let (p, q) = (positive.quadratic(&x), exact.quadratic(&x));
            assert!(p > 0.0 && p >= q - 1e-10 * size, "{name}: {p} and {q}");
        }
    });
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // More tets than a wave of the assembly has.
    let mesh = shapes::bar(Vec3::new(2.0, 1.0, 1.0), [16, 8, 8]);
    for name in ["stable-neo-hookean", "invertible-stvk", "corotational"] {
        let body = recipe(name).build(mesh.clone().into_data()).expect("a sound body");
        let u: Vec<f64> = numbers(body.size(), 4).iter().map(|x| 0.03 * x).collect();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let mut K = body.zero_matrix();
                body.stiffness(&u, Tangent::Positive, &mut K).expect("admissible");
                let numbers = K.values().as_flattened().as_flattened().to_vec();
                let energy = body.energy(&u).expect("admissible");
                [numbers, force(&body, &u), vec![energy]]
                    .concat()
                    .iter()
                    .map(|x| x.to_bits())
                    .collect::<Vec<_>>()
            })
        };
        let one = with(1);
        assert!(one == with(2) && one == with(7), "{name}");
    }
}

#[test]
fn the_projective_gradient_is_exact_for_the_projective_material() {
    let body = recipe("projective").build(distorted().into_data()).expect("a sound body");
    let components: Vec<u32> = (0..body.components().count() as u32).collect();
    let u = body.gather(&components, &bent(&body));
    let (mut own, mut other) = (vec![[0.0; 12]; u.len()], vec![[0.0; 12]; u.len()]);
    body.components().gradients(&components, &u, &mut own).expect("admissible");
    let projective = body.components().projective().expect("a solid has one");
    projective.gradients(&components, &u, &mut other);
    for (a, b) in own.iter().flatten().zip(other.iter().flatten()) {
        assert!((a - b).abs() < 1e-14, "{a} and {b}");
    }
}

#[test]
fn the_projective_laplacian_is_the_stiffness_while_rotations_stand_still() {
    let body = recipe("stable-neo-hookean").build(distorted().into_data()).expect("a sound body");
    let projective = body.components().projective().expect("a solid has one");
    // Uniform stretches leave R = I, whatever their size: gradients differ by L times the displacement.
    let u = displacement(&body, |p| Vec3::new(1.3 * p.x, 0.8 * p.y, 1.1 * p.z));
    for c in 0..body.components().count() as u32 {
        let (local, L): (LocalVector, _) = (body.gather(&[c], &u)[0], projective.laplacian(c as usize));
        let mut gradient = [[0.0; 12]];
        projective.gradients(&[c], &[local], &mut gradient);
        for a in 0..4 {
            for k in 0..3 {
                let expected: f64 = (0..4).map(|b| L[a][b] * local[3 * b + k]).sum();
                assert!((gradient[0][3 * a + k] - expected).abs() < 1e-13, "tet {c}");
            }
        }
    }
    // And an upper bound of the stiffness of the projective law: rotations that follow only make it softer.
    let body = recipe("projective").build(distorted().into_data()).expect("a sound body");
    let (state, x) = (vec![0.0; body.size()], numbers(body.size(), 21));
    let exact = par::dot(&stiffness_times(&body, &state, Tangent::Exact, &x), &x);
    let projective = body.components().projective().expect("a solid has one");
    let bound: f64 = (0..body.components().count() as u32)
        .map(|c| {
            let (x, L) = (body.gather(&[c], &x)[0], projective.laplacian(c as usize));
            (0..4)
                .map(|a| {
                    (0..4)
                        .map(|b| (0..3).map(|k| x[3 * a + k] * L[a][b] * x[3 * b + k]).sum::<f64>())
                        .sum::<f64>()
                })
                .sum::<f64>()
        })
        .sum();
    assert!(exact > 0.0 && exact < bound, "{exact} < {bound}");
}

#[test]
fn two_regions_have_two_materials() {
    // The lower half of the file's tets is soft, the upper stiff; both stretched alike.
    let mesh = distorted();
    let count = mesh.tets().len();
    let of = |young: f64| pliant_mesh::Material {
        name: format!("E{young}"),
        density: 1000.0,
        law: pliant_mesh::Law::isotropic(young, 0.2),
    };
    let region = |name: &str, m: u32| Region { name: name.into(), material: Some(m) };
    let attributes = Attributes {
        regions: vec![region("soft", 0), region("stiff", 1)],
        region_of: (0..count).map(|t| u32::from(t % 3 == 0)).collect(),
        materials: vec![of(1.0), of(100.0)],
        ..Attributes::default()
    };
    let mixed = mesh.clone().with_attributes(attributes).expect("sound attributes").into_data();
    let body = |data: MeshData, young| {
        Recipe { material: Some("stvk".into()), young, poisson: young.map(|_| 0.2), ..Recipe::default() }
            .build(data)
            .expect("a sound body")
    };
    let (mixed, soft) = (body(mixed, None), body(mesh.into_data(), Some(1.0)));
    let components: Vec<u32> = (0..count as u32).collect();
    let u = soft.gather(&components, &bent(&soft));
    let (mut a, mut b) = (vec![0.0; count], vec![0.0; count]);
    mixed.components().energies(&components, &u, &mut a).expect("admissible");
    soft.components().energies(&components, &u, &mut b).expect("admissible");
    for t in 0..count {
        let factor = if t % 3 == 0 { 100.0 } else { 1.0 };
        assert!((a[t] - factor * b[t]).abs() <= 1e-13 * a[t], "tet {t}");
    }
}

#[test]
fn inadmissible_names_the_first_tet_turned_inside_out() {
    for name in ["neo-hookean", "mooney-rivlin"] {
        let mesh = shapes::bar(Vec3::new(20.0, 2.0, 2.0), [20, 2, 2]);
        let body = recipe(name).build(mesh.clone().into_data()).expect("a sound body");
        // Pull one vertex through the tets around it.
        let (vertex, mut u) = (mesh.vertices().len() / 2, vec![0.0; body.size()]);
        u[3 * vertex] = 3.0;
        let first = (0..mesh.tets().len()).find(|&t| {
            let [p, q, r, s] = mesh.tets()[t].map(|v| {
                let v = v as usize;
                mesh.vertices()[v] + Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2])
            });
            (q - p).cross(&(r - p)).dot(&(s - p)) <= 0.0
        });
        let expected = Inadmissible { component: first.expect("a tet is turned") };
        let mut f = vec![0.0; body.size()];
        assert_eq!(body.energy(&u), Err(expected), "{name}");
        assert_eq!(body.force(&u, &mut f), Err(expected), "{name}");
        assert_eq!(body.stiffness(&u, Tangent::Exact, &mut body.zero_matrix()), Err(expected), "{name}");
    }
}

#[test]
fn a_heterogeneous_file_builds() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let file = data.join("tets/turtle/turtle-volumetric-heterogeneous.veg");
    let mesh = io::load(&file).expect("the turtle").mesh;
    let regions = mesh.attributes.regions.len();
    assert!(regions > 1, "{regions} regions");
    let body = Recipe::default().build(mesh).expect("a sound body");
    assert!(par::norm(&force(&body, &vec![0.0; body.size()])) < 1e-6);
    assert!(body.energy(&bent(&body)).expect("admissible") > 0.0);
}
