//! Whether a solid has the pieces and the handles of its surface, and whether nothing of it was lost.
//!
//! Of a closed surface without overlaps both are known: its parts, and g = c − χ/2 handles of c closed surfaces with Euler
//! characteristic χ. The same is counted on the boundary of the solid. Parts of a surface may be united by the lattice, so
//! fewer pieces than parts are no fault, and handles are then not compared. A place of the surface is lost when it lies
//! outside the solid and more than two cells away from it: a limb of which nothing was filled changes no count. A part of which nothing
//! is in the solid or within a cell of it is lost, however near to another part that may be.

use std::collections::BTreeMap;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::shell::Shell;
use super::thick::{self, Chord};
use super::tidy::Filled;
use crate::Faces;
use crate::bvh::{Aabb, Bvh};
use crate::measure::{metres, tet_volume};
use crate::topology::{Edges, UnionFind, boundary_faces, euler_characteristic, genus, pinched_vertices};

/// A place of the surface farther from the solid is lost, in cells; vertices of the solid are half a cell apart.
const LOST: f64 = 2.5;

/// A part of the surface all of whose places are farther is lost, in cells.
const LOST_WHOLLY: f64 = 1.0;

/// What a solid has of what its surface has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wholeness {
    /// Pieces of the surface: the solid should not have more.
    pub pieces_wanted: usize,
    /// Pieces of the solid.
    pub pieces: usize,
    /// Handles of the surface; `None` where they cannot be had: it is open or not a manifold, it overlaps itself, or parts
    /// of it were united.
    pub handles_wanted: Option<usize>,
    /// Handles of the solid.
    pub handles: usize,
    /// Places of the surface, about one for each cell, that lie outside the solid and more than two cells from it.
    pub lost: usize,
    /// The edge to which cells were halved where something was thinner than they are, metres.
    pub refined: Option<f64>,
    /// What thin parts were thickened to, metres.
    pub thickened: Option<f64>,
    /// What narrow gaps were widened to, metres.
    pub widened: Option<f64>,
    /// Where solid and surface differ, or did before thin parts were thickened.
    pub place: Option<Vec3>,
}

impl Wholeness {
    /// Whether it has all pieces and handles, and nothing is lost.
    pub fn is_whole(&self) -> bool {
        self.faults() == [0; 3]
    }

    /// Too many pieces, handles that differ, places that are lost.
    pub(super) fn faults(&self) -> [usize; 3] {
        let handles = self.handles_wanted.map_or(0, |wanted| wanted.abs_diff(self.handles));
        [self.pieces.saturating_sub(self.pieces_wanted), handles, self.lost]
    }

    /// What still differs and where, with what helps; nothing of a solid that is whole.
    pub fn sentence(&self) -> Option<String> {
        let [pieces, handles, lost] = self.faults();
        let mut faults = Vec::new();
        if pieces > 0 {
            faults.push(format!(
                "fell into {} pieces where the surface has {}",
                self.pieces, self.pieces_wanted
            ));
        }
        if handles > 0 {
            let wanted = self.handles_wanted.unwrap_or_default();
            let noun = if self.handles == 1 { "handle" } else { "handles" };
            faults.push(format!("has {} {noun} where the surface has {wanted}", self.handles));
        }
        if lost > 0 {
            faults.push("lacks parts of the surface".to_owned());
        }
        let last = faults.pop()?;
        let list = if faults.is_empty() { last } else { format!("{} and {last}", faults.join(", ")) };
        let at = self.near();
        let next = "it is thinner than the cells there, or a gap is; smaller cells, or a cage of tets, keep it together";
        Some(format!("the solid {list}{at}: {next}"))
    }

    /// Where solid and surface differ or did, " near (…) m" in a sentence; nothing where no place is known.
    pub fn near(&self) -> String {
        self.place.map(|p| format!(" near {}", place(&p))).unwrap_or_default()
    }

    /// What was done so that it is whole.
    pub fn remedy(&self) -> Option<String> {
        let at = self.near();
        let thick = self
            .thickened
            .map(|d| format!("parts thinner than the cells were thickened to {}{at}", metres(d)));
        let wide =
            self.widened.map(|d| format!("gaps narrower than the cells were widened to {}{at}", metres(d)));
        let small = self
            .refined
            .map(|d| format!("cells were halved down to {} where parts are thinner{at}", metres(d)));
        let done: Vec<String> = small.into_iter().chain(thick).chain(wide).collect();
        (!done.is_empty())
            .then(|| format!("{}, so that the solid keeps its pieces and handles", done.join(" and ")))
    }

    /// Of several bodies together.
    pub(super) fn and(&self, other: &Self) -> Self {
        let (mine, theirs) = (self.faults() != [0; 3], other.faults() != [0; 3]);
        let place = if theirs && !mine { other.place.or(self.place) } else { self.place.or(other.place) };
        let larger = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        Self {
            pieces_wanted: self.pieces_wanted + other.pieces_wanted,
            pieces: self.pieces + other.pieces,
            handles_wanted: self.handles_wanted.zip(other.handles_wanted).map(|(a, b)| a + b),
            handles: self.handles + other.handles,
            lost: self.lost + other.lost,
            refined: larger(self.refined, other.refined),
            thickened: larger(self.thickened, other.thickened),
            widened: larger(self.widened, other.widened),
            place,
        }
    }
}

fn place(p: &Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)
}

/// What a surface has.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Parts that are no cavities.
    pub(super) pieces: usize,
    /// Handles, of a closed manifold.
    pub(super) handles: Option<usize>,
    /// Triangles that may not be lost: of closed parts that are no crumbs.
    pub(super) needed: Vec<bool>,
    /// The part of the surface that each triangle belongs to.
    pub(super) part_of: Vec<u32>,
}

/// Handles of closed triangles; `None` where they are no manifold.
pub(super) fn handles_of(triangles: &[[u32; 3]], vertices: usize) -> Option<usize> {
    let faces = Faces::from_triangles(triangles);
    let edges = Edges::new(&faces);
    let pairs = (0..edges.len()).all(|e| matches!(edges.uses(e), [a, b] if a.forward != b.forward));
    if !pairs || !pinched_vertices(&faces, &edges, vertices).is_empty() {
        return None;
    }
    let mut union = UnionFind::new(triangles.len());
    (0..edges.len()).for_each(|e| union.join(edges.uses(e)[0].face, edges.uses(e)[1].face));
    let (_, surfaces) = union.numbers();
    genus(euler_characteristic(&faces, &edges), surfaces, 0).map(|g| g as usize)
}

/// Holds a solid with cells of this edge against its surface; `overlaps` says that the surface overlaps itself.
pub(super) fn judge(shell: &Shell, wanted: &Wanted, overlaps: bool, filled: &Filled, edge: f64) -> Wholeness {
    let handles = handles_of(&boundary_faces(&filled.tets), filled.points.len());
    let comparable = !overlaps && filled.components == wanted.pieces;
    let lost = lost(shell, wanted, filled, edge);
    Wholeness {
        pieces_wanted: wanted.pieces,
        pieces: filled.components,
        handles_wanted: handles.and(wanted.handles).filter(|_| comparable),
        handles: handles.unwrap_or_default(),
        lost: lost.len(),
        place: lost.first().copied(),
        ..Wholeness::default()
    }
}

/// Places of the surface outside the solid and far from it, the farthest first.
fn lost(shell: &Shell, wanted: &Wanted, filled: &Filled, edge: f64) -> Vec<Vec3> {
    let points = Bvh::new(filled.points.iter().map(|p| Aabb { low: *p, high: *p }).collect());
    let triangles = shell.winding().corners();
    // Part, distance², place.
    let places: Vec<(u32, f64, Vec3)> = triangles
        .par_iter()
        .zip(&wanted.needed)
        .zip(&wanted.part_of)
        .filter(|((_, needed), _)| **needed)
        .flat_map_iter(|((t, _), part)| thick::small(t, edge).into_iter().map(move |t| (*part, t)))
        .map(|(part, t)| {
            let p = (t[0] + t[1] + t[2]) / 3.0;
            let nearest = points.nearest(&p, |i| (filled.points[i as usize] - p).norm_squared());
            (part, nearest.map_or(f64::INFINITY, |n| n.1), p)
        })
        .collect();
    let mut nearest_of = BTreeMap::new();
    for (part, square, _) in &places {
        let least = nearest_of.entry(*part).or_insert(f64::INFINITY);
        *least = square.min(*least);
    }
    let limit = |part: &u32| {
        let wholly = nearest_of[part] > (LOST_WHOLLY * edge).powi(2);
        (if wholly { LOST_WHOLLY } else { LOST } * edge).powi(2)
    };
    let mut far: Vec<(f64, Vec3)> = places
        .iter()
        .filter(|(part, square, _)| *square > limit(part))
        .map(|(_, square, p)| (*square, *p))
        .collect();
    if !far.is_empty() {
        // Deep inside, vertices are far apart.
        let cover = Cover::new(filled);
        far.retain(|(_, p)| !cover.holds(p));
    }
    far.sort_by(|a, b| b.0.total_cmp(&a.0));
    far.into_iter().map(|f| f.1).collect()
}

/// The tets of a solid, to be asked for points.
pub(super) struct Cover<'a> {
    filled: &'a Filled,
    tree: Bvh,
}

impl<'a> Cover<'a> {
    pub(super) fn new(filled: &'a Filled) -> Self {
        Self { filled, tree: Bvh::of_tets(&filled.points, &filled.tets) }
    }

    /// Whether `p` lies in a tet.
    pub(super) fn holds(&self, p: &Vec3) -> bool {
        let mut held = false;
        let within = |t: u32| {
            let tet = self.filled.tets[t as usize].map(|v| self.filled.points[v as usize]);
            let volume = tet_volume(&tet);
            (0..4).all(|i| {
                let mut moved = tet;
                moved[i] = *p;
                tet_volume(&moved) >= -1e-9 * volume
            })
        };
        self.tree.visit(|b| b.distance_squared(p) == 0.0, |t| held = held || within(t));
        held
    }

    /// The middles of chords that are on the wrong side: through matter and outside the solid, or through air and inside.
    pub(super) fn broken(&self, chords: &[Chord], through_air: bool) -> Vec<Vec3> {
        chords.par_iter().map(|c| c.middle).filter(|p| self.holds(p) == through_air).collect()
    }
}

/// Whether a chord begins near one of these places.
pub(super) fn near(places: &[Vec3], reach: f64) -> impl Fn(&Chord) -> bool {
    let tree = Bvh::new(places.iter().map(|p| Aabb { low: *p, high: *p }).collect());
    let places = places.to_vec();
    move |chord| {
        let nearest = tree.nearest(&chord.middle, |i| (places[i as usize] - chord.middle).norm_squared());
        nearest.is_some_and(|n| n.1 < reach * reach)
    }
}
