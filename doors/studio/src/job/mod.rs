//! From files to a body, on a thread of its own: reading, examining, filling, reducing, and the shapes for the page.
//!
//! One job at a time. It tells how far it is ([`report::Report`]), stops when [`Hub::cancel`] is set, and hands its body to
//! the engine, which goes on with the old one until then.

mod findings;
mod read;
mod report;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pliant::linalg::{Note, Progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::reduce::{Model, ReduceError};
use pliant::world::open::{Contents, Holding};
use pliant::world::{Open, OpenError, Opened, Plate, Remake};

pub(crate) use crate::command::Finished;
use crate::hub::{Command, Hub, Shapes, Upload};
use crate::protocol::{JobState, Rebuild};
use crate::{Opening, cache, shape, words};

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
    Rebuild { name: String, model: Arc<Model>, factors: [f64; 2], change: Box<Rebuild> },
}

/// A job to be started.
pub(crate) struct Ticket {
    pub(crate) number: u32,
    pub(crate) by: Option<u32>,
    pub(crate) task: Task,
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
            Err(error) => last.say(JobState::Failed, Some(words::sentence(&error))),
        }
    })?;
    Ok(Running(over))
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

fn work(task: Task, by: Option<u32>, report: &mut Report) -> Result<Finished, OpenError> {
    Progress::stage("reading").tell(&mut |p| report.tell(p))?;
    let title = report.title().to_owned();
    let (why, name, opened) = match task {
        Task::Open(Opening::Demo) => ("opened", "dino".to_owned(), demo(report)?),
        Task::Open(Opening::File(path)) => {
            let (name, contents) = read::from_disk(&path)?;
            ("opened", name.clone(), open(&name, contents, report)?)
        }
        Task::Files(files) => {
            let (name, contents) = read::uploaded(files)?;
            ("dropped", name.clone(), open(&name, contents, report)?)
        }
        Task::Shape(name) => {
            let mesh = shapes::find(&name)?.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
            let contents = Contents::Mesh { mesh, notes: Vec::new() };
            ("opened", name.clone(), open(&name, contents, report)?)
        }
        Task::Rebuild { model, factors, change, .. } => {
            let model = rescaled(&model, factors)?;
            let again = Open::default().remake(&model, &remake(*change)?, &mut |p| report.tell(p))?;
            ("rebuilt", title, again)
        }
    };
    finish(why, by, name, opened, report)
}

/// What the engine and the page need of a model.
fn finish(
    why: &'static str,
    by: Option<u32>,
    name: String,
    opened: Opened,
    report: &mut Report,
) -> Result<Finished, OpenError> {
    Progress::stage("preparing to show it").tell(&mut |p| report.tell(p))?;
    let Opened { model, notes, .. } = opened;
    let unsent = |sentence: String| ReduceError::Request(sentence.into());
    let shapes = Shapes {
        shape: Arc::new(shape::shape(&model).map_err(unsent)?),
        inside: shape::inside(&model).map_err(unsent)?.map(Arc::new),
    };
    Progress::stage("done").tell(&mut |p| report.tell(p))?;
    let notes = notes.iter().map(words::note).collect();
    Ok(Finished { news: report.done(), why, by, name, notes, model: Arc::new(model), shapes })
}

/// A body of what was read; what is wrong with a mesh is told as soon as it is known.
fn open(name: &str, contents: Contents, report: &mut Report) -> Result<Opened, OpenError> {
    // The findings go out while the work speaks through the same report.
    let (hub, job) = (report.hub().clone(), report.job());
    let mut show = |mesh: &_, found: &_| findings::show(&hub, job, name, mesh, found);
    Open::default().open_contents(contents, &mut show, &mut |p| report.tell(p))
}

/// The dinosaur, from the cache folder if it is there.
fn demo(report: &mut Report) -> Result<Opened, OpenError> {
    let open = Open { holding: Holding::These(vec!["set:fixed".into()]), ..Open::default() };
    // A newer format says that models have become better, too.
    let place = cache::demo(&format!("{:?}, format {}", open.precompute, Model::NEWEST_FORMAT));
    let mut notes = Vec::new();
    let (model, why) = cache::kept(place.as_deref(), || {
        let mesh = shapes::find("dino")?.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
        let made = open.reduce(open.held(mesh)?, &mut |p| report.tell(p))?;
        notes = made.notes;
        Ok::<_, OpenError>(made.model)
    })?;
    notes.extend(why.map(Note::from));
    Ok(Opened { model, report: None, notes })
}

/// The model with other stiffness and density. Takes a while: not for the engine's thread.
///
/// # Errors
/// A sentence.
pub(crate) fn rescaled(model: &Arc<Model>, factors: [f64; 2]) -> Result<Arc<Model>, ReduceError> {
    if factors == [1.0; 2] {
        return Ok(model.clone());
    }
    model.rescaled(factors[0], factors[1]).map(Arc::new)
}

/// The words of the page in those of the library.
///
/// # Errors
/// A sheet that is not on the menu.
fn remake(change: Rebuild) -> Result<Remake, OpenError> {
    let Rebuild { material, constants, poisson, sheet, basis, modes, rank, forces, cubature, pins } = change;
    let plate = sheet.map(|name| Plate::find(&name)).transpose()?;
    let (constants, pins) = (constants.unwrap_or_default(), pins.map(|pins| pins.vertices));
    Ok(Remake { material, constants, poisson, plate, pins, basis, modes, rank, forces, points: cubature })
}

/// A body without a thread, for tests.
#[cfg(test)]
pub(crate) fn finished(model: Model) -> Finished {
    let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None);
    let opened = Opened { model, report: None, notes: Vec::new() };
    finish("opened", None, "bar.obj".into(), opened, &mut report).expect("a body")
}
