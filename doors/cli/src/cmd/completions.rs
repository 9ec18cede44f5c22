//! `pliant completions`: what a shell needs to complete our commands.

use clap_complete::Shell;
use pliant::world::facts::Fact;

use crate::context::{Context, Status};

/// Print a completion script for a shell.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant completions bash > ~/.local/share/bash-completion/completions/pliant
  pliant completions zsh > ~/.zfunc/_pliant
  pliant completions fish > ~/.config/fish/completions/pliant.fish")]
pub(crate) struct Args {
    /// Which shell.
    shell: Shell,
}

pub(crate) fn run(args: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "pliant", &mut script);
    let script = String::from_utf8(script)?;
    let facts = [Fact::new("shell", args.shell.to_string()), Fact::new("script", script.as_str())];
    context.answer_as(&facts.into_iter().collect(), &script)?;
    Ok(Status::Done)
}
