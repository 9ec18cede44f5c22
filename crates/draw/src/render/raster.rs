//! Which triangle is seen where.
//!
//! The picture is cut into bands of rows, drawn in parallel, each with its own depth buffer. A sample belongs to the
//! nearest triangle; of equally near ones to the first. A triangle is nearer where 1/w is larger, and 1/w is linear in
//! the picture plane. Samples lie in a pattern in which no two of a pixel share a row or a column.

use pliant_linalg::Vec3;

use crate::scene::camera::{NEAR, View};

/// Samples of a pixel along each side.
pub(crate) const SIDE: usize = 3;
/// How far a sample lies beside the middle of its cell at most, in cells.
const REACH: f64 = 1.0 / 3.0;
/// Rows of pixels in a band.
pub(crate) const BAND: usize = 12;
/// No triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Where sample column `i`, row `j` lies, pixels.
pub(crate) fn sample(i: usize, j: usize) -> [f64; 2] {
    // Step k of a row shifts by (k + ½)/SIDE − ½; the half of the cell's middle is added.
    const PLUS: [f64; SIDE] = [0.5 - REACH, 0.5, 0.5 + REACH];
    const STEP: f64 = 1.0 / SIDE as f64;
    [(i as f64 + PLUS[j % SIDE]) * STEP, (j as f64 + PLUS[SIDE - 1 - i % SIDE]) * STEP]
}

/// The samples of one band.
pub(crate) struct Band {
    /// Samples across.
    pub(crate) across: usize,
    /// First sample row in the picture.
    pub(crate) top: usize,
    /// 1/w of what is seen; 0 where there is nothing.
    pub(crate) near: Vec<f32>,
    /// Its triangle.
    pub(crate) triangle: Vec<u32>,
}

/// Points as seen, and which triangles touch which band.
pub(crate) struct Projected {
    /// Right, above, away from the eye.
    seen: Vec<[f64; 3]>,
    /// Pixels, and distance; meaningless behind the eye.
    pub(crate) flat: Vec<[f64; 3]>,
    /// For each band its triangles, ascending.
    bins: Vec<Vec<u32>>,
}

impl Projected {
    pub(crate) fn new(view: &View, points: &[Vec3], triangles: &[[u32; 3]], height: usize) -> Self {
        let seen: Vec<[f64; 3]> = points.iter().map(|p| view.seen(p)).collect();
        let flat: Vec<[f64; 3]> = seen.iter().map(|&p| view.flat(p)).collect();
        let mut bins = vec![Vec::new(); height.div_ceil(BAND)];
        for (t, corners) in triangles.iter().enumerate() {
            let c = corners.map(|v| flat[v as usize]);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for [_, y, w] in c {
                if w < NEAR {
                    // Clipped later: may reach anywhere.
                    (low, high) = (0.0, height as f64);
                    break;
                }
                (low, high) = (low.min(y), high.max(y));
            }
            if c.iter().all(|p| p[2] < NEAR) || high < 0.0 || low > height as f64 {
                continue;
            }
            let first = (low.max(0.0) as usize / BAND).min(bins.len() - 1);
            let last = (high.max(0.0) as usize / BAND).min(bins.len() - 1);
            bins[first..=last].iter_mut().for_each(|b| b.push(t as u32));
        }
        Self { seen, flat, bins }
    }

    /// Draws band `b` of a picture `width` pixels across.
    pub(crate) fn band(
        &self,
        b: usize,
        triangles: &[[u32; 3]],
        view: &View,
        width: usize,
        rows: usize,
    ) -> Band {
        let (across, lines) = (width * SIDE, rows * SIDE);
        let mut band = Band {
            across,
            top: b * BAND * SIDE,
            near: vec![0.0; across * lines],
            triangle: vec![NOTHING; across * lines],
        };
        for &t in &self.bins[b] {
            let corners = triangles[t as usize];
            if corners.iter().all(|&v| self.flat[v as usize][2] >= NEAR) {
                band.fill(t, corners.map(|v| self.flat[v as usize]));
            } else {
                let pieces = clipped(corners.map(|v| self.seen[v as usize]));
                let p: Vec<[f64; 3]> = pieces.into_iter().map(|p| view.flat(p)).collect();
                (2..p.len()).for_each(|i| band.fill(t, [p[0], p[i - 1], p[i]]));
            }
        }
        band
    }
}

impl Band {
    /// Sets every sample inside the triangle `p` (pixels, pixels, distance) where it is nearest so far.
    fn fill(&mut self, t: u32, p: [[f64; 3]; 3]) {
        let cross = |a: [f64; 3], b: [f64; 3]| a[0] * b[1] - a[1] * b[0];
        let area = cross(p[0], p[1]) + cross(p[1], p[2]) + cross(p[2], p[0]);
        if !(area.abs() > 1e-12 && area.is_finite()) {
            return;
        }
        // Barycentric coordinate k at (x, y): a x + b y + c.
        let plane: [[f64; 3]; 3] = std::array::from_fn(|k| {
            let (q, r) = (p[(k + 1) % 3], p[(k + 2) % 3]);
            [(q[1] - r[1]) / area, (r[0] - q[0]) / area, cross(q, r) / area]
        });
        let inverse = p.map(|q| 1.0 / q[2]);
        let z: [f64; 3] = std::array::from_fn(|c| (0..3).map(|k| plane[k][c] * inverse[k]).sum());
        let lines = self.near.len() / self.across;
        // Samples lie at most a third of a step beside the middle of their cell; casts saturate at 0.
        let limits = |c: usize| {
            let low = p[0][c].min(p[1][c]).min(p[2][c]) * SIDE as f64 + (0.5 - REACH);
            let high = p[0][c].max(p[1][c]).max(p[2][c]) * SIDE as f64 + (0.5 + REACH);
            (low as usize, high as usize)
        };
        let ((x0, x1), (y0, y1)) = (limits(0), limits(1));
        let (y0, y1) = (y0.saturating_sub(self.top), y1.saturating_sub(self.top).min(lines));
        let x1 = x1.min(self.across);
        for j in y0..y1 {
            let row = j * self.across;
            for i in x0..x1 {
                let [x, y] = sample(i, self.top + j);
                let b: [f64; 3] = std::array::from_fn(|k| plane[k][0] * x + plane[k][1] * y + plane[k][2]);
                // A hair of generosity, so that neighbours leave no gap between them.
                if b[0].min(b[1]).min(b[2]) >= -1e-9 {
                    let near = (z[0] * x + z[1] * y + z[2]) as f32;
                    if near > self.near[row + i] {
                        self.near[row + i] = near;
                        self.triangle[row + i] = t;
                    }
                }
            }
        }
    }
}

/// The part of a triangle in front of the eye, as a polygon.
fn clipped(p: [[f64; 3]; 3]) -> Vec<[f64; 3]> {
    let mut kept = Vec::with_capacity(4);
    for i in 0..3 {
        let (a, b) = (p[i], p[(i + 1) % 3]);
        if a[2] >= NEAR {
            kept.push(a);
        }
        if (a[2] >= NEAR) != (b[2] >= NEAR) {
            let t = (NEAR - a[2]) / (b[2] - a[2]);
            kept.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), NEAR]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nine_samples_of_a_pixel_share_no_row_and_no_column() {
        for axis in 0..2 {
            let mut at: Vec<f64> =
                (0..SIDE * SIDE).map(|k| sample(k % SIDE, k / SIDE)[axis] * 9.0 - 0.5).collect();
            at.sort_by(f64::total_cmp);
            for (k, x) in at.iter().enumerate() {
                assert!((x - k as f64).abs() < 1e-12, "{at:?}");
            }
        }
    }

    #[test]
    fn clipping_keeps_what_is_in_front() {
        assert_eq!(clipped([[0.0, 0.0, -1.0]; 3]).len(), 0);
        let quad = clipped([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]);
        assert_eq!(quad.len(), 4);
        assert!(quad.iter().all(|p| p[2] >= NEAR));
    }
}
