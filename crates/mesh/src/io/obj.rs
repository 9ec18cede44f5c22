//! Wavefront OBJ: `v x y z`, `f corner corner …`; vertices are numbered from 1, or from −1 backwards.
//!
//! Every vertex is kept, in its order and with all digits, used or not; faces keep their number of corners. Regions
//! are the groups `g` that faces stand in (all names of the line together are one name), or the objects `o` where no
//! face stands in a group. Texture coordinates, normals, materials and vertex colours are skipped. Names of our
//! own, materials and vertex sets travel in comments (`annotations`).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use pliant_linalg::Vec3;

use super::annotations::{self, Wanted};
use super::{Format, Keeps, Loaded, Part, Source, Target, text};
use crate::error::coordinates;
use crate::{Attributes, Elements, Faces, Kind, MeshData, Place, Region, Result};

pub(super) static FORMAT: Format = Format {
    name: "obj",
    title: "Wavefront OBJ",
    extensions: &["obj"],
    holds: &[Kind::Triangles, Kind::Quads, Kind::Polygons],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["text"],
    read,
    write,
};

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut vertices = Vec::new();
    let mut faces = Faces::new();
    let (mut groups, mut objects) = (Names::default(), Names::default());
    let mut passed = Vec::new();
    let mut comments = Vec::new();
    let mut highest = Highest::default();
    let mut corners = Vec::new();
    for (line, text) in Lines::new(&source.bytes) {
        let bad = |found: String, expected: &str| source.error(Place::Line(line), found, expected);
        if text.trim_ascii_start().starts_with(b"#") {
            comments.push((Place::Line(line), text));
            continue;
        }
        let mut words = words(&text);
        let Some(keyword) = words.next() else { continue };
        match keyword {
            b"v" => {
                let mut p = Vec3::zeros();
                for x in p.iter_mut() {
                    let word = words.next();
                    *x = word
                        .and_then(text::parse_number)
                        .ok_or_else(|| missing(&bad, word, "a coordinate"))?;
                }
                if !p.iter().all(|x| x.is_finite()) {
                    return Err(bad(format!("the coordinates {}", coordinates(&p.into())), "finite numbers"));
                }
                // A fourth number is a weight of curves, three or more are a colour.
                if words.nth(2).is_some() {
                    note(&mut passed, "vertex colours");
                }
                vertices.push(p);
            }
            b"f" => {
                corners.clear();
                for word in words {
                    let v = corner(word, vertices.len()).map_err(|expected| {
                        bad(format!("the corner {} of a face", text::quote(word)), &expected)
                    })?;
                    highest.see(v, line);
                    corners.push(v);
                }
                if corners.len() < 3 {
                    return Err(bad(
                        format!("a face with {} corners", corners.len()),
                        "at least three; lines are written with `l`, points with `p`",
                    ));
                }
                faces.push(&corners);
                groups.stamp();
                objects.stamp();
            }
            b"g" => groups.enter(words),
            b"o" => objects.enter(words),
            b"vt" => note(&mut passed, "texture coordinates"),
            b"vn" => note(&mut passed, "normals"),
            b"usemtl" | b"mtllib" => note(&mut passed, "materials"),
            b"l" | b"p" => note(&mut passed, "lines and points"),
            b"s" => {}
            other if other.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') => {
                note(&mut passed, "lines of other kinds");
            }
            other => {
                return Err(bad(
                    format!("found {}", text::quote(other)),
                    "a line of an OBJ file: `v`, `f`, `g`, …",
                ));
            }
        }
    }
    highest.check(source, vertices.len())?;
    let annotated =
        annotations::read_lines(source, comments.iter().map(|(p, l)| (p.clone(), &l[..])), faces.len())?;
    let names = if groups.used() { groups } else { objects };
    let attributes = names.into_regions(annotated);
    let notes = if passed.is_empty() { Vec::new() } else { vec![format!("skipped: {}", passed.join(", "))] };
    Ok(Loaded { mesh: MeshData { vertices, elements: Elements::Faces(faces), attributes }, notes })
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let mut out = String::with_capacity(mesh.vertices.len() * 60 + mesh.elements.len() * 24);
    annotations::write(&mut out, "# ", mesh, Wanted::NUMBERED);
    for p in &mesh.vertices {
        let _ = writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    let a = &mesh.attributes;
    let mut last = None;
    for e in 0..mesh.elements.len() {
        let region = a.region_of.get(e);
        if region != last {
            // No name behind `g`: in no region.
            let name = a.region(e).map_or(String::new(), |r| annotations::encode_name(&r.name));
            let _ = writeln!(out, "g {name}");
            last = region;
        }
        out.push('f');
        for v in mesh.elements.get(e) {
            let _ = write!(out, " {}", u64::from(*v) + 1);
        }
        out.push('\n');
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.into_bytes() }])
}

/// Lines with their numbers from 1; a line that ends with `\` goes on in the next.
struct Lines<'a> {
    rest: Option<&'a [u8]>,
    line: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        // Some editors put a byte order mark first.
        Self { rest: Some(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)), line: 0 }
    }

    fn physical(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        self.line += 1;
        let end = rest.iter().position(|&b| b == b'\n');
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(rest[..end.unwrap_or(rest.len())].trim_ascii_end())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut text = Cow::Borrowed(self.physical()?);
        let first = self.line;
        // A comment does not go on: it may end with the name of a folder.
        while text.ends_with(b"\\") && !text.trim_ascii_start().starts_with(b"#") {
            let joined = text.to_mut();
            joined.pop();
            joined.push(b' ');
            joined.extend_from_slice(self.physical().unwrap_or_default());
        }
        Some((first, text))
    }
}

/// Words up to a comment.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).take_while(|w| w[0] != b'#')
}

fn missing(
    bad: &impl Fn(String, &str) -> crate::MeshError,
    word: Option<&[u8]>,
    expected: &str,
) -> crate::MeshError {
    bad(word.map_or("the line ends here".into(), |w| format!("found {}", text::quote(w))), expected)
}

fn note(passed: &mut Vec<&'static str>, what: &'static str) {
    if !passed.contains(&what) {
        passed.push(what);
    }
}

/// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`, from 0. Vertices that are not there yet are allowed
/// here: some programs write faces first.
fn corner(word: &[u8], vertices: usize) -> std::result::Result<u32, String> {
    let mut parts = word.split(|&b| b == b'/');
    let expected = || "a corner such as 3, 3/1, 3//2 or -1/-1/-1".to_owned();
    let v = parts.next().and_then(signed).ok_or_else(expected)?;
    if parts.clone().count() > 2 || parts.any(|p| !p.is_empty() && signed(p).is_none()) {
        return Err(expected());
    }
    match v {
        1.. => u32::try_from(v - 1).ok().filter(|v| *v < u32::MAX),
        0 => None,
        _ => (vertices as i64).checked_add(v).and_then(|v| u32::try_from(v).ok()),
    }
    .ok_or_else(|| format!("a number from 1 on, or from -1 back to -{vertices}, the vertices so far"))
}

fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some([b'+', ..]) => None,
        Some(digits) => text::parse_integer(digits).and_then(|n| i64::try_from(n).ok()).map(|n| -n),
        None => text::parse_integer(word).and_then(|n| i64::try_from(n).ok()),
    }
}

/// The highest vertex that a face names, and where: judged when all vertices are known.
#[derive(Default)]
struct Highest(Option<(u32, usize)>);

impl Highest {
    fn see(&mut self, v: u32, line: usize) {
        if self.0.is_none_or(|(highest, _)| v > highest) {
            self.0 = Some((v, line));
        }
    }

    fn check(&self, source: &Source<'_>, vertices: usize) -> Result<()> {
        match self.0 {
            Some((v, line)) if v as usize >= vertices => Err(source.error(
                Place::Line(line),
                format!("a face names vertex {}", u64::from(v) + 1),
                format!("a number from 1 to {vertices}, as many vertices as the file has"),
            )),
            _ => Ok(()),
        }
    }
}

/// The names that `g` (or `o`) lines give, in the order in which faces use them.
#[derive(Default)]
struct Names {
    known: HashMap<String, u32>,
    names: Vec<String>,
    current: Option<String>,
    of_face: Vec<u32>,
}

impl Names {
    fn enter<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) {
        let name = words.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
        self.current = (!name.is_empty()).then_some(name);
    }

    fn stamp(&mut self) {
        let of = match &self.current {
            None => Attributes::NO_REGION,
            Some(name) => match self.known.get(name) {
                Some(&region) => region,
                None => {
                    let region = self.names.len() as u32;
                    self.known.insert(name.clone(), region);
                    self.names.push(name.clone());
                    region
                }
            },
        };
        self.of_face.push(of);
    }

    fn used(&self) -> bool {
        !self.names.is_empty()
    }

    /// Regions of the names; where comments list regions, names are those in our spelling.
    fn into_regions(self, annotated: Option<Attributes>) -> Attributes {
        let mut a = annotated.unwrap_or_default();
        let ours = !a.regions.is_empty();
        if !ours && !self.used() {
            return a;
        }
        let mut known: HashMap<String, u32> =
            (0..).zip(&a.regions).map(|(i, r)| (r.name.clone(), i)).collect();
        let mut region = Vec::with_capacity(self.names.len());
        for name in self.names {
            let name = if ours { annotations::decode_name(&name) } else { name };
            let next = a.regions.len() as u32;
            let number = *known.entry(name.clone()).or_insert(next);
            if number == next {
                a.regions.push(Region { name, material: None });
            }
            region.push(number);
        }
        a.region_of = self
            .of_face
            .iter()
            .map(|&n| if n == Attributes::NO_REGION { n } else { region[n as usize] })
            .collect();
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Loaded> {
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        super::super::read(&FORMAT, &Source::memory("t.obj", text.into(), &open))
    }

    fn faces(loaded: &Loaded) -> Vec<&[u32]> {
        let Elements::Faces(faces) = &loaded.mesh.elements else { unreachable!("OBJ holds faces") };
        faces.iter().collect()
    }

    #[test]
    fn corners_of_every_spelling() {
        let loaded = parse(
            "\u{feff}# made in C:\\\nv 0 0 0 1 0 0\r\nv 1 0 0 0.5\nv 0 1 0 # up\nv 9 9 9\nvt 0 0\nvn 0 0 1\n\
             f 1/1/1 2//1 3/1\nf -4 -3/1 \\\n  -2//-1\nf 1 2 3 4\n",
        )
        .unwrap();
        assert_eq!(faces(&loaded), [&[0, 1, 2][..], &[0, 1, 2], &[0, 1, 2, 3]]);
        assert_eq!(loaded.notes, ["skipped: vertex colours, texture coordinates, normals"]);
        assert_eq!(loaded.mesh.kind(), Kind::Polygons);
        assert_eq!(loaded.mesh.vertices.len(), 4);
    }

    #[test]
    fn groups_are_regions_else_objects_are() {
        let regions = |text: &str| {
            let mesh = parse(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{text}")).unwrap().mesh;
            let names: Vec<_> = mesh.attributes.regions.iter().map(|r| r.name.clone()).collect();
            (names, mesh.attributes.region_of)
        };
        let none = Attributes::NO_REGION;
        let text =
            "g unused\ng left foot\nf 1 2 3\ng\nf 1 2 3\no body\ng top\nf 1 2 3\ng left foot\nf 1 2 3\n";
        assert_eq!(regions(text), (vec!["left foot".into(), "top".into()], vec![0, none, 1, 0]));
        assert_eq!(regions("o a\nf 1 2 3\no b\nf 1 2 3\n"), (vec!["a".into(), "b".into()], vec![0, 1]));
        assert_eq!(regions("f 1 2 3\n"), (vec![], vec![]));
    }

    #[test]
    fn a_group_that_looks_like_our_comments_is_a_group() {
        let mesh = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\ng pliant-set 1\nf 1 2 3\n").unwrap().mesh;
        assert_eq!(mesh.attributes.regions[0].name, "pliant-set 1");
        assert!(mesh.attributes.sets.is_empty());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (text, line, says) in [
            ("f 1 2 4\nf 1 2 3\n", 4, "vertex 4"),
            ("f 1 2 0\n", 4, "from 1"),
            ("f -1 -2 -4\n", 4, "-3"),
            ("f 1 2\n", 4, "2 corners"),
            ("f 1 2 \\\n\\\n 3/x\n", 4, "3/x"),
            ("v 1 nan 2\n", 4, "finite"),
            ("v 1 2\n", 4, "ends here"),
            ("f 1 2 99999999999999999999\n", 4, "corner"),
            ("\u{1}\u{2}\n", 4, "OBJ"),
        ] {
            let error = parse(&format!("{start}{text}")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t.obj: line {line}: ")) && error.contains(says), "{error}");
        }
        assert!(parse("# nothing\n").unwrap_err().to_string().contains("no faces"));
    }
}
