//! The ground under a scene: paper on which nothing is seen but the shadow.
//!
//! The light on it is computed once over a grid, softened, and looked up for every pixel: where a body touches the
//! ground the sky is hidden and the paper darkens, which is what makes it stand and not float.

use rayon::prelude::*;

use crate::render::geometry::Geometry;
use crate::render::light::Lamps;
use crate::scene::camera::View;

/// How dark the ground becomes where no light reaches it.
const SHADOW: f32 = 0.74;
/// Texels of the ground's shadow along each side, and how far it reaches (the scene is within 1 of the origin).
const GROUND_TEXELS: usize = 208;
const GROUND_REACH: f64 = 4.2;
/// The ground under the scene: nothing but the shadow on it.
pub(crate) struct Ground {
    level: f64,
    /// Texels along each side.
    side: usize,
    lit: Vec<f32>,
}

impl Ground {
    /// `None` when there is nothing to stand on it, or the eye is below it.
    pub(crate) fn new(geometry: &Geometry, view: &View, lamps: &Lamps, fineness: f64) -> Option<Self> {
        let level = geometry.points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min) - 2e-3;
        if !level.is_finite()
            || geometry.triangles.is_empty()
            || view.eye.z < level + 1e-3
            || view.back.z < 0.01
        {
            return None;
        }
        let up = [0.0, 0.0, 1.0];
        let open = lamps.at(&[0.0, 0.0, 1e3], &up).light[1];
        let side = (GROUND_TEXELS as f64 * fineness) as usize;
        let step = 2.0 * GROUND_REACH / side as f64;
        let raw: Vec<f32> = (0..side * side)
            .into_par_iter()
            .map(|k| {
                let at = |i: usize| (i as f64 + 0.5) * step - GROUND_REACH;
                let (x, y) = (at(k % side), at(k / side));
                // The shadow ends softly where the table does.
                let edge = (1.0 - (x * x + y * y).sqrt() / (0.96 * GROUND_REACH)).clamp(0.0, 1.0) as f32;
                let reach = edge.sqrt();
                let lit = lamps.at(&[x as f32, y as f32, level as f32], &up).light[1] / open;
                1.0 - (1.0 - lit) * reach * SHADOW
            })
            .collect();
        Some(Self { level, side, lit: blurred(&blurred(&raw, side), side) })
    }

    /// How bright the ground is through a pixel; 1 beside and above it, and at the sides of the picture, so that
    /// pictures can stand beside one another without a seam.
    pub(crate) fn lit(&self, view: &View, x: f64, y: f64) -> f32 {
        let width = 2.0 * view.middle[0];
        let inwards = (x.min(width - x) / (0.24 * width)).clamp(0.0, 1.0) as f32;
        let inwards = inwards * inwards * (3.0 - 2.0 * inwards);
        1.0 + (self.shadow(view, x, y) - 1.0) * inwards
    }

    fn shadow(&self, view: &View, x: f64, y: f64) -> f32 {
        let ray = view.ray(x, y);
        if ray.z > -1e-6 {
            return 1.0;
        }
        let p = view.eye + ray * ((self.level - view.eye.z) / ray.z);
        let step = 2.0 * GROUND_REACH / self.side as f64;
        let (u, v) = ((p.x + GROUND_REACH) / step - 0.5, (p.y + GROUND_REACH) / step - 0.5);
        let last = (self.side - 1) as f64;
        if !(u >= 0.0 && v >= 0.0 && u < last && v < last) {
            return 1.0;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = ((u - i as f64) as f32, (v - j as f64) as f32);
        let at = |a: usize, b: usize| self.lit[(j + b) * self.side + i + a];
        (at(0, 0) * (1.0 - fu) + at(1, 0) * fu) * (1.0 - fv) + (at(0, 1) * (1.0 - fu) + at(1, 1) * fu) * fv
    }
}

/// Each texel becomes the mean of the 3 × 3 around it; the rim stays.
fn blurred(texels: &[f32], n: usize) -> Vec<f32> {
    (0..n * n)
        .map(|k| {
            let (i, j) = (k % n, k / n);
            if i == 0 || j == 0 || i == n - 1 || j == n - 1 {
                return texels[k];
            }
            (0..9).map(|m| texels[(j + m / 3 - 1) * n + i + m % 3 - 1]).sum::<f32>() / 9.0
        })
        .collect()
}
