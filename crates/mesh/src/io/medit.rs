//! MEDIT `.mesh`, text: keyword, count, records; vertices are numbered from 1, every record ends with a reference
//! number.
//!
//! References of elements are regions. Names, materials and vertex sets travel in comments (`annotations`).

use std::fmt::Write as _;

use super::annotations::{self, Wanted};
use super::text::{self, Words};
use super::{Format, Keeps, Loaded, Part, Source, Target, cubes};
use crate::{Elements, Faces, Kind, MeshData, Result};

pub(super) static FORMAT: Format = Format {
    name: "medit",
    title: "MEDIT",
    extensions: &["mesh"],
    holds: &[Kind::Tets, Kind::Triangles, Kind::Quads],
    keeps: Keeps { regions: true, materials: true, sets: true, digits: true, ids: true },
    less: &[],
    variants: &["text"],
    read,
    write,
};

fn read(source: &Source<'_>) -> Result<Loaded> {
    let mut words = Words::new(source, b'#', b"");
    let mut dimension = 3;
    let mut vertices = Vec::new();
    let (mut tets, mut tet_refs) = (Vec::new(), Vec::new());
    let (mut faces, mut face_refs) = (Faces::new(), Vec::new());
    let mut hexes: Vec<[u32; 8]> = Vec::new();
    let mut hex_refs = Vec::new();
    let mut notes = Vec::new();
    let mut known = false;
    while let Some(word) = words.next() {
        match word {
            b"MeshVersionFormatted" => {
                words.integer("the version, 1 or 2")?;
                known = true;
            }
            b"Dimension" => {
                dimension = words.integer("the dimension, 2 or 3")?;
                if !(2..=3).contains(&dimension) {
                    return Err(words.error(format!("dimension {dimension}"), "2 or 3"));
                }
            }
            b"Vertices" => {
                let count = words.count("vertices", 2 * (dimension + 1))?;
                vertices.reserve(count);
                for _ in 0..count {
                    vertices.push(words.position(dimension as usize)?);
                    words.signed("the reference number of the vertex")?;
                }
            }
            b"Tetrahedra" => elements(&mut words, vertices.len(), &mut tet_refs, |t| tets.push(t))?,
            b"Hexahedra" => elements(&mut words, vertices.len(), &mut hex_refs, |h| hexes.push(h))?,
            b"Triangles" => {
                elements(&mut words, vertices.len(), &mut face_refs, |f: [u32; 3]| faces.push(&f))?;
            }
            b"Quadrilaterals" => {
                elements(&mut words, vertices.len(), &mut face_refs, |f: [u32; 4]| faces.push(&f))?;
            }
            b"End" => break,
            other if tears_holes(other) => {
                let place = words.place();
                if words.next() != Some(b"0") {
                    return Err(source.error(
                        place,
                        format!("section {}", text::quote(other)),
                        "Tetrahedra, Hexahedra, Triangles or Quadrilaterals; the solid would have holes without the \
                         others: write them as elements of these kinds, of first order",
                    ));
                }
            }
            other if other[0].is_ascii_alphabetic() && known => {
                // Edges, Corners, Ridges, Normals and the like: numbers up to the next keyword.
                let mut skipped = 0;
                while words.peek().is_some_and(|w| text::parse_number(w).is_some()) {
                    words.next();
                    skipped += 1;
                }
                if skipped > 1 {
                    notes.push(format!("section {} was skipped", text::quote(other)));
                }
            }
            other => {
                return Err(
                    words.unexpected(Some(other), "a MEDIT file that starts with MeshVersionFormatted")
                );
            }
        }
    }
    if !known {
        return Err(words.unexpected(None, "a MEDIT file that starts with MeshVersionFormatted"));
    }
    for (tet, parent) in cubes::into_tets(source, &hexes)? {
        tets.push(tet);
        tet_refs.push(hex_refs[parent as usize]);
    }
    let elements = super::choose(tets, faces, &mut notes);
    let refs = if matches!(elements, Elements::Tets(_)) { tet_refs } else { face_refs };
    let annotated = annotations::read(source, elements.len())?;
    let attributes = annotations::number_regions(source, &refs, annotated)?;
    Ok(Loaded { mesh: MeshData { vertices, elements, attributes }, notes })
}

/// Whether a section holds elements that cannot be read, and without which the mesh would be another: prisms,
/// pyramids (`Pentahedra`: an old name of prisms) and all of second or higher order, such as `TetrahedraP2`.
fn tears_holes(keyword: &[u8]) -> bool {
    let (kind, order) = match keyword {
        [kind @ .., b'P' | b'Q', order @ b'2'..=b'9'] => (kind, *order),
        kind => (kind, b'1'),
    };
    match kind {
        b"Prisms" | b"Pentahedra" | b"Pyramids" => true,
        b"Tetrahedra" | b"Hexahedra" | b"Triangles" | b"Quadrilaterals" => order > b'1',
        _ => false,
    }
}

fn elements<const N: usize>(
    words: &mut Words<'_>,
    vertices: usize,
    refs: &mut Vec<i64>,
    mut push: impl FnMut([u32; N]),
) -> Result<()> {
    let count = words.count("elements", 2 * (N as u64 + 1))?;
    refs.reserve(count);
    for _ in 0..count {
        let mut corners = [0; N];
        for corner in &mut corners {
            *corner = words.vertex(1, vertices)?;
        }
        push(corners);
        refs.push(words.signed("the reference number of the element")?);
    }
    Ok(())
}

fn write(mesh: &MeshData, target: &Target<'_>) -> Result<Vec<Part>> {
    let mut out = String::with_capacity(mesh.vertices.len() * 60 + mesh.elements.len() * 30);
    out.push_str("MeshVersionFormatted 2\nDimension 3\n");
    annotations::write(&mut out, "# ", mesh, Wanted::NUMBERED);
    let _ = writeln!(out, "Vertices\n{}", mesh.vertices.len());
    for p in &mesh.vertices {
        let _ = writeln!(out, "{:?} {:?} {:?} 0", p.x, p.y, p.z);
    }
    let keyword = match mesh.kind() {
        Kind::Tets => "Tetrahedra",
        Kind::Triangles => "Triangles",
        _ => "Quadrilaterals",
    };
    let _ = writeln!(out, "{keyword}\n{}", mesh.elements.len());
    for e in 0..mesh.elements.len() {
        for v in mesh.elements.get(e) {
            let _ = write!(out, "{} ", u64::from(*v) + 1);
        }
        let _ = writeln!(out, "{}", annotations::region_number(mesh, e));
    }
    out.push_str("End\n");
    Ok(vec![Part { extension: target.extension.into(), bytes: out.into_bytes() }])
}
