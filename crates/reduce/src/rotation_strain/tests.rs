//! What warping promises: identities that hold for any mesh, to rounding.

use std::f64::consts::PI;

use pliant_energy::{Body, Recipe, Tangent};
use pliant_linalg::{Cholesky, Mat3, Vec3, small};
use pliant_mesh::{MeshData, select, shapes};
use pliant_testkit::{numbers::noise, order};

use super::element::{elements, rotation, spin};
use super::*;

pub(crate) fn bar() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.3, 0.2), [6, 2, 2]).into_data()
}

fn ball() -> MeshData {
    shapes::ball(0.4, 3).boundary().into_data()
}

/// A flat sheet, askew in space.
fn sheet() -> (MeshData, Mat3) {
    let turn = small::rotation(&Vec3::new(0.3, -1.0, 0.4), 0.8);
    let at =
        |i: usize, j: usize| turn * Vec3::new(0.2 * i as f64, 0.1 * j as f64 + 0.01 * (i * j) as f64, 0.0);
    let vertices = (0..35).map(|k| at(k % 5, k / 5)).collect();
    let cells = (0..24_u32).map(|k| k % 4 + 5 * (k / 4));
    let faces: Vec<Vec<u32>> =
        cells.flat_map(|v| [vec![v, v + 1, v + 5], vec![v + 1, v + 6, v + 5]]).collect();
    (MeshData::from_faces(vertices, faces.iter().map(Vec::as_slice).collect()), turn)
}

pub(crate) fn body(mesh: &MeshData, fix: &[&str]) -> Body {
    let fixed = fix.iter().map(|fix| select::select(mesh, fix).expect("a selection")).collect();
    Recipe { fixed, ..Recipe::default() }.build(mesh.clone()).expect("a body")
}

pub(crate) fn field(mesh: &MeshData, at: impl Fn(&Vec3) -> Vec3) -> Vec<f64> {
    mesh.vertices.iter().flat_map(|x| <[f64; 3]>::from(at(x))).collect()
}

pub(crate) fn warped(body: &Body, u: &[f64]) -> Vec<f64> {
    let warp = Warp::new(body).expect("a warp");
    warp.check(u).expect("a displacement of this body");
    let mut out = vec![0.0; u.len()];
    warp.apply(u, &mut out);
    out
}

#[track_caller]
fn same(what: &str, found: &[f64], wanted: &[f64]) {
    let size = wanted.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let off = found.iter().zip(wanted).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-10 * size, "{what}: off by {off:e} of {size:e}");
}

/// Σ m x / Σ m.
pub(crate) fn middle(body: &Body, x: &[f64]) -> Vec3 {
    let all = x.as_chunks::<3>().0.iter().zip(body.vertex_masses());
    all.map(|(x, m)| Vec3::from(*x) * *m).sum::<Vec3>() / body.total_mass()
}

#[test]
fn a_linearised_rotation_of_any_angle_becomes_the_exact_one() {
    for (name, mesh) in [("bar", bar()), ("ball", ball()), ("sheet", sheet().0)] {
        let body = body(&mesh, &[]);
        let about = Vec3::new(0.1, -0.3, 0.2);
        for angle in [1e-9, 0.3, 0.5 * PI, 3.0, 5.0 * PI] {
            let w = Vec3::new(0.4, 0.7, -0.5).normalize() * angle;
            let u = field(&mesh, |x| w.cross(&(x - about)));
            // A free body keeps its centre of mass, which u has moved.
            let (turn, centre) = (rotation(&w), middle(&body, &field(&mesh, |x| *x)));
            let moved = w.cross(&(centre - about));
            let exact = field(&mesh, |x| turn * (x - centre) + centre - x + moved);
            same(&format!("{name} by {angle}"), &warped(&body, &u), &exact);
        }
    }
}

#[test]
fn what_turns_about_a_fixed_axis_stays_on_it() {
    // Of the bar an edge along z is fixed, of the sheet its first row, of the ball a single vertex.
    let (sheet, turn) = sheet();
    for (mesh, fix, axis, through) in [
        (bar(), "ids:0,21,42", Vec3::z(), bar().vertices[0]),
        (sheet, "ids:0,1,2,3,4", turn * Vec3::x(), Vec3::zeros()),
        (ball(), "ids:7", Vec3::new(0.2, 0.9, 0.4).normalize(), ball().vertices[7]),
    ] {
        let body = body(&mesh, &[fix]);
        for angle in [0.7, PI, 5.0 * PI] {
            let w = axis * angle;
            let mut u = field(&mesh, |x| w.cross(&(x - through)));
            u.iter_mut().enumerate().for_each(|(i, u)| {
                if body.dofs().is_held(i) {
                    assert!(u.abs() < 1e-12, "{fix}: vertex {} is off the axis by {u:e}", i / 3);
                    *u = 0.0;
                }
            });
            let exact = field(&mesh, |x| rotation(&w) * (x - through) + through - x);
            same(&format!("{fix} by {angle}"), &warped(&body, &u), &exact);
        }
    }
}

#[test]
fn a_uniform_strain_becomes_itself() {
    let strain = Mat3::new(0.4, 0.2, -0.1, 0.2, -0.3, 0.15, -0.1, 0.15, 0.6);
    let free = body(&bar(), &[]);
    let u = field(&bar(), |x| strain * x);
    same("a bar", &warped(&free, &u), &u);
    // Fixed at one end, stretched along.
    let held = body(&bar(), &["x<0%"]);
    let first = bar().vertices.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
    let u = field(&bar(), |x| Vec3::new(0.7 * (x.x - first), 0.0, 0.0));
    same("a fixed bar", &warped(&held, &u), &u);
    // Of surfaces: in the plane of a sheet, and a change of size.
    let (sheet, turn) = sheet();
    let plane = Mat3::new(0.4, 0.2, 0.0, 0.2, -0.3, 0.0, 0.0, 0.0, 0.0);
    for (name, mesh, strain) in
        [("a sheet", sheet, turn * plane * turn.transpose()), ("a ball", ball(), Mat3::identity() * 0.4)]
    {
        let u = field(&mesh, |x| strain * x);
        same(name, &warped(&body(&mesh, &[]), &u), &u);
    }
    // A sheet that is fixed along its first column, stretched away from it.
    let (sheet, turn) = self::sheet();
    let held = body(&sheet, &["ids:0,5,10,15,20,25,30"]);
    let along = turn * Vec3::x();
    let mut u = field(&sheet, |x| along * (0.7 * along.dot(x)));
    // But for rounding.
    held.dofs().hold(&mut u);
    same("a fixed sheet", &warped(&held, &u), &u);
}

#[test]
fn small_motions_stay_what_they_are() {
    for (mesh, fix) in [(bar(), "x<0%"), (bar(), "none"), (ball(), "y<20%"), (sheet().0, "ids:0,1,2")] {
        let body = body(&mesh, &[fix]);
        let mut u = noise(body.size(), 0.05, 3);
        body.dofs().hold(&mut u);
        let beyond = |h: f64| {
            let small: Vec<f64> = u.iter().map(|u| h * u).collect();
            let out = warped(&body, &small);
            out.iter().zip(&small).map(|(w, u)| (w - u).powi(2)).sum::<f64>().sqrt()
        };
        let order = order::observed(&[1e-2, 1e-3, 1e-4], beyond);
        assert!((order - 2.0).abs() < 0.02, "{fix}: order {order}");
    }
}

/// B12 eq. 21, term by term: nothing near the warped shape has less, where what is held stands still.
#[test]
fn it_is_the_minimum_of_the_printed_sum() {
    for (mesh, fix) in [(bar(), "x<0%"), (bar(), "y<0%:yz"), (ball(), "y<20%"), (sheet().0, "ids:0,1:x")] {
        let body = body(&mesh, &[fix]);
        let mut u = noise(body.size(), 0.2, 3);
        body.dofs().hold(&mut u);
        let (p, all) = (warped(&body, &u), elements(&body).expect("sound"));
        let solid = all[0].corners().len() == 4;
        let at = |x: &[f64], v: u32| Vec3::from_column_slice(&x[3 * v as usize..][..3]);
        let sum = |p: &[f64]| -> f64 {
            let term = |e: &super::element::Element| {
                let G = e.gradient(|a| at(&u, e.corners()[a]));
                let strain = 0.5 * (G + G.transpose());
                let aim = rotation(&spin(&G)) * (Mat3::identity() + strain) - Mat3::identity();
                let mut off = e.gradient(|a| at(p, e.corners()[a])) - aim;
                if !solid {
                    // In the plane of the triangle.
                    let [a, b, c] = [0, 1, 2].map(|k| mesh.vertices[e.corners()[k] as usize]);
                    let n = (b - a).cross(&(c - a)).normalize();
                    off -= off * n * n.transpose();
                }
                e.size * off.norm_squared()
            };
            all.iter().map(term).sum()
        };
        let (least, mut steps) = (sum(&p), 0);
        for seed in 1..6 {
            let mut by = noise(body.size(), 1.0, seed);
            body.dofs().hold(&mut by);
            let along = |h: f64| sum(&p.iter().zip(&by).map(|(p, d)| p + h * d).collect::<Vec<_>>());
            // A parabola with its lowest point here.
            let (up, down) = (along(1e-2) - least, along(-1e-2) - least);
            assert!(up > 0.0 && (up - down).abs() < 1e-9 * (up + least), "{fix}: {up:e} and {down:e}");
            steps += 1;
        }
        assert_eq!(steps, 5);
        assert!((0..p.len()).all(|i| !body.dofs().is_held(i) || p[i] == 0.0), "what is held stands still");
    }
}

#[test]
fn each_free_part_keeps_its_centre_of_mass() {
    let one = bar();
    let mut two = one.vertices.clone();
    two.extend(one.vertices.iter().map(|x| x + Vec3::new(0.0, 5.0, 0.0)));
    let pliant_mesh::Elements::Tets(tets) = &one.elements else { panic!("tets") };
    let n = one.vertices.len() as u32;
    let tets = tets.iter().copied().chain(tets.iter().map(|t| t.map(|v| v + n))).collect();
    let both = MeshData::from_tets(two, tets);
    let whole = body(&both, &[]);
    let single = body(&one, &[]);
    let u = noise(whole.size(), 0.2, 5);
    let p = warped(&whole, &u);
    for half in 0..2 {
        let range = half * single.size()..(half + 1) * single.size();
        let (before, after) = (middle(&single, &u[range.clone()]), middle(&single, &p[range.clone()]));
        assert!((before - after).norm() < 1e-14);
        same("a part alone", &p[range.clone()], &warped(&single, &u[range]));
    }
}

/// A bar that a load at its tip bends by its linear shape until the end has turned twice around.
#[test]
fn a_long_bar_that_rolls_up_keeps_its_volume() {
    let mesh = shapes::bar(Vec3::new(2.0, 0.05, 0.05), [80, 2, 2]).into_data();
    let body = body(&mesh, &["x<0%"]);
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("at rest");
    let mut factor = Cholesky::analyse(K.pattern(), body.dofs()).expect("a pattern");
    factor.factorise(&K).expect("held at one end");
    let end = mesh.vertices.iter().map(|x| x.x).fold(f64::NEG_INFINITY, f64::max);
    let mut u = field(&mesh, |x| if x.x > end - 1e-9 { Vec3::y() } else { Vec3::zeros() });
    factor.solve(&mut u);
    let all = elements(&body).expect("sound");
    let at_end =
        |e: &&super::element::Element| e.corners().iter().any(|&v| mesh.vertices[v as usize].x > end - 1e-9);
    let slopes = all
        .iter()
        .filter(at_end)
        .map(|e| spin(&e.gradient(|a| Vec3::from_column_slice(&u[3 * e.corners()[a] as usize..][..3]))).z);
    let slopes: Vec<f64> = slopes.collect();
    let slope = slopes.iter().sum::<f64>() / slopes.len() as f64;
    u.iter_mut().for_each(|u| *u *= 4.0 * PI / slope);
    let warp = Warp::new(&body).expect("a warp");
    let mut p = vec![0.0; u.len()];
    warp.apply(&u, &mut p);
    let (linear, after) = (warp.size_ratio(&u), warp.size_ratio(&p));
    assert!((after - 1.0).abs() < 0.03, "{after} times its volume");
    assert!((70.0..95.0).contains(&linear), "{linear} times its volume, about 80");
    assert!((warp.largest_rotation(&u) / (4.0 * PI) - 1.0).abs() < 0.1);
}

#[test]
fn many_at_once_are_each_alone_and_threads_do_not_matter() {
    for fix in ["x<0%", "y<0%:yz", "none"] {
        let body = body(&bar(), &[fix]);
        let warp = Warp::new(&body).expect("a warp");
        let mut all = noise(3 * body.size(), 0.3, 9);
        all.chunks_exact_mut(body.size()).for_each(|u| body.dofs().hold(u));
        let mut together = vec![0.0; all.len()];
        warp.apply_many(&all, &mut together);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        for (u, p) in all.chunks_exact(body.size()).zip(together.chunks_exact(body.size())) {
            let (mut alone, mut single) = (vec![0.0; u.len()], vec![0.0; u.len()]);
            warp.apply(u, &mut alone);
            pool.install(|| warp.apply(u, &mut single));
            same("alone", &alone, p);
            assert_eq!(alone, single);
        }
    }
}

#[test]
fn what_cannot_be_warped_is_said() {
    let body = body(&bar(), &["x<0%"]);
    let warp = Warp::new(&body).expect("a warp");
    let good = vec![0.0; body.size()];
    let (mut nan, mut moves) = (good.clone(), good.clone());
    nan[4] = f64::NAN;
    moves[0] = 0.1;
    for (u, words) in [
        (&good[3..], "of another mesh?"),
        (&nan, "NaN at vertex 1 along y"),
        (&vec![1e200; good.len()], "at most 1e100 m"),
        (&moves, "vertex 0 is fixed, but the displacement moves it by 0.1 m along x"),
    ] {
        let said = warp.check(u).expect_err("refused").to_string();
        assert!(said.contains(words), "{said:?} has not {words:?}");
    }
}
