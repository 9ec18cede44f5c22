//! Balls with thin limbs and handles, each a single closed surface: what a lattice of large cells tears apart.
//!
//! A limb begins at a small quadrilateral of the ball, goes out as a tube with a square section, and ends in a lid; a handle
//! comes back to another quadrilateral. So the surface is a manifold of known genus, and nothing overlaps.
//!
//! ```
//! use pliant_mesh::shapes::limbed::Limbed;
//! let body = Limbed { seed: 3, limbs: 4, handles: 1, thickness: 0.1 };
//! let (surface, tips) = body.surface();
//! assert!(pliant_mesh::topology::is_closed(surface.faces()) && tips.len() == 5);
//! ```

use std::f64::consts::PI;

use pliant_linalg::Vec3;

use crate::{Faces, SurfaceMesh};

/// A ball of radius 1 m with limbs, by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limbed {
    /// Where chance begins.
    pub seed: u64,
    /// Limbs that end in the air, up to 6.
    pub limbs: usize,
    /// Limbs that come back to the ball, up to 2.
    pub handles: usize,
    /// Side of their square sections, metres; below 0.4.
    pub thickness: f64,
}

/// Quadrilaterals along a side of the cube that the ball is made of.
const SIDES: usize = 7;

/// Limbs are at least so far from each other, m.
const ROOM: f64 = 0.6;

impl Limbed {
    /// Body `i` of `count` for cells of edge `cell` (metres): the thickness goes from 2 cells down to 0.3.
    pub fn of_series(i: usize, count: usize, cell: f64) -> Self {
        let share = (i as f64 + 0.5) / count as f64;
        Self { seed: i as u64, limbs: 1 + i % 6, handles: i / 6 % 3, thickness: cell * (2.0 - 1.7 * share) }
    }

    /// The surface, and the end of each limb, or for handles their farthest point.
    pub fn surface(&self) -> (SurfaceMesh, Vec<Vec3>) {
        let mut chance = Chance(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // The first of many in which no limb comes near another.
        let mut best: Option<(f64, Builder, Vec<Vec3>)> = None;
        for _ in 0..200 {
            let (made, tips) = self.attempt(&mut chance);
            let gap = made.gap();
            if best.as_ref().is_none_or(|b| gap > b.0) {
                best = Some((gap, made, tips));
            }
            if gap > ROOM {
                break;
            }
        }
        let (_, Builder { vertices, quads, .. }, tips) = best.expect("there were attempts");
        let mut faces = Faces::new();
        quads.iter().for_each(|q| faces.push(q));
        (SurfaceMesh::new(vertices, faces).expect("corners of quadrilaterals exist and differ"), tips)
    }

    fn attempt(&self, chance: &mut Chance) -> (Builder, Vec<Vec3>) {
        let mut made = Builder::ball(chance);
        let mut roots = made.roots(chance, self.limbs + 2 * self.handles);
        let mut tips = Vec::new();
        for _ in 0..self.handles {
            let Some(from) = roots.pop() else { break };
            let distance = |r: &[u32; 4]| (made.middle(r) - made.middle(&from)).norm();
            let nearest =
                (0..roots.len()).min_by(|&a, &b| distance(&roots[a]).total_cmp(&distance(&roots[b])));
            let Some(nearest) = nearest else { break };
            let to = roots.remove(nearest);
            tips.push(made.handle(from, to, self.thickness));
        }
        for root in roots {
            tips.push(made.limb(root, self.thickness, chance));
        }
        (made, tips)
    }
}

/// Numbers by chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A direction, all alike.
    fn direction(&mut self) -> Vec3 {
        let (z, turn) = (2.0 * self.next() - 1.0, 2.0 * PI * self.next());
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * turn.cos(), r * turn.sin(), z)
    }
}

struct Builder {
    vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    quads: Vec<[u32; 4]>,
    /// Along each limb.
    paths: Vec<Vec<Vec3>>,
}

impl Builder {
    /// The smallest distance between two limbs.
    fn gap(&self) -> f64 {
        let mut gap = f64::INFINITY;
        for (i, a) in self.paths.iter().enumerate() {
            for b in &self.paths[..i] {
                gap = a.iter().flat_map(|p| b.iter().map(move |q| (p - q).norm())).fold(gap, f64::min);
            }
        }
        gap
    }

    /// A cube blown up to a ball, turned by chance so that nothing is in step with a lattice.
    fn ball(chance: &mut Chance) -> Self {
        let n = SIDES;
        let x = chance.direction();
        let y = x.cross(&chance.direction()).try_normalize(1e-6).unwrap_or_else(|| x.cross(&Vec3::z()));
        let z = x.cross(&y);
        // The grid of the cube's sides, each point once.
        let at = |p: [usize; 3]| p.map(|c| 2.0 * c as f64 / n as f64 - 1.0);
        let mut number = vec![u32::MAX; (n + 1).pow(3)];
        let mut made = Self { vertices: Vec::new(), quads: Vec::new(), paths: Vec::new() };
        for axis in 0..3 {
            for high in [false, true] {
                for i in 0..n {
                    for j in 0..n {
                        let corner = |di: usize, dj: usize| {
                            let mut p = [0; 3];
                            p[axis] = if high { n } else { 0 };
                            p[(axis + 1) % 3] = i + di;
                            p[(axis + 2) % 3] = j + dj;
                            p
                        };
                        let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        if !high {
                            quad.reverse();
                        }
                        made.quads.push(quad.map(|p| {
                            let slot = &mut number[(p[0] * (n + 1) + p[1]) * (n + 1) + p[2]];
                            if *slot == u32::MAX {
                                *slot = made.vertices.len() as u32;
                                let d = Vec3::from(at(p)).normalize();
                                made.vertices.push(x * d.x + y * d.y + z * d.z);
                            }
                            *slot
                        }));
                    }
                }
            }
        }
        made
    }

    fn middle(&self, quad: &[u32; 4]) -> Vec3 {
        quad.iter().map(|&v| self.vertices[v as usize]).sum::<Vec3>() / 4.0
    }

    /// Takes so many quadrilaterals out of the ball, far from each other; fewer where there is no room.
    fn roots(&mut self, chance: &mut Chance, count: usize) -> Vec<[u32; 4]> {
        let mut taken: Vec<usize> = Vec::new();
        for _ in 0..2000 {
            if taken.len() == count {
                break;
            }
            let i = (chance.next() * self.quads.len() as f64) as usize;
            let here = self.middle(&self.quads[i]);
            // 40 degrees apart.
            if taken.iter().all(|&o| (self.middle(&self.quads[o]) - here).norm() > 0.68) {
                taken.push(i);
            }
        }
        let roots = taken.iter().map(|&i| self.quads[i]).collect();
        taken.sort_unstable();
        for i in taken.into_iter().rev() {
            self.quads.remove(i);
        }
        roots
    }

    /// A square ring around `centre`, across `along`, turned as `like` is.
    fn ring(&mut self, centre: Vec3, along: Vec3, like: &[u32; 4], thickness: f64) -> [u32; 4] {
        let (middle, first) = (self.middle(like), self.vertices[like[0] as usize]);
        let out = first - middle;
        let u = (out - along * out.dot(&along)).normalize();
        let v = along.cross(&u);
        let reach = thickness / 2f64.sqrt();
        let start = self.vertices.len() as u32;
        self.vertices.extend([u, v, -u, -v].map(|d| centre + d * reach));
        [0, 1, 2, 3].map(|i| start + i)
    }

    fn tube(&mut self, from: [u32; 4], to: [u32; 4]) {
        for i in 0..4 {
            let j = (i + 1) % 4;
            self.quads.push([from[i], from[j], to[j], to[i]]);
        }
    }

    /// A tube along points, from a quadrilateral on; its last ring.
    fn along(&mut self, root: [u32; 4], path: &[Vec3], thickness: f64) -> [u32; 4] {
        let mut last = root;
        for i in 0..path.len() {
            let before = if i == 0 { self.middle(&root) } else { path[i - 1] };
            let after = path.get(i + 1).unwrap_or(&path[i]);
            let next = self.ring(path[i], (after - before).normalize(), &last, thickness);
            self.tube(last, next);
            last = next;
        }
        last
    }

    /// Straight out with a slight bend.
    fn limb(&mut self, root: [u32; 4], thickness: f64, chance: &mut Chance) -> Vec3 {
        let start = self.middle(&root);
        let direction = start.normalize();
        let bend = direction.cross(&chance.direction()) * (0.3 * chance.next());
        let length = 0.8 + 0.8 * chance.next();
        let path: Vec<Vec3> = (0..=6)
            .map(|k| 0.02 + 0.98 * f64::from(k) / 6.0)
            .map(|t| start + direction * (length * t) + bend * (length * t * t))
            .collect();
        let end = self.along(root, &path, thickness);
        self.quads.push(end);
        let tip = path[6];
        self.paths.push(path);
        tip
    }

    /// From one quadrilateral over the ball to the other.
    fn handle(&mut self, from: [u32; 4], to: [u32; 4], thickness: f64) -> Vec3 {
        let (a, b) = (self.middle(&from), self.middle(&to));
        let chord = (b - a).norm();
        let height = 0.5 + 0.3 * chord;
        let up =
            (a + b).try_normalize(1e-3).unwrap_or_else(|| a.cross(&Vec3::new(0.3, 0.5, 0.8)).normalize());
        // A cubic curve that leaves and arrives along the radii.
        let (c, d) = (a * (1.0 + 1.6 * height) + up * 0.4, b * (1.0 + 1.6 * height) + up * 0.4);
        let at = |t: f64| {
            let s = 1.0 - t;
            a * (s * s * s) + c * (3.0 * s * s * t) + d * (3.0 * s * t * t) + b * (t * t * t)
        };
        let path: Vec<Vec3> = (0..=16).map(|k| at(0.01 + 0.98 * f64::from(k) / 16.0)).collect();
        let end = self.along(from, &path, thickness);
        // The other end looks the other way; of the four turnings the nearest.
        let back = [to[0], to[3], to[2], to[1]];
        let turned = |k: usize| std::array::from_fn::<u32, 4, _>(|i| back[(i + k) % 4]);
        let far = |k: usize| -> f64 {
            let pairs = end.iter().zip(turned(k));
            pairs.map(|(&p, q)| (self.vertices[p as usize] - self.vertices[q as usize]).norm_squared()).sum()
        };
        let best = (0..4).fold(0, |best, k| if far(k) < far(best) { k } else { best });
        self.tube(end, turned(best));
        self.paths.push(path);
        at(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor;

    #[test]
    fn the_surface_is_one_closed_manifold_with_its_handles_and_crosses_nothing() {
        for i in (0..200).step_by(17) {
            let body = Limbed::of_series(i, 200, 0.2);
            let (surface, tips) = body.surface();
            assert_eq!(tips.len(), body.limbs + body.handles, "{body:?}");
            let options = doctor::Options::default();
            let report =
                doctor::examine(&surface.into_data(), &options, &mut pliant_linalg::ignore_progress).unwrap();
            assert!(report.closed && report.manifold && report.components == 1, "{body:?}");
            assert_eq!(report.genus, Some(body.handles as u64), "{body:?}");
            assert!(report.volume.is_some_and(|v| v > 3.5), "{body:?}: {:?}", report.volume);
            assert!(report.finding(doctor::What::InsideOut).is_none(), "{body:?}");
            assert!(report.finding(doctor::What::Crossing).is_none(), "{body:?}");
        }
    }
}
