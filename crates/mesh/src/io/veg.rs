//! Vega `.veg`: vertices, tets or cubes, element sets, materials, regions; numbers usually start at 1.
//!
//! ```text
//! *VERTICES          *ELEMENTS        *MATERIAL name                  *SET name     *REGION            *INCLUDE file
//! n 3 0 0            TET | CUBIC      ENU, density, E, nu             1, 2, 3,      set, material
//! 1 x y z            m 4 0            MOONEYRIVLIN, density,          4, 5
//! …                  1 a b c d          mu01, mu10, v1
//! ```
//! A region here is a Vega set together with its `*REGION`; `allElements` is the set of all. Vertex sets and regions
//! without material travel in comments (`annotations`), which Vega skips, and so do materials of laws that it has no
//! word for. Orthotropic materials are left out, with a
//! note: their regions have none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pliant_linalg::Vec3;

use super::annotations::{self, Wanted, decode_name, encode_name};
use super::text::{parse_integer, parse_number, quote};
use super::{Format, Keeps, Loaded, Part, Source, Target, cubes, laws};
use crate::error::coordinates;
use crate::matter::Fault;
use crate::{Attributes, Elements, Kind, Material, MeshData, Place, Region, Result};

pub(super) static FORMAT: Format = Format {
    name: "veg",
    title: "Vega",
    extensions: &["veg"],
    holds: &[Kind::Tets],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["text"],
    read,
    write,
};

/// A set of every element, known without being defined.
const ALL_ELEMENTS: &str = "allElements";

/// Files that one file may pull in, directly and indirectly: ends a circle of includes.
const MOST_INCLUDES: usize = 64;

#[derive(Clone)]
enum Section {
    Between,
    VertexHeader,
    Vertices,
    ElementKind,
    ElementHeader { corners: usize },
    Elements { corners: usize },
    Material { name: String },
    Set { index: usize },
    Region,
}

struct Reader {
    section: Section,
    vertices: Vec<Vec3>,
    first_vertex: u64,
    announced_vertices: u64,
    tets: Vec<[u32; 4]>,
    cubes: Vec<[u32; 8]>,
    first_element: u64,
    announced_elements: u64,
    sets: Vec<(String, Vec<u64>)>,
    materials: Vec<Material>,
    /// Names of materials that are there but of no law of ours.
    unsupported: BTreeSet<String>,
    regions: Vec<(String, String, Place)>,
    notes: Vec<String>,
    includes: usize,
}

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut reader = Reader {
        section: Section::Between,
        vertices: Vec::new(),
        first_vertex: 1,
        announced_vertices: 0,
        tets: Vec::new(),
        cubes: Vec::new(),
        first_element: 1,
        announced_elements: 0,
        sets: Vec::new(),
        materials: Vec::new(),
        unsupported: BTreeSet::new(),
        regions: Vec::new(),
        notes: Vec::new(),
        includes: 0,
    };
    let end = reader.file(source)?;
    reader.finish(source, end)
}

impl Reader {
    /// Reads one file line by line and returns the place where it ends.
    fn file(&mut self, source: &Source<'_>) -> Result<Place> {
        let mut last = 1;
        for (i, line) in source.bytes.split(|&b| b == b'\n').enumerate() {
            let line = line.split(|&b| b == b'#').next().unwrap_or(line).trim_ascii();
            if !line.is_empty() {
                last = i + 1;
                self.line(source, Place::Line(i + 1), line)?;
            }
        }
        Ok(Place::Line(last))
    }

    fn line(&mut self, source: &Source<'_>, place: Place, line: &[u8]) -> Result<()> {
        if line[0] == b'*' {
            return self.command(source, place, &line[1..]);
        }
        let mut words = line.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|w| !w.is_empty());
        let bad = |found: String, expected: String| Err(source.error(place.clone(), found, expected));
        match self.section.clone() {
            Section::Between => bad(format!("found {}", quote(line)), "a line that starts with *".into()),
            Section::VertexHeader => {
                let numbers = integers(source, &place, words, "the number of vertices, then 3")?;
                if numbers.get(1).is_some_and(|&d| d != 3) {
                    return bad(format!("dimension {}", numbers[1]), "3".into());
                }
                self.announced_vertices = numbers[0];
                self.section = Section::Vertices;
                Ok(())
            }
            Section::Vertices => {
                let id = words.next().and_then(parse_integer);
                let xyz: Option<Vec<f64>> = words.take(3).map(parse_number).collect();
                let (Some(id), Some(&[x, y, z])) = (id, xyz.as_deref()) else {
                    let expected = "the number of a vertex and three coordinates";
                    return bad(format!("found {}", quote(line)), expected.into());
                };
                if self.vertices.is_empty() {
                    self.first_vertex = id;
                }
                let due = self.first_vertex + self.vertices.len() as u64;
                if id != due || self.vertices.len() as u64 >= self.announced_vertices {
                    let expected = format!("vertex {due} of {}", self.announced_vertices);
                    return bad(format!("vertex {id}"), expected);
                }
                if !(x.is_finite() && y.is_finite() && z.is_finite()) {
                    return bad(
                        format!("vertex {id} has the coordinates {}", coordinates(&[x, y, z])),
                        "finite numbers".into(),
                    );
                }
                self.vertices.push(Vec3::new(x, y, z));
                Ok(())
            }
            Section::ElementKind => {
                let (corners, others) = match words.next() {
                    Some(b"TET" | b"TETS") => (4, self.cubes.len()),
                    Some(b"CUBIC") => (8, self.tets.len()),
                    _ => return bad(format!("elements of the kind {}", quote(line)), "TET or CUBIC".into()),
                };
                if others > 0 {
                    let expected = "elements of one kind in a file; write the cubes as tets".into();
                    return bad(
                        format!("{} elements behind {others} of another kind", quote(line)),
                        expected,
                    );
                }
                self.section = Section::ElementHeader { corners };
                Ok(())
            }
            Section::ElementHeader { corners } => {
                let numbers = integers(source, &place, words, "the number of elements, then their corners")?;
                if numbers.get(1).is_some_and(|&c| c != corners as u64) {
                    return bad(format!("{} corners an element", numbers[1]), corners.to_string());
                }
                self.announced_elements = numbers[0];
                self.section = Section::Elements { corners };
                Ok(())
            }
            Section::Elements { corners } => self.element(source, &place, line, corners),
            Section::Material { name } => {
                let kind = words.next().unwrap_or(b"");
                if kind.starts_with(b"ORTHOTROPIC") {
                    let (name_said, kind) = (pliant_linalg::quote(&name), quote(kind));
                    self.notes
                        .push(format!("material {name_said} is {kind}, which is not supported: left out"));
                    self.unsupported.insert(name);
                    self.section = Section::Between;
                    return Ok(());
                }
                let numbers: Option<Vec<f64>> = words.map(parse_number).collect();
                let found = numbers.and_then(|numbers| laws::from_vega(kind, &numbers));
                let Some((density, law)) = found else {
                    let expected = "ENU, density, E, nu or MOONEYRIVLIN, density, mu01, mu10, v1";
                    return bad(format!("found {}", quote(line)), expected.into());
                };
                let material = Material { name, density, law };
                let fault = material.fault().or_else(|| laws::vega_fault(&material.name, &material.law));
                if let Some(Fault { found, allowed }) = fault {
                    return bad(found, format!("{allowed}; correct the file"));
                }
                self.materials.push(material);
                self.section = Section::Between;
                Ok(())
            }
            Section::Set { index } => {
                let ids = integers(source, &place, words, "numbers of elements")?;
                self.sets[index].1.extend(ids);
                Ok(())
            }
            Section::Region => {
                let names: Vec<String> = words.map(|w| decode_name(&String::from_utf8_lossy(w))).collect();
                let [set, material] = &names[..] else {
                    return bad(
                        format!("found {}", quote(line)),
                        "the name of a set, then of a material".into(),
                    );
                };
                self.regions.push((set.clone(), material.clone(), place));
                self.section = Section::Between;
                Ok(())
            }
        }
    }

    fn element(&mut self, source: &Source<'_>, place: &Place, line: &[u8], corners: usize) -> Result<()> {
        let words = line.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|w| !w.is_empty());
        let mut numbers = [0u64; 9];
        let mut count = 0;
        for word in words.take(corners + 1) {
            numbers[count] = match parse_integer(word) {
                Some(n) => n,
                None => {
                    let expected = "the number of an element and of its corners";
                    return Err(source.error(place.clone(), format!("found {}", quote(word)), expected));
                }
            };
            count += 1;
        }
        let found = self.tets.len() + self.cubes.len();
        if count < corners + 1 {
            let expected =
                format!("the number of an element and of its {corners} corners; the line is cut off");
            return Err(source.error(place.clone(), format!("{count} numbers"), expected));
        }
        if found == 0 {
            self.first_element = numbers[0];
        }
        let due = self.first_element + found as u64;
        if numbers[0] != due || found as u64 >= self.announced_elements {
            let expected = format!("element {due} of {}", self.announced_elements);
            return Err(source.error(place.clone(), format!("element {}", numbers[0]), expected));
        }
        let mut ids = [0u32; 8];
        for (id, &n) in ids.iter_mut().zip(&numbers[1..=corners]) {
            if n < self.first_vertex || n - self.first_vertex >= self.vertices.len() as u64 {
                let last = (self.first_vertex + self.vertices.len() as u64).saturating_sub(1);
                return Err(source.error(
                    place.clone(),
                    format!("element {} names vertex {n}", numbers[0]),
                    format!("a vertex from {} to {last}", self.first_vertex),
                ));
            }
            *id = (n - self.first_vertex) as u32;
        }
        match corners {
            4 => self.tets.push([ids[0], ids[1], ids[2], ids[3]]),
            _ => self.cubes.push(ids),
        }
        Ok(())
    }

    fn command(&mut self, source: &Source<'_>, place: Place, line: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(line);
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
        let name = decode_name(rest.trim());
        self.section = match word.to_ascii_uppercase().as_str() {
            "VERTICES" => Section::VertexHeader,
            "ELEMENTS" => Section::ElementKind,
            "MATERIAL" => Section::Material { name },
            "REGION" => Section::Region,
            "SET" => {
                self.sets.push((name, Vec::new()));
                Section::Set { index: self.sets.len() - 1 }
            }
            "INCLUDE" => {
                self.includes += 1;
                if self.includes > MOST_INCLUDES {
                    let expected = format!("at most {MOST_INCLUDES}; does a file include itself?");
                    return Err(source.error_in_our_words(
                        place,
                        format!("{} files are included", self.includes),
                        expected,
                    ));
                }
                self.file(&source.sibling(rest.trim())?)?;
                self.section.clone()
            }
            _ => {
                let expected = "*VERTICES, *ELEMENTS, *MATERIAL, *REGION, *SET or *INCLUDE";
                return Err(source.error(
                    place,
                    format!("found {}", quote(format!("*{word}").as_bytes())),
                    expected,
                ));
            }
        };
        Ok(())
    }

    fn finish(mut self, source: &Source<'_>, end: Place) -> Result<Loaded> {
        let cut = |found: u64, announced: u64, what: &str| {
            Err(source.error(
                end.clone(),
                format!("the file ends after {found} {what}"),
                format!("{announced} {what}, as it announces; it is cut off"),
            ))
        };
        if (self.vertices.len() as u64) < self.announced_vertices || self.vertices.is_empty() {
            return cut(self.vertices.len() as u64, self.announced_vertices.max(1), "vertices");
        }
        let found = (self.tets.len() + self.cubes.len()) as u64;
        if found < self.announced_elements || found == 0 {
            return cut(found, self.announced_elements.max(1), "elements");
        }
        // Elements of the file that each tet came from.
        let mut parent: Vec<u32> = (0..self.tets.len() as u32).collect();
        for (tet, cube) in cubes::into_tets(source, &self.cubes)? {
            self.tets.push(tet);
            parent.push(cube);
        }
        let mut attributes = self.regions(source, found)?;
        if let Some(annotated) = annotations::read(source, self.tets.len())? {
            attributes.sets = annotated.sets;
        }
        if !attributes.region_of.is_empty() {
            attributes.region_of = parent.iter().map(|&p| attributes.region_of[p as usize]).collect();
        }
        let mesh = MeshData { vertices: self.vertices, elements: Elements::Tets(self.tets), attributes };
        Ok(Loaded { mesh, notes: self.notes })
    }

    /// A file that was cut off behind its elements looks like one that has no materials.
    fn tell_what_is_missing(&mut self, defined: &[(String, String, Place)], comments: &Attributes) {
        if !defined.is_empty() || !comments.regions.is_empty() {
            return;
        }
        let missing = if self.materials.is_empty() && self.unsupported.is_empty() {
            "no *MATERIAL and no *REGION section"
        } else {
            "no *REGION section, so that no element has a material of the file"
        };
        self.notes
            .push(format!("the file has {missing}, or it is cut off before: the usual material is assumed"));
    }

    fn regions(&mut self, source: &Source<'_>, elements: u64) -> Result<Attributes> {
        let comments = annotations::read(source, 0)?.unwrap_or_default();
        let defined = std::mem::take(&mut self.regions);
        self.tell_what_is_missing(&defined, &comments);
        // A material of a law that Vega has no word for is in the comments; what a *MATERIAL says of one counts more.
        let mut a = Attributes { materials: comments.materials, ..Attributes::default() };
        let of_name: BTreeMap<String, usize> = a.materials.iter().map(|m| m.name.clone()).zip(0..).collect();
        for material in std::mem::take(&mut self.materials) {
            match of_name.get(&material.name) {
                Some(&commented) => a.materials[commented] = material,
                None => a.materials.push(material),
            }
        }
        // A region without material has no *REGION; a comment names it, in its place among the others.
        let commented = comments.regions;
        let name_of = |m: u32| a.materials[m as usize].name.clone();
        let stated: Vec<Option<String>> = commented.iter().map(|r| r.material.map(name_of)).collect();
        let names: BTreeSet<&str> = commented.iter().map(|r| r.name.as_str()).collect();
        let of_set = first_of(defined.iter().map(|(set, material, place)| (&**set, (material, place))));
        let mut wanted: Vec<(&str, Option<&str>, Place)> = Vec::new();
        for (region, stated) in commented.iter().zip(&stated) {
            let found = of_set.get(&*region.name);
            let place = found.map_or(Place::Whole, |(_, place)| (*place).clone());
            let material = found.map(|(material, _)| &***material).or(stated.as_deref());
            wanted.push((&region.name, material, place));
        }
        // What was added by hand has no comment.
        for (set, material, place) in defined.iter().filter(|d| !names.contains(&*d.0)) {
            wanted.push((set, Some(material), place.clone()));
        }
        if wanted.is_empty() {
            return Ok(a);
        }
        a.region_of = vec![Attributes::NO_REGION; elements as usize];
        let sets = first_of(self.sets.iter().map(|(name, ids)| (&**name, ids)));
        let material_of: BTreeMap<String, u32> =
            first_of(a.materials.iter().map(|m| m.name.clone()).zip(0..));
        let mut twice = 0;
        let mut seen = BTreeSet::new();
        for (set, material, place) in wanted {
            // Refused here with its line, before the elements of one set are gone through once for each of its regions.
            if !seen.insert(set) {
                let found = format!("a second region of the set {}", quote(set.as_bytes()));
                return Err(source.error(place, found, "one *REGION for each set"));
            }
            let material = match material {
                None => None,
                Some(name) => match material_of.get(name) {
                    Some(&m) => Some(m),
                    None if self.unsupported.contains(name) => None,
                    None => {
                        let (set, name) = (quote(set.as_bytes()), quote(name.as_bytes()));
                        let found = format!("region {set} has the material {name}");
                        return Err(source.error(place, found, "a material that a *MATERIAL defines"));
                    }
                },
            };
            let region = a.regions.len() as u32;
            let mut assign = |slot: &mut u32| {
                twice += usize::from(*slot != Attributes::NO_REGION);
                *slot = region;
            };
            match sets.get(set) {
                Some(ids) => {
                    for id in *ids {
                        let slot = id.checked_sub(self.first_element).filter(|&i| i < elements);
                        let Some(i) = slot else {
                            let last = self.first_element + elements - 1;
                            return Err(source.error(
                                place,
                                format!("set {} names element {id}", quote(set.as_bytes())),
                                format!("elements from {} to {last}", self.first_element),
                            ));
                        };
                        assign(&mut a.region_of[i as usize]);
                    }
                }
                None if set == ALL_ELEMENTS => a.region_of.iter_mut().for_each(assign),
                None => {
                    let found = format!("region of the set {}", quote(set.as_bytes()));
                    return Err(source.error(place, found, "a set that a *SET defines, or allElements"));
                }
            }
            a.regions.push(Region { name: set.to_owned(), material });
        }
        if twice > 0 {
            self.notes.push(format!("{twice} elements are in more than one region; the last one counts"));
        }
        Ok(a)
    }
}

/// The values by their keys; of a key that comes again the first counts.
fn first_of<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    pairs.for_each(|(key, value)| {
        map.entry(key).or_insert(value);
    });
    map
}

/// All words as whole numbers, at least one.
fn integers<'a>(
    source: &Source<'_>,
    place: &Place,
    words: impl Iterator<Item = &'a [u8]>,
    expected: &str,
) -> Result<Vec<u64>> {
    let numbers: Result<Vec<u64>> = words
        .map(|w| {
            parse_integer(w)
                .ok_or_else(|| source.error(place.clone(), format!("found {}", quote(w)), expected))
        })
        .collect();
    match numbers? {
        none if none.is_empty() => Err(source.error(place.clone(), "nothing", expected)),
        numbers => Ok(numbers),
    }
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let a = &mesh.attributes;
    let mut out = String::with_capacity(mesh.vertices.len() * 60 + mesh.elements.len() * 30);
    let _ = writeln!(out, "# Vega mesh file, {} vertices, {} tets", mesh.vertices.len(), mesh.elements.len());
    // Laws that Vega has no word for stand in comments, and then all materials do, so that their order is kept.
    let materials = !a.materials.iter().all(is_vegas);
    let regions = materials || a.regions.iter().any(|r| r.material.is_none());
    let wanted = Wanted { regions, materials, sets: true, ..Wanted::default() };
    annotations::write(&mut out, "# ", mesh, wanted);
    let _ = writeln!(out, "\n*VERTICES\n{} 3 0 0", mesh.vertices.len());
    for (v, p) in mesh.vertices.iter().enumerate() {
        let _ = writeln!(out, "{} {:?} {:?} {:?}", v + 1, p.x, p.y, p.z);
    }
    let _ = writeln!(out, "\n*ELEMENTS\nTET\n{} 4 0", mesh.elements.len());
    for e in 0..mesh.elements.len() {
        let _ = write!(out, "{}", e + 1);
        for v in mesh.elements.get(e) {
            let _ = write!(out, " {}", u64::from(*v) + 1);
        }
        out.push('\n');
    }
    let members = a.elements_by_region();
    let name_of = |r: usize| set_name(&a.regions[r].name, members[r].len() == mesh.elements.len());
    for (r, members) in members.iter().enumerate() {
        let name = name_of(r);
        if name != ALL_ELEMENTS {
            let _ = writeln!(out, "\n*SET {name}");
            for chunk in members.chunks(10) {
                let ids: Vec<String> = chunk.iter().map(|e| (e + 1).to_string()).collect();
                let _ = writeln!(out, "{},", ids.join(","));
            }
        }
    }
    for m in &a.materials {
        if let Some(line) = laws::to_vega(m.density, &m.law) {
            let _ = writeln!(out, "\n*MATERIAL {}\n{line}", encode_name(&m.name));
        }
    }
    for (r, region) in a.regions.iter().enumerate() {
        if let Some(m) = region.material.map(|m| &a.materials[m as usize]).filter(|m| is_vegas(m)) {
            let _ = writeln!(out, "\n*REGION\n{}, {}", name_of(r), encode_name(&m.name));
        }
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.into_bytes() }])
}

/// Whether Vega has a word for its law.
fn is_vegas(material: &Material) -> bool {
    laws::to_vega(material.density, &material.law).is_some()
}

/// `allElements` is a word of the format: a region of that name that is not all elements is spelt differently.
fn set_name(name: &str, all: bool) -> String {
    if name == ALL_ELEMENTS && !all { "%61llElements".into() } else { encode_name(name) }
}
