//! Members that a program adds to the tables, each from one file and one line, on a whole command line: help, `build`, the model
//! file and `info` know them like those of the house.

mod basis;
mod force;
mod law;

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pliant::linalg::Vec3;
use pliant::mesh::{io, shapes};
use pliant::reduce::Model;
use serde_json::{Value, json};

use crate::context::Context;
use crate::words::Words;

/// What would be standard output.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody broke down").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a command line; the JSON that it answers, or its error as people read it.
fn pliant(words: &[&str]) -> Result<Value, String> {
    let command = crate::cmd::command();
    let said = Said::default();
    let known = Words::of(&command);
    let matches = command.try_get_matches_from([&["pliant", "--json", "--quiet"], words].concat());
    let matches = matches.map_err(|error| error.to_string())?;
    let mut context = Context::new(&matches, known, Box::new(said.clone()));
    crate::run(&matches, &mut context).map_err(|error| context.words().error(&error))?;
    let bytes = said.0.lock().expect("nobody broke down").clone();
    Ok(serde_json::from_slice(&bytes).expect("one JSON object"))
}

fn help_of_build() -> String {
    let mut command = crate::cmd::command();
    command.find_subcommand_mut("build").expect("a command").render_long_help().to_string()
}

#[test]
fn what_a_program_adds_is_known_to_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (mesh, model) = (path("bar.veg"), path("bar.pliant"));
    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
    io::save(Path::new(&mesh), &bar, None).expect("a file");
    let build = ["build", &mesh, "-o", &model, "--fix", "x<5%", "--modes", "6"];
    let with = |more: &[&str]| pliant(&[&build[..], more].concat());
    let toys = [("material of solids", "toy-fibres"), ("basis", "toy-halves"), ("force", "toy-stiffening")];
    let options = ["--material", "--basis", "--forces"];
    for (option, (what, name)) in options.into_iter().zip(toys) {
        let early = with(&[option, name]).expect_err("nobody added it");
        assert!(early.contains(&format!("there is no {what} {name:?}; there are: ")), "{early}");
        assert!(!help_of_build().contains(name), "{name}");
    }

    law::add();
    force::add();
    basis::add();

    let help = help_of_build();
    for name in toys.iter().map(|(_, name)| *name).chain(["fibres", "matrix"]) {
        assert!(help.contains(name), "{name} is missing in:\n{help}");
    }
    let all: Vec<&str> =
        options.into_iter().zip(toys).flat_map(|(option, (_, name))| [option, name]).collect();
    let missing = with(&all).expect_err("a constant that is needed");
    assert!(missing.contains("(--constant fibres=VALUE)"), "{missing}");
    let built = with(&[&all[..], &["--constant", "fibres=0.5"]].concat()).expect("a model");
    assert_eq!((&built["basis"], &built["forces"]), (&json!("toy-halves"), &json!("toy-stiffening")));

    let read = Model::read(Path::new(&model)).expect("a model file");
    assert_eq!(read.recipe().material.as_deref(), Some("toy-fibres"));
    assert_eq!(read.recipe().constants, [("fibres".to_owned(), 0.5)].into());
    assert_eq!((read.facts().basis.as_str(), read.force().name()), ("toy-halves", "toy-stiffening"));
    assert_eq!(read.force().size("toy_terms"), Some(3));

    let info = pliant(&["info", &model]).expect("facts");
    assert_eq!((&info["basis"], &info["forces"]), (&json!("toy-halves"), &json!("toy-stiffening")));
    let matter = &info["material"][0];
    assert_eq!((&matter["material"], &matter["fibres"]), (&json!("toy-fibres"), &json!(0.5)));
    // What nobody gave is what it usually is: a tenth of Young's modulus.
    let near = |key: &str, value: f64| {
        let found = matter[key].as_f64().expect("a number");
        assert!((found / value - 1.0).abs() < 1e-12, "{key}: {found}");
    };
    near("young", 1e6);
    near("matrix", 1e5);
}
