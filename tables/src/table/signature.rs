//! T14 chapter 6 and Figure 2.3: vibration signatures and distances, how long they take, and how coarse they may be.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use pliant::draw::{Deformed, Image, Options, deformed_picture};
use pliant::energy::Recipe;
use pliant::linalg::facts::Facts;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::decimate::{Target, decimate};
use pliant::mesh::topology::Edges;
use pliant::mesh::{Elements, Faces, MeshData, SurfaceMesh, shapes};
use pliant::reduce::linear_modes_quietly;
use pliant::shape::{Found, Kind, Request, Skin};

use super::Table;
use crate::{Grid, Outcome, Part, Run, mesh, percent, seconds};

pub(super) const SIGNATURE: Table = Table {
    name: "signature",
    title: "Vibration signatures: T14 Table 6.1, Figures 2.3 and 6.1 to 6.4",
    about: "Discrete Shells with both stiffnesses 1 and lumped mass, 300 modes, 101 times uniform in log t from 4 ln 10/λ_K to \
            4 ln 10/λ₁. The armadillo in place of the Chinese dragon, thinned to about 10,000 vertices, as it is, and split in four \
            and thinned to 130,000; the document's seconds are of a 2010 laptop with 2.66 GHz. Distances of two resolutions are \
            compared at the vertices of the coarser one, each beside the nearest of the finer one.",
    run,
};

/// Vertices, and the document's seconds: Hessian, eigenproblem, signature.
type Theirs = (usize, [f64; 3]);

/// A mesh, and what stands beside it in the document.
type Resolution = (MeshData, Theirs);

const THEIRS: [Theirs; 3] =
    [(10_000, [1.0, 58.0, 4.0]), (43_000, [4.0, 326.0, 30.0]), (130_000, [11.0, 1122.0, 100.0])];

/// Vertices of the thinned surface that stands for the larger ones.
const COARSE: usize = 10_000;

/// From so many vertices distances are compared.
const SOURCES: usize = 12;

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let sizes = match run.full {
        true => match run.file("surfaces/armadillo.obj") {
            Some(path) => resolutions(mesh::load(&path)?)?,
            None => {
                outcome.missing.push("surfaces/armadillo.obj".into());
                return Ok(outcome);
            }
        },
        false => vec![(ball(5)?, THEIRS[0]), (ball(8)?, THEIRS[1])],
    };
    let modes = if run.full { 300 } else { 30 };
    resolution(run, &sizes, modes, &mut outcome)?;
    if run.full {
        toe(run, &sizes[1].0, &mut outcome)?;
        for (name, file, about) in [
            ("cow", "surfaces/cow.off", "Figure 6.3: the cow in place of the camel, from a knee"),
            ("cactus", "surfaces/own_cactus_like.obj", "Figure 6.2: one arm bent, from the tip of another"),
        ] {
            let Some(path) = run.file(file) else {
                outcome.missing.push(file.into());
                continue;
            };
            beside(run, name, mesh::load(&path)?, about, &mut outcome)?;
        }
    }
    membranes(run, &mut outcome)?;
    Ok(outcome)
}

fn ball(cells: usize) -> Result<MeshData> {
    mesh::surface(shapes::ball(0.5, cells).into_data())
}

/// The three sizes of T14 Table 6.1.
fn resolutions(whole: MeshData) -> Result<Vec<Resolution>> {
    let thinned = |mesh: MeshData, vertices| -> Result<MeshData> {
        let surface = SurfaceMesh::from_data(mesh)?;
        Ok(decimate(&surface, Target::Vertices(vertices), &mut ignore_progress)?.surface.into_data())
    };
    let [small, middle, large] = THEIRS;
    let fine = thinned(split(&whole)?, large.0)?;
    Ok(vec![(thinned(whole.clone(), small.0)?, small), (whole, middle), (fine, large)])
}

/// Every triangle cut in four at the middles of its edges.
fn split(mesh: &MeshData) -> Result<MeshData> {
    let Elements::Faces(faces) = &mesh.elements else { anyhow::bail!("only surfaces are split") };
    let edges = Edges::new(faces);
    let mut vertices = mesh.vertices.clone();
    let first = vertices.len() as u32;
    vertices.extend(
        edges.all_ends().iter().map(|e| (mesh.vertices[e[0] as usize] + mesh.vertices[e[1] as usize]) * 0.5),
    );
    let mut triangles = Vec::with_capacity(4 * faces.len());
    for (f, face) in faces.iter().enumerate() {
        let &[a, b, c] = face else { anyhow::bail!("only triangles are split") };
        let middle =
            |side: u32| edges.of_side(f as u32, side).map(|e| first + e).context("a side is an edge");
        let [ab, bc, ca] = [middle(0)?, middle(1)?, middle(2)?];
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Ok(MeshData::from_faces(vertices, Faces::from_triangles(&triangles)))
}

fn found(mesh: &MeshData, request: &Request) -> Result<Found> {
    let recipe = Recipe::default();
    let body = recipe.build(mesh.clone())?;
    Ok(request.run(mesh, &recipe, &body, &mut ignore_progress)?)
}

fn picture(found: &Found, title: &str) -> Result<Vec<u8>> {
    Ok(found.encode(Path::new("a.png"), title, &Facts::new(), &[], &mut ignore_progress)?)
}

/// Table 6.1, and Figure 6.1.
fn resolution(run: &Run, sizes: &[Resolution], modes: usize, outcome: &mut Outcome) -> Result<()> {
    let mut grid = Grid::new(&[
        "vertices",
        "Hessian (T14)",
        "eigenproblem (T14)",
        "S at all vertices (T14)",
        "all (T14 / this)",
        "S: multiply-adds a nanosecond",
        "by 10,000 vertices, all (T14 / this)",
        "memory at most so far",
        "a click",
    ]);
    let mut all: Vec<(&MeshData, Found)> = Vec::new();
    for (mesh, (theirs, [hessian, eigen, signature])) in sizes {
        run.tell(&format!("signature: {} vertices", mesh.vertices.len()));
        let from = nearest(mesh, &farthest(mesh));
        let made = found(mesh, &Request { modes: Some(modes), from: vec![from], ..Request::default() })?;
        let ours = made.stages;
        let whole = ours.hessian + ours.modes + ours.signature;
        let coarse = match mesh.vertices.len() > COARSE && run.full {
            true => {
                run.tell("signature: the same thinned");
                let request = Request { modes: Some(modes), coarse: Some(COARSE), ..Request::default() };
                let stages = found(mesh, &request)?.stages;
                let own = stages.hessian + stages.modes + stages.signature;
                format!("{} ({:.0})", seconds(own), (hessian + eigen + signature) / own)
            }
            false => "–".into(),
        };
        let products = (mesh.vertices.len() * modes * made.times.len()) as f64;
        let beside = |own: f64, other: &f64| format!("{} ({})", seconds(own), seconds(*other));
        grid.push(vec![
            format!("{} ({theirs})", mesh.vertices.len()),
            beside(ours.hessian, hessian),
            beside(ours.modes, eigen),
            beside(ours.signature, signature),
            format!("{:.1}", (hessian + eigen + signature) / whole),
            format!("{:.2}", products / ours.signature / 1e9),
            coarse,
            peak_memory().map_or_else(|| "–".into(), |bytes| format!("{:.1} GB", bytes / 1e9)),
            seconds(click(&made, from)?),
        ]);
        all.push((mesh, made));
    }
    outcome.parts.push(Part::Grid(grid));
    let mut grid =
        Grid::new(&["resolutions", "λ₁, ratio", "rank correlation of distances", "relative difference"]);
    for pair in all.windows(2) {
        let [(coarse, a), (fine, b)] = pair else { continue };
        let (rank, off) = agreement(coarse, a, fine, b)?;
        let sizes = format!("{} and {}", coarse.vertices.len(), fine.vertices.len());
        let ratio = format!("{:.3}", a.eigenvalues[0] / b.eigenvalues[0]);
        grid.push(vec![sizes, ratio, format!("{rank:.3}"), percent(off)]);
    }
    outcome.parts.push(Part::Grid(grid));
    for (k, (mesh, made)) in all.iter().enumerate() {
        let caption = format!("Figure 6.1: distance to a vertex, {} vertices", mesh.vertices.len());
        let name = format!("signature-6.1-{}.png", k + 1);
        outcome.parts.push(Part::Figure(name, caption, picture(made, "")?));
    }
    Ok(())
}

/// Seconds from a vertex to a byte for each: what the studio does at a click, the median of some.
fn click(made: &Found, from: u32) -> Result<f64> {
    let signature = made.signature.as_ref().context("S")?;
    let once = |_| -> Result<f64> {
        let begin = Instant::now();
        let distance = signature.distance(&[from])?;
        let high = distance.iter().fold(0.0, |most: f64, d| most.max(*d));
        std::hint::black_box(pliant::shape::bytes(&distance, high));
        Ok(begin.elapsed().as_secs_f64())
    };
    Ok(crate::median((0..9).map(once).collect::<Result<_>>()?))
}

/// The most memory that this program has had so far, bytes; where the system says so.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024.0 * line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()?)
}

/// The point of a mesh that is farthest from its middle: a tip.
fn farthest(mesh: &MeshData) -> Vec3 {
    let [low, high] = mesh.bounds();
    let middle = (low + high) * 0.5;
    let far = |x: &&Vec3| (**x - middle).norm();
    mesh.vertices.iter().max_by(|a, b| far(a).total_cmp(&far(b))).copied().unwrap_or(middle)
}

/// The vertex nearest to a point.
fn nearest(mesh: &MeshData, point: &Vec3) -> u32 {
    let far = |v: &u32| (mesh.vertices[*v as usize] - point).norm_squared();
    (0..mesh.vertices.len() as u32).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
}

/// Mean rank correlation and relative difference of the distances from some vertices.
fn agreement(coarse: &MeshData, a: &Found, fine: &MeshData, b: &Found) -> Result<(f64, f64)> {
    let (a, b) = (a.signature.as_ref().context("S")?, b.signature.as_ref().context("S")?);
    // A few thousand places tell.
    let step = coarse.vertices.len().div_ceil(3000);
    let places: Vec<u32> = (0..coarse.vertices.len() as u32).step_by(step).collect();
    let twins: Vec<u32> = places.iter().map(|&v| nearest(fine, &coarse.vertices[v as usize])).collect();
    let (mut rank, mut off) = (0.0, 0.0);
    for k in 0..SOURCES {
        let source = k * places.len() / SOURCES;
        let [x, y] = [(a, &places), (b, &twins)].map(|(signature, at)| -> Result<Vec<f64>> {
            let all = signature.distance(&[at[source]])?;
            Ok(at.iter().map(|&v| all[v as usize]).collect())
        });
        let (x, y) = (x?, y?);
        rank += rank_correlation(&x, &y) / SOURCES as f64;
        let norm = |z: &mut dyn Iterator<Item = f64>| z.map(|z| z * z).sum::<f64>().sqrt();
        let difference = norm(&mut x.iter().zip(&y).map(|(x, y)| x - y));
        off += difference / norm(&mut y.iter().copied()) / SOURCES as f64;
    }
    Ok((rank, off))
}

/// Spearman's.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |x: &[f64]| -> Vec<f64> {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
        let mut ranks = vec![0.0; x.len()];
        order.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank as f64);
        ranks
    };
    let (a, b) = (ranks(a), ranks(b));
    let middle = (a.len() as f64 - 1.0) / 2.0;
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    sum(&a, &b) / (sum(&a, &a) * sum(&b, &b)).sqrt()
}

/// Figure 6.4: what is nearest to a toe.
fn toe(run: &Run, mesh: &MeshData, outcome: &mut Outcome) -> Result<()> {
    run.tell("signature: from a toe");
    let [low, high] = mesh.bounds();
    // The tip of a toe: low, and foremost on one side.
    let middle = (low + high) * 0.5;
    let is_low = |x: &&Vec3| x.y < low.y + 0.06 * (high.y - low.y) && x.x > middle.x;
    let tip = mesh.vertices.iter().filter(is_low).min_by(|a, b| a.z.total_cmp(&b.z)).context("a foot")?;
    let made = found(mesh, &Request { from: vec![nearest(mesh, tip)], ..Request::default() })?;
    let distance = made.distance.as_ref().context("a distance")?;
    let skin: &Skin = &made.skin;
    let mut grid = Grid::new(&["nearest", "pieces", "heights of their middles, 0 below and 1 above"]);
    for share in [0.04, 0.08] {
        let pieces = skin.regions(distance, skin.threshold_of(distance, share));
        let heights: Vec<String> = pieces
            .iter()
            .filter(|piece| piece.vertices.len() > 20)
            .map(|piece| format!("{:.2}", (piece.centre.y - low.y) / (high.y - low.y)))
            .collect();
        grid.push(vec![percent(share), heights.len().to_string(), heights.join(", ")]);
    }
    outcome.parts.push(Part::Grid(grid));
    outcome.parts.push(Part::Figure(
        "signature-6.4.png".into(),
        "Figure 6.4: distance to a toe".into(),
        picture(&made, "")?,
    ));
    Ok(())
}

/// Figures 6.2 and 6.3: vibration beside heat.
fn beside(run: &Run, name: &str, mesh: MeshData, about: &str, outcome: &mut Outcome) -> Result<()> {
    run.tell(&format!("signature: {name}"));
    let (mesh, place) = match name {
        "cactus" => (bent(mesh), 0),
        _ => {
            let [low, high] = mesh.bounds();
            // A foreleg, a third of the way up.
            let knee = Vec3::new(low.x + 0.3 * (high.x - low.x), low.y + 0.3 * (high.y - low.y), high.z);
            let place = nearest(&mesh, &knee);
            (mesh, place)
        }
    };
    let place = if name == "cactus" { nearest(&mesh, &farthest(&mesh)) } else { place };
    for kind in Kind::ALL {
        let made = found(&mesh, &Request { kind, from: vec![place], ..Request::default() })?;
        let caption = format!("{about}; {}", kind.name());
        let file = format!("signature-{name}-{}.png", kind.name());
        outcome.parts.push(Part::Figure(file, caption, picture(&made, "")?));
    }
    Ok(())
}

/// What stands out to one side beyond three quarters of the width is turned by 60° about the place where it begins.
fn bent(mut mesh: MeshData) -> MeshData {
    let [low, high] = mesh.bounds();
    let begin = low.x + 0.72 * (high.x - low.x);
    let (low, high) = (low.y, high.y);
    for x in mesh.vertices.iter_mut().filter(|x| x.x > begin) {
        // Angles grow along the arm, so that it bends and does not kink.
        let along = x.x - begin;
        let angle = 60.0_f64.to_radians() * (along / (0.1 * (high - low))).min(1.0);
        let (sine, cosine) = angle.sin_cos();
        *x = Vec3::new(begin + along * cosine, x.y, x.z + along * sine);
    }
    mesh
}

/// Figure 2.3: a mode for three weights of the membrane.
fn membranes(run: &Run, outcome: &mut Outcome) -> Result<()> {
    let begin = Instant::now();
    let mesh = if run.full { ball(14)? } else { ball(4)? };
    let mut grid = Grid::new(&["κ_mem", "λ₁", "of its displacement along the normal"]);
    let mut pictures = Vec::new();
    for membrane in [0.01, 1.0, 100.0] {
        let body = Recipe { membrane: Some(membrane), ..Recipe::default() }.build(mesh.clone())?;
        let modes = linear_modes_quietly(&body, 1)?.modes;
        let shape = modes.shape(0);
        // On a ball about the origin the normal is the place itself.
        let (mut outward, mut all) = (0.0, 0.0);
        for ((x, u), m) in mesh.vertices.iter().zip(shape.as_chunks::<3>().0).zip(body.vertex_masses()) {
            let u = Vec3::from(*u);
            outward += m * u.dot(&x.normalize()).powi(2);
            all += m * u.norm_squared();
        }
        grid.push(vec![
            membrane.to_string(),
            format!("{:.4e}", modes.eigenvalues[0]),
            percent(outward / all),
        ]);
        let largest = shape.as_chunks::<3>().0.iter().map(|u| Vec3::from(*u).norm()).fold(0.0, f64::max);
        let deformed = Deformed { displacement: shape, times: 0.15 / largest, label: String::new() };
        let options = Options { width: 320, height: 300, ..Options::titled(format!("κ_mem = {membrane}")) };
        pictures.push(deformed_picture(&mesh, &deformed, &options));
    }
    outcome.parts.push(Part::Grid(grid));
    let caption = "Figure 2.3: the slowest mode of a ball for membrane weights 0.01, 1 and 100".to_owned();
    outcome.parts.push(Part::Figure("signature-2.3.png".into(), caption, Image::beside(&pictures).to_png()));
    run.tell(&format!("signature: membranes took {}", seconds(begin.elapsed().as_secs_f64())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_surface_has_four_times_the_triangles_and_the_same_area() {
        let whole = ball(4).expect("a ball");
        let fine = split(&whole).expect("split");
        assert_eq!(fine.elements.len(), 4 * whole.elements.len());
        let area = |mesh: &MeshData| Recipe::default().build(mesh.clone()).expect("a body").total_mass();
        assert!((area(&fine) / area(&whole) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ranks_that_agree_correlate() {
        assert_eq!(rank_correlation(&[1.0, 5.0, 2.0], &[10.0, 90.0, 11.0]), 1.0);
        assert_eq!(rank_correlation(&[1.0, 5.0, 2.0], &[3.0, 1.0, 2.0]), -1.0);
    }
}
