//! How a file is meant: which of its axes points up, and how long a unit of it is.

use pliant_linalg::table::Unknown;
use pliant_linalg::{Mat3, Note, Term};
use pliant_mesh::measure::metres;
use pliant_mesh::{Elements, MeshData, TetMesh};
use pliant_reduce::Model;

use crate::OpenError;

/// Lengths of a body beyond which its file likely means another unit, m.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e-3..=20.0;

/// Lengths that are proposed in their place, m: what stands on a table or in a room.
const HANDY: std::ops::RangeInclusive<f64> = 0.05..=4.0;

/// What is proposed where no unit helps, m.
const USUAL: f64 = 0.3;

/// Units that files are written in instead of metres, the usual ones first: what they are called and how long they are, m.
const UNITS: &[(&str, f64)] = &[
    ("centimetres", 1e-2),
    ("millimetres", 1e-3),
    ("inches", 0.0254),
    ("feet", 0.3048),
    ("kilometres", 1e3),
];

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// As in most files for pictures.
    #[default]
    Y,
    /// As in most files for machines and printers.
    Z,
    /// x.
    X,
    /// Upside down.
    MinusY,
    /// −z.
    MinusZ,
    /// −x.
    MinusX,
}

impl Up {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("y", Self::Y),
        ("z", Self::Z),
        ("x", Self::X),
        ("-y", Self::MinusY),
        ("-z", Self::MinusZ),
        ("-x", Self::MinusX),
    ];

    /// One of them.
    ///
    /// # Errors
    /// [`OpenError::Unknown`] of a name that none of them has.
    pub fn find(name: &str) -> Result<Self, OpenError> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, up)| *up).ok_or_else(|| {
            let known = Self::ALL.iter().map(|(name, _)| *name).collect();
            Unknown { what: "axis", name: name.to_owned(), known }.into()
        })
    }

    /// The turn, a quarter or a half one, that takes this axis to y.
    #[rustfmt::skip]
    pub fn turn(self) -> Mat3 {
        match self {
            Self::Y => Mat3::identity(),
            Self::Z => Mat3::new(1.0, 0.0, 0.0,  0.0, 0.0, 1.0,  0.0, -1.0, 0.0),
            Self::MinusZ => Mat3::new(1.0, 0.0, 0.0,  0.0, 0.0, -1.0,  0.0, 1.0, 0.0),
            Self::X => Mat3::new(0.0, -1.0, 0.0,  1.0, 0.0, 0.0,  0.0, 0.0, 1.0),
            Self::MinusX => Mat3::new(0.0, 1.0, 0.0,  -1.0, 0.0, 0.0,  0.0, 0.0, 1.0),
            Self::MinusY => Mat3::new(1.0, 0.0, 0.0,  0.0, -1.0, 0.0,  0.0, 0.0, -1.0),
        }
    }
}

/// A length that a body is likely meant to have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// The longest side, m.
    pub length: f64,
    /// The unit in which the file says so, where there is one.
    pub unit: Option<&'static str>,
}

/// What is proposed for a body whose longest side is `length` metres; `None` where that can be meant.
pub fn proposed(length: f64) -> Option<Proposal> {
    if PLAUSIBLE.contains(&length) {
        return None;
    }
    let fits = |unit: &&(&'static str, f64)| HANDY.contains(&(length * unit.1));
    let unit = UNITS.iter().find(fits);
    let as_said = unit.map(|&(name, metre)| Proposal { length: length * metre, unit: Some(name) });
    Some(as_said.unwrap_or(Proposal { length: USUAL, unit: None }))
}

/// What to say of a body whose size is likely meant in another unit.
pub(crate) fn unlikely_unit(mesh: &MeshData) -> Option<Note> {
    let [low, high] = mesh.bounds();
    let length = (high - low).max();
    let Proposal { length: meant, unit } = proposed(length)?;
    let mut sentence =
        format!("it is {} long: its file may be in other units than the metre", metres(length));
    if let Some(unit) = unit {
        sentence += &format!("; in {unit} it is {}", metres(meant));
    }
    Some(Note::new(sentence, &[Term::new("scale_to", "other units")]))
}

/// Turned upright, and its longest side made `size` metres where that is asked for.
///
/// # Errors
/// A size that is no length.
pub(super) fn posed(mut mesh: MeshData, up: Up, size: Option<f64>) -> Result<MeshData, OpenError> {
    if up != Up::Y {
        let turn = up.turn();
        mesh.vertices.iter_mut().for_each(|p| *p = turn * *p);
        if let Some(embedded) = &mut mesh.attributes.embedded {
            embedded.vertices.iter_mut().for_each(|p| *p = turn * *p);
        }
    }
    if let Some(length) = size {
        mesh.scale_to(length)?;
    }
    Ok(mesh)
}

/// What a model was made of, to be opened again in another way: the surface that is tied to its solid, else its mesh.
pub fn source(model: &Model) -> MeshData {
    let mesh = model.mesh();
    let tied = mesh.attributes.embedded.as_ref().filter(|_| matches!(mesh.elements, Elements::Tets(_)));
    tied.map_or_else(|| mesh.clone(), |fine| fine.to_mesh())
}

/// The skin of a solid as a surface.
///
/// # Errors
/// A solid that cannot be computed with.
pub(super) fn skin(mesh: MeshData) -> Result<MeshData, OpenError> {
    Ok(TetMesh::reoriented(mesh)?.0.boundary().into_data())
}
