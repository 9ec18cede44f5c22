//! VTK, the legacy file `.vtk` and the XML file `.vtu`, as ParaView reads and writes them.
//!
//! - Regions are the cell array `region`: numbers from 1, 0 for none, so that they can be coloured at once.
//! - Their names and the materials are the field array `pliant`: the bytes of the lines of `annotations`. Bytes, since
//!   every reader of VTK files knows numbers, few know strings; and field data survives the filters of ParaView.
//! - Each vertex set is a point array `set:NAME` of ones and zeros; in NAME a `%` and two hexadecimal digits stand for
//!   a byte that XML cannot hold as it is. (The legacy file spells every name so once more; that is VTK's own way.)
//!   Where that would be a file of gigabytes, sets are lists of vertices in the field array.
//!
//! Surfaces are written as unstructured grids too: one way for all. Cells of second order: see `cells`. Source: "VTK
//! file formats", The VTK User's Guide.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pliant_linalg::Vec3;

use super::annotations::{self, Wanted};
use super::cells::{Cells, Shape};
use super::{Loaded, Source};
use crate::{Kind, MeshData, Place, Result, VertexSet};

mod arrays;
mod legacy;
mod vtu;
mod xml;

pub(super) use legacy::FORMAT as LEGACY;
pub(super) use vtu::FORMAT as VTU;
pub(super) use vtu::with_vectors;

/// Cell array with the number of the region.
const REGION: &str = "region";
/// Field array with the names and materials.
const FIELD: &str = "pliant";
/// How the names of point arrays that are vertex sets start.
const SET: &str = "set:";

/// What both formats fill in.
#[derive(Default)]
struct Grid {
    vertices: Vec<Vec3>,
    cells: Cells,
    /// How many cells there are.
    count: usize,
    /// Region number of each cell, if the file has them.
    regions: Vec<i64>,
    sets: Vec<VertexSet>,
    /// Which of them has a name.
    set_of: BTreeMap<String, usize>,
    /// Contents of the field array.
    lines: Vec<u8>,
    notes: Vec<String>,
}

impl Grid {
    /// Adds a cell by its VTK type.
    fn cell(&mut self, source: &Source<'_>, kind: i64, vertices: &[u32]) -> Result<()> {
        let cell = self.count;
        self.count += 1;
        let bad = |found: String, expected: String| {
            source.error(Place::Part(format!("cell {cell}")), found, expected)
        };
        let number =
            u32::try_from(cell).map_err(|_| bad("too many cells".into(), "fewer than 2³²".into()))?;
        let shape = shape(kind).ok_or_else(|| {
            let expected = "tets, hexahedra, voxels or faces (types 1 to 12, 21 to 25 and 28, 29); \
                            ParaView's filter Tetrahedralize makes tets of other cells";
            bad(format!("type {kind}"), expected.into())
        })?;
        // A point or a line with too many vertices is a tet whose type 10 lost its last digit.
        let thin = match kind {
            1 => Some(1),
            3 => Some(2),
            21 => Some(3),
            _ => None,
        };
        let fits = thin.is_none_or(|n| vertices.len() == n);
        fits.then(|| self.cells.push(number, shape, vertices)).flatten().ok_or_else(|| {
            let expected = thin.or(shape.corners()).unwrap_or(0).to_string();
            bad(format!("type {kind} with {} vertices", vertices.len()), expected)
        })
    }

    /// Adds a point array that is a vertex set; `offset` is the number of its first vertex.
    fn set(&mut self, name: &str, members: &[i64], offset: usize) {
        let name = annotations::decode_name(name);
        let vertices = (offset as u32..).zip(members).filter(|(_, m)| **m != 0).map(|(v, _)| v);
        // By a table, not by a search: a hostile file may have a hundred thousand of them.
        let next = self.sets.len();
        let index = *self.set_of.entry(name.clone()).or_insert(next);
        if index == next {
            self.sets.push(VertexSet { name, vertices: Vec::new() });
        }
        self.sets[index].vertices.extend(vertices);
    }

    fn finish(mut self, source: &Source<'_>) -> Result<Loaded> {
        let (elements, cells) = self.cells.finish(source, &mut self.notes)?;
        let place = Place::Part(format!("field array {FIELD:?}"));
        let lines = self.lines.split(|&b| b == b'\n').map(|line| (place.clone(), line));
        let mut attributes = annotations::read_lines(source, lines, elements.len())?.unwrap_or_default();
        if !self.regions.is_empty() {
            if self.regions.len() != self.count {
                return Err(source.error(
                    Place::Part(format!("cell array {REGION:?}")),
                    format!("{} numbers", self.regions.len()),
                    format!("{}, one for each cell", self.count),
                ));
            }
            let numbers: Vec<i64> = cells.iter().map(|&c| self.regions[c as usize]).collect();
            attributes = annotations::number_regions(source, &numbers, Some(attributes))?;
        }
        // Those that are point arrays first; a set that is both is refused with all others of one name.
        self.sets.append(&mut attributes.sets);
        attributes.sets = self.sets;
        Ok(Loaded { mesh: MeshData { vertices: self.vertices, elements, attributes }, notes: self.notes })
    }
}

/// What a VTK cell type is; `None` for those that a mesh here cannot be.
fn shape(kind: i64) -> Option<Shape> {
    Some(match kind {
        // Vertices, lines, and the lines of second order.
        1..=4 | 21 => Shape::Thin,
        5 | 22 => Shape::Triangle,
        6 => Shape::Strip,
        7 => Shape::Polygon,
        8 => Shape::Pixel,
        9 | 23 | 28 => Shape::Quad,
        10 | 24 => Shape::Tet,
        11 => Shape::Voxel,
        12 | 25 | 29 => Shape::Hex,
        _ => return None,
    })
}

/// The VTK type of an element with so many corners.
fn cell_type(kind: Kind, corners: usize) -> u8 {
    match (kind, corners) {
        (Kind::Tets, _) => 10,
        (_, 3) => 5,
        (_, 4) => 9,
        _ => 7,
    }
}

/// The lines of the field array for a mesh; empty when there is nothing to say.
fn lines(mesh: &MeshData) -> String {
    let mut lines = String::new();
    annotations::write(&mut lines, "", mesh, Wanted { sets: lists_sets(mesh), ..Wanted::NUMBERED });
    lines
}

/// Bytes of point arrays that sets may take.
const MOST_FLAGS: usize = 1 << 26;

/// Whether sets are lists in the field array: so many that a number for each vertex in each of them would be a file of
/// gigabytes. Other programs do not see these.
fn lists_sets(mesh: &MeshData) -> bool {
    mesh.attributes.sets.len().saturating_mul(mesh.vertices.len()) > MOST_FLAGS
}

/// The sets that are point arrays.
fn array_sets(mesh: &MeshData) -> &[VertexSet] {
    if lists_sets(mesh) { &[] } else { &mesh.attributes.sets }
}

/// Ones for the vertices of a set, zeros for the others.
fn flags(set: &VertexSet, vertices: usize) -> Vec<u8> {
    let mut flags = vec![0; vertices];
    set.vertices.iter().for_each(|v| flags[*v as usize] = 1);
    flags
}

/// A name that can be an attribute as it is: control characters, signs of XML (which VTK itself forgets to escape when
/// it writes such a file again) and the sign of the code as `%` and two hexadecimal digits.
fn coded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() || "%\"'<>&".contains(c) {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| {
                let _ = write!(out, "%{b:02x}");
            });
        } else {
            out.push(c);
        }
    }
    out
}
