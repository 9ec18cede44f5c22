//! PLY, text and binary of either byte order: a header that names elements and their properties, then the records.
//!
//! Vertices are `x y z` of the element `vertex`; faces the list `vertex_indices` (or `vertex_index`) of `face`;
//! `tristrips` become triangles. An integer property `region` of a face is its region. Other elements and properties
//! are skipped. Text keeps the digits that stand there, whatever type the header claims. We write `double`
//! coordinates; names, materials and vertex sets travel in `comment` lines (`annotations`).

use std::fmt::Write as _;

use pliant_linalg::{Vec3, number, one_line, quote};

use super::annotations::{self, Wanted};
use super::{Format, Keeps, Loaded, Part, Source, Target, text};
use crate::error::coordinates;
use crate::{Elements, Faces, Kind, MeshData, Place, Result};

mod records;

use records::{Body, Element, Order, Out, Property, Scalar};

pub(super) static FORMAT: Format = Format {
    name: "ply",
    title: "PLY",
    extensions: &["ply"],
    holds: &[Kind::Triangles, Kind::Quads, Kind::Polygons],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["binary", "binary-big-endian", "text"],
    read,
    write,
};

fn read(source: &Source<'_>) -> Result<Loaded> {
    let header = Header::read(source)?;
    let mut body = Body::new(source, header.order, header.end, header.lines);
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut faces = Faces::new();
    let mut refs = Vec::new();
    let mut highest = None;
    let mut passed = Vec::new();
    for element in &header.elements {
        body.plausible(element)?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut body, element, &mut vertices, &mut passed)?,
            "face" => {
                let list = element
                    .list(&["vertex_indices", "vertex_index"])
                    .ok_or_else(|| lacks(source, element, "a list vertex_indices"))?;
                let region = element.scalar("region");
                note(&mut passed, element, |i| i == list || Some(i) == region);
                let (mut corners, mut number) = (Vec::new(), 0);
                for _ in 0..element.count {
                    let place = body.place();
                    body.record(element, |i, value| {
                        if i == list {
                            corners = value.to_vec();
                        } else if Some(i) == region {
                            number = value.first().map_or(0, |n| *n as i64);
                        }
                    })?;
                    push_face(source, &place, &corners, &mut faces, &mut highest)?;
                    refs.push(number);
                }
            }
            "tristrips" => {
                let list = element
                    .list(&["vertex_indices", "vertex_index"])
                    .ok_or_else(|| lacks(source, element, "a list vertex_indices"))?;
                for _ in 0..element.count {
                    let place = body.place();
                    let mut strip = Vec::new();
                    body.record(element, |i, value| {
                        if i == list {
                            strip = value.to_vec();
                        }
                    })?;
                    // −1 starts the next strip; every second triangle turns the other way.
                    for strip in strip.split(|v| *v == -1.0) {
                        for (i, t) in strip.windows(3).enumerate() {
                            let t = if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
                            push_face(source, &place, &t, &mut faces, &mut highest)?;
                            refs.push(0);
                        }
                    }
                }
            }
            _ => {
                body.skip(element)?;
                passed.push(format!("element {}", quote(&element.name)));
            }
        }
    }
    // Elements may come in any order, so this is known last.
    if let Some((v, place)) = highest.filter(|(v, _)| *v as usize >= vertices.len()) {
        let expected = format!("a number below {}, the number of vertices", vertices.len());
        return Err(source.error(place, format!("a face names vertex {v}"), expected));
    }
    let comments = header.comments.iter().map(|(place, line)| (place.clone(), *line));
    let annotated = annotations::read_lines(source, comments, faces.len())?;
    let attributes = annotations::number_regions(source, &refs, annotated)?;
    let notes = if passed.is_empty() { Vec::new() } else { vec![format!("skipped: {}", passed.join(", "))] };
    Ok(Loaded { mesh: MeshData { vertices, elements: Elements::Faces(faces), attributes }, notes })
}

fn read_vertices(
    body: &mut Body<'_>,
    element: &Element,
    vertices: &mut Vec<Vec3>,
    passed: &mut Vec<String>,
) -> Result<()> {
    let mut xyz = [0; 3];
    for (slot, name) in xyz.iter_mut().zip(["x", "y", "z"]) {
        *slot =
            element.scalar(name).ok_or_else(|| lacks(body.source, element, &format!("a property {name}")))?;
    }
    note(passed, element, |i| xyz.contains(&i));
    vertices.reserve(element.count);
    for _ in 0..element.count {
        let place = body.place();
        let mut p = Vec3::zeros();
        body.record(element, |i, value| {
            if let Some(c) = xyz.iter().position(|&j| j == i) {
                p[c] = value.first().copied().unwrap_or(f64::NAN);
            }
        })?;
        if !p.iter().all(|x| x.is_finite()) {
            let found = format!("the coordinates {}", coordinates(&p.into()));
            return Err(body.source.error(place, found, "finite numbers"));
        }
        vertices.push(p);
    }
    Ok(())
}

/// Appends a face; `highest` is the highest vertex that any face names, and where.
fn push_face(
    source: &Source<'_>,
    place: &Place,
    corners: &[f64],
    faces: &mut Faces,
    highest: &mut Option<(u32, Place)>,
) -> Result<()> {
    if corners.len() < 3 {
        let found = format!("a face with {} corners", corners.len());
        return Err(source.error(place.clone(), found, "at least three"));
    }
    let mut face = Vec::with_capacity(corners.len());
    for &v in corners {
        if !(0.0..f64::from(u32::MAX)).contains(&v) || v.fract() != 0.0 {
            return Err(source.error(place.clone(), format!("vertex {}", number(v)), "a number from 0"));
        }
        let v = v as u32;
        if highest.as_ref().is_none_or(|(highest, _)| v > *highest) {
            *highest = Some((v, place.clone()));
        }
        face.push(v);
    }
    faces.push(&face);
    Ok(())
}

fn lacks(source: &Source<'_>, element: &Element, what: &str) -> crate::MeshError {
    source.error(
        element.place.clone(),
        format!("element {} without {what}", quote(&element.name)),
        "a mesh: vertices with x, y and z, faces with a list of their vertices",
    )
}

/// Notes the properties of an element that are not used.
fn note(passed: &mut Vec<String>, element: &Element, used: impl Fn(usize) -> bool) {
    let unused: Vec<&str> = (0..element.properties.len())
        .filter(|&i| !used(i))
        .map(|i| element.properties[i].name.as_str())
        .collect();
    if !unused.is_empty() {
        passed.push(format!("{} of {}", one_line(&unused.join(" ")), quote(&element.name)));
    }
}

/// What the header says.
struct Header<'a> {
    order: Order,
    elements: Vec<Element>,
    comments: Vec<(Place, &'a [u8])>,
    /// Where the records start, and how many lines are before them.
    end: usize,
    lines: usize,
}

impl<'a> Header<'a> {
    fn read(source: &'a Source<'_>) -> Result<Self> {
        let mut header =
            Self { order: Order::Text, elements: Vec::new(), comments: Vec::new(), end: 0, lines: 0 };
        let mut format = false;
        loop {
            let rest = &source.bytes[header.end..];
            let Some(length) = rest.iter().position(|&b| b == b'\n') else {
                let place = Place::Line(header.lines + 1);
                let found = if header.lines == 0 { "no PLY file" } else { "the file ends in its header" };
                return Err(source.error(place, found, "a header from `ply` to `end_header`"));
            };
            header.end += length + 1;
            header.lines += 1;
            let place = Place::Line(header.lines);
            let line = rest[..length].trim_ascii();
            let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
            let bad = |expected: &str| {
                source.error(place.clone(), format!("found {}", text::quote(line)), expected)
            };
            if header.lines == 1 {
                if line != b"ply" {
                    return Err(bad("a PLY file that starts with `ply`"));
                }
                continue;
            }
            match words[..] {
                [] | [b"obj_info", ..] => {}
                [b"comment", ..] => header.comments.push((place, line)),
                [b"format", order, _] => {
                    header.order = Order::named(order)
                        .ok_or_else(|| bad("ascii, binary_little_endian or binary_big_endian"))?;
                    format = true;
                }
                [b"element", name, count] => {
                    let count = text::parse_integer(count).ok_or_else(|| bad("`element NAME COUNT`"))?;
                    header.elements.push(Element {
                        name: String::from_utf8_lossy(name).into_owned(),
                        // Judged against the size of the file before it is used.
                        count: usize::try_from(count).unwrap_or(usize::MAX),
                        properties: Vec::new(),
                        place,
                    });
                }
                [b"property", ref kind @ .., name] => {
                    let (list, scalar) = match *kind {
                        [scalar] => (None, Scalar::named(scalar)),
                        [b"list", count, item] => {
                            let count = Scalar::named(count).filter(|c| c.is_integer());
                            let count = count.ok_or_else(|| bad("a whole type for the length of a list"))?;
                            (Some(count), Scalar::named(item))
                        }
                        _ => (None, None),
                    };
                    let scalar = scalar
                        .ok_or_else(|| bad("`property TYPE NAME` or `property list TYPE TYPE NAME`"))?;
                    let name = String::from_utf8_lossy(name).into_owned();
                    let element =
                        header.elements.last_mut().ok_or_else(|| bad("an element before its properties"))?;
                    element.properties.push(Property { name, list, scalar });
                }
                [b"end_header"] if format => return Ok(header),
                _ => return Err(bad("`format`, `comment`, `element`, `property` or `end_header`")),
            }
        }
    }
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let order = match target.variant {
        "text" => Order::Text,
        "binary-big-endian" => Order::Big,
        _ => Order::Little,
    };
    let most = (0..mesh.elements.len()).map(|e| mesh.elements.get(e).len()).max().unwrap_or(0);
    let length = if most < 256 { Scalar::U8 } else { Scalar::U32 };
    let regions = !mesh.attributes.regions.is_empty();
    let mut header = format!("ply\nformat {} 1.0\n", order.name());
    annotations::write(&mut header, "comment ", mesh, Wanted::NUMBERED);
    let _ = writeln!(header, "element vertex {}", mesh.vertices.len());
    header.push_str("property double x\nproperty double y\nproperty double z\n");
    let _ = writeln!(header, "element face {}", mesh.elements.len());
    let index = if mesh.vertices.len() <= i32::MAX as usize { "int" } else { "uint" };
    let _ = writeln!(header, "property list {} {index} vertex_indices", length.name());
    if regions {
        header.push_str("property int region\n");
    }
    header.push_str("end_header\n");
    let mut out = Out::new(order, header, mesh.vertices.len() * 24 + mesh.elements.len() * 17);
    for p in &mesh.vertices {
        p.iter().for_each(|x| out.number(Scalar::F64, *x));
        out.end_record();
    }
    for e in 0..mesh.elements.len() {
        let corners = mesh.elements.get(e);
        out.number(length, corners.len() as f64);
        // The bits of int and uint are the same up to 2³¹.
        corners.iter().for_each(|v| out.number(Scalar::U32, f64::from(*v)));
        if regions {
            out.number(Scalar::U32, f64::from(annotations::region_number(mesh, e)));
        }
        out.end_record();
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.bytes }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Loaded> {
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        super::super::read(&FORMAT, &Source::memory("t.ply", bytes.into(), &open))
    }

    const TEXT: &str = "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement vertex 4\r\nproperty uchar red\r\n\
        property float x\r\nproperty float y\r\nproperty float z\r\nelement edge 1\r\nproperty int a\r\n\
        property list uchar int b\r\nelement face 2\r\nproperty list uchar int vertex_index\r\nproperty float area\r\n\
        end_header\r\n255 0 0 0\r\n255 0.1 0 0\r\n255 1 1 0\r\n255 0 1 0\r\n7 2 0 1\r\n3 0 1 2 0.5\r\n4 0 1 2 3 1\r\n";

    #[test]
    fn text_of_other_programs() {
        let loaded = parse(TEXT.as_bytes()).unwrap();
        assert_eq!(loaded.mesh.kind(), Kind::Polygons);
        assert_eq!(loaded.mesh.vertices[1].x.to_bits(), 0.1f64.to_bits(), "digits as they stand there");
        assert_eq!(loaded.mesh.elements.get(1), [0, 1, 2, 3]);
        assert_eq!(loaded.notes, ["skipped: red of \"vertex\", element \"edge\", area of \"face\""]);
    }

    #[test]
    fn strips_become_triangles_that_all_face_one_way() {
        let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                    element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
                    0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 4 -1 0 1 2\n";
        let mesh = parse(text.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.elements.len(), 4);
        for e in 0..4 {
            let t = mesh.elements.get(e);
            let area = crate::measure::area_vector(&[t[0], t[1], t[2]].map(|v| mesh.vertices[v as usize]));
            assert!((area.z - 0.5).abs() < 1e-15, "triangle {e}: {area}");
        }
    }

    #[test]
    fn all_three_orders_say_the_same() {
        let mesh = parse(TEXT.as_bytes()).unwrap().mesh;
        for variant in FORMAT.variants {
            let target = Target { variant, stem: "t", extension: "ply" };
            let bytes = write(&mesh, &target).unwrap().remove(0).bytes;
            assert_eq!(parse(&bytes).unwrap().mesh, mesh, "{variant}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let mesh = parse(TEXT.as_bytes()).unwrap().mesh;
        let target = Target { variant: "binary", stem: "t", extension: "ply" };
        let binary = write(&mesh, &target).unwrap().remove(0).bytes;
        let lossy = String::from_utf8_lossy(&binary);
        let body = lossy.find("end_header\n").unwrap() + 11;
        let mut nan = binary.clone();
        nan[body + 24..body + 32].copy_from_slice(&f64::NAN.to_le_bytes());
        let mut index = binary.clone();
        index[body + 4 * 24 + 1] = 4; // the first corner of the first face
        let end = binary.len();
        for (bytes, place, says) in [
            (TEXT.replace("3 0 1 2 0.5", "3 0 1 4 0.5").into_bytes(), "line 21: ", "vertex 4"),
            (TEXT.replace("3 0 1 2 0.5", "3 0 1 -1 0.5").into_bytes(), "line 21: ", "vertex -1"),
            (TEXT.replace("3 0 1 2 0.5", "2 0 1 0.5").into_bytes(), "line 21: ", "2 corners"),
            (TEXT.replace("255 1 1 0", "255 1 inf 0").into_bytes(), "line 18: ", "finite"),
            (TEXT.replace("vertex 4", "vertex 4000000000").into_bytes(), "line 4: ", "announced"),
            (TEXT.replace("edge 1", "edge 4000000000").into_bytes(), "line 9: ", "announced"),
            (TEXT.replace("property float y", "property float w").into_bytes(), "line 4: ", "property y"),
            (TEXT.replace("ascii", "middle_endian").into_bytes(), "line 2: ", "big_endian"),
            (TEXT.as_bytes()[..TEXT.len() - 6].to_vec(), "line 22: ", "cut off"),
            (binary[..end - 1].to_vec(), &format!("byte {}: ", end - 4), "cut off"),
            (nan, &format!("byte {}: ", body + 24), "finite"),
            (index, &format!("byte {}: ", body + 4 * 24), "vertex 4"),
            (b"ply\nformat ascii 1.0\n".to_vec(), "line 3: ", "end_header"),
            (Vec::new(), "line 1: ", "no PLY"),
        ] {
            let error = parse(&bytes).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t.ply: {place}")) && error.contains(says), "{error}");
        }
    }
}
