//! Regions, materials and vertex sets in comments, for text formats that have no place for them.
//!
//! Other programs skip the lines, we read them back. A line is the format's comment sign and one of
//! ```text
//! pliant-region NAME [MATERIAL]            the regions in their order
//! pliant-region-elements REGION E E E …    elements of a region, both from 0 (formats without numbers at elements)
//! pliant-material NAME LAW                 its law with its constants, as `laws` writes it
//! pliant-set NAME V V V …                  vertices from 0; several lines of one name add up
//! ```
//! Names are one word: everything but letters, digits, `_`, `-` and `.` is written as `%` and two hexadecimal digits.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pliant_linalg::quote;

use super::{Source, laws, text};
use crate::matter::Fault;
use crate::{Attributes, Material, MeshData, MeshError, Place, Region, Result, VertexSet};

/// Numbers on one line; some programs have fixed line buffers.
const PER_LINE: usize = 16;

/// How every line of ours starts, behind the comment sign.
const SIGN: &[u8] = b"pliant-";

/// What to write for a mesh.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// The regions' names.
    pub(crate) regions: bool,
    /// Which elements are in which region.
    pub(crate) region_elements: bool,
    /// The materials.
    pub(crate) materials: bool,
    /// The vertex sets.
    pub(crate) sets: bool,
}

impl Wanted {
    /// Everything.
    pub(crate) const ALL: Self = Self { regions: true, region_elements: true, materials: true, sets: true };
    /// Everything but the elements of regions: for formats with a number at each element.
    pub(crate) const NUMBERED: Self = Self { region_elements: false, ..Self::ALL };
}

/// Appends the lines for a mesh, each behind `prefix` (such as `"# "`).
pub(crate) fn write(out: &mut String, prefix: &str, mesh: &MeshData, wanted: Wanted) {
    let a = &mesh.attributes;
    if wanted.materials {
        for m in &a.materials {
            let (name, law) = (encode_name(&m.name), laws::to_words(m.density, &m.law));
            let _ = writeln!(out, "{prefix}pliant-material {name} {law}");
        }
    }
    if wanted.regions {
        for region in &a.regions {
            let _ = write!(out, "{prefix}pliant-region {}", encode_name(&region.name));
            if let (true, Some(m)) = (wanted.materials, region.material) {
                let _ = write!(out, " {}", encode_name(&a.materials[m as usize].name));
            }
            out.push('\n');
        }
    }
    if wanted.region_elements {
        for (r, elements) in a.elements_by_region().iter().enumerate() {
            write_ids(out, &format!("{prefix}pliant-region-elements {r}"), elements);
        }
    }
    if wanted.sets {
        for set in &a.sets {
            write_ids(out, &format!("{prefix}pliant-set {}", encode_name(&set.name)), &set.vertices);
        }
    }
}

fn write_ids(out: &mut String, start: &str, ids: &[u32]) {
    // An empty set still has a name.
    for chunk in if ids.is_empty() { vec![ids] } else { ids.chunks(PER_LINE).collect() } {
        out.push_str(start);
        for id in chunk {
            let _ = write!(out, " {id}");
        }
        out.push('\n');
    }
}

/// Reads the lines back from the whole file. `None` when there are none. `region_of` is set only from
/// `pliant-region-elements`; a format with numbers at its elements fills it in itself.
pub(crate) fn read(source: &Source<'_>, elements: usize) -> Result<Option<Attributes>> {
    // Only lines that have the sign at all: the others are most of a large file.
    let bytes = &source.bytes;
    let (mut counted, mut number, mut end) = (0, 1, 0);
    let lines = memchr::memmem::find_iter(bytes, SIGN).filter_map(|at| {
        if at < end {
            return None;
        }
        number += memchr::memchr_iter(b'\n', &bytes[counted..at]).count();
        counted = at;
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |n| n + 1);
        end = at + memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
        Some((Place::Line(number), &bytes[start..end]))
    });
    read_lines(source, lines, elements)
}

/// As [`read`], from lines that the format has found itself.
pub(crate) fn read_lines<'a>(
    source: &Source<'_>,
    lines: impl Iterator<Item = (Place, &'a [u8])>,
    elements: usize,
) -> Result<Option<Attributes>> {
    let mut a = Attributes::default();
    let mut region_materials: Vec<(Place, usize, String)> = Vec::new();
    let mut set_of: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = false;
    for (place, line) in lines {
        // Only comments are this short before the sign, so that text in a name or in binary data does not count.
        let Some(at) = line.windows(SIGN.len()).take(24).position(|w| w == SIGN) else { continue };
        let bad = |found: String, expected: &str| source.error(place.clone(), found, expected);
        let Ok(text) = std::str::from_utf8(&line[at..]) else { continue };
        let mut words = text.split_ascii_whitespace();
        let (kind, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let ids = |words: std::str::SplitAsciiWhitespace<'_>| -> Result<Vec<u32>> {
            words
                .map(|w| {
                    text::parse_integer(w.as_bytes())
                        .and_then(|v| u32::try_from(v).ok())
                        .ok_or_else(|| bad(format!("found {}", quote(w)), "a number from 0"))
                })
                .collect()
        };
        match kind {
            "pliant-set" => {
                let (name, ids) = (decode_name(name), ids(words)?);
                let next = a.sets.len();
                let index = *set_of.entry(name.clone()).or_insert(next);
                if index == next {
                    a.sets.push(VertexSet { name, vertices: Vec::new() });
                }
                a.sets[index].vertices.extend(ids);
            }
            "pliant-region" => {
                if let Some(material) = words.next() {
                    region_materials.push((place.clone(), a.regions.len(), decode_name(material)));
                }
                a.regions.push(Region { name: decode_name(name), material: None });
            }
            "pliant-region-elements" => {
                let region =
                    text::parse_integer(name.as_bytes()).filter(|&r| r < a.regions.len() as u64).ok_or_else(
                        || bad(format!("region {}", quote(name)), "a region named in a line before"),
                    )?;
                a.region_of.resize(elements, Attributes::NO_REGION);
                for e in ids(words)? {
                    let slot = a.region_of.get_mut(e as usize).ok_or_else(|| {
                        bad(
                            format!("element {e}"),
                            &format!("a number below {elements}, the number of elements"),
                        )
                    })?;
                    *slot = region as u32;
                }
            }
            "pliant-material" => {
                let (density, law) = laws::from_words(words)
                    .ok_or_else(|| bad(format!("found {}", quote(text)), laws::EXPECTED))?;
                let material = Material { name: decode_name(name), density, law };
                if let Some(Fault { found, allowed }) = material.fault() {
                    return Err(bad(found, allowed));
                }
                a.materials.push(material);
            }
            _ => continue,
        }
        found = true;
    }
    let material_of: BTreeMap<String, u32> = a.materials.iter().map(|m| m.name.clone()).zip(0..).collect();
    for (place, region, name) in region_materials {
        a.regions[region].material = match material_of.get(&name) {
            Some(&m) => Some(m),
            None => {
                return Err(source.error(
                    place,
                    format!("material {}", quote(&name)),
                    "a material that is in the file",
                ));
            }
        };
    }
    if !a.regions.is_empty() && a.region_of.is_empty() {
        a.region_of = vec![Attributes::NO_REGION; elements];
    }
    for set in &mut a.sets {
        set.vertices.sort_unstable();
        set.vertices.dedup();
    }
    Ok(found.then_some(a))
}

/// Gives every element the region of its number: `number − 1` when the comments name regions (0: none), else one
/// region for each number that occurs, called after it. Nothing but 0, or nothing but 1, is what programs write that know
/// no regions.
pub(crate) fn number_regions(
    source: &Source<'_>,
    numbers: &[i64],
    annotated: Option<Attributes>,
) -> Result<Attributes> {
    let mut a = annotated.unwrap_or_default();
    if a.regions.is_empty() {
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if !matches!(distinct[..], [] | [0] | [1]) {
            a.regions = distinct.iter().map(|n| Region { name: n.to_string(), material: None }).collect();
            a.region_of = numbers.iter().map(|n| distinct.binary_search(n).unwrap_or(0) as u32).collect();
        }
        return Ok(a);
    }
    a.region_of = numbers
        .iter()
        .enumerate()
        .map(|(e, &n)| match usize::try_from(n) {
            Ok(0) => Ok(Attributes::NO_REGION),
            Ok(n) if n <= a.regions.len() => Ok(n as u32 - 1),
            _ => Err(source.error(
                Place::Part(format!("element {e}")),
                format!("region number {n}"),
                format!("a number from 0 to {}, as many regions as the comments name", a.regions.len()),
            )),
        })
        .collect::<std::result::Result<_, MeshError>>()?;
    Ok(a)
}

/// The number to write at element `e`: its region from 1, 0 for none.
pub(crate) fn region_number(mesh: &MeshData, e: usize) -> u32 {
    match mesh.attributes.region_of.get(e) {
        None | Some(&Attributes::NO_REGION) => 0,
        Some(r) => r + 1,
    }
}

/// A name as one word.
pub(crate) fn encode_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for b in name.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.') {
            out.push(b as char);
        } else {
            let _ = write!(out, "%{b:02x}");
        }
    }
    // An empty name would be no word at all.
    if out.is_empty() { "%".into() } else { out }
}

/// The name behind one word; a `%` that no two hexadecimal digits follow stays (but alone it is the empty name).
pub(crate) fn decode_name(word: &str) -> String {
    if word == "%" {
        return String::new();
    }
    let bytes = word.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = (bytes[i] == b'%')
            .then(|| bytes.get(i + 1..i + 3))
            .flatten()
            .and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match code {
            Some(b) => out.push(b),
            None => out.push(bytes[i]),
        }
        i += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_one_word_and_comes_back() {
        for name in ["rubber", "", "%", "the left foot", "50% \"soft\"\n", "größe"] {
            let word = encode_name(name);
            assert!(!word.is_empty() && word.is_ascii() && !word.contains(char::is_whitespace), "{word}");
            assert_eq!(decode_name(&word), name);
        }
    }
}
