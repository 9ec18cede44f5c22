//! Colours on a surface with crisp borders: triangles are cut along {g = 0}.
//!
//! A border that followed the edges that happen to be there would be jagged. Here every vertex near the border moves
//! onto it, every other edge that crosses it is cut there, and each triangle lies on one side. The new vertices
//! satisfy both d = 0 and g = 0, so the surface stays the surface.

use pliant_linalg::{Mat3, Vec3};
use rayon::prelude::*;

use super::flip::turn_slivers;
use super::polygonise::{Triangles, onto_surface};
use super::sdf::Sdf;

/// A field whose negative side is painted.
pub(super) type Field<'a> = Box<dyn Fn(Vec3) -> f64 + Sync + 'a>;

/// Paints the triangles of the surface {d = 0} of `shape`: triangle t gets the number of the last field that is negative
/// on it, counted from 1, or 0. The result stays closed and manifold.
pub(super) fn paint(surface: Triangles, shape: &Sdf, fields: &[Field<'_>]) -> (Triangles, Vec<u32>) {
    let mut colours = vec![0; surface.triangles.len()];
    let mut canvas = Canvas { on_border: vec![false; surface.vertices.len()], surface };
    for (i, field) in fields.iter().enumerate() {
        colours = canvas.stroke(shape, field, &colours, i as u32 + 1);
    }
    turn_slivers(&mut canvas.surface, &mut colours);
    (canvas.surface, colours)
}

/// Halves every edge whose middle is `wanted`, with the new vertices on the surface: finer triangles where the eye looks.
pub(super) fn refine(mut surface: Triangles, shape: &Sdf, wanted: impl Fn(Vec3) -> bool) -> Triangles {
    let Triangles { vertices, triangles } = &mut surface;
    let ends = |[a, b]: [u32; 2]| (vertices[a as usize], vertices[b as usize]);
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|&e| e[0] < e[1] && wanted((ends(e).0 + ends(e).1) / 2.0))
        .collect();
    edges.sort_unstable();
    let new: Vec<Vec3> = edges
        .iter()
        .map(|&e| onto_surface(shape, (ends(e).0 + ends(e).1) / 2.0, (ends(e).0 - ends(e).1).norm()))
        .collect();
    let first_new = vertices.len() as u32;
    vertices.extend(new);
    let on_edge =
        |a: u32, b: u32| edges.binary_search(&[a.min(b), a.max(b)]).ok().map(|i| first_new + i as u32);
    *triangles = triangles.iter().flat_map(|&t| pieces(t, on_edge)).collect();
    turn_slivers(&mut surface, &mut []);
    surface
}

/// A vertex moves onto the border if the crossing is nearer than this part of the edge.
const NEAR: f64 = 0.35;

/// A border that passes a vertex of an earlier border nearer than this part of the edge goes through it: a vertex of its
/// own right beside would make a sliver.
const AT: f64 = 0.2;

struct Canvas {
    surface: Triangles,
    /// Vertices on the border of an earlier field stay where they are.
    on_border: Vec<bool>,
}

impl Canvas {
    fn stroke(&mut self, shape: &Sdf, field: &Field<'_>, colours: &[u32], colour: u32) -> Vec<u32> {
        let Triangles { vertices, triangles } = &mut self.surface;
        let mut g: Vec<f64> = vertices.par_iter().map(|&p| field(p)).collect();
        let crossing = |g: &[f64], [a, b]: [u32; 2]| g[a as usize] * g[b as usize] < 0.0;
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .filter(|e| e[0] < e[1] && crossing(&g, *e))
            .collect();
        edges.sort_unstable();
        // The nearest crossing of each vertex, as (part of the edge, edge).
        let mut nearest: Vec<(u32, f64, Vec3)> = Vec::new();
        let mut crossed = Vec::new();
        for &[a, b] in &edges {
            let (p, q) = (vertices[a as usize], vertices[b as usize]);
            let t = root(|t| field(Vec3::lerp(&p, &q, t)), g[a as usize] < 0.0);
            let (v, part) = if t < 0.5 { (a, t) } else { (b, 1.0 - t) };
            match self.on_border[v as usize] {
                false if part < NEAR => nearest.push((v, part, Vec3::lerp(&p, &q, t))),
                true if part < AT => crossed.push(v),
                _ => {}
            }
        }
        nearest.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        nearest.dedup_by_key(|n| n.0);
        let reach = |edge: [u32; 2]| (vertices[edge[0] as usize] - vertices[edge[1] as usize]).norm();
        let scale = edges.iter().map(|&e| reach(e)).fold(0.0, f64::max);
        for (v, _, p) in nearest {
            vertices[v as usize] = onto_border(shape, field, p, scale);
            g[v as usize] = 0.0;
            self.on_border[v as usize] = true;
        }
        crossed.iter().for_each(|&v| g[v as usize] = 0.0);
        edges.retain(|e| crossing(&g, *e));
        let first_new = vertices.len() as u32;
        for &[a, b] in &edges {
            let (p, q) = (vertices[a as usize], vertices[b as usize]);
            let t = root(|t| field(Vec3::lerp(&p, &q, t)), g[a as usize] < 0.0);
            vertices.push(onto_border(shape, field, Vec3::lerp(&p, &q, t.clamp(0.1, 0.9)), scale));
            g.push(0.0);
            self.on_border.push(true);
        }
        let on_edge =
            |a: u32, b: u32| edges.binary_search(&[a.min(b), a.max(b)]).ok().map(|i| first_new + i as u32);
        let (mut cut, mut new_colours) = (Vec::with_capacity(triangles.len()), Vec::new());
        for (t, &corners) in triangles.iter().enumerate() {
            for piece in pieces(corners, on_edge) {
                let side: f64 = piece.iter().map(|&v| g[v as usize]).sum();
                let middle = || piece.iter().map(|&v| vertices[v as usize]).sum::<Vec3>() / 3.0;
                let inside = if side == 0.0 { field(middle()) < 0.0 } else { side < 0.0 };
                cut.push(piece);
                new_colours.push(if inside { colour } else { colours[t] });
            }
        }
        *triangles = cut;
        new_colours
    }
}

/// The triangle cut at the new vertices on its edges: one to four triangles.
fn pieces([a, b, c]: [u32; 3], on_edge: impl Fn(u32, u32) -> Option<u32>) -> Vec<[u32; 3]> {
    match [on_edge(a, b), on_edge(b, c), on_edge(c, a)] {
        [None, None, None] => vec![[a, b, c]],
        [Some(m), None, None] => vec![[a, m, c], [m, b, c]],
        [None, Some(m), None] => vec![[b, m, a], [m, c, a]],
        [None, None, Some(m)] => vec![[c, m, b], [m, a, b]],
        [Some(l), Some(m), Some(n)] => vec![[a, l, n], [b, m, l], [c, n, m], [l, m, n]],
        [Some(m), Some(n), None] => vec![[b, n, m], [a, m, n], [a, n, c]],
        [None, Some(m), Some(n)] => vec![[c, n, m], [b, m, n], [b, n, a]],
        [Some(m), None, Some(n)] => vec![[a, m, n], [b, n, m], [b, c, n]],
    }
}

/// Where f changes sign in [0, 1], by halving; `rising` when f(0) < 0.
fn root(f: impl Fn(f64) -> f64, rising: bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if (f(middle) < 0.0) == rising {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The point with d = 0 and g = 0 next to `p`: Newton with the shortest step that solves both linearised equations.
fn onto_border(shape: &Sdf, field: &Field<'_>, start: Vec3, reach: f64) -> Vec3 {
    let mut p = start;
    let step = 1e-4 * reach;
    for _ in 0..20 {
        let (d, g) = (shape.distance(p), field(p));
        let (nd, ng) = (shape.gradient(p, step), gradient(field, p, step));
        let (aa, ab, bb) = (nd.norm_squared(), nd.dot(&ng), ng.norm_squared());
        let det = aa * bb - ab * ab;
        // Where the border runs along a crease both say the same: leave it to the surface.
        if det < 1e-3 * aa * bb || d.abs().max(g.abs()) < 1e-12 * reach {
            break;
        }
        p -= nd * ((bb * d - ab * g) / det) + ng * ((aa * g - ab * d) / det);
    }
    // A border that touches the surface only in passing sends Newton far away: then stay.
    let p = if (p - start).norm() < 0.5 * reach { p } else { start };
    onto_surface(shape, p, reach)
}

fn gradient(f: &Field<'_>, p: Vec3, step: f64) -> Vec3 {
    let along = |e: Vec3| (f(p + e * step) - f(p - e * step)) / (2.0 * step);
    let m = Mat3::identity();
    Vec3::new(along(m.column(0).into()), along(m.column(1).into()), along(m.column(2).into()))
}

#[cfg(test)]
mod tests {
    use super::super::polygonise::polygonise;
    use super::super::soundness::euler_of_closed_manifold;
    use super::*;
    use crate::measure::total_area;
    use pliant_linalg::ignore_progress;

    #[test]
    fn a_cap_on_a_ball_has_the_area_of_the_cap() {
        let ball = Sdf::sphere(Vec3::zeros(), 1.0);
        let fields: [Field<'_>; 2] =
            [Box::new(|p: Vec3| 0.4 - p.y), Box::new(|p: Vec3| (p - Vec3::new(0.0, 1.0, 0.3)).norm() - 0.3)];
        let plain = polygonise(&ball, 4000, &mut ignore_progress).unwrap();
        let (surface, colours) = paint(plain, &ball, &fields);
        assert_eq!(euler_of_closed_manifold(&surface.triangles), Ok(2));
        let area = |colour: u32| {
            let of: Vec<[u32; 3]> =
                surface.triangles.iter().zip(&colours).filter(|c| *c.1 == colour).map(|t| *t.0).collect();
            total_area(&surface.vertices, &of)
        };
        // A cap of height h on the unit ball has the area 2πh; a ball of radius r around a surface point cuts πr².
        let centre = Vec3::new(0.0, 1.0, 0.3);
        let h = 1.0 - (centre.norm_squared() + 1.0 - 0.09) / (2.0 * centre.norm());
        let tau = std::f64::consts::TAU;
        assert!((area(2) / (tau * h) - 1.0).abs() < 0.01, "{} {}", area(2), tau * h);
        assert!(((area(1) + area(2)) / (tau * 0.6) - 1.0).abs() < 0.002);
        for (t, colour) in surface.triangles.iter().zip(&colours) {
            for &v in t {
                let p = surface.vertices[v as usize];
                assert!((p.norm() - 1.0).abs() < 1e-9);
                assert!(*colour != 1 || p.y > 0.4 - 1e-9, "painted below the border");
                assert!(*colour != 0 || p.y < 0.4 + 1e-9 || (p - centre).norm() < 0.3 + 1e-9);
            }
        }
    }
}
