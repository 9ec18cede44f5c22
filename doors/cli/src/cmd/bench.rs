//! `pliant bench`: our performance table on this machine, every figure as a ratio to a limit.

mod busy;
mod cubature;
mod cubic;
mod depth;
mod drops;
mod groups;
mod product;
mod solids;
mod solvers;
mod stage;
mod walk;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use pliant::energy::{Recipe, Tangent, material};
use pliant::linalg::{Mat3, Svd3, Vec3, ignore_progress, rotations3_batch, svd3_batch};
use pliant::mesh::tetrahedralise::{self, Options, Size};
use pliant::mesh::{Faces, MeshData, doctor, embed, io, shapes};
use pliant::world::facts::{Fact, Facts, Value};

use crate::context::{Context, Status};
use crate::memory::peak_memory_mb;
use busy::{BUSY, Ticks};

/// Measure the main operations on this machine.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant bench
  pliant bench --read big.mesh --json")]
pub(crate) struct Args {
    /// Also measure reading this file (repeatable).
    #[arg(long, value_name = "FILE")]
    read: Vec<PathBuf>,
    /// Only these: mesh, solids, matrices, materials, cubature, product, cubic, solvers, walk, stage or drops (repeatable).
    #[arg(long, value_name = "GROUP")]
    only: Vec<String>,
}

/// Rows that belong together.
type Group = (&'static str, fn() -> anyhow::Result<Vec<Row>>);

/// What is measured, in the order of the table.
const GROUPS: &[Group] = &[
    ("mesh", meshes),
    ("solids", solids::rows),
    ("matrices", small_matrices),
    ("materials", materials),
    ("cubature", cubature::rows),
    ("product", product::rows),
    ("cubic", cubic::rows),
    ("solvers", solvers::rows),
    ("walk", walk::rows),
    ("stage", stage::rows),
    ("drops", drops::rows),
];

pub(super) struct Row {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    /// What the value must stay below; `None` where the limit is only known beside another program.
    pub(super) limit: Option<f64>,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let mut rows = Vec::new();
    for file in &args.read {
        rows.push(reading(file)?);
    }
    if let Some(unknown) = args.only.iter().find(|name| GROUPS.iter().all(|(group, _)| group != name)) {
        let known: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
        anyhow::bail!("--only {unknown}: expected one of {}", known.join(", "));
    }
    let (mut others, mut busy) = (0.0_f64, Vec::new());
    for (name, group) in GROUPS {
        if args.only.is_empty() || args.only.iter().any(|only| only == name) {
            let before = Ticks::now();
            rows.extend(group()?);
            let share = before.zip(Ticks::now()).map_or(0.0, |(before, after)| after.others_since(&before));
            others = others.max(share);
            if share > BUSY {
                busy.push(*name);
            }
        }
    }
    if let Some(peak) = peak_memory_mb() {
        rows.push(Row {
            name: "peak memory of all of this".into(),
            value: peak,
            unit: "MB",
            limit: Some(1024.0),
        });
    }

    let mut told = Fact::new("rows", Value::Nothing);
    let mut list: Vec<Facts> = Vec::new();
    for Row { name, value, unit, limit } in rows {
        let ratio = limit.map(|l| value / l);
        let of = limit.zip(ratio).map(|(l, r)| format!("limit {}, {r:.3} of it", limit_in_words(l)));
        told = told.read_as(&name, format!("{value:>10.4} {unit:<3} {}", of.unwrap_or_default()));
        let facts = [
            Fact::new("name", name),
            Fact::new("value", value),
            Fact::new("unit", unit),
            Fact::new("limit", limit),
            Fact::new("ratio_to_limit", ratio),
        ];
        list.push(facts.into_iter().collect());
    }
    let facts = [Fact { value: list.into(), ..told }, Fact::new("other_work", others)];
    let warnings = if busy.is_empty() {
        Vec::new()
    } else {
        vec![format!(
            "others took up to {:.0} % of the processors while {} were measured: limits that were missed there say nothing; \
             measure again when the machine is quiet",
            100.0 * others,
            busy.join(", ")
        )]
    };
    context.done(facts.into_iter().collect(), warnings)
}

/// A limit of the table as it is; one that was measured, with three digits.
fn limit_in_words(limit: f64) -> String {
    let whole = limit.to_string();
    if whole.len() <= 8 { whole } else { format!("{limit:.1}") }
}

fn reading(file: &Path) -> anyhow::Result<Row> {
    let name = file.file_name().and_then(|n| n.to_str()).context("the file has a name")?;
    let value = median(5, || io::load(file).map(drop))?;
    Ok(Row { name: format!("reading {name}"), value, unit: "s", limit: None })
}

/// What is wrong with a mesh, a solid of a surface, a surface tied to it, a mesh of many groups.
fn meshes() -> anyhow::Result<Vec<Row>> {
    let mut rows = doctors()?;
    rows.extend(solid()?);
    rows.push(embedding()?);
    rows.extend(groups::rows()?);
    Ok(rows)
}

/// An ordinary surface, one that passes through itself, and one that is a trap: a fan whose boxes all overlap.
fn doctors() -> anyhow::Result<Vec<Row>> {
    // 48 n² triangles.
    let ball = shapes::ball(1.0, 46).boundary().into_data();
    let half = shapes::ball(1.0, 32).boundary();
    let mut vertices = half.vertices().to_vec();
    vertices.extend(half.vertices().iter().map(|p| p + Vec3::new(0.5, 0.3, 0.2)));
    let shift = half.vertices().len() as u32;
    let mut faces = half.faces().clone();
    half.faces().iter().for_each(|f| faces.push(&[f[0] + shift, f[1] + shift, f[2] + shift]));
    let two = MeshData::from_faces(vertices, faces);
    let n = 20_000u32;
    let turn = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let mut vertices: Vec<Vec3> = (0..n).map(|i| Vec3::new(turn(i).cos(), turn(i).sin(), 0.0)).collect();
    vertices.push(Vec3::z());
    let fan: Vec<[u32; 3]> = (0..n).map(|i| [n, i, (i + 1) % n]).collect();
    let fan = MeshData::from_faces(vertices, Faces::from_triangles(&fan));
    [("", ball), (" of two balls that cross", two), (" in a fan", fan)]
        .into_iter()
        .map(|(which, mesh)| {
            let look = || doctor::examine(&mesh, &doctor::Options::default(), &mut ignore_progress).map(drop);
            let name = format!("doctor, {} triangles{which}", mesh.elements.len());
            Ok(Row { name, value: median(3, look)?, unit: "s", limit: Some(1.0) })
        })
        .collect()
}

/// A surface of 40k triangles into 100k tets.
fn solid() -> anyhow::Result<Vec<Row>> {
    let ball = shapes::ball(1.0, 29).boundary();
    let options = Options { size: Size::Elements(100_000), ..Options::default() };
    let start = Instant::now();
    let made = tetrahedralise::tetrahedralise(&ball, &options, &mut ignore_progress)?;
    let seconds = start.elapsed().as_secs_f64();
    let name = format!("{} triangles into {} tets", ball.faces().len(), made.mesh.tets().len());
    Ok(vec![Row { name, value: seconds, unit: "s", limit: Some(10.0) }])
}

/// The demo's surface in the demo's solid: must not be felt.
fn embedding() -> anyhow::Result<Row> {
    let solid = shapes::ball(1.0, 7);
    let surface = shapes::ball(1.0, 23).boundary();
    let name = format!("tying {} points to {} tets", surface.vertices().len(), solid.tets().len());
    let value = median(3, || embed::embed(&solid, surface.vertices(), &mut ignore_progress).map(drop))?;
    Ok(Row { name, value, unit: "s", limit: Some(0.2) })
}

/// As many 3×3 matrices as a solid of 157k tets has: deformations up to half a body length, some of them inverted.
fn small_matrices() -> anyhow::Result<Vec<Row>> {
    let count = 157_000;
    // Steps of the golden ratio: no two alike, the same in every run.
    let mut step = 0.0f64;
    let mut next = || {
        step = (step + 0.618_033_988_749_894_9).fract();
        2.0 * step - 1.0
    };
    let matrices: Vec<Mat3> = (0..count).map(|_| Mat3::identity() + Mat3::from_fn(|_, _| next())).collect();
    let mut svd = vec![Svd3::zero(); count];
    let mut rotation = vec![Mat3::zeros(); count];
    let each = |seconds: f64| seconds / count as f64 * 1e9;
    let ours = median(7, || {
        svd3_batch(&matrices, &mut svd);
        anyhow::Ok(())
    })?;
    let polar = median(7, || {
        rotations3_batch(&matrices, &mut rotation);
        anyhow::Ok(())
    })?;
    // What one would use without ours, one matrix after another.
    let plain = median(3, || {
        for matrix in &matrices {
            std::hint::black_box(matrix.svd(true, true));
        }
        anyhow::Ok(())
    })?;
    Ok([
        ("3×3 SVD in a batch", ours, Some(150.0)),
        ("3×3 rotation in a batch", polar, Some(150.0)),
        ("3×3 SVD of nalgebra", plain, None),
    ]
    .map(|(name, seconds, limit)| Row { name: name.into(), value: each(seconds), unit: "ns", limit })
    .into())
}

/// A bent bar as large as a bridge that others have measured: what a tet of each material costs, and one assembly.
fn materials() -> anyhow::Result<Vec<Row>> {
    let bar = shapes::bar(Vec3::new(2.0, 1.0, 1.1), [20, 10, 11]).into_data();
    let mut rows = Vec::new();
    for entry in &material::ALL {
        let body = Recipe { material: Some(entry.name.into()), ..Recipe::default() }.build(bar.clone())?;
        let bent = |p: &Vec3| [0.1 * p.x - 0.2 * p.x * p.y, 0.2 * p.x * p.x - 0.1 * p.y, -0.05 * p.z];
        let u: Vec<f64> = body.rest().iter().flat_map(bent).collect();
        let (mut force, mut stiffness) = (vec![0.0; u.len()], body.zero_matrix());
        let energy = median(7, || body.energy(&u).map(drop))?;
        let gradient = median(7, || body.force(&u, &mut force))?;
        let hessian = median(7, || body.stiffness(&u, Tangent::Exact, &mut stiffness))?;
        let tets = body.components().count();
        for (what, seconds) in [("energy", energy), ("gradient", gradient), ("Hessian", hessian)] {
            let name = format!("{}, {what} of a tet", entry.name);
            rows.push(Row { name, value: seconds / tets as f64 * 1e9, unit: "ns", limit: None });
        }
        if entry.name == "stable-neo-hookean" {
            let name = format!("assembly of the stiffness of {tets} tets");
            rows.push(Row { name, value: hessian * 1e3, unit: "ms", limit: Some(5.0) });
        }
    }
    Ok(rows)
}

/// The median time of several runs, seconds.
pub(super) fn median<E>(runs: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[runs / 2])
}
