//! Matrices that other programs take: the stiffness at a displacement and the mass, in compressed rows.
#![expect(non_snake_case, reason = "K and M are the papers' letters")]

use pliant_energy::{Body, MassKind, Recipe};
use pliant_linalg::{CsrMatrix, Vec3, par};
use pliant_mesh::{MeshData, shapes};
use pliant_testkit::derivative::assert_derivative;

/// A solid with either mass, and a surface, each held at one end.
fn bodies() -> Vec<(&'static str, Body)> {
    let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 2, 1]).into_data();
    let sheet = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 2, 1]).boundary().into_data();
    let build = |mesh: &MeshData, mass: Option<MassKind>| {
        let fixed = vec![pliant_mesh::select::select(mesh, "x<1%").expect("a selection")];
        Recipe { fixed, mass, ..Recipe::default() }.build(mesh.clone()).expect("a body")
    };
    vec![
        ("consistent", build(&bar, Some(MassKind::Consistent))),
        ("lumped", build(&bar, Some(MassKind::Lumped))),
        ("surface", build(&sheet, None)),
    ]
}

/// `count` displacements without a pattern, at most `size`.
fn noise(count: usize, size: f64) -> Vec<f64> {
    (0..count).map(|i| size * (12.9898 * i as f64 + 0.3 * (i * i) as f64).sin()).collect()
}

fn assert_symmetric(name: &str, A: &CsrMatrix) {
    for i in 0..A.size() {
        let (columns, values) = A.row(i);
        assert!(columns.is_sorted_by(|a, b| a < b), "{name}: row {i} is {columns:?}");
        for (&j, &value) in columns.iter().zip(values) {
            let mirrored = A.get(j as usize, i);
            let scale = A.get(i, i).abs().max(value.abs());
            assert!((value - mirrored).abs() <= 1e-12 * scale, "{name} ({i}, {j}): {value}, {mirrored}");
        }
    }
}

#[test]
fn the_stiffness_is_symmetric_and_the_derivative_of_the_force() {
    for (name, body) in bodies() {
        let (u, d, e) = (noise(body.size(), 0.01), noise(body.size(), 1.0), noise(body.size() + 7, 1.0));
        let K = body.stiffness_csr(&u).expect("an admissible state");
        assert_eq!((K.size(), K.columns.len()), (body.size(), K.values.len()), "{name}");
        assert_symmetric(name, &K);
        let mut K_d = vec![0.0; body.size()];
        K.apply(&d, &mut K_d);
        let e = &e[7..];
        let along = |t: f64| {
            let moved: Vec<f64> = u.iter().zip(&d).map(|(u, d)| u + 0.01 * t * d).collect();
            let mut f = vec![0.0; body.size()];
            body.force(&moved, &mut f).expect("an admissible state");
            par::dot(&f, e)
        };
        assert_derivative(name, along, 0.01 * par::dot(&K_d, e));
    }
}

#[test]
fn rows_of_the_mass_add_up_to_the_body_along_each_axis() {
    for (name, body) in bodies() {
        let M = body.mass_csr();
        assert_eq!(M.size(), body.size(), "{name}");
        assert_symmetric(name, &M);
        for axis in 0..3 {
            let mut one = vec![0.0; body.size()];
            one.iter_mut().skip(axis).step_by(3).for_each(|x| *x = 1.0);
            let mut rows = vec![0.0; body.size()];
            M.apply(&one, &mut rows);
            let total: f64 = rows.iter().sum();
            assert!((total / body.total_mass() - 1.0).abs() < 1e-12, "{name}, axis {axis}: {total} kg");
            for (i, row) in rows.iter().enumerate() {
                let wanted = if i % 3 == axis { body.vertex_masses()[i / 3] } else { 0.0 };
                assert!((row - wanted).abs() <= 1e-12 * body.total_mass(), "{name}: row {i} is {row}");
            }
        }
    }
}
