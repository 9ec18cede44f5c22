//! What is known of a surface before it is filled: triangles turned to agree, its parts, its rim.

use std::sync::OnceLock;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use crate::bvh::{Aabb, Bvh};
use crate::measure::{area_vector, enclosed_volume, triangulate};
use crate::topology::{UnionFind, components, most_hosts};
use crate::winding::Winding;
use crate::{MeshError, Result, SurfaceMesh};

/// A surface made ready.
pub(super) struct Soup {
    pub(super) vertices: Vec<Vec3>,
    /// Outward where that means something; equal positions are one vertex.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The face each triangle comes from.
    pub(super) face_of: Vec<u32>,
    /// The connected part each triangle belongs to.
    pub(super) part_of: Vec<u32>,
    pub(super) parts: Vec<Part>,
    pub(super) notes: Vec<String>,
}

/// A connected part of a surface.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// No rim.
    pub(super) closed: bool,
    /// By the divergence theorem, m³; with a fan over the rim where there is one.
    pub(super) volume: f64,
    /// The part that this one is a cavity of.
    pub(super) cavity_of: Option<u32>,
}

/// What lies around a part.
struct Surrounded {
    part: usize,
    /// Winding number of all other parts together.
    winding: f64,
    /// The parts that wind around it, ascending, with how often.
    hosts: Vec<(u32, f64)>,
    /// Not all that might were asked: it lies in the boxes of too many.
    more: bool,
}

/// Edges that triangles leave open, with how often.
pub(super) type RimEdges = Vec<([u32; 2], u32)>;

impl Soup {
    pub(super) fn new(surface: &SurfaceMesh) -> Result<Self> {
        let vertices = surface.vertices().to_vec();
        let mut notes = Vec::new();
        let same = weld(&vertices);
        let mut triangles = Vec::new();
        let mut face_of = Vec::new();
        let mut flat = 0;
        for (f, face) in surface.faces().iter().enumerate() {
            for t in triangulate(&vertices, &[face].into_iter().collect()) {
                let t = t.map(|v| same[v as usize]);
                if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
                    flat += 1;
                } else {
                    triangles.push(t);
                    face_of.push(f as u32);
                }
            }
        }
        if flat > 0 {
            notes.push(format!("{flat} triangles with two corners in one place were ignored"));
        }
        if triangles.is_empty() {
            return Err(super::encloses_nothing("all its triangles are without area"));
        }
        let mut soup = Self { vertices, triangles, face_of, part_of: Vec::new(), parts: Vec::new(), notes };
        soup.check_size()?;
        soup.drop_doubles();
        soup.agree();
        soup.find_parts();
        soup.turn_outward();
        Ok(soup)
    }

    pub(super) fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// Coordinates must leave room for squares, and for a lattice between them.
    fn check_size(&self) -> Result<()> {
        let used = || self.triangles.iter().flatten().map(|&v| &self.vertices[v as usize]);
        let bounds = Aabb::around(used());
        let length = (bounds.high - bounds.low).amax();
        let far = bounds.low.amax().max(bounds.high.amax());
        if !(1e-60..1e60).contains(&length) {
            return Err(MeshError::SurfaceLength { length });
        }
        if length < 1e-9 * far {
            return Err(MeshError::Inconsistent(format!(
                "the surface is {length:.3e} m long but lies {far:.3e} m from the origin: its coordinates have too few \
                 digits left for a lattice; move it to the origin first"
            )));
        }
        Ok(())
    }

    /// The same triangle twice in the same sense would count its inside twice.
    fn drop_doubles(&mut self) {
        let mut order: Vec<([u32; 3], u32)> = self.triangles.iter().map(|t| rotated(*t)).zip(0..).collect();
        order.par_sort_unstable();
        let mut doubled = vec![false; self.triangles.len()];
        order.windows(2).filter(|w| w[0].0 == w[1].0).for_each(|w| doubled[w[1].1 as usize] = true);
        let count = doubled.iter().filter(|d| **d).count();
        if count > 0 {
            let mut keep = doubled.iter().map(|d| !d);
            self.triangles.retain(|_| keep.next().unwrap_or(true));
            let mut keep = doubled.iter().map(|d| !d);
            self.face_of.retain(|_| keep.next().unwrap_or(true));
            self.notes.push(format!("{count} doubled triangles were ignored"));
        }
    }

    /// (lower vertex, higher vertex, triangle, whether the triangle runs from the lower to the higher), ascending.
    fn edges(&self) -> Vec<(u32, u32, u32, bool)> {
        let mut edges: Vec<_> = self
            .triangles
            .par_iter()
            .enumerate()
            .flat_map_iter(|(t, c)| {
                [[c[0], c[1]], [c[1], c[2]], [c[2], c[0]]].map(|[a, b]| (a.min(b), a.max(b), t as u32, a < b))
            })
            .collect();
        edges.par_sort_unstable();
        edges
    }

    /// Turns triangles until neighbours across an edge of two agree; the larger area of each piece stays as it is.
    fn agree(&mut self) {
        let edges = self.edges();
        let pairs: Vec<(u32, u32, bool)> = edges
            .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .filter(|g| g.len() == 2)
            .map(|g| (g[0].2, g[1].2, g[0].3 == g[1].3))
            .collect();
        if pairs.iter().all(|p| !p.2) {
            return;
        }
        let n = self.triangles.len();
        let mut beside: Vec<(u32, u32, bool)> =
            pairs.iter().flat_map(|&(a, b, against)| [(a, b, against), (b, a, against)]).collect();
        beside.sort_unstable();
        let mut start = vec![0u32; n + 1];
        beside.iter().for_each(|b| start[b.0 as usize + 1] += 1);
        (0..n).for_each(|t| start[t + 1] += start[t]);
        let mut turn: Vec<Option<bool>> = vec![None; n];
        let (mut turned, mut stuck) = (0, false);
        for seed in 0..n {
            if turn[seed].is_some() {
                continue;
            }
            turn[seed] = Some(false);
            let mut piece = vec![seed];
            let mut next = 0;
            while next < piece.len() {
                let t = piece[next];
                next += 1;
                let mine = turn[t].unwrap_or(false);
                for &(_, o, against) in &beside[start[t] as usize..start[t + 1] as usize] {
                    match turn[o as usize] {
                        None => {
                            turn[o as usize] = Some(mine != against);
                            piece.push(o as usize);
                        }
                        Some(theirs) => stuck |= theirs != (mine != against),
                    }
                }
            }
            let area = |wanted: bool| -> f64 {
                let of = piece.iter().filter(|&&t| turn[t] == Some(wanted));
                of.map(|&t| area_vector(&self.corners(t)).norm()).sum()
            };
            let minority = area(true) <= area(false);
            for &t in &piece {
                if turn[t] == Some(minority) {
                    self.triangles[t].swap(1, 2);
                    turned += 1;
                }
            }
        }
        self.notes.push(format!("{turned} triangles faced against their neighbours and were turned"));
        if stuck {
            self.notes
                .push("some neighbours cannot be made to agree: the surface has one side only there".into());
        }
    }

    fn find_parts(&mut self) {
        let (part, count) = components(self.vertices.len(), self.triangles.iter().map(|t| &t[..]));
        self.part_of = self.triangles.iter().map(|t| part[t[0] as usize].unwrap_or(0)).collect();
        let mut closed = vec![true; count];
        let mut origin = vec![(Vec3::zeros(), 0.0); count];
        for ([a, b], _) in self.rim() {
            let p = part[a as usize].unwrap_or(0) as usize;
            closed[p] = false;
            // The middle of the rim, by length: where a fan over a flat hole adds nothing.
            let length = (self.vertices[a as usize] - self.vertices[b as usize]).norm();
            origin[p].0 += (self.vertices[a as usize] + self.vertices[b as usize]) * (length / 2.0);
            origin[p].1 += length;
        }
        let mut first = vec![None; count];
        self.triangles.iter().zip(&self.part_of).for_each(|(t, &p)| {
            first[p as usize].get_or_insert(self.vertices[t[0] as usize]);
        });
        let mut volume = vec![0.0; count];
        for (t, &p) in self.part_of.iter().enumerate() {
            let p = p as usize;
            let o = if origin[p].1 > 0.0 { origin[p].0 / origin[p].1 } else { first[p].unwrap_or_default() };
            let [a, b, c] = self.corners(t).map(|x| x - o);
            volume[p] += a.dot(&b.cross(&c)) / 6.0;
        }
        self.parts =
            (0..count).map(|p| Part { closed: closed[p], volume: volume[p], cavity_of: None }).collect();
    }

    /// A surface that encloses a negative volume is inside out; so is a closed part that does and lies in no other. One
    /// that does lie in others is a cavity of the smallest of them.
    fn turn_outward(&mut self) {
        let total: f64 = self.parts.iter().map(|p| p.volume).sum();
        if total < 0.0 {
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            self.parts.iter_mut().for_each(|p| p.volume = -p.volume);
            self.notes.push("the surface was inside out and was turned".into());
        }
        let negative = self.around_negative_parts();
        let unsure = negative.iter().filter(|n| n.more).count();
        if unsure > 0 {
            self.notes.push(format!(
                "{unsure} parts lie among so many others that only some of those were asked whether they lie around"
            ));
        }
        let mut turned = vec![false; self.parts.len()];
        negative.iter().for_each(|n| turned[n.part] = n.winding < 0.5);
        for (t, &p) in self.triangles.iter_mut().zip(&self.part_of) {
            if turned[p as usize] {
                t.swap(1, 2);
            }
        }
        let count = turned.iter().filter(|t| **t).count();
        if count > 0 {
            self.parts.iter_mut().zip(&turned).filter(|(_, t)| **t).for_each(|(p, _)| p.volume = -p.volume);
            self.notes.push(format!("{count} of {} parts were inside out and were turned", self.parts.len()));
        }
        for n in negative.iter().filter(|n| !turned[n.part]) {
            // A part that was turned winds the other way around now.
            let winds = |&(o, w): &(u32, f64)| if turned[o as usize] { -w } else { w };
            let volume = |o: u32| self.parts[o as usize].volume;
            let hosts = n.hosts.iter().filter(|h| winds(h) > 0.5 && volume(h.0) > 0.0);
            let host = hosts.min_by(|a, b| volume(a.0).total_cmp(&volume(b.0)).then(a.0.cmp(&b.0)));
            self.parts[n.part].cavity_of = host.map(|h| h.0);
        }
    }

    /// For each closed part of negative volume what lies around its first corner.
    ///
    /// A closed part winds around points in its box only, so few are asked; all open ones are asked together, and count
    /// as hosts only where the point is in their box.
    fn around_negative_parts(&self) -> Vec<Surrounded> {
        let negative = |p: &usize| self.parts[*p].closed && self.parts[*p].volume < 0.0;
        let asked: Vec<usize> = (0..self.parts.len()).filter(negative).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let mut triangles: Vec<Vec<u32>> = vec![Vec::new(); self.parts.len()];
        self.part_of.iter().zip(0..).for_each(|(&p, t)| triangles[p as usize].push(t));
        let corners = |list: &[u32]| list.iter().map(|&t| self.corners(t as usize)).collect::<Vec<_>>();
        let boxes = triangles.iter().map(|list| Aabb::around(corners(list).as_flattened())).collect();
        let tree = Bvh::new(boxes);
        let windings: Vec<OnceLock<Winding>> = triangles.iter().map(|_| OnceLock::new()).collect();
        let open = (0..self.parts.len()).filter(|&p| !self.parts[p].closed);
        let open = Winding::new(open.flat_map(|p| corners(&triangles[p])).collect());
        let most = most_hosts(asked.len());
        let around = |&part: &usize| {
            let q = triangles[part].first().map(|&t| self.corners(t as usize)[0]).unwrap_or_default();
            let (mut others, more) = tree.holding(&q, most);
            others.retain(|&o| o as usize != part);
            let mut found = Surrounded { part, winding: open.fine(&q), hosts: Vec::new(), more };
            for o in others {
                let i = o as usize;
                let w = windings[i].get_or_init(|| Winding::new(corners(&triangles[i]))).fine(&q);
                if self.parts[i].closed {
                    found.winding += w;
                }
                if w.abs() > 0.5 {
                    found.hosts.push((o, w));
                }
            }
            found
        };
        asked.par_iter().map(around).collect()
    }

    /// Edges whose triangles do not cancel.
    pub(super) fn rim(&self) -> RimEdges {
        rim_of(&self.edges())
    }

    /// How many loops the rim has: its connected pieces.
    pub(super) fn loops(&self, rim: &RimEdges) -> usize {
        let mut union = UnionFind::new(self.vertices.len());
        rim.iter().for_each(|([a, b], _)| union.join(*a, *b));
        let mut roots: Vec<u32> = rim.iter().map(|([a, _], _)| union.root(*a)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.len()
    }

    /// What a closed surface encloses, counting each part as often as it winds around a point.
    pub(super) fn signed_volume(&self) -> f64 {
        enclosed_volume(&self.vertices, &self.triangles)
    }
}

/// The net count of each edge, where it is not zero.
fn rim_of(edges: &[(u32, u32, u32, bool)]) -> RimEdges {
    edges
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|g| {
            let net: i64 = g.iter().map(|e| if e.3 { 1 } else { -1 }).sum();
            (net != 0).then_some(([g[0].0, g[0].1], net.unsigned_abs() as u32))
        })
        .collect()
}

/// The smallest corner first, the turning kept.
fn rotated(t: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = t;
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// For each vertex the first vertex at the same position.
fn weld(vertices: &[Vec3]) -> Vec<u32> {
    // Adding zero makes both zeros equal.
    let bits = |v: u32| vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let key = |v: &u32| {
        let b = bits(*v);
        (b.x, b.y, b.z, *v)
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.par_sort_unstable_by_key(key);
    let mut same: Vec<u32> = (0..vertices.len() as u32).collect();
    for group in order.chunk_by(|a, b| bits(*a) == bits(*b)) {
        group.iter().for_each(|&v| same[v as usize] = group[0]);
    }
    same
}
