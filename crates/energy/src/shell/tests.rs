//! A whole shell: against hand calculation, rigid motion, and real meshes.

use pliant_linalg::small::rotation;
use pliant_mesh::{MeshData, io};
use pliant_testkit::{derivative::assert_derivative, numbers::noise, shared};

use super::*;
use crate::{Body, Recipe};

fn constants(bend: f64, membrane: f64) -> Constants {
    Constants { bend, membrane, own: Own::default() }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    pliant_linalg::par::dot(x, y)
}

/// `columns` × 1 rectangles of `width` × `height`, each of two triangles, along x.
fn strip(columns: usize, width: f64, height: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertices =
        (0..=columns).flat_map(|k| [0.0, height].map(|y| Vec3::new(k as f64 * width, y, 0.0))).collect();
    let triangles =
        (0..columns as u32).flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 1]]);
    (vertices, triangles.collect())
}

fn body(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Body {
    Recipe { bend: Some(1.3), membrane: Some(2.1), ..Recipe::default() }
        .build(MeshData::from_faces(vertices.to_vec(), Faces::from_triangles(triangles)))
        .expect("a body")
}

/// The surface of a ball, and a flat sheet.
fn bodies() -> [(&'static str, Body); 2] {
    let ball = pliant_mesh::shapes::ball(1.0, 3);
    let surface = pliant_mesh::topology::boundary_faces(ball.tets());
    let (vertices, triangles) = strip(5, 0.4, 0.7);
    [("ball", body(ball.vertices(), &surface)), ("sheet", body(&vertices, &triangles))]
}

fn displacement(body: &Body, to: impl Fn(&Vec3) -> Vec3) -> Vec<f64> {
    body.rest().iter().flat_map(|x| <[f64; 3]>::from(to(x) - x)).collect()
}

/// Only one of the two terms of E.
fn energy_of(
    constants: Constants,
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    to: impl Fn(&Vec3) -> Vec3,
) -> f64 {
    let shell = Shell::new(&constants, vertices, triangles).expect("areas");
    let local = |c: usize| {
        let mut u = [0.0; 12];
        for (a, &v) in shell.corners(c).iter().enumerate() {
            let x = vertices[v as usize];
            u[3 * a..3 * a + 3].copy_from_slice((to(&x) - x).as_slice());
        }
        u
    };
    let components: Vec<u32> = (0..shell.count() as u32).collect();
    let u: Vec<LocalVector> = (0..shell.count()).map(local).collect();
    let mut out = vec![0.0; shell.count()];
    shell.energies(&components, &u, &mut out).expect("admissible");
    out.iter().sum()
}

/// Asked at once, energies and forces have the bits that they have alone, also where hinges keep the heights of their triangles.
#[test]
fn energies_and_forces_at_once_are_those_alone() {
    for (name, body) in bodies() {
        let shell = body.components();
        let components: Vec<u32> = (0..shell.count() as u32).collect();
        for size in [0.0, 0.05, 0.2] {
            let u = noise(body.size(), size, 7);
            let locals = body.gather(&components, &u);
            let (mut W, mut g) = (vec![0.0; locals.len()], vec![[0.0; 12]; locals.len()]);
            let (mut W_too, mut g_too) = (W.clone(), g.clone());
            shell.energies(&components, &locals, &mut W).expect("admissible");
            shell.gradients(&components, &locals, &mut g).expect("admissible");
            shell.energies_and_gradients(&components, &locals, &mut W_too, &mut g_too).expect("admissible");
            assert!(W == W_too && g == g_too, "{name}, {size}");
        }
    }
}

/// A strip wound around a cylinder of radius R keeps its lengths along chords of w: each of the `columns − 1` cross edges
/// folds by 2 asin(w/2R), the diagonals not at all. |e|²/A_e = h²/(wh) there: the two triangles have wh/2 each.
#[test]
fn winding_a_strip_around_a_cylinder_costs_what_2_3_says() {
    let (columns, w, h, R) = (7, 0.3, 0.5, 0.9);
    let (vertices, triangles) = strip(columns, w, h);
    let fold = 2.0 * (w / (2.0 * R)).asin();
    let wind = |x: &Vec3| {
        let turns = fold * (x.x / w);
        Vec3::new(R * turns.sin(), x.y, R * (1.0 - turns.cos()))
    };
    let bend = 1.7;
    let by_hand = bend * 1.5 * (columns - 1) as f64 * (h * h / (w * h)) * fold * fold;
    let ours = energy_of(constants(bend, 1e-30), &vertices, &triangles, wind);
    assert!((ours - by_hand).abs() < 1e-13 * by_hand, "{ours} vs {by_hand}");
    // No length and no area changes.
    let stretch = energy_of(constants(1e-30, 1.0), &vertices, &triangles, wind);
    assert!(stretch < 1e-25, "{stretch}");
    // And unrolling a rest shape that is wound costs the same.
    let wound: Vec<Vec3> = vertices.iter().map(wind).collect();
    let unroll = |x: &Vec3| vertices[wound.iter().position(|y| y == x).expect("a vertex")];
    let back = energy_of(constants(bend, 1e-30), &wound, &triangles, unroll);
    assert!((back - by_hand).abs() < 1e-12 * by_hand, "{back} vs {by_hand}");
}

/// One rectangle a × b scaled by s: five edges, two triangles of ab/2.
#[test]
fn scaling_a_rectangle_costs_what_2_4_and_2_5_say() {
    let (a, b, s, membrane) = (0.8, 0.6, 1.25, 3.0);
    let (vertices, triangles) = strip(1, a, b);
    let ours = energy_of(constants(5.0, membrane), &vertices, &triangles, |x| x * s);
    let lengths = 2.0 * a + 2.0 * b + 1.0; // the diagonal of 0.8 and 0.6 is 1
    let (E_L, E_A) = (0.5 * (s - 1.0_f64).powi(2) * lengths, 0.5 * (s * s - 1.0_f64).powi(2) * a * b);
    assert!((ours - membrane * (E_L + E_A)).abs() < 1e-14, "{ours}");
}

#[test]
fn rigid_motion_costs_nothing_and_forces_turn_with_the_body() {
    for (name, body) in bodies() {
        let turn = rotation(&Vec3::new(1.0, -2.0, 0.5), 170_f64.to_radians());
        let away = Vec3::new(3.0, 1.0, -2.0);
        let rigid = displacement(&body, |x| turn * x + away);
        assert!(body.energy(&rigid).expect("admissible") < 1e-24, "{name}");
        let mut f = vec![0.0; body.size()];
        body.force(&rigid, &mut f).expect("admissible");
        assert!(pliant_linalg::par::norm(&f) < 1e-11, "{name}");
        // The same deformation, seen from elsewhere.
        let u = noise(body.size(), 0.1, 1);
        let turned: Vec<f64> = (0..body.rest().len())
            .flat_map(|v| {
                let x = body.rest()[v] + Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2]);
                <[f64; 3]>::from(turn * x + away - body.rest()[v])
            })
            .collect();
        let (here, there) = (body.energy(&u).expect("admissible"), body.energy(&turned).expect("admissible"));
        assert!(here > 1e-3 && (here - there).abs() < 1e-12 * here, "{name}: {here} vs {there}");
        let mut g = vec![0.0; body.size()];
        body.force(&u, &mut f).expect("admissible");
        body.force(&turned, &mut g).expect("admissible");
        let (mut push, mut torque) = (Vec3::zeros(), Vec3::zeros());
        for v in 0..body.rest().len() {
            let at = |x: &[f64]| Vec3::new(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
            assert!((turn * at(&f) - at(&g)).norm() < 1e-11, "{name}: vertex {v}");
            push += at(&f);
            torque += (body.rest()[v] + at(&u)).cross(&at(&f));
        }
        assert!(push.norm() < 1e-12 && torque.norm() < 1e-12, "{name}: momentum");
    }
}

#[test]
fn rest_is_rest_and_derivatives_are_derivatives() {
    for (name, body) in bodies() {
        let n = body.size();
        let zero = vec![0.0; n];
        let mut f = vec![1.0; n];
        body.force(&zero, &mut f).expect("admissible");
        assert!(body.energy(&zero).expect("admissible") == 0.0 && f.iter().all(|f| *f == 0.0), "{name}");
        let (u, v, e) = (noise(n, 0.15, 1), noise(n, 0.5, 2), noise(n, 0.5, 3));
        let along = |x: &[f64], h: f64| -> Vec<f64> { x.iter().zip(&v).map(|(x, v)| x + h * v).collect() };
        let force = |u: &[f64]| {
            let mut f = vec![0.0; n];
            body.force(u, &mut f).expect("admissible");
            f
        };
        let times = |u: &[f64], d: &[f64]| {
            let (mut K, mut y) = (body.zero_matrix(), vec![0.0; n]);
            body.stiffness(u, Tangent::Exact, &mut K).expect("admissible");
            K.apply(d, &mut y);
            y
        };
        assert_derivative(name, |h| body.energy(&along(&u, h)).expect("admissible"), dot(&force(&u), &v));
        assert_derivative(name, |h| dot(&force(&along(&u, h)), &e), dot(&times(&u, &v), &e));
        let mut third = vec![0.0; n];
        body.third_at_rest(&v, &e, &mut third);
        assert_derivative(name, |h| dot(&times(&along(&zero, h), &e), &u), dot(&third, &u));
        let mut K = body.zero_matrix();
        body.stiffness(&noise(n, 0.4, 7), Tangent::Positive, &mut K).expect("admissible");
        for seed in 10..20 {
            assert!(K.quadratic(&noise(n, 1.0, seed)) > 0.0, "{name}");
        }
    }
}

#[test]
fn components_come_in_order_and_say_what_they_are() {
    let (vertices, triangles) = strip(2, 1.0, 1.0);
    let shell = Shell::new(&constants(1.0, 1.0), &vertices, &triangles).expect("areas");
    let kinds: Vec<ComponentKind> = (0..shell.count()).map(|c| shell.kind(c)).collect();
    let expected =
        [(ComponentKind::Hinge, 3, 4), (ComponentKind::Edge, 9, 2), (ComponentKind::Triangle, 4, 3)];
    assert_eq!(kinds, expected.iter().flat_map(|&(kind, n, _)| vec![kind; n]).collect::<Vec<_>>());
    let mut c = 0;
    for (_, n, corners) in expected {
        assert!((c..c + n).all(|c| shell.corners(c).len() == corners));
        c += n;
    }
    assert_eq!((shell.rest_angle(0), shell.rest_angle(3)), (Some(0.0), None));
}

#[test]
fn three_sheets_on_one_edge_bend_in_every_pair() {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, -1.0, 0.1], [0.5, 0.0, 1.0]]
        .map(Vec3::from);
    // The third runs the wrong way round; the last is the first once more, and bends with it nowhere.
    let shell = |t: &[[u32; 3]]| Shell::new(&constants(1.0, 1.0), &vertices, t).expect("areas");
    let book = shell(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!((0..book.count()).filter(|&c| book.kind(c) == ComponentKind::Hinge).count(), 3);
    // Of the first and the third, and nobody minds that they run the same way through the edge.
    let angle = book.rest_angle(1).expect("a hinge");
    assert!((angle - 90_f64.to_radians()).abs() < 1e-14, "{angle}");
    let double = shell(&[[0, 1, 2], [0, 1, 2]]);
    assert_eq!(double.kind(0), ComponentKind::Edge);
}

#[test]
fn collapsed_states_are_refused_by_name() {
    let (vertices, triangles) = strip(1, 1.0, 1.0);
    let body = body(&vertices, &triangles);
    let flat = displacement(&body, |x| Vec3::new(x.x, 0.0, 0.0));
    assert!(body.energy(&flat).is_err());
    let nan = vec![f64::NAN; body.size()];
    let mut out = nan.clone();
    assert!(body.force(&nan, &mut out).is_err());
    assert!(body.stiffness(&flat, Tangent::Positive, &mut body.zero_matrix()).is_err());
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let [(_, body), _] = bodies();
    let u = noise(body.size(), 0.2, 1);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (mut f, mut K) = (vec![0.0; body.size()], body.zero_matrix());
            body.force(&u, &mut f).expect("admissible");
            body.stiffness(&u, Tangent::Positive, &mut K).expect("admissible");
            let numbers = f.iter().chain(K.values().as_flattened().as_flattened());
            let bits: Vec<u64> = numbers.map(|x| x.to_bits()).collect();
            (body.energy(&u).expect("admissible").to_bits(), bits)
        })
    };
    let one = with(1);
    assert!(one == with(2) && one == with(7));
}

#[test]
fn real_surfaces_become_bodies_that_are_stable_at_rest() {
    let Some(data) = shared::data() else { return };
    for (file, rigid) in [("own_cloth_irregular.obj", 6), ("decimated-max.obj", 6)] {
        let mesh = io::load(&data.join("surfaces").join(file)).expect("a mesh").mesh;
        let body = Recipe::default().build(mesh).expect("a body");
        assert_eq!(body.rigid_count(), rigid, "{file}");
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("rest is admissible");
        for seed in 1..6 {
            let x = noise(body.size(), 1.0, seed);
            assert!(K.quadratic(&x) > 0.0, "{file}");
        }
        let largest = K.diagonal().into_iter().fold(0.0, f64::max);
        for motion in body.rigid_motions() {
            assert!(K.quadratic(&motion).abs() < 1e-12 * largest * dot(&motion, &motion), "{file}");
        }
    }
}

#[test]
fn a_book_of_too_many_pages_is_refused() {
    // k triangles around the edge between vertices 0 and 1.
    let book = |k: u32| {
        let pages = (0..k).map(|i| f64::from(i) / f64::from(k) * std::f64::consts::TAU);
        let spine = [Vec3::zeros(), Vec3::z()];
        let vertices: Vec<_> =
            spine.into_iter().chain(pages.map(|a| Vec3::new(a.cos(), a.sin(), 0.5))).collect();
        let triangles: Vec<_> = (0..k).map(|i| [0, 1, i + 2]).collect();
        Recipe::default().build(MeshData::from_faces(vertices, Faces::from_triangles(&triangles)))
    };
    // Every two pages make a hinge.
    assert_eq!(book(16).expect("a body").components().count(), 16 * 15 / 2 + (1 + 2 * 16) + 16);
    for k in [17, 20_000] {
        let sentence = book(k).expect_err("no body").to_string();
        assert!(
            sentence.starts_with(&format!("the edge between vertices 0 and 1 has {k} triangles")),
            "{sentence}"
        );
    }
}

/// Rows of equilateral triangles of side l, as many as fit into a square of side 1.
fn equilateral(l: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (across, height) = ((1.0 / l).round() as u32, 0.75_f64.sqrt() * l);
    let up = (1.0 / height).round() as u32;
    let place =
        |i: u32, j: u32| Vec3::new((f64::from(i) + 0.5 * f64::from(j % 2)) * l, f64::from(j) * height, 0.0);
    let vertices = (0..=up).flat_map(|j| (0..=across).map(move |i| place(i, j))).collect();
    let at = |i: u32, j: u32| j * (across + 1) + i;
    let mut triangles = Vec::new();
    for j in 0..up {
        for i in 0..across {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend(if j % 2 == 0 { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] });
        }
    }
    (vertices, triangles)
}

/// A plate of E and t, wound and stretched: the error falls with the side of its triangles, as the edge of the sheet has no hinges.
#[test]
fn a_plate_costs_what_its_modulus_and_thickness_say() {
    let (young, thickness, poisson): (f64, f64, f64) = (3e6, 0.02, 1.0 / 3.0);
    let rigidity = young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson));
    for direction in [0.0_f64, 0.4, 1.1] {
        let errors: Vec<[f64; 2]> = [0.05, 0.025]
            .into_iter()
            .map(|l| {
                let (vertices, triangles) = equilateral(l);
                let [bend, membrane] = of_plate(young, thickness, &vertices, &triangles);
                let area = pliant_mesh::measure::total_area(&vertices, &triangles);
                // Around a cylinder of radius 2, whose axis lies across the direction.
                let (along, axis) = (
                    Vec3::new(direction.cos(), direction.sin(), 0.0),
                    Vec3::new(-direction.sin(), direction.cos(), 0.0),
                );
                let wind = |x: &Vec3| {
                    let turn = x.dot(&along) / 2.0;
                    axis * x.dot(&axis) + along * (2.0 * turn.sin()) + Vec3::z() * (2.0 * (1.0 - turn.cos()))
                };
                let bent = energy_of(constants(bend, 1e-12), &vertices, &triangles, wind);
                let stretch = |x: &Vec3| x * 1.001;
                let stretched = energy_of(constants(1e-12, membrane), &vertices, &triangles, stretch);
                // E_A in its own unit is no part of the plate.
                let areas = 0.5 * membrane * area * (1.001_f64.powi(2) - 1.0).powi(2);
                let plate = young * thickness * 1e-6 * area / (1.0 - poisson);
                [bent / (0.5 * rigidity * area / 4.0) - 1.0, (stretched - areas) / plate - 1.0]
            })
            .collect();
        assert!(
            errors[1][0].abs() < 0.06 && errors[1][0].abs() < 0.6 * errors[0][0].abs(),
            "{direction}: {errors:?}"
        );
        assert!(errors.iter().all(|e| e[1].abs() < 1e-9), "{direction}: {errors:?}");
    }
}
