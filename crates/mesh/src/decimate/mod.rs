//! A coarse surface of a fine one by collapsing edges, and where every fine vertex went.
//!
//! ```text
//! edge uv → one vertex at x = argmin Q(x),   Q = Q_u + Q_v,   cheapest Q(x) first                   (1)
//! ```
//! Q measures squared distances from the planes of the triangles that went into a vertex (`quadric.rs`), so flat parts
//! are thinned before bent ones. On the rim, and between regions, a plane upright on the edge joins in: outlines stay.
//! A collapse is only done if the surface keeps its topology and no triangle turns over or loses its shape (`web.rs`):
//! a closed surface stays closed, a manifold one manifold, handles and holes remain, and no part vanishes. Where a
//! surface is no manifold, those edges and vertices stay as they are. The same surface gives the same bits.
//!
//! Not for tets, and not below what topology needs: a sphere has at least four vertices, a torus seven. Faces of more
//! than three corners are cut into triangles first. Source: GH97 in docs/papers.md; the map is that of an edge-collapse
//! scheme as HSTP11 in docs/papers.md need it for coarse stand-ins.

mod quadric;
mod web;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use pliant_linalg::{Progress, Vec3, Watch};

use crate::data::{MeshData, bounds};
use crate::measure::{area_vector, triangulate};
use crate::topology::Edges;
use crate::{Attributes, Faces, MeshError, Result, SurfaceMesh, VertexSet};
use quadric::Quadric;
use web::Web;

/// How coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many vertices, counting those that a face uses.
    Vertices(usize),
    /// So many triangles, or one fewer where two go at a time.
    Triangles(usize),
}

/// A coarse surface, and how it came to be.
#[derive(Clone, Debug)]
pub struct Decimated {
    /// The coarse surface, of triangles. Regions are kept; a coarse vertex is in a set if one of its fine ones is.
    pub surface: SurfaceMesh,
    /// For every fine vertex the coarse one it went to; `None` for one that no face uses. Every coarse vertex has at
    /// least one fine vertex.
    pub coarse_of: Vec<Option<u32>>,
    /// Whether the target was reached; if not, no other edge could collapse.
    pub reached: bool,
}

impl Decimated {
    /// The fine vertices of every coarse one, ascending.
    pub fn fine_of(&self) -> Vec<Vec<u32>> {
        let mut fine = vec![Vec::new(); self.surface.vertices().len()];
        for (v, coarse) in (0..).zip(&self.coarse_of) {
            if let Some(coarse) = coarse {
                fine[*coarse as usize].push(v);
            }
        }
        fine
    }
}

/// Collapses edges of `surface` until it has as few vertices or triangles as `target` says, or none may collapse.
///
/// ```
/// use pliant_mesh::{decimate::{Target, decimate}, shapes};
/// let skin = shapes::ball(1.0, 8).boundary();
/// let coarse = decimate(&skin, Target::Vertices(100), &mut pliant_linalg::ignore_progress)?;
/// assert_eq!(coarse.surface.vertices().len(), 100);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
///
/// # Errors
/// When the target is more than there is or less than one triangle, or `watch` asks to stop.
pub fn decimate(surface: &SurfaceMesh, target: Target, watch: &mut Watch<'_>) -> Result<Decimated> {
    let mut work = Work::new(surface);
    work.check(target)?;
    let reached = work.run(target, watch)?;
    work.finish(surface, reached)
}

/// How much a plane upright on the rim counts against the triangles beside it: an outline is seen before a dent is.
const OUTLINE: f64 = 10.0;

/// Up to this valence every refused edge of a vertex is asked again when something beside it has changed.
const USUAL_VALENCE: usize = 64;

/// An edge and what it would cost.
struct Candidate {
    cost: f64,
    /// The one that stays first; by that also the smaller, unless the larger must stay.
    ends: [u32; 2],
    /// How often each end had changed when this was computed.
    changes: [u32; 2],
    place: Vec3,
}

impl Ord for Candidate {
    /// The heap gives its largest: the cheapest, among equals the one with the smallest vertices.
    fn cmp(&self, other: &Self) -> Ordering {
        let by = |c: &Self| (c.ends, c.changes);
        other.cost.total_cmp(&self.cost).then_with(|| by(other).cmp(&by(self)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

struct Work {
    web: Web,
    quadrics: Vec<Quadric>,
    /// Where a vertex went; itself while it is there.
    into: Vec<u32>,
    changes: Vec<u32>,
    heap: BinaryHeap<Candidate>,
    /// Partners of each vertex with which it could not merge; both know it.
    refused: Vec<Vec<u32>>,
    vertices: usize,
    triangles: usize,
    /// From the unit box, in which all this is computed, back to metres.
    middle: Vec3,
    scale: f64,
    region_of: Vec<u32>,
}

impl Work {
    fn new(surface: &SurfaceMesh) -> Self {
        let (triangles, region_of) = triangles_and_regions(surface);
        let edges = Edges::new(&Faces::from_triangles(&triangles));
        // The unit box around the origin: squares neither overflow nor drown in an offset.
        let [low, high] = bounds(surface.vertices());
        let middle = low * 0.5 + high * 0.5;
        let scale = Some((high * 0.5 - low * 0.5).amax()).filter(|&s| s > 0.0).unwrap_or(1.0);
        let at: Vec<Vec3> = surface.vertices().iter().map(|p| (p - middle) / scale).collect();
        let quadrics = quadrics(&at, &triangles, &region_of, &edges);
        let n = at.len();
        let mut work = Self {
            triangles: triangles.len(),
            web: Web::new(at, triangles, &edges),
            quadrics,
            into: (0..n as u32).collect(),
            changes: vec![0; n],
            heap: BinaryHeap::with_capacity(edges.len()),
            refused: vec![Vec::new(); n],
            vertices: 0,
            middle,
            scale,
            region_of,
        };
        work.vertices = (0..n as u32).filter(|&v| work.web.is_used(v)).count();
        edges.all_ends().iter().for_each(|&[u, v]| work.push(u, v));
        work
    }

    fn check(&self, target: Target) -> Result<()> {
        let (asked, there, least, what) = match target {
            Target::Vertices(n) => (n, self.vertices, 3, "vertices"),
            Target::Triangles(n) => (n, self.triangles, 1, "triangles"),
        };
        if asked > there {
            return Err(MeshError::Inconsistent(format!(
                "{asked} {what} were asked for, but the surface has only {there}, and collapsing edges makes none; \
                 choose {there} or fewer"
            )));
        }
        if asked < least {
            return Err(MeshError::Inconsistent(format!(
                "{asked} {what} are no surface; choose at least {least}"
            )));
        }
        Ok(())
    }

    fn is_done(&self, target: Target) -> bool {
        match target {
            Target::Vertices(n) => self.vertices <= n,
            Target::Triangles(n) => self.triangles <= n,
        }
    }

    /// Cheapest edge first, until the target is reached (true) or no edge may collapse (false).
    fn run(&mut self, target: Target, watch: &mut Watch<'_>) -> Result<bool> {
        let total = self.vertices;
        let mut told = usize::MAX;
        loop {
            let before = self.vertices;
            while !self.is_done(target) {
                let Some(candidate) = self.heap.pop() else { break };
                let [u, v] = candidate.ends;
                if [u, v].map(|w| self.changes[w as usize]) != candidate.changes {
                    continue;
                }
                let done = total - self.vertices;
                if done / 4096 != told {
                    told = done / 4096;
                    Progress { stage: "collapsing edges", done, total }.tell(watch)?;
                }
                match self.place_of(&candidate) {
                    Some(x) => self.collapse(u, v, x),
                    None => {
                        self.refused[u as usize].push(v);
                        self.refused[v as usize].push(u);
                    }
                }
            }
            if self.is_done(target) {
                return Ok(true);
            }
            if self.vertices == before {
                return Ok(false);
            }
            // What was refused long ago may be possible now.
            (0..self.refused.len() as u32).for_each(|v| self.ask_again(v, None));
        }
    }

    /// Where the candidate's vertex goes: to the lowest place, else to one of the ends, if the surface stands it.
    fn place_of(&mut self, candidate: &Candidate) -> Option<Vec3> {
        let [u, v] = candidate.ends;
        if !self.web.keeps_topology(u, v) {
            return None;
        }
        let ends = [u, v].map(|w| self.web.at[w as usize]);
        let places = [candidate.place, ends[0], ends[1]];
        let allowed = if self.web.stays(u) { 1 } else { 3 };
        places.into_iter().take(allowed).find(|x| self.web.keeps_shape(u, v, x))
    }

    fn collapse(&mut self, u: u32, v: u32, x: Vec3) {
        self.triangles -= self.web.collapse(u, v, x);
        self.vertices -= 1;
        self.into[v as usize] = u;
        self.quadrics[u as usize] = self.quadrics[u as usize].and(&self.quadrics[v as usize]);
        for w in [u, v] {
            self.changes[w as usize] += 1;
            for p in std::mem::take(&mut self.refused[w as usize]) {
                self.refused[p as usize].retain(|&x| x != w);
            }
        }
        let ring = self.web.ring(u);
        for &w in &ring {
            self.push(u, w);
        }
        for &w in &ring {
            self.ask_again(w, (self.web.valence(w) > USUAL_VALENCE).then_some(&ring));
        }
    }

    /// Puts the refused edges of `w` back, all or those to `only`.
    fn ask_again(&mut self, w: u32, only: Option<&Vec<u32>>) {
        let mut partners = std::mem::take(&mut self.refused[w as usize]);
        let mut kept = Vec::new();
        if let Some(only) = only {
            kept = partners.extract_if(.., |p| !only.contains(p)).collect();
        }
        self.refused[w as usize] = kept;
        for p in partners {
            self.refused[p as usize].retain(|&x| x != w);
            if self.web.are_joined(w, p) {
                self.push(w, p);
            }
        }
    }

    /// Proposes the edge, unless both of its ends must stay.
    fn push(&mut self, u: u32, v: u32) {
        let ends = match (self.web.stays(u), self.web.stays(v)) {
            (true, true) => return,
            (true, false) => [u, v],
            (false, true) => [v, u],
            (false, false) => [u.min(v), u.max(v)],
        };
        let [p, q] = ends.map(|w| self.web.at[w as usize]);
        let quadric = self.quadrics[u as usize].and(&self.quadrics[v as usize]);
        let place = if self.web.stays(ends[0]) { p } else { best_place(&quadric, &p, &q) };
        let changes = ends.map(|w| self.changes[w as usize]);
        self.heap.push(Candidate { cost: quadric.at(&place), ends, changes, place });
    }

    /// The coarse surface in metres, its vertices and triangles in the order of the fine ones that remained.
    fn finish(mut self, surface: &SurfaceMesh, reached: bool) -> Result<Decimated> {
        let n = self.into.len();
        let mut number = vec![None; n];
        let mut vertices = Vec::with_capacity(self.vertices);
        for v in (0..n as u32).filter(|&v| self.web.is_used(v)) {
            number[v as usize] = Some(vertices.len() as u32);
            // One that never moved is what it was, to the bit.
            let kept = self.changes[v as usize] == 0 || self.web.stays(v);
            let x = self.web.at[v as usize] * self.scale + self.middle;
            vertices.push(if kept { surface.vertices()[v as usize] } else { x });
        }
        let coarse_of: Vec<Option<u32>> = (0..n as u32).map(|v| number[self.root(v) as usize]).collect();
        let left: Vec<u32> = (0..self.web.triangles.len() as u32).filter(|&t| self.web.is_left(t)).collect();
        let corners = |&t: &u32| self.web.triangles[t as usize].map(|v| coarse_of[v as usize].unwrap_or(0));
        let triangles: Vec<[u32; 3]> = left.iter().map(corners).collect();
        let fine = surface.attributes();
        let attributes = Attributes {
            regions: fine.regions.clone(),
            region_of: if self.region_of.is_empty() {
                Vec::new()
            } else {
                left.iter().map(|&t| self.region_of[t as usize]).collect()
            },
            materials: fine.materials.clone(),
            sets: fine.sets.iter().map(|set| coarse_set(set, &coarse_of)).collect(),
            embedded: None,
        };
        let mut data = MeshData::from_faces(vertices, Faces::from_triangles(&triangles));
        data.attributes = attributes;
        Ok(Decimated { surface: SurfaceMesh::from_data(data)?, coarse_of, reached })
    }

    /// The vertex that `v` went to in the end; chains are shortened on the way.
    fn root(&mut self, v: u32) -> u32 {
        let mut root = v;
        while self.into[root as usize] != root {
            root = self.into[root as usize];
        }
        let mut v = v;
        while self.into[v as usize] != root {
            v = std::mem::replace(&mut self.into[v as usize], root);
        }
        root
    }
}

/// The triangles, and for each the region of the face it was cut from, if there are regions.
fn triangles_and_regions(surface: &SurfaceMesh) -> (Vec<[u32; 3]>, Vec<u32>) {
    let regions = &surface.attributes().region_of;
    let (mut triangles, mut region_of) = (Vec::with_capacity(surface.faces().len()), Vec::new());
    for (f, face) in surface.faces().iter().enumerate() {
        match face {
            &[a, b, c] => triangles.push([a, b, c]),
            _ => triangles.extend(triangulate(surface.vertices(), &[face].into_iter().collect())),
        }
        region_of
            .extend(regions.get(f).map(|&r| vec![r; triangles.len() - region_of.len()]).unwrap_or_default());
    }
    (triangles, region_of)
}

/// The quadric of every vertex: a third of each of its triangles, and the outlines at it.
fn quadrics(at: &[Vec3], triangles: &[[u32; 3]], region_of: &[u32], edges: &Edges) -> Vec<Quadric> {
    let mut quadrics = vec![Quadric::default(); at.len()];
    let mut normals = Vec::with_capacity(triangles.len());
    for t in triangles {
        let vector = area_vector(&t.map(|v| at[v as usize]));
        let area = vector.norm();
        let normal = if area > 0.0 { vector / area } else { Vec3::zeros() };
        normals.push(normal);
        for v in t.map(|v| v as usize) {
            quadrics[v].add_plane(&normal, &at[v], area / 3.0);
            quadrics[v].add_point(&at[v], area / 3.0);
        }
    }
    for e in 0..edges.len() {
        let uses = edges.uses(e);
        let outline = match uses {
            [_] => true,
            [a, b] => region_of.get(a.face as usize) != region_of.get(b.face as usize),
            _ => false,
        };
        if !outline {
            continue;
        }
        let [u, v] = edges.ends(e).map(|v| v as usize);
        let along = at[v] - at[u];
        for side in uses {
            let upright = along.cross(&normals[side.face as usize]);
            let length = upright.norm();
            if length > 0.0 {
                let n = upright / length;
                for w in [u, v] {
                    quadrics[w].add_plane(&n, &at[u], OUTLINE * along.norm_squared() / 2.0);
                }
            }
        }
    }
    quadrics
}

/// The lowest place of `q`, or the best of the ends and the middle where that is far away or none.
fn best_place(q: &Quadric, u: &Vec3, v: &Vec3) -> Vec3 {
    let middle = (u + v) * 0.5;
    // Farther than the edge is long, the planes are nearly parallel and their common point says nothing.
    match q.lowest().filter(|x| (x - middle).norm_squared() <= (u - v).norm_squared()) {
        Some(x) => x,
        None => [middle, *u, *v].into_iter().min_by(|a, b| q.at(a).total_cmp(&q.at(b))).unwrap_or(middle),
    }
}

fn coarse_set(set: &VertexSet, coarse_of: &[Option<u32>]) -> VertexSet {
    let mut vertices: Vec<u32> = set.vertices.iter().filter_map(|&v| coarse_of[v as usize]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    VertexSet { name: set.name.clone(), vertices }
}

#[cfg(test)]
mod tests;
