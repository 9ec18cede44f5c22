//! Loads against what physics says of them, and against their own potential.

use pliant_mesh::{MeshData, select};
use pliant_testkit::{derivative::assert_derivative, numbers::noise};

use super::*;
use crate::{MassKind, Recipe};

fn dot(x: &[f64], y: &[f64]) -> f64 {
    par::dot(x, y)
}

fn ball() -> Body {
    let ball = pliant_mesh::shapes::ball(1.0, 3).into_data();
    Recipe { material: Some("stvk".into()), ..Recipe::default() }.build(ball).expect("a body")
}

fn sheet(fixed: &str) -> Body {
    let n = 5;
    let vertices: Vec<Vec3> =
        (0..n * n).map(|k| Vec3::new((k % n) as f64, (k / n) as f64, 0.0) / 4.0).collect();
    let at = |x: usize, y: usize| (x + n * y) as u32;
    let quads = (0..16)
        .map(|k| (k % 4, k / 4))
        .map(|(x, y)| [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
    let quads: Vec<[u32; 4]> = quads.collect();
    let data = MeshData::from_faces(vertices, quads.iter().map(|q| &q[..]).collect());
    let fixed = vec![select::select(&data, fixed).expect("a selection")];
    Recipe { fixed, ..Recipe::default() }.build(data).expect("a body")
}

fn everything() -> Loads {
    let path = vec![(1.0, Vec3::new(0.1, 2.0, 0.0)), (2.0, Vec3::new(0.5, 0.0, 1.0))];
    Loads {
        gravity: Vec3::new(0.3, -9.81, 1.0),
        forces: vec![NodalForce {
            vertices: vec![3, 7, 3],
            value: Vec3::new(1.0, 2.0, -3.0),
            from: 1.0,
            to: 2.0,
        }],
        pressures: vec![Pressure::always(4.0), Pressure { value: -1.5, from: 0.0, to: 1.6 }],
        springs: vec![Spring { from: 1.0, to: 2.0, ..Spring::always(5, 20.0, path) }],
    }
}

/// Force against potential and stiffness against force, along directions that leave the held degrees of freedom alone.
fn check(body: &Body, loads: &Loads, t: f64) {
    loads.check(body).expect("sound loads");
    let free = |mut x: Vec<f64>| {
        body.dofs().hold(&mut x);
        x
    };
    let (u, v, e) = (
        free(noise(body.size(), 0.3, 1)),
        free(noise(body.size(), 1.0, 2)),
        free(noise(body.size(), 1.0, 3)),
    );
    let along = |h: f64| -> Vec<f64> { u.iter().zip(&v).map(|(u, v)| u + h * v).collect() };
    let force = |u: &[f64]| {
        let mut f = vec![0.0; body.size()];
        loads.force(body, t, u, &mut f);
        f
    };
    assert_derivative("force", |h| -loads.potential(body, t, &along(h)), dot(&force(&u), &v));
    let mut stiffness = body.zero_matrix();
    loads.stiffness(body, t, &u, 2.0, &mut stiffness);
    let mut product = vec![0.0; body.size()];
    stiffness.apply(&v, &mut product);
    assert_derivative("stiffness", |h| -2.0 * dot(&force(&along(h)), &e), dot(&product, &e));
}

#[test]
fn force_and_stiffness_are_the_derivatives_of_the_potential() {
    check(&ball(), &everything(), 1.3);
    check(&ball(), &everything(), 5.0);
    // Held along its whole rim: there the force has a potential although the surface is open.
    let rim = "ids:0,1,2,3,4,5,9,10,14,15,19,20,21,22,23,24";
    check(&sheet(rim), &everything(), 1.3);
}

#[test]
fn gravity_weighs_the_body() {
    for mass in [MassKind::Consistent, MassKind::Lumped] {
        let data = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.2, 0.5), [4, 2, 2]).into_data();
        let recipe = Recipe {
            material: Some("stvk".into()),
            density: Some(700.0),
            mass: Some(mass),
            ..Recipe::default()
        };
        let body = recipe.build(data).expect("a body");
        assert!((body.total_mass() - 70.0).abs() < 1e-11);
        let gravity = Vec3::new(0.0, -9.81, 2.0);
        let mut f = vec![0.0; body.size()];
        Loads { gravity, ..Loads::default() }.force(&body, 0.0, &noise(body.size(), 1.0, 4), &mut f);
        let total = f.as_chunks::<3>().0.iter().map(|f| Vec3::from(*f)).sum::<Vec3>();
        assert!((total - gravity * 70.0).norm() < 1e-10, "{total}");
    }
}

#[test]
fn pressure_on_a_closed_body_neither_pushes_nor_turns_it() {
    let body = ball();
    let loads = Loads { pressures: vec![Pressure::always(7.0)], ..Loads::default() };
    let u = noise(body.size(), 0.3, 5);
    let mut f = vec![0.0; body.size()];
    loads.force(&body, 0.0, &u, &mut f);
    let forces = f.as_chunks::<3>().0.iter().map(|f| Vec3::from(*f));
    let (mut push, mut turn, mut size) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (v, f) in (0..).zip(forces) {
        (push, turn, size) = (push + f, turn + place(&body, &u, v).cross(&f), size + f.norm());
    }
    assert!(push.norm() < 1e-13 * size && turn.norm() < 1e-13 * size, "{push} {turn} of {size}");
    // And it squeezes: against the shape at rest it works with −p times three volumes, since x·∂V/∂x = 3V.
    let rest: Vec<f64> = body.rest().iter().flat_map(|x| [x.x, x.y, x.z]).collect();
    loads.force(&body, 0.0, &vec![0.0; body.size()], &mut f);
    let volume = pliant_mesh::measure::enclosed_volume(body.rest(), body.boundary());
    assert!((dot(&f, &rest) + 3.0 * 7.0 * volume).abs() < 1e-11);
    assert!((loads.potential(&body, 0.0, &vec![0.0; body.size()]) - 7.0 * volume).abs() < 1e-12);
}

#[test]
fn pressure_on_an_open_sheet_is_its_area_along_minus_the_normal() {
    let body = sheet("none");
    let mut f = vec![0.0; body.size()];
    Loads { pressures: vec![Pressure::always(3.0)], ..Loads::default() }.force(
        &body,
        0.0,
        &vec![0.0; body.size()],
        &mut f,
    );
    let total = f.as_chunks::<3>().0.iter().map(|f| Vec3::from(*f)).sum::<Vec3>();
    assert!((total - Vec3::new(0.0, 0.0, -3.0)).norm() < 1e-14, "{total}");
}

#[test]
fn forces_act_in_their_time_and_targets_move_along_their_path() {
    let body = sheet("none");
    let loads = Loads { gravity: Vec3::zeros(), pressures: Vec::new(), springs: Vec::new(), ..everything() };
    let at = |t: f64| {
        let mut f = vec![0.0; body.size()];
        loads.force(&body, t, &vec![0.0; body.size()], &mut f);
        (f[9], f[21], f.iter().filter(|f| **f != 0.0).count())
    };
    assert_eq!(
        [0.999, 1.0, 2.0, 2.001].map(at),
        [(0.0, 0.0, 0), (2.0, 1.0, 6), (2.0, 1.0, 6), (0.0, 0.0, 0)]
    );
    // A spring between its times: force, potential and stiffness are nothing before and after.
    let spring = Loads { springs: everything().springs, ..Loads::default() };
    let rest = vec![0.0; body.size()];
    for (t, acts) in [(0.999, false), (1.0, true), (2.0, true), (2.001, false)] {
        let (mut f, mut K) = (vec![1.0; body.size()], body.zero_matrix());
        spring.force(&body, t, &rest, &mut f);
        spring.stiffness(&body, t, &rest, 1.0, &mut K);
        let found = [f[15] != 0.0, spring.potential(&body, t, &rest) > 0.0, K.block(5, 5)[1][1] == 20.0];
        assert_eq!(found, [acts; 3], "t = {t}");
    }
    let target = |t: f64| everything().springs[0].target(t);
    assert_eq!(target(0.0), Vec3::new(0.1, 2.0, 0.0));
    assert_eq!(target(9.0), Vec3::new(0.5, 0.0, 1.0));
    assert!((target(1.25) - Vec3::new(0.2, 1.5, 0.25)).norm() < 1e-15);
}

#[test]
fn loads_that_cannot_act_are_refused_with_a_sentence() {
    let body = sheet("none");
    let nan = Vec3::new(0.0, f64::NAN, 0.0);
    let spring =
        |stiffness, path| Loads { springs: vec![Spring::always(1, stiffness, path)], ..Loads::default() };
    let ended = Spring { from: 2.0, to: 1.0, ..Spring::always(1, 1.0, vec![(0.0, Vec3::x())]) };
    let force = |f| Loads { forces: vec![f], ..Loads::default() };
    for (loads, words) in [
        (Loads { gravity: nan, ..Loads::default() }, "gravity has the number NaN"),
        (force(NodalForce::always(vec![1, 25], Vec3::x())), "force 0 acts on vertex 25, but there are 25"),
        (force(NodalForce::always(vec![1], nan)), "force 0 has the value NaN"),
        (force(NodalForce { from: 2.0, to: 1.0, ..NodalForce::always(vec![1], Vec3::x()) }), "from <= to"),
        (Loads { pressures: vec![Pressure::always(f64::INFINITY)], ..Loads::default() }, "pressure 0 has"),
        (spring(-1.0, vec![(0.0, Vec3::x())]), "the stiffness -1"),
        (spring(1.0, vec![]), "an empty path"),
        (spring(1.0, vec![(0.0, Vec3::x()), (0.0, Vec3::y())]), "each time later"),
        (spring(1.0, vec![(0.0, nan)]), "the coordinate NaN"),
        (Loads { springs: vec![ended], ..Loads::default() }, "spring 0 has from 2 and to 1"),
    ] {
        let sentence = loads.check(&body).expect_err("bad loads").to_string();
        assert!(sentence.contains(words), "{sentence}");
    }
}
