//! Bars, plates, balls and cylinders: lattices of cubes, six tets each, mapped onto the shape.
//!
//! The same connectivity at every subdivision, so an error can be followed as the lattice is refined. The maps take the
//! cube [−1, 1]³ (or square) to the ball (or disc): a point keeps its direction in a square-to-disc sense while the
//! shells ‖x‖∞ = s become spheres ‖x‖₂ = s, so the boundary of the lattice lies exactly on the sphere.

use pliant_linalg::Vec3;

use crate::TetMesh;

/// Paths from corner 0 to corner 7 of a cube along its edges (corner = x + 2y + 4z): six tets of positive volume that
/// cut every face along the same diagonal on both sides (K60 in docs/papers.md).
const KUHN: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A box from the origin to `size` (metres), cut into `cells` along each axis.
///
/// # Panics
/// If a size is not positive or a count is zero.
pub fn bar(size: Vec3, cells: [usize; 3]) -> TetMesh {
    lattice(cells, |s| s.component_mul(&size))
}

/// A thin square plate of side `side` and thickness `thickness` (metres) in the plane z = 0, with `n` × `n` × `layers`
/// cells.
///
/// # Panics
/// As [`bar`].
pub fn plate(side: f64, thickness: f64, n: usize, layers: usize) -> TetMesh {
    lattice([n, n, layers], |s| Vec3::new((s.x - 0.5) * side, (s.y - 0.5) * side, (s.z - 0.5) * thickness))
}

/// A ball of the given radius (metres) around the origin, `2 n` cells across.
///
/// # Panics
/// As [`bar`].
pub fn ball(radius: f64, n: usize) -> TetMesh {
    symmetric(2 * n, 2 * n, |s| {
        let c = s * 2.0 - Vec3::new(1.0, 1.0, 1.0);
        let (largest, length) = (c.amax(), c.norm());
        if length == 0.0 { Vec3::zeros() } else { equalise(c) * (radius * largest / equalise(c).norm()) }
    })
}

/// A cylinder around the z axis from z = 0 to `height`, of the given radius (metres), `2 n` cells across and `layers`
/// high.
///
/// # Panics
/// As [`bar`].
pub fn cylinder(radius: f64, height: f64, n: usize, layers: usize) -> TetMesh {
    symmetric(2 * n, layers, |s| {
        let c = Vec3::new(s.x * 2.0 - 1.0, s.y * 2.0 - 1.0, 0.0);
        let flat = if c.norm() == 0.0 { c } else { equalise(c) * (radius * c.amax() / equalise(c).norm()) };
        Vec3::new(flat.x, flat.y, s.z * height)
    })
}

/// Spreads directions evenly: equal steps along a face of the cube become equal angles on the sphere.
fn equalise(c: Vec3) -> Vec3 {
    let largest = c.amax();
    c.map(|x| (x / largest * std::f64::consts::FRAC_PI_4).tan())
}

/// Cubes over [0, 1]³, every one cut the same way.
fn lattice(cells: [usize; 3], map: impl Fn(Vec3) -> Vec3) -> TetMesh {
    build(cells, map, |_| 0)
}

/// Cubes over [0, 1]³, cut so that the diagonals of the eight octants all run away from the middle: with the diagonals
/// all in one direction, a map that rounds the corners would flatten tets at two of them.
fn symmetric(across: usize, layers: usize, map: impl Fn(Vec3) -> Vec3) -> TetMesh {
    let half = across / 2;
    let upper_half = if layers == across { half } else { 0 };
    build([across, across, layers], map, |[x, y, z]| {
        usize::from(x < half) + 2 * usize::from(y < half) + 4 * usize::from(z < upper_half)
    })
}

/// The cubes over [0, 1]³ that are `there`, every one cut the same way, with the vertices that they use.
pub(super) fn lattice_of(
    cells: [usize; 3],
    map: impl Fn(Vec3) -> Vec3,
    there: impl Fn([usize; 3]) -> bool,
) -> TetMesh {
    let (vertices, mut tets) = cubes(cells, map, |_| 0, there);
    let mut number = vec![u32::MAX; vertices.len()];
    tets.as_flattened().iter().for_each(|&v| number[v as usize] = 0);
    let mut used = Vec::new();
    for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *n = used.len() as u32;
        used.push(vertices[v]);
    }
    tets.as_flattened_mut().iter_mut().for_each(|v| *v = number[*v as usize]);
    TetMesh::new(used, tets).expect("a lattice of positive sizes and counts has sound tets")
}

fn build(cells: [usize; 3], map: impl Fn(Vec3) -> Vec3, mirror: impl Fn([usize; 3]) -> usize) -> TetMesh {
    let (vertices, tets) = cubes(cells, map, mirror, |_| true);
    TetMesh::new(vertices, tets).expect("a lattice of positive sizes and counts has sound tets")
}

/// `mirror` gives for each cube the axes (bits) along which its cut is mirrored; `there` whether it has tets.
fn cubes(
    cells: [usize; 3],
    map: impl Fn(Vec3) -> Vec3,
    mirror: impl Fn([usize; 3]) -> usize,
    there: impl Fn([usize; 3]) -> bool,
) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = cells;
    let at = |x: usize, y: usize, z: usize| (x + (nx + 1) * (y + (ny + 1) * z)) as u32;
    let mut vertices = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    let mut tets = Vec::with_capacity(6 * nx * ny * nz);
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                vertices.push(map(Vec3::new(
                    x as f64 / nx as f64,
                    y as f64 / ny as f64,
                    z as f64 / nz as f64,
                )));
                if x == nx || y == ny || z == nz || !there([x, y, z]) {
                    continue;
                }
                let flip = mirror([x, y, z]);
                let corner = |c: usize| at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                for tet in KUHN {
                    let mut t = tet.map(|c| corner(c ^ flip));
                    // An odd number of mirrors turns a tet inside out.
                    if flip.count_ones() % 2 == 1 {
                        t.swap(2, 3);
                    }
                    tets.push(t);
                }
            }
        }
    }
    (vertices, tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::dihedral_angles;
    use crate::topology::{boundary_faces, components};
    use std::f64::consts::PI;

    fn sound(mesh: &TetMesh, boundary: usize) {
        assert_eq!(boundary_faces(mesh.tets()).len(), boundary, "no cracks");
        assert_eq!(components(mesh.vertices().len(), mesh.tets().iter().map(|t| &t[..])).1, 1);
    }

    #[test]
    fn a_bar_is_exact() {
        let mesh = bar(Vec3::new(2.0, 0.5, 0.25), [4, 2, 3]);
        sound(&mesh, 2 * 2 * (4 * 2 + 4 * 3 + 2 * 3));
        assert!((mesh.volume() - 0.25).abs() < 1e-15);
    }

    #[test]
    fn balls_and_cylinders_converge_with_the_second_order() {
        type Maker = fn(usize) -> TetMesh;
        let volumes: [(&str, f64, Maker); 2] = [
            ("ball", 4.0 / 3.0 * PI, |n| ball(1.0, n)),
            ("cylinder", 2.0 * PI, |n| cylinder(1.0, 2.0, n, 2)),
        ];
        for (name, exact, make) in volumes {
            let error = |n| (make(n).volume() - exact).abs();
            let order = (error(4) / error(8)).log2();
            assert!((order - 2.0).abs() < 0.1, "{name}: order {order:.3}");
        }
        sound(&ball(1.0, 4), 6 * 64 * 2);
        sound(&cylinder(1.0, 2.0, 3, 2), 2 * (2 * 36 + 4 * 12));
    }

    #[test]
    fn every_boundary_vertex_of_a_ball_is_on_the_sphere() {
        let mesh = ball(0.5, 3);
        for v in boundary_faces(mesh.tets()).as_flattened() {
            assert!((mesh.vertices()[*v as usize].norm() - 0.5).abs() < 1e-15);
        }
    }

    #[test]
    fn angles_stay_good_as_the_lattice_is_refined() {
        for n in [2, 4, 8] {
            for mesh in [ball(1.0, n), cylinder(1.0, 1.0, n, n)] {
                let worst = (0..mesh.tets().len())
                    .flat_map(|t| dihedral_angles(&mesh.corners(t)))
                    .fold(f64::INFINITY, f64::min)
                    .to_degrees();
                assert!(worst > 15.0, "n = {n}: {worst:.1}°");
            }
        }
    }
}
