//! After filling: pieces that hang together by an edge or a corner only are taken apart, small islands dropped.
//!
//! Two tets that share no more than an edge or a vertex are a hinge, which no force holds. Fans of tets around such an
//! edge are removed down to the largest one; a vertex where several face-connected groups meet becomes one vertex for
//! each, and where air meets air in a vertex one of the two tips is capped (`pinches.rs`). The boundary is a manifold then.

use std::collections::HashMap;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::pinches;
use super::stuffing::compact;
use crate::measure::{TET_FACES, tet_volume};
use crate::topology::UnionFind;

/// A mesh in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    pub(super) points: Vec<Vec3>,
    pub(super) tets: Vec<[u32; 4]>,
    /// For each tet its connected component, numbered by first tets.
    pub(super) component_of: Vec<u32>,
    pub(super) components: usize,
    /// Tets removed because they hung by an edge.
    pub(super) hinges: usize,
    /// Vertices that were split.
    pub(super) split: usize,
    /// Vertices that were split, by their numbers before anything is dropped: where each was, and its copy.
    pub(super) twins: Vec<(u32, u32)>,
    /// Tips of air that were capped.
    pub(super) caps: usize,
    /// Islands dropped, and their volume, m³.
    pub(super) islands: usize,
    pub(super) island_volume: f64,
    /// For each tet the body it fills, where several are filled one by one.
    pub(super) body_of: Vec<u32>,
    /// Bodies in which nothing was found.
    pub(super) empty: Vec<usize>,
}

impl Filled {
    /// Takes hinges apart, finds components, and drops those smaller than `smallest` (< 1) of the largest. Of the
    /// whole volume would be wrong: a thousand equal parts are none of them a crumb.
    pub(super) fn new(points: Vec<Vec3>, tets: Vec<[u32; 4]>, smallest: f64) -> Self {
        let mut filled = Self { points, tets, ..Self::default() };
        let mut pairs = filled.shared_faces();
        loop {
            while filled.remove_hinges(&pairs) {
                pairs = filled.shared_faces();
            }
            filled.split_vertices(&pairs);
            let capped = pinches::cap(&mut filled.points, &mut filled.tets);
            filled.caps += capped.caps;
            filled.hinges += capped.removed;
            // What is left where tets were removed may hang by an edge again, and beside a cap there may be another to make.
            if capped.caps + capped.removed == 0 {
                break;
            }
            pairs = filled.shared_faces();
        }
        filled.drop_islands(&pairs, smallest);
        filled
    }

    /// Adds what fills body `b`.
    pub(super) fn append(&mut self, other: Self, b: u32) {
        let (points, components) = (self.points.len() as u32, self.components as u32);
        self.points.extend(other.points);
        self.body_of.extend(std::iter::repeat_n(b, other.tets.len()));
        self.tets.extend(other.tets.iter().map(|t| t.map(|v| v + points)));
        self.component_of.extend(other.component_of.iter().map(|c| c + components));
        self.components += other.components;
        self.hinges += other.hinges;
        self.split += other.split;
        self.caps += other.caps;
        self.islands += other.islands;
        self.island_volume += other.island_volume;
    }

    pub(super) fn volume(&self) -> f64 {
        self.tets.iter().map(|t| self.tet_volume(t)).sum()
    }

    fn tet_volume(&self, t: &[u32; 4]) -> f64 {
        tet_volume(&t.map(|v| self.points[v as usize]))
    }

    /// Every face once for each of its tets, grouped.
    fn faces(&self) -> Vec<([u32; 3], u32)> {
        let mut faces: Vec<([u32; 3], u32)> = self
            .tets
            .par_iter()
            .enumerate()
            .flat_map_iter(|(t, tet)| {
                TET_FACES.map(|f| {
                    let mut key = f.map(|c| tet[c]);
                    key.sort_unstable();
                    (key, t as u32)
                })
            })
            .collect();
        faces.par_sort_unstable();
        faces
    }

    /// Pairs of tets with the face they share, and the faces that have one tet only (twice the same tet).
    fn shared_faces(&self) -> Vec<([u32; 3], u32, u32)> {
        self.faces().chunk_by(|a, b| a.0 == b.0).map(|g| (g[0].0, g[0].1, g[g.len() - 1].1)).collect()
    }

    /// Removes all fans but the largest around edges with more than two boundary faces; whether there was one.
    fn remove_hinges(&mut self, pairs: &[([u32; 3], u32, u32)]) -> bool {
        let mut edges: Vec<[u32; 2]> = pairs
            .par_iter()
            .filter(|p| p.1 == p.2)
            .flat_map_iter(|([a, b, c], _, _)| [[*a, *b], [*a, *c], [*b, *c]])
            .collect();
        edges.par_sort_unstable();
        let hinges: Vec<[u32; 2]> =
            edges.chunk_by(|a, b| a == b).filter(|g| g.len() > 2).map(|g| g[0]).collect();
        if hinges.is_empty() {
            return false;
        }
        let mut marked = vec![false; self.points.len()];
        hinges.iter().flatten().for_each(|&v| marked[v as usize] = true);
        let near: Vec<u32> = (0..self.tets.len() as u32)
            .filter(|&t| self.tets[t as usize].iter().filter(|&&v| marked[v as usize]).count() > 1)
            .collect();
        let near_pairs: Vec<&([u32; 3], u32, u32)> = pairs
            .iter()
            .filter(|p| p.1 != p.2 && p.0.iter().filter(|&&v| marked[v as usize]).count() > 1)
            .collect();
        // (edge, tet) and (edge, pair), ascending, so that each hinge finds its own by a search.
        let of_tets = incidences(&hinges, near.iter().map(|&t| (&self.tets[t as usize][..], t)));
        let of_pairs = incidences(&hinges, near_pairs.iter().zip(0..).map(|(p, i)| (&p.0[..], i)));
        let mut gone = vec![false; self.tets.len()];
        for h in 0..hinges.len() as u32 {
            let around: Vec<u32> =
                of_tets[start(&of_tets, h)..start(&of_tets, h + 1)].iter().map(|x| x.1).collect();
            let place =
                |t: u32| around.binary_search(&t).expect("both tets of a pair contain its edges") as u32;
            let mut union = UnionFind::new(around.len());
            for &(_, i) in &of_pairs[start(&of_pairs, h)..start(&of_pairs, h + 1)] {
                let (_, a, b) = near_pairs[i as usize];
                union.join(place(*a), place(*b));
            }
            let mut fans = vec![0.0; around.len()];
            for (i, &t) in around.iter().enumerate() {
                fans[union.root(i as u32) as usize] += self.tet_volume(&self.tets[t as usize]);
            }
            let largest = (0..fans.len()).fold(0, |best, i| if fans[i] > fans[best] { i } else { best });
            for (i, &t) in around.iter().enumerate() {
                gone[t as usize] |= union.root(i as u32) as usize != largest;
            }
        }
        let before = self.tets.len();
        let mut keep = gone.iter().map(|g| !g);
        self.tets.retain(|_| keep.next().unwrap_or(true));
        self.hinges += before - self.tets.len();
        before > self.tets.len()
    }

    /// One vertex for each face-connected group of tets around it.
    fn split_vertices(&mut self, pairs: &[([u32; 3], u32, u32)]) {
        let corner = |t: u32, v: u32| {
            let i = self.tets[t as usize].iter().position(|&x| x == v);
            4 * t + i.expect("the face belongs to the tet") as u32
        };
        let mut groups = UnionFind::new(4 * self.tets.len());
        for &(face, a, b) in pairs.iter().filter(|p| p.1 != p.2) {
            face.iter().for_each(|&v| groups.join(corner(a, v), corner(b, v)));
        }
        let mut first = vec![u32::MAX; self.points.len()];
        let mut copies: Vec<u32> = Vec::new();
        let mut copy_of: HashMap<u32, usize> = HashMap::new();
        let mut tets = self.tets.clone();
        for (t, tet) in tets.iter_mut().enumerate() {
            for (i, v) in tet.iter_mut().enumerate() {
                let root = groups.root((4 * t + i) as u32);
                let seen = &mut first[*v as usize];
                if *seen == u32::MAX {
                    *seen = root;
                } else if *seen != root {
                    let n = *copy_of.entry(root).or_insert_with(|| {
                        copies.push(*v);
                        copies.len() - 1
                    });
                    *v = (self.points.len() + n) as u32;
                }
            }
        }
        self.tets = tets;
        self.split += copies.len();
        let start = self.points.len() as u32;
        for (&v, copy) in copies.iter().zip(start..) {
            // A copy may be split again.
            let known = self.twins.binary_search_by_key(&v, |t| t.1);
            let origin = known.map_or(v, |i| self.twins[i].0);
            self.twins.push((origin, copy));
            self.points.push(self.points[v as usize]);
        }
    }

    /// Vertices at one place of which at least two are used by `tets`, ascending.
    fn coinciding(&self, tets: &[[u32; 4]]) -> Vec<u32> {
        if self.twins.is_empty() {
            return Vec::new();
        }
        let mut used = vec![false; self.points.len()];
        tets.iter().flatten().for_each(|&v| used[v as usize] = true);
        let mut twins = self.twins.clone();
        twins.extend(self.twins.iter().map(|t| (t.0, t.0)));
        twins.retain(|t| used[t.1 as usize]);
        twins.sort_unstable();
        twins.dedup();
        let several = twins.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1);
        let mut all: Vec<u32> = several.flatten().map(|t| t.1).collect();
        all.sort_unstable();
        all
    }

    fn drop_islands(&mut self, pairs: &[([u32; 3], u32, u32)], smallest: f64) {
        let mut union = UnionFind::new(self.tets.len());
        pairs.iter().for_each(|&(_, a, b)| union.join(a, b));
        let mut volume = vec![0.0; self.tets.len()];
        for t in 0..self.tets.len() {
            volume[union.root(t as u32) as usize] += self.tet_volume(&self.tets[t]);
        }
        let limit = smallest * volume.iter().copied().fold(0.0, f64::max);
        let mut number = vec![u32::MAX; self.tets.len()];
        let mut kept = Vec::with_capacity(self.tets.len());
        for t in 0..self.tets.len() {
            let root = union.root(t as u32) as usize;
            if volume[root] < limit {
                if root == t {
                    self.islands += 1;
                    self.island_volume += volume[root];
                }
                continue;
            }
            if root == t {
                number[root] = self.components as u32;
                self.components += 1;
            }
            kept.push(self.tets[t]);
            self.component_of.push(number[root]);
        }
        let apart = self.coinciding(&kept);
        pinches::draw_apart(&mut self.points, &kept, &apart);
        (self.points, self.tets) = compact(&self.points, kept);
    }
}

/// (hinge, item) for every item that contains a hinge, ascending.
fn incidences<'a>(hinges: &[[u32; 2]], items: impl Iterator<Item = (&'a [u32], u32)>) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (corners, item) in items {
        for (i, &a) in corners.iter().enumerate() {
            for &b in &corners[i + 1..] {
                if let Ok(h) = hinges.binary_search(&[a.min(b), a.max(b)]) {
                    all.push((h as u32, item));
                }
            }
        }
    }
    all.sort_unstable();
    all
}

fn start(sorted: &[(u32, u32)], h: u32) -> usize {
    sorted.partition_point(|x| x.0 < h)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Vec3> {
        [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0., -1., 0.], [0., 0., -2.], [-1., 0., 0.]]
            .map(Vec3::from)
            .to_vec()
    }

    #[test]
    fn two_tets_on_one_edge_lose_the_smaller() {
        let filled = Filled::new(points(), vec![[0, 1, 2, 3], [0, 1, 4, 5]], 0.0);
        assert_eq!((filled.tets.len(), filled.hinges, filled.components), (1, 1, 1));
        assert!((filled.volume() - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn two_tets_on_one_vertex_become_two_components() {
        let filled = Filled::new(points(), vec![[0, 1, 2, 3], [0, 4, 6, 5]], 0.0);
        assert_eq!((filled.tets.len(), filled.split, filled.components), (2, 1, 2));
        assert_eq!(filled.points.len(), 8);
        let filled = Filled::new(points(), vec![[0, 1, 2, 3], [0, 4, 6, 5]], 0.6);
        assert_eq!((filled.tets.len(), filled.islands, filled.components), (1, 1, 1));
        assert!((filled.volume() - 1.0 / 3.0).abs() < 1e-15, "the larger stays");
        let filled = Filled::new(points(), vec![[0, 1, 2, 3], [0, 4, 6, 5]], 0.4);
        assert_eq!((filled.tets.len(), filled.islands), (2, 0), "half of the largest is more than 0.4 of it");
    }

    #[test]
    fn many_equal_parts_are_no_islands() {
        let mut points = Vec::new();
        let mut tets = Vec::new();
        for i in 0..1500u32 {
            let corner = Vec3::new(2.0 * f64::from(i), 0.0, 0.0);
            points.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|p| corner + p));
            tets.push([0, 1, 2, 3].map(|c| 4 * i + c));
        }
        // And one crumb of a ten-thousandth.
        let crumb = Vec3::new(-5.0, 0.0, 0.0);
        points.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z() * 1e-4].map(|p| crumb + p));
        tets.push([6000, 6001, 6002, 6003]);
        let filled = Filled::new(points, tets, 1e-3);
        assert_eq!((filled.components, filled.tets.len(), filled.islands), (1500, 1500, 1));
        assert!((filled.island_volume / (1e-4 / 6.0) - 1.0).abs() < 1e-9);
    }
}
