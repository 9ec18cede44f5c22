//! Version 4.1: entities carry the physical groups, vertices and elements come in blocks, one entity each.
//! ```text
//! $Entities                                  $Nodes                              $Elements
//! points curves surfaces volumes             blocks vertices lowest highest      blocks elements lowest highest
//! tag x y z groups g …                       dimension entity parametric n       dimension entity type n
//! tag box (6) groups g … boundary b …        tag (n times), x y z (n times)      tag v … (n times)
//! ```
//! Our files have an entity for each region that is used, one for elements without region, and one point entity for
//! each vertex set. A block ends where the region changes, so the elements keep their order.

use super::super::annotations::region_number;
use super::super::numbers::{Numbers, Scalar, Writer};
use super::{Reader, dimension, element_kind};
use crate::{MeshData, Result};

const INT: Scalar = Scalar::I32;
const SIZE: Scalar = Scalar::U64;

pub(super) fn entities(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    let mut counts = [0; 4];
    begin(numbers);
    for count in &mut counts {
        *count = numbers.count(SIZE, "entities", 8)?;
    }
    for (dimension, count) in (0..).zip(counts) {
        for _ in 0..count {
            let tag = numbers.integer(INT, "the number of an entity")?;
            numbers.skip(Scalar::F64, if dimension == 0 { 3 } else { 6 }, "the box of the entity")?;
            let groups = numbers.count(SIZE, "physical groups", 2)?;
            let groups: Result<Vec<i64>> =
                (0..groups).map(|_| numbers.integer(INT, "the number of a physical group")).collect();
            reader.entities.insert((dimension, tag), groups?);
            if dimension > 0 {
                let bounding = numbers.count(SIZE, "bounding entities", 2)?;
                numbers.skip(INT, bounding, "the bounding entities")?;
            }
        }
    }
    Ok(())
}

pub(super) fn nodes(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    begin(numbers);
    let blocks = numbers.count(SIZE, "blocks", 8)?;
    let count = numbers.count(SIZE, "vertices", 8)?;
    numbers.skip(SIZE, 2, "the lowest and the highest number of a vertex")?;
    let mut tags = Vec::with_capacity(count);
    reader.vertices.reserve(count);
    for _ in 0..blocks {
        let dimension = numbers.integer(INT, "the dimension of an entity")?;
        numbers.skip(INT, 1, "the number of an entity")?;
        let parametric = numbers.integer(INT, "0, or 1 where parameters follow the coordinates")?;
        if !(0..=3).contains(&dimension) {
            return Err(numbers.error(format!("dimension {dimension}"), "a number from 0 to 3"));
        }
        let here = numbers.count(SIZE, "vertices", 8)?;
        if here > count - tags.len() {
            return Err(numbers.error(
                format!("{here} vertices in a block"),
                format!("at most {}, {count} in all", count - tags.len()),
            ));
        }
        for _ in 0..here {
            let tag = numbers.integer(SIZE, "the number of a vertex")?;
            tags.push(
                u64::try_from(tag).map_err(|_| numbers.error(format!("vertex {tag}"), "a number from 0"))?,
            );
        }
        for _ in 0..here {
            reader.vertices.push(numbers.position(Scalar::F64)?);
            let parameters = if parametric == 0 { 0 } else { dimension as usize };
            numbers.skip(Scalar::F64, parameters, "the parameters of the vertex")?;
        }
    }
    if tags.len() < count {
        return Err(numbers.error(format!("{} vertices", tags.len()), format!("{count}, as announced")));
    }
    reader.number_vertices(numbers, &tags)
}

pub(super) fn elements(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    begin(numbers);
    let blocks = numbers.count(SIZE, "blocks", 8)?;
    let count = numbers.count(SIZE, "elements", 4)?;
    numbers.skip(SIZE, 2, "the lowest and the highest number of an element")?;
    let mut done = 0;
    let mut corners = Vec::new();
    for _ in 0..blocks {
        let dimension = numbers.integer(INT, "the dimension of an entity")?;
        let entity = numbers.integer(INT, "the number of an entity")?;
        let kind = numbers.integer(INT, "the type of an element")?;
        let kind = element_kind(numbers, kind)?;
        let here = numbers.count(SIZE, "elements", 4)?;
        if here > count - done {
            return Err(numbers.error(
                format!("{here} elements in a block"),
                format!("at most {}, {count} in all", count - done),
            ));
        }
        // Taken out of the table and put back: the reader cannot be asked and told at the same time.
        let groups = reader.entities.remove(&(dimension, entity)).unwrap_or_default();
        for _ in 0..here {
            let number = numbers.integer(SIZE, "the number of an element")?;
            corners.clear();
            for _ in 0..kind.vertices {
                let tag = numbers.integer(SIZE, "the number of a vertex")?;
                corners.push(reader.vertex(numbers, number, tag)?);
            }
            reader.element(numbers, kind, &corners, &groups)?;
        }
        reader.entities.insert((dimension, entity), groups);
        done += here;
    }
    if done < count {
        return Err(numbers.error(format!("{done} elements"), format!("{count}, as announced")));
    }
    Ok(())
}

/// Binary data starts in the line behind the name of its section.
fn begin(numbers: &mut Numbers<'_>) {
    if !numbers.is_text() {
        numbers.words.end_line();
    }
}

pub(super) fn write(out: &mut Writer, mesh: &MeshData) {
    let a = &mesh.attributes;
    let (elements, dimension) = (mesh.elements.len(), dimension(mesh) as u32);
    let without = a.regions.len() as u32 + 1;
    // Entities have the numbers of their physical groups.
    let entity = |e: usize| match region_number(mesh, e) {
        0 => without,
        region => region,
    };
    let mut used: Vec<u32> = (0..elements).map(entity).collect();
    used.sort_unstable();
    used.dedup();
    let sets: Vec<(u32, &[u32])> =
        (1..).zip(&a.sets).map(|(s, set)| (s, &set.vertices[..])).filter(|s| !s.1.is_empty()).collect();

    out.line("$Entities");
    let (surfaces, volumes) = if dimension == 3 { (0, used.len()) } else { (used.len(), 0) };
    [sets.len(), 0, surfaces, volumes].into_iter().for_each(|n| out.long(n as u64));
    out.end();
    for (tag, members) in &sets {
        out.int(*tag);
        mesh.vertices[members[0] as usize].iter().for_each(|x| out.real(*x));
        out.long(1);
        out.int(*tag);
        out.end();
    }
    let bounds = mesh.bounds();
    for tag in &used {
        out.int(*tag);
        bounds.iter().flat_map(|p| p.iter()).for_each(|x| out.real(*x));
        let groups = super::rest(mesh).map(|_| *tag);
        out.long(groups.is_some().into());
        groups.iter().for_each(|g| out.int(*g));
        out.long(0);
        out.end();
    }
    out.line_after_data("$EndEntities");

    let vertices = mesh.vertices.len() as u64;
    out.line("$Nodes");
    [1, vertices, 1, vertices].into_iter().for_each(|n| out.long(n));
    out.end();
    [dimension, used[0], 0].into_iter().for_each(|n| out.int(n));
    out.long(vertices);
    out.end();
    for v in 1..=vertices {
        out.long(v);
        out.end();
    }
    for p in &mesh.vertices {
        p.iter().for_each(|x| out.real(*x));
        out.end();
    }
    out.line_after_data("$EndNodes");

    let mut blocks = vec![0];
    blocks.extend((1..elements).filter(|&e| entity(e) != entity(e - 1)));
    let points: usize = sets.iter().map(|s| s.1.len()).sum();
    let count = (elements + points) as u64;
    out.line("$Elements");
    [(blocks.len() + sets.len()) as u64, count, 1, count].into_iter().for_each(|n| out.long(n));
    out.end();
    for (b, &start) in blocks.iter().enumerate() {
        let end = blocks.get(b + 1).copied().unwrap_or(elements);
        block(out, [dimension, entity(start), super::element_type(mesh)], end - start);
        for e in start..end {
            element(out, e, mesh.elements.get(e));
        }
    }
    let mut number = elements;
    for (tag, members) in &sets {
        block(out, [0, *tag, 15], members.len());
        for v in *members {
            element(out, number, &[*v]);
            number += 1;
        }
    }
    out.line_after_data("$EndElements");
}

fn block(out: &mut Writer, head: [u32; 3], count: usize) {
    head.into_iter().for_each(|n| out.int(n));
    out.long(count as u64);
    out.end();
}

fn element(out: &mut Writer, index: usize, corners: &[u32]) {
    out.long(index as u64 + 1);
    corners.iter().for_each(|v| out.long(u64::from(*v) + 1));
    out.end();
}
