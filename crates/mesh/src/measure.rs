//! Sizes, angles and quality of elements.

use std::cell::Cell;
use std::collections::VecDeque;

use pliant_linalg::{Vec3, digits};

use crate::Faces;
use crate::bvh::{Aabb, Bvh};

/// A length as people write it, in three digits.
///
/// ```
/// use pliant_mesh::measure::metres;
/// assert_eq!([79.52, 0.3, 0.00214, 3.5e-5].map(metres), ["79.5 m", "0.3 m", "2.14 mm", "35 µm"]);
/// assert_eq!(metres(12_345.0), "12.3 km");
/// ```
pub fn metres(x: f64) -> String {
    let (factor, unit) = match x.abs() {
        size if size >= 1e3 => (1e-3, "km"),
        size if size >= 0.1 || size == 0.0 => (1.0, "m"),
        size if size >= 1e-3 => (1e3, "mm"),
        _ => (1e6, "µm"),
    };
    format!("{} {unit}", digits(factor * x, 3))
}

/// Signed volume of a tet, m³: ((p1 − p0) × (p2 − p0)) · (p3 − p0) / 6.
pub fn tet_volume(p: &[Vec3; 4]) -> f64 {
    (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&(p[3] - p[0])) / 6.0
}

/// Area of a triangle times its unit normal, m².
pub fn area_vector(p: &[Vec3; 3]) -> Vec3 {
    (p[1] - p[0]).cross(&(p[2] - p[0])) / 2.0
}

/// The four faces of a tet as local corners, each counter-clockwise seen from outside; face i is opposite corner i.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The six edges of a tet as local corners.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The six inner dihedral angles, radians, in the order of [`TET_EDGES`]; NaN where a face has no area.
pub fn dihedral_angles(p: &[Vec3; 4]) -> [f64; 6] {
    let normal = TET_FACES.map(|f| area_vector(&f.map(|c| p[c])).normalize());
    // Edge (a, b) lies in the two faces opposite the two other corners.
    [[2, 3], [1, 3], [1, 2], [0, 3], [0, 2], [0, 1]].map(|[i, j]| {
        // atan2 keeps its digits where acos loses them: near 0 and π.
        let (cos, sin) = (-normal[i].dot(&normal[j]), normal[i].cross(&normal[j]).norm());
        sin.atan2(cos)
    })
}

/// 3 × inscribed / circumscribed radius: 1 for the regular tet, 0 for a flat one, negative for an inverted one.
pub fn radius_ratio(p: &[Vec3; 4]) -> f64 {
    let volume = tet_volume(p);
    let area: f64 = TET_FACES.iter().map(|f| area_vector(&f.map(|c| p[c])).norm()).sum();
    let (a, b, c) = (p[1] - p[0], p[2] - p[0], p[3] - p[0]);
    // Circumradius R = |a²(b×c) + b²(c×a) + c²(a×b)| / (12 V), inradius r = 3 V / area.
    let numerator =
        (b.cross(&c) * a.norm_squared() + c.cross(&a) * b.norm_squared() + a.cross(&b) * c.norm_squared())
            .norm();
    if area == 0.0 || numerator == 0.0 {
        return 0.0;
    }
    let inradius = 3.0 * volume / area;
    let circumradius = numerator / (12.0 * volume.abs());
    if volume == 0.0 { 0.0 } else { 3.0 * inradius / circumradius }
}

/// The three inner angles of a triangle, radians, at its corners in order. Without area they are 0, 0 and π.
pub fn triangle_angles(p: &[Vec3; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| {
        let (a, b) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
        a.cross(&b).norm().atan2(a.dot(&b))
    })
}

/// Length of the longest edge between any two of the points, metres.
pub fn longest_edge(p: &[Vec3]) -> f64 {
    let squares = (0..p.len()).flat_map(|i| (0..i).map(move |j| (p[i] - p[j]).norm_squared()));
    squares.fold(0.0, f64::max).sqrt()
}

/// The extremes of the quality of all elements; what does not apply is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Smallest dihedral angle of a tet, degrees.
    pub min_dihedral_deg: Option<f64>,
    /// Largest dihedral angle of a tet, degrees.
    pub max_dihedral_deg: Option<f64>,
    /// Smallest |3 × inscribed / circumscribed radius| of a tet.
    pub min_radius_ratio: Option<f64>,
    /// Smallest angle in a triangle, degrees; of a surface only.
    pub min_angle_deg: Option<f64>,
    /// Largest angle in a triangle, degrees; of a surface only.
    pub max_angle_deg: Option<f64>,
}

impl Quality {
    /// The quality of one tet.
    pub fn of_tet(p: &[Vec3; 4]) -> Self {
        let (low, high) = extremes(&dihedral_angles(p));
        let ratio = Some(radius_ratio(p).abs()).filter(|r| !r.is_nan());
        Self { min_dihedral_deg: low, max_dihedral_deg: high, min_radius_ratio: ratio, ..Self::default() }
    }

    /// The quality of one triangle.
    pub fn of_triangle(p: &[Vec3; 3]) -> Self {
        let (low, high) = extremes(&triangle_angles(p));
        Self { min_angle_deg: low, max_angle_deg: high, ..Self::default() }
    }

    /// The extremes of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let pick = |a: Option<f64>, b: Option<f64>, f: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        Self {
            min_dihedral_deg: pick(self.min_dihedral_deg, other.min_dihedral_deg, f64::min),
            max_dihedral_deg: pick(self.max_dihedral_deg, other.max_dihedral_deg, f64::max),
            min_radius_ratio: pick(self.min_radius_ratio, other.min_radius_ratio, f64::min),
            min_angle_deg: pick(self.min_angle_deg, other.min_angle_deg, f64::min),
            max_angle_deg: pick(self.max_angle_deg, other.max_angle_deg, f64::max),
        }
    }
}

/// Smallest and largest angle in degrees, passing over what is not a number.
fn extremes(radians: &[f64]) -> (Option<f64>, Option<f64>) {
    let numbers = || radians.iter().copied().filter(|a| !a.is_nan()).map(f64::to_degrees);
    (numbers().reduce(f64::min), numbers().reduce(f64::max))
}

/// Centre of mass of a solid of one density, metres; `None` when it has no volume.
pub fn solid_centroid(vertices: &[Vec3], tets: &[[u32; 4]]) -> Option<Vec3> {
    weighted(tets.iter().map(|t| {
        let p = t.map(|v| vertices[v as usize]);
        (tet_volume(&p), p.iter().sum::<Vec3>() / 4.0)
    }))
}

/// Centre of mass of a thin sheet, metres; `None` when it has no area.
pub fn surface_centroid(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Option<Vec3> {
    weighted(triangles.iter().map(|t| {
        let p = t.map(|v| vertices[v as usize]);
        (area_vector(&p).norm(), p.iter().sum::<Vec3>() / 3.0)
    }))
}

fn weighted(items: impl Iterator<Item = (f64, Vec3)>) -> Option<Vec3> {
    let (sum, moment) = items.fold((0.0, Vec3::zeros()), |(s, m), (w, x)| (s + w, m + x * w));
    (sum > 0.0).then(|| moment / sum)
}

/// Volume enclosed by a closed surface of outward triangles, m³ (divergence theorem).
pub fn enclosed_volume(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    // Seen from the middle of the box, so that a body far from the origin keeps its digits.
    let [low, high] = crate::data::bounds(vertices);
    let origin = (low + high) / 2.0;
    let corner = |v: u32| vertices[v as usize] - origin;
    triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}

/// Total area of triangles, m².
pub fn total_area(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|t| area_vector(&t.map(|v| vertices[v as usize])).norm()).sum()
}

/// Cuts faces into triangles, in the order of the faces: as they are, or by ears, so that a face that is not convex
/// is covered once.
pub fn triangulate(vertices: &[Vec3], faces: &Faces) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(faces.corners().len().saturating_sub(2 * faces.len()));
    for face in faces.iter() {
        match face {
            [a, b, c] => triangles.push([*a, *b, *c]),
            _ => cut_ears(vertices, face, &mut triangles),
        }
    }
    triangles
}

/// Corners up to which the best of all ears is looked for, which costs their cube.
const FEW: usize = 64;

/// Cuts one polygon: always the ear whose smallest angle is largest, among corners that are convex and whose
/// triangle holds no other corner; when there is none (a crossed polygon) the next corner, so that it ends. Of many
/// corners any ear is cut until few are left.
fn cut_ears(vertices: &[Vec3], face: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let Some(&first) = face.first() else { return };
    let at = |v: u32| vertices[v as usize];
    // Newell's normal: the area vector of a polygon that need not be flat.
    let normal: Vec3 = (1..face.len().max(1) - 1)
        .map(|i| (at(face[i]) - at(first)).cross(&(at(face[i + 1]) - at(first))))
        .sum();
    let mut rest =
        if face.len() > FEW { cut_many(vertices, face, &normal, triangles) } else { face.to_vec() };
    // Only a corner that is not convex can lie in an ear, and cutting ears makes no new ones.
    let reflex: Vec<u32> = (0..rest.len())
        .filter(|&i| !is_convex(&around(&rest, i).map(at), &normal))
        .map(|i| rest[i])
        .collect();
    while rest.len() > 3 {
        let mut best = (f64::NEG_INFINITY, 1);
        for i in 0..rest.len() {
            let ear = around(&rest, i);
            let p = ear.map(at);
            if !is_convex(&p, &normal) {
                continue;
            }
            let blocked = reflex.iter().any(|v| !ear.contains(v) && holds(&p, &at(*v), &normal));
            let [a, b, c] = p;
            let sharpest = [(a, b, c), (b, c, a), (c, a, b)]
                .iter()
                .map(|(p, q, r)| (q - p).angle(&(r - p)))
                .fold(f64::INFINITY, f64::min);
            if !blocked && sharpest > best.0 {
                best = (sharpest, i);
            }
        }
        triangles.push(around(&rest, best.1));
        rest.remove(best.1);
    }
    if let [a, b, c] = rest[..] {
        triangles.push([a, b, c]);
    }
}

/// Cuts ears, any that are valid, until [`FEW`] corners are left; returns those. Corners stand in a queue, those beside
/// a cut at its end, so that cuts go around evenly. A tree of the corners that are not convex tells whether one lies in
/// an ear; the ear then waits until that one is gone or convex. Together nearly linear in the number of corners.
fn cut_many(vertices: &[Vec3], face: &[u32], normal: &Vec3, triangles: &mut Vec<[u32; 3]>) -> Vec<u32> {
    let n = face.len();
    let at = |i: usize| vertices[face[i] as usize];
    let mut before: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
    let mut after: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    let mut there = vec![true; n];
    let mut convex: Vec<bool> =
        (0..n).map(|i| is_convex(&[before[i], i, after[i]].map(at), normal)).collect();
    let reflex: Vec<usize> = (0..n).filter(|&i| !convex[i]).collect();
    let tree = Bvh::new(reflex.iter().map(|&i| Aabb { low: at(i), high: at(i) }).collect());
    let mut queue: VecDeque<usize> = (0..n).filter(|&i| convex[i]).collect();
    // For each corner the ears that it lies in.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); n];
    let (mut left, mut last) = (n, 0);
    while left > FEW {
        // Without any ear the polygon crosses itself, and no way of cutting covers it once: the next corner goes.
        let next = queue.pop_front();
        let i = next.unwrap_or(after[last]);
        let ear = [before[i], i, after[i]];
        let (p, names) = (ear.map(at), ear.map(|i| face[i]));
        if next.is_some() {
            if !there[i] || !is_convex(&p, normal) {
                continue;
            }
            let bounds = Aabb::around(&p);
            let blocker = Cell::new(None);
            tree.visit(
                |b| blocker.get().is_none() && b.overlaps(&bounds),
                |r| {
                    let r = reflex[r as usize];
                    let other = there[r] && !convex[r] && !names.contains(&face[r]);
                    if other && holds(&p, &at(r), normal) {
                        blocker.set(Some(r));
                    }
                },
            );
            if let Some(r) = blocker.get() {
                waiting[r].push(i);
                continue;
            }
        }
        triangles.push(names);
        there[i] = false;
        (after[ear[0]], before[ear[2]]) = (ear[2], ear[0]);
        (left, last) = (left - 1, ear[0]);
        queue.extend(std::mem::take(&mut waiting[i]));
        for j in [ear[0], ear[2]] {
            // Once convex, always: only a forced cut could turn a corner back.
            convex[j] = convex[j] || is_convex(&[before[j], j, after[j]].map(at), normal);
            if convex[j] {
                queue.extend(std::mem::take(&mut waiting[j]));
                queue.push_back(j);
            }
        }
    }
    (0..n).filter(|&i| there[i]).map(|i| face[i]).collect()
}

/// Corner i between its neighbours.
fn around(ring: &[u32], i: usize) -> [u32; 3] {
    let n = ring.len();
    [ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]]
}

/// Whether the way turns left at the middle point, seen against the normal.
fn is_convex(&[a, b, c]: &[Vec3; 3], normal: &Vec3) -> bool {
    (b - a).cross(&(c - b)).dot(normal) > 0.0
}

/// Whether the triangle, seen along the normal, holds `q`; its sides count.
fn holds(&[a, b, c]: &[Vec3; 3], q: &Vec3, normal: &Vec3) -> bool {
    [(a, b), (b, c), (c, a)].iter().all(|(s, e)| (e - s).cross(&(q - s)).dot(normal) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regular() -> [Vec3; 4] {
        [[1., 1., 1.], [-1., 1., -1.], [1., -1., -1.], [-1., -1., 1.]].map(Vec3::from)
    }

    #[test]
    fn the_regular_tet() {
        let p = regular();
        assert!((tet_volume(&p) - 8.0 / 3.0).abs() < 1e-14);
        assert!((radius_ratio(&p) - 1.0).abs() < 1e-14);
        for angle in dihedral_angles(&p) {
            assert!((angle - (1.0f64 / 3.0).acos()).abs() < 1e-14);
        }
    }

    #[test]
    fn the_corner_tet_has_three_right_angles() {
        let p = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(Vec3::from);
        let degrees = dihedral_angles(&p).map(f64::to_degrees);
        for a in &degrees[..3] {
            assert!((a - 90.0).abs() < 1e-12, "{degrees:?}");
        }
        for a in &degrees[3..] {
            assert!((a - 54.735_610_317_245_34).abs() < 1e-12, "{degrees:?}");
        }
    }

    #[test]
    fn angles_of_a_triangle() {
        let p = [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]].map(Vec3::from);
        for (angle, degrees) in triangle_angles(&p).iter().zip([90.0, 45.0, 45.0]) {
            assert!((angle.to_degrees() - degrees).abs() < 1e-13);
        }
        assert!((longest_edge(&p) - 8.0f64.sqrt()).abs() < 1e-15);
        let flat = [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]].map(Vec3::from);
        assert_eq!(triangle_angles(&flat).map(f64::to_degrees), [0.0, 180.0, 0.0]);
    }

    #[test]
    fn centres_of_mass() {
        let bar = crate::shapes::bar(Vec3::new(2.0, 1.0, 4.0), [3, 2, 2]);
        let middle = Vec3::new(1.0, 0.5, 2.0);
        assert!((solid_centroid(bar.vertices(), bar.tets()).unwrap() - middle).norm() < 1e-14);
        let skin = crate::topology::boundary_faces(bar.tets());
        assert!((surface_centroid(bar.vertices(), &skin).unwrap() - middle).norm() < 1e-14);
        // A body whose mass is not where its vertices are: one large tet, one small.
        let p = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [0., 0., 4.], [-1., 0., 0.]].map(Vec3::from);
        let centre = solid_centroid(&p, &[[0, 1, 2, 3], [0, 2, 4, 3]]).unwrap();
        // ((4, 4, 4)/4 · 64/6 + (−1, 4, 4)/4 · 16/6) / (80/6)
        assert!((centre - Vec3::new(0.75, 1.0, 1.0)).norm() < 1e-14, "{centre}");
        assert_eq!(surface_centroid(&p, &[]), None);
    }

    #[test]
    fn faces_point_outwards() {
        let p = regular();
        for (i, f) in TET_FACES.iter().enumerate() {
            assert!(area_vector(&f.map(|c| p[c])).dot(&(p[f[0]] - p[i])) > 0.0, "face {i}");
        }
    }

    #[test]
    fn a_polygon_of_many_corners_is_cut_quickly_and_covered_once() {
        // A star whose every second corner is reflex, and a circle.
        for (inner, n) in [(0.5, 300u32), (1.0, 20_000)] {
            let at = |i: u32| {
                let (angle, radius) = (
                    std::f64::consts::TAU * f64::from(i) / f64::from(n),
                    if i.is_multiple_of(2) { 1.0 } else { inner },
                );
                Vec3::new(angle.cos() * radius, angle.sin() * radius, 0.0)
            };
            let p: Vec<Vec3> = (0..n).map(at).collect();
            let ids: Vec<u32> = (0..n).collect();
            let triangles = triangulate(&p, &[&ids[..]].into_iter().collect());
            assert_eq!(triangles.len(), n as usize - 2);
            // Each corner with its two neighbours and the middle: n/2 kites of area r sin(2π/n).
            let exact = f64::from(n) / 2.0 * inner * (std::f64::consts::TAU / f64::from(n)).sin();
            assert!((total_area(&p, &triangles) - exact).abs() < 1e-9, "{n} corners");
        }
    }

    /// No triangle is turned over, and together they are as large as the polygon.
    fn assert_covered_once(p: &[Vec3], what: &str) {
        let ids: Vec<u32> = (0..p.len() as u32).collect();
        let triangles = triangulate(p, &[&ids[..]].into_iter().collect());
        assert_eq!(triangles.len(), p.len() - 2, "{what}");
        let exact: Vec3 = (0..p.len()).map(|i| p[i].cross(&p[(i + 1) % p.len()]) / 2.0).sum();
        let (area, exact) = (total_area(p, &triangles), exact.norm());
        assert!((area / exact - 1.0).abs() < 1e-9, "{what}: {area} for {exact}");
    }

    #[test]
    fn teeth_zigzags_and_spirals_are_covered_once() {
        let n = 8_000u32;
        let x = |i: u32| f64::from(i) / f64::from(n);
        // High teeth on a flat bar.
        let mut comb = vec![Vec3::new(1.0, -0.1, 0.0)];
        comb.extend((0..=n).rev().map(|i| Vec3::new(x(i), f64::from(i % 2), 0.0)));
        comb.push(Vec3::new(0.0, -0.1, 0.0));
        comb.reverse();
        assert_covered_once(&comb, "comb");
        // A band with teeth on both sides, each of another height, in a plane across the axes.
        let height = |i: u32| if i.is_multiple_of(2) { 0.3 } else { 1.0 + 0.5 * (f64::from(i)).sin() };
        let tilt = |x: f64, y: f64| Vec3::new(x, 0.6 * y, 0.8 * y - 0.3 * x);
        let mut band: Vec<Vec3> = (0..n / 2).map(|i| tilt(2.0 * x(i), -height(i))).collect();
        band.extend((0..n / 2).rev().map(|i| tilt(2.0 * x(i), height(i + 1))));
        assert_covered_once(&band, "band");
        // A spiral arm of nine turns: long corridors, half of its corners reflex.
        let arm = |i: u32, r: f64| {
            let angle = 18.0 * std::f64::consts::PI * x(i);
            Vec3::new(angle.cos(), angle.sin(), 0.0) * (r + angle)
        };
        let mut spiral: Vec<Vec3> = (0..n / 2).map(|i| arm(2 * i, 2.0)).collect();
        spiral.extend((0..n / 2).rev().map(|i| arm(2 * i, 1.0)));
        assert_covered_once(&spiral, "spiral");
    }

    #[test]
    fn a_crossed_polygon_of_many_corners_ends() {
        let p: Vec<Vec3> = (0..20_000u32)
            .map(|i| Vec3::new(f64::from(i * 7919 % 10_007), f64::from(i * 104_729 % 10_009), 0.0))
            .collect();
        let ids: Vec<u32> = (0..p.len() as u32).collect();
        assert_eq!(triangulate(&p, &[&ids[..]].into_iter().collect()).len(), p.len() - 2);
    }

    #[test]
    fn a_polygon_that_is_not_convex_is_covered_once() {
        // An arrow head: corner 2 is reflex, a fan from corner 0 would leave the polygon.
        let p = [[0., 0., 0.], [2., -1., 0.], [0.5, 0., 0.], [2., 1., 0.]].map(Vec3::from);
        let start = [&[1u32, 2, 3, 0][..]].into_iter().collect();
        let triangles = triangulate(&p, &start);
        let signed: f64 = triangles.iter().map(|t| area_vector(&t.map(|v| p[v as usize])).z).sum();
        assert_eq!(triangles.len(), 2);
        assert!((total_area(&p, &triangles) - signed.abs()).abs() < 1e-14, "no triangle is turned over");
    }
}
