//! glTF 2.0: `.glb` (one binary file) and `.gltf` (JSON, with its numbers in a `.bin` beside it or inside as base64).
//!
//! Triangles with 32-bit coordinates, metres, y up. Reading takes the scene: every mesh at every node, moved by the
//! node, at its default morph weights; where there are several primitives, each is a region. Strips and fans become
//! triangles; points and lines are skipped. Regions, materials and vertex sets of ours travel in the `extras` of
//! the mesh, as the lines of `annotations`. [`write_animation`] writes a moving surface.
//!
//! Not read: compressed geometry (Draco, meshopt). Source: Khronos, glTF 2.0 specification, 2021.

use serde_json::{Value, json};

use super::annotations::{self, Wanted};
use super::{Format, Keeps, Part, Target};
use crate::{Attributes, Elements, Kind, MeshData, Result};

mod animation;
pub(super) mod build;
mod document;
mod motion;
mod numbers;
mod read;

pub use animation::{MorphAnimation, MorphClip, write_animation};

use build::{Builder, smooth_normals, triangles_of};

pub(super) static FORMAT: Format = Format {
    name: "gltf",
    title: "glTF 2.0",
    extensions: &["glb", "gltf"],
    holds: &[Kind::Triangles],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: false, ids: true },
    less: &[],
    variants: &["separate", "embedded"],
    read: read::read,
    write,
};

/// More pieces than this would be slow to draw; the surface then is one piece of one colour.
const MOST_PIECES: usize = 64;

/// The colour of what has none (linear RGB).
const PLAIN: [f64; 3] = [0.8, 0.8, 0.8];

/// Colours that people who see red and green alike can tell apart (linear RGB; the order of Okabe and Ito).
const REGIONS: [[f64; 3]; 6] = [
    [0.09, 0.46, 0.82],
    [0.79, 0.35, 0.0],
    [0.0, 0.34, 0.17],
    [0.6, 0.19, 0.39],
    [0.87, 0.77, 0.05],
    [0.0, 0.17, 0.45],
];

/// A material for each region, the last one for triangles without.
fn materials(mesh: &MeshData, plain: [f64; 3]) -> Vec<Value> {
    let linear = |c: f32| {
        let c = f64::from(c);
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let regions = mesh.attributes.regions.iter().enumerate().map(|(r, region)| {
        let own = crate::shapes::colour_of(&region.name).map(|c| c.map(linear));
        let mut material = build::material(own.unwrap_or(REGIONS[r % REGIONS.len()]));
        material["name"] = region.name.clone().into();
        material
    });
    regions.chain([build::material(plain)]).collect()
}

/// The primitives of a surface that share `attributes`, and the materials that they name. There is a piece for each run
/// of triangles of one region, so that each region has its colour; one after another they are the triangles in their
/// order.
fn pieces(
    mesh: &MeshData,
    triangles: &[[u32; 3]],
    builder: &mut Builder,
    attributes: &Value,
    plain: [f64; 3],
) -> (Vec<Value>, Vec<Value>) {
    let region = |t: usize| mesh.attributes.region_of.get(t).copied().unwrap_or(Attributes::NO_REGION);
    let numbered: Vec<(u32, [u32; 3])> = triangles.iter().enumerate().map(|(t, c)| (region(t), *c)).collect();
    let runs: Vec<&[(u32, [u32; 3])]> = numbered.chunk_by(|a, b| a.0 == b.0).collect();
    let pieces = if runs.len() <= MOST_PIECES { runs } else { vec![&numbered[..]] };
    let one = pieces.len() == 1;
    let primitives = pieces
        .iter()
        .map(|piece| {
            let corners: Vec<[u32; 3]> = piece.iter().map(|(_, c)| *c).collect();
            let material = if one { 0 } else { mesh.attributes.regions.len().min(piece[0].0 as usize) };
            json!({ "attributes": attributes, "indices": builder.triangles(&corners), "material": material })
        })
        .collect();
    (primitives, if one { vec![build::material(plain)] } else { materials(mesh, plain) })
}

/// A `.glb` is one file whatever the variant; a `.gltf` has its numbers beside it or inside.
fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let Elements::Faces(faces) = &mesh.elements else {
        unreachable!("the table says that glTF holds triangles")
    };
    let triangles = triangles_of(faces);
    let mut builder = Builder::new();
    let mut attributes = json!({ "POSITION": builder.positions(&mesh.vertices)? });
    attributes["NORMAL"] = builder.vectors(&smooth_normals(&mesh.vertices, &triangles))?.into();
    let mut lines = String::new();
    annotations::write(&mut lines, "", mesh, Wanted::ALL);
    let (primitives, materials) = pieces(mesh, &triangles, &mut builder, &attributes, PLAIN);
    let mut object = json!({ "primitives": primitives });
    if !lines.is_empty() {
        object["extras"] = json!({ "pliant": lines.lines().collect::<Vec<_>>() });
    }
    let document = json!({
        "meshes": [object],
        "nodes": [{ "mesh": 0 }],
        "materials": materials,
    });
    if target.extension != "gltf" {
        return Ok(vec![Part { extension: target.extension.into(), bytes: builder.glb(document) }]);
    }
    let bin = format!("{}.bin", target.stem);
    let (json, buffer) = builder.gltf(document, (target.variant == "separate").then_some(&bin));
    let mut parts = vec![Part { extension: target.extension.into(), bytes: json }];
    parts.extend(buffer.map(|bytes| Part { extension: "bin".into(), bytes }));
    Ok(parts)
}
