//! A body that is edited on a page: regions are painted on what is shown of it, and it follows a few iterations at a time.
//!
//! Vertices here are those of the surface that is shown ([`ShownSurface`]); each stands for the vertex of the body that carries most of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use pliant_linalg::facts::{Fact, Facts};
use pliant_mesh::{MeshData, ShownSurface, io};
use pliant_reduce::{Model, ReduceError};
use pliant_sim::SimError;

use crate::read::{of_toml, to_toml};
use crate::terms::{SELECT, refused};
use crate::{Editor, Handle, HandleId, Options, Path as Way, Transform};

/// Handles of one body.
pub const MOST_HANDLES: usize = 64;

/// Parts of one move.
const MOST_STEPS: usize = 72;

/// A body under handles.
pub struct Session {
    editor: Editor,
    shown: Arc<ShownSurface>,
    last: Option<Followed>,
}

/// How far a body has followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followed {
    /// E, J.
    pub energy: f64,
    /// W of it, J.
    pub elastic: f64,
    /// The largest distance of a handle from where it is to be, m.
    pub lag: f64,
    /// Iterations of this call.
    pub iterations: usize,
    /// Whether that is a minimum to ε.
    pub converged: bool,
}

impl Session {
    /// A model at rest, by its own forces.
    ///
    /// # Errors
    /// As [`Editor::new`].
    pub fn new(model: &Arc<Model>) -> Result<Self, SimError> {
        let editor = Editor::new(model.clone(), &Options::default())?;
        Ok(Self { editor, shown: model.surface().clone(), last: None })
    }

    /// The vertices of the body that these shown ones stand for.
    fn of_shown(&self, shown: &[u32]) -> Result<Vec<u32>, SimError> {
        let count = self.shown.rest.len();
        if let Some(&vertex) = shown.iter().find(|p| **p as usize >= count) {
            return Err(SimError::NoVertex { vertex, vertices: count });
        }
        let all: BTreeSet<u32> = shown.iter().filter_map(|p| self.shown.heaviest_carrier(*p)).collect();
        let held = self.editor.model().held_components();
        Ok(all.into_iter().filter(|v| held[*v as usize] != [true; 3]).collect())
    }

    /// Holds what is shown there, where it was at rest. Vertices that are fixed, or that another handle holds, are left out.
    ///
    /// # Errors
    /// Nothing that could be held, or too many handles.
    pub fn hold(&mut self, shown: &[u32]) -> Result<HandleId, SimError> {
        if self.editor.handles().len() >= MOST_HANDLES {
            let sentence = format!("there are {MOST_HANDLES} handles already; let go of one first");
            return Err(refused(sentence, &[SELECT]));
        }
        let mut vertices = self.of_shown(shown)?;
        for other in self.editor.handles().collect::<Vec<_>>() {
            let theirs = self.editor.vertices(other)?;
            vertices.retain(|v| theirs.binary_search(v).is_err());
        }
        if vertices.is_empty() {
            let sentence =
                "nothing there can be held: it is fixed, or another handle has it; select what is free";
            return Err(refused(sentence, &[SELECT]));
        }
        self.editor.add(&vertices)
    }

    /// Lets go of a handle.
    ///
    /// # Errors
    /// One that is not there.
    pub fn forget(&mut self, handle: HandleId) -> Result<(), SimError> {
        self.editor.remove(handle)
    }

    /// Says where a handle is to be, and follows: at most so many iterations for each part of a way that is long, as the whole way of a file
    /// is cut.
    ///
    /// # Errors
    /// One that is not there, or a map that is none.
    pub fn go(&mut self, handle: HandleId, to: &Transform, iterations: usize) -> Result<Followed, SimError> {
        Transform::from_matrix(&to.matrix()).map_err(|why| refused(why, &[]))?;
        let from = *self.editor.placed(handle)?;
        let vertices = self.editor.vertices(handle)?.to_vec();
        let mesh = self.editor.model().mesh();
        // What was placed before is a map that can be undone.
        let undone = from.inverse().unwrap_or_default();
        let by = Way::to(&undone.then(to), from.apply(&crate::handles::middle(&vertices, mesh)));
        let way = [Handle { path: Some(by.clone()), ..Handle::stays("", vertices) }];
        let steps = crate::steps(&way, mesh).min(MOST_STEPS);
        for step in 1..steps {
            self.editor.place(handle, &from.then(&by.at(step as f64 / steps as f64)))?;
            self.follow(iterations);
        }
        self.editor.place(handle, to)?;
        Ok(self.follow(iterations))
    }

    /// Follows for at most so many iterations.
    pub fn follow(&mut self, iterations: usize) -> Followed {
        let outcome = self.editor.solve_for(iterations, &mut pliant_dynamics::minimise::unseen);
        let [energy, elastic] = self.editor.energies();
        let handles: Vec<HandleId> = self.editor.handles().collect();
        let lags = handles.iter().filter_map(|handle| self.editor.lag(*handle).ok());
        let lag = lags.fold(0.0, f64::max);
        let iterations = outcome.iterations;
        let followed = Followed { energy, elastic, lag, iterations, converged: outcome.converged() };
        self.last = Some(followed);
        followed
    }

    /// What the last call came to.
    pub fn last(&self) -> Option<Followed> {
        self.last
    }

    /// Back to rest, handles too.
    pub fn reset(&mut self) {
        self.editor.reset();
        self.last = None;
    }

    /// q.
    pub fn q(&self) -> &[f64] {
        self.editor.q()
    }

    /// The handles, in the order in which they came.
    pub fn handles(&self) -> Vec<HandleId> {
        self.editor.handles().collect()
    }

    /// Where a handle is to be.
    ///
    /// # Errors
    /// One that is not there.
    pub fn placed(&self, handle: HandleId) -> Result<&Transform, SimError> {
        self.editor.placed(handle)
    }

    /// What is shown of a handle, ascending.
    ///
    /// # Errors
    /// One that is not there.
    pub fn shown(&self, handle: HandleId) -> Result<Vec<u32>, SimError> {
        let own = self.editor.vertices(handle)?;
        let of = |p: &u32| self.shown.heaviest_carrier(*p).is_some_and(|v| own.binary_search(&v).is_ok());
        Ok((0..self.shown.rest.len() as u32).filter(of).collect())
    }

    /// The handles of a text, in place of those that are there, all at rest until they are placed; where each is to be.
    ///
    /// # Errors
    /// As [`of_toml`]; what was there stays then.
    pub fn load(&mut self, text: &str) -> Result<Vec<(HandleId, Transform)>, SimError> {
        let mesh = self.editor.model().mesh();
        let handles = of_toml("the handles", text, mesh, 1.0, false)?;
        crate::check(&handles, self.editor.body())?;
        if handles.len() > MOST_HANDLES {
            return Err(refused(format!("a body has at most {MOST_HANDLES} handles"), &[SELECT]));
        }
        for old in self.handles() {
            self.editor.remove(old)?;
        }
        handles.iter().map(|handle| Ok((self.editor.add(&handle.vertices)?, handle.at(1.0)))).collect()
    }

    /// The handles as a text that [`Session::load`] and [`crate::read()`] understand.
    pub fn to_toml(&self) -> String {
        let mesh = self.editor.model().mesh();
        let of = |(k, id): (usize, HandleId)| {
            let vertices = self.editor.vertices(id).ok()?.to_vec();
            let to = self.editor.placed(id).ok()?;
            let name = (k + 1).to_string();
            Some(match *to == Transform::default() {
                true => Handle::stays(name, vertices),
                false => Handle::moves(name, vertices, to, mesh),
            })
        };
        to_toml(&self.handles().into_iter().enumerate().filter_map(of).collect::<Vec<_>>(), 1.0)
    }

    /// The mesh where it has moved to.
    pub fn mesh(&self) -> MeshData {
        let model = self.editor.model();
        let mut u = vec![0.0; model.basis().size()];
        model.basis().expand(self.q(), &mut u);
        crate::files::moved(model.mesh(), &u)
    }

    /// That as a file, by the ending of a name.
    ///
    /// # Errors
    /// An ending that is no format of meshes.
    pub fn file(mesh: &MeshData, name: &str) -> Result<Vec<u8>, SimError> {
        let encode = || {
            let path = Path::new(name);
            let parts = io::encode(io::format_of(path)?, mesh, path, None)?;
            Ok(parts.into_iter().next().map(|part| part.bytes).unwrap_or_default())
        };
        encode().map_err(|error: pliant_mesh::MeshError| ReduceError::from(error).into())
    }
}

impl Followed {
    /// As one list.
    pub fn facts(&self) -> Facts {
        [
            Fact::new("energy", self.energy),
            Fact::new("elastic", self.elastic),
            Fact::new("lag", self.lag),
            Fact::new("iterations", self.iterations),
            Fact::new("converged", self.converged),
        ]
        .into_iter()
        .collect()
    }
}
