//! VTK legacy `.vtk`, text and binary (highest byte first): unstructured grids and polydata, up to version 5.1.
//!
//! ```text
//! # vtk DataFile Version 3.0      POINTS n double     CELLS m size       from 5.0:  CELLS m+1 size
//! title                           x y z …             k v v v …                     OFFSETS vtktypeint64 …
//! ASCII | BINARY                                      CELL_TYPES m                  CONNECTIVITY vtktypeint64 …
//! DATASET UNSTRUCTURED_GRID                           type …
//! ```
//! Written as version 3.0, which everything reads. Names are one word, spelt as VTK spells them (`%20` is a space).

use super::super::annotations::{decode_name, encode_name, region_number};
use super::super::numbers::{Coding, Numbers, Scalar, Writer};
use super::super::text::quote;
use super::super::{Format, Keeps, Loaded, Part, Source, Target};
use super::{FIELD, Grid, REGION, SET};
use crate::{Kind, MeshData, Result};

pub(in super::super) static FORMAT: Format = Format {
    name: "vtk",
    title: "VTK legacy",
    extensions: &["vtk"],
    holds: &[Kind::Tets, Kind::Triangles, Kind::Quads, Kind::Polygons],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["binary", "text"],
    read,
    write,
};

/// Lists of cells in the order in which VTK numbers them, with the type of each in polydata.
const LISTS: [(&str, i64); 5] =
    [("VERTICES", 2), ("LINES", 4), ("POLYGONS", 7), ("TRIANGLE_STRIPS", 6), ("CELLS", 0)];

/// Cells of one section: the corners of each, as long as `ends` says.
#[derive(Default)]
struct List {
    ends: Vec<usize>,
    corners: Vec<u32>,
}

/// What the arrays that come now belong to.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Field,
    Points(usize),
    Cells(usize),
}

/// What a data type of the file is.
#[derive(Clone, Copy)]
enum Data {
    Number(Scalar),
    /// Eight in a byte.
    Bits,
    /// Each with its length.
    Strings,
}

struct Reader<'a> {
    source: &'a Source<'a>,
    numbers: Numbers<'a>,
    grid: Grid,
    lists: [Option<List>; 5],
    types: Vec<i64>,
    owner: Owner,
}

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut reader = Reader {
        source,
        numbers: Numbers::new(source),
        grid: Grid::default(),
        lists: Default::default(),
        types: Vec::new(),
        owner: Owner::Field,
    };
    reader.header()?;
    while let Some(word) = reader.numbers.words.next() {
        reader.section(word)?;
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<()> {
        let words = &mut self.numbers.words;
        let first = words.rest_of_line();
        if !first.starts_with(b"# vtk DataFile Version") {
            let expected = "a VTK file that starts with \"# vtk DataFile Version\"";
            return Err(words.unexpected(Some(first).filter(|f| !f.is_empty()), expected));
        }
        words.end_line();
        words.end_line();
        let coding = match words.next() {
            Some(b"ASCII") => Coding::Text,
            Some(b"BINARY") => Coding::Big,
            other => return Err(words.unexpected(other, "ASCII or BINARY")),
        };
        match words.next() {
            Some(b"DATASET") => {}
            other => return Err(words.unexpected(other, "DATASET")),
        }
        match words.next() {
            Some(b"UNSTRUCTURED_GRID" | b"POLYDATA") => {}
            other => {
                let expected = "UNSTRUCTURED_GRID or POLYDATA; ParaView can make the one of other data";
                return Err(words.unexpected(other, expected));
            }
        }
        self.numbers.set_coding(coding);
        Ok(())
    }

    fn section(&mut self, word: &[u8]) -> Result<()> {
        let words = &mut self.numbers.words;
        let name = String::from_utf8_lossy(word).to_ascii_uppercase();
        if let Some(list) = LISTS.iter().position(|l| l.0 == name) {
            self.lists[list] = Some(self.cells()?);
            return Ok(());
        }
        match &*name {
            "POINTS" => {
                let count = words.count("vertices", 6)?;
                let kind = self.number_kind()?;
                self.begin();
                self.grid.vertices = Vec::with_capacity(count);
                for _ in 0..count {
                    self.grid.vertices.push(self.numbers.position(kind)?);
                }
                Ok(())
            }
            "CELL_TYPES" => {
                let count = words.count("cell types", 2)?;
                self.types = self.integers(Scalar::I32, count, "the type of a cell")?;
                Ok(())
            }
            "POINT_DATA" => {
                self.owner = Owner::Points(words.count("points", 0)?);
                Ok(())
            }
            "CELL_DATA" => {
                self.owner = Owner::Cells(words.count("cells", 0)?);
                Ok(())
            }
            "FIELD" => {
                words.next();
                for _ in 0..words.integer("the number of arrays")? {
                    self.field_array()?;
                }
                Ok(())
            }
            "METADATA" => {
                words.end_line();
                while !words.rest_of_line().is_empty() {
                    words.end_line();
                }
                Ok(())
            }
            _ => self.attribute(&name),
        }
    }

    /// One of the older ways to give data: a keyword that tells how many numbers each point or cell has.
    fn attribute(&mut self, keyword: &str) -> Result<()> {
        let words = &mut self.numbers.words;
        let name = words.next_on_line().map(|w| decode_name(&String::from_utf8_lossy(w))).unwrap_or_default();
        let tuples = match self.owner {
            Owner::Field => 0,
            Owner::Points(n) | Owner::Cells(n) => n,
        };
        let bytes = Data::Number(Scalar::U8);
        let (tuples, components, data) = match keyword {
            "SCALARS" => {
                let data = self.data_kind()?;
                let words = &mut self.numbers.words;
                let components =
                    words.next_on_line().and_then(super::super::text::parse_integer).unwrap_or(1);
                if words.peek() == Some(b"LOOKUP_TABLE") {
                    words.next();
                    words.next();
                }
                (tuples, components, data)
            }
            "COLOR_SCALARS" => (tuples, words.integer("the number of components")?, bytes),
            "LOOKUP_TABLE" => (words.count("colours", 1)?, 4, bytes),
            "VECTORS" | "NORMALS" => (tuples, 3, self.data_kind()?),
            "TENSORS" => (tuples, 9, self.data_kind()?),
            "TENSORS6" => (tuples, 6, self.data_kind()?),
            "TEXTURE_COORDINATES" => (tuples, words.integer("the number of components")?, self.data_kind()?),
            "GLOBAL_IDS" | "PEDIGREE_IDS" | "EDGE_FLAGS" => (tuples, 1, self.data_kind()?),
            _ => {
                let expected = "a section of a VTK file, such as POINTS, CELLS or CELL_DATA";
                return Err(words.error(format!("found {}", quote(keyword.as_bytes())), expected));
            }
        };
        self.array(&name, tuples as u64, components, data)
    }

    fn field_array(&mut self) -> Result<()> {
        loop {
            let words = &mut self.numbers.words;
            let word = words.next();
            let Some(name) = word else { return Err(words.unexpected(None, "the name of an array")) };
            if name == b"METADATA" {
                self.section(name)?;
                continue;
            }
            let name = decode_name(&String::from_utf8_lossy(name));
            let components = words.integer("the number of components")?;
            let tuples = words.integer("the number of tuples")?;
            let data = self.data_kind()?;
            return self.array(&name, tuples, components, data);
        }
    }

    /// Reads an array if it is one of ours, else passes over it.
    fn array(&mut self, name: &str, tuples: u64, components: u64, data: Data) -> Result<()> {
        let all = tuples.saturating_mul(components);
        let least = if matches!(data, Data::Bits) { all.div_ceil(8) } else { all };
        self.source.plausible(self.numbers.place(), "bytes of an array", least, 1)?;
        let all = all as usize;
        self.begin();
        let what = format!("the numbers of the array {}", pliant_linalg::quote(name));
        let kind = match data {
            Data::Number(kind) => kind,
            Data::Bits if self.numbers.is_text() => Scalar::U8,
            Data::Bits => return self.numbers.skip(Scalar::U8, all.div_ceil(8), &what),
            Data::Strings => return self.strings(all),
        };
        let set = name.strip_prefix(SET);
        match (self.owner, set) {
            (Owner::Field, _) if name == FIELD => {
                let bytes = self.integers_here(kind, all, &what)?;
                self.grid.lines = bytes.into_iter().map(|b| b as u8).collect();
                Ok(())
            }
            (Owner::Cells(_), _) if name == REGION && components == 1 => {
                self.grid.regions = self.integers_here(kind, all, &what)?;
                Ok(())
            }
            (Owner::Points(_), Some(set)) if components == 1 => {
                let members = self.integers_here(kind, all, &what)?;
                self.grid.set(set, &members, 0);
                Ok(())
            }
            _ => self.numbers.skip(kind, all, &what),
        }
    }

    /// Passes over strings: a line each in a text; in binary a length of 6, 14, 30 or 62 bits and the bytes.
    fn strings(&mut self, count: usize) -> Result<()> {
        let cut = "a string";
        if self.numbers.is_text() {
            self.numbers.words.end_line();
        }
        for _ in 0..count {
            if self.numbers.words.offset() >= self.source.bytes.len() {
                return Err(self.numbers.cut_off(cut));
            }
            if self.numbers.is_text() {
                self.numbers.words.end_line();
                continue;
            }
            let first = self.numbers.words.raw(1).ok_or_else(|| self.numbers.cut_off(cut))?[0];
            let more = match first >> 6 {
                3 => 0,
                2 => 1,
                1 => 3,
                _ => 7,
            };
            let rest = self.numbers.words.raw(more).ok_or_else(|| self.numbers.cut_off(cut))?;
            let length = rest.iter().fold(u64::from(first & 63), |n, b| n << 8 | u64::from(*b));
            let bytes = usize::try_from(length).ok().and_then(|n| self.numbers.words.raw(n));
            bytes.ok_or_else(|| self.numbers.cut_off(cut))?;
        }
        Ok(())
    }

    /// A list of cells, in the old or the new way.
    fn cells(&mut self) -> Result<List> {
        let count = self.numbers.words.count("cells", 2)?;
        let size = self.numbers.words.count("numbers of vertices", 2)?;
        let mut list = List::default();
        if self.next_line_starts_with(b"OFFSETS") {
            self.numbers.words.next();
            let kind = self.number_kind()?;
            let offsets = self.integers(kind, count, "where a cell starts")?;
            match self.numbers.words.next() {
                Some(b"CONNECTIVITY") => {}
                other => return Err(self.numbers.words.unexpected(other, "CONNECTIVITY")),
            }
            let kind = self.number_kind()?;
            let corners = self.integers(kind, size, "the number of a vertex")?;
            list.corners = corners.iter().map(|&v| self.vertex(v)).collect::<Result<_>>()?;
            let fits = offsets.is_sorted()
                && offsets.first().is_none_or(|&o| o == 0)
                && offsets.last().is_none_or(|&o| o == size as i64);
            if !fits {
                return Err(self.numbers.error(
                    "offsets that do not fit the numbers of vertices",
                    format!("numbers that ascend from 0 to {size}"),
                ));
            }
            list.ends = offsets.iter().skip(1).map(|&o| o as usize).collect();
            return Ok(list);
        }
        self.begin();
        list.ends.reserve(count);
        let mut left = size;
        for cell in 0..count {
            let corners = self.numbers.integer(Scalar::I32, "how many corners a cell has")?;
            let Some(rest) = usize::try_from(corners).ok().and_then(|c| left.checked_sub(c + 1)) else {
                return Err(self.numbers.error(
                    format!("cell {cell} with {corners} corners"),
                    format!("at most {}: {size} numbers are announced for all cells", left.saturating_sub(1)),
                ));
            };
            left = rest;
            for _ in 0..corners {
                let v = self.numbers.integer(Scalar::I32, "the number of a vertex")?;
                list.corners.push(self.vertex(v)?);
            }
            list.ends.push(list.corners.len());
        }
        Ok(list)
    }

    fn vertex(&self, v: i64) -> Result<u32> {
        let vertices = self.grid.vertices.len();
        u32::try_from(v).ok().filter(|&v| (v as usize) < vertices).ok_or_else(|| {
            self.numbers
                .error(format!("vertex {v}"), format!("a number from 0 to {}", vertices.saturating_sub(1)))
        })
    }

    fn integers(&mut self, kind: Scalar, count: usize, what: &str) -> Result<Vec<i64>> {
        self.begin();
        self.integers_here(kind, count, what)
    }

    fn integers_here(&mut self, kind: Scalar, count: usize, what: &str) -> Result<Vec<i64>> {
        (0..count).map(|_| self.numbers.integer(kind, what)).collect()
    }

    /// Binary data starts in the next line.
    fn begin(&mut self) {
        if !self.numbers.is_text() {
            self.numbers.words.end_line();
        }
    }

    /// Whether the line behind this one starts with a word: numbers may be binary, so nothing else may be assumed.
    fn next_line_starts_with(&self, word: &[u8]) -> bool {
        let mut rest = &self.source.bytes[self.numbers.words.offset()..];
        while let [b' ' | b'\t' | b'\r', more @ ..] = rest {
            rest = more;
        }
        matches!(rest, [b'\n', line @ ..] if line.starts_with(word))
    }

    fn number_kind(&mut self) -> Result<Scalar> {
        match self.data_kind()? {
            Data::Number(kind) => Ok(kind),
            Data::Bits | Data::Strings => Err(self.numbers.error("bits or strings", "a type of numbers")),
        }
    }

    fn data_kind(&mut self) -> Result<Data> {
        let word = self.numbers.words.next_on_line();
        let name = String::from_utf8_lossy(word.unwrap_or_default()).to_ascii_lowercase();
        Ok(Data::Number(match &*name {
            "bit" => return Ok(Data::Bits),
            "string" | "utf8_string" => return Ok(Data::Strings),
            "char" | "signed_char" | "vtktypeint8" => Scalar::I8,
            "unsigned_char" | "vtktypeuint8" => Scalar::U8,
            "short" | "vtktypeint16" => Scalar::I16,
            "unsigned_short" | "vtktypeuint16" => Scalar::U16,
            // Numbers of points and cells are written with 32 bits, whatever VTK has in memory.
            "int" | "vtktypeint32" | "vtkidtype" => Scalar::I32,
            "unsigned_int" | "vtktypeuint32" => Scalar::U32,
            "long" | "long_long" | "vtktypeint64" => Scalar::I64,
            "unsigned_long" | "unsigned_long_long" | "vtktypeuint64" => Scalar::U64,
            "float" => Scalar::F32,
            "double" => Scalar::F64,
            _ => {
                let expected = "a data type, such as int, float or double";
                return Err(self.numbers.words.error(format!("found {}", quote(name.as_bytes())), expected));
            }
        }))
    }

    fn finish(mut self) -> Result<Loaded> {
        let (source, end) = (self.source, self.numbers.place());
        let lists = std::mem::take(&mut self.lists);
        if lists.iter().all(Option::is_none) || self.grid.vertices.is_empty() {
            return Err(self.numbers.cut_off("POINTS and CELLS or POLYGONS"));
        }
        for (list, (_, kind)) in lists.into_iter().zip(LISTS).filter_map(|(l, k)| Some((l?, k))) {
            // Only a grid has cell types of its own.
            if kind == 0 && self.types.len() != list.ends.len() {
                return Err(source.error(
                    end,
                    format!("{} cell types for {} cells", self.types.len(), list.ends.len()),
                    "CELL_TYPES with one for each cell; the file is cut off or damaged",
                ));
            }
            let mut start = 0;
            for (cell, &stop) in list.ends.iter().enumerate() {
                let kind = if kind == 0 { self.types[cell] } else { kind };
                self.grid.cell(source, kind, &list.corners[start..stop])?;
                start = stop;
            }
        }
        self.grid.finish(source)
    }
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let text = target.variant == "text";
    let mut out = Writer::new(if text { Coding::Text } else { Coding::Big });
    out.line("# vtk DataFile Version 3.0\nmesh");
    out.line(if text { "ASCII" } else { "BINARY" });
    out.line("DATASET UNSTRUCTURED_GRID");
    let lines = super::lines(mesh);
    if !lines.is_empty() {
        out.line("FIELD FieldData 1");
        bytes(&mut out, FIELD, lines.as_bytes());
    }
    out.line(&format!("POINTS {} double", mesh.vertices.len()));
    for p in &mesh.vertices {
        p.iter().for_each(|x| out.real(*x));
        out.end();
    }
    let (cells, corners) = (mesh.elements.len(), mesh.elements.corners().len());
    out.line_after_data(&format!("CELLS {cells} {}", cells + corners));
    for e in 0..cells {
        let corners = mesh.elements.get(e);
        out.int(corners.len() as u32);
        corners.iter().for_each(|v| out.int(*v));
        out.end();
    }
    out.line_after_data(&format!("CELL_TYPES {cells}"));
    for e in 0..cells {
        out.int(super::cell_type(mesh.kind(), mesh.elements.get(e).len()).into());
        out.end();
    }
    out.line_after_data("");
    let a = &mesh.attributes;
    let sets = super::array_sets(mesh);
    if !sets.is_empty() {
        out.line(&format!("POINT_DATA {}\nFIELD FieldData {}", mesh.vertices.len(), sets.len()));
    }
    for set in sets {
        bytes(
            &mut out,
            &format!("{SET}{}", encode_name(&super::coded(&set.name))),
            &super::flags(set, mesh.vertices.len()),
        );
    }
    if !a.regions.is_empty() {
        out.line(&format!("CELL_DATA {cells}\nFIELD FieldData 1\n{REGION} 1 {cells} int"));
        for e in 0..cells {
            out.int(region_number(mesh, e));
            out.end();
        }
        out.line_after_data("");
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.bytes }])
}

/// A field array of bytes.
fn bytes(out: &mut Writer, name: &str, bytes: &[u8]) {
    out.line(&format!("{name} 1 {} unsigned_char", bytes.len()));
    for line in bytes.chunks(32) {
        line.iter().for_each(|b| out.byte(*b));
        out.end();
    }
    if !out.is_text() {
        out.bytes.push(b'\n');
    }
}
