//! Parts thinner than the cells, made as thick as a cell; gaps narrower than the cells, made as wide.
//!
//! A *chord* goes from a place of the surface along its normal to the opposite side: through matter (its length is the
//! thickness there) or through air (the width of a gap). Where a chord is shorter than 2r, points nearer to the surface than
//! r − half its length are given to the solid, or taken from it, so that what is left has the thickness 2r.
//!
//! How large r must be: the covering radius of the body-centred lattice with cells of edge h is √5/4 h = 0.559 h, and
//! lattice points within that distance of a connected curve hang together by lattice edges. A point deeper than 0.345 h is
//! never moved onto the surface. So r = 0.904 h always gives one piece, and less mostly does: it is tried first.

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::Solid;
use super::shell::Shell;
use crate::bvh::{Aabb, Bvh};
use crate::embed::triangle_distance_squared;
use crate::measure::area_vector;

/// A way through matter or air, from the middle of a small triangle of the surface.
pub(super) struct Chord {
    /// The triangle it begins at.
    pub(super) corners: [Vec3; 3],
    /// Its middle.
    pub(super) middle: Vec3,
    /// Metres.
    pub(super) length: f64,
}

/// All chords shorter than a limit.
pub(super) struct Chords {
    /// Through matter.
    pub(super) thin: Vec<Chord>,
    /// Through air.
    pub(super) narrow: Vec<Chord>,
}

/// Chords shorter than `limit` (metres), one for every small triangle.
pub(super) fn chords(shell: &Shell, limit: f64) -> Chords {
    let both: Vec<[Option<Chord>; 2]> = shell
        .winding()
        .corners()
        .par_iter()
        .flat_map_iter(|t| small(t, limit / 3.0))
        .map(|corners| [-1.0, 1.0].map(|side| chord(shell, corners, limit, side)))
        .collect();
    let (thin, narrow): (Vec<_>, Vec<_>) = both.into_iter().map(|[a, b]| (a, b)).unzip();
    Chords { thin: thin.into_iter().flatten().collect(), narrow: narrow.into_iter().flatten().collect() }
}

fn chord(shell: &Shell, corners: [Vec3; 3], limit: f64, side: f64) -> Option<Chord> {
    let normal = area_vector(&corners).try_normalize(0.0)? * side;
    let from = (corners[0] + corners[1] + corners[2]) / 3.0;
    // Off the surface, so that the triangle itself is not met.
    let (start, end) = (from + normal * (1e-6 * limit), from + normal * limit);
    let length = shell.first_passage(&start, &end)? * limit;
    // Inside a union of parts a face has matter on both sides.
    (shell.inside(&start) == (side < 0.0)).then(|| Chord {
        corners,
        middle: from + normal * (length / 2.0),
        length,
    })
}

/// Halves of halves along the longest side, until no side is longer than `longest`.
pub(super) fn small(triangle: &[Vec3; 3], longest: f64) -> Vec<[Vec3; 3]> {
    let (mut all, mut open) = (Vec::new(), vec![*triangle]);
    while let Some(t) = open.pop() {
        let side = |i: usize| (t[(i + 1) % 3] - t[i]).norm();
        let i = (0..3).fold(0, |best, i| if side(i) > side(best) { i } else { best });
        // A triangle of a thousand cells has millions of parts, which tell no more.
        if side(i) <= longest || all.len() + open.len() >= MOST_PARTS {
            all.push(t);
            continue;
        }
        let (a, b, c) = (t[i], t[(i + 1) % 3], t[(i + 2) % 3]);
        let middle = (a + b) / 2.0;
        open.extend([[middle, b, c], [a, middle, c]]);
    }
    all
}

/// Parts of a triangle at most.
const MOST_PARTS: usize = 1 << 16;

/// Places near the surface, each a triangle with a distance from it.
pub(super) struct Zone {
    places: Vec<([Vec3; 3], f64)>,
    tree: Bvh,
}

impl Zone {
    /// Around the chords shorter than 2 `radius` that are wanted.
    pub(super) fn new(chords: &[Chord], radius: f64, wanted: impl Fn(&Chord) -> bool) -> Self {
        let thin = chords.iter().filter(|c| c.length < 2.0 * radius && wanted(c));
        let places: Vec<_> = thin.map(|c| (c.corners, radius - c.length / 2.0)).collect();
        let tree = Bvh::new(places.iter().map(|(t, d)| Aabb::around(t).grown(*d)).collect());
        Self { places, tree }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn holds(&self, p: &Vec3) -> bool {
        let mut found = false;
        self.tree.visit(
            |b| b.distance_squared(p) == 0.0,
            |i| {
                let (triangle, distance) = &self.places[i as usize];
                found = found || triangle_distance_squared(triangle, p) < distance * distance;
            },
        );
        found
    }

    fn may_touch(&self, wanted: impl Fn(&Aabb) -> bool) -> bool {
        let mut found = false;
        self.tree.visit(wanted, |_| found = true);
        found
    }
}

/// The inside of a surface, with thin parts thickened and narrow gaps widened.
pub(super) struct Thick<'a> {
    pub(super) shell: &'a Shell,
    /// Given to the solid.
    pub(super) given: Zone,
    /// Taken from it, where nothing is given.
    pub(super) taken: Zone,
}

impl Solid for Thick<'_> {
    /// Of the surface, so that the lattice stays where it is; what is given has room in the air around it.
    fn bounds(&self) -> Aabb {
        self.shell.bounds()
    }

    fn inside(&self, p: &Vec3) -> bool {
        self.shell.inside(p) && !self.taken.holds(p) || self.given.holds(p)
    }

    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        let near = |zone: &Zone| zone.may_touch(|b| b.meets_segment(inner, outer));
        if !near(&self.given) && !near(&self.taken) {
            return self.shell.crossing(inner, outer);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..16 {
            let t = (low + high) / 2.0;
            if self.inside(&(inner + (outer - inner) * t)) { low = t } else { high = t }
        }
        (low + high) / 2.0
    }

    fn side(&self, cube: &Aabb) -> Option<bool> {
        let near = |zone: &Zone| zone.may_touch(|b| b.overlaps(cube));
        self.shell.side(cube).filter(|&inside| if inside { !near(&self.taken) } else { !near(&self.given) })
    }
}
