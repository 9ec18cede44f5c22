//! What every material of the table must be: run over all of them.

use pliant_linalg::Vec3;
use pliant_testkit::derivative::assert_derivative;
use proptest::prelude::*;

use super::*;

fn each(mut check: impl FnMut(&'static str, &dyn Material)) {
    let isotropic = Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants");
    toy::add();
    for entry in &ALL {
        check(entry.name, usual(entry, isotropic).as_ref());
    }
}

/// Made with its usual constants.
fn usual(entry: &Entry, isotropic: Isotropic) -> Box<dyn Material> {
    let own = match entry.small_strain {
        // They take the place of what is given here.
        Some(_) => Own::default(),
        None => entry.constants.iter().map(|c| (c.key, c.usual_at(isotropic.young()))).collect(),
    };
    (entry.make)(&Constants { isotropic, own }).expect("usual constants are sound")
}

#[test]
fn usual_constants_are_allowed_and_their_keys_are_words() {
    toy::add();
    let solids = ALL.iter().map(|e| (e.name, e.constants));
    for (law, constants) in solids.chain(crate::shell::ALL.iter().map(|e| (e.name, e.constants))) {
        for (k, constant) in constants.iter().enumerate() {
            constant.check(constant.usual).unwrap_or_else(|error| panic!("{law}: {error}"));
            let word =
                |key: &str| key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            assert!(
                word(constant.key) && !constant.key.is_empty() && !constant.name.is_empty(),
                "{law}: {constant:?}"
            );
            assert!(constants[..k].iter().all(|other| other.key != constant.key), "{law}: {}", constant.key);
            assert!(
                !["young", "poisson", "density", "bend", "membrane", "area_density"].contains(&constant.key)
            );
        }
    }
}

#[test]
fn a_material_knows_its_name() {
    each(|name, material| assert_eq!(material.name(), name));
}

/// H of F: laws are given that.
fn away(F: &Mat3) -> Mat3 {
    F - Mat3::identity()
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

proptest! {
    // No stretch comes near ½, where a law has a kink: those have tests of their own below.
    #[test]
    fn stress_is_the_derivative_of_energy(H in mat3(0.15), R in rotation(), d in mat3(1.0)) {
        let F = R * (Mat3::identity() + H);
        each(|name, m| {
            assert_derivative(name, |t| m.energy_density(&away(&(F + d * t))), m.stress(&away(&F)).dot(&d));
        });
    }

    #[test]
    fn stiffness_is_the_derivative_of_stress(H in mat3(0.15), R in rotation(), d in mat3(1.0), e in mat3(1.0)) {
        let F = R * (Mat3::identity() + H);
        each(|name, m| {
            let exact = product(&m.stiffness(&away(&F)), &d).dot(&e);
            assert_derivative(name, |t| m.stress(&away(&(F + d * t))).dot(&e), exact);
        });
    }

    #[test]
    fn a_change_of_stress_is_the_stiffness_times_the_change(
        H in proptest::collection::vec(prop_oneof![mat3(0.3), inverted().prop_map(|F| away(&F))], 1..20),
        dH in mat3(1.0),
    ) {
        each(|name, m| {
            let H: Vec<Mat3> = H.iter().filter(|H| m.admits(H)).copied().collect();
            let dH: Vec<Mat3> = (0..H.len()).map(|k| dH * (1.0 + k as f64)).collect();
            let (mut P, mut dP) = (vec![Mat3::zeros(); H.len()], vec![Mat3::zeros(); H.len()]);
            let mut alone = P.clone();
            m.stresses_along(&H, &dH, &mut P, &mut dP);
            m.stresses(&H, &mut alone);
            assert_eq!(P, alone, "{name}");
            for k in 0..H.len() {
                let C = m.stiffness(&H[k]);
                let (wanted, size) = (product(&C, &dH[k]), distance(&C, &[[0.0; 9]; 9]) * dH[k].norm());
                let off = (dP[k] - wanted).norm();
                assert!(off <= 1e-12 * size, "{name}: off by {off:e} of {size:e}");
            }
        });
    }

    #[test]
    fn the_third_derivative_at_rest_is_that_of_the_stiffness(a in mat3(1.0), b in mat3(1.0), e in mat3(1.0)) {
        each(|name, m| {
            let exact = m.third_at_rest(&a, &b).dot(&e);
            let along = |t: f64| product(&m.stiffness(&(a * t)), &b).dot(&e);
            assert_derivative(name, along, exact);
        });
    }

    #[test]
    fn stiffness_is_symmetric(H in mat3(0.3)) {
        let F = Mat3::identity() + H;
        each(|name, m| {
            let C = m.stiffness(&away(&F));
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
            let (a, b) = (m.energy_density(&away(&F)), m.energy_density(&away(&(R * F))));
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{name}: {a} vs {b}");
            let (p, q) = (R * m.stress(&away(&F)), m.stress(&away(&(R * F))));
            assert!((p - q).norm() <= 1e-10 * p.norm().max(1.0), "{name}: stress");
        });
    }

    #[test]
    fn an_isotropic_law_does_not_notice_a_rotated_rest_shape(H in mat3(0.3), R in rotation()) {
        let F = Mat3::identity() + H;
        each(|name, m| {
            let G = R * F * R.transpose();
            let (a, b) = (m.energy_density(&away(&F)), m.energy_density(&away(&G)));
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{name}: {a} vs {b}");
        });
    }

    #[test]
    fn several_at_once_are_the_same_as_one_by_one(H in proptest::collection::vec(mat3(0.3), 1..11)) {
        each(|name, m| {
            let (mut psi, mut P) = (vec![0.0; H.len()], vec![Mat3::zeros(); H.len()]);
            let mut C = vec![[[0.0; 9]; 9]; H.len()];
            m.energy_densities(&H, &mut psi);
            m.stresses(&H, &mut P);
            m.stiffnesses(&H, &mut C);
            for (k, H) in H.iter().enumerate() {
                assert_eq!(psi[k].to_bits(), m.energy_density(H).to_bits(), "{name}");
                assert_eq!(P[k], m.stress(H), "{name}");
                assert_eq!(C[k], m.stiffness(H), "{name}");
            }
        });
    }
}

#[test]
fn rest_is_rest_and_small_strains_follow_hooke() {
    let identity = Mat3::identity();
    let probe = Mat3::new(0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.6, 0.2, -0.1);
    each(|name, m| {
        assert!(m.energy_density(&Mat3::zeros()).abs() < 1e-15, "{name}: energy at rest");
        assert!(m.stress(&Mat3::zeros()).norm() < 1e-14, "{name}: stress at rest");
        let law = m.small_strain();
        let strain = (probe + probe.transpose()) * 0.5;
        let hooke = strain * (2.0 * law.mu()) + identity * (law.lambda() * strain.trace());
        let tangent = product(&m.stiffness(&Mat3::zeros()), &probe);
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

/// The laws that are defined everywhere.
const SURVIVORS: [&str; 7] =
    ["linear", "corotational", "stvk", "invertible-stvk", "stable-neo-hookean", "projective", "toy"];

/// Turned inside out, and far enough from the kinks of the laws that have some: where the closest rotation is not unique
/// (s₂ + s₃ = 0), and where the strain of `invertible-stvk` becomes a straight line (½).
fn inverted() -> impl Strategy<Value = Mat3> {
    (rotation(), rotation(), 1.0..1.6_f64, 0.6..0.9_f64, -0.4..-0.05_f64)
        .prop_map(|(U, V, x, y, z)| U * Mat3::from_diagonal(&Vec3::new(x, y, z)) * V.transpose())
}

proptest! {
    #[test]
    fn survivors_go_through_inversion(F in inverted(), d in mat3(1.0), e in mat3(1.0)) {
        // Steps up to 0.01 |d|: short of the kinks.
        let (d, e) = (d * 0.3, e * 0.3);
        each(|name, m| {
            assert_eq!(m.admits(&away(&F)), SURVIVORS.contains(&name), "{name}");
            if !m.admits(&away(&F)) {
                return;
            }
            let psi = m.energy_density(&away(&F));
            assert!(psi.is_finite() && psi > 0.0, "{name}: {psi}");
            assert_derivative(name, |t| m.energy_density(&away(&(F + d * t))), m.stress(&away(&F)).dot(&d));
            let exact = product(&m.stiffness(&away(&F)), &d).dot(&e);
            assert_derivative(name, |t| m.stress(&away(&(F + d * t))).dot(&e), exact);
        });
    }

    #[test]
    fn squashed_below_the_threshold_stress_is_still_the_derivative(
        U in rotation(), V in rotation(), x in 0.55..1.5_f64, y in 0.2..0.45_f64, z in 0.05..0.15_f64, d in mat3(0.3),
    ) {
        let F = U * Mat3::from_diagonal(&Vec3::new(x, y, z)) * V.transpose();
        each(|name, m| {
            // The others grow without bound here: a step of a hundredth is not small for them.
            if SURVIVORS.contains(&name) {
                assert_derivative(name, |t| m.energy_density(&away(&(F + d * t))), m.stress(&away(&F)).dot(&d));
                let exact = product(&m.stiffness(&away(&F)), &d).dot(&d);
                assert_derivative(name, |t| m.stress(&away(&(F + d * t))).dot(&d), exact);
            }
        });
    }

    #[test]
    fn equal_stretches_are_no_special_case(U in rotation(), V in rotation(), s in 0.3..1.5_f64, d in mat3(0.3)) {
        // Two and three equal ones; 0.02 away from the threshold, where the stiffness of `invertible-stvk` jumps.
        prop_assume!((s - 0.5).abs() > 0.02);
        for third in [s, 1.7] {
            let F = U * Mat3::from_diagonal(&Vec3::new(s, s, third)) * V.transpose();
            each(|name, m| {
                let exact = product(&m.stiffness(&away(&F)), &d).dot(&d);
                assert_derivative(name, |t| m.stress(&away(&(F + d * t))).dot(&d), exact);
            });
        }
    }

    #[test]
    fn a_positive_stiffness_is_the_closest_one(F in prop_oneof![inverted(), mat3(1.2), mat3(0.3).prop_map(|H| Mat3::identity() + H)]) {
        each(|name, m| {
            if !m.admits(&away(&F)) || F.determinant().abs() < 1e-2 {
                return;
            }
            let exact = m.stiffness(&away(&F));
            let size = exact.as_flattened().iter().fold(1.0_f64, |s, x| s.max(x.abs()));
            let (mut positive, mut reference) = ([[[0.0; 9]; 9]], exact);
            m.positive_stiffnesses(&[away(&F)], &mut positive);
            pliant_linalg::small::project_positive9(&mut reference);
            assert!(distance(&positive[0], &reference) < 1e-11 * size, "{name}: the 9×9 eigenproblem says otherwise");
            let least = least_eigenvalue(&positive[0], size);
            assert!(least > -1e-12 * size, "{name}: {least}");
            if name != "linear" {
                let mut again = exact;
                make_positive(&mut again, &F);
                assert!(distance(&again, &positive[0]) < 1e-11 * size, "{name}: two ways differ");
            }
        });
    }
}

fn distance(A: &Stiffness9, B: &Stiffness9) -> f64 {
    A.as_flattened().iter().zip(B.as_flattened()).fold(0.0, |d, (a, b)| d.max((a - b).abs()))
}

/// A lower bound of the smallest eigenvalue: −δ where δ is the least shift, of a ladder, with which A + δI has a Cholesky
/// factor.
fn least_eigenvalue(A: &Stiffness9, size: f64) -> f64 {
    let definite = |shift: f64| {
        let mut L = *A;
        (0..9).all(|j| {
            let pivot = L[j][j] + shift - (0..j).map(|k| L[j][k] * L[j][k]).sum::<f64>();
            if pivot <= 0.0 {
                return false;
            }
            L[j][j] = pivot.sqrt();
            for i in j + 1..9 {
                L[i][j] = (L[i][j] - (0..j).map(|k| L[i][k] * L[j][k]).sum::<f64>()) / L[j][j];
            }
            true
        })
    };
    [0.0, 1e-14, 1e-13, 5e-13, 1e-11, 1e-9, 1e-6]
        .map(|d| d * size)
        .into_iter()
        .find(|&d| definite(d))
        .map_or(-size, |d| -d)
}

#[test]
fn a_positive_definite_stiffness_keeps_its_bits() {
    // Stretched in all directions: laws with weak volume terms do not give way.
    let F = Mat3::new(1.2, 0.02, 0.0, 0.01, 1.3, -0.03, 0.02, 0.0, 1.25);
    let mut definite = Vec::new();
    each(|name, m| {
        let exact = m.stiffness(&away(&F));
        if m.is_frame_indifferent() && least_eigenvalue(&exact, 1.0) == 0.0 {
            let mut positive = exact;
            make_positive(&mut positive, &F);
            assert_eq!(exact, positive, "{name}");
            definite.push(name);
        }
    });
    assert!(["corotational", "stvk", "invertible-stvk"].iter().all(|n| definite.contains(n)), "{definite:?}");
}

#[test]
fn mooney_rivlin_with_its_own_coefficients() {
    let own: Own = [("mu10", 0.7), ("mu01", 0.2), ("v1", 3.0)].into_iter().collect();
    let entry = find("mooney-rivlin").expect("in the table");
    let isotropic =
        entry.small_strain.expect("constants in the place of E and ν")(&own).expect("sound constants");
    // μ = 2(μ₁₀ + μ₀₁), λ + 2μ/3 = 2v₁.
    assert!((isotropic.mu() - 1.8).abs() < 1e-14 && (isotropic.lambda() - 4.8).abs() < 1e-14);
    let m = (entry.make)(&Constants { isotropic, own }).expect("sound constants");
    // diag(2, 1, 1): I₁ = 6, I₂ = 9, J = 2.
    let p = 2_f64.powf(-2.0 / 3.0);
    let expected = 0.7 * (6.0 * p - 3.0) + 0.2 * (9.0 * p * p - 3.0) + 3.0;
    assert!(
        (m.energy_density(&away(&Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 1.0)))) - expected).abs() < 1e-14
    );
    let (a, b, e) = (
        Mat3::new(0.1, 0.5, -0.3, 0.2, 0.4, 0.6, -0.7, 0.1, 0.2),
        Mat3::repeat(0.3),
        Mat3::new(0.3, 0.1, 0.0, -0.2, 0.5, 0.4, 0.1, 0.9, -0.6),
    );
    let along = |t: f64| product(&m.stiffness(&(a * t)), &b).dot(&e);
    assert_derivative("mooney-rivlin", along, m.third_at_rest(&a, &b).dot(&e));
}

#[test]
fn energies_by_hand() {
    // diag(2, 1, ½) with μ = 1, λ = 2: small numbers that a wrong factor cannot meet.
    let isotropic = Isotropic::from_young_poisson(8.0 / 3.0, 1.0 / 3.0).expect("sound constants");
    assert!((isotropic.mu() - 1.0).abs() < 1e-15 && (isotropic.lambda() - 2.0).abs() < 1e-14);
    let F = Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 0.5));
    let (m, l) = (4.0 / 3.0, 2.0 + 5.0 / 6.0);
    let a = 1.0 + 3.0 * m / (4.0 * l);
    let stable = |I: f64, J: f64| 0.5 * m * (I - 3.0) + 0.5 * l * (J - a).powi(2) - 0.5 * m * (I + 1.0).ln();
    let expected = [
        ("linear", 1.25 + 0.25),
        ("corotational", 1.25 + 0.25),
        ("stvk", 2.25 + 0.140_625 + 1.125 * 1.125),
        ("invertible-stvk", 2.25 + 0.140_625 + 1.125 * 1.125),
        ("neo-hookean", 0.5 * 2.25),
        ("stable-neo-hookean", stable(5.25, 1.0) - stable(3.0, 1.0)),
        ("mooney-rivlin", 0.25 * 2.25 + 0.25 * 2.25),
        ("projective", 1.25),
    ];
    assert_eq!(ALL.names()[..expected.len()], expected.map(|(name, _)| name), "the order of the table");
    for (entry, (name, expected)) in ALL.iter().zip(expected) {
        let psi = usual(entry, isotropic).energy_density(&away(&F));
        assert!((psi - expected).abs() < 1e-13, "{name}: {psi}, by hand {expected}");
    }
}
