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
mod report;
mod search;
mod words;

use pliant_linalg::{Progress, Watch};

use crate::data::check_indices;
use crate::measure::{area_vector, enclosed_volume, tet_volume, triangulate};
use crate::topology::{euler_characteristic, genus, turned};
use crate::{Elements, MeshData, Result};

use case::{Case, Shape};

pub use report::{Finding, IdKind, MAX_PAIRS, Options, Part, Report, Rim, Severity, What};

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
