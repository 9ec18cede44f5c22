//! `pliant studio`, and `pliant` alone: bodies on a page in the browser, that can be pulled.

use std::io::{IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant::world::facts::Fact;
use pliant::world::open::read_file;
use pliant_studio::protocol::JobState;
use pliant_studio::{Observer, Opening, Options, Studio, StudioError};

use crate::context::{Context, Status};
use crate::watch;

/// Open bodies on a page in the browser and pull them.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant studio                      the demo, a rubber dinosaur
  pliant studio bunny.stl            any mesh: it is filled, reduced, and moves
  pliant studio dino.pliant          a model that `pliant build` made
  pliant studio bunny.stl dino.pliant    both, side by side
  pliant studio --port 0 --no-open --json    for scripts: prints {\"url\": …} as soon as it listens

The page comes from this program alone; nothing is fetched from anywhere. Ctrl-C closes it.")]
pub(crate) struct Args {
    /// Models or meshes, which stand side by side [default: the demo].
    #[arg(value_name = "MODEL|MESH")]
    bodies: Vec<PathBuf>,
    /// Where to listen; 0 picks a free port [default: 7420, or a free one if it is taken].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Listen on this address instead of 127.0.0.1; others who reach it need the token in the address that is printed.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
}

/// The port that bookmarks can rely on, mostly.
const PORT: u16 = 7420;

/// `pliant` alone.
pub(crate) fn demo(context: &mut Context) -> anyhow::Result<Status> {
    run(&Args { bodies: Vec::new(), port: None, no_open: false, listen: None }, context)
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    for path in &args.bodies {
        // Said here, on the terminal, rather than on a page that has nothing to show.
        read_file(path)?;
    }
    let mut openings: Vec<Opening> = args.bodies.iter().cloned().map(Opening::File).collect();
    if openings.is_empty() {
        openings.push(Opening::Demo);
    }
    let studio = open(args, &openings, context)?;
    let url = studio.url();
    context.announce(&Fact::new("url", url), &format!("pliant studio: {url}\nCtrl-C closes it."))?;
    if !args.no_open {
        open_browser(url);
    }
    studio.wait(watch::interrupted)?;
    // Only an interrupt closes it, and its status is chosen where errors are.
    bail!("closed")
}

fn open(args: &Args, openings: &[Opening], context: &Context) -> anyhow::Result<Studio> {
    let listen = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let options =
        |port| Options { openings: openings.to_vec(), listen, port, observer: Some(terminal(context)) };
    let studio = match (Studio::open(options(args.port.unwrap_or(PORT))), args.port) {
        // Nobody asked for that port by number.
        (Err(StudioError::Listen { .. }), None) => Studio::open(options(0)),
        (other, _) => other,
    };
    match studio {
        Ok(studio) => Ok(studio),
        Err(error) => bail!("{error}"),
    }
}

/// A line on the terminal for each job: what it does, or why it failed.
fn terminal(context: &Context) -> Observer {
    let visible = !context.quiet() && std::io::stderr().is_terminal();
    let bar: Mutex<Option<ProgressBar>> = Mutex::default();
    Box::new(move |news| {
        let Ok(mut bar) = bar.lock() else { return };
        if news.state == JobState::Running {
            if visible {
                let shown = bar.get_or_insert_with(|| {
                    let shown = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
                    let style = ProgressStyle::with_template("{msg:>34} {wide_bar} {percent:>3} %");
                    shown.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                    shown
                });
                shown.set_message(format!("{}: {}", news.title, news.stage));
                shown.set_position((1000.0 * news.part.unwrap_or(0.0)) as u64);
            }
            return;
        }
        if let Some(bar) = bar.take() {
            bar.finish_and_clear();
        }
        if let (JobState::Failed, Some(message)) = (news.state, &news.message) {
            // Most messages begin with the name of the file.
            let name =
                if message.starts_with(&news.title) { String::new() } else { format!("{}: ", news.title) };
            let _ = writeln!(std::io::stderr(), "pliant: {name}{message}");
        }
    })
}

/// Opens the browser, if there is one; a machine without a screen has none, and that is no error.
fn open_browser(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(target_os = "windows") {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        Command::new("xdg-open")
    } else {
        return;
    };
    let _ = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
