//! Places: regions, what is alike, what stands out.

use pliant_energy::{MassKind, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::shapes;
use pliant_shape::{Kind, Skin, Times};

use crate::shells::{body, folded, modes};

/// A box of which the eight corners are alike but for the diagonals of its triangles, and the numbers of the corners.
fn brick() -> (pliant_mesh::MeshData, Vec<u32>) {
    let size = Vec3::new(1.0, 0.7, 0.5);
    let mesh = shapes::bar(size, [12, 8, 6]).boundary().into_data();
    let [low, high] = mesh.bounds();
    let is_corner = |x: &Vec3| (0..3).all(|c| (x[c] - low[c]).min(high[c] - x[c]).abs() < 1e-9);
    let corners = (0..).zip(&mesh.vertices).filter(|(_, x)| is_corner(x)).map(|(v, _)| v).collect();
    (mesh, corners)
}

#[test]
fn the_corners_of_a_box_are_alike_and_stand_out() {
    let (mesh, corners) = brick();
    assert_eq!(corners.len(), 8);
    let skin = Skin::of(&body(&mesh));
    for kind in Kind::ALL {
        let spectrum = modes(kind, &mesh, 100);
        let times = Times::Relative { from: 0.02, to: 0.3, count: 20 }.of(&spectrum).expect("times");
        let signature = spectrum.signature(&times);
        let from = corners[0];
        let distance = signature.distance(&[from]).expect("a distance");
        let mut alike: Vec<u32> = skin.alike(&distance, &[from], 7, 0.05).iter().map(|a| a.vertex).collect();
        alike.sort_unstable();
        assert_eq!(alike, corners[1..], "{}", kind.name());
        let features = signature.features(&skin, 0.05, &mut ignore_progress).expect("features");
        let mut found: Vec<u32> = features.iter().map(|f| f.vertex).collect();
        found.sort_unstable();
        // Heat stays longest in corners; a shell swings most in the middle of its sides, and hardly in its corners.
        match kind {
            Kind::Heat => assert_eq!(found, corners),
            Kind::Vibration => assert!(!found.is_empty() && !found.iter().any(|v| corners.contains(v))),
        }
        assert!(features.iter().all(|f| f.persistence >= 0.05 && times.contains(&f.time)));
        for f in &features {
            let i = times.iter().position(|t| *t == f.time).expect("a time");
            assert_eq!(f.value, signature.at_time(i)[f.vertex as usize]);
        }
    }
}

#[test]
fn the_corners_of_a_folded_strip_stand_out() {
    let mesh = folded(16, 30.0);
    let skin = Skin::of(&body(&mesh));
    for kind in Kind::ALL {
        let spectrum = modes(kind, &mesh, 60);
        let times = Times::Relative { from: 0.02, to: 1.0, count: 20 }.of(&spectrum).expect("times");
        let features =
            spectrum.signature(&times).features(&skin, 0.05, &mut ignore_progress).expect("features");
        let mut found: Vec<u32> = features.iter().map(|f| f.vertex).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 16, 136, 152], "{}", kind.name());
        assert!(features.is_sorted_by(|a, b| a.persistence >= b.persistence));
    }
}

#[test]
fn regions_are_what_is_nearer_largest_first() {
    let (mesh, corners) = brick();
    let skin = Skin::of(&body(&mesh));
    let spectrum = modes(Kind::Vibration, &mesh, 60);
    let signature = spectrum.signature(&Times::Usual.of(&spectrum).expect("times"));
    let distance = signature.distance(&[corners[0]]).expect("a distance");
    let whole: f64 = skin.areas.iter().sum();
    assert!((whole - 2.0 * (0.7 + 0.5 + 0.35)).abs() < 1e-12, "{whole}");
    let below = skin.threshold_of(&distance, 0.05);
    let regions = skin.regions(&distance, below);
    let area: f64 = regions.iter().map(|r| r.area).sum();
    assert!((0.03..0.07).contains(&(area / whole)), "{area}");
    assert!(regions.len() >= 8 && regions.is_sorted_by(|a, b| a.area >= b.area), "{}", regions.len());
    let inside = regions.iter().flat_map(|r| &r.vertices).count();
    assert_eq!(inside, distance.iter().filter(|d| **d < below).count());
    for region in &regions {
        let mean: f64 = region.vertices.iter().map(|&v| distance[v as usize] * skin.areas[v as usize]).sum();
        assert!((region.mean * region.area - mean).abs() < 1e-12 && region.mean < below);
        assert!(region.vertices.iter().all(|&v| (skin.rest[v as usize] - region.centre).norm() < 0.4));
    }
    let one = skin.regions(&distance, f64::INFINITY);
    assert_eq!((one.len(), one[0].vertices.len()), (1, mesh.vertices.len()));
    assert!(skin.regions(&distance, 0.0).is_empty());
}

#[test]
fn a_solid_has_its_places_on_its_boundary() {
    let bar = shapes::bar(Vec3::new(1.0, 0.4, 0.4), [8, 3, 3]).into_data();
    let recipe = Recipe { mass: Some(MassKind::Lumped), ..Recipe::default() };
    let body = recipe.build(bar.clone()).expect("a body");
    let skin = Skin::of(&body);
    let inside = |v: usize| {
        let x = bar.vertices[v];
        let [low, high] = bar.bounds();
        (0..3).all(|c| x[c] > low[c] + 1e-9 && x[c] < high[c] - 1e-9)
    };
    for v in 0..bar.vertices.len() {
        assert_eq!(skin.has(v as u32), !inside(v), "{v}");
    }
    let spectrum = modes(Kind::Vibration, &bar, 40);
    let distance = spectrum.signature(&Times::Usual.of(&spectrum).expect("t")).distance(&[0]).expect("d");
    let all = skin.regions(&distance, f64::INFINITY);
    assert_eq!(all[0].vertices.len(), (0..bar.vertices.len()).filter(|&v| !inside(v)).count());
}
