//! All of it in one call: handles go their way in steps, and the body follows, in a few coordinates or at full order.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use pliant_dynamics::minimise::Outcome;
use pliant_energy::{Body, Recipe};
use pliant_linalg::{Note, Progress, Watch};
use pliant_mesh::{Elements, MeshData, measure};
use pliant_reduce::{Model, Precompute, force};
use pliant_sim::SimError;

use crate::full::relative_l2;
use crate::terms::{ITERATIONS, SOLVER, STEPS, refused};
use crate::{Editor, FullEdit, Handle, Options};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// How it is solved.
    pub options: Options,
    /// Into how many parts the ways of handles are cut; `None`: as [`crate::steps`] says.
    pub steps: Option<usize>,
    /// At full order, without a model.
    pub full: bool,
    /// At full order, too, to see how far the model is off.
    pub compare: bool,
}

/// What is edited: a body, and what it was made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The mesh.
    pub mesh: &'a MeshData,
    /// What the body is made of.
    pub recipe: &'a Recipe,
    /// What `recipe` makes of `mesh`.
    pub body: &'a Arc<Body>,
}

/// A shape that was found.
#[derive(Clone, Debug)]
pub struct Edited {
    /// What was asked.
    pub request: Request,
    /// The minimiser.
    pub solver: &'static str,
    /// u, 3n entries, m.
    pub displacement: Vec<f64>,
    /// E and W at the end, J.
    pub energy: f64,
    /// W alone.
    pub elastic: f64,
    /// The root of the mean over handles of the mean square distance of a handle from where it is to be, m.
    pub handle_rms: f64,
    /// κ of each handle, N/m.
    pub stiffnesses: Vec<f64>,
    /// Steps of the way.
    pub steps: usize,
    /// Iterations and evaluations of all steps.
    pub iterations: usize,
    /// Evaluations of E and ∂E.
    pub evaluations: usize,
    /// Whether the last step ended in a minimum to ε.
    pub converged: bool,
    /// E before every iteration of the last step, and at its end, J.
    pub energies: Vec<f64>,
    /// What solving took, s.
    pub solving: f64,
    /// r; `None` at full order.
    pub rank: Option<usize>,
    /// Vertices of the ghost, where there is one.
    pub ghost_vertices: Option<usize>,
    /// The same at full order, where that was asked for.
    pub full: Option<Beside>,
    /// The handles.
    pub handles: Vec<Handle>,
    /// What a user should know.
    pub warnings: Vec<Note>,
    /// What was not reached.
    pub missed: Vec<Note>,
}

/// The shape at full order beside the one in a few coordinates.
#[derive(Clone, Debug)]
pub struct Beside {
    /// √(Σ m |x − x_full|² / (m A)), the norm of T14 Table 3.1: of lengths over the root of an area; over that of a volume for solids.
    pub relative_l2: f64,
    /// E of it, J.
    pub energy: f64,
    /// Of all steps.
    pub iterations: usize,
    /// Whether it ended in a minimum to ε.
    pub converged: bool,
    /// What solving took, s.
    pub solving: f64,
}

/// Modes and coordinates of a model that is made for editing: those of T14 section 5.2, 15 modes and half of their derivatives.
const MODES: usize = 15;
const RANK: usize = 67;

/// Fewer free numbers than this are too few for those.
const SMALL: usize = 400;

/// How a body is reduced to be edited, where nothing else is said: by modes and their derivatives, with the energy of a ghost.
pub fn usual_model(body: &Body) -> Precompute {
    let large = body.dofs().free().len() >= SMALL;
    let there = body.rest().len() - body.unused().len();
    Precompute {
        modes: large.then_some(MODES),
        rank: large.then_some(RANK),
        forces: Some("ghost".into()),
        // What T14 Table 5.1 takes for most of its bodies; a solid's lattice knows its own size.
        ghost: body.components().solid().is_none().then(|| there.min(GHOST)),
        ..Precompute::default()
    }
}

/// Vertices of a ghost for editing.
const GHOST: usize = 1000;

/// What a way through all steps came to.
struct Walked {
    last: Outcome,
    iterations: usize,
    evaluations: usize,
    energies: Vec<f64>,
    seconds: f64,
}

impl Request {
    /// # Errors
    /// Options that make no sense, or that exclude each other.
    pub fn check(&self) -> Result<(), SimError> {
        self.options.check()?;
        if self.steps == Some(0) {
            return Err(refused("a way in 0 steps leads nowhere; expected 1 or more", &[STEPS]));
        }
        let entry = pliant_dynamics::minimise::ALL.get(&self.options.solver)?;
        if self.full && entry.dense && self.options.solver != Options::default().solver {
            let sentence = format!(
                "{} keeps a matrix as large as the coordinates are many, which no body at full order has room for; take newton as the \
                 minimiser",
                entry.name
            );
            return Err(refused(sentence, &[SOLVER]));
        }
        Ok(())
    }

    /// Edits a body by a model of it, or without one at full order.
    ///
    /// # Errors
    /// As [`Request::check`] and [`crate::check`]; or the watch asked to stop.
    pub fn run(
        &self,
        of: Source<'_>,
        model: Option<&Arc<Model>>,
        handles: &[Handle],
        watch: &mut Watch<'_>,
    ) -> Result<Edited, SimError> {
        self.check()?;
        crate::check(handles, of.body)?;
        let steps = self.steps.unwrap_or_else(|| crate::steps(handles, of.mesh));
        match model {
            Some(model) if !self.full => self.reduced(of, model, handles, steps, watch),
            _ => {
                let (edit, walked) = self.walk_full(of, handles, None, steps, watch)?;
                let lags: Vec<f64> = (0..handles.len()).map(|h| edit.lag(h)).collect();
                let found = Edited {
                    solver: "newton",
                    displacement: edit.displacement().to_vec(),
                    elastic: edit.elastic_energy(),
                    stiffnesses: edit.stiffnesses(),
                    ..self.found(handles, steps, walked, &lags)
                };
                Ok(found)
            }
        }
    }

    fn reduced(
        &self,
        of: Source<'_>,
        model: &Arc<Model>,
        handles: &[Handle],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Edited, SimError> {
        let mut editor = Editor::of(model.clone(), of.body.clone(), &self.options)?;
        let ids = handles.iter().map(|handle| editor.add(&handle.vertices));
        let ids = ids.collect::<Result<Vec<_>, SimError>>()?;
        let walked = walk(steps, watch, |s, look| {
            for (id, handle) in ids.iter().zip(handles) {
                editor.place(*id, &handle.at(s))?;
            }
            Ok(editor.solve_for(self.options.iterations, look))
        })?;
        let lags = ids.iter().map(|id| editor.lag(*id)).collect::<Result<Vec<f64>, SimError>>()?;
        let stiffnesses =
            ids.iter().map(|id| editor.stiffness(*id)).collect::<Result<Vec<f64>, SimError>>()?;
        let mut displacement = vec![0.0; of.body.size()];
        model.basis().expand(editor.q(), &mut displacement);
        let mut found = Edited {
            solver: editor.solver(),
            elastic: editor.energies()[1],
            rank: Some(model.rank()),
            ghost_vertices: model.force().downcast_ref::<force::Ghost>().map(|ghost| ghost.vertices.len()),
            ..self.found(handles, steps, walked, &lags)
        };
        if self.compare {
            let (edit, walked) = self.walk_full(of, handles, Some(&stiffnesses), steps, watch)?;
            let relative_l2 = relative_l2(of.body, size(of.mesh), &displacement, edit.displacement());
            if !walked.last.converged() {
                found.missed.push(not_there("the shape at full order", &walked.last));
            }
            found.full = Some(Beside {
                relative_l2,
                energy: walked.last.energy,
                iterations: walked.iterations,
                converged: walked.last.converged(),
                solving: walked.seconds,
            });
        }
        Ok(Edited { displacement, stiffnesses, ..found })
    }

    fn walk_full(
        &self,
        of: Source<'_>,
        handles: &[Handle],
        stiffnesses: Option<&[f64]>,
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(FullEdit, Walked), SimError> {
        let made_of = (of.mesh, of.recipe);
        let mut edit = FullEdit::new(of.body.clone(), made_of, handles, stiffnesses, &self.options, watch)?;
        let walked = walk(steps, watch, |s, look| {
            handles.iter().enumerate().for_each(|(h, handle)| edit.place(h, &handle.at(s)));
            Ok(edit.solve(look))
        })?;
        Ok((edit, walked))
    }

    /// What both have in common.
    fn found(&self, handles: &[Handle], steps: usize, walked: Walked, lags: &[f64]) -> Edited {
        let mean = lags.iter().map(|lag| lag * lag).sum::<f64>() / lags.len().max(1) as f64;
        let mut warnings = Vec::new();
        if handles.iter().all(|handle| handle.path.is_none()) {
            warnings.push("no handle goes anywhere: the shape is that at rest".into());
        }
        let missed = match walked.last.converged() {
            true => Vec::new(),
            false => vec![not_there("the shape", &walked.last)],
        };
        Edited {
            request: self.clone(),
            solver: "",
            displacement: Vec::new(),
            energy: walked.last.energy,
            elastic: 0.0,
            handle_rms: mean.sqrt(),
            stiffnesses: Vec::new(),
            steps,
            iterations: walked.iterations,
            evaluations: walked.evaluations,
            converged: walked.last.converged(),
            energies: walked.energies,
            solving: walked.seconds,
            rank: None,
            ghost_vertices: None,
            full: None,
            handles: handles.to_vec(),
            warnings,
            missed,
        }
    }
}

fn not_there(what: &str, last: &Outcome) -> Note {
    let sentence = format!(
        "{what} is no minimum to the accuracy asked for: after {} iterations of the last step the energy is {:.6e} J and its steepest slope \
         {:.2e}; take more iterations, or more steps",
        last.iterations, last.energy, last.steepest
    );
    Note::new(sentence, &[ITERATIONS, STEPS])
}

/// Step by step from rest to the end.
fn walk(
    steps: usize,
    watch: &mut Watch<'_>,
    mut solve: impl FnMut(f64, &mut dyn FnMut(usize, f64) -> ControlFlow<()>) -> Result<Outcome, SimError>,
) -> Result<Walked, SimError> {
    let (mut iterations, mut evaluations, mut energies) = (0, 0, Vec::new());
    let start = Instant::now();
    for step in 1..=steps.max(1) {
        energies.clear();
        let mut cancelled = None;
        let mut look = |_: usize, energy: f64| {
            energies.push(energy);
            let told = Progress { stage: "following the handles", done: step - 1, total: steps }.tell(watch);
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(stop) => {
                    cancelled = Some(stop);
                    ControlFlow::Break(())
                }
            }
        };
        let last = solve(step as f64 / steps.max(1) as f64, &mut look)?;
        if let Some(stop) = cancelled {
            return Err(stop.into());
        }
        iterations += last.iterations;
        evaluations += last.evaluations;
        if step == steps.max(1) {
            let seconds = start.elapsed().as_secs_f64();
            return Ok(Walked { last, iterations, evaluations, energies, seconds });
        }
    }
    unreachable!("the last step returns")
}

/// The area of a surface, m², or the volume of a solid, m³.
pub(crate) fn size(mesh: &MeshData) -> f64 {
    match &mesh.elements {
        Elements::Tets(tets) => {
            let volume = |t: &[u32; 4]| measure::tet_volume(&t.map(|v| mesh.vertices[v as usize])).abs();
            tets.iter().map(volume).sum()
        }
        Elements::Faces(faces) => {
            measure::total_area(&mesh.vertices, &measure::triangulate(&mesh.vertices, faces))
        }
    }
}
