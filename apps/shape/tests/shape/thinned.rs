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

/// T14 Figure 6.4 on an armadillo, by 10,000 of its vertices.
#[test]
fn a_toe_is_like_the_feet_and_then_like_the_fingers() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let path = data.join("surfaces/armadillo.obj");
    if !path.is_file() {
        return;
    }
    let mesh = pliant_mesh::io::load(&path).expect("an armadillo").mesh;
    let (recipe, body) = (Recipe::default(), body(&mesh));
    let [low, high] = mesh.bounds();
    let at = |x: &Vec3| (x - low).component_div(&(high - low));
    let toes = (0..).zip(&mesh.vertices).filter(|(_, x)| at(x).x > 0.5 && at(x).y < 0.06);
    let (toe, _) = toes.max_by(|a, b| a.1.z.total_cmp(&b.1.z)).expect("a foot");
    // All is computed once; a second range of times is another distance of the same modes.
    let coarse = Coarse::new(&mesh, &recipe, &body, 10_000, &mut ignore_progress).expect("coarse");
    let modes = coarse.vibration(300, false, &mut ignore_progress).expect("modes");
    let skin = pliant_shape::Skin::of(&body);
    let pieces = |times: Times, share: f64| -> Vec<Vec3> {
        let signature = coarse.carry(&modes.signature(&times.of(&modes).expect("times")));
        let distance = signature.distance(&[toe]).expect("a distance");
        let pieces = skin.regions(&distance, skin.threshold_of(&distance, share));
        let large = pieces.iter().filter(|piece| piece.vertices.len() > 20);
        large.map(|piece| at(&piece.centre)).collect()
    };
    let is_foot = |x: &Vec3| x.y < 0.1;
    let is_hand = |x: &Vec3| x.y > 0.7 && !(0.2..0.8).contains(&x.x);
    let near = pieces(Times::Usual, 0.04);
    assert!(near.iter().all(is_foot), "feet alone: {near:?}");
    assert!(
        [false, true].iter().all(|left| near.iter().any(|x| (x.x < 0.5) == *left)),
        "both feet: {near:?}"
    );
    let more = pieces(Times::Usual, 0.08);
    assert!(more.iter().any(is_hand) && more.iter().all(|x| is_foot(x) || is_hand(x)), "fingers: {more:?}");
    // At small t a place is what is around it: toes, fingers and the tip of the tail.
    let local = pieces(Times::Relative { from: 0.009, to: 0.1, count: 101 }, 0.04);
    let is_tail = |x: &Vec3| (0.2..0.4).contains(&x.y) && x.z < 0.2;
    assert!(local.iter().any(is_foot) && local.iter().any(is_hand) && local.iter().any(is_tail), "{local:?}");
    assert!(local.iter().all(|x| is_foot(x) || is_hand(x) || is_tail(x)), "{local:?}");
}
