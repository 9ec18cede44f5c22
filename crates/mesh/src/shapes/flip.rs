//! Slivers of a surface, removed by turning their longest edge.
//!
//! In a crease two vertices of a net may come to lie so that a third is almost between them. The edge that the third is
//! close to is exchanged for the other diagonal of its two triangles. No vertex moves, no hole opens.

use pliant_linalg::Vec3;

use super::polygonise::Triangles;
use crate::measure::area_vector;

/// Triangles with an angle below this many degrees are turned where that helps.
const THIN: f64 = 8.0;

/// Triangles with an angle below this many degrees are too thin to have a colour of their own.
const UNSEEN: f64 = 2.0;

/// Turns the longest edge of thin triangles while the smallest angle of the two triangles at it grows. An edge between
/// two colours stays, unless the triangle is so thin that its colour is not seen: then it takes the other. `colours` has
/// one for each triangle, or none at all.
pub(super) fn turn_slivers(surface: &mut Triangles, colours: &mut [u32]) {
    for _ in 0..4 {
        if !turn_once(surface, colours) {
            return;
        }
    }
}

fn turn_once(surface: &mut Triangles, colours: &mut [u32]) -> bool {
    let Triangles { vertices, triangles } = surface;
    let corners = |t: [u32; 3]| t.map(|v| vertices[v as usize]);
    let mut owner: Vec<([u32; 2], usize)> = triangles
        .iter()
        .enumerate()
        .flat_map(|(i, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|e| (e, i)))
        .collect();
    owner.sort_unstable();
    let owner_of = |e: [u32; 2]| owner.binary_search_by_key(&e, |o| o.0).ok().map(|i| owner[i].1);
    // Triangles and edges of this round; what they tell about their neighbourhood is no longer true.
    let mut touched = vec![false; triangles.len()];
    let mut new_edges: Vec<[u32; 2]> = Vec::new();
    for t in 0..triangles.len() {
        let p = corners(triangles[t]);
        if touched[t] || smallest_angle(&p) >= THIN {
            continue;
        }
        // Corner c is opposite the longest edge, from a to b.
        let opposite = |i: usize| (p[(i + 1) % 3] - p[(i + 2) % 3]).norm_squared();
        let far = (0..3).max_by(|&i, &j| opposite(i).total_cmp(&opposite(j))).unwrap_or(0);
        let [c, a, b] = [0, 1, 2].map(|i| triangles[t][(far + i) % 3]);
        let Some(other) = owner_of([b, a])
            .filter(|&o| !touched[o] && (colours.get(o) == colours.get(t) || smallest_angle(&p) < UNSEEN))
        else {
            continue;
        };
        let Some(&d) = triangles[other].iter().find(|&&v| v != a && v != b) else { continue };
        let taken = owner_of([c, d]).is_some()
            || owner_of([d, c]).is_some()
            || new_edges.contains(&[c.min(d), c.max(d)]);
        let (q, turned) = (corners(triangles[other]), [[a, d, c], [d, b, c]]);
        let outward = area_vector(&p) + area_vector(&q);
        let better = turned.iter().all(|&n| {
            let n = corners(n);
            smallest_angle(&n) > smallest_angle(&p).min(smallest_angle(&q))
                && area_vector(&n).dot(&outward) > 0.0
        });
        if c != d && !taken && better {
            [triangles[t], triangles[other]] = turned;
            (touched[t], touched[other]) = (true, true);
            if let Some(&colour) = colours.get(other) {
                colours[t] = colour;
            }
            new_edges.push([c.min(d), c.max(d)]);
        }
    }
    !new_edges.is_empty()
}

/// Degrees.
fn smallest_angle(p: &[Vec3; 3]) -> f64 {
    let angle = |i: usize| (p[(i + 1) % 3] - p[i]).angle(&(p[(i + 2) % 3] - p[i]));
    (0..3).map(angle).fold(f64::INFINITY, f64::min).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::super::soundness::euler_of_closed_manifold;
    use super::*;
    use crate::measure::enclosed_volume;

    #[test]
    fn a_vertex_almost_on_an_edge_turns_it() {
        // An octahedron whose corner 4 is pushed next to the edge from 0 to 1.
        let mut vertices: Vec<Vec3> =
            [[1., 0., 0.], [0., 1., 0.], [-1., 0., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]]
                .map(Vec3::from)
                .to_vec();
        vertices[4] = Vec3::new(0.499, 0.499, 0.02);
        let triangles =
            vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]];
        let mut surface = Triangles { vertices, triangles };
        let worst = |s: &Triangles| {
            s.triangles
                .iter()
                .map(|t| smallest_angle(&t.map(|v| s.vertices[v as usize])))
                .fold(180.0, f64::min)
        };
        let volume = enclosed_volume(&surface.vertices, &surface.triangles);
        assert!(worst(&surface) < 2.5);
        turn_slivers(&mut surface, &mut []);
        assert!(worst(&surface) > THIN, "{:.2}°", worst(&surface));
        assert_eq!(euler_of_closed_manifold(&surface.triangles), Ok(2));
        assert!((enclosed_volume(&surface.vertices, &surface.triangles) / volume - 1.0).abs() < 0.05);
    }
}
