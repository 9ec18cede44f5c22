//! `pliant completions`: what a shell needs to complete our commands.

use clap_complete::Shell;

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
    context.answer(&serde_json::json!({ "shell": args.shell.to_string(), "script": script }), &script)?;
    Ok(Status::Done)
}
