//! Nine files that are hard to make a body of, made by code: what people drop.

use std::f64::consts::PI;
use std::fmt::Write as _;

use pliant::linalg::{Random, Vec3, ignore_progress};
use pliant::mesh::shapes::polygonise::{Triangles, polygonise};
use pliant::mesh::shapes::sdf::Sdf;
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{MeshData, TetMesh};
use pliant::world::open::{self, Contents};

/// A file that is dropped.
pub(super) struct File {
    pub(super) name: &'static str,
    make: fn() -> anyhow::Result<Dropped>,
    /// Processor time until it moves, and until it is finished, s.
    pub(super) limits: [f64; 2],
}

enum Dropped {
    Surface(Triangles),
    Solid(Box<MeshData>),
}

const USUAL: [f64; 2] = [5.0, 15.0];
const LARGE: [f64; 2] = [12.0, 60.0];

pub(super) const ALL: &[File] = &[
    File { name: "legs thinner than the cells", make: legs, limits: USUAL },
    File { name: "50 overlapping parts with holes", make: parts, limits: USUAL },
    File { name: "an open mask", make: mask, limits: USUAL },
    File { name: "a sheet", make: sheet, limits: USUAL },
    File { name: "an animal of 100 m", make: animal, limits: USUAL },
    File { name: "a bolt of 2 mm", make: bolt, limits: USUAL },
    File { name: "a scan of 300,000 triangles", make: scan, limits: LARGE },
    File { name: "triangle soup", make: soup, limits: USUAL },
    File { name: "a solid of 90,000 tets", make: solid, limits: LARGE },
];

impl File {
    /// The bytes of the file, or a solid as it would be read.
    pub(super) fn bytes(&self) -> anyhow::Result<Bytes> {
        Ok(match (self.make)()? {
            Dropped::Surface(surface) => Bytes::Obj(obj(&surface)),
            Dropped::Solid(mesh) => Bytes::Read(mesh),
        })
    }
}

pub(super) enum Bytes {
    Obj(Vec<u8>),
    Read(Box<MeshData>),
}

impl Bytes {
    /// What a door reads of it.
    pub(super) fn read(self) -> anyhow::Result<Contents> {
        let nothing = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        match self {
            Self::Obj(bytes) => {
                Ok(open::read(&pliant::mesh::io::Source::memory("dropped.obj", bytes, &nothing))?)
            }
            Self::Read(mesh) => Ok(Contents::Mesh { mesh: *mesh, notes: Vec::new() }),
        }
    }
}

fn obj(surface: &Triangles) -> Vec<u8> {
    let mut text = String::new();
    for v in &surface.vertices {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in &surface.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text.into_bytes()
}

fn boundary(solid: &TetMesh) -> Triangles {
    let surface = solid.boundary();
    Triangles { vertices: surface.vertices().to_vec(), triangles: surface.triangles() }
}

/// Stands on four legs of 2 % of its height.
fn legs() -> anyhow::Result<Dropped> {
    let trunk = Sdf::ellipsoid(Vec3::new(0.0, 0.75, 0.0), Vec3::new(0.5, 0.25, 0.25));
    let leg = |x: f64, z: f64| Sdf::capsule(Vec3::new(x, 0.7, z), Vec3::new(1.2 * x, 0.01, 1.2 * z), 0.01);
    let legs = [[-0.3, -0.1], [-0.3, 0.1], [0.3, -0.1], [0.3, 0.1]].map(|[x, z]| leg(x, z));
    let all = Sdf::union([trunk].into_iter().chain(legs));
    Ok(Dropped::Surface(polygonise(&all, 20_000, &mut ignore_progress)?))
}

/// Balls along a screw, each overlapping its neighbours, of each every tenth triangle missing.
fn parts() -> anyhow::Result<Dropped> {
    let mut all = Triangles::default();
    for k in 0..50 {
        let t = f64::from(k) / 50.0;
        let centre = Vec3::new(0.2 * (4.0 * PI * t).cos(), t, 0.2 * (4.0 * PI * t).sin());
        let part = boundary(&shapes::ball(0.08, 4));
        let first = all.vertices.len() as u32;
        all.vertices.extend(part.vertices.iter().map(|v| v + centre));
        let kept = part.triangles.iter().enumerate().filter(|(n, _)| n % 10 != 3);
        all.triangles.extend(kept.map(|(_, corners)| corners.map(|v| v + first)));
    }
    Ok(Dropped::Surface(all))
}

/// The front of a head with two holes for the eyes.
fn mask() -> anyhow::Result<Dropped> {
    let head = Sdf::ellipsoid(Vec3::zeros(), Vec3::new(0.08, 0.12, 0.1));
    let mut mask = polygonise(&head, 8_000, &mut ignore_progress)?;
    let open = |p: Vec3| {
        let eye = |x: f64| (p - Vec3::new(x, 0.03, 0.09)).norm() < 0.018;
        p.z < 0.0 || eye(-0.03) || eye(0.03)
    };
    mask.triangles.retain(|corners| !corners.iter().any(|v| open(mask.vertices[*v as usize])));
    Ok(Dropped::Surface(mask))
}

/// A square metre, standing.
fn sheet() -> anyhow::Result<Dropped> {
    const N: u32 = 40;
    let at = |i: u32, j: u32| Vec3::new(f64::from(i), f64::from(j), 0.0) / f64::from(N);
    let vertices = (0..=N).flat_map(|j| (0..=N).map(move |i| at(i, j))).collect();
    let cells = (0..N).flat_map(|j| (0..N).map(move |i| j * (N + 1) + i));
    let triangles = cells.flat_map(|a| [[a, a + 1, a + N + 2], [a, a + N + 2, a + N + 1]]).collect();
    Ok(Dropped::Surface(Triangles { vertices, triangles }))
}

fn animal() -> anyhow::Result<Dropped> {
    let mut dino = shapes::find("dino")?.make_quietly(&ShapeOptions::default())?;
    dino.scale_to(100.0)?;
    Ok(Dropped::Surface(boundary(&TetMesh::from_data(dino)?)))
}

/// A shaft with rings for a thread, and a head with six sides.
fn bolt() -> anyhow::Result<Dropped> {
    let shaft = Sdf::cylinder(Vec3::new(0.0, 0.5, 0.0), 0.15, 0.5, 0.01);
    let rings = (0..8).map(|k| Sdf::torus(Vec3::new(0.0, 0.1 + 0.08 * f64::from(k), 0.0), 0.15, 0.025));
    let side = |angle: f64| {
        let slab = Sdf::cuboid(Vec3::zeros(), Vec3::new(0.3, 0.1, 0.6), 0.0);
        slab.turned(Vec3::y(), angle).moved(Vec3::new(0.0, 1.0, 0.0))
    };
    let head = side(0.0).and(side(PI / 3.0), 0.0).and(side(2.0 * PI / 3.0), 0.0);
    let whole = Sdf::union([shaft, head].into_iter().chain(rings));
    let mut bolt = polygonise(&whole, 12_000, &mut ignore_progress)?;
    bolt.vertices.iter_mut().for_each(|v| *v *= 2e-3 / 1.1);
    Ok(Dropped::Surface(bolt))
}

/// A head with a rough skin.
fn scan() -> anyhow::Result<Dropped> {
    let head = Sdf::ellipsoid(Vec3::new(0.0, 0.15, 0.0), Vec3::new(0.09, 0.14, 0.11));
    let neck = Sdf::cylinder(Vec3::new(0.0, 0.02, -0.01), 0.06, 0.06, 0.01);
    let nose = Sdf::round_cone(Vec3::new(0.0, 0.17, 0.1), 0.012, Vec3::new(0.0, 0.13, 0.12), 0.018);
    let skin = Sdf::blend(0.02, [head, neck, nose]).rippled(5e-4, Vec3::new(600.0, 500.0, 700.0));
    // A closed surface has twice as many triangles as vertices.
    Ok(Dropped::Surface(polygonise(&skin, 150_000, &mut ignore_progress)?))
}

/// Every triangle with corners of its own, a third of them turned, some of them twice.
fn soup() -> anyhow::Result<Dropped> {
    let whole = boundary(&shapes::ball(0.1, 8));
    let (mut soup, mut random) = (Triangles::default(), Random(7));
    for corners in &whole.triangles {
        let twice = usize::from(random.below(50) == 0);
        for _ in 0..=twice {
            let first = soup.vertices.len() as u32;
            soup.vertices.extend(corners.map(|v| whole.vertices[v as usize]));
            let turned = random.below(3) == 0;
            soup.triangles.push(if turned {
                [first, first + 2, first + 1]
            } else {
                [first, first + 1, first + 2]
            });
        }
    }
    Ok(Dropped::Surface(soup))
}

fn solid() -> anyhow::Result<Dropped> {
    Ok(Dropped::Solid(Box::new(shapes::bar(Vec3::new(0.2, 1.0, 0.6), [10, 50, 30]).into_data())))
}
