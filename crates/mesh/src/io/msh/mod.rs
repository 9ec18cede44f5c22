//! Gmsh `.msh`, versions 2.2 and 4.1, text and binary of either byte order.
//!
//! - Regions are physical groups of the dimension of the elements (3 for tets, 2 for faces), numbered from 1.
//! - Vertex sets are physical groups of dimension 0 made of point elements, so one vertex may be in many.
//! - Materials travel in `$Comments` (`annotations`), and so does the sign that names are spelt with `%` codes, which
//!   happens to names with `"`, control characters or more than 127 bytes: Gmsh could not read them otherwise.
//! - As soon as there is a group, elements without region get one too, without name, since most programs drop what is in
//!   no group; the line `pliant-rest N` in `$Comments` says which it is.
//!
//! Vertices keep the order of the file, whatever their numbers are. Elements of second order: see `cells`. Version 4.0
//! (2018, soon replaced) and 1 are refused. Source: the reference manual of Gmsh, "MSH file format".

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pliant_linalg::Vec3;

use super::annotations::{self, Wanted, decode_name, encode_name, region_number};
use super::cells::{Cells, Shape};
use super::numbers::{Coding, Numbers, Scalar, Writer};
use super::text::{parse_number, parse_signed, quote};
use super::{Format, Keeps, Loaded, Part, Source, Target};
use crate::{Attributes, Elements, Kind, MeshData, Place, Region, Result, VertexSet};

mod v2;
mod v4;

pub(super) static FORMAT: Format = Format {
    name: "gmsh",
    title: "Gmsh",
    extensions: &["msh"],
    holds: &[Kind::Tets, Kind::Triangles, Kind::Quads],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["4.1-binary", "4.1-text", "2.2-text", "2.2-binary"],
    read,
    write,
};

/// In `$Comments`: names in this file are spelt with `%` codes.
const CODED_NAMES: &[u8] = b"pliant-coded-names";
/// In `$Comments`: the physical group of elements without region.
const REST: &[u8] = b"pliant-rest ";
/// Bytes of a name that every version of Gmsh can hold.
const LONGEST_NAME: usize = 127;

/// What has been read so far.
#[derive(Default)]
struct Reader<'a> {
    vertices: Vec<Vec3>,
    /// Number in the file and index of every vertex, ascending; empty when the numbers are `first_tag`, +1, +2, ….
    tags: Vec<(u64, u32)>,
    first_tag: u64,
    cells: Cells,
    /// Physical group of each cell, 0 for none.
    physical: Vec<i64>,
    /// Cells in several groups.
    several: usize,
    /// Dimension, number and name of the physical groups.
    names: Vec<(u64, i64, String)>,
    /// Version 4: the physical groups of each entity, by dimension and number.
    entities: BTreeMap<(i64, i64), Vec<i64>>,
    /// Group and vertex of point elements.
    points: Vec<(i64, u32)>,
    comments: Vec<(Place, &'a [u8])>,
    notes: Vec<String>,
}

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut numbers = Numbers::new(source);
    let mut reader = Reader::default();
    let mut version = 0.0;
    let (mut nodes, mut elements) = (false, false);
    while let Some(word) = numbers.words.next() {
        match word {
            b"$MeshFormat" => version = header(&mut numbers)?,
            b"$Comments" => {
                let place = numbers.words.place();
                let Some(text) = numbers.words.until(b"$EndComments") else {
                    return Err(numbers.cut_off("$EndComments"));
                };
                reader.comments.extend(text.split(|&b| b == b'\n').map(|line| (place.clone(), line)));
                continue;
            }
            _ if version == 0.0 => {
                return Err(numbers.words.unexpected(Some(word), "a Gmsh file that starts with $MeshFormat"));
            }
            b"$PhysicalNames" => names(&mut numbers, &mut reader)?,
            b"$Entities" if version > 4.0 => v4::entities(&mut numbers, &mut reader)?,
            b"$Nodes" => {
                nodes = true;
                if version > 4.0 {
                    v4::nodes(&mut numbers, &mut reader)?
                } else {
                    v2::nodes(&mut numbers, &mut reader)?
                }
            }
            b"$Elements" => {
                elements = true;
                if version > 4.0 {
                    v4::elements(&mut numbers, &mut reader)?;
                } else {
                    v2::elements(&mut numbers, &mut reader)?;
                }
            }
            [b'$', name @ ..] => {
                // Periodic, NodeData and the like.
                let end = [b"$End", name].concat();
                if numbers.words.until(&end).is_none() {
                    return Err(numbers.cut_off(&format!("{} further on", quote(&end))));
                }
                reader.notes.push(format!("section {} was skipped", quote(word)));
                continue;
            }
            _ => return Err(numbers.words.unexpected(Some(word), "the start of a section, such as $Nodes")),
        }
        let end = [b"$End", &word[1..]].concat();
        let found = numbers.words.next();
        if found != Some(&end[..]) {
            return Err(numbers.words.unexpected(found, quote(&end)));
        }
    }
    if !(nodes && elements) {
        return Err(numbers.cut_off("the sections $MeshFormat, $Nodes and $Elements"));
    }
    reader.finish(source)
}

/// Reads `$MeshFormat` and returns the version.
fn header(numbers: &mut Numbers<'_>) -> Result<f64> {
    numbers.set_coding(Coding::Text);
    let word = numbers.words.next();
    let version = word.and_then(parse_number).unwrap_or(0.0);
    if !((2.0..3.0).contains(&version) || version == 4.1) {
        let expected = "version 2.2 or 4.1; save it again in one of these (`gmsh -format msh41`)";
        return Err(numbers.words.unexpected(word, expected));
    }
    let binary = numbers.integer(Scalar::I32, "0 for text, 1 for binary")?;
    let size = numbers.integer(Scalar::I32, "the size of a number, 8")?;
    if !(0..=1).contains(&binary) || size != 8 {
        return Err(numbers.error(format!("file type {binary}, size {size}"), "file type 0 or 1, size 8"));
    }
    if binary == 1 {
        numbers.words.end_line();
        let coding = match numbers.words.raw(4) {
            Some([1, 0, 0, 0]) => Coding::Little,
            Some([0, 0, 0, 1]) => Coding::Big,
            _ => return Err(numbers.error("no byte order", "the number 1 in four bytes")),
        };
        numbers.set_coding(coding);
    }
    Ok(version)
}

/// Reads `$PhysicalNames`, which is text in binary files too.
fn names(numbers: &mut Numbers<'_>, reader: &mut Reader<'_>) -> Result<()> {
    let count = numbers.words.count("names", 4)?;
    for _ in 0..count {
        let dimension = numbers.words.integer("the dimension of a physical group")?;
        let word = numbers.words.next();
        let tag = word.and_then(parse_signed);
        let tag = tag.ok_or_else(|| numbers.words.unexpected(word, "the number of a physical group"))?;
        let name = numbers.words.rest_of_line();
        let name = name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\"")).unwrap_or(name);
        reader.names.push((dimension, tag, String::from_utf8_lossy(name).into_owned()));
    }
    Ok(())
}

impl Reader<'_> {
    /// Takes the numbers of the vertices, in the order of the file.
    fn number_vertices(&mut self, numbers: &Numbers<'_>, tags: &[u64]) -> Result<()> {
        self.first_tag = tags.first().copied().unwrap_or(1);
        self.tags.clear();
        if tags.iter().zip(self.first_tag..).any(|(&tag, due)| tag != due) {
            self.tags = tags.iter().copied().zip(0..).collect();
            self.tags.sort_unstable();
            if let Some(w) = self.tags.windows(2).find(|w| w[0].0 == w[1].0) {
                return Err(
                    numbers.error(format!("two vertices have the number {}", w[0].0), "different numbers")
                );
            }
        }
        Ok(())
    }

    /// The vertex with a number.
    fn vertex(&self, numbers: &Numbers<'_>, element: i64, tag: i64) -> Result<u32> {
        let found = u64::try_from(tag).ok().and_then(|tag| {
            if self.tags.is_empty() {
                tag.checked_sub(self.first_tag).filter(|&i| i < self.vertices.len() as u64).map(|i| i as u32)
            } else {
                self.tags.binary_search_by_key(&tag, |t| t.0).ok().map(|i| self.tags[i].1)
            }
        });
        found.ok_or_else(|| {
            numbers.error(
                format!("element {element} names vertex {tag}"),
                format!("the number of one of the {} vertices of the file", self.vertices.len()),
            )
        })
    }

    /// Takes an element with its physical groups.
    fn element(
        &mut self,
        numbers: &Numbers<'_>,
        kind: ElementKind,
        corners: &[u32],
        groups: &[i64],
    ) -> Result<()> {
        if kind.point {
            self.points.extend(groups.iter().filter(|&&g| g != 0).map(|&g| (g, corners[0])));
            return Ok(());
        }
        let cell = u32::try_from(self.physical.len())
            .map_err(|_| numbers.error("too many elements", "fewer than 2³²"))?;
        self.several += usize::from(groups.len() > 1);
        self.physical.push(groups.last().copied().unwrap_or(0));
        self.cells.push(cell, kind.shape, corners).expect("the table gives every kind at least its corners");
        Ok(())
    }

    fn finish(mut self, source: &Source<'_>) -> Result<Loaded> {
        let (elements, cells) = self.cells.finish(source, &mut self.notes)?;
        if self.several > 0 {
            self.notes.push(format!(
                "{} elements are in more than one physical group; the last one counts",
                self.several
            ));
        }
        if self.comments.iter().any(|(_, line)| line.trim_ascii() == CODED_NAMES) {
            self.names.iter_mut().for_each(|n| n.2 = decode_name(&n.2));
        }
        let rest = self
            .comments
            .iter()
            .find_map(|(_, line)| line.strip_prefix(REST))
            .and_then(|n| parse_signed(n.trim_ascii()));
        let dimension = if matches!(elements, Elements::Tets(_)) { 3 } else { 2 };
        let mut a = annotations::read_lines(source, self.comments.into_iter(), 0)?.unwrap_or_default();
        let materials = std::mem::take(&mut a.regions);
        let numbers: Vec<i64> = cells
            .iter()
            .map(|&c| self.physical[c as usize])
            .map(|n| if Some(n) == rest { 0 } else { n })
            .collect();
        let groups = Groups::new(&self.names, dimension, &numbers);
        // One number for all and no name: every element is alike, so there are no regions.
        let alike = groups.named == 0 && numbers.iter().all(|&n| n == numbers[0]);
        if !alike && !groups.names.is_empty() {
            let of = |n: &i64| if *n == 0 { Attributes::NO_REGION } else { groups.index[n] };
            a.region_of = numbers.iter().map(of).collect();
            // Of two of one name the first counts.
            let of_name: BTreeMap<String, Option<u32>> =
                materials.into_iter().rev().map(|m| (m.name, m.material)).collect();
            let material = |name: &String| of_name.get(name).copied().flatten();
            a.regions =
                groups.names.into_iter().map(|name| Region { material: material(&name), name }).collect();
        }
        let points: Vec<i64> = self.points.iter().map(|p| p.0).collect();
        let groups = Groups::new(&self.names, 0, &points);
        a.sets = groups.names.into_iter().map(|name| VertexSet { name, vertices: Vec::new() }).collect();
        for (group, vertex) in &self.points {
            a.sets[groups.index[group] as usize].vertices.push(*vertex);
        }
        for set in &mut a.sets {
            set.vertices.sort_unstable();
            set.vertices.dedup();
        }
        let mesh = MeshData { vertices: self.vertices, elements, attributes: a };
        Ok(Loaded { mesh, notes: self.notes })
    }
}

/// The physical groups of one dimension: those with names in the order of the file, then those without, called after
/// their numbers.
struct Groups {
    names: Vec<String>,
    named: usize,
    index: BTreeMap<i64, u32>,
}

impl Groups {
    fn new(all: &[(u64, i64, String)], dimension: u64, used: &[i64]) -> Self {
        let mut groups = Self { names: Vec::new(), named: 0, index: BTreeMap::new() };
        for (_, tag, name) in all.iter().filter(|n| n.0 == dimension) {
            groups.add(*tag, name.clone());
        }
        groups.named = groups.names.len();
        let mut used = used.to_vec();
        used.sort_unstable();
        used.dedup();
        for tag in used.into_iter().filter(|&t| t != 0) {
            if !groups.index.contains_key(&tag) {
                groups.add(tag, tag.to_string());
            }
        }
        groups
    }

    fn add(&mut self, tag: i64, name: String) {
        self.index.insert(tag, self.names.len() as u32);
        self.names.push(name);
    }
}

/// One row of Gmsh's table of elements.
#[derive(Clone, Copy)]
struct ElementKind {
    vertices: usize,
    shape: Shape,
    point: bool,
}

/// The kind of an element by its number in Gmsh.
fn element_kind(numbers: &Numbers<'_>, kind: i64) -> Result<ElementKind> {
    let (vertices, shape) = match kind {
        1 => (2, Shape::Thin),
        2 => (3, Shape::Triangle),
        3 => (4, Shape::Quad),
        4 => (4, Shape::Tet),
        5 => (8, Shape::Hex),
        8 => (3, Shape::Thin),
        9 => (6, Shape::Triangle),
        10 => (9, Shape::Quad),
        11 => (10, Shape::Tet),
        12 => (27, Shape::Hex),
        15 => (1, Shape::Thin),
        16 => (8, Shape::Quad),
        17 => (20, Shape::Hex),
        6 | 7 | 13 | 14 | 18 | 19 => {
            let expected = "tets, hexahedra, triangles or quads; let Gmsh make tets of prisms and pyramids";
            return Err(numbers.error("a prism or pyramid", expected));
        }
        _ => {
            let expected = "elements of first or second order (types 1 to 5, 8 to 12 and 15 to 17)";
            return Err(numbers.error(format!("an element of type {kind}"), expected));
        }
    };
    Ok(ElementKind { vertices, shape, point: kind == 15 })
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let coding = if target.variant.ends_with("binary") { Coding::Little } else { Coding::Text };
    let version = &target.variant[..3];
    let mut out = Writer::new(coding);
    out.line(&format!("$MeshFormat\n{version} {} 8", u8::from(coding != Coding::Text)));
    if coding != Coding::Text {
        out.int(1);
    }
    out.line_after_data("$EndMeshFormat");
    write_names(&mut out, mesh);
    if version == "4.1" {
        v4::write(&mut out, mesh)
    } else {
        v2::write(&mut out, mesh)
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.bytes }])
}

fn write_names(out: &mut Writer, mesh: &MeshData) {
    let a = &mesh.attributes;
    let names: Vec<(usize, usize, &String)> = a
        .sets
        .iter()
        .enumerate()
        .map(|(i, s)| (0, i + 1, &s.name))
        .chain(a.regions.iter().enumerate().map(|(i, r)| (dimension(mesh), i + 1, &r.name)))
        .collect();
    let hard =
        |name: &&String| name.len() > LONGEST_NAME || name.contains('"') || name.contains(char::is_control);
    let coded = names.iter().any(|n| hard(&n.2));
    let mut comments = String::new();
    if coded {
        comments.push_str(&String::from_utf8_lossy(CODED_NAMES));
        comments.push('\n');
    }
    if let Some(rest) = rest(mesh).filter(|_| (0..mesh.elements.len()).any(|e| region_number(mesh, e) == 0)) {
        let _ = writeln!(comments, "{}{rest}", String::from_utf8_lossy(REST));
    }
    let tied = a.regions.iter().any(|r| r.material.is_some());
    annotations::write(
        &mut comments,
        "",
        mesh,
        Wanted { regions: tied, materials: true, ..Wanted::default() },
    );
    if !comments.is_empty() {
        out.line("$Comments");
        out.line(comments.trim_end());
        out.line("$EndComments");
    }
    if !names.is_empty() {
        out.line(&format!("$PhysicalNames\n{}", names.len()));
        for (dimension, tag, name) in names {
            let name = if coded { encode_name(name) } else { name.clone() };
            out.line(&format!("{dimension} {tag} \"{name}\""));
        }
        out.line("$EndPhysicalNames");
    }
}

/// The physical group of elements without region; `None` when the file has no groups.
fn rest(mesh: &MeshData) -> Option<u32> {
    let a = &mesh.attributes;
    (!a.regions.is_empty() || !a.sets.is_empty()).then_some(a.regions.len() as u32 + 1)
}

/// The dimension of the elements.
fn dimension(mesh: &MeshData) -> usize {
    if mesh.kind() == Kind::Tets { 3 } else { 2 }
}

/// Gmsh's number for the elements.
fn element_type(mesh: &MeshData) -> u32 {
    match mesh.kind() {
        Kind::Tets => 4,
        Kind::Triangles => 2,
        _ => 3,
    }
}
