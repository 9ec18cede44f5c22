//! The commands: one file each, one line in [`ALL`].

use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::context::{Context, Status};

mod bench;
mod build;
mod compare;
mod completions;
mod edit;
mod energy;
mod formats;
mod info;
pub(crate) mod mesh;
mod modes;
mod signature;
mod simulate;
pub(crate) mod studio;
mod warp;

/// One command of the table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    augment: fn(Command) -> Command,
    pub(crate) run: fn(&ArgMatches, &mut Context) -> anyhow::Result<Status>,
}

macro_rules! entry {
    ($name:literal, $module:ident) => {
        Entry {
            name: $name,
            augment: $module::Args::augment_args,
            run: |matches, context| $module::run(&$module::Args::from_arg_matches(matches)?, context),
        }
    };
}

/// Every command. A new one is a file in this folder and a line here.
pub(crate) static ALL: &[Entry] = &[
    entry!("info", info),
    entry!("mesh", mesh),
    entry!("modes", modes),
    entry!("signature", signature),
    entry!("energy", energy),
    entry!("build", build),
    entry!("simulate", simulate),
    entry!("compare", compare),
    entry!("warp", warp),
    entry!("edit", edit),
    entry!("studio", studio),
    entry!("formats", formats),
    entry!("bench", bench),
    entry!("completions", completions),
];

/// The whole command line, for parsing, help and completions.
pub(crate) fn command() -> Command {
    let global = |name: &'static str, help: &'static str| Arg::new(name).long(name).global(true).help(help);
    let command = Command::new("pliant")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Model reduction of deformable objects: give it a mesh, get a body that moves in microseconds")
        .after_help(
            "EXAMPLES\n  pliant                                     a rubber dinosaur in the browser, to be pulled\n  \
             pliant info bunny.stl -o report.html       what is in a file, and what is wrong with it\n  \
             pliant mesh bunny.stl -o bunny.veg --tets  make a solid of a surface\n  \
             pliant build bunny.veg -o bunny.pliant     a model of it that moves in microseconds\n  \
             pliant simulate bunny.pliant pull.toml -o motion.glb\n  \
             pliant studio bunny.pliant                 the same in the browser, live\n\n\
             EXIT STATUS\n  0 done, 1 not to the standard asked, 2 bad usage or bad input, 130 interrupted",
        )
        .arg(global("json", "One JSON object on standard output, and nothing else there").action(ArgAction::SetTrue))
        .arg(global("quiet", "No bars, and no report where the result is a file").action(ArgAction::SetTrue))
        .arg(
            global("threads", "How many threads to use; results do not depend on it [default: all cores]")
                .value_name("N")
                .value_parser(clap::value_parser!(u16).range(1..=1024)),
        )
        .arg(
            global("seed", "Where random choices start; the same seed gives the same bytes")
                .value_name("N")
                .default_value("0")
                .value_parser(clap::value_parser!(u64)),
        );
    ALL.iter().fold(command, |command, entry| command.subcommand((entry.augment)(Command::new(entry.name))))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
