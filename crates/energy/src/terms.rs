//! Quantities and remedies that sentences of this room name, each with the key by which doors know it.

use pliant_linalg::Term;

/// Young's modulus.
pub const YOUNG: Term = Term::new("young", "Young's modulus");
/// Poisson's ratio.
pub const POISSON: Term = Term::new("poisson", "Poisson's ratio");
/// The density.
pub const DENSITY: Term = Term::new("density", "the density");
/// The bending stiffness of a surface.
pub const BEND: Term = Term::new("bend", "the bending stiffness");
/// The membrane stiffness of a surface.
pub const MEMBRANE: Term = Term::new("membrane", "the membrane stiffness");
/// The thickness of a surface.
pub const THICKNESS: Term = Term::new("thickness", "the thickness");
/// The law.
pub const MATERIAL: Term = Term::new("material", "the material");
/// The factor of all stiffnesses when a body is rescaled.
pub const STIFFNESS_FACTOR: Term = Term::new("stiffness_factor", "the factor of the stiffness");
/// The factor of the density when a body is rescaled.
pub const DENSITY_FACTOR: Term = Term::new("density_factor", "the factor of the density");
/// What does not move.
pub const FIX: Term = Term::new("fix", "fix fewer of them");
/// Another size.
pub const SCALE: Term = Term::new("scale_to", "scale the mesh");
/// A solid of a surface.
pub const TETS: Term = Term::new("tets", "make a solid of it");
/// A solid of the boundary of another.
pub const MESH_ANEW: Term = Term::new("tets", "make the mesh anew from its surface");
/// A surface of a solid.
pub const BOUNDARY: Term = Term::new("boundary", "take its boundary");
/// What is wrong with a file.
pub const INFO: Term = Term::new("info", "examine the file");
