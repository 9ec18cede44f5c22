//! Help texts with names that stand in tables: who adds a line to one finds it here.

use pliant::dynamics::integrator;
use pliant::energy::{Constant, material, shell};
use pliant::reduce::basis::{self, Needs};
use pliant::reduce::force::{self, trainer};
use pliant::sim::{load, motion};

/// "a, b or c".
fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
    }
}

/// `--material`.
pub(crate) fn material() -> String {
    format!(
        "Solids: {}; surfaces: {} [default: what the file says, else stable-neo-hookean or discrete-shells]",
        material::ALL.names().join(", "),
        shell::ALL.names().join(", ")
    )
}

/// `--constant`.
pub(crate) fn constant() -> String {
    let solids = material::ALL.iter().map(|entry| (entry.name, entry.constants));
    let surfaces = shell::ALL.iter().map(|entry| (entry.name, entry.constants));
    let one = |c: &Constant| match c.unit {
        "" => format!("{} ({})", c.key, c.name),
        unit => format!("{} ({}, {unit})", c.key, c.name),
    };
    let laws: Vec<String> = solids
        .chain(surfaces)
        .filter(|(_, constants)| !constants.is_empty())
        .map(|(law, constants)| {
            format!("{law} has {}", constants.iter().map(one).collect::<Vec<_>>().join(", "))
        })
        .collect();
    format!(
        "A constant that the material has of its own: {}; may be repeated [default: what the file says, else what the \
         material says]",
        laws.join("; ")
    )
}

/// `--basis`.
pub(crate) fn basis() -> String {
    let names = |needs: Needs| {
        let those = basis::ALL.iter().filter(|entry| entry.needs == needs);
        those.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
    };
    format!(
        "{}, or {} with --snapshots or --scenario [default: derivatives]",
        names(Needs::Modes),
        names(Needs::Snapshots)
    )
}

/// `--forces`.
pub(crate) fn forces() -> String {
    format!(
        "{} [default: ghost with --ghost, cubature with --cubature or an option of its training, cubic for stvk up to 60 \
         coordinates, else cubature]",
        either(&force::ALL.names())
    )
}

/// `--trainer`.
pub(crate) fn trainer() -> String {
    format!(
        "How cubature points are chosen: {}; best tries nn-htp and greedy and takes what is better under loads \
         [default: best]",
        either(&trainer::ALL.names())
    )
}

/// `--integrator`.
pub(crate) fn integrator() -> String {
    let names: Vec<String> = integrator::ALL
        .iter()
        .map(|e| {
            if e.linear_only { format!("{} (models with linear forces)", e.name) } else { e.name.to_owned() }
        })
        .collect();
    let names = either(&names.iter().map(String::as_str).collect::<Vec<_>>());
    format!(
        "{names} [default: newmark; for models with other forces than linear ones newmark-broyden, the same motion]"
    )
}

/// `--motion`.
pub(crate) fn motion() -> String {
    let all: Vec<String> =
        motion::ALL.iter().map(|entry| format!("{} ({})", entry.name, entry.about)).collect();
    format!("How a model moves: {} [default: nonlinear]", all.join(", "))
}

/// Behind what a scenario is for: the kinds of load that it may hold.
pub(crate) fn scenario(what: &str) -> String {
    let kinds: Vec<String> = load::ALL.iter().map(|kind| format!("{} ({})", kind.name, kind.about)).collect();
    format!("{what}. What may act on it: {}", kinds.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name of every table is in the help of every command that has its option.
    #[test]
    fn help_knows_every_line_of_every_table() {
        let keys = |constants: &[Constant]| constants.iter().map(|c| c.key).collect::<Vec<_>>();
        let of_solids = material::ALL.iter().flat_map(|entry| keys(entry.constants));
        let of_surfaces = shell::ALL.iter().flat_map(|entry| keys(entry.constants));
        let tables: [(&str, Vec<&str>, &[&str]); 7] = [
            (
                "material",
                [material::ALL.names(), shell::ALL.names()].concat(),
                &["modes", "energy", "build", "simulate"],
            ),
            ("constant", of_solids.chain(of_surfaces).collect(), &["modes", "energy", "build", "simulate"]),
            ("basis", basis::ALL.names(), &["build"]),
            ("forces", force::ALL.names(), &["build"]),
            ("trainer", trainer::ALL.names(), &["build"]),
            ("integrator", integrator::ALL.names(), &["simulate", "compare"]),
            ("motion", motion::ALL.names(), &["simulate"]),
        ];
        let mut command = crate::cmd::command();
        for (option, names, commands) in tables {
            assert!(!names.is_empty(), "{option}");
            let having: Vec<String> = command
                .get_subcommands()
                .filter(|sub| sub.get_arguments().any(|arg| arg.get_long() == Some(option)))
                .map(|sub| sub.get_name().to_owned())
                .collect();
            assert!(commands.iter().all(|c| having.iter().any(|h| h == c)), "--{option}: {having:?}");
            for name in &having {
                let sub = command.find_subcommand_mut(name).expect("one of its commands");
                let help = sub.render_long_help().to_string();
                let line = help.split(&format!("--{option} <")).nth(1).expect("the option");
                let end = line.find("\n      --").unwrap_or(line.len());
                let words: Vec<&str> = line[..end].split(|c: char| " ,;:()[]\n".contains(c)).collect();
                for line in &names {
                    assert!(
                        words.contains(line),
                        "pliant {name} --help: {line} is missing behind --{option}: {words:?}"
                    );
                }
            }
        }
    }

    /// Every kind of load is in the help of every command that takes a scenario, an argument or an option.
    #[test]
    fn help_knows_every_kind_of_load() {
        let names = load::ALL.names();
        assert!(["pressure", "spring"].iter().all(|name| names.contains(name)), "{names:?}");
        let command = crate::cmd::command();
        let mut having = Vec::new();
        for sub in command.get_subcommands() {
            for arg in sub.get_arguments().filter(|arg| arg.get_id() == "scenario") {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let words: Vec<&str> = help.split(|c: char| " ,;:()[]\n".contains(c)).collect();
                for name in &names {
                    assert!(words.contains(name), "pliant {}: {name} is missing: {help}", sub.get_name());
                }
                having.push(sub.get_name());
            }
        }
        assert_eq!(having, ["build", "simulate", "compare"]);
    }
}
