//! glTF 2.0: `.glb` (one binary file) and `.gltf` (JSON, with its numbers in a `.bin` beside it or inside as base64).
//!
//! Triangles with 32-bit coordinates, metres, y up. Reading takes the scene: every mesh at every node, moved by the
//! node, at its default morph weights; where there are several primitives, each is a region. Strips and fans become
//! triangles; points and lines are passed over. Regions, materials and vertex sets of ours travel in the `extras` of
//! the mesh, as the lines of `annotations`. [`write_animation`] writes a moving surface.
//!
//! Not read: compressed geometry (Draco, meshopt). Source: Khronos, glTF 2.0 specification, 2021.

use serde_json::json;

use super::annotations::{self, Wanted};
use super::{Format, Keeps, Part, Target};
use crate::{Elements, Kind, MeshData, Result};

mod animation;
mod build;
mod document;
mod motion;
mod numbers;
mod read;

pub use animation::{MorphAnimation, write_animation};

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
    let mut object = json!({
        "primitives": [{ "attributes": attributes, "indices": builder.triangles(&triangles), "material": 0 }],
    });
    if !lines.is_empty() {
        object["extras"] = json!({ "pliant": lines.lines().collect::<Vec<_>>() });
    }
    let document = json!({
        "meshes": [object],
        "nodes": [{ "mesh": 0 }],
        "materials": [build::material([0.8, 0.8, 0.8])],
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
