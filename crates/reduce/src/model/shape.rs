//! The mesh of a model as tensors, and back: what moves, what is held, and the surface that goes along.
//!
//! Rows of equal length are a matrix. Rows of different lengths are their entries one after another, and `.offsets`: row
//! i owns the entries from `offsets[i]` to `offsets[i + 1]`.

use std::collections::BTreeMap;

use pliant_linalg::Vec3;
use pliant_mesh::select::Selection;
use pliant_mesh::{Elements, Embedded, Embedding, Faces, Kind, MeshData, VertexSet};

use super::container::{DAMAGED, Opened, Tensor};
use super::description::Description;
use crate::force::Ghost;

/// The tensors of a mesh that was checked.
pub(super) fn write(mesh: &MeshData) -> BTreeMap<String, Tensor<'_>> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, tensor| drop(all.insert(name.to_owned(), tensor));
    put("rest", positions(&mesh.vertices));
    match &mesh.elements {
        Elements::Tets(tets) => put("elements", Tensor::indices(&[tets.len(), 4], tets.as_flattened())),
        Elements::Faces(faces) => write_faces("elements", faces, &mut put),
    }
    let a = &mesh.attributes;
    if !a.region_of.is_empty() {
        put("regions", Tensor::indices(&[a.region_of.len()], &a.region_of));
    }
    if !a.sets.is_empty() {
        let rows = a.sets.iter().map(|s| s.vertices.len());
        put("sets.offsets", offsets(rows));
        let members: Vec<u32> = a.sets.iter().flat_map(|s| s.vertices.iter().copied()).collect();
        put("sets", Tensor::owned_indices(&[members.len()], members));
    }
    if let Some(surface) = &a.embedded {
        put("surface.rest", positions(&surface.vertices));
        write_faces("surface.elements", &surface.faces, &mut put);
        if !surface.region_of.is_empty() {
            put("surface.regions", Tensor::indices(&[surface.region_of.len()], &surface.region_of));
        }
        let ties = &surface.embedding;
        put("surface.carriers.offsets", Tensor::indices(&[ties.offsets.len()], &ties.offsets));
        put("surface.carriers", Tensor::indices(&[ties.vertices.len()], &ties.vertices));
        put("surface.weights", Tensor::reals(&[ties.weights.len()], &ties.weights));
    }
    all
}

/// The mesh of a file; consistent with itself when [`MeshData::check`] says so.
pub(super) fn read(file: &Opened<'_>, description: &Description) -> Result<MeshData, String> {
    let (vertices, elements) = (description.vertices, description.elements);
    let mut attributes = description.attributes();
    if file.has("regions") {
        attributes.region_of = file.indices("regions", &[Some(elements)])?.to_vec();
    }
    if !description.sets.is_empty() {
        let (starts, members) =
            (offsets_of(file, "sets", description.sets.len())?, file.indices("sets", &[None])?);
        let rows = rows("sets", starts, members)?;
        attributes.sets = description
            .sets
            .iter()
            .zip(rows)
            .map(|(name, vertices)| VertexSet { name: name.clone(), vertices: vertices.to_vec() })
            .collect();
    }
    if let Some(surface) = &description.surface {
        let points = read_positions(file, "surface.rest", None)?;
        let faces = read_faces(file, "surface.elements", &surface.kind, None)?;
        let region_of = match file.has("surface.regions") {
            true => file.indices("surface.regions", &[Some(faces.len())])?.to_vec(),
            false => Vec::new(),
        };
        let starts = offsets_of(file, "surface.carriers", points.len())?;
        let carriers = file.indices("surface.carriers", &[None])?;
        drop(rows("surface.carriers", starts, carriers)?);
        let weights = file.reals("surface.weights", &[Some(carriers.len())])?;
        attributes.embedded = Some(Embedded {
            vertices: points,
            faces,
            embedding: Embedding {
                offsets: starts.to_vec(),
                vertices: carriers.to_vec(),
                weights: weights.to_vec(),
            },
            regions: surface.regions(),
            region_of,
        });
    }
    let kind = &description.kind;
    let elements = if kind == Kind::Tets.name() {
        let corners = file.indices("elements", &[Some(elements), Some(4)])?;
        Elements::Tets(corners.as_chunks().0.to_vec())
    } else {
        Elements::Faces(read_faces(file, "elements", kind, Some(elements))?)
    };
    let vertices = read_positions(file, "rest", Some(vertices))?;
    Ok(MeshData { vertices, elements, attributes })
}

/// The tensors of a ghost.
pub(super) fn write_ghost<'a>(ghost: &'a Ghost, put: &mut impl FnMut(&str, Tensor<'a>)) {
    put("ghost.rest", positions(&ghost.vertices));
    match &ghost.elements {
        Elements::Tets(tets) => put("ghost.elements", Tensor::indices(&[tets.len(), 4], tets.as_flattened())),
        Elements::Faces(faces) => write_faces("ghost.elements", faces, put),
    }
    if !ghost.region_of.is_empty() {
        put("ghost.regions", Tensor::indices(&[ghost.region_of.len()], &ghost.region_of));
    }
    put("ghost.U", Tensor::reals(&[3 * ghost.vertices.len(), ghost.rank], &ghost.rows));
    put("ghost.weights", Tensor::reals(&[ghost.weights.len()], &ghost.weights));
}

/// The ghost of a body of `kind` in `rank` coordinates: tets for tets, triangles for every surface.
pub(super) fn read_ghost(file: &Opened<'_>, kind: &str, rank: usize) -> Result<Ghost, String> {
    let vertices = read_positions(file, "ghost.rest", None)?;
    let elements = if kind == Kind::Tets.name() {
        Elements::Tets(file.indices("ghost.elements", &[None, Some(4)])?.as_chunks().0.to_vec())
    } else {
        Elements::Faces(read_faces(file, "ghost.elements", Kind::Triangles.name(), None)?)
    };
    let region_of = match file.has("ghost.regions") {
        true => file.indices("ghost.regions", &[Some(elements.len())])?.to_vec(),
        false => Vec::new(),
    };
    let rows = file.reals("ghost.U", &[Some(vertices.len().saturating_mul(3)), Some(rank)])?.to_vec();
    let weights = file.reals("ghost.weights", &[None])?.to_vec();
    Ok(Ghost { vertices, elements, region_of, rank, rows, weights })
}

/// 1 for each of the 3n numbers that `fixed` holds.
pub(super) fn held(fixed: &[Selection], vertices: usize) -> Vec<u8> {
    let mut held = vec![0; 3 * vertices];
    for selection in fixed {
        for &v in &selection.vertices {
            (0..3).filter(|&c| selection.components[c]).for_each(|c| held[3 * v as usize + c] = 1);
        }
    }
    held
}

/// The selections that hold these numbers: one for each choice of components that occurs, the most held first.
pub(super) fn selections(held: &[u8]) -> Result<Vec<Selection>, String> {
    if let Some(&other) = held.iter().find(|&&h| h > 1) {
        return Err(format!("the tensor \"held\" has the number {other}, expected 0 or 1; {DAMAGED}"));
    }
    let rows = held.as_chunks::<3>().0;
    let of = |components: [bool; 3]| {
        let wanted = components.map(u8::from);
        let vertices: Vec<u32> = (0..).zip(rows).filter(|(_, row)| **row == wanted).map(|(v, _)| v).collect();
        (!vertices.is_empty()).then_some(Selection { vertices, components })
    };
    let choices = (1..8).rev().map(|bits| [bits & 4 != 0, bits & 2 != 0, bits & 1 != 0]);
    Ok(choices.filter_map(of).collect())
}

fn positions(points: &[Vec3]) -> Tensor<'static> {
    Tensor::owned_reals(&[points.len(), 3], points.iter().flat_map(|p| [p.x, p.y, p.z]).collect())
}

fn read_positions(file: &Opened<'_>, name: &str, count: Option<usize>) -> Result<Vec<Vec3>, String> {
    let numbers = file.reals(name, &[count, Some(3)])?;
    Ok(numbers.as_chunks().0.iter().map(|p: &[f64; 3]| Vec3::from(*p)).collect())
}

/// Corners in each face of a kind; `None`: they differ.
fn corners_in(kind: &str) -> Option<usize> {
    [(Kind::Triangles, 3), (Kind::Quads, 4)].iter().find(|(k, _)| k.name() == kind).map(|(_, n)| *n)
}

fn write_faces<'a>(name: &str, faces: &'a Faces, put: &mut impl FnMut(&str, Tensor<'a>)) {
    let corners = faces.corners();
    match corners_in(faces.kind().name()) {
        Some(n) => put(name, Tensor::indices(&[faces.len(), n], corners)),
        None => {
            put(&format!("{name}.offsets"), offsets(faces.iter().map(<[u32]>::len)));
            put(name, Tensor::indices(&[corners.len()], corners));
        }
    }
}

fn read_faces(file: &Opened<'_>, name: &str, kind: &str, count: Option<usize>) -> Result<Faces, String> {
    match corners_in(kind) {
        Some(n) => {
            let corners = file.indices(name, &[count, Some(n)])?;
            // What faces can count; polygons have offsets that cannot go further.
            if u32::try_from(corners.len()).is_err() {
                return Err(format!("{name:?} has {} corners, expected fewer than 2³²", corners.len()));
            }
            Ok(corners.chunks_exact(n).collect())
        }
        None if kind == Kind::Polygons.name() => {
            let starts = file.indices(&format!("{name}.offsets"), &[count.map(|n| n.saturating_add(1))])?;
            Ok(rows(name, starts, file.indices(name, &[None])?)?.collect())
        }
        None => Err(format!(
            "the kind of {name:?} is {kind:?}, expected tets, triangles, quads or polygons; {DAMAGED}"
        )),
    }
}

/// 0, and where each row ends.
fn offsets(rows: impl Iterator<Item = usize>) -> Tensor<'static> {
    let mut end = 0;
    let ends = rows.map(|length| {
        end += length;
        u32::try_from(end).expect("checked: fewer than 2³² entries")
    });
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    Tensor::owned_indices(&[offsets.len()], offsets)
}

fn offsets_of<'a>(file: &Opened<'a>, name: &str, rows: usize) -> Result<&'a [u32], String> {
    file.indices(&format!("{name}.offsets"), &[Some(rows.saturating_add(1))])
}

/// The rows, if the offsets rise from 0 to the number of entries.
fn rows<'a>(
    name: &str,
    offsets: &'a [u32],
    entries: &'a [u32],
) -> Result<impl Iterator<Item = &'a [u32]>, String> {
    let spans = offsets.first() == Some(&0) && offsets.last().map(|&end| end as usize) == Some(entries.len());
    if !spans || !offsets.is_sorted() {
        return Err(format!(
            "the tensor \"{name}.offsets\" does not rise from 0 to the {} entries of {name:?}; {DAMAGED}",
            entries.len()
        ));
    }
    Ok(offsets.windows(2).map(|w| &entries[w[0] as usize..w[1] as usize]))
}
