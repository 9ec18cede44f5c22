//! Isosurface stuffing: lattice tets cut along the surface, with bounded dihedral angles.
//!
//! Every lattice edge that changes sides has a cut point. A lattice point with a cut point nearer than α times the
//! edge (α = 0.285 on long edges, 0.3988 on short ones) is *warped* onto the nearest of them and counts as lying
//! on the surface from then on; its other cut points vanish. The cut points that remain keep that distance from both
//! ends, and each tet is replaced by the stencil for its signs:
//! ```text
//! no corner outside     the tet                         + − − −, + − − 0, + − 0 0   1 tet
//! + + − 0               2 tets                          + + − −, + + + −            3 tets
//! 0 0 0 0               the tet, if it lies inside and its angles are between 15° and 155° (not in the paper)
//! ```
//! A stencil's quadrilateral in a face that two tets share is cut by a rule that looks at this face alone: with a cut
//! on a long and one on a short edge, the diagonal ends in the long one's cut point; with two on short edges, in the
//! one whose edge has an even number of ascending coordinates towards the outside (the parity rule; the two always
//! differ). So neighbours agree, and no prism is met that cannot be cut into tets.
//!
//! With these α all dihedral angles lie between 10.77° and 164.71°, whatever the surface, since only the places where
//! warping leaves the cut points matter: the tests go through all stencils with every warp and cut at the ends of its
//! range. (α = 0.24999 and 0.41189 give 9.31° to 161.65° by the same count; α was chosen for the largest smallest
//! angle.) Source: LS07 in docs/papers.md.

use pliant_linalg::{Progress, Vec3, Watch};
use rayon::prelude::*;

use super::Solid;
use super::lattice::{CHUNK, Lattice};
use super::octree::{Key, is_inside, unpack};
use crate::measure::{TET_EDGES, dihedral_angles, tet_volume};
use crate::{MeshError, Result};

/// A cut point nearer than this fraction of a long edge warps its end.
pub(super) const ALPHA_LONG: f64 = 0.285;
/// The same for a short edge.
pub(super) const ALPHA_SHORT: f64 = 0.398_8;

/// Angles that a tet with all corners on the surface must keep to, degrees: better than the worst stencil, as it is
/// not needed.
const LEAST_ANGLE: f64 = 15.0;
const GREATEST_ANGLE: f64 = 155.0;

/// Cuts the lattice along the solid's surface: vertices in metres and positive tets.
pub(super) fn cut(
    lattice: Lattice,
    solid: &dyn Solid,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>)> {
    let Lattice { frame, tets, mixed } = lattice;
    Progress::stage("numbering").tell(watch)?;
    let mut keys: Vec<Key> = tets.par_iter().flat_map_iter(|t| *t).collect();
    keys.par_sort_unstable();
    keys.dedup();
    if let Some(pair) = keys.windows(2).find(|w| w[0] >> 1 == w[1] >> 1) {
        let p = frame.position(pair[0]);
        return Err(MeshError::Inconsistent(format!(
            "the point ({:.6e}, {:.6e}, {:.6e}) m lies inside by one answer of the solid and outside by another; \
             expected `side` to agree with `inside` at the corners and the centre of every box",
            p.x, p.y, p.z
        )));
    }
    let number = |key: Key| keys.binary_search(&key).expect("every corner was collected") as u32;
    let tets: Vec<[u32; 4]> = tets.par_iter().map(|t| t.map(number)).collect();
    let inside = |v: u32| is_inside(keys[v as usize]);

    let mut edges: Vec<[u32; 2]> = tets
        .par_iter()
        .filter(|t| t.iter().any(|&v| !inside(v)))
        .flat_map_iter(|t| {
            let pairs = t.iter().flat_map(|&p| t.iter().map(move |&n| [p, n]));
            pairs.filter(|&[p, n]| inside(p) && !inside(n))
        })
        .collect();
    edges.par_sort_unstable();
    edges.dedup();
    let mut cuts: Vec<f64> = Vec::with_capacity(edges.len());
    for chunk in edges.chunks(CHUNK) {
        Progress { stage: "cutting", done: cuts.len(), total: edges.len() }.tell(watch)?;
        cuts.par_extend(chunk.par_iter().map(|&[p, n]| {
            let ends = [p, n].map(|v| frame.position(keys[v as usize]));
            // Whatever a solid answers, a fraction is what we go on with.
            let t = solid.crossing(&ends[0], &ends[1]);
            if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 }
        }));
    }

    let mut cutter = Cutter::new(&keys, edges, &cuts);
    if mixed {
        let mut shortest = vec![f64::INFINITY; keys.len()];
        for t in &tets {
            for [i, j] in TET_EDGES {
                let length = cutter.length(t[i], t[j]);
                [t[i], t[j]].iter().for_each(|&v| shortest[v as usize] = shortest[v as usize].min(length));
            }
        }
        cutter.shortest = shortest;
    }
    cutter.warp();
    let at_cut = |e: usize| {
        let [p, n] = cutter.edges[e].map(|v| frame.position(keys[v as usize]));
        p + (n - p) * cuts[e]
    };
    let mut points: Vec<Vec3> = keys.iter().map(|&k| frame.position(k)).collect();
    for (v, warped) in cutter.warped.iter().enumerate() {
        if let Some(e) = warped {
            points[v] = at_cut(*e as usize);
        }
    }
    points.extend((0..cutter.edges.len()).map(at_cut));
    // A tet with all corners on the surface has no sign: it stays if it lies inside and its angles are good. Such
    // tets fill the sharp edges of a body, and the gaps that a thin one would fall apart at.
    let stays = |t: &[u32; 4]| {
        let p = t.map(|v| points[v as usize]);
        let fine = |a: &f64| (LEAST_ANGLE..GREATEST_ANGLE).contains(&a.to_degrees());
        t.iter().all(|&v| cutter.sign(v) == Sign::On)
            && tet_volume(&p) > 0.0
            && dihedral_angles(&p).iter().all(fine)
            && solid.inside(&((p[0] + p[1] + p[2] + p[3]) / 4.0))
    };
    let pieces: Vec<[u32; 4]> =
        tets.par_iter().flat_map_iter(|t| cutter.pieces(t).chain(stays(t).then_some(*t))).collect();
    Ok(compact(&points, pieces))
}

/// Keeps the vertices that are used, in their order.
pub(super) fn compact(points: &[Vec3], mut tets: Vec<[u32; 4]>) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut number = vec![u32::MAX; points.len()];
    tets.iter().flatten().for_each(|&v| number[v as usize] = 0);
    let mut used = Vec::new();
    for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *n = used.len() as u32;
        used.push(points[v]);
    }
    tets.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
    (used, tets)
}

/// What a corner is once warping is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Inside,
    On,
    Outside,
}

struct Cutter<'a> {
    keys: &'a [Key],
    /// Edges that change sides, from inside to outside, ascending.
    edges: Vec<[u32; 2]>,
    cuts: &'a [f64],
    /// The edge onto whose cut point a vertex went.
    warped: Vec<Option<u32>>,
    /// In a lattice of several sizes, the shortest edge at each vertex: none goes farther than a part of it.
    shortest: Vec<f64>,
}

impl<'a> Cutter<'a> {
    fn new(keys: &'a [Key], edges: Vec<[u32; 2]>, cuts: &'a [f64]) -> Self {
        Self { keys, edges, cuts, warped: vec![None; keys.len()], shortest: Vec::new() }
    }

    /// One vertex after the other, in their order: each warp takes cut points away from those that come later.
    fn warp(&mut self) {
        let mut incident: Vec<(u32, u32)> =
            self.edges.iter().zip(0..).flat_map(|(&[p, n], e)| [(p, e), (n, e)]).collect();
        incident.sort_unstable();
        for group in incident.chunk_by(|a, b| a.0 == b.0) {
            let v = group[0].0;
            let mut nearest: Option<(f64, u32)> = None;
            for &(_, e) in group {
                let [p, n] = self.edges[e as usize];
                let (other, t) =
                    if v == p { (n, self.cuts[e as usize]) } else { (p, 1.0 - self.cuts[e as usize]) };
                let (alpha, mut length) =
                    if self.is_long(v, other) { (ALPHA_LONG, 1.0) } else { (ALPHA_SHORT, 0.75f64.sqrt()) };
                let mut gone = self.warped[other as usize].is_some();
                if let Some(shortest) = self.shortest.get(v as usize) {
                    length = self.length(v, other);
                    gone |= t * length >= ALPHA_SHORT * shortest;
                }
                if !gone && t < alpha && nearest.is_none_or(|(best, _)| t * length < best) {
                    nearest = Some((t * length, e));
                }
            }
            self.warped[v as usize] = nearest.map(|(_, e)| e);
        }
    }

    fn sign(&self, v: u32) -> Sign {
        match (self.warped[v as usize], is_inside(self.keys[v as usize])) {
            (Some(_), _) => Sign::On,
            (None, true) => Sign::Inside,
            (None, false) => Sign::Outside,
        }
    }

    /// In lattice units.
    fn length(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (unpack(self.keys[a as usize]), unpack(self.keys[b as usize]));
        (0..3).map(|c| f64::from(a[c].abs_diff(b[c])).powi(2)).sum::<f64>().sqrt()
    }

    /// Along an axis; a short edge runs along a diagonal.
    fn is_long(&self, a: u32, b: u32) -> bool {
        let (a, b) = (unpack(self.keys[a as usize]), unpack(self.keys[b as usize]));
        (0..3).any(|c| a[c] == b[c])
    }

    /// The vertex in which the surface cuts the edge from inside vertex `p` to outside vertex `n`.
    fn cut(&self, p: u32, n: u32) -> u32 {
        let e = self.edges.binary_search(&[p, n]).expect("an edge that changes sides has a cut point");
        (self.keys.len() + e) as u32
    }

    /// The order of cut points, in which the lower one takes the diagonal of a quadrilateral: those of long edges, of
    /// short ones by parity, and where lattices of two sizes meet by their number.
    fn rank(&self, p: u32, n: u32) -> (u32, u32) {
        let class = if self.is_long(p, n) {
            0
        } else {
            let (p, n) = (unpack(self.keys[p as usize]), unpack(self.keys[n as usize]));
            1 + (0..3).filter(|&c| n[c] > p[c]).count() as u32 % 2
        };
        (class, self.cut(p, n))
    }

    /// Whether the quadrilateral a, b, (b,n), (a,n) is cut from the cut point of a (else from that of b).
    fn diagonal_from_first(&self, a: u32, b: u32, n: u32) -> bool {
        self.rank(a, n) < self.rank(b, n)
    }

    /// The tets that one lattice tet becomes.
    fn pieces(&self, tet: &[u32; 4]) -> Pieces {
        let mut t = *tet;
        let mut odd = sort_by_sign(&mut t, |v| self.sign(v));
        let count = |sign| t.iter().filter(|&&v| self.sign(v) == sign).count();
        let mut pieces = Pieces::default();
        match (count(Sign::Inside), count(Sign::Outside)) {
            (0, _) => {}
            (_, 0) => pieces.push(t),
            (1, _) => {
                let p = t[0];
                pieces.push(t.map(|v| if self.sign(v) == Sign::Outside { self.cut(p, v) } else { v }));
            }
            (2, 1) => {
                let [mut a, mut b, z, n] = t;
                if self.diagonal_from_first(a, b, n) {
                    (a, b, odd) = (b, a, !odd);
                }
                // The diagonal runs from a to the cut point of b.
                let [ca, cb] = [a, b].map(|p| self.cut(p, n));
                pieces.push([a, b, z, cb]);
                pieces.push([a, cb, z, ca]);
            }
            (2, 2) => {
                let [mut a, mut b, mut m, mut n] = t;
                let [at_m, at_n] = [m, n].map(|n| self.diagonal_from_first(a, b, n));
                if at_m == at_n && !at_m {
                    (a, b, odd) = (b, a, !odd);
                } else if !at_m {
                    (m, n, odd) = (n, m, !odd);
                }
                // Diagonals from b to the cut a-m, from a to the cut b-n, and between these two cuts.
                let [am, an, bm, bn] = [[a, m], [a, n], [b, m], [b, n]].map(|[p, n]| self.cut(p, n));
                if at_m == at_n {
                    // Where two sizes meet, both may start in b: a tet and a pyramid.
                    pieces.push([a, b, am, an]);
                    pieces.push([b, bn, am, an]);
                } else {
                    pieces.push([a, b, am, bn]);
                    pieces.push([a, bn, am, an]);
                }
                pieces.push([am, b, bm, bn]);
            }
            _ => {
                let [mut a, mut b, mut c, n] = t;
                // Even turns until a is the corner with the first cut point: that of the long edge to n.
                let rank = |p: u32| self.rank(p, n);
                while rank(a) > rank(b) || rank(a) > rank(c) {
                    (a, b, c) = (b, c, a);
                }
                if !self.diagonal_from_first(b, c, n) {
                    (b, c, odd) = (c, b, !odd);
                }
                let [ca, cb, cc] = [a, b, c].map(|p| self.cut(p, n));
                pieces.push([a, b, c, ca]);
                pieces.push([ca, b, c, cb]);
                pieces.push([ca, cb, c, cc]);
            }
        }
        if odd {
            pieces.turn();
        }
        pieces
    }
}

/// Up to three tets.
#[derive(Clone, Copy, Default)]
struct Pieces {
    tets: [[u32; 4]; 3],
    next: usize,
    count: usize,
}

impl Pieces {
    fn push(&mut self, tet: [u32; 4]) {
        self.tets[self.count] = tet;
        self.count += 1;
    }

    fn turn(&mut self) {
        self.tets.iter_mut().for_each(|t| t.swap(2, 3));
    }
}

impl Iterator for Pieces {
    type Item = [u32; 4];

    fn next(&mut self) -> Option<[u32; 4]> {
        let tet = (self.next < self.count).then(|| self.tets[self.next]);
        self.next += 1;
        tet
    }
}

/// Inside first, outside last, otherwise in the order given; whether an odd number of swaps was needed.
fn sort_by_sign(tet: &mut [u32; 4], sign: impl Fn(u32) -> Sign) -> bool {
    let mut odd = false;
    for end in (1..4).rev() {
        for i in 0..end {
            if sign(tet[i]) > sign(tet[i + 1]) {
                tet.swap(i, i + 1);
                odd = !odd;
            }
        }
    }
    odd
}

#[cfg(test)]
mod tests {
    use super::super::octree::pack;
    use super::*;

    /// The 14 lattice edges that leave a point.
    fn directions() -> Vec<[i64; 3]> {
        let mut all = Vec::new();
        for c in 0..3 {
            for s in [-2, 2] {
                let mut d = [0; 3];
                d[c] = s;
                all.push(d);
            }
        }
        all.extend((0..8).map(|i| [0, 1, 2].map(|c| if i >> c & 1 == 1 { 1 } else { -1 })));
        all
    }

    /// Whether the warps can have happened: a point moves towards one on the other side that is not warped yet.
    fn possible(signs: &[Sign; 4], towards: &[Option<usize>; 4]) -> bool {
        let mutual = (0..4).any(|i| towards[i].is_some_and(|j| towards[j] == Some(i)));
        let fits = |inside: u32| {
            (0..4).all(|i| {
                let was = |i: usize| match signs[i] {
                    Sign::On => inside >> i & 1 == 1,
                    sign => sign == Sign::Inside,
                };
                towards[i].is_none_or(|j| was(i) != was(j))
            })
        };
        !mutual && (0..16).any(fits)
    }

    /// All stencils, with all warps and cuts at the ends of their ranges: the smallest and largest dihedral angle.
    fn extremes(long: f64, short: f64) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        let corners: [[i64; 3]; 4] = [[4, 4, 4], [6, 4, 4], [5, 5, 5], [5, 3, 5]];
        let corners = if determinant(&corners) > 0 {
            corners
        } else {
            [corners[1], corners[0], corners[2], corners[3]]
        };
        let moves = directions();
        for pattern in 0..81usize {
            let signs: [Sign; 4] = std::array::from_fn(|i| {
                [Sign::Inside, Sign::On, Sign::Outside][pattern / 3usize.pow(i as u32) % 3]
            });
            if !signs.contains(&Sign::Inside) {
                continue;
            }
            let on: Vec<usize> = (0..4).filter(|&i| signs[i] == Sign::On).collect();
            let mut edges: Vec<[u32; 2]> = Vec::new();
            for p in 0..4 {
                for n in 0..4 {
                    if signs[p] == Sign::Inside && signs[n] == Sign::Outside {
                        edges.push([p as u32, n as u32]);
                    }
                }
            }
            let keys: Vec<Key> =
                (0..4).map(|i| pack(corners[i].map(|x| x as u32), signs[i] == Sign::Inside)).collect();
            let unused = vec![0.5; edges.len()];
            let mut cutter = Cutter::new(&keys, edges.clone(), &unused);
            on.iter().for_each(|&i| cutter.warped[i] = Some(0));
            let pieces: Vec<[u32; 4]> = cutter.pieces(&[0, 1, 2, 3]).collect();
            for warp in 0..15usize.pow(on.len() as u32) {
                let mut points: Vec<Vec3> = corners.iter().map(|c| Vec3::from(c.map(|x| x as f64))).collect();
                let mut towards = [None; 4];
                for (k, &i) in on.iter().enumerate() {
                    let m = warp / 15usize.pow(k as u32) % 15;
                    if m < 14 {
                        let end: [i64; 3] = std::array::from_fn(|c| corners[i][c] + moves[m][c]);
                        towards[i] = corners.iter().position(|c| *c == end);
                        let alpha = if m < 6 { long } else { short };
                        points[i] += Vec3::from(moves[m].map(|x| x as f64)) * alpha;
                    }
                }
                if !possible(&signs, &towards) {
                    continue;
                }
                for ends in 0..1 << edges.len() {
                    let mut points = points.clone();
                    for (e, &[p, n]) in edges.iter().enumerate() {
                        let alpha = if cutter.is_long(p, n) { long } else { short };
                        let t = if ends >> e & 1 == 1 { alpha } else { 1.0 - alpha };
                        points.push(points[p as usize] * (1.0 - t) + points[n as usize] * t);
                    }
                    for tet in &pieces {
                        let p = tet.map(|v| points[v as usize]);
                        assert!(
                            tet_volume(&p) > 0.0,
                            "{signs:?}, warp {warp}, cuts {ends}: {tet:?} is inverted"
                        );
                        for angle in dihedral_angles(&p).map(f64::to_degrees) {
                            (low, high) = (low.min(angle), high.max(angle));
                        }
                    }
                }
            }
        }
        (low, high)
    }

    fn determinant(p: &[[i64; 3]; 4]) -> i64 {
        let e: [[i64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|c| p[i + 1][c] - p[0][c]));
        e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0])
            + e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])
    }

    #[test]
    fn no_stencil_has_an_angle_below_10_77_or_above_164_71_degrees() {
        let (low, high) = extremes(ALPHA_LONG, ALPHA_SHORT);
        assert!(low > 10.77 && high < 164.71, "{low} to {high} degrees");
    }

    #[test]
    fn a_wider_warp_of_short_edges_trades_the_smallest_angle_for_the_largest() {
        let (low, high) = extremes(0.249_99, 0.411_89);
        assert!((low - 9.3171).abs() < 1e-3 && (high - 161.6432).abs() < 1e-3, "{low} to {high} degrees");
    }
}
