//! Cells of all sorts as files list them, gathered into what a mesh here can be: tets, or faces.
//!
//! - Hexahedra become tets (`cubes`). Prisms, pyramids and polyhedra are refused: leaving them out would tear holes.
//! - Second-order cells are read by their corners, which come first in Gmsh and VTK alike; the vertices in the middle
//!   of their edges stay in the mesh, unused, and a note says so. A curved edge becomes straight by that.
//! - Points and lines are skipped, with a note.

use super::{Source, choose, cubes};
use crate::{Elements, Faces, Result};

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A single vertex, a line, or several of them.
    Thin,
    Triangle,
    Quad,
    /// All corners of one face.
    Polygon,
    /// Triangles of three successive corners, every second one turned.
    Strip,
    Tet,
    /// Corners as in `cubes`.
    Hex,
    /// Corners in the order x, then y, then z.
    Voxel,
    /// Corners in the order x, then y.
    Pixel,
}

impl Shape {
    /// How many corners it has; `None` when any number.
    pub(crate) fn corners(self) -> Option<usize> {
        match self {
            Self::Thin | Self::Polygon | Self::Strip => None,
            Self::Triangle => Some(3),
            Self::Quad | Self::Tet | Self::Pixel => Some(4),
            Self::Hex | Self::Voxel => Some(8),
        }
    }
}

/// The cells so far, each with its number in the file.
#[derive(Default)]
pub(crate) struct Cells {
    tets: Vec<[u32; 4]>,
    tet_cells: Vec<u32>,
    hexes: Vec<[u32; 8]>,
    hex_cells: Vec<u32>,
    faces: Faces,
    face_cells: Vec<u32>,
    thin: usize,
    second_order: usize,
}

impl Cells {
    /// Adds cell number `cell` of the file. Vertices beyond the corners make it one of second order; fewer vertices
    /// than corners are refused with `None`.
    pub(crate) fn push(&mut self, cell: u32, shape: Shape, v: &[u32]) -> Option<()> {
        if let Some(corners) = shape.corners() {
            if v.len() < corners {
                return None;
            }
            self.second_order += usize::from(v.len() > corners);
        }
        match shape {
            Shape::Tet => {
                self.tets.push([v[0], v[1], v[2], v[3]]);
                self.tet_cells.push(cell);
            }
            Shape::Hex | Shape::Voxel => {
                let order = if shape == Shape::Hex { [2, 3, 6, 7] } else { [3, 2, 7, 6] };
                self.hexes.push([v[0], v[1], v[order[0]], v[order[1]], v[4], v[5], v[order[2]], v[order[3]]]);
                self.hex_cells.push(cell);
            }
            Shape::Triangle => self.face(cell, &v[..3]),
            Shape::Quad => self.face(cell, &v[..4]),
            Shape::Pixel => self.face(cell, &[v[0], v[1], v[3], v[2]]),
            Shape::Polygon if v.len() >= 3 => self.face(cell, v),
            Shape::Strip if v.len() >= 3 => {
                for (i, t) in v.windows(3).enumerate() {
                    self.face(cell, &if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
                }
            }
            Shape::Thin | Shape::Polygon | Shape::Strip => self.thin += 1,
        }
        Some(())
    }

    fn face(&mut self, cell: u32, corners: &[u32]) {
        self.faces.push(corners);
        self.face_cells.push(cell);
    }

    /// The elements of the mesh, and for each the cell of the file that it came from.
    pub(crate) fn finish(
        mut self,
        source: &Source<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(Elements, Vec<u32>)> {
        if self.thin > 0 {
            notes.push(format!("{} points and lines were skipped", self.thin));
        }
        if self.second_order > 0 {
            notes.push(format!(
                "{} elements of second order were read by their corners; the vertices between them stay unused",
                self.second_order
            ));
        }
        for (tet, hex) in cubes::into_tets(source, &self.hexes)? {
            self.tets.push(tet);
            self.tet_cells.push(self.hex_cells[hex as usize]);
        }
        let elements = choose(self.tets, self.faces, notes);
        let cells = if matches!(elements, Elements::Tets(_)) { self.tet_cells } else { self.face_cells };
        Ok((elements, cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voxels_are_hexahedra_in_another_order_and_strips_turn() {
        let source = Source::memory("t", vec![], &|_| Err(std::io::ErrorKind::NotFound.into()));
        let mut notes = Vec::new();
        let mut solids = [Cells::default(), Cells::default()];
        solids[0].push(0, Shape::Hex, &[0, 1, 3, 2, 4, 5, 7, 6]).unwrap();
        solids[1].push(0, Shape::Voxel, &[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        let [hex, voxel] = solids.map(|s| s.finish(&source, &mut notes).unwrap());
        assert_eq!(hex, voxel);
        let mut strip = Cells::default();
        strip.push(7, Shape::Strip, &[0, 1, 2, 3]).unwrap();
        strip.push(8, Shape::Pixel, &[0, 1, 2, 3]).unwrap();
        strip.push(9, Shape::Triangle, &[0, 1, 2, 3, 4, 5]).unwrap();
        assert!(strip.push(9, Shape::Quad, &[0, 1]).is_none());
        assert!(notes.is_empty());
        let (faces, cells) = strip.finish(&source, &mut notes).unwrap();
        let expected: Faces = [&[0, 1, 2][..], &[2, 1, 3], &[0, 1, 3, 2], &[0, 1, 2]].into_iter().collect();
        assert_eq!(faces, Elements::Faces(expected));
        assert_eq!(cells, [7, 7, 8, 9]);
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}
