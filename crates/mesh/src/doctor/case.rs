//! What several checks need, found once.

use std::borrow::Cow;

use pliant_linalg::Vec3;
use rayon::prelude::*;

use super::Options;
use crate::data::bounds;
use crate::measure::{Quality, area_vector, longest_edge, tet_volume, triangulate};
use crate::topology::{
    Edges, InsideOut, Loop, Orientation, TetFace, boundary_loops, boundary_triangles, components,
    inside_out_patches, orientation, tet_faces, turned,
};
use crate::{Elements, Faces, MeshData};

/// What an element is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Sound,
    Sliver,
    Inverted,
    Degenerate,
    /// One of its corners is nowhere: its shape cannot be judged.
    Unknown,
}

/// A mesh on the table.
pub(super) struct Case<'a> {
    pub(super) mesh: &'a MeshData,
    pub(super) options: &'a Options,
    /// Whether each vertex is somewhere.
    pub(super) finite: Vec<bool>,
    /// Around all finite vertices, metres.
    pub(super) bounds: [Vec3; 2],
    /// Positions times 2^−k, so that nothing overflows; only ratios may be taken of them. 0 where not finite.
    pub(super) scaled: Vec<Vec3>,
    /// 2^k.
    pub(super) scale: f64,
    pub(super) shapes: Vec<Shape>,
    pub(super) quality: Quality,
    /// The surface that is judged: the faces, or the boundary of the solid.
    pub(super) faces: Cow<'a, Faces>,
    /// For every face of it the tet behind it; empty for a surface.
    pub(super) tet_of: Vec<u32>,
    /// All faces of all tets, sorted; empty for a surface.
    pub(super) tet_faces: Vec<TetFace>,
    pub(super) edges: Edges,
    pub(super) orientation: Orientation,
    /// For every patch of the orientation whether it looks inward; empty for a solid.
    pub(super) inward: Vec<bool>,
    /// Patches of which that is not quite sure.
    pub(super) unsure: usize,
    pub(super) loops: Vec<Loop>,
    /// Triangles of the faces whose corners are all finite, and the face of each.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) face_of: Vec<u32>,
    /// Part of every vertex, and how many parts there are.
    pub(super) part_of: Vec<Option<u32>>,
    pub(super) parts: usize,
}

/// Volume below this part of the cube of the longest edge, and area below this part of its square, is round-off.
pub(super) const NOTHING: f64 = 1e-15;

impl<'a> Case<'a> {
    pub(super) fn new(mesh: &'a MeshData, options: &'a Options) -> Self {
        let finite: Vec<bool> = mesh.vertices.iter().map(|p| p.iter().all(|x| x.is_finite())).collect();
        let known: Vec<Vec3> =
            mesh.vertices.iter().zip(&finite).filter(|(_, f)| **f).map(|(p, _)| *p).collect();
        let (scale, scaled) = scale_to_one(&mesh.vertices, &finite, &known);
        let (faces, tet_of) = match &mesh.elements {
            Elements::Faces(faces) => (Cow::Borrowed(faces), Vec::new()),
            Elements::Tets(tets) => {
                let boundary = boundary_triangles(tets);
                let faces = boundary.iter().map(|f| &f.corners[..]).collect();
                (Cow::Owned(faces), boundary.iter().map(|f| f.tet).collect())
            }
        };
        let tet_faces = match &mesh.elements {
            Elements::Tets(tets) => tet_faces(tets),
            Elements::Faces(_) => Vec::new(),
        };
        let (triangles, face_of) = cut(&scaled, &faces, &finite);
        let (shapes, quality) = match &mesh.elements {
            Elements::Tets(tets) => judge_tets(&scaled, tets, &finite, options),
            Elements::Faces(faces) => judge_faces(&scaled, faces, &finite, options, &triangles, &face_of),
        };
        let edges = Edges::new(&faces);
        let orientation = orientation(&faces, &edges);
        let InsideOut { turn: inward, unsure } = match tet_of.is_empty() {
            true => inside_out_patches(&scaled, &turned(&faces, &orientation.against), &edges, &orientation),
            false => InsideOut::default(),
        };
        let loops = boundary_loops(&faces, &edges);
        let elements = (0..mesh.elements.len()).map(|e| mesh.elements.get(e));
        let (part_of, parts) = components(mesh.vertices.len(), elements);
        Self {
            mesh,
            options,
            bounds: bounds(&known),
            finite,
            scaled,
            scale,
            shapes,
            quality,
            faces,
            tet_of,
            tet_faces,
            edges,
            orientation,
            inward,
            unsure,
            loops,
            triangles,
            face_of,
            part_of,
            parts,
        }
    }

    pub(super) fn is_solid(&self) -> bool {
        matches!(self.mesh.elements, Elements::Tets(_))
    }

    /// "tet", "triangle", "quad" or "face".
    pub(super) fn element_word(&self) -> &'static str {
        match self.mesh.kind() {
            crate::Kind::Tets => "tet",
            crate::Kind::Triangles => "triangle",
            crate::Kind::Quads => "quad",
            crate::Kind::Polygons => "face",
        }
    }

    /// The element behind face `f` of the judged surface.
    pub(super) fn element_of_face(&self, f: u32) -> u32 {
        self.tet_of.get(f as usize).copied().unwrap_or(f)
    }

    /// Where vertex `v` is; what is not finite is replaced by the middle of the box, so that it can be shown.
    pub(super) fn vertex_at(&self, v: u32) -> Vec3 {
        let middle = self.bounds[0] / 2.0 + self.bounds[1] / 2.0;
        let p = self.mesh.vertices[v as usize];
        p.zip_map(&middle, |x, m| if x.is_finite() { x } else { m })
    }

    /// The middle of element `e`.
    pub(super) fn element_at(&self, e: u32) -> Vec3 {
        self.middle(self.mesh.elements.get(e as usize))
    }

    /// The middle of edge `e` of the judged surface.
    pub(super) fn edge_at(&self, e: u32) -> Vec3 {
        self.middle(&self.edges.ends(e as usize))
    }

    fn middle(&self, corners: &[u32]) -> Vec3 {
        let part = 1.0 / corners.len().max(1) as f64;
        corners.iter().map(|&v| self.vertex_at(v) * part).sum()
    }

    /// The elements of one shape, ascending.
    pub(super) fn of_shape(&self, shape: Shape) -> Vec<u32> {
        (0..self.shapes.len() as u32).filter(|&e| self.shapes[e as usize] == shape).collect()
    }
}

/// Divides by a power of two, which costs no digit.
fn scale_to_one(vertices: &[Vec3], finite: &[bool], known: &[Vec3]) -> (f64, Vec<Vec3>) {
    let largest = known.iter().map(|p| p.amax()).fold(0.0, f64::max);
    let exponent = if largest > 0.0 { largest.log2().ceil().clamp(-1000.0, 1000.0) } else { 0.0 };
    let scale = exponent.exp2();
    let scaled =
        vertices.iter().zip(finite).map(|(p, f)| if *f { p / scale } else { Vec3::zeros() }).collect();
    (scale, scaled)
}

/// Triangles of the faces that are somewhere, and the face of each.
fn cut(vertices: &[Vec3], faces: &Faces, finite: &[bool]) -> (Vec<[u32; 3]>, Vec<u32>) {
    let known: Vec<u32> = (0..faces.len() as u32)
        .filter(|&f| faces.get(f as usize).iter().all(|&v| finite[v as usize]))
        .collect();
    let kept: Faces = known.iter().map(|&f| faces.get(f as usize)).collect();
    let face_of = known
        .iter()
        .flat_map(|&f| std::iter::repeat_n(f, faces.get(f as usize).len().saturating_sub(2)))
        .collect();
    (triangulate(vertices, &kept), face_of)
}

fn judge_tets(x: &[Vec3], tets: &[[u32; 4]], finite: &[bool], options: &Options) -> (Vec<Shape>, Quality) {
    let judge = |t: &[u32; 4]| {
        if !t.iter().all(|&v| finite[v as usize]) {
            return (Shape::Unknown, Quality::default());
        }
        let p = t.map(|v| x[v as usize]);
        let quality = Quality::of_tet(&p);
        let volume = tet_volume(&p);
        let shape = if volume.abs() <= NOTHING * longest_edge(&p).powi(3) {
            Shape::Degenerate
        } else if volume < 0.0 {
            Shape::Inverted
        } else if options.is_sliver(&quality) {
            Shape::Sliver
        } else {
            Shape::Sound
        };
        (shape, quality)
    };
    collect(tets.par_iter().map(judge))
}

fn judge_faces(
    x: &[Vec3],
    faces: &Faces,
    finite: &[bool],
    options: &Options,
    triangles: &[[u32; 3]],
    face_of: &[u32],
) -> (Vec<Shape>, Quality) {
    // The triangles of a face are neighbours in the list.
    let mut start = vec![0u32; faces.len() + 1];
    face_of.iter().for_each(|&f| start[f as usize + 1] += 1);
    (0..faces.len()).for_each(|f| start[f + 1] += start[f]);
    let judge = |f: usize| {
        let corners = faces.get(f);
        if !corners.iter().all(|&v| finite[v as usize]) {
            return (Shape::Unknown, Quality::default());
        }
        let mine = &triangles[start[f] as usize..start[f + 1] as usize];
        let positions = |t: &[u32; 3]| t.map(|v| x[v as usize]);
        let quality = mine
            .iter()
            .map(|t| Quality::of_triangle(&positions(t)))
            .reduce(|a, b| a.and(&b))
            .unwrap_or_default();
        // A quad with a side of no length is a triangle and one of these.
        let nothing = |t: &[u32; 3]| {
            let p = positions(t);
            area_vector(&p).norm() <= NOTHING * longest_edge(&p).powi(2)
        };
        let mut sorted = corners.to_vec();
        sorted.sort_unstable();
        let repeated = sorted.windows(2).any(|w| w[0] == w[1]);
        let shape = if corners.len() < 3 || repeated || mine.iter().any(nothing) {
            Shape::Degenerate
        } else if options.is_sliver(&quality) {
            Shape::Sliver
        } else {
            Shape::Sound
        };
        (shape, quality)
    };
    collect((0..faces.len()).into_par_iter().map(judge))
}

/// Extremes do not depend on the order in which they are taken, so neither does the result on threads.
fn collect(judged: impl IndexedParallelIterator<Item = (Shape, Quality)>) -> (Vec<Shape>, Quality) {
    let (shapes, qualities): (Vec<Shape>, Vec<Quality>) = judged.unzip();
    let quality = qualities.par_iter().copied().reduce(Quality::default, |a, b| a.and(&b));
    (shapes, quality)
}
