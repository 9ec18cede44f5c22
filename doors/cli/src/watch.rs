//! Progress on the terminal, and what an interrupt does.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant::linalg::Progress;

/// Exit status after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// Whether the user asked to stop.
pub(crate) fn interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// How long work may take to stop by itself before the process is ended.
const PATIENCE: Duration = Duration::from_millis(300);

/// On Ctrl-C (and a polite kill): asks the work to stop, waits a moment, then ends the process between files.
pub(crate) fn leave_no_partial_file_on_interrupt() {
    let installed = ctrlc::set_handler(|| {
        STOP.store(true, Ordering::Relaxed);
        std::thread::sleep(PATIENCE);
        pliant::mesh::io::stop_writing();
        std::process::exit(INTERRUPTED.into());
    });
    debug_assert!(installed.is_ok(), "the handler is installed once");
}

/// Shows the progress of long work, and passes an interrupt on to it.
pub(crate) struct Bar {
    bar: ProgressBar,
    started: Instant,
    shown: bool,
}

impl Bar {
    pub(crate) fn new(visible: bool) -> Self {
        Self { bar: ProgressBar::hidden(), started: Instant::now(), shown: !visible }
    }

    /// To be given to the work as its watch.
    pub(crate) fn tell(&mut self, progress: Progress) -> ControlFlow<()> {
        if STOP.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        // Half a second: anything shorter would only flicker.
        if !self.shown && self.started.elapsed() > Duration::from_millis(500) {
            self.shown = true;
            let style = ProgressStyle::with_template("{msg:>24} {wide_bar} {percent:>3} % {eta:>5} left");
            self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.message() != progress.stage {
            self.bar.set_message(progress.stage);
        }
        self.bar.set_length(progress.total.max(1) as u64);
        self.bar.set_position(progress.done as u64);
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How long each stage of the work took, in the order in which they began.
pub(crate) struct Stages {
    finished: Vec<(String, f64)>,
    current: Option<(String, Instant)>,
}

impl Stages {
    /// The first stage begins with the first thing that is told.
    pub(crate) fn new() -> Self {
        Self { finished: Vec::new(), current: None }
    }

    /// To be told what the work tells its watch.
    pub(crate) fn tell(&mut self, progress: Progress) {
        if self.current.as_ref().is_none_or(|(name, _)| name != progress.stage) {
            self.begin(progress.stage);
        }
    }

    /// A stage begins, and the one before it ends.
    pub(crate) fn begin(&mut self, name: &str) {
        self.end();
        self.current = Some((name.to_owned(), Instant::now()));
    }

    /// All stages with their seconds; one that came several times is summed up.
    pub(crate) fn finish(mut self) -> Vec<(String, f64)> {
        self.end();
        self.finished
    }

    fn end(&mut self) {
        let Some((name, begin)) = self.current.take() else { return };
        let seconds = begin.elapsed().as_secs_f64();
        match self.finished.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => *sum += seconds,
            None => self.finished.push((name, seconds)),
        }
    }
}
