//! Ghost forces: the energy of a coarse stand-in that nobody sees, moved by the coordinates of the fine body.
//!
//! ```text
//! b_i^s(v^s) = Σ_k m_k b_i(v_k) / Σ_k m_k   over the fine vertices v_k of v^s                        (T14, section 3.3.2)
//! W̃(q) = Σ_c w_c W_c^s(U^s q)              over all components of the ghost's own energy            (1)
//! ```
//! Nothing is trained, so there is no pose that it does not know; its cost grows with the ghost, not with the body. Mass
//! and gravity stay those of the fine body: only the elastic energy is the ghost's.
//!
//! Surfaces: `surface.rs`, by collapsing edges. Solids: `solid.rs`, a coarse lattice with interpolated rows.
//!
//! **Weights.** How stiff a ghost is must not depend on how coarse it is, but Discrete Shells as printed does: the length
//! term (T14 eq. 2.4) of a strain ε sums |e₀| ε²/2 over edges, which halves when edges double; and a coarse solid lacks some
//! volume. w_c in (1) makes a uniform stretch cost what it costs the body (`weigh.rs`). Bending of hinges knows no size,
//! but does depend on the pattern of the triangles, which no weight repairs: see `surface.rs`.
//!
//! **Held vertices** have zero rows, so ghost vertices made of held ones stand still. One that is made of held and free
//! ones moves by their mean: the clamp is as sharp as the ghost is fine, and its edge lies within one ghost triangle.
//!
//! Not for a body whose stiff and soft parts are smaller than the ghost's elements: it sees only their mean shape. Source:
//! HSTP11 in docs/papers.md.

mod evaluate;
pub mod line;
mod solid;
mod stored;
mod surface;
#[cfg(test)]
mod tests;
mod weigh;

use std::sync::Arc;

use pliant_energy::{Body, Energy, EnergyError, Recipe};
use pliant_linalg::{Note, Vec3, Watch};
use pliant_mesh::{Elements, MeshData};

use super::{Entry, Prepared, Settings, setting};
use crate::{Basis, ReduceError};

pub use super::table::Source;
pub use evaluate::GhostForce;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "ghost",
    about: "a coarse stand-in of the body, untrained: every material, any pose",
    takes: &[setting::GHOST],
    suits: |_| None,
    check: |body, _, settings| settings.ghost.map_or(Ok(()), |vertices| check_size(body, vertices)),
    prepare,
    read: stored::read,
};

/// A coarse stand-in for a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// Rest positions, m.
    pub vertices: Vec<Vec3>,
    /// Triangles or tets.
    pub elements: Elements,
    /// For every element the region of the fine mesh that it is made of; empty where that has none.
    pub region_of: Vec<u32>,
    /// r.
    pub rank: usize,
    /// U^s, three rows of r numbers for each vertex.
    pub rows: Vec<f64>,
    /// How much each component of its energy counts.
    pub weights: Vec<f64>,
}

/// Ghost that was built, and what a user should know about it.
#[derive(Clone, Debug)]
pub struct BuiltGhost {
    /// The ghost.
    pub ghost: Ghost,
    /// Sentences.
    pub warnings: Vec<String>,
}

/// A shape with rows, not weighed yet.
struct Shape {
    vertices: Vec<Vec3>,
    elements: Elements,
    region_of: Vec<u32>,
    rows: Vec<f64>,
    /// The vertex of every fine vertex, where it has one.
    coarse_of: Option<Vec<Option<u32>>>,
    warnings: Vec<String>,
}

impl Ghost {
    /// A ghost of `vertices` vertices (a solid's of about so many) of what `of` is, which moves in `basis`.
    ///
    /// # Errors
    /// [`ReduceError::Request`] for more vertices than there are or too few for a body; or the watch asked to stop.
    pub fn make(
        of: Source<'_>,
        basis: &Basis,
        vertices: usize,
        watch: &mut Watch<'_>,
    ) -> Result<BuiltGhost, ReduceError> {
        assert_eq!(basis.size(), of.body.size(), "a basis of this body");
        check_size(of.body, vertices)?;
        let shape = match &of.mesh.elements {
            // All vertices: the body stands for itself.
            Elements::Tets(_) if vertices == used(of.body) => Shape {
                vertices: of.mesh.vertices.clone(),
                elements: of.mesh.elements.clone(),
                region_of: of.mesh.attributes.region_of.clone(),
                rows: basis.rows().to_vec(),
                coarse_of: None,
                warnings: Vec::new(),
            },
            Elements::Tets(_) => solid::shape(of, basis, vertices, watch)?,
            Elements::Faces(_) => surface::shape(of, basis, vertices, watch)?,
        };
        let Shape { vertices, elements, region_of, rows, coarse_of, warnings } = shape;
        let mut ghost = Self { vertices, elements, region_of, rank: basis.rank(), rows, weights: Vec::new() };
        let energy = ghost.energy(of.recipe, of.mesh).map_err(|error| {
            let vertices = ghost.vertices.len();
            asked(format!(
                "a ghost of {vertices} vertices has no energy ({error}); ask for another {}",
                setting::GHOST
            ))
        })?;
        ghost.weights = weigh::weights(energy.as_ref(), &ghost.vertices, of.body, coarse_of.as_deref());
        Ok(BuiltGhost { ghost, warnings })
    }

    /// The ghost as a mesh, of the regions and materials of the mesh that it stands for.
    pub fn mesh(&self, fine: &MeshData) -> MeshData {
        let mut mesh = MeshData {
            vertices: self.vertices.clone(),
            elements: self.elements.clone(),
            attributes: Default::default(),
        };
        mesh.attributes.regions.clone_from(&fine.attributes.regions);
        mesh.attributes.materials.clone_from(&fine.attributes.materials);
        mesh.attributes.region_of.clone_from(&self.region_of);
        mesh
    }

    /// U^s.
    pub fn basis(&self) -> Basis {
        Basis::new(self.rank, Arc::new(self.rows.clone()))
    }

    /// Its energy, without weights.
    ///
    /// # Errors
    /// As [`Recipe::energy`].
    pub fn energy(&self, recipe: &Recipe, fine: &MeshData) -> Result<Box<dyn Energy>, EnergyError> {
        recipe.energy(self.mesh(fine))
    }

    /// (1), which evaluates without allocation.
    ///
    /// # Errors
    /// As [`Recipe::energy`].
    pub fn force(&self, recipe: &Recipe, fine: &MeshData) -> Result<GhostForce, EnergyError> {
        Ok(GhostForce::new(self.energy(recipe, fine)?, &self.weights, &self.rows, self.rank))
    }

    /// The ghost in its first `count` coordinates.
    pub fn truncated(&self, count: usize) -> Self {
        let rows = self.rows.chunks_exact(self.rank).flat_map(|row| &row[..count]).copied().collect();
        Self { rank: count, rows, ..self.clone() }
    }
}

/// A thinned surface by itself: what a ghost of it is before it has a basis.
#[derive(Clone, Debug)]
pub struct StandIn {
    /// The coarse surface, of the regions and materials of the fine one.
    pub mesh: MeshData,
    /// For every fine vertex the coarse one it went to; `None` for one that no face uses.
    pub coarse_of: Vec<Option<u32>>,
    /// How much each component of its energy counts.
    pub weights: Vec<f64>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// The surface that `of` is, thinned to `vertices`, and its energy weighed as that of a ghost.
///
/// # Errors
/// As [`Ghost::make`]; [`ReduceError::Request`] for a solid.
pub fn stand_in(of: Source<'_>, vertices: usize, watch: &mut Watch<'_>) -> Result<StandIn, ReduceError> {
    check_size(of.body, vertices)?;
    if !matches!(of.mesh.elements, Elements::Faces(_)) {
        let sentence = "only surfaces are thinned by collapsing edges, and this body is a solid";
        return Err(ReduceError::Request(sentence.into()));
    }
    // No motion is to be carried.
    let still = Basis::from_columns(&vec![0.0; of.body.size()], of.body.size());
    let shape = surface::shape(of, &still, vertices, watch)?;
    let coarse_of = shape.coarse_of.expect("a thinned surface knows where its vertices went");
    let ghost = Ghost {
        vertices: shape.vertices,
        elements: shape.elements,
        region_of: shape.region_of,
        rank: 1,
        rows: shape.rows,
        weights: Vec::new(),
    };
    let energy = ghost.energy(of.recipe, of.mesh)?;
    let weights = weigh::weights(energy.as_ref(), &ghost.vertices, of.body, Some(&coarse_of));
    Ok(StandIn { mesh: ghost.mesh(of.mesh), coarse_of, weights, warnings: shape.warnings })
}

/// The vertices of a ghost by default: a tenth of those of the body, but not fewer than what shows a shape, nor more than
/// the largest of T14 Figure 3.13, and never more than there are.
pub fn usual_size(body: &Body) -> usize {
    let there = used(body);
    (there / 10).clamp(200, 10_000).min(there)
}

/// Fewer vertices than this show no shape that could bend.
const FEWEST: usize = 4;

/// Vertices that some component touches.
fn used(body: &Body) -> usize {
    body.rest().len() - body.unused().len()
}

fn check_size(body: &Body, vertices: usize) -> Result<(), ReduceError> {
    let (there, usual) = (used(body), usual_size(body));
    if vertices > there {
        return Err(asked(format!(
            "a ghost of {vertices} vertices was asked for, but the body has only {there}: a ghost is coarser than its \
             body; ask for a smaller {}, by default {usual}",
            setting::GHOST
        )));
    }
    if vertices < FEWEST {
        return Err(asked(format!(
            "a ghost of {vertices} vertices cannot bend; the {} is at least {FEWEST}, by default {usual}",
            setting::GHOST
        )));
    }
    Ok(())
}

/// Refused for the number of vertices.
fn asked(sentence: String) -> ReduceError {
    ReduceError::Request(Note::new(sentence, &[setting::GHOST]))
}

/// A ghost for a model.
fn prepare(
    of: Source<'_>,
    basis: &Basis,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Result<Prepared, ReduceError> {
    let size = settings.ghost.unwrap_or_else(|| usual_size(of.body));
    let BuiltGhost { ghost, warnings } = Ghost::make(of, basis, size, watch)?;
    let warnings = warnings.into_iter().map(Into::into).collect();
    Ok(Prepared { force: Arc::new(ghost), training: None, warnings })
}
