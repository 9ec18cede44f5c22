//! What can stop a reduction.

use std::path::PathBuf;

use pliant_linalg::eigen::EigenError;
use pliant_linalg::factor::FactorError;
use pliant_linalg::orth::OrthError;
use pliant_linalg::table::Unknown;
use pliant_linalg::{Cancelled, Note, Term, Terms, quote, shown};

/// A reduction that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// Too many modes asked for, or the iteration did not converge.
    #[error(transparent)]
    Eigen(EigenError),
    /// The stiffness at rest cannot be factorised.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// Columns cannot be made orthonormal in the mass.
    #[error(transparent)]
    Orth(OrthError),
    /// The body cannot be made.
    #[error(transparent)]
    Energy(#[from] pliant_energy::EnergyError),
    /// More coordinates than the basis can give.
    #[error("rank {asked} is more than the {available} that {source_of} can give; {next}")]
    Rank {
        /// The rank asked for.
        asked: usize,
        /// The largest there is.
        available: usize,
        /// What the basis is made of, such as "20 modes and their derivatives".
        source_of: String,
        /// What would work.
        next: String,
    },
    /// A model file that cannot be read, or a model that no file can hold.
    #[error("{}: {sentence}", shown(path))]
    File {
        /// The file, as the user named it.
        path: PathBuf,
        /// What was found, what was expected, what to do next.
        sentence: String,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// "read".
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// A mesh that is not sound, or a file that the disk does not take.
    #[error(transparent)]
    Mesh(#[from] pliant_mesh::MeshError),
    /// A name that is in no line of a table.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A setting of one force beside another that has no use for it.
    #[error("the {setting} is for {} forces, and {force} forces have none; leave it out, or take other forces", of.join(" and "))]
    Misplaced {
        /// The setting.
        setting: Term,
        /// The force that was asked for.
        force: String,
        /// Those that take it.
        of: Vec<&'static str>,
    },
    /// Settings that no force takes together.
    #[error("the {} is for {} forces, the {} for {} forces; leave out one of the two", settings[0], of[0].join(" and "), settings[1], of[1].join(" and "))]
    Divided {
        /// The settings.
        settings: [Term; 2],
        /// The forces that take each.
        of: [Vec<&'static str>; 2],
    },
    /// More or fewer coordinates than a model has.
    #[error("{asked} coordinates were asked for, but the model has {rank}; expected 1 to {rank}")]
    Coordinates {
        /// As asked.
        asked: usize,
        /// As there are.
        rank: usize,
    },
    /// Parts of a model that do not fit each other.
    #[error("the parts of the model do not fit each other: {0}")]
    Unfit(String),
    /// A section under a name that is none.
    #[error("a section cannot be called {}; expected up to {LONGEST_NAME} of a-z, 0-9, _ and -", quote(name))]
    SectionName {
        /// As it was asked for.
        name: String,
    },
    /// A section of a version that its owner does not read.
    #[error(
        "the section {} is of version {version}, {}make the section again",
        quote(name),
        match version {
            0 => "expected 1 or more; ".to_owned(),
            _ => format!("and this program reads 1 to {latest}; update the program, or "),
        }
    )]
    SectionVersion {
        /// Its name.
        name: String,
        /// What it says.
        version: u64,
        /// The latest that its owner reads; 0 where nobody was asked.
        latest: u64,
    },
    /// A section that belongs to another model, or to what this one was before it was cut or rescaled.
    #[error(
        "the section {} was made for another basis, mass or stiffness than the model has now; make it again",
        quote(name)
    )]
    StaleSection {
        /// Its name.
        name: String,
    },
    /// A tensor of a section that cannot be kept, or is not what its owner expects.
    #[error("the tensor {} of {} {fault}", quote(tensor), section.as_deref().map_or("a section".to_owned(), |name| format!("the section {}", quote(name))))]
    SectionTensor {
        /// The section; `None` of one that is in no model yet.
        section: Option<String>,
        /// The name of the tensor.
        tensor: String,
        /// What is wrong with it, and what to do.
        fault: TensorFault,
    },
    /// A model without natural modes: its reduced mass is not positive definite.
    #[error("this model has no natural modes: its mass is not positive definite; build it again")]
    NoNaturalModes,
    /// A request that makes no sense; the sentence says what would.
    #[error("{0}")]
    Request(Note),
    /// The work was asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// Letters of the name of a section, and of a tensor in one, at most.
pub(crate) const LONGEST_NAME: usize = 40;

/// What is wrong with a tensor of a section.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFault {
    /// Its name is none.
    #[error("cannot be called so; expected up to {LONGEST_NAME} of a-z, 0-9, _ and -")]
    Name,
    /// More or fewer entries than its shape has.
    #[error("has {found} entries for the shape {shape:?}; give as many as the shape says")]
    Size {
        /// How many were given.
        found: usize,
        /// As it was given.
        shape: Vec<usize>,
    },
    /// An entry that is infinite or NaN.
    #[error("has {0}, expected finite numbers")]
    NotFinite(f64),
    /// It is not in the section.
    #[error("is not there; make the section again")]
    Missing,
    /// It is of another type or shape than its owner expects.
    #[error("is {found}, expected {expected}; make the section again")]
    Other {
        /// Type and shape, such as `F64 [2]`.
        found: String,
        /// What its owner expects.
        expected: String,
    },
}

impl From<Cancelled> for ReduceError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<OrthError> for ReduceError {
    fn from(error: OrthError) -> Self {
        match error {
            OrthError::Cancelled => Self::Cancelled,
            other => Self::Orth(other),
        }
    }
}

impl From<EigenError> for ReduceError {
    fn from(error: EigenError) -> Self {
        match error {
            EigenError::Cancelled => Self::Cancelled,
            other => Self::Eigen(other),
        }
    }
}

impl ReduceError {
    /// The same in the sentence about a file, where "the parts" would say nothing.
    pub(crate) fn in_a_file(self) -> String {
        match self {
            Self::Unfit(sentence) => sentence,
            other => other.to_string(),
        }
    }

    /// A request that makes no sense, in a sentence without terms.
    pub(crate) fn request(sentence: impl Into<Note>) -> Self {
        Self::Request(sentence.into())
    }
}

/// How many coordinates a basis has.
pub(crate) const RANK: Term = Term::new("rank", "rank");
/// Which basis.
pub(crate) const BASIS: Term = Term::new("basis", "basis");
/// How many linear modes it starts from.
pub(crate) const MODES: Term = Term::new("modes", "number of modes");
/// Which force.
pub(crate) const FORCES: Term = Term::new("forces", "forces");
/// Displacements of the full body.
pub(crate) const SNAPSHOTS: Term = Term::new("snapshots", "snapshots");

/// How many elements a warp sums over.
pub(crate) const WARP: Term = Term::new("warp", "number of points to warp with");
/// Where a body is.
pub(crate) const DISPLACEMENT: Term = Term::new("displacement", "displacement");

impl Terms for ReduceError {
    fn terms(&self) -> Vec<Term> {
        match self {
            Self::Energy(error) => error.terms(),
            Self::Mesh(error) => error.terms(),
            Self::Request(note) => note.terms.clone(),
            Self::Misplaced { setting, .. } => vec![*setting, FORCES],
            Self::Divided { settings, .. } => settings.to_vec(),
            Self::Rank { .. } => vec![RANK],
            _ => Vec::new(),
        }
    }
}
