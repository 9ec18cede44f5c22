//! What must hold for solids made of surfaces.

use std::ops::ControlFlow;

use pliant_linalg::{Progress, Vec3, ignore_progress};
use proptest::prelude::*;

use super::tests::{angles, assert_conforming};
use super::*;
use crate::measure::tet_volume;
use crate::topology::{boundary_faces, components};
use crate::{Faces, shapes};

/// Triangles of a sphere, or of an ellipsoid.
fn sphere(centre: [f64; 3], radii: [f64; 3], n: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let ball = shapes::ball(1.0, n);
    let place = |p: &Vec3| p.component_mul(&Vec3::from(radii)) + Vec3::from(centre);
    (ball.vertices().iter().map(place).collect(), boundary_faces(ball.tets()))
}

fn join(parts: &[(Vec<Vec3>, Vec<[u32; 3]>)]) -> SurfaceMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (v, t) in parts {
        let start = vertices.len() as u32;
        vertices.extend(v.iter().copied());
        triangles.extend(t.iter().map(|t| t.map(|v| v + start)));
    }
    SurfaceMesh::new(vertices, Faces::from_triangles(&triangles)).unwrap()
}

fn inward((v, t): (Vec<Vec3>, Vec<[u32; 3]>)) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    (v, t.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

fn torus(n: u32, m: u32) -> SurfaceMesh {
    let mut vertices = Vec::new();
    let mut faces = Faces::new();
    for i in 0..n {
        for j in 0..m {
            let turn = |i: u32, n: u32| 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(n);
            let ((su, cu), (sv, cv)) = (turn(i, n).sin_cos(), turn(j, m).sin_cos());
            vertices.push(Vec3::new(cu * (1.0 + 0.4 * cv), su * (1.0 + 0.4 * cv), 0.4 * sv));
            let at = |i: u32, j: u32| i % n * m + j % m;
            faces.push(&[at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    SurfaceMesh::new(vertices, faces).unwrap()
}

fn solid_of(surface: &SurfaceMesh, size: Size) -> Solidified {
    let options = Options { size, ..Options::default() };
    let solid = tetrahedralise(surface, &options, &mut ignore_progress).unwrap();
    assert_sound(&solid.mesh);
    solid
}

fn assert_sound(mesh: &TetMesh) {
    let (low, high) = angles(mesh);
    assert!(low > 10.77 && high < 164.71, "{low} to {high} degrees");
    assert_conforming(mesh);
    assert_no_hinges(mesh);
}

/// Every boundary edge has two faces, and every vertex one face-connected group of tets.
fn assert_no_hinges(mesh: &TetMesh) {
    let mut edges: Vec<[u32; 2]> = boundary_faces(mesh.tets())
        .iter()
        .flat_map(|f| (0..3).map(|i| [f[i].min(f[(i + 1) % 3]), f[i].max(f[(i + 1) % 3])]))
        .collect();
    edges.sort_unstable();
    assert!(edges.chunk_by(|a, b| a == b).all(|g| g.len() == 2), "a hinge");
    let again = super::tidy::Filled::new(mesh.vertices().to_vec(), mesh.tets().to_vec(), 0.0);
    assert_eq!((again.hinges, again.split), (0, 0));
}

fn said(solid: &Solidified, words: &str) -> bool {
    solid.notes.iter().any(|n| n.contains(words))
}

fn euler(mesh: &TetMesh) -> i64 {
    let skin = boundary_faces(mesh.tets());
    let mut vertices: Vec<u32> = skin.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.len() as i64 - skin.len() as i64 / 2
}

#[test]
fn a_sphere_comes_out_within_a_percent_and_says_nothing() {
    let solid = solid_of(&join(&[sphere([3.0, 0.0, -1.0], [1.0, 1.0, 1.0], 6)]), Size::Auto);
    assert!(solid.volume_error.unwrap() < 0.01);
    assert_eq!((solid.components, solid.holes, euler(&solid.mesh)), (1, 0, 2));
    assert!(solid.notes.is_empty(), "{:?}", solid.notes);
    assert!((3_000..60_000).contains(&solid.mesh.tets().len()), "{}", solid.mesh.tets().len());
}

#[test]
fn a_torus_keeps_its_hole_and_its_skin() {
    let surface = torus(40, 20);
    let solid = solid_of(&surface, Size::Resolution(24));
    assert_eq!((solid.components, euler(&solid.mesh)), (1, 0));
    let triangles: Vec<[Vec3; 3]> =
        surface.triangles().iter().map(|t| t.map(|v| surface.vertices()[v as usize])).collect();
    for v in boundary_faces(solid.mesh.tets()).as_flattened() {
        let p = solid.mesh.vertices()[*v as usize];
        let on = |t: &[Vec3; 3]| {
            let n = crate::measure::area_vector(t);
            let within = [[0, 1], [1, 2], [2, 0]]
                .iter()
                .all(|[i, j]| (t[*j] - t[*i]).cross(&(p - t[*i])).dot(&n) > -1e-9 * n.norm_squared());
            within && (p - t[0]).dot(&n).abs() < 1e-9 * n.norm()
        };
        assert!(triangles.iter().any(on), "{p:?} is not on the surface");
    }
}

#[test]
fn a_box_in_step_with_the_lattice_is_exact() {
    let bar = shapes::bar(Vec3::new(1.0, 0.5, 0.25), [4, 2, 2]);
    let surface = join(&[(bar.vertices().to_vec(), boundary_faces(bar.tets()))]);
    let solid = solid_of(&surface, Size::Resolution(16));
    assert!(solid.volume_error.unwrap() < 1e-9, "{:?}", solid.volume_error);
}

#[test]
fn overlapping_parts_are_united_unless_kept() {
    let surface = join(&[sphere([0.0; 3], [1.0, 1.0, 1.0], 8), sphere([1.0, 0.0, 0.0], [1.0, 1.0, 1.0], 8)]);
    let solid = solid_of(&surface, Size::Resolution(30));
    // Two balls less their lens: π(4R + d)(2R − d)²/12 for distance d.
    let pi = std::f64::consts::PI;
    let exact = 8.0 / 3.0 * pi - pi * 5.0 / 12.0;
    assert!(
        (solid.surface_volume.unwrap() / exact - 1.0).abs() < 0.015,
        "{:?} {exact}",
        solid.surface_volume
    );
    assert!((solid.mesh.volume() / exact - 1.0).abs() < 0.02);
    assert_eq!((solid.components, euler(&solid.mesh)), (1, 2));
    assert!(said(&solid, "2 parts of the surface became 1 of the solid"), "{:?}", solid.notes);

    let options = Options { size: Size::Resolution(30), keep_parts: true, ..Options::default() };
    let kept = tetrahedralise(&surface, &options, &mut ignore_progress).unwrap();
    assert_eq!(kept.components, 2);
    assert_eq!(kept.mesh.attributes().regions.len(), 2);
    assert_eq!(kept.mesh.attributes().region_of.len(), kept.mesh.tets().len());
    assert!((kept.mesh.volume() / (8.0 / 3.0 * pi) - 1.0).abs() < 0.03);
}

#[test]
fn a_cavity_stays_a_cavity() {
    for keep_parts in [false, true] {
        let surface = join(&[
            sphere([0.0; 3], [1.0, 1.0, 1.0], 8),
            inward(sphere([0.1, 0.0, 0.0], [0.5, 0.5, 0.5], 6)),
        ]);
        let options = Options { keep_parts, ..Options::default() };
        let solid = tetrahedralise(&surface, &options, &mut ignore_progress).unwrap();
        assert_sound(&solid.mesh);
        assert_eq!((solid.components, euler(&solid.mesh)), (1, 4), "two spheres bound it");
        assert!(solid.volume_error.unwrap() < 0.01);
        assert!(said(&solid, "1 cavity was kept"), "{:?}", solid.notes);
    }
}

#[test]
fn holes_are_closed_and_counted() {
    let (vertices, mut triangles) = sphere([0.0; 3], [1.0, 0.8, 0.6], 6);
    triangles.truncate(triangles.len() - 1);
    triangles.remove(100);
    let solid = solid_of(&join(&[(vertices, triangles)]), Size::Auto);
    assert_eq!((solid.components, solid.holes, euler(&solid.mesh)), (1, 2, 2));
    assert!(said(&solid, "2 holes were closed (6 boundary edges)"), "{:?}", solid.notes);
    let exact = solid_of(&join(&[sphere([0.0; 3], [1.0, 0.8, 0.6], 6)]), Size::Auto).surface_volume.unwrap();
    assert!((solid.mesh.volume() / exact - 1.0).abs() < 0.01);
    assert!((solid.surface_volume.unwrap() / exact - 1.0).abs() < 2e-3, "the extrapolation");
}

#[test]
fn surfaces_that_are_inside_out_or_mixed_up_are_turned() {
    let ball = sphere([0.0; 3], [1.0, 1.0, 1.0], 6);
    let right = solid_of(&join(std::slice::from_ref(&ball)), Size::Resolution(12));
    let solid = solid_of(&join(&[inward(ball.clone())]), Size::Resolution(12));
    assert!(said(&solid, "inside out"), "{:?}", solid.notes);
    // Other corners come first, so the last digits differ.
    let same = |other: &TetMesh| {
        let far = other.vertices().iter().zip(right.mesh.vertices()).map(|(a, b)| (a - b).norm());
        other.tets() == right.mesh.tets() && far.fold(0.0, f64::max) < 1e-12
    };
    assert!(same(&solid.mesh));
    let (vertices, mut triangles) = ball.clone();
    triangles.iter_mut().step_by(7).for_each(|t| t.swap(0, 1));
    let count = triangles.len().div_ceil(7);
    let solid = solid_of(&join(&[(vertices, triangles)]), Size::Resolution(12));
    assert!(said(&solid, &format!("{count} triangles faced against")), "{:?}", solid.notes);
    assert!(same(&solid.mesh));
    // One of two neighbours is inside out.
    let other = sphere([3.0, 0.0, 0.0], [1.0, 1.0, 1.0], 6);
    let solid = solid_of(&join(&[ball, inward(other)]), Size::Resolution(24));
    assert_eq!(solid.components, 2);
    assert!(said(&solid, "1 of 2 parts were inside out"), "{:?}", solid.notes);
}

#[test]
fn small_islands_are_dropped() {
    let surface =
        join(&[sphere([0.0; 3], [1.0, 1.0, 1.0], 8), sphere([1.3, 0.0, 0.0], [0.09, 0.09, 0.09], 3)]);
    let solid = solid_of(&surface, Size::Resolution(40));
    assert_eq!(solid.components, 1);
    assert!(said(&solid, "1 island was dropped"), "{:?}", solid.notes);
}

fn cube(centre: [f64; 3], side: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let bar = shapes::bar(Vec3::repeat(side), [1, 1, 1]);
    let place = |p: &Vec3| p + Vec3::from(centre) - Vec3::repeat(side / 2.0);
    (bar.vertices().iter().map(place).collect(), boundary_faces(bar.tets()))
}

fn grid(n: u32) -> impl Iterator<Item = [f64; 3]> {
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n].map(f64::from))
}

#[test]
fn more_than_a_thousand_equal_parts_are_all_filled() {
    let cubes: Vec<_> = grid(11).take(1100).map(|p| cube(p.map(|x| 2.0 * x), 1.0)).collect();
    let solid = solid_of(&join(&cubes), Size::Edge(0.5));
    assert_eq!(solid.components, 1100, "{:?}", solid.notes);
    assert!(!said(&solid, "dropped"), "{:?}", solid.notes);
}

#[test]
fn thousands_of_cavities_are_found_in_their_block_and_parts_inside_out_are_turned() {
    let mut parts = vec![cube([4.5; 3], 10.0)];
    parts.extend(grid(10).map(|p| inward(cube(p, 0.5))));
    // In every fourth cavity a cube of its own, inside out.
    parts.extend(grid(10).step_by(4).map(|p| inward(cube(p, 0.2))));
    let soup = soup::Soup::new(&join(&parts)).unwrap();
    assert_eq!(soup.parts.len(), 1251);
    assert!(
        soup.notes.iter().any(|n| n.starts_with("250 of 1251 parts were inside out")),
        "{:?}",
        soup.notes
    );
    let hosts: Vec<Option<u32>> = soup.parts.iter().map(|p| p.cavity_of).collect();
    assert!(hosts[1..1001].iter().all(|h| *h == Some(0)));
    assert!(hosts[0].is_none() && hosts[1001..].iter().all(Option::is_none));
    let volume: f64 = soup.parts.iter().map(|p| p.volume).sum();
    assert!((volume - (1000.0 - 125.0 + 2.0)).abs() < 1e-9, "{volume}");
}

fn sheet() -> SurfaceMesh {
    let n = 10u32;
    let vertices = (0..=n)
        .flat_map(|i| (0..=n).map(move |j| Vec3::new(f64::from(i), f64::from(j), 0.3 * f64::from(i % 3))))
        .collect();
    let mut faces = Faces::new();
    for i in 0..n {
        for j in 0..n {
            let at = |i: u32, j: u32| i * (n + 1) + j;
            faces.push(&[at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    SurfaceMesh::new(vertices, faces).unwrap()
}

#[test]
fn a_sheet_is_refused_with_the_way_out_and_a_cage_holds_it() {
    for size in [Size::Auto, Size::Resolution(20), Size::Elements(1000)] {
        let options = Options { size, ..Options::default() };
        let error = tetrahedralise(&sheet(), &options, &mut ignore_progress).unwrap_err().to_string();
        assert!(error.contains("a cage of tets"), "{error}");
    }
    assert_cage(&sheet(), 15);
    let thin = sphere([0.0; 3], [1.0, 1.0, 0.01], 6);
    assert_cage(&join(&[thin, sphere([0.0, 0.0, 1.0], [0.01, 0.01, 1.0], 4)]), 12);
    assert_cage(&torus(20, 10), 33);
}

/// Every vertex and points of every triangle lie in a tet of the cage, which is sound.
fn assert_cage(surface: &SurfaceMesh, cells: usize) {
    let options = Options { size: Size::Resolution(cells), cage: true, ..Options::default() };
    let mesh = tetrahedralise(surface, &options, &mut ignore_progress).unwrap().mesh;
    let (low, high) = angles(&mesh);
    assert!(low > 44.99 && high < 120.01, "{low} to {high}");
    assert_conforming(&mesh);
    assert_no_hinges(&mesh);
    let tree = crate::bvh::Bvh::of_tets(mesh.vertices(), mesh.tets());
    for t in surface.triangles() {
        let [a, b, c] = t.map(|v| surface.vertices()[v as usize]);
        for [u, v] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.3, 0.3], [0.5, 0.5], [0.1, 0.7]] {
            let p = a + (b - a) * u + (c - a) * v;
            let mut held = false;
            let near = |t: u32| {
                let tet = mesh.corners(t as usize);
                held |= (0..4).all(|i| {
                    let mut moved = tet;
                    moved[i] = p;
                    tet_volume(&moved) >= -1e-9 * tet_volume(&tet)
                });
            };
            tree.visit(|b| b.distance_squared(&p) < 1e-18, near);
            assert!(held, "{p:?} is outside");
        }
    }
}

#[test]
fn the_number_of_tets_can_be_asked_for() {
    let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 2, 2]);
    let bar = (bar.vertices().to_vec(), boundary_faces(bar.tets()));
    let surfaces = [join(&[bar]), torus(30, 15), join(&[sphere([0.0; 3], [1.0, 0.7, 0.5], 8)])];
    for (i, surface) in surfaces.iter().enumerate() {
        for wanted in [1000, 4000, 12_000] {
            for cage in [false, true] {
                let options = Options { size: Size::Elements(wanted), cage, ..Options::default() };
                let mesh = tetrahedralise(surface, &options, &mut ignore_progress).unwrap().mesh;
                let off = mesh.tets().len() as f64 / wanted as f64 - 1.0;
                assert!(off.abs() < 0.15, "surface {i}, cage {cage}: {} for {wanted}", mesh.tets().len());
            }
        }
    }
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let surface = join(&[sphere([0.0; 3], [1.0, 0.9, 0.8], 8), sphere([0.7, 0.2, 0.1], [0.9, 0.5, 0.6], 8)]);
    let with = |threads: usize, cage: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = Options { cage, ..Options::default() };
        pool.install(|| tetrahedralise(&surface, &options, &mut ignore_progress).unwrap().mesh)
    };
    for cage in [false, true] {
        assert!(with(1, cage) == with(3, cage), "cage {cage}");
    }
}

#[test]
fn it_stops_when_asked() {
    let surface = join(&[sphere([0.0; 3], [1.0, 1.0, 1.0], 6)]);
    for patience in 0..8 {
        let mut calls = 0;
        let mut watch = |_: Progress| {
            calls += 1;
            if calls > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let result = tetrahedralise(&surface, &Options::default(), &mut watch);
        assert!(matches!(result, Err(MeshError::Cancelled)), "after {patience}");
    }
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    let surface = join(&[sphere([0.0; 3], [1.0, 1.0, 1.0], 3)]);
    for size in [
        Size::Edge(0.0),
        Size::Edge(-1.0),
        Size::Edge(f64::NAN),
        Size::Edge(1e-12),
        Size::Edge(100.0),
        Size::Resolution(0),
        Size::Elements(0),
    ] {
        let options = Options { size, ..Options::default() };
        let error = tetrahedralise(&surface, &options, &mut ignore_progress).unwrap_err();
        let refused = match size {
            Size::Edge(1e-12) => matches!(error, MeshError::TooFine { .. }),
            _ => matches!(
                error,
                MeshError::EnclosesNothing { .. } | MeshError::Inconsistent(_) | MeshError::NothingInside
            ),
        };
        assert!(refused, "{size:?}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn soup_of_any_numbers_never_panics(
        points in proptest::collection::vec(pliant_testkit::strategies::point(), 4..20),
        corners in proptest::collection::vec(0u32..4, 3..36),
        cage: bool,
        keep_parts: bool,
    ) {
        soup(points.iter().map(|p| [p.x, p.y, p.z]).collect(), &corners, cage, keep_parts)?;
    }

    #[test]
    fn dense_soup_never_panics(
        points in proptest::collection::vec([-1.0..1.0f64, -1.0..1.0, -1.0..1.0], 12..40),
        corners in proptest::collection::vec(0u32..12, 30..120),
        cage: bool,
    ) {
        soup(points, &corners, cage, false)?;
    }
}

/// Whatever comes out of the soup is sound.
fn soup(
    points: Vec<[f64; 3]>,
    corners: &[u32],
    cage: bool,
    keep_parts: bool,
) -> std::result::Result<(), TestCaseError> {
    let triangles: Vec<[u32; 3]> = corners
        .chunks_exact(3)
        .map(|c| [c[0], c[1], c[2]])
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    let faces = Faces::from_triangles(&triangles);
    let Ok(surface) = SurfaceMesh::new(points.into_iter().map(Vec3::from).collect(), faces) else {
        return Ok(());
    };
    let options = Options { size: Size::Resolution(10), cage, keep_parts, ..Options::default() };
    if let Ok(solid) = tetrahedralise(&surface, &options, &mut ignore_progress) {
        let (low, high) = angles(&solid.mesh);
        // Between cells of two sizes the lattice promises less.
        let limits = if solid.whole.refined.is_some() { (5.0, 172.0) } else { (10.77, 164.71) };
        prop_assert!(low > limits.0 && high < limits.1, "{} to {}, {:?}", low, high, solid.whole);
        assert_no_hinges(&solid.mesh);
    }
    Ok(())
}

/// (file, holes, Euler characteristic of the solid's boundary at the default size or none where thin parts decide).
const SHARED: [(&str, usize, Option<i64>); 11] = [
    ("surfaces/sphere.obj", 0, Some(2)),
    ("surfaces/bunny.off", 0, Some(2)),
    ("surfaces/3holes.off", 0, Some(-4)),
    ("surfaces/fandisk.off", 0, Some(2)),
    ("surfaces/decimated-max.obj", 0, Some(2)),
    ("surfaces/own_bar.obj", 0, Some(2)),
    ("surfaces/own_cylinder.obj", 0, Some(2)),
    ("surfaces/own_cactus_like.obj", 0, Some(2)),
    ("surfaces/survey_bar.off", 1, Some(2)),
    ("quads/own_torus_quad.obj", 0, Some(0)),
    ("surfaces/cow.off", 0, None),
];

#[test]
fn real_surfaces_become_sound_solids_within_a_percent() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    for (file, holes, boundary) in SHARED {
        let surface = SurfaceMesh::from_data(crate::io::load(&data.join(file)).unwrap().mesh).unwrap();
        let solid = solid_of(&surface, Size::Auto);
        assert!(solid.volume_error.unwrap() < 0.01, "{file}: {:?}", solid.volume_error);
        assert_eq!((solid.components, solid.holes), (1, holes), "{file}");
        let tets = solid.mesh.tets();
        assert_eq!(components(solid.mesh.vertices().len(), tets.iter().map(|t| &t[..])).1, 1, "{file}");
        assert!(boundary.is_none_or(|x| x == euler(&solid.mesh)), "{file}: {}", euler(&solid.mesh));
    }
}

#[test]
fn a_volume_counted_twice_does_not_make_the_default_finer() {
    // Both spheres turn outwards, so the winding number is 2 where they overlap.
    let nested = [sphere([0.0; 3], [1.0; 3], 8), sphere([0.0; 3], [0.5; 3], 8)];
    let crossed = [sphere([0.0; 3], [1.0; 3], 8), sphere([0.9, 0.1, 0.0], [1.0; 3], 8)];
    for parts in [&nested, &crossed] {
        let solid = tetrahedralise(&join(parts), &Options::default(), &mut ignore_progress).unwrap();
        assert!(solid.mesh.tets().len() < 30_000, "{} tets", solid.mesh.tets().len());
        assert!(solid.volume_error.is_some_and(|e| e < 0.01), "{:?}", solid.volume_error);
    }
    let alone = crate::measure::enclosed_volume(&nested[0].0, &nested[0].1);
    let solid = tetrahedralise(&join(&nested), &Options::default(), &mut ignore_progress).unwrap();
    assert!((solid.mesh.volume() / alone - 1.0).abs() < 0.015, "the inner sphere adds nothing");
}

#[test]
fn too_few_tets_for_a_thin_body_are_refused_with_the_way_out() {
    let plate = shapes::bar(Vec3::new(1.0, 1.0, 0.002), [4, 4, 1]).boundary();
    let options = Options { size: Size::Elements(5000), ..Options::default() };
    let error = tetrahedralise(&plate, &options, &mut ignore_progress).unwrap_err().to_string();
    assert!(error.contains("a cage of tets") && error.contains("5000"), "{error}");
}
