//! The light: an overcast sky of many directions, a soft warm key lamp from the upper left of the viewer, light thrown
//! back by the ground, and a faint lamp at the camera.
//!
//! ```text
//! E(p, n) = S Σᵢ wᵢ Lᵢ (n·dᵢ)₊ Vᵢ(p)  +  K (n·k)₊ mean V(p)  +  A(p) [ B (1 − n_z)/2 + F (n·e)₊ ]      (1)
//! ```
//! Vᵢ from one shadow map for each direction, wᵢ such that an open surface facing up gets exactly S from a sky of
//! L = 1, A the mean of Vᵢ over the directions the surface faces (ambient occlusion). Many soft shadows together are
//! what makes contact visible; a single lamp would make holes and hollows look alike.

use std::f64::consts::PI;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use crate::image::colour::Light;
use crate::render::geometry::Geometry;
use crate::render::shadow::{ShadowMap, coarse, dot};
use crate::scene::camera::View;

/// Directions of the sky.
const SKY: usize = 36;
/// Directions of the key lamp, spread over its disc.
const KEY: usize = 9;
/// Half angle of the key lamp, radians: as wide as a soft box, for soft shadows.
const KEY_WIDTH: f64 = 0.14;
/// Texels of a shadow map of the sky and of the key lamp along each side.
const SKY_TEXELS: usize = 192;
const KEY_TEXELS: usize = 288;

/// Strengths in equation (1), linear light.
pub(crate) const S: f32 = 0.52;
const K: f32 = 0.86;
const B: f32 = 0.20;
const F: f32 = 0.10;
const KEY_TINT: Light = [1.0, 0.965, 0.91];
const BOUNCE_TINT: Light = [1.0, 0.98, 0.95];

/// What falls on a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Falling {
    /// E of equation (1).
    pub(crate) light: Light,
    /// How much of the key lamp is seen.
    pub(crate) key: f32,
    /// A of equation (1).
    pub(crate) open: f32,
}

/// Points and triangles.
type Coarse = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// All lamps with their shadows.
pub(crate) struct Lamps {
    sky: Vec<(ShadowMap, Light)>,
    key: Vec<ShadowMap>,
    /// Towards the middle of the key lamp.
    pub(crate) key_towards: [f32; 3],
    eye: [f32; 3],
}

impl Lamps {
    /// `fineness` in (0, 1] scales the shadow maps: a small picture needs no large ones.
    pub(crate) fn new(geometry: &Geometry, view: &View, fineness: f64) -> Self {
        let points: Vec<[f32; 3]> =
            geometry.points.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        let radius = geometry.points.iter().map(|p| p.norm_squared()).fold(0.01, f64::max).sqrt();
        // The key lamp hangs at the viewer's upper left, and turns with the viewer.
        let level = Vec3::z().cross(&view.right);
        let key = (-view.right * 0.60 - level * 0.42 + Vec3::z() * 1.05).normalize();
        let reach = radius * 1.02;
        let [sky_texels, key_texels] = [SKY_TEXELS, KEY_TEXELS].map(|t| (t as f64 * fineness) as usize);
        // The sky is soft: one and a half texels are as good as one.
        let cell = |texels: usize, width: f64| (width * 2.0 * reach / texels as f64) as f32;
        let for_sky = coarse(&points, &geometry.triangles, cell(sky_texels, 1.5));
        let for_key = coarse(&points, &geometry.triangles, cell(key_texels, 1.0));
        let directions: Vec<(Vec3, &Coarse, usize)> = (0..SKY)
            .map(|i| (sky_direction(i), &for_sky, sky_texels))
            .chain((0..KEY).map(|i| (key_direction(&key, i), &for_key, key_texels)))
            .collect();
        let mut maps: Vec<ShadowMap> = directions
            .into_par_iter()
            .map(|(d, (points, triangles), texels)| ShadowMap::new(points, triangles, d, reach, texels))
            .collect();
        let key_maps = maps.split_off(SKY);
        // Σ w (z·d) = 1 over the sky.
        let total: f32 = maps.iter().map(|m| m.towards[2]).sum();
        let single = |a: Vec3| [a.x as f32, a.y as f32, a.z as f32];
        let sky = maps
            .into_iter()
            .map(|m| {
                let light = sky_light(m.towards[2]).map(|l| l / total);
                (m, light)
            })
            .collect();
        Self { sky, key: key_maps, key_towards: single(key), eye: single(view.back) }
    }

    /// Equation (1) at a point with the unit normal `n`.
    pub(crate) fn at(&self, p: &[f32; 3], n: &[f32; 3]) -> Falling {
        let (mut sky, mut open, mut faced) = ([0.0f32; 3], 0.0, 1e-6);
        for (map, light) in &self.sky {
            let cosine = dot(n, &map.towards);
            if cosine > 0.0 {
                let v = map.lit(p, n);
                open += cosine * v;
                faced += cosine;
                (0..3).for_each(|c| sky[c] += light[c] * cosine * v);
            }
        }
        let open = if faced > 1e-3 { open / faced } else { 1.0 };
        let key_cosine = dot(n, &self.key_towards);
        let key = if key_cosine > 0.0 {
            self.key.iter().map(|m| m.lit(p, n)).sum::<f32>() / self.key.len() as f32
        } else {
            0.0
        };
        let rest = open * (F * dot(n, &self.eye).max(0.0));
        let bounce = open * B * (1.0 - n[2]) / 2.0;
        let light = std::array::from_fn(|c| {
            S * sky[c] + K * KEY_TINT[c] * key_cosine.max(0.0) * key + bounce * BOUNCE_TINT[c] + rest
        });
        Falling { light, key, open }
    }
}

/// Direction `i` of the sky: evenly over the upper half (Fibonacci lattice), none too near the horizon, where shadows
/// would be endless.
fn sky_direction(i: usize) -> Vec3 {
    let z = 1.0 - (i as f64 + 0.5) / SKY as f64 * 0.93;
    let turn = i as f64 * PI * (3.0 - 5f64.sqrt());
    let r = (1.0 - z * z).sqrt();
    Vec3::new(r * turn.cos(), r * turn.sin(), z)
}

/// Direction `i` of the key lamp: evenly over a disc around its middle (sunflower).
fn key_direction(key: &Vec3, i: usize) -> Vec3 {
    let u = Vec3::z().cross(key).normalize();
    let v = key.cross(&u);
    let r = ((i as f64 + 0.5) / KEY as f64).sqrt() * KEY_WIDTH.tan();
    let turn = i as f64 * PI * (3.0 - 5f64.sqrt());
    (key + u * (r * turn.cos()) + v * (r * turn.sin())).normalize()
}

/// Light of the sky at height z: whiter above, a touch of blue towards the horizon.
fn sky_light(z: f32) -> Light {
    [0.94 + 0.05 * z, 0.975 + 0.02 * z, 1.03 - 0.03 * z]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation (1) by hand for an open surface, where every V and A is 1.
    #[test]
    fn an_open_surface_gets_what_the_formula_says() {
        let geometry = Geometry {
            points: vec![Vec3::zeros(); 3],
            triangles: vec![],
            flags: vec![],
            normals: vec![],
            starts: vec![],
        };
        let view = View::new(&crate::Camera::fit(), None, &[Vec3::zeros()], [10, 10]);
        let lamps = Lamps::new(&geometry, &view, 1.0);
        for n in [Vec3::z(), Vec3::x(), Vec3::new(0.6, 0.0, -0.8), -Vec3::z()] {
            let weight: f64 = (0..SKY).map(|i| sky_direction(i).z).sum();
            let sky: f64 = (0..SKY)
                .map(|i| {
                    let d = sky_direction(i);
                    f64::from(sky_light(d.z as f32)[1]) * n.dot(&d).max(0.0) / weight
                })
                .sum();
            let key = Vec3::from(lamps.key_towards.map(f64::from));
            let want = 0.52 * sky
                + 0.86 * 0.965 * n.dot(&key).max(0.0)
                + 0.20 * 0.98 * (1.0 - n.z) / 2.0
                + 0.10 * n.dot(&view.back).max(0.0);
            let got = lamps.at(&[0.0; 3], &[n.x as f32, n.y as f32, n.z as f32]).light[1];
            assert!((f64::from(got) - want).abs() < 1e-5, "{n:?}: {got} for {want}");
        }
    }
}
