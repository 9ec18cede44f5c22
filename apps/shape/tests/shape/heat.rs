//! Heat against the sphere, and beside vibration where a surface is bent.

use pliant_linalg::ignore_progress;
use pliant_mesh::shapes;
use pliant_shape::{Kind, Spectrum, Times};

use crate::shells::{folded, modes, potato, sphere};

#[test]
fn the_heat_trace_of_a_sphere_is_met_in_second_order() {
    let t = 0.4;
    let exact: f64 = (0..40).map(|l| f64::from(2 * l + 1) * (-f64::from(l * (l + 1)) * t).exp()).sum();
    let error = |cuts: usize| (modes(Kind::Heat, &sphere(cuts), 60).l1(t) - exact).abs();
    let errors = [3, 4, 5].map(error);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.15, "order {order}: {errors:?}");
    }
    // S itself is the trace over the area, everywhere.
    let spectrum = modes(Kind::Heat, &sphere(4), 60);
    let even = exact / (4.0 * std::f64::consts::PI);
    let signature = spectrum.signature(&[t]);
    assert!(signature.at_time(0).iter().all(|s| (s / even - 1.0).abs() < 0.01));
}

#[test]
fn a_fold_is_seen_by_vibration_and_not_by_heat() {
    let [flat, bent] = [0.0, 80.0].map(|degrees| folded(16, degrees));
    let signatures = |kind: Kind| {
        let spectra = [&flat, &bent].map(|mesh| modes(kind, mesh, 40));
        let times = Times::Usual.of(&spectra[0]).expect("times");
        spectra.map(|spectrum| spectrum.signature(&times))
    };
    let [flat_heat, bent_heat] = signatures(Kind::Heat);
    let [flat_own, bent_own] = signatures(Kind::Vibration);
    let mut most: f64 = 0.0;
    for i in 0..flat_heat.times.len() {
        let pairs = flat_heat.at_time(i).iter().zip(bent_heat.at_time(i));
        assert!(pairs.into_iter().all(|(a, b)| (a / b - 1.0).abs() < 1e-10), "an isometry");
        let pairs = flat_own.at_time(i).iter().zip(bent_own.at_time(i));
        most = pairs.fold(most, |most, (a, b)| most.max((a / b - 1.0).abs()));
    }
    assert!(most > 0.2, "{most}");
}

#[test]
fn solids_and_parts() {
    let solid = shapes::ball(1.0, 3).into_data();
    let error = Spectrum::heat(&solid, 5, true, &mut ignore_progress).expect_err("a solid").to_string();
    assert!(error.contains("take its boundary"), "{error}");
    // Two parts: two constants, and every eigenvalue twice.
    let one = potato(5);
    let mut two = one.clone();
    let n = one.vertices.len() as u32;
    two.vertices.extend(one.vertices.iter().map(|x| x + pliant_linalg::Vec3::x() * 3.0));
    if let pliant_mesh::Elements::Faces(faces) = &mut two.elements {
        let more: Vec<Vec<u32>> = faces.iter().map(|f| f.iter().map(|v| v + n).collect()).collect();
        more.iter().for_each(|f| faces.push(f));
    }
    let [single, double] = [modes(Kind::Heat, &one, 5), modes(Kind::Heat, &two, 10)];
    assert_eq!((single.rigid_modes, double.rigid_modes), (1, 2));
    for (k, x) in double.eigenvalues.iter().enumerate() {
        assert!((x / single.eigenvalues[k / 2] - 1.0).abs() < 1e-9, "{k}");
    }
    let [single, double] = [single, double].map(|s| s.signature(&[0.1]));
    let twin = double.at_time(0)[n as usize + 7] / single.at_time(0)[7];
    assert!((twin - 1.0).abs() < 1e-9, "{twin}");
    let error = Spectrum::heat(&one, 5000, true, &mut ignore_progress).expect_err("too many").to_string();
    assert!(error.contains("5000 modes were asked for"), "{error}");
}
