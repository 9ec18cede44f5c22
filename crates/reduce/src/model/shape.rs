//! The mesh of a model as tensors, and back: what moves, what is held, and the surface that goes along.

use pliant_mesh::select::Selection;
use pliant_mesh::{Elements, Embedded, Embedding, Kind, MeshData, VertexSet};

use super::description::Description;
use crate::container::{
    DAMAGED, TensorReader, TensorWriter, offsets, offsets_of, positions, read_faces, read_positions, rows,
    write_faces,
};

/// The tensors of a mesh that was checked.
pub(super) fn write<'a>(mesh: &'a MeshData, out: &mut TensorWriter<'a>) {
    out.put("rest", positions(&mesh.vertices));
    match &mesh.elements {
        Elements::Tets(tets) => out.indices("elements", &[tets.len(), 4], tets.as_flattened()),
        Elements::Faces(faces) => write_faces("elements", faces, out),
    }
    let a = &mesh.attributes;
    if !a.region_of.is_empty() {
        out.indices("regions", &[a.region_of.len()], &a.region_of);
    }
    if !a.sets.is_empty() {
        let rows = a.sets.iter().map(|s| s.vertices.len());
        out.put("sets.offsets", offsets(rows));
        let members: Vec<u32> = a.sets.iter().flat_map(|s| s.vertices.iter().copied()).collect();
        out.owned_indices("sets", &[members.len()], members);
    }
    if let Some(surface) = &a.embedded {
        out.put("surface.rest", positions(&surface.vertices));
        write_faces("surface.elements", &surface.faces, out);
        if !surface.region_of.is_empty() {
            out.indices("surface.regions", &[surface.region_of.len()], &surface.region_of);
        }
        let ties = &surface.embedding;
        out.indices("surface.carriers.offsets", &[ties.offsets.len()], &ties.offsets);
        out.indices("surface.carriers", &[ties.vertices.len()], &ties.vertices);
        out.reals("surface.weights", &[ties.weights.len()], &ties.weights);
    }
}

/// The mesh of a file; consistent with itself when [`MeshData::check`] says so.
pub(super) fn read(file: &TensorReader<'_>, description: &Description) -> Result<MeshData, String> {
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

/// By vertex: which of x, y and z `fixed` holds.
pub(super) fn held(fixed: &[Selection], vertices: usize) -> Vec<[bool; 3]> {
    let mut held = vec![[false; 3]; vertices];
    for selection in fixed {
        for &v in &selection.vertices {
            let of_vertex = held[v as usize].iter_mut().zip(selection.components);
            of_vertex.for_each(|(held, this)| *held |= this);
        }
    }
    held
}

/// The selections that hold these degrees of freedom: one for each choice of components that occurs, the most held first.
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
