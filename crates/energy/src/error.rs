//! What can be wrong with a body, and with a state.

use pliant_linalg::table::Unknown;
use pliant_linalg::{Cancelled, Term, Terms, number, quote};
use pliant_mesh::MeshError;

use crate::constant::{Allowed, Constant};
use crate::terms;

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
    #[error("Poisson's ratio must lie in (-1, 0.5), got {}; for nearly incompressible matter try 0.49", number(*.0))]
    Poisson(f64),
    /// A physical constant that must be positive and finite.
    #[error("{what} must be a finite number > 0 {unit}, got {}", number(*value))]
    NotPositive {
        /// The quantity.
        what: Term,
        /// Its number.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A constant of a law that cannot be this.
    #[error("{}, {}, must be {}{}{}, got {value}", constant.key, constant.name, match constant.allowed {
        Allowed::Finite => "a finite number",
        Allowed::NotNegative => "a finite number >= 0",
        Allowed::Positive => "a finite number > 0",
    }, if constant.unit.is_empty() { "" } else { " " }, constant.unit)]
    NotAllowed {
        /// Which.
        constant: Constant,
        /// Its number.
        value: f64,
    },
    /// A material that is not in the table.
    #[error(transparent)]
    UnknownMaterial(#[from] Unknown),
    /// A material of the other kind of mesh.
    #[error(
        "{} is a material of {belongs}, but the mesh is a {found}, which can have: {}; or {next}",
        quote(name),
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
        next: Term,
    },
    /// A constant that the law does not have.
    #[error(
        "{law} has no constant {}; {}",
        quote(key),
        if declared.is_empty() { "it has no constants of its own".to_owned() } else { format!("its constants are: {}", declared.join(", ")) }
    )]
    UnknownConstant {
        /// As it was asked for.
        key: String,
        /// The name of the law.
        law: &'static str,
        /// What the law has.
        declared: Vec<&'static str>,
    },
    /// Constants that the law cannot do without.
    #[error(
        "{law} also needs {}; give all of its constants",
        missing.iter().map(|c| format!("{}, {}", c.key, c.name)).collect::<Vec<_>>().join(", and ")
    )]
    MissingConstants {
        /// The name of the law.
        law: &'static str,
        /// What is not given.
        missing: Vec<Constant>,
    },
    /// Constants without the name of their law.
    #[error(
        "the constants {} are not those of one material of {kind}: {}; name the material and give its constants",
        keys.join(", "),
        whose(known)
    )]
    WhoseConstants {
        /// "solids" or "surfaces".
        kind: &'static str,
        /// Their keys.
        keys: Vec<String>,
        /// The laws that they could belong to, or all there are, with what they have.
        known: Vec<(&'static str, Vec<&'static str>)>,
    },
    /// A number that this kind of body does not have.
    #[error("{what} means nothing for a {found}: {instead}")]
    Misplaced {
        /// The quantity.
        what: Term,
        /// "solid" or "surface", or a law.
        found: &'static str,
        /// What there is instead.
        instead: &'static str,
        /// What `instead` names.
        terms: &'static [Term],
    },
    /// Faces of a surface that span no area.
    #[error(
        "face {face} has no area (as have {count} in all), so that no angle can be measured there; examine the file for all of them, remove them or move their vertices"
    )]
    NoArea {
        /// The first of them.
        face: usize,
        /// How many there are.
        count: usize,
    },
    /// Tets so flat that their stiffness is rounding.
    #[error(
        "tet {tet} is too flat to compute with (as are {count} in all): its volume is {volume:e} m³, expected more than {allowed:e} m³, 1e-14 of the cube of its longest edge; examine the file for all such tets, or make the mesh anew from its surface"
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
        "vertex {vertex} weighs {mass:e} kg, which cannot be computed with; expected a number between 2.3e-308 and 1.7e308: change the density or, for a surface, the thickness, or scale the mesh"
    )]
    Weight {
        /// The first of them.
        vertex: usize,
        /// kg.
        mass: f64,
    },
    /// An edge with so many triangles that it is no seam.
    #[error(
        "the edge between vertices {} and {} has {faces} triangles, expected at most {allowed}, since every two of them bend against each other; examine the file for all such edges, remove the triangles that are there twice or split the edge",
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
    #[error("all {vertices} vertices are fixed: nothing is left to move; fix fewer of them, or none")]
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

/// Laws with their constants.
fn whose(known: &[(&str, Vec<&str>)]) -> String {
    let each = known.iter().map(|(law, keys)| format!("{law} has {}", keys.join(", ")));
    match known {
        [] => "none has constants of its own".to_owned(),
        _ => each.collect::<Vec<_>>().join("; "),
    }
}

impl Terms for EnergyError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Poisson(_) => vec![terms::POISSON],
            Self::NotPositive { what, .. } => vec![*what],
            Self::NotAllowed { constant, .. } => vec![constant.term()],
            Self::UnknownMaterial(_) => Vec::new(),
            Self::OtherMaterial { next, .. } => vec![*next],
            Self::UnknownConstant { .. } => Vec::new(),
            Self::MissingConstants { missing, .. } => missing.iter().map(Constant::term).collect(),
            Self::WhoseConstants { .. } => vec![terms::MATERIAL],
            Self::Misplaced { what, terms, .. } => [&[*what], *terms].concat(),
            Self::NoArea { .. } | Self::CrowdedEdge { .. } => vec![terms::INFO],
            Self::Sliver { .. } => vec![terms::INFO, terms::MESH_ANEW],
            Self::Weight { .. } => vec![terms::DENSITY, terms::THICKNESS, terms::SCALE],
            Self::AllFixed { .. } => vec![terms::FIX],
            Self::Mesh(error) => error.terms(),
            Self::UnknownVertex { .. } | Self::BadLoad { .. } | Self::Cancelled => Vec::new(),
        }
    }
}
