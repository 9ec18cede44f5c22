//! Version 2.2.
//! ```text
//! $Nodes       $Elements                               binary: elements in blocks of
//! n            m                                       type, how many, number of tags
//! tag x y z    number type tags physical entity … v …  number, tags, vertices
//! ```

use super::super::annotations::region_number;
use super::super::numbers::{Numbers, Scalar, Writer};
use super::{Reader, element_kind};
use crate::{MeshData, Result};

/// Tags of one element; Gmsh writes 2, with partitions a few more.
const MOST_TAGS: i64 = 1 << 16;

pub(super) fn nodes(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    let count = numbers.words.count("vertices", 8)?;
    if !numbers.is_text() {
        numbers.words.end_line();
    }
    let mut tags = Vec::with_capacity(count);
    reader.vertices.reserve(count);
    for _ in 0..count {
        let tag = numbers.integer(Scalar::I32, "the number of a vertex")?;
        tags.push(u64::try_from(tag).map_err(|_| numbers.error(format!("vertex {tag}"), "a number from 0"))?);
        reader.vertices.push(numbers.position(Scalar::F64)?);
    }
    reader.number_vertices(numbers, &tags)
}

pub(super) fn elements(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    let count = numbers.words.count("elements", 6)?;
    if !numbers.is_text() {
        numbers.words.end_line();
    }
    let int = |numbers: &mut Numbers<'_>, what: &str| numbers.integer(Scalar::I32, what);
    let mut done = 0;
    let mut corners = Vec::new();
    while done < count {
        // In a text every element says what it is; in binary a block does.
        let text_number =
            if numbers.is_text() { Some(int(numbers, "the number of an element")?) } else { None };
        let kind = int(numbers, "the type of an element")?;
        let kind = element_kind(numbers, kind)?;
        let many =
            if text_number.is_some() { 1 } else { int(numbers, "the number of elements that follow")? };
        let tags = int(numbers, "the number of tags")?;
        if !(0..=MOST_TAGS).contains(&tags) || many < 1 || many > (count - done) as i64 {
            return Err(numbers.error(
                format!("{many} elements with {tags} tags each"),
                format!("at most {} elements and {MOST_TAGS} tags", count - done),
            ));
        }
        for _ in 0..many {
            let number = match text_number {
                Some(number) => number,
                None => int(numbers, "the number of an element")?,
            };
            let physical = if tags > 0 { int(numbers, "the physical group of the element")? } else { 0 };
            numbers.skip(Scalar::I32, tags.max(1) as usize - 1, "the tags of the element")?;
            corners.clear();
            for _ in 0..kind.vertices {
                let tag = int(numbers, "the number of a vertex")?;
                corners.push(reader.vertex(numbers, number, tag)?);
            }
            reader.element(numbers, kind, &corners, &[physical])?;
        }
        done += many as usize;
    }
    Ok(())
}

pub(super) fn write(out: &mut Writer, mesh: &MeshData) {
    out.line(&format!("$Nodes\n{}", mesh.vertices.len()));
    for (v, p) in mesh.vertices.iter().enumerate() {
        out.int(v as u32 + 1);
        p.iter().for_each(|x| out.real(*x));
        out.end();
    }
    out.line_after_data("$EndNodes");
    let sets = &mesh.attributes.sets;
    let points: usize = sets.iter().map(|s| s.vertices.len()).sum();
    let elements = mesh.elements.len();
    out.line(&format!("$Elements\n{}", elements + points));
    let kind = super::element_type(mesh);
    block(out, kind, elements);
    for e in 0..elements {
        let region = region_number(mesh, e);
        // The entity must not be 0; elements without region get one of their own.
        let tags = match region {
            0 => [super::rest(mesh).unwrap_or(0), mesh.attributes.regions.len() as u32 + 1],
            region => [region, region],
        };
        element(out, e, kind, tags, mesh.elements.get(e));
    }
    block(out, 15, points);
    let members = sets.iter().zip(1..).flat_map(|(set, s)| set.vertices.iter().map(move |v| (s, v)));
    for (i, (set, v)) in members.enumerate() {
        element(out, elements + i, 15, [set, set], &[*v]);
    }
    out.line_after_data("$EndElements");
}

/// The head of a block of elements, which only binary files have.
fn block(out: &mut Writer, kind: u32, count: usize) {
    if !out.is_text() && count > 0 {
        [kind, count as u32, 2].into_iter().for_each(|n| out.int(n));
    }
}

fn element(out: &mut Writer, index: usize, kind: u32, tags: [u32; 2], corners: &[u32]) {
    out.int(index as u32 + 1);
    if out.is_text() {
        out.int(kind);
        out.int(2);
    }
    tags.into_iter().for_each(|t| out.int(t));
    corners.iter().for_each(|v| out.int(v + 1));
    out.end();
}
