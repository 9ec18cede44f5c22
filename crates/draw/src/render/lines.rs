//! Edges of elements, drawn on their own triangles: a sample is inked when it is near an edge of the triangle it shows.
//!
//! So an edge has the same width in pixels everywhere, is hidden exactly where its triangle is hidden, and never fights
//! with the surface for depth (Bærentzen et al. 2006, "Single-pass wireframe rendering"). Each of two neighbours draws
//! one half.

use rayon::prelude::*;

use crate::image::font::distance;
use crate::scene::camera::NEAR;

/// How strongly an edge is inked at most.
const STRENGTH: f64 = 0.78;

/// How strongly each triangle of one part is inked, from its corners (pixels, pixels, distance). A part whose triangles
/// are typically 9 pixels large or more is inked fully, one of 2.5 pixels not at all, since a surface that is all edges
/// shows nothing. A single triangle that is seen from the side, or is smaller than the rest, fades by itself.
pub(crate) fn strengths(corners: &[[[f64; 3]; 3]]) -> Vec<f32> {
    let sizes: Vec<f64> = corners.par_iter().map(size).collect();
    let mut sorted: Vec<f64> = sizes.iter().copied().filter(|s| *s > 0.0).collect();
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        return vec![0.0; corners.len()];
    }
    let typical = *sorted.select_nth_unstable_by(middle, f64::total_cmp).1;
    let whole = STRENGTH * ((typical - 2.5) / 6.5).clamp(0.0, 1.0);
    sizes.iter().map(|s| (whole * ((s - 1.5) / 4.5).clamp(0.0, 1.0)) as f32).collect()
}

/// The square root of twice the area in the picture, pixels; 0 when a corner is behind the eye.
fn size(corners: &[[f64; 3]; 3]) -> f64 {
    if corners.iter().any(|c| c[2] < NEAR) {
        return 0.0;
    }
    let [a, b, c] = corners;
    ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs().sqrt()
}

/// How much of a sample at `p` (pixels) the drawn edges cover; `filter` is the width of a sample, pixels.
pub(crate) fn coverage(p: [f64; 2], corners: [[f64; 3]; 3], flags: u8, width: f64, filter: f64) -> f32 {
    let near = (0..3)
        .filter(|i| flags & (1 << i) != 0)
        .map(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            distance(p, [[a[0], a[1]], [b[0], b[1]]])
        })
        .fold(f64::INFINITY, f64::min);
    (((width / 2.0 - near) / filter + 0.5).clamp(0.0, 1.0)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_triangles_lose_their_edges_and_large_ones_keep_them() {
        let triangle = |s: f64| [[0.0, 0.0, 1.0], [s, 0.0, 1.0], [0.0, s, 1.0]];
        assert_eq!(strengths(&[triangle(2.0), triangle(2.4)]), [0.0, 0.0]);
        assert_eq!(
            strengths(&[triangle(50.0), triangle(40.0), triangle(1.0)]),
            [STRENGTH as f32, STRENGTH as f32, 0.0]
        );
        assert_eq!(strengths(&[[[0.0, 0.0, -1.0]; 3]]), [0.0]);
        assert!(strengths(&[]).is_empty());
    }

    #[test]
    fn half_of_the_width_lies_on_each_side() {
        let corners = [[0.0, 0.0, 1.0], [100.0, 0.0, 1.0], [0.0, 100.0, 1.0]];
        let at = |y: f64| f64::from(coverage([30.0, y], corners, 1, 1.5, 0.1));
        let covered: f64 = (0..2000).map(|i| at(i as f64 * 1e-3) * 1e-3).sum();
        assert!((covered - 0.75).abs() < 1e-2, "{covered}");
        assert_eq!(coverage([0.0, 50.0], corners, 1, 1.5, 0.1), 0.0, "an edge that is not flagged");
    }
}
