//! From files to a body, on a thread of its own: reading, examining, filling, reducing, and the shapes for the page.
//!
//! One job at a time. It tells how far it is ([`report::Report`]), stops when [`Hub::cancel`] is set, and hands its body to
//! the engine, which goes on with the old one until then.

mod build;
mod pins;
mod read;
mod report;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pliant::energy::Recipe;
use pliant::linalg::Progress;
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::reduce::{Model, Precompute, ReduceError};

use crate::engine::playing::rescaled;
use crate::hub::{Command, Hub, Shapes, Upload};
use crate::protocol::{JobNews, JobState, Rebuild};
use crate::shape::{self, Skin};
use crate::{Opening, cache};

pub(crate) use read::plain_name;
use report::Report;

/// What is to be made.
pub(crate) enum Task {
    /// The first body.
    Open(Opening),
    /// Of files that a page sent.
    Files(Vec<Upload>),
    /// One of our shapes.
    Shape(String),
    /// Of the mesh of the body that is there.
    Rebuild { name: String, model: Arc<Model>, factors: [f64; 2], skin: Arc<Skin>, change: Rebuild },
}

/// A job to be started.
pub(crate) struct Ticket {
    pub(crate) number: u32,
    pub(crate) by: Option<u32>,
    pub(crate) task: Task,
}

/// A body that a job has made.
pub(crate) struct Finished {
    /// To be told when it is there.
    pub(crate) news: JobNews,
    /// `opened`, `dropped` or `rebuilt`.
    pub(crate) why: &'static str,
    pub(crate) by: Option<u32>,
    pub(crate) name: String,
    pub(crate) notes: Vec<String>,
    pub(crate) model: Arc<Model>,
    pub(crate) skin: Arc<Skin>,
    pub(crate) shapes: Shapes,
    /// kg.
    pub(crate) mass: f64,
    /// Of the model file.
    pub(crate) bytes: usize,
}

impl std::fmt::Debug for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finished").field("name", &self.name).field("why", &self.why).finish_non_exhaustive()
    }
}

/// A job that may still run.
pub(crate) struct Running(Arc<AtomicBool>);

impl Running {
    /// Whether it has said its last word.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Starts a job.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn start(hub: &Arc<Hub>, ticket: Ticket) -> std::io::Result<Running> {
    hub.cancel.store(false, Ordering::Relaxed);
    let over = Arc::new(AtomicBool::new(false));
    let ended = over.clone();
    let hub = hub.clone();
    std::thread::Builder::new().name("job".into()).spawn(move || {
        let Ticket { number, by, task } = ticket;
        let mut last = LastWord { over: ended, report: Report::new(hub, number, task.title(), by) };
        match work(task, by, &mut last.report) {
            // From here on the engine speaks, which also ends the job.
            Ok(finished) => last.report.hub().send(Command::Install(Box::new(finished))),
            Err(_) if last.report.stopped() => last.say(JobState::Cancelled, None),
            Err(error) => last.say(JobState::Failed, Some(sentence(&error))),
        }
    })?;
    Ok(Running(over))
}

/// An error with its causes, as the command line prints it.
pub(crate) fn sentence(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some errors already say what caused them.
        if !said.ends_with(&next) {
            said = format!("{said}: {next}");
        }
        cause = error.source();
    }
    said
}

/// Says that a job is over even if it broke down.
struct LastWord {
    over: Arc<AtomicBool>,
    report: Report,
}

impl LastWord {
    fn say(&mut self, state: JobState, message: Option<String>) {
        // Free for the next one before anybody can hear that this one is over.
        self.over.store(true, Ordering::Release);
        self.report.end(state, message);
    }
}

impl Drop for LastWord {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let message =
                "this brought pliant itself to a stop, which is a mistake in pliant; please report it";
            self.say(JobState::Failed, Some(message.into()));
        }
    }
}

impl Task {
    fn title(&self) -> String {
        match self {
            Self::Open(Opening::Demo) => "The dinosaur".into(),
            Self::Open(Opening::File(path)) => {
                path.file_name().map_or_else(|| "a file".into(), |n| n.to_string_lossy().into_owned())
            }
            Self::Files(files) => files.first().map_or_else(|| "a file".into(), |f| plain_name(&f.name)),
            Self::Shape(name) | Self::Rebuild { name, .. } => name.clone(),
        }
    }
}

fn work(task: Task, by: Option<u32>, report: &mut Report) -> Result<Finished, ReduceError> {
    Progress::stage("reading").tell(&mut |p| report.tell(p))?;
    let title = report.title().to_owned();
    let (why, name, model, notes) = match task {
        Task::Open(Opening::Demo) => {
            let (model, notes) = demo(report)?;
            ("opened", "dino".to_owned(), model, notes)
        }
        Task::Open(Opening::File(path)) => {
            let (name, model, notes) = of_files(read::from_disk(&path)?, report)?;
            ("opened", name, model, notes)
        }
        Task::Files(files) => {
            let (name, model, notes) = of_files(read::uploaded(files)?, report)?;
            ("dropped", name, model, notes)
        }
        Task::Shape(name) => {
            let (model, notes) = of_shape(&name, report)?;
            ("opened", name, model, notes)
        }
        Task::Rebuild { model, factors, skin, change, .. } => {
            let model = rescaled(&model, factors)?;
            let (model, notes) = again(&model, &skin, &change, report)?;
            ("rebuilt", title, model, notes)
        }
    };
    finish(why, by, name, model, notes, report)
}

/// What the engine and the page need of a model.
fn finish(
    why: &'static str,
    by: Option<u32>,
    name: String,
    model: Model,
    notes: Vec<String>,
    report: &mut Report,
) -> Result<Finished, ReduceError> {
    Progress::stage("preparing to show it").tell(&mut |p| report.tell(p))?;
    let skin = Skin::of(&model.mesh());
    let shapes = Shapes {
        shape: Arc::new(shape::shape(&model, &skin).map_err(|e| ReduceError::Request(e.into()))?),
        inside: shape::inside(&model).map_err(|e| ReduceError::Request(e.into()))?.map(Arc::new),
    };
    let (mass, bytes) = (model.total_mass(), model.size_in_bytes());
    Progress::stage("done").tell(&mut |p| report.tell(p))?;
    Ok(Finished {
        news: report.done(),
        why,
        by,
        name,
        notes,
        model: Arc::new(model),
        skin: Arc::new(skin),
        shapes,
        mass,
        bytes,
    })
}

fn of_files(read: read::Read, report: &mut Report) -> Result<(String, Model, Vec<String>), ReduceError> {
    let read::Read { name, found, mut notes } = read;
    let mesh = match found {
        read::Found::Model(model) => return Ok((name, *model, notes)),
        read::Found::Mesh(mesh) => *mesh,
    };
    let prepared = build::prepare(&name, mesh, report)?;
    let (model, more) = build::reduce(prepared, &build::precompute(), true, report)?;
    notes.extend(more);
    let model = build::suit(model, &mut notes)?;
    Ok((name, model, notes))
}

fn of_shape(name: &str, report: &mut Report) -> Result<(Model, Vec<String>), ReduceError> {
    let mesh = shapes::find(name)?.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
    let prepared = build::prepare(name, mesh, report)?;
    let (model, mut notes) = build::reduce(prepared, &build::precompute(), true, report)?;
    Ok((build::suit(model, &mut notes)?, notes))
}

/// The dinosaur, from the cache folder if it is there.
fn demo(report: &mut Report) -> Result<(Model, Vec<String>), ReduceError> {
    let precompute = build::precompute();
    let place = cache::demo(&format!("{precompute:?}"));
    let mut notes = Vec::new();
    let (model, why) = cache::kept(place.as_deref(), || {
        let mesh = shapes::find("dino")?.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
        let fixed = mesh.attributes.set("fixed").map(|set| set.vertices.clone()).unwrap_or_default();
        let fixed = vec![pliant::mesh::select::Selection { vertices: fixed, components: [true; 3] }];
        let prepared =
            build::Prepared { mesh, recipe: Recipe { fixed, ..Recipe::default() }, notes: Vec::new() };
        let (model, more) = build::reduce(prepared, &precompute, true, report)?;
        notes = more;
        Ok::<_, ReduceError>(model)
    })?;
    notes.extend(why);
    Ok((model, notes))
}

/// The same mesh with another recipe.
fn again(
    model: &Model,
    skin: &Skin,
    change: &Rebuild,
    report: &mut Report,
) -> Result<(Model, Vec<String>), ReduceError> {
    let mut recipe = model.recipe().clone();
    recipe.material = change.material.clone().or(recipe.material);
    recipe.poisson = change.poisson.or(recipe.poisson);
    if let Some(pins) = &change.pins {
        recipe.fixed = pins::changed(model, skin, &pins.vertices);
    }
    // What follows from something else is chosen again when that changes.
    let facts = &model.facts();
    let other_basis = change.basis.is_some() || change.modes.is_some() || change.pins.is_some();
    let rank = change.rank.or((!other_basis).then(|| model.basis().rank()));
    let same_force = change.material.is_none() && change.forces.is_none() && change.cubature.is_none();
    let points = facts.training.as_ref().map(|t| t.points);
    let points = points.filter(|_| same_force && change.rank.is_none() && !other_basis);
    let same_force = same_force.then(|| model.force().name().to_owned());
    let precompute = Precompute {
        basis: change.basis.clone().unwrap_or_else(|| facts.basis.clone()),
        modes: Some(change.modes.unwrap_or(facts.eigenvalues.len())),
        rank,
        forces: change.forces.clone().or(same_force),
        points: change.cubature.or(points),
        ..build::precompute()
    };
    let prepared = build::Prepared { mesh: model.mesh().clone(), recipe, notes: Vec::new() };
    build::reduce(prepared, &precompute, change.rank.is_none(), report)
}

/// A body without a thread, for tests.
#[cfg(test)]
pub(crate) fn finished(model: Model) -> Finished {
    let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None);
    finish("opened", None, "bar.obj".into(), model, Vec::new(), &mut report).expect("a body")
}
