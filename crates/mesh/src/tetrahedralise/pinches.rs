//! Vertices in which a solid, or the air around it, touches itself.
//!
//! Two groups of tets that share a vertex and no face get a vertex each, and the two are drawn apart a little, each
//! towards its own tets, so that they do not coincide. Where it is the air that touches itself (the tets around a vertex
//! hang together, but its boundary faces form several fans), all fans but one are capped:
//! ```text
//! fan v a₁ a₂ … aₖ    a new vertex x in the air, on the way from v to the mean of the aᵢ;
//!                     k tets v aᵢ aᵢ₊₁ x fill the tip of the air, and x takes the place of v in that part of the boundary
//! ```
//! No edge between old vertices comes or goes, so a cap makes no other pinch. Where no place of x gives tets with angles as
//! good as those of the lattice, the tets around v are removed instead.

use pliant_linalg::Vec3;

use crate::measure::{dihedral_angles, tet_volume};
use crate::topology::{UnionFind, boundary_faces};

/// Angles of tets that change their shape or are added, degrees: those of the worst stencil.
const LEAST_ANGLE: f64 = 10.78;
const GREATEST_ANGLE: f64 = 164.7;

/// How far a new vertex goes towards the mean of its fan, best first.
const CAPS: [f64; 6] = [0.4, 0.5, 0.3, 0.6, 0.2, 0.7];

/// How far the copies of a vertex are drawn apart; the last is taken even where it costs some angle.
const APART: [f64; 5] = [0.1, 0.05, 0.02, 0.01, 1e-3];

/// What became of vertices in which air touches itself.
#[derive(Default)]
pub(super) struct Capped {
    /// Fans that were capped.
    pub(super) caps: usize,
    /// Tets that were removed.
    pub(super) removed: usize,
}

/// Caps the fans of pinched vertices, or removes the tets there. Hinges must be gone. Of vertices that share a face only one is
/// capped: the fans of the others have changed by it. To be repeated until there is nothing left to do.
pub(super) fn cap(points: &mut Vec<Vec3>, tets: &mut Vec<[u32; 4]>) -> Capped {
    let mut capped = Capped::default();
    let mut bad = Vec::new();
    let mut changed = vec![false; points.len()];
    for (v, mut fans) in pinched(tets, points.len()) {
        if changed[v as usize] {
            continue;
        }
        let mut caps: Vec<(f64, Vec3, usize)> = fans
            .iter()
            .enumerate()
            .filter_map(|(i, fan)| best_cap(points, v, fan).map(|(angle, x)| (angle, x, i)))
            .collect();
        caps.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        if caps.len() + 1 < fans.len() {
            bad.push(v);
            continue;
        }
        caps.truncate(fans.len() - 1);
        for (_, x, i) in caps {
            let new = points.len() as u32;
            points.push(x);
            fans[i].as_flattened().iter().for_each(|&o| changed[o as usize] = true);
            tets.extend(std::mem::take(&mut fans[i]).iter().map(|[a, b]| [v, *a, *b, new]));
            capped.caps += 1;
        }
    }
    let before = tets.len();
    tets.retain(|t| t.iter().all(|v| bad.binary_search(v).is_err()));
    capped.removed = before - tets.len();
    capped
}

/// Pinched vertices, ascending, with the fans of boundary faces around each: their other two corners, turning outward.
fn pinched(tets: &[[u32; 4]], vertices: usize) -> Vec<(u32, Vec<Vec<[u32; 2]>>)> {
    let faces = boundary_faces(tets);
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (f, face) in faces.iter().enumerate() {
        for i in 0..3 {
            let [a, b] = [face[i], face[(i + 1) % 3]];
            edges.push(([a.min(b), a.max(b)], f as u32));
        }
    }
    edges.sort_unstable();
    let corner = |f: u32, v: u32| {
        let i = faces[f as usize].iter().position(|&x| x == v);
        3 * f + i.expect("the edge belongs to the face") as u32
    };
    let mut corners = UnionFind::new(3 * faces.len());
    for pair in edges.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        for v in pair[0].0 {
            corners.join(corner(pair[0].1, v), corner(pair[1].1, v));
        }
    }
    const NONE: u32 = u32::MAX;
    let mut first = vec![NONE; vertices];
    let mut found: Vec<u32> = Vec::new();
    for (c, &v) in faces.as_flattened().iter().enumerate() {
        let root = corners.root(c as u32);
        match first[v as usize] {
            NONE => first[v as usize] = root,
            known if known != root => found.push(v),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return Vec::new();
    }
    // (vertex, fan, face), ascending.
    let mut around: Vec<(u32, u32, u32)> = Vec::new();
    for (c, v) in faces.as_flattened().iter().enumerate() {
        if found.binary_search(v).is_ok() {
            around.push((*v, corners.root(c as u32), c as u32));
        }
    }
    around.sort_unstable();
    let ends = |c: u32| {
        let face = faces[c as usize / 3];
        [face[(c as usize + 1) % 3], face[(c as usize + 2) % 3]]
    };
    let fan = |g: &[(u32, u32, u32)]| g.iter().map(|x| ends(x.2)).collect();
    around
        .chunk_by(|a, b| a.0 == b.0)
        .map(|g| (g[0].0, g.chunk_by(|a, b| a.1 == b.1).map(fan).collect()))
        .collect()
}

/// The place of a cap's vertex with the largest smallest angle, and that angle; `None` where no place is good enough.
fn best_cap(points: &[Vec3], v: u32, fan: &[[u32; 2]]) -> Option<(f64, Vec3)> {
    let at = |v: u32| points[v as usize];
    let mean = fan.iter().map(|[a, _]| at(*a)).sum::<Vec3>() / fan.len() as f64;
    let place = |s: &f64| {
        let x = at(v) + (mean - at(v)) * *s;
        let tets = fan.iter().map(|[a, b]| [at(v), at(*a), at(*b), x]);
        quality(tets).map(|angle| (angle, x))
    };
    CAPS.iter().filter_map(place).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The smallest angle of tets, degrees, if all are positive and within the limits.
fn quality(mut tets: impl Iterator<Item = [Vec3; 4]>) -> Option<f64> {
    tets.try_fold(f64::INFINITY, |least, t| {
        let angles = dihedral_angles(&t).map(f64::to_degrees);
        let low = angles.iter().copied().fold(f64::INFINITY, f64::min);
        let high = angles.iter().copied().fold(0.0, f64::max);
        let sound = tet_volume(&t) > 0.0 && low > LEAST_ANGLE && high < GREATEST_ANGLE;
        sound.then_some(least.min(low))
    })
}

/// Draws vertices that were one (ascending, without repetition) apart, each towards the tets around it.
pub(super) fn draw_apart(points: &mut [Vec3], tets: &[[u32; 4]], vertices: &[u32]) {
    let mut around: Vec<(u32, u32)> = Vec::new();
    for (t, tet) in tets.iter().enumerate() {
        around.extend(tet.iter().filter(|v| vertices.binary_search(v).is_ok()).map(|&v| (v, t as u32)));
    }
    around.sort_unstable();
    for group in around.chunk_by(|a, b| a.0 == b.0) {
        let v = group[0].0;
        let here = points[v as usize];
        let others = || group.iter().flat_map(|g| tets[g.1 as usize]).filter(|&o| o != v);
        let mean = others().map(|o| points[o as usize]).sum::<Vec3>() / others().count() as f64;
        let moved = |s: f64| here + (mean - here) * s;
        let with = |x: Vec3| -> Vec<[Vec3; 4]> {
            let corner = |&o: &u32| if o == v { x } else { points[o as usize] };
            group.iter().map(|g| tets[g.1 as usize].each_ref().map(corner)).collect()
        };
        let sound = |s: &&f64| quality(with(moved(**s)).into_iter()).is_some();
        let upright = |s: &&f64| with(moved(**s)).iter().all(|t| tet_volume(t) > 0.0);
        let step = APART.iter().find(sound).or_else(|| APART.iter().rev().find(upright));
        if let Some(s) = step {
            points[v as usize] = moved(*s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Edges, pinched_vertices};
    use crate::{Faces, TetMesh};

    /// A cube of small cubes, of which two that touch in a corner only are left out.
    fn cubes() -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let n = 4;
        let block = crate::shapes::bar(Vec3::repeat(1.0), [n; 3]);
        let cell = |t: &[u32; 4]| {
            let p = t.map(|v| block.vertices()[v as usize]);
            let middle = (p[0] + p[1] + p[2] + p[3]) / 4.0;
            middle.map(|x| (x * n as f64).floor() as usize)
        };
        let empty = |t: &&[u32; 4]| ![[1, 1, 1], [2, 2, 2]].iter().any(|e| cell(t).as_slice() == e);
        (block.vertices().to_vec(), block.tets().iter().filter(empty).copied().collect())
    }

    fn pinches(tets: &[[u32; 4]], vertices: usize) -> usize {
        let faces = Faces::from_triangles(&boundary_faces(tets));
        pinched_vertices(&faces, &Edges::new(&faces), vertices).len()
    }

    #[test]
    fn air_that_touches_itself_in_a_point_is_capped() {
        let (mut points, mut tets) = cubes();
        assert_eq!(pinches(&tets, points.len()), 1);
        let (before, vertices) = (tets.len(), points.len());
        let capped = cap(&mut points, &mut tets);
        assert_eq!((capped.caps, capped.removed, points.len()), (1, 0, vertices + 1));
        assert!(tets.len() > before);
        assert_eq!(pinches(&tets, points.len()), 0);
        assert!(TetMesh::new(points, tets).is_ok(), "all tets are positive");
    }

    #[test]
    fn copies_of_a_vertex_are_drawn_apart() {
        let mut points = [
            [0., 0., 0.],
            [1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.],
            [0., -1., 0.],
            [0., 0., -2.],
            [-1., 0., 0.],
            [0., 0., 0.],
        ]
        .map(Vec3::from)
        .to_vec();
        let tets = [[0, 1, 2, 3], [7, 4, 6, 5]];
        draw_apart(&mut points, &tets, &[0, 7]);
        let gap = (points[0] - points[7]).norm();
        assert!((0.03..0.3).contains(&gap), "{gap}");
        assert!(TetMesh::new(points, tets.to_vec()).is_ok());
    }
}
