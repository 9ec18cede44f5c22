//! Everything that can go wrong in the mesh room: what, where, what is allowed, what to do next.

use std::fmt;
use std::path::PathBuf;

use pliant_linalg::table::Unknown;
use pliant_linalg::{Cancelled, Note, Term, Terms, number, quote, shown};

use crate::terms;

/// Where in a file something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Text: the line, counted from 1 as editors do.
    Line(usize),
    /// Binary: the byte, counted from 0.
    Byte(usize),
    /// A named part of the file: "the header", "accessor 3".
    Part(String),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
            Self::Part(part) => write!(f, "{part}: "),
            Self::Whole => Ok(()),
        }
    }
}

/// A position for a sentence.
pub(crate) fn coordinates(p: &[f64; 3]) -> String {
    format!("({}, {}, {})", number(p[0]), number(p[1]), number(p[2]))
}

/// The first few vertices of a list, which may be as long as a file.
fn few(list: &[u32]) -> String {
    match list.get(..8) {
        Some(first) if list.len() > 8 => format!("{first:?} and {} more", list.len() - 8),
        _ => format!("{list:?}"),
    }
}

/// The errors of this room. Each sentence names the place, what was found, what is allowed and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The operating system refused.
    #[error("{}: cannot {action}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// "read", "write".
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what its format demands.
    #[error("{file}: {place}{found}{}", if expected.is_empty() { String::new() } else { format!("; expected {expected}") })]
    Parse {
        /// The file, as the user named it.
        file: String,
        /// Where in it.
        place: Place,
        /// What stands there.
        found: String,
        /// What should, and what to do; empty where `found` says that too.
        expected: String,
    },
    /// The ending of the name is not in the table.
    #[error("{}: unknown format {}; known endings are {known}", shown(path), quote(ending))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
        /// The endings that are known, in a row.
        known: String,
    },
    /// The format cannot hold this mesh, or cannot be read or written.
    #[error("{format}: {problem}; {next}")]
    Format {
        /// Name of the format.
        format: &'static str,
        /// What it cannot do.
        problem: String,
        /// What to do instead.
        next: String,
    },
    /// The format has no place for elements of this kind.
    #[error(
        "{format}: it cannot hold {kind}; write another format, or make a solid of it if it is a surface"
    )]
    CannotHold {
        /// Name of the format.
        format: &'static str,
        /// What the mesh consists of.
        kind: &'static str,
    },
    /// The format holds 32-bit numbers, and a coordinate is too large for them.
    #[error(
        "{format}: it holds 32-bit numbers, and the coordinate {} is too large for them; scale it, or write another format that keeps all digits",
        number(*coordinate)
    )]
    TooLargeForFormat {
        /// Name of the format.
        format: &'static str,
        /// The coordinate, metres.
        coordinate: f64,
    },
    /// An element names a vertex that is not there.
    #[error("element {element} names vertex {vertex}, but there are {vertices} vertices (0 to {}); the file is damaged or its numbering starts elsewhere", vertices.saturating_sub(1))]
    IndexOutOfRange {
        /// The element, 0-based.
        element: usize,
        /// The vertex it names.
        vertex: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has the coordinates {}, expected finite numbers", coordinates(position))]
    NotFinite {
        /// The vertex, 0-based.
        vertex: usize,
        /// Its coordinates.
        position: [f64; 3],
    },
    /// A mesh needs at least one element.
    #[error("the mesh has {vertices} vertices and no {what}; expected at least one")]
    Empty {
        /// How many vertices there are.
        vertices: usize,
        /// "tets", "faces".
        what: &'static str,
    },
    /// The elements are of another kind than the work needs.
    #[error("the mesh holds {found}, but {needed} are needed here; {next}")]
    WrongKind {
        /// What it holds.
        found: &'static str,
        /// What is needed.
        needed: &'static str,
        /// What to do.
        next: Term,
    },
    /// A tet whose volume is not positive, or that names a vertex twice.
    #[error(
        "{count} tets have no positive volume, the first is tet {tet} with {volume:.3e} m³; expected > 0; examine the file for all of them"
    )]
    BadTet {
        /// How many there are.
        count: usize,
        /// The first, 0-based.
        tet: usize,
        /// Its signed volume, m³.
        volume: f64,
    },
    /// A tet whose volume is beyond numbers.
    #[error(
        "the volume of tet {tet} is no finite number, its coordinates are too large; expected lengths below 1e100 m: scale it"
    )]
    TooLarge {
        /// 0-based.
        tet: usize,
    },
    /// A face that is none.
    #[error(
        "face {face} has the corners {}, expected at least three different ones; examine the file for every such face",
        few(corners)
    )]
    BadFace {
        /// 0-based.
        face: usize,
        /// The vertices that it names.
        corners: Vec<u32>,
    },
    /// A surface too small or too large for a lattice.
    #[error("the surface is {length:.3e} m long, expected between 1e-60 and 1e60 m; scale it first")]
    SurfaceLength {
        /// The longest side of its box, metres.
        length: f64,
    },
    /// The parts of a mesh contradict each other.
    #[error("{0}")]
    Inconsistent(String),
    /// A surface without an inside.
    #[error(
        "the surface encloses nothing that could be filled: {why}; give it a thickness first, or make a cage of tets around the surface itself"
    )]
    EnclosesNothing {
        /// What speaks against an inside.
        why: String,
    },
    /// A body has no lattice point in it, so there is nothing to fill.
    #[error(
        "no lattice point lies inside: the body is thinner than the cells everywhere, or the surface encloses nothing; choose smaller cells by a shorter edge or a higher resolution, or make a cage of tets around the surface itself"
    )]
    NothingInside,
    /// A body much thinner than the cells that were asked for.
    #[error(
        "the body is about {thickness:.2e} m thick, and cells for {wanted} tets are about {cell:.2e} m; expected at least {needed:.0} elements, or a cage of tets that encloses it"
    )]
    TooThin {
        /// Metres.
        thickness: f64,
        /// Tets that were asked for.
        wanted: usize,
        /// The edge of their cells, metres.
        cell: f64,
        /// Tets that would do.
        needed: f64,
    },
    /// A lattice would have far too many cells.
    #[error(
        "a lattice edge of {edge:.3e} m is too small for a body {length:.3e} m long; expected an edge that makes fewer than some ten million tets: choose a longer edge, a lower resolution or fewer elements"
    )]
    TooFine {
        /// The edge, metres.
        edge: f64,
        /// The longest side of the body's box, metres.
        length: f64,
    },
    /// The name of a shape that is not there.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// Something that this mesh is nothing for, in a sentence.
    #[error("{0}")]
    Request(Note),
    /// The work was asked to stop.
    #[error("stopped on request; nothing was produced")]
    Cancelled,
}

impl From<Cancelled> for MeshError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl Terms for MeshError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::UnknownFormat { .. } => vec![terms::FORMATS],
            Self::CannotHold { .. } => vec![terms::OTHER_FORMAT, terms::TETS],
            Self::TooLargeForFormat { .. } => vec![terms::SCALE, terms::OTHER_FORMAT],
            Self::WrongKind { next, .. } => vec![*next],
            Self::Request(note) => note.terms.clone(),
            Self::BadTet { .. } | Self::BadFace { .. } => vec![terms::INFO],
            Self::TooLarge { .. } | Self::SurfaceLength { .. } => vec![terms::SCALE],
            Self::EnclosesNothing { .. } => vec![terms::CAGE],
            Self::TooThin { .. } => vec![terms::ELEMENTS, terms::CAGE],
            Self::NothingInside => vec![terms::SHORTER_EDGE, terms::HIGHER_RESOLUTION, terms::CAGE],
            Self::TooFine { .. } => vec![terms::LONGER_EDGE, terms::LOWER_RESOLUTION, terms::FEWER_ELEMENTS],
            Self::Io { .. }
            | Self::Parse { .. }
            | Self::Format { .. }
            | Self::IndexOutOfRange { .. }
            | Self::NotFinite { .. }
            | Self::Empty { .. }
            | Self::Inconsistent(_)
            | Self::Unknown(_)
            | Self::Cancelled => Vec::new(),
        }
    }
}
