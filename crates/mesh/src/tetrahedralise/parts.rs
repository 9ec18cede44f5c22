//! From a surface to a solid: which parts become one body, how fine, and what must be said about it.

use std::fmt::Write as _;

use pliant_linalg::{Progress, Vec3, Watch, quote};
use rayon::prelude::*;

use std::collections::HashSet;

use super::octree::{Octree, Side};
use super::shell::Shell;
use super::sizing::{self, Run};
use super::soup::{RimEdges, Soup};
use super::tidy::Filled;
use super::whole::{self, Wanted, Wholeness};
use super::{Grading, Options, Size, Solid as _, Solidified, cage, encloses_nothing, fill_shifted};
use crate::bvh::{Aabb, Bvh};
use crate::{Attributes, MeshData, MeshError, Region, Result, SurfaceMesh, TetMesh};

/// Islands below this share of the largest piece are dropped.
pub(super) const ISLAND: f64 = 1e-3;

pub(super) fn solidify(
    surface: &SurfaceMesh,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Solidified> {
    Progress::stage("reading the surface").tell(watch)?;
    let soup = Soup::new(surface)?;
    let rim = soup.rim();
    let holes = soup.loops(&rim);
    let mut notes = soup.notes.clone();
    if !options.cage && holes > 0 {
        notes.push(format!(
            "{holes} {} closed ({} boundary edges)",
            if holes == 1 { "hole was" } else { "holes were" },
            rim.len()
        ));
    }
    let job = Job::new(surface, &soup, &rim, options);
    let bounds = job.bounds();
    let longest = (bounds.high - bounds.low).amax();
    // Twice the volume over the area is the thickness of a plate; a ball has a third of its diameter.
    let area = crate::measure::total_area(&soup.vertices, &soup.triangles);
    // Triangles without neighbours enclose nothing one by one, but all together.
    let guess = soup.parts.iter().map(|p| p.volume).sum::<f64>().max(soup.signed_volume());
    let thickness = 3.0 * guess / area;
    if !options.cage && rim.is_empty() && thickness.abs() < 1e-9 * longest {
        return Err(encloses_nothing("its volume is zero"));
    }
    if !options.cage && !rim.is_empty() {
        let share = job.bodies.iter().map(|b| b.shell.enclosing_share()).fold(0.0, f64::max);
        if share < SHEET {
            return Err(encloses_nothing("it is an open sheet"));
        }
    }
    let fixed = match options.size {
        Size::Resolution(0) => return Err(bad_size("a resolution of 0 cells", "at least 1")),
        Size::Elements(0) => return Err(bad_size("0 elements", "at least 1")),
        Size::Elements(n) if n > MOST_ELEMENTS => {
            return Err(bad_size(&format!("{n} elements"), &format!("at most {MOST_ELEMENTS}")));
        }
        Size::Edge(edge) if !(edge.is_finite() && edge > 0.0) => {
            return Err(bad_size(&format!("an edge of {edge} m"), "a finite length > 0"));
        }
        Size::Resolution(cells) => Some(longest / cells as f64),
        Size::Edge(edge) => Some(edge),
        Size::Auto if options.cage => Some(longest / CAGE_CELLS),
        Size::Auto | Size::Elements(_) => None,
    };
    let closed = !options.cage && rim.is_empty();
    let (filled, edge, enclosed) = match (options.size, fixed) {
        (_, Some(edge)) => {
            let filled = job.run(edge, &Vec3::zeros(), watch)?;
            let enclosed = if closed { Some(job.enclosed(&soup, edge, watch)?) } else { None };
            (filled, edge, enclosed)
        }
        (Size::Elements(wanted), None) => {
            if !options.cage {
                check_thin(wanted, area, 2.0 * guess / area)?;
            }
            let (filled, edge) = sizing::by_count(&job, wanted, longest / 12.0, watch)?;
            let enclosed = if closed { Some(job.enclosed(&soup, edge, watch)?) } else { None };
            (filled, edge, enclosed)
        }
        _ => {
            let start = (longest / 12.0).min(if thickness > 0.0 { 0.6 * thickness } else { longest });
            let start = start.max(longest / 200.0);
            let known = if closed { Some(job.enclosed(&soup, start, watch)?) } else { None };
            if known.is_some_and(|v| v.volume <= 0.0) {
                return Err(encloses_nothing("no point has a winding number above one half"));
            }
            let bodies = soup.parts.iter().filter(|p| p.cavity_of.is_none()).count();
            let sized = sizing::by_volume(&job, known.map(|v| v.volume), bodies, start, watch)?;
            let overlaps = known.is_some_and(|v| v.overlaps);
            (sized.filled, sized.edge, Some(Enclosed { volume: sized.volume, overlaps }))
        }
    };
    let overlaps = enclosed.is_some_and(|v| v.overlaps);
    let (filled, edge, whole) = job.whole(options.size, overlaps, filled, edge, watch)?;
    if let Size::Elements(wanted) = options.size
        && (filled.tets.len() as f64 / wanted as f64 - 1.0).abs() > sizing::PROMISED
    {
        let found = filled.tets.len();
        notes.push(format!("{found} tets are the nearest to {wanted} that this shape was seen to give"));
    }
    job.describe(&soup, surface, &filled, edge, &mut notes);
    notes.extend(whole.remedy());
    notes.extend(whole.sentence());
    let volume = enclosed.map(|v| v.volume);
    let volume_error = volume.map(|v| (filled.volume() / v - 1.0).abs());
    if let Some(error) = volume_error.filter(|e| *e > 0.01) {
        notes.push(format!(
            "the volume differs from the surface's by {:.1} %; smaller cells bring it nearer",
            100.0 * error
        ));
    }
    let components = filled.components;
    let mesh = job.mesh(filled)?;
    Ok(Solidified { mesh, notes, edge, surface_volume: volume, volume_error, components, holes, whole })
}

/// Refuses a number of tets whose cells are so much thicker than the body that hardly anything could be inside them.
fn check_thin(wanted: usize, area: f64, thickness: f64) -> Result<()> {
    // About five tets for every two squares of the surface.
    let cell = (2.5 * area / wanted as f64).sqrt();
    if thickness.is_nan() || thickness <= 0.0 || cell <= 4.0 * thickness {
        return Ok(());
    }
    let needed = (2.5 * area / (thickness * thickness)).ceil();
    Err(MeshError::TooThin { thickness, wanted, cell, needed })
}

/// A surface of which a smaller share of the area has an inside is not filled.
const SHEET: f64 = 0.05;

/// Places at which leaves on the surface are asked for the winding number, in all.
const MOST_PLACES: usize = 500_000;

/// Tets that may be asked for.
const MOST_ELEMENTS: usize = 10_000_000;

/// Cells along the longest side of a cage when nothing is said.
const CAGE_CELLS: f64 = 20.0;

fn bad_size(found: &str, expected: &str) -> MeshError {
    MeshError::Inconsistent(format!("{found} cannot be made, expected {expected}"))
}

/// What a closed surface encloses.
#[derive(Clone, Copy)]
struct Enclosed {
    /// Of {w > ½}, m³.
    volume: f64,
    /// Whether w is anything but 0 and 1 somewhere.
    overlaps: bool,
}

/// The bodies to be filled one by one, and how.
pub(super) struct Job {
    pub(super) bodies: Vec<Body>,
    keep_parts: bool,
    pub(super) cage: bool,
    pub(super) grading: Grading,
    /// Whether cells may be halved where something is thinner than they are.
    pub(super) halves: bool,
}

pub(super) struct Body {
    name: String,
    pub(super) shell: Shell,
    pub(super) wanted: Wanted,
}

impl Job {
    fn new(surface: &SurfaceMesh, soup: &Soup, rim: &RimEdges, options: &Options) -> Self {
        let all: Vec<u32> = (0..soup.triangles.len() as u32).collect();
        let groups: Vec<Vec<u32>> = if options.keep_parts {
            let body = |p: u32| soup.parts[p as usize].cavity_of.unwrap_or(p);
            let mut groups = vec![Vec::new(); soup.parts.len()];
            all.iter().for_each(|&t| groups[body(soup.part_of[t as usize]) as usize].push(t));
            groups.into_iter().filter(|g| !g.is_empty()).collect()
        } else {
            vec![all]
        };
        let mut group_of_vertex = vec![0; soup.vertices.len()];
        for (g, group) in groups.iter().enumerate() {
            group
                .iter()
                .flat_map(|&t| soup.triangles[t as usize])
                .for_each(|v| group_of_vertex[v as usize] = g);
        }
        let mut rims = vec![Vec::new(); groups.len()];
        for (ends, m) in rim {
            rims[group_of_vertex[ends[0] as usize]].push((ends.map(|v| soup.vertices[v as usize]), *m));
        }
        let mut names = Names::default();
        let bodies = groups
            .iter()
            .zip(rims)
            .enumerate()
            .map(|(i, (group, rim))| {
                let corners = group.iter().map(|&t| soup.corners(t as usize)).collect();
                let name = names.next(region_of(surface, soup, group), i);
                Body { name, shell: Shell::new(corners, rim), wanted: wanted(soup, group) }
            })
            .collect();
        // It would miss the number of tets that is asked for, and a uniform lattice has one size.
        let halves = !matches!(options.size, Size::Elements(_)) && options.grading == Grading::Coarser;
        Self { bodies, keep_parts: options.keep_parts, cage: options.cage, grading: options.grading, halves }
    }

    fn bounds(&self) -> Aabb {
        self.bodies.iter().fold(Aabb::EMPTY, |b, body| b.union(&body.shell.bounds()))
    }

    pub(super) fn fill_body(
        &self,
        body: &Body,
        edge: f64,
        shift: &Vec3,
        watch: &mut Watch<'_>,
    ) -> Result<Filled> {
        if self.cage {
            let coarser = self.grading == Grading::Coarser;
            // A sheet in a lattice plane would touch the cells on both sides of it.
            let extent = body.shell.bounds().high - body.shell.bounds().low;
            let shift = &shift.zip_map(&extent, |s, e| if e < edge { 0.5 } else { s });
            let (points, tets) = cage::enclose(&body.shell, edge, shift, coarser, watch)?;
            return Ok(Filled::new(points, tets, 0.0));
        }
        let (points, tets) = fill_shifted(&body.shell, edge, shift, self.grading, watch)?;
        Ok(Filled::new(points, tets, ISLAND))
    }

    /// The volume of {w > ½} of a closed surface: ∫w by the divergence theorem, and what the leaves of an octree show
    /// w to differ from 0 and 1 by.
    fn enclosed(&self, soup: &Soup, edge: f64, watch: &mut Watch<'_>) -> Result<Enclosed> {
        let (mut volume, mut overlaps) = (soup.signed_volume(), false);
        for body in &self.bodies {
            let shell = &body.shell;
            let tree = Octree::new(&shell.bounds(), edge, &Vec3::zeros(), |c| shell.side(c), watch)?;
            let leaves = tree.leaves();
            let cut = leaves.iter().filter(|l| l.side == Side::Surface).count();
            let places = ((MOST_PLACES / cut.max(1)) as f64).cbrt().clamp(1.0, 8.0) as usize;
            let excess: Vec<f64> = leaves
                .par_iter()
                .map(|leaf| {
                    let cube = tree.frame.cube(leaf.low, leaf.size);
                    // One place tells all of a leaf that the surface does not touch.
                    let n = if leaf.side == Side::Surface { places } else { 1 };
                    let step = (cube.high - cube.low) / n as f64;
                    let mut sum = 0.0;
                    for k in 0..n * n * n {
                        let at = Vec3::new((k % n) as f64, (k / n % n) as f64, (k / (n * n)) as f64)
                            .add_scalar(0.5);
                        let w = shell.winding().fast(&(cube.low + step.component_mul(&at))).round();
                        let inside = match leaf.side {
                            Side::Surface => w > 0.5,
                            side => side == Side::Inside,
                        };
                        sum += f64::from(inside) - w;
                    }
                    sum * step.x.powi(3)
                })
                .collect();
            volume += excess.iter().sum::<f64>();
            overlaps |= excess.iter().any(|e| *e != 0.0);
        }
        Ok(Enclosed { volume, overlaps })
    }

    /// The solid as it is where it is whole, else mended; with its edge, which changes where a number of tets is asked for.
    fn whole(
        &self,
        size: Size,
        overlaps: bool,
        plain: Filled,
        edge: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Filled, f64, Wholeness)> {
        let found = self.judge(&plain, overlaps, edge);
        if self.cage {
            // It closes holes narrower than its cells, and loses nothing.
            return Ok((plain, edge, Wholeness { handles_wanted: None, lost: 0, ..found }));
        }
        if found.is_whole() {
            return Ok((plain, edge, found));
        }
        let (mut filled, mut whole) = self.mended(overlaps, edge, watch)?;
        let mut best = edge;
        let Size::Elements(wanted) = size else { return Ok((filled, edge, whole)) };
        // What is thickened has more tets, so that the cells must grow.
        let off = |filled: &Filled| (filled.tets.len() as f64 / wanted as f64).ln();
        // A step may bring other faults, and a longer or a shorter one not.
        for share in [1.0, 1.4, 0.7, 1.0] {
            if off(&filled).abs() < 0.7 * sizing::PROMISED {
                break;
            }
            let next = best * (share * off(&filled) / 2.3).exp();
            match self.mended(overlaps, next, watch) {
                Ok((other, found)) => {
                    let nearer = off(&other).abs() < off(&filled).abs();
                    if nearer && found.faults() <= whole.faults() {
                        (filled, whole, best) = (other, found, next);
                    }
                }
                Err(MeshError::NothingInside) => break,
                Err(error) => return Err(error),
            }
        }
        Ok((filled, best, whole))
    }

    fn mesh(&self, filled: Filled) -> Result<TetMesh> {
        let mut data = MeshData::from_tets(filled.points, filled.tets);
        if self.keep_parts {
            let regions = self.bodies.iter().map(|b| Region { name: b.name.clone(), material: None });
            data.attributes =
                Attributes { regions: regions.collect(), region_of: filled.body_of, ..Attributes::default() };
        }
        TetMesh::from_data(data)
    }

    /// What happened to parts, islands, hinges and names.
    fn describe(
        &self,
        soup: &Soup,
        surface: &SurfaceMesh,
        filled: &Filled,
        edge: f64,
        notes: &mut Vec<String>,
    ) {
        let were = |n: usize, one: &str, many: &str| {
            if n == 1 { format!("1 {one} was") } else { format!("{n} {many} were") }
        };
        if filled.islands > 0 {
            notes.push(format!(
                "{} dropped: less than 0.1 % of the largest piece each, {:.2e} m³ in all",
                were(filled.islands, "island", "islands"),
                filled.island_volume
            ));
        }
        if filled.hinges > 0 {
            notes.push(format!("{} removed that hung by an edge only", were(filled.hinges, "tet", "tets")));
        }
        if filled.split > 0 {
            let vertices = were(filled.split, "vertex", "vertices");
            notes.push(format!("{vertices} split where pieces met in a point"));
        }
        if let Some(&first) = filled.empty.first() {
            let parts = were(filled.empty.len(), "part", "parts");
            let name = quote(&self.bodies[first].name);
            notes.push(format!("{parts} thinner than the cells and left out (the first is {name})"));
        }
        if filled.caps > 0 {
            notes.push(format!("{} filled where air met air in a point", were(filled.caps, "tip", "tips")));
        }
        let cavities = soup.parts.iter().filter(|p| p.cavity_of.is_some()).count();
        let bodies = soup.parts.len() - cavities;
        if bodies > 1 && !self.keep_parts {
            let lost = lost_parts(soup, filled, edge);
            let mut sentence =
                format!("{bodies} parts of the surface became {} of the solid", filled.components);
            if lost > 0 && !self.cage {
                let _ = write!(sentence, "; {lost} thinner than the cells were left out");
            }
            notes.push(sentence);
        }
        if cavities > 0 {
            notes.push(format!("{} kept", were(cavities, "cavity", "cavities")));
        }
        let named = surface.attributes().regions.len();
        if named > 0 && !self.keep_parts {
            let names = were(named, "region name", "region names");
            notes.push(format!("{names} dropped: they name faces of the surface, not tets"));
        }
    }
}

impl Run for Job {
    fn run(&self, edge: f64, shift: &Vec3, watch: &mut Watch<'_>) -> Result<Filled> {
        let mut all = Filled::default();
        for (b, body) in self.bodies.iter().enumerate() {
            match self.fill_body(body, edge, shift, watch) {
                Ok(filled) => all.append(filled, b as u32),
                Err(MeshError::NothingInside) => all.empty.push(b),
                Err(error) => return Err(error),
            }
        }
        if all.tets.is_empty() { Err(MeshError::NothingInside) } else { Ok(all) }
    }
}

/// What the triangles of a group have: pieces, handles, and parts that must not be lost.
fn wanted(soup: &Soup, group: &[u32]) -> Wanted {
    let part = |t: &u32| soup.part_of[*t as usize] as usize;
    let mut parts: Vec<usize> = group.iter().map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    let largest = parts.iter().map(|&p| soup.parts[p].volume).fold(0.0, f64::max);
    let needed = |t: &u32| {
        let part = &soup.parts[part(t)];
        part.closed && part.volume > ISLAND * largest
    };
    let pieces = parts.iter().filter(|&&p| soup.parts[p].cavity_of.is_none()).count();
    let triangles: Vec<[u32; 3]> = group.iter().map(|&t| soup.triangles[t as usize]).collect();
    let handles = whole::handles_of(&triangles, soup.vertices.len());
    let part_of = group.iter().map(|&t| soup.part_of[t as usize]).collect();
    Wanted { pieces, handles, needed: group.iter().map(needed).collect(), part_of }
}

/// The one region that all its faces have.
fn region_of<'a>(surface: &'a SurfaceMesh, soup: &Soup, group: &[u32]) -> Option<&'a str> {
    let region = |t: &u32| surface.attributes().region(soup.face_of[*t as usize] as usize);
    let name = |t: &u32| region(t).map(|r| r.name.as_str());
    let first = group.first().and_then(name)?;
    group.iter().all(|t| name(t) == Some(first)).then_some(first)
}

/// Names of bodies, each once.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The highest number that was tried: those below are taken.
    tried: usize,
}

impl Names {
    /// The name that body `i` should have, if nobody has it, or a number.
    fn next(&mut self, wanted: Option<&str>, i: usize) -> String {
        if let Some(name) = wanted.filter(|name| !self.taken.contains(*name)) {
            self.taken.insert(name.to_owned());
            return name.to_owned();
        }
        loop {
            self.tried = i.max(self.tried) + 1;
            let name = format!("part{}", self.tried);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Parts of the surface of which no vertex has a vertex of the solid within two cells.
fn lost_parts(soup: &Soup, filled: &Filled, edge: f64) -> usize {
    let tree = Bvh::new(filled.points.iter().map(|p| Aabb { low: *p, high: *p }).collect());
    let mut found = vec![false; soup.parts.len()];
    for (t, &p) in soup.triangles.iter().zip(&soup.part_of) {
        if !found[p as usize] {
            let q = soup.vertices[t[0] as usize];
            let near = tree.nearest(&q, |i| (filled.points[i as usize] - q).norm_squared());
            found[p as usize] = near.is_some_and(|(_, d)| d < 4.0 * edge * edge);
        }
    }
    found.iter().filter(|f| !**f).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_has_a_name_of_its_own_however_many_there_are() {
        let mut names = Names::default();
        assert_eq!(names.next(Some("foot"), 0), "foot");
        assert_eq!(names.next(Some("foot"), 1), "part2");
        assert_eq!(names.next(Some("part4"), 2), "part4");
        assert_eq!(names.next(None, 3), "part5");
        // Trying all numbers for each would take minutes.
        let mut names = Names::default();
        let many = 200_000;
        (many..2 * many).for_each(|i| drop(names.next(Some(&format!("part{i}")), i - many)));
        assert_eq!(names.next(None, many), format!("part{}", 2 * many));
        assert_eq!((0..many).map(|i| names.next(None, many + i)).last(), Some(format!("part{}", 3 * many)));
    }
}
