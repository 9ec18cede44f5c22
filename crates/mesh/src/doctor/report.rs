//! What [`super::examine`] tells: the report, its findings, and where findings begin.

use pliant_linalg::{Term, Vec3};

use crate::Kind;
use crate::measure::Quality;
use crate::topology::Loop;

/// What can be wrong. The words of [`What::name`] are those of `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum What {
    /// Nothing is there.
    Empty,
    /// Coordinates that are NaN or infinite.
    NotFinite,
    /// Tets of negative volume.
    Inverted,
    /// Elements without volume or area, or that name a vertex twice.
    Degenerate,
    /// Elements with very sharp or very blunt angles.
    Sliver,
    /// Vertices exactly where an earlier one is.
    RepeatedVertices,
    /// Elements with the same corners as an earlier one.
    RepeatedElements,
    /// Vertices that belong to no element.
    Unused,
    /// Boundary loops of a surface.
    Open,
    /// Edges of three or more faces.
    NonManifoldEdges,
    /// Vertices in which a surface only touches itself.
    NonManifoldVertices,
    /// Faces of three or more tets.
    NonManifoldFaces,
    /// Two tets on the same side of their common face.
    Folded,
    /// Faces that look against their neighbours.
    Flipped,
    /// A surface with only one side.
    OneSided,
    /// A closed surface that looks inward.
    InsideOut,
    /// Faces that pass through each other.
    Crossing,
    /// More than one connected part.
    Parts,
    /// Larger or smaller than bodies usually are.
    Scale,
    /// All vertices in one plane.
    Flat,
}

impl What {
    /// `non-manifold-edges`, `open`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotFinite => "not-finite",
            Self::Inverted => "inverted",
            Self::Degenerate => "degenerate",
            Self::Sliver => "sliver",
            Self::RepeatedVertices => "repeated-vertices",
            Self::RepeatedElements => "repeated-elements",
            Self::Unused => "unused",
            Self::Open => "open",
            Self::NonManifoldEdges => "non-manifold-edges",
            Self::NonManifoldVertices => "non-manifold-vertices",
            Self::NonManifoldFaces => "non-manifold-faces",
            Self::Folded => "folded",
            Self::Flipped => "flipped",
            Self::OneSided => "one-sided",
            Self::InsideOut => "inside-out",
            Self::Crossing => "crossing",
            Self::Parts => "parts",
            Self::Scale => "scale",
            Self::Flat => "flat",
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Some work cannot be done with it, or less well.
    Warning,
    /// Nothing can be computed with it as it is.
    Error,
}

/// What the ids of a finding number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Vertices of the mesh.
    Vertex,
    /// Edges of the surface, or of the boundary of the solid, as [`crate::topology::Edges`] numbers them; their
    /// vertices are in [`Finding::pairs`].
    Edge,
    /// Elements of the mesh.
    Element,
    /// The mesh as a whole; there are no ids.
    Whole,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub what: What,
    /// How bad.
    pub severity: Severity,
    /// What `ids` number.
    pub id_kind: IdKind,
    /// All of them, 0-based.
    pub ids: Vec<u32>,
    /// For each id a place to be marked in a picture, metres, always finite: the vertex, the middle of the edge or
    /// element.
    pub positions: Vec<Vec3>,
    /// Edges: their two vertices, one pair for each id. Repetitions: the repeated one and the first of its kind, one
    /// pair for each id. Crossing faces: who crosses whom, [`MAX_PAIRS`] pairs at most. Else empty.
    pub pairs: Vec<[u32; 2]>,
    /// For people: how many, the first few, a place, what it means, what to do next.
    pub sentence: String,
    /// What the sentence names that doors have a word for.
    pub terms: Vec<Term>,
}

/// So many pairs of crossing faces are kept; their ids are all kept.
pub const MAX_PAIRS: usize = 1 << 20;

/// Where findings begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Tets with a smaller dihedral angle are slivers, degrees.
    pub min_dihedral_deg: f64,
    /// Tets with a larger dihedral angle are slivers, degrees.
    pub max_dihedral_deg: f64,
    /// Tets with a smaller radius ratio are slivers.
    pub min_radius_ratio: f64,
    /// Triangles with a smaller angle are slivers, degrees.
    pub min_angle_deg: f64,
    /// Triangles with a larger angle are slivers, degrees.
    pub max_angle_deg: f64,
    /// A body that is longer may be in other units, metres.
    pub longest: f64,
    /// A body that is shorter may be in other units, metres.
    pub shortest: f64,
    /// Whether to look for faces that pass through each other, the longest part of the work.
    pub crossings: bool,
    /// That search stops after so many steps for each edge on average (an ordinary mesh needs about a hundred), though
    /// not before the steps of 131,072 edges: in a tangle every face may cross every other. The finding tells
    /// when it did.
    pub crossing_steps: u64,
}

impl Default for Options {
    /// The thresholds of the command line.
    fn default() -> Self {
        Self {
            // Linear tets beyond these angles are stiff by a factor of about 1 / sin(5°) ≈ 11.
            min_dihedral_deg: 5.0,
            max_dihedral_deg: 175.0,
            min_radius_ratio: 0.02,
            min_angle_deg: 1.0,
            max_angle_deg: 178.0,
            longest: 20.0,
            shortest: 1e-3,
            crossings: true,
            crossing_steps: 1000,
        }
    }
}

impl Options {
    pub(super) fn is_sliver(&self, q: &Quality) -> bool {
        let below = |x: Option<f64>, limit: f64| x.is_some_and(|x| x < limit);
        let above = |x: Option<f64>, limit: f64| x.is_some_and(|x| x > limit);
        below(q.min_dihedral_deg, self.min_dihedral_deg)
            || above(q.max_dihedral_deg, self.max_dihedral_deg)
            || below(q.min_radius_ratio, self.min_radius_ratio)
            || below(q.min_angle_deg, self.min_angle_deg)
            || above(q.max_angle_deg, self.max_angle_deg)
    }
}

/// A boundary loop with its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Rim {
    /// Vertices and edges in order.
    pub path: Loop,
    /// Metres.
    pub length: f64,
}

/// A connected part: elements that share a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// How many elements it has.
    pub elements: usize,
    /// How many vertices.
    pub vertices: usize,
    /// The first of its elements.
    pub first: u32,
    /// Solids: the sum of the tets' volumes, m³. Surfaces: area, m².
    pub size: f64,
}

/// A mesh examined. Everything that `pliant info` shows is here.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What the elements are.
    pub kind: Kind,
    /// How many vertices, unused ones included.
    pub vertices: usize,
    /// How many elements.
    pub elements: usize,
    /// How many connected parts; elements that share a vertex are connected.
    pub components: usize,
    /// Lowest and highest corner of the box around all finite vertices, metres.
    pub bbox: [Vec3; 2],
    /// Solids: the sum of the tets' volumes. Closed surfaces: the volume they enclose once their faces agree and look
    /// outward. m³; `None` for open surfaces, and where an edge of three faces leaves it undefined.
    pub volume: Option<f64>,
    /// Area of the surface, or of the boundary of the solid, m²; `None` when it is not a number.
    pub area: Option<f64>,
    /// No edge of the surface, or of the boundary of the solid, belongs to a single face.
    pub closed: bool,
    /// No edge belongs to three or more faces, no vertex is pinched, no face belongs to three or more tets.
    pub manifold: bool,
    /// Tets of negative volume.
    pub inverted: usize,
    /// Elements without volume or area (below round-off), or that name a vertex twice; also faces of four and more
    /// corners of which one of the triangles they are cut into has no area.
    pub degenerate: usize,
    /// The extremes over all elements.
    pub quality: Quality,
    /// V − E + F of the surface, or of the boundary of the solid; unused vertices are not counted.
    pub euler: i64,
    /// Number of handles, where it is defined.
    pub genus: Option<u64>,
    /// Boundary loops of a surface, in the order of their smallest edges.
    pub rims: Vec<Rim>,
    /// The connected parts, in the order of their first vertices.
    pub parts: Vec<Part>,
    /// Everything that was found, worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The finding of a kind, if there is one.
    pub fn finding(&self, what: What) -> Option<&Finding> {
        self.findings.iter().find(|f| f.what == what)
    }
}
