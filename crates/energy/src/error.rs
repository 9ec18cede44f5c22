//! What can be wrong with a body, and with a state.

use pliant_linalg::Cancelled;
use pliant_mesh::MeshError;

/// A state for which the energy is not defined. A line search answers with a shorter step.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "component {component} is turned inside out or without size, where its energy is not defined; take shorter steps, or for a solid a material that survives inversion such as stable-neo-hookean"
)]
pub struct Inadmissible {
    /// The first component with that state.
    pub component: usize,
}

/// A body that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnergyError {
    /// A Poisson's ratio that no isotropic body has.
    #[error("Poisson's ratio must lie in (-1, 0.5), got {0}; for nearly incompressible matter try 0.49")]
    Poisson(f64),
    /// A physical constant that must be positive and finite.
    #[error("{what} must be a finite number > 0 {unit}, got {value}")]
    NotPositive {
        /// The quantity.
        what: &'static str,
        /// Its number.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A material that is not in the table, or does not fit the mesh.
    #[error("there is no material {name:?} for {kind}; there are: {}", allowed.join(", "))]
    UnknownMaterial {
        /// As it was asked for.
        name: String,
        /// "solids" or "surfaces".
        kind: &'static str,
        /// What can be asked for.
        allowed: Vec<&'static str>,
    },
    /// A material of the other kind of mesh.
    #[error(
        "{name:?} is a material of {belongs}, but the mesh is a {found}, which can have: {}; {next}",
        allowed.join(", ")
    )]
    OtherMaterial {
        /// As it was asked for.
        name: String,
        /// "solids" or "surfaces".
        belongs: &'static str,
        /// "solid" or "surface".
        found: &'static str,
        /// What can be asked for.
        allowed: Vec<&'static str>,
        /// What to do.
        next: &'static str,
    },
    /// A number that this kind of body does not have.
    #[error("{option} means nothing for a {found}: {instead}")]
    Misplaced {
        /// The option.
        option: &'static str,
        /// "solid" or "surface".
        found: &'static str,
        /// What there is instead.
        instead: &'static str,
    },
    /// Faces of a surface that span no area.
    #[error(
        "face {face} has no area (as have {count} in all), so that no angle can be measured there; `pliant info` lists them, remove them or move their vertices"
    )]
    NoArea {
        /// The first of them.
        face: usize,
        /// How many there are.
        count: usize,
    },
    /// Tets so flat that their stiffness is rounding.
    #[error(
        "tet {tet} is too flat to compute with (as are {count} in all): its volume is {volume:e} m³, expected more than {allowed:e} m³, 1e-14 of the cube of its longest edge; `pliant info FILE` lists such tets, make the mesh anew from its surface with `pliant mesh IN -o OUT --tets`"
    )]
    Sliver {
        /// The first of them.
        tet: usize,
        /// How many there are.
        count: usize,
        /// Of the first, m³.
        volume: f64,
        /// What it must be above, m³.
        allowed: f64,
    },
    /// A vertex whose mass is no number that can be divided by.
    #[error(
        "vertex {vertex} weighs {mass:e} kg, which cannot be computed with; expected a number between 2.3e-308 and 1.7e308: change --density (for a surface also --thickness), or scale the mesh with `pliant mesh IN -o OUT --scale-to LENGTH`"
    )]
    Weight {
        /// The first of them.
        vertex: usize,
        /// kg.
        mass: f64,
    },
    /// An edge with so many triangles that it is no seam.
    #[error(
        "the edge between vertices {} and {} has {faces} triangles, expected at most {allowed}, since every two of them bend against each other; `pliant info FILE` lists such edges, remove the triangles that are there twice or split the edge",
        ends[0],
        ends[1]
    )]
    CrowdedEdge {
        /// Its vertices.
        ends: [u32; 2],
        /// How many meet there.
        faces: usize,
        /// How many may.
        allowed: usize,
    },
    /// A load on a vertex that is not there.
    #[error("{what} acts on vertex {vertex}, but there are {vertices}, numbered from 0")]
    UnknownVertex {
        /// Which load.
        what: String,
        /// As it was asked for.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A load that cannot act.
    #[error("{what} has {found}, expected {expected}")]
    BadLoad {
        /// Which load.
        what: String,
        /// The number in question.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// Nothing can move.
    #[error("all {vertices} vertices are fixed: nothing is left to move; fix fewer, or `--fix none`")]
    AllFixed {
        /// How many there are.
        vertices: usize,
    },
    /// The mesh itself.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl From<Cancelled> for EnergyError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
