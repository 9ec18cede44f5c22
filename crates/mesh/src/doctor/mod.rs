//! What is wrong with a mesh: every defect with its ids, a position for each, and a sentence that says what to do.
//!
//! [`examine`] never refuses a mesh whose indices are in range: not one with NaN, not one without elements, not a soup.
//! It judges the faces of a surface; of a solid, its tets and its boundary.
//!
//! *Closed*: no edge belongs to a single face. *Manifold*: no edge belongs to three or more faces, and the faces at
//! every vertex form one fan or one disc. Both say nothing about orientation. Of a solid the boundary is meant, the faces
//! that belong to one tet; to be manifold its inner faces must also belong to no more than two tets.
//!
//! A new check is one function in `checks/` and one line in [`ALL`].

mod case;
mod checks;
mod exact;
mod words;

use pliant_linalg::{Progress, Vec3, Watch};

use crate::data::check_indices;
use crate::measure::{Quality, area_vector, enclosed_volume, tet_volume, triangulate};
use crate::topology::{Loop, euler_characteristic, genus, turned};
use crate::{Elements, Kind, MeshData, Result};

use case::{Case, Shape};

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
    /// pair for each id. Crossing faces: who crosses whom, the first [`MAX_PAIRS`] pairs. Else empty.
    pub pairs: Vec<[u32; 2]>,
    /// For people: how many, the first few, a place, what it means, what to do next.
    pub sentence: String,
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
        }
    }
}

impl Options {
    fn is_sliver(&self, q: &Quality) -> bool {
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
    /// Elements without volume or area (below round-off), or that name a vertex twice.
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

type Run = fn(&Case<'_>, &mut Watch<'_>) -> Result<Option<Finding>>;

/// One check.
pub struct Check {
    /// What it looks for.
    pub what: What,
    run: Run,
}

/// Every check. A new one is a function and a line here.
pub static ALL: &[Check] = &[
    Check { what: What::Empty, run: checks::vertices::empty },
    Check { what: What::NotFinite, run: checks::vertices::not_finite },
    Check { what: What::Inverted, run: checks::elements::inverted },
    Check { what: What::Degenerate, run: checks::elements::degenerate },
    Check { what: What::Sliver, run: checks::elements::slivers },
    Check { what: What::RepeatedVertices, run: checks::repeated::vertices },
    Check { what: What::RepeatedElements, run: checks::repeated::elements },
    Check { what: What::Unused, run: checks::vertices::unused },
    Check { what: What::Open, run: checks::open::open },
    Check { what: What::NonManifoldEdges, run: checks::manifold::edges },
    Check { what: What::NonManifoldVertices, run: checks::manifold::vertices },
    Check { what: What::NonManifoldFaces, run: checks::manifold::faces },
    Check { what: What::Folded, run: checks::manifold::folded },
    Check { what: What::Flipped, run: checks::orientation::flipped },
    Check { what: What::OneSided, run: checks::orientation::one_sided },
    Check { what: What::InsideOut, run: checks::orientation::inside_out },
    Check { what: What::Crossing, run: checks::crossing::crossing },
    Check { what: What::Parts, run: checks::parts::parts },
    Check { what: What::Scale, run: checks::size::scale },
    Check { what: What::Flat, run: checks::size::flat },
];

/// Examines a mesh.
///
/// ```
/// use pliant_mesh::{doctor, shapes};
/// let report = doctor::examine(&shapes::ball(0.1, 4).into_data(), &doctor::Options::default(), &mut |_| {
///     std::ops::ControlFlow::Continue(())
/// })?;
/// assert!(report.closed && report.manifold && report.findings.is_empty());
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
///
/// # Errors
/// When an element names a vertex that is not there, or `watch` asks to stop; nothing else.
pub fn examine(mesh: &MeshData, options: &Options, watch: &mut Watch<'_>) -> Result<Report> {
    check_indices((0..mesh.elements.len()).map(|e| mesh.elements.get(e)), mesh.vertices.len())?;
    Progress::stage("edges and parts").tell(watch)?;
    let case = Case::new(mesh, options);
    let mut findings = Vec::new();
    for (done, check) in ALL.iter().enumerate() {
        Progress { stage: check.what.name(), done, total: ALL.len() }.tell(watch)?;
        findings.extend((check.run)(&case, watch)?);
    }
    let found = |what: What| findings.iter().any(|f| f.what == what);
    let manifold =
        !(found(What::NonManifoldEdges) || found(What::NonManifoldVertices) || found(What::NonManifoldFaces));
    let closed = case.loops.is_empty() && !case.faces.is_empty();
    let euler = euler_characteristic(&case.faces, &case.edges);
    let one_sided = !case.orientation.twisted.is_empty();
    // The part count of the surface itself: a solid of one part may have cavities.
    let shells = crate::topology::components(mesh.vertices.len(), case.faces.iter()).1;
    let report = Report {
        kind: mesh.kind(),
        vertices: mesh.vertices.len(),
        elements: mesh.elements.len(),
        components: case.parts,
        bbox: case.bounds,
        volume: volume(&case, closed).filter(|v| v.is_finite()),
        area: Some(area(&case)).filter(|a| a.is_finite()),
        closed,
        manifold,
        inverted: case.of_shape(Shape::Inverted).len(),
        degenerate: case.of_shape(Shape::Degenerate).len(),
        quality: case.quality,
        euler,
        genus: genus(euler, shells, case.loops.len()).filter(|_| manifold && !one_sided),
        rims: case
            .loops
            .iter()
            .map(|l| Rim { length: checks::open::length(&case, l), path: l.clone() })
            .collect(),
        parts: checks::parts::sizes(&case),
        findings: {
            // Stable: equally bad ones stay in the order of the table.
            findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
            findings
        },
    };
    Ok(report)
}

fn volume(case: &Case<'_>, closed: bool) -> Option<f64> {
    let scale = case.scale.powi(3);
    match &case.mesh.elements {
        Elements::Tets(tets) => {
            let known = |t: &&[u32; 4]| t.iter().all(|&v| case.finite[v as usize]);
            let volumes = tets.iter().filter(known).map(|t| tet_volume(&t.map(|v| case.scaled[v as usize])));
            Some(volumes.sum::<f64>() * scale)
        }
        Elements::Faces(_) => {
            let o = &case.orientation;
            let whole = case.finite.iter().all(|&f| f);
            if !closed || !whole || !crate::topology::bounding_patches(&case.edges, o).iter().all(|&b| b) {
                return None;
            }
            let against = |f: &u32| o.against.binary_search(f).is_ok();
            let inward = |f: &u32| case.inward[o.patch_of[*f as usize] as usize];
            let wrong: Vec<u32> = (0..case.faces.len() as u32).filter(|f| against(f) != inward(f)).collect();
            let triangles = triangulate(&case.scaled, &turned(&case.faces, &wrong));
            Some(enclosed_volume(&case.scaled, &triangles) * scale)
        }
    }
}

fn area(case: &Case<'_>) -> f64 {
    let one = |t: &[u32; 3]| area_vector(&t.map(|v| case.scaled[v as usize])).norm();
    case.triangles.iter().map(one).sum::<f64>() * case.scale.powi(2)
}

#[cfg(test)]
mod tests;
