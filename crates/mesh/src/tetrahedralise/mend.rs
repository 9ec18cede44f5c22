//! What is done for a solid that has not the pieces and handles of its surface: smaller cells where something is missing, then
//! thin parts thickened and narrow gaps widened.
//!
//! Near the places where something is missing first, and only as much as it takes; everywhere that it is thin if that is not
//! enough. The lattice stays where it is, so the rest of the solid does not change. Of all tries the one with the fewest
//! faults is kept, the plain one among them. Where a number of tets is asked for, cells are not halved: it would be missed.

use pliant_linalg::{Progress, Vec3, Watch};

use super::fill_graded;
use super::octree::Finer;
use super::parts::{Body, ISLAND, Job};
use super::stuffing::compact;
use super::thick::{self, Chord, Thick, Zone};
use super::tidy::Filled;
use super::whole::{self, Cover, Wholeness};
use crate::bvh::{Aabb, Bvh};
use crate::measure::{area_vector, dihedral_angles, tet_volume};
use crate::{MeshError, Result};

/// One thing that can be done.
struct Remedy {
    /// How often cells are halved.
    halvings: u32,
    /// Half of what is thickened to, in cells after that.
    radius: f64,
    /// Wherever it is thin, not only where something is missing.
    everywhere: bool,
}

const fn remedy(halvings: u32, radius: f64, everywhere: bool) -> Remedy {
    Remedy { halvings, radius, everywhere }
}

/// In the order in which they are tried.
const REMEDIES: [Remedy; 9] = [
    remedy(1, 0.0, false),
    remedy(2, 0.0, false),
    remedy(2, 0.6, false),
    remedy(2, 0.9, false),
    remedy(0, 0.6, false),
    remedy(0, 0.75, false),
    remedy(0, 0.9, false),
    remedy(0, 0.9, true),
    remedy(0, 1.1, true),
];

/// The largest radius of these.
const THICKEST: f64 = 1.1;

/// How far from a place where something is missing something is done, in cells.
const REACH: f64 = 2.5;

/// A surface of which a smaller share of the area has an inside is left as it is.
const MOSTLY_CLOSED: f64 = 0.9;

/// Angles of tets between cells of two sizes, degrees: those that the doctor calls sound.
const LEAST_ANGLE: f64 = 5.0;
const GREATEST_ANGLE: f64 = 172.0;

/// With smaller cells a solid may have so many times the tets of the plain one, and so many more.
const MOST_TIMES: usize = 3;
const MOST_MORE: usize = 20_000;

impl Job {
    /// Holds a solid against its surfaces.
    pub(super) fn judge(&self, filled: &Filled, overlaps: bool, edge: f64) -> Wholeness {
        let judge = |body: &Body, own: &Filled| whole::judge(&body.shell, &body.wanted, overlaps, own, edge);
        if let [only] = &self.bodies[..] {
            return judge(only, filled);
        }
        (0..self.bodies.len())
            .map(|b| {
                let own =
                    if filled.empty.contains(&b) { Filled::default() } else { of_body(filled, b as u32) };
                judge(&self.bodies[b], &own)
            })
            .reduce(|a, b| a.and(&b))
            .unwrap_or_default()
    }

    /// The solid at this edge, whole if that can be.
    pub(super) fn mended(
        &self,
        overlaps: bool,
        edge: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Filled, Wholeness)> {
        let mut all = Filled::default();
        let mut whole: Option<Wholeness> = None;
        for (b, body) in self.bodies.iter().enumerate() {
            match self.mended_body(body, overlaps, edge, watch) {
                Ok((filled, found)) => {
                    all.append(filled, b as u32);
                    whole = Some(whole.map_or(found, |w| w.and(&found)));
                }
                Err(MeshError::NothingInside) => {
                    all.empty.push(b);
                    let found = whole::judge(&body.shell, &body.wanted, overlaps, &Filled::default(), edge);
                    whole = Some(whole.map_or(found, |w| w.and(&found)));
                }
                Err(error) => return Err(error),
            }
        }
        let whole = whole.filter(|_| !all.tets.is_empty());
        whole.map(|whole| (all, whole)).ok_or(MeshError::NothingInside)
    }

    fn mended_body(
        &self,
        body: &Body,
        overlaps: bool,
        edge: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Filled, Wholeness)> {
        let judge = |filled: &Filled| whole::judge(&body.shell, &body.wanted, overlaps, filled, edge);
        let plain = match self.fill_body(body, edge, &Vec3::zeros(), watch) {
            // One of several that is thinner than the cells; thickened it may be there.
            Err(MeshError::NothingInside) if self.bodies.len() > 1 && body.wanted.needed.contains(&true) => {
                Filled::default()
            }
            other => other?,
        };
        let found = judge(&plain);
        // Of a surface that is open all over nobody knows how thick it is.
        let mendable = body.wanted.needed.contains(&true) || body.shell.enclosing_share() > MOSTLY_CLOSED;
        if self.cage || found.is_whole() {
            return Ok((plain, found));
        }
        if !mendable {
            let place = found.place.or_else(|| smallest_piece(&plain));
            return Ok((plain, Wholeness { place, ..found }));
        }
        Progress::stage("looking for thin parts").tell(watch)?;
        let chords = thick::chords(&body.shell, 2.0 * THICKEST * edge);
        let cover = Cover::new(&plain);
        let gaps = cover.broken(&chords.thin, false);
        let merged = found.handles_wanted.is_some_and(|wanted| wanted < found.handles);
        let bridges = if merged { cover.broken(&chords.narrow, true) } else { Vec::new() };
        let place = found.place.or(gaps.first().copied()).or(bridges.first().copied());
        let place = place.or_else(|| smallest_piece(&plain));
        drop(cover);
        let most = MOST_TIMES * plain.tets.len() + MOST_MORE;
        let near_gap = whole::near(&gaps, REACH * edge);
        let near_bridge = whole::near(&bridges, REACH * edge);
        let broken: Vec<&Chord> = chords
            .thin
            .iter()
            .filter(|c| near_gap(c))
            .chain(chords.narrow.iter().filter(|c| merged && near_bridge(c)))
            .collect();
        let small = Places::new(&broken, edge);
        let mut best = (plain, Wholeness { place, ..found });
        for Remedy { halvings, radius, everywhere } in REMEDIES {
            let cell = edge / f64::from(1 << halvings);
            if halvings > 0 && (!self.halves || small.tets(cell) > most as f64) {
                continue;
            }
            let solid = Thick {
                shell: &body.shell,
                given: Zone::new(&chords.thin, radius * cell, |c| everywhere || near_gap(c)),
                taken: Zone::new(&chords.narrow, radius * cell, |c| merged && (everywhere || near_bridge(c))),
            };
            if halvings == 0 && solid.given.is_empty() && solid.taken.is_empty() {
                continue;
            }
            let finer = Finer { halvings, wanted: &|cube: &Aabb| small.touch(cube) };
            let filled = match fill_graded(&solid, edge, &Vec3::zeros(), self.grading, &finer, watch) {
                Ok((points, tets)) => Filled::new(points, tets, ISLAND),
                Err(MeshError::NothingInside | MeshError::TooFine { .. } | MeshError::Inconsistent(_)) => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if halvings > 0 && (filled.tets.len() > most || !is_sound(&filled)) {
                continue;
            }
            let found = judge(&filled);
            if found.faults() < best.1.faults() {
                let size = |zone: &Zone| (!zone.is_empty()).then_some(2.0 * radius * cell);
                let done = Wholeness {
                    refined: (halvings > 0).then_some(cell),
                    thickened: size(&solid.given),
                    widened: size(&solid.taken),
                    ..found
                };
                best = (filled, Wholeness { place: found.place.or(place), ..done });
            }
            if found.is_whole() {
                break;
            }
        }
        if best.0.tets.is_empty() { Err(MeshError::NothingInside) } else { Ok(best) }
    }
}

/// Where cells are halved: around chords.
struct Places {
    tree: Bvh,
    area: f64,
}

impl Places {
    fn new(chords: &[&Chord], edge: f64) -> Self {
        let around = |c: &&Chord| Aabb::around(c.corners.iter().chain([&c.middle])).grown(edge / 4.0);
        let area = chords.iter().map(|c| area_vector(&c.corners).norm()).sum();
        Self { tree: Bvh::new(chords.iter().map(around).collect()), area }
    }

    fn touch(&self, cube: &Aabb) -> bool {
        let mut found = false;
        self.tree.visit(|b| b.overlaps(cube), |_| found = true);
        found
    }

    /// About so many tets come from cells of this edge.
    fn tets(&self, cell: f64) -> f64 {
        2.5 * self.area / (cell * cell)
    }
}

/// Whether all tets are positive and have good angles.
fn is_sound(filled: &Filled) -> bool {
    filled.tets.iter().all(|t| {
        let p = t.map(|v| filled.points[v as usize]);
        let fine = |a: &f64| (LEAST_ANGLE..GREATEST_ANGLE).contains(&a.to_degrees());
        tet_volume(&p) > 0.0 && dihedral_angles(&p).iter().all(fine)
    })
}

/// What fills one body.
fn of_body(filled: &Filled, b: u32) -> Filled {
    let mine = || filled.body_of.iter().enumerate().filter(|(_, of)| **of == b).map(|(t, _)| t);
    let (points, tets) = compact(&filled.points, mine().map(|t| filled.tets[t]).collect());
    let mut components: Vec<u32> = mine().map(|t| filled.component_of[t]).collect();
    components.sort_unstable();
    components.dedup();
    Filled { points, tets, components: components.len(), ..Filled::default() }
}

/// The middle of the first tet of the smallest of several pieces.
fn smallest_piece(filled: &Filled) -> Option<Vec3> {
    if filled.components < 2 {
        return None;
    }
    let corners = |t: usize| filled.tets[t].map(|v| filled.points[v as usize]);
    let mut volume = vec![0.0; filled.components];
    for (t, &c) in filled.component_of.iter().enumerate() {
        volume[c as usize] += tet_volume(&corners(t));
    }
    let least = (0..volume.len()).fold(0, |best, i| if volume[i] < volume[best] { i } else { best });
    let first = filled.component_of.iter().position(|&c| c as usize == least)?;
    Some(corners(first).iter().sum::<Vec3>() / 4.0)
}
