//! The command line of pliant: words in, one library call, a report out. The contract is docs/cli.md.

mod body;
mod cmd;
mod context;
mod files;
mod help;
mod memory;
mod numbers;
mod stepping;
#[cfg(test)]
mod toys;
mod watch;
mod words;

use std::io::Write as _;
use std::process::ExitCode;

use clap::ArgMatches;
use context::{Context, Status};
use words::Words;

fn main() -> ExitCode {
    let command = cmd::command();
    let words = Words::of(&command);
    let matches = match command.try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are answers, not errors; a closed pipe is nobody's fault.
            let said = error.render().to_string();
            let cut = words::refusal(&said, std::env::args_os().map(|a| a.to_string_lossy().into_owned()));
            let _ = if cut == said { error.print() } else { write!(std::io::stderr(), "{cut}") };
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    watch::leave_no_partial_file_on_interrupt();
    let mut context = Context::new(&matches, words, Box::new(std::io::stdout()));
    match run(&matches, &mut context) {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Missed) => ExitCode::from(1),
        Err(error) => fail(&error, context.words()),
    }
}

fn run(matches: &ArgMatches, context: &mut Context) -> anyhow::Result<Status> {
    if let Some(&threads) = matches.get_one::<u16>("threads") {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    match matches.subcommand() {
        None => cmd::studio::demo(context),
        Some((name, matches)) => {
            let entry =
                cmd::ALL.iter().find(|c| c.name == name).expect("clap knows only the commands of the table");
            (entry.run)(matches, context)
        }
    }
}

/// Says what went wrong, cause by cause, and chooses the status.
fn fail(error: &anyhow::Error, words: &Words) -> ExitCode {
    // A reader that has seen enough (`pliant info x | head -1`) is no failure.
    if error.chain().any(|e| {
        e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    }) {
        return ExitCode::SUCCESS;
    }
    // Every room has its own word for work that was asked to stop; only an interrupt asks.
    if watch::interrupted() {
        return ExitCode::from(watch::INTERRUPTED);
    }
    // Nobody is left to tell if standard error is closed too.
    let _ = writeln!(std::io::stderr(), "pliant: {}", words.error(error));
    ExitCode::from(2)
}
