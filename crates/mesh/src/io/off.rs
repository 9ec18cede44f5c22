//! OFF: the numbers of vertices and faces, the vertices, then each face as its number of corners and its vertices
//! from 0. Comments start with `#`.
//!
//! Headers with the prefixes `ST`, `C` and `N` are read too; what they announce (texture coordinates, colours,
//! normals) stands behind the coordinates on the same line and is skipped, as are colours behind faces. A file
//! without the word `OFF` is taken if it starts with the counts. Regions, materials and vertex sets travel in comments
//! (`annotations`). Four-dimensional and binary OFF are refused.

use std::fmt::Write as _;

use super::annotations::{self, Wanted};
use super::text::{self, Words};
use super::{Format, Keeps, Loaded, Part, Source, Target};
use crate::{Elements, Faces, Kind, MeshData, Place, Result};

pub(super) static FORMAT: Format = Format {
    name: "off",
    title: "OFF",
    extensions: &["off"],
    holds: &[Kind::Triangles, Kind::Quads, Kind::Polygons],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["text"],
    read,
    write,
};

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut words = Words::new(source, b'#', b"");
    let first = words.peek();
    if first.is_none_or(|w| text::parse_integer(w).is_none()) {
        header(&mut words)?;
    }
    let vertex_count = words.count("vertices", 6)?;
    let face_count = words.count("faces", 8)?;
    // The number of edges; nobody fills it in, some leave it out.
    words.rest_of_line();
    let mut extras = false;
    let mut vertices = Vec::with_capacity(vertex_count);
    for _ in 0..vertex_count {
        vertices.push(words.position(3)?);
        extras |= !words.rest_of_line().is_empty();
    }
    let mut faces = Faces::new();
    let mut corners = Vec::new();
    for _ in 0..face_count {
        let count = words.count("corners", 2)?;
        if count < 3 {
            return Err(words.error(format!("a face with {count} corners"), "at least three"));
        }
        corners.clear();
        for _ in 0..count {
            corners.push(words.vertex(0, vertex_count)?);
        }
        faces.push(&corners);
        extras |= !words.rest_of_line().is_empty();
    }
    let lines = source.bytes.split(|&b| b == b'\n').enumerate();
    let comments =
        lines.filter(|(_, line)| line.starts_with(b"#")).map(|(i, line)| (Place::Line(i + 1), line));
    let attributes = annotations::read_lines(source, comments, faces.len())?.unwrap_or_default();
    let notes = if extras { vec!["skipped: colours, normals and the like".into()] } else { Vec::new() };
    Ok(Loaded { mesh: MeshData { vertices, elements: Elements::Faces(faces), attributes }, notes })
}

/// `OFF` with its prefixes.
fn header(words: &mut Words<'_>) -> Result<()> {
    let expected = "an OFF file that starts with OFF (or COFF, NOFF, STOFF) or with its counts";
    let word = words.next();
    let Some(mut kind) = word.and_then(|w| w.strip_suffix(b"OFF")) else {
        return Err(words.unexpected(word, expected));
    };
    for prefix in [&b"ST"[..], b"C", b"N"] {
        kind = kind.strip_prefix(prefix).unwrap_or(kind);
    }
    match kind {
        b"" => {}
        b"4" | b"n" | b"4n" => {
            return Err(words.unexpected(word, "a mesh in three dimensions; other dimensions are not read"));
        }
        _ => return Err(words.unexpected(word, expected)),
    }
    if words.peek() == Some(b"BINARY") {
        return Err(
            words.error("a binary OFF file", "OFF as text; convert it with the program that wrote it")
        );
    }
    Ok(())
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let mut out = String::with_capacity(mesh.vertices.len() * 60 + mesh.elements.len() * 24);
    out.push_str("OFF\n");
    annotations::write(&mut out, "# ", mesh, Wanted::ALL);
    let _ = writeln!(out, "{} {} 0", mesh.vertices.len(), mesh.elements.len());
    for p in &mesh.vertices {
        let _ = writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z);
    }
    for e in 0..mesh.elements.len() {
        let corners = mesh.elements.get(e);
        let _ = write!(out, "{}", corners.len());
        for v in corners {
            let _ = write!(out, " {v}");
        }
        out.push('\n');
    }
    Ok(vec![Part { extension: target.extension.into(), bytes: out.into_bytes() }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Loaded> {
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        super::super::read(&FORMAT, &Source::memory("t.off", text.into(), &open))
    }

    #[test]
    fn headers_comments_and_colours() {
        let plain = parse("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
        assert!(plain.notes.is_empty());
        for (text, notes) in [
            ("OFF 3 1 0\n# here\n0 0 0\n1 0 0 # there\n\n0 1 0\n3 0 1 2", 0),
            ("3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 0),
            ("COFF\r\n3 1 0\r\n0 0 0 255 0 0 255\r\n1 0 0 1 2 3 4\r\n0 1 0 1 2 3 4\r\n3 0 1 2\r\n", 1),
            ("STCNOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 0.5 0.5 0.5\n", 1),
        ] {
            let loaded = parse(text).unwrap();
            assert_eq!(loaded.mesh, plain.mesh, "{text}");
            assert_eq!(loaded.notes.len(), notes, "{text}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line, says) in [
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 6, "from 0 to 2"),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 inf 0\n3 0 1 2\n", 5, "finite"),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 6, "2 corners"),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1", 5, "cut off"),
            ("OFF\n4000000000 1 0\n0 0 0\n", 2, "announced"),
            ("4OFF\n1 1 0\n", 1, "three dimensions"),
            ("OFF BINARY\n1 1 0\n", 1, "binary"),
            ("hello\n", 1, "starts with OFF"),
            ("", 1, "starts with OFF"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t.off: line {line}: ")) && error.contains(says), "{error}");
        }
    }
}
