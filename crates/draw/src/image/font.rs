//! Words in a picture: strokes of [`crate::image::glyphs`], scaled to any size and anti-aliased by their distance.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::image::glyphs::{GLYPHS, MISSING};
use crate::{Colour, Image};

/// Space between two letters, in the units of the glyphs.
const GAP: f64 = 1.55;
/// Capital height in the units of the glyphs.
const CAPITAL: f64 = 7.0;

struct Glyph {
    width: f64,
    /// Straight pieces, from and to.
    pieces: Vec<[[f64; 2]; 2]>,
}

/// Width in pixels of `text` whose capitals are `size` pixels high.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let advance: f64 = text.chars().map(|c| glyph(c).width + GAP).sum();
    (advance - GAP).max(0.0) * size / CAPITAL
}

/// Writes `text` with its baseline starting at (x, y) pixels; capitals are `size` pixels high.
pub(crate) fn write(image: &mut Image, [x, y]: [f64; 2], size: f64, colour: Colour, text: &str) {
    if !(x.is_finite() && y.is_finite() && size > 0.0) {
        return;
    }
    let scale = size / CAPITAL;
    let half = (0.115 * size / 2.0).max(0.55);
    let mut pen = x;
    for c in text.chars() {
        let glyph = glyph(c);
        let at = |p: [f64; 2]| [pen + p[0] * scale, y - p[1] * scale];
        let pieces: Vec<[[f64; 2]; 2]> = glyph.pieces.iter().map(|&[a, b]| [at(a), at(b)]).collect();
        let [low, high] =
            pieces.as_flattened().iter().fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[l, h], p| {
                [[l[0].min(p[0]), l[1].min(p[1])], [h[0].max(p[0]), h[1].max(p[1])]]
            });
        image.cover(low.map(|v| v - half - 1.0), high.map(|v| v + half + 1.0), colour, |p| {
            let near = pieces.iter().map(|s| distance(p, *s)).fold(f64::INFINITY, f64::min);
            half + 0.5 - near
        });
        pen += (glyph.width + GAP) * scale;
        if pen > image.width as f64 {
            break;
        }
    }
}

/// As much of `text` as fits into `room` pixels, with an ellipsis where it was cut.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if width(&short, size) + width("…", size) + GAP * size / CAPITAL > room {
            short.pop();
            break;
        }
    }
    format!("{}…", short.trim_end())
}

/// Distance from `p` to a straight piece.
pub(crate) fn distance(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let (px, py) = (p[0] - a[0], p[1] - a[1]);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { ((px * dx + py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ey) = (px - t * dx, py - t * dy);
    (ex * ex + ey * ey).sqrt()
}

fn glyph(c: char) -> &'static Glyph {
    static TABLE: LazyLock<BTreeMap<char, Glyph>> =
        LazyLock::new(|| GLYPHS.iter().map(|&(c, width, strokes)| (c, parsed(width, strokes))).collect());
    static BOX: LazyLock<Glyph> = LazyLock::new(|| parsed(MISSING.0, MISSING.1));
    TABLE.get(&c).unwrap_or(&BOX)
}

fn parsed(width: f64, strokes: &str) -> Glyph {
    let mut pieces = Vec::new();
    for stroke in strokes.split(';') {
        let mut points: Vec<[f64; 2]> = Vec::new();
        for token in stroke.split_whitespace() {
            let numbers: Vec<f64> =
                token.trim_matches(['(', ')']).split(',').filter_map(|n| n.parse().ok()).collect();
            match numbers[..] {
                [x, y] => points.push([x, y]),
                [cx, cy, rx, ry, from, to] => {
                    let steps = ((to - from).abs() / 15.0).ceil() as usize;
                    points.extend((0..=steps).map(|i| {
                        let angle = (from + (to - from) * i as f64 / steps as f64).to_radians();
                        [cx + rx * angle.cos(), cy + ry * angle.sin()]
                    }));
                }
                // The table is ours; the test below reads every line of it.
                _ => debug_assert!(false, "{token:?} is neither a point nor an arc"),
            }
        }
        if let [p] = points[..] {
            points.push(p);
        }
        pieces.extend(points.windows(2).map(|w| [w[0], w[1]]));
    }
    Glyph { width, pieces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_parses_and_stays_in_its_box() {
        for &(c, width, strokes) in GLYPHS {
            let glyph = parsed(width, strokes);
            assert!(c == ' ' || !glyph.pieces.is_empty(), "{c}");
            for p in glyph.pieces.as_flattened() {
                assert!(p[0] > -1.6 && p[0] < width + 0.8 && p[1] > -2.8 && p[1] < 8.5, "{c}: {p:?}");
            }
        }
        for c in ('a'..='z').chain('A'..='Z').chain('0'..='9') {
            assert!(GLYPHS.iter().any(|g| g.0 == c), "{c}");
        }
    }

    #[test]
    fn a_long_line_is_cut_to_the_room_it_has() {
        let text = "a very long caption that cannot fit";
        let short = fitted(text, 10.0, 100.0);
        assert!(short.ends_with('…') && width(&short, 10.0) <= 100.0, "{short}");
        assert_eq!(fitted("ab", 10.0, 100.0), "ab");
    }
}
