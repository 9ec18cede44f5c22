//! Every basis of the table, over solids and surfaces that are held, half held and free.

use std::ops::ControlFlow;

use pliant_energy::{Body, Recipe, Tangent, material};
use pliant_linalg::orth::Metric;
use pliant_linalg::{Cholesky, Progress, Vec3, ignore_progress, par, small, tall};
use pliant_mesh::{Faces, MeshData, select, shapes, topology};

use super::affine::affine_fields;
use super::modal_derivatives::modal_derivatives;
use super::turned_modes::turned_modes;
use super::*;
use crate::ModalAnalysis;

fn body(data: MeshData, material: &str, fixed: &[&str]) -> Body {
    let fixed = fixed.iter().map(|spec| select::select(&data, spec).expect("a selection")).collect();
    Recipe { material: Some(material.into()), fixed, ..Recipe::default() }.build(data).expect("a body")
}

fn bar() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.3, 0.2), [8, 2, 2]).into_data()
}

/// The bases that are made of the body alone.
fn of_modes() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().filter(|entry| entry.needs == Needs::Modes)
}

/// A bulging sheet, so that bending and stretching mix.
fn sheet(bulge: f64) -> MeshData {
    let n = 6;
    let at = |i: usize, j: usize| {
        let (x, y) = (i as f64 / n as f64, 0.7 * j as f64 / n as f64);
        Vec3::new(x, y, bulge * (3.0 * x).sin() * (1.0 + y))
    };
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let v = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let cell = |i, j| [[v(i, j), v(i + 1, j), v(i + 1, j + 1)], [v(i, j), v(i + 1, j + 1), v(i, j + 1)]];
    let triangles: Vec<[u32; 3]> = (0..n).flat_map(|i| (0..n).flat_map(move |j| cell(i, j))).collect();
    MeshData::from_faces(vertices, Faces::from_triangles(&triangles))
}

/// (name, body, rigid motions left, affine fields left).
fn bodies() -> Vec<(&'static str, Body, usize, usize)> {
    let ball = shapes::ball(1.0, 3);
    let surface = MeshData::from_faces(
        ball.vertices().to_vec(),
        Faces::from_triangles(&topology::boundary_faces(ball.tets())),
    );
    vec![
        ("held bar", body(bar(), "stvk", &["x<1%"]), 0, 0),
        ("free bar", body(bar(), "stable-neo-hookean", &[]), 6, 12),
        // u_z = c z alone, and all of u_x and u_y.
        ("bar on a table", body(bar(), "stvk", &["z<1%:z"]), 3, 9),
        ("bar on a hinge", body(bar(), "corotational", &["ids:0,1,2,3,4,5,6,7,8"]), 1, 6),
        ("held sheet", body(sheet(0.1), "discrete-shells", &["x<20%"]), 0, 0),
        ("free sheet", body(sheet(0.1), "discrete-shells", &[]), 6, 12),
        // Held along a straight edge, it turns about that.
        ("hanging sheet", body(sheet(0.1), "discrete-shells", &["x<1%"]), 1, 6),
        // A flat one has no thickness to strain.
        ("flat sheet", body(sheet(0.0), "discrete-shells", &[]), 6, 9),
        ("free ball", body(surface, "discrete-shells", &[]), 6, 12),
    ]
}

fn make(entry: &Entry, body: &Body, modes: usize, rank: Option<usize>) -> Result<Built, ReduceError> {
    (entry.make)(body, &Request { rank, ..Request::of_modes(modes) }, &mut ignore_progress)
}

fn columns(basis: &Basis) -> Vec<f64> {
    (0..basis.rank()).flat_map(|k| basis.column(k)).collect()
}

fn metric(body: &Body) -> Metric<'_> {
    Metric { mass: body.mass(), dofs: body.dofs() }
}

/// The largest entry of |UᵀMU − I|.
fn departure(body: &Body, columns: &[f64]) -> f64 {
    let gram = tall::gram(columns, &metric(body).apply(columns), body.size());
    let r = columns.len() / body.size();
    let entry = |(at, x): (usize, &f64)| (x - f64::from(u8::from(at / r == at % r))).abs();
    gram.iter().enumerate().map(entry).fold(0.0, f64::max)
}

/// What of `x` lies outside the span of orthonormal columns, as a part of it.
fn outside(body: &Body, columns: &[f64], x: &[f64]) -> f64 {
    let mut rest = x.to_vec();
    metric(body).remove(columns, &mut rest);
    let length = |x: &[f64]| par::dot(x, &metric(body).apply(x)).sqrt();
    length(&rest) / length(x)
}

fn stiffness(body: &Body) -> pliant_linalg::Symmetric<3> {
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("rest is admissible");
    K
}

fn displacement(body: &Body, map: impl Fn(Vec3) -> Vec3) -> Vec<f64> {
    body.rest().iter().flat_map(|&p| <[f64; 3]>::from(map(p) - p)).collect()
}

#[test]
fn every_basis_is_orthonormal_held_and_signed() {
    for (what, body, rigid, affine) in bodies() {
        for entry in of_modes() {
            let name = format!("{what}, {}", entry.name);
            let built = make(entry, &body, 6, None).unwrap_or_else(|error| panic!("{name}: {error}"));
            let columns = columns(&built.basis);
            assert!(departure(&body, &columns) < 1e-12, "{name}: {:e}", departure(&body, &columns));
            assert_eq!(built.affine, if entry.name == "modes" { rigid } else { affine }, "{name}");
            assert_eq!(built.eigenvalues.len(), 6, "{name}");
            for column in columns.chunks(body.size()) {
                assert!(
                    (0..body.size()).all(|i| !body.dofs().is_held(i) || column[i] == 0.0),
                    "{name}: held"
                );
                let largest = column.iter().fold(0.0, |a: f64, &b| if b.abs() > a.abs() { b } else { a });
                assert!(largest > 0.0, "{name}: the largest entry is {largest}");
            }
            // Every vector that went in came out or is counted, and the modes are among what was spanned.
            let found = linear_modes(&body, 6, &mut ignore_progress).expect("modes");
            let whole = match entry.name {
                "modes" => rigid + 6,
                "derivatives" => affine + 6 + 21 + turned_modes(&body, &found).modes.len(),
                "warped" => affine + 4 * 6,
                _ => affine + 54,
            };
            if entry.name != "derivatives" || whole - built.dropped <= 40 {
                assert_eq!(built.basis.rank(), whole - built.dropped, "{name}");
                let modes =
                    found.modes.shapes.chunks(body.size()).chain(found.rigid.iter().map(Vec::as_slice));
                for x in modes {
                    assert!(outside(&body, &columns, x) < 1e-9, "{name}: {:e}", outside(&body, &columns, x));
                }
            }
        }
    }
}

#[test]
fn plain_modes_keep_the_stiffness_diagonal() {
    let body = body(bar(), "stvk", &[]);
    let built = make(ALL.iter().next().expect("a line"), &body, 5, None).expect("a basis");
    let reduced = crate::force::projected::project_matrix(&stiffness(&body), &columns(&built.basis));
    for i in 0..11 {
        for j in 0..11 {
            let expected = if i == j && i >= 6 { built.eigenvalues[i - 6] } else { 0.0 };
            let error = (reduced.get(i, j) - expected).abs();
            assert!(error < 1e-7 * built.eigenvalues[4], "{i}, {j}: {error:e}");
        }
    }
}

#[test]
fn a_free_body_turns_exactly_and_deformed_too_where_the_basis_is_extended() {
    let turn = small::rotation(&Vec3::new(1.0, 2.0, -0.5), std::f64::consts::FRAC_PI_2);
    for (what, body, _, affine) in bodies().into_iter().filter(|b| b.2 == 6) {
        let turned = displacement(&body, |p| turn * p + Vec3::new(0.3, 0.0, -2.0));
        let fields = affine_fields(&body, &mut ignore_progress).expect("fields");
        assert_eq!(fields.len(), affine * body.size(), "{what}");
        assert!(outside(&body, &fields, &turned) < 1e-13, "{what}");
        let mode = linear_modes(&body, 4, &mut ignore_progress).expect("modes").modes.shape(2).to_vec();
        let swung: Vec<f64> = turned
            .as_chunks::<3>()
            .0
            .iter()
            .zip(mode.as_chunks::<3>().0)
            .flat_map(|(u, phi)| <[f64; 3]>::from(Vec3::from(*u) + turn * Vec3::from(*phi) * 0.2))
            .collect();
        for entry in of_modes() {
            let columns = columns(&make(entry, &body, 4, None).expect("a basis").basis);
            let (rigid, deformed) = (outside(&body, &columns, &turned), outside(&body, &columns, &swung));
            match entry.name {
                "modes" => assert!(rigid > 1e-3, "{what}: linearised rotations swell, {rigid:e}"),
                "extended" => assert!(rigid < 1e-12 && deformed < 1e-11, "{what}: {rigid:e} {deformed:e}"),
                _ => assert!(rigid < 1e-12, "{what}, {}: {rigid:e}", entry.name),
            }
        }
    }
}

#[test]
fn a_body_on_a_hinge_swings_about_it_by_any_angle() {
    let body = body(bar(), "stvk", &["ids:0,1,2,3,4,5,6,7,8"]);
    assert!((0..9).all(|v| body.rest()[v].yz() == body.rest()[0].yz()), "they lie on a line along x");
    let turn = small::rotation(&Vec3::x(), 2.0);
    let line = body.rest()[0];
    let swung = displacement(&body, |p| line + turn * (p - line));
    let fields = affine_fields(&body, &mut ignore_progress).expect("fields");
    assert!(outside(&body, &fields, &swung) < 1e-13);
}

#[test]
fn parts_have_their_own_fields() {
    let one = bar();
    let pliant_mesh::Elements::Tets(tets) = &one.elements else { unreachable!("a bar is made of tets") };
    let n = one.vertices.len() as u32;
    let moved = one.vertices.iter().map(|p| p + Vec3::new(0.0, 3.0, 0.0));
    let vertices = one.vertices.iter().copied().chain(moved).collect();
    let both = tets.iter().copied().chain(tets.iter().map(|t| t.map(|v| v + n))).collect();
    let data = MeshData::from_tets(vertices, both);
    let count = |fixed: &[&str]| {
        let body = body(data.clone(), "stvk", fixed);
        let fields = affine_fields(&body, &mut ignore_progress).expect("fields");
        if !fields.is_empty() {
            assert!(departure(&body, &fields) < 1e-12);
        }
        for entry in of_modes() {
            let built = make(entry, &body, 4, None).expect("a basis");
            assert!(departure(&body, &columns(&built.basis)) < 1e-12, "{}", entry.name);
        }
        fields.len() / body.size()
    };
    assert_eq!(count(&[]), 24);
    // One held fast, the other free.
    assert_eq!(count(&["ids:0,9,18,27,36,45,54,63,72"]), 12);
}

/// R (X + u) − X.
fn turned(body: &Body, turn: &pliant_linalg::Mat3, u: &[f64]) -> Vec<f64> {
    let points = body.rest().iter().zip(u.as_chunks::<3>().0);
    points.flat_map(|(&X, &u)| <[f64; 3]>::from(turn * (X + Vec3::from(u)) - X)).collect()
}

#[test]
fn turned_modes_are_what_a_small_turn_adds_to_a_bent_body() {
    let bodies = [body(bar(), "stvk", &[]), body(sheet(0.1), "discrete-shells", &[])];
    for body in bodies {
        let found = linear_modes(&body, 4, &mut ignore_progress).expect("modes");
        let all = turned_modes(&body, &found);
        assert_eq!(all.modes, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
        let span = |vectors: &[f64]| {
            metric(&body).extend(&[], vectors, 0.0, &mut ignore_progress).expect("a span").columns
        };
        let (alone, basis) = (
            span(&all.shapes),
            columns(
                &make(find("derivatives").expect("in the table"), &body, 4, None).expect("a basis").basis,
            ),
        );
        let without =
            columns(&make(ALL.iter().next().expect("a line"), &body, 4, None).expect("a basis").basis);
        for j in 0..4 {
            for axis in [Vec3::x(), Vec3::y(), Vec3::new(0.6, 0.0, 0.8)] {
                let added = |angle: f64| -> Vec<f64> {
                    let turn = small::rotation(&axis, angle);
                    let (bent, rest) = (
                        turned(&body, &turn, found.modes.shape(j)),
                        turned(&body, &turn, &vec![0.0; body.size()]),
                    );
                    (0..body.size()).map(|d| (bent[d] - rest[d] - found.modes.shape(j)[d]) / angle).collect()
                };
                for columns in [&alone, &basis] {
                    let (coarse, fine) =
                        (outside(&body, columns, &added(1e-2)), outside(&body, columns, &added(1e-3)));
                    let order = (coarse / fine).log10();
                    assert!(fine < 1e-3 && (order - 1.0).abs() < 0.1, "{j}: {fine:e}, order {order:.2}");
                }
                assert!(outside(&body, &without, &added(1e-3)) > 0.02, "{j} {axis:?}: modes have it already");
            }
        }
    }
}

#[test]
fn a_free_body_turned_and_bent_is_represented_to_second_order() {
    for body in [body(bar(), "stvk", &[]), body(sheet(0.1), "discrete-shells", &[])] {
        let found = linear_modes(&body, 3, &mut ignore_progress).expect("modes");
        let derivatives = modal_derivatives(&body, &found, &mut ignore_progress).expect("derivatives");
        let built = make(find("derivatives").expect("in the table"), &body, 3, None).expect("a basis");
        let basis = columns(&built.basis);
        assert_eq!(built.basis.rank(), 12 + 3 + 6 + 9, "all of them are there");
        // All first-order amounts of the size of t: an angle, and the largest displacement of each mode.
        let size: Vec<f64> = [0.3, -0.4, 0.2]
            .iter()
            .zip(found.modes.shapes.chunks(body.size()))
            .map(|(p, shape)| p / shape.iter().fold(0.0, |a: f64, x| a.max(x.abs())))
            .collect();
        let missed = |t: f64| {
            let mut u = vec![0.0; body.size()];
            (0..3).for_each(|k| par::axpy(t * size[k], found.modes.shape(k), &mut u));
            for (&(i, j), shape) in derivatives.pairs.iter().zip(derivatives.shapes.chunks(body.size())) {
                let twice = if i == j { 0.5 } else { 1.0 };
                par::axpy(twice * t * t * size[i] * size[j], shape, &mut u);
            }
            let turn = small::rotation(&Vec3::new(0.48, 0.6, 0.64), t);
            outside(&body, &basis, &turned(&body, &turn, &u))
        };
        let (coarse, fine) = (missed(2e-2), missed(1e-2));
        let order = (coarse / fine).log2();
        // A part of something of order one: third order is what is missed.
        assert!((order - 2.0).abs() < 0.1, "order {order:.2}, {coarse:.1e} → {fine:.1e}");
    }
}

#[test]
fn derivatives_along_rotations_follow_from_the_third_derivatives() {
    let solids = ["corotational", "stvk", "stable-neo-hookean", "mooney-rivlin"].map(|m| (m, bar()));
    for (name, data) in solids.into_iter().chain([("discrete-shells", sheet(0.1))]) {
        let body = body(data, name, &[]);
        let (found, K) = (linear_modes(&body, 3, &mut ignore_progress).expect("modes"), stiffness(&body));
        let cross = |w: Vec3, x: &[f64]| -> Vec<f64> {
            x.as_chunks::<3>().0.iter().flat_map(|&x| <[f64; 3]>::from(w.cross(&Vec3::from(x)))).collect()
        };
        for (j, axis) in [(0, Vec3::x()), (1, Vec3::y()), (2, Vec3::z())] {
            let rest: Vec<f64> = body.rest().iter().flat_map(|&p| <[f64; 3]>::from(p)).collect();
            let (mut third, mut K_turned, mut load) =
                (vec![0.0; body.size()], vec![0.0; body.size()], Vec::new());
            body.third_at_rest(&cross(axis, &rest), found.modes.shape(j), &mut third);
            K.apply(&cross(axis, found.modes.shape(j)), &mut K_turned);
            load.extend(cross(axis, &metric(&body).apply(found.modes.shape(j))));
            let off: Vec<f64> = (0..body.size())
                .map(|d| third[d] + K_turned[d] - found.modes.eigenvalues[j] * load[d])
                .collect();
            assert!(
                par::norm(&off) < 1e-7 * par::norm(&third),
                "{name} {j}: {:e}",
                par::norm(&off) / par::norm(&third)
            );
        }
    }
}

#[test]
fn only_what_can_turn_is_turned() {
    for (what, body, ..) in bodies() {
        let found = linear_modes(&body, 2, &mut ignore_progress).expect("modes");
        let turned = turned_modes(&body, &found);
        let rotations = match what {
            "held bar" | "held sheet" => 0,
            "bar on a table" | "bar on a hinge" | "hanging sheet" => 1,
            _ => 3,
        };
        assert_eq!(turned.modes.len(), 2 * rotations, "{what}");
        for shape in turned.shapes.chunks(body.size()) {
            let mut held = shape.to_vec();
            body.dofs().hold(&mut held);
            assert!(held == shape, "{what}");
        }
    }
}

/// u(p) of B12 eq. 13, by Newton from rest.
fn response(body: &Body, found: &ModalAnalysis, p: &[(usize, f64)]) -> Vec<f64> {
    let size = body.size();
    let mut load = vec![0.0; size];
    for &(k, p) in p {
        par::axpy(p * found.modes.eigenvalues[k], &metric(body).apply(found.modes.shape(k)), &mut load);
    }
    let (mut u, mut f, mut K) = (vec![0.0; size], vec![0.0; size], body.zero_matrix());
    let mut factor = Cholesky::analyse(K.pattern(), body.dofs()).expect("an order");
    for _ in 0..20 {
        body.force(&u, &mut f).expect("an admissible state");
        let mut step: Vec<f64> = load.iter().zip(&f).map(|(load, f)| load - f).collect();
        body.dofs().hold(&mut step);
        let rest = par::norm(&step);
        body.stiffness(&u, Tangent::Exact, &mut K).expect("an admissible state");
        factor.factorise(&K).expect("stable so near to rest");
        factor.solve(&mut step);
        par::axpy(1.0, &step, &mut u);
        if rest <= 1e-13 * par::norm(&load) {
            break;
        }
    }
    u
}

#[test]
fn derivatives_are_the_second_differences_of_the_static_response() {
    let cases = [
        ("stvk", body(bar(), "stvk", &["x<1%"])),
        ("stable-neo-hookean", body(bar(), "stable-neo-hookean", &["x<1%"])),
        ("discrete-shells", body(sheet(0.1), "discrete-shells", &["x<20%"])),
    ];
    for (name, body) in cases {
        let found = linear_modes(&body, 3, &mut ignore_progress).expect("modes");
        let derivatives = modal_derivatives(&body, &found, &mut ignore_progress).expect("derivatives");
        assert_eq!(derivatives.pairs, [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]);
        // The largest vertex moves by this part of a metre at first order.
        let largest = |k: usize| found.modes.shape(k).iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        for (at, &(i, j)) in derivatives.pairs.iter().enumerate().filter(|&(_, &(_, j))| j < 2) {
            let exact = &derivatives.shapes[at * body.size()..(at + 1) * body.size()];
            let error = |h: f64| {
                let (a, b) = (h / largest(i), h / largest(j));
                let u = |p: &[(usize, f64)]| response(&body, &found, p);
                let second: Vec<f64> = if i == j {
                    let (plus, minus) = (u(&[(i, a)]), u(&[(i, -a)]));
                    plus.iter().zip(&minus).map(|(p, m)| (p + m) / (a * a)).collect()
                } else {
                    let [pp, pm, mp, mm] =
                        [[a, b], [a, -b], [-a, b], [-a, -b]].map(|[a, b]| u(&[(i, a), (j, b)]));
                    (0..body.size()).map(|d| (pp[d] - pm[d] - mp[d] + mm[d]) / (4.0 * a * b)).collect()
                };
                let difference: Vec<f64> = second.iter().zip(exact).map(|(s, e)| s - e).collect();
                par::norm(&difference) / par::norm(exact)
            };
            let (coarse, fine) = (error(4e-3), error(2e-3));
            let order = (coarse / fine).log2();
            assert!(fine < 0.02, "{name} {i}{j}: error {fine:e}");
            assert!((order - 2.0).abs() < 0.1, "{name} {i}{j}: order {order:.2}, {coarse:.1e} → {fine:.1e}");
        }
    }
}

#[test]
fn derivatives_solve_their_equation_and_are_symmetric_for_every_energy() {
    let solids = material::ALL.iter().map(|entry| entry.name).flat_map(|name| {
        [
            (name, body(bar(), name, &["x<1%"])),
            (name, body(bar(), name, &[])),
            (name, body(bar(), name, &["z<1%:z"])),
        ]
    });
    let shells =
        [&["x<1%"][..], &[]].map(|fixed| ("discrete-shells", body(sheet(0.1), "discrete-shells", fixed)));
    for (name, body) in solids.chain(shells) {
        let found = linear_modes(&body, 4, &mut ignore_progress).expect("modes");
        let derivatives = modal_derivatives(&body, &found, &mut ignore_progress).expect("derivatives");
        let K = stiffness(&body);
        let (rigid, size) = (found.rigid.concat(), body.size());
        for (&(i, j), shape) in derivatives.pairs.iter().zip(derivatives.shapes.chunks(size)) {
            assert!(shape.iter().all(|x| x.is_finite()), "{name} {i}{j}");
            // K Φ + (H : ψⱼ)ψᵢ is M times a rigid motion, with i and j in either order.
            let (mut third, mut sum) = (vec![0.0; size], vec![0.0; size]);
            body.third_at_rest(found.modes.shape(j), found.modes.shape(i), &mut third);
            K.apply(shape, &mut sum);
            let size_of_terms = par::norm(&third);
            par::axpy(1.0, &third, &mut sum);
            body.dofs().hold(&mut sum);
            for (motion, mass_motion) in rigid.chunks(size).zip(metric(&body).apply(&rigid).chunks(size)) {
                let along = par::dot(motion, &sum);
                par::axpy(-along, mass_motion, &mut sum);
            }
            assert!(
                par::norm(&sum) <= 1e-8 * size_of_terms,
                "{name} {i}{j}: {:e}",
                par::norm(&sum) / size_of_terms
            );
            let length = par::dot(shape, &metric(&body).apply(shape)).sqrt();
            for motion in rigid.chunks(size) {
                let along = par::dot(motion, &metric(&body).apply(shape)).abs();
                assert!(along <= 1e-12 * length, "{name} {i}{j}: {along:e} of {length:e} is rigid");
            }
        }
    }
}

#[test]
fn many_thirds_at_once_have_the_same_bits_as_one() {
    for body in [body(bar(), "mooney-rivlin", &[]), body(sheet(0.1), "discrete-shells", &[])] {
        let size = body.size();
        let directions = pliant_testkit::numbers::noise(7 * size, 1.0, 3);
        let pairs: Vec<(usize, usize)> = (0..7).flat_map(|i| (i..7).map(move |j| (i, j))).collect();
        let mut all = vec![0.0; pairs.len() * size];
        body.thirds_at_rest(&directions, &pairs, &mut all);
        for (&(i, j), out) in pairs.iter().zip(all.chunks(size)) {
            let mut one = vec![0.0; size];
            body.third_at_rest(&directions[i * size..][..size], &directions[j * size..][..size], &mut one);
            assert!(one == out, "{i}, {j}");
        }
    }
}

#[test]
fn derivatives_are_chosen_by_their_singular_values() {
    let body = body(bar(), "stvk", &["x<1%"]);
    let derivatives = find("derivatives").expect("in the table");
    let whole = make(derivatives, &body, 4, Some(14)).expect("a basis");
    assert_eq!((whole.basis.rank(), whole.singular_values.len(), whole.dropped), (14, 14, 0));
    assert!(whole.singular_values.is_sorted_by(|a, b| a >= b));
    // Σσ² is the sum of the squared lengths of B12 eq. 18.
    let found = linear_modes(&body, 4, &mut ignore_progress).expect("modes");
    let shapes = modal_derivatives(&body, &found, &mut ignore_progress).expect("derivatives");
    let square = |x: &[f64]| par::dot(x, &metric(&body).apply(x));
    let weight = |j: usize| found.modes.eigenvalues[0] / found.modes.eigenvalues[j];
    let of_modes: f64 = (0..4).map(|j| weight(j).powi(2)).sum();
    let of_pairs = shapes.pairs.iter().zip(shapes.shapes.chunks(body.size()));
    let all =
        of_modes + of_pairs.map(|(&(i, j), x)| (weight(i) * weight(j)).powi(2) * square(x)).sum::<f64>();
    let sum: f64 = whole.singular_values.iter().map(|s| s * s).sum();
    assert!((sum - all).abs() < 1e-10 * all, "{sum} vs {all}");
    // Fewer columns are the first ones.
    let few = make(derivatives, &body, 4, Some(5)).expect("a basis");
    assert!((0..5).all(|k| few.basis.column(k) == whole.basis.column(k)));
    assert_eq!(few.singular_values, whole.singular_values);
    let chosen = make(find("extended").expect("in the table"), &body, 4, Some(20)).expect("a basis");
    assert_eq!((chosen.basis.rank(), chosen.singular_values.len()), (20, 36 - chosen.dropped));
    assert!(departure(&body, &columns(&chosen.basis)) < 1e-12);
}

#[test]
fn a_linear_body_has_no_derivatives() {
    let body = body(bar(), "linear", &["x<1%"]);
    let built = make(find("derivatives").expect("in the table"), &body, 5, None).expect("a basis");
    assert_eq!((built.basis.rank(), built.dropped), (5, 15));
}

#[test]
fn ranks_that_cannot_be_are_refused_with_what_can() {
    let (held, free) = (body(bar(), "stvk", &["x<1%"]), body(bar(), "stvk", &[]));
    let say = |name: &str, body: &Body, modes, rank| {
        make(find(name).expect("in the table"), body, modes, Some(rank)).expect_err("refused").to_string()
    };
    assert_eq!(
        say("derivatives", &held, 4, 15),
        "rank 15 is more than the 14 that 4 modes and their derivatives can give; ask for more modes, or for a rank of at \
         most 14"
    );
    assert!(say("modes", &free, 4, 11).contains("the 10 that 4 modes and 6 rigid motions can give"));
    assert!(say("extended", &held, 1, 10).contains("that 1 mode and their linear maps can give"));
    assert!(say("derivatives", &free, 4, 7).contains("ask for a rank of at least 12"));
    assert!(say("extended", &held, 4, 0).contains("at least 1 column"));
    for entry in of_modes() {
        let error = make(entry, &held, 0, None).expect_err("nothing to make it of").to_string();
        assert!(error.contains("ask for at least 1 mode"), "{}: {error}", entry.name);
        let affine = make(entry, &free, 0, None).expect("what moves as a whole");
        assert_eq!(affine.basis.rank(), affine.affine, "{}", entry.name);
    }
    assert_eq!(make(ALL.iter().next().expect("a line"), &free, 4, Some(8)).expect("a basis").basis.rank(), 8);
    // More modes than the body has are the modes' error.
    let error = make(find("extended").expect("in the table"), &held, 1000, None).expect_err("too many");
    assert!(matches!(error, ReduceError::Eigen(_)), "{error}");
}

#[test]
fn a_part_that_hangs_by_an_edge_is_refused_by_what_needs_its_stiffness() {
    let vertices = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]];
    let vertices = vertices.map(|p: [i8; 3]| Vec3::from(p.map(f64::from))).to_vec();
    let body = body(MeshData::from_tets(vertices, vec![[0, 2, 3, 1], [0, 4, 5, 1]]), "stvk", &[]);
    let error = make(find("derivatives").expect("in the table"), &body, 3, None).expect_err("no stiffness");
    assert!(error.to_string().contains("hangs by an edge"), "{error}");
    assert!(make(ALL.iter().next().expect("a line"), &body, 3, None).is_ok());
}

#[test]
fn more_vectors_than_a_small_body_has_numbers_are_dropped() {
    let cube = shapes::bar(Vec3::new(1.0, 1.0, 1.0), [1, 1, 1]).into_data();
    for fixed in [&["x<1%"][..], &[]] {
        let body = body(cube.clone(), "stvk", fixed);
        for name in ["derivatives", "extended"] {
            let built = make(find(name).expect("in the table"), &body, 8, None).expect("a basis");
            assert!(built.basis.rank() <= body.dofs().free().len() && built.dropped > 0, "{name}");
            assert!(departure(&body, &columns(&built.basis)) < 1e-12, "{name}");
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    for body in [body(bar(), "stvk", &[]), body(sheet(0.1), "discrete-shells", &["x<1%"])] {
        for entry in of_modes() {
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let built =
                    pool.install(|| make(entry, &body, 8, Some(30).filter(|_| entry.name != "modes")));
                let built = built.expect("a basis");
                (columns(&built.basis), built.singular_values)
            };
            let one = with(1);
            assert!(one == with(2) && one == with(7), "{}", entry.name);
        }
    }
}

#[test]
fn work_is_told_and_stops_when_asked() {
    let body = body(bar(), "stvk", &[]);
    for entry in of_modes() {
        let mut stages: Vec<&str> = Vec::new();
        let mut count = |p: Progress| {
            stages.push(p.stage);
            ControlFlow::Continue(())
        };
        (entry.make)(&body, &Request::of_modes(5), &mut count).expect("a basis");
        for stop in 0..stages.len() {
            let mut left = stop;
            let mut watch = |_: Progress| {
                left = left.wrapping_sub(1);
                if left == usize::MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let outcome = (entry.make)(&body, &Request::of_modes(5), &mut watch);
            assert!(matches!(outcome, Err(ReduceError::Cancelled)), "{} at {}", entry.name, stages[stop]);
        }
    }
}
