//! What a coarse surface must still be.

use pliant_linalg::ignore_progress;
use pliant_testkit::order::observed;
use proptest::prelude::*;

use super::*;
use crate::bvh::Bvh;
use crate::embed::triangle_distance_squared;
use crate::measure::{enclosed_volume, total_area};
use crate::shapes::{self, ShapeOptions};
use crate::topology::{boundary_loops, components, euler_characteristic, genus};
use crate::{Region, io};

fn coarse(surface: &SurfaceMesh, n: usize) -> Decimated {
    decimate(surface, Target::Vertices(n), &mut ignore_progress).expect("a coarse surface")
}

fn made(name: &str, subdivision: usize) -> MeshData {
    let options = ShapeOptions { subdivision: Some(subdivision), ..ShapeOptions::default() };
    shapes::find(name).and_then(|s| s.make(&options, &mut ignore_progress)).expect("a shape")
}

fn sheet(n: usize) -> SurfaceMesh {
    SurfaceMesh::from_data(made("cloth", n)).expect("a sheet")
}

/// A torus of radii 1 and 0.4 (metres), 2n by n quads cut in two.
fn torus(n: usize) -> SurfaceMesh {
    let (around, across) = (2 * n, n);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (
                i as f64 / around as f64 * std::f64::consts::TAU,
                j as f64 / across as f64 * std::f64::consts::TAU,
            );
            let r = 1.0 + 0.4 * b.cos();
            vertices.push(Vec3::new(r * a.cos(), r * a.sin(), 0.4 * b.sin()));
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    SurfaceMesh::new(vertices, Faces::from_triangles(&triangles)).expect("a torus")
}

/// (parts, loops of the rim, genus, whether every edge has at most two faces and no vertex is pinched).
fn topology(surface: &SurfaceMesh) -> (usize, usize, Option<u64>, bool) {
    let (faces, n) = (surface.faces(), surface.vertices().len());
    let edges = Edges::new(faces);
    let parts = components(n, faces.iter()).1;
    let loops = boundary_loops(faces, &edges).len();
    let manifold = (0..edges.len()).all(|e| edges.uses(e).len() <= 2)
        && crate::topology::pinched_vertices(faces, &edges, n).is_empty();
    (parts, loops, genus(euler_characteristic(faces, &edges), parts, loops), manifold)
}

fn volume(surface: &SurfaceMesh) -> f64 {
    enclosed_volume(surface.vertices(), &surface.triangles())
}

/// The largest distance of a vertex of `a` from `b`, metres.
fn farthest(a: &SurfaceMesh, b: &SurfaceMesh) -> f64 {
    let triangles = b.triangles();
    let tree = Bvh::of_triangles(b.vertices(), &triangles);
    let distance = |p: &Vec3| {
        let to =
            |t: u32| triangle_distance_squared(&triangles[t as usize].map(|v| b.vertices()[v as usize]), p);
        tree.nearest(p, to).expect("triangles").1
    };
    a.vertices().iter().map(distance).fold(0.0, f64::max).sqrt()
}

/// What holds for every coarse surface of every fine one.
#[track_caller]
fn sound(fine: &SurfaceMesh, found: &Decimated) {
    let n = found.surface.vertices().len();
    let mut used = vec![false; fine.vertices().len()];
    fine.faces().corners().iter().for_each(|&v| used[v as usize] = true);
    for (v, to) in found.coarse_of.iter().enumerate() {
        assert_eq!(to.is_some(), used[v], "vertex {v} goes to {to:?}");
        assert!(to.is_none_or(|to| (to as usize) < n));
    }
    assert!(found.fine_of().iter().all(|fine| !fine.is_empty()), "the map is onto");
    let mut corners = vec![false; n];
    found.surface.faces().corners().iter().for_each(|&v| corners[v as usize] = true);
    assert!(corners.iter().all(|&c| c), "every coarse vertex has a face");
    let (before, after) = (topology(fine), topology(&found.surface));
    assert!(!before.3 || before == after, "{before:?} became {after:?}");
    // The map keeps neighbours together: the ends of a fine edge are one coarse vertex or two that are joined.
    let joined = Edges::new(found.surface.faces());
    for &[a, b] in Edges::new(&Faces::from_triangles(&fine.triangles())).all_ends() {
        let (a, b) = (found.coarse_of[a as usize].expect("used"), found.coarse_of[b as usize].expect("used"));
        assert!(
            a == b || joined.all_ends().binary_search(&[a.min(b), a.max(b)]).is_ok(),
            "{a} {b} came apart"
        );
    }
}

#[test]
fn a_sphere_and_a_torus_keep_their_topology_down_to_the_least() {
    let ball = shapes::ball(1.0, 6).boundary();
    let sphere = decimate(&ball, Target::Vertices(40), &mut ignore_progress).expect("coarse");
    assert!(sphere.reached);
    sound(&ball, &sphere);
    assert_eq!(topology(&sphere.surface), (1, 0, Some(0), true));
    let least = coarse(&ball, 4);
    sound(&ball, &least);
    assert_eq!((least.surface.vertices().len(), least.reached), (4, true));

    let ring = torus(24);
    for n in [600, 100, 40] {
        let found = coarse(&ring, n);
        sound(&ring, &found);
        assert_eq!((found.surface.vertices().len(), found.reached), (n, true));
        assert_eq!(topology(&found.surface), (1, 0, Some(1), true));
    }
    // A torus has at least seven vertices, and does not come there with triangles that keep their sides.
    let least = coarse(&ring, 3);
    sound(&ring, &least);
    assert!(!least.reached && (7..40).contains(&least.surface.vertices().len()));
}

#[test]
fn volume_and_distance_fall_with_the_square_of_the_edge() {
    // A vertex stands for a piece of side h ~ n^-1/2: errors of a surface of triangles are of order h².
    let (ball, ring) = (shapes::ball(1.0, 24).boundary(), torus(64));
    for (name, fine) in [("ball", &ball), ("torus", &ring)] {
        let sides: Vec<f64> = [200.0, 400.0, 800.0, 1600.0].map(|n: f64| n.powf(-0.5)).to_vec();
        let of = |h: f64| coarse(fine, (1.0 / h / h).round() as usize).surface;
        let exact = volume(fine);
        let order = observed(&sides, |h| (farthest(&of(h), fine)).max(farthest(fine, &of(h))));
        assert!((1.6..2.6).contains(&order), "{name}: distance of order {order:.2}");
        let worst = |n: usize| (volume(&coarse(fine, n).surface) / exact - 1.0).abs();
        assert!(worst(400) < 0.01 && worst(1600) < 0.003, "{name}: {} {}", worst(400), worst(1600));
        assert!(farthest(fine, &of(1600_f64.powf(-0.5))) < 0.01, "{name}");
    }
}

#[test]
fn a_sheet_keeps_its_rim_and_its_triangles_are_well_shaped() {
    let fine = sheet(40);
    for n in [400, 100, 30] {
        let found = coarse(&fine, n);
        sound(&fine, &found);
        let triangles = found.surface.triangles();
        assert!((total_area(found.surface.vertices(), &triangles) - 1.0).abs() < 1e-10, "{n}");
        assert!(found.surface.vertices().iter().all(|p| p.y.abs() < 1e-12));
        // The corners are where they were: the set still names four of them.
        let corners = &found.surface.attributes().set("corners").expect("the set").vertices;
        assert_eq!(corners.len(), 4);
        for &v in corners {
            let p = found.surface.vertices()[v as usize];
            assert!((p.x.abs() - 0.5).abs() < 1e-9 && (p.z.abs() - 0.5).abs() < 1e-9, "{p}");
        }
        // Nothing but the costs along the surface makes triangles of one size here.
        let areas: Vec<f64> = triangles
            .iter()
            .map(|t| area_vector(&t.map(|v| found.surface.vertices()[v as usize])).y)
            .collect();
        let mean = 1.0 / areas.len() as f64;
        assert!(areas.iter().all(|&a| a > 0.1 * mean && a < 4.0 * mean), "{n}: {mean} {areas:?}");
    }
}

#[test]
fn a_bar_keeps_its_edges_and_corners() {
    let fine = shapes::bar(Vec3::new(3.0, 1.0, 0.5), [24, 8, 4]).boundary();
    let found = coarse(&fine, 60);
    sound(&fine, &found);
    assert!((volume(&found.surface) / 1.5 - 1.0).abs() < 1e-9);
    let least = coarse(&fine, 8);
    assert!((volume(&least.surface) / 1.5 - 1.0).abs() < 1e-9, "eight corners: {}", volume(&least.surface));
}

#[test]
fn targets_that_make_no_sense_are_refused() {
    let fine = sheet(4);
    let error = |target| decimate(&fine, target, &mut ignore_progress).expect_err("refused").to_string();
    let more = error(Target::Vertices(26));
    assert!(more.contains("26 vertices") && more.contains("25"), "{more}");
    assert!(error(Target::Triangles(33)).contains("choose 32 or fewer"));
    assert!(error(Target::Vertices(2)).contains("at least 3"));
    // All of them is the surface itself.
    let same = coarse(&fine, 25);
    assert_eq!(same.surface.into_data(), fine.clone().into_data());
    assert!(same.coarse_of.iter().zip(0..).all(|(to, v)| *to == Some(v)));
    let few = decimate(&fine, Target::Triangles(10), &mut ignore_progress).expect("coarse");
    assert!((9..=10).contains(&few.surface.faces().len()));
    let stop = &mut |_: Progress| std::ops::ControlFlow::Break(());
    assert!(matches!(decimate(&fine, Target::Vertices(9), stop), Err(MeshError::Cancelled)));
}

#[test]
fn parts_regions_quads_and_vertices_that_nobody_uses() {
    // Two sheets of quads one above the other, two regions each, and a vertex beside them.
    let n = 12;
    let mut vertices = vec![Vec3::new(9.0, 9.0, 9.0)];
    let mut faces = Faces::new();
    let mut region_of = Vec::new();
    for level in 0..2 {
        let at = |x: usize, y: usize| (1 + level * (n + 1) * (n + 1) + x + (n + 1) * y) as u32;
        for y in 0..=n {
            for x in 0..=n {
                vertices.push(Vec3::new(x as f64, y as f64, level as f64));
                if x < n && y < n {
                    faces.push(&[at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
                    region_of.push(u32::from(2 * x >= n));
                }
            }
        }
    }
    let mut data = MeshData::from_faces(vertices, faces);
    data.attributes.regions =
        ["left", "right"].map(|name| Region { name: name.into(), material: None }).to_vec();
    data.attributes.region_of = region_of;
    let fine = SurfaceMesh::from_data(data).expect("sheets");
    let found = coarse(&fine, 40);
    sound(&fine, &found);
    assert_eq!((found.coarse_of[0], topology(&found.surface).0), (None, 2));
    // The line between the regions stays straight: each has half of both sheets.
    let area = |r: u32| -> f64 {
        let a = found.surface.attributes();
        let own = found.surface.triangles().into_iter().zip(&a.region_of).filter(|(_, of)| **of == r);
        own.map(|(t, _)| area_vector(&t.map(|v| found.surface.vertices()[v as usize])).norm()).sum()
    };
    assert!((area(0) - 144.0).abs() < 1e-9 && (area(1) - 144.0).abs() < 1e-9, "{} {}", area(0), area(1));
    // Parts do not vanish: two triangles at least.
    let least = coarse(&fine, 3);
    assert!(!least.reached && topology(&least.surface).0 == 2);
}

#[test]
fn what_is_no_manifold_stays_as_it_is() {
    // Three wings on one spine, each a strip of squares.
    let (n, m) = (10, 8);
    let mut vertices: Vec<Vec3> = (0..=n).map(|i| Vec3::new(0.0, 0.0, i as f64)).collect();
    let mut triangles = Vec::new();
    for wing in 0..3 {
        let turn = f64::from(wing) * 2.0;
        let first = vertices.len();
        for j in 1..=m {
            vertices
                .extend((0..=n).map(|i| Vec3::new(turn.cos() * j as f64, turn.sin() * j as f64, i as f64)));
        }
        let at = |i: usize, j: usize| if j == 0 { i as u32 } else { (first + (j - 1) * (n + 1) + i) as u32 };
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    let fine = SurfaceMesh::new(vertices, Faces::from_triangles(&triangles)).expect("wings");
    let found = coarse(&fine, 40);
    sound(&fine, &found);
    assert!(found.reached);
    let many = |s: &SurfaceMesh| {
        let edges = Edges::new(s.faces());
        let triple = (0..edges.len()).filter(|&e| edges.uses(e).len() == 3);
        triple.map(|e| edges.ends(e).map(|v| s.vertices()[v as usize].z)).collect::<Vec<_>>()
    };
    assert_eq!(many(&fine), many(&found.surface));
    assert_eq!(many(&fine).len(), n);
}

#[test]
fn the_same_surface_gives_the_same_bits() {
    let fine = torus(20);
    let (a, b) = (coarse(&fine, 90), coarse(&fine, 90));
    assert_eq!(a.surface, b.surface);
    assert_eq!(a.coarse_of, b.coarse_of);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_soup_is_too_bad(
        places in proptest::collection::vec([-3..3i8, -3..3i8, -1..2i8], 3..14),
        corners in proptest::collection::vec([0..14u32, 0..14, 0..14], 1..30),
        size in prop_oneof![Just(1.0), Just(1e-160), Just(1e160), Just(0.0)],
        target in 3..14usize,
    ) {
        let vertices: Vec<Vec3> = places.iter().map(|p| Vec3::from(p.map(|x| f64::from(x) * size))).collect();
        let n = vertices.len() as u32;
        let triangles: Vec<[u32; 3]> = corners
            .iter()
            .map(|t| t.map(|v| v % n))
            .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            .collect();
        prop_assume!(!triangles.is_empty());
        let fine = SurfaceMesh::new(vertices, Faces::from_triangles(&triangles)).expect("a soup");
        match decimate(&fine, Target::Vertices(target), &mut ignore_progress) {
            Ok(found) => {
                sound(&fine, &found);
                prop_assert_eq!(found.reached, found.surface.vertices().len() <= target);
            }
            Err(error) => prop_assert!(error.to_string().contains("choose"), "{}", error),
        }
    }
}

#[test]
fn real_surfaces_keep_their_topology() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    for name in ["bunny.off", "fandisk.off", "armadillo.obj", "survey_plane.off", "3holes.off", "beetle.off"]
    {
        let mesh = io::load(&data.join("surfaces").join(name)).expect(name).mesh;
        let (fine, _) = SurfaceMesh::without_bad_faces(mesh).expect(name);
        let used = coarse_size(&fine);
        let found = coarse(&fine, used / 10);
        sound(&fine, &found);
        let [low, high] = bounds(fine.vertices());
        let off = farthest(&fine, &found.surface) / (high - low).norm();
        assert!(
            off < 0.02,
            "{name}: {off:.1e} of its size, {used} vertices, {}",
            found.surface.vertices().len()
        );
    }
}

/// Vertices that a face uses.
fn coarse_size(surface: &SurfaceMesh) -> usize {
    let mut used = surface.faces().corners().to_vec();
    used.sort_unstable();
    used.dedup();
    used.len()
}
