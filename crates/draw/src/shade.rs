//! From what is seen to pixels.
//!
//! Every sample is coloured by itself; the light that falls on it is asked for once for all samples of a pixel that lie
//! on the same smooth piece of surface. Samples are averaged as light and only then become bytes.

use pliant_linalg::Vec3;
use rayon::prelude::*;

use crate::camera::View;
use crate::colour::{Light, encode};
use crate::facing;
use crate::light::{Falling, Lamps};
use crate::overlay;
use crate::raster::{BAND, Band, NOTHING, Projected, SIDE, sample};
use crate::scene::{Heap, Paint, Scene};
use crate::{Image, lines, palette};

/// How dark the ground becomes where no light reaches it.
const SHADOW: f32 = 0.62;
/// Texels of the ground's shadow along each side, and how far it reaches (the scene is within 1 of the origin).
const GROUND_TEXELS: usize = 208;
const GROUND_REACH: f64 = 4.2;
/// Steps of a colour map.
const MAP_STEPS: usize = 1024;

/// Draws a scene.
pub(crate) fn render(scene: &Scene, width: usize, height: usize) -> Image {
    let frame = scene.frame();
    let heap = Heap::new(scene, &frame);
    let marks: Vec<Vec<Vec3>> =
        scene.marks.iter().map(|m| m.points.iter().map(|p| frame.place(p)).collect()).collect();
    let room = scene.room.iter().map(|p| frame.place(p));
    let everything: Vec<Vec3> =
        heap.points.iter().chain(marks.iter().flatten()).copied().chain(room).collect();
    let fixed = scene.camera.fixed.map(|f| f.map(|p| frame.place(&p)));
    let view = View::new(&scene.camera, fixed, &everything, [width, height]);
    let lamps = Lamps::new(&heap, &view);
    let ground = Ground::new(&heap, &view, &lamps);
    let projected = Projected::new(&view, &heap.points, &heap.triangles, height);
    let studio = Studio::new(scene, &heap, &view, &lamps, ground, &projected, height);

    let bands: Vec<(Vec<u8>, Vec<f32>)> = (0..height.div_ceil(BAND))
        .into_par_iter()
        .map(|b| {
            let rows = BAND.min(height - b * BAND);
            let band = projected.band(b, &heap.triangles, &view, width, rows);
            studio.develop(&band, width, rows)
        })
        .collect();
    let mut image = Image { width, height, rgba: Vec::with_capacity(4 * width * height) };
    let mut near = Vec::with_capacity(width * height);
    for (pixels, depths) in bands {
        image.rgba.extend(pixels);
        near.extend(depths);
    }
    overlay::lay(&mut image, scene, &marks, &view, &near);
    image
}

/// Everything a sample needs to know.
struct Studio<'a> {
    heap: &'a Heap,
    view: &'a View,
    lamps: &'a Lamps,
    ground: Option<Ground>,
    flat: &'a [[f64; 3]],
    height: usize,
    parts: Vec<Look<'a>>,
    ink: Light,
    /// Strength of the edges of every triangle.
    strength: Vec<f32>,
}

/// How a part looks, with its colours as light.
struct Look<'a> {
    paint: &'a Paint,
    map: Vec<Light>,
    places: Vec<f32>,
    back: Light,
    edge_width: f64,
}

/// A sample on a surface.
struct Hit {
    p: [f32; 3],
    n: [f32; 3],
    colour: Light,
}

impl<'a> Studio<'a> {
    fn new(
        scene: &'a Scene,
        heap: &'a Heap,
        view: &'a View,
        lamps: &'a Lamps,
        ground: Option<Ground>,
        projected: &'a Projected,
        height: usize,
    ) -> Self {
        let parts = scene
            .parts
            .iter()
            .map(|part| {
                let (map, places) = match &part.paint {
                    Paint::Field(field) => (
                        (0..=MAP_STEPS).map(|i| field.map.at(i as f64 / MAP_STEPS as f64).light()).collect(),
                        field.values.iter().map(|&v| field.place(v) as f32).collect(),
                    ),
                    _ => (vec![], vec![]),
                };
                Look { paint: &part.paint, map, places, back: part.back.light(), edge_width: part.edge_width }
            })
            .collect();
        let strength = heap
            .triangles
            .par_iter()
            .zip(&heap.flags)
            .map(|(t, flags)| match flags & !facing::FLAT {
                0 => 0.0,
                _ => lines::strength(t.map(|v| projected.flat[v as usize])),
            })
            .collect();
        let ink = palette::INK.light();
        Self { heap, view, lamps, ground, flat: &projected.flat, height, parts, ink, strength }
    }

    /// The pixels of a band, and the nearest 1/w of each.
    fn develop(&self, band: &Band, width: usize, rows: usize) -> (Vec<u8>, Vec<f32>) {
        let mut pixels = Vec::with_capacity(4 * width * rows);
        let mut near = Vec::with_capacity(width * rows);
        let mut known: Vec<(Hit, Falling)> = Vec::with_capacity(SIDE * SIDE);
        for y in 0..rows {
            for x in 0..width {
                known.clear();
                let (mut sum, mut paper, mut nearest) = ([0.0f32; 3], None, 0.0f32);
                for k in 0..SIDE * SIDE {
                    let (i, j) = (x * SIDE + k % SIDE, y * SIDE + k / SIDE);
                    let at = j * band.across + i;
                    nearest = nearest.max(band.near[at]);
                    let light = match band.triangle[at] {
                        NOTHING => *paper.get_or_insert_with(|| {
                            self.paper(x as f64 + 0.5, (band.top / SIDE + y) as f64 + 0.5)
                        }),
                        t => self.surface(t, sample(i, band.top + j), &mut known),
                    };
                    (0..3).for_each(|c| sum[c] += light[c]);
                }
                let scale = 1.0 / (SIDE * SIDE) as f32;
                pixels.extend(sum.map(|s| encode(s * scale)));
                pixels.push(255);
                near.push(nearest);
            }
        }
        (pixels, near)
    }

    /// The paper behind everything, with the shadow that falls on it.
    fn paper(&self, x: f64, y: f64) -> Light {
        let t = (y / self.height as f64) as f32;
        let (high, low) = (palette::PAPER[0].light(), palette::PAPER[1].light());
        // Eased, so that the gradient has no visible start and end.
        let t = t * t * (3.0 - 2.0 * t);
        let lit = self.ground.as_ref().map_or(1.0, |g| g.lit(self.view, x, y));
        std::array::from_fn(|c| (high[c] + (low[c] - high[c]) * t) * lit)
    }

    /// The light from triangle `t` through a sample.
    fn surface(&self, t: u32, at: [f64; 2], known: &mut Vec<(Hit, Falling)>) -> Light {
        let Some(hit) = self.hit(t, at) else { return self.paper(at[0], at[1]) };
        // A pixel is about this large there; the scene is about 1.
        let apart = |a: &Hit| {
            let d: [f32; 3] = std::array::from_fn(|c| a.p[c] - hit.p[c]);
            crate::shadow::dot(&d, &d) > 4e-4 || crate::shadow::dot(&a.n, &hit.n) < 0.97
        };
        let falling = match known.iter().find(|(h, _)| !apart(h)) {
            Some((_, falling)) => *falling,
            None => self.lamps.at(&hit.p, &hit.n),
        };
        let towards = Vec3::from(hit.p.map(f64::from));
        let sight = (self.view.eye - towards).normalize();
        let sight = [sight.x as f32, sight.y as f32, sight.z as f32];
        let light = glow(&hit, &falling, &sight, &self.lamps.key_towards);
        let strength = self.strength[t as usize];
        let inked = if strength > 0.0 {
            let corners = self.heap.triangles[t as usize].map(|v| self.flat[v as usize]);
            let width = self.parts[self.heap.part(t)].edge_width;
            strength * lines::coverage(at, corners, self.heap.flags[t as usize], width, 1.0 / SIDE as f64)
        } else {
            0.0
        };
        let light = std::array::from_fn(|c| {
            let tone = shoulder(light[c]);
            tone + (self.ink[c] - tone) * inked
        });
        known.push((hit, falling));
        light
    }

    /// Where sight through `at` meets the plane of triangle `t`, and what is there.
    fn hit(&self, t: u32, at: [f64; 2]) -> Option<Hit> {
        let corners = self.heap.triangles[t as usize];
        let [a, b, c] = corners.map(|v| self.heap.points[v as usize]);
        let ray = self.view.ray(at[0], at[1]);
        let (e1, e2) = (b - a, c - a);
        let normal = e1.cross(&e2);
        let slope = ray.dot(&normal);
        if slope == 0.0 {
            return None;
        }
        let w = (a - self.view.eye).dot(&normal) / slope;
        let p = self.view.eye + ray * w;
        // Barycentric coordinates of p, held inside where rounding or a grazing view would leave the triangle.
        let square = normal.norm_squared();
        let u = ((p - a).cross(&e2).dot(&normal) / square).clamp(0.0, 1.0);
        let v = (e1.cross(&(p - a)).dot(&normal) / square).clamp(0.0, 1.0 - u);
        let n = self.heap.normals[t as usize];
        let mut n = n[0] * (1.0 - u - v) + n[1] * u + n[2] * v;
        let length = n.norm();
        n = if length > 1e-9 { n / length } else { normal.normalize() };
        let back = slope > 0.0;
        if back {
            n = -n;
        }
        // A smoothed normal may turn away from the viewer near the rim; bring it back to the edge of sight.
        let sight = -ray.normalize();
        let facing = n.dot(&sight);
        if facing < 0.02 {
            n = (n + sight * (0.02 - facing)).normalize();
        }
        let p = a + e1 * u + e2 * v;
        if !(p.x + p.y + p.z + n.x + n.y + n.z).is_finite() {
            return None;
        }
        let part = self.heap.part(t);
        let look = &self.parts[part];
        let [first_point, first_triangle] = self.heap.starts[part];
        let colour = match look.paint {
            Paint::Field(_) => {
                let place = |k: usize| look.places[(corners[k] - first_point) as usize];
                let value = place(0) * (1.0 - u - v) as f32 + place(1) * u as f32 + place(2) * v as f32;
                look.map[((value * MAP_STEPS as f32).round() as usize).min(MAP_STEPS)]
            }
            _ if back => look.back,
            Paint::One(colour) => colour.light(),
            Paint::Each(colours) => colours[(t - first_triangle) as usize].light(),
        };
        let single = |a: Vec3| [a.x as f32, a.y as f32, a.z as f32];
        Some(Hit { p: single(p), n: single(n), colour })
    }
}

/// What a matt surface with a faint gloss sends to the eye.
fn glow(hit: &Hit, falling: &Falling, sight: &[f32; 3], key: &[f32; 3]) -> Light {
    use crate::shadow::dot;
    let half: [f32; 3] = std::array::from_fn(|c| sight[c] + key[c]);
    let length = dot(&half, &half).sqrt().max(1e-6);
    let shine = (dot(&hit.n, &half) / length).max(0.0).powi(28) * 0.075 * falling.key;
    // Grazing surfaces mirror the sky (Schlick 1994), which sets a body off from what is behind it.
    let rim = (1.0 - dot(&hit.n, sight).clamp(0.0, 1.0)).powi(5) * 0.16 * falling.open;
    std::array::from_fn(|c| hit.colour[c] * falling.light[c] + shine + rim)
}

/// Bends bright light gently towards white instead of cutting it off: x below 0.7, 0.7 + 0.3 (1 − e^(−(x − 0.7)/0.3))
/// above.
fn shoulder(x: f32) -> f32 {
    if x < 0.7 { x } else { 1.0 - 0.3 * (-(x - 0.7) / 0.3).exp() }
}

/// The ground under the scene: nothing but the shadow on it.
struct Ground {
    level: f64,
    lit: Vec<f32>,
}

impl Ground {
    /// `None` when there is nothing to stand on it, or the eye is below it.
    fn new(heap: &Heap, view: &View, lamps: &Lamps) -> Option<Self> {
        let level = heap.points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min) - 2e-3;
        if !level.is_finite() || heap.triangles.is_empty() || view.eye.z < level + 1e-3 || view.back.z < 0.01
        {
            return None;
        }
        let up = [0.0, 0.0, 1.0];
        let open = lamps.at(&[0.0, 0.0, 1e3], &up).light[1];
        let step = 2.0 * GROUND_REACH / GROUND_TEXELS as f64;
        let raw: Vec<f32> = (0..GROUND_TEXELS * GROUND_TEXELS)
            .into_par_iter()
            .map(|k| {
                let at = |i: usize| (i as f64 + 0.5) * step - GROUND_REACH;
                let (x, y) = (at(k % GROUND_TEXELS), at(k / GROUND_TEXELS));
                // The shadow ends softly where the table does.
                let edge = (1.0 - (x * x + y * y).sqrt() / (0.96 * GROUND_REACH)).clamp(0.0, 1.0) as f32;
                let reach = edge.sqrt();
                let lit = lamps.at(&[x as f32, y as f32, level as f32], &up).light[1] / open;
                1.0 - (1.0 - lit) * reach * SHADOW
            })
            .collect();
        Some(Self { level, lit: blurred(&blurred(&raw)) })
    }

    /// How bright the ground is through a pixel; 1 beside and above it.
    fn lit(&self, view: &View, x: f64, y: f64) -> f32 {
        let ray = view.ray(x, y);
        if ray.z > -1e-6 {
            return 1.0;
        }
        let p = view.eye + ray * ((self.level - view.eye.z) / ray.z);
        let step = 2.0 * GROUND_REACH / GROUND_TEXELS as f64;
        let (u, v) = ((p.x + GROUND_REACH) / step - 0.5, (p.y + GROUND_REACH) / step - 0.5);
        let last = (GROUND_TEXELS - 1) as f64;
        if !(u >= 0.0 && v >= 0.0 && u < last && v < last) {
            return 1.0;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = ((u - i as f64) as f32, (v - j as f64) as f32);
        let at = |a: usize, b: usize| self.lit[(j + b) * GROUND_TEXELS + i + a];
        (at(0, 0) * (1.0 - fu) + at(1, 0) * fu) * (1.0 - fv) + (at(0, 1) * (1.0 - fu) + at(1, 1) * fu) * fv
    }
}

/// Each texel becomes the mean of the 3 × 3 around it; the rim stays.
fn blurred(texels: &[f32]) -> Vec<f32> {
    let n = GROUND_TEXELS;
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
