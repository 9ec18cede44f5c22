//! What must hold for the lattice, its cuts and the solids filled by it.

use pliant_linalg::{Vec3, ignore_progress};

use super::stuffing::{ALPHA_LONG, ALPHA_SHORT};
use super::*;
use crate::measure::dihedral_angles;
use crate::topology::boundary_faces;

/// Signs and cut points by chance: the hardest solid there is.
struct Noise {
    seed: u64,
    share: f64,
}

fn hash(seed: u64, p: &Vec3) -> f64 {
    let mut h = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for x in p.iter() {
        h = (h ^ x.to_bits()).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^= h >> 29;
    }
    (h >> 11) as f64 / (1u64 << 53) as f64
}

impl Solid for Noise {
    fn bounds(&self) -> Aabb {
        Aabb { low: Vec3::zeros(), high: Vec3::repeat(12.0) }
    }
    fn inside(&self, p: &Vec3) -> bool {
        self.bounds().distance_squared(p) == 0.0 && hash(self.seed, p) < self.share
    }
    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        let t = hash(self.seed + 1, &(inner + outer * 3.0));
        // The bounds are met at the ends of the allowed ranges.
        let just = 1e-9;
        match (hash(self.seed + 2, &(inner * 3.0 + outer)) * 10.0) as u32 {
            0 => ALPHA_LONG - just,
            1 => ALPHA_LONG + just,
            2 => ALPHA_SHORT - just,
            3 => ALPHA_SHORT + just,
            4 => 1.0 - ALPHA_LONG - just,
            5 => 1.0 - ALPHA_LONG + just,
            6 => 1.0 - ALPHA_SHORT - just,
            7 => 1.0 - ALPHA_SHORT + just,
            _ => t,
        }
    }
}

pub(super) fn angles(mesh: &TetMesh) -> (f64, f64) {
    (0..mesh.tets().len())
        .flat_map(|t| dihedral_angles(&mesh.corners(t)))
        .fold((f64::INFINITY, 0.0f64), |(low, high), a| (low.min(a.to_degrees()), high.max(a.to_degrees())))
}

#[test]
fn the_angles_are_bounded_whatever_the_surface() {
    for seed in 0..8 {
        let solid = Noise { seed, share: 0.1 + 0.1 * seed as f64 };
        let mesh = fill(&solid, 1.0, Grading::Uniform, &mut ignore_progress).unwrap();
        let (low, high) = angles(&mesh);
        assert!(low > 10.77 && high < 164.71, "seed {seed}: {low} to {high} degrees");
        assert_conforming(&mesh);
    }
}

/// A ball, as a distance.
struct Ball(f64);

impl Solid for Ball {
    fn bounds(&self) -> Aabb {
        Aabb { low: Vec3::repeat(-self.0), high: Vec3::repeat(self.0) }
    }
    fn inside(&self, p: &Vec3) -> bool {
        p.norm() < self.0
    }
    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        let d = outer - inner;
        let (a, b, c) = (d.norm_squared(), inner.dot(&d), inner.norm_squared() - self.0 * self.0);
        (-b + (b * b - a * c).sqrt()) / a
    }
    fn side(&self, cube: &Aabb) -> Option<bool> {
        let distance = cube.centre().norm() - self.0;
        let reach = (cube.high - cube.low).norm() / 2.0;
        (distance.abs() > reach).then_some(distance < 0.0)
    }
}

#[test]
fn a_graded_ball_conforms_keeps_its_angles_and_is_coarse_inside() {
    let uniform = fill(&Ball(1.0), 0.05, Grading::Uniform, &mut ignore_progress).unwrap();
    let graded = fill(&Ball(1.0), 0.05, Grading::Coarser, &mut ignore_progress).unwrap();
    assert!(
        graded.tets().len() * 2 < uniform.tets().len(),
        "{} of {}",
        graded.tets().len(),
        uniform.tets().len()
    );
    for mesh in [&uniform, &graded] {
        let (low, high) = angles(mesh);
        assert!(low > 10.77 && high < 164.71, "{low} to {high} degrees");
        assert_conforming(mesh);
        assert!((mesh.volume() / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 2e-3, "{}", mesh.volume());
    }
    let skin = |mesh: &TetMesh| boundary_faces(mesh.tets()).len();
    assert_eq!(skin(&uniform), skin(&graded));
}

/// A ball whose boxes are said to be inside too early.
struct Contradiction;

impl Solid for Contradiction {
    fn bounds(&self) -> Aabb {
        Ball(1.0).bounds()
    }
    fn inside(&self, p: &Vec3) -> bool {
        Ball(1.0).inside(p)
    }
    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        Ball(1.0).crossing(inner, outer)
    }
    fn side(&self, cube: &Aabb) -> Option<bool> {
        Ball(1.2).side(cube)
    }
}

#[test]
fn a_solid_that_contradicts_itself_is_refused() {
    let refused = fill(&Contradiction, 0.05, Grading::Coarser, &mut ignore_progress).unwrap_err();
    assert!(refused.to_string().contains("by one answer of the solid"), "{refused}");
}

#[test]
fn the_volume_of_a_ball_converges_with_second_order() {
    let order = pliant_testkit::order::observed(&[0.2, 0.1, 0.05, 0.025], |edge| {
        let mesh = fill(&Ball(1.0), edge, Grading::Coarser, &mut ignore_progress).unwrap();
        4.0 / 3.0 * std::f64::consts::PI - mesh.volume()
    });
    assert!((order - 2.0).abs() < 0.15, "observed order {order:.3}");
}

/// Every face is shared by at most two tets, from opposite sides, and the volumes add up to what the boundary encloses.
pub(super) fn assert_conforming(mesh: &TetMesh) {
    let mut faces: Vec<([u32; 3], bool)> = Vec::new();
    for t in mesh.tets() {
        for f in crate::measure::TET_FACES {
            let f = f.map(|c| t[c]);
            let mut key = f;
            key.sort_unstable();
            let even = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].iter().any(|r| r.map(|i| key[i]) == f);
            faces.push((key, even));
        }
    }
    faces.sort_unstable();
    for group in faces.chunk_by(|a, b| a.0 == b.0) {
        assert!(group.len() == 1 || group.len() == 2 && group[0].1 != group[1].1, "face {:?}", group[0].0);
    }
    let boundary = boundary_faces(mesh.tets());
    let enclosed = crate::measure::enclosed_volume(mesh.vertices(), &boundary);
    assert!((enclosed / mesh.volume() - 1.0).abs() < 1e-9, "{enclosed} against {}", mesh.volume());
    // A crack would be a boundary face inside; its twin lies on it with other corners, so edges would not close.
    let mut edges: Vec<([u32; 2], i32)> = boundary
        .iter()
        .flat_map(|f| (0..3).map(|i| [f[i], f[(i + 1) % 3]]))
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    edges.sort_unstable();
    assert!(edges.chunk_by(|a, b| a.0 == b.0).all(|g| g.iter().map(|e| e.1).sum::<i32>() == 0));
}
