//! Shadow maps: what a far lamp sees of the scene, as the height of the nearest surface over a grid of texels.
//!
//! A point is lit when nothing in the map stands higher than it. The question is asked a little off the surface, along
//! its normal, so that a surface does not shade itself; the answer is the mean of the four texels around it.

use pliant_linalg::Vec3;
use rayon::prelude::*;

/// The map of one direction of light.
pub(crate) struct ShadowMap {
    /// Towards the lamp.
    pub(crate) towards: [f32; 3],
    across: [[f32; 3]; 2],
    side: usize,
    /// Texels for a length of 1.
    density: f32,
    height: Vec<f32>,
}

impl ShadowMap {
    /// The map of `triangles` within `radius` of the origin, `side` × `side` texels.
    pub(crate) fn new(
        points: &[[f32; 3]],
        triangles: &[[u32; 3]],
        towards: Vec3,
        radius: f64,
        side: usize,
    ) -> Self {
        let helper = if towards.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
        let u = helper.cross(&towards).normalize();
        let v = towards.cross(&u);
        let single = |a: Vec3| [a.x as f32, a.y as f32, a.z as f32];
        let mut map = Self {
            towards: single(towards),
            across: [single(u), single(v)],
            side,
            density: ((side - 2) as f64 / (2.0 * radius)) as f32,
            height: vec![f32::NEG_INFINITY; side * side],
        };
        let placed: Vec<[f32; 3]> = points.iter().map(|p| map.place(p)).collect();
        for t in triangles {
            map.fill(t.map(|i| placed[i as usize]));
        }
        map
    }

    /// Width of a texel.
    pub(crate) fn texel(&self) -> f32 {
        1.0 / self.density
    }

    /// How much of the light reaches `p` (surface normal `n`): 0 to 1.
    pub(crate) fn lit(&self, p: &[f32; 3], n: &[f32; 3]) -> f32 {
        let off = 1.6 * self.texel();
        let [x, y, h] = self.place(&[p[0] + n[0] * off, p[1] + n[1] * off, p[2] + n[2] * off]);
        let (x, y) = (x - 0.5, y - 0.5);
        let edge = (self.side - 1) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < edge && y < edge) {
            return 1.0;
        }
        let (i, j) = (x as usize, y as usize);
        let (fx, fy) = (x - i as f32, y - j as f32);
        // Two texels of height from light to dark: no hard steps, no freckles.
        let soft = self.density * 0.5;
        let open = |k: usize| 1.0 - ((self.height[k] - h) * soft).clamp(0.0, 1.0);
        let k = j * self.side + i;
        let upper = open(k) * (1.0 - fx) + open(k + 1) * fx;
        let lower = open(k + self.side) * (1.0 - fx) + open(k + self.side + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }

    /// Texel column, texel row, height towards the lamp.
    fn place(&self, p: &[f32; 3]) -> [f32; 3] {
        let middle = self.side as f32 / 2.0;
        [
            middle + dot(p, &self.across[0]) * self.density,
            middle + dot(p, &self.across[1]) * self.density,
            dot(p, &self.towards),
        ]
    }

    fn fill(&mut self, p: [[f32; 3]; 3]) {
        // Texels whose middle lies in the box of the triangle; casts saturate at 0.
        let range = |c: usize| {
            let low = p[0][c].min(p[1][c]).min(p[2][c]) + 0.5;
            let high = p[0][c].max(p[1][c]).max(p[2][c]) + 0.5;
            (low as usize, (high as usize).min(self.side))
        };
        let (x0, x1) = range(0);
        let (y0, y1) = range(1);
        // A fine mesh is mostly triangles that hold no middle at all.
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let (ax, ay) = (p[1][0] - p[0][0], p[1][1] - p[0][1]);
        let (bx, by) = (p[2][0] - p[0][0], p[2][1] - p[0][1]);
        let area = ax * by - ay * bx;
        // Seen from the side it casts no shadow of its own; points are finite, so is the area.
        if area.abs() <= 1e-9 {
            return;
        }
        let inverse = 1.0 / area;
        let (ha, hb) = (p[1][2] - p[0][2], p[2][2] - p[0][2]);
        for j in y0..y1 {
            for i in x0..x1 {
                let (dx, dy) = (i as f32 + 0.5 - p[0][0], j as f32 + 0.5 - p[0][1]);
                let s = (dx * by - dy * bx) * inverse;
                let t = (ax * dy - ay * dx) * inverse;
                if s >= -1e-4 && t >= -1e-4 && s + t <= 1.0001 {
                    let slot = &mut self.height[j * self.side + i];
                    *slot = slot.max(p[0][2] + s * ha + t * hb);
                }
            }
        }
    }
}

/// The triangles as far as a map with texels of width `cell` can tell them apart, with their points: vertices in one
/// cell become the first of them, and what collapses is dropped. A mesh finer than the map then costs no more than one
/// as fine as the map.
pub(crate) fn coarse(
    points: &[[f32; 3]],
    triangles: &[[u32; 3]],
    cell: f32,
) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut keyed: Vec<(u64, u32)> = points
        .par_iter()
        .zip(0u32..points.len() as u32)
        .map(|(p, i)| {
            // The scene lies within 2 of the origin and cells are no smaller than 1e-3: 20 bits are enough.
            let part = |x: f32| (x / cell + 524_288.0) as u64 & 0xf_ffff;
            (part(p[0]) << 40 | part(p[1]) << 20 | part(p[2]), i)
        })
        .collect();
    keyed.par_sort_unstable();
    let mut number = vec![0u32; points.len()];
    let mut few = Vec::new();
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        group.iter().for_each(|&(_, i)| number[i as usize] = few.len() as u32);
        few.push(points[group[0].1 as usize]);
    }
    let triangles = triangles
        .iter()
        .map(|t| t.map(|v| number[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    (few, triangles)
}

pub(crate) fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_triangles_keep_the_shape_within_a_cell() {
        let ball = pliant_mesh::shapes::ball(1.0, 12);
        let faces = pliant_mesh::topology::boundary_faces(ball.tets());
        let points: Vec<[f32; 3]> =
            ball.vertices().iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        let (corners, few) = coarse(&points, &faces, 0.2);
        assert!(few.len() > 100 && few.len() < faces.len() / 2, "{} of {}", few.len(), faces.len());
        assert_eq!(coarse(&points, &faces, 1e-3).1.len(), faces.len());
        let map = ShadowMap::new(&corners, &few, Vec3::x(), 1.5, 64);
        assert_eq!(map.lit(&[-1.3, 0.0, 0.0], &[-1.0, 0.0, 0.0]), 0.0);
        assert_eq!(map.lit(&[0.0, 1.25, 0.0], &[0.0, 1.0, 0.0]), 1.0);
    }

    #[test]
    fn a_plate_shades_what_is_below_it_and_nothing_else() {
        let points = [[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]];
        let map = ShadowMap::new(&points, &[[0, 1, 2], [0, 2, 3]], Vec3::z(), 1.5, 128);
        let up = [0.0, 0.0, 1.0];
        assert_eq!(map.lit(&[0.0, 0.0, 0.0], &up), 0.0);
        assert_eq!(map.lit(&[0.7, 0.0, 0.0], &up), 1.0);
        assert_eq!(map.lit(&[0.1, 0.0, 0.5], &up), 1.0, "no shadow on itself");
        assert_eq!(map.lit(&[9.0, 0.0, 0.0], &up), 1.0, "outside the map");
    }
}
