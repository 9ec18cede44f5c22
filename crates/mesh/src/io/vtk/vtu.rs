//! VTK XML `.vtu`: unstructured grids, in one or several pieces, with every way there is to store their arrays.
//!
//! Written with raw appended data (exact, small, quick) or as text.

use std::fmt::Write as _;

use pliant_linalg::{Vec3, quote};

use super::super::annotations::region_number;
use super::super::numbers::{Coding, Scalar, Writer};
use super::super::{Format, Keeps, Loaded, Part, Source, Target};
use super::arrays::{Array, Store, Stored};
use super::xml::{Tag, TagKind, Tags};
use super::{FIELD, Grid, REGION, SET};
use crate::{Kind, MeshData, Place, Result};

pub(in super::super) static FORMAT: Format = Format {
    name: "vtu",
    title: "VTK XML",
    extensions: &["vtu"],
    holds: &[Kind::Tets, Kind::Triangles, Kind::Quads, Kind::Polygons],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["binary", "text"],
    read,
    write,
};

/// What an array tells about.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Field,
    Points,
    Cells,
    PointData,
    CellData,
}

/// Part of the mesh, with arrays of its own.
struct Piece {
    points: usize,
    cells: usize,
    arrays: Vec<(Section, Array)>,
}

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut tags = Tags::new(source);
    let mut store = Store::new(source);
    let mut field = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut section = None;
    let (mut known, mut whole) = (false, false);
    while let Some(tag) = tags.next()? {
        let opens = tag.kind != TagKind::Close;
        match &*tag.name {
            "VTKFile" if opens => {
                head(source, &tags, &tag, &mut store)?;
                known = true;
            }
            "VTKFile" => whole = true,
            _ if !known => break,
            "Piece" if opens => {
                let count = |name: &str| {
                    let number = tag.get(name).and_then(|n| n.trim().parse().ok());
                    number.ok_or_else(|| {
                        source.error(tags.place(), format!("a piece without {name}"), "a number")
                    })
                };
                // Packed numbers may take less than a byte each; what the arrays hold is checked against this later.
                pieces.push(Piece {
                    points: count("NumberOfPoints")?,
                    cells: count("NumberOfCells")?,
                    arrays: Vec::new(),
                });
            }
            "FieldData" | "Points" | "Cells" | "PointData" | "CellData" => {
                section = (tag.kind == TagKind::Open).then_some(match &*tag.name {
                    "FieldData" => Section::Field,
                    "Points" => Section::Points,
                    "Cells" => Section::Cells,
                    "PointData" => Section::PointData,
                    _ => Section::CellData,
                });
            }
            "DataArray" | "Array" if opens => {
                let array = announced(source, &mut tags, &tag)?;
                match (section, pieces.last_mut()) {
                    (Some(Section::Field), _) => field.push(array),
                    (Some(section), Some(piece)) => piece.arrays.push((section, array)),
                    _ => {}
                }
            }
            "AppendedData" if opens => {
                let rest = &source.bytes[tags.at..];
                let Some(start) = rest.iter().position(|&b| b == b'_') else {
                    return Err(source.error(
                        tags.place(),
                        "no appended data",
                        "a sign \"_\" in front of it",
                    ));
                };
                store.appended = Some((tags.at + start + 1, tag.get("encoding") != Some("raw")));
                whole = true;
                break;
            }
            _ => {}
        }
    }
    if !known {
        return Err(source.error(Place::Line(1), "no tag <VTKFile>", "a VTK XML file"));
    }
    if !whole || pieces.is_empty() {
        return Err(source.error(
            tags.place(),
            "the file ends here",
            "a <Piece> and </VTKFile>; it is cut off",
        ));
    }
    let mut grid = Grid::default();
    for array in field.iter().filter(|a| a.name == FIELD) {
        let bytes = store.integers(array, array.components.saturating_mul(array.tuples))?;
        grid.lines = bytes.into_iter().map(|b| b as u8).collect();
    }
    for piece in &pieces {
        piece.read(&mut store, &mut grid)?;
    }
    grid.finish(source)
}

/// Reads the tag `VTKFile`.
fn head(source: &Source<'_>, tags: &Tags<'_>, tag: &Tag, store: &mut Store<'_>) -> Result<()> {
    let bad = |name: &str, expected: &str| {
        let found = format!("{name} {}", quote(tag.get(name).unwrap_or("")));
        Err(source.error(tags.place(), found, expected))
    };
    if tag.get("type") != Some("UnstructuredGrid") {
        return bad("type", "UnstructuredGrid; ParaView can make one of other data");
    }
    store.big = match tag.get("byte_order") {
        None | Some("LittleEndian") => false,
        Some("BigEndian") => true,
        _ => return bad("byte_order", "LittleEndian or BigEndian"),
    };
    store.header = match tag.get("header_type") {
        None | Some("UInt32") => Scalar::U32,
        Some("UInt64") => Scalar::U64,
        _ => return bad("header_type", "UInt32 or UInt64"),
    };
    store.packed = match tag.get("compressor") {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        _ => return bad("compressor", "vtkZLibDataCompressor or none; save the file with one of these"),
    };
    Ok(())
}

/// Reads the tag of an array and finds its numbers.
fn announced(source: &Source<'_>, tags: &mut Tags<'_>, tag: &Tag) -> Result<Array> {
    let place = tags.place();
    let number = |name: &str| tag.get(name).and_then(|n| n.trim().parse::<usize>().ok());
    let name = tag.get("Name").unwrap_or("").to_owned();
    let kind = match tag.get("type").unwrap_or("") {
        "Int8" => Some(Scalar::I8),
        "UInt8" => Some(Scalar::U8),
        "Int16" => Some(Scalar::I16),
        "UInt16" => Some(Scalar::U16),
        "Int32" => Some(Scalar::I32),
        "UInt32" => Some(Scalar::U32),
        "Int64" => Some(Scalar::I64),
        "UInt64" => Some(Scalar::U64),
        "Float32" => Some(Scalar::F32),
        "Float64" => Some(Scalar::F64),
        _ => None,
    };
    let components = number("NumberOfComponents").unwrap_or(1);
    let tuples = number("NumberOfTuples").unwrap_or(1);
    // The text stands behind the tag; tags of its own may come first (`InformationKey`).
    let (mut range, mut line) = (tags.at..tags.at, tags.line);
    if tag.kind == TagKind::Open {
        let mut inner = 0usize;
        loop {
            let (start, start_line) = (tags.at, tags.line);
            let Some(next) = tags.next()? else {
                return Err(source.error(
                    place,
                    format!("the array {} does not end", quote(&name)),
                    "its closing tag",
                ));
            };
            let text =
                start..start + source.bytes[start..tags.at].iter().position(|&b| b == b'<').unwrap_or(0);
            if inner == 0 && range.is_empty() && !source.bytes[text.clone()].trim_ascii().is_empty() {
                (range, line) = (text, start_line);
            }
            match next.kind {
                TagKind::Open => inner += 1,
                TagKind::Close if inner == 0 => break,
                TagKind::Close => inner -= 1,
                TagKind::Empty => {}
            }
        }
    }
    let stored = match (tag.get("format").unwrap_or("ascii"), number("offset")) {
        ("ascii", _) => Stored::Text(range, line),
        ("binary", _) => Stored::Base64(range),
        ("appended", Some(offset)) => Stored::Appended(offset),
        (format, _) => {
            let expected = "ascii, binary, or appended with an offset";
            return Err(source.error(
                place,
                format!("the array {} in the format {}", quote(&name), quote(format)),
                expected,
            ));
        }
    };
    Ok(Array { name, kind, components, tuples, stored })
}

impl Piece {
    fn array(&self, source: &Source<'_>, section: Section, name: Option<&str>) -> Result<&Array> {
        let fits = |a: &&(Section, Array)| a.0 == section && name.is_none_or(|n| a.1.name == n);
        self.arrays.iter().find(fits).map(|a| &a.1).ok_or_else(|| {
            let name = name.unwrap_or("Points");
            source.error(
                Place::Whole,
                format!("no array {}", quote(name)),
                "points, connectivity, offsets and types",
            )
        })
    }

    fn read(&self, store: &mut Store<'_>, grid: &mut Grid) -> Result<()> {
        let source = store.source;
        let (first, before) = (grid.vertices.len(), grid.count);
        if self.points > 0 {
            let points = self.array(source, Section::Points, None)?;
            if points.components != 3 {
                let place = Place::Part(format!("array {}", quote(&points.name)));
                return Err(source.error(place, format!("{} components", points.components), "3"));
            }
            let numbers = store.reals(points, self.points.saturating_mul(3))?;
            grid.vertices.extend(numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])));
        }
        if self.cells > 0 {
            let offsets = store.integers(self.array(source, Section::Cells, Some("offsets"))?, self.cells)?;
            let types = store.integers(self.array(source, Section::Cells, Some("types"))?, self.cells)?;
            let size = usize::try_from(offsets.last().copied().unwrap_or(0)).unwrap_or(usize::MAX);
            let corners = store.integers(self.array(source, Section::Cells, Some("connectivity"))?, size)?;
            let mut start = 0;
            let mut cell = Vec::new();
            for (c, (&end, &kind)) in offsets.iter().zip(&types).enumerate() {
                let place = || Place::Part(format!("cell {}", before + c));
                let Some(ids) = usize::try_from(end).ok().and_then(|end| corners.get(start..end)) else {
                    return Err(source.error(
                        place(),
                        format!("the offset {end}"),
                        format!("at least {start}"),
                    ));
                };
                cell.clear();
                for &v in ids {
                    let vertex = usize::try_from(v).ok().filter(|&v| v < self.points).ok_or_else(|| {
                        let last = self.points.saturating_sub(1);
                        source.error(place(), format!("vertex {v}"), format!("a number from 0 to {last}"))
                    })?;
                    cell.push((first + vertex) as u32);
                }
                grid.cell(source, kind, &cell)?;
                start += ids.len();
            }
        }
        for (section, array) in &self.arrays {
            match (section, array.name.strip_prefix(SET)) {
                (Section::CellData, _) if array.name == REGION && array.components == 1 => {
                    grid.regions.extend(store.integers(array, self.cells)?);
                }
                (Section::PointData, Some(name)) if array.components == 1 => {
                    let members = store.integers(array, self.points)?;
                    grid.set(name, &members, first);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The file while it is written: the tags, and the data that will be appended.
struct Out {
    xml: String,
    data: Vec<u8>,
    text: bool,
}

impl Out {
    fn line(&mut self, text: &str) {
        self.xml.push_str(text);
        self.xml.push('\n');
    }

    /// An array; `fill` writes its numbers.
    fn array(&mut self, kind: &str, name: &str, more: &str, fill: impl FnOnce(&mut Writer)) {
        let mut numbers = Writer::new(if self.text { Coding::Text } else { Coding::Little });
        fill(&mut numbers);
        let _ = write!(self.xml, "<DataArray type=\"{kind}\" Name=\"{name}\"{more} format=");
        if self.text {
            self.line("\"ascii\">");
            self.line(&String::from_utf8_lossy(&numbers.bytes));
            self.line("</DataArray>");
        } else {
            let offset = self.data.len();
            self.line(&format!("\"appended\" offset=\"{offset}\"/>"));
            self.data.extend((numbers.bytes.len() as u64).to_le_bytes());
            self.data.extend(numbers.bytes);
        }
    }
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let bytes = grid(mesh, target.variant == "text", None);
    Ok(vec![Part { extension: target.extension.into(), bytes }])
}

/// The file in raw binary, with a point array of three numbers at each vertex.
pub(in super::super) fn with_vectors(mesh: &MeshData, name: &str, vectors: &[f64]) -> Vec<u8> {
    grid(mesh, false, Some((name, vectors)))
}

fn grid(mesh: &MeshData, text: bool, vectors: Option<(&str, &[f64])>) -> Vec<u8> {
    let mut out = Out { xml: String::new(), data: Vec::new(), text };
    let a = &mesh.attributes;
    let (vertices, cells) = (mesh.vertices.len(), mesh.elements.len());
    out.line("<?xml version=\"1.0\"?>");
    out.line(
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">",
    );
    out.line("<UnstructuredGrid>");
    let lines = super::lines(mesh);
    if !lines.is_empty() {
        out.line("<FieldData>");
        let tuples = format!(" NumberOfTuples=\"{}\"", lines.len());
        out.array("UInt8", FIELD, &tuples, |w| bytes(w, lines.as_bytes()));
        out.line("</FieldData>");
    }
    out.line(&format!("<Piece NumberOfPoints=\"{vertices}\" NumberOfCells=\"{cells}\">\n<Points>"));
    out.array("Float64", "Points", " NumberOfComponents=\"3\"", |w| {
        for p in &mesh.vertices {
            p.iter().for_each(|x| w.real(*x));
            w.end();
        }
    });
    out.line("</Points>\n<Cells>");
    let each = || (0..cells).map(|e| mesh.elements.get(e));
    out.array("Int64", "connectivity", "", |w| {
        for corners in each() {
            corners.iter().for_each(|v| w.long(u64::from(*v)));
            w.end();
        }
    });
    out.array("Int64", "offsets", "", |w| {
        let mut end = 0;
        for corners in each() {
            end += corners.len() as u64;
            w.long(end);
            w.end();
        }
    });
    let types: Vec<u8> = each().map(|corners| super::cell_type(mesh.kind(), corners.len())).collect();
    out.array("UInt8", "types", "", |w| bytes(w, &types));
    out.line("</Cells>");
    let sets = super::array_sets(mesh);
    if !sets.is_empty() || vectors.is_some() {
        let shown = vectors.map(|(name, _)| format!(" Vectors=\"{name}\"")).unwrap_or_default();
        out.line(&format!("<PointData{shown}>"));
        if let Some((name, vectors)) = vectors {
            out.array("Float64", name, " NumberOfComponents=\"3\"", |w| {
                for v in vectors.chunks(3) {
                    v.iter().for_each(|x| w.real(*x));
                    w.end();
                }
            });
        }
        for set in sets {
            let name = format!("{SET}{}", super::coded(&set.name));
            out.array("UInt8", &name, "", |w| bytes(w, &super::flags(set, vertices)));
        }
        out.line("</PointData>");
    }
    if !a.regions.is_empty() {
        out.line(&format!("<CellData Scalars=\"{REGION}\">"));
        out.array("Int32", REGION, "", |w| {
            for e in 0..cells {
                w.int(region_number(mesh, e));
                w.end();
            }
        });
        out.line("</CellData>");
    }
    out.line("</Piece>\n</UnstructuredGrid>");
    let mut file = out.xml.into_bytes();
    if !out.text {
        file.extend_from_slice(b"<AppendedData encoding=\"raw\">\n_");
        file.extend(out.data);
        file.extend_from_slice(b"\n</AppendedData>\n");
    }
    file.extend_from_slice(b"</VTKFile>\n");
    file
}

fn bytes(out: &mut Writer, bytes: &[u8]) {
    for line in bytes.chunks(32) {
        line.iter().for_each(|b| out.byte(*b));
        out.end();
    }
}
