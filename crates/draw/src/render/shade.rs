//! From what is seen to pixels.
//!
//! Every sample is coloured by itself; the light that falls on it is asked for once for all samples of a pixel that lie
//! on the same smooth piece of surface. Samples are averaged as light and only then become bytes.

use pliant_linalg::Vec3;
use rayon::prelude::*;

use crate::Image;
use crate::image::colour::{Light, encode};
use crate::image::palette;
use crate::render::geometry::Geometry;
use crate::render::ground::Ground;
use crate::render::light::{Falling, Lamps};
use crate::render::lines;
use crate::render::overlay;
use crate::render::raster::{BAND, Band, NOTHING, Projected, SIDE, sample};
use crate::scene::camera::View;
use crate::scene::facing;
use crate::scene::{Paint, Scene};

/// Steps of a colour map.
const MAP_STEPS: usize = 1024;

/// Draws a scene.
pub(crate) fn render(scene: &Scene, width: usize, height: usize) -> Image {
    let frame = scene.frame();
    let geometry = Geometry::new(scene, &frame);
    let marks: Vec<Vec<Vec3>> =
        scene.marks.iter().map(|m| m.points.iter().map(|p| frame.place(p)).collect()).collect();
    let room = scene.room.iter().map(|p| frame.place(p));
    let everything: Vec<Vec3> =
        geometry.points.iter().chain(marks.iter().flatten()).copied().chain(room).collect();
    let fixed = scene.camera.fixed.map(|f| f.map(|p| frame.place(&p)));
    let view = View::new(&scene.camera, fixed, &everything, [width, height]);
    let fineness = (width.max(height) as f64 / 480.0).clamp(0.25, 1.0);
    let lamps = Lamps::new(&geometry, &view, fineness);
    let ground = Ground::new(&geometry, &view, &lamps, fineness);
    let projected = Projected::new(&view, &geometry.points, &geometry.triangles, height);
    let studio = Studio::new(scene, &geometry, &view, &lamps, ground, &projected, height);

    let bands: Vec<(Vec<u8>, Vec<f32>)> = (0..height.div_ceil(BAND))
        .into_par_iter()
        .map(|b| {
            let rows = BAND.min(height - b * BAND);
            let band = projected.band(b, &geometry.triangles, &view, width, rows);
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
    geometry: &'a Geometry,
    view: &'a View,
    lamps: &'a Lamps,
    ground: Option<Ground>,
    flat: &'a [[f64; 3]],
    height: usize,
    paper: [f32; 2],
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

/// What all samples of one triangle share.
struct Facet {
    triangle: u32,
    a: Vec3,
    e1: Vec3,
    e2: Vec3,
    normal: Vec3,
    /// (a − eye)·normal.
    offset: f64,
    /// 1 / normal².
    inverse: f64,
    part: usize,
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
        geometry: &'a Geometry,
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
        let mut strength = Vec::with_capacity(geometry.triangles.len());
        for (part, [_, first]) in scene.parts.iter().zip(&geometry.starts) {
            let first = *first as usize;
            let count = part.triangles.len();
            if part.flags.iter().all(|f| f & !facing::FLAT == 0) {
                strength.extend(std::iter::repeat_n(0.0, count));
                continue;
            }
            let corners: Vec<[[f64; 3]; 3]> = geometry.triangles[first..first + count]
                .iter()
                .map(|t| t.map(|v| projected.flat[v as usize]))
                .collect();
            strength.extend(lines::strengths(&corners));
        }
        let ink = palette::INK.light();
        Self {
            geometry,
            view,
            lamps,
            ground,
            flat: &projected.flat,
            height,
            paper: scene.paper,
            parts,
            ink,
            strength,
        }
    }

    /// The pixels of a band, and the nearest 1/w of each.
    fn develop(&self, band: &Band, width: usize, rows: usize) -> (Vec<u8>, Vec<f32>) {
        let mut pixels = Vec::with_capacity(4 * width * rows);
        let mut near = Vec::with_capacity(width * rows);
        let mut known: Vec<(Hit, Falling)> = Vec::with_capacity(SIDE * SIDE);
        let mut facet: Option<Facet> = None;
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
                        t => {
                            let same = facet.take().filter(|f| f.triangle == t);
                            let facet = facet.insert(same.unwrap_or_else(|| self.facet(t)));
                            self.surface(facet, sample(i, band.top + j), &mut known)
                        }
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
        let [begin, end] = self.paper;
        let t = (begin + (end - begin) * (y / self.height as f64) as f32).clamp(0.0, 1.0);
        let (high, low) = (palette::PAPER[0].light(), palette::PAPER[1].light());
        // Eased, so that the gradient has no visible start and end.
        let t = t * t * (3.0 - 2.0 * t);
        let lit = self.ground.as_ref().map_or(1.0, |g| g.lit(self.view, x, y));
        std::array::from_fn(|c| (high[c] + (low[c] - high[c]) * t) * lit)
    }

    /// The light from a triangle through a sample.
    fn surface(&self, facet: &Facet, at: [f64; 2], known: &mut Vec<(Hit, Falling)>) -> Light {
        let t = facet.triangle;
        let Some(hit) = self.hit(facet, at) else { return self.paper(at[0], at[1]) };
        // A pixel is about this large there; the scene is about 1.
        let apart = |a: &Hit| {
            let d: [f32; 3] = std::array::from_fn(|c| a.p[c] - hit.p[c]);
            crate::render::shadow::dot(&d, &d) > 4e-4 || crate::render::shadow::dot(&a.n, &hit.n) < 0.97
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
            let corners = self.geometry.triangles[t as usize].map(|v| self.flat[v as usize]);
            let width = self.parts[facet.part].edge_width;
            strength * lines::coverage(at, corners, self.geometry.flags[t as usize], width, 1.0 / SIDE as f64)
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

    fn facet(&self, triangle: u32) -> Facet {
        let [a, b, c] = self.geometry.triangles[triangle as usize].map(|v| self.geometry.points[v as usize]);
        let (e1, e2) = (b - a, c - a);
        let normal = e1.cross(&e2);
        Facet {
            triangle,
            a,
            e1,
            e2,
            normal,
            offset: (a - self.view.eye).dot(&normal),
            inverse: 1.0 / normal.norm_squared(),
            part: self.geometry.part(triangle),
        }
    }

    /// Where sight through `at` meets the plane of a triangle, and what is there.
    fn hit(&self, facet: &Facet, at: [f64; 2]) -> Option<Hit> {
        let Facet { triangle: t, a, e1, e2, normal, .. } = *facet;
        let corners = self.geometry.triangles[t as usize];
        let ray = self.view.ray(at[0], at[1]);
        let slope = ray.dot(&normal);
        if slope == 0.0 {
            return None;
        }
        let from_a = self.view.eye + ray * (facet.offset / slope) - a;
        // Barycentric coordinates, held inside where rounding or a grazing view would leave the triangle.
        let u = (from_a.cross(&e2).dot(&normal) * facet.inverse).clamp(0.0, 1.0);
        let v = (e1.cross(&from_a).dot(&normal) * facet.inverse).clamp(0.0, 1.0 - u);
        let n = self.geometry.normals[t as usize];
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
        let look = &self.parts[facet.part];
        let [first_point, first_triangle] = self.geometry.starts[facet.part];
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
    use crate::render::shadow::dot;
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
