//! What lies on top of the picture: dots, their numbers, the legend, colour bars.

use pliant_linalg::Vec3;

use crate::image::font;
use crate::image::palette;
use crate::scene::camera::{NEAR, View};
use crate::scene::field::{Field, number, ticks};
use crate::scene::{Paint, Scene};
use crate::{Colour, Image};

/// A dot counts as hidden when the surface is nearer by this share of its distance.
const HIDDEN: f64 = 0.006;

/// Draws everything that lies on top. `marks` in the unit frame; `near` holds 1/w of every pixel.
pub(crate) fn lay(image: &mut Image, scene: &Scene, marks: &[Vec<Vec3>], view: &View, near: &[f32]) {
    // Hidden dots first, far dots before near ones: what is open to view stays readable.
    let mut dots: Vec<Dot> = Vec::new();
    for (set, points) in scene.marks.iter().zip(marks) {
        for (n, p) in points.iter().enumerate() {
            let [x, y, w] = view.project(p);
            if w < NEAR || !(0.0..image.width as f64).contains(&x) || !(0.0..image.height as f64).contains(&y)
            {
                continue;
            }
            let surface = f64::from(near[y as usize * image.width + x as usize]);
            let hidden = surface > 0.0 && 1.0 / surface < w * (1.0 - HIDDEN);
            let number = set.numbered.then_some(n);
            dots.push(Dot { at: [x, y], w, hidden, radius: set.radius, colour: set.colour, number });
        }
    }
    dots.sort_by(|a, b| b.hidden.cmp(&a.hidden).then(b.w.total_cmp(&a.w)));
    dots.iter().for_each(|d| d.draw(image));
    legend(image, &scene.title, &scene.legend);
    let fields = scene.parts.iter().filter_map(|p| match &p.paint {
        Paint::Field(field) if !field.label.is_empty() => Some(field),
        _ => None,
    });
    if let Some(field) = fields.into_iter().next() {
        bar(image, field);
    }
}

struct Dot {
    at: [f64; 2],
    w: f64,
    hidden: bool,
    radius: f64,
    colour: Colour,
    number: Option<usize>,
}

impl Dot {
    fn draw(&self, image: &mut Image) {
        let r = if self.radius.is_finite() { self.radius.clamp(0.5, 200.0) } else { 3.0 };
        let strength = if self.hidden { 0.42 } else { 1.0 };
        if !self.hidden {
            // A light rim parts the dot from the surface and from its neighbours.
            disc(image, self.at, r + (0.35 * r).clamp(0.6, 1.6), Colour::hex(0xff_ffff), 0.9);
        }
        disc(image, self.at, r, self.colour, strength);
        if let Some(n) = self.number {
            let size = image.letter_size() * 0.85;
            let place = [self.at[0] + r + 3.0, self.at[1] + size / 2.0];
            let ink = if self.hidden { palette::QUIET } else { palette::TEXT };
            let text = n.to_string();
            for [dx, dy] in [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]] {
                font::write(image, [place[0] + dx, place[1] + dy], size, Colour::hex(0xff_ffff), &text);
            }
            font::write(image, place, size, ink, &text);
        }
    }
}

fn disc(image: &mut Image, [x, y]: [f64; 2], r: f64, colour: Colour, strength: f64) {
    image.cover([x - r - 1.0, y - r - 1.0], [x + r + 1.0, y + r + 1.0], colour, |p| {
        (r + 0.5 - (p[0] - x).hypot(p[1] - y)).clamp(0.0, 1.0) * strength
    });
}

/// The title, and coloured dots and words from the upper left corner down; what has no room is counted in the last line.
fn legend(image: &mut Image, title: &str, entries: &[(Colour, String)]) {
    let size = image.letter_size();
    let line = 2.1 * size;
    let mut below = 1.7 * size;
    if !title.is_empty() {
        let large = 1.25 * size;
        let text = font::fitted(title, large, image.width as f64 - 3.6 * size);
        font::write(image, [1.9 * size, below + large], large, palette::TEXT, &text);
        below += large + 1.5 * size;
    }
    let room = (((image.height as f64 * 0.6) / line) as usize).max(1);
    for (i, (colour, words)) in entries.iter().take(room).enumerate() {
        let y = below + i as f64 * line;
        let left = 1.9 * size;
        let more = entries.len() - room.min(entries.len());
        if i + 1 == room && more > 0 {
            font::write(image, [left, y + size], size, palette::QUIET, &format!("and {} more", more + 1));
            return;
        }
        disc(image, [left + 0.4 * size, y + size / 2.0], 0.52 * size, *colour, 1.0);
        let start = left + 1.7 * size;
        let text = font::fitted(words, size, image.width as f64 - start - size);
        font::write(image, [start, y + size], size, palette::TEXT, &text);
    }
}

/// The colour bar of a field at the right side.
fn bar(image: &mut Image, field: &Field) {
    let size = image.letter_size();
    let (w, h) = (image.width as f64, image.height as f64);
    let (top, bottom) = (h * 0.26, h * 0.74);
    let labels: Vec<(f64, String)> = ticks(field.range, 5).into_iter().map(|v| (v, number(v, 4))).collect();
    let widest = labels.iter().map(|(_, t)| font::width(t, size)).fold(0.0, f64::max);
    let right = w - 2.0 * size - widest;
    let left = right - 1.3 * size;
    if left < w * 0.5 || bottom - top < 4.0 * size {
        return;
    }
    for y in top as usize..bottom as usize {
        let t = (bottom - y as f64 - 0.5) / (bottom - top);
        image.cover([left, y as f64], [right, y as f64 + 1.0], field.map.at(t), |_| 1.0);
    }
    for (value, text) in labels {
        let y = bottom - field.place(value) * (bottom - top);
        image.cover([right, y - 1.0], [right + 0.45 * size, y + 1.0], palette::QUIET, |p| {
            1.0 - (p[1] - y).abs()
        });
        font::write(image, [right + 0.8 * size, y + size / 2.0], size, palette::TEXT, &text);
    }
    let text = font::fitted(&field.label, size, w * 0.5);
    let x = (w - 1.2 * size - font::width(&text, size)).min(left);
    font::write(image, [x, top - 1.4 * size], size, palette::TEXT, &text);
}
