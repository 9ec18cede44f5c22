//! TetGen `.node` and `.ele`, which belong together: opening either reads both, writing either makes both.
//!
//! ```text
//! bar.node   vertices 3 attributes markers        bar.ele   tets 4 attributes
//!            number x y z attribute … marker                number a b c d attribute …
//! ```
//! Numbers start where the first vertex says, at 0 or 1. The first attribute of a tet is its region; names, materials
//! and vertex sets travel in comments (`annotations`) in front of the `.ele`. Ten-node tets are read by their corners.
//! Attributes and markers of vertices, and `.face` and `.edge` files, are not read.

use std::fmt::Write as _;

use super::annotations::{self, Wanted, region_number};
use super::cells::{Cells, Shape};
use super::text::{Words, parse_signed};
use super::{Format, Keeps, Loaded, Part, Source, Target};
use crate::{Elements, Kind, MeshData, Result};

pub(super) static FORMAT: Format = Format {
    name: "tetgen",
    title: "TetGen",
    extensions: &["ele", "node"],
    holds: &[Kind::Tets],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["text"],
    read,
    write,
};

fn read(source: &Source<'_>) -> Result<Loaded> {
    let is_node = source.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("node"));
    let other = source.with_extension(if is_node { "ele" } else { "node" })?;
    if is_node { both(source, &other) } else { both(&other, source) }
}

fn both(node: &Source<'_>, ele: &Source<'_>) -> Result<Loaded> {
    let mut words = Words::new(node, b'#', b"");
    let count = words.count("vertices", 8)?;
    let dimension = words.integer_on_line("the dimension, 3")?;
    if dimension != 3 {
        return Err(
            words.error(format!("dimension {dimension}"), "3; plane meshes of Triangle are not solids")
        );
    }
    let extra = columns(&mut words, "attributes")? + columns(&mut words, "boundary markers")?;
    let mut first = 0;
    let mut vertices = Vec::with_capacity(count);
    for v in 0..count as u64 {
        let number = words.integer("the number of a vertex")?;
        if v == 0 {
            first = number;
        }
        if first > 1 || number != first + v {
            let expected = format!("vertex {}; numbers start at 0 or 1 and have no gaps", first.min(1) + v);
            return Err(words.error(format!("vertex {number}"), expected));
        }
        vertices.push(words.position(3)?);
        skip(&mut words, extra)?;
    }

    let mut words = Words::new(ele, b'#', b"");
    let count = words.count("tets", 10)?;
    let corners = words.integer_on_line("the number of corners, 4 or 10")?;
    if corners != 4 && corners != 10 {
        return Err(words.error(format!("{corners} corners"), "4 or 10"));
    }
    let attributes = columns(&mut words, "attributes")?;
    let mut cells = Cells::default();
    let mut numbers = Vec::with_capacity(if attributes > 0 { count } else { 0 });
    let mut tet = vec![0; corners as usize];
    for e in 0..count {
        words.integer("the number of a tet")?;
        for corner in &mut tet {
            *corner = words.vertex(first, vertices.len())?;
        }
        cells.push(e as u32, Shape::Tet, &tet).expect("four or ten corners");
        if attributes > 0 {
            let word = words.next();
            let number = word.and_then(parse_signed);
            numbers
                .push(number.ok_or_else(|| words.unexpected(word, "the region of the tet, a whole number"))?);
            skip(&mut words, attributes - 1)?;
        }
    }
    let mut notes = Vec::new();
    let (elements, _) = cells.finish(ele, &mut notes)?;
    // A file that has none is empty, which the check says better than "no faces".
    let elements = if count == 0 { Elements::Tets(Vec::new()) } else { elements };
    let mut a = annotations::read(ele, elements.len())?.unwrap_or_default();
    if attributes > 0 {
        a = annotations::number_regions(ele, &numbers, Some(a))?;
    }
    Ok(Loaded { mesh: MeshData { vertices, elements, attributes: a }, notes })
}

/// A number of columns in the head of a file. TetGen may leave the last ones away.
fn columns(words: &mut Words<'_>, what: &str) -> Result<u64> {
    match words.next_on_line() {
        None => Ok(0),
        word => word
            .and_then(super::text::parse_integer)
            .filter(|&n| n < 1 << 16)
            .ok_or_else(|| words.unexpected(word, format!("the number of {what}"))),
    }
}

fn skip(words: &mut Words<'_>, count: u64) -> Result<()> {
    for _ in 0..count {
        words.number("an attribute or marker")?;
    }
    Ok(())
}

fn write(mesh: &MeshData, _: &Target<'_>) -> Result<Vec<Part>> {
    let mut node = String::with_capacity(mesh.vertices.len() * 60);
    let _ = writeln!(node, "{} 3 0 0", mesh.vertices.len());
    for (v, p) in mesh.vertices.iter().enumerate() {
        let _ = writeln!(node, "{v} {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    let regions = !mesh.attributes.regions.is_empty();
    let mut ele = String::with_capacity(mesh.elements.len() * 30);
    annotations::write(&mut ele, "# ", mesh, Wanted::NUMBERED);
    let _ = writeln!(ele, "{} 4 {}", mesh.elements.len(), u8::from(regions));
    for e in 0..mesh.elements.len() {
        let _ = write!(ele, "{e}");
        for v in mesh.elements.get(e) {
            let _ = write!(ele, " {v}");
        }
        if regions {
            let _ = write!(ele, " {}", region_number(mesh, e));
        }
        ele.push('\n');
    }
    let part = |extension: &str, text: String| Part { extension: extension.into(), bytes: text.into_bytes() };
    Ok(vec![part("node", node), part("ele", ele)])
}
