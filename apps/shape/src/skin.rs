//! The surface of a body as a graph: on it places lie beside each other.

use std::collections::BTreeSet;

use pliant_energy::Body;
use pliant_linalg::Vec3;
use pliant_mesh::topology::{Edges, Rows, vertex_neighbours};
use pliant_mesh::{Faces, measure};

/// The outer triangles of a body, by the numbers of its vertices.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Positions at rest of all vertices of the body, m.
    pub rest: Vec<Vec3>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
    /// A third of the adjacent area of every vertex, m²; 0 inside.
    pub areas: Vec<f64>,
    neighbours: Rows,
}

impl Skin {
    /// Of a body: of a surface all of it, of a solid its boundary.
    pub fn of(body: &Body) -> Self {
        Self::new(body.rest().to_vec(), body.boundary().to_vec())
    }

    /// Of triangles over these vertices.
    pub fn new(rest: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let edges = Edges::new(&Faces::from_triangles(&triangles));
        let neighbours = vertex_neighbours(rest.len(), edges.all_ends());
        let mut areas = vec![0.0; rest.len()];
        for t in &triangles {
            let area = measure::area_vector(&t.map(|v| rest[v as usize])).norm();
            t.iter().for_each(|&v| areas[v as usize] += area / 3.0);
        }
        Self { rest, triangles, areas, neighbours }
    }

    /// The vertices beside `v`, ascending.
    pub fn beside(&self, v: u32) -> &[u32] {
        self.neighbours.row(v as usize)
    }

    /// Whether `v` is on it.
    pub fn has(&self, v: u32) -> bool {
        !self.beside(v).is_empty()
    }

    /// Those at most `rings` edges away, ascending, itself among them.
    pub fn around(&self, v: u32, rings: usize) -> Vec<u32> {
        let mut all = BTreeSet::from([v]);
        let mut last = vec![v];
        for _ in 0..rings {
            let next: Vec<u32> = last.iter().flat_map(|&v| self.beside(v)).copied().collect();
            last = next.into_iter().filter(|v| all.insert(*v)).collect();
        }
        all.into_iter().collect()
    }

    /// The connected pieces of the vertices for which `so` holds, each ascending, in the order of their first ones.
    pub fn pieces(&self, so: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.rest.len()];
        let mut pieces = Vec::new();
        for start in 0..self.rest.len() as u32 {
            if seen[start as usize] || !self.has(start) || !so(start) {
                continue;
            }
            seen[start as usize] = true;
            let (mut piece, mut at) = (vec![start], 0);
            while let Some(&v) = piece.get(at) {
                at += 1;
                for &w in self.beside(v) {
                    if !seen[w as usize] && so(w) {
                        seen[w as usize] = true;
                        piece.push(w);
                    }
                }
            }
            piece.sort_unstable();
            pieces.push(piece);
        }
        pieces
    }
}
