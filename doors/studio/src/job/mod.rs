//! From files to a body, on a thread of its own: reading, examining, filling, reducing, and the shapes for the page.
//!
//! A [`Job`] is any work that tells how far it is ([`Report`]) and stops when it is told to. Those of this room ([`Task`]) hand a
//! body to the engine, which goes on with what there is until then.

mod findings;
mod read;
mod report;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pliant::energy::Recipe;
use pliant::linalg::{Note, Progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::reduce::{Model, ReduceError};
use pliant::world::open::{Contents, Holding, forms, source};
use pliant::world::{Carry, Open, OpenError, Opened, Remake};

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
    pub(crate) work: Box<dyn FnOnce(&mut Report) -> Outcome + Send>,
}

/// A body, nothing, or why not.
pub(crate) type Outcome = Result<Option<Finished>, String>;

#[cfg(debug_assertions)]
impl Job {
    /// Takes so many seconds and makes nothing, for tests; with fewer than none it breaks down.
    pub(crate) fn waiting(title: &str, by: Option<u32>, seconds: f64) -> Self {
        let work = move |report: &mut Report| {
            assert!(seconds >= 0.0, "as it was asked to");
            let begin = std::time::Instant::now();
            while begin.elapsed().as_secs_f64() < seconds {
                if report.tell(Progress::stage("waiting")).is_break() {
                    return Err("stopped".to_owned());
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Ok(None)
        };
        Self { title: title.to_owned(), by, work: Box::new(work) }
    }
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
    /// Of the surface or solid that it came as; it keeps what it is made of where it stays what it is.
    Reshape { name: String, model: Arc<Model>, factors: [f64; 2], how: Box<Open>, same: bool },
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
            let whose = Whose { by, replaces };
            let finished = work(self, whose, report).map_err(|error| words::sentence(&error))?;
            Ok(Some(finished))
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
            Self::Shape(name) | Self::Rebuild { name, .. } | Self::Reshape { name, .. } => name.clone(),
        }
    }
}

/// Who asked for a body, and whose place it takes.
#[derive(Clone, Copy, Default)]
struct Whose {
    by: Option<u32>,
    replaces: Option<u32>,
}

fn work(task: Task, whose: Whose, report: &mut Report) -> Result<Finished, OpenError> {
    Progress::stage("reading").tell(&mut |p| report.tell(p))?;
    let title = report.title().to_owned();
    let form = if let Task::Reshape { how, .. } = &task { Some(how.form) } else { None };
    let (why, name, (opened, carry)) = match task {
        Task::Open(Opening::Demo) => ("opened", "dino".to_owned(), own("dino", whose, report)?),
        Task::Open(Opening::File(path)) => {
            let (name, contents) = read::from_disk(&path)?;
            ("opened", name.clone(), open(&Open::default(), "opened", &name, contents, whose, report)?)
        }
        Task::Files(files) => {
            let (name, contents) = read::uploaded(files)?;
            ("dropped", name.clone(), open(&Open::default(), "dropped", &name, contents, whose, report)?)
        }
        Task::Shape(name) => ("opened", name.clone(), own(&name, whose, report)?),
        Task::Rebuild { model, factors, change, .. } => {
            let model = rescaled(&model, factors)?;
            let again = Open::default().remake(&model, &change, &mut |p| report.tell(p))?;
            ("rebuilt", title, (again, None))
        }
        Task::Reshape { model, factors, mut how, same, .. } => {
            let why = if same { "rebuilt" } else { "reshaped" };
            if same {
                how.recipe = Recipe { fixed: Vec::new(), ..rescaled(&model, factors)?.recipe().clone() };
            }
            let contents = Contents::Mesh { mesh: source(&model), notes: Vec::new() };
            (why, title.clone(), open(&how, why, &title, contents, whose, report)?)
        }
    };
    Progress::stage("preparing to show it").tell(&mut |p| report.tell(p))?;
    let finished = Finished { carry, form, ..finish(why, name, opened, whose, report)? };
    Progress::stage("done").tell(&mut |p| report.tell(p))?;
    Ok(finished)
}

/// What the engine and the page need of a model.
fn finish(
    why: &'static str,
    name: String,
    opened: Opened,
    Whose { by, replaces }: Whose,
    report: &Report,
) -> Result<Finished, OpenError> {
    let Opened { model, notes, report: found, form: became } = opened;
    let unsent = |sentence: String| ReduceError::Request(sentence.into());
    let shapes = Shapes {
        shape: shape::shape(&model).map_err(unsent)?.into(),
        modes: Arc::new(shape::modes(&model).map_err(unsent)?),
        inside: shape::inside(&model).map_err(unsent)?.map(Into::into),
        forms: forms(&source(&model)),
    };
    shapes.shape.pack_soon();
    let remarks = findings::remarks(&notes, found.as_ref());
    let model = Arc::new(model);
    Ok(Finished {
        news: report.done(),
        why,
        by,
        replaces,
        name,
        form: None,
        became,
        remarks,
        model,
        carry: None,
        shapes,
    })
}

/// A body of what was read. What is wrong with a mesh is told as soon as it is known, and a draft of the body comes onto the stage.
fn open(
    how: &Open,
    why: &'static str,
    name: &str,
    contents: Contents,
    whose: Whose,
    report: &mut Report,
) -> Result<(Opened, Option<Carry>), OpenError> {
    // The findings and the draft go out while the work speaks through the same report.
    let (hub, job) = (report.hub().clone(), report.job());
    let mut show = |mesh: &_, found: &_| findings::show(&hub, job, name, mesh, found);
    let report = std::cell::RefCell::new(report);
    let mut draft = |opened: Opened| {
        // One that cannot be shown is not missed: the finished one comes.
        if let Ok(made) = finish(why, name.to_owned(), opened, whose, &report.borrow()) {
            hub.send(Command::Draft { job, made: Box::new(made) });
        }
    };
    how.open_drafted(contents, &mut show, &mut draft, &mut |p| report.borrow_mut().tell(p))
}

/// One of our shapes, from the cache folder if it is there.
fn own(name: &str, whose: Whose, report: &mut Report) -> Result<(Opened, Option<Carry>), OpenError> {
    let entry = shapes::find(name)?;
    // The dinosaur knows where its feet are, and what it is made of.
    let holding = if name == "dino" { Holding::These(vec!["set:fixed".into()]) } else { Holding::Usual };
    let usual = Open { holding, suit: name != "dino", ..Open::default() };
    // A newer format says that models have become better, too.
    let settings = format!("{:?}, {:?}, format {}", usual.holding, usual.precompute, Model::NEWEST_FORMAT);
    let place = cache::place(name, &settings);
    let (mut notes, mut carry, mut form) = (Vec::new(), None, None);
    let (model, why) = cache::kept(place.as_deref(), || {
        // Something to look at while it is made.
        if let Ok(coarse) = shape::coarse(entry) {
            findings::preview(report.hub(), report.job(), name, &coarse, &[]);
        }
        let mesh = entry.make(&ShapeOptions::default(), &mut |p| report.tell(p))?;
        let contents = Contents::Mesh { mesh, notes: Vec::new() };
        let (made, from) = open(&usual, "opened", name, contents, whose, report)?;
        (notes, carry, form) = (made.notes, from, made.form);
        Ok::<_, OpenError>(made.model)
    })?;
    notes.extend(why.map(Note::from));
    Ok((Opened { model, report: None, notes, form }, carry))
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
    let report = Report::new(Hub::new(Vec::new(), None).0, 1, "a test".into(), None, Arc::default());
    let opened = Opened { model, report: None, notes: Vec::new(), form: None };
    finish("opened", "bar.obj".into(), opened, Whose::default(), &report).expect("a body")
}
