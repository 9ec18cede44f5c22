//! Handles: regions of a body that stay, or are moved and turned.
//!
//! A handle is a name, vertices of the body, and where they go. What cannot be done is refused here, before anything is computed.

use pliant_energy::Body;
use pliant_linalg::{Vec3, quote};
use pliant_mesh::MeshData;
use pliant_sim::SimError;

use crate::terms::{FIX, SELECT, refused};
use crate::{Path, Transform};

/// A region, and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// As sentences call it.
    pub name: String,
    /// Of the body, ascending, without repetition.
    pub vertices: Vec<u32>,
    /// `None`: it stays.
    pub path: Option<Path>,
}

impl Handle {
    /// One that stays.
    pub fn stays(name: impl Into<String>, vertices: Vec<u32>) -> Self {
        Self { name: name.into(), vertices, path: None }
    }

    /// One that goes somewhere, by the shortest screw.
    pub fn moves(name: impl Into<String>, vertices: Vec<u32>, end: &Transform, mesh: &MeshData) -> Self {
        let path = Some(Path::to(end, middle(&vertices, mesh)));
        Self { name: name.into(), vertices, path }
    }

    /// Where it is at s of its way.
    pub fn at(&self, s: f64) -> Transform {
        self.path.as_ref().map_or_else(Transform::default, |path| path.at(s))
    }
}

/// The middle of some vertices at rest, m.
pub(crate) fn middle(vertices: &[u32], mesh: &MeshData) -> Vec3 {
    let sum: Vec3 = vertices.iter().map(|&v| mesh.vertices[v as usize]).sum();
    sum / vertices.len().max(1) as f64
}

/// How far a handle turns, radians, and moves, as a part of the body's longest side, in one step of its way.
const MOST_TURN: f64 = 10.0 * std::f64::consts::PI / 180.0;
const MOST_MOVE: f64 = 0.05;

/// Into how many parts the ways of handles are cut: turns of at most 10°, moves of at most a twentieth of the body.
pub fn steps(handles: &[Handle], mesh: &MeshData) -> usize {
    let [low, high] = mesh.bounds();
    let most = MOST_MOVE * (high - low).max();
    let of = |handle: &Handle| {
        let Some(path) = &handle.path else { return 1.0 };
        let turns = path.angle() / MOST_TURN;
        // The corners of the box around it travel farther than what is inside.
        let places: Vec<Vec3> = handle.vertices.iter().map(|&v| mesh.vertices[v as usize]).collect();
        let [low, high] = pliant_mesh::data::bounds(&places);
        let corner = |k: usize| Vec3::from_fn(|c, _| if k >> c & 1 == 0 { low[c] } else { high[c] });
        let moves = (0..8).map(|k| path.length(&corner(k)) / most).fold(0.0, f64::max);
        // A hair more than a whole number of steps is rounding.
        (turns.max(moves) - 1e-9).ceil()
    };
    handles.iter().map(of).fold(1.0, f64::max).min(1e5) as usize
}

/// Whether these handles can act on this body.
///
/// # Errors
/// No handle at all, one without vertices, or on vertices that are not there, that are fixed or belong to no element; a vertex in two of
/// them.
pub fn check(handles: &[Handle], body: &Body) -> Result<(), SimError> {
    let n = body.rest().len();
    if handles.is_empty() {
        let sentence =
            "there is no handle, so that nothing moves the body; select a region and say where it goes";
        return Err(refused(sentence, &[SELECT]));
    }
    let mut of: Vec<Option<usize>> = vec![None; n];
    for (h, handle) in handles.iter().enumerate() {
        let name = quote(&handle.name);
        let Some(&last) = handle.vertices.last() else {
            let sentence = format!("the handle {name} has no vertices; select some of the body's {n}");
            return Err(refused(sentence, &[SELECT]));
        };
        if last as usize >= n {
            return Err(SimError::NoVertex { vertex: last, vertices: n });
        }
        let fixed = |v: &&u32| (0..3).all(|c| body.dofs().is_held(3 * **v as usize + c));
        for &v in &handle.vertices {
            if let Some(other) = of[v as usize].replace(h) {
                let other = quote(&handles[other].name);
                let sentence =
                    format!("vertex {v} is in two handles, {other} and {name}; select it for one of them");
                return Err(refused(sentence, &[SELECT]));
            }
            if body.unused().binary_search(&v).is_ok() {
                let sentence =
                    format!("the handle {name} holds vertex {v}, which belongs to no element; leave it out");
                return Err(refused(sentence, &[SELECT]));
            }
        }
        let held = handle.vertices.iter().filter(fixed).count();
        if held > 0 && (handle.path.is_some() || held == handle.vertices.len()) {
            let v = handle.vertices.iter().find(fixed).copied().unwrap_or(0);
            let sentence = format!(
                "the handle {name} holds vertex {v}, which is fixed and cannot move; leave it out, or let it be free"
            );
            return Err(refused(sentence, &[SELECT, FIX]));
        }
    }
    Ok(())
}
