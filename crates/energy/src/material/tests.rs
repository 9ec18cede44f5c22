//! What every material of the table must be: run over all of them.

use pliant_linalg::Vec3;
use pliant_testkit::derivative::assert_derivative;
use proptest::prelude::*;

use super::*;

fn each(mut check: impl FnMut(&'static str, &dyn Material)) {
    let isotropic = Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants");
    for entry in ALL {
        check(entry.name, (entry.make)(&Constants { isotropic, mooney: None }).as_ref());
    }
}

fn mat3(size: f64) -> impl Strategy<Value = Mat3> {
    proptest::array::uniform9(-size..size).prop_map(|a| Mat3::from_row_slice(&a))
}

fn rotation() -> impl Strategy<Value = Mat3> {
    (proptest::array::uniform3(-1.0..1.0_f64), 0.0..6.3_f64).prop_filter_map("an axis", |(axis, angle)| {
        let axis = Vec3::from(axis);
        (axis.norm() > 0.1).then(|| pliant_linalg::small::rotation(&axis, angle))
    })
}

fn as_matrix(C: &Stiffness9, d: &Mat3) -> Mat3 {
    Mat3::from_fn(|r, c| (0..9).map(|k| C[3 * r + c][k] * d[(k / 3, k % 3)]).sum())
}

proptest! {
    #[test]
    fn stress_is_the_derivative_of_energy(H in mat3(0.25), R in rotation(), d in mat3(1.0)) {
        let F = R * (Mat3::identity() + H);
        each(|name, m| {
            assert_derivative(name, |t| m.energy_density(&(F + d * t)), m.stress(&F).dot(&d));
        });
    }

    #[test]
    fn stiffness_is_the_derivative_of_stress(H in mat3(0.25), R in rotation(), d in mat3(1.0), e in mat3(1.0)) {
        let F = R * (Mat3::identity() + H);
        each(|name, m| {
            let exact = as_matrix(&m.stiffness(&F), &d).dot(&e);
            assert_derivative(name, |t| m.stress(&(F + d * t)).dot(&e), exact);
        });
    }

    #[test]
    fn the_third_derivative_at_rest_is_that_of_the_stiffness(a in mat3(1.0), b in mat3(1.0), e in mat3(1.0)) {
        each(|name, m| {
            let exact = m.third_at_rest(&a, &b).dot(&e);
            let along = |t: f64| as_matrix(&m.stiffness(&(Mat3::identity() + a * t)), &b).dot(&e);
            assert_derivative(name, along, exact);
        });
    }

    #[test]
    fn stiffness_is_symmetric(H in mat3(0.3)) {
        let F = Mat3::identity() + H;
        each(|name, m| {
            let C = m.stiffness(&F);
            for p in 0..9 {
                for q in 0..9 {
                    assert!((C[p][q] - C[q][p]).abs() < 1e-12, "{name}: {p}, {q}");
                }
            }
        });
    }

    #[test]
    fn rotating_the_world_costs_nothing(H in mat3(0.3), R in rotation()) {
        let F = Mat3::identity() + H;
        each(|name, m| {
            if !m.is_frame_indifferent() {
                return;
            }
            let (a, b) = (m.energy_density(&F), m.energy_density(&(R * F)));
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{name}: {a} vs {b}");
            let (p, q) = (R * m.stress(&F), m.stress(&(R * F)));
            assert!((p - q).norm() <= 1e-10 * p.norm().max(1.0), "{name}: stress");
        });
    }

    #[test]
    fn an_isotropic_law_does_not_notice_a_rotated_rest_shape(H in mat3(0.3), R in rotation()) {
        let F = Mat3::identity() + H;
        each(|name, m| {
            let G = R * F * R.transpose();
            let (a, b) = (m.energy_density(&F), m.energy_density(&G));
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{name}: {a} vs {b}");
        });
    }

    #[test]
    fn several_at_once_are_the_same_as_one_by_one(H in proptest::collection::vec(mat3(0.3), 1..11)) {
        let F: Vec<Mat3> = H.iter().map(|H| Mat3::identity() + H).collect();
        each(|name, m| {
            let (mut psi, mut P) = (vec![0.0; F.len()], vec![Mat3::zeros(); F.len()]);
            let mut C = vec![[[0.0; 9]; 9]; F.len()];
            m.energy_densities(&F, &mut psi);
            m.stresses(&F, &mut P);
            m.stiffnesses(&F, &mut C);
            for (k, F) in F.iter().enumerate() {
                assert_eq!(psi[k].to_bits(), m.energy_density(F).to_bits(), "{name}");
                assert_eq!(P[k], m.stress(F), "{name}");
                assert_eq!(C[k], m.stiffness(F), "{name}");
            }
        });
    }
}

#[test]
fn rest_is_rest_and_small_strains_follow_hooke() {
    let identity = Mat3::identity();
    let probe = Mat3::new(0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.6, 0.2, -0.1);
    each(|name, m| {
        assert!(m.energy_density(&identity).abs() < 1e-15, "{name}: energy at rest");
        assert!(m.stress(&identity).norm() < 1e-14, "{name}: stress at rest");
        let law = m.small_strain();
        let strain = (probe + probe.transpose()) * 0.5;
        let hooke = strain * (2.0 * law.mu()) + identity * (law.lambda() * strain.trace());
        let tangent = as_matrix(&m.stiffness(&identity), &probe);
        assert!((hooke - tangent).norm() < 1e-13 * hooke.norm(), "{name}: {hooke} vs {tangent}");
    });
}

#[test]
fn the_small_strain_limit_is_what_was_asked_for() {
    let isotropic = Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants");
    each(|name, m| {
        assert!((m.small_strain().mu() - isotropic.mu()).abs() < 1e-12, "{name}: mu");
        // The projective energy has no volume term of its own.
        let lambda = if name == "projective" { 0.0 } else { isotropic.lambda() };
        assert!((m.small_strain().lambda() - lambda).abs() < 1e-12, "{name}: lambda");
    });
}
