//! A thinned surface beside the fine one.

use pliant_energy::Recipe;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::shapes;
use pliant_shape::{Coarse, Kind, Request, Spectrum, Times};

use crate::shells::{apart, body, potato};

/// Rank correlation of two lists.
pub(crate) fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |x: &[f64]| -> Vec<f64> {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
        let mut ranks = vec![0.0; x.len()];
        order.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank as f64);
        ranks
    };
    let (a, b) = (ranks(a), ranks(b));
    let middle = (a.len() - 1) as f64 / 2.0;
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    sum(&a, &b) / (sum(&a, &a) * sum(&b, &b)).sqrt()
}

#[test]
fn nothing_taken_away_is_the_fine_surface_itself() {
    let mesh = potato(6);
    let (recipe, body) = (Recipe::default(), body(&mesh));
    let same = Coarse::new(&mesh, &recipe, &body, mesh.vertices.len(), &mut ignore_progress).expect("coarse");
    let own = Spectrum::vibration(&body, 20, false, &mut ignore_progress).expect("modes");
    let thin = same.vibration(20, false, &mut ignore_progress).expect("modes");
    assert!(apart(&own.eigenvalues, &thin.eigenvalues) < 1e-9);
    let times = Times::Usual.of(&own).expect("times");
    let carried = same.carry(&thin.signature(&times));
    assert!(apart(own.signature(&times).at_time(50), carried.at_time(50)) < 1e-6);
}

#[test]
fn distances_of_a_thinned_surface_are_nearly_those_of_the_fine_one() {
    // Long and bent, so that no two modes are nearly as fast: where they are, as on a ball, thinning mixes them.
    let mut mesh = shapes::bar(Vec3::new(1.0, 0.12, 0.07), [60, 8, 5]).boundary().into_data();
    mesh.vertices.iter_mut().for_each(|x| *x += Vec3::new(0.0, 0.4, 0.1) * x.x * x.x);
    let (recipe, body) = (Recipe::default(), body(&mesh));
    let coarse = Coarse::new(&mesh, &recipe, &body, 800, &mut ignore_progress).expect("coarse");
    assert_eq!(coarse.mesh.vertices.len(), 800);
    let own = Spectrum::vibration(&body, 60, false, &mut ignore_progress).expect("modes");
    let thin = coarse.vibration(60, false, &mut ignore_progress).expect("modes");
    let times = Times::Relative { from: 0.05, to: 9.0, count: 41 };
    let fine = own.signature(&times.of(&own).expect("times"));
    let carried = coarse.carry(&thin.signature(&times.of(&thin).expect("times")));
    let mut sum = 0.0;
    for v in (0..1000).step_by(100) {
        let [a, b] = [&fine, &carried].map(|s| s.distance(&[v]).expect("a distance"));
        sum += rank_correlation(&a, &b) / 10.0;
    }
    assert!(sum > 0.9, "{sum}");
    let request = Request { coarse: Some(800), check: true, modes: Some(60), times, ..Request::default() };
    let found = request.run(&mesh, &recipe, &body, &mut ignore_progress).expect("a signature");
    let check = found.check.expect("checked");
    assert!(check.vertices.len() == 10 && check.mean < 0.2 && check.mean > 1e-6, "{check:?}");
    assert_eq!(found.request.kind, Kind::Vibration);
}
