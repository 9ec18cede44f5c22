//! STL, text and binary: triangles as three positions each. Equal positions are one vertex; the first one met has the
//! lowest number, so unused vertices and the order of vertices are lost.
//!
//! In text, `solid NAME` blocks are regions. Binary holds 32-bit numbers and no names: 80 bytes of anything, the
//! number of triangles, then 50 bytes each. Some programs start those 80 bytes with "solid"; what the length fits is
//! binary. Normals are skipped (the order of the corners says the same) and written for other programs.

use std::collections::HashMap;
use std::fmt::Write as _;

use pliant_linalg::Vec3;

use super::annotations;
use super::text::Words;
use super::{Format, Keeps, Loaded, Part, Source, Target};
use crate::error::coordinates;
use crate::measure::area_vector;
use crate::{Attributes, Elements, Faces, Kind, MeshData, MeshError, Place, Region, Result};

pub(super) static FORMAT: Format = Format {
    name: "stl",
    title: "STL",
    extensions: &["stl"],
    holds: &[Kind::Triangles],
    keeps: Keeps { regions: true, materials: false, sets: false, digits: true, ids: false },
    less: &[("binary", Keeps { regions: false, materials: false, sets: false, digits: false, ids: false })],
    variants: &["binary", "text"],
    read,
    write,
};

/// Bytes before the first triangle, and of each.
const HEADER: usize = 84;
const RECORD: usize = 50;

fn read(source: &Source<'_>) -> Result<Loaded> {
    let bytes = &source.bytes;
    let announced = bytes.get(80..HEADER).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let expected = announced.map(|n| HEADER as u64 + n * RECORD as u64);
    let says_solid = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    // Text has no zero byte, and its bytes 80 to 84 do not happen to be its length.
    let binary = match expected {
        Some(expected) => expected == bytes.len() as u64 || !says_solid || bytes.contains(&0),
        None => !says_solid,
    };
    if binary { read_binary(source, announced) } else { read_text(source) }
}

fn read_binary(source: &Source<'_>, announced: Option<u64>) -> Result<Loaded> {
    let Some(count) = announced else {
        return Err(source.error(
            Place::Byte(source.bytes.len()),
            "the file ends here",
            "an STL file: text that starts with `solid`, or binary with a header of 84 bytes",
        ));
    };
    let there = (source.bytes.len() - HEADER) / RECORD;
    if count > there as u64 {
        return Err(source.error(
            Place::Byte(80),
            format!("{count} triangles are announced, but the file has room for {there}"),
            "as many as are there; the file is cut off or damaged, or text that does not start with `solid`",
        ));
    }
    let mut notes = Vec::new();
    let count = count as usize;
    let spare = source.bytes.len() - HEADER - count * RECORD;
    if spare > 0 {
        notes.push(format!("{spare} bytes behind the last triangle were skipped"));
    }
    let mut merged = Merged::with_capacity(count);
    for (t, record) in source.bytes[HEADER..].chunks_exact(RECORD).take(count).enumerate() {
        // Twelve bytes of normal come first, two of anything last.
        let mut corners = [0; 3];
        for (c, corner) in corners.iter_mut().enumerate() {
            let at = |i: usize| {
                let b = &record[12 + 12 * c + 4 * i..];
                f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            };
            let p = Vec3::new(at(0), at(1), at(2));
            if !p.iter().all(|x| x.is_finite()) {
                return Err(source.error(
                    Place::Byte(HEADER + t * RECORD + 12 + 12 * c),
                    format!("the coordinates {}", coordinates(&p.into())),
                    "finite numbers",
                ));
            }
            *corner = merged.vertex(p);
        }
        merged.faces.push(&corners);
    }
    let mesh = MeshData::from_faces(merged.vertices, merged.faces);
    Ok(Loaded { mesh, notes })
}

fn read_text(source: &Source<'_>) -> Result<Loaded> {
    let mut words = Words::new(source, 0, b"");
    let mut merged = Merged::with_capacity(source.bytes.len() / 200);
    let mut regions: Vec<Region> = Vec::new();
    let mut known = HashMap::new();
    let mut region_of = Vec::new();
    while let Some(word) = words.next() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(words.unexpected(Some(word), "`solid` and a name"));
        }
        let name = words.rest_of_line();
        let region = if name.is_empty() {
            Attributes::NO_REGION
        } else {
            let name = annotations::decode_name(&String::from_utf8_lossy(name));
            *known.entry(name).or_insert_with_key(|name| {
                regions.push(Region { name: name.clone(), material: None });
                regions.len() as u32 - 1
            })
        };
        loop {
            let word = words.next();
            match word.map(<[u8]>::to_ascii_lowercase).as_deref() {
                Some(b"facet") => {
                    merged.facet(&mut words)?;
                    region_of.push(region);
                }
                Some(b"endsolid") => {
                    words.rest_of_line();
                    break;
                }
                _ => return Err(words.unexpected(word, "`facet` or `endsolid`")),
            }
        }
    }
    if regions.is_empty() {
        region_of.clear();
    }
    Ok(Loaded::from(MeshData {
        vertices: merged.vertices,
        elements: Elements::Faces(merged.faces),
        attributes: Attributes { regions, region_of, ..Attributes::default() },
    }))
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let bytes = if target.variant == "text" { write_text(mesh).into_bytes() } else { write_binary(mesh)? };
    Ok(vec![Part { extension: target.extension.into(), bytes }])
}

fn write_binary(mesh: &MeshData) -> Result<Vec<u8>> {
    let count = u32::try_from(mesh.elements.len()).map_err(|_| MeshError::Format {
        format: FORMAT.title,
        problem: "more than 2³² triangles".into(),
        next: "write fewer, or as text".into(),
    })?;
    let mut out = Vec::with_capacity(HEADER + mesh.elements.len() * RECORD);
    // Not "solid": some programs would take the file for text.
    out.extend_from_slice(b"binary STL");
    out.resize(80, b' ');
    out.extend_from_slice(&count.to_le_bytes());
    for t in 0..mesh.elements.len() {
        let p = corners(mesh, t);
        for v in [normal(&p), p[0], p[1], p[2]] {
            for x in &v {
                out.extend_from_slice(&super::to_f32(FORMAT.title, *x)?.to_le_bytes());
            }
        }
        out.extend_from_slice(&[0, 0]);
    }
    Ok(out)
}

fn write_text(mesh: &MeshData) -> String {
    let a = &mesh.attributes;
    let mut out = String::with_capacity(mesh.elements.len() * 280);
    let name =
        |r: u32| a.regions.get(r as usize).map_or(String::new(), |r| annotations::encode_name(&r.name));
    // Regions are numbered as their names come; where triangles would not bring them in order, empty blocks do.
    let mut next = 0;
    let in_order = a.region_of.iter().filter(|&&r| r != Attributes::NO_REGION).all(|&r| {
        next += u32::from(r == next);
        r < next
    });
    if !in_order || (next as usize) < a.regions.len() {
        for r in 0..a.regions.len() as u32 {
            let _ = writeln!(out, "solid {0}\nendsolid {0}", name(r));
        }
    }
    let region = |t: usize| a.region_of.get(t).copied().unwrap_or(Attributes::NO_REGION);
    for t in 0..mesh.elements.len() {
        if t == 0 || region(t) != region(t - 1) {
            let _ = writeln!(out, "solid {}", name(region(t)));
        }
        let p = corners(mesh, t);
        let n = normal(&p);
        let _ = writeln!(out, "facet normal {:?} {:?} {:?}\nouter loop", n.x, n.y, n.z);
        for p in &p {
            let _ = writeln!(out, "vertex {:?} {:?} {:?}", p.x, p.y, p.z);
        }
        out.push_str("endloop\nendfacet\n");
        if t + 1 == mesh.elements.len() || region(t) != region(t + 1) {
            let _ = writeln!(out, "endsolid {}", name(region(t)));
        }
    }
    out
}

fn corners(mesh: &MeshData, t: usize) -> [Vec3; 3] {
    let c = mesh.elements.get(t);
    [c[0], c[1], c[2]].map(|v| mesh.vertices[v as usize])
}

/// Of length 1, or zero where a triangle has none.
fn normal(p: &[Vec3; 3]) -> Vec3 {
    // Edges are shortened first: the area of a very large triangle is infinite.
    let scale = p.iter().flat_map(|p| p.iter()).fold(0.0f64, |m, x| m.max(x.abs()));
    let n = area_vector(&p.map(|p| p / scale)).normalize();
    if n.iter().all(|x| x.is_finite()) { n } else { Vec3::zeros() }
}

/// Triangles whose equal corners are one vertex.
struct Merged {
    vertices: Vec<Vec3>,
    faces: Faces,
    number: HashMap<[u64; 3], u32>,
}

impl Merged {
    fn with_capacity(triangles: usize) -> Self {
        Self {
            vertices: Vec::with_capacity(triangles / 2),
            faces: Faces::new(),
            number: HashMap::with_capacity(triangles / 2),
        }
    }

    /// The vertex at `p`, which is finite.
    fn vertex(&mut self, p: Vec3) -> u32 {
        // 0 and −0 are equal.
        let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
        *self.number.entry(key).or_insert_with(|| {
            self.vertices.push(p);
            self.vertices.len() as u32 - 1
        })
    }

    /// What follows the word `facet`.
    fn facet(&mut self, words: &mut Words<'_>) -> Result<()> {
        let demand = |words: &mut Words<'_>, wanted: &str| {
            let word = words.next();
            if word.is_some_and(|w| w.eq_ignore_ascii_case(wanted.as_bytes())) {
                Ok(())
            } else {
                Err(words.unexpected(word, format!("`{wanted}`")))
            }
        };
        demand(words, "normal")?;
        for _ in 0..3 {
            words.number("a component of the normal")?;
        }
        demand(words, "outer")?;
        demand(words, "loop")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            demand(words, "vertex")?;
            *corner = self.vertex(words.position(3)?);
        }
        demand(words, "endloop")?;
        demand(words, "endfacet")?;
        self.faces.push(&corners);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Loaded> {
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        super::super::read(&FORMAT, &Source::memory("t.stl", bytes.into(), &open))
    }

    fn ball() -> MeshData {
        let solid = crate::shapes::ball(1.0, 3);
        let boundary = crate::topology::boundary_faces(solid.tets());
        MeshData::from_faces(solid.vertices().to_vec(), Faces::from_triangles(&boundary))
    }

    fn encode(mesh: &MeshData, variant: &str) -> Vec<u8> {
        let target = Target { variant, stem: "t", extension: "stl" };
        write(mesh, &target).unwrap().remove(0).bytes
    }

    #[test]
    fn equal_corners_become_one_vertex_again() {
        for variant in FORMAT.variants {
            let mesh = parse(&encode(&ball(), variant)).unwrap().mesh;
            // A closed surface of genus 0: V − E + F = 2 with 3F = 2E.
            assert_eq!(mesh.vertices.len(), 2 + mesh.elements.len() / 2, "{variant}");
            assert_eq!(mesh.elements.get(0), [0, 1, 2], "the first met has the lowest number");
        }
    }

    #[test]
    fn normals_are_those_of_the_corners() {
        let mesh = ball();
        let bytes = encode(&mesh, "binary");
        for (t, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
            let n = [0, 4, 8].map(|i| f64::from(f32::from_le_bytes(record[i..i + 4].try_into().unwrap())));
            let n = Vec3::from(n);
            let out: Vec3 = corners(&mesh, t).iter().sum();
            assert!((n.norm() - 1.0).abs() < 1e-6 && n.dot(&out.normalize()) > 0.9, "{t}: {n}");
        }
    }

    #[test]
    fn binary_that_starts_with_solid_is_binary() {
        let mut bytes = encode(&ball(), "binary");
        let sound = parse(&bytes).unwrap().mesh;
        bytes[..6].copy_from_slice(b"solid ");
        assert_eq!(parse(&bytes).unwrap().mesh, sound);
        // Also when something follows.
        bytes.extend_from_slice(b"more");
        let loaded = parse(&bytes).unwrap();
        assert_eq!((loaded.mesh, loaded.notes.len()), (sound, 1));
    }

    #[test]
    fn text_of_other_programs() {
        let text = "  SOLID left foot\n FACET NORMAL 0 0 1\n  OUTER LOOP\n   VERTEX 0 0 0\n   VERTEX 1 0 0\n   \
                    VERTEX 0 1 0\n  ENDLOOP\n ENDFACET\nENDSOLID\nsolid\nfacet normal nan nan nan\nouter loop\n\
                    vertex 0 0 0\nvertex 0 1 0\nvertex -1 0 0\nendloop\nendfacet\nendsolid\n";
        let mesh = parse(text.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.attributes.regions[0].name, "left foot");
        assert_eq!(mesh.attributes.region_of, [0, Attributes::NO_REGION]);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let text = String::from_utf8(encode(&ball(), "text")).unwrap();
        let binary = encode(&ball(), "binary");
        let mut endless = binary.clone();
        endless[80..84].copy_from_slice(&4_000_000_000u32.to_le_bytes());
        let mut infinite = binary.clone();
        infinite[HEADER + 12..HEADER + 16].copy_from_slice(&f32::INFINITY.to_le_bytes());
        for (bytes, place, says) in [
            (text.replacen("vertex", "vertices", 1).into_bytes(), "line 4", "vertices"),
            (text.as_bytes()[..text.len() / 2].to_vec(), "line", "expected"),
            (binary[..binary.len() - 1].to_vec(), "byte 80", "cut off"),
            (endless, "byte 80", "4000000000 triangles"),
            (infinite, "byte 96", "finite"),
            (b"foo".to_vec(), "byte 3", "solid"),
            (b"solid x\nfacet normal 0 0 1 outer loop vertex 1 2 nan".to_vec(), "line 2", "finite"),
            (b"solid x\nendsolid x\n".to_vec(), "", "no faces"),
            (Vec::new(), "byte 0", "solid"),
        ] {
            let error = parse(&bytes).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t.stl: {place}")) && error.contains(says), "{error}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused_in_binary() {
        let mut mesh = ball();
        mesh.vertices[mesh.elements.get(0)[0] as usize].x = 1e300;
        let target = Target { variant: "binary", stem: "t", extension: "stl" };
        assert!(write(&mesh, &target).err().unwrap().to_string().contains("1e300"));
    }
}
