//! Where a body is held: by its file, by words, at an end, at its corners, or where somebody painted.

use std::collections::BTreeSet;

use pliant_linalg::{Note, Term, Vec3};
use pliant_mesh::loose::main_part;
use pliant_mesh::select::{self, Selection};
use pliant_mesh::{MeshData, ShownSurface};
use pliant_sim::accuracy::usual_hold;

use crate::OpenError;

/// What helps against the wrong hold.
const HOLD: Term = Term::new("hold", "held");

/// How much of its height is held at an end.
const END: f64 = 0.05;

/// How far from a corner a body is held, in parts of its longest side.
const CORNER: f64 = 0.04;

/// What is held.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Holding {
    /// What the file says, else the corners of a sheet, else the lowest 5 %, of what lies flat one end.
    #[default]
    Usual,
    /// What the recipe says.
    Recipe,
    /// Selections of the finished mesh, as `select::select` reads them: `y<5%`, `set:feet`. None of them: nothing.
    These(Vec<String>),
    /// Its lowest 5 %, whatever the file says; of a body in several parts, of the main one.
    Bottom,
    /// Its highest 5 %.
    Top,
    /// Its two upper corners, of what lies flat all four.
    Corners,
    /// What carries these vertices of the shown surface.
    Shown(Vec<u32>),
}

/// What is fixed, and what to say of it where nobody asked for that.
pub type Fixed = (Vec<Selection>, Option<Note>);

impl Holding {
    /// What is fixed of a mesh, and a sentence about it where nobody said so; `None` leaves it to the recipe.
    ///
    /// # Errors
    /// A selection that names what no mesh has.
    pub fn of(&self, mesh: &MeshData) -> Result<Option<Fixed>, OpenError> {
        let said = |sentence: &str| Some(Note::new(sentence, &[HOLD]));
        let whole = |vertices| vec![Selection { vertices, components: [true; 3] }];
        Ok(Some(match self {
            Self::Recipe => return Ok(None),
            Self::Usual => {
                let (fixed, sentence) = usual_hold(mesh)?;
                (fixed, said(&sentence))
            }
            Self::These(specs) => {
                let chosen = specs.iter().map(|spec| select::select(mesh, spec));
                (chosen.collect::<Result<_, _>>()?, None)
            }
            Self::Bottom => (whole(end(mesh, false)), said("it is held at its lowest 5 %")),
            Self::Top => (whole(end(mesh, true)), said("it is held at its highest 5 %")),
            Self::Corners => (whole(corners(mesh)), said("it is held at its corners")),
            Self::Shown(shown) => (whole(carriers(mesh, shown)), None),
        }))
    }
}

/// Vertices that count, and the box around them.
fn counted(mesh: &MeshData) -> (Vec<u32>, [Vec3; 2]) {
    let main = main_part(mesh);
    let counts = |v: &u32| main.as_ref().is_none_or(|main| main[*v as usize]);
    let vertices: Vec<u32> = (0..mesh.vertices.len() as u32).filter(counts).collect();
    let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    let points = vertices.iter().map(|v| &mesh.vertices[*v as usize]);
    let bounds = points.fold(empty, |[low, high], p| [low.inf(p), high.sup(p)]);
    (vertices, bounds)
}

/// The lowest or highest part.
fn end(mesh: &MeshData, top: bool) -> Vec<u32> {
    let (mut vertices, [low, high]) = counted(mesh);
    let part = END * (high.y - low.y);
    vertices.retain(|v| {
        let y = mesh.vertices[*v as usize].y;
        if top { y >= high.y - part } else { y <= low.y + part }
    });
    vertices
}

/// Around the vertices that are farthest towards the corners of the box, seen from the side, or from above where it lies flat.
fn corners(mesh: &MeshData) -> Vec<u32> {
    let (vertices, [low, high]) = counted(mesh);
    let (sides, middle) = (high - low, (low + high) / 2.0);
    let flat = sides.y <= END * sides.max();
    let along = if sides.x >= sides.z { Vec3::x() } else { Vec3::z() };
    let across = if flat { Vec3::x() + Vec3::z() - along } else { Vec3::y() };
    let ways = [along + across, across - along, -along - across, along - across];
    let reach = CORNER * sides.max();
    let mut held = BTreeSet::new();
    for way in &ways[..if flat { 4 } else { 2 }] {
        let far = |v: &u32| {
            let p = mesh.vertices[*v as usize] - middle;
            way.component_div(&sides.map(|side| side.max(f64::MIN_POSITIVE))).dot(&p)
        };
        let Some(corner) = vertices.iter().max_by(|a, b| far(a).total_cmp(&far(b))) else { continue };
        let near = |v: &&u32| (mesh.vertices[**v as usize] - mesh.vertices[*corner as usize]).norm() <= reach;
        held.extend(vertices.iter().filter(near));
    }
    held.into_iter().collect()
}

/// The vertices of the body that carry shown ones.
fn carriers(mesh: &MeshData, shown: &[u32]) -> Vec<u32> {
    let surface = ShownSurface::of(mesh);
    let count = surface.rest.len() as u32;
    let rows = shown.iter().filter(|p| **p < count).flat_map(|p| surface.carriers.row(*p as usize));
    rows.filter(|(_, weight)| *weight != 0.0).map(|(v, _)| v).collect::<BTreeSet<_>>().into_iter().collect()
}
