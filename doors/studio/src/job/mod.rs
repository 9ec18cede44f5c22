//! From files to a body, on a thread of its own: reading, examining, filling, reducing, and the shapes for the page.
//!
//! A [`Job`] is any work that tells how far it is ([`Report`]) and stops when it is told to. Those of this room ([`Task`]) hand a
//! body to the engine, which goes on with what there is until then.

mod findings;
mod read;
mod report;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pliant::linalg::{Note, Progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::reduce::{Model, ReduceError};
use pliant::world::open::{Contents, Holding};
use pliant::world::{Open, OpenError, Opened, Remake};

pub(crate) use crate::command::Finished;
use crate::hub::{Command, Hub, Shapes, Upload};
use crate::protocol::JobState;
use crate::{Opening, cache, shape, words};

pub(crate) use read::plain_name;
pub(crate) use report::Report;

/// Work that takes a while. It may end with a body; else it ends with nothing, or a sentence.
pub(crate) struct Job {
    pub(crate) title: String,
    /// The client that asked.
    pub(crate) by: Option<u32>,
    pub(crate) work: Box<dyn FnOnce(&mut Report) -> Result<Option<Finished>, String> + Send>,
}

/// What is to be made.
pub(crate) enum Task {
    /// The first body.
    Open(Opening),
    /// Of files that a page sent.
    Files(Vec<Upload>),
    /// One of our shapes.
    Shape(String),
    /// Of the mesh of the body that is there.
    Rebuild { name: String, model: Arc<Model>, factors: [f64; 2], change: Box<Remake> },
}

/// Starts a job; its last word is [`Command::Ended`].
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn start(hub: &Arc<Hub>, number: u32, job: Job, cancel: Arc<AtomicBool>) -> std::io::Result<()> {
    let hub = hub.clone();
    std::thread::Builder::new().name("job".into()).spawn(move || {
        let Job { title, by, work } = job;
        let mut last = LastWord(Report::new(hub, number, title, by, cancel));
        match work(&mut last.0) {
            // From here on the engine speaks.
            Ok(Some(finished)) => last.end(Some(finished)),
            Ok(None) => last.say(JobState::Done, None),
            Err(_) if last.0.stopped() => last.say(JobState::Cancelled, None),
            Err(sentence) => last.say(JobState::Failed, Some(sentence)),
        }
    })?;
    Ok(())
}

/// Says that a job is over even if it broke down.
struct LastWord(Report);

impl LastWord {
    fn say(&mut self, state: JobState, message: Option<String>) {
        self.0.end(state, message);
        self.end(None);
    }

    fn end(&self, made: Option<Finished>) {
        self.0.hub().send(Command::Ended { job: self.0.job(), made: made.map(Box::new) });
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
    /// The job that a client asks for; its body takes the place of another, or stands beside those there are.
    pub(crate) fn into_job(self, by: Option<u32>, replaces: Option<u32>) -> Job {
        let title = self.title();
        let work = move |report: &mut Report| {
            let finished = work(self, report).map_err(|error| words::sentence(&error))?;
            Ok(Some(Finished { by, replaces, ..finished }))
        };
        Job { title, by, work: Box::new(work) }
    }

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

fn work(task: Task, report: &mut Report) -> Result<Finished, OpenError> {
    Progress::stage("reading").tell(&mut |p| report.tell(p))?;
    let title = report.title().to_owned();
    let (why, name, opened) = match task {
        Task::Open(Opening::Demo) => ("opened", "dino".to_owned(), own("dino", report)?),
        Task::Open(Opening::File(path)) => {
            let (name, contents) = read::from_disk(&path)?;
            ("opened", name.clone(), open(&name, contents, report)?)
        }
        Task::Files(files) => {
            let (name, contents) = read::uploaded(files)?;
            ("dropped", name.clone(), open(&name, contents, report)?)
        }
        Task::Shape(name) => ("opened", name.clone(), own(&name, report)?),
        Task::Rebuild { model, factors, change, .. } => {
            let model = rescaled(&model, factors)?;
            let again = Open::default().remake(&model, &change, &mut |p| report.tell(p))?;
            ("rebuilt", title, again)
        }
    };
    finish(why, name, opened, report)
}

/// What the engine and the page need of a model.
fn finish(
    why: &'static str,
    name: String,
    opened: Opened,
    report: &mut Report,
) -> Result<Finished, OpenError> {
    Progress::stage("preparing to show it").tell(&mut |p| report.tell(p))?;
    let Opened { model, notes, .. } = opened;
    let unsent = |sentence: String| ReduceError::Request(sentence.into());
    let shapes = Shapes {
        shape: Arc::new(shape::shape(&model).map_err(unsent)?),
        modes: Arc::new(shape::modes(&model).map_err(unsent)?),
        inside: shape::inside(&model).map_err(unsent)?.map(Arc::new),
    };
    Progress::stage("done").tell(&mut |p| report.tell(p))?;
    let notes = notes.iter().map(words::note).collect();
    let model = Arc::new(model);
    Ok(Finished { news: report.done(), why, by: None, replaces: None, name, notes, model, shapes })
}

/// A body of what was read; what is wrong with a mesh is told as soon as it is known.
fn open(name: &str, contents: Contents, report: &mut Report) -> Result<Opened, OpenError> {
    open_as(&Open::default(), name, contents, report)
}

fn open_as(how: &Open, name: &str, contents: Contents, report: &mut Report) -> Result<Opened, OpenError> {
    // The findings go out while the work speaks through the same report.
    let (hub, job) = (report.hub().clone(), report.job());
    let mut show = |mesh: &_, found: &_| findings::show(&hub, job, name, mesh, found);
    how.open_contents(contents, &mut show, &mut |p| report.tell(p))
}

/// One of our shapes, from the cache folder if it is there.
fn own(name: &str, report: &mut Report) -> Result<Opened, OpenError> {
    let entry = shapes::find(name)?;
    // The dinosaur knows where its feet are.
    let holding = if name == "dino" { Holding::These(vec!["set:fixed".into()]) } else { Holding::Usual };
    let usual = Open { holding, ..Open::default() };
    // A newer format says that models have become better, too.
    let settings = format!("{:?}, {:?}, format {}", usual.holding, usual.precompute, Model::NEWEST_FORMAT);
    let place = cache::place(name, &settings);
    let mut notes = Vec::new();
    let (model, why) = cache::kept(place.as_deref(), || {
        let mesh = entry.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
        let made = if name == "dino" {
            usual.reduce(usual.held(mesh)?, &mut |p| report.tell(p))?
        } else {
            let contents = Contents::Mesh { mesh, notes: Vec::new() };
            open_as(&usual, name, contents, report)?
        };
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

/// A body without a thread, for tests.
#[cfg(test)]
pub(crate) fn finished(model: Model) -> Finished {
    let mut report = Report::new(Hub::new(None).0, 1, "a test".into(), None, Arc::default());
    let opened = Opened { model, report: None, notes: Vec::new() };
    finish("opened", "bar.obj".into(), opened, &mut report).expect("a body")
}
