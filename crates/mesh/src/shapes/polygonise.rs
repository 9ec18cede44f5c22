//! A fine closed triangle surface of {d = 0}, for pictures and for embedding.
//!
//! Surface nets (G98 in docs/papers.md): one vertex in every grid cube whose corners differ
//! in sign, one quad across every grid edge that the surface crosses. The samples are first made *well-composed*
//! (L97 in docs/papers.md): no square of the grid has its insides on one diagonal only, no cube
//! its two insides (or outsides) on opposite corners. Then every cube holds one piece of surface, and the net is
//! manifold. Where a feature is thinner than a cube this fills a corner here and there; nothing else is changed.
//! The vertices are then spread along the surface and put onto it by Newton steps, so the error of volume and area is
//! of second order in the size of the cubes.
//!
//! Edges sharper than a cube come out chamfered: round them in the shape. Not for triangle soups.

use pliant_linalg::{Progress, Vec3, Watch};
use rayon::prelude::*;

use super::flip::turn_slivers;
use super::sdf::Sdf;
use crate::bvh::Aabb;
use crate::{MeshError, Result};

/// A closed manifold surface of outward triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Metres.
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Samples that are held at once: 2 GB.
const MOST_POINTS: f64 = 5e8;

/// How often the vertices are spread: more changes little.
const ROUNDS: usize = 12;

/// The surface of `shape` with about `target` vertices (within 10 %).
///
/// # Errors
/// When the shape encloses nothing at that resolution, or the work is cancelled.
pub fn polygonise(shape: &Sdf, target: usize, watch: &mut Watch<'_>) -> Result<Triangles> {
    Progress::stage("polygonising").tell(watch)?;
    if !(20..=5_000_000).contains(&target) {
        return Err(MeshError::Inconsistent(format!(
            "a surface of {target} vertices was asked for; it can have 20 to 5000000"
        )));
    }
    let size = shape.bounds().high - shape.bounds().low;
    // As if the surface were that of its box; the count grows with the inverse square of the cell.
    let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    // The first look is a coarse one.
    let mut cell = (area / (0.3 * target as f64)).sqrt();
    let mut net = Net::new(shape, cell)?;
    for attempt in 0..10 {
        let ratio = net.cells as f64 / target as f64;
        if (0.95..=1.05).contains(&ratio) || (net.cells == 0 && attempt == 3) {
            break;
        }
        // A thin shape can fall between the samples: then look more closely. The count jumps a little, so later
        // steps are shorter.
        let step = if net.cells == 0 { 0.5 } else { ratio.sqrt().clamp(0.25, 4.0) };
        cell *= if attempt < 5 { step } else { step.sqrt() };
        net = Net::new(shape, cell)?;
    }
    net.finish(shape, watch)
}

/// The surface of `shape` on cubes of side `cell` (metres).
///
/// # Errors
/// As [`polygonise`].
pub fn polygonise_with_cell(shape: &Sdf, cell: f64, watch: &mut Watch<'_>) -> Result<Triangles> {
    Net::new(shape, cell)?.finish(shape, watch)
}

/// Moves `p` onto {d = 0} along the gradient, no further than `reach` (metres) a step. Along one line the secant needs
/// one value a step where Newton needs five; a new line is taken when that does not end on the surface.
pub(super) fn onto_surface(shape: &Sdf, mut p: Vec3, reach: f64) -> Vec3 {
    let tolerance = 1e-12 * (reach + p.amax());
    let mut d = shape.distance(p);
    for _ in 0..20 {
        if d.abs() <= tolerance {
            break;
        }
        let gradient = shape.gradient(p, 1e-4 * reach);
        let slope = gradient.norm().max(1e-6);
        let line = gradient / slope;
        let (mut s, mut before) = ((-d / slope).clamp(-reach, reach), (0.0, d));
        for _ in 0..6 {
            let e = shape.distance(p + line * s);
            let next = s - e * (s - before.0) / (e - before.1);
            if e.abs() >= before.1.abs()
                || e.abs() <= tolerance
                || !next.is_finite()
                || next.abs() > 2.0 * reach
            {
                break;
            }
            before = (s, e);
            s = next;
        }
        // In a crease the line of one side may lead too far on the other: halve until it helps.
        let mut e = shape.distance(p + line * s);
        for _ in 0..12 {
            if e.abs() < d.abs() {
                break;
            }
            s *= 0.5;
            e = shape.distance(p + line * s);
        }
        (p, d) = (p + line * s, e);
    }
    p
}

/// Samples of d on a grid, well-composed, and how many cubes the surface passes.
struct Net {
    origin: Vec3,
    cell: f64,
    n: [usize; 3],
    /// f32: only signs and a first guess of the crossings are taken from it.
    values: Vec<f32>,
    cells: usize,
}

impl Net {
    fn new(shape: &Sdf, cell: f64) -> Result<Self> {
        let Aabb { low, high } = shape.bounds().grown(2.5 * cell);
        let points = (high - low).map(|side| side / cell + 2.0).product();
        // Not a number, when the cell is none or the shape has no bounds, is refused too.
        if !(cell > 0.0 && points <= MOST_POINTS) {
            return Err(MeshError::Inconsistent(format!(
                "cells of {cell:e} m need {points:.1e} samples of the shape, at most {MOST_POINTS:.0e} are taken; \
                 ask for larger cells or fewer vertices"
            )));
        }
        let n: [usize; 3] = std::array::from_fn(|c| ((high[c] - low[c]) / cell).ceil() as usize + 2);
        // Off the planes in which shapes like to be flat or symmetric: there a whole layer of cubes would appear or
        // vanish at once, and the number of vertices would jump.
        let origin = low + Vec3::new(0.37, 0.23, 0.41) * cell;
        let mut values = vec![0.0f32; n[0] * n[1] * n[2]];
        values.par_chunks_mut(n[0] * n[1] * SLAB).enumerate().for_each(|(slab, values)| {
            let base = slab * SLAB;
            let deep = SLAB.min(n[2] - base);
            let mut put =
                |[x, y, z]: [usize; 3], d: f64| values[x + n[0] * (y + n[1] * (z - base))] = d as f32;
            for y in (0..n[1]).step_by(SLAB) {
                for x in (0..n[0]).step_by(SLAB) {
                    let size = [SLAB.min(n[0] - x), SLAB.min(n[1] - y), deep];
                    sample(
                        shape,
                        &|i| origin + Vec3::from(i.map(|i| i as f64)) * cell,
                        [x, y, base],
                        size,
                        &mut put,
                    );
                }
            }
        });
        let mut net = Self { origin, cell, n, values, cells: 0 };
        net.compose();
        net.cells = (0..n[2] - 1).into_par_iter().map(|z| net.active(z).count()).sum();
        Ok(net)
    }

    fn at(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.n[0] * (y + self.n[1] * z)
    }

    /// Bit c is set when corner c = x + 2y + 4z of the cube is inside.
    fn signs(&self, [x, y, z]: [usize; 3]) -> u8 {
        (0..8).fold(0, |bits, c| {
            let i = self.at([x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)]);
            bits | u8::from(self.values[i] < 0.0) << c
        })
    }

    /// The cubes of layer `z` that the surface passes.
    fn active(&self, z: usize) -> impl Iterator<Item = ([usize; 3], u8)> + '_ {
        let [nx, ny, _] = self.n;
        (0..ny - 1).flat_map(move |y| (0..nx - 1).map(move |x| [x, y, z])).filter_map(|cube| {
            let signs = self.signs(cube);
            (signs != 0 && signs != 255).then_some((cube, signs))
        })
    }

    /// Fills corners until every cube holds one piece of surface. Only ever from outside to inside, so it ends.
    fn compose(&mut self) {
        let tangled: [bool; 256] = std::array::from_fn(|signs| is_tangled(signs as u8));
        loop {
            let bad: Vec<[usize; 3]> = (0..self.n[2] - 1)
                .into_par_iter()
                .flat_map_iter(|z| self.active(z).filter(|(_, s)| tangled[*s as usize]).map(|(cube, _)| cube))
                .collect();
            if bad.is_empty() {
                return;
            }
            for cube in bad {
                // An earlier repair may have mended this one.
                if tangled[self.signs(cube) as usize] {
                    let [x, y, z] = cube;
                    let nearest = (0..8)
                        .map(|c| self.at([x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)]))
                        .filter(|&i| self.values[i] >= 0.0)
                        .min_by(|&a, &b| self.values[a].total_cmp(&self.values[b]).then(a.cmp(&b)))
                        .expect("a cube without outsides is not tangled");
                    self.values[nearest] = -f32::MIN_POSITIVE;
                }
            }
        }
    }

    fn finish(self, shape: &Sdf, watch: &mut Watch<'_>) -> Result<Triangles> {
        if self.cells == 0 {
            return Err(MeshError::Empty { vertices: 0, what: "faces" });
        }
        let cubes: Vec<([usize; 3], u8)> =
            (0..self.n[2] - 1).into_par_iter().flat_map_iter(|z| self.active(z)).collect();
        let mut vertices: Vec<Vec3> = cubes.par_iter().map(|&(cube, _)| self.middle(cube)).collect();
        let quads = self.quads(&cubes);
        let ring = neighbours(vertices.len(), &quads);
        for done in 0..ROUNDS {
            Progress { stage: "spreading vertices", done, total: ROUNDS }.tell(watch)?;
            vertices = (0..vertices.len())
                .into_par_iter()
                .map(|v| {
                    let p = vertices[v];
                    let around = || ring.of(v).iter().map(|w| w.map(|w| vertices[w as usize]));
                    let mean = around().map(|[a, b]| a + b).sum::<Vec3>() / (2 * ring.of(v).len()) as f64;
                    let normal = around().map(|[a, b]| (a - p).cross(&(b - p))).sum::<Vec3>();
                    let normal = normal / normal.norm().max(f64::MIN_POSITIVE);
                    let pull = mean - p;
                    // Along the surface towards the middle of the neighbours, and one step onto the surface.
                    p + (pull - normal * normal.dot(&pull)) * 0.7
                        - normal * shape.distance(p).clamp(-self.cell, self.cell)
                })
                .collect();
        }
        vertices = vertices.into_par_iter().map(|p| onto_surface(shape, p, self.cell)).collect();
        let triangles = quads
            .par_iter()
            .flat_map_iter(|&[a, b, c, d]| {
                let [p, q, r, s] = [a, b, c, d].map(|v| vertices[v as usize]);
                // The diagonal whose middle is nearer to the surface follows its bend; the shorter one where it is flat.
                let off = |x: Vec3, y: Vec3| shape.distance((x + y) / 2.0).abs() + 0.01 * (x - y).norm();
                if off(p, r) <= off(q, s) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
            })
            .collect();
        let mut surface = Triangles { vertices, triangles };
        turn_slivers(&mut surface, &mut []);
        Ok(surface)
    }

    /// The mean of the points where the surface crosses the edges of a cube, by linear interpolation.
    fn middle(&self, cube: [usize; 3]) -> Vec3 {
        let corner = |c: usize| [cube[0] + (c & 1), cube[1] + (c >> 1 & 1), cube[2] + (c >> 2)];
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for (a, b) in (0..8usize).flat_map(|a| [1, 2, 4].map(|bit| (a, a | bit))).filter(|(a, b)| a != b) {
            let (i, j) = (corner(a), corner(b));
            let (di, dj) = (f64::from(self.values[self.at(i)]), f64::from(self.values[self.at(j)]));
            if (di < 0.0) != (dj < 0.0) {
                let (p, q) = (i.map(|x| x as f64).into(), j.map(|x| x as f64).into());
                let t = (di / (di - dj)).clamp(0.0, 1.0);
                sum += Vec3::lerp(&p, &q, t);
                count += 1.0;
            }
        }
        self.origin + sum * (self.cell / count)
    }

    /// One quad for every grid edge that the surface crosses, counter-clockwise seen from outside.
    fn quads(&self, cubes: &[([usize; 3], u8)]) -> Vec<[u32; 4]> {
        let mut number = vec![u32::MAX; self.values.len()];
        for (i, &(cube, _)) in cubes.iter().enumerate() {
            number[self.at(cube)] = i as u32;
        }
        let mut quads = Vec::with_capacity(cubes.len() + cubes.len() / 8);
        for &(cube, signs) in cubes {
            // Each cube owns the three edges at its corner 0; the padding of the grid owns none that are crossed.
            for axis in 0..3 {
                let (from, to) = (signs & 1 != 0, signs >> (1 << axis) & 1 != 0);
                if from == to {
                    continue;
                }
                let (u, w) = ((axis + 1) % 3, (axis + 2) % 3);
                let around = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                    let mut c = cube;
                    c[u] -= i;
                    c[w] -= j;
                    number[self.at(c)]
                });
                // Around the positive axis: outward when the surface is left in that direction.
                let [a, b, c, d] = around;
                quads.push(if from { [a, b, c, d] } else { [d, c, b, a] });
            }
        }
        quads
    }
}

/// Points of a slab along each axis; a power of two, so that blocks halve evenly.
const SLAB: usize = 16;

/// Samples a block of grid points, or passes over it when the distance at its middle shows that it holds no surface.
fn sample(
    shape: &Sdf,
    place: &impl Fn([usize; 3]) -> Vec3,
    from: [usize; 3],
    size: [usize; 3],
    put: &mut impl FnMut([usize; 3], f64),
) {
    let last: [usize; 3] = std::array::from_fn(|c| from[c] + size[c] - 1);
    let (low, high) = (place(from), place(last));
    let d = shape.distance((low + high) / 2.0);
    if size == [1, 1, 1] {
        return put(from, d);
    }
    if d.abs() > (high - low).norm() / 2.0 * (1.0 + 1e-9) {
        for z in from[2]..=last[2] {
            for y in from[1]..=last[1] {
                for x in from[0]..=last[0] {
                    put([x, y, z], d);
                }
            }
        }
        return;
    }
    let halves = |c: usize| {
        let first = size[c].div_ceil(2);
        [(from[c], first), (from[c] + first, size[c] - first)].into_iter().filter(|h| h.1 > 0)
    };
    for (z, dz) in halves(2) {
        for (y, dy) in halves(1) {
            for (x, dx) in halves(0) {
                sample(shape, place, [x, y, z], [dx, dy, dz], put);
            }
        }
    }
}

/// Whether a cube has a face with insides on one diagonal only, or just two equal corners that are opposite.
fn is_tangled(signs: u8) -> bool {
    let inside = |c: usize| signs >> c & 1 != 0;
    let faces = (0..3).flat_map(|axis| [0usize, 1].map(|side| (axis, side)));
    let crossed = faces.into_iter().any(|(axis, side)| {
        let (u, w) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let base = side << axis;
        let [a, b, c, d] = [base, base + u, base + u + w, base + w].map(inside);
        a == c && b == d && a != b
    });
    let opposite = (0..4usize).any(|c| {
        let pair = 1u8 << c | 1 << (7 - c);
        signs == pair || signs == !pair
    });
    crossed || opposite
}

/// For each vertex its neighbours before and behind it in each quad around it.
struct Ring {
    offsets: Vec<u32>,
    others: Vec<[u32; 2]>,
}

impl Ring {
    fn of(&self, v: usize) -> &[[u32; 2]] {
        &self.others[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

fn neighbours(vertices: usize, quads: &[[u32; 4]]) -> Ring {
    let mut offsets = vec![0u32; vertices + 1];
    quads.as_flattened().iter().for_each(|&v| offsets[v as usize + 1] += 1);
    (0..vertices).for_each(|v| offsets[v + 1] += offsets[v]);
    let mut next = offsets.clone();
    let mut others = vec![[0; 2]; 4 * quads.len()];
    for quad in quads {
        for i in 0..4 {
            let slot = &mut next[quad[i] as usize];
            others[*slot as usize] = [quad[(i + 1) % 4], quad[(i + 3) % 4]];
            *slot += 1;
        }
    }
    Ring { offsets, others }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{area_vector, enclosed_volume};
    use crate::shapes::soundness::euler_of_closed_manifold;
    use pliant_linalg::ignore_progress;
    use std::f64::consts::PI;

    fn make(shape: &Sdf, target: usize) -> Triangles {
        polygonise(shape, target, &mut ignore_progress).unwrap()
    }

    fn on_surface(shape: &Sdf, mesh: &Triangles, size: f64) {
        let worst = mesh.vertices.iter().map(|&p| shape.distance(p).abs()).fold(0.0, f64::max);
        assert!(worst <= 1e-9 * size, "a vertex is {worst:.1e} off");
    }

    #[test]
    fn spheres_and_tori_have_their_euler_characteristic_and_their_count() {
        let ball = Sdf::sphere(Vec3::new(0.3, 0.1, 0.2), 0.7);
        let ring = Sdf::torus(Vec3::zeros(), 0.5, 0.2);
        for (shape, euler) in [(&ball, 2), (&ring, 0)] {
            for target in [500, 4000] {
                let mesh = make(shape, target);
                assert_eq!(euler_of_closed_manifold(&mesh.triangles), Ok(euler));
                let ratio = mesh.vertices.len() as f64 / target as f64;
                assert!((0.9..1.1).contains(&ratio), "{} vertices for {target}", mesh.vertices.len());
                on_surface(shape, &mesh, 1.4);
            }
        }
    }

    #[test]
    fn the_volume_converges_with_the_second_order() {
        for (shape, exact) in [
            (Sdf::sphere(Vec3::zeros(), 1.0), 4.0 / 3.0 * PI),
            (Sdf::torus(Vec3::zeros(), 1.0, 0.4), 2.0 * PI * PI * 0.16),
        ] {
            let order = pliant_testkit::order::observed(&[0.16, 0.08, 0.04], |h| {
                let mesh = polygonise_with_cell(&shape, h, &mut ignore_progress).unwrap();
                (enclosed_volume(&mesh.vertices, &mesh.triangles) - exact).abs()
            });
            assert!((order - 2.0).abs() < 0.15, "order {order:.3}");
        }
    }

    #[test]
    fn triangles_look_outwards_and_are_well_shaped() {
        let shape = Sdf::ellipsoid(Vec3::zeros(), Vec3::new(1.0, 0.6, 0.8));
        let mesh = make(&shape, 3000);
        for t in &mesh.triangles {
            let p = t.map(|v| mesh.vertices[v as usize]);
            let normal = area_vector(&p).normalize();
            let up = shape.gradient((p[0] + p[1] + p[2]) / 3.0, 1e-6);
            assert!(normal.dot(&up) > 0.9);
            let smallest = (0..3)
                .map(|i| (p[(i + 1) % 3] - p[i]).angle(&(p[(i + 2) % 3] - p[i])).to_degrees())
                .fold(180.0, f64::min);
            assert!(smallest > 15.0, "{smallest:.1}°");
        }
    }

    #[test]
    fn samples_that_touch_along_diagonals_are_made_manifold() {
        // Balls that touch, nearly touch and overlap by little, all thinner than a cell: the worst for a net.
        let shape = Sdf::union((0..40).map(|i| {
            let t = f64::from(i) * 2.4;
            Sdf::sphere(Vec3::new((t * 1.3).sin(), (t * 0.7).cos(), (t * 2.1).sin()) * 0.8, 0.3)
        }));
        for cell in [0.05, 0.11, 0.23, 0.31] {
            let mesh = polygonise_with_cell(&shape, cell, &mut ignore_progress).unwrap();
            assert!(euler_of_closed_manifold(&mesh.triangles).is_ok(), "cell {cell}");
        }
    }

    #[test]
    fn the_same_bits_on_one_thread_and_on_three() {
        let shape = Sdf::torus(Vec3::zeros(), 0.5, 0.2);
        let on = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| make(&shape, 2000))
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn a_shape_of_nothing_is_an_error() {
        let nothing = Sdf::sphere(Vec3::zeros(), 0.1).and(Sdf::sphere(Vec3::x(), 0.1), 0.0);
        assert!(matches!(polygonise(&nothing, 100, &mut ignore_progress), Err(MeshError::Empty { .. })));
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        let ball = Sdf::sphere(Vec3::zeros(), 1.0);
        for target in [0, 19, 5_000_001] {
            assert!(polygonise(&ball, target, &mut ignore_progress).is_err(), "{target}");
        }
        for cell in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-6] {
            assert!(polygonise_with_cell(&ball, cell, &mut ignore_progress).is_err(), "{cell}");
        }
    }
}
