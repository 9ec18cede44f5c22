//! Quantities and remedies that sentences of this room name, each with the key by which doors know it.

use pliant_linalg::Term;

/// A solid of a surface.
pub const TETS: Term = Term::new("tets", "make a solid of it");
/// The same, in sentences about the surface.
pub const SOLID_OF_SURFACE: Term = Term::new("tets", "make a solid of the surface");
/// A solid of several parts.
pub const SOLID_OF_PARTS: Term = Term::new("tets", "make a solid of them");
/// A solid of a surface with holes.
pub const FILL: Term = Term::new("tets", "fill it with tets");
/// A solid made again from the boundary of a bad one.
pub const MESH_ANEW: Term = Term::new("tets", "mesh the surface anew");
/// The same of one that fell apart.
pub const LOOSE: Term = Term::new("tets", "make a solid of the boundary with smaller cells");
/// Tets around a surface.
pub const CAGE: Term = Term::new("cage", "a cage of tets");
/// A surface of a solid.
pub const BOUNDARY: Term = Term::new("boundary", "take its boundary");
/// What is wrong with a file.
pub const INFO: Term = Term::new("info", "examine the file");
/// What formats hold.
pub const FORMATS: Term = Term::new("formats", "known endings");
/// A format for what another cannot hold.
pub const OTHER_FORMAT: Term = Term::new("formats", "write another format");
/// Another size.
pub const SCALE: Term = Term::new("scale_to", "scale it");
/// Larger cells.
pub const LONGER_EDGE: Term = Term::new("edge", "a longer edge");
/// Smaller cells.
pub const SHORTER_EDGE: Term = Term::new("edge", "a shorter edge");
/// Larger cells.
pub const LOWER_RESOLUTION: Term = Term::new("resolution", "a lower resolution");
/// Smaller cells.
pub const HIGHER_RESOLUTION: Term = Term::new("resolution", "a higher resolution");
/// How many tets.
pub const ELEMENTS: Term = Term::new("elements", "elements");
/// Larger cells.
pub const FEWER_ELEMENTS: Term = Term::new("elements", "fewer elements");
/// Triangles of whatever it is.
pub const TRIANGLES: Term =
    Term::new("boundary", "take the boundary of a solid and cut faces into triangles");
